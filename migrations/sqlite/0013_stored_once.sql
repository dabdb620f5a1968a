-- What many jobs of a sweep share is stored once. A document with a `base` holds places and values, [[pointer, value], ...]: what it
-- has other than its base, which is whole. So does the document of a job with a `document_base`.
ALTER TABLE documents ADD COLUMN base TEXT REFERENCES documents (sha256);
CREATE INDEX documents_base ON documents (base) WHERE base IS NOT NULL;
ALTER TABLE jobs ADD COLUMN document_base TEXT REFERENCES documents (sha256);
CREATE INDEX jobs_document_base ON jobs (document_base) WHERE document_base IS NOT NULL;

-- Large sweeps come and go in pieces, so that others write in between: until the last one is there they are nobody's to see or claim.
ALTER TABLE jobs ADD COLUMN incoming INTEGER NOT NULL DEFAULT 0;
CREATE INDEX jobs_incoming ON jobs (parent) WHERE incoming = 1;
DROP INDEX jobs_queued;
CREATE INDEX jobs_queued ON jobs (queue, created_ms - 60000 * priority, seq)
  WHERE state = 'queued' AND kind <> 'sweep' AND incoming = 0;

-- Documents go with the last job that needs them.
CREATE INDEX model_revisions_sha256 ON model_revisions (sha256);
CREATE VIEW documents_needed AS
  SELECT model_sha256 AS sha256 FROM jobs
  UNION ALL SELECT document_base FROM jobs WHERE document_base IS NOT NULL
  UNION ALL SELECT sha256 FROM model_revisions
  UNION ALL SELECT base FROM documents WHERE base IS NOT NULL;
CREATE TRIGGER documents_go AFTER DELETE ON jobs BEGIN
  DELETE FROM documents WHERE sha256 IN (old.model_sha256, old.document_base)
    AND NOT EXISTS (SELECT 1 FROM documents_needed AS n WHERE n.sha256 = documents.sha256);
END;
CREATE TRIGGER bases_go AFTER DELETE ON documents WHEN old.base IS NOT NULL BEGIN
  DELETE FROM documents WHERE sha256 = old.base
    AND NOT EXISTS (SELECT 1 FROM documents_needed AS n WHERE n.sha256 = documents.sha256);
END;

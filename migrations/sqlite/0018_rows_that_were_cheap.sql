-- What one owner keeps is charged what the database takes for it, measured with the longest names:
-- - 256 for each row of sweep_jobs, when its sweep comes and until it goes: a retried sweep has one for each job that it takes over.
-- - 8 KiB for a job with more than 8 events: progress is kept up to 64 of them. The first 8 are in the 2 KiB of its row.
-- - 512 for a model or its name, 512 for a revision, 1 KiB for a key, 768 for a document and its indices.
-- - A document of more than 800 bytes has pages of its own: it is charged whole ones.
DROP VIEW holdings_now;
DROP VIEW document_holders_now;
DROP TRIGGER holders_whole;
DROP TRIGGER holders_model_in;
DROP TRIGGER holders_base_in;
DROP TRIGGER holders_revision_in;
DROP TRIGGER holdings_keys_in;
DROP TRIGGER holdings_keys_out;
DROP TRIGGER holdings_models_in;
DROP TRIGGER holdings_models_out;
DROP TRIGGER holdings_revisions_in;
DROP TRIGGER holdings_revisions_out;

CREATE VIEW document_charges AS
  SELECT sha256, 768 + iif(length(CAST(body AS BLOB)) <= 800, length(CAST(body AS BLOB)),
                           4096 * ((length(CAST(body AS BLOB)) + 3595) / 4096)) AS bytes FROM documents;
CREATE VIEW document_holders_now AS
  SELECT owner, sha256, count(*) AS uses, (SELECT d.bytes FROM document_charges AS d WHERE d.sha256 = u.sha256) AS bytes
  FROM (SELECT coalesce(owner, '') AS owner, model_sha256 AS sha256 FROM jobs
        UNION ALL SELECT coalesce(owner, ''), document_base FROM jobs WHERE document_base IS NOT NULL
        UNION ALL SELECT owner, sha256 FROM model_revisions) AS u GROUP BY owner, sha256;
CREATE VIEW holdings_now AS
  SELECT owner, sum(jobs) AS jobs, sum(sweeps) AS sweeps, sum(models) AS models, sum(keys) AS keys, sum(rows) AS rows, sum(bytes) AS bytes,
         sum(results) AS results
  FROM (SELECT coalesce(owner, '') AS owner, 1 AS jobs, kind = 'sweep' AS sweeps, 0 AS models, 0 AS keys,
               2048 + length(CAST(document AS BLOB)) + 3 * length(CAST(labels AS BLOB))
               + 8192 * EXISTS (SELECT 1 FROM events AS e WHERE e.job = jobs.seq AND e.seq > 8)
               + CASE WHEN kind = 'sweep' THEN
                   coalesce((SELECT 256 * (s.queued + s.running + s.succeeded + s.failed + s.cancelled) FROM sweeps AS s WHERE s.id = jobs.id), 0)
                 ELSE 0 END AS rows, 0 AS bytes, coalesce(result_size, 0) AS results
        FROM jobs
        UNION ALL SELECT owner, 0, 0, deleted = 0, 0, 0, 512, 0 FROM models
        UNION ALL SELECT owner, 0, 0, 0, 0, 0, 512, 0 FROM model_revisions
        UNION ALL SELECT owner, 0, 0, 0, 1, 0, 1024, 0 FROM request_keys
        UNION ALL SELECT owner, 0, 0, 0, 0, 0, bytes, 0 FROM document_holders) GROUP BY owner;
UPDATE document_holders SET bytes = (SELECT d.bytes FROM document_charges AS d WHERE d.sha256 = document_holders.sha256);
UPDATE holdings SET rows = n.rows, bytes = n.bytes FROM holdings_now AS n WHERE n.owner = holdings.owner;

-- The row of a sweep is looked at in the change that makes it, before its jobs are written. It goes before what hangs on it does.
CREATE TRIGGER holdings_sweeps_in AFTER INSERT ON sweeps BEGIN
  UPDATE holdings SET rows = rows + 256 * (new.queued + new.running + new.succeeded + new.failed + new.cancelled)
    WHERE owner = (SELECT coalesce(j.owner, '') FROM jobs AS j WHERE j.id = new.id);
END;
CREATE TRIGGER holdings_sweeps_out BEFORE DELETE ON jobs WHEN old.kind = 'sweep' BEGIN
  UPDATE holdings SET rows = rows - coalesce((SELECT 256 * (s.queued + s.running + s.succeeded + s.failed + s.cancelled)
                                              FROM sweeps AS s WHERE s.id = old.id), 0)
    WHERE owner = coalesce(old.owner, '');
END;
CREATE TRIGGER holdings_events_in AFTER INSERT ON events WHEN new.seq = 9 BEGIN
  UPDATE holdings SET rows = rows + 8192 WHERE owner = (SELECT coalesce(j.owner, '') FROM jobs AS j WHERE j.seq = new.job);
END;
CREATE TRIGGER holdings_events_out BEFORE DELETE ON jobs
  WHEN EXISTS (SELECT 1 FROM events AS e WHERE e.job = old.seq AND e.seq > 8) BEGIN
  UPDATE holdings SET rows = rows - 8192 WHERE owner = coalesce(old.owner, '');
END;

-- As before, with these charges.
CREATE TRIGGER holders_whole AFTER UPDATE OF body ON documents BEGIN
  UPDATE holdings SET bytes = bytes + (SELECT d.bytes FROM document_charges AS d WHERE d.sha256 = new.sha256)
      - (SELECT h.bytes FROM document_holders AS h WHERE h.owner = holdings.owner AND h.sha256 = new.sha256)
    WHERE owner IN (SELECT h.owner FROM document_holders AS h WHERE h.sha256 = new.sha256);
  UPDATE document_holders SET bytes = (SELECT d.bytes FROM document_charges AS d WHERE d.sha256 = new.sha256) WHERE sha256 = new.sha256;
END;
CREATE TRIGGER holders_model_in BEFORE INSERT ON jobs WHEN NOT EXISTS
  (SELECT 1 FROM document_holders AS h WHERE h.owner = coalesce(new.owner, '') AND h.sha256 = new.model_sha256) BEGIN
  INSERT INTO document_holders SELECT coalesce(new.owner, ''), d.sha256, 0, d.bytes FROM document_charges AS d
    WHERE d.sha256 = new.model_sha256;
END;
CREATE TRIGGER holders_base_in BEFORE INSERT ON jobs WHEN new.document_base IS NOT NULL AND NOT EXISTS
  (SELECT 1 FROM document_holders AS h WHERE h.owner = coalesce(new.owner, '') AND h.sha256 = new.document_base) BEGIN
  INSERT INTO document_holders SELECT coalesce(new.owner, ''), d.sha256, 0, d.bytes FROM document_charges AS d
    WHERE d.sha256 = new.document_base;
END;
CREATE TRIGGER holders_revision_in BEFORE INSERT ON model_revisions WHEN NOT EXISTS
  (SELECT 1 FROM document_holders AS h WHERE h.owner = new.owner AND h.sha256 = new.sha256) BEGIN
  INSERT INTO document_holders SELECT new.owner, d.sha256, 0, d.bytes FROM document_charges AS d WHERE d.sha256 = new.sha256;
END;
CREATE TRIGGER holdings_keys_in AFTER INSERT ON request_keys BEGIN
  INSERT INTO holdings (owner, keys, bytes) VALUES (new.owner, 1, 1024)
    ON CONFLICT (owner) DO UPDATE SET keys = keys + 1, bytes = bytes + 1024;
END;
CREATE TRIGGER holdings_keys_out AFTER DELETE ON request_keys BEGIN
  UPDATE holdings SET keys = keys - 1, bytes = bytes - 1024 WHERE owner = old.owner;
END;
CREATE TRIGGER holdings_models_in AFTER INSERT ON models BEGIN
  INSERT INTO holdings (owner, models, bytes) VALUES (new.owner, new.deleted = 0, 512)
    ON CONFLICT (owner) DO UPDATE SET models = models + excluded.models, bytes = bytes + 512;
END;
CREATE TRIGGER holdings_models_out AFTER DELETE ON models BEGIN
  UPDATE holdings SET models = models - (old.deleted = 0), bytes = bytes - 512 WHERE owner = old.owner;
END;
CREATE TRIGGER holdings_revisions_in AFTER INSERT ON model_revisions BEGIN
  INSERT INTO holdings (owner, bytes) VALUES (new.owner, 512) ON CONFLICT (owner) DO UPDATE SET bytes = bytes + 512;
  UPDATE document_holders SET uses = uses + 1 WHERE owner = new.owner AND sha256 = new.sha256;
END;
CREATE TRIGGER holdings_revisions_out AFTER DELETE ON model_revisions BEGIN
  UPDATE holdings SET bytes = bytes - 512 WHERE owner = old.owner;
  UPDATE document_holders SET uses = uses - 1 WHERE owner = old.owner AND sha256 = old.sha256;
  DELETE FROM documents WHERE sha256 = old.sha256
    AND NOT EXISTS (SELECT 1 FROM documents_needed AS n WHERE n.sha256 = documents.sha256);
END;

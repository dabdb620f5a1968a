-- Whose the model of a job is: '': nobody's, it is shared; NULL: its own owner's (as before owners, or given with the job).
ALTER TABLE jobs ADD COLUMN model_owner TEXT;
UPDATE jobs SET model_owner = '' WHERE owner IS NOT NULL AND model_name IS NOT NULL AND NOT EXISTS (
  SELECT 1 FROM model_revisions AS r WHERE r.name = jobs.model_name AND r.owner = jobs.owner AND r.revision = jobs.model_revision
    AND r.sha256 = jobs.model_sha256);

-- What every owner ('': nobody) keeps, counted as it changes, so that a limit costs the look at one row. `rows`: bytes of jobs with their
-- own documents and labels, each with 2 KiB for its row, indices and events. `bytes`: of documents of models, keys, names and revisions. A document is stored
-- once, whoever needs it; each owner who does is charged for it, once (document_holders). `results`: bytes of results.
CREATE TABLE holdings (
  owner     TEXT PRIMARY KEY,
  jobs      INTEGER NOT NULL DEFAULT 0,
  sweeps    INTEGER NOT NULL DEFAULT 0,
  models    INTEGER NOT NULL DEFAULT 0,
  keys      INTEGER NOT NULL DEFAULT 0,
  rows      INTEGER NOT NULL DEFAULT 0,
  bytes     INTEGER NOT NULL DEFAULT 0,
  results   INTEGER NOT NULL DEFAULT 0,
  forgotten INTEGER NOT NULL DEFAULT 0     -- the greatest revision of deleted models whose names were forgotten
) WITHOUT ROWID;
CREATE TABLE document_holders (
  owner  TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  uses   INTEGER NOT NULL,
  bytes  INTEGER NOT NULL,
  PRIMARY KEY (owner, sha256)
) WITHOUT ROWID;
CREATE INDEX document_holders_sha256 ON document_holders (sha256);
CREATE INDEX models_deleted ON models (owner, updated_ms) WHERE deleted = 1;

-- The same from the tables themselves.
CREATE VIEW document_holders_now AS
  SELECT owner, sha256, count(*) AS uses, (SELECT length(CAST(d.body AS BLOB)) FROM documents AS d WHERE d.sha256 = u.sha256) AS bytes
  FROM (SELECT coalesce(owner, '') AS owner, model_sha256 AS sha256 FROM jobs
        UNION ALL SELECT coalesce(owner, ''), document_base FROM jobs WHERE document_base IS NOT NULL
        UNION ALL SELECT owner, sha256 FROM model_revisions) AS u GROUP BY owner, sha256;
CREATE VIEW holdings_now AS
  SELECT owner, sum(jobs) AS jobs, sum(sweeps) AS sweeps, sum(models) AS models, sum(keys) AS keys, sum(rows) AS rows, sum(bytes) AS bytes,
         sum(results) AS results
  FROM (SELECT coalesce(owner, '') AS owner, 1 AS jobs, kind = 'sweep' AS sweeps, 0 AS models, 0 AS keys,
               2048 + length(CAST(document AS BLOB)) + 3 * length(CAST(labels AS BLOB)) AS rows, 0 AS bytes, coalesce(result_size, 0) AS results
        FROM jobs
        UNION ALL SELECT owner, 0, 0, deleted = 0, 0, 0, 256, 0 FROM models
        UNION ALL SELECT owner, 0, 0, 0, 0, 0, 256, 0 FROM model_revisions
        UNION ALL SELECT owner, 0, 0, 0, 1, 0, 512, 0 FROM request_keys
        UNION ALL SELECT owner, 0, 0, 0, 0, 0, bytes, 0 FROM document_holders) GROUP BY owner;
INSERT INTO document_holders SELECT * FROM document_holders_now;
INSERT INTO holdings (owner, jobs, sweeps, models, keys, rows, bytes, results) SELECT * FROM holdings_now;

CREATE TRIGGER holders_in AFTER INSERT ON document_holders BEGIN
  INSERT INTO holdings (owner, bytes) VALUES (new.owner, new.bytes) ON CONFLICT (owner) DO UPDATE SET bytes = bytes + excluded.bytes;
END;
CREATE TRIGGER holders_over AFTER UPDATE OF uses ON document_holders WHEN new.uses <= 0 BEGIN
  DELETE FROM document_holders WHERE owner = new.owner AND sha256 = new.sha256;
  UPDATE holdings SET bytes = bytes - new.bytes WHERE owner = new.owner;
END;

-- A whole document takes the place of one that was stored as a difference.
CREATE TRIGGER holders_whole AFTER UPDATE OF body ON documents BEGIN
  UPDATE holdings SET bytes = bytes + length(CAST(new.body AS BLOB)) - length(CAST(old.body AS BLOB))
    WHERE owner IN (SELECT h.owner FROM document_holders AS h WHERE h.sha256 = new.sha256);
  UPDATE document_holders SET bytes = length(CAST(new.body AS BLOB)) WHERE sha256 = new.sha256;
END;

-- Before: documents that the owner needs for the first time.
CREATE TRIGGER holders_model_in BEFORE INSERT ON jobs WHEN NOT EXISTS
  (SELECT 1 FROM document_holders AS h WHERE h.owner = coalesce(new.owner, '') AND h.sha256 = new.model_sha256) BEGIN
  INSERT INTO document_holders SELECT coalesce(new.owner, ''), d.sha256, 0, length(CAST(d.body AS BLOB)) FROM documents AS d
    WHERE d.sha256 = new.model_sha256;
END;
CREATE TRIGGER holders_base_in BEFORE INSERT ON jobs WHEN new.document_base IS NOT NULL AND NOT EXISTS
  (SELECT 1 FROM document_holders AS h WHERE h.owner = coalesce(new.owner, '') AND h.sha256 = new.document_base) BEGIN
  INSERT INTO document_holders SELECT coalesce(new.owner, ''), d.sha256, 0, length(CAST(d.body AS BLOB)) FROM documents AS d
    WHERE d.sha256 = new.document_base;
END;
CREATE TRIGGER holdings_jobs_in AFTER INSERT ON jobs BEGIN
  INSERT INTO holdings (owner, jobs, sweeps, rows, results)
    VALUES (coalesce(new.owner, ''), 1, new.kind = 'sweep',
            2048 + length(CAST(new.document AS BLOB)) + 3 * length(CAST(new.labels AS BLOB)), coalesce(new.result_size, 0))
    ON CONFLICT (owner) DO UPDATE SET jobs = jobs + 1, sweeps = sweeps + excluded.sweeps, rows = rows + excluded.rows,
      results = results + excluded.results;
  UPDATE document_holders SET uses = uses + 1 WHERE owner = coalesce(new.owner, '') AND sha256 IN (new.model_sha256, new.document_base);
END;
CREATE TRIGGER holdings_jobs_out AFTER DELETE ON jobs BEGIN
  UPDATE holdings SET jobs = jobs - 1, sweeps = sweeps - (old.kind = 'sweep'), results = results - coalesce(old.result_size, 0),
    rows = rows - (2048 + length(CAST(old.document AS BLOB)) + 3 * length(CAST(old.labels AS BLOB)))
    WHERE owner = coalesce(old.owner, '');
  UPDATE document_holders SET uses = uses - 1
    WHERE owner = coalesce(old.owner, '') AND sha256 IN (old.model_sha256, old.document_base);
END;
CREATE TRIGGER holdings_jobs_over AFTER UPDATE OF result_size ON jobs
  WHEN coalesce(old.result_size, 0) <> coalesce(new.result_size, 0) BEGIN
  UPDATE holdings SET results = results + coalesce(new.result_size, 0) - coalesce(old.result_size, 0) WHERE owner = coalesce(new.owner, '');
END;

CREATE TRIGGER holdings_keys_in AFTER INSERT ON request_keys BEGIN
  INSERT INTO holdings (owner, keys, bytes) VALUES (new.owner, 1, 512)
    ON CONFLICT (owner) DO UPDATE SET keys = keys + 1, bytes = bytes + 512;
END;
CREATE TRIGGER holdings_keys_out AFTER DELETE ON request_keys BEGIN
  UPDATE holdings SET keys = keys - 1, bytes = bytes - 512 WHERE owner = old.owner;
END;

CREATE TRIGGER holdings_models_in AFTER INSERT ON models BEGIN
  INSERT INTO holdings (owner, models, bytes) VALUES (new.owner, new.deleted = 0, 256)
    ON CONFLICT (owner) DO UPDATE SET models = models + excluded.models, bytes = bytes + 256;
END;
CREATE TRIGGER holdings_models_over AFTER UPDATE OF deleted ON models WHEN old.deleted <> new.deleted BEGIN
  UPDATE holdings SET models = models + (new.deleted = 0) - (old.deleted = 0) WHERE owner = new.owner;
END;
CREATE TRIGGER holdings_models_out AFTER DELETE ON models BEGIN
  UPDATE holdings SET models = models - (old.deleted = 0), bytes = bytes - 256 WHERE owner = old.owner;
END;
CREATE TRIGGER holders_revision_in BEFORE INSERT ON model_revisions WHEN NOT EXISTS
  (SELECT 1 FROM document_holders AS h WHERE h.owner = new.owner AND h.sha256 = new.sha256) BEGIN
  INSERT INTO document_holders SELECT new.owner, d.sha256, 0, length(CAST(d.body AS BLOB)) FROM documents AS d WHERE d.sha256 = new.sha256;
END;
CREATE TRIGGER holdings_revisions_in AFTER INSERT ON model_revisions BEGIN
  INSERT INTO holdings (owner, bytes) VALUES (new.owner, 256) ON CONFLICT (owner) DO UPDATE SET bytes = bytes + 256;
  UPDATE document_holders SET uses = uses + 1 WHERE owner = new.owner AND sha256 = new.sha256;
END;
-- Revisions go when their model is deleted, and their documents with them.
CREATE TRIGGER holdings_revisions_out AFTER DELETE ON model_revisions BEGIN
  UPDATE holdings SET bytes = bytes - 256 WHERE owner = old.owner;
  UPDATE document_holders SET uses = uses - 1 WHERE owner = old.owner AND sha256 = old.sha256;
  DELETE FROM documents WHERE sha256 = old.sha256
    AND NOT EXISTS (SELECT 1 FROM documents_needed AS n WHERE n.sha256 = documents.sha256);
END;

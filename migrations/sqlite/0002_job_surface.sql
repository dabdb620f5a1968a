-- One log of events per job, numbered 1, 2, … in each. Old progress is pruned, the newest event never: numbers only rise.
CREATE TABLE events (
  job     INTEGER NOT NULL REFERENCES jobs (seq) ON DELETE CASCADE,
  seq     INTEGER NOT NULL,
  time_ms INTEGER NOT NULL,
  attempt INTEGER NOT NULL,
  type    TEXT NOT NULL CHECK (type IN ('state', 'progress', 'log')),
  data    TEXT NOT NULL,                             -- JSON object: what is particular to the type
  PRIMARY KEY (job, seq)
) WITHOUT ROWID;

-- A retry is a new job; the old one never changes.
ALTER TABLE jobs ADD COLUMN retry_of TEXT;
ALTER TABLE jobs ADD COLUMN parent TEXT;

-- Idempotency-Key: what a key was used for. It is forgotten with its job.
CREATE TABLE request_keys (
  key    TEXT PRIMARY KEY,
  sha256 TEXT NOT NULL,                              -- of the request body
  job    TEXT NOT NULL REFERENCES jobs (id) ON DELETE CASCADE
) WITHOUT ROWID;
CREATE INDEX request_keys_job ON request_keys (job);

-- Lists run along one of these, newest first; what else a filter says is checked row by row.
CREATE INDEX jobs_state ON jobs (state, seq);
CREATE INDEX jobs_kind ON jobs (kind, seq);
CREATE INDEX jobs_model_name ON jobs (model_name, seq) WHERE model_name IS NOT NULL;
CREATE INDEX jobs_parent ON jobs (parent, seq) WHERE parent IS NOT NULL;
CREATE INDEX jobs_created ON jobs (created_ms, seq);

CREATE TABLE job_labels (
  key   TEXT NOT NULL,
  value TEXT NOT NULL,
  job   INTEGER NOT NULL REFERENCES jobs (seq) ON DELETE CASCADE,
  PRIMARY KEY (key, value, job)
) WITHOUT ROWID;
CREATE INDEX job_labels_job ON job_labels (job);
INSERT INTO job_labels SELECT l.key, l.value, j.seq FROM jobs AS j, json_each(j.labels) AS l;

-- Priorities age: a minute of waiting is worth one step of priority, so that the lowest overtakes the highest after 200.
DROP INDEX jobs_queued;
CREATE INDEX jobs_queued ON jobs (created_ms - 60000 * priority, seq) WHERE state = 'queued';

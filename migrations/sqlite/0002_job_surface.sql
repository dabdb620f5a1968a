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

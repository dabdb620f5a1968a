-- Documents by content, so that a hundred jobs of one model hold it once.
CREATE TABLE documents (
  sha256 TEXT PRIMARY KEY,
  body   TEXT NOT NULL
) WITHOUT ROWID;

-- A deleted model keeps its row (and its revision counter): name@3 never comes to mean something else.
CREATE TABLE models (
  name       TEXT PRIMARY KEY,
  revision   INTEGER NOT NULL,            -- the current one
  deleted    INTEGER NOT NULL DEFAULT 0,
  created_ms INTEGER NOT NULL,
  updated_ms INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE model_revisions (
  name       TEXT NOT NULL REFERENCES models (name),
  revision   INTEGER NOT NULL,
  sha256     TEXT NOT NULL REFERENCES documents (sha256),
  created_ms INTEGER NOT NULL,
  PRIMARY KEY (name, revision)
) WITHOUT ROWID;

CREATE TABLE jobs (
  seq            INTEGER PRIMARY KEY AUTOINCREMENT,  -- order of submission
  id             TEXT NOT NULL UNIQUE,
  kind           TEXT NOT NULL,
  state          TEXT NOT NULL CHECK (state IN ('queued', 'running', 'succeeded', 'failed', 'cancelled')),
  attempt        INTEGER NOT NULL DEFAULT 0,         -- claims so far; (id, attempt) fences every write of a worker
  crashes        INTEGER NOT NULL DEFAULT 0,         -- workers lost, of those attempts
  not_before_ms  INTEGER NOT NULL DEFAULT 0,         -- backoff after a crash
  cancel         INTEGER NOT NULL DEFAULT 0,         -- asked for while running
  priority       INTEGER NOT NULL DEFAULT 0,
  model_name     TEXT,                               -- NULL: an inline model
  model_revision INTEGER,
  model_sha256   TEXT NOT NULL REFERENCES documents (sha256),
  document       TEXT NOT NULL,                      -- the job as submitted, without an inline model
  labels         TEXT NOT NULL DEFAULT '{}',
  t_end          REAL,
  created_ms     INTEGER NOT NULL,
  started_ms     INTEGER,
  finished_ms    INTEGER,
  error          TEXT,                               -- JSON {code, detail, …}
  result_size    INTEGER,                            -- results/ID.npz
  result_sha256  TEXT
);
CREATE INDEX jobs_queued ON jobs (priority DESC, seq) WHERE state = 'queued';
CREATE INDEX jobs_running ON jobs (seq) WHERE state = 'running';
CREATE INDEX jobs_model ON jobs (model_sha256);

-- Who may call. Of a token only its SHA-256 is kept (256 random bits: nothing to guess, so no slow hash). Rows of deleted
-- tokens stay: a folder in which a token was ever made goes on asking for one.
CREATE TABLE tokens (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  scope TEXT NOT NULL CHECK (scope IN ('read', 'run', 'admin')),
  sha256 TEXT NOT NULL UNIQUE,
  created_ms INTEGER NOT NULL,
  deleted_ms INTEGER
) WITHOUT ROWID;
CREATE UNIQUE INDEX tokens_name ON tokens (name) WHERE deleted_ms IS NULL;

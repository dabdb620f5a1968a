-- Whose things are: the owner that the token of their making names. Nobody's (NULL of a job; '' where it is part of a key) is what was
-- made without tokens, so all that was there before: models of nobody are shared by all, jobs of nobody are seen by admins.
ALTER TABLE tokens ADD COLUMN owner TEXT NOT NULL DEFAULT ''; -- '' of a read token: it looks at everybody's
UPDATE tokens SET owner = name WHERE scope <> 'read';

ALTER TABLE jobs ADD COLUMN owner TEXT;
CREATE INDEX jobs_owner ON jobs (owner, seq) WHERE owner IS NOT NULL;
CREATE INDEX jobs_owner_top_level ON jobs (owner, seq) WHERE owner IS NOT NULL AND parent IS NULL;
CREATE INDEX jobs_owner_state ON jobs (owner, state, seq) WHERE owner IS NOT NULL;

-- A name is one's own: two owners may have a model of the same name.
CREATE TABLE models_of_owners (
  name       TEXT NOT NULL,
  owner      TEXT NOT NULL DEFAULT '',
  revision   INTEGER NOT NULL,            -- the current one
  deleted    INTEGER NOT NULL DEFAULT 0,
  created_ms INTEGER NOT NULL,
  updated_ms INTEGER NOT NULL,
  PRIMARY KEY (name, owner)
) WITHOUT ROWID;
CREATE TABLE revisions_of_owners (
  name       TEXT NOT NULL,
  owner      TEXT NOT NULL DEFAULT '',
  revision   INTEGER NOT NULL,
  sha256     TEXT NOT NULL REFERENCES documents (sha256),
  created_ms INTEGER NOT NULL,
  PRIMARY KEY (name, owner, revision),
  FOREIGN KEY (name, owner) REFERENCES models_of_owners (name, owner)
) WITHOUT ROWID;
INSERT INTO models_of_owners SELECT name, '', revision, deleted, created_ms, updated_ms FROM models;
INSERT INTO revisions_of_owners SELECT name, '', revision, sha256, created_ms FROM model_revisions;
DROP TABLE model_revisions;
DROP TABLE models;
ALTER TABLE models_of_owners RENAME TO models;
ALTER TABLE revisions_of_owners RENAME TO model_revisions;

-- An Idempotency-Key means something to its owner only.
CREATE TABLE keys_of_owners (
  owner  TEXT NOT NULL DEFAULT '',
  key    TEXT NOT NULL,
  sha256 TEXT NOT NULL,                              -- of the request body
  job    TEXT NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
  PRIMARY KEY (owner, key)
) WITHOUT ROWID;
INSERT INTO keys_of_owners SELECT '', key, sha256, job FROM request_keys;
DROP TABLE request_keys;
ALTER TABLE keys_of_owners RENAME TO request_keys;
CREATE INDEX request_keys_job ON request_keys (job);

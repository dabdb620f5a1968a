-- A job that the machine has failed (no room on the disk, no worker program) waits and is not blamed: what it waits for, and how often
-- in a row that was so.
ALTER TABLE jobs ADD COLUMN waiting TEXT;
ALTER TABLE jobs ADD COLUMN faults INTEGER NOT NULL DEFAULT 0;

-- Of the server itself. Cursors of lists are encrypted with a key of this folder: they tell nothing of how many jobs others submit.
CREATE TABLE settings (
  name  TEXT PRIMARY KEY,
  value BLOB NOT NULL
) WITHOUT ROWID;
INSERT INTO settings VALUES ('cursor_key', randomblob(32));

-- Events of one more type: how many rows of a running job's result are kept. A CHECK cannot be changed in place;
-- the triggers of sweeps name the table, and must not be asked while it is away.
PRAGMA legacy_alter_table = ON;
CREATE TABLE events_of_more_types (
  job     INTEGER NOT NULL REFERENCES jobs (seq) ON DELETE CASCADE,
  seq     INTEGER NOT NULL,
  time_ms INTEGER NOT NULL,
  attempt INTEGER NOT NULL,
  type    TEXT NOT NULL CHECK (type IN ('state', 'progress', 'samples', 'log')),
  data    TEXT NOT NULL,                             -- JSON object: what is particular to the type
  PRIMARY KEY (job, seq)
) WITHOUT ROWID;
INSERT INTO events_of_more_types SELECT * FROM events;
DROP TABLE events;
ALTER TABLE events_of_more_types RENAME TO events;
PRAGMA legacy_alter_table = OFF;

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

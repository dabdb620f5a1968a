-- What nodes say of themselves, and which one ran a job last. The row of a node goes an hour after its lease.
ALTER TABLE nodes
  ADD COLUMN name         text    NOT NULL DEFAULT '', -- as people call it
  ADD COLUMN version      text    NOT NULL DEFAULT '',
  ADD COLUMN cpu_level    text    NOT NULL DEFAULT '',
  ADD COLUMN slots        integer NOT NULL DEFAULT 0,
  ADD COLUMN heartbeat_ms bigint  NOT NULL DEFAULT 0,
  ADD COLUMN draining     boolean NOT NULL DEFAULT false; -- it takes no more jobs
ALTER TABLE jobs ADD COLUMN ran_on text;                  -- the name of the node that runs it, or ran its last attempt
DROP INDEX jobs_running;
CREATE INDEX jobs_running ON jobs (node, queue) WHERE state = 'running' AND kind <> 'sweep';

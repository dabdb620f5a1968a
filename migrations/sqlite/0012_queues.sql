-- Queues take turns, and the jobs of one queue go by priority and age. A queue is an owner's; '' is that of all where everybody sees
-- everything, and '!' that of urgent jobs of admins, which is always first. `bytes` is what a job's documents took when it came.
ALTER TABLE jobs ADD COLUMN queue TEXT NOT NULL DEFAULT '';
ALTER TABLE jobs ADD COLUMN bytes INTEGER NOT NULL DEFAULT 0;
UPDATE jobs SET queue = owner WHERE owner IS NOT NULL AND state IN ('queued', 'running');

DROP INDEX jobs_queued;
CREATE INDEX jobs_queued ON jobs (queue, created_ms - 60000 * priority, seq) WHERE state = 'queued' AND kind <> 'sweep';

-- Counted as jobs change. `turn` rises with each job that is taken from a queue: of two the one that was served longer ago is next.
CREATE TABLE queues (
  name    TEXT PRIMARY KEY,
  queued  INTEGER NOT NULL,
  running INTEGER NOT NULL,
  bytes   INTEGER NOT NULL,               -- of the documents of those that wait
  turn    INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
CREATE INDEX queues_turn ON queues (turn);
INSERT INTO queues (name, queued, running, bytes)
  SELECT queue, sum(state = 'queued'), sum(state = 'running'), 0 FROM jobs
  WHERE state IN ('queued', 'running') AND kind <> 'sweep' GROUP BY queue;

CREATE TRIGGER queues_in AFTER INSERT ON jobs WHEN new.kind <> 'sweep' BEGIN
  INSERT INTO queues (name, queued, running, bytes) VALUES (new.queue, 1, 0, new.bytes)
    ON CONFLICT (name) DO UPDATE SET queued = queued + 1, bytes = bytes + excluded.bytes;
END;
CREATE TRIGGER queues_out AFTER DELETE ON jobs WHEN old.kind <> 'sweep' AND old.state IN ('queued', 'running') BEGIN
  UPDATE queues SET queued = queued - (old.state = 'queued'), running = running - (old.state = 'running'),
    bytes = bytes - old.bytes * (old.state = 'queued') WHERE name = old.queue;
END;
CREATE TRIGGER queues_over AFTER UPDATE OF state ON jobs WHEN new.kind <> 'sweep' AND old.state <> new.state
  AND (old.state IN ('queued', 'running') OR new.state IN ('queued', 'running')) BEGIN
  UPDATE queues SET queued = queued + (new.state = 'queued') - (old.state = 'queued'),
    running = running + (new.state = 'running') - (old.state = 'running'),
    bytes = bytes + new.bytes * ((new.state = 'queued') - (old.state = 'queued')) WHERE name = new.queue;
END;

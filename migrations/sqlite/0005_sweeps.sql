-- A sweep is a row of `jobs` (kind 'sweep') that no worker claims; the jobs it is made of have it as their parent. It is
-- counted and its state moves in the transactions that move them: queued until one runs, ended when all have.
CREATE TABLE sweeps (
  id        TEXT PRIMARY KEY REFERENCES jobs (id) ON DELETE CASCADE,
  queued    INTEGER NOT NULL,
  running   INTEGER NOT NULL,
  succeeded INTEGER NOT NULL,
  failed    INTEGER NOT NULL,
  cancelled INTEGER NOT NULL
) WITHOUT ROWID;

-- Its jobs in the order of its result. A retried sweep takes over the jobs that succeeded before, so one may stand here twice.
CREATE TABLE sweep_jobs (
  sweep     TEXT NOT NULL REFERENCES sweeps (id) ON DELETE CASCADE,
  position  INTEGER NOT NULL,
  job       TEXT NOT NULL,
  row_count INTEGER NOT NULL,            -- rows that it adds to the result
  PRIMARY KEY (sweep, position)
) WITHOUT ROWID;
CREATE INDEX sweep_jobs_job ON sweep_jobs (job);

CREATE TRIGGER sweep_follows AFTER UPDATE OF state ON jobs WHEN new.parent IS NOT NULL AND old.state <> new.state
BEGIN
  UPDATE sweeps SET
    queued    = queued    + (new.state = 'queued')    - (old.state = 'queued'),
    running   = running   + (new.state = 'running')   - (old.state = 'running'),
    succeeded = succeeded + (new.state = 'succeeded') - (old.state = 'succeeded'),
    failed    = failed    + (new.state = 'failed')    - (old.state = 'failed'),
    cancelled = cancelled + (new.state = 'cancelled') - (old.state = 'cancelled')
    WHERE id = new.parent;

  UPDATE jobs SET state = 'running', started_ms = new.started_ms
    WHERE id = new.parent AND state = 'queued' AND new.state = 'running';

  -- Progress in jobs, of which the newest 64 events remain, as of any job.
  INSERT INTO events
    SELECT p.seq, coalesce((SELECT max(e.seq) FROM events AS e WHERE e.job = p.seq), 0) + 1, new.finished_ms, p.attempt,
           'progress',
           json_object('fraction', 1.0 - 1.0 * (s.queued + s.running) / (s.queued + s.running + s.succeeded + s.failed + s.cancelled),
                       't', s.succeeded + s.failed + s.cancelled,
                       't_end', s.queued + s.running + s.succeeded + s.failed + s.cancelled)
    FROM jobs AS p JOIN sweeps AS s ON s.id = p.id
    WHERE p.id = new.parent AND p.state = 'running' AND new.state NOT IN ('queued', 'running');
  DELETE FROM events
    WHERE type = 'progress' AND job = (SELECT p.seq FROM jobs AS p WHERE p.id = new.parent)
      AND seq <= (SELECT max(e.seq) - 64 FROM events AS e JOIN jobs AS p ON e.job = p.seq WHERE p.id = new.parent);

  UPDATE jobs SET finished_ms = new.finished_ms, state = (
      SELECT CASE WHEN s.failed + s.cancelled = 0 THEN 'succeeded'
                  WHEN s.failed = 0 OR (jobs.cancel AND s.cancelled > 0) THEN 'cancelled'
                  ELSE 'failed' END
      FROM sweeps AS s WHERE s.id = new.parent)
    WHERE id = new.parent AND state IN ('queued', 'running')
      AND (SELECT s.queued + s.running FROM sweeps AS s WHERE s.id = new.parent) = 0;
END;

CREATE TRIGGER sweep_tells AFTER UPDATE OF state ON jobs WHEN new.kind = 'sweep' AND old.state <> new.state
BEGIN
  UPDATE jobs SET error = (
      SELECT json_object('code', 'jobs_failed', 'detail',
                         printf('%d of %d jobs failed; the first, %s: %s', s.failed,
                                s.succeeded + s.failed + s.cancelled, j.id, json_extract(j.error, '$.detail')))
      FROM sweeps AS s JOIN sweep_jobs AS c ON c.sweep = s.id JOIN jobs AS j ON j.id = c.job
      WHERE s.id = new.id AND j.state = 'failed' ORDER BY c.position LIMIT 1)
    WHERE id = new.id AND new.state = 'failed';
  INSERT INTO events
    SELECT p.seq, coalesce((SELECT max(e.seq) FROM events AS e WHERE e.job = p.seq), 0) + 1,
           coalesce(p.finished_ms, p.started_ms), p.attempt, 'state',
           CASE WHEN p.error IS NULL THEN json_object('state', p.state)
                ELSE json_object('state', p.state, 'error', json(p.error)) END
    FROM jobs AS p WHERE p.id = new.id;
END;

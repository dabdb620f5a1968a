-- SQLite's pages have no checksums. Rows that carry what was promised have one (row_digest, a function of the store's connections): of
-- what never changes in a job, of tokens and request keys, of events. NULL: from before, unless it is computed here.
ALTER TABLE jobs ADD COLUMN digest INTEGER;
UPDATE jobs SET digest = row_digest(id, kind, priority, model_name, model_revision, model_sha256, document, document_base, labels,
                                    retry_of, owner);
ALTER TABLE request_keys ADD COLUMN digest INTEGER;
UPDATE request_keys SET digest = row_digest(owner, key, sha256, job);
ALTER TABLE tokens ADD COLUMN digest INTEGER;
UPDATE tokens SET digest = row_digest(id, name, scope, sha256, created_ms, deleted_ms, owner);
ALTER TABLE events ADD COLUMN digest INTEGER;

-- As before, with names of columns and digests.
DROP TRIGGER sweep_follows;
DROP TRIGGER sweep_tells;
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
  INSERT INTO events (job, seq, time_ms, attempt, type, data, digest)
    SELECT e.*, row_digest(e.job, e.seq, e.time_ms, e.attempt, e.type, e.data) FROM (
    SELECT p.seq AS job, coalesce((SELECT max(e.seq) FROM events AS e WHERE e.job = p.seq), 0) + 1 AS seq, new.finished_ms AS time_ms, p.attempt AS attempt,
           'progress' AS type,
           json_object('fraction', 1.0 - 1.0 * (s.queued + s.running) / (s.queued + s.running + s.succeeded + s.failed + s.cancelled),
                       't', s.succeeded + s.failed + s.cancelled,
                       't_end', s.queued + s.running + s.succeeded + s.failed + s.cancelled) AS data
    FROM jobs AS p JOIN sweeps AS s ON s.id = p.id
    WHERE p.id = new.parent AND p.state = 'running' AND new.state NOT IN ('queued', 'running')) AS e;
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
  UPDATE jobs SET warnings = (
      SELECT json_insert(coalesce(new.warnings, '[]'), '$[#]',
                         json_object('code', 'jobs_warned', 'detail',
                                     printf('%d of %d jobs have warnings; the first, %s: %s',
                                            (SELECT count(*) FROM sweep_jobs AS d JOIN jobs AS k ON k.id = d.job
                                             WHERE d.sweep = s.id AND k.warnings IS NOT NULL),
                                            s.succeeded + s.failed + s.cancelled, j.id,
                                            json_extract(j.warnings, '$[0].detail')),
                                     'pointer', ''))
      FROM sweeps AS s JOIN sweep_jobs AS c ON c.sweep = s.id JOIN jobs AS j ON j.id = c.job
      WHERE s.id = new.id AND j.warnings IS NOT NULL ORDER BY c.position LIMIT 1)
    WHERE id = new.id AND new.state IN ('succeeded', 'failed', 'cancelled')
      AND EXISTS (SELECT 1 FROM sweep_jobs AS c JOIN jobs AS j ON j.id = c.job
                  WHERE c.sweep = new.id AND j.warnings IS NOT NULL);
  INSERT INTO events (job, seq, time_ms, attempt, type, data, digest)
    SELECT e.*, row_digest(e.job, e.seq, e.time_ms, e.attempt, e.type, e.data) FROM (
    SELECT p.seq AS job, coalesce((SELECT max(e.seq) FROM events AS e WHERE e.job = p.seq), 0) + 1 AS seq,
           coalesce(p.finished_ms, p.started_ms) AS time_ms, p.attempt AS attempt, 'state' AS type,
           json_patch(json_patch(json_object('state', p.state),
                                 iif(p.error IS NULL, '{}', json_object('error', json(p.error)))),
                      iif(p.warnings IS NULL, '{}', json_object('warnings', json(p.warnings)))) AS data
    FROM jobs AS p WHERE p.id = new.id) AS e;
END;

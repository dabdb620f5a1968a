-- What is odd about a job though it was accepted or even succeeded: a JSON array of {code, detail, pointer}, NULL when there is
-- nothing. First what its submission found, in the end what its worker says. Changes of state tell it.
ALTER TABLE jobs ADD COLUMN warnings TEXT;

-- A sweep that has ended says how many of its jobs have warnings.
DROP TRIGGER sweep_tells;
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
  INSERT INTO events
    SELECT p.seq, coalesce((SELECT max(e.seq) FROM events AS e WHERE e.job = p.seq), 0) + 1,
           coalesce(p.finished_ms, p.started_ms), p.attempt, 'state',
           json_patch(json_patch(json_object('state', p.state),
                                 iif(p.error IS NULL, '{}', json_object('error', json(p.error)))),
                      iif(p.warnings IS NULL, '{}', json_object('warnings', json(p.warnings))))
    FROM jobs AS p WHERE p.id = new.id;
END;

-- Jobs by state, counted as they change: neither the limit of waiting jobs nor a gauge walks the table.
CREATE TABLE job_counts (
  state TEXT PRIMARY KEY,
  count INTEGER NOT NULL
) WITHOUT ROWID;
INSERT INTO job_counts
  SELECT s.column1, (SELECT count(*) FROM jobs WHERE jobs.state = s.column1)
  FROM (VALUES ('queued'), ('running'), ('succeeded'), ('failed'), ('cancelled')) AS s;

CREATE TRIGGER jobs_counted_in AFTER INSERT ON jobs BEGIN
  UPDATE job_counts SET count = count + 1 WHERE state = new.state;
END;
CREATE TRIGGER jobs_counted_out AFTER DELETE ON jobs BEGIN
  UPDATE job_counts SET count = count - 1 WHERE state = old.state;
END;
CREATE TRIGGER jobs_counted_over AFTER UPDATE OF state ON jobs WHEN old.state <> new.state BEGIN
  UPDATE job_counts SET count = count - 1 WHERE state = old.state;
  UPDATE job_counts SET count = count + 1 WHERE state = new.state;
END;

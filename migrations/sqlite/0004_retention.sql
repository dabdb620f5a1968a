-- Jobs that have ended, the oldest first: what pruning walks along and sizes are summed over.
CREATE INDEX jobs_finished ON jobs (finished_ms, result_size) WHERE finished_ms IS NOT NULL;

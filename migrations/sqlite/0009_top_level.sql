-- Jobs that belong to no sweep, newest first: a list of sweeps and single jobs does not walk through the children.
CREATE INDEX jobs_top_level ON jobs (parent, seq) WHERE parent IS NULL;

-- Counts, state and events of a sweep follow those of its jobs by a function of the program (store/sqlite/sweep_follow.c), in the change
-- that moves a job. What the triggers did, it does: nothing of what is stored changes.
DROP TRIGGER sweep_follows;
DROP TRIGGER sweep_tells;

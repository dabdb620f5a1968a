-- What owners keep is counted by functions of the program (store/sqlite/charges.c), in the change that brings or removes rows. What the
-- triggers did, they do: nothing of what is stored changes.
DROP TRIGGER IF EXISTS holders_in;
DROP TRIGGER IF EXISTS holders_over;
DROP TRIGGER IF EXISTS holders_whole;
DROP TRIGGER IF EXISTS holders_model_in;
DROP TRIGGER IF EXISTS holders_base_in;
DROP TRIGGER IF EXISTS holders_revision_in;
DROP TRIGGER IF EXISTS holdings_jobs_in;
DROP TRIGGER IF EXISTS holdings_jobs_out;
DROP TRIGGER IF EXISTS holdings_jobs_over;
DROP TRIGGER IF EXISTS holdings_keys_in;
DROP TRIGGER IF EXISTS holdings_keys_out;
DROP TRIGGER IF EXISTS holdings_models_in;
DROP TRIGGER IF EXISTS holdings_models_over;
DROP TRIGGER IF EXISTS holdings_models_out;
DROP TRIGGER IF EXISTS holdings_revisions_in;
DROP TRIGGER IF EXISTS holdings_revisions_out;
DROP TRIGGER IF EXISTS holdings_sweeps_in;
DROP TRIGGER IF EXISTS holdings_sweeps_out;
DROP TRIGGER IF EXISTS holdings_events_in;
DROP TRIGGER IF EXISTS holdings_events_out;

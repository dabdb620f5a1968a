-- Roles for a PostgreSQL store: who owns the schema, who answers callers, who only computes. Run it once, as a superuser or the owner of
-- the database, after `tendrild store migrate` by the owner has made the schema (and again after a migration that adds tables):
--
--     createuser tendril_owner && createdb --owner tendril_owner tendril
--     tendrild store migrate --store postgresql://tendril_owner@db/tendril
--     psql -d tendril -f deploy/postgresql/roles.sql
--     ALTER ROLE tendril_api PASSWORD '…'; ALTER ROLE tendril_compute PASSWORD '…';      -- or certificates, or peer
--
-- tendril_api is for nodes that serve: all rows, no change of the schema. tendril_compute is for nodes that serve nobody (--http none
-- --grpc none): claims, ends of attempts, events, results and checkpoints; it reads models and tokens' checksums, and can change neither,
-- nor submit, nor delete jobs. Timeouts stand with the roles, too, for poolers that keep none of a session (--store-prepare off).
DO $$ BEGIN
  IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = 'tendril_api') THEN CREATE ROLE tendril_api LOGIN; END IF;
  IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = 'tendril_compute') THEN CREATE ROLE tendril_compute LOGIN; END IF;
END $$;
ALTER ROLE tendril_api SET statement_timeout = '10s';
ALTER ROLE tendril_api SET lock_timeout = '5s';
ALTER ROLE tendril_api SET idle_in_transaction_session_timeout = '5s';
ALTER ROLE tendril_compute SET statement_timeout = '10s';
ALTER ROLE tendril_compute SET lock_timeout = '5s';
ALTER ROLE tendril_compute SET idle_in_transaction_session_timeout = '5s';

GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO tendril_api;
GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO tendril_api;
REVOKE INSERT, UPDATE, DELETE ON tendril_schema FROM tendril_api;

GRANT SELECT ON ALL TABLES IN SCHEMA public TO tendril_compute;
GRANT USAGE ON SEQUENCE blob_numbers TO tendril_compute;
GRANT INSERT, UPDATE ON nodes, leaders TO tendril_compute;
GRANT INSERT ON settings TO tendril_compute;                                     -- where results are kept, by the first node
GRANT DELETE ON nodes TO tendril_compute;
GRANT UPDATE ON jobs, sweeps TO tendril_compute;                                 -- claims, ends, sweeps that follow
GRANT INSERT, DELETE ON events TO tendril_compute;                               -- DELETE: of old progress
GRANT INSERT, UPDATE ON job_counts, queue_counts, holdings TO tendril_compute;   -- by triggers
GRANT INSERT, UPDATE, DELETE ON chunks, results, parts TO tendril_compute;

-- The schema of many machines. What tells nodes, threads and connections apart is decided here, by the database and its clock; no row is
-- written by everybody: counts stand in as many rows as there are connections that write (shard), and are summed when they are read.
CREATE FUNCTION now_ms() RETURNS bigint LANGUAGE sql VOLATILE AS
  $$ SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint $$;

-- A place in the order of submission: microseconds since 2020, and 12 bits that tell apart what came in the same one. Unlike numbers of a
-- sequence they follow the time of creation, so a page that ended at one misses nothing that is older.
CREATE FUNCTION next_place() RETURNS bigint LANGUAGE sql VOLATILE AS
  $$ SELECT (floor(extract(epoch FROM clock_timestamp()) * 1000000)::bigint - 1577836800000000) * 4096 + floor(random() * 4096)::bigint $$;

-- Which of the rows of a count this connection writes.
CREATE FUNCTION shard() RETURNS integer LANGUAGE sql STABLE AS $$ SELECT pg_backend_pid() % 256 $$;

-- Of the store itself. Cursors of lists are encrypted with a key: they tell nothing of how many jobs others submit.
CREATE TABLE settings (
  name  text PRIMARY KEY,
  value bytea NOT NULL
);
INSERT INTO settings VALUES
  ('cursor_key', decode(replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), 'hex'));

-- Who runs jobs. The lease of an attempt is that of its node: one row is renewed for all of them.
CREATE TABLE nodes (
  id       text PRIMARY KEY,
  host     text NOT NULL,
  started_ms bigint NOT NULL,
  lease_ms bigint NOT NULL               -- until when its attempts are its own, by the database's clock
);

-- Documents by content, so that a hundred jobs of one model hold it once. One with a `base` holds places and values that it has other
-- than its base, which is whole.
CREATE TABLE documents (
  sha256 text PRIMARY KEY,
  body   text NOT NULL,
  base   text REFERENCES documents (sha256)
);
CREATE INDEX documents_base ON documents (base) WHERE base IS NOT NULL;

-- What an owner is charged for a document, once, however often he needs it. Whatever needs one refers to this row, so that neither goes
-- while somebody comes to need it.
CREATE TABLE document_holders (
  owner  text COLLATE "C" NOT NULL,
  sha256 text NOT NULL REFERENCES documents (sha256),
  bytes  bigint NOT NULL,
  PRIMARY KEY (owner, sha256)
);
CREATE INDEX document_holders_sha256 ON document_holders (sha256);
CREATE FUNCTION document_charge(body text) RETURNS bigint LANGUAGE sql IMMUTABLE AS
  $$ SELECT 768 + CASE WHEN octet_length(body) <= 800 THEN octet_length(body) ELSE 4096 * ((octet_length(body) + 3595) / 4096) END $$;

-- A deleted model keeps its row (and its revision counter): name@3 never comes to mean something else. '' owns what all share.
CREATE TABLE models (
  name       text COLLATE "C" NOT NULL,
  owner      text COLLATE "C" NOT NULL,
  revision   bigint NOT NULL,             -- the current one
  deleted    boolean NOT NULL DEFAULT false,
  created_ms bigint NOT NULL,
  updated_ms bigint NOT NULL,
  PRIMARY KEY (name, owner)
);
CREATE INDEX models_deleted ON models (owner, updated_ms) WHERE deleted;
CREATE TABLE model_revisions (
  name       text COLLATE "C" NOT NULL,
  owner      text COLLATE "C" NOT NULL,
  revision   bigint NOT NULL,
  sha256     text NOT NULL,
  created_ms bigint NOT NULL,
  PRIMARY KEY (name, owner, revision),
  FOREIGN KEY (name, owner) REFERENCES models (name, owner),
  FOREIGN KEY (owner, sha256) REFERENCES document_holders (owner, sha256)
);
CREATE INDEX model_revisions_holder ON model_revisions (owner, sha256);

CREATE TABLE jobs (
  seq            bigint PRIMARY KEY,                 -- order of submission (next_place)
  id             text COLLATE "C" NOT NULL UNIQUE,
  kind           text NOT NULL,
  state          text NOT NULL CHECK (state IN ('queued', 'running', 'succeeded', 'failed', 'cancelled')),
  attempt        integer NOT NULL DEFAULT 0,         -- claims so far; (id, attempt, node) fences every write of a worker
  node           text,                               -- whose attempt it is while it runs
  crashes        integer NOT NULL DEFAULT 0,         -- workers lost, of those attempts
  node_losses    integer NOT NULL DEFAULT 0,         -- nodes lost
  not_before_ms  bigint NOT NULL DEFAULT 0,          -- backoff after a crash
  cancel         boolean NOT NULL DEFAULT false,     -- asked for while running
  priority       integer NOT NULL DEFAULT 0,
  queue          text COLLATE "C" NOT NULL,          -- queues take turns: an owner's, '' that of all, '!' always first
  owner          text COLLATE "C" NOT NULL,          -- '': nobody
  model_name     text COLLATE "C",                   -- NULL: an inline model
  model_owner    text,
  model_revision bigint,
  model_sha256   text NOT NULL,
  document       text NOT NULL,                      -- the job as submitted, without an inline model
  document_base  text,                               -- not NULL: what it has other than this document
  labels         text NOT NULL DEFAULT '{}',
  t_end          double precision,
  created_ms     bigint NOT NULL,
  started_ms     bigint,
  finished_ms    bigint,
  error          text,                               -- JSON {code, detail, …}
  warnings       text,                               -- JSON [{code, detail, pointer}]
  waiting        text,                               -- what it was put back for, though nobody is to blame
  faults         integer NOT NULL DEFAULT 0,         -- how often in a row
  result_size    bigint,
  result_sha256  text,
  retry_of       text,
  parent         text COLLATE "C",                   -- the sweep that it is of
  bytes          bigint NOT NULL,                    -- of its documents when it came
  charged        bigint NOT NULL,                    -- what its owner is charged for its rows
  FOREIGN KEY (owner, model_sha256) REFERENCES document_holders (owner, sha256),
  FOREIGN KEY (owner, document_base) REFERENCES document_holders (owner, sha256)
);
CREATE INDEX jobs_queued ON jobs (queue, (created_ms - 60000 * priority), seq) WHERE state = 'queued' AND kind <> 'sweep';
CREATE INDEX jobs_running ON jobs (queue, node) WHERE state = 'running' AND kind <> 'sweep';
CREATE INDEX jobs_holder ON jobs (owner, model_sha256);
CREATE INDEX jobs_base_holder ON jobs (owner, document_base) WHERE document_base IS NOT NULL;
CREATE INDEX jobs_finished ON jobs (finished_ms) WHERE finished_ms IS NOT NULL;

-- Lists run along one of these, newest first; what else a filter says is checked row by row.
CREATE INDEX jobs_state ON jobs (state, seq);
CREATE INDEX jobs_kind ON jobs (kind, seq);
CREATE INDEX jobs_model_name ON jobs (model_name, seq) WHERE model_name IS NOT NULL;
CREATE INDEX jobs_parent ON jobs (parent, seq) WHERE parent IS NOT NULL;
CREATE INDEX jobs_top_level ON jobs (seq) WHERE parent IS NULL;
CREATE INDEX jobs_owner_state ON jobs (owner, state, seq);
CREATE INDEX jobs_owner ON jobs (owner, seq);
CREATE TABLE job_labels (
  key   text COLLATE "C" NOT NULL,
  value text COLLATE "C" NOT NULL,
  job   bigint NOT NULL REFERENCES jobs (seq) ON DELETE CASCADE,
  PRIMARY KEY (key, value, job)
);
CREATE INDEX job_labels_job ON job_labels (job);

-- One log of events per job, numbered 1, 2, … in each. Old progress is pruned, the newest event never: numbers only rise.
CREATE TABLE events (
  job     bigint NOT NULL REFERENCES jobs (seq) ON DELETE CASCADE,
  seq     bigint NOT NULL,
  time_ms bigint NOT NULL,
  attempt integer NOT NULL,
  type    text NOT NULL CHECK (type IN ('state', 'progress', 'samples', 'log')),
  data    text NOT NULL,                             -- JSON object: what is particular to the type
  PRIMARY KEY (job, seq)
);

-- Idempotency-Key: what a key was used for. It is forgotten with its job.
CREATE TABLE request_keys (
  owner  text COLLATE "C" NOT NULL,
  key    text COLLATE "C" NOT NULL,
  sha256 text NOT NULL,                              -- of the request body
  job    text COLLATE "C" NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
  PRIMARY KEY (owner, key)
);
CREATE INDEX request_keys_job ON request_keys (job);

-- A sweep is a row of `jobs` (kind 'sweep') that nobody claims; its counts, state and events follow those of its jobs in the
-- transactions that move them. Its jobs stand in the order of its result: one that a retry has taken over stands here twice.
CREATE TABLE sweeps (
  id        text COLLATE "C" PRIMARY KEY REFERENCES jobs (id) ON DELETE CASCADE,
  queued    bigint NOT NULL,
  running   bigint NOT NULL,
  succeeded bigint NOT NULL,
  failed    bigint NOT NULL,
  cancelled bigint NOT NULL
);
CREATE TABLE sweep_jobs (
  sweep     text COLLATE "C" NOT NULL REFERENCES sweeps (id) ON DELETE CASCADE,
  position  bigint NOT NULL,
  job       text COLLATE "C" NOT NULL,
  row_count bigint NOT NULL,                         -- rows that it adds to the result
  PRIMARY KEY (sweep, position)
);
CREATE INDEX sweep_jobs_job ON sweep_jobs (job);

-- Who may call. Of a token only its SHA-256 is kept. Rows of deleted tokens stay: where one was ever made, one is asked for.
CREATE TABLE tokens (
  id         text PRIMARY KEY,
  name       text COLLATE "C" NOT NULL,
  scope      text NOT NULL CHECK (scope IN ('read', 'run', 'admin')),
  owner      text COLLATE "C" NOT NULL,
  sha256     text NOT NULL UNIQUE,
  created_ms bigint NOT NULL,
  deleted_ms bigint
);
CREATE UNIQUE INDEX tokens_name ON tokens (name) WHERE deleted_ms IS NULL;

-- ---- counts: sums over the shards

CREATE TABLE job_counts (
  shard     integer PRIMARY KEY,
  queued    bigint NOT NULL DEFAULT 0,
  running   bigint NOT NULL DEFAULT 0,
  succeeded bigint NOT NULL DEFAULT 0,
  failed    bigint NOT NULL DEFAULT 0,
  cancelled bigint NOT NULL DEFAULT 0
);
CREATE TABLE queue_counts (
  name   text COLLATE "C" NOT NULL,
  shard  integer NOT NULL,
  queued bigint NOT NULL DEFAULT 0,
  bytes  bigint NOT NULL DEFAULT 0,                  -- of the documents of those that wait
  PRIMARY KEY (name, shard)
);
-- What every owner keeps: `rows` bytes of jobs with their documents, labels, places and events; `bytes` of documents of models, keys,
-- names and revisions; `results` bytes of results. What is charged: 2 KiB for the row of a job, 8 KiB for one of more than 8 events, 256
-- for a place in a sweep, 512 for a model's name and for a revision, 1 KiB for a key, and document_charge.
CREATE TABLE holdings (
  owner   text COLLATE "C" NOT NULL,
  shard   integer NOT NULL,
  jobs    bigint NOT NULL DEFAULT 0,
  sweeps  bigint NOT NULL DEFAULT 0,
  models  bigint NOT NULL DEFAULT 0,
  keys    bigint NOT NULL DEFAULT 0,
  rows    bigint NOT NULL DEFAULT 0,
  bytes   bigint NOT NULL DEFAULT 0,
  results bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (owner, shard)
);
-- The greatest revision of an owner's deleted models whose names were forgotten.
CREATE TABLE forgotten_names (
  owner    text COLLATE "C" PRIMARY KEY,
  revision bigint NOT NULL
);

-- plpgsql keeps the plans of its statements, which sql makes anew for each call.
CREATE FUNCTION hold(who text, some_jobs bigint, some_sweeps bigint, some_models bigint, some_keys bigint, some_rows bigint,
                     some_bytes bigint, some_results bigint) RETURNS void LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO holdings AS h (owner, shard, jobs, sweeps, models, keys, rows, bytes, results)
    VALUES (who, shard(), some_jobs, some_sweeps, some_models, some_keys, some_rows, some_bytes, some_results)
    ON CONFLICT (owner, shard) DO UPDATE SET jobs = h.jobs + excluded.jobs, sweeps = h.sweeps + excluded.sweeps,
      models = h.models + excluded.models, keys = h.keys + excluded.keys, rows = h.rows + excluded.rows,
      bytes = h.bytes + excluded.bytes, results = h.results + excluded.results;
END $$;
CREATE FUNCTION count_jobs(q bigint, r bigint, s bigint, f bigint, c bigint) RETURNS void LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO job_counts AS t VALUES (shard(), q, r, s, f, c)
    ON CONFLICT (shard) DO UPDATE SET queued = t.queued + excluded.queued, running = t.running + excluded.running,
      succeeded = t.succeeded + excluded.succeeded, failed = t.failed + excluded.failed, cancelled = t.cancelled + excluded.cancelled;
END $$;
CREATE FUNCTION count_queue(of_queue text, jobs bigint, of_bytes bigint) RETURNS void LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO queue_counts AS t VALUES (of_queue, shard(), jobs, of_bytes)
    ON CONFLICT (name, shard) DO UPDATE SET queued = t.queued + excluded.queued, bytes = t.bytes + excluded.bytes;
END $$;

-- A change of jobs as rows of what comes (sign 1) and what goes (sign -1).
CREATE FUNCTION jobs_changed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  one record;
BEGIN
  CASE TG_OP
    WHEN 'INSERT' THEN
      SELECT count(*) FILTER (WHERE state = 'queued') AS q, count(*) FILTER (WHERE state = 'running') AS r,
             count(*) FILTER (WHERE state = 'succeeded') AS s, count(*) FILTER (WHERE state = 'failed') AS f,
             count(*) FILTER (WHERE state = 'cancelled') AS c INTO one FROM come;
      PERFORM count_jobs(one.q, one.r, one.s, one.f, one.c) WHERE EXISTS (SELECT 1 FROM come);
      PERFORM count_queue(queue, count(*), sum(bytes)::bigint) FROM come WHERE state = 'queued' AND kind <> 'sweep' GROUP BY queue;
      PERFORM hold(owner, count(*), count(*) FILTER (WHERE kind = 'sweep'), 0, 0, sum(charged)::bigint, 0,
                   sum(coalesce(result_size, 0))::bigint) FROM come GROUP BY owner;
    WHEN 'DELETE' THEN
      SELECT count(*) FILTER (WHERE state = 'queued') AS q, count(*) FILTER (WHERE state = 'running') AS r,
             count(*) FILTER (WHERE state = 'succeeded') AS s, count(*) FILTER (WHERE state = 'failed') AS f,
             count(*) FILTER (WHERE state = 'cancelled') AS c INTO one FROM gone;
      PERFORM count_jobs(-one.q, -one.r, -one.s, -one.f, -one.c) WHERE EXISTS (SELECT 1 FROM gone);
      PERFORM count_queue(queue, -count(*), -sum(bytes)::bigint) FROM gone WHERE state = 'queued' AND kind <> 'sweep' GROUP BY queue;
      PERFORM hold(owner, -count(*), -count(*) FILTER (WHERE kind = 'sweep'), 0, 0, -sum(charged)::bigint, 0,
                   -sum(coalesce(result_size, 0))::bigint) FROM gone GROUP BY owner;
    ELSE
      SELECT sum(sign) FILTER (WHERE state = 'queued') AS q, sum(sign) FILTER (WHERE state = 'running') AS r,
             sum(sign) FILTER (WHERE state = 'succeeded') AS s, sum(sign) FILTER (WHERE state = 'failed') AS f,
             sum(sign) FILTER (WHERE state = 'cancelled') AS c INTO one
        FROM (SELECT state, 1 AS sign FROM come UNION ALL SELECT state, -1 FROM gone) AS x;
      IF one.q <> 0 OR one.r <> 0 OR one.s <> 0 OR one.f <> 0 OR one.c <> 0 THEN
        PERFORM count_jobs(coalesce(one.q, 0), coalesce(one.r, 0), coalesce(one.s, 0), coalesce(one.f, 0), coalesce(one.c, 0));
      END IF;
      PERFORM count_queue(queue, sum(sign)::bigint, sum(sign * bytes)::bigint)
        FROM (SELECT queue, state, kind, bytes, 1 AS sign FROM come UNION ALL SELECT queue, state, kind, bytes, -1 FROM gone) AS x
        WHERE state = 'queued' AND kind <> 'sweep' GROUP BY queue HAVING sum(sign) <> 0;
      PERFORM hold(owner, sum(sign)::bigint, coalesce(sum(sign) FILTER (WHERE kind = 'sweep'), 0), 0, 0, sum(sign * charged)::bigint, 0,
                   sum(sign * result)::bigint)
        FROM (SELECT owner, kind, charged, coalesce(result_size, 0) AS result, 1 AS sign FROM come
              UNION ALL SELECT owner, kind, charged, coalesce(result_size, 0), -1 FROM gone) AS x
        GROUP BY owner HAVING sum(sign) <> 0 OR sum(sign * charged) <> 0 OR sum(sign * result) <> 0;
  END CASE;
  RETURN NULL;
END $$;
CREATE TRIGGER jobs_come AFTER INSERT ON jobs REFERENCING NEW TABLE AS come FOR EACH STATEMENT EXECUTE FUNCTION jobs_changed();
CREATE TRIGGER jobs_go AFTER DELETE ON jobs REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION jobs_changed();
CREATE TRIGGER jobs_move AFTER UPDATE ON jobs REFERENCING OLD TABLE AS gone NEW TABLE AS come
  FOR EACH STATEMENT EXECUTE FUNCTION jobs_changed();

CREATE FUNCTION events_charged() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE jobs SET charged = charged + 8192 WHERE seq = new.job;
  RETURN NULL;
END $$;
CREATE TRIGGER events_charged AFTER INSERT ON events FOR EACH ROW WHEN (new.seq = 9) EXECUTE FUNCTION events_charged();

CREATE FUNCTION keys_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'INSERT' THEN PERFORM hold(old.owner, 0, 0, 0, -1, 0, -1024, 0); END IF;
  IF TG_OP <> 'DELETE' THEN PERFORM hold(new.owner, 0, 0, 0, 1, 0, 1024, 0); END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER keys_changed AFTER INSERT OR DELETE OR UPDATE OF owner ON request_keys FOR EACH ROW EXECUTE FUNCTION keys_changed();

CREATE FUNCTION models_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'INSERT' THEN PERFORM hold(old.owner, 0, 0, -(NOT old.deleted)::integer, 0, 0, -512, 0); END IF;
  IF TG_OP <> 'DELETE' THEN PERFORM hold(new.owner, 0, 0, (NOT new.deleted)::integer, 0, 0, 512, 0); END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER models_changed AFTER INSERT OR DELETE OR UPDATE OF owner, deleted ON models
  FOR EACH ROW EXECUTE FUNCTION models_changed();

CREATE FUNCTION revisions_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'INSERT' THEN PERFORM hold(old.owner, 0, 0, 0, 0, 0, -512, 0); END IF;
  IF TG_OP <> 'DELETE' THEN PERFORM hold(new.owner, 0, 0, 0, 0, 0, 512, 0); END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER revisions_changed AFTER INSERT OR DELETE OR UPDATE OF owner ON model_revisions
  FOR EACH ROW EXECUTE FUNCTION revisions_changed();

CREATE FUNCTION holders_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'INSERT' THEN PERFORM hold(old.owner, 0, 0, 0, 0, 0, -old.bytes, 0); END IF;
  IF TG_OP <> 'DELETE' THEN PERFORM hold(new.owner, 0, 0, 0, 0, 0, new.bytes, 0); END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER holders_changed AFTER INSERT OR DELETE OR UPDATE OF owner, bytes ON document_holders
  FOR EACH ROW EXECUTE FUNCTION holders_changed();

-- The same from the rows themselves: what checks compare.
CREATE VIEW document_holders_now AS
  SELECT u.owner, u.sha256, document_charge(d.body) AS bytes
  FROM (SELECT owner, model_sha256 AS sha256 FROM jobs
        UNION SELECT owner, document_base FROM jobs WHERE document_base IS NOT NULL
        UNION SELECT owner, sha256 FROM model_revisions) AS u JOIN documents AS d USING (sha256);
CREATE VIEW holdings_now AS
  SELECT owner, sum(jobs) AS jobs, sum(sweeps) AS sweeps, sum(models) AS models, sum(keys) AS keys, sum(rows) AS rows, sum(bytes) AS bytes,
         sum(results) AS results
  FROM (SELECT owner, 1 AS jobs, (kind = 'sweep')::integer AS sweeps, 0 AS models, 0 AS keys,
               2048 + octet_length(document) + 3 * octet_length(labels)
               + CASE WHEN EXISTS (SELECT 1 FROM events AS e WHERE e.job = jobs.seq AND e.seq > 8) THEN 8192 ELSE 0 END
               + coalesce((SELECT 256 * (s.queued + s.running + s.succeeded + s.failed + s.cancelled) FROM sweeps AS s WHERE s.id = jobs.id), 0)
                 AS rows, 0 AS bytes, coalesce(result_size, 0) AS results
        FROM jobs
        UNION ALL SELECT owner, 0, 0, (NOT deleted)::integer, 0, 0, 512, 0 FROM models
        UNION ALL SELECT owner, 0, 0, 0, 0, 0, 512, 0 FROM model_revisions
        UNION ALL SELECT owner, 0, 0, 0, 1, 0, 1024, 0 FROM request_keys
        UNION ALL SELECT owner, 0, 0, 0, 0, 0, bytes, 0 FROM document_holders) AS x GROUP BY owner;

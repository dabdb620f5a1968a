-- Results, and what survives the attempts of those that have none yet, in the database itself; and who does for all nodes what one does.
--
-- Bytes stand in chunks of at most a MiB, outside of their rows and as they are (what is compressible was compressed by whoever wrote it).
-- A row of `results` that has a size is a whole one; which of them counts is said by the row of its job: its attempt and result_node.
-- Nothing here refers to jobs: bytes go in pieces after their job has gone, and what a node that died has left goes after a while.
ALTER TABLE jobs ADD COLUMN result_node text;        -- who wrote the result of this attempt, wherever it is kept

CREATE SEQUENCE blob_numbers;
CREATE TABLE chunks (
  blob  bigint NOT NULL,
  at    bigint NOT NULL,                             -- where in the whole its first byte stands
  bytes bytea NOT NULL,
  PRIMARY KEY (blob, at)
);
ALTER TABLE chunks ALTER COLUMN bytes SET STORAGE EXTERNAL;

CREATE TABLE results (
  blob       bigint PRIMARY KEY,
  job        text COLLATE "C" NOT NULL,
  attempt    integer NOT NULL,
  node       text NOT NULL,
  size       bigint,                                 -- NULL: it is being written
  sha256     text,
  touched_ms bigint NOT NULL
);
CREATE INDEX results_job ON results (job);

-- The last checkpoint of a job: a state, and how many bytes of rows are under it.
CREATE TABLE parts (
  job          text COLLATE "C" PRIMARY KEY,
  blob         bigint NOT NULL UNIQUE,
  owner        text COLLATE "C" NOT NULL,
  attempt      integer NOT NULL,
  rows         bigint NOT NULL,
  rows_sha256  text NOT NULL,
  state        bytea NOT NULL,
  state_sha256 text NOT NULL,
  bytes        bigint NOT NULL,                      -- of rows and state
  touched_ms   bigint NOT NULL
);
ALTER TABLE parts ALTER COLUMN state SET STORAGE EXTERNAL;
CREATE INDEX parts_owner ON parts (owner);

-- What one node does for all, while its lease lasts.
CREATE TABLE leaders (
  task     text PRIMARY KEY,
  node     text NOT NULL,
  until_ms bigint NOT NULL
);

-- A program that knows the first schema only would keep results in its own folder, where nobody else finds them.
UPDATE tendril_schema SET min_compatible = 2;

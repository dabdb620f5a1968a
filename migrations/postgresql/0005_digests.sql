-- Rows that carry what was promised have a digest, as in SQLite: the first 64 bits of a SHA-256 of what never changes in a job, of request
-- keys, of tokens and of events, as they were written. `tendrild store check` compares them. NULL: from before. Against what disks and hands change in rows, not against those who know this.
CREATE FUNCTION row_digest(written text) RETURNS bytea LANGUAGE sql IMMUTABLE AS
  $$ SELECT substring(sha256(convert_to(written, 'UTF8')) FROM 1 FOR 8) $$;
ALTER TABLE jobs ADD COLUMN digest bytea;
ALTER TABLE request_keys ADD COLUMN digest bytea;
ALTER TABLE tokens ADD COLUMN digest bytea;
ALTER TABLE events ADD COLUMN digest bytea;

CREATE FUNCTION job_digest(j jobs) RETURNS bytea LANGUAGE sql STABLE AS
  $$ SELECT row_digest(ROW(j.id, j.kind, j.priority, j.model_name, j.model_revision, j.model_sha256, j.document, j.document_base, j.labels,
                           j.retry_of, j.owner)::text) $$;
CREATE FUNCTION key_digest(k request_keys) RETURNS bytea LANGUAGE sql STABLE AS
  $$ SELECT row_digest(ROW(k.owner, k.key, k.sha256, k.job)::text) $$;
CREATE FUNCTION token_digest(t tokens) RETURNS bytea LANGUAGE sql STABLE AS
  $$ SELECT row_digest(ROW(t.id, t.name, t.scope, t.sha256, t.created_ms, t.deleted_ms, t.owner)::text) $$;
CREATE FUNCTION event_digest(e events) RETURNS bytea LANGUAGE sql STABLE AS
  $$ SELECT row_digest(ROW(e.job, e.seq, e.time_ms, e.attempt, e.type, e.data)::text) $$;

-- Written with the row, by whichever program inserts it, unless that says something else.
CREATE FUNCTION job_written() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF new.digest IS NULL THEN new.digest := job_digest(new); END IF;
  RETURN new;
END $$;
CREATE TRIGGER job_written BEFORE INSERT ON jobs FOR EACH ROW EXECUTE FUNCTION job_written();
CREATE FUNCTION key_written() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF new.digest IS NULL THEN new.digest := key_digest(new); END IF;
  RETURN new;
END $$;
CREATE TRIGGER key_written BEFORE INSERT ON request_keys FOR EACH ROW EXECUTE FUNCTION key_written();
CREATE FUNCTION token_written() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF new.digest IS NULL THEN new.digest := token_digest(new); END IF;
  RETURN new;
END $$;
CREATE TRIGGER token_written BEFORE INSERT ON tokens FOR EACH ROW EXECUTE FUNCTION token_written();
-- event_digest without its calls: events are many.
CREATE FUNCTION event_written() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF new.digest IS NULL THEN
    new.digest := substring(sha256(convert_to(ROW(new.job, new.seq, new.time_ms, new.attempt, new.type, new.data)::text, 'UTF8')) FROM 1 FOR 8);
  END IF;
  RETURN new;
END $$;
CREATE TRIGGER event_written BEFORE INSERT ON events FOR EACH ROW EXECUTE FUNCTION event_written();

-- What changes all the same, by whichever program: an owner whose things are given to another one, and the end of a token. A row that is not
-- what was written stays so.
CREATE FUNCTION job_given() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF old.digest = job_digest(old) THEN new.digest := job_digest(new); END IF;
  RETURN new;
END $$;
CREATE TRIGGER job_given BEFORE UPDATE OF owner ON jobs FOR EACH ROW EXECUTE FUNCTION job_given();
CREATE FUNCTION key_given() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF old.digest = key_digest(old) THEN new.digest := key_digest(new); END IF;
  RETURN new;
END $$;
CREATE TRIGGER key_given BEFORE UPDATE OF owner ON request_keys FOR EACH ROW EXECUTE FUNCTION key_given();
CREATE FUNCTION token_ended() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF old.digest = token_digest(old) THEN new.digest := token_digest(new); END IF;
  RETURN new;
END $$;
CREATE TRIGGER token_ended BEFORE UPDATE OF deleted_ms ON tokens FOR EACH ROW EXECUTE FUNCTION token_ended();

-- A job whose model came with it is known by the name in that model's document; its model_revision stays NULL. What was not as it was
-- written (job_digest) stays so, and a document that cannot be read names nothing.
CREATE FUNCTION name_in(body text) RETURNS text LANGUAGE plpgsql AS $$ BEGIN
  RETURN substring(body::json ->> 'name' FROM '^[A-Za-z0-9][A-Za-z0-9_.-]{0,62}$');
EXCEPTION WHEN others THEN
  RETURN NULL;
END $$;
WITH given AS MATERIALIZED (
  SELECT d.sha256, name_in(coalesce(b.body, d.body)) AS name FROM documents AS d LEFT JOIN documents AS b ON b.sha256 = d.base
    WHERE d.sha256 IN (SELECT model_sha256 FROM jobs WHERE model_name IS NULL)
)
UPDATE jobs AS j SET model_name = g.name, digest = CASE
    WHEN j.digest = job_digest(j)
    THEN row_digest(ROW(j.id, j.kind, j.priority, g.name COLLATE "C", j.model_revision, j.model_sha256, j.document, j.document_base, j.labels,
                        j.retry_of, j.owner)::text)
    ELSE j.digest END
  FROM given AS g WHERE j.model_name IS NULL AND g.sha256 = j.model_sha256 AND g.name IS NOT NULL;
DROP FUNCTION name_in(text);

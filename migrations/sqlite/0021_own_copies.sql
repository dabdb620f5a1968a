-- A job whose model came with it is known by the name in that model's document; its model_revision stays NULL. What was not as it was
-- written (row_digest) stays so, and a document that cannot be read names nothing.
WITH whole AS (
  SELECT d.sha256, coalesce(b.body, d.body) AS body FROM documents AS d LEFT JOIN documents AS b ON b.sha256 = d.base
    WHERE d.sha256 IN (SELECT model_sha256 FROM jobs WHERE model_name IS NULL)
), given AS MATERIALIZED (
  SELECT sha256, CASE WHEN json_valid(body) THEN json_extract(body, '$.name') END AS name FROM whole
)
UPDATE jobs SET model_name = g.name, digest = CASE
    WHEN digest = row_digest(id, kind, priority, model_name, model_revision, jobs.model_sha256, document, document_base, labels, retry_of, owner)
    THEN row_digest(id, kind, priority, g.name, model_revision, jobs.model_sha256, document, document_base, labels, retry_of, owner)
    ELSE digest END
  FROM given AS g
  WHERE jobs.model_name IS NULL AND g.sha256 = jobs.model_sha256 AND typeof(g.name) = 'text' AND length(g.name) BETWEEN 1 AND 63
    AND g.name GLOB '[A-Za-z0-9]*' AND g.name NOT GLOB '*[^A-Za-z0-9_.-]*';

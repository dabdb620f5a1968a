// Jobs that go, with all that hangs on them, and documents that nobody else needs.
#include "store/postgresql/jobs/jobs.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

store_status pg_ids(pg_rows *rows, store_status status, pg_id_list *list) {
  if (status != STORE_OK) return status;
  free(list->id);
  list->count = 0;
  list->id = calloc((size_t)PQntuples(rows->result) + 1, sizeof *list->id);
  while (list->id && pg_next(rows)) pg_copy(rows, 0, list->id[list->count++], ID_SIZE);
  pg_end(rows);
  return list->id ? STORE_OK : STORE_FAILED;
}

static char *describe(const pg_id_list *jobs) {
  json_t *list = json_array();
  for (size_t i = 0; i < jobs->count; i++) json_array_append_new(list, json_string(jobs->id[i]));
  char *text = store_json_text(list);
  json_decref(list);
  return text;
}

store_status pg_jobs_remove(pg_connection *c, const pg_id_list *jobs) {
  static const char sql[] =
      "WITH gone AS (DELETE FROM jobs WHERE id IN (SELECT json_array_elements_text($1::json)) RETURNING owner, "
      "model_sha256, document_base) SELECT json_agg(u)::text FROM (SELECT owner, model_sha256 AS sha256 FROM gone "
      "UNION "
      "SELECT owner, document_base FROM gone WHERE document_base IS NOT NULL) AS u";
  char *list = describe(jobs), *uses = NULL;
  pg_rows rows;
  store_status status = list ? pg_run(c, &rows, sql, "t", list) : STORE_FAILED;
  if (status == STORE_OK && pg_next(&rows)) uses = pg_text_copy(&rows, 0), pg_end(&rows);
  if (status == STORE_OK) status = pg_documents_release(c, uses);
  free(list);
  free(uses);
  return status;
}

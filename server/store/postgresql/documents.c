// Documents by content, and whom they are charged to. What many jobs share is stored once: a document with a base holds
// what it has other than that one (difference.c).
//
// Rows that need a document refer to its holder, an (owner, document) that is charged once; a holder refers to its
// document. The database keeps a row from going while somebody refers to it, so nothing is locked here that others come
// to need, too: where two changes disagree the later one fails and is run again.
#include "store/postgresql/postgresql.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define USES "json_to_recordset($1::json) AS u (owner text, sha256 text)"

// A whole one takes the place of a difference: it may be sent as it is, and be a base.
store_status pg_document_put(pg_connection *c, const char *sha256, const char *body, const char *base) {
  static const char sql[] =
      "WITH new AS (INSERT INTO documents (sha256, body, base) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING RETURNING 1) "
      "SELECT EXISTS (SELECT 1 FROM new) OR EXISTS (SELECT 1 FROM documents WHERE sha256 = $1 AND base IS NULL)";
  static const char whole[] = "UPDATE documents SET body = $2, base = NULL WHERE sha256 = $1 AND base IS NOT NULL";
  static const char charge[] = "UPDATE document_holders SET bytes = document_charge($2) WHERE sha256 = $1";
  pg_rows rows;
  store_status status = pg_run(c, &rows, sql, "ttt", sha256, body, base);
  if (status != STORE_OK || !pg_next(&rows)) return status;
  bool ready = pg_true(&rows, 0);
  pg_end(&rows);
  if (ready || base) return STORE_OK;
  status = pg_run(c, &rows, whole, "tt", sha256, body);
  if (status != STORE_OK) return status;
  bool replaced = pg_changed(&rows) > 0;
  pg_end(&rows);
  return replaced ? pg_run(c, NULL, charge, "tt", sha256, body) : STORE_OK;
}

store_status pg_documents_hold(pg_connection *c, const char *uses) {
  static const char sql[] =
      "INSERT INTO document_holders SELECT DISTINCT u.owner, u.sha256, document_charge(d.body) FROM " USES
      " JOIN documents AS d USING (sha256) WHERE NOT EXISTS (SELECT 1 FROM document_holders AS h WHERE h.owner = "
      "u.owner AND h.sha256 = u.sha256) ON CONFLICT DO NOTHING";
  return pg_run(c, NULL, sql, "t", uses);
}

// Documents that nobody refers to go; *bases of those, as an array of uses, may be the next.
static store_status remove_unneeded(pg_connection *c, const char *uses, char **bases) {
  static const char sql[] =
      "WITH gone AS (DELETE FROM documents AS d WHERE d.sha256 IN (SELECT u.sha256 FROM " USES
      ") AND NOT EXISTS (SELECT "
      "1 FROM document_holders AS h WHERE h.sha256 = d.sha256) AND NOT EXISTS (SELECT 1 FROM documents AS o WHERE "
      "o.base = d.sha256) RETURNING d.base) SELECT json_agg(json_build_object('sha256', base))::text FROM gone WHERE "
      "base IS NOT NULL";
  pg_rows rows;
  *bases = NULL;
  store_status status = pg_run(c, &rows, sql, "t", uses);
  if (status == STORE_OK && pg_next(&rows)) *bases = pg_text_copy(&rows, 0), pg_end(&rows);
  return status;
}

store_status pg_documents_release(pg_connection *c, const char *uses) {
  static const char sql[] =
      "DELETE FROM document_holders AS h USING (SELECT DISTINCT u.owner, u.sha256 FROM " USES ") AS x WHERE h.owner = "
      "x.owner AND h.sha256 = x.sha256 AND NOT EXISTS (SELECT 1 FROM jobs AS j WHERE j.owner = h.owner AND "
      "j.model_sha256 = h.sha256) AND NOT EXISTS (SELECT 1 FROM jobs AS j WHERE j.owner = h.owner AND j.document_base "
      "= "
      "h.sha256) AND NOT EXISTS (SELECT 1 FROM model_revisions AS r WHERE r.owner = h.owner AND r.sha256 = h.sha256)";
  char *bases = NULL, *none = NULL;
  if (!uses) return STORE_OK;
  store_status status = pg_run(c, NULL, sql, "t", uses);
  if (status == STORE_OK) status = remove_unneeded(c, uses, &bases);
  if (status == STORE_OK && bases) status = remove_unneeded(c, bases, &none);
  free(bases);
  free(none);
  return status;
}

static void take_document(const pg_rows *rows, pg_document *list, int count) {
  pg_document *d = NULL;
  for (int i = 0; i < count && !d; i++)
    if (strcmp(list[i].sha256, pg_text(rows, 0)) == 0) d = &list[i];
  if (!d || d->body) return;
  const char *body = pg_text(rows, 1), *base = pg_text(rows, 2);
  d->body = base ? store_difference_apply(base, body) : strdup(body);
  if (!d->body || base || store_document_check(d->sha256, d->body) == STORE_OK) return;
  free(d->body);
  d->body = NULL;
}

static char *names_of(const pg_document *list, int count) {
  json_t *names = json_array();
  for (int i = 0; i < count; i++) json_array_append_new(names, json_string(list[i].sha256));
  char *text = store_json_text(names);
  json_decref(names);
  return text;
}

static store_status read_documents(pg_connection *c, pg_document *list, int count) {
  static const char sql[] = "SELECT d.sha256, d.body, b.body FROM json_array_elements_text($1::json) AS u (sha256) "
                            "JOIN documents AS d USING (sha256) LEFT JOIN documents AS b ON b.sha256 = d.base";
  char *names = names_of(list, count);
  pg_rows rows;
  store_status status = names ? pg_run(c, &rows, sql, "t", names) : STORE_FULL;
  while (status == STORE_OK && pg_next(&rows)) take_document(&rows, list, count);
  free(names);
  return status;
}

store_status pg_documents_get(store *s, pg_document *list, int count) {
  enum { AT_ONCE = 8 }; // so that what came is not in memory twice
  pg_connection *c = pg_read(s);
  store_status status = c ? STORE_OK : STORE_AWAY;
  for (int i = 0; i < count; i++) list[i].body = NULL;
  for (int i = 0; status == STORE_OK && i < count; i += AT_ONCE)
    status = read_documents(c, list + i, count - i < AT_ONCE ? count - i : AT_ONCE);
  pg_read_end(s, c);
  return status;
}

store_status postgresql_document_get(store *s, const char *sha256, char **document) {
  pg_document one;
  snprintf(one.sha256, sizeof one.sha256, "%s", sha256);
  store_status status = pg_documents_get(s, &one, 1);
  *document = one.body;
  return status == STORE_OK && !one.body ? STORE_FAILED : status;
}

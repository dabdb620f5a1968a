// Documents by content. What the jobs of a sweep share is stored once: a document with a base holds what it has other
// than that one (difference.c).
#include "store/sqlite/sqlite.h"

#include <stdlib.h>
#include <string.h>

store_status sqlite_document_put(connection *c, const char *sha256, const char *body, const char *base) {
  // a whole one takes the place of a difference: it may be sent as it is, and be a base
  static const char sql[] = "INSERT INTO documents (sha256, body, base) VALUES (?1, ?2, ?3) ON CONFLICT (sha256) "
                            "DO UPDATE SET body = excluded.body, base = NULL WHERE base IS NOT NULL AND "
                            "excluded.base IS NULL RETURNING 1";
  int64_t written = 0;
  store_status status = sql_integer(c, sql_bind(sql_prepare(c, sql), "ttt", sha256, body, base), &written);
  if (status == STORE_NOT_FOUND) return STORE_OK; // it was there
  return status == STORE_OK && !base ? sqlite_charge_document_whole(c, sha256) : status;
}

store_status sqlite_document_read(connection *c, const char *sha256, char **document) {
  static const char sql[] = "SELECT d.body, b.body FROM documents AS d LEFT JOIN documents AS b ON b.sha256 = d.base "
                            "WHERE d.sha256 = ?1";
  store_status status;
  sqlite3_stmt *stmt = sql_bind(sql_prepare(c, sql), "t", sha256);
  *document = NULL;
  if (!sql_row(c, stmt, &status)) return STORE_FAILED;
  const char *body = (const char *)sqlite3_column_text(stmt, 0), *base = (const char *)sqlite3_column_text(stmt, 1);
  *document = base ? store_difference_apply(base, body) : body ? strdup(body) : NULL;
  sql_done(stmt);
  return *document ? STORE_OK : STORE_FAILED;
}

static bool is_whole(connection *c, const char *sha256) {
  static const char sql[] = "SELECT base IS NULL FROM documents WHERE sha256 = ?1";
  int64_t whole = 0;
  return sql_integer(c, sql_bind(sql_prepare(c, sql), "t", sha256), &whole) == STORE_OK && whole;
}

store_status sqlite_document_get(store *s, const char *sha256, char **document) {
  connection *c = sqlite_read(s);
  store_status status = sqlite_document_read(c, sha256, document);
  bool whole = status == STORE_OK && is_whole(c, sha256);
  sqlite_read_end(s, c);
  if (whole) status = store_document_check(sha256, *document);
  if (status == STORE_OK) return status;
  free(*document);
  *document = NULL;
  return status;
}

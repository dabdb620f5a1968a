// Statements: prepared once per connection and found by the address of their text.
#include "store/sqlite/database/database.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static store_status status_of(connection *c, int code, const char *sql) {
  if (code == SQLITE_OK || code == SQLITE_ROW || code == SQLITE_DONE) return STORE_OK;
  int primary = code & 0xff;
  bool slow = primary == SQLITE_INTERRUPT; // read_too_long said so
  log_write(slow ? LOG_LEVEL_WARNING : LOG_LEVEL_ERROR, slow ? "read_given_up" : "store",
            LOG_S("detail", sqlite3_errmsg(c->db)), LOG_I("code", code), LOG_S("sql", sql));
  if (slow) return STORE_SLOW;
  return primary == SQLITE_FULL || primary == SQLITE_IOERR || primary == SQLITE_READONLY ? STORE_FULL : STORE_FAILED;
}

sqlite3_stmt *sql_prepare(connection *c, const char *sql) {
  int i = 0;
  while (i < SQLITE_STATEMENTS && c->statements[i].sql && c->statements[i].sql != sql) i++;
  if (i == SQLITE_STATEMENTS) return NULL; // a defect: more statements than the table holds
  if (!c->statements[i].sql) {
    int code = sqlite3_prepare_v3(c->db, sql, -1, SQLITE_PREPARE_PERSISTENT, &c->statements[i].stmt, NULL);
    if (status_of(c, code, sql) != STORE_OK) return NULL;
    c->statements[i].sql = sql;
  }
  return c->statements[i].stmt;
}

sqlite3_stmt *sql_bind(sqlite3_stmt *stmt, const char *types, ...) {
  va_list values;
  va_start(values, types);
  for (int i = 1; stmt && types[i - 1]; i++) {
    switch (types[i - 1]) {
    case 't':
      sqlite3_bind_text(stmt, i, va_arg(values, const char *), -1, SQLITE_STATIC);
      break;
    case 'i':
      sqlite3_bind_int64(stmt, i, va_arg(values, int64_t));
      break;
    case 'd':
      sqlite3_bind_double(stmt, i, va_arg(values, double));
      break;
    default:
      sqlite3_bind_null(stmt, i);
      break;
    }
  }
  va_end(values);
  return stmt;
}

void sql_done(sqlite3_stmt *stmt) {
  sqlite3_reset(stmt);
  sqlite3_clear_bindings(stmt);
}

bool sql_row(connection *c, sqlite3_stmt *stmt, store_status *status) {
  if (!stmt) return *status = STORE_FAILED, false;
  int code = sqlite3_step(stmt);
  if (code == SQLITE_ROW) return *status = STORE_OK, true;
  *status = status_of(c, code, sqlite3_sql(stmt));
  sql_done(stmt);
  return false;
}

store_status sql_integer(connection *c, sqlite3_stmt *stmt, int64_t *value) {
  store_status status;
  if (!sql_row(c, stmt, &status)) return status == STORE_OK ? STORE_NOT_FOUND : status;
  *value = sqlite3_column_int64(stmt, 0);
  sql_done(stmt);
  return STORE_OK;
}

store_status sql_run(connection *c, sqlite3_stmt *stmt) {
  store_status status;
  if (sql_row(c, stmt, &status)) sql_done(stmt);
  return status;
}

void sql_text(sqlite3_stmt *stmt, int column, char *text, size_t size) {
  const char *value = (const char *)sqlite3_column_text(stmt, column);
  snprintf(text, size, "%s", value ? value : "");
}

char *sql_text_copy(sqlite3_stmt *stmt, int column) {
  const char *value = (const char *)sqlite3_column_text(stmt, column);
  return value ? strdup(value) : NULL;
}

static bool add_id(sql_id_list *list, const char *id) {
  if (list->count == list->capacity) {
    size_t capacity = list->capacity ? 2 * list->capacity : 64;
    void *more = realloc(list->id, capacity * sizeof *list->id);
    if (!more) return false;
    list->id = more;
    list->capacity = capacity;
  }
  snprintf(list->id[list->count++], ID_SIZE, "%s", id);
  return true;
}

store_status sql_ids(connection *c, sqlite3_stmt *stmt, sql_id_list *list) {
  store_status status;
  list->count = 0; // a transaction may be run again
  while (sql_row(c, stmt, &status)) {
    if (add_id(list, (const char *)sqlite3_column_text(stmt, 0))) continue;
    sql_done(stmt);
    return STORE_FAILED;
  }
  return status;
}

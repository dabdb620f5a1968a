// Statements: prepared once per connection and found by the address of their text; what they gave, column by column.
#include "base/clock.h"
#include "base/log/metrics.h"
#include "store/postgresql/database/database.h"

#include <math.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct parameters {
  const char *value[PG_PARAMETERS];
  char number[PG_PARAMETERS][32];
  int size[PG_PARAMETERS], format[PG_PARAMETERS]; // of bytes, which are given as they are
  int count;
  int as_bytes; // so the columns come
} parameters;

static void bind(parameters *p, const char *types, va_list values) {
  p->as_bytes = 0;
  for (p->count = 0; types[p->count]; p->count++) {
    int i = p->count;
    assert(i < PG_PARAMETERS);
    p->value[i] = p->number[i];
    p->size[i] = p->format[i] = 0;
    double real = 0;
    switch (types[i]) {
    case 't':
      p->value[i] = va_arg(values, const char *);
      break;
    case 'x':
      p->value[i] = va_arg(values, const char *);
      p->size[i] = (int)va_arg(values, size_t);
      p->format[i] = 1;
      break;
    case 'i':
      snprintf(p->number[i], sizeof p->number[i], "%lld", (long long)va_arg(values, int64_t));
      break;
    case 'b':
      strcpy(p->number[i], va_arg(values, int) ? "t" : "f");
      break;
    default:
      assert(types[i] == 'd');
      real = va_arg(values, double);
      snprintf(p->number[i], sizeof p->number[i], "%.17g", real);
      if (isnan(real)) p->value[i] = NULL;
    }
  }
}

// ---------------------------------------------------------------------------------------------------------- failures

// By the class and code that the SQL standard and PostgreSQL give (Appendix A of its manual).
static const struct {
  const char *code; // or its beginning
  store_status status;
  bool again; // the transaction run anew may well succeed
} failures[] = {
    {"40", STORE_AWAY, true},      // serialization, deadlock: others were in the way
    {"23505", STORE_FAILED, true}, // somebody wrote the same row first, and is seen next time
    {"23503", STORE_FAILED, true}, // somebody came to need, or removed, what this refers to
    {"55P03", STORE_AWAY, true},   // a lock was not to be had in time
    {"57014", STORE_SLOW, false},  // statement_timeout
    {"53100", STORE_FULL, false},  // its disk is full
    {"53", STORE_AWAY, false},     // too many connections, no memory
    {"57P", STORE_AWAY, false},    // it shuts down, or starts
    {"25006", STORE_AWAY, false},  // a standby: it only reads
    {"25P", STORE_AWAY, false},    // the transaction was ended
    {"08", STORE_AWAY, false},
};

static store_status failure_of(pg_connection *c, const PGresult *result, const char *sql) {
  const char *code = PQresultErrorField(result, PG_DIAG_SQLSTATE);
  char detail[256];
  store_status status = STORE_FAILED;
  snprintf(detail, sizeof detail, "%s", PQerrorMessage(c->pg));
  detail[strcspn(detail, "\n")] = '\0';
  if (!result) snprintf(detail, sizeof detail, "the database does not answer");
  c->again = false;
  c->denied = code && strcmp(code, "42501") == 0;
  if (!code || PQstatus(c->pg) != CONNECTION_OK) status = STORE_AWAY, c->lost = true; // no server has said it
  for (size_t i = 0; code && i < sizeof failures / sizeof *failures; i++) {
    if (strncmp(code, failures[i].code, strlen(failures[i].code)) != 0) continue;
    status = failures[i].status;
    c->again = failures[i].again;
    break;
  }
  if (!c->again)
    log_write(status == STORE_FAILED ? LOG_LEVEL_ERROR : LOG_LEVEL_WARNING,
              status == STORE_SLOW ? "read_given_up" : "store", LOG_S("detail", detail),
              LOG_S("code", code ? code : ""), LOG_S("sql", sql));
  return status;
}

static store_status take(pg_connection *c, PGresult *result, pg_rows *rows, const char *sql) {
  ExecStatusType got = PQresultStatus(result);
  c->denied = false;
  store_status status = got == PGRES_COMMAND_OK || got == PGRES_TUPLES_OK ? STORE_OK : failure_of(c, result, sql);
  if (rows) *rows = (pg_rows){.result = status == STORE_OK ? result : NULL, .at = -1};
  if (!rows || status != STORE_OK) PQclear(result);
  return status;
}

// -------------------------------------------------------------------------------------------------------- statements

// What the server says to what was sent, looked for until patience ends: then the connection is of no use. Returns what
// PQgetResult does.
static bool is_ready(pg_connection *c) {
  static const double LOOK_S = 0.25; // so often: whether others find that it does not answer
  double until_s = clock_monotonic_s() + c->patience_s;
  while (!c->lost && PQisBusy(c->pg)) {
    double left_s = c->patience_s > 0 ? until_s - clock_monotonic_s() : 1;
    struct pollfd fd = {.fd = PQsocket(c->pg), .events = POLLIN};
    double waits_s = left_s < LOOK_S ? left_s : LOOK_S;
    if (left_s <= 0) c->lost = true;
    if (left_s > 0 && poll(&fd, 1, (int)(1e3 * waits_s) + 1) > 0) {
      if (PQconsumeInput(c->pg) == 0) break;
    } else if (c->silent && *c->silent)
      c->lost = true;
  }
  return !c->lost;
}

static PGresult *get_result(pg_connection *c) { return is_ready(c) ? PQgetResult(c->pg) : NULL; }

// The last of the results, as PQexec has it. NULL: the server was silent.
static PGresult *answer(pg_connection *c, int sent) {
  PGresult *last = NULL, *next;
  if (!sent) return PQmakeEmptyPGresult(c->pg, PGRES_FATAL_ERROR);
  while ((next = get_result(c))) PQclear(last), last = next;
  return last;
}

// Its name on this connection; false, with a status, when it does not compile.
static bool prepare(pg_connection *c, const char *sql, char name[8], store_status *status) {
  int i = 0;
  while (i < PG_STATEMENTS && c->sql[i] && c->sql[i] != sql) i++;
  assert(i < PG_STATEMENTS && "more statements than the table holds");
  snprintf(name, 8, "s%d", i % PG_STATEMENTS);
  if (c->sql[i]) return true;
  *status = take(c, answer(c, PQsendPrepare(c->pg, name, sql, 0, NULL)), NULL, sql);
  if (*status == STORE_OK) c->sql[i] = sql;
  return *status == STORE_OK;
}

// The result that the pipeline gives next, behind which it gives an end.
static PGresult *next_result(pg_connection *c) {
  PGresult *result = get_result(c);
  PQclear(get_result(c));
  return result;
}

static int send(pg_connection *c, const char *name, const char *sql, const parameters *p) {
  metrics_add(METRIC_STATEMENTS, 0, 1);
  return c->plain ? PQsendQueryParams(c->pg, sql, p->count, NULL, p->value, p->size, p->format, p->as_bytes)
                  : PQsendQueryPrepared(c->pg, name, p->count, p->value, p->size, p->format, p->as_bytes);
}

// BEGIN and the first statement of a transaction in one message: a round trip less for each change.
static PGresult *begin_and_run(pg_connection *c, const char *name, const char *sql, const parameters *p) {
  PGresult *begun = NULL, *result = NULL;
  c->begins = false;
  if (PQenterPipelineMode(c->pg) && PQsendQueryParams(c->pg, "BEGIN", 0, NULL, NULL, NULL, NULL, 0) &&
      send(c, name, sql, p) && PQpipelineSync(c->pg)) {
    begun = next_result(c);
    result = next_result(c);
    PQclear(get_result(c)); // of the synchronisation
  }
  c->inside = PQresultStatus(begun) == PGRES_COMMAND_OK;
  PQclear(begun);
  if (!PQexitPipelineMode(c->pg)) c->lost = true;
  return result;
}

static PGresult *run_prepared(pg_connection *c, const char *name, const char *sql, const parameters *p) {
  return c->begins ? begin_and_run(c, name, sql, p) : answer(c, send(c, name, sql, p));
}

static store_status prepare_and_run(pg_connection *c, pg_rows *rows, const char *sql, const parameters *p) {
  char name[8] = "";
  store_status status = STORE_OK;
  bool ready = c->plain || prepare(c, sql, name, &status);
  return ready ? take(c, run_prepared(c, name, sql, p), rows, sql) : status;
}

// What stands alone, and does not begin or end a transaction, only reads. Not where the loss took as long as a caller
// waits.
static bool may_run_again(pg_connection *c, bool alone, store_status status, double began_s) {
  return alone && !c->alone && status == STORE_AWAY && c->lost && clock_monotonic_s() < began_s + 0.5 && pg_reopen(c);
}

static store_status run(pg_connection *c, pg_rows *rows, const char *sql, const parameters *p) {
  bool alone = !c->begins && !c->inside;
  double began_s = clock_monotonic_s();
  if (rows) *rows = (pg_rows){.result = NULL};
  store_status status = prepare_and_run(c, rows, sql, p);
  return may_run_again(c, alone, status, began_s) ? prepare_and_run(c, rows, sql, p) : status;
}

store_status pg_run(pg_connection *c, pg_rows *rows, const char *sql, const char *types, ...) {
  parameters p;
  va_list values;
  va_start(values, types);
  bind(&p, types, values);
  va_end(values);
  return run(c, rows, sql, &p);
}

store_status pg_run_bytes(pg_connection *c, pg_rows *rows, const char *sql, const char *types, ...) {
  parameters p;
  va_list values;
  va_start(values, types);
  bind(&p, types, values);
  va_end(values);
  p.as_bytes = 1;
  return run(c, rows, sql, &p);
}

store_status pg_run_once(pg_connection *c, pg_rows *rows, const char *sql, const char *types, ...) {
  parameters p;
  double began_s = clock_monotonic_s();
  va_list values;
  if (rows) *rows = (pg_rows){.result = NULL};
  va_start(values, types);
  bind(&p, types, values);
  va_end(values);
  assert(!c->begins && !c->inside);
  store_status status =
      take(c, answer(c, PQsendQueryParams(c->pg, sql, p.count, NULL, p.value, p.size, p.format, 0)), rows, sql);
  if (!may_run_again(c, true, status, began_s)) return status;
  return take(c, answer(c, PQsendQueryParams(c->pg, sql, p.count, NULL, p.value, p.size, p.format, 0)), rows, sql);
}

store_status pg_ahead_begin(pg_connection *c, const char *sql) {
  char name[8];
  store_status status = STORE_OK;
  assert(!c->begins && !c->inside);
  if (!c->plain && !prepare(c, sql, name, &status) && c->lost && pg_reopen(c)) prepare(c, sql, name, &status);
  if (status == STORE_OK && !PQenterPipelineMode(c->pg)) status = STORE_AWAY, c->lost = true;
  return status;
}

store_status pg_ahead(pg_connection *c, const char *sql, const char *types, ...) {
  char name[8] = "";
  parameters p;
  store_status status = STORE_OK;
  va_list values;
  va_start(values, types);
  bind(&p, types, values);
  va_end(values);
  p.as_bytes = 1;
  if (!c->plain && !prepare(c, sql, name, &status)) return status; // it is, by pg_ahead_begin
  if (!c->lost && send(c, name, sql, &p) && PQpipelineSync(c->pg)) return STORE_OK;
  c->lost = true;
  return STORE_AWAY;
}

store_status pg_ahead_take(pg_connection *c, pg_rows *rows, const char *sql) {
  store_status status = take(c, next_result(c), rows, sql);
  PQclear(get_result(c)); // of the synchronisation
  return status;
}

void pg_ahead_end(pg_connection *c) {
  if (!PQexitPipelineMode(c->pg)) c->lost = true; // an answer was left behind
}

store_status pg_command(pg_connection *c, const char *sql) {
  metrics_add(METRIC_STATEMENTS, 0, 1);
  if (c->begins) {
    c->begins = false;
    store_status status = take(c, answer(c, PQsendQuery(c->pg, "BEGIN")), NULL, "BEGIN");
    if (status != STORE_OK) return status;
    c->inside = true;
  }
  return take(c, answer(c, PQsendQuery(c->pg, sql)), NULL, sql);
}

store_status pg_take_time(pg_connection *c) {
  static const double MINUTES_S = 600;
  c->patience_s = MINUTES_S;
  return pg_command(c, "SET LOCAL statement_timeout = 0");
}

// -------------------------------------------------------------------------------------------------------------- rows

int64_t pg_changed(const pg_rows *rows) { return rows->result ? strtoll(PQcmdTuples(rows->result), NULL, 10) : 0; }

bool pg_next(pg_rows *rows) {
  if (rows->result && ++rows->at < PQntuples(rows->result)) return true;
  pg_end(rows);
  return false;
}

void pg_end(pg_rows *rows) {
  PQclear(rows->result);
  rows->result = NULL;
}

store_status pg_integer_of(pg_rows *rows, store_status status, int64_t *value) {
  if (status != STORE_OK) return status;
  if (!pg_next(rows)) return STORE_NOT_FOUND;
  *value = pg_integer(rows, 0);
  pg_end(rows);
  return STORE_OK;
}

bool pg_null(const pg_rows *rows, int column) { return PQgetisnull(rows->result, rows->at, column) != 0; }

const char *pg_text(const pg_rows *rows, int column) {
  return pg_null(rows, column) ? NULL : PQgetvalue(rows->result, rows->at, column);
}

const void *pg_bytes(const pg_rows *rows, int column, size_t *size) {
  *size = (size_t)PQgetlength(rows->result, rows->at, column);
  return PQgetvalue(rows->result, rows->at, column);
}

int64_t pg_integer(const pg_rows *rows, int column) {
  return strtoll(PQgetvalue(rows->result, rows->at, column), NULL, 10);
}

double pg_real(const pg_rows *rows, int column) {
  return pg_null(rows, column) ? NAN : strtod(PQgetvalue(rows->result, rows->at, column), NULL);
}

bool pg_true(const pg_rows *rows, int column) { return *PQgetvalue(rows->result, rows->at, column) == 't'; }

void pg_copy(const pg_rows *rows, int column, char *text, size_t size) {
  snprintf(text, size, "%s", PQgetvalue(rows->result, rows->at, column));
}

char *pg_text_copy(const pg_rows *rows, int column) {
  const char *text = pg_text(rows, column);
  return text ? strdup(text) : NULL;
}

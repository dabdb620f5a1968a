// Where the results of a database are kept, in the database or in a folder, as its settings remember it: whoever looks for
// them elsewhere finds none, and would call all of them lost.
//
// The first that works with a database says so. As long as it has no results and nobody else works with it, another may
// say otherwise.
#include "store/postgresql/blobs/blobs.h"

#include <string.h>

typedef struct place {
  const char *node, *mine; // "database", "folder"
  char kept[16];           // out: what holds
  bool first;              // out: it was this process that said so
  bool empty, alone;       // out: there are no results; nobody else works with it
} place;

#define RESULTS_THERE "EXISTS (SELECT 1 FROM results WHERE size IS NOT NULL)"
#define RESULTS_ELSEWHERE "EXISTS (SELECT 1 FROM jobs WHERE state = 'succeeded' AND result_node IS NOT NULL)"

static store_status read_place(pg_connection *c, place *x) {
  static const char sql[] =
      "SELECT coalesce((SELECT convert_from(value, 'UTF8') FROM settings WHERE name = 'results'), CASE "
      "WHEN " RESULTS_THERE " THEN 'database' WHEN " RESULTS_ELSEWHERE " THEN 'folder' ELSE '' END), NOT " RESULTS_THERE
      " AND NOT " RESULTS_ELSEWHERE ", NOT EXISTS (SELECT 1 FROM nodes WHERE id <> $1 AND lease_ms > now_ms())";
  pg_rows rows;
  store_status status = pg_run(c, &rows, sql, "t", x->node);
  if (status != STORE_OK || !pg_next(&rows)) return status == STORE_OK ? STORE_FAILED : status;
  pg_copy(&rows, 0, x->kept, sizeof x->kept);
  x->empty = pg_true(&rows, 1);
  x->alone = pg_true(&rows, 2);
  pg_end(&rows);
  return STORE_OK;
}

// 0: it may not; 1: what is not there yet; 2: what is there, too.
static store_status ask_rights(pg_connection *c, int64_t *rights) {
  static const char sql[] =
      "SELECT has_table_privilege('settings', 'INSERT')::integer + has_table_privilege('settings', "
      "'UPDATE')::integer";
  pg_rows rows;
  return pg_integer_of(&rows, pg_run(c, &rows, sql, ""), rights);
}

static store_status say_first(pg_connection *c, place *x) {
  static const char sql[] = "INSERT INTO settings (name, value) VALUES ('results', convert_to($1, 'UTF8')) ON CONFLICT "
                            "(name) DO NOTHING";
  pg_rows rows;
  store_status status = pg_run(c, &rows, sql, "t", *x->kept ? x->kept : x->mine);
  if (status != STORE_OK) return status;
  x->first = pg_changed(&rows) > 0;
  pg_end(&rows);
  return read_place(c, x);
}

// A role that may not write settings leaves it to the others.
static store_status settle(pg_connection *c, void *context) {
  static const char move[] = "UPDATE settings SET value = convert_to($1, 'UTF8') WHERE name = 'results'";
  place *x = context;
  int64_t rights = 0;
  store_status status = ask_rights(c, &rights);
  if (status == STORE_OK) status = read_place(c, x);
  if (status == STORE_OK && rights > 0) status = say_first(c, x);
  bool moves = status == STORE_OK && rights > 1 && strcmp(x->kept, x->mine) != 0 && x->empty && x->alone;
  if (moves) status = pg_run(c, NULL, move, "t", x->mine);
  return moves && status == STORE_OK ? read_place(c, x) : status;
}

static store_status look(store *s, place *x) {
  pg_connection *c = pg_read(s);
  store_status status = c ? read_place(c, x) : STORE_AWAY;
  pg_read_end(s, c);
  return status;
}

bool pg_place_check(store *s, bool *fresh, char message[STORE_MESSAGE_SIZE]) {
  place x = {.node = pg_node_id(s), .mine = *s->results ? "folder" : "database"};
  *fresh = true;
  if (s->any_results) return true;
  store_status status = s->as_it_is ? look(s, &x) : pg_change(s, settle, &x, NULL);
  if (status != STORE_OK) return store_say(message, "the settings of the database cannot be read: the log says why");
  *fresh = x.empty && (x.first || x.alone);
  if (!*x.kept || strcmp(x.kept, x.mine) == 0) return true;
  return *s->results
             ? store_say(message, "the results of this database are kept in the database itself, not in a folder: "
                                  "leave out --results (TENDRIL_RESULTS)")
             : store_say(message, "the results of this database are kept in a folder that all its nodes share: name "
                                  "it by --results (it has a file tendril-results)");
}

// An earlier run's rows, by name.
#include "bench/past.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double slower = 1.05;

struct bench_past {
  json_t *rows; ///< name: row
};

static bool is_time(const char *unit) {
  return strcmp(unit, "MB") != 0 && strcmp(unit, "1") != 0 && strcmp(unit, "eps") != 0;
}

// Borrows the rows; NULL where one of them has no name.
static json_t *by_name(json_t *list) {
  json_t *rows = json_object(), *row;
  size_t i;
  json_array_foreach(list, i, row) {
    const char *name = json_string_value(json_object_get(row, "name"));
    if (name && json_object_set(rows, name, row) == 0) continue;
    json_decref(rows);
    return NULL;
  }
  return rows;
}

bench_past *bench_past_open(const char *path, char why[BENCH_NOTE_SIZE]) {
  json_error_t error;
  json_t *list = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
  bench_past *past = list && json_is_array(list) ? malloc(sizeof *past) : NULL;
  if (past) past->rows = by_name(list);
  if (!list)
    snprintf(why, BENCH_NOTE_SIZE, "%.100s, line %d", error.text, error.line);
  else if (!past || !past->rows)
    snprintf(why, BENCH_NOTE_SIZE, "it is not what tendril-bench --json writes");
  json_decref(list);
  if (past && past->rows) return past;
  free(past);
  return NULL;
}

void bench_past_close(bench_past *past) {
  if (!past) return;
  json_decref(past->rows);
  free(past);
}

double bench_past_change(const bench_past *past, const char *name, const char *unit, double min, double pace) {
  const json_t *row = json_object_get(past->rows, name);
  const json_t *then = json_object_get(row, "min"), *its_pace = json_object_get(row, "pace");
  const char *its_unit = json_string_value(json_object_get(row, "unit"));
  if (!json_is_number(then) || !its_unit || strcmp(its_unit, unit) != 0) return NAN;
  double change = min / json_number_value(then);
  return is_time(unit) ? change * json_number_value(its_pace) / pace : change;
}

bool bench_is_slower(const char *unit, double change) { return is_time(unit) && change > slower; }

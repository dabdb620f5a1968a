// The summary of a sweep's result has its document and a list of jobs: id, state, values in the order of `vary`,
// warnings.
#include "commands/jobs/sweep_table.h"

#include "base/table.h"
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef struct sweep_row {
  char values[TABLE_CELL], state[16], warnings[TABLE_CELL];
} sweep_row;

static const table_column columns[] = {{"VALUES", 32, .text = offsetof(sweep_row, values)},
                                       {"STATE", 9, .text = offsetof(sweep_row, state)},
                                       {"WARNINGS", 0, .text = offsetof(sweep_row, warnings)},
                                       {0}};

static const char *word(const json_t *object, const char *key) {
  const char *text = json_string_value(json_object_get(object, key));
  return text ? text : "";
}

static void append(char out[TABLE_CELL], const char *between, const char *text) {
  size_t used = strlen(out);
  snprintf(out + used, TABLE_CELL - used, "%s%s", used ? between : "", text);
}

// "young" of "/model/links/0/body/material/young"; all of it where another place ends alike.
static const char *short_name(const json_t *vary, size_t i) {
  const char *path = word(json_array_get(vary, i), "path"), *slash = strrchr(path, '/');
  if (!slash) return path;
  for (size_t k = 0; k < json_array_size(vary); ++k) {
    const char *other = word(json_array_get(vary, k), "path"), *end = strrchr(other, '/');
    if (k != i && end && strcmp(end, slash) == 0) return path;
  }
  return slash + 1;
}

static void add_value(char out[TABLE_CELL], const char *name, const json_t *value) {
  char text[160];
  char *shown = json_is_real(value) ? NULL : json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);
  if (shown)
    snprintf(text, sizeof text, "%s=%.80s", name, shown);
  else
    snprintf(text, sizeof text, "%s=%.10g", name, json_real_value(value));
  free(shown);
  append(out, ", ", text);
}

// Each code once.
static void read_warnings(char out[TABLE_CELL], const json_t *list) {
  size_t i;
  const json_t *one;
  json_array_foreach(list, i, one) if (!strstr(out, word(one, "code"))) append(out, ", ", word(one, "code"));
}

static void read_row(sweep_row *row, const json_t *vary, const json_t *job) {
  *row = (sweep_row){.values = ""};
  for (size_t i = 0; i < json_array_size(vary); ++i)
    add_value(row->values, short_name(vary, i), json_array_get(json_object_get(job, "values"), i));
  snprintf(row->state, sizeof row->state, "%s", word(job, "state"));
  read_warnings(row->warnings, json_object_get(job, "warnings"));
}

static bool succeeded(const json_t *job) { return strcmp(word(job, "state"), "succeeded") == 0; }
static bool is_odd(const json_t *job) { return !succeeded(job) || json_array_size(json_object_get(job, "warnings")); }

static void print_jobs(FILE *to, const json_t *vary, const json_t *jobs) {
  table t = {.columns = columns, .to = to};
  size_t i, count = json_array_size(jobs), left = 0;
  const json_t *job;
  json_array_foreach(jobs, i, job) {
    sweep_row row;
    if (count > SWEEP_ROWS && !is_odd(job)) continue;
    if (t.rows == SWEEP_ROWS && ++left) continue;
    read_row(&row, vary, job);
    table_print(&t, &row, NULL);
  }
  if (left > 0) fprintf(to, "… and %zu more that failed or have warnings: \"jobs\" of the result's summary\n", left);
}

void sweep_print(FILE *to, tendril_arrays *result) {
  const tendril_array *text = tendril_arrays_find(result, "summary");
  json_t *summary = text && text->data ? json_loadb(text->data, text->size, 0, NULL) : NULL;
  const json_t *jobs = json_object_get(summary, "jobs"), *job;
  size_t i, good = 0, warned = 0, count = json_array_size(jobs);
  json_array_foreach(jobs, i, job) {
    good += succeeded(job);
    warned += json_array_size(json_object_get(job, "warnings")) > 0;
  }
  if (count > 0) {
    fprintf(to, "sweep: %zu of %zu jobs succeeded, %zu with warnings\n", good, count, warned);
    print_jobs(to, json_object_get(json_object_get(summary, "job"), "vary"), jobs);
  }
  json_decref(summary);
}

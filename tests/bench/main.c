// tendril-bench: every performance figure of the project, one row each.
//
// Groups run one after another; a row chosen by the filter brings the row it is compared with. Nothing here can fail
// for being slow: exit 1 means that something could not be measured, 2 a wrong option.
#include "bench/past.h"
#include "bench/precision.h"

#include <assert.h>
#include <curl/curl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_ROWS = 32, EXIT_USAGE = 2 };

static const struct {
  const bench_group *group;
  bool slow; // takes seconds: measured only when a filter names it
} groups[] = {{&bench_cdm, false},        {&bench_chain_7, false},   {&bench_chain_24, false},
              {&bench_chain_80, false},   {&bench_quadruped, false}, {&bench_touching, false},
              {&bench_parameters, false}, {&bench_statics, false},   {&bench_step, false},
              {&bench_runs, false},       {&bench_rest, false},      {&bench_faces, false},
              {&bench_codec, false},      {&bench_store, false},     {&bench_store_postgresql, true},
              {&bench_blobs, true},       {&bench_queue, false},     {&bench_ended, false},
              {&bench_watchers, true},    {&bench_list, true},       {&bench_memory, true},
              {&bench_results, false},    {&bench_results_1g, true}, {&bench_pcc, false},
              {&bench_helicoid, true},    {&bench_gradient, true},   {bench_paper, true},
              {bench_paper + 1, true},    {bench_paper + 2, true},   {bench_paper + 3, true},
              {bench_paper + 4, true},    {bench_paper + 5, true}};
enum { GROUP_COUNT = sizeof groups / sizeof *groups };

typedef struct options {
  const char *filter; ///< NULL: everything
  bench_form form;
  const char *compare; ///< an earlier run's file, or NULL
  bench_past *past;
  const char *precision; ///< the picture of work and precision, or NULL: rows
} options;

static const char usage[] =
    "usage: tendril-bench [--filter S] [--json] [--compare FILE]\n"
    "       tendril-bench --precision FILE.svg [--filter ROBOT]\n\n"
    "Measures every performance figure of Tendril; one row each: name, unit, median, min, ratio to its reference.\n\n"
    "  --filter S   only rows whose name contains S, and the rows they are compared with; watchers, list_100000,\n"
    "               memory, gradient, blobs and results_1g are measured only so\n"
    "  --json       an array of objects instead of a table\n"
    "  --compare FILE\n"
    "               says how each row's min changed since FILE, which --json wrote earlier; times in units of each\n"
    "               run's own pace, so that another clock of the processor is no change; more than 5 % is \"slower\"\n"
    "  --precision FILE.svg\n"
    "               instead of rows: runs of cdm, serial, parallel, contact and finray by every method at ever finer\n"
    "               tolerances or steps, their errors against CPU time, listed and drawn; some minutes\n"
    "  --help\n\n"
    "Figures of the engine and the codec are CPU time of this process, those of requests are waiting time of a client "
    "on\n"
    "loopback; the server is the tendrild beside this program. A ratio is median over median of the reference.\n";

// What came of the rows.
typedef struct tally {
  const options *options;
  int rows, compared, slower;
  bool good; ///< none has failed
} tally;

// 0: go on; otherwise exit code + 1.
static int read_options(int argc, char **argv, options *o) {
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) return fputs(usage, stdout), 1;
    if (strcmp(argv[i], "--json") == 0)
      o->form = BENCH_JSON;
    else if (strcmp(argv[i], "--filter") == 0 && i + 1 < argc)
      o->filter = argv[++i];
    else if (strncmp(argv[i], "--filter=", 9) == 0)
      o->filter = argv[i] + 9;
    else if (strcmp(argv[i], "--compare") == 0 && i + 1 < argc)
      o->compare = argv[++i];
    else if (strncmp(argv[i], "--compare=", 10) == 0)
      o->compare = argv[i] + 10;
    else if (strcmp(argv[i], "--precision") == 0 && i + 1 < argc)
      o->precision = argv[++i];
    else
      return fprintf(stderr, "tendril-bench: \"%s\" is not understood\n%s", argv[i], usage), EXIT_USAGE + 1;
  }
  return 0;
}

static int row_find(const bench_group *g, const char *name) {
  int i = 0;
  while (i < g->row_count && strcmp(g->rows[i].name, name) != 0) i++;
  return i;
}

// Marks the rows to measure; returns how many. References stand before the rows that name them, so one pass from the
// end marks references of references too.
static int choose(const bench_group *g, const char *filter, bool chosen[MAX_ROWS]) {
  int count = 0;
  char name[96];
  assert(g->row_count <= MAX_ROWS);
  memset(chosen, 0, MAX_ROWS * sizeof *chosen);
  for (int i = g->row_count - 1; i >= 0; i--) {
    const bench_row *row = &g->rows[i];
    snprintf(name, sizeof name, "%s.%s", g->name, row->name);
    chosen[i] = chosen[i] || !filter || strstr(name, filter);
    assert(bench_unit_known(row->unit));
    assert(!row->reference || row_find(g, row->reference) < i);
    if (chosen[i] && row->reference) chosen[row_find(g, row->reference)] = true;
    count += chosen[i];
  }
  return count;
}

static void show_progress(const bench_group *g, const char *row) {
  if (isatty(STDERR_FILENO)) fprintf(stderr, "\r\033[K%s%s%s", g ? g->name : "", *row ? "." : "", row);
}

// Prints a row and counts it where it got slower.
static void report(const bench_group *g, const bench_row *row, const bench_figure *figures, double pace, tally *t) {
  const options *o = t->options;
  const bench_figure *figure = &figures[row - g->rows];
  bench_beside beside = {row->reference ? &figures[row_find(g, row->reference)] : NULL, pace, NAN};
  char name[96];
  snprintf(name, sizeof name, "%s.%s", g->name, row->name);
  if (o->past)
    beside.change = bench_past_change(o->past, name, row->unit, figure->min * bench_scale_of(row->unit), pace);
  bench_print_row(o->form, g, row, figure, &beside);
  t->compared += isfinite(beside.change);
  t->slower += bench_is_slower(row->unit, beside.change);
  t->good = t->good && !figure->failed;
}

// `fixture` NULL: every row says `why`.
static void measure_rows(const bench_group *g, void *fixture, const char *why, const bool chosen[MAX_ROWS], tally *t) {
  bench_figure figures[MAX_ROWS] = {0};
  double pace = bench_pace();
  for (int i = 0; i < g->row_count; i++) {
    const bench_row *row = &g->rows[i];
    if (!chosen[i]) continue;
    show_progress(g, row->name);
    if (fixture)
      row->measure(fixture, &figures[i]);
    else
      bench_fail(&figures[i], "%s", why);
    show_progress(NULL, "");
    report(g, row, figures, pace, t);
  }
}

static void run_group(const bench_group *g, tally *t) {
  bool chosen[MAX_ROWS];
  char why[BENCH_NOTE_SIZE] = "not set up";
  int count = choose(g, t->options->filter, chosen);
  t->rows += count;
  if (count == 0) return;
  show_progress(g, "");
  void *fixture = g->open(g, why);
  measure_rows(g, fixture, why, chosen, t);
  if (fixture) g->close(fixture);
}

// One BLAS thread, as in workers. OpenBLAS reads its variable before main, so the program starts once more with it.
static void bind_blas(char **argv) {
  if (getenv("OPENBLAS_NUM_THREADS")) return;
  setenv("OPENBLAS_NUM_THREADS", "1", 1);
  execv("/proc/self/exe", argv);
}

static void conclude(const tally *t) {
  const options *o = t->options;
  if (t->rows == 0) fprintf(stderr, "tendril-bench: no row's name contains \"%s\"\n", o->filter);
  if (o->past)
    fprintf(stderr, "tendril-bench: %d of %d rows are slower than in %s by more than 5 %%\n", t->slower, t->compared,
            o->compare);
}

int main(int argc, char **argv) {
  options o = {.form = BENCH_TABLE};
  int stop = read_options(argc, argv, &o);
  if (stop) return stop - 1;
  bind_blas(argv);
  if (o.precision) return bench_precision(o.precision, o.filter);
  char why[BENCH_NOTE_SIZE];
  if (o.compare && !(o.past = bench_past_open(o.compare, why)))
    return fprintf(stderr, "tendril-bench: --compare %s: %s\n", o.compare, why), EXIT_USAGE;
  tally t = {.options = &o, .good = true};
  curl_global_init(CURL_GLOBAL_DEFAULT);
  bench_print_begin(o.form, o.past);
  for (int i = 0; i < GROUP_COUNT; i++)
    if (o.filter || !groups[i].slow) run_group(groups[i].group, &t);
  bench_print_end(o.form);
  conclude(&t);
  bench_past_close(o.past);
  curl_global_cleanup();
  return t.good ? 0 : 1;
}

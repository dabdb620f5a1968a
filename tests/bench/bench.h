// tendril-bench: what a figure is, how it is measured, and the tables that list them.
//
// Adding a figure is adding a row to its group's table; adding a group is adding a file and a line in main.c. Nothing
// here judges: a figure is printed, never asserted.
#ifndef TENDRIL_BENCH_H
#define TENDRIL_BENCH_H

#include <stdbool.h>
#include <stddef.h>

enum { BENCH_NOTE_SIZE = 160 };

/// One measured figure: seconds per item, megabytes, a plain number, or (unit "eps") a relative error.
typedef struct bench_figure {
  double median, min;         ///< NaN: there is none, the note says why
  char note[BENCH_NOTE_SIZE]; ///< what a reader must know besides ("812 steps"), or why it failed
  bool failed;                ///< makes the program end with 1
} bench_figure;

/// A row of a group's table.
typedef struct bench_row {
  const char *name; ///< printed as "group.name"
  const char *unit; ///< one of bench_unit's words
  void (*measure)(void *fixture, bench_figure *figure);
  const char *reference; ///< name of an earlier row of this group, or NULL
} bench_row;

/// Rows that share a fixture.
typedef struct bench_group {
  const char *name;
  const bench_row *rows;
  int row_count;
  /// The fixture; NULL with a sentence in `why`.
  void *(*open)(const struct bench_group *group, char why[BENCH_NOTE_SIZE]);
  void (*close)(void *fixture);
  int size; ///< for `open` (joints of a chain, MiB of a result, workers of a server)
} bench_group;

#define BENCH_ROWS(table) table, (int)(sizeof(table) / sizeof((table)[0]))

// ------------------------------------------------------------------------------------------------------- measuring

/// CPU: all threads of this process, so that other programs on the machine do not count. WALL: what a client waits.
typedef enum bench_clock { BENCH_CPU, BENCH_WALL } bench_clock;

typedef struct bench_plan {
  bench_clock clock;
  bool (*call)(void *context); ///< false ends the measurement as failed
  void *context;
  double items;   ///< what one call does, in items; 0 means 1
  bool each_call; ///< every call is a sample of its own (latencies) instead of batches of about 5 ms
} bench_plan;

double bench_now(bench_clock clock);
/// Warms up, then repeats until at least 7 samples and 0.2 s are there (after 5 s with what there is), and fills median
/// and min over the samples, per item.
void bench_measure(const bench_plan *plan, bench_figure *figure);
/// Median and min of samples (sorted here), per item.
void bench_summarise(double *samples, size_t count, double items, bench_figure *figure);
/// No figure, and the reason. The first reason stays.
void bench_fail(bench_figure *figure, const char *format, ...) __attribute__((format(printf, 2, 3)));
void bench_note(bench_figure *figure, const char *format, ...) __attribute__((format(printf, 2, 3)));
/// Nanoseconds that 1000 floating-point operations take now on this core, whatever the build; takes 0.2 s.
double bench_pace(void);

// -------------------------------------------------------------------------------------------------------- printing

typedef enum bench_form { BENCH_TABLE, BENCH_JSON } bench_form;

/// True for the words a row may have as its unit ("ns", "us", "ms", "s", "MB", "1"; "eps": a relative error in units of
/// 2.2e-16).
bool bench_unit_known(const char *unit);
/// How many of `unit` ("us", "MB") are one second, megabyte or plain number; 0: not known.
double bench_scale_of(const char *unit);
/// `past`: rows will have changes.
void bench_print_begin(bench_form form, bool past);
/// What stands beside a row's figure: that of the row it is compared with (NULL: none), the core's pace, and how it
/// changed since an earlier run (NAN: not known).
typedef struct bench_beside {
  const bench_figure *reference;
  double pace, change;
} bench_beside;
void bench_print_row(bench_form form, const bench_group *group, const bench_row *row, const bench_figure *figure,
                     const bench_beside *beside);
void bench_print_end(bench_form form);

// ---------------------------------------------------------------------------------------------------------- groups

extern const bench_group bench_cdm, bench_chain_7, bench_chain_24, bench_chain_80, bench_quadruped, bench_statics,
    bench_step, bench_runs, bench_rest, bench_faces, bench_codec, bench_store, bench_store_postgresql, bench_queue,
    bench_ended, bench_watchers, bench_list, bench_memory, bench_results, bench_results_1g, bench_pcc, bench_helicoid,
    bench_parameters, bench_gradient, bench_blobs, bench_touching;
enum { BENCH_PAPER_COUNT = 6 };
extern const bench_group bench_paper[BENCH_PAPER_COUNT]; ///< one per robot of the paper

#endif

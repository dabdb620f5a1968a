// An earlier run of tendril-bench, to compare with.
#ifndef TENDRIL_BENCH_PAST_H
#define TENDRIL_BENCH_PAST_H

#include "bench/bench.h"

/// The rows of a file that `tendril-bench --json` wrote.
typedef struct bench_past bench_past;

/// NULL with a sentence in `why`: no such file, or not such a file. Freed by bench_past_close.
bench_past *bench_past_open(const char *path, char why[BENCH_NOTE_SIZE]);
void bench_past_close(bench_past *past);

/// This run's min over that one's. Times count in each run's own `pace` (bench_pace), so that a processor that happens
/// to be slower today is no slower program. NAN: one of the two has no figure.
double bench_past_change(const bench_past *past, const char *name, const char *unit, double min, double pace);

/// True where a change counts as slower: by more than 5 %, of a time.
bool bench_is_slower(const char *unit, double change);

#endif

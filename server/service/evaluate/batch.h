// A range of independent items over several threads.
#ifndef TENDRIL_SERVICE_BATCH_H
#define TENDRIL_SERVICE_BATCH_H

#include <stdbool.h>
#include <stddef.h>

enum { BATCH_MAX_PARTS = 16 };

/// Works on items [first, last); `part` numbers the range. False: something went wrong, the whole batch fails.
typedef bool (*batch_work)(void *context, int part, size_t first, size_t last);

/// How many parts a batch of `count` items is worth: one per core at the most, and at least `least` items each.
int batch_parts(size_t count, size_t least);
/// Cuts [0, count) into `parts` even ranges and runs them at once, the first in the calling thread (and all of those
/// that get no thread of their own). Returns when all are done.
bool batch_run(size_t count, int parts, batch_work work, void *context);

#endif

// Rows of doubles that a run produces one by one and the archive wants column by column: kept in memory while they
// are few, then in an unlinked file, so that the length of a run is bounded by the disk, not by memory.
#ifndef TENDRIL_API_SPOOL_H
#define TENDRIL_API_SPOOL_H

#include "api/c/npz.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct spool {
  bool filing; ///< there is a file:
  int fd;
  size_t width, rows, filed; ///< doubles per row, rows so far, those in the file
  size_t block_rows, tail_rows;
  double *block; ///< [block_rows][width], for reading back
  double *tail;  ///< [tail_rows][width], rows from `filed` on
  bool failed;
} spool;

bool spool_init(spool *s, size_t width);
/// The same with a file of the caller's, which is taken over; -1: one in $TMPDIR or /tmp, when it is needed.
bool spool_init_file(spool *s, size_t width, int fd);
void spool_fini(spool *s);
/// Appends a row of `width` doubles. False when the disk is full.
bool spool_append(spool *s, const double *row);
/// Hands rows [first, rows) to `sink` in blocks. False when the sink says so, or reading back fails (then `failed`,
/// too).
bool spool_copy(spool *s, size_t first, bool (*sink)(void *context, const void *bytes, size_t size), void *context);
/// Appends `rows` rows from the start of a file. False when they cannot be read or kept.
bool spool_load(spool *s, int fd, size_t rows);
/// Writes columns [first, first + count) of all rows as one member of shape [rows] + dim, converted to `type`
/// (NPZ_F8, NPZ_I8, NPZ_BOOL). False when reading back fails.
bool spool_write_member(spool *s, npz_writer *w, const char *name, npz_type type, size_t first, size_t count, int rank,
                        const size_t *dim);

#endif

// Rows of doubles that a run produces one by one and the archive wants column by column: kept in an unlinked file, so
// that the length of a run is bounded by the disk, not by memory.
#ifndef SERVER_WORKER_SPOOL_H
#define SERVER_WORKER_SPOOL_H

#include "codec/npz.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef struct spool {
  FILE *file;
  size_t width, rows; ///< doubles per row, rows so far
  double *block;      ///< [SPOOL_BLOCK_ROWS][width], for reading back
  bool failed;
} spool;

/// An unlinked read-write file in $TMPDIR or /tmp; -1 with errno.
int spool_file(void);

bool spool_init(spool *s, size_t width);
void spool_fini(spool *s);
/// Appends a row of `width` doubles. False when the disk is full.
bool spool_append(spool *s, const double *row);
/// Hands rows [first, rows) to `sink` in blocks. False when reading back or the sink fails.
bool spool_copy(spool *s, size_t first, bool (*sink)(void *context, const void *bytes, size_t size), void *context);
/// Appends `rows` rows from the start of a file. False when they cannot be read or kept.
bool spool_load(spool *s, int fd, size_t rows);
/// Writes columns [first, first + count) of all rows as one member of shape [rows] + dim, converted to `type`
/// (NPZ_F8, NPZ_I8, NPZ_BOOL). False when reading back fails.
bool spool_write_member(spool *s, npz_writer *w, const char *name, npz_type type, size_t first, size_t count, int rank,
                        const size_t *dim);

#endif

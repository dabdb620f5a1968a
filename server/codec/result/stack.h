// The result of a sweep: what the results of its jobs have in common, stacked.
//
// Rows: every job adds as many as its result has problems (statics) or points (linearize); of a dynamics job it is
// the last sample. A job without a result (yet) adds rows of NaN, so that a row's place never depends on what is
// done. Members: child (position of the job), succeeded, vary[k] (the value that the job took, where all are
// numbers), then the members of the first job that has a result; those that differ in shape between jobs are left out
// and named in the summary. The same jobs make the same bytes.
#ifndef TENDRIL_CODEC_RESULT_STACK_H
#define TENDRIL_CODEC_RESULT_STACK_H

#include "api/c/npz.h"
#include "base/arena.h"
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct codec_stack codec_stack;

typedef struct codec_stack_job { ///< a job of the sweep
  const char *id, *state;        ///< as the summary names them
  bool succeeded;
  size_t rows;            ///< of the result that are its
  const json_t *error;    ///< or NULL
  const json_t *warnings; ///< array, or NULL: none
} codec_stack_job;

typedef struct codec_stack_sweep { ///< the sweep itself, as the summary tells it
  const char *kind, *state;
  bool whole;             ///< it has succeeded
  const json_t *warnings; ///< as those of a job
} codec_stack_sweep;

/// @param sweep  document of the sweep, checked when it came in
/// @param jobs   [count], in their order. Both are borrowed until codec_stack_close
/// @return NULL when there is no memory
codec_stack *codec_stack_open(const json_t *sweep, const codec_stack_job *jobs, size_t count);
/// Decides about the members by the first result that there is, before any job is added. `memory`: of the archive.
/// @param spool_fd  an empty temporary file for the rows, taken over in any case
/// @return false when there is no memory or disk
bool codec_stack_plan(codec_stack *stack, const npz_archive *first, arena *memory, int spool_fd);
/// Adds the rows of the next job; `archive` NULL: it has no result. False when there is no memory or disk.
bool codec_stack_add(codec_stack *stack, const npz_archive *archive, arena *memory);
/// Writes the archive to an empty seekable file. False when there is no memory or disk.
bool codec_stack_write(codec_stack *stack, const codec_stack_sweep *sweep, int fd, uint64_t *size);
/// NULL is allowed.
void codec_stack_close(codec_stack *stack);

#endif

// Sweeps: many jobs made from one, by putting other values at places of its document or of its model's.
//
//   {"kind": "sweep", "base": {job}, "vary": [{"path": "/job/inputs/cable1/amplitude", "values": […]}, …], "mode":
//   "grid"}
//
// A path is a JSON pointer after /job (the base) or /model (the base's model document, by name or inline); its place
// must exist. grid: every combination, the last of `vary` fastest; zip: value i of each.
#ifndef TENDRIL_CODEC_DOCUMENT_SWEEP_H
#define TENDRIL_CODEC_DOCUMENT_SWEEP_H

#include "base/arena.h"
#include "tendril/status.h"
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

enum { SWEEP_MAX_JOBS = 20000, SWEEP_MAX_VARIATIONS = 16 };

typedef struct sweep_variation {
  const char *path;     ///< borrowed from the document
  const json_t *values; ///< array, borrowed
  size_t count;
} sweep_variation;

typedef struct sweep_document {
  const json_t *base; ///< borrowed
  const sweep_variation *vary;
  size_t vary_count;
  bool zip;
  size_t jobs; ///< 1 … SWEEP_MAX_JOBS
} sweep_document;

/// What is varied and how, of a document that was checked when it came in; the other members stay empty. The list is in
/// the arena and borrows from the document. False when there is no memory.
bool codec_sweep_outline(const json_t *document, arena *a, sweep_document *sweep);
/// The index into the values of variation `v` that job `i` takes.
size_t codec_sweep_choice(const sweep_document *sweep, size_t i, size_t v);
/// True when some path lies inside the model's document.
bool codec_sweep_varies_model(const sweep_document *sweep);
/// True when `path` is `with` or a place below it.
bool codec_sweep_begins(const char *path, const char *with);
/// Counts the jobs and checks the paths against one another and the base. Pointers are relative to the sweep's
/// document.
TD_NODISCARD td_status codec_sweep_check(sweep_document *sweep, td_error *err);
/// Every place of /model… must be in this document.
TD_NODISCARD td_status codec_sweep_check_model(const sweep_document *sweep, const json_t *model, td_error *err);
/// Puts the values of job `i` into copies of the base and (NULL: nothing there is varied) of its model's document.
/// Every call sets every varied place, so one pair of copies serves all jobs in turn. False when there is not enough
/// memory.
bool codec_sweep_apply(const sweep_document *sweep, size_t i, json_t *job, json_t *model);
/// What the document of job `i` (`model`: its model's) has other than any other job's: [[pointer, value], …] as text,
/// to be freed. NULL when there is not enough memory.
char *codec_sweep_difference(const sweep_document *sweep, size_t i, bool model);
/// True when some path is that of a whole model.
bool codec_sweep_varies_models(const sweep_document *sweep);
/// Turns an error about the document of job `i` into one about the sweep's: at the value to blame
/// ("/vary/0/values/3"), or below /base.
void codec_sweep_blame(const sweep_document *sweep, size_t i, td_error *err);

#endif

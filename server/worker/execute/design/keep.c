// What a search leaves behind at its end: what the jobs within give at the best, as the archives that they wrote. A search
// that failed keeps them, and how it ended, behind its evaluations; from these alone its partial result is put together.
#include "worker/execute/design/parts.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 6 << 20 }; // of archives: a checkpoint has to fit into a frame

static td_status no_memory(td_error *err) { return td_fail(err, TD_NO_MEMORY, "", "not enough memory"); }

// ------------------------------------------------------------------------------------------------ the best

// The numbers of the whole search are those of all its runs; what the method was and what became of the energy are those
// of the best run.
static void take_statistics(design_job *d) {
  td_run_statistics *all = &d->r->statistics, best = d->last;
  best.steps = all->steps;
  best.evaluations = all->evaluations;
  best.jacobians = all->jacobians;
  best.factorisations = all->factorisations;
  best.newton_iterations = all->newton_iterations;
  best.warnings = (td_warnings){0}; // among those of the run
  *all = best;
}

td_status design_run_best(design_job *d, td_error *err) {
  td_status status = design_move(d, d->result.p, err);
  d->best = arena_array(d->r->memory, d->part_count, sizeof *d->best);
  if (!d->best) return no_memory(err);
  for (size_t i = 0; i < d->part_count; i++) d->best[i] = (design_outcome){.memory = NULL};
  for (size_t i = 0; status == TD_OK && i < d->part_count; i++) {
    char place[32];
    design_place(d, &d->parts[i], place);
    status = design_execute(d, &d->parts[i], design_request(d, &d->parts[i]), &d->best[i], err);
    if (status == TD_OK) td_warnings_append(&d->r->warnings, place, &d->found);
    if (status == TD_OK && i == 0) take_statistics(d);
  }
  return status;
}

void design_forget_best(design_job *d) {
  for (size_t i = 0; d->best && i < d->part_count; i++) arena_destroy(d->best[i].memory);
}

// ------------------------------------------------------------------------------------------------ behind the rows

typedef struct kept {
  char magic[8];
  uint64_t end, best;
  double derivative_error;
  uint64_t archives; // their sizes follow, then they; 0: they were too large
} kept;

static const char MAGIC[8] = "design1";

void design_condemn(design_job *d, const td_error *why) {
  kept head = {.end = d->result.end, .best = d->result.best, .derivative_error = d->result.derivative_error};
  memcpy(head.magic, MAGIC, sizeof head.magic);
  uint64_t bytes = 0;
  for (size_t i = 0; i < d->part_count; i++) bytes += d->best[i].size;
  if (bytes <= MOST_BYTES) head.archives = d->part_count;
  size_t size = sizeof head + (head.archives ? d->part_count * sizeof(uint64_t) + bytes : 0);
  char *extra = malloc(size), *at = extra;
  if (!extra) {
    execute_condemn(d->r, &d->rows, NULL, 0, why);
    return;
  }
  memcpy(at, &head, sizeof head);
  at += sizeof head;
  for (size_t i = 0; i < head.archives; i++, at += sizeof(uint64_t)) memcpy(at, &d->best[i].size, sizeof(uint64_t));
  for (size_t i = 0; i < head.archives; at += d->best[i].size, i++) memcpy(at, d->best[i].bytes, d->best[i].size);
  execute_condemn(d->r, &d->rows, extra, size, why);
  free(extra);
}

static td_status open_archive(design_outcome *o, const char *bytes, uint64_t size, td_error *err) {
  *o = (design_outcome){.memory = arena_create(), .size = size};
  char *own = o->memory ? arena_alloc(o->memory, size + 1) : NULL;
  if (!own) return no_memory(err);
  memcpy(own, bytes, size);
  o->bytes = own;
  return codec_npz_open(own, size, o->memory, &o->archive, err);
}

static td_status take_archives(design_job *d, const char *bytes, size_t size, td_error *err) {
  size_t count = d->part_count, before = count * sizeof(uint64_t);
  if (size < before) return TD_OK;
  d->best = arena_array(d->r->memory, count, sizeof *d->best);
  if (!d->best) return no_memory(err);
  for (size_t i = 0; i < count; i++) d->best[i] = (design_outcome){.memory = NULL};
  td_status status = TD_OK;
  for (size_t i = 0; status == TD_OK && i < count; i++) {
    uint64_t own = 0;
    memcpy(&own, bytes + i * sizeof own, sizeof own);
    if (own > size - before) return td_fail(err, TD_INTERNAL, "", "what a design kept is not whole");
    status = open_archive(&d->best[i], bytes + before, own, err);
    before += own;
  }
  return status;
}

td_status design_peek(design_job *d, td_error *err) {
  size_t count = d->rows.rows, index = count;
  kept head;
  bool known = d->kept && d->kept_size >= sizeof head;
  if (known) memcpy(&head, d->kept, sizeof head);
  known = known && memcmp(head.magic, MAGIC, sizeof head.magic) == 0 && head.best < count;
  if (known) index = head.best;
  if (count == 0 || !d->known) return TD_OK;
  td_status status = td_design_peek(&d->spec, d->known, count, index, &d->result, err);
  if (status != TD_OK || !known) return status;
  d->result.end = (td_design_end)head.end;
  d->result.derivative_error = head.derivative_error;
  if (head.archives != d->part_count) return TD_OK;
  return take_archives(d, (const char *)d->kept + sizeof head, d->kept_size - sizeof head, err);
}

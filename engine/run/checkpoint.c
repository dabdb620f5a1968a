// Checkpoints: a header that says which build layout and model size they belong to, the run's state, then y = (q, qd),
// how far each coordinate got, the states kept for run/judge/witness.c, and what the integrator carries over. They are
// read back by the same build on the same kind of machine, so plain memory is the format. Integrators keep nothing else
// over a segment's end (integrator.h), which is why this is all.
#include "model/model.h"
#include "run/run.h"
#include <assert.h>
#include <math.h>
#include <string.h>

typedef struct header {
  char magic[8];
  uint64_t state_size, ndof, carry_size;
  double t_end, output_dt;
} header;

static header header_of(const td_simulation *run) {
  header h = {.magic = "tdchk13",
              .state_size = sizeof(td_run_state),
              .ndof = (uint64_t)run->plant.n,
              .carry_size = run->carry_size,
              .t_end = run->spec->t_end,
              .output_dt = run->spec->output_dt};
  return h;
}

// y, reach, the states witnessed, what was sifted, how far springs went, the trace, the sides of passages and crossings, springs of
// contacts that stick
static size_t state_bytes(const td_simulation *run) {
  size_t rows = (size_t)td_retrace_rows(run->plant.n);
  const td_model *m = run->plant.model;
  size_t held = TD_BRISTLE_SIZE * (size_t)m->bristle_count;
  return ((7 + 2 * TD_WITNESSES + rows) * (size_t)run->plant.n + 2 * (size_t)m->spring_count + td_passages_size(m) +
          td_through_size(m) + held) *
         sizeof(double);
}
static size_t carry_bytes(const td_simulation *run) { return run->carry_size * sizeof(double); }

size_t td_checkpoint_size(const td_simulation *run) {
  return sizeof(header) + sizeof(td_run_state) + state_bytes(run) + carry_bytes(run);
}

void td_checkpoint_write(const td_simulation *run, char *bytes) {
  assert(bytes);
  header h = header_of(run);
  memcpy(bytes, &h, sizeof h);
  memcpy(bytes + sizeof h, &run->state, sizeof run->state);
  memcpy(bytes + sizeof h + sizeof run->state, run->y, state_bytes(run));
  if (run->carry_size) memcpy(bytes + sizeof h + sizeof run->state + state_bytes(run), run->carry, carry_bytes(run));
}

static bool sound(const td_simulation *run, const td_run_state *s) {
  bool ok = s->t >= 0 && s->t < run->spec->t_end && s->hint >= 0 && isfinite(s->hint) && s->sample <= run->sample_count;
  for (int i = 0; i < 2 * run->plant.n; i++) ok = ok && isfinite(run->y[i]);
  for (size_t i = 0; i < run->carry_size; i++) ok = ok && isfinite(run->carry[i]);
  return ok;
}

td_status td_checkpoint_read(td_simulation *run, const void *bytes, size_t size, td_error *err) {
  header h = header_of(run);
  if (size != td_checkpoint_size(run) || memcmp(bytes, &h, sizeof h) != 0)
    return td_fail(err, TD_INVALID_ARGUMENT, "", "the checkpoint (%zu bytes) belongs to another model, job or build",
                   size);
  const char *from = (const char *)bytes + sizeof h;
  memcpy(&run->state, from, sizeof run->state);
  memcpy(run->y, from + sizeof run->state, state_bytes(run));
  if (run->carry_size) memcpy(run->carry, from + sizeof run->state + state_bytes(run), carry_bytes(run));
  if (!sound(run, &run->state)) return td_fail(err, TD_INVALID_ARGUMENT, "", "the checkpoint is damaged");
  run->wall_before = run->state.statistics.wall_s;
  run->cpu_before = run->state.statistics.cpu_s;
  return TD_OK;
}

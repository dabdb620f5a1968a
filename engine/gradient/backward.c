// The discrete adjoint: a run forward, then its segments repeated from their checkpoints, last one first, each swept
// back with the cotangents of its samples.
#include "gradient/chain.h"
#include <stdlib.h>
#include <string.h>

typedef struct
    header { // of the bytes of a checkpoint: this, in the sweep L and the gradient, then the run's checkpoints
  char magic[8];
  uint64_t ndof, numbers, sweeping, count, size; ///< checkpoints of the run, and bytes of each
  double t_end, dt, t;                           ///< t: what run or sweep has come to
  td_run_statistics statistics;                  ///< of the run that is over
} header;

typedef struct backward {
  const td_model *model;
  const td_dynamics_spec *job;
  const td_variables *by;
  const td_backward_hooks *hooks;
  td_chain chain;
  td_tape tape;
  header at;
  char *kept; ///< [count][size] checkpoints of the run, its start among them
  size_t room;
  char *bytes; ///< of a checkpoint of ours
  size_t bytes_room;
  bool lost; ///< no memory for them
  td_run_statistics statistics;
} backward;

// ------------------------------------------------------------------------------------------------ checkpoints

static size_t swept_size(const backward *b) { return TD_PARTS * (size_t)b->chain.n + b->by->count; }

static bool keep(backward *b, const void *bytes, size_t size) {
  if ((b->at.count + 1) * size > b->room) {
    size_t room = (b->at.count + 1) * size * 2;
    char *to = realloc(b->kept, room);
    if (!to) return b->lost = true, false;
    b->kept = to;
    b->room = room;
  }
  b->at.size = size;
  memcpy(b->kept + b->at.count++ * size, bytes, size);
  return true;
}

static bool tell(backward *b, double t, double part) {
  td_chain *c = &b->chain;
  size_t n = (size_t)c->n * sizeof(double), swept = swept_size(b) * sizeof(double), kept = b->at.count * b->at.size;
  if (!b->hooks->checkpoint) return true;
  size_t size = sizeof b->at + swept + kept;
  if (size > b->bytes_room) {
    free(b->bytes);
    b->bytes = malloc(size);
    b->bytes_room = b->bytes ? size : 0;
  }
  if (!b->bytes) return b->lost = true, false;
  b->at.t = t;
  b->at.statistics = b->statistics;
  memcpy(b->bytes, &b->at, sizeof b->at);
  char *to = b->bytes + sizeof b->at;
  for (size_t k = 0; k < TD_PARTS; k++) memcpy(to + k * n, c->L[k], n);
  memcpy(to + TD_PARTS * n, c->gradient, b->by->count * sizeof(double));
  memcpy(to + swept, b->kept, kept);
  return b->hooks->checkpoint(b->hooks->context, t, part, b->bytes, size);
}

static td_status resume_from(backward *b, const void *bytes, size_t size, td_error *err) {
  td_chain *c = &b->chain;
  header h, mine = b->at;
  size_t n = (size_t)c->n * sizeof(double), swept = swept_size(b) * sizeof(double);
  bool fits = size >= sizeof h + swept;
  if (fits) memcpy(&h, bytes, sizeof h);
  fits = fits && !memcmp(h.magic, mine.magic, sizeof h.magic) && h.ndof == mine.ndof && h.numbers == mine.numbers &&
         h.t_end == mine.t_end && h.dt == mine.dt && size == sizeof h + swept + h.count * h.size && h.count > 0;
  if (!fits)
    return td_fail(err, TD_INVALID_ARGUMENT, "", "the checkpoint (%zu bytes) belongs to another model, job or build",
                   size);
  const char *from = (const char *)bytes + sizeof h;
  for (size_t k = 0; k < TD_PARTS; k++) memcpy(c->L[k], from + k * n, n);
  memcpy(c->gradient, from + TD_PARTS * n, b->by->count * sizeof(double));
  b->statistics = h.statistics;
  b->kept = malloc(h.count * h.size);
  if (!b->kept) return td_fail(err, TD_NO_MEMORY, "", "no memory for the checkpoint");
  b->room = h.count * h.size;
  memcpy(b->kept, from + swept, b->room);
  b->at = h;
  return TD_OK;
}

// ------------------------------------------------------------------------------------------------ the run

static td_status pass_by(void *context, td_simulation *run, bool carried, td_error *err) {
  (void)context, (void)run, (void)carried, (void)err;
  return TD_OK;
}
static td_status pass_step(void *context, td_simulation *run, double before, td_error *err) {
  (void)context, (void)run, (void)before, (void)err;
  return TD_OK;
}
static td_status pass_sample(void *context, td_simulation *run, size_t index, double t, bool inside, td_error *err) {
  (void)context, (void)run, (void)index, (void)t, (void)inside, (void)err;
  return TD_OK;
}
static td_status pass_chart(void *context, td_simulation *run, td_error *err) {
  (void)context, (void)run, (void)err;
  return TD_OK;
}

static td_status keep_start(void *context, td_simulation *run, bool resumed, td_error *err) {
  backward *b = context;
  if (resumed) return TD_OK;
  td_checkpoint_write(run, run->bytes);
  return keep(b, run->bytes, td_checkpoint_size(run)) ? TD_OK
                                                      : td_fail(err, TD_NO_MEMORY, "", "no memory for checkpoints");
}

static bool run_step(void *context, double t) {
  const td_run_hooks *to = &((backward *)context)->hooks->run;
  return !to->step || to->step(to->context, t);
}
static bool run_sample(void *context, double t, const double *row) {
  const td_run_hooks *to = &((backward *)context)->hooks->run;
  return !to->sample || to->sample(to->context, t, row);
}
static bool run_checkpoint(void *context, double t, const void *bytes, size_t size) {
  backward *b = context;
  return keep(b, bytes, size) && tell(b, t, 0);
}
static void run_share(void *context, double share) {
  const td_run_hooks *to = &((backward *)context)->hooks->run;
  to->share(to->context, share);
}
static td_check run_check(void *context, double part) {
  const td_run_hooks *to = &((backward *)context)->hooks->run;
  return to->check(to->context, part);
}

static void run_took(void *context, const td_step_taken *step) {
  const td_run_hooks *to = &((backward *)context)->hooks->run;
  to->took(to->context, step);
}

static td_status forward_run(backward *b, td_error *err) {
  const td_run_hooks *to = &b->hooks->run;
  td_run_hooks hooks = {.context = b,
                        .step = run_step,
                        .sample = run_sample,
                        .checkpoint = run_checkpoint,
                        .checkpoint_dt = to->checkpoint_dt,
                        .share = to->share ? run_share : NULL,
                        .check = to->check ? run_check : NULL,
                        .took = to->took ? run_took : NULL,
                        .again = to->again,
                        .again_count = to->again_count};
  td_recorder recorder = {b, keep_start, pass_by, pass_step, pass_sample, pass_chart};
  size_t from = b->at.count;
  const void *resume = from ? b->kept + (from - 1) * b->at.size : NULL;
  td_status status = td_dynamics_run_recorded(b->model, b->job, &hooks, &recorder, resume, resume ? b->at.size : 0,
                                              &b->statistics, err);
  if (b->lost) return td_fail(err, TD_NO_MEMORY, "", "no memory for checkpoints");
  return status;
}

// ------------------------------------------------------------------------------------------------ the sweep

static td_status record_start(void *context, td_simulation *run, bool carried, td_error *err) {
  td_status status = td_tape_start(context, run, carried);
  return status ? td_fail(err, status, "", "no memory for the steps of a segment") : TD_OK;
}
static td_status record_step(void *context, td_simulation *run, double before, td_error *err) {
  td_status status = td_tape_step(context, run, before);
  return status ? td_fail(err, status, "", "no memory for the steps of a segment") : TD_OK;
}
static td_status record_sample(void *context, td_simulation *run, size_t index, double t, bool inside, td_error *err) {
  td_status status = td_tape_sample(context, run, index, t, inside);
  return status ? td_fail(err, status, "", "no memory for the steps of a segment") : TD_OK;
}
static td_status record_chart(void *context, td_simulation *run, td_error *err) {
  td_status status = td_tape_chart(context, run);
  return status ? td_fail(err, status, "", "no memory for the steps of a segment") : TD_OK;
}

static double part_behind(const backward *b, double t) { return 1 - t / b->job->t_end; }

static bool go_on(const backward *b, double t) {
  return !b->hooks->progress || b->hooks->progress(b->hooks->context, part_behind(b, t));
}

static bool replay_step(void *context, double t) {
  (void)t;
  const backward *b = context;
  return go_on(b, b->at.t);
}

static td_status sweep_note(backward *b, const td_note *note, td_error *err) {
  td_chain *c = &b->chain;
  if (note->kind == TD_NOTE_SAMPLE) {
    memset(c->cotangent, 0, (size_t)c->row * sizeof *c->cotangent);
    if (!b->hooks->cotangent(b->hooks->context, note->sample, note->t, td_tape_row(&b->tape, note), c->cotangent))
      return td_fail(err, TD_CANCELLED, "", "cancelled in the sweep at t = %.9g s", note->t);
  }
  td_status status = td_chain_backward(c, &b->tape, note);
  if (status)
    return td_fail(err, status, "", "the run has no derivative at t = %.9g s: %s", note->t,
                   status == TD_SINGULAR ? "the matrix of its linearised step is singular" : td_status_name(status));
  if (note->kind != TD_NOTE_STEP || go_on(b, note->t)) return TD_OK;
  return td_fail(err, TD_CANCELLED, "", "cancelled in the sweep at t = %.9g s", note->t);
}

static td_status sweep(backward *b, td_error *err) {
  td_status status = TD_OK;
  for (size_t i = b->tape.note_count; !status && i > 0; i--) status = sweep_note(b, &b->tape.note[i - 1], err);
  if (status || b->at.count > 1) return status;
  return td_chain_start_backward(&b->chain, &b->tape, b->tape.note, err);
}

// The segment behind the last checkpoint that is kept, once more, and back.
static td_status last_segment(backward *b, td_error *err) {
  td_simulation run;
  td_recorder recorder = {&b->tape, pass_by, record_start, record_step, record_sample, record_chart};
  td_run_hooks hooks = {.context = b,
                        .step = replay_step,
                        .checkpoint_dt = b->hooks->run.checkpoint_dt,
                        .again = b->hooks->run.again,
                        .again_count = b->hooks->run.again_count};
  const char *bytes = b->kept + (b->at.count - 1) * b->at.size;
  td_status status = td_simulation_init(&run, b->model, b->job, &hooks, err);
  if (!status) status = td_checkpoint_read(&run, bytes, b->at.size, err);
  if (!status) status = td_simulation_control(&run, err);
  td_tape_clear(&b->tape);
  run.recorder = &recorder;
  run.begun = true;
  if (!status) status = td_chain_attach(&b->chain, &run);
  double t = run.state.t;
  if (!status) status = td_simulation_advance(&run, err);
  if (!status) status = sweep(b, err);
  b->at.count--;
  b->at.t = t;
  td_simulation_fini(&run);
  if (status || b->at.count == 0 || tell(b, t, part_behind(b, t))) return status;
  if (b->lost) return td_fail(err, TD_NO_MEMORY, "", "no memory for checkpoints");
  return td_fail(err, TD_CANCELLED, "", "cancelled in the sweep at t = %.9g s", t);
}

static td_status gradient_of(backward *b, td_error *err) {
  td_status status = b->at.sweeping ? TD_OK : forward_run(b, err);
  if (status) return status;
  if (!b->at.sweeping) b->at.t = b->job->t_end;
  b->at.sweeping = 1;
  while (!status && b->at.count > 0) status = last_segment(b, err);
  return status;
}

td_status td_gradient_backward(const td_model *model, const td_dynamics_spec *spec, const td_variables *by,
                               const td_backward_hooks *hooks, const void *resume, size_t resume_size, double *gradient,
                               td_run_statistics *statistics, td_error *err) {
  td_dynamics_spec job;
  td_gradient_job(spec, &job);
  backward b = {.model = model, .job = &job, .by = by, .hooks = hooks};
  b.at = (header){.magic = "tdgrad1", .numbers = by->count, .t_end = job.t_end, .dt = hooks->run.checkpoint_dt};
  b.at.ndof = (uint64_t)td_model_ndof(model);
  td_status status = td_gradient_check(model, &job, by, err);
  if (!status) status = td_chain_init(&b.chain, model, &job, by, true, err);
  td_tape_init(&b.tape, model, (size_t)b.chain.row);
  if (!status && resume) status = resume_from(&b, resume, resume_size, err);
  if (!status) status = gradient_of(&b, err);
  if (!status) memcpy(gradient, b.chain.gradient, by->count * sizeof *gradient);
  if (statistics) *statistics = b.statistics;
  free(b.kept);
  free(b.bytes);
  td_tape_fini(&b.tape);
  td_chain_fini(&b.chain);
  return status;
}

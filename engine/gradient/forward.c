// Derivatives carried along a run.
#include "gradient/chain.h"
#include <stdlib.h>
#include <string.h>

typedef struct forward {
  td_chain chain;
  td_tape tape;
  size_t done;                   ///< notes
  bool fresh;                    ///< at t = 0
  const td_forward_hooks *hooks; ///< NULL: none
  char *bytes;                   ///< of a checkpoint: the run's, then the tangents
  size_t size;
  const double *resumed; ///< [4 n ld] tangents of the checkpoint to go on from, NULL
} forward;

static size_t tangent_size(const td_chain *c) { return (size_t)c->n * (size_t)c->ld; }

static td_status failed(const forward *f, td_status status, double t, td_error *err) {
  (void)f;
  if (!status) return TD_OK;
  return td_fail(err, status, "", "the run has no derivative at t = %.9g s: %s", t,
                 status == TD_SINGULAR    ? "the matrix of its linearised step is singular"
                 : status == TD_NO_MEMORY ? "no memory for it"
                 : status == TD_NONFINITE ? "it is not finite"
                                          : td_status_name(status));
}

// The maps of the notes that came last.
static td_status new_notes(forward *f, td_error *err) {
  td_status status = TD_OK;
  for (; !status && f->done < f->tape.note_count; f->done++) {
    const td_note *note = &f->tape.note[f->done];
    status = failed(f, td_chain_forward(&f->chain, &f->tape, note), note->t, err);
  }
  return status;
}

static td_status begun(void *context, td_simulation *run, bool resumed, td_error *err) {
  forward *f = context;
  td_chain *c = &f->chain;
  td_status status = td_chain_attach(c, run);
  f->fresh = !resumed;
  for (int k = 0; resumed && k < TD_PARTS; k++)
    memcpy(c->T[k], f->resumed + (size_t)k * tangent_size(c), tangent_size(c) * sizeof *c->T[k]);
  return failed(f, status, run->state.t, err);
}

static td_status started(void *context, td_simulation *run, bool carried, td_error *err) {
  forward *f = context;
  td_status status = td_tape_start(&f->tape, run, carried);
  bool fresh = f->fresh;
  f->fresh = false;
  if (!status && fresh) {
    status = td_chain_start_forward(&f->chain, &f->tape, f->tape.note, err);
    if (status) return status;
  }
  return status ? failed(f, status, run->state.t, err) : new_notes(f, err);
}

static td_status stepped(void *context, td_simulation *run, double before, td_error *err) {
  forward *f = context;
  td_tape_trim(&f->tape);
  f->done = 0;
  td_status status = td_tape_step(&f->tape, run, before);
  return status ? failed(f, status, run->state.t, err) : new_notes(f, err);
}

static td_status sampled(void *context, td_simulation *run, size_t index, double t, bool inside, td_error *err) {
  forward *f = context;
  td_status status = td_tape_sample(&f->tape, run, index, t, inside);
  status = status ? failed(f, status, t, err) : new_notes(f, err);
  if (status || !f->hooks || !f->hooks->sample) return status;
  bool go = f->hooks->sample(f->hooks->context, t, run->row, f->chain.row_dp);
  return go ? TD_OK : td_simulation_cancelled(run, err);
}

static td_status rewritten(void *context, td_simulation *run, td_error *err) {
  forward *f = context;
  td_status status = td_tape_chart(&f->tape, run);
  return status ? failed(f, status, run->state.t, err) : new_notes(f, err);
}

static bool checkpoint(void *context, double t, const void *bytes, size_t size) {
  forward *f = context;
  size_t one = tangent_size(&f->chain) * sizeof(double), all = size + TD_PARTS * one;
  if (f->size < all) {
    free(f->bytes);
    f->bytes = malloc(all);
    f->size = f->bytes ? all : 0;
  }
  if (!f->bytes) return false;
  memcpy(f->bytes, bytes, size);
  for (size_t k = 0; k < TD_PARTS; k++) memcpy(f->bytes + size + k * one, f->chain.T[k], one);
  return f->hooks->run.checkpoint(f->hooks->run.context, t, f->bytes, all);
}

// The caller's hooks, whose context they keep; a checkpoint goes through ours.
typedef struct passed {
  forward *f;
  const td_run_hooks *to;
} passed;

static bool pass_step(void *context, double t) {
  passed *p = context;
  return !p->to->step || p->to->step(p->to->context, t);
}
static bool pass_sample(void *context, double t, const double *row) {
  passed *p = context;
  return !p->to->sample || p->to->sample(p->to->context, t, row);
}
static bool pass_checkpoint(void *context, double t, const void *bytes, size_t size) {
  passed *p = context;
  return checkpoint(p->f, t, bytes, size);
}
static void pass_share(void *context, double share) {
  passed *p = context;
  p->to->share(p->to->context, share);
}
static td_check pass_check(void *context, double part) {
  passed *p = context;
  return p->to->check(p->to->context, part);
}

static void pass_took(void *context, const td_step_taken *step) {
  passed *p = context;
  p->to->took(p->to->context, step);
}

static td_run_hooks passing(passed *p) {
  td_run_hooks hooks = {.context = p, .step = pass_step, .sample = pass_sample, .checkpoint_dt = p->to->checkpoint_dt};
  if (p->to->checkpoint) hooks.checkpoint = pass_checkpoint;
  if (p->to->share) hooks.share = pass_share;
  if (p->to->check) hooks.check = pass_check;
  if (p->to->took) hooks.took = pass_took;
  hooks.again = p->to->again;
  hooks.again_count = p->to->again_count;
  return hooks;
}

td_status td_gradient_forward(const td_model *model, const td_dynamics_spec *spec, const td_variables *by,
                              const td_forward_hooks *hooks, const void *resume, size_t resume_size,
                              td_run_statistics *statistics, td_error *err) {
  static const td_run_hooks none = {0};
  td_dynamics_spec job;
  forward f = {.hooks = hooks};
  passed p = {&f, hooks ? &hooks->run : &none};
  td_gradient_job(spec, &job);
  td_status status = td_gradient_check(model, &job, by, err);
  if (!status) status = td_chain_init(&f.chain, model, &job, by, false, err);
  td_tape_init(&f.tape, model, (size_t)f.chain.row);
  size_t tangents = TD_PARTS * tangent_size(&f.chain) * sizeof(double);
  if (!status && resume && resume_size < tangents)
    status = td_fail(err, TD_INVALID_ARGUMENT, "", "the checkpoint (%zu bytes) belongs to another job", resume_size);
  if (!status) {
    td_recorder recorder = {&f, begun, started, stepped, sampled, rewritten};
    td_run_hooks through = passing(&p);
    double *aligned = resume ? malloc(tangents + 1) : NULL;
    if (aligned) memcpy(aligned, (const char *)resume + (resume_size - tangents), tangents);
    f.resumed = aligned;
    status = resume && !aligned ? td_fail(err, TD_NO_MEMORY, "", "no memory for the checkpoint")
                                : td_dynamics_run_recorded(model, &job, &through, &recorder, resume,
                                                           resume ? resume_size - tangents : 0, statistics, err);
    free(aligned);
  }
  free(f.bytes);
  td_tape_fini(&f.tape);
  td_chain_fini(&f.chain);
  return status;
}

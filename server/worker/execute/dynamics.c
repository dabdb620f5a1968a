// Jobs of kind dynamics: td_dynamics_run with samples into a spool, then one archive member per output field.
//
// Checkpoints lie at multiples of t_end / 20, a rule of the job document alone: the integrator starts anew there in
// every run, kept or not, interrupted or not, under a server or alone; that is what makes a resumed run equal bit for
// bit.
#include "worker/execute/parts.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { FIELD_LIMIT = 1024, CHECKPOINTS = 20 };

typedef struct dynamics {
  execution *r;
  spool rows;
  const void *resume; // of the engine; NULL: from the start
  size_t resume_size;
  double *row; // t, then the engine's row
  size_t row_size;
  double share; // of the work, that the run is; the rest is its check
  td_member *members;
  int member_count;
  sensitivity_plan by;             // derivatives of these fields stand behind the row
  td_dynamics_spec differentiated; // the job with their fields, too; its row:
  td_member *all;                  // [all_count]
  int all_count;
} dynamics;

static void on_share(void *context, double share) { ((dynamics *)context)->share = share; }

// A hundredth is left for a check that nobody foresaw.
static bool on_step(void *context, double t) {
  static const double most = 0.99;
  dynamics *d = context;
  double t_end = d->r->run->dynamics.t_end;
  double told_s = d->r->reported_s;
  if (!execute_report(d->r, d->r->run_part * fmin(most, d->share * t / t_end), t, t_end)) return false;
  return d->r->gradient || d->r->reported_s == told_s || execute_show(d->r, &d->rows); // ten times a second at most
}

// What is over stands: that its check has no time left is no failure.
static td_check on_check(void *context, double part) {
  dynamics *d = context;
  execution *r = d->r;
  double t_end = r->run->dynamics.t_end;
  if (!r->checking) d->share = r->fraction, r->checking = true;
  if (execute_report(r, d->share + (r->run_part - d->share) * part, t_end, t_end)) return TD_CHECK_ON;
  if (!r->out_of_time) return TD_CHECK_CANCEL;
  r->out_of_time = false;
  return TD_CHECK_CUT;
}

static bool on_sample(void *context, double t, const double *row) {
  dynamics *d = context;
  d->row[0] = t;
  memcpy(d->row + 1, row, d->row_size * sizeof *row);
  return d->by.np > 0 || spool_append(&d->rows, d->row); // else when its derivatives are there
}

static const td_member *member_of(const dynamics *d, const char *name) {
  int i = 0;
  while (strcmp(d->all[i].name, name) != 0) i++;
  assert(i < d->all_count);
  return &d->all[i];
}

static bool on_slopes(void *context, double t, const double *row, const double *row_dp) {
  (void)t, (void)row;
  dynamics *d = context;
  double *out = d->row + 1 + d->row_size;
  size_t np = d->by.np;
  for (int i = 0; i < d->by.count; i++) {
    const td_member *m = &d->by.member[i];
    memcpy(out + m->offset * np, row_dp + member_of(d, m->name)->offset * np, m->size * np * sizeof *out);
  }
  return spool_append(&d->rows, d->row);
}

static bool on_checkpoint(void *context, double t, const void *bytes, size_t size) {
  (void)t;
  dynamics *d = context;
  return execute_save(d->r, &d->rows, bytes, size);
}

// The run reports what is kept, then what is differentiated only.
static td_status plan_slopes(dynamics *d, td_error *err) {
  execution *r = d->r;
  const job_sensitivity *by = &r->job.sensitivity;
  td_status status = execute_plan_sensitivity(r, &d->by, err);
  if (status != TD_OK || d->by.np == 0) return status;
  td_gradient_job(&r->job.dynamics, &d->differentiated);
  r->job.dynamics.integrator = d->differentiated.integrator; // the summary tells of it
  td_dynamics_spec *spec = &d->differentiated;
  size_t count = spec->field_count, ignored;
  const char **fields = arena_array(r->memory, count + by->field_count, sizeof *fields);
  d->all = arena_array(r->memory, count + by->field_count, sizeof *d->all);
  if (!fields || !d->all) return td_fail(err, TD_NO_MEMORY, "", "not enough memory");
  memcpy(fields, spec->fields, count * sizeof *fields);
  for (size_t i = 0; i < by->field_count; i++) {
    size_t k = 0;
    while (k < spec->field_count && strcmp(spec->fields[k], by->fields[i]) != 0) k++;
    if (k == spec->field_count) fields[count++] = by->fields[i];
  }
  spec->fields = fields;
  spec->field_count = count;
  d->all_count = td_run_output_members(r->model, spec, d->all, (int)count, &ignored, err);
  return d->all_count < 0 ? err->status : TD_OK;
}

static td_status begin(execution *r, td_error *err) {
  dynamics *d = r->work = arena_alloc(r->memory, sizeof *d);
  if (!d) return td_fail(err, TD_NO_MEMORY, "", "not enough memory");
  *d = (dynamics){.r = r, .share = 1};
  d->members = arena_array(r->memory, FIELD_LIMIT, sizeof *d->members);
  if (!d->members) return td_fail(err, TD_NO_MEMORY, "", "not enough memory");
  d->member_count = td_run_output_members(r->model, &r->run->dynamics, d->members, FIELD_LIMIT, &d->row_size, err);
  if (d->member_count < 0) return err->status;
  if (d->member_count > FIELD_LIMIT)
    return td_fail(err, TD_LIMIT, "/output/fields", "%d fields, at most %d are allowed", d->member_count, FIELD_LIMIT);
  td_status status = r->gradient ? TD_OK : plan_slopes(d, err);
  if (status != TD_OK) return status;
  size_t width = 1 + d->row_size + d->by.row * d->by.np;
  d->row = arena_array(r->memory, width, sizeof *d->row);
  if (!d->row) return td_fail(err, TD_NO_MEMORY, "", "not enough memory");
  return spool_init(&d->rows, width) ? TD_OK : execute_disk_failed(r, "no file for the samples can be made", err);
}

static bool write_members(dynamics *d) {
  bool done = spool_write_member(&d->rows, d->r->writer, "t", NPZ_F8, 0, 1, 0, NULL);
  for (int i = 0; done && i < d->member_count; i++) {
    const td_member *m = &d->members[i];
    assert(m->offset + m->size <= d->row_size);
    size_t dim[3] = {(size_t)m->dim[0], (size_t)m->dim[1], (size_t)m->dim[2]};
    done = spool_write_member(&d->rows, d->r->writer, m->name, NPZ_F8, 1 + m->offset, m->size, m->rank, dim);
  }
  return done && execute_write_sensitivity(d->r, &d->rows, &d->by, 1 + d->row_size);
}

// The equations have come to an end of their own on the way, after rows that stand.
static bool ended_midway(const dynamics *d, td_status status) {
  bool own =
      status == TD_STEP_TOO_SMALL || status == TD_NOT_CONVERGED || status == TD_NONFINITE || status == TD_SINGULAR;
  return own && d->rows.rows > 1;
}

static td_status run_differentiated(dynamics *d, const td_run_hooks *hooks, td_error *err) {
  execution *r = d->r;
  td_variables by;
  const td_forward_hooks forward = {.run = *hooks, .sample = on_slopes, .context = d};
  td_status status = execute_freeze_numbers(r, r->job.dynamics.inputs, r->job.dynamics.input_count, err);
  if (status == TD_OK) status = execute_variables(r, &r->job.dynamics, &by, err);
  return status ? status
                : td_gradient_forward(r->model, &d->differentiated, &by, &forward, d->resume, d->resume_size,
                                      &r->statistics, err);
}

static td_status compute(execution *r, td_error *err) {
  dynamics *d = r->work;
  td_run_hooks hooks = {.context = d,
                        .step = on_step,
                        .sample = on_sample,
                        .checkpoint = on_checkpoint,
                        .share = on_share,
                        .check = on_check,
                        .checkpoint_dt = r->run->dynamics.t_end / CHECKPOINTS};
  td_status status = r->gradient    ? execute_run_backward(r, &d->rows, &hooks, d->resume, d->resume_size, err)
                     : d->by.np > 0 ? run_differentiated(d, &hooks, err)
                                    : td_dynamics_run(r->model, &r->job.dynamics, &hooks, d->resume, d->resume_size,
                                                      &r->statistics, err);
  if (d->rows.failed) return execute_disk_failed(r, "a sample could not be kept", err);
  if (r->gradient) return execute_stopped(r, status, r->statistics.t, err);
  if (status == TD_CANCELLED && d->rows.rows > 1) execute_leave(r, &d->rows, NULL, 0);
  if (status == TD_INCONSISTENT || ended_midway(d, status)) execute_condemn(r, &d->rows, NULL, 0, err), status = TD_OK;
  return execute_stopped(r, status, r->statistics.t, err);
}

static td_status restore(execution *r, td_error *err) {
  dynamics *d = r->work;
  td_status status = execute_restore(r, &d->rows, &d->resume, &d->resume_size, err);
  if (status != TD_OK || !d->resume) return status;
  size_t sums = execute_take_sums(r, d->resume, d->resume_size);
  d->resume = (const char *)d->resume + sums;
  d->resume_size -= sums;
  return TD_OK;
}

static td_status finish(execution *r, td_error *err) {
  return write_members(r->work) && execute_write_gradient(r)
             ? TD_OK
             : execute_disk_failed(r, "the samples could not be read back", err);
}

static void end(execution *r) {
  dynamics *d = r->work;
  if (d) spool_fini(&d->rows);
}

const execute_kind execute_dynamics = {begin, restore, compute, finish, end};

// The models around a job's numbers: its model's document with one number moved goes the way of every document, as
// often as the engine's stencils need it (service/evaluate/neighbours.c does so for evaluate). A worker does nothing
// else meanwhile: it tells that it lives, and ends when it is asked to.
#include "base/limits.h"
#include "codec/document/model/model.h"
#include "worker/execute/parts.h"

#include <stdio.h>
#include <string.h>

typedef struct freezing {
  execution *r;
  json_t *document; // ours, to be moved about
  uint64_t bytes;
  bool refused; // memory
} freezing;

static bool take(void *context, size_t bytes) {
  freezing *x = context;
  x->refused = x->refused || bytes > LIMIT_NEIGHBOUR_BYTES - x->bytes;
  if (!x->refused) x->bytes += bytes;
  return !x->refused;
}

// A neighbour keeps no workspace: the one that its checks had is given back.
static td_status freeze(void *context, size_t index, double value, td_model **model, td_error *err) {
  freezing *x = context;
  const td_memory memory = {take, x};
  const parameter_set *set = &x->r->numbers.of_model;
  td_error why = {.status = TD_OK};
  uint64_t before = x->bytes;
  if (!execute_report_alive(x->r)) return TD_CANCELLED;
  if (!codec_parameters_move(set, x->document, index, value)) return TD_NO_MEMORY;
  td_status status = codec_model_build_moved(x->document, &memory, model, &why);
  if (status != TD_OK)
    x->bytes = before;
  else
    x->bytes -= td_workspace_bytes(*model);
  if (!codec_parameters_restore(set, x->document, index) && status == TD_OK) {
    td_model_destroy(*model);
    *model = NULL;
    status = TD_NO_MEMORY;
  }
  if (status == TD_OK || status == TD_NO_MEMORY) return status;
  return td_fail(err, status, set->number[index].name, "with %.9g, close to which it is asked about, %s %.300s", value,
                 why.pointer, why.message);
}

// What the engine says of a number it calls by its place.
static td_status explain(const freezing *x, td_status status, td_error *err) {
  const parameter_set *set = &x->r->numbers.of_model;
  td_error why = *err;
  char pointer[64];
  const char *at = x->r->run->sensitivity.at;
  snprintf(pointer, sizeof pointer, "%s/parameters", at);
  if (x->refused)
    return td_fail(err, TD_LIMIT, pointer, "the models around %zu numbers take more than %.3g bytes: take fewer",
                   set->count, (double)LIMIT_NEIGHBOUR_BYTES);
  for (size_t i = 0; i < set->count; i++)
    if (strcmp(set->number[i].name, why.pointer) == 0)
      snprintf(pointer, sizeof pointer, "%s/parameters/%zu", at, set->place[i]);
  return td_fail(err, status, pointer, "%.200s: %.300s", why.pointer, why.message);
}

static td_status freeze_model(execution *r, td_error *err) {
  const parameter_set *set = &r->numbers.of_model;
  if (set->count == 0) return TD_OK;
  freezing x = {.r = r, .document = json_deep_copy(r->model_json)};
  if (!x.document) return td_fail(err, TD_NO_MEMORY, "", "not enough memory");
  *err = (td_error){.status = TD_OK};
  td_status status = td_parameters_create(r->model, set->number, set->count, freeze, &x, &r->numbers.model, err);
  json_decref(x.document);
  return status == TD_OK || status == TD_CANCELLED ? status : explain(&x, status, err);
}

td_status numbers_find(execution_numbers *n, const td_model *model, const td_dynamics_spec *run,
                       const td_input_spec *inputs, size_t input_count, arena *a, td_error *err) {
  if (run && run->controller_count > 0)
    return td_law_numbers_create(model, run, n->model, n->which, n->place, n->places, &n->laws, err);
  bool any = false;
  for (size_t i = 0; i < n->places; i++) any = any || n->place[i];
  if (!any) return TD_OK;
  td_status status = td_input_numbers_create(model, inputs, input_count, n->place, n->places, &n->inputs);
  if (status == TD_OK) n->slope = arena_array(a, td_input_numbers_most(n->inputs) + 1, sizeof *n->slope);
  return status == TD_OK && n->slope ? TD_OK : td_fail(err, TD_NO_MEMORY, "", "not enough memory");
}

void numbers_forget(execution_numbers *n) {
  td_input_numbers_destroy(n->inputs);
  td_law_numbers_destroy(n->laws);
  n->inputs = NULL;
  n->laws = NULL;
}

void numbers_of_problem(const execution_numbers *n, size_t problem, size_t channels, double *du) {
  size_t np = n->set.count;
  memset(du, 0, channels * np * sizeof *du);
  size_t count = td_input_numbers_of_problem(n->inputs, problem, n->slope);
  for (size_t i = 0; i < count; i++)
    du[(size_t)n->slope[i].channel * np + n->owner[n->slope[i].number]] += n->slope[i].of[0];
}

// ------------------------------------------------------------------------------------------------ places in the job

// The place among the numbers of `of` that column c has.
static size_t number_at(const size_t *column, size_t c) { return column ? column[c] : c; }

bool numbers_begin_places(execution_numbers *n, const parameter_set *of, const size_t *column, arena *a) {
  size_t np = n->set.count;
  n->places = np;
  n->place = arena_array(a, np + of->twin_count, sizeof *n->place);
  n->owner = arena_array(a, np + of->twin_count, sizeof *n->owner);
  if (!n->place || !n->owner) return false;
  for (size_t c = 0; c < np; c++) n->owner[c] = c;
  for (size_t c = 0; c < np; c++)
    for (size_t k = 0; k < of->twin_count; k++)
      if (of->twin[k].number == number_at(column, c)) n->owner[n->places++] = c;
  return true;
}

void numbers_place(execution_numbers *n, const parameter_set *of, const size_t *column, const job_document *job) {
  size_t np = n->set.count, at = np;
  for (size_t c = 0; c < np; c++) {
    size_t i = number_at(column, c);
    bool of_job = codec_parameter_is_of_job(of, i);
    n->place[c] = of_job ? codec_job_number(job, of->number[i].name) : NULL;
    for (size_t k = 0; k < of->twin_count; k++)
      if (of->twin[k].number == i) n->place[at++] = of_job ? codec_job_number(job, of->twin[k].name) : NULL;
  }
}

// Entries of a place are those of its number.
static size_t owned(const execution_numbers *n, size_t count, td_input_slope *list) {
  for (size_t i = 0; i < count; i++) list[i].number = n->owner[list[i].number];
  return count;
}

td_status execute_freeze_numbers(execution *r, const td_input_spec *inputs, size_t input_count, td_error *err) {
  execution_numbers *n = &r->numbers;
  if (!codec_parameters_of_model(&n->set, r->memory, &n->of_model, &n->which) ||
      !numbers_begin_places(n, &n->set, NULL, r->memory))
    return td_fail(err, TD_NO_MEMORY, "", "not enough memory");
  numbers_place(n, &n->set, NULL, r->run);
  td_status status = freeze_model(r, err);
  const td_dynamics_spec *run = r->run->kind == JOB_DYNAMICS ? &r->run->dynamics : NULL;
  if (status != TD_OK) return status;
  status = numbers_find(n, r->model, run, inputs, input_count, r->memory, err);
  if (status != TD_OK && r->gradient && *err->pointer)
    codec_error_prefix(err, "/of"); // what is said of its controllers
  return status;
}

void execute_forget_numbers(execution *r) {
  numbers_forget(&r->numbers); // laws look at the models
  td_parameters_destroy(r->numbers.model);
}

static size_t slopes_at(void *context, const td_input_moment *at, td_input_slope *list) {
  const execution_numbers *n = context;
  return owned(n, td_input_numbers_at(n->inputs, at->t, at->t_side, list), list);
}

static size_t slopes_of_laws(void *context, const td_input_moment *at, td_input_slope *list) {
  const execution_numbers *n = context;
  return owned(n, td_law_numbers_at(n->laws, at, list), list);
}

// [2n][np]: a number of the initial state moves its own coordinate, or rate; NULL: there is none.
static double *initial_of(const execution_numbers *numbers, size_t n, const td_dynamics_spec *run, arena *a,
                          bool *made) {
  size_t np = numbers->set.count;
  double *initial = NULL;
  *made = true;
  for (size_t j = 0; j < numbers->places; j++) {
    const double *at = numbers->place[j];
    bool q = at && run->q && at >= run->q && at < run->q + run->q_count,
         qd = at && run->qd && at >= run->qd && at < run->qd + run->qd_count;
    if (!q && !qd) continue;
    if (!initial) {
      initial = arena_array(a, 2 * n * np, sizeof *initial);
      if (!initial) return *made = false, NULL;
      memset(initial, 0, 2 * n * np * sizeof *initial);
    }
    initial[(q ? (size_t)(at - run->q) : n + (size_t)(at - run->qd)) * np + numbers->owner[j]] = 1;
  }
  return initial;
}

td_status numbers_variables(const execution_numbers *n, const td_model *model, const td_dynamics_spec *run, arena *a,
                            td_variables *by, td_error *err) {
  bool made;
  *by = (td_variables){.count = n->set.count,
                       .model = n->model,
                       .model_number = n->which,
                       .initial = initial_of(n, (size_t)td_model_ndof(model), run, a, &made)};
  if (!made) return td_fail(err, TD_NO_MEMORY, "", "not enough memory");
  if (n->laws) {
    by->slopes = slopes_of_laws;
    by->most_slopes = td_law_numbers_most(n->laws);
    by->context = (void *)n;
    by->controlled = true;
    return TD_OK;
  }
  if (!n->inputs) return TD_OK;
  by->slopes = slopes_at;
  by->most_slopes = td_input_numbers_most(n->inputs);
  by->context = (void *)n;
  return TD_OK;
}

td_status execute_variables(execution *r, const td_dynamics_spec *run, td_variables *by, td_error *err) {
  return numbers_variables(&r->numbers, r->model, run, r->memory, by, err);
}

td_status execute_plan_sensitivity(execution *r, sensitivity_plan *plan, td_error *err) {
  const job_sensitivity *by = &r->run->sensitivity;
  size_t np = r->numbers.set.count;
  *plan = (sensitivity_plan){.np = np};
  if (np == 0) return TD_OK;
  plan->member = arena_array(r->memory, by->field_count, sizeof *plan->member);
  if (!plan->member) return td_fail(err, TD_NO_MEMORY, "", "not enough memory");
  int count = codec_job_sensitivity_members(r->run, r->model, np, plan->member, by->field_count, &plan->row, err);
  plan->count = count;
  return count < 0 ? err->status : TD_OK;
}

bool execute_write_sensitivity(execution *r, spool *rows, const sensitivity_plan *plan, size_t first) {
  static const char prefix[] = "sensitivity:";
  bool done = true;
  for (int i = 0; done && i < plan->count; i++) {
    const td_member *m = &plan->member[i];
    char name[NPZ_MAX_NAME + 1];
    size_t dim[4] = {(size_t)m->dim[0], (size_t)m->dim[1], (size_t)m->dim[2]};
    dim[m->rank] = plan->np;
    snprintf(name, sizeof name, "%s%s", prefix, m->name);
    done = spool_write_member(rows, r->writer, name, NPZ_F8, first + m->offset * plan->np, m->size * plan->np,
                              m->rank + 1, dim);
  }
  return done;
}

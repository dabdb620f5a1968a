// Jobs of kind design: what they have beyond gradients.
#include "codec/document/job/design.h"
#include "codec/document/job/parts.h"
#include "tendril/sensitivity.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ------------------------------------------------------------------------------------------------ constraints

// What an entry bounds is a linear term; its bounds are read here.
static td_status read_bound(reader *r, const json_t *entry, const char *key, double *bound) {
  const json_t *value = json_object_get(entry, key);
  size_t mark = codec_pointer_key(&r->at, key);
  td_status status = value ? read_number(r, value, bound) : TD_OK;
  if (status == TD_OK) codec_pointer_pop(&r->at, mark);
  return status;
}

static td_status read_bounds(reader *r, const json_t *entry, double *lower, double *upper) {
  *lower = *upper = NAN;
  if (!json_is_object(entry)) return fail_type(r, "an object with field, select, at, lower, upper", entry);
  td_status status = read_bound(r, entry, "lower", lower);
  if (status == TD_OK) status = read_bound(r, entry, "upper", upper);
  if (status != TD_OK) return status;
  if (isnan(*lower) && isnan(*upper)) return fail_here(r, TD_INVALID_ARGUMENT, "needs `lower`, `upper` or both");
  if (*lower > *upper) return fail_key(r, "upper", TD_INVALID_ARGUMENT, "%.15g is below lower, %.15g", *upper, *lower);
  return TD_OK;
}

static json_t *term_of(const json_t *entry) {
  json_t *term = json_copy((json_t *)entry);
  json_object_del(term, "lower");
  json_object_del(term, "upper");
  json_object_del(term, "of"); // judged already
  json_object_set_new(term, "linear", json_integer(1));
  return term;
}

// What is not known is said of the entry as it was written, not of the term made from it.
static td_status check_keys(reader *r, const json_t *entry) {
  static const field fields[] = {
      SKIPPED_FIELD("field"), SKIPPED_FIELD("select"),    SKIPPED_FIELD("at"),
      SKIPPED_FIELD("lower"), SKIPPED_FIELD("upper"),     SKIPPED_FIELD("peak"),
      SKIPPED_FIELD("work"),  SKIPPED_FIELD("stiffness"), {"of", read_only_job, 0, false, NULL}};
  return read_object(r, entry, fields, COUNT_OF(fields), NULL);
}

// The terms borrow from a document of their own, which the arena cannot free: texts are copied into it.
static td_status own_names(reader *r, objective_document *o) {
  for (size_t i = 0; i < o->count; i++) {
    o->terms[i].field = arena_strdup(r->memory, o->terms[i].field);
    if (!o->terms[i].field) return fail_here(r, TD_NO_MEMORY, "out of memory");
  }
  return TD_OK;
}

static td_status read_entry(reader *r, const json_t *entry, double *lower, double *upper, json_t *terms) {
  td_status status = json_is_object(entry) ? check_keys(r, entry) : TD_OK;
  if (status == TD_OK) status = read_bounds(r, entry, lower, upper);
  if (status == TD_OK) json_array_append_new(terms, term_of(entry));
  return status;
}

static td_status read_constraints(reader *r, const json_t *value, void *out) {
  design_document *d = out;
  if (!json_is_array(value)) return fail_type(r, "an array of bounds on what is reported", value);
  size_t count = json_array_size(value);
  if (count == 0) return TD_OK;
  if (count > TD_MAX_OBJECTIVE_TERMS)
    return fail_here(r, TD_LIMIT, "%zu entries are more than %d", count, (int)TD_MAX_OBJECTIVE_TERMS);
  double *lower = arena_array(r->memory, count, sizeof *lower), *upper = arena_array(r->memory, count, sizeof *upper);
  if (!lower || !upper) return fail_here(r, TD_NO_MEMORY, "out of memory");
  json_t *terms = json_array();
  td_status status = terms ? TD_OK : fail_here(r, TD_NO_MEMORY, "out of memory");
  const reader_mark here = reader_here(r);
  for (size_t i = 0; terms && i < count; i++) {
    size_t mark = codec_pointer_index(&r->at, i);
    td_status one = read_entry(r, json_array_get(value, i), &lower[i], &upper[i], terms);
    if (!status) status = one;
    if (one == TD_OK) codec_pointer_pop(&r->at, mark);
    if (!reader_goes_on(r, &here, one)) break;
  }
  if (status == TD_OK) status = read_design_terms(r, terms, &d->constraints);
  if (status == TD_OK) status = own_names(r, &d->constraints);
  json_decref(terms);
  d->lower = lower;
  d->upper = upper;
  return status;
}

// ------------------------------------------------------------------------------------------------ the document

static const char *method_word(int i) { return td_design_method_name((td_design_method)i); }

static td_status read_method(reader *r, const json_t *value, void *out) {
  int word = 0;
  td_status status = read_word(r, value, method_word, TD_DESIGN_METHOD_COUNT, &word);
  *(td_design_method *)out = (td_design_method)word;
  return status;
}

static td_status read_of(reader *r, const json_t *value, void *out) {
  (void)r;
  ((gradient_document *)out)->of = value;
  return TD_OK;
}

static td_status read_design_objective(reader *r, const json_t *value, void *out) {
  gradient_document *g = out;
  g->objective_given = true;
  return read_design_terms(r, value, &g->objective);
}

#define DESIGN_FIELDS                                                                                                  \
  QUEUE_FIELDS, FIELD(job_document, max_wall_s, "max_wall_s", read_positive),                                          \
      REQUIRED_FIELD(job_document, gradient, "of", read_of),                                                           \
      FIELD(job_document, design, "constraints", read_constraints),                                                    \
      FIELD(job_document, design.method, "method", read_method),                                                       \
      FIELD(job_document, design.max_evaluations, "max_evaluations", read_integer),                                    \
      FIELD(job_document, design.unknowns.options.starts, "starts", read_integer),                                     \
      FIELD(job_document, design.unknowns.options.seed, "seed", read_seed),                                            \
      FIELD(job_document, design.tolerance, "tolerance", read_positive),                                               \
      FIELD(job_document, keep_unconverged, "unconverged", read_unconverged)

static const field design_fields[] = {
    DESIGN_FIELDS,
    REQUIRED_FIELD(job_document, design.unknowns, "parameters", read_fit_unknowns),
    REQUIRED_FIELD(job_document, gradient, "objective", read_design_objective),
};
// One of several jobs may have no numbers of its own, or constraints alone.
static const field part_fields[] = {
    DESIGN_FIELDS,
    FIELD(job_document, design.unknowns, "parameters", read_fit_unknowns),
    FIELD(job_document, gradient, "objective", read_design_objective),
};

td_status read_design(reader *r, const json_t *doc, job_document *job) {
  td_design_spec defaults;
  td_design_defaults(&defaults);
  td_fit_defaults(&job->design.unknowns.options);
  job->design.max_evaluations = defaults.max_evaluations;
  job->design.tolerance = defaults.tolerance;
  job->design.unknowns.list.of_job = true;
  job->model_at = "/of/model";
  bool part = job->design.place[0] != NULL;
  td_status status = part ? read_object(r, doc, part_fields, COUNT_OF(part_fields), job)
                          : read_object(r, doc, design_fields, COUNT_OF(design_fields), job);
  job->gradient.parameters = job->design.unknowns.list;
  return status;
}

// Fields of the constraints are reported and differentiated, too.
td_status settle_design(reader *r, const json_t *doc, job_document *job) {
  job_document *of = job->base;
  const objective_document *c = &job->design.constraints;
  bool run = of->kind == JOB_DYNAMICS;
  const char *const **fields = run ? &of->dynamics.fields : &of->statics.fields;
  size_t *count = run ? &of->dynamics.field_count : &of->statics.field_count;
  if (c->count == 0) return TD_OK;
  *fields = objective_fields(c, *fields, *count, r->memory, count);
  of->sensitivity.fields =
      objective_fields(c, of->sensitivity.fields, of->sensitivity.field_count, r->memory, &of->sensitivity.field_count);
  for (size_t i = 0; !run && i < c->count; i++)
    if (!json_object_get(json_array_get(json_object_get(doc, "constraints"), i), "at")) c->terms[i].when = TD_WHEN_ALL;
  return *fields && of->sensitivity.fields ? TD_OK : fail_here(r, TD_NO_MEMORY, "out of memory");
}

td_status read_designs_unknowns(reader *r, const json_t *doc, job_document *job) {
  size_t mark = codec_pointer_key(&r->at, "parameters");
  const json_t *list = json_object_get(doc, "parameters");
  fit_document *u = &job->design.unknowns;
  u->list = (parameter_list){.of_job = true};
  u->count = job->design.part_count;
  u->each = "job";
  u->of = arena_array(r->memory, u->count, sizeof *u->of);
  if (!u->of) return fail_here(r, TD_NO_MEMORY, "out of memory");
  for (size_t i = 0; i < u->count; i++)
    u->of[i] = (fit_experiment){.json = json_array_get(job->design.of, i), .job = job->design.part[i]->base};
  td_status status = list ? read_fit_unknowns(r, list, u)
                          : fail_here(r, TD_INVALID_ARGUMENT, "required key \"parameters\" is missing");
  if (status == TD_OK) codec_pointer_pop(&r->at, mark);
  return status;
}

// ------------------------------------------------------------------------------------------------ against the model

// Numbers that a term selects of each sample.
static size_t width_of(const job_document *of, const td_model *model, const td_objective_term *term, td_error *err) {
  td_member member;
  size_t row = 0;
  td_dynamics_spec run = of->dynamics;
  run.fields = &term->field;
  run.field_count = 1;
  if (term->select) return term->select_count;
  int count = of->kind == JOB_DYNAMICS ? td_run_output_members(model, &run, &member, 1, &row, err)
                                       : td_sensitivity_members(model, &term->field, 1, &member, 1, &row, err);
  return count < 0 ? 0 : row;
}

typedef struct listing {
  td_objective *which;
  size_t samples, row;
  design_number number;
  void *context;
} listing;

// The derivatives of a sum say which numbers it is of.
static td_status list_numbers(const listing *l, td_error *err) {
  double *row = calloc(2 * l->row + 1, sizeof *row), *chosen = row ? row + l->row : NULL;
  if (!row) return td_fail(err, TD_NO_MEMORY, "", "not enough memory");
  bool done = true;
  for (size_t s = 0; done && s < l->samples; s++) {
    if (!td_objective_counts(l->which, s)) continue;
    memset(chosen, 0, l->row * sizeof *chosen);
    (void)td_objective_at(l->which, s, row, chosen);
    for (size_t k = 0; done && k < l->row; k++) done = chosen[k] == 0 || l->number(l->context, s, k);
  }
  free(row);
  return done ? TD_OK : td_fail(err, TD_NO_MEMORY, "", "not enough memory");
}

// `one`: the job with a sum over what is bound in place of its objective.
static td_status list_bound(const job_document *one, const td_model *model, design_number number, void *context,
                            td_error *err) {
  td_member *members = calloc(CODEC_GRADIENT_FIELDS, sizeof *members);
  double *t = NULL;
  listing l = {.number = number, .context = context};
  td_status status =
      members ? codec_gradient_objective(one, model, members, CODEC_GRADIENT_FIELDS, &t, &l.samples, &l.which, err)
              : td_fail(err, TD_NO_MEMORY, "", "not enough memory");
  const job_document *of = one->base;
  size_t count = of->kind == JOB_DYNAMICS ? of->dynamics.field_count : of->sensitivity.field_count;
  for (size_t i = 0; status == TD_OK && i < count; i++) l.row += members[i].size;
  if (status == TD_OK && number) status = list_numbers(&l, err);
  td_objective_destroy(l.which);
  free(t);
  free(members);
  return status;
}

// A constraint that looks at all samples at once, as an objective of its own.
td_status codec_design_measure(const job_document *job, const td_model *model, size_t i, double **times,
                               td_objective **measure, td_error *err) {
  td_member *members = calloc(CODEC_GRADIENT_FIELDS, sizeof *members);
  job_document *one = malloc(sizeof *one);
  double *t = NULL;
  size_t samples;
  td_objective *which = NULL;
  td_status status = members && one ? TD_OK : td_fail(err, TD_NO_MEMORY, "", "not enough memory");
  if (status == TD_OK) {
    *one = *job;
    one->gradient.objective = (objective_document){&job->design.constraints.terms[i], 1};
    status = codec_gradient_objective(one, model, members, CODEC_GRADIENT_FIELDS, &t, &samples, &which, err);
  }
  if (measure) *measure = which, *times = t;
  if (!measure) td_objective_destroy(which), free(t);
  free(one);
  free(members);
  return status;
}

td_status codec_design_constraint(const job_document *job, const td_model *model, size_t i, design_number number,
                                  void *context, td_error *err) {
  td_objective_term term = job->design.constraints.terms[i];
  if (term.kind != TD_TERM_SUM) return codec_design_measure(job, model, i, NULL, NULL, err);
  term.width = width_of(job->base, model, &term, err);
  if (term.width == 0) return err->status;
  double *ones = malloc(term.width * sizeof *ones);
  job_document *one = malloc(sizeof *one);
  td_status status = ones && one ? TD_OK : td_fail(err, TD_NO_MEMORY, "", "not enough memory");
  for (size_t k = 0; status == TD_OK && k < term.width; k++) ones[k] = 1;
  if (status == TD_OK) {
    term.value = ones;
    *one = *job;
    one->gradient.objective = (objective_document){&term, 1};
    status = list_bound(one, model, number, context, err);
  }
  free(one);
  free(ones);
  return status;
}

// Fields that a constraint has brought are named where it names them.
void blame_constraint(const job_document *job, td_error *err) {
  static const char list[] = "/of/output/fields/";
  const objective_document *c = &job->design.constraints;
  const job_document *of = job->base;
  if (strncmp(err->pointer, list, sizeof list - 1) != 0) return;
  size_t i = strtoul(err->pointer + sizeof list - 1, NULL, 10);
  const char *const *fields = of->kind == JOB_DYNAMICS ? of->dynamics.fields : of->statics.fields;
  for (size_t k = 0; i >= job->gradient.own_fields && k < c->count; k++)
    if (strcmp(c->terms[k].field, fields[i]) == 0)
      snprintf(err->pointer, sizeof err->pointer, "%s/field", c->terms[k].place);
}

td_status check_design_parts(const job_document *job, const td_model *model, td_errors *all, td_error *err) {
  const design_document *d = &job->design;
  td_status first = TD_OK;
  for (size_t i = 0; i < d->constraints.count; i++) {
    td_status status = codec_design_constraint(job, model, i, NULL, NULL, err);
    if (!first) first = status;
    if (!check_goes_on(all, status, err)) return first;
  }
  if (first) return first;
  const td_unknown any = {.name = "", .lower = -1, .upper = 1}; // theirs are known with the model's document
  td_design_spec spec = {.unknowns = &any,
                         .count = 1,
                         .constraints = d->constraints.count,
                         .method = d->method,
                         .max_evaluations = d->max_evaluations,
                         .starts = d->unknowns.options.starts,
                         .tolerance = d->tolerance};
  return td_design_check(&spec, err);
}

// The job document: its kind, and sweeps, which hold a job of another kind.
//
// Method: tables of fields (codec/json/field.h), one file and one row of `kinds` per kind. The base of a sweep is
// read as a job of its own, so its errors come first and have their places below /base. Words of the contract that
// later versions will understand are TD_UNSUPPORTED, not unknown.
#include "codec/document/job/parts.h"
#include "codec/document/model/model.h"
#include "codec/json/place.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

static td_status read_job(reader *r, const json_t *doc, job_document *job);

// What the kind of a job says of it, and nothing of its model: pointers under `prefix`.
static td_status check_as(const job_document *job, const td_model *model, const char *prefix, size_t *rows,
                          td_warnings *warnings, td_errors *all, td_error *err);

// ------------------------------------------------------------------------------------------------ sweeps

static td_status read_path(reader *r, const json_t *value, void *out) {
  const char **path = out;
  char text[64];
  td_status status = read_text(r, value, out);
  if (status != TD_OK) return status;
  if (strcmp(*path, "/job/kind") == 0 || codec_sweep_begins(*path, "/job/model/"))
    return fail_here(r, TD_INVALID_ARGUMENT, "%s cannot be varied; places of the model begin with /model", *path);
  if (strncmp(*path, "/job/", 5) == 0 || strncmp(*path, "/model/", 7) == 0) return TD_OK;
  return fail_here(r, TD_INVALID_ARGUMENT, "must be a JSON pointer that begins with /job/ or /model/, is %s",
                   show(value, text));
}

static td_status read_values(reader *r, const json_t *value, void *out) {
  sweep_variation *v = out;
  if (!json_is_array(value)) return fail_type(r, "an array of values", value);
  v->values = value;
  v->count = json_array_size(value);
  if (v->count == 0) return fail_here(r, TD_INVALID_ARGUMENT, "needs at least one value");
  if (v->count <= SWEEP_MAX_JOBS) return TD_OK;
  return fail_here(r, TD_INVALID_ARGUMENT, "%zu values are more than the %d jobs of a sweep", v->count, SWEEP_MAX_JOBS);
}

static td_status read_variation(reader *r, const json_t *value, void *out) {
  static const field fields[] = {REQUIRED_FIELD(sweep_variation, path, "path", read_path),
                                 {"values", read_values, 0, true, NULL}};
  return read_object(r, value, fields, COUNT_OF(fields), out);
}

static td_status read_vary(reader *r, const json_t *value, void *out) {
  static const sweep_variation none = {0};
  sweep_document *sweep = out;
  void *list = NULL;
  td_status status =
      read_list(r, value, SWEEP_MAX_VARIATIONS, sizeof none, &none, read_variation, &list, &sweep->vary_count);
  sweep->vary = list;
  if (status == TD_OK && sweep->vary_count == 0) return fail_here(r, TD_INVALID_ARGUMENT, "needs at least one entry");
  return status;
}

static td_status read_mode(reader *r, const json_t *value, void *out) {
  if (json_is_string(value) && strcmp(json_string_value(value), "grid") == 0) return *(bool *)out = false, TD_OK;
  if (json_is_string(value) && strcmp(json_string_value(value), "zip") == 0) return *(bool *)out = true, TD_OK;
  return fail_type(r, "\"grid\" or \"zip\"", value);
}

static td_status read_base(reader *r, const json_t *value, void *out) {
  job_document *job = out, *base = arena_alloc(r->memory, sizeof *base);
  if (!base) return fail_here(r, TD_NO_MEMORY, "out of memory");
  td_status status = read_job(r, value, base);
  if (status != TD_OK) return status;
  if (base->kind == JOB_SWEEP) return fail_key(r, "kind", TD_INVALID_ARGUMENT, "a sweep cannot be swept");
  if (base->kind == JOB_FIT)
    return fail_key(r, "kind", TD_UNSUPPORTED, "a fit cannot be swept; it may have several starts");
  if (base->kind == JOB_DESIGN) return fail_key(r, "kind", TD_UNSUPPORTED, "a design cannot be swept");
  if (base->kind == JOB_GRADIENT) return fail_key(r, "kind", TD_UNSUPPORTED, "a gradient cannot be swept");
  if (!base->model && !base->model_name)
    return fail_key(r, "model", TD_INVALID_ARGUMENT, "required key \"model\" is missing");
  job->base = base;
  job->model = base->model;
  job->model_name = base->model_name;
  job->model_revision = base->model_revision;
  job->sweep.base = value;
  return TD_OK;
}

static const field sweep_fields[] = {
    QUEUE_FIELDS,
    {"base", read_base, 0, true, NULL},
    {"vary", read_vary, offsetof(job_document, sweep), true, NULL},
    FIELD(job_document, sweep.zip, "mode", read_mode),
};

static td_status read_sweep(reader *r, const json_t *doc, job_document *job) {
  td_status status = read_object(r, doc, sweep_fields, COUNT_OF(sweep_fields), job);
  if (status != TD_OK) return status;
  td_error own = {.status = TD_OK}, *err = r->err ? r->err : &own;
  job->model_at = "/base/model";
  status = codec_sweep_check(&job->sweep, err);
  if (!status && job->model) status = codec_sweep_check_model(&job->sweep, job->model, err);
  if (status) codec_error_prefix(err, r->at.text);
  return status;
}

static td_status check_sweep(const job_document *job, const td_model *model, size_t *rows, td_warnings *warnings,
                             td_errors *all, td_error *err) {
  return check_as(job->base, model, "/base", rows, warnings, all, err);
}

// ------------------------------------------------------------------------------------------------ fits

// The job of one experiment; r->at is the fit's.
static td_status read_experiment(reader *r, size_t i, fit_experiment *e) {
  size_t mark = codec_pointer_key(&r->at, "of");
  (void)codec_pointer_index(&r->at, i);
  (void)codec_pointer_key(&r->at, "job");
  e->job = arena_alloc(r->memory, sizeof *e->job);
  if (!e->job) return fail_here(r, TD_NO_MEMORY, "out of memory");
  td_status status = read_job(r, e->json, e->job);
  if (status != TD_OK) return status;
  if (e->job->kind != JOB_DYNAMICS && e->job->kind != JOB_STATICS)
    return fail_key(r, "kind", TD_INVALID_ARGUMENT, "must be \"dynamics\" or \"statics\", is \"%s\"",
                    job_kind_name(e->job->kind));
  if (e->job->kind == JOB_STATICS && e->job->statics.continuation.channel)
    return fail_key(r, "continuation", TD_UNSUPPORTED, "paths of equilibria cannot be fitted; a list of inputs can");
  if (e->job->sensitivity.given)
    return fail_key(r, "sensitivity", TD_INVALID_ARGUMENT, "the fit has `parameters` of its own; leave these out");
  codec_pointer_pop(&r->at, mark);
  return TD_OK;
}

static td_status read_fit_job(reader *r, const json_t *doc, job_document *job) {
  const reader_mark here = reader_here(r);
  td_status first = read_fit(r, doc, job);
  bool on = reader_goes_on(r, &here, first);
  for (size_t i = 0; on && job->fit.of && i < job->fit.count; i++) {
    fit_experiment *e = &job->fit.of[i];
    if (!json_is_object(e->json)) continue; // said already
    td_status status = read_experiment(r, i, e);
    if (status == TD_OK) status = check_fit_end(r, e, i);
    if (!first) first = status;
    on = reader_goes_on(r, &here, status);
  }
  return first ? first : settle_fit(r, doc, job);
}

static void prefix_errors(td_errors *all, const char *prefix) {
  for (int i = 0; i < all->count; i++) codec_error_prefix(&all->list[i], prefix);
}

static td_status check_records(const fit_experiment *e, const td_model *model, size_t i, size_t problems,
                               td_errors *all, td_error *err) {
  char prefix[48];
  td_errors found = {0};
  td_status status = check_fit_records(e, model, problems, all ? &found : NULL, err);
  snprintf(prefix, sizeof prefix, "/of/%zu", i);
  prefix_errors(&found, prefix);
  td_errors_join(all, &found);
  if (status != TD_OK) codec_error_prefix(err, prefix);
  return status;
}

static td_status check_experiment(const fit_experiment *e, const td_model *model, size_t i, td_warnings *warnings,
                                  td_errors *all, td_error *err) {
  char prefix[48];
  size_t problems = 1;
  snprintf(prefix, sizeof prefix, "/of/%zu/job", i);
  td_status first = check_as(e->job, model, prefix, &problems, warnings, all, err);
  if (!check_goes_on(all, first, err)) return first;
  td_status status = check_records(e, model, i, first ? 0 : problems, all, err);
  return first ? first : status;
}

static td_status check_fit(const job_document *job, const td_model *model, size_t *rows, td_warnings *warnings,
                           td_errors *all, td_error *err) {
  const fit_document *fit = &job->fit;
  td_status first = TD_OK;
  for (size_t i = 0; i < fit->count; i++) {
    td_status status = check_experiment(&fit->of[i], model, i, warnings, all, err);
    if (!first) first = status;
    if (!check_goes_on(all, status, err)) break;
  }
  *rows = (size_t)fit->options.starts * ((size_t)fit->options.max_iterations + 1);
  return first;
}

// ------------------------------------------------------------------------------------------------ gradients

static td_status read_differentiated(reader *r, job_document *job) {
  size_t mark = codec_pointer_key(&r->at, "of");
  job_document *of = job->base = arena_alloc(r->memory, sizeof *of);
  if (!of) return fail_here(r, TD_NO_MEMORY, "out of memory");
  td_status status = read_job(r, job->gradient.of, of);
  if (status != TD_OK) return status;
  if (of->kind != JOB_DYNAMICS && of->kind != JOB_STATICS)
    return fail_key(r, "kind", TD_UNSUPPORTED, "a job of kind dynamics or statics has a gradient, one of kind %s none",
                    job_kind_name(of->kind));
  if (of->sensitivity.given)
    return fail_key(r, "sensitivity", TD_INVALID_ARGUMENT, "the gradient has `parameters` of its own; leave these out");
  codec_pointer_pop(&r->at, mark);
  return TD_OK;
}

// What a gradient or a design says itself was read with status `own`; then the job within is.
static td_status read_within(reader *r, job_document *job, td_status own) {
  const reader_mark here = reader_here(r);
  if (!reader_goes_on(r, &here, own) || !job->gradient.of) return own;
  td_status status = read_differentiated(r, job);
  (void)reader_goes_on(r, &here, status);
  return own ? own : status;
}

static td_status read_gradient_job(reader *r, const json_t *doc, job_document *job) {
  td_status status = read_within(r, job, read_gradient(r, doc, job));
  return status == TD_OK ? settle_gradient(r, doc, job) : status;
}

static td_status check_gradient(const job_document *job, const td_model *model, size_t *rows, td_warnings *warnings,
                                td_errors *all, td_error *err) {
  td_errors found = {0};
  td_status status = check_as(job->base, model, "/of", rows, warnings, all ? &found : NULL, err);
  for (int i = 0; i < found.count; i++) blame_term(job, &found.list[i]);
  td_errors_join(all, &found);
  if (status == TD_OK) return check_gradient_parts(job, model, warnings, all, err);
  blame_term(job, err);
  return status;
}

static td_status read_one_design(reader *r, const json_t *doc, job_document *job) {
  td_status status = read_within(r, job, read_design(r, doc, job));
  if (status == TD_OK) status = settle_gradient(r, doc, job);
  return status == TD_OK ? settle_design(r, doc, job) : status;
}

// An error in the document of a part, of which the design's place is `length` long, becomes one in the whole.
static void place_in_whole(const design_document *d, size_t length, td_error *err) {
  char pointer[TD_POINTER_SIZE];
  if (strlen(err->pointer) < length) return;
  snprintf(pointer, sizeof pointer, "%s", err->pointer + length);
  place_in_designs(d, pointer);
  snprintf(err->pointer + length, sizeof err->pointer - length, "%.200s", pointer);
}

// Part i of a design of several jobs; the first is the design itself.
static td_status read_part(reader *r, const json_t *doc, size_t i, job_document *job) {
  json_t *part = NULL;
  size_t length = strlen(r->at.text);
  int told = r->all ? r->all->count : 0;
  job->kind = JOB_DESIGN;
  td_status status = begin_part(r, doc, i, &job->design, &part);
  if (status != TD_OK) return status;
  status = read_one_design(r, part, job);
  if (status != TD_OK && r->err) place_in_whole(&job->design, length, r->err);
  for (int k = told; r->all && k < r->all->count; k++) place_in_whole(&job->design, length, &r->all->list[k]);
  json_decref(part);
  return status;
}

static td_status read_designs(reader *r, const json_t *doc, job_document *job) {
  size_t count = json_array_size(job->design.of);
  job_document **part = arena_array(r->memory, count, sizeof *part);
  if (!part) return fail_here(r, TD_NO_MEMORY, "out of memory");
  const reader_mark here = reader_here(r);
  td_status first = TD_OK;
  for (size_t i = 0; i < count; i++) {
    part[i] = i == 0 ? job : arena_alloc(r->memory, sizeof *job);
    if (!part[i]) return fail_here(r, TD_NO_MEMORY, "out of memory");
    if (i > 0) memset(part[i], 0, sizeof *job);
    td_status status = read_part(r, doc, i, part[i]);
    if (!first) first = status;
    if (!reader_goes_on(r, &here, status)) return first;
  }
  job->design.part = (const job_document *const *)part;
  job->design.part_count = count;
  job->model_at = "/of/0/model";
  td_status status = read_designs_unknowns(r, doc, job);
  return first ? first : status;
}

static td_status read_design_job(reader *r, const json_t *doc, job_document *job) {
  const job_document **part = arena_array(r->memory, 1, sizeof *part);
  job->design.of = json_object_get(doc, "of");
  if (!part) return fail_here(r, TD_NO_MEMORY, "out of memory");
  if (json_is_array(job->design.of)) {
    td_status status = check_designs(r, doc);
    return status == TD_OK ? read_designs(r, doc, job) : status;
  }
  part[0] = job;
  job->design.part = part;
  job->design.part_count = 1;
  return read_one_design(r, doc, job);
}

// What is wrong with a term says nothing of the constraints; what is with the job within does.
static bool is_of_objective(const td_error *err) { return strncmp(err->pointer, "/objective", 10) == 0; }

// In the document of the part alone.
static td_status check_alone(const job_document *part, const td_model *model, td_warnings *warnings, td_errors *all,
                             td_error *err) {
  size_t rows;
  td_status first = check_gradient(part, model, &rows, warnings, all, err), status = TD_OK;
  if (first != TD_OK) blame_constraint(part, err);
  for (int i = 0; all && i < all->count; i++) blame_constraint(part, &all->list[i]);
  if (first == TD_OK || (all && is_of_objective(err))) status = check_design_parts(part, model, all, err);
  return first ? first : status;
}

static td_status check_part(const job_document *part, const td_model *model, td_warnings *warnings, td_errors *all,
                            td_error *err) {
  td_warnings said = {0};
  td_errors found = {0};
  td_status status = check_alone(part, model, &said, all ? &found : NULL, err);
  if (status != TD_OK) place_in_designs(&part->design, err->pointer);
  for (int i = 0; i < said.count; i++) place_in_designs(&part->design, said.list[i].pointer);
  for (int i = 0; i < found.count; i++) place_in_designs(&part->design, found.list[i].pointer);
  td_warnings_append(warnings, "", &said);
  td_errors_join(all, &found);
  return status;
}

static td_status check_design(const job_document *job, const td_model *model, size_t *rows, td_warnings *warnings,
                              td_errors *all, td_error *err) {
  td_status first = TD_OK;
  for (size_t i = 0; i < job->design.part_count; i++) {
    td_status status = check_part(job->design.part[i], model, warnings, all, err);
    if (!first) first = status;
    if (!check_goes_on(all, status, err)) break;
  }
  *rows = (size_t)job->design.max_evaluations * (size_t)job->design.unknowns.options.starts;
  return first;
}

static const job_kind_row job_design = {"design", read_design_job, check_design};
static const job_kind_row job_gradient = {"gradient", read_gradient_job, check_gradient};
static const job_kind_row job_fit = {"fit", read_fit_job, check_fit};
static const job_kind_row job_sweep = {"sweep", read_sweep, check_sweep};

// ------------------------------------------------------------------------------------------------ the kinds

static const job_kind_row *const kinds[JOB_KIND_COUNT] = {
    [JOB_DYNAMICS] = &job_dynamics, [JOB_STATICS] = &job_statics,   [JOB_LINEARIZE] = &job_linearize,
    [JOB_FIT] = &job_fit,           [JOB_GRADIENT] = &job_gradient, [JOB_DESIGN] = &job_design,
    [JOB_SWEEP] = &job_sweep,
};

static const char *kind_word(int i) { return kinds[i]->name; }
const char *job_kind_name(job_kind kind) { return (unsigned)kind < JOB_KIND_COUNT ? kind_word((int)kind) : NULL; }

job_kind job_kind_find(const char *name) {
  int i = 0;
  while (i < JOB_KIND_COUNT && strcmp(kind_word(i), name) != 0) i++;
  return (job_kind)i;
}

// ------------------------------------------------------------------------------------------------ the document

// A whole job document at the reader's place.
static td_status read_job(reader *r, const json_t *doc, job_document *job) {
  int word;
  memset(job, 0, sizeof *job);
  td_status status = read_key_word(r, doc, "kind", kind_word, JOB_KIND_COUNT, &word);
  if (status != TD_OK) return status;
  job->kind = (job_kind)word;
  job->model_at = "/model";
  return kinds[word]->read(r, doc, job);
}

static td_status need_model(const job_document *job, td_error *err) {
  if (job->model || job->model_name) return TD_OK;
  return td_fail(err, TD_INVALID_ARGUMENT, job->model_at, "required key \"model\" is missing");
}

td_status codec_job_read_local(const json_t *doc, const char *prefix, arena *a, job_document *job, td_error *err) {
  reader r = {.memory = a, .err = err};
  codec_pointer_init(&r.at, prefix);
  return read_job(&r, doc, job);
}

td_status codec_job_read(const json_t *doc, const char *prefix, arena *a, job_document *job, td_error *err) {
  td_status status = codec_job_read_local(doc, prefix, a, job, err);
  if (status != TD_OK) return status;
  status = need_model(job, err);
  if (status != TD_OK) codec_error_prefix(err, prefix);
  return status;
}

// Where a job of any kind, or the job that it holds, has its model.
static const char *const model_places[] = {"/model", "/base/model", "/of/model", "/of/0/model", "/of/0/job/model"};

void codec_job_errors(json_t *doc, td_errors *all) {
  arena *a = arena_create();
  job_document job;
  td_error err = {.status = TD_OK};
  reader r = {.memory = a, .err = &err, .all = all};
  if (!a) return;
  codec_pointer_init(&r.at, "");
  if (read_job(&r, doc, &job) != TD_OK || need_model(&job, &err) != TD_OK) (void)td_errors_add(all, &err);
  for (size_t i = 0; i < COUNT_OF(model_places); i++) {
    const json_t *model = json_place_find(doc, model_places[i]);
    if (json_is_object(model)) codec_model_errors(model, model_places[i], all);
  }
  arena_destroy(a);
}

static bool reads(const json_t *doc, td_errors *all) {
  arena *a = arena_create();
  job_document job;
  td_error err = {.status = TD_NO_MEMORY};
  bool good = a && codec_job_read(doc, "", a, &job, &err) == TD_OK;
  if (!good) (void)td_errors_add(all, &err);
  arena_destroy(a);
  return good;
}

json_t *codec_job_sound(const json_t *doc, const td_errors *known) { return codec_sound(doc, known, reads); }

const job_document *codec_job_differentiated(const job_document *job, const json_t *doc, const json_t **of) {
  *of = job->kind == JOB_GRADIENT || job->kind == JOB_DESIGN ? job->gradient.of
        : job->kind == JOB_SWEEP                             ? job->sweep.base
                                                             : doc;
  return job->base ? job->base : job;
}

static td_status check_as(const job_document *job, const td_model *model, const char *prefix, size_t *rows,
                          td_warnings *warnings, td_errors *all, td_error *err) {
  assert((unsigned)job->kind < JOB_KIND_COUNT);
  td_warnings said = {0};
  td_errors found = {0};
  td_status status = kinds[job->kind]->check(job, model, rows, &said, all ? &found : NULL, err);
  if (status != TD_OK) codec_error_prefix(err, prefix);
  prefix_errors(&found, prefix);
  td_errors_join(all, &found);
  td_warnings_append(warnings, prefix, &said);
  return status;
}

// Of each entry of `sensitivity` alone.
static void add_number_errors(const job_document *job, const json_t *document, const json_t *model, const char *prefix,
                              td_errors *all) {
  const parameter_list *list = &job->sensitivity.parameters;
  arena *a = arena_create();
  parameter_place *only = a ? arena_array(a, list->count + 1, sizeof *only) : NULL;
  for (size_t e = 0; only && e < list->count && e < CODEC_MOST_JUDGED; e++) {
    job_document one = *job;
    parameter_set set;
    td_error err = {.status = TD_OK};
    only[e] = list->place[e];
    one.sensitivity.parameters.place = only;
    td_status status = codec_job_numbers(&one, document, model, a, &set, &err);
    if (status != TD_OK) codec_error_prefix(&err, prefix);
    if (!check_goes_on(all, status, &err)) break;
    only[e] = (parameter_place){.path = NULL};
  }
  arena_destroy(a);
}

void codec_job_errors_against(const job_document *job, const json_t *document, const td_model *model,
                              const json_t *model_document, td_errors *all) {
  td_error err = {.status = TD_OK};
  size_t rows;
  const json_t *of;
  const job_document *run = codec_job_differentiated(job, document, &of);
  td_status status = check_as(job, model, "", &rows, NULL, all, &err);
  if (!check_goes_on(all, status, &err) || !model_document) return;
  if (job->kind == JOB_FIT)
    codec_fit_errors(&job->fit, model_document, NULL, all);
  else if (job->kind == JOB_DESIGN)
    codec_fit_errors(&job->design.unknowns, model_document, job->design.of, all);
  else if (run->sensitivity.given)
    add_number_errors(run, of, model_document, job->kind == JOB_SWEEP ? "/base" : "", all);
}

td_status codec_job_check(const job_document *job, const td_model *model, const char *prefix, size_t *rows,
                          td_warnings *warnings, td_error *err) {
  td_error own = {0};
  size_t count = 1;
  td_warnings_append(warnings, job->model_at, td_model_warnings(model));
  td_status status = check_as(job, model, prefix, &count, warnings, NULL, err ? err : &own);
  if (rows) *rows = count;
  return status;
}

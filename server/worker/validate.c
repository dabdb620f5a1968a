// `tendril-worker --validate FILE…`: a document is a model when it has links, a job when it has a kind. Models are
// built, jobs are checked against theirs: the inline one, else that among the files with the job's name for it, else
// NAME.model.json beside the job. Of a sweep every job is checked. The rules are those of the server: the same
// functions of codec/ and the engine.
#include "worker/validate.h"
#include "worker/document_file.h"

#include "api/c/text_place.h"
#include "base/arena.h"
#include "base/limits.h"
#include "codec/document/job/job.h"
#include "codec/document/model/model.h"
#include "codec/json/pointer.h"
#include "codec/json/text.h"
#include "codec/wire/warnings.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct document {
  const char *path;
  char *text; // [size] as it stands in the file
  size_t size;
  json_t *json; // NULL: it could not be parsed
  td_error err;
  td_errors all; // what is wrong, err the first; none: err alone, or nothing
  td_warnings warnings;
  const char *kind; // "model", "dynamics" …; NULL: neither
  const char *name; // the model's, of a job its model's; NULL: none
  char remark[256]; // what was not checked, "": nothing
  int ndof, channels;
  size_t rows;
} document;

typedef struct pile {
  document *documents;
  int count;
} pile;

static const char *word(const json_t *object, const char *key) {
  return json_string_value(json_object_get(object, key));
}

static void classify(document *d) {
  const json_t *job = d->json, *within = json_object_get(job, "of"), *base = json_object_get(job, "base");
  if (json_is_object(within)) base = within;
  const char *kind = word(job, "kind");
  if (kind && job_kind_find(kind) < JOB_KIND_COUNT) {
    d->kind = job_kind_name(job_kind_find(kind));
    d->name = word(base ? base : job, "model");
  } else if (!kind && (json_object_get(job, "links") || word(job, "format"))) {
    d->kind = "model";
    d->name = word(job, "name");
  }
}

static bool open_document(document *d, const char *path) {
  *d = (document){.path = path};
  d->text = document_file_read(path, &d->size);
  if (!d->text) return false;
  d->json = codec_parse(d->text, d->size, &d->err);
  if (d->json) classify(d);
  if (d->json && !d->kind)
    (void)td_fail(
        &d->err, TD_INVALID_ARGUMENT, "/kind",
        "neither a model (it has no \"links\") nor a job: \"kind\" must be dynamics, statics, linearize, fit, "
        "gradient, design or sweep");
  return true;
}

// ------------------------------------------------------------------------------------------------ models

static void check_model(document *d) {
  td_model *model = NULL;
  if (codec_model_name_check(d->json, &d->err) || codec_model_build(d->json, "", &model, &d->err)) {
    td_errors found = {0};
    codec_model_errors(d->json, "", &found);
    (void)td_errors_add(&d->all, &d->err);
    td_errors_join(&d->all, &found);
    return;
  }
  td_warnings_append(&d->warnings, "", td_model_warnings(model));
  d->ndof = td_model_ndof(model);
  d->channels = td_model_channel_count(model);
  td_model_destroy(model);
}

// NAME.model.json in the folder of the job; NULL when there is none.
static json_t *model_beside(const char *job_path, const char *name) {
  char path[4096];
  const char *slash = strrchr(job_path, '/');
  int folder = slash ? (int)(slash - job_path) + 1 : 0;
  if (snprintf(path, sizeof path, "%.*s%s.model.json", folder, job_path, name) >= (int)sizeof path) return NULL;
  return json_load_file(path, JSON_REJECT_DUPLICATES, NULL);
}

// A new reference to the document that the job means, NULL when it is not at hand.
static json_t *find_model(const pile *p, const document *d, const job_document *job) {
  if (job->model) return json_incref((json_t *)job->model);
  for (int i = 0; i < p->count; i++) {
    const document *other = &p->documents[i];
    bool named = other->name && strcmp(other->name, job->model_name) == 0;
    if (named && other->kind && strcmp(other->kind, "model") == 0) return json_incref(other->json);
  }
  return model_beside(d->path, job->model_name);
}

// ------------------------------------------------------------------------------------------------ jobs

static bool says(const td_warnings *list, const td_warning *w, size_t skipped) {
  for (int i = 0; i < list->count; i++)
    if (strcmp(list->list[i].code, w->code) == 0 && strcmp(list->list[i].pointer, w->pointer + skipped) == 0)
      return true;
  return false;
}

// What is odd in a model of another file is said there.
static void take_warnings(document *d, const job_document *job, const td_model *model, const td_warnings *found) {
  size_t length = strlen(job->model_at);
  for (int i = 0; i < found->count; i++) {
    const td_warning *w = &found->list[i];
    bool elsewhere = !job->model && strncmp(w->pointer, job->model_at, length) == 0;
    if (!elsewhere || !says(td_model_warnings(model), w, length)) td_warnings_add(&d->warnings, "", w);
  }
}

// That places of `sensitivity` are numbers that may be parameters.
static td_status check_numbers(const job_document *job, const json_t *text, const json_t *model, arena *memory,
                               td_error *err) {
  parameter_set set;
  return codec_job_numbers(job, text, model, memory, &set, err);
}

static td_status check_child(json_t *job_json, const json_t *model_json, td_model *shared, td_error *err) {
  arena *memory = arena_create();
  job_document job;
  td_model *own = NULL;
  if (!memory) return td_fail(err, TD_NO_MEMORY, "", "not enough memory");
  td_status status = codec_job_read_local(job_json, "", memory, &job, err);
  if (status == TD_OK && model_json) status = codec_model_build(model_json, "/model", &own, err);
  if (status == TD_OK) status = codec_job_check(&job, own ? own : shared, "", NULL, NULL, err);
  if (status == TD_OK && model_json) status = check_numbers(&job, job_json, model_json, memory, err);
  td_model_destroy(own);
  arena_destroy(memory);
  return status;
}

// Every job that the sweep would make.
static void check_sweep(document *d, const sweep_document *sweep, const json_t *model_json, td_model *model) {
  bool varies = codec_sweep_varies_model(sweep);
  json_t *job = json_deep_copy(sweep->base), *copy = varies ? json_deep_copy(model_json) : NULL;
  td_status status = varies ? codec_sweep_check_model(sweep, model_json, &d->err) : TD_OK;
  for (size_t i = 0; status == TD_OK && i < sweep->jobs; i++) {
    if (!codec_sweep_apply(sweep, i, job, copy))
      status = td_fail(&d->err, TD_NO_MEMORY, "", "not enough memory");
    else if ((status = check_child(job, copy, model, &d->err)) != TD_OK)
      codec_sweep_blame(sweep, i, &d->err);
  }
  json_decref(job);
  json_decref(copy);
}

static void check_unknowns(document *d, const job_document *job, const json_t *model_json) {
  parameter_set set;
  td_unknown *unknowns;
  arena *memory = arena_create();
  bool design = job->kind == JOB_DESIGN;
  const fit_document *sought = design ? &job->design.unknowns : &job->fit;
  if (memory)
    (void)!codec_fit_resolve(sought, model_json, design ? job->design.of : NULL, memory, &set, &unknowns, &d->err);
  else
    (void)td_fail(&d->err, TD_NO_MEMORY, "", "not enough memory");
  arena_destroy(memory);
}

static void check_against(document *d, const job_document *job, const json_t *model_json, arena *memory) {
  td_model *model = NULL;
  td_warnings found = {0};
  if (codec_model_build(model_json, job->model_at, &model, &d->err) != TD_OK) {
    codec_model_errors(model_json, job->model_at, &d->all);
    return;
  }
  td_status status = codec_job_check(job, model, "", &d->rows, &found, &d->err);
  take_warnings(d, job, model, &found);
  const json_t *text;
  const job_document *run = codec_job_differentiated(job, d->json, &text);
  if (status == TD_OK) status = check_numbers(run, text, model_json, memory, &d->err);
  if (status != TD_OK && job->kind == JOB_SWEEP && strncmp(d->err.pointer, "/sensitivity", 12) == 0)
    codec_error_prefix(&d->err, "/base");
  if (status == TD_OK && job->kind == JOB_SWEEP) check_sweep(d, &job->sweep, model_json, model);
  if (status == TD_OK && (job->kind == JOB_FIT || job->kind == JOB_DESIGN)) check_unknowns(d, job, model_json);
  if (d->err.status != TD_OK && td_errors_add(&d->all, &d->err))
    codec_job_errors_against(job, d->json, model, model_json, &d->all);
  td_model_destroy(model);
}

// Of a job that cannot be read: what else its model says to the rest of it.
static void check_rest(const pile *p, document *d) {
  arena *memory = arena_create();
  json_t *rest = codec_job_sound(d->json, &d->all), *model_json = NULL;
  job_document job;
  td_model *model = NULL;
  td_error ignored;
  td_errors found = {0};
  if (memory && rest && codec_job_read(rest, "", memory, &job, &ignored) == TD_OK) model_json = find_model(p, d, &job);
  if (model_json && codec_model_build(model_json, job.model_at, &model, &ignored) == TD_OK)
    codec_job_errors_against(&job, rest, model, model_json, &found);
  codec_errors_elsewhere(&d->all, &found);
  td_model_destroy(model);
  json_decref(model_json);
  json_decref(rest);
  arena_destroy(memory);
}

static void check_job(const pile *p, document *d) {
  arena *memory = arena_create();
  job_document job;
  if (!memory) {
    (void)td_fail(&d->err, TD_NO_MEMORY, "", "not enough memory");
    return;
  }
  if (codec_job_read(d->json, "", memory, &job, &d->err) != TD_OK) {
    td_errors found = {0};
    codec_job_errors(d->json, &found);
    (void)td_errors_add(&d->all, &d->err);
    td_errors_join(&d->all, &found);
    check_rest(p, d);
  } else {
    json_t *model = find_model(p, d, &job);
    if (model)
      check_against(d, &job, model, memory);
    else
      snprintf(d->remark, sizeof d->remark,
               "the model \"%.64s\" is not among the files, and %.64s.model.json is not next to the job: only "
               "the job's own words were checked",
               job.model_name, job.model_name);
    json_decref(model);
  }
  arena_destroy(memory);
}

// ------------------------------------------------------------------------------------------------ answers

static bool is_good(const document *d) { return d->json && d->err.status == TD_OK; }

// "arm.json:12:7: error at /links/0/body/mass: ", as editors and compilers say it; of the whole file without numbers.
static void print_head(const document *d, const char *what, const char *pointer) {
  text_place place;
  printf("%s:", d->path);
  if (text_place_find(d->text, d->size, pointer, &place)) printf("%ld:%ld:", place.line, place.column);
  printf(" %s%s%s: ", what, *pointer ? " at " : "", pointer);
}

// Of a document that is not good: all that is known to be wrong with it.
static td_errors errors_of(const document *d) {
  td_errors all = d->all;
  if (all.count == 0) all = (td_errors){.count = 1, .list = {d->err}};
  return all;
}

// Of what is no JSON: "line 9 column 93: …" (codec/json/text.c). The message without its place; NULL: it has none.
static const char *syntax_place(const document *d, const char *message, text_place *place) {
  int used = 0;
  bool has =
      !d->json && sscanf(message, "line %ld column %ld: %n", &place->line, &place->column, &used) == 2 && used > 0;
  return has ? message + used : NULL;
}

static void print_errors(const document *d) {
  const td_errors all = errors_of(d);
  for (int i = 0; i < all.count; i++) {
    text_place place;
    const char *syntax = syntax_place(d, all.list[i].message, &place);
    if (syntax)
      printf("%s:%ld:%ld: error: %s\n", d->path, place.line, place.column, syntax);
    else
      print_head(d, "error", all.list[i].pointer), puts(all.list[i].message);
  }
}

static void print_document(const document *d) {
  if (!is_good(d)) {
    print_errors(d);
  } else if (strcmp(d->kind, "model") == 0) {
    printf("%s: model%s%s: no errors, %d coordinates, %d channels\n", d->path, d->name ? " " : "",
           d->name ? d->name : "", d->ndof, d->channels);
  } else {
    printf("%s: job of kind %s%s%s: no errors\n", d->path, d->kind, d->name ? ", model " : "", d->name ? d->name : "");
  }
  if (*d->remark) printf("%s: note: %s\n", d->path, d->remark);
  for (int i = 0; i < d->warnings.count; i++) {
    const td_warning *w = &d->warnings.list[i];
    char text[TD_WARNING_TEXT_SIZE];
    td_warning_text(w, text);
    print_head(d, "warning", w->pointer);
    printf("%s: %s\n", w->code, text);
  }
  if (d->warnings.dropped > 0) printf("%s: warning: and %d more\n", d->path, d->warnings.dropped);
}

// Adds line and column to what has a pointer.
static void add_place(const document *d, json_t *one) {
  text_place place;
  const char *pointer = word(one, "pointer"), *detail = word(one, "detail");
  bool syntax = detail && syntax_place(d, detail, &place);
  if (!pointer || (!syntax && !text_place_find(d->text, d->size, pointer, &place))) return;
  json_object_set_new(one, "line", json_integer(place.line));
  json_object_set_new(one, "column", json_integer(place.column));
}

static json_t *document_json(const document *d) {
  json_t *errors = json_array();
  const td_errors all = errors_of(d);
  for (int k = 0; !is_good(d) && k < all.count; k++)
    json_array_append_new(errors, json_pack("{s:s, s:s, s:s}", "code", td_status_name(all.list[k].status), "detail",
                                            all.list[k].message, "pointer", all.list[k].pointer));
  json_t *warnings = codec_warnings_json(&d->warnings), *one;
  size_t i;
  json_array_foreach(errors, i, one) add_place(d, one);
  json_array_foreach(warnings, i, one) add_place(d, one);
  json_t *out = json_pack("{s:s, s:s?, s:s?, s:b, s:o, s:o}", "file", d->path, "kind", d->kind, "model", d->name,
                          "valid", (int)is_good(d), "errors", errors, "warnings", warnings);
  if (*d->remark) json_object_set_new(out, "note", json_string(d->remark));
  return out;
}

static void print_json(const pile *p) {
  json_t *list = json_array();
  for (int i = 0; i < p->count; i++) json_array_append_new(list, document_json(&p->documents[i]));
  json_t *all = json_pack("{s:o}", "files", list);
  char *text = json_dumps(all, JSON_INDENT(2));
  if (text) puts(text);
  free(text);
  json_decref(all);
}

int worker_validate(int count, const char *const *paths, bool as_json) {
  pile p = {.documents = calloc((size_t)count + 1, sizeof *p.documents)};
  bool readable = p.documents != NULL, good = true;
  for (; readable && p.count < count; p.count++) readable = open_document(&p.documents[p.count], paths[p.count]);
  for (int i = 0; readable && i < p.count; i++) {
    document *d = &p.documents[i];
    if (is_good(d) && strcmp(d->kind, "model") == 0)
      check_model(d);
    else if (is_good(d))
      check_job(&p, d);
    good = good && is_good(d);
    if (!as_json) print_document(d);
  }
  if (readable && as_json) print_json(&p);
  for (int i = 0; i < p.count; i++) {
    json_decref(p.documents[i].json);
    free(p.documents[i].text);
  }
  free(p.documents);
  return !readable ? 2 : good ? 0 : 1;
}

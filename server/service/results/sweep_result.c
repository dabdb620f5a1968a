// The result of a sweep, put together from the archives of its jobs whenever it is asked for (codec/result/stack.h).
//
// Here: which jobs there are, and their archives, whole ones and those that are kept of a job that failed at its end.
#include "codec/result/stack.h"
#include "codec/wire/archive.h"
#include "service/results/temporary.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef struct part { ///< a job of the sweep
  store_job row;      ///< without its texts
  size_t rows;
  json_t *error, *warnings; ///< or NULL
} part;

typedef struct sweep_parts {
  part *list;
  size_t count, room;
  bool short_of_memory;
} sweep_parts;

static bool no_memory(fault *f) { return fault_set(f, PROBLEM_UNAVAILABLE, NULL, "not enough memory"); }

static bool no_room(fault *f) { return fault_set(f, PROBLEM_UNAVAILABLE, NULL, "no memory or disk for the result"); }

// ------------------------------------------------------------------------------------------------ the sweep

static json_t *parse(const char *text) { return text ? json_loads(text, 0, NULL) : NULL; }

static void add_part(void *context, const store_sweep_job *job) {
  sweep_parts *parts = context;
  if (parts->count == parts->room) {
    size_t room = parts->room ? 2 * parts->room : 64;
    part *more = realloc(parts->list, room * sizeof *more);
    if (!more) {
      parts->short_of_memory = true;
      return;
    }
    parts->list = more;
    parts->room = room;
  }
  part *p = &parts->list[parts->count++];
  *p = (part){.row = job->row, .rows = (size_t)job->rows};
  p->row.document = p->row.labels = p->row.error = p->row.warnings = NULL;
  p->error = parse(job->row.error);
  p->warnings = parse(job->row.warnings);
}

static void parts_fini(sweep_parts *parts) {
  for (size_t i = 0; i < parts->count; i++) json_decref(parts->list[i].error), json_decref(parts->list[i].warnings);
  free(parts->list);
}

static codec_stack_job *tell_jobs(const sweep_parts *parts) {
  codec_stack_job *jobs = calloc(parts->count + 1, sizeof *jobs);
  for (size_t i = 0; jobs && i < parts->count; i++) {
    const part *p = &parts->list[i];
    jobs[i] = (codec_stack_job){.id = p->row.id,
                                .state = job_state_name(p->row.state),
                                .succeeded = p->row.state == JOB_SUCCEEDED,
                                .rows = p->rows,
                                .error = p->error,
                                .warnings = p->warnings};
  }
  return jobs;
}

// ------------------------------------------------------------------------------------------------ archives of jobs

typedef struct source {
  void *map;
  size_t size;
  arena *memory;
  npz_archive archive;
} source;

static void source_close(source *src) {
  if (src->map) munmap(src->map, src->size);
  arena_destroy(src->memory);
}

// Reads the archive of `size` bytes in a file, which is closed. False with nothing to close.
static bool source_map(source *src, int fd, size_t size) {
  *src = (source){.size = size, .memory = arena_create()};
  src->map = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
  close(fd);
  if (src->map == MAP_FAILED) src->map = NULL;
  bool good = src->map && src->memory && codec_npz_open(src->map, size, src->memory, &src->archive, NULL) == TD_OK;
  if (!good) source_close(src);
  return good;
}

static bool source_open(service *s, const store_job *job, source *src, fault *f) {
  int fd;
  store_result_condition found = store_result_open(s->store, job, &fd);
  if (found == STORE_RESULT_GOOD && source_map(src, fd, (size_t)job->result_size)) return true;
  store_result_report(s->store, job, found);
  if (found == STORE_RESULT_GOOD || found == STORE_RESULT_UNREADABLE)
    return fault_set(f, PROBLEM_UNAVAILABLE, NULL, "the result of job \"%s\" cannot be read now", job->id);
  return fault_set(f, PROBLEM_RESULT_LOST, NULL, "the result of job \"%s\" of the sweep is lost: %s", job->id,
                   store_result_words(found));
}

// A job that failed although its rows are all there (inconsistent, unconverged): what its last checkpoint keeps.
static bool source_open_kept(service *s, const store_job *row, source *src) {
  store_job job;
  result_file file = {.fd = -1};
  fault ignored;
  if (store_job_get(s->store, row->id, &job) != STORE_OK) return false;
  bool kept = store_job_whole(s->store, &job) == STORE_OK && results_open_prefix(s, &job, &file, &ignored);
  store_job_fini(&job);
  return kept && source_map(src, file.fd, (size_t)file.size);
}

static bool is_whole(const part *p) {
  const char *code = json_string_value(json_object_get(p->error, "code"));
  return code && (!strcmp(code, td_status_name(TD_INCONSISTENT)) || !strcmp(code, td_status_name(TD_UNCONVERGED)));
}

static const part *first_with_result(const sweep_parts *parts) {
  for (size_t i = 0; i < parts->count; i++)
    if (parts->list[i].row.state == JOB_SUCCEEDED) return &parts->list[i];
  for (size_t i = 0; i < parts->count; i++)
    if (is_whole(&parts->list[i])) return &parts->list[i];
  return NULL;
}

// ------------------------------------------------------------------------------------------------ together

static bool no_rows(const store_job *sweep, fault *f) {
  return fault_set(f, PROBLEM_NOT_READY, NULL, "sweep \"%s\" is %s and none of its jobs has succeeded yet", sweep->id,
                   job_state_name(sweep->state));
}

static bool plan(service *s, const store_job *sweep, const sweep_parts *parts, codec_stack *stack, fault *f) {
  source first;
  const part *p = first_with_result(parts);
  if (!p) return no_rows(sweep, f);
  if (p->row.state != JOB_SUCCEEDED) {
    if (!source_open_kept(s, &p->row, &first)) return no_rows(sweep, f);
  } else if (!source_open(s, &p->row, &first, f))
    return false;
  bool done = codec_stack_plan(stack, &first.archive, first.memory, store_tmp_file(s->store)) || no_room(f);
  source_close(&first);
  return done;
}

static bool add(service *s, const part *p, codec_stack *stack, fault *f) {
  source src;
  bool there = p->row.state == JOB_SUCCEEDED;
  if (there && !source_open(s, &p->row, &src, f)) return false;
  if (!there) there = is_whole(p) && source_open_kept(s, &p->row, &src);
  bool kept = there ? codec_stack_add(stack, &src.archive, src.memory) : codec_stack_add(stack, NULL, NULL);
  if (there) source_close(&src);
  return kept || no_room(f);
}

// The row of a sweep has its jobs' warnings from its end on. Before that, what they have said so far.
static json_t *warnings_of(const store_job *sweep, const sweep_parts *parts) {
  store_job *jobs = job_state_terminal(sweep->state) ? NULL : calloc(parts->count + 1, sizeof *jobs);
  if (!jobs) return parse(sweep->warnings);
  for (size_t i = 0; i < parts->count; i++) {
    jobs[i] = parts->list[i].row;
    jobs[i].warnings = parts->list[i].warnings ? json_dumps(parts->list[i].warnings, JSON_COMPACT) : NULL;
  }
  char *text = store_sweep_warnings(sweep->warnings, jobs, parts->count);
  json_t *warnings = parse(text);
  free(text);
  for (size_t i = 0; i < parts->count; i++) free(jobs[i].warnings);
  free(jobs);
  return warnings;
}

static bool write_archive(service *s, const store_job *sweep, const sweep_parts *parts, codec_stack *stack,
                          result_file *file, fault *f) {
  uint64_t bytes = 0;
  json_t *warnings = warnings_of(sweep, parts);
  codec_stack_sweep told = {.kind = sweep->kind,
                            .state = job_state_name(sweep->state),
                            .whole = sweep->state == JOB_SUCCEEDED,
                            .warnings = warnings};
  file->fd = store_tmp_file(s->store);
  bool done =
      file->fd >= 0 && codec_stack_write(stack, &told, file->fd, &bytes) && digest_of_file(file->fd, file->sha256);
  json_decref(warnings);
  file->size = (int64_t)bytes;
  if (done) return true;
  results_close(file);
  return fault_set(f, PROBLEM_UNAVAILABLE, NULL,
                   "the result could not be put together: not enough memory or the disk full");
}

static bool stack_parts(service *s, const store_job *sweep, const sweep_parts *parts, result_file *file, fault *f) {
  json_t *document = json_loads(sweep->document, 0, NULL);
  codec_stack_job *jobs = tell_jobs(parts);
  codec_stack *stack = document && jobs ? codec_stack_open(document, jobs, parts->count) : NULL;
  bool done = stack ? plan(s, sweep, parts, stack, f) : no_memory(f);
  for (size_t i = 0; done && i < parts->count; i++) done = add(s, &parts->list[i], stack, f);
  done = done && write_archive(s, sweep, parts, stack, file, f);
  codec_stack_close(stack);
  free(jobs);
  json_decref(document);
  return done;
}

bool results_open_sweep(service *s, const store_job *sweep, result_file *file, fault *f) {
  sweep_parts parts = {.list = NULL};
  store_status status = store_sweep_jobs(s->store, sweep->id, &(store_visit){.context = &parts, .sweep_job = add_part});
  bool done = status == STORE_OK ? !parts.short_of_memory || no_memory(f)
                                 : fault_from_store(f, status, "the jobs of the sweep");
  done = done && stack_parts(s, sweep, &parts, file, f);
  parts_fini(&parts);
  return done;
}

// Results: found (whole.c, partial.c, sweep_result.c have the files), and handed out whole or in part.
#include "codec/document/job/job.h"
#include "service/jobs/jobs.h"
#include "service/jobs/submission.h"
#include "service/results/temporary.h"
#include "tendril/dynamics.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// ---------------------------------------------------------------------------------------------------------- opening

static bool no_result(fault *f, const store_job *job) {
  json_t *error = job->error ? json_loads(job->error, 0, NULL) : NULL;
  const char *detail = json_string_value(json_object_get(error, "detail"));
  bool whole = jobs_error_is_late(job->error);
  fault_set(f, PROBLEM_FAILED_PRECONDITION, NULL, "job \"%s\" %s and has no result%s%s%.320s", job->id,
            job->state == JOB_CANCELLED ? "was cancelled" : "failed",
            whole ? " that counts (?partial=1 gives what it computed)" : "", detail ? ": " : "", detail ? detail : "");
  json_decref(error);
  return false;
}

static bool not_ready(fault *f, const store_job *job) {
  if (!job_state_terminal(job->state))
    return fault_set(f, PROBLEM_NOT_READY, NULL, "job \"%s\" is %s: its result comes when it has succeeded", job->id,
                     job_state_name(job->state));
  return no_result(f, job);
}

static bool open_any(service *s, store_job *job, bool partial, result_file *file, fault *f) {
  if (strcmp(job->kind, job_kind_name(JOB_SWEEP)) == 0)
    return job->state == JOB_SUCCEEDED || partial ? results_open_sweep(s, job, file, f) : not_ready(f, job);
  if (job->state == JOB_SUCCEEDED) return results_open_whole(s, job, file, f);
  return partial ? results_open_prefix(s, job, file, f) : not_ready(f, job);
}

static bool read_partial(const result_query *q, bool *partial, fault *f) {
  int64_t value;
  bool read = query_integer("partial", q->partial, 0, 1, 0, &value, f);
  *partial = read && value == 1;
  return read;
}

bool results_open(service *s, const auth_caller *who, const char *id, const result_query *query, result_file *file,
                  fault *f) {
  store_job job;
  bool partial;
  *file = (result_file){.fd = -1};
  if (!read_partial(query, &partial, f) || !jobs_find(s, who, id, &job, f)) return false;
  store_status whole = partial && job.damaged ? STORE_FAILED : partial ? store_job_whole(s->store, &job) : STORE_OK;
  bool done = whole == STORE_OK ? open_any(s, &job, partial, file, f) : fault_from_store(f, whole, "the job");
  store_job_fini(&job);
  return done;
}

// ------------------------------------------------------------------------------------------------------------ parts

static bool read_bound(const char *key, const char *value, double *bound, fault *f) {
  *bound = NAN;
  if (!value) return true;
  size_t length = strlen(value), used = codec_number_read(value, value + length, bound);
  return (used == length && length > 0 && isfinite(*bound)) ||
         fault_set(f, PROBLEM_INVALID_ARGUMENT, NULL, "the query's %s is \"%.40s\", not a number", key, value);
}

bool results_part(const result_query *q, codec_result_part *part, fault *f) {
  int64_t stride;
  *part = (codec_result_part){.fields = q->fields};
  if (!read_bound("from", q->from, &part->from, f) || !read_bound("to", q->to, &part->to, f) ||
      !query_integer("stride", q->stride, 1, INT64_MAX, 1, &stride, f))
    return false;
  part->stride = (uint64_t)stride;
  return !(part->from > part->to) || fault_set(f, PROBLEM_INVALID_ARGUMENT, NULL,
                                               "the query's from, %g, is later than its to, %g", part->from, part->to);
}

// The bytes of a form follow from those of the archive, the part and this program.
void results_tag(const result_file *file, const result_query *q, media form, char tag[RESULT_TAG_SIZE]) {
  const char *const words[] = {file->sha256, q->fields, q->from, q->to, q->stride, td_version()};
  bool stored = form == MEDIA_NPZ && !q->fields && !q->from && !q->to && !q->stride;
  char hex[DIGEST_HEX_SIZE];
  digest d;
  digest_init(&d);
  digest_update(&d, &(char){(char)form}, 1);
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    digest_update(&d, words[i] ? words[i] : "", words[i] ? strlen(words[i]) + 1 : 1);
  digest_hex(&d, hex);
  snprintf(tag, RESULT_TAG_SIZE, "\"%s\"", stored ? file->sha256 : hex);
}

static bool part_fault(fault *f, const td_error *err) {
  if (err->status == TD_INVALID_ARGUMENT) return fault_set(f, PROBLEM_INVALID_ARGUMENT, NULL, "%s", err->message);
  return fault_from_error(f, err);
}

typedef struct bringing {
  result_file *file;
  fault *f;
  bool failed;
} bringing;

static bool bring_bytes(void *context, uint64_t at, size_t size) {
  bringing *b = context;
  b->failed = b->failed || !results_bring(b->file, (int64_t)at, (int64_t)size, b->f);
  return !b->failed;
}

static codec_result *open_part(const codec_result_part *part, result_file *file, fault *f) {
  td_error err;
  bringing b = {.file = file, .f = f};
  const npz_file archive = {.fd = file->fd, .bring = file->source ? bring_bytes : NULL, .context = &b};
  codec_result *result = codec_result_open_file(&archive, part, &err);
  results_close(file);
  if (!result && !b.failed) part_fault(f, &err);
  return result;
}

bool results_cut(service *s, const codec_result_part *part, result_file *file, fault *f) {
  td_error err = {.status = TD_OK};
  uint64_t size = 0;
  if (!results_tmp_room(s, (uint64_t)file->size, f)) return results_close(file), false;
  codec_result *result = open_part(part, file, f);
  if (!result) return false;
  file->fd = store_tmp_file(s->store);
  bool done = file->fd >= 0 && codec_result_write_npz(result, file->fd, &size, &err) == TD_OK;
  codec_result_close(result);
  file->size = (int64_t)size;
  if (done) return true;
  results_close(file);
  return fault_set(f, PROBLEM_UNAVAILABLE, NULL, "no temporary file for the part can be written: %s",
                   *err.message ? err.message : "the disk is full or fails");
}

codec_result *results_read(const codec_result_part *part, media form, result_file *file, fault *f) {
  td_error err = {.status = TD_OK};
  codec_result *result = open_part(part, file, f);
  if (!result) return NULL;
  if (form == MEDIA_JSON) return codec_result_as_json(result), result;
  if (codec_result_as_csv(result, &err)) return result;
  codec_result_close(result);
  return part_fault(f, &err), NULL;
}

static bool write_all(int fd, const char *bytes, size_t size) {
  while (size > 0) {
    ssize_t n = write(fd, bytes, size);
    if (n < 0 && errno != EINTR) return false;
    if (n > 0) bytes += n, size -= (size_t)n;
  }
  return true;
}

bool results_spool(service *s, codec_result *result, result_file *file, fault *f) {
  enum { BLOCK = 1 << 16 };
  char block[BLOCK];
  long n = -1;
  if (!results_tmp_room(s, (uint64_t)file->size, f)) return codec_result_close(result), false;
  file->size = 0;
  file->fd = store_tmp_file(s->store);
  bool written = file->fd >= 0;
  while (written && (n = codec_result_read(result, block, BLOCK)) > 0) {
    written = write_all(file->fd, block, (size_t)n);
    file->size += n;
  }
  codec_result_close(result);
  if (written && n == 0) return true;
  results_close(file);
  return fault_set(f, PROBLEM_UNAVAILABLE, NULL, "no temporary file for a range of the result can be written");
}

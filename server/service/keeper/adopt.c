// Results that are there although their row does not say so: the server died between the rename and the commit of the
// row.
//
// A file gets its name only when it is whole, verified and on the disk, so the job is done; its row still says that
// attempt A is running. The archive's summary says which attempt of which model wrote it: only the one that owns the
// job may end it (guarantee 2), and every checksum inside must be right. Anything else stays as it is, and the next
// attempt replaces it.
#include "base/log/log.h"
#include "codec/json/memory.h"
#include "codec/result/result.h"
#include "service/keeper/keeper.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { RUNNING_MAX = 1000 }; // rows at most; there are not more slots than that

static bool is_of(const store_job *job, const json_t *summary) {
  const char *model = json_string_value(json_object_get(json_object_get(summary, "model"), "sha256"));
  const char *kind = json_string_value(json_object_get(summary, "kind"));
  return json_integer_value(json_object_get(summary, "attempt")) == job->attempt && kind &&
         strcmp(kind, job->kind) == 0 && model && strcmp(model, job->model_sha256) == 0;
}

// *warnings: of its summary, as text (free).
static bool fits(const store_job *job, int fd, char **warnings) {
  td_error err;
  codec_result *result = codec_result_open(fd, NULL, &err);
  json_t *summary = result && codec_result_intact(result) ? codec_result_summary(result, &err) : NULL;
  bool good = summary && is_of(job, summary);
  const json_t *list = json_object_get(summary, "warnings");
  *warnings = good && json_array_size(list) > 0 ? json_memory_text(list, JSON_COMPACT) : NULL;
  json_decref(summary);
  codec_result_close(result);
  return good;
}

static bool adopt(store *s, const store_job *job, int fd) {
  char sha256[DIGEST_HEX_SIZE];
  struct stat st = {.st_size = 0};
  char *warnings = NULL;
  bool good = fits(job, fd, &warnings) && fstat(fd, &st) == 0 && digest_of_file(fd, sha256);
  store_outcome outcome = {
      .state = JOB_SUCCEEDED, .warnings = warnings, .result_size = st.st_size, .result_sha256 = sha256};
  good = good && store_job_finish(s, job->id, job->attempt, &outcome) == STORE_OK;
  free(warnings);
  if (!good) return false;
  log_write(LOG_LEVEL_INFO, "result_adopted", LOG_S("job", job->id), LOG_I("attempt", job->attempt),
            LOG_I("bytes", (int64_t)st.st_size));
  return true;
}

typedef struct adoption {
  store_job jobs[RUNNING_MAX]; // without their texts
  int count;
} adoption;

// The rows are read before one is changed.
static void note_running(void *context, const store_job *job) {
  adoption *a = context;
  if (a->count == RUNNING_MAX || job->cancel) return; // what is being cancelled is cancelled by the restart
  store_job *kept = &a->jobs[a->count++];
  *kept = *job;
  kept->document = kept->labels = kept->error = kept->warnings = NULL;
}

int keeper_adopt_results(store *s) {
  store_job_filter running = {.state = job_state_name(JOB_RUNNING), .limit = RUNNING_MAX};
  int adopted = 0;
  adoption *a = calloc(1, sizeof *a);
  if (!a) return 0;
  store_status status = store_job_list(s, &running, &(store_visit){.context = a, .job = note_running});
  for (int i = 0; status == STORE_OK && i < a->count; i++) {
    int fd = store_result_find(s, a->jobs[i].id, a->jobs[i].attempt);
    adopted += fd >= 0 && adopt(s, &a->jobs[i], fd);
    if (fd >= 0) close(fd);
  }
  free(a);
  return adopted;
}

// The rules of sweeps: state, progress, error and warnings from the states of their jobs. Nothing is read or written
// here.
#include "store/sweep_rules.h"
#include "store/parts.h"
#include "store/rows.h"
#include "tendril/warnings.h"
#include <assert.h>
#include <stdio.h>
#include <string.h>

static int64_t ended(const int64_t jobs[JOB_STATE_COUNT]) {
  return jobs[JOB_SUCCEEDED] + jobs[JOB_FAILED] + jobs[JOB_CANCELLED];
}

static int64_t left(const int64_t jobs[JOB_STATE_COUNT]) { return jobs[JOB_QUEUED] + jobs[JOB_RUNNING]; }

job_state sweep_next_state(const sweep_now *now) {
  const int64_t *jobs = now->jobs;
  assert(jobs[JOB_QUEUED] >= 0 && jobs[JOB_RUNNING] >= 0 && ended(jobs) + left(jobs) > 0);
  if (job_state_terminal(now->state)) return now->state;
  if (left(jobs) > 0) return now->state == JOB_QUEUED && jobs[JOB_RUNNING] == 0 ? JOB_QUEUED : JOB_RUNNING;
  if (jobs[JOB_FAILED] + jobs[JOB_CANCELLED] == 0) return JOB_SUCCEEDED;
  return jobs[JOB_FAILED] == 0 || (now->cancel && jobs[JOB_CANCELLED] > 0) ? JOB_CANCELLED : JOB_FAILED;
}

store_progress sweep_progress(const int64_t jobs[JOB_STATE_COUNT]) {
  double all = (double)(ended(jobs) + left(jobs));
  assert(all > 0);
  return (store_progress){.fraction = 1 - (double)left(jobs) / all, .t = (double)ended(jobs), .t_end = all};
}

static json_t *sentence(const char *format, int64_t count, const int64_t jobs[JOB_STATE_COUNT], const char *first,
                        const char *detail) {
  return json_sprintf(format, (long long)count, (long long)ended(jobs), first, detail ? detail : "");
}

char *sweep_error(const int64_t jobs[JOB_STATE_COUNT], const char *first, const char *detail) {
  json_t *error =
      json_pack("{s:s, s:o}", "code", "jobs_failed", "detail",
                sentence("%lld of %lld jobs failed; the first, %s: %s", jobs[JOB_FAILED], jobs, first, detail));
  char *text = error ? store_json_text(error) : NULL;
  json_decref(error);
  return text;
}

// ---- warnings of its jobs

static const char *code_of(const json_t *warning) {
  const char *code = json_string_value(json_object_get(warning, "code"));
  return code ? code : "";
}

static td_warning_rank rank_of(const json_t *warning) { return td_warning_rank_of(code_of(warning)); }

// Nothing ranks behind TD_RANK_ODD, so that the first warning of all is the worst so far.
static bool is_worse(const json_t *warning, const json_t *than) { return !than || rank_of(warning) < rank_of(than); }

static bool has_code(const json_t *list, const char *code) {
  bool found = false;
  for (size_t i = 0; !found && i < json_array_size(list); i++)
    found = strcmp(code_of(json_array_get(list, i)), code) == 0;
  return found;
}

// No job before one whose code becomes the worst has it: all that they have ranks behind it.
bool sweep_warned_add(sweep_warned *warned, const char *job, const char *warnings) {
  json_t *list = json_loads(warnings, 0, NULL), *first = json_array_get(list, 0);
  if (!first) return json_decref(list), list != NULL;
  if (is_worse(first, warned->worst)) {
    json_decref(warned->worst);
    warned->worst = json_incref(first);
    warned->alike = 0;
    snprintf(warned->first, sizeof warned->first, "%s", job);
  }
  warned->jobs++;
  warned->alike += has_code(list, code_of(warned->worst));
  assert(warned->alike >= 1 && warned->alike <= warned->jobs);
  json_decref(list);
  return true;
}

void sweep_warned_fini(sweep_warned *warned) { json_decref(warned->worst); }

static json_t *warning_of_sweep(const char *code, json_t *detail) {
  return json_pack("{s:s, s:o, s:s}", "code", code, "detail", detail, "pointer", "");
}

static json_t *warn_worst(const sweep_warned *w, const int64_t jobs[JOB_STATE_COUNT]) {
  const char *code = code_of(w->worst), *detail = json_string_value(json_object_get(w->worst, "detail"));
  json_t *text = json_sprintf("%lld of %lld jobs have this warning; the first, %s: %s", (long long)w->alike,
                              (long long)ended(jobs), w->first, detail ? detail : "");
  return warning_of_sweep(code, text);
}

// `said`: the worst stands among the sweep's own already, and is not told again.
static json_t *warn_count(const sweep_warned *w, const int64_t jobs[JOB_STATE_COUNT], bool said) {
  const char *code = code_of(w->worst), *detail = json_string_value(json_object_get(w->worst, "detail"));
  json_t *text = json_sprintf("%lld of %lld jobs have warnings; the worst, %s of %lld, the first of them %s%s%s",
                              (long long)w->jobs, (long long)ended(jobs), code, (long long)w->alike, w->first,
                              said || !detail ? "" : ": ", said || !detail ? "" : detail);
  return warning_of_sweep("jobs_warned", text);
}

char *sweep_warnings(const char *own, const int64_t jobs[JOB_STATE_COUNT], const sweep_warned *warned) {
  assert(warned->jobs >= 1 && warned->worst);
  json_t *list = own ? json_loads(own, 0, NULL) : json_array();
  bool raises = rank_of(warned->worst) < TD_RANK_ODD && is_worse(warned->worst, json_array_get(list, 0));
  bool made = list && (!raises || json_array_insert_new(list, 0, warn_worst(warned, jobs)) == 0);
  bool said = has_code(list, code_of(warned->worst));
  made = made && json_array_append_new(list, warn_count(warned, jobs, said)) == 0;
  char *text = made ? store_json_text(list) : NULL;
  json_decref(list);
  return text;
}

char *store_sweep_warnings(const char *own, const store_job *jobs, size_t count) {
  int64_t states[JOB_STATE_COUNT] = {0};
  sweep_warned warned = {.jobs = 0};
  bool read = true;
  for (size_t i = 0; i < count; i++) {
    states[jobs[i].state]++;
    read = read && (!jobs[i].warnings || sweep_warned_add(&warned, jobs[i].id, jobs[i].warnings));
  }
  char *text = read && warned.jobs > 0 ? sweep_warnings(own, states, &warned) : own ? strdup(own) : NULL;
  sweep_warned_fini(&warned);
  return text;
}

// The reply says most of a job, its result's summary the rest: processor time, method, build. Of a result as little as
// there is of one comes along with its summary.
#include "commands/jobs/about.h"
#include "api/c/rfc3339.h"
#include "base/say.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { LINE = 1200 };

// ------------------------------------------------------------------------------------------------ of its result

static bool is(const tendril_job *job, const char *kind) { return strcmp(job->kind, kind) == 0; }

// NULL: there is none.
static json_t *summary_of(const session *s, const tendril_job *job) {
  tendril_error err;
  tendril_arrays *arrays = NULL;
  bool run = is(job, "dynamics"), list = is(job, "statics") || is(job, "linearize");
  const tendril_result_query query = {.fields = run    ? "t"
                                                : list ? "q"
                                                       : NULL,
                                      .from = run || list ? "0" : NULL,
                                      .to = run || list ? "0" : NULL,
                                      .partial = job->state != TENDRIL_SUCCEEDED};
  if (is(job, "sweep") || !tendril_state_ended(job->state)) return NULL;
  if (tendril_result_arrays(s->client, job->id, &query, &arrays, &err) != TENDRIL_OK) return NULL;
  const tendril_array *summary = tendril_arrays_find(arrays, "summary");
  json_t *json = summary ? json_loadb(summary->data, summary->size, 0, NULL) : NULL;
  tendril_arrays_close(arrays);
  return json;
}

// s that it took, NAN-free: 0 when it has not ended.
static double took(const tendril_job *job) {
  int64_t from, to;
  bool ended = rfc3339_read(job->started_at, &from) && rfc3339_read(job->finished_at, &to);
  return ended ? 1e-3 * (double)(to - from) : 0;
}

// s on a processor; 0: nobody knows, as of jobs that went on in another process.
static double computed(const tendril_job *job, const json_t *summary) {
  return job->attempt == 1 ? json_number_value(json_object_get(summary, "cpu_s")) : 0;
}

static bool is_busy(double wall_s, double cpu_s) {
  static const double notable_s = 2, most = 2;
  return cpu_s > 0 && wall_s > notable_s && wall_s > most * cpu_s;
}

void about_say_busy(const session *s, const tendril_job *job) {
  double wall = took(job);
  json_t *summary = is_busy(wall, 1e-9) ? summary_of(s, job) : NULL;
  double cpu = computed(job, summary);
  if (is_busy(wall, cpu))
    say_note("took %.3g s, %.3g s of it on a processor: the machine is busy with other things, after which workers "
             "come (tendrild --worker-nice)",
             wall, cpu);
  json_decref(summary);
}

void about_say_partial(const session *s, const char *id) {
  tendril_job job;
  tendril_error err;
  json_t *summary = NULL;
  if (tendril_job_get(s->client, id, &job, &err) == TENDRIL_OK && job.state != TENDRIL_SUCCEEDED)
    summary = summary_of(s, &job);
  if (summary) say_note("  what it computed until it ended is there: tendril result %s --partial", id);
  json_decref(summary);
}

// ------------------------------------------------------------------------------------------------ a table

static void line(const char *name, const char *text) {
  char safe[LINE];
  if (text && *text) printf("%-15s %s\n", name, say_safe(safe, sizeof safe, text));
}

static void number_line(const char *name, double value, const char *unit) {
  char text[64];
  snprintf(text, sizeof text, "%.4g %s", value, unit);
  if (value > 0) line(name, text);
}

// What is put together of members, as far as a line goes.
typedef struct words {
  char text[LINE];
  size_t used;
} words;

__attribute__((format(printf, 3, 4))) static void add(words *w, const char *between, const char *format, ...) {
  va_list arguments;
  if (w->used && w->used < sizeof w->text)
    w->used += (size_t)snprintf(w->text + w->used, sizeof w->text - w->used, "%s", between);
  if (w->used >= sizeof w->text) return;
  va_start(arguments, format);
  w->used += (size_t)vsnprintf(w->text + w->used, sizeof w->text - w->used, format, arguments);
  va_end(arguments);
}

// "study:a part:2"
static void labels_line(const json_t *labels) {
  words w = {0};
  const char *key;
  json_t *value;
  json_object_foreach((json_t *)labels, key, value) add(&w, " ", "%s:%s", key, json_string_value(value));
  line("labels", w.text);
}

// "12 queued, 3 succeeded"
static void jobs_line(const json_t *jobs) {
  words w = {0};
  const char *state;
  json_t *count;
  json_object_foreach((json_t *)jobs, state, count) if (json_integer_value(count) > 0)
      add(&w, ", ", "%lld %s", (long long)json_integer_value(count), state);
  line("its jobs", w.text);
}

// "bdf, index1": the words of what says how it was integrated.
static void integrator_line(const json_t *integrator) {
  words w = {0};
  const char *key;
  json_t *value;
  json_object_foreach((json_t *)integrator, key, value) if (json_is_string(value))
      add(&w, ", ", "%s", json_string_value(value));
  line("integrator", w.text);
}

static void progress_line(const tendril_job *job) {
  char text[128];
  bool run = is(job, "dynamics");
  snprintf(text, sizeof text, "%.0f %%, %.6g of %.6g%s%s%s", 100 * job->fraction, job->t, job->t_end, run ? " s" : "",
           *job->phase ? ", " : "", job->phase);
  line("progress", text);
}

static void times(const tendril_job *job, const json_t *summary) {
  double wall = took(job), cpu = computed(job, summary);
  line("created", job->created_at);
  line("started", job->started_at);
  line("finished", job->finished_at);
  number_line("took", wall, "s");
  number_line("processor time", cpu, is_busy(wall, cpu) ? "s: the machine was busy with other things" : "s");
  if (is(job, "dynamics") && wall > 0 && job->state == TENDRIL_SUCCEEDED)
    number_line("rate", job->t_end / wall, "s simulated in a second");
}

static void ending(const tendril_job *job) {
  char text[LINE + 600];
  if (*job->error_code) {
    snprintf(text, sizeof text, "%s%s%s: %s", job->error_code, *job->error_pointer ? " at " : "", job->error_pointer,
             job->error_detail);
    line("error", text);
  }
  for (int i = 0; i < job->warning_count; ++i) {
    const tendril_warning *w = &job->warning[i];
    snprintf(text, sizeof text, "%s%s%s: %s", w->code, *w->pointer ? " at " : "", w->pointer, w->detail);
    line("warning", text);
  }
}

void about_print(const session *s, const tendril_job *job) {
  char text[96];
  tendril_text reply = tendril_reply(s->client);
  json_t *json = json_loadb(reply.at, reply.size, 0, NULL), *summary = summary_of(s, job);
  const json_t *build = json_object_get(summary, "build");
  line("job", job->id);
  line("kind", job->kind);
  line("model", job_model(job, text, sizeof text));
  line("state", tendril_state_name(job->state));
  progress_line(job);
  jobs_line(json_object_get(json, "jobs"));
  snprintf(text, sizeof text, "%d", job->attempt);
  line("attempt", text);
  line("node", job->node);
  line("waiting for", job->waiting_for);
  snprintf(text, sizeof text, "%d", job->priority);
  line("priority", job->priority ? text : "");
  line("owner", job->owner);
  labels_line(json_object_get(json, "labels"));
  times(job, summary);
  line("retry of", job->retry_of);
  line("sweep", job->parent);
  integrator_line(json_object_get(summary, "integrator"));
  line("build", json_string_value(json_object_get(build, "version")));
  ending(job);
  snprintf(text, sizeof text, "tendril result %s --partial", job->id);
  line("kept rows", summary && job->state != TENDRIL_SUCCEEDED ? text : "");
  json_decref(json);
  json_decref(summary);
}

// Groups queue, ended, watchers, list and memory: what the job service costs besides the simulations, asked over HTTP.
//
// Waiting time of clients on loopback. The disk decides: the reference is one synced write of the same disk in the same
// run. Where the worker must not take part in the load, a job of the highest priority occupies it.
#include "bench/crowd.h"
#include "bench/robot.h"

#include <fcntl.h>
#include <jansson.h>
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
  CLIENTS = 64,
  SUBMITS = 3000,
  SHORT_JOBS = 64,
  ENDED = 2000,
  STARTS = 25,
  WATCHERS = 500,
  QUEUED = 10000,
  POLL_US = 2000
};
static const double watch_s = 5;

static const char media[] = "application/json", jobs_path[] = "/v1/jobs";
static const char short_job[] = "{\"model\":\"cdm\",\"kind\":\"statics\",\"inputs\":{\"cable1\":1}}";
static const char trivial_model[] =
    "{\"format\":\"tendril.model/"
    "1\",\"name\":\"trivial\",\"links\":[{\"name\":\"arm\",\"joint\":{\"type\":\"revolute\","
    "\"axis\":\"y\"},\"body\":{\"type\":\"rigid\",\"mass\":1,\"com\":[0,0,-0.5],\"inertia\":[0.1,0.1,0.01]}}]}";
static const char trivial_job[] = "{\"model\":\"trivial\",\"kind\":\"statics\",\"inputs\":{}}";
static const char long_job[] =
    "{\"model\":\"cdm\",\"kind\":\"dynamics\",\"t_end\":5000,\"priority\":100,\"integrator\":"
    "{\"method\":\"newmark\",\"h\":1e-4},\"output\":{\"dt\":10,\"fields\":[\"q\"]}}";

typedef struct fixture {
  served server;
  codec_buffer body;
  char blocker[64]; // id of the long job, "" when there is none
  int synced;       // file for `sync`
  bench_figure *figure;
} fixture;

static bool fail(fixture *f, const char *what) {
  const codec_buffer *reply = &f->server.reply;
  bench_fail(f->figure, "%s: status %ld %.*s", what, f->server.status, reply->size < 90 ? (int)reply->size : 90,
             reply->data ? reply->data : "");
  return false;
}

static bool get(fixture *f, const char *path) {
  served_prepare(&f->server, path, media, NULL);
  return served_send(&f->server) || fail(f, path);
}

static bool post(fixture *f, const char *path, const char *text) {
  f->body.size = 0;
  codec_buffer_text(&f->body, text);
  served_prepare(&f->server, path, media, &f->body);
  return served_send(&f->server) || fail(f, path);
}

static json_t *reply_of(const fixture *f) { return json_loadb(f->server.reply.data, f->server.reply.size, 0, NULL); }

static bool submit(fixture *f, const char *text, char id[64]) {
  if (!post(f, jobs_path, text)) return false;
  json_t *job = reply_of(f);
  const char *value = json_string_value(json_object_get(job, "id"));
  snprintf(id, 64, "%s", value ? value : "");
  json_decref(job);
  return *id || fail(f, "a job without an id");
}

// Until the log of a job has an event after number `after`; of the first two, that is "running".
static bool wait_for_event(fixture *f, const char *id, int after) {
  char path[128];
  snprintf(path, sizeof path, "/v1/jobs/%s/events?since=%d&wait=30", id, after);
  return get(f, path);
}

// ---------------------------------------------------------------------------------------------------------- fixture

static void close_fixture(void *context) {
  fixture *f = context;
  char path[128];
  snprintf(path, sizeof path, "/v1/jobs/%s:cancel", f->blocker);
  f->figure = &(bench_figure){0};
  if (*f->blocker) post(f, path, "");
  if (f->synced >= 0) close(f->synced);
  served_close(&f->server);
  codec_buffer_fini(&f->body);
  free(f);
}

static void *open_fixture(const bench_group *group, char why[BENCH_NOTE_SIZE]) {
  bench_figure figure = {0};
  char path[128];
  fixture *f = calloc(1, sizeof *f);
  if (!f) return snprintf(why, BENCH_NOTE_SIZE, "not enough memory"), NULL;
  f->synced = -1;
  f->figure = &figure;
  codec_buffer_init(&f->body, 0);
  if (!served_open(&f->server, group->size > 0 ? group->size : (int)sysconf(_SC_NPROCESSORS_ONLN), why))
    return close_fixture(f), NULL;
  snprintf(path, sizeof path, "%s/synced", f->server.folder);
  f->synced = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (post(f, "/v1/models", bench_example("cdm.model.json"))) return f;
  snprintf(why, BENCH_NOTE_SIZE, "%s", figure.note);
  return close_fixture(f), NULL;
}

static bool occupy_worker(fixture *f) {
  return *f->blocker || (submit(f, long_job, f->blocker) && wait_for_event(f, f->blocker, 1));
}

// Waits until nothing is queued or running.
static bool wait_until_done(fixture *f) {
  static const char *const paths[] = {"/v1/jobs?state=queued&limit=1", "/v1/jobs?state=running&limit=1"};
  for (int i = 0; i < 2; i++)
    for (size_t left = 1; left > 0; usleep(POLL_US)) {
      if (!get(f, paths[i])) return false;
      json_t *reply = reply_of(f);
      left = json_array_size(json_object_get(reply, "jobs"));
      json_decref(reply);
    }
  return true;
}

// Seconds for so many submissions; negative when one was refused.
static double post_many(fixture *f, const char *job, int count) {
  char why[BENCH_NOTE_SIZE];
  f->body.size = 0;
  codec_buffer_text(&f->body, job);
  double took = crowd_post(&f->server, jobs_path, &f->body, CLIENTS, count, why);
  if (took < 0) bench_fail(f->figure, "%s", why);
  return took;
}

// ------------------------------------------------------------------------------------------------------------- queue

static bool call_sync(void *context) {
  fixture *f = context;
  static const char page[4096];
  return pwrite(f->synced, page, sizeof page, 0) == sizeof page && fdatasync(f->synced) == 0;
}

static void synced_write(void *context, bench_figure *figure) {
  bench_measure(&(bench_plan){.clock = BENCH_WALL, .call = call_sync, .context = context, .each_call = true}, figure);
}

static void start(void *context, bench_figure *figure) {
  fixture *f = context;
  double samples[STARTS];
  char id[64];
  f->figure = figure;
  for (int i = 0; i < STARTS; i++) {
    if (!wait_until_done(f)) return;
    double before = bench_now(BENCH_WALL);
    if (!submit(f, short_job, id) || !wait_for_event(f, id, 1)) return;
    samples[i] = bench_now(BENCH_WALL) - before;
  }
  bench_summarise(samples, STARTS, 1, figure);
  bench_note(figure, "POST until its event \"running\" has come, with an idle worker");
}

static void done(void *context, bench_figure *figure) {
  fixture *f = context;
  f->figure = figure;
  double before = bench_now(BENCH_WALL);
  if (post_many(f, short_job, SHORT_JOBS) >= 0 && wait_until_done(f)) {
    figure->median = figure->min = (bench_now(BENCH_WALL) - before) / SHORT_JOBS;
    bench_note(figure, "%d jobs of one statics solve, one at a time", SHORT_JOBS);
  }
}

static bool call_submit(void *context) {
  fixture *f = context;
  char id[64];
  return submit(f, short_job, id);
}

static void submit_1(void *context, bench_figure *figure) {
  fixture *f = context;
  f->figure = figure;
  if (occupy_worker(f))
    bench_measure(&(bench_plan){.clock = BENCH_WALL, .call = call_submit, .context = f, .each_call = true}, figure);
}

static void submit_64(void *context, bench_figure *figure) {
  fixture *f = context;
  f->figure = figure;
  double samples[3];
  for (int i = 0; i < 3; i++) {
    if (!occupy_worker(f)) return;
    samples[i] = post_many(f, short_job, SUBMITS);
    if (samples[i] < 0) return;
  }
  bench_summarise(samples, 3, SUBMITS, figure);
  bench_note(figure, "%d clients: %.0f jobs a second", CLIENTS, 1 / figure->median);
}

// From the first submission until nothing is queued or running: the whole way of each job through the queue, its worker
// and its result on the disk.
static void ended_64(void *context, bench_figure *figure) {
  fixture *f = context;
  f->figure = figure;
  double samples[3];
  if (!post(f, "/v1/models", trivial_model)) return;
  double cpu = served_cpu_s(&f->server);
  for (int i = 0; i < 3; i++) {
    double before = bench_now(BENCH_WALL);
    if (post_many(f, trivial_job, ENDED) < 0 || !wait_until_done(f)) return;
    samples[i] = bench_now(BENCH_WALL) - before;
  }
  bench_summarise(samples, 3, ENDED, figure);
  cpu = (served_cpu_s(&f->server) - cpu) / (3 * ENDED);
  bench_note(figure,
             "%d clients, a worker per core: %.0f jobs ended a second; %.2f ms of the server's processor time each",
             CLIENTS, 1 / figure->median, 1e3 * cpu);
}

// Events that each watcher should have got: their numbers are 1, 2, … without gaps for who was there all the time.
static bool last_event(fixture *f, int *count) {
  char path[128];
  snprintf(path, sizeof path, "/v1/jobs/%s/events?since=0", f->blocker);
  if (!get(f, path)) return false;
  json_t *reply = reply_of(f);
  *count = (int)json_integer_value(json_object_get(reply, "next"));
  json_decref(reply);
  return true;
}

static void watch(fixture *f, crowd *c, bench_figure *figure) {
  char path[128];
  int events = 0;
  double cpu = served_cpu_s(&f->server);
  crowd_receive(c, watch_s);
  cpu = served_cpu_s(&f->server) - cpu;
  snprintf(path, sizeof path, "/v1/jobs/%s:cancel", f->blocker);
  if (!post(f, path, "")) return;
  crowd_receive(c, 30);
  if (!last_event(f, &events)) return;
  *f->blocker = '\0';
  figure->median = figure->min = (double)crowd_events(c) / ((double)WATCHERS * events);
  bench_note(figure, "delivered / expected: %d events to %d; server busy %.0f %% of a core", events, WATCHERS,
             100 * cpu / watch_s);
  if (!crowd_ended_well(c)) bench_fail(figure, "not every stream ended; %s", "some watchers were cut off");
}

static void watchers(void *context, bench_figure *figure) {
  fixture *f = context;
  char path[128];
  f->figure = figure;
  if (!occupy_worker(f)) return;
  snprintf(path, sizeof path, "/v1/jobs/%s/events", f->blocker);
  crowd *c = crowd_watch(&f->server, path, WATCHERS);
  if (c)
    watch(f, c, figure);
  else
    bench_fail(figure, "no memory for %d watchers", WATCHERS);
  crowd_destroy(c);
}

static const bench_row queue_rows[] = {
    {"synced_write", "ms", synced_write, NULL},     {"start", "ms", start, "synced_write"},
    {"done", "ms", done, "synced_write"},           {"submit_1", "ms", submit_1, "synced_write"},
    {"submit_64", "ms", submit_64, "synced_write"},
};
const bench_group bench_queue = {"queue", BENCH_ROWS(queue_rows), open_fixture, close_fixture, 1};

static const bench_row ended_rows[] = {
    {"synced_write", "ms", synced_write, NULL},
    {"ended_64", "ms", ended_64, "synced_write"},
};
const bench_group bench_ended = {"ended", BENCH_ROWS(ended_rows), open_fixture, close_fixture, 0};

static const bench_row watchers_rows[] = {{"delivered_500", "1", watchers, NULL}};
const bench_group bench_watchers = {"watchers", BENCH_ROWS(watchers_rows), open_fixture, close_fixture, 1};

// -------------------------------------------------------------------------------------------------------------- list

static const char many_jobs[] =
    "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000) "
    "INSERT INTO jobs (seq, id, kind, state, model_name, model_revision, model_sha256, document, labels, created_ms) "
    "SELECT i, printf('%026d', i), iif(i % 1000 = 1, 'statics', 'dynamics'), iif(i % 5000 = 2, 'failed', 'succeeded'), "
    "'cdm', 1, (SELECT sha256 FROM documents), hex(zeroblob(300)), json_object('study', 's' || (i % 7)), "
    "1700000000000 + i * 1000 FROM n;"
    "INSERT INTO job_labels SELECT l.key, l.value, j.seq FROM jobs AS j, json_each(j.labels) AS l;";

static bool fill_database(fixture *f, char why[BENCH_NOTE_SIZE]) {
  char path[128];
  sqlite3 *db = NULL;
  snprintf(path, sizeof path, "%s/data/tendril.db", f->server.folder);
  bool filled = sqlite3_open(path, &db) == SQLITE_OK && sqlite3_exec(db, many_jobs, NULL, NULL, NULL) == SQLITE_OK;
  if (!filled) snprintf(why, BENCH_NOTE_SIZE, "the database cannot be filled: %.90s", sqlite3_errmsg(db));
  sqlite3_close(db);
  return filled;
}

static void *open_list(const bench_group *group, char why[BENCH_NOTE_SIZE]) {
  fixture *f = open_fixture(group, why);
  if (!f) return NULL;
  served_stop(&f->server);
  if (fill_database(f, why) && served_start(&f->server, why)) return f;
  return close_fixture(f), NULL;
}

static bool call_send(void *context) {
  fixture *f = context;
  return served_send(&f->server) || fail(f, "refused");
}

static void page(fixture *f, const char *query, bench_figure *figure) {
  char path[128];
  f->figure = figure;
  snprintf(path, sizeof path, "/v1/jobs?limit=100%s", query);
  served_prepare(&f->server, path, media, NULL);
  bench_measure(&(bench_plan){.clock = BENCH_WALL, .call = call_send, .context = f, .each_call = true}, figure);
  if (!figure->failed) bench_note(figure, "%.4g kB", 1e-3 * (double)f->server.reply.size);
}

static void health(void *context, bench_figure *figure) {
  fixture *f = context;
  f->figure = figure;
  served_prepare(&f->server, "/healthz", media, NULL);
  bench_measure(&(bench_plan){.clock = BENCH_WALL, .call = call_send, .context = f, .each_call = true}, figure);
}
static void newest(void *f, bench_figure *figure) { page(f, "", figure); }
static void deep(void *f, bench_figure *figure) { page(f, "&cursor=50000", figure); }
static void by_state(void *f, bench_figure *figure) { page(f, "&state=failed", figure); }
static void by_label(void *f, bench_figure *figure) { page(f, "&label=study:s3", figure); }

static const bench_row list_rows[] = {
    {"healthz", "ms", health, NULL},         {"newest", "ms", newest, "healthz"},     {"deep", "ms", deep, "healthz"},
    {"by_state", "ms", by_state, "healthz"}, {"by_label", "ms", by_label, "healthz"},
};
const bench_group bench_list = {"list_100000", BENCH_ROWS(list_rows), open_list, close_fixture, 1};

// ------------------------------------------------------------------------------------------------------------ memory

static void resident(fixture *f, bench_figure *figure) {
  figure->median = figure->min = served_resident_mb(&f->server);
  if (!(figure->median > 0)) bench_fail(figure, "the process cannot be looked at");
}

static void idle(void *context, bench_figure *figure) { resident(context, figure); }

static void queued(void *context, bench_figure *figure) {
  fixture *f = context;
  f->figure = figure;
  if (!occupy_worker(f)) return;
  if (post_many(f, short_job, QUEUED) >= 0) resident(f, figure);
}

static const bench_row memory_rows[] = {
    {"idle", "MB", idle, NULL},
    {"queued_10000", "MB", queued, "idle"},
};
const bench_group bench_memory = {"memory", BENCH_ROWS(memory_rows), open_fixture, close_fixture, 1};

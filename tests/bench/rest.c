// Group rest: what the service adds to the engine, seen by a client on loopback that keeps its connection.
//
// evaluate_1_*: one state, dfd_dq. evaluate_1000_*: a thousand states in one request, fd and dfd_dq. Both beside the
// engine's own time for the same states in this process, one thread; CPU time, so that a disturbed engine never
// flatters the service.
// added_*: waiting time less the engine's.
// The first NPZ reply is compared with the engine's numbers bit by bit.
#include "bench/robot.h"
#include "bench/served.h"
#include "codec/wire/archive.h"
#include "support/tree.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STATES = 1000, WANTS = 2, POLL_US = 200, POLLS_MAX = 100000, COUNTED_ONE = 1000, COUNTED_MANY = 20 };

static const char *const wants[WANTS] = {"dfd_dq", "fd"}; // one state wants the first only
static const char json_media[] = "application/json", npz_media[] = "application/x-npz";
static const char evaluate_path[] = "/v1/models/cdm:evaluate";

typedef struct fixture {
  served server;
  bench_robot *robot;
  double *q, *qd, *u; ///< [STATES][n], [STATES][m]
  double *out[WANTS]; ///< [STATES][…], of the engine
  size_t total[WANTS];
  size_t states; ///< of the call under way
  codec_buffer body;
  bench_figure engine;  ///< one state, for added_*
  bench_figure *figure; ///< of the row under way
} fixture;

static bool fail(fixture *f, const char *what) {
  const codec_buffer *reply = &f->server.reply;
  bench_fail(f->figure, "%s: status %ld %.*s", what, f->server.status, reply->size < 90 ? (int)reply->size : 90,
             reply->data ? reply->data : "");
  return false;
}

// ---------------------------------------------------------------------------------------------------------- fixture

static void close_fixture(void *context) {
  fixture *f = context;
  served_close(&f->server);
  if (f->robot) bench_robot_destroy(f->robot);
  for (int w = 0; w < WANTS; w++) free(f->out[w]);
  free(f->q);
  codec_buffer_fini(&f->body);
  free(f);
}

static bool make_states(fixture *f) {
  uint64_t seed = tree_seed("states");
  f->robot = bench_robot_create(bench_cdm_model(), seed);
  if (!f->robot) return false;
  size_t n = (size_t)f->robot->n, m = (size_t)f->robot->m;
  f->q = calloc(STATES * (2 * n + m), sizeof *f->q);
  f->total[0] = n * n, f->total[1] = n;
  for (int w = 0; w < WANTS; w++) f->out[w] = calloc(STATES * f->total[w], sizeof(double));
  if (!f->q || !f->out[0] || !f->out[1]) return false;
  f->qd = f->q + STATES * n;
  f->u = f->qd + STATES * n;
  for (size_t i = 0; i < 2 * STATES * n; i++) f->q[i] = bench_coordinate(&seed);
  for (size_t i = 0; i < STATES * m; i++) f->u[i] = bench_positive(&seed, 20);
  return true;
}

static void *open_fixture(const bench_group *group, char why[BENCH_NOTE_SIZE]) {
  (void)group;
  fixture *f = calloc(1, sizeof *f);
  if (!f) return snprintf(why, BENCH_NOTE_SIZE, "not enough memory"), NULL;
  codec_buffer_init(&f->body, 0);
  snprintf(why, BENCH_NOTE_SIZE, "not enough memory");
  if (make_states(f) && served_open(&f->server, 1, why) && served_put_example(&f->server, "cdm", &f->body, why))
    return f;
  return close_fixture(f), NULL;
}

// ----------------------------------------------------------------------------------------------------------- engine

static int wants_of(const fixture *f) { return f->states == 1 ? 1 : WANTS; }

static bool call_engine(void *context) {
  fixture *f = context;
  const bench_robot *r = f->robot;
  int want[WANTS] = {td_quantity_find(wants[0]), td_quantity_find(wants[1])};
  bool good = true;
  for (size_t i = 0; i < f->states && good; i++) {
    td_error err = {.status = TD_OK};
    td_state state = {.q = f->q + i * r->n, .qd = f->qd + i * r->n, .u = f->u + i * r->m};
    double *out[WANTS] = {f->out[0] + i * f->total[0], f->out[1] + i * f->total[1]};
    good = td_evaluate(r->model, r->ws, &state, want, wants_of(f), out, &err) == TD_OK;
  }
  return good;
}

static void measure_engine(fixture *f, size_t states, bench_figure *figure) {
  f->states = states;
  bench_measure(&(bench_plan){.clock = BENCH_CPU, .call = call_engine, .context = f}, figure);
}

static void engine_1(void *context, bench_figure *figure) {
  fixture *f = context;
  measure_engine(f, 1, figure);
  f->engine = *figure;
}

static void engine_1000(void *context, bench_figure *figure) { measure_engine(context, STATES, figure); }

// ---------------------------------------------------------------------------------------------------------- requests

static void put_part(codec_buffer *b, const char *key, const double *values, int count) {
  codec_buffer_text(b, key);
  codec_buffer_array(b, values, 1, &(size_t){(size_t)count});
}

static void write_json(fixture *f) {
  codec_buffer *b = &f->body;
  const bench_robot *r = f->robot;
  b->size = 0;
  codec_buffer_text(b, wants_of(f) == 1 ? "{\"want\":[\"dfd_dq\"],\"states\":["
                                        : "{\"want\":[\"dfd_dq\",\"fd\"],\"states\":[");
  for (size_t i = 0; i < f->states; i++) {
    put_part(b, i ? ",{\"q\":" : "{\"q\":", f->q + i * r->n, r->n);
    put_part(b, ",\"qd\":", f->qd + i * r->n, r->n);
    put_part(b, ",\"u\":", f->u + i * r->m, r->m);
    codec_buffer_text(b, "}");
  }
  codec_buffer_text(b, "]}");
}

static bool write_npz(fixture *f) {
  td_error err;
  const size_t n = (size_t)f->robot->n, m = (size_t)f->robot->m;
  f->body.size = 0;
  npz_writer *w = codec_npz_writer(&f->body);
  if (!w) return false;
  npz_write_doubles(w, "q", f->q, 2, (size_t[]){f->states, n});
  npz_write_doubles(w, "qd", f->qd, 2, (size_t[]){f->states, n});
  npz_write_doubles(w, "u", f->u, 2, (size_t[]){f->states, m});
  npz_write_strings(w, "want", wants, (size_t)wants_of(f));
  return codec_npz_close(w, NULL, &err) == TD_OK;
}

static bool call_send(void *context) {
  fixture *f = context;
  return served_send(&f->server) || fail(f, "refused");
}

// The reply's derivatives are the engine's, to the bit.
static bool reply_agrees(fixture *f) {
  td_error err;
  npz_archive archive;
  npz_array array;
  const double *values = NULL;
  arena *a = arena_create();
  bool same = a && call_engine(f) &&
              codec_npz_open(f->server.reply.data, f->server.reply.size, a, &archive, &err) == TD_OK &&
              npz_find(&archive, wants[0]) &&
              codec_npz_read(&archive, npz_find(&archive, wants[0]), a, &array, &err) == TD_OK &&
              codec_npz_doubles(&array, wants[0], a, &values, &err) == TD_OK &&
              array.count == f->states * f->total[0] && memcmp(values, f->out[0], array.count * sizeof *values) == 0;
  arena_destroy(a);
  if (!same) bench_fail(f->figure, "the reply's dfd_dq differs from the engine's");
  return same;
}

static bool prepare(fixture *f, size_t states, bool npz, bench_figure *figure) {
  f->states = states;
  f->figure = figure;
  if (!npz)
    write_json(f);
  else if (!write_npz(f))
    return bench_fail(figure, "the request could not be written"), false;
  served_prepare(&f->server, evaluate_path, npz ? npz_media : json_media, &f->body);
  return call_send(f) && (!npz || reply_agrees(f));
}

// What the server spends on one request, a figure that other programs on the machine do not disturb; and how many of
// its threads work at once.
static bool note_server_cpu(fixture *f, bench_figure *figure) {
  int requests = f->states == 1 ? COUNTED_ONE : COUNTED_MANY;
  double cpu = served_cpu_s(&f->server), wall = bench_now(BENCH_WALL);
  for (int i = 0; i < requests; i++)
    if (!call_send(f)) return false;
  cpu = served_cpu_s(&f->server) - cpu;
  wall = bench_now(BENCH_WALL) - wall;
  bench_note(figure, "server: %.4g ms of CPU, %.2f threads busy; %.4g kB there, %.4g kB back", 1e3 * cpu / requests,
             cpu / wall, 1e-3 * (double)f->body.size, 1e-3 * (double)f->server.reply.size);
  return true;
}

static bool evaluate(fixture *f, size_t states, bool npz, bench_figure *figure) {
  if (!prepare(f, states, npz, figure)) return false;
  bench_measure(&(bench_plan){.clock = BENCH_WALL, .call = call_send, .context = f, .each_call = true}, figure);
  return !figure->failed && note_server_cpu(f, figure);
}

// -------------------------------------------------------------------------------------------------------------- jobs

static bool finished(fixture *f, bool *succeeded) {
  json_t *job = json_loadb(f->server.reply.data, f->server.reply.size, 0, NULL);
  const char *state = json_string_value(json_object_get(job, "state"));
  *succeeded = state && strcmp(state, "succeeded") == 0;
  bool over = !state || (strcmp(state, "queued") != 0 && strcmp(state, "running") != 0);
  json_decref(job);
  return over;
}

static bool job_path(const fixture *f, char path[128]) {
  json_t *job = json_loadb(f->server.reply.data, f->server.reply.size, 0, NULL);
  const char *id = json_string_value(json_object_get(job, "id"));
  if (id) snprintf(path, 128, "/v1/jobs/%.64s", id);
  json_decref(job);
  return id != NULL;
}

static bool call_job(void *context) {
  fixture *f = context;
  char path[128];
  bool succeeded = false;
  served_prepare(&f->server, "/v1/jobs", json_media, &f->body);
  if (!served_send(&f->server) || !job_path(f, path)) return fail(f, "refused");
  served_prepare(&f->server, path, json_media, NULL);
  for (int polls = 0; polls < POLLS_MAX; polls++) {
    if (!served_send(&f->server)) return fail(f, "lost");
    if (finished(f, &succeeded)) break;
    usleep(POLL_US);
  }
  return succeeded || fail(f, "did not succeed");
}

// -------------------------------------------------------------------------------------------------------------- rows

static void health(void *context, bench_figure *figure) {
  fixture *f = context;
  f->figure = figure;
  served_prepare(&f->server, "/healthz", json_media, NULL);
  bench_measure(&(bench_plan){.clock = BENCH_WALL, .call = call_send, .context = f, .each_call = true}, figure);
}

static void one_npz(void *f, bench_figure *figure) { evaluate(f, 1, true, figure); }
static void one_json(void *f, bench_figure *figure) { evaluate(f, 1, false, figure); }
static void many_npz(void *f, bench_figure *figure) { evaluate(f, STATES, true, figure); }
static void many_json(void *f, bench_figure *figure) { evaluate(f, STATES, false, figure); }

static void added(fixture *f, bool npz, bench_figure *figure) {
  if (!evaluate(f, 1, npz, figure)) return;
  figure->median -= f->engine.median;
  figure->min -= f->engine.min;
}
static void added_npz(void *f, bench_figure *figure) { added(f, true, figure); }
static void added_json(void *f, bench_figure *figure) { added(f, false, figure); }

static void job(void *context, bench_figure *figure) {
  fixture *f = context;
  f->figure = figure;
  f->body.size = 0;
  codec_buffer_text(&f->body, "{\"model\":\"cdm\",\"kind\":\"statics\",\"inputs\":{\"cable1\":1}}");
  bench_measure(&(bench_plan){.clock = BENCH_WALL, .call = call_job, .context = f, .each_call = true}, figure);
  if (!figure->failed)
    bench_note(figure, "submit, worker process, one statics solve, stored; asked every %d us", POLL_US);
}

static const bench_row rows[] = {
    {"healthz", "us", health, NULL},
    {"engine_1", "us", engine_1, NULL},
    {"evaluate_1_npz", "us", one_npz, "engine_1"},
    {"evaluate_1_json", "us", one_json, "engine_1"},
    {"added_1_npz", "us", added_npz, "engine_1"},
    {"added_1_json", "us", added_json, "engine_1"},
    {"engine_1000", "ms", engine_1000, NULL},
    {"evaluate_1000_npz", "ms", many_npz, "engine_1000"},
    {"evaluate_1000_json", "ms", many_json, "engine_1000"},
    {"job", "ms", job, "healthz"},
};

const bench_group bench_rest = {"rest", BENCH_ROWS(rows), open_fixture, close_fixture, 0};

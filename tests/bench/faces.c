// Group faces: the derivatives of the cdm's forward dynamics at one state, by every way to ask for them.
//
// engine: in this process, CPU time. grpc_unary, grpc_stream, rest_npz, rest_json: waiting time of a client on loopback
// that keeps its connection; rest_stream: of the stream of the client library in C, arrays read and checked; added_*:
// less the engine's. stream_1, stream_8: time per evaluation with one and eight clients at once, each a thread. growth:
// what the server's memory grows by over 100000 streamed evaluations. The first answers of gRPC and rest_stream are
// compared with the engine bit by bit.
#include "bench/robot.h"
#include "bench/rpc_client.h"
#include "bench/served.h"
#include "codec/wire/archive.h"
#include "support/tree.h"
#include "tendril/v1/dynamics.pb-c.h"
#include "tendril_client.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WANTS = 3, CLIENTS = 8, PER_CLIENT = 1500, STREAMED = 100000, WARM = 5000, COUNTED = 1000 };

static char *const wants[WANTS] = {"dfd_dq", "dfd_dqd", "dfd_du"};
static const char unary_method[] = "/tendril.v1.Dynamics/Evaluate",
                  stream_method[] = "/tendril.v1.Dynamics/EvaluateStream";
static const char evaluate_path[] = "/v1/models/cdm:evaluate";

typedef struct fixture {
  served server;
  rpc_client client;
  bench_robot *robot;
  double *q, *qd, *u, *out[WANTS];
  size_t total[WANTS];
  codec_buffer body;
  Tendril__V1__State state, *states[1];
  Tendril__V1__EvaluateRequest request;
  Tendril__V1__EvaluateSetup setup;
  Tendril__V1__EvaluateStreamRequest first, next;
  tendril_client *rest;
  tendril_stream *stream;
  bench_figure engine;
} fixture;

// ---------------------------------------------------------------------------------------------------------- fixture

static void close_fixture(void *context) {
  fixture *f = context;
  tendril_stream_close(f->stream);
  tendril_close(f->rest);
  rpc_client_close(&f->client);
  served_close(&f->server);
  if (f->robot) bench_robot_destroy(f->robot);
  free(f->q);
  free(f->out[0]);
  codec_buffer_fini(&f->body);
  free(f);
}

static bool make_state(fixture *f) {
  uint64_t seed = tree_seed("faces");
  f->robot = bench_robot_create(bench_cdm_model(), seed);
  if (!f->robot) return false;
  size_t n = (size_t)f->robot->n, m = (size_t)f->robot->m;
  f->total[0] = f->total[1] = n * n, f->total[2] = n * m;
  f->q = calloc(2 * n + m, sizeof *f->q);
  f->out[0] = calloc(n * (2 * n + m), sizeof(double));
  if (!f->q || !f->out[0]) return false;
  f->out[1] = f->out[0] + n * n, f->out[2] = f->out[1] + n * n;
  f->qd = f->q + n, f->u = f->qd + n;
  for (size_t i = 0; i < 2 * n; i++) f->q[i] = bench_coordinate(&seed);
  for (size_t i = 0; i < m; i++) f->u[i] = bench_positive(&seed, 20);
  return true;
}

static void make_messages(fixture *f) {
  size_t n = (size_t)f->robot->n, m = (size_t)f->robot->m;
  static char name[] = "cdm";
  tendril__v1__state__init(&f->state);
  f->state.n_q = f->state.n_qd = n, f->state.n_u = m;
  f->state.q = f->q, f->state.qd = f->qd, f->state.u = f->u;
  tendril__v1__evaluate_request__init(&f->request);
  f->states[0] = &f->state;
  f->request.source_case = TENDRIL__V1__EVALUATE_REQUEST__SOURCE_MODEL;
  f->request.model = name;
  f->request.n_want = WANTS, f->request.want = (char **)wants;
  f->request.n_states = 1, f->request.states = f->states;
  tendril__v1__evaluate_setup__init(&f->setup);
  f->setup.source_case = TENDRIL__V1__EVALUATE_SETUP__SOURCE_MODEL;
  f->setup.model = name;
  f->setup.n_want = WANTS, f->setup.want = (char **)wants;
  tendril__v1__evaluate_stream_request__init(&f->first);
  f->first.body_case = TENDRIL__V1__EVALUATE_STREAM_REQUEST__BODY_SETUP;
  f->first.setup = &f->setup;
  tendril__v1__evaluate_stream_request__init(&f->next);
  f->next.body_case = TENDRIL__V1__EVALUATE_STREAM_REQUEST__BODY_STATE;
  f->next.state = &f->state;
}

static void *open_fixture(const bench_group *group, char why[BENCH_NOTE_SIZE]) {
  (void)group;
  fixture *f = calloc(1, sizeof *f);
  if (!f) return snprintf(why, BENCH_NOTE_SIZE, "not enough memory"), NULL;
  codec_buffer_init(&f->body, 0);
  snprintf(why, BENCH_NOTE_SIZE, "not enough memory");
  if (make_state(f) && served_open(&f->server, 1, why) && served_put_example(&f->server, "cdm", &f->body, why) &&
      rpc_client_open(&f->client, f->server.grpc)) {
    make_messages(f);
    return f;
  }
  return close_fixture(f), NULL;
}

// ------------------------------------------------------------------------------------------------------------- calls

static bool call_engine(void *context) {
  fixture *f = context;
  td_error err = {.status = TD_OK};
  int want[WANTS];
  for (int w = 0; w < WANTS; w++) want[w] = td_quantity_find(wants[w]);
  td_state state = {.q = f->q, .qd = f->qd, .u = f->u};
  return td_evaluate(f->robot->model, f->robot->ws, &state, want, WANTS, f->out, &err) == TD_OK;
}

static bool call_unary(void *context) {
  fixture *f = context;
  return rpc_client_call(&f->client, unary_method, &f->request.base);
}

static bool call_stream(void *context) {
  fixture *f = context;
  return rpc_client_exchange(&f->client, &f->next.base);
}

static bool call_rest(void *context) { return served_send(&((fixture *)context)->server); }

static bool call_rest_stream(void *context) {
  fixture *f = context;
  return tendril_stream_at(f->stream, f->q, f->qd, NULL, f->u, NULL) == TENDRIL_OK;
}

static bool same_bits(const fixture *f, const Tendril__V1__StateReply *reply) {
  if (!reply || reply->n_values != WANTS) return false;
  for (size_t i = 0; i < WANTS; i++) {
    const Tendril__V1__StateReply__ValuesEntry *e = reply->values[i];
    int w = 0;
    while (w < WANTS && strcmp(e->key, wants[w]) != 0) w++;
    if (w == WANTS || e->value->n_data != f->total[w] ||
        memcmp(e->value->data, f->out[w], f->total[w] * sizeof(double)) != 0)
      return false;
  }
  return true;
}

static bool unary_agrees(fixture *f, bench_figure *figure) {
  Tendril__V1__EvaluateReply *m = call_engine(f) && call_unary(f)
                                      ? (void *)rpc_client_reply(&f->client, &tendril__v1__evaluate_reply__descriptor)
                                      : NULL;
  bool same = m && m->n_states == 1 && same_bits(f, m->states[0]);
  if (m) tendril__v1__evaluate_reply__free_unpacked(m, NULL);
  if (!same) bench_fail(figure, "the answer differs from the engine's (status %d)", f->client.status);
  return same;
}

static bool stream_agrees(fixture *f, bench_figure *figure) {
  bool sent = call_engine(f) && rpc_client_begin(&f->client, stream_method, &f->first.base) && call_stream(f);
  Tendril__V1__StateReply *m =
      sent ? (void *)rpc_client_reply(&f->client, &tendril__v1__state_reply__descriptor) : NULL;
  bool same = same_bits(f, m);
  if (m) tendril__v1__state_reply__free_unpacked(m, NULL);
  if (!same) bench_fail(figure, "the streamed answer differs from the engine's");
  return same;
}

static bool rest_stream_agrees(fixture *f, bench_figure *figure) {
  tendril_error err = {.detail = "the streamed answer differs from the engine's"};
  f->rest = tendril_open(&(tendril_options){.url = f->server.url}, &err);
  f->stream = f->rest ? tendril_stream_open(f->rest, "cdm", "dfd_dq,dfd_dqd,dfd_du", 0, NULL, &err) : NULL;
  bool same = f->stream && call_engine(f) && call_rest_stream(f);
  for (int w = 0; w < WANTS && same; w++) {
    size_t count;
    const double *values = tendril_stream_values(f->stream, wants[w], &count);
    same = values && count == f->total[w] && memcmp(values, f->out[w], count * sizeof *values) == 0;
  }
  if (!same) bench_fail(figure, "%.100s", err.detail);
  return same;
}

static void note_cpu(fixture *f, bool (*call)(void *), bench_figure *figure) {
  double cpu = served_cpu_s(&f->server);
  for (int i = 0; i < COUNTED; i++)
    if (!call(f)) bench_fail(figure, "a call failed");
  bench_note(figure, "server: %.3g us of CPU", 1e6 * (served_cpu_s(&f->server) - cpu) / COUNTED);
}

static void measure(fixture *f, bool (*call)(void *), bench_figure *figure) {
  bench_measure(&(bench_plan){.clock = BENCH_WALL, .call = call, .context = f, .each_call = true}, figure);
  if (!figure->failed) note_cpu(f, call, figure);
}

// -------------------------------------------------------------------------------------------------------------- rows

static void engine(void *context, bench_figure *figure) {
  fixture *f = context;
  bench_measure(&(bench_plan){.clock = BENCH_CPU, .call = call_engine, .context = f}, figure);
  f->engine = *figure;
}

static void grpc_unary(void *context, bench_figure *figure) {
  if (unary_agrees(context, figure)) measure(context, call_unary, figure);
}

static void grpc_stream(void *context, bench_figure *figure) {
  fixture *f = context;
  if (stream_agrees(f, figure)) measure(f, call_stream, figure);
  if (f->client.stream && !rpc_client_end(&f->client)) bench_fail(figure, "the stream did not end well");
}

static void write_json(fixture *f) {
  const struct {
    const char *key;
    const double *values;
    int count;
  } parts[] = {{"\"q\":", f->q, f->robot->n}, {",\"qd\":", f->qd, f->robot->n}, {",\"u\":", f->u, f->robot->m}};
  f->body.size = 0;
  codec_buffer_text(&f->body, "{\"want\":[\"dfd_dq\",\"dfd_dqd\",\"dfd_du\"],\"states\":[{");
  for (int i = 0; i < 3; i++) {
    codec_buffer_text(&f->body, parts[i].key);
    codec_buffer_array(&f->body, parts[i].values, 1, &(size_t){(size_t)parts[i].count});
  }
  codec_buffer_text(&f->body, "}]}");
}

static bool write_npz(fixture *f) {
  td_error err;
  const size_t n = (size_t)f->robot->n, m = (size_t)f->robot->m;
  f->body.size = 0;
  npz_writer *w = codec_npz_writer(&f->body);
  if (!w) return false;
  npz_write_doubles(w, "q", f->q, 2, (size_t[]){1, n});
  npz_write_doubles(w, "qd", f->qd, 2, (size_t[]){1, n});
  npz_write_doubles(w, "u", f->u, 2, (size_t[]){1, m});
  npz_write_strings(w, "want", (const char *const *)wants, WANTS);
  return codec_npz_close(w, NULL, &err) == TD_OK;
}

static void rest_npz(void *context, bench_figure *figure) {
  fixture *f = context;
  if (!write_npz(f)) bench_fail(figure, "the request could not be written");
  served_prepare(&f->server, evaluate_path, "application/x-npz", &f->body);
  measure(f, call_rest, figure);
}

static void rest_json(void *context, bench_figure *figure) {
  fixture *f = context;
  write_json(f);
  served_prepare(&f->server, evaluate_path, "application/json", &f->body);
  measure(f, call_rest, figure);
}

static void rest_stream(void *context, bench_figure *figure) {
  if (rest_stream_agrees(context, figure)) measure(context, call_rest_stream, figure);
}

static void subtract_engine(const fixture *f, bench_figure *figure) {
  figure->median -= f->engine.median;
  figure->min -= f->engine.min;
}
static void added_unary(void *f, bench_figure *figure) { grpc_unary(f, figure), subtract_engine(f, figure); }
static void added_stream(void *f, bench_figure *figure) { grpc_stream(f, figure), subtract_engine(f, figure); }

typedef struct streamer {
  const fixture *f;
  int count;
  bool done;
  pthread_t thread;
} streamer;

static void *stream_many(void *context) {
  streamer *s = context;
  rpc_client client;
  s->done = rpc_client_open(&client, s->f->server.grpc) && rpc_client_begin(&client, stream_method, &s->f->first.base);
  for (int i = 0; i < s->count && s->done; i++) s->done = rpc_client_exchange(&client, &s->f->next.base);
  if (s->done) s->done = rpc_client_end(&client);
  rpc_client_close(&client);
  return NULL;
}

// Seconds that so many clients take for `count` evaluations each.
static double stream_clients(fixture *f, int clients, int count, bench_figure *figure) {
  streamer s[CLIENTS];
  double start = bench_now(BENCH_WALL);
  for (int i = 0; i < clients; i++) {
    s[i] = (streamer){.f = f, .count = count};
    if (pthread_create(&s[i].thread, NULL, stream_many, &s[i]) != 0) abort();
  }
  for (int i = 0; i < clients; i++) {
    pthread_join(s[i].thread, NULL);
    if (!s[i].done) bench_fail(figure, "a client's stream failed");
  }
  return bench_now(BENCH_WALL) - start;
}

static void stream_at_once(fixture *f, int clients, bench_figure *figure) {
  enum { ROUNDS = 5 };
  double samples[ROUNDS], cpu = served_cpu_s(&f->server), wall = 0;
  for (int i = 0; i < ROUNDS; i++) wall += samples[i] = stream_clients(f, clients, PER_CLIENT, figure);
  bench_summarise(samples, ROUNDS, clients * PER_CLIENT, figure);
  cpu = served_cpu_s(&f->server) - cpu;
  bench_note(figure, "%d at once; server: %.3g us of CPU each, %.2f threads busy", clients,
             1e6 * cpu / (ROUNDS * clients * PER_CLIENT), cpu / wall);
}
static void stream_1(void *f, bench_figure *figure) { stream_at_once(f, 1, figure); }
static void stream_8(void *f, bench_figure *figure) { stream_at_once(f, CLIENTS, figure); }

static void growth(void *context, bench_figure *figure) {
  fixture *f = context;
  stream_clients(f, 1, WARM, figure);
  double before = served_resident_mb(&f->server);
  stream_clients(f, 1, STREAMED, figure);
  figure->median = figure->min = served_resident_mb(&f->server) - before;
  bench_note(figure, "%d evaluations on one stream; %.1f MB before", STREAMED, before);
}

static const bench_row rows[] = {
    {"engine", "us", engine, NULL},
    {"grpc_unary", "us", grpc_unary, "engine"},
    {"grpc_stream", "us", grpc_stream, "engine"},
    {"rest_npz", "us", rest_npz, "engine"},
    {"rest_json", "us", rest_json, "engine"},
    {"rest_stream", "us", rest_stream, "engine"},
    {"added_unary", "us", added_unary, "engine"},
    {"added_stream", "us", added_stream, "engine"},
    {"stream_1", "us", stream_1, "engine"},
    {"stream_8", "us", stream_8, "stream_1"},
    {"growth", "MB", growth, NULL},
};

const bench_group bench_faces = {"faces", BENCH_ROWS(rows), open_fixture, close_fixture, 0};

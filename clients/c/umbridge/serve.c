// Each request of the protocol is a row of a table: GET /Info, and POSTs whose body names a model. Answers are JSON,
// and so are errors: {"error": {"type", "message"}} with 400 for what the caller sent, 500 for what went wrong.
#include "umbridge/serve.h"

#include "base/interrupt.h"
#include "base/say.h"
#include <arpa/inet.h>
#include <errno.h>
#include <math.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { BODY_MOST = 16 << 20, CONNECTIONS = 64 };

typedef struct body { // of a request that is coming in
  char *at;
  size_t size, room;
  bool too_large;
} body;

typedef struct call {
  const um_server *server;
  const um_model *model;
  const json_t *body;
  um_error error;
} call;

// ------------------------------------------------------------------------------------------------ what was sent

static bool wrong(call *c, const char *format, const char *what) {
  return um_fail(&c->error, 400, "InvalidInput", format, what);
}

// A vector of `size` finite numbers.
static bool read_vector(call *c, const json_t *list, const char *what, size_t size, double *out) {
  size_t i;
  const json_t *number;
  if (!json_is_array(list)) return wrong(c, "\"%s\" must be a list of numbers", what);
  if (json_array_size(list) != size)
    return um_fail(&c->error, 400, "InvalidInput", "\"%s\" has %zu numbers, expected are %zu", what,
                   json_array_size(list), size);
  json_array_foreach(list, i, number) {
    if (!json_is_number(number)) return wrong(c, "\"%s\" must be a list of numbers", what);
    out[i] = json_number_value(number);
  }
  return true;
}

// All inputs, one behind the other; the caller frees them. NULL after filling the error.
static double *read_inputs(call *c) {
  const json_t *list = json_object_get(c->body, "input"), *config = json_object_get(c->body, "config");
  const um_model *m = c->model;
  if (json_object_size(config) > 0) return wrong(c, "\"%s\" must be empty: this model has no options", "config"), NULL;
  if (json_array_size(list) != m->inputs) {
    um_fail(&c->error, 400, "InvalidInput", "\"input\" has %zu vectors, expected are %zu", json_array_size(list),
            m->inputs);
    return NULL;
  }
  double *values = must_alloc((um_input_size(m) + 1) * sizeof *values), *next = values;
  for (size_t i = 0; i < m->inputs; next += m->input[i++].size) {
    if (read_vector(c, json_array_get(list, i), "input", m->input[i].size, next)) continue;
    free(values);
    return NULL;
  }
  return values;
}

static bool read_number(call *c, const char *key, size_t below, size_t *number) {
  const json_t *value = json_object_get(c->body, key);
  json_int_t whole = json_integer_value(value);
  *number = (size_t)whole;
  if (json_is_integer(value) && whole >= 0 && (size_t)whole < below) return true;
  return um_fail(&c->error, 400, "InvalidInput", "\"%s\" must be a number from 0 to %zu", key, below - 1);
}

// ------------------------------------------------------------------------------------------------ answers

static json_t *numbers(const double *x, size_t count) {
  json_t *list = json_array();
  for (size_t i = 0; i < count; ++i) json_array_append_new(list, json_real(x[i]));
  return list;
}

static json_t *sizes(const char *key, size_t count, const um_input *in, const um_output *out) {
  json_t *list = json_array();
  for (size_t i = 0; i < count; ++i)
    json_array_append_new(list, json_integer((json_int_t)(in ? in[i].size : out[i].size)));
  return json_pack("{s:o}", key, list);
}

static json_t *input_sizes(call *c) { return sizes("inputSizes", c->model->inputs, c->model->input, NULL); }
static json_t *output_sizes(call *c) { return sizes("outputSizes", c->model->outputs, NULL, c->model->output); }

static json_t *model_info(call *c) {
  return json_pack("{s:{s:b, s:b, s:b, s:b}}", "support", "Evaluate", 1, "Gradient", c->model->gradient,
                   "ApplyJacobian", c->model->jacobian, "ApplyHessian", 0);
}

static tendril_client *open_client(call *c) {
  tendril_error err;
  tendril_client *client = tendril_open(c->server->wishes, &err);
  if (!client) um_fail(&c->error, 500, "EvaluationFailed", "%s", err.detail);
  return client;
}

static json_t *evaluate(call *c) {
  double *values = read_inputs(c);
  if (!values) return NULL;
  double *out = must_alloc((um_output_size(c->model) + 1) * sizeof *out), *next = out;
  tendril_client *client = open_client(c);
  json_t *list = NULL;
  if (client && um_evaluate(c->model, client, values, out, &c->error)) {
    list = json_array();
    for (size_t i = 0; i < c->model->outputs; next += c->model->output[i++].size)
      json_array_append_new(list, numbers(next, c->model->output[i].size));
  }
  tendril_close(client);
  free(values), free(out);
  return list ? json_pack("{s:o}", "output", list) : NULL;
}

typedef bool product(const um_model *m, tendril_client *client, const double *values, size_t output, size_t input,
                     const double *factor, double *out, um_error *e);

static json_t *derive(call *c, bool there, const char *key, bool back, product *compute) {
  const um_model *m = c->model;
  size_t in, out;
  if (!there) return um_fail(&c->error, 400, "UnsupportedFeature", "this model has no such derivatives"), NULL;
  if (!read_number(c, "inWrt", m->inputs, &in) || !read_number(c, "outWrt", m->outputs, &out)) return NULL;
  size_t given = back ? m->output[out].size : m->input[in].size, told = back ? m->input[in].size : m->output[out].size;
  double *values = read_inputs(c), *factor = must_alloc((given + 1) * sizeof *factor);
  double *result = must_alloc((told + 1) * sizeof *result);
  bool good = values && read_vector(c, json_object_get(c->body, key), key, given, factor);
  tendril_client *client = good ? open_client(c) : NULL;
  good = client && compute(m, client, values, out, in, factor, result, &c->error);
  json_t *answer = good ? json_pack("{s:o}", "output", numbers(result, told)) : NULL;
  tendril_close(client);
  free(values), free(factor), free(result);
  return answer;
}

static json_t *gradient(call *c) { return derive(c, c->model->gradient, "sens", true, um_gradient); }
static json_t *jacobian(call *c) { return derive(c, c->model->jacobian, "vec", false, um_jacobian); }

static json_t *hessian(call *c) {
  return um_fail(&c->error, 400, "UnsupportedFeature", "there are no second derivatives"), NULL;
}

static const struct {
  const char *path;
  json_t *(*answer)(call *c); // NULL after filling the error
} calls[] = {{"/InputSizes", input_sizes}, {"/OutputSizes", output_sizes}, {"/ModelInfo", model_info},
             {"/Evaluate", evaluate},      {"/Gradient", gradient},        {"/ApplyJacobian", jacobian},
             {"/ApplyHessian", hessian}};

static json_t *info(const um_server *s) {
  json_t *names = json_array();
  for (size_t i = 0; i < s->count; ++i) json_array_append_new(names, json_string(s->models[i].name));
  return json_pack("{s:f, s:o}", "protocolVersion", 1.0, "models", names);
}

static bool find_model(call *c) {
  const char *name = json_string_value(json_object_get(c->body, "name"));
  for (size_t i = 0; name && i < c->server->count && !c->model; ++i)
    if (strcmp(c->server->models[i].name, name) == 0) c->model = &c->server->models[i];
  if (c->model) return true;
  return um_fail(&c->error, 400, "ModelNotFound", "there is no model \"%.100s\"; /Info lists them", name ? name : "");
}

static json_t *answer(call *c, const char *method, const char *path, const body *b) {
  if (strcmp(path, "/Info") == 0 && strcmp(method, "GET") == 0) return info(c->server);
  for (size_t i = 0; i < sizeof calls / sizeof *calls; ++i) {
    if (strcmp(calls[i].path, path) != 0 || strcmp(method, "POST") != 0) continue;
    if (b->too_large) return um_fail(&c->error, 413, "InvalidInput", "more than %d bytes", BODY_MOST), NULL;
    json_t *document = json_loadb(b->at ? b->at : "", b->size, JSON_REJECT_DUPLICATES, NULL);
    c->body = document;
    if (!json_is_object(document)) wrong(c, "the body must be %s", "a JSON object");
    json_t *found = json_is_object(document) && find_model(c) ? calls[i].answer(c) : NULL;
    json_decref(document);
    return found;
  }
  return um_fail(&c->error, 404, "InvalidInput", "there is no %.10s %.100s", method, path), NULL;
}

// ------------------------------------------------------------------------------------------------ HTTP

static enum MHD_Result respond(struct MHD_Connection *connection, call *c, json_t *found) {
  unsigned status = found ? 200 : (unsigned)c->error.http;
  if (!found) found = json_pack("{s:{s:s, s:s}}", "error", "type", c->error.type, "message", c->error.message);
  char *text = found ? json_dumps(found, JSON_REAL_PRECISION(17)) : NULL;
  json_decref(found);
  if (!text) return MHD_NO;
  struct MHD_Response *response = MHD_create_response_from_buffer(strlen(text), text, MHD_RESPMEM_MUST_FREE);
  if (!response) return free(text), MHD_NO;
  MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, "application/json");
  enum MHD_Result result = MHD_queue_response(connection, status, response);
  MHD_destroy_response(response);
  return result;
}

static void gather(body *b, const char *data, size_t size) {
  if (b->size + size > BODY_MOST) b->too_large = true;
  if (b->too_large) return;
  if (b->room - b->size < size) b->at = must_realloc(b->at, b->room = 2 * b->room + size);
  memcpy(b->at + b->size, data, size);
  b->size += size;
}

static enum MHD_Result on_request(void *context, struct MHD_Connection *connection, const char *path,
                                  const char *method, const char *version, const char *data, size_t *size,
                                  void **state) {
  (void)version;
  body *b = *state;
  if (!b) {
    *state = b = must_alloc(sizeof *b);
    *b = (body){.at = NULL};
    return MHD_YES;
  }
  if (*size > 0) {
    gather(b, data, *size);
    *size = 0;
    return MHD_YES;
  }
  call c = {.server = context};
  return respond(connection, &c, answer(&c, method, path, b));
}

static void on_end(void *context, struct MHD_Connection *connection, void **state,
                   enum MHD_RequestTerminationCode why) {
  (void)context, (void)connection, (void)why;
  body *b = *state;
  if (b) free(b->at);
  free(b);
}

bool um_serve(um_server *server, const char *address, unsigned short port) {
  struct sockaddr_in place = {.sin_family = AF_INET, .sin_port = htons(port)};
  if (inet_pton(AF_INET, address, &place.sin_addr) != 1)
    return say_error("'%s' is no IPv4 address such as 127.0.0.1", address), false;
  interrupt_catch();
  struct MHD_Daemon *daemon =
      MHD_start_daemon(MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_THREAD_PER_CONNECTION, port, NULL, NULL, on_request,
                       server, MHD_OPTION_SOCK_ADDR, &place, MHD_OPTION_NOTIFY_COMPLETED, on_end, NULL,
                       MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS, MHD_OPTION_END);
  if (!daemon) return say_error("cannot listen on %s:%u: %s", address, port, strerror(errno)), false;
  const union MHD_DaemonInfo *bound = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT);
  printf("http://%s:%u\n", address, bound ? bound->port : port);
  fflush(stdout);
  while (!interrupted(NULL)) nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
  MHD_stop_daemon(daemon);
  return true;
}

// Driven by test_client.py: a stream gives the bits of a batch, in order, with as many states under way as there may
// be; it goes on behind states that fail or are refused, and keeps its revision. The argument is the number of states.
#include "tendril_client.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int wrong;

static void expect(bool good, const char *what, const tendril_error *err) {
  if (good) return;
  ++wrong;
  fprintf(stderr, "%s: %s %d %s %s %s\n", what, tendril_status_name(err->status), err->http, err->code, err->pointer,
          err->detail);
}

static void put(tendril_client *c, double mass) {
  char document[600];
  tendril_error err;
  int size = snprintf(
      document, sizeof document,
      "{\"format\": \"tendril.model/1\", \"name\": \"swing\", \"gravity\": [0, 0, -9.81], \"links\": [{\"name\": "
      "\"arm\", \"joint\": {\"type\": \"revolute\", \"axis\": \"y\"}, \"body\": {\"type\": \"rigid\", \"mass\": %g,"
      " \"com\": [0, 0, -0.5], \"inertia\": [0.1, 0.1, 0.01]}}]}",
      mass);
  expect(tendril_model_put(c, "swing", document, (size_t)size, NULL, &err) == TENDRIL_OK, "put", &err);
}

static void same(const tendril_stream *s, tendril_arrays *batch, size_t i, const char *quantity,
                 const tendril_error *err) {
  size_t count = 0;
  const double *one = tendril_stream_values(s, quantity, &count);
  const tendril_array *all = tendril_arrays_find(batch, quantity);
  bool equal = one && count == 1 && memcmp(one, all->values + i, sizeof *one) == 0;
  expect(equal, quantity, err);
}

static void order_and_bits(tendril_client *c, tendril_stream *s, size_t states) {
  tendril_error err = {0};
  tendril_arrays *batch = NULL;
  double *q = malloc(2 * states * sizeof *q), *qd = q + states;
  for (size_t i = 0; i < states; ++i) q[i] = 0.37 * (double)i, qd[i] = cos((double)i);
  tendril_states all = {.count = states, .ndof = 1, .q = q, .qd = qd};
  if (tendril_evaluate(c, "swing", "fd,dfd_dq,energy", &all, &batch, &err) != TENDRIL_OK) expect(false, "batch", &err);
  for (size_t i = 0; i < states && batch; ++i) { // one by one
    expect(tendril_stream_at(s, q + i, qd + i, NULL, NULL, &err) == TENDRIL_OK, "at", &err);
    same(s, batch, i, "fd", &err), same(s, batch, i, "dfd_dq", &err), same(s, batch, i, "energy/kinetic", &err);
  }
  for (size_t i = 0, sent = 0; i < states && batch; ++i) { // all that may be under way
    while (sent < states && sent < i + TENDRIL_STREAM_STATES)
      expect(tendril_stream_send(s, q + sent, qd + sent, NULL, NULL, &err) == TENDRIL_OK, "send", &err), ++sent;
    if (i == 0 && states > TENDRIL_STREAM_STATES)
      expect(tendril_stream_send(s, q, qd, NULL, NULL, &err) == TENDRIL_INVALID, "one too many", &err);
    if (i + 1 < sent) expect(tendril_stream_at(s, q, qd, NULL, NULL, &err) == TENDRIL_INVALID, "out of turn", &err);
    expect(tendril_stream_receive(s, &err) == TENDRIL_OK, "receive", &err);
    same(s, batch, i, "fd", &err);
  }
  expect(tendril_stream_receive(s, &err) == TENDRIL_INVALID, "nothing under way", &err);
  tendril_arrays_close(batch);
  free(q);
}

// fd = -(m c g sin q) / (m c^2 + I): gravity enters by the factor of its third number, a gradient is a number of fd's.
static void parameters(tendril_client *c) {
  tendril_error err = {0};
  tendril_arrays *reply = NULL;
  const double q = 0.4, one[4] = {1, 0, 0, 2};
  const tendril_states state = {.count = 1,
                                .ndof = 1,
                                .q = &q,
                                .parameters = "/model/links/0/body/mass, /model/gravity",
                                .np = 4,
                                .jvp_q = one,
                                .jvp_p = (const double[]){0, 0, 0, 2},
                                .vjp = one};
  expect(tendril_evaluate(c, "swing", "fd,dfd_dq,dfd_dp", &state, &reply, &err) == TENDRIL_OK, "parameters", &err);
  if (!reply) return;
  const tendril_array *fd = tendril_arrays_find(reply, "fd"), *slope = tendril_arrays_find(reply, "dfd_dp");
  const tendril_array *dq = tendril_arrays_find(reply, "dfd_dq"), *jvp = tendril_arrays_find(reply, "jvp");
  const tendril_array *vjp = tendril_arrays_find(reply, "vjp/p"), *names = tendril_arrays_find(reply, "parameters");
  char last[32] = "";
  expect(slope && slope->count == 4 && fabs(slope->values[3] * -9.81 - fd->values[0]) < 1e-9, "dfd_dgravity", &err);
  expect(jvp && fabs(jvp->values[0] - dq->values[0] - 2 * slope->values[3]) < 1e-9, "jvp", &err);
  expect(vjp && vjp->count == 4 && fabs(vjp->values[3] - slope->values[3]) < 1e-12, "vjp", &err);
  expect(names && tendril_array_string(names, 3, last, sizeof last) && strcmp(last, "/model/gravity/2") == 0, "names",
         &err);
  tendril_arrays_close(reply);
}

static void failures(tendril_stream *s) {
  tendril_error err = {0};
  const double good = 0.5, huge = 1e200, none = NAN;
  const double *const q[] = {&good, &good, &none, &good}, *const qd[] = {&good, &huge, &good, &good};
  double first = 0;
  for (int i = 0; i < 4; ++i) expect(tendril_stream_send(s, q[i], qd[i], NULL, NULL, &err) == TENDRIL_OK, "send", &err);
  for (int i = 0; i < 4; ++i) {
    tendril_status status = tendril_stream_receive(s, &err);
    const double *fd = tendril_stream_values(s, "fd", NULL);
    if (i == 0 && fd) first = *fd;
    if (i == 1)
      expect(status == TENDRIL_REFUSED && err.http == 200 && strcmp(err.code, "nonfinite") == 0, "failed", &err);
    if (i == 2)
      expect(status == TENDRIL_REFUSED && err.http == 400 && strncmp(err.pointer, "/q", 2) == 0, "refused", &err);
    if (i == 3) expect(status == TENDRIL_OK && fd && memcmp(fd, &first, sizeof first) == 0, "it goes on", &err);
  }
}

// A rod pushed to less than no length answers, and is marked; one that is not is not.
static int inside_out(const tendril_warning *list, int count) {
  int found = 0;
  for (int i = 0; i < count; ++i) found += strcmp(list[i].code, "inside_out") == 0;
  return found;
}

static void odd_answers(tendril_client *c) {
  static const char *const ram =
      "{\"format\": \"tendril.model/1\", \"name\": \"ram\", \"links\": [{\"name\": \"ram\", \"joint\": {\"type\": "
      "\"fixed\"}, \"body\": {\"type\": \"rod\", \"length\": 1, \"section\": {\"shape\": \"circle\", \"radius\": "
      "0.01}, "
      "\"material\": {\"young\": 1e7, \"poisson\": 0.3, \"density\": 1000}, \"strain\": {\"basis\": \"legendre\", "
      "\"order\": "
      "{\"elongation\": 0}}}}]}";
  const double q[2] = {0, -1.2};
  tendril_error err = {0};
  tendril_warning list[TENDRIL_WARNINGS];
  tendril_arrays *batch = NULL;
  const tendril_states states = {.count = 2, .ndof = 1, .q = q};
  expect(tendril_model_put(c, "ram", ram, strlen(ram), NULL, &err) == TENDRIL_OK, "put the ram", &err);
  expect(tendril_evaluate(c, "ram", "tau", &states, &batch, &err) == TENDRIL_OK, "a batch", &err);
  if (batch) expect(inside_out(list, tendril_arrays_warnings(batch, list)) == 1, "the batch is marked", &err);
  tendril_arrays_close(batch);
  tendril_stream *s = tendril_stream_open(c, "ram", "tau", 0, NULL, &err);
  for (int i = 0; s && i < 2; ++i) {
    expect(tendril_stream_at(s, &q[i], NULL, NULL, NULL, &err) == TENDRIL_OK, "an answer", &err);
    expect(inside_out(list, tendril_stream_warnings(s, list)) == i, "the answer is marked", &err);
  }
  tendril_stream_close(s);
}

int main(int count, char **words) {
  tendril_error err = {0};
  tendril_model opened;
  tendril_client *c = tendril_open(NULL, &err);
  size_t states = count > 1 ? strtoul(words[1], NULL, 10) : 10;
  put(c, 2);
  expect(!tendril_stream_open(c, "nobody", "fd", 0, NULL, &err) && err.http == 404, "no such model", &err);
  expect(!tendril_stream_open(c, "swing", "", 0, NULL, &err) && err.status == TENDRIL_INVALID, "no quantity", &err);
  tendril_stream *s = tendril_stream_open(c, "swing", "fd, dfd_dq, energy", 0, &opened, &err);
  expect(s && opened.ndof == 1, "open", &err);
  if (s) {
    order_and_bits(c, s, states);
    parameters(c);
    failures(s);
    const double q = 0.5;
    expect(tendril_stream_at(s, &q, NULL, NULL, NULL, &err) == TENDRIL_OK, "before", &err);
    size_t values = 0;
    double before = *tendril_stream_values(s, "energy/gravitational", &values);
    put(c, 3);
    expect(tendril_stream_at(s, &q, NULL, NULL, NULL, &err) == TENDRIL_OK, "after", &err);
    expect(*tendril_stream_values(s, "energy/gravitational", NULL) == before && values == 1, "its revision", &err);
    expect(!tendril_stream_values(s, "mass", NULL), "a quantity that was not asked for", &err);
  }
  tendril_stream_close(s);
  odd_answers(c);
  tendril_close(c);
  printf("%zu states, %d wrong\n", states, wrong);
  return wrong != 0;
}

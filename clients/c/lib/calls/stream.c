// States one after another over one kept connection: requests are written behind each other (HTTP/1.1 pipelining),
// answers come in the same order.
//
// Requests stay in `out` until their answers are taken, so that a connection that broke is made again and told all of
// them again; evaluating twice does no harm. Invariants: `out` holds the requests under way, sizes[] their lengths,
// oldest first; the first `sent` bytes are on the present connection; `in` holds what came and was not taken.
#include "lib/http/line.h"
#include "lib/reply/states.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct tendril_stream {
  tendril_client *client;
  client_line line;
  bool answered; // by the present connection
  char *head;    // of every request, up to the digits of Content-Length
  char *want;
  double baumgarte;
  size_t ndof, channels;
  client_buffer body, out, in, reply; // body: of the request that is being written
  size_t sent, sizes[TENDRIL_STREAM_STATES], count;
  tendril_arrays *answer;
};

typedef struct answer { // the first one in `in`
  int status;
  const char *body;
  size_t head, size; // bytes of head and body
  double retry_after_s;
  bool last; // the server closes the connection behind it
} answer;

// ------------------------------------------------------------------------------------------------ opening

static char *part_of(CURLU *url, CURLUPart part) {
  char *text = NULL;
  return curl_url_get(url, part, &text, 0) == CURLUE_OK ? text : NULL;
}

// "POST /v1/models/cdm%403:evaluate …" for this server: a path before /v1 is kept.
static char *head_of(const tendril_client *c, const char *place) {
  CURLU *url = curl_url();
  char *head = NULL;
  if (!url || curl_url_set(url, CURLUPART_URL, c->url, 0) != CURLUE_OK) return curl_url_cleanup(url), NULL;
  char *host = part_of(url, CURLUPART_HOST), *port = part_of(url, CURLUPART_PORT), *path = part_of(url, CURLUPART_PATH);
  const char *before = path && strcmp(path, "/") != 0 ? path : "";
  if (asprintf(&head,
               "POST %s%s HTTP/1.1\r\nHost: %s%s%s\r\nAccept: " CLIENT_NPZ "\r\nContent-Type: " CLIENT_NPZ
               "\r\n%s%s%sContent-Length: ",
               before, place, host ? host : "", port ? ":" : "", port ? port : "",
               c->token ? "Authorization: Bearer " : "", c->token ? c->token : "", c->token ? "\r\n" : "") < 0)
    head = NULL;
  curl_free(host), curl_free(port), curl_free(path);
  curl_url_cleanup(url);
  return head;
}

static tendril_status prepare(tendril_stream *s, const tendril_model *model, const char *want, tendril_error *err) {
  char name[TENDRIL_NAME_SIZE + 16];
  snprintf(name, sizeof name, "%s@%d", model->name, model->revision);
  client_path path = client_path_to(CLIENT_EVALUATE, name, NULL);
  s->ndof = (size_t)model->ndof, s->channels = (size_t)model->channels;
  s->head = head_of(s->client, path.text);
  s->want = strdup(want);
  return s->head && s->want ? TENDRIL_OK : client_no_memory(err);
}

tendril_stream *tendril_stream_open(tendril_client *c, const char *model, const char *want, double baumgarte,
                                    tendril_model *opened, tendril_error *err) {
  tendril_model found;
  if (!client_words_fit(want))
    return client_fail(err, TENDRIL_INVALID, "'%.200s' is not a list of quantities separated by commas", want), NULL;
  if (tendril_model_get(c, model, &found, err) != TENDRIL_OK) return NULL;
  tendril_stream *s = calloc(1, sizeof *s);
  if (!s) return client_no_memory(err), NULL;
  s->client = c, s->baumgarte = baumgarte;
  if (prepare(s, &found, want, err) != TENDRIL_OK) return tendril_stream_close(s), NULL;
  if (opened) *opened = found;
  return s;
}

void tendril_stream_close(tendril_stream *s) {
  if (!s) return;
  client_line_close(&s->line);
  tendril_arrays_close(s->answer);
  client_buffer_free(&s->body), client_buffer_free(&s->out), client_buffer_free(&s->in), client_buffer_free(&s->reply);
  free(s->head), free(s->want);
  free(s);
}

// ------------------------------------------------------------------------------------------------ sending

static bool append_request(tendril_stream *s) {
  char length[32];
  size_t before = s->out.size;
  int digits = snprintf(length, sizeof length, "%zu\r\n\r\n", s->body.size);
  bool good = client_append(&s->out, s->head, strlen(s->head)) && client_append(&s->out, length, (size_t)digits) &&
              client_append(&s->out, s->body.at, s->body.size);
  if (good) s->sizes[s->count++] = s->out.size - before;
  if (!good) s->out.size = before;
  return good;
}

static void hang_up(tendril_stream *s) {
  client_line_close(&s->line);
  s->sent = s->in.size = 0;
  s->answered = false;
}

static tendril_status flush(tendril_stream *s, tendril_error *err) {
  tendril_status status = s->line.curl ? TENDRIL_OK : client_line_open(&s->line, s->client, err);
  while (status == TENDRIL_OK && s->sent < s->out.size) {
    size_t sent;
    status = client_line_move(&s->line, s->client, s->out.at + s->sent, s->out.size - s->sent, &sent, &s->in, err);
    s->sent += sent;
  }
  return status;
}

tendril_status tendril_stream_send(tendril_stream *s, const double *q, const double *qd, const double *qdd,
                                   const double *u, tendril_error *err) {
  if (s->count == TENDRIL_STREAM_STATES)
    return client_fail(err, TENDRIL_INVALID, "%d states are under way: receive an answer first", TENDRIL_STREAM_STATES);
  if (!q && s->ndof > 0) return client_fail(err, TENDRIL_INVALID, "the state has no q");
  const tendril_states state = {.count = 1,
                                .ndof = s->ndof,
                                .channels = s->channels,
                                .q = q,
                                .qd = qd,
                                .qdd = qdd,
                                .u = u,
                                .baumgarte = s->baumgarte};
  if (!client_write_states(&s->body, s->want, &state, NULL) || !append_request(s)) return client_no_memory(err);
  tendril_error trouble = {0};
  if (flush(s, &trouble) == TENDRIL_UNREACHABLE) hang_up(s); // the next receive says it again
  return TENDRIL_OK;
}

// ------------------------------------------------------------------------------------------------ receiving

// What stands behind "name:" in head[size], NULL when there is no such line.
static const char *header_of(const char *head, size_t size, const char *name) {
  size_t length = strlen(name);
  for (const char *at = head; (at = memchr(at, '\n', size - (size_t)(at - head))) != NULL;) {
    ++at;
    if (size - (size_t)(at - head) > length && strncasecmp(at, name, length) == 0 && at[length] == ':')
      return at + length + 1;
  }
  return NULL;
}

static double header_number(const char *head, size_t size, const char *name, double otherwise) {
  const char *value = header_of(head, size, name);
  return value ? strtod(value, NULL) : otherwise;
}

static bool is_last(const char *head, size_t size) {
  const char *value = header_of(head, size, "Connection");
  return value && strncasecmp(value + strspn(value, " \t"), "close", 5) == 0;
}

static tendril_status no_server(const tendril_stream *s, tendril_error *err) {
  return client_fail(err, TENDRIL_BAD_REPLY, "what %.200s answers is not HTTP with a length", s->client->url);
}

// Whether the whole of an answer is in `in`; *status is not OK when what is there is none.
static bool parse(const tendril_stream *s, answer *a, tendril_status *status, tendril_error *err) {
  enum { HEAD_LIMIT = 65536, BODY_LIMIT = 1 << 30 };
  const char *text = s->in.at, *end = s->in.size > 0 ? memmem(text, s->in.size, "\r\n\r\n", 4) : NULL;
  if (s->in.size >= 5 && strncmp(text, "HTTP/", 5) != 0) return *status = no_server(s, err), true;
  if (!end) return s->in.size > HEAD_LIMIT && (*status = no_server(s, err), true);
  a->head = (size_t)(end - text) + 4;
  double size = header_number(text, a->head, "Content-Length", -1);
  if (a->head < 16 || !(size >= 0 && size <= BODY_LIMIT)) return *status = no_server(s, err), true;
  a->status = atoi(text + 9); // "HTTP/1.1 200"
  a->size = (size_t)size;
  a->body = text + a->head;
  a->retry_after_s = header_number(text, a->head, "Retry-After", 0);
  a->last = is_last(text, a->head);
  return s->in.size - a->head >= a->size;
}

static tendril_status wait_for_answer(tendril_stream *s, answer *a, tendril_error *err) {
  tendril_status status = flush(s, err);
  while (status == TENDRIL_OK && !parse(s, a, &status, err))
    status = client_line_move(&s->line, s->client, NULL, 0, &(size_t){0}, &s->in, err);
  if (status != TENDRIL_OK) return status;
  s->answered = true;
  return a->status == 200 ? TENDRIL_OK : client_problem(err, a->status, a->body, a->size);
}

// The oldest request has its answer.
static void settle(tendril_stream *s, const answer *a) {
  size_t taken = a->head + a->size;
  assert(s->count > 0 && taken <= s->in.size && s->sizes[0] <= s->out.size);
  s->in.size -= taken, s->sent -= s->sizes[0], s->out.size -= s->sizes[0];
  memmove(s->in.at, s->in.at + taken, s->in.size);
  memmove(s->out.at, s->out.at + s->sizes[0], s->out.size);
  memmove(s->sizes, s->sizes + 1, --s->count * sizeof *s->sizes);
  if (a->last) hang_up(s);
}

// "singular: the mass matrix …" of a state that failed.
static tendril_status state_error(const tendril_stream *s, tendril_error *err) {
  char text[1024] = "";
  const tendril_array *failed = tendril_arrays_find(s->answer, "error");
  if (!failed || !tendril_array_string(failed, 0, text, sizeof text)) return TENDRIL_OK;
  client_fail(err, TENDRIL_REFUSED, "%s", text);
  size_t code = strcspn(text, ":");
  if (!err || code >= sizeof err->code) return TENDRIL_REFUSED;
  text[code] = '\0';
  client_copy(err->code, sizeof err->code, text);
  err->http = 200;
  return TENDRIL_REFUSED;
}

static tendril_status take(tendril_stream *s, const answer *a, tendril_error *err) {
  tendril_error why = {0};
  s->reply.size = 0;
  if (!client_append(&s->reply, a->body, a->size)) return client_no_memory(err);
  settle(s, a);
  s->answer = tendril_arrays_read(s->reply.at, s->reply.size, &why);
  if (s->answer) return state_error(s, err);
  return client_fail(err, why.status, "the answer cannot be read: %.900s", why.detail);
}

tendril_status tendril_stream_receive(tendril_stream *s, tendril_error *err) {
  tendril_error own;
  double since_s = 0;
  if (!err) err = &own; // decisions are taken on it
  *err = (tendril_error){0};
  tendril_arrays_close(s->answer);
  s->answer = NULL;
  if (s->count == 0) return client_fail(err, TENDRIL_INVALID, "no state is under way");
  for (int attempt = 0;;) {
    answer a = {0};
    tendril_status status = wait_for_answer(s, &a, err);
    if (status == TENDRIL_OK) return take(s, &a, err);
    if (status == TENDRIL_REFUSED && !client_may_heal(s->client, err)) return settle(s, &a), status;
    bool kept =
        s->answered && status == TENDRIL_UNREACHABLE; // a server may close what was silent for long: no reason to wait
    hang_up(s);
    if (!client_may_heal(s->client, err)) return status;
    if (!kept && !client_pause(s->client, &since_s, attempt++, a.retry_after_s))
      return client_stopped(s->client) ? client_fail(err, TENDRIL_STOPPED, "stopped by the caller") : status;
  }
}

tendril_status tendril_stream_at(tendril_stream *s, const double *q, const double *qd, const double *qdd,
                                 const double *u, tendril_error *err) {
  if (s->count > 0)
    return client_fail(err, TENDRIL_INVALID, "%zu states are under way: receive their answers", s->count);
  tendril_status status = tendril_stream_send(s, q, qd, qdd, u, err);
  return status ? status : tendril_stream_receive(s, err);
}

int tendril_stream_warnings(const tendril_stream *s, tendril_warning list[TENDRIL_WARNINGS]) {
  return s->answer ? tendril_arrays_warnings(s->answer, list) : 0;
}

const double *tendril_stream_values(const tendril_stream *s, const char *quantity, size_t *count) {
  const tendril_array *array = s->answer ? tendril_arrays_find(s->answer, quantity) : NULL;
  if (count) *count = array && array->values ? array->count : 0;
  return array ? array->values : NULL;
}

// HTTP by libcurl: one kept connection for requests, one for a stream. Redirects are not followed: a token must not
// leave with one. A silence longer than allowed counts as a broken connection, however long the answer is.
#include "lib/http/sink.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { STREAM_SILENCE_S = 45 }; // three missed heartbeats

typedef struct transfer { // one try
  tendril_client *client;
  CURL *curl;
  client_sink *sink;
  bool (*feed)(void *context, const char *bytes, size_t size); // streams: gets the bytes of 2xx
  void *context;
  bool fed_enough; // feed asked for the end
} transfer;

// ------------------------------------------------------------------------------------------------ what libcurl calls

static long status_of(CURL *curl) {
  long status = 0;
  curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
  return status;
}

static size_t on_bytes(char *bytes, size_t unit, size_t count, void *context) {
  transfer *t = context;
  size_t size = unit * count;
  long status = status_of(t->curl);
  if (!t->feed || status < 200 || status > 299) return client_sink_bytes(t->sink, status, bytes, size) ? size : 0;
  t->fed_enough = !t->feed(t->context, bytes, size);
  return t->fed_enough ? 0 : size;
}

static size_t on_header(char *bytes, size_t unit, size_t count, void *context) {
  transfer *t = context;
  char line[1024];
  size_t size = unit * count, kept = size < sizeof line - 1 ? size : sizeof line - 1;
  memcpy(line, bytes, kept);
  line[kept] = '\0';
  client_sink_header(t->sink, line);
  return size;
}

static int on_progress(void *context, curl_off_t a, curl_off_t b, curl_off_t c, curl_off_t d) {
  (void)a, (void)b, (void)c, (void)d;
  return client_stopped(context) ? 1 : 0;
}

// ------------------------------------------------------------------------------------------------ one try

// Appends "name: value". False when there is not enough memory.
static bool add_header(struct curl_slist **list, const char *name, const char *value) {
  char *line = NULL;
  if (asprintf(&line, "%s: %s", name, value) < 0) return false;
  struct curl_slist *longer = curl_slist_append(*list, line);
  free(line);
  if (longer) *list = longer;
  return longer != NULL;
}

static bool add_range(struct curl_slist **list, const client_sink *s) {
  if (s->kept == 0 || !s->etag[0]) return true;
  char range[40];
  snprintf(range, sizeof range, "bytes=%llu-", (unsigned long long)s->kept);
  return add_header(list, "Range", range) && add_header(list, "If-Range", s->etag);
}

static struct curl_slist *headers_of(const tendril_client *c, const client_request *r, const client_sink *s) {
  struct curl_slist *list = NULL;
  char token[1100];
  snprintf(token, sizeof token, "Bearer %s", c->token ? c->token : "");
  bool good = add_header(&list, "Accept", r->accept ? r->accept : CLIENT_JSON) && add_range(&list, s);
  if (good && r->body) good = add_header(&list, "Content-Type", r->content_type ? r->content_type : CLIENT_JSON);
  if (good && r->key) good = add_header(&list, "Idempotency-Key", r->key);
  if (good && c->token) good = add_header(&list, "Authorization", token);
  struct curl_slist *longer = good ? curl_slist_append(list, "Expect:") : NULL; // a round trip saved
  if (!longer) curl_slist_free_all(list);
  return longer;
}

static void set_body(CURL *curl, const client_request *r) {
  if (r->body) {
    curl_easy_setopt(curl, CURLOPT_POSTFIELDS, r->body);
    curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)r->size);
  } else if (strcmp(r->path->method, "POST") == 0) {
    curl_easy_setopt(curl, CURLOPT_POSTFIELDS, "");
  }
  curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, r->path->method);
}

void client_set_limits(CURL *curl, tendril_client *c, double silence_s) {
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
  if (strstr(c->url, "//127.") || strstr(c->url, "//localhost") || strstr(c->url, "//[::1]"))
    curl_easy_setopt(curl, CURLOPT_PROXY, ""); // a proxy cannot reach this machine's loopback
  if (c->ca_file) curl_easy_setopt(curl, CURLOPT_CAINFO, c->ca_file);
  curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, c->why);
  curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, (long)(1000 * c->options.connect_timeout_s));
  if (silence_s > 0) curl_easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
  if (silence_s > 0) curl_easy_setopt(curl, CURLOPT_LOW_SPEED_TIME, silence_s < 1 ? 1L : (long)(silence_s + 0.5));
  curl_easy_setopt(curl, CURLOPT_TCP_KEEPALIVE, 1L);
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
  curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, on_progress);
  curl_easy_setopt(curl, CURLOPT_XFERINFODATA, c);
}

static CURLcode perform(transfer *t, const client_request *r, const char *address, struct curl_slist *headers) {
  tendril_client *c = t->client;
  double silence_s = r->silence_s == 0 ? c->options.timeout_s : r->silence_s;
  curl_easy_reset(t->curl);
  curl_easy_setopt(t->curl, CURLOPT_URL, address);
  client_set_limits(t->curl, c, silence_s);
  set_body(t->curl, r);
  curl_easy_setopt(t->curl, CURLOPT_HTTPHEADER, headers);
  curl_easy_setopt(t->curl, CURLOPT_WRITEFUNCTION, on_bytes);
  curl_easy_setopt(t->curl, CURLOPT_WRITEDATA, t);
  curl_easy_setopt(t->curl, CURLOPT_HEADERFUNCTION, on_header);
  curl_easy_setopt(t->curl, CURLOPT_HEADERDATA, t);
  c->why[0] = '\0';
  return curl_easy_perform(t->curl);
}

// What TLS has to do with it, or NULL. A server that speaks TLS hangs up on plain HTTP without a word.
static const char *tls_hint(const tendril_client *c, CURLcode code) {
  bool secure = strncasecmp(c->url, "https:", 6) == 0;
  if (code == CURLE_PEER_FAILED_VERIFICATION)
    return "The server is there, but its certificate is not trusted: TENDRIL_CA_FILE names a file (PEM) of those to "
           "trust.";
  if (code == CURLE_SSL_CONNECT_ERROR && secure)
    return "If the server there has no TLS, its address begins with http://.";
  if (code == CURLE_GOT_NOTHING && !secure) return "If the server there wants TLS, its address begins with https://.";
  return NULL;
}

static tendril_status explain(const transfer *t, CURLcode code, tendril_error *err) {
  const tendril_client *c = t->client;
  const char *why = c->why[0] ? c->why : curl_easy_strerror(code);
  if (t->sink->trouble) return err->status = t->sink->trouble; // in words when the sink is closed
  if (code == CURLE_ABORTED_BY_CALLBACK) return client_fail(err, TENDRIL_STOPPED, "stopped by the caller");
  if (code == CURLE_OUT_OF_MEMORY) return client_no_memory(err);
  if (code == CURLE_URL_MALFORMAT || code == CURLE_UNSUPPORTED_PROTOCOL)
    return client_fail(err, TENDRIL_INVALID, "'%.200s' is not the address of a server: %s", c->url, why);
  const char *hint = tls_hint(c, code);
  (void)client_fail(err, TENDRIL_UNREACHABLE, "no answer from %.200s: %s%s%s", c->url, why, hint ? ". " : "",
                    hint ? hint : "");
  if (hint) client_copy(err->code, sizeof err->code, "tls");
  return TENDRIL_UNREACHABLE;
}

// What a connection says that was there and broke.
static bool broke(CURLcode code) {
  return code == CURLE_GOT_NOTHING || code == CURLE_RECV_ERROR || code == CURLE_SEND_ERROR ||
         code == CURLE_PARTIAL_FILE;
}

// *lost becomes true when the request may have arrived although nothing came back.
static tendril_status try_once(transfer *t, const client_request *r, bool *lost, tendril_error *err) {
  char *address = NULL;
  struct curl_slist *headers = headers_of(t->client, r, t->sink);
  if (!headers || asprintf(&address, "%s%s", t->client->url, r->path->text) < 0) {
    curl_slist_free_all(headers);
    return client_no_memory(err);
  }
  CURLcode code = perform(t, r, address, headers);
  curl_slist_free_all(headers);
  free(address);
  long status = status_of(t->curl);
  if (code == CURLE_OK && !t->sink->headed) code = CURLE_RECV_ERROR;
  if (status > 0 || broke(code)) t->client->reached = true;
  *lost |= code != CURLE_OK && code != CURLE_COULDNT_CONNECT && code != CURLE_COULDNT_RESOLVE_HOST;
  if (code != CURLE_OK && !t->fed_enough) return explain(t, code, err);
  if (status >= 200 && status <= 299) return TENDRIL_OK;
  return client_problem(err, (int)status, t->sink->reply->at, t->sink->reply->size);
}

// ------------------------------------------------------------------------------------------------ a request

static tendril_status try_often(transfer *t, const client_request *r, tendril_error *err) {
  double since_s = 0;
  bool lost = false;
  for (int attempt = 0;; ++attempt) {
    bool lost_before = lost;
    client_sink_restart(t->sink);
    tendril_status status = try_once(t, r, &lost, err);
    if (r->deletes && lost_before && status == TENDRIL_REFUSED && err->http == 404) return TENDRIL_OK;
    if (status == TENDRIL_OK || !client_may_heal(t->client, err) || (r->once && lost)) return status;
    if (!client_pause(t->client, &since_s, attempt, (double)t->sink->retry_after_s))
      return client_stopped(t->client) ? client_fail(err, TENDRIL_STOPPED, "stopped by the caller") : status;
  }
}

tendril_status client_send(tendril_client *c, const client_request *r, tendril_error *err) {
  tendril_error own;
  if (!err) err = &own; // decisions are taken on it
  *err = (tendril_error){0};
  if (r->path->too_long) return client_fail(err, TENDRIL_INVALID, "the arguments are too long for an address");
  client_sink sink;
  bool binary = r->accept && strcmp(r->accept, CLIENT_NPZ) == 0;
  tendril_status status = client_sink_open(&sink, &c->reply, r->save_to, binary, err);
  if (status != TENDRIL_OK) return status;
  transfer t = {.client = c, .curl = c->curl, .sink = &sink};
  status = try_often(&t, r, err);
  return client_sink_close(&sink, status, err);
}

tendril_status client_json(tendril_client *c, const client_request *r, json_t **value, tendril_error *err) {
  *value = NULL;
  tendril_status status = client_send(c, r, err);
  if (status != TENDRIL_OK) return status;
  *value = json_loadb(c->reply.at ? c->reply.at : "", c->reply.size, JSON_REJECT_DUPLICATES, NULL);
  if (*value) return TENDRIL_OK;
  return client_fail(err, TENDRIL_BAD_REPLY, "%s %.200s: the answer of %.200s is not JSON", r->path->method,
                     r->path->text, c->url);
}

// ------------------------------------------------------------------------------------------------ a stream

tendril_status client_stream(tendril_client *c, const client_path *path, int64_t last_event_id,
                             bool (*feed)(void *context, const char *bytes, size_t size), void *context, bool *lasting,
                             tendril_error *err) {
  if (!c->stream) c->stream = curl_easy_init();
  if (!c->stream) return client_no_memory(err);
  client_buffer refusal = {0}; // the callback's requests own the reply
  client_sink sink = {.reply = &refusal};
  transfer t = {.client = c, .curl = c->stream, .sink = &sink, .feed = feed, .context = context};
  client_path address = *path;
  char since[24];
  snprintf(since, sizeof since, "%lld", (long long)last_event_id);
  client_path_query(&address, "since", since);
  client_request r = {.path = &address, .accept = "text/event-stream", .silence_s = STREAM_SILENCE_S};
  bool lost = false;
  *err = (tendril_error){0};
  client_sink_restart(&sink);
  tendril_status status = try_once(&t, &r, &lost, err);
  long code = status_of(c->stream);
  *lasting = code >= 200 && code <= 299;
  client_buffer_free(&refusal);
  return sink.trouble ? client_no_memory(err) : status;
}

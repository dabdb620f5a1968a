// Opening and closing, and the last reply as it came.
#include "lib/http/client.h"

#include "lib/reply/raw.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static CURLcode started = CURLE_FAILED_INIT;

static void start_curl(void) { started = curl_global_init(CURL_GLOBAL_DEFAULT); }

// ------------------------------------------------------------------------------------------------ options

// Printable, without spaces: what a header line or an address may hold.
static bool plain(const char *text) {
  for (; *text; ++text)
    if ((unsigned char)*text <= ' ' || (unsigned char)*text >= 0x7f) return false;
  return true;
}

static const char *given_or(const char *given, const char *variable, const char *otherwise) {
  const char *text = given ? given : getenv(variable);
  return text && *text ? text : otherwise;
}

// "http://" put before a bare host:port, slashes at the end taken away.
static char *address_of(const char *given) {
  char *url = NULL;
  if (asprintf(&url, "%s%s", strstr(given, "://") ? "" : "http://", given) < 0) return NULL;
  for (size_t n = strlen(url); n > 0 && url[n - 1] == '/'; --n) url[n - 1] = '\0';
  return url;
}

static bool is_address(const char *url) {
  CURLU *parts = curl_url();
  bool good = parts && curl_url_set(parts, CURLUPART_URL, url, 0) == CURLUE_OK &&
              (strncmp(url, "http://", 7) == 0 || strncmp(url, "https://", 8) == 0);
  curl_url_cleanup(parts);
  return good;
}

static void set_default(double *value, double otherwise) {
  if (!(*value > 0) && !(*value < 0)) *value = otherwise;
}

static tendril_status fill(tendril_client *c, const tendril_options *given, tendril_error *err) {
  if (given) c->options = *given;
  set_default(&c->options.connect_timeout_s, 10);
  set_default(&c->options.timeout_s, 60);
  set_default(&c->options.evaluate_timeout_s, -1);
  set_default(&c->options.patience_s, 30);
  const char *url = given_or(given ? given->url : NULL, "TENDRIL_URL", "http://127.0.0.1:8080");
  const char *token = given_or(given ? given->token : NULL, "TENDRIL_TOKEN", NULL);
  c->url = address_of(url);
  c->token = token ? strdup(token) : NULL;
  const char *ca_file = given_or(given ? given->ca_file : NULL, "TENDRIL_CA_FILE", NULL);
  c->ca_file = ca_file ? strdup(ca_file) : NULL;
  c->options.url = c->options.token = c->options.ca_file = NULL;
  c->curl = curl_easy_init();
  if (!c->url || !c->curl || (token && !c->token) || (ca_file && !c->ca_file)) return client_no_memory(err);
  if (!plain(c->url) || !is_address(c->url))
    return client_fail(err, TENDRIL_INVALID, "'%.200s' is not the address of a server", url);
  if (c->token && (!plain(c->token) || strlen(c->token) > 1000))
    return client_fail(err, TENDRIL_INVALID, "the token is not valid: it has spaces or more than 1000 characters");
  return TENDRIL_OK;
}

tendril_client *tendril_open(const tendril_options *options, tendril_error *err) {
  pthread_once(&once, start_curl);
  tendril_client *c = started == CURLE_OK ? calloc(1, sizeof *c) : NULL;
  if (!c) return client_no_memory(err), NULL;
  if (fill(c, options, err) == TENDRIL_OK) return c;
  tendril_close(c);
  return NULL;
}

void tendril_close(tendril_client *c) {
  if (!c) return;
  curl_easy_cleanup(c->curl);
  curl_easy_cleanup(c->stream);
  client_buffer_free(&c->reply);
  free(c->url);
  free(c->token);
  free(c->ca_file);
  free(c);
}

const char *tendril_url(const tendril_client *client) { return client->url; }

// ------------------------------------------------------------------------------------------------ replies

tendril_text tendril_reply(const tendril_client *client) {
  return (tendril_text){client->reply.at, client->reply.at ? client->reply.size : 0};
}

tendril_text tendril_reply_member(const tendril_client *client, const char *key) {
  tendril_text part = {NULL, 0};
  if (client->reply.at) part.at = client_raw_member(client->reply.at, client->reply.size, key, &part.size);
  return part;
}

tendril_status tendril_get(tendril_client *client, const char *path, tendril_error *err) {
  if (path[0] != '/' || !plain(path)) return client_fail(err, TENDRIL_INVALID, "'%.200s' is not a path", path);
  client_path address = client_path_of(path);
  return client_send(client, &(client_request){.path = &address}, err);
}

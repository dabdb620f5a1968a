// HTTP by libcurl: one easy handle, kept alive between requests. Answers of 4xx and 5xx are problem documents (RFC 9457),
// printed as «what happened, where in the request, what to do». Redirects are not followed: a token must not leave with one.
#include "base/http.h"

#include "base/options.h"
#include "base/say.h"
#include <curl/curl.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BODY_LIMIT = 1 << 30 };

struct http {
  CURL *curl;
  const char *url;
  const char *token;
  char why[CURL_ERROR_SIZE];
};

typedef struct sink { // where the bytes of one answer go: the file for 2xx, memory otherwise
  CURL *curl;
  const char *path;
  char *partial;
  FILE *file;
  http_reply *reply;
  int file_error;
} sink;

static volatile sig_atomic_t interrupted;

static void on_interrupt(int signal_number) {
  (void)signal_number;
  interrupted = 1;
}

void http_catch_interrupt(void) {
  struct sigaction action = {.sa_handler = on_interrupt, .sa_flags = (int)SA_RESETHAND}; // a second Ctrl-C ends at once
  sigaction(SIGINT, &action, NULL);
}

bool http_interrupted(void) { return interrupted != 0; }

http *http_open(const char *url, const char *token) {
  if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) return NULL;
  http *connection = must_alloc(sizeof *connection);
  *connection = (http){.curl = curl_easy_init(), .url = url, .token = token};
  return connection;
}

void http_close(http *connection) {
  if (!connection) return;
  curl_easy_cleanup(connection->curl);
  free(connection);
  curl_global_cleanup();
}

char *http_escape(http *connection, const char *text) {
  char *escaped = curl_easy_escape(connection->curl, text, 0);
  char *copy = must_copy(escaped ? escaped : "");
  curl_free(escaped);
  return copy;
}

// ------------------------------------------------------------------------------------------------ the answer's bytes

static bool to_file(sink *s) {
  long status = 0;
  curl_easy_getinfo(s->curl, CURLINFO_RESPONSE_CODE, &status);
  return s->path && status >= 200 && status < 300;
}

static size_t write_file(sink *s, const char *bytes, size_t size) {
  if (!s->file) s->file = fopen(s->partial, "wb");
  if (s->file && fwrite(bytes, 1, size, s->file) == size) return size;
  s->file_error = errno;
  return 0;
}

static size_t on_bytes(char *bytes, size_t unit, size_t count, void *context) {
  sink *s = context;
  size_t size = unit * count;
  if (to_file(s)) return write_file(s, bytes, size);
  http_reply *reply = s->reply;
  if (reply->size + size > BODY_LIMIT) return 0;
  reply->body = must_realloc(reply->body, reply->size + size + 1);
  memcpy(reply->body + reply->size, bytes, size);
  reply->size += size;
  reply->body[reply->size] = '\0';
  return size;
}

static int on_progress(void *context, curl_off_t a, curl_off_t b, curl_off_t c, curl_off_t d) {
  (void)context, (void)a, (void)b, (void)c, (void)d;
  return interrupted ? 1 : 0;
}

// Gives the file its name, or takes it away again when the transfer failed.
static bool sink_finish(sink *s, bool good) {
  if (s->file && fclose(s->file) != 0 && !s->file_error) s->file_error = errno;
  if (s->file && good && !s->file_error && rename(s->partial, s->path) != 0) s->file_error = errno;
  if (s->file && (!good || s->file_error)) unlink(s->partial);
  if (s->file_error) say_error("cannot write %s: %s", s->path, strerror(s->file_error));
  free(s->partial);
  return s->file_error == 0;
}

// ------------------------------------------------------------------------------------------------ one request

static struct curl_slist *headers_for(const http *connection, const http_request *request) {
  struct curl_slist *list = NULL;
  char line[4096];
  snprintf(line, sizeof line, "Accept: %s", request->accept ? request->accept : "application/json");
  list = curl_slist_append(list, line);
  if (request->body) {
    snprintf(line, sizeof line, "Content-Type: %s", request->content_type ? request->content_type : "application/json");
    list = curl_slist_append(list, line);
  }
  list = curl_slist_append(list, "Expect:"); // a round trip saved
  if (connection->token) {
    snprintf(line, sizeof line, "Authorization: Bearer %s", connection->token);
    list = curl_slist_append(list, line);
  }
  return list;
}

static void set_target(http *connection, const http_request *request, const char *address) {
  CURL *curl = connection->curl;
  bool loopback =
      strstr(connection->url, "//127.") || strstr(connection->url, "//localhost") || strstr(connection->url, "//[::1]");
  curl_easy_reset(curl);
  curl_easy_setopt(curl, CURLOPT_URL, address);
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
  if (loopback) curl_easy_setopt(curl, CURLOPT_PROXY, ""); // a proxy cannot reach this machine's loopback
  curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, connection->why);
  curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, 10L);
  curl_easy_setopt(curl, CURLOPT_TIMEOUT, request->timeout_s);
  curl_easy_setopt(curl, CURLOPT_TCP_KEEPALIVE, 1L);
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
  curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, on_progress);
  if (request->body) {
    curl_easy_setopt(curl, CURLOPT_POSTFIELDS, request->body);
    curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)request->body_size);
  } else if (strcmp(request->method, "POST") == 0) {
    curl_easy_setopt(curl, CURLOPT_POSTFIELDS, "");
  }
  curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, request->method);
}

static CURLcode transfer(http *connection, const http_request *request, sink *s) {
  char *address = must_format("%s%s", connection->url, request->path);
  set_target(connection, request, address);
  struct curl_slist *headers = headers_for(connection, request);
  curl_easy_setopt(connection->curl, CURLOPT_HTTPHEADER, headers);
  curl_easy_setopt(connection->curl, CURLOPT_WRITEFUNCTION, on_bytes);
  curl_easy_setopt(connection->curl, CURLOPT_WRITEDATA, s);
  connection->why[0] = '\0';
  CURLcode code = curl_easy_perform(connection->curl);
  curl_easy_getinfo(connection->curl, CURLINFO_RESPONSE_CODE, &s->reply->status);
  curl_slist_free_all(headers);
  free(address);
  return code;
}

// ------------------------------------------------------------------------------------------------ what went wrong

static int say_unreachable(const http *connection, const http_request *request, CURLcode code) {
  const char *why = connection->why[0] ? connection->why : curl_easy_strerror(code);
  if (interrupted || request->quiet) return EXIT_UNREACHABLE;
  if (code == CURLE_URL_MALFORMAT || code == CURLE_UNSUPPORTED_PROTOCOL) {
    say_error("'%s' is not the address of a server: %s", connection->url, why);
    return EXIT_USAGE;
  }
  say_error("no answer from %s: %s", connection->url, why);
  if (code == CURLE_COULDNT_CONNECT || code == CURLE_COULDNT_RESOLVE_HOST)
    say_note("  Is a server running there? `tendrild` starts one; --url or TENDRIL_URL says where it is.");
  return EXIT_UNREACHABLE;
}

static const char *member_text(const json_t *object, const char *key) {
  const char *text = json_string_value(json_object_get(object, key));
  return text ? text : "";
}

static int say_problem(const http_request *request, const http_reply *reply) {
  json_t *problem = reply->body ? json_loadb(reply->body, reply->size, 0, NULL) : NULL;
  const char *detail = member_text(problem, "detail"), *title = member_text(problem, "title");
  const char *code = member_text(problem, "code"), *pointer = member_text(problem, "pointer");
  const char *what = *detail  ? detail
                     : *title ? title
                              : "the answer is not a problem document; is this a Tendril server?";
  say_error("%s (%ld%s%s)", what, reply->status, *code ? " " : "", code);
  if (*pointer) say_note("  at %s of what was sent by %s %s", pointer, request->method, request->path);
  if (reply->status == 401) say_note("  TENDRIL_TOKEN holds the token to send.");
  if (reply->status >= 500 && *member_text(problem, "request_id"))
    say_note("  request %s in the server's log tells more", member_text(problem, "request_id"));
  json_decref(problem);
  return EXIT_JOB_FAILED;
}

int http_send(http *connection, const http_request *request, http_reply *reply) {
  *reply = (http_reply){0};
  sink s = {.curl = connection->curl, .path = request->save_to, .reply = reply};
  if (s.path) s.partial = must_format("%s.partial", s.path);
  CURLcode code = transfer(connection, request, &s);
  bool good = code == CURLE_OK && reply->status >= 200 && reply->status < 300;
  if (!sink_finish(&s, good)) return EXIT_USAGE;
  if (code != CURLE_OK) return say_unreachable(connection, request, code);
  if (good || reply->status == request->tolerate) return EXIT_OK;
  return say_problem(request, reply);
}

void http_release(http_reply *reply) {
  free(reply->body);
  *reply = (http_reply){0};
}

int http_json(http *connection, const http_request *request, json_t **value) {
  http_reply reply;
  *value = NULL;
  int result = http_send(connection, request, &reply);
  if (result == EXIT_OK && reply.size > 0 && reply.status != request->tolerate) {
    *value = json_loadb(reply.body, reply.size, JSON_REJECT_DUPLICATES, NULL);
    if (!*value) say_error("%s %s: the answer of %s is not JSON", request->method, request->path, connection->url);
    if (!*value) result = EXIT_JOB_FAILED;
  }
  http_release(&reply);
  return result;
}

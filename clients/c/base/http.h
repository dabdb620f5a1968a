// One connection to a Tendril server. Every refusal is printed as a sentence before the call returns.
#ifndef TENDRIL_CLIENT_HTTP_H
#define TENDRIL_CLIENT_HTTP_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct http http;

typedef struct http_request {
  const char *method; ///< "GET"
  const char *path;   ///< "/v1/models/cdm", already escaped
  const void *body;   ///< NULL for none
  size_t body_size;
  const char *accept;       ///< NULL: application/json
  const char *content_type; ///< NULL: application/json
  const char *save_to;      ///< a file for the body of a 2xx answer, NULL: memory
  long timeout_s;           ///< 0: as long as it takes
  long tolerate;            ///< a status that is an answer, not an error (404 when asking whether something exists)
  bool quiet;               ///< do not print when the server cannot be reached
} http_request;

typedef struct http_reply {
  long status;
  char *body; ///< 0-terminated; NULL when it went to a file
  size_t size;
} http_reply;

/// @param url    "http://127.0.0.1:8080"; borrowed
/// @param token  bearer token or NULL; borrowed
http *http_open(const char *url, const char *token);
void http_close(http *connection);
/// Sends one request. Returns EXIT_OK (2xx or the tolerated status), EXIT_JOB_FAILED when the server refuses (printed),
/// EXIT_UNREACHABLE when there is no answer. The caller releases the reply in every case.
int http_send(http *connection, const http_request *request, http_reply *reply);
void http_release(http_reply *reply);
/// http_send, and the body parsed; *value is NULL when the result is not EXIT_OK.
int http_json(http *connection, const http_request *request, json_t **value);
/// Text percent-escaped for one place of a path or query. The caller frees it.
char *http_escape(http *connection, const char *text);

/// Ctrl-C: from now on SIGINT only raises a flag, running transfers end. http_interrupted tells.
void http_catch_interrupt(void);
bool http_interrupted(void);

#endif

// Inside the client only: connection, last reply, and the one way in which requests are sent.
#ifndef TENDRIL_CLIENT_LIB_CLIENT_H
#define TENDRIL_CLIENT_LIB_CLIENT_H

#include "lib/base/buffer.h"
#include "lib/base/error.h"
#include "lib/http/path.h"
#include <curl/curl.h>
#include <jansson.h>

#define CLIENT_JSON "application/json"
#define CLIENT_NPZ "application/x-npz"

struct tendril_client {
  CURL *curl;   ///< requests, one after the other on one kept connection
  CURL *stream; ///< events: its own, so that callbacks may send requests; made by the first watch
  char *url, *token, *ca_file;
  tendril_options options; ///< its strings are not used any more
  bool reached;            ///< a server has answered at this address
  bool watching;
  char owner[TENDRIL_NAME_SIZE]; ///< of the models that are meant, "": the server chooses
  client_buffer reply;
  char why[CURL_ERROR_SIZE];
};

typedef struct client_request {
  const client_path *path;
  const void *body; ///< NULL: none
  size_t size;
  const char *content_type; ///< of the body, NULL: application/json
  const char *accept;       ///< NULL: application/json
  const char *key;          ///< Idempotency-Key or NULL
  const char *save_to;      ///< where the body of a 2xx answer goes (api/c/output_file.h), NULL: the client's reply
  double silence_s;         ///< 0: the client's timeout_s; negative: any
  bool once;                ///< a repetition would do it twice
  bool deletes;             ///< «not there» after a lost connection means that the first try arrived
} client_request;

/// Sends a request, again where that is allowed; TENDRIL_OK after 2xx.
tendril_status client_send(tendril_client *client, const client_request *request, tendril_error *err);
/// client_send, and the reply parsed; *value belongs to the caller. Members of a type that nobody expects are for the
/// caller.
tendril_status client_json(tendril_client *client, const client_request *request, json_t **value, tendril_error *err);
/// One attempt at a stream. `feed` gets its bytes and returns false to end it (TENDRIL_OK, as when the server ends it).
/// *lasting: the server answered 2xx, so what ended was the stream.
tendril_status client_stream(tendril_client *client, const client_path *path, int64_t last_event_id,
                             bool (*feed)(void *context, const char *bytes, size_t size), void *context, bool *lasting,
                             tendril_error *err);

/// Protocols, proxies, certificates, timeouts, the user's stop. silence_s: 0 or below: any.
void client_set_limits(CURL *curl, tendril_client *client, double silence_s);

/// Whether a failed call may be tried again: only what time may heal.
bool client_may_heal(const tendril_client *client, const tendril_error *err);
/// Sleeps before try number `attempt` (0, 1, …), growing from 0.1 s to 2 s with jitter, at least `least_s`; false
/// when the patience that began at *since_s (0: begins now) is over or the user's stop asked for the end.
bool client_pause(tendril_client *client, double *since_s, int attempt, double least_s);
bool client_stopped(const tendril_client *client);
double client_now_s(void);

#endif

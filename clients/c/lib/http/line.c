// libcurl makes the connection (names, proxies, TLS, certificates) and leaves it to us: CURLOPT_CONNECT_ONLY.
#include "lib/http/line.h"

#include <assert.h>
#include <poll.h>

enum { SLICE_MS = 100 }; // between two questions whether the user wants to stop

void client_line_close(client_line *l) {
  curl_easy_cleanup(l->curl);
  l->curl = NULL;
}

tendril_status client_line_open(client_line *l, tendril_client *c, tendril_error *err) {
  l->curl = curl_easy_init();
  if (!l->curl) return client_no_memory(err);
  curl_easy_setopt(l->curl, CURLOPT_URL, c->url);
  client_set_limits(l->curl, c, 0);
  curl_easy_setopt(l->curl, CURLOPT_CONNECT_ONLY, 1L);
  curl_easy_setopt(l->curl, CURLOPT_HTTPPROXYTUNNEL, 1L);
  curl_easy_setopt(l->curl, CURLOPT_TCP_NODELAY, 1L);
  c->why[0] = '\0';
  CURLcode code = curl_easy_perform(l->curl);
  if (code == CURLE_OK) code = curl_easy_getinfo(l->curl, CURLINFO_ACTIVESOCKET, &l->socket);
  if (code == CURLE_OK) return TENDRIL_OK;
  client_line_close(l);
  if (code == CURLE_ABORTED_BY_CALLBACK) return client_fail(err, TENDRIL_STOPPED, "stopped by the caller");
  return client_fail(err, TENDRIL_UNREACHABLE, "no answer from %.200s: %s", c->url,
                     c->why[0] ? c->why : curl_easy_strerror(code));
}

// True when something moved, or the connection is over (*status tells).
static bool move(client_line *l, const char *out, size_t size, size_t *sent, client_buffer *in,
                 tendril_status *status) {
  char bytes[65536];
  size_t came = 0;
  CURLcode code = size > 0 ? curl_easy_send(l->curl, out, size, sent) : CURLE_AGAIN;
  bool moved = code == CURLE_OK, broken = !moved && code != CURLE_AGAIN;
  if (!broken) code = curl_easy_recv(l->curl, bytes, sizeof bytes, &came);
  broken |= code != CURLE_AGAIN && (code != CURLE_OK || came == 0);
  if (!broken && came > 0 && !client_append(in, bytes, came)) *status = TENDRIL_NO_MEMORY;
  if (broken) *status = TENDRIL_UNREACHABLE;
  return moved || came > 0 || broken;
}

tendril_status client_line_move(client_line *l, tendril_client *c, const char *out, size_t size, size_t *sent,
                                client_buffer *in, tendril_error *err) {
  assert(l->curl && (out || size == 0));
  const double silence_s = c->options.evaluate_timeout_s, since = client_now_s();
  tendril_status status = TENDRIL_OK;
  *sent = 0;
  while (!move(l, out, size, sent, in, &status)) {
    if (client_stopped(c)) return client_fail(err, TENDRIL_STOPPED, "stopped by the caller");
    if (silence_s > 0 && client_now_s() - since > silence_s)
      return client_fail(err, TENDRIL_UNREACHABLE, "no answer from %.200s for %g s", c->url, silence_s);
    struct pollfd waiting = {.fd = l->socket, .events = (short)(size > 0 ? POLLIN | POLLOUT : POLLIN)};
    poll(&waiting, 1, SLICE_MS);
  }
  if (status == TENDRIL_NO_MEMORY) return client_no_memory(err);
  return status ? client_fail(err, status, "no answer from %.200s: the connection broke", c->url) : TENDRIL_OK;
}

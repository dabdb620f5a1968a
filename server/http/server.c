// Start and stop of libmicrohttpd: its socket, its certificate, its event loops (one per MHD thread, epoll). What it
// calls for each request is in request.c.
#include "http/server.h"
#include "base/limits.h"
#include "base/log/log.h"
#include "http/handling.h"
#include "http/request.h"
#include "http/routes.h"
#include "http/server_internal.h"
#include "service/jobs/watch.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { REFUSALS_PER_S = 50 }; // of one caller
enum { EVENT_LOOPS = 2, STOP_GRACE_MS = 5000 };
// No RSA key exchange (nothing recorded is read later with a stolen key) and no CBC.
static const char tls_versions[] = "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2:-RSA:-AES-256-CBC:-AES-128-CBC";

static void on_library_message(void *context, const char *format, va_list values) __attribute__((format(printf, 2, 0)));
static void on_library_message(void *context, const char *format, va_list values) {
  (void)context;
  char message[512];
  vsnprintf(message, sizeof message, format, values);
  message[strcspn(message, "\n")] = '\0';
  log_write(LOG_LEVEL_DEBUG, "http_library", LOG_S("detail", message));
}

static size_t unescape(void *context, struct MHD_Connection *connection, char *address_text) {
  (void)context, (void)connection;
  return routes_unescape(address_text);
}

// ------------------------------------------------------------------------------------------------------ start and stop

static bool say(char message[HTTP_MESSAGE_SIZE], const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool say(char message[HTTP_MESSAGE_SIZE], const char *format, ...) {
  va_list values;
  va_start(values, format);
  vsnprintf(message, HTTP_MESSAGE_SIZE, format, values);
  va_end(values);
  return false;
}

static bool open_socket(http_server *h, const char *listen_at, char message[HTTP_MESSAGE_SIZE]) {
  address a;
  socklen_t size;
  if (!address_read(listen_at, &a, &size, message)) return false;
  h->listen_fd = socket(a.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  int yes = 1;
  if (h->listen_fd < 0 || setsockopt(h->listen_fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) != 0 ||
      bind(h->listen_fd, &a.any, size) != 0 || listen(h->listen_fd, SOMAXCONN) != 0 ||
      getsockname(h->listen_fd, &a.any, &size) != 0)
    return say(message, "cannot listen on %.80s: %s", listen_at, strerror(errno));
  address_write(&a, h->address);
  return true;
}

// libmicrohttpd hands no context on: there is one server in a process.
static tls_holder *certificates;

static int give_certificate(gnutls_session_t session, const gnutls_datum_t *roots, int root_count,
                            const gnutls_pk_algorithm_t *kinds, int kind_count, gnutls_pcert_st **chain,
                            unsigned *length, gnutls_privkey_t *key) {
  (void)session, (void)roots, (void)root_count, (void)kinds, (void)kind_count;
  tls_holder_current(certificates, chain, length, key);
  return 0;
}

bool http_renew_certificate(http_server *h, const tls_files *files) {
  return h->encrypted && tls_holder_renew(certificates, files);
}

static struct MHD_Daemon *start_daemon(http_server *h, const http_options *options) {
  unsigned flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG;
  struct MHD_OptionItem tls[] = {{MHD_OPTION_HTTPS_CERT_CALLBACK, 0, (void *)(intptr_t)give_certificate},
                                 {MHD_OPTION_HTTPS_PRIORITIES, 0, (void *)tls_versions},
                                 {MHD_OPTION_END, 0, NULL}};
  bool encrypted = h->encrypted = options->tls->certificate != NULL;
  return MHD_start_daemon(encrypted ? flags | MHD_USE_TLS : flags, 0, connections_admit, h->connections, request_go_on,
                          h, MHD_OPTION_EXTERNAL_LOGGER, on_library_message, NULL, MHD_OPTION_LISTEN_SOCKET,
                          h->listen_fd, MHD_OPTION_THREAD_POOL_SIZE, (unsigned)EVENT_LOOPS, MHD_OPTION_CONNECTION_LIMIT,
                          (unsigned)connections_with_reserve(options->connections), MHD_OPTION_NOTIFY_CONNECTION,
                          connections_notify, h->connections, MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)LIMIT_IDLE_S,
                          MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)2 * LIMIT_REQUEST_HEADER_BYTES,
                          MHD_OPTION_NOTIFY_COMPLETED, request_end, h, MHD_OPTION_URI_LOG_CALLBACK, request_begin, h,
                          MHD_OPTION_UNESCAPE_CALLBACK, unescape, NULL, MHD_OPTION_ARRAY,
                          encrypted ? tls : tls + sizeof tls / sizeof *tls - 1, MHD_OPTION_END);
}

static void release(http_server *h) {
  rate_destroy(h->refusals);
  portions_destroy(h->bodies);
  pthread_mutex_destroy(&h->lock);
  free(h);
}

http_server *http_start(service *s, const http_options *options, char message[HTTP_MESSAGE_SIZE]) {
  http_server *h = calloc(1, sizeof *h);
  if (!h) return say(message, "not enough memory"), NULL;
  h->service = s;
  h->listen_fd = -1;
  h->connections_each = options->connections_per_caller;
  h->waiting_each = options->waiting_per_caller;
  h->refusals = rate_create(REFUSALS_PER_S, REFUSALS_PER_S);
  h->bodies = portions_create(budget_most(BUDGET_BODIES) / 2);
  pthread_mutex_init(&h->lock, NULL);
  routes_name_metrics();
  bool started = open_socket(h, options->listen, message);
  if (started) {
    bool threads = http_pools_start(&h->pools, options->threads, handling_compute, handling_write);
    connection_limits limits = {.most = options->connections,
                                .per_address = options->connections_per_address,
                                .per_caller = options->connections_per_caller,
                                .handshakes = options->tls->certificate ? options->handshakes : 0,
                                .handshakes_loopback = options->handshakes_loopback_too,
                                .look = handling_let_go,
                                .context = h,
                                .loopback = options->loopback_too,
                                .encrypted = options->tls->certificate != NULL};
    h->connections = connections_start(&limits);
    certificates = options->tls->certificate ? tls_holder_create(options->tls) : NULL;
    h->daemon = h->connections && h->bodies && threads ? start_daemon(h, options) : NULL;
    started = h->daemon || say(message, "the HTTP server cannot be started: threads or memory are short");
  }
  if (started) return h;
  connections_stop(h->connections);
  http_pools_stop(&h->pools);
  if (h->listen_fd >= 0) close(h->listen_fd);
  release(h);
  return NULL;
}

const char *http_address(const http_server *h) { return h->address; }

void http_drain(http_server *h) { atomic_store(&h->draining, true); }

void http_stop(http_server *h) {
  if (!h) return;
  http_drain(h);
  watch_end(h->service->watch);
  MHD_socket fd = MHD_quiesce_daemon(h->daemon);
  for (int waited = 0; atomic_load(&h->active) > 0 && waited < STOP_GRACE_MS; waited += 10) usleep(10000);
  atomic_store(&h->hurrying, true);
  http_pools_stop(&h->pools); // these resume every connection that still sleeps, as stopping the daemon demands
  pthread_mutex_lock(&h->lock);
  h->unheld = true;
  pthread_mutex_unlock(&h->lock);
  handling_let_go(h);
  MHD_stop_daemon(h->daemon);
  tls_holder_destroy(certificates);
  certificates = NULL;
  connections_stop(h->connections);
  if (fd != MHD_INVALID_SOCKET) close(fd);
  release(h);
}

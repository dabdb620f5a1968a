// libcurl's multi interface: one thread, as many connections as there are handles, so that the clients take as little
// of the machine as they can.
#include "bench/crowd.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POLL_MS = 1000 };

typedef struct member {
  CURL *curl;
  long events;
  bool new_line; // the next byte begins a line
  bool ended, well;
} member;

struct crowd {
  CURLM *multi;
  struct curl_slist *headers;
  int count, running;
  member members[];
};

static crowd *crowd_create(int clients) {
  crowd *c = calloc(1, sizeof *c + (size_t)clients * sizeof c->members[0]);
  if (!c) return NULL;
  c->multi = curl_multi_init();
  c->count = clients;
  curl_multi_setopt(c->multi, CURLMOPT_MAXCONNECTS, (long)clients);
  return c;
}

void crowd_destroy(crowd *c) {
  if (!c) return;
  for (int i = 0; i < c->count; i++) {
    if (!c->members[i].curl) continue;
    curl_multi_remove_handle(c->multi, c->members[i].curl);
    curl_easy_cleanup(c->members[i].curl);
  }
  curl_multi_cleanup(c->multi);
  curl_slist_free_all(c->headers);
  free(c);
}

static bool add(crowd *c, int i, const served *s, const char *path) {
  char url[256];
  member *m = &c->members[i];
  snprintf(url, sizeof url, "%s%s", s->url, path);
  m->curl = curl_easy_init();
  if (!m->curl) return false;
  m->new_line = true;
  curl_easy_setopt(m->curl, CURLOPT_URL, url);
  curl_easy_setopt(m->curl, CURLOPT_HTTPHEADER, c->headers);
  curl_easy_setopt(m->curl, CURLOPT_TCP_NODELAY, 1L);
  curl_easy_setopt(m->curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(m->curl, CURLOPT_NOPROXY, "*");
  curl_easy_setopt(m->curl, CURLOPT_PRIVATE, m);
  curl_easy_setopt(m->curl, CURLOPT_WRITEDATA, m);
  return curl_multi_add_handle(c->multi, m->curl) == CURLM_OK;
}

// --------------------------------------------------------------------------------------------------------------- post

static size_t ignore(char *bytes, size_t size, size_t count, void *context) {
  (void)bytes, (void)context;
  return size * count;
}

static crowd *start_posts(const served *s, const char *path, const codec_buffer *body, int clients) {
  crowd *c = crowd_create(clients);
  if (!c) return NULL;
  c->headers = curl_slist_append(curl_slist_append(NULL, "Content-Type: application/json"), "Expect:");
  for (int i = 0; i < clients; i++) {
    if (!add(c, i, s, path)) return crowd_destroy(c), NULL;
    curl_easy_setopt(c->members[i].curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)body->size);
    curl_easy_setopt(c->members[i].curl, CURLOPT_POSTFIELDS, body->data);
    curl_easy_setopt(c->members[i].curl, CURLOPT_WRITEFUNCTION, ignore);
  }
  return c;
}

// Every request that has ended is counted and sent again while some are left. False when one was refused.
static bool send_again(crowd *c, int *left, int *ended, char why[BENCH_NOTE_SIZE]) {
  int queued;
  for (CURLMsg *m; (m = curl_multi_info_read(c->multi, &queued));) {
    long status = 0;
    curl_easy_getinfo(m->easy_handle, CURLINFO_RESPONSE_CODE, &status);
    if (m->data.result != CURLE_OK || status / 100 != 2)
      return snprintf(why, BENCH_NOTE_SIZE, "refused: status %ld, %.60s", status, curl_easy_strerror(m->data.result)),
             false;
    ++*ended;
    CURL *easy = m->easy_handle;
    curl_multi_remove_handle(c->multi, easy);
    if (*left > 0) --*left, curl_multi_add_handle(c->multi, easy);
  }
  return true;
}

double crowd_post(const served *s, const char *path, const codec_buffer *body, int clients, int requests,
                  char why[BENCH_NOTE_SIZE]) {
  snprintf(why, BENCH_NOTE_SIZE, "no memory for %d clients", clients);
  crowd *c = start_posts(s, path, body, clients);
  if (!c) return -1;
  int left = requests - clients, ended = 0, running;
  double start = bench_now(BENCH_WALL);
  bool good = true;
  while (good && ended < requests) {
    curl_multi_perform(c->multi, &running);
    good = send_again(c, &left, &ended, why);
    if (good && ended < requests) curl_multi_poll(c->multi, NULL, 0, 1, NULL);
  }
  double took = bench_now(BENCH_WALL) - start;
  crowd_destroy(c);
  return good ? took : -1;
}

// -------------------------------------------------------------------------------------------------------------- watch

// An event has one line that begins with "id".
static size_t count_events(char *bytes, size_t size, size_t count, void *context) {
  member *m = context;
  for (size_t i = 0; i < size * count; i++) {
    m->events += m->new_line && bytes[i] == 'i';
    m->new_line = bytes[i] == '\n';
  }
  return size * count;
}

crowd *crowd_watch(const served *s, const char *path, int clients) {
  crowd *c = crowd_create(clients);
  if (!c) return NULL;
  c->headers = curl_slist_append(NULL, "Accept: text/event-stream");
  c->running = clients;
  for (int i = 0; i < clients; i++) {
    if (!add(c, i, s, path)) return crowd_destroy(c), NULL;
    curl_easy_setopt(c->members[i].curl, CURLOPT_WRITEFUNCTION, count_events);
  }
  return c;
}

static void note_ends(crowd *c) {
  int queued;
  for (CURLMsg *message; (message = curl_multi_info_read(c->multi, &queued));) {
    char *context = NULL;
    long status = 0;
    curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &context);
    curl_easy_getinfo(message->easy_handle, CURLINFO_RESPONSE_CODE, &status);
    member *m = (member *)(void *)context;
    m->ended = true;
    m->well = message->data.result == CURLE_OK && status == 200;
  }
}

int crowd_receive(crowd *c, double seconds) {
  double until = bench_now(BENCH_WALL) + seconds;
  do {
    curl_multi_perform(c->multi, &c->running);
    note_ends(c);
    double left = until - bench_now(BENCH_WALL);
    if (c->running == 0 || left <= 0) break;
    curl_multi_poll(c->multi, NULL, 0, left * 1e3 < POLL_MS ? (int)(left * 1e3) + 1 : POLL_MS, NULL);
  } while (c->running > 0);
  return c->running;
}

long crowd_events(const crowd *c) {
  long sum = 0;
  for (int i = 0; i < c->count; i++) sum += c->members[i].events;
  return sum;
}

bool crowd_ended_well(const crowd *c) {
  bool well = true;
  for (int i = 0; i < c->count; i++) well = well && c->members[i].ended && c->members[i].well;
  return well;
}

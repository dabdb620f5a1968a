// Generic cell rate algorithm (ITU-T I.371): a bucket is one number, the time at which it would be full again if
// requests came in evenly. A request is let in when that time is at most (burst - 1)/rate ahead.
//
// Buckets lie in sets of WAYS, found by a keyed hash, so that nobody can choose whom to share a set with. In a full set
// the bucket that is full again first is given away.
#include "service/access/rate.h"

#include <arpa/inet.h>
#include <assert.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

enum { SETS = 512, WAYS = 8 };

typedef struct bucket {
  uint64_t key;  // hash; 0: never used
  double full_s; // when it is full again
} bucket;

struct rate_limit {
  pthread_mutex_t lock;
  double interval_s, tolerance_s;
  uint64_t seed;
  bucket set[SETS][WAYS];
};

rate_limit *rate_create(int rate, int burst) {
  assert(rate > 0 && burst > 0);
  rate_limit *r = calloc(1, sizeof *r);
  if (!r || getrandom(&r->seed, sizeof r->seed, 0) != (ssize_t)sizeof r->seed) return free(r), NULL;
  r->interval_s = 1.0 / rate;
  r->tolerance_s = (burst - 1) * r->interval_s;
  pthread_mutex_init(&r->lock, NULL);
  return r;
}

void rate_destroy(rate_limit *r) {
  if (!r) return;
  pthread_mutex_destroy(&r->lock);
  free(r);
}

// FNV-1a from a secret start, then the finalizer of SplitMix64.
static uint64_t hash(const rate_limit *r, const char *key) {
  uint64_t h = r->seed ^ UINT64_C(14695981039346656037);
  for (; *key; key++) h = (h ^ (unsigned char)*key) * UINT64_C(1099511628211);
  h = (h ^ h >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  h = (h ^ h >> 27) * UINT64_C(0x94d049bb133111eb);
  h ^= h >> 31;
  return h ? h : 1;
}

static bucket *find(rate_limit *r, uint64_t key) {
  bucket *set = r->set[key % SETS], *emptiest = set;
  for (int i = 0; i < WAYS; i++) {
    if (set[i].key == key) return &set[i];
    if (set[i].full_s < emptiest->full_s) emptiest = &set[i];
  }
  *emptiest = (bucket){.key = key};
  return emptiest;
}

double rate_take(rate_limit *r, const char *key, double now_s) {
  pthread_mutex_lock(&r->lock);
  bucket *b = find(r, hash(r, key));
  if (b->full_s < now_s) b->full_s = now_s;
  double wait_s = b->full_s - now_s - r->tolerance_s;
  bool taken = wait_s <= 1e-9;
  if (taken) b->full_s += r->interval_s;
  pthread_mutex_unlock(&r->lock);
  return taken ? 0 : wait_s;
}

// ---------------------------------------------------------------------------------------------------------- addresses

// "ipv6:%5B::1%5D:51234" as "[::1]:51234".
static void unescape(const char *peer, char out[2 * RATE_KEY_SIZE]) {
  size_t n = 0;
  if (strncmp(peer, "ipv4:", 5) == 0 || strncmp(peer, "ipv6:", 5) == 0) peer += 5;
  for (; *peer && n + 1 < 2 * RATE_KEY_SIZE; n++) {
    bool open = strncmp(peer, "%5B", 3) == 0, close = strncmp(peer, "%5D", 3) == 0;
    out[n] = open ? '[' : close ? ']' : *peer;
    peer += open || close ? 3 : 1;
  }
  out[n] = '\0';
}

// Leaves brackets, port and zone away, in place.
static char *bare_address(char *text) {
  char *colon = strchr(text, ':');
  if (*text == '[') {
    text++;
    text[strcspn(text, "]")] = '\0';
  } else if (colon && !strchr(colon + 1, ':'))
    *colon = '\0';
  text[strcspn(text, "%")] = '\0';
  return text;
}

void rate_key_of_peer(const char *peer, char key[RATE_KEY_SIZE]) {
  char text[2 * RATE_KEY_SIZE];
  unsigned char a[16];
  unescape(peer ? peer : "?", text);
  char *address = strncmp(text, "unix:", 5) == 0 ? strcpy(text, "unix") : bare_address(text);
  if (inet_pton(AF_INET6, address, a) != 1)
    snprintf(key, RATE_KEY_SIZE, "%.63s", address);
  else if (IN6_IS_ADDR_V4MAPPED((struct in6_addr *)a))
    snprintf(key, RATE_KEY_SIZE, "%d.%d.%d.%d", a[12], a[13], a[14], a[15]);
  else
    snprintf(key, RATE_KEY_SIZE, "%02x%02x:%02x%02x:%02x%02x:%02x%02x::/64", a[0], a[1], a[2], a[3], a[4], a[5], a[6],
             a[7]);
}

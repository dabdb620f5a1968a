// What the use cases work on. They have no transport and no text in them, and a header per room: models/, evaluate/,
// jobs/, results/, access/, about/. Each returns true, or false with a fault; what it has to say is a struct, or
// several that are visited, which codec/view writes as JSON or as messages.
//
// `who` asks: what belongs to an owner whose things it does not see is not there for it (not_found, in the very words
// of what never was), in lists, counts and streams too.
#ifndef SERVER_SERVICE_SERVICE_H
#define SERVER_SERVICE_SERVICE_H

#include "service/access/auth.h"
#include "service/fault.h"
#include "store/store.h"

typedef struct queue queue;             ///< queue/queue.h
typedef struct model_cache model_cache; ///< service/models/model_cache.h
typedef struct keeper keeper;           ///< service/keeper/keeper.h
typedef struct stopwatch stopwatch;     ///< service/evaluate/stopwatch.h
typedef struct watch watch;             ///< service/jobs/watch.h
typedef struct pool pool;               ///< base/share/pool.h
typedef struct seats seats;             ///< base/share/seats.h

typedef struct service {
  store *store;
  queue *queue;
  model_cache *cache;
  keeper *keeper;
  auth *auth;
  stopwatch *stopwatch;
  watch *watch;    ///< who waits for news of a job
  pool *preparing; ///< where models are frozen and the jobs of sweeps are made; NULL: by everybody at once
  seats *results, *downloads, *watchers; ///< of all callers, over both faces; NULL: no bound
  store_room room;                       ///< how many jobs may wait
  store_keep keep;                       ///< how much one owner may keep
  int tokens_each;                       ///< for /v1/limits
  int max_wall_s, max_steps;             ///< of a job; 0: no limit
  struct {                               ///< what was configured, for /v1/limits
    int connections, connections_per_address, connections_each, waiting_each, calls_each, rate, burst, evaluate_s;
  } limits;
} service;

typedef enum media { MEDIA_JSON, MEDIA_NPZ, MEDIA_CSV, MEDIA_EVENTS, MEDIA_METRICS, MEDIA_COUNT } media;

typedef struct span { ///< bytes from outside; a NUL follows them
  const char *bytes;
  size_t size;
} span;

/// Parses "limit" style numbers of query strings. False with a fault that names `key`.
bool query_integer(const char *key, const char *value, int64_t low, int64_t high, int64_t fallback, int64_t *out,
                   fault *f);

#endif

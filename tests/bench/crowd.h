// Many connections to a server at a time, driven by one thread.
#ifndef TENDRIL_BENCH_CROWD_H
#define TENDRIL_BENCH_CROWD_H

#include "bench/served.h"

/// `requests` times the same POST of JSON, by `clients` kept-alive connections, each with one request under way.
/// Seconds it took, or negative with a sentence.
double crowd_post(const served *s, const char *path, const codec_buffer *body, int clients, int requests,
                  char why[BENCH_NOTE_SIZE]);

typedef struct crowd crowd;
/// `clients` connections that receive server-sent events from `path`, until the server ends them. NULL: no memory.
crowd *crowd_watch(const served *s, const char *path, int clients);
/// Receives for so many seconds, or until every stream has ended. Returns how many have not.
int crowd_receive(crowd *c, double seconds);
/// Events received by all together so far.
long crowd_events(const crowd *c);
/// True when every stream ended with status 200.
bool crowd_ended_well(const crowd *c);
void crowd_destroy(crowd *c);

#endif

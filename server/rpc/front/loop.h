// A thread that waits for sockets: epoll, work that other threads post, and a clock.
//
// What is watched has a loop_source as its first member, what is posted a loop_post somewhere inside: nothing is
// allocated for either. Everything that a loop calls runs in its thread.
#ifndef SERVER_RPC_LOOP_H
#define SERVER_RPC_LOOP_H

#include <stdbool.h>
#include <stdint.h>

typedef struct rpc_loop rpc_loop;

typedef struct loop_source {
  /// events: of epoll. The source may be unwatched in it, but must not be freed before `settle`.
  void (*fire)(struct loop_source *source, uint32_t events);
} loop_source;

typedef struct loop_post {
  struct loop_post *next; ///< while it waits
  void (*run)(struct loop_post *post);
} loop_post;

typedef struct loop_hooks {
  void *context;
  void (*settle)(void *context, double now_s); ///< after the events and posts of a turn; NULL: nothing
  /// Whether something else than a socket has news, which `settle` will take. NULL: there is nothing else.
  bool (*look)(void *context, double now_s);
  /// The longest sleep without a look, s.
  double (*nap)(void *context);
  /// At the time that was asked for. Returns the next one (of clock_monotonic_s), INFINITY for none.
  double (*tick)(void *context, double now_s);
  double linger_s; ///< it looks for so long after an event before it sleeps
} loop_hooks;

/// NULL when threads, memory or descriptors are short. The thread runs from here on.
rpc_loop *loop_start(const loop_hooks *hooks);
/// Runs what was posted, then ends the thread. NULL is allowed.
void loop_stop(rpc_loop *loop);

// From any thread:
void loop_run_soon(rpc_loop *loop, loop_post *post);
/// There may be something to look for.
void loop_ring(rpc_loop *loop);
bool loop_is_mine(const rpc_loop *loop);

// From the loop's thread (or before anything is watched):
bool loop_watch(rpc_loop *loop, int fd, uint32_t events, loop_source *source);
void loop_change(rpc_loop *loop, int fd, uint32_t events, loop_source *source);
void loop_unwatch(rpc_loop *loop, int fd);
/// The next tick comes at this time at the latest.
void loop_tick_at(rpc_loop *loop, double at_s);
/// When this turn began, by clock_monotonic_s.
double loop_now(const rpc_loop *loop);
/// It hardly waits: what can be done elsewhere should be.
bool loop_is_crowded(const rpc_loop *loop);

#endif

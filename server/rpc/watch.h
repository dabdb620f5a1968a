// Calls that sleep until a job has news.
#ifndef SERVER_RPC_WATCH_H
#define SERVER_RPC_WATCH_H

#include "rpc/call.h"

typedef struct watch_list watch_list;

/// Listens to the store. NULL when memory is short.
watch_list *watch_list_create(store *s);
/// When no call is left. NULL is allowed.
void watch_list_destroy(watch_list *list);

typedef struct watch_entry { ///< part of a call's state
  rpc_call *call;
  char job[ID_SIZE];
  struct watch_entry *next, *previous;
} watch_entry;

/// From here on the call is woken (rpc_wake) when the job has news.
void watch_list_enter(watch_list *list, watch_entry *entry);
/// When it returns the call is woken no more.
void watch_list_leave(watch_list *list, watch_entry *entry);

/// The list of the call's server (server.c).
watch_list *server_watchers(const rpc_server *r);

#endif

// A stack of idle workspaces under a lock.
#include "service/models/workspaces.h"
#include "base/share/budget.h"

#include <stdbool.h>
#include <stddef.h>

void workspaces_init(workspaces *w, const void *of, uint64_t bytes, td_status (*create)(const void *of, void **ws),
                     void (*destroy)(void *ws)) {
  w->of = of;
  w->bytes = bytes;
  w->create = create;
  w->destroy = destroy;
  w->idle_count = 0;
  pthread_mutex_init(&w->lock, NULL);
}

static void destroy(workspaces *w, void *ws) {
  w->destroy(ws);
  budget_give(BUDGET_MODELS, w->bytes);
}

void workspaces_fini(workspaces *w) {
  for (int i = 0; i < w->idle_count; i++) destroy(w, w->idle[i]);
  pthread_mutex_destroy(&w->lock);
}

static void *make(workspaces *w) {
  void *ws = NULL;
  if (budget_take(BUDGET_MODELS, w->bytes) != BUDGET_TAKEN) return NULL;
  if (w->create(w->of, &ws) == TD_OK) return ws;
  budget_give(BUDGET_MODELS, w->bytes);
  return NULL;
}

void *workspaces_take(workspaces *w) {
  pthread_mutex_lock(&w->lock);
  void *ws = w->idle_count > 0 ? w->idle[--w->idle_count] : NULL;
  pthread_mutex_unlock(&w->lock);
  return ws ? ws : make(w);
}

void workspaces_give(workspaces *w, void *ws) {
  pthread_mutex_lock(&w->lock);
  bool kept = w->idle_count < WORKSPACES_IDLE;
  if (kept) w->idle[w->idle_count++] = ws;
  pthread_mutex_unlock(&w->lock);
  if (!kept) destroy(w, ws);
}

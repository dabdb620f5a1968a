// A range of independent items over several threads: threads live as long as one batch, since a batch that is worth
// cutting takes a hundred times longer than starting them.
#include "service/evaluate/batch.h"
#include "base/share/cores.h"

#include <assert.h>
#include <pthread.h>

typedef struct share {
  batch_work work;
  void *context;
  int part;
  size_t first, last;
  bool done;
} share;

static void *run_share(void *argument) {
  share *s = argument;
  s->done = s->work(s->context, s->part, s->first, s->last);
  return NULL;
}

int batch_parts(size_t count, size_t least) {
  assert(least > 0);
  size_t worth = count / least;
  if (worth <= 1) return 1;
  size_t parts = (size_t)cores_here();
  if (parts > BATCH_MAX_PARTS) parts = BATCH_MAX_PARTS;
  return (int)(parts < worth ? parts : worth);
}

bool batch_run(size_t count, int parts, batch_work work, void *context) {
  assert(parts > 0 && parts <= BATCH_MAX_PARTS);
  share shares[BATCH_MAX_PARTS];
  pthread_t threads[BATCH_MAX_PARTS];
  bool started[BATCH_MAX_PARTS] = {false}, done = true;
  for (int p = 0; p < parts; p++)
    shares[p] =
        (share){work, context, p, count * (size_t)p / (size_t)parts, count * (size_t)(p + 1) / (size_t)parts, false};
  assert(shares[0].first == 0 && shares[parts - 1].last == count);
  for (int p = 1; p < parts; p++) started[p] = pthread_create(&threads[p], NULL, run_share, &shares[p]) == 0;
  for (int p = 0; p < parts; p++)
    if (!started[p]) run_share(&shares[p]);
  for (int p = 0; p < parts; p++) {
    if (started[p]) pthread_join(threads[p], NULL);
    done = done && shares[p].done;
  }
  return done;
}

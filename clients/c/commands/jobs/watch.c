// tendril jobs watch, and tendril watch: one job with a bar, or several at once, each by a thread and a client of its
// own, because a client follows one job at a time.
#include "base/say.h"
#include "commands/command.h"
#include "commands/jobs/ids.h"
#include <pthread.h>
#include <stdlib.h>

enum { WATCH_LIMIT = 64 };

typedef struct watcher {
  session session; ///< with a client of its own
  char id[TENDRIL_ID_SIZE];
  pthread_t thread;
  bool started;
  int result;
} watcher;

static void *follow(void *context) {
  watcher *w = context;
  tendril_job job = {.warning_count = 0};
  w->result = job_follow(&w->session, w->id, w->session.json ? FOLLOW_EVENTS : FOLLOW_LINES, &job);
  return NULL;
}

static int start(watcher *w) {
  tendril_error err;
  w->session.client = tendril_open(w->session.wishes, &err);
  if (!w->session.client) return report(&err);
  w->started = pthread_create(&w->thread, NULL, follow, w) == 0;
  return w->started ? EXIT_OK : (say_error("no thread can be started for job %s", w->id), EXIT_FAILED);
}

// The status of the first that is not 0.
static int finish(watcher *list, int count) {
  int result = EXIT_OK;
  for (int i = 0; i < count; ++i) {
    if (list[i].started) pthread_join(list[i].thread, NULL);
    tendril_close(list[i].session.client);
    if (result == EXIT_OK) result = list[i].result;
  }
  return result;
}

static int watch_several(session *s, const options *o) {
  watcher *list = must_alloc((size_t)o->count * sizeof *list);
  int result = EXIT_OK;
  for (int i = 0; i < o->count && result == EXIT_OK; ++i) result = job_id(s, o->positional[i], list[i].id);
  if (result == EXIT_OK) {
    for (int i = 0; i < o->count; ++i) {
      list[i].session = *s;
      list[i].session.client = NULL;
      int begun = start(&list[i]); // afterwards `result` is the thread's
      if (begun != EXIT_OK) list[i].result = begun;
    }
    result = finish(list, o->count);
  }
  free(list);
  return result;
}

static int watch(session *s, const options *o) {
  tendril_job job = {.warning_count = 0};
  char id[TENDRIL_ID_SIZE];
  if (o->count > 1) return watch_several(s, o);
  int result = job_id(s, o->positional[0], id);
  return result == EXIT_OK ? job_follow(s, id, s->json ? FOLLOW_EVENTS : FOLLOW_BAR, &job) : result;
}

#define WATCH_HELP                                                                                                     \
  "Follows a job's events as they happen: a bar with rate and time left on a terminal; otherwise a line per change\n"  \
  "of state and per tenth, and after half a minute without one, then ever more rarely, with what it waits for; with "  \
  "--json every event as one line of JSON. Several jobs are followed at once, by "                                     \
  "lines\n"                                                                                                            \
  "that begin with the job's id. A server that goes away is waited for as long as --patience says. Ctrl-C stops\n"     \
  "watching, not the jobs. Exit status 0 when all succeed, 1 when one fails or is cancelled.\n" ID_HELP "\n"
#define WATCH_OPTIONS                                                                                                  \
  { {"patience", 0, "S", "seconds to wait for a server that went away (300)"}, FOLLOW_EVERY }

const command command_watch = {
    .name = "watch",
    .arguments = "ID…",
    .summary = "follow jobs to their ends",
    .help = WATCH_HELP
    "  tendril watch 01kb3y7m2q\n  tendril watch $(tendril jobs list --state running --json | jq -r .id)",
    .least = 1,
    .most = WATCH_LIMIT,
    .options = WATCH_OPTIONS,
    .run = watch};

const command command_jobs_watch = {
    .group = "jobs",
    .name = "watch",
    .arguments = "ID…",
    .summary = "the same as `tendril watch`",
    .help = WATCH_HELP "  tendril jobs watch 01kb3y7m2q\n"
                       "  tendril jobs watch 01kb3y7m2q --json | jq -r 'select(.event == \"log\") | .message'",
    .least = 1,
    .most = WATCH_LIMIT,
    .options = WATCH_OPTIONS,
    .run = watch};

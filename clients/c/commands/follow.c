// Following a job by polling it: every 50 ms at first, slower as it lasts. A terminal gets one line that is redrawn, a log a
// line per change of state and per tenth. A server that goes away is waited for: jobs survive its restart.
#include "base/say.h"
#include "commands/command.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

enum { POLL_FIRST_MS = 50, POLL_LAST_MS = 500, PATIENCE_S = 30, BAR_WIDTH = 30 };

typedef struct follower {
  session *s;
  const char *id;
  bool terminal;
  double started;
  char last_state[24];
  int last_tenth;
  double last_attempt;
} follower;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void sleep_ms(long ms) { nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL); }

static int terminal_width(void) {
  struct winsize size;
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20 ? size.ws_col : 80;
}

static void describe_time(char *out, size_t size, const json_t *progress) {
  double t = number_of(progress, "t", NAN), end = number_of(progress, "t_end", NAN);
  out[0] = '\0';
  if (isfinite(t) && isfinite(end) && end > 0) snprintf(out, size, "  t = %.2f of %g s", t, end);
}

static void draw_bar(const follower *f, const json_t *job, double fraction) {
  char line[256], time_text[64], bar[BAR_WIDTH + 1], state[24];
  int full = (int)(fraction * BAR_WIDTH);
  for (int i = 0; i < BAR_WIDTH; ++i) bar[i] = i < full ? '#' : '.';
  bar[BAR_WIDTH] = '\0';
  describe_time(time_text, sizeof time_text, json_object_get(job, "progress"));
  say_safe(state, sizeof state, text_of(job, "state", "?"));
  snprintf(line, sizeof line, "[%s] %3.0f %%%s  %s  %.1f s", bar, 100 * fraction, time_text, state, now() - f->started);
  fprintf(stderr, "\r%.*s\033[K", terminal_width() - 1, line);
}

static void print_line(follower *f, const json_t *job, double fraction) {
  const char *state = text_of(job, "state", "?");
  int tenth = (int)(fraction * 10);
  if (strcmp(state, f->last_state) == 0 && tenth <= f->last_tenth) return;
  char time_text[64];
  describe_time(time_text, sizeof time_text, json_object_get(job, "progress"));
  say_note("%s %s %3.0f %%%s", f->id, state, 100 * fraction, time_text);
  f->last_tenth = tenth;
  snprintf(f->last_state, sizeof f->last_state, "%s", state);
}

static void show(follower *f, const json_t *job) {
  double fraction = number_of(json_object_get(job, "progress"), "fraction", 0);
  double attempt = number_of(job, "attempt", 0);
  fraction = fraction < 0 ? 0 : fraction > 1 ? 1 : fraction;
  if (f->last_attempt > 0 && attempt > f->last_attempt) {
    say_note("%sattempt %.0f: the worker before it was lost, the job runs again", f->terminal ? "\r\033[K" : "",
             attempt);
    f->last_tenth = -1;
  }
  f->last_attempt = attempt;
  if (f->terminal)
    draw_bar(f, job, fraction);
  else
    print_line(f, job, fraction);
}

static bool finished(const json_t *job) {
  const char *state = text_of(job, "state", "");
  return strcmp(state, "succeeded") == 0 || strcmp(state, "failed") == 0 || strcmp(state, "cancelled") == 0;
}

static int verdict(const json_t *job, const char *id) {
  const char *state = text_of(job, "state", "");
  if (strcmp(state, "succeeded") == 0) return EXIT_OK;
  const json_t *error = json_object_get(job, "error");
  const char *detail = text_of(error, "detail", json_is_string(error) ? json_string_value(error) : "");
  const char *code = text_of(error, "code", ""), *pointer = text_of(error, "pointer", "");
  say_error("job %s %s%s%s%s%s%s", id, state, *detail ? ": " : "", detail, *code ? " (" : "", code, *code ? ")" : "");
  if (*pointer) say_note("  at %s of the job", pointer);
  return EXIT_JOB_FAILED;
}

static int say_left_running(const follower *f) {
  say_note("%sjob %s goes on at the server: `tendril jobs watch %s` follows it, `tendril jobs cancel %s` stops it",
           f->terminal ? "\n" : "", f->id, f->id, f->id);
  return 130;
}

// Asks once. EXIT_UNREACHABLE may be passing; it becomes final after PATIENCE_S.
static int ask(follower *f, double *silent_since, json_t **job) {
  char *path = must_format("/v1/jobs/%s", f->id);
  bool patient = *silent_since == 0 || now() - *silent_since < PATIENCE_S;
  http_request question = {.method = "GET", .path = path, .timeout_s = 30, .quiet = patient};
  int result = http_json(f->s->server, &question, job);
  free(path);
  if (result != EXIT_UNREACHABLE || !patient) {
    if (result == EXIT_OK) *silent_since = 0;
    return result;
  }
  if (*silent_since == 0 && !http_interrupted())
    say_note("%sthe server does not answer, waiting for it …", f->terminal ? "\n" : "");
  if (*silent_since == 0) *silent_since = now();
  return EXIT_OK;
}

int job_follow(session *s, const char *id, json_t **last) {
  follower f = {.s = s, .id = id, .terminal = isatty(STDERR_FILENO) == 1, .started = now(), .last_tenth = -1};
  double silent_since = 0;
  long pause_ms = POLL_FIRST_MS;
  *last = NULL;
  http_catch_interrupt();
  for (;;) {
    json_t *job;
    int result = ask(&f, &silent_since, &job);
    if (http_interrupted()) {
      json_decref(job);
      return say_left_running(&f);
    }
    if (result != EXIT_OK) return result;
    if (job) show(&f, job);
    if (job && finished(job)) {
      if (f.terminal) fputc('\n', stderr);
      *last = job;
      return verdict(job, id);
    }
    json_decref(job);
    sleep_ms(pause_ms);
    pause_ms = pause_ms * 5 / 4 < POLL_LAST_MS ? pause_ms * 5 / 4 : POLL_LAST_MS;
  }
}

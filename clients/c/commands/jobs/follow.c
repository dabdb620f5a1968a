// Following a job by its events. A terminal gets one line that is redrawn: bar, simulated time, rate, time left; a
// log gets a line per change of state and per tenth, and one where nothing was told for a while: a second thread asks
// then, with a client of its own, what the job waits for. The rate is that of the newest progress events, by the server's
// clock, so that a watcher who comes late knows it at once.
#include "base/interrupt.h"
#include "base/say.h"
#include "commands/command.h"
#include "commands/jobs/about.h"
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

enum { BAR_LEAST = 8, BAR_MOST = 30, WINDOW = 32, TEXT = 512 };

static const double LONGEST_S = 3e7; ///< that is told as left
// Seconds without a word before one is asked for: at the beginning, on a terminal, in a log at first and in the end.
static const double BEAT_FIRST_S = 2, BEAT_TERMINAL_S = 2, BEAT_LEAST_S = 30, BEAT_MOST_S = 300, BEAT_GROWTH = 1.5;

typedef struct moment { // of a progress event
  double at_s, fraction;
} moment;

typedef struct follower {
  const char *id;
  const tendril_options *wishes;
  double every_s; ///< 0: as usual
  bool terminal, raw;
  bool several;        ///< others are followed meanwhile: every line says of which job it is
  const char *counted; ///< what progress counts instead of time, NULL: time
  tendril_state state;
  bool checking; ///< the run is over, a second one measures its errors
  double fraction, t, t_end, started_s;
  int last_tenth, attempt;
  moment window[WINDOW]; ///< a ring
  int moments;
  pthread_mutex_t lock; ///< of all above but what never changes, and of what is printed
  pthread_cond_t ends;
  pthread_t beat;
  bool over, beats;
  char waiting_for[TEXT]; ///< what it waits for, as it was asked last, or ""
  double told_s;          ///< when the last line was printed, or the bar drawn
} follower;

static double now_s(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// ------------------------------------------------------------------------------------------------ rate

// Seconds of "2026-11-21T05:12:17.123Z", NaN when it is no such time.
static double seconds_of(const char *text) {
  struct tm parts = {0};
  const char *rest = strptime(text, "%Y-%m-%dT%H:%M:%S", &parts);
  if (!rest) return NAN;
  return (double)timegm(&parts) + (*rest == '.' ? strtod(rest, NULL) : 0);
}

static void remember(follower *f, const tendril_event *e) {
  double at_s = seconds_of(e->time);
  if (isfinite(at_s)) f->window[f->moments++ % WINDOW] = (moment){at_s, f->fraction};
}

// Share of the job per second over the window; 0 when unknown, as where so little is done yet that years would be left.
static double rate_of(const follower *f) {
  if (f->moments < 2) return 0;
  const moment *newest = &f->window[(f->moments - 1) % WINDOW],
               *oldest = &f->window[f->moments > WINDOW ? f->moments % WINDOW : 0];
  double took = newest->at_s - oldest->at_s, done = newest->fraction - oldest->fraction;
  return took > 0 && done * LONGEST_S > (1 - newest->fraction) * took ? done / took : 0;
}

// "12 s", "3 min 05 s", "2 h 07 min"
static void describe_duration(char *out, size_t size, double s) {
  long whole = lround(s);
  if (whole < 60)
    snprintf(out, size, "%ld s", whole);
  else if (whole < 3600)
    snprintf(out, size, "%ld min %02ld s", whole / 60, whole % 60);
  else
    snprintf(out, size, "%ld h %02ld min", whole / 3600, whole % 3600 / 60);
}

// "t = 3.20 of 10 s, 4.1 s/s, 2 s left"; simulated seconds a second are the run's, of which fraction / t is the work
static void describe_progress(char *out, size_t size, const follower *f) {
  char left[48];
  double rate = rate_of(f);
  size_t n = 0;
  out[0] = '\0';
  if (!(f->t_end > 0)) return;
  if (f->counted)
    n = (size_t)snprintf(out, size, "%.0f of %.0f %s", f->t, f->t_end, f->counted);
  else
    n = (size_t)snprintf(out, size, "t = %.2f of %g s", f->t, f->t_end);
  if (f->state != TENDRIL_RUNNING || n >= size) return;
  if (f->checking) n += (size_t)snprintf(out + n, size - n, ", checking its errors by a second run");
  if (rate <= 0 || n >= size) return;
  describe_duration(left, sizeof left, (1 - f->fraction) / rate);
  double pace = rate * (f->fraction > 0 && !f->counted ? f->t / f->fraction : f->t_end);
  if (f->checking)
    snprintf(out + n, size - n, ", %s left", left);
  else
    snprintf(out + n, size - n, ", %.3g %s/s, %s left", pace, f->counted ? f->counted : "s", left);
}

// ------------------------------------------------------------------------------------------------ showing

static int terminal_width(void) {
  struct winsize size;
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20 ? size.ws_col : 80;
}

// The bar gives way to the words on a narrow terminal.
static void draw_bar(const follower *f) {
  char text[240 + TEXT], progress[160], bar[BAR_MOST + 1];
  int columns = terminal_width() - 1;
  describe_progress(progress, sizeof progress, f);
  int words = snprintf(text, sizeof text, " %3.0f %%  %s  %s%s%s", 100 * f->fraction, tendril_state_name(f->state),
                       progress, *f->waiting_for ? "  waits for " : "", f->waiting_for);
  int width = columns - words - 2 < BAR_LEAST  ? BAR_LEAST
              : columns - words - 2 > BAR_MOST ? BAR_MOST
                                               : columns - words - 2;
  int full = (int)(f->fraction * width);
  for (int i = 0; i < width; ++i) bar[i] = i < full ? '#' : '.';
  bar[width] = '\0';
  fprintf(stderr, "\r[%s]%.*s\033[K", bar, columns - width - 2, text);
}

static void print_line(const follower *f) {
  char progress[160];
  describe_progress(progress, sizeof progress, f);
  say_note("%s %s %3.0f %%%s%s%s%s", f->id, tendril_state_name(f->state), 100 * f->fraction, *progress ? "  " : "",
           progress, *f->waiting_for ? "; waits for " : "", f->waiting_for);
}

static void show(follower *f) {
  f->told_s = now_s();
  if (f->terminal)
    draw_bar(f);
  else
    print_line(f);
}

// A remark on a line of its own.
static void remark(const follower *f, const char *text) {
  say_note("%s%s%s%s", f->terminal ? "\r\033[K" : "", f->several ? f->id : "", f->several ? " " : "", text);
}

// ------------------------------------------------------------------------------------------------ events

// Failed, but all that was computed is kept.
static bool is_kept(const char *code) {
  static const char *const codes[] = {"inconsistent", "unconverged", "jobs_failed"};
  for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
    if (strcmp(code, codes[i]) == 0) return true;
  return false;
}

// Of those the numbers of the last progress lag behind.
static bool is_whole(const tendril_event *e) {
  return e->state == TENDRIL_SUCCEEDED || (e->state == TENDRIL_FAILED && is_kept(e->error_code));
}

static void on_state(follower *f, const tendril_event *e) {
  if (e->state == TENDRIL_RUNNING && e->attempt > 1 && e->attempt != f->attempt) f->moments = 0;
  if (is_whole(e) && f->t_end > 0) f->t = f->t_end;
  if (is_whole(e)) f->fraction = 1;
  f->attempt = e->attempt;
  f->checking = false;
  f->state = e->state;
  f->last_tenth = (int)(f->fraction * 10);
  show(f);
}

static void on_progress(follower *f, const tendril_event *e) {
  f->fraction = fmin(1, fmax(0, isfinite(e->fraction) ? e->fraction : f->fraction));
  bool begins = !f->checking && *e->phase;
  f->checking = *e->phase != '\0';
  if (begins) f->moments = 0; // the second run has its own pace
  if (isfinite(e->t)) f->t = e->t;
  if (isfinite(e->t_end)) f->t_end = e->t_end;
  remember(f, e);
  int tenth = (int)(f->fraction * 10);
  if (f->terminal || begins || tenth > f->last_tenth) show(f);
  f->last_tenth = tenth;
}

static void on_log(follower *f, const tendril_event *e) {
  char text[sizeof e->level + sizeof e->message + 8];
  snprintf(text, sizeof text, "%s: %s", *e->level ? e->level : "note", e->message);
  remark(f, text);
}

static void on_told(follower *f, const tendril_event *e) {
  if (e->kind == TENDRIL_EVENT_DISCONNECTED) remark(f, "the server does not answer, waiting for it …");
  if (e->kind == TENDRIL_EVENT_CONNECTED) remark(f, "the server is back");
  if (e->kind == TENDRIL_EVENT_STATE || e->kind == TENDRIL_EVENT_PROGRESS) *f->waiting_for = '\0';
  if (e->kind == TENDRIL_EVENT_STATE) on_state(f, e);
  if (e->kind == TENDRIL_EVENT_PROGRESS) on_progress(f, e);
  if (e->kind == TENDRIL_EVENT_LOG) on_log(f, e);
}

static bool on_event(void *context, const tendril_event *e) {
  follower *f = context;
  if (f->raw) {
    if (e->kind == TENDRIL_EVENT_DISCONNECTED) remark(f, "the server does not answer, waiting for it …");
    if (e->kind == TENDRIL_EVENT_CONNECTED) remark(f, "the server is back");
    if (*e->json) printf("%s\n", e->json), fflush(stdout);
    return !ferror(stdout);
  }
  pthread_mutex_lock(&f->lock);
  on_told(f, e);
  pthread_mutex_unlock(&f->lock);
  return true;
}

// ------------------------------------------------------------------------------------------------ where nothing is told

// On a terminal the bar is drawn again soon; a log is told of a job that waits at once, then ever more rarely.
static double next_beat_s(const follower *f, int beats) {
  if (f->terminal) return BEAT_TERMINAL_S;
  if (f->every_s > 0) return f->every_s;
  return fmin(BEAT_MOST_S, BEAT_LEAST_S * pow(BEAT_GROWTH, beats));
}

static bool is_quiet(const follower *f, double for_s) {
  return !tendril_state_ended(f->state) && now_s() - f->told_s >= 0.99 * for_s;
}

// Under the lock, which is given away while the server is asked.
static void tell_beat(follower *f, tendril_client *client) {
  tendril_job job;
  tendril_error err;
  pthread_mutex_unlock(&f->lock);
  bool known = tendril_job_get(client, f->id, &job, &err) == TENDRIL_OK;
  pthread_mutex_lock(&f->lock);
  if (!known || f->over || tendril_state_ended(job.state) || tendril_state_ended(f->state)) return;
  snprintf(f->waiting_for, sizeof f->waiting_for, "%s", job.waiting_for);
  show(f);
}

static void wait_until(follower *f, double at_s) {
  struct timespec at = {.tv_sec = (time_t)at_s, .tv_nsec = (long)(1e9 * (at_s - floor(at_s)))};
  while (!f->over && now_s() < at_s) pthread_cond_timedwait(&f->ends, &f->lock, &at);
}

static void *beat(void *context) {
  follower *f = context;
  tendril_options wishes = *f->wishes;
  wishes.patience_s = -1; // who watches says that nobody answers
  tendril_error err;
  tendril_client *client = tendril_open(&wishes, &err);
  pthread_mutex_lock(&f->lock);
  wait_until(f, now_s() + BEAT_FIRST_S);
  if (client && !f->over && f->state == TENDRIL_QUEUED) tell_beat(f, client);
  for (int beats = 0; client && !f->over;) {
    double pause_s = next_beat_s(f, beats);
    wait_until(f, fmax(f->told_s + pause_s, now_s() + fmin(pause_s, 1)));
    if (!f->over && is_quiet(f, pause_s)) tell_beat(f, client), beats++;
  }
  pthread_mutex_unlock(&f->lock);
  tendril_close(client);
  return NULL;
}

static void begin_beat(follower *f) {
  pthread_condattr_t monotonic;
  pthread_condattr_init(&monotonic);
  pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
  pthread_mutex_init(&f->lock, NULL);
  pthread_cond_init(&f->ends, &monotonic);
  pthread_condattr_destroy(&monotonic);
  f->told_s = now_s();
  f->beats = !f->raw && pthread_create(&f->beat, NULL, beat, f) == 0;
}

static void end_beat(follower *f) {
  pthread_mutex_lock(&f->lock);
  f->over = true;
  pthread_cond_signal(&f->ends);
  pthread_mutex_unlock(&f->lock);
  if (f->beats) pthread_join(f->beat, NULL);
  pthread_mutex_destroy(&f->lock);
  pthread_cond_destroy(&f->ends);
}

// ------------------------------------------------------------------------------------------------ the end

static bool is_among(const tendril_warning *w, const tendril_job *job) {
  for (int i = 0; i < job->warning_count; i++)
    if (strcmp(job->warning[i].code, w->code) == 0 && strcmp(job->warning[i].pointer, w->pointer) == 0 &&
        strcmp(job->warning[i].detail, w->detail) == 0)
      return true;
  return false;
}

static int verdict(const session *s, const follower *f, const tendril_job *job, const tendril_job *told) {
  for (int i = 0; i < job->warning_count; i++)
    if (!is_among(&job->warning[i], told)) say_warnings_of(f->several ? f->id : "", 1, &job->warning[i]);
  if (job->state == TENDRIL_SUCCEEDED) return EXIT_OK;
  say_error("job %s %s%s%s%s%s%s", job->id, tendril_state_name(job->state), *job->error_detail ? ": " : "",
            job->error_detail, *job->error_code ? " (" : "", job->error_code, *job->error_code ? ")" : "");
  if (*job->error_pointer) say_note("  at %s of the job", job->error_pointer);
  if (is_kept(job->error_code))
    say_note("  `tendril result %s --partial -o FILE` fetches what it computed", job->id);
  else if (!f->raw)
    about_say_partial(s, job->id);
  return EXIT_FAILED;
}

static int say_left_running(const follower *f) {
  say_note("%sjob %s goes on at the server: `tendril watch %s` follows it, `tendril jobs cancel %s` stops it",
           f->terminal && !f->raw ? "\n" : "", f->id, f->id, f->id);
  return EXIT_INTERRUPTED;
}

static int say_given_up(const follower *f, const tendril_error *err) {
  int result = report(err);
  if (err->status == TENDRIL_UNREACHABLE) say_note("  `tendril watch %s` goes on following the job", f->id);
  return result;
}

static const char *counted_by(const char *kind) {
  static const char *const rows[][2] = {{"statics", "problems"},
                                        {"linearize", "points"},
                                        {"fit", "iterations"},
                                        {"design", "evaluations"},
                                        {"sweep", "jobs"}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (strcmp(rows[i][0], kind) == 0) return rows[i][1];
  return NULL;
}

int job_follow(session *s, const char *id, follow_by how, tendril_job *job) {
  tendril_error err;
  const tendril_job told = *job;
  bool raw = how == FOLLOW_EVENTS;
  follower f = {.id = id,
                .wishes = s->wishes,
                .every_s = s->every_s,
                .raw = raw,
                .several = how == FOLLOW_LINES,
                .terminal = how == FOLLOW_BAR && isatty(STDERR_FILENO) == 1,
                .last_tenth = -1,
                .started_s = now_s()};
  interrupt_catch();
  tendril_status status = tendril_job_get(s->client, id, job, &err);
  if (status == TENDRIL_STOPPED) return say_left_running(&f);
  if (status != TENDRIL_OK) return report(&err);
  f.counted = counted_by(job->kind);
  begin_beat(&f);
  status = tendril_job_watch(s->client, id, 0, on_event, &f, &err);
  end_beat(&f);
  if (f.terminal && !raw && status == TENDRIL_OK) fprintf(stderr, "  in %.1f s\n", now_s() - f.started_s);
  if (status == TENDRIL_OK) status = tendril_job_get(s->client, id, job, &err);
  if (ferror(stdout)) return EXIT_FAILED; // nobody reads it, or it cannot be written: main tells which
  if (status == TENDRIL_STOPPED) return say_left_running(&f);
  return status == TENDRIL_OK ? verdict(s, &f, job, &told) : say_given_up(&f, &err);
}

// Jobs by the first characters of their ids, or, where none begins so, by the last ones of the newest jobs, as the
// dashboard names them. An id begins with its time (48 bits of milliseconds as ten digits of base
// 32), so a prefix is an interval of time: the server's list of that interval is looked through, not all of its jobs.
// The list's times may differ from those in ids by what a submission took and clocks differ: hence the margins.
#include "commands/jobs/ids.h"
#include "base/say.h"
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum {
  ID_LENGTH = 26,
  PREFIX_LEAST = 4,
  TIME_DIGITS = 10,
  ENDING_LEAST = 8,
  NEWEST = 1000,
  CANDIDATES = 5,
  EARLIER_S = 60,
  LATER_S = 600
};
static const int64_t last_ms = INT64_C(253402300799000); // 9999-12-31T23:59:59Z

typedef struct search {
  const char *prefix;
  int found; ///< at most one more than CANDIDATES
  int seen;  ///< of the newest jobs
  tendril_job jobs[CANDIDATES];
} search;

static bool on_job(void *context, const tendril_job *job, const char *json) {
  (void)json;
  search *at = context;
  if (strncmp(job->id, at->prefix, strlen(at->prefix)) != 0) return true;
  if (at->found < CANDIDATES) at->jobs[at->found] = *job;
  return ++at->found <= CANDIDATES;
}

// [*first_ms, *end_ms) of the ids that begin so; false when none can.
static bool interval_of(const char *prefix, int64_t *first_ms, int64_t *end_ms) {
  static const char digits[] = "0123456789abcdefghjkmnpqrstvwxyz";
  int64_t value = 0, step = 1;
  for (int i = 0; prefix[i]; ++i) {
    const char *digit = strchr(digits, prefix[i]);
    if (!digit) return false;
    if (i < TIME_DIGITS) value = value * 32 + (digit - digits);
  }
  for (size_t i = strlen(prefix); i < TIME_DIGITS; ++i) value *= 32, step *= 32;
  *first_ms = value;
  *end_ms = value + step;
  return value <= last_ms;
}

static void write_moment(char out[32], int64_t ms) {
  time_t s = (time_t)((ms < 0 ? 0 : ms > last_ms ? last_ms : ms) / 1000);
  struct tm parts;
  strftime(out, 32, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&s, &parts));
}

static int say_candidates(const search *at) {
  say_error("several jobs' ids begin with '%s'; say more of the one you mean:", at->prefix);
  for (int i = 0; i < at->found && i < CANDIDATES; ++i) {
    const tendril_job *job = &at->jobs[i];
    char model[96];
    say_note("  %s  %s of %s, %s, %s", job->id, job->kind, job_model(job, model, sizeof model),
             tendril_state_name(job->state), job->created_at);
  }
  if (at->found > CANDIDATES) say_note("  … and more");
  return EXIT_USAGE;
}

static bool on_newest(void *context, const tendril_job *job, const char *json) {
  (void)json;
  search *at = context;
  size_t length = strlen(at->prefix), whole = strlen(job->id);
  if (length <= whole && strcmp(job->id + whole - length, at->prefix) == 0) at->jobs[at->found++] = *job;
  return at->found == 0 && ++at->seen < NEWEST;
}

static int look_up(session *s, const char *prefix, char id[TENDRIL_ID_SIZE]) {
  char since[32], until[32];
  int64_t first_ms, end_ms;
  tendril_error err;
  search at = {.prefix = prefix};
  if (interval_of(prefix, &first_ms, &end_ms)) {
    write_moment(since, first_ms - 1000 * EARLIER_S);
    write_moment(until, end_ms + 1000 * LATER_S);
    tendril_job_filter filter = {.since = since, .until = until};
    if (tendril_job_list(s->client, &filter, on_job, &at, &err) != TENDRIL_OK) return report(&err);
  }
  if (at.found == 0 && strlen(prefix) >= ENDING_LEAST &&
      tendril_job_list(s->client, &(tendril_job_filter){0}, on_newest, &at, &err) != TENDRIL_OK)
    return report(&err);
  if (at.found == 0)
    return say_error("no job's id begins with '%s'; `tendril jobs list` shows them", prefix), EXIT_FAILED;
  if (at.found > 1) return say_candidates(&at);
  snprintf(id, TENDRIL_ID_SIZE, "%s", at.jobs[0].id);
  return EXIT_OK;
}

int job_id(session *s, const char *text, char id[TENDRIL_ID_SIZE]) {
  size_t length = strlen(text);
  if (!name_check("a job's id", text)) return EXIT_USAGE;
  if (length >= TENDRIL_ID_SIZE) return say_error("'%.80s' is too long for a job's id", text), EXIT_USAGE;
  if (length < PREFIX_LEAST)
    return say_error("'%s' is too short: at least %d characters of a job's id", text, PREFIX_LEAST), EXIT_USAGE;
  for (size_t i = 0; i <= length; ++i) id[i] = (char)tolower((unsigned char)text[i]);
  if (length >= ID_LENGTH) return EXIT_OK;
  char prefix[TENDRIL_ID_SIZE];
  memcpy(prefix, id, length + 1);
  return look_up(s, prefix, id);
}

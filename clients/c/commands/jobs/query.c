// The options of commands that fetch results.
#include "commands/jobs/query.h"

#include "base/say.h"
#include <stdlib.h>

static bool time_check(const options *o, const char *name) {
  const char *text = options_get(o, name);
  char *end = NULL;
  if (text) strtod(text, &end);
  if (!text || (end != text && *end == '\0')) return true;
  say_error("--%s must be a number, not '%s'", name, text);
  return false;
}

bool query_read(const options *o, const char *until, tendril_result_query *query) {
  *query = (tendril_result_query){.fields = options_get(o, "fields"),
                                  .from = options_get(o, "from"),
                                  .to = options_get(o, until),
                                  .partial = options_get(o, "partial") != NULL};
  return time_check(o, "from") && time_check(o, until) &&
         options_integer(o, "stride", 1, 1000000000, 1, &query->stride);
}

void query_tell_warnings(session *s, const char *id) {
  tendril_job job;
  tendril_error err;
  if (tendril_job_get(s->client, id, &job, &err) == TENDRIL_OK) say_warnings(job.warning_count, job.warning);
}

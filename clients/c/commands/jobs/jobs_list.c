// tendril jobs list: jobs by filters, newest first, page after page.
#include "api/c/rfc3339.h"
#include "base/say.h"
#include "base/table.h"
#include "commands/command.h"
#include "commands/jobs/ids.h"
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct printing {
  table table;
  long limit;
  bool more, sweeps; ///< there are more than the limit; a sweep was among those printed
} printing;

static void model_cell(const void *row, char out[TABLE_CELL]) { job_model(row, out, TABLE_CELL); }

static void state_cell(const void *row, char out[TABLE_CELL]) {
  snprintf(out, TABLE_CELL, "%s", tendril_state_name(((const tendril_job *)row)->state));
}

static void done_cell(const void *row, char out[TABLE_CELL]) {
  snprintf(out, TABLE_CELL, "%.0f %%", 100 * ((const tendril_job *)row)->fraction);
}

static void attempt_cell(const void *row, char out[TABLE_CELL]) {
  snprintf(out, TABLE_CELL, "%d", ((const tendril_job *)row)->attempt);
}

// "energy_error, odd_material": each word once.
static void warnings_cell(const void *row, char out[TABLE_CELL]) {
  const tendril_job *job = row;
  size_t used = 0;
  for (int i = 0; i < job->warning_count && used < TABLE_CELL; i++)
    if (!strstr(out, job->warning[i].code))
      used += (size_t)snprintf(out + used, TABLE_CELL - used, "%s%s", used ? ", " : "", job->warning[i].code);
}

static const table_column columns[] = {{"ID", 26, .text = offsetof(tendril_job, id)},
                                       {"KIND", 9, .text = offsetof(tendril_job, kind)},
                                       {"MODEL", 16, .cell = model_cell},
                                       {"OWNER", 12, .text = offsetof(tendril_job, owner)},
                                       {"STATE", 9, .cell = state_cell},
                                       {"DONE", -6, .cell = done_cell},
                                       {"ATTEMPT", -7, .cell = attempt_cell},
                                       {"CREATED", 24, .text = offsetof(tendril_job, created_at)},
                                       {"WARNINGS", 20, .cell = warnings_cell},
                                       {"WAITS FOR", 0, .text = offsetof(tendril_job, waiting_for)},
                                       {0}};

static bool print_row(void *context, const tendril_job *job, const char *json) {
  printing *p = context;
  p->more = p->table.rows == p->limit;
  p->sweeps = p->sweeps || (!p->more && strcmp(job->kind, "sweep") == 0);
  return !p->more && table_print(&p->table, job, json);
}

// "2h" is two hours ago, as RFC 3339.
static bool read_age(const char *text, char out[32]) {
  char unit, rest;
  double amount;
  if (sscanf(text, "%lf%c%c", &amount, &unit, &rest) != 2 || !(amount >= 0 && amount <= 1e6)) return false;
  const char *units = "smhd", *at = strchr(units, unit);
  static const double seconds[] = {1, 60, 3600, 86400};
  if (!unit || !at) return false;
  time_t then = time(NULL) - (time_t)(amount * seconds[at - units]);
  struct tm parts;
  strftime(out, 32, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&then, &parts));
  return true;
}

// *moment: the time that --name says, in `age` when it is one, NULL when it was not given.
static bool read_moment(const options *o, const char *name, char age[32], const char **moment) {
  int64_t ms;
  *moment = options_get(o, name);
  if (!*moment || rfc3339_read(*moment, &ms)) return true;
  if (read_age(*moment, age)) return *moment = age, true;
  say_error("--%s must be a time such as 2026-01-31T22:00:00Z or an age such as 30m, 12h or 7d, not '%s'", name,
            *moment);
  return false;
}

// Who filters by nothing would see a sweep's 10 000 jobs and nothing else.
static bool leaves_out_children(const options *o) {
  static const char *const words[] = {"parent", "children", "state", "label", "model", "kind"};
  bool asked = false;
  for (size_t i = 0; i < sizeof words / sizeof *words; ++i) asked = asked || options_get(o, words[i]);
  return !asked;
}

static int list(session *s, const options *o) {
  long limit;
  char since_age[32], until_age[32];
  const char *since, *until, *parent = leaves_out_children(o) ? "none" : options_get(o, "parent");
  char parent_id[TENDRIL_ID_SIZE];
  tendril_error err;
  if (!options_integer(o, "limit", 1, 1000000, 50, &limit) || !read_moment(o, "since", since_age, &since) ||
      !read_moment(o, "until", until_age, &until))
    return EXIT_USAGE;
  int found = parent && strcmp(parent, "none") != 0 ? job_id(s, parent, parent_id) : EXIT_OK;
  if (found != EXIT_OK) return found;
  tendril_job_filter filter = {.state = options_get(o, "state"),
                               .kind = options_get(o, "kind"),
                               .model = options_get(o, "model"),
                               .label = options_get(o, "label"),
                               .since = since,
                               .until = until,
                               .parent = !parent || strcmp(parent, "none") == 0 ? parent : parent_id,
                               .owner = options_get(o, "owner"),
                               .limit = limit + 1}; // one more tells whether there are more
  printing p = {.table = {.columns = columns, .json = s->json}, .limit = limit};
  if (tendril_job_list(s->client, &filter, print_row, &p, &err) != TENDRIL_OK) return report(&err);
  table_end(&p.table);
  if (p.more && !s->json) say_note("… and more; --limit shows them");
  if (p.sweeps && leaves_out_children(o))
    say_note("jobs of sweeps are not listed one by one; --parent ID lists those of one, --children all");
  return EXIT_OK;
}

const command command_jobs_list = {
    .group = "jobs",
    .name = "list",
    .arguments = "",
    .summary = "list jobs, newest first",
    .help = "Filters may be combined. A time is RFC 3339 (2026-01-31T22:00:00Z) or an age: 30m, 12h, 7d. With --json "
            "one JSON\n"
            "object per line. WAITS FOR says why a job does not run (waiting_for). Without a filter the jobs that "
            "sweeps have made are left out: --children.\n\n"
            "  tendril jobs list --state failed --since 12h\n"
            "  tendril jobs list --label study:a --kind dynamics --limit 1000 --json | jq -r .id",
    .options = {{"state", 's', "queued|running|succeeded|failed|cancelled", "jobs in this state"},
                {"kind", 'k', "dynamics|statics|linearize|fit|gradient|design|sweep", "jobs of this kind"},
                {"model", 'm', "NAME", "jobs of this model"},
                {"label", 'l', "KEY:VALUE", "jobs with this label"},
                {"since", 0, "TIME", "created at or after"},
                {"until", 0, "TIME", "created before"},
                {"parent", 0, "ID", "made by this job; none: by no sweep"},
                {"children", 'c', NULL, "jobs of sweeps, too"},
                {"owner", 0, "OWNER", "of this owner; none: nobody's"},
                {"limit", 'n', "N", "at most N (50)"}},
    .run = list};

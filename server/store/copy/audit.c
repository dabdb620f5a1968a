// A PostgreSQL store against itself: counts against rows, documents against their names, rows of jobs, keys, tokens and
// events against their digests (migration 5), logs against their jobs, results and checkpoints against their rows and
// checksums. References and uniqueness are the database's own, its pages its checksums'.
#include "store/copy/copy.h"
#include "store/postgresql/blobs/blobs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Each gives a text for what is wrong.
static const struct {
  const char *place, *sql;
} rules[] = {
    {"counts of jobs",
     "SELECT 'they say ' || v.counted || ' ' || v.state || ', the rows ' || v.found FROM (SELECT "
     "coalesce(sum(queued), 0) AS queued, "
     "coalesce(sum(running), 0) AS running, coalesce(sum(succeeded), 0) AS succeeded, coalesce(sum(failed), 0) AS "
     "failed, coalesce(sum(cancelled), 0) AS cancelled FROM job_counts) AS c, (SELECT count(*) FILTER (WHERE state = "
     "'queued') AS queued, count(*) FILTER (WHERE state = 'running') AS running, count(*) FILTER (WHERE state = "
     "'succeeded') AS succeeded, count(*) FILTER (WHERE state = 'failed') AS failed, count(*) FILTER (WHERE state = "
     "'cancelled') AS cancelled FROM jobs) AS n, LATERAL (VALUES ('queued', c.queued, n.queued), ('running', "
     "c.running, n.running), ('succeeded', c.succeeded, n.succeeded), ('failed', c.failed, n.failed), ('cancelled', "
     "c.cancelled, n.cancelled)) AS v(state, counted, found) WHERE v.counted <> v.found"},
    {"what owners keep",
     "SELECT 'what \"' || owner || '\" keeps is not what is counted' FROM (SELECT owner, sum(jobs) AS j, sum(sweeps) "
     "AS "
     "s, sum(models) AS m, sum(keys) AS k, sum(rows) AS r, sum(bytes) AS b, sum(results) AS e FROM holdings GROUP BY "
     "owner) AS h FULL JOIN holdings_now AS n USING (owner) WHERE (coalesce(h.j, 0), coalesce(h.s, 0), coalesce(h.m, "
     "0), coalesce(h.k, 0), coalesce(h.r, 0), coalesce(h.b, 0), coalesce(h.e, 0)) <> (coalesce(n.jobs, 0), "
     "coalesce(n.sweeps, 0), coalesce(n.models, 0), coalesce(n.keys, 0), coalesce(n.rows, 0), coalesce(n.bytes, 0), "
     "coalesce(n.results, 0))"},
    {"sweeps",
     "SELECT 'the counts of ' || s.id || ' are not those of its jobs' FROM sweeps AS s LEFT JOIN (SELECT p.sweep, "
     "count(*) FILTER (WHERE j.state IN ('queued', 'running')) AS o, count(*) FILTER (WHERE j.state = 'succeeded') AS "
     "s, count(*) FILTER (WHERE j.state = 'failed') AS f, count(*) FILTER (WHERE "
     "j.state = 'cancelled') AS c FROM sweep_jobs AS p JOIN jobs AS j ON j.id = p.job GROUP BY p.sweep) AS n ON "
     "n.sweep "
     "= s.id WHERE (s.queued + s.running, s.succeeded, s.failed, s.cancelled) IS DISTINCT FROM (n.o, n.s, n.f, "
     "n.c)"},
    {"documents", "SELECT sha256 || ' is not what its name says' FROM documents WHERE base IS NULL AND "
                  "encode(sha256(convert_to(body, 'UTF8')), 'hex') <> sha256"},
    {"jobs", "SELECT 'job ' || j.id || ' is not what was written' FROM jobs AS j WHERE j.digest <> job_digest(j)"},
    {"request keys",
     "SELECT 'the key ' || k.key || ' is not what was written' FROM request_keys AS k WHERE k.digest <> key_digest(k)"},
    {"tokens",
     "SELECT 'token ' || t.name || ' is not what was written' FROM tokens AS t WHERE t.digest <> token_digest(t)"},
    {"events",
     "SELECT 'event ' || e.seq || ' of job ' || coalesce(j.id, '?') || ' is not what was written' FROM events "
     "AS e LEFT JOIN jobs AS j ON j.seq = e.job WHERE e.digest <> event_digest(e)"},
    {"events", // each begins with one, each attempt has one, and the last is its state
     "SELECT 'of job ' || j.id || ' some are missing' FROM jobs AS j LEFT JOIN (SELECT e.job, count(*) FILTER (WHERE "
     "e.seq = 1) AS first, count(*) FILTER (WHERE e.state = 'running') AS begun, (array_agg(e.state ORDER BY e.seq "
     "DESC))[1] AS last FROM (SELECT job, seq, substring(data FROM '^{\"state\":\"([a-z]+)\"') AS state FROM events "
     "WHERE type = 'state') AS e GROUP BY e.job) AS n ON n.job = j.seq WHERE n.first IS DISTINCT FROM 1 OR n.last IS "
     "DISTINCT FROM j.state OR (j.kind <> 'sweep' AND n.begun <> j.attempt)"},
    {"jobs",
     "SELECT 'job ' || id || ' has a size of a result, but not whose it is' FROM jobs WHERE state = 'succeeded' "
     "AND kind <> 'sweep' AND result_size IS NOT NULL AND (result_sha256 IS NULL OR result_node IS NULL)"},
    {"running jobs", "SELECT 'job ' || id || ' runs, and has no node' FROM jobs WHERE state = 'running' AND kind <> "
                     "'sweep' AND node IS NULL"},
};

static void complain(store_audit *a, const char *place, const char *what) {
  a->wrong++;
  if (a->complain) a->complain(place, what);
}

static store_status audit_rows(pg_connection *c, void *context) {
  store_audit *a = context;
  store_status status =
      pg_command(c, "SET LOCAL statement_timeout = 0; SET TRANSACTION ISOLATION LEVEL REPEATABLE READ");
  for (size_t i = 0; status == STORE_OK && i < sizeof rules / sizeof *rules; i++) {
    pg_rows rows;
    if (a->progress) a->progress("rules", (int64_t)i, (int64_t)(sizeof rules / sizeof *rules));
    status = pg_run(c, &rows, rules[i].sql, "");
    while (status == STORE_OK && pg_next(&rows)) complain(a, rules[i].place, pg_text(&rows, 0));
  }
  return status;
}

static store_status count(store_audit *a, const char *sql, int64_t *value) {
  pg_rows rows;
  pg_connection *c = pg_read(a->s);
  store_status status = c ? pg_integer_of(&rows, pg_run(c, &rows, sql, ""), value) : STORE_AWAY;
  pg_read_end(a->s, c);
  return status;
}

static bool is_gone(store_audit *a, const char *id) {
  store_standing now;
  return store_job_standing(a->s, id, &now) == STORE_NOT_FOUND;
}

enum { LOST_SHOWN = 10 };

// One that its row calls lost: callers were told so when they asked. Looked at whole, and not by store_result_look, which
// takes back what was set aside.
static void audit_lost(store_audit *a, const store_job *job, store_result_condition found) {
  char what[128];
  if (found == STORE_RESULT_GOOD || is_gone(a, job->id)) return;
  snprintf(what, sizeof what, "the result is lost: %s", store_result_words(found));
  a->wrong++;
  if (a->lost++ < LOST_SHOWN && a->complain) a->complain(job->id, what);
}

static void audit_result(store_audit *a, const store_job *job) {
  int fd = -1;
  bool quick = a->quick && !job->error;
  store_result_condition found = quick ? store_result_look(a->s, job) : store_result_open(a->s, job, &fd);
  if (fd >= 0) close(fd);
  a->results++;
  a->bytes += job->result_size;
  if (job->error)
    audit_lost(a, job, found);
  else if (found != STORE_RESULT_GOOD && !is_gone(a, job->id))
    complain(a, job->id, store_result_words(found));
}

static store_status audit_results(store_audit *a) {
  enum { PAGE = 200 };
  store_job *jobs = calloc(PAGE, sizeof *jobs);
  int64_t after = 0, total = 0;
  int found = 1;
  store_status status = count(a, "SELECT count(*) FROM jobs WHERE state = 'succeeded' AND kind <> 'sweep'", &total);
  while (jobs && status == STORE_OK && found > 0) {
    status = store_result_rows(a->s, after, PAGE, jobs, &found);
    for (int i = 0; status == STORE_OK && i < found; i++) {
      after = jobs[i].seq;
      audit_result(a, &jobs[i]);
      store_job_fini(&jobs[i]);
      if (a->progress) a->progress("results", a->results, total);
    }
  }
  free(jobs);
  return status;
}

static store_status audit_parts(store_audit *a) {
  pg_rows rows;
  pg_connection *c = pg_read(a->s);
  store_status status = c ? pg_run(c, &rows, "SELECT job FROM parts", "") : STORE_AWAY;
  pg_read_end(a->s, c);
  while (status == STORE_OK && pg_next(&rows)) {
    store_part part;
    a->parts++;
    store_status read = store_part_read(a->s, pg_text(&rows, 0), &part);
    if (read != STORE_OK && part.damaged) complain(a, pg_text(&rows, 0), "what is kept of it is not what was written");
    if (read == STORE_OK) store_part_close(&part);
  }
  return status;
}

bool store_audit_run(store_audit *a, char message[STORE_MESSAGE_SIZE]) {
  static const char leftovers[] =
      "SELECT count(*) FROM results AS r WHERE NOT EXISTS (SELECT 1 FROM jobs AS j WHERE j.id = r.job AND j.attempt = "
      "r.attempt AND (j.state = 'running' OR j.result_node = r.node))";
  store_status status = pg_change(a->s, audit_rows, a, NULL);
  if (status == STORE_OK) status = count(a, "SELECT count(*) FROM jobs", &a->jobs);
  if (status == STORE_OK) status = count(a, leftovers, &a->leftovers);
  if (status == STORE_OK) status = audit_results(a);
  if (status == STORE_OK) status = audit_parts(a);
  return status == STORE_OK || store_say(message, "the database cannot be read to the end: the log says why");
}

bool store_schema(store *s, int64_t *version, int64_t *least) {
  pg_rows rows;
  pg_connection *c = pg_read(s);
  store_status status = c ? pg_run(c, &rows, "SELECT version, min_compatible FROM tendril_schema", "") : STORE_AWAY;
  bool found = status == STORE_OK && pg_next(&rows);
  if (found) {
    *version = pg_integer(&rows, 0);
    *least = pg_integer(&rows, 1);
    pg_end(&rows);
  }
  pg_read_end(s, c);
  return found;
}

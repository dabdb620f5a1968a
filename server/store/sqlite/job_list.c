// Pages of jobs, newest first, along the index of the most telling filter; the rest of a filter is checked row by row.
//
// SQLite plans a statement before it knows its parameters, so each way to walk is a statement of its own. Bounds in time
// become bounds in order of submission first: clocks may be set back, so they are checked on each row all the same.
#include "store/sqlite/sqlite.h"

// Parameters: 1 upper bound of seq (exclusive), 2 lower bound (inclusive), 3 state, 4 kind, 5 model, 6 parent ("": none), 7 and
// 8 label, 9 since, 10 until, 11 limit, 12 owner ("": nobody). The unary + keeps an index from being used for a condition.
#define REST                                                                                                           \
  " AND jobs.seq < ?1 AND jobs.seq >= ?2 AND (?3 IS NULL OR +state = ?3) AND (?4 IS NULL OR +kind = ?4) "              \
  "AND (?5 IS NULL OR +model_name = ?5) AND (?6 IS NULL OR coalesce(parent, '') = ?6) AND (?7 IS NULL OR EXISTS "      \
  "(SELECT 1 FROM "                                                                                                    \
  "job_labels AS l WHERE l.key = ?7 AND l.value = ?8 AND l.job = jobs.seq)) AND (?9 = 0 OR +created_ms >= ?9) "        \
  "AND (?10 = 0 OR +created_ms < ?10) AND (?12 IS NULL OR coalesce(owner, '') = ?12) AND +incoming = 0 ORDER BY "      \
  "jobs.seq DESC LIMIT ?11"

static const char all[] = "SELECT " JOB_COLUMNS " FROM jobs WHERE 1" REST;
static const char by_state[] = "SELECT " JOB_COLUMNS " FROM jobs INDEXED BY jobs_state WHERE state = ?3" REST;
static const char by_kind[] = "SELECT " JOB_COLUMNS " FROM jobs INDEXED BY jobs_kind WHERE kind = ?4" REST;
static const char by_model[] = "SELECT " JOB_COLUMNS " FROM jobs INDEXED BY jobs_model_name WHERE model_name = ?5" REST;
static const char by_parent[] = "SELECT " JOB_COLUMNS " FROM jobs INDEXED BY jobs_parent WHERE parent = ?6" REST;
static const char top_level[] = "SELECT " JOB_COLUMNS " FROM jobs INDEXED BY jobs_top_level WHERE parent IS NULL" REST;
static const char by_label[] = "SELECT " JOB_COLUMNS " FROM jobs WHERE jobs.seq IN (SELECT p.job FROM job_labels AS p "
                               "WHERE p.key = ?7 AND p.value = ?8 AND p.job < ?1)" REST;
static const char by_owner[] = "SELECT " JOB_COLUMNS " FROM jobs INDEXED BY jobs_owner WHERE owner = ?12" REST;
static const char top_of_owner[] =
    "SELECT " JOB_COLUMNS " FROM jobs INDEXED BY jobs_owner_top_level WHERE owner = ?12 AND parent IS NULL" REST;
static const char state_of_owner[] =
    "SELECT " JOB_COLUMNS " FROM jobs INDEXED BY jobs_owner_state WHERE owner = ?12 AND state = ?3" REST;

// What others have is not walked along: how long a list takes tells nothing of them.
static const char *way_of_owner(const store_job_filter *f) {
  return f->state ? state_of_owner : f->parent ? top_of_owner : by_owner;
}

static const char *way_to_walk(const store_job_filter *f) {
  return f->parent && *f->parent ? by_parent
         : f->label_key          ? by_label
         : f->owner && *f->owner ? way_of_owner(f)
         : f->model              ? by_model
         : f->state              ? by_state
         : f->kind               ? by_kind
         : f->parent             ? top_level
                                 : all;
}

// Order of submission of the first job created at or after `since_ms`: 1 past the end when there is none.
static store_status lower_bound(connection *c, int64_t since_ms, int64_t *seq) {
  static const char sql[] =
      "SELECT coalesce((SELECT min(seq) FROM jobs INDEXED BY jobs_created WHERE created_ms >= ?1), "
      "9223372036854775807)";
  *seq = 0;
  return since_ms > 0 ? sql_integer(c, sql_bind(sql_prepare(c, sql), "i", since_ms), seq) : STORE_OK;
}

// One past that of the last job created before `until_ms`, where that is lower than the cursor.
static store_status upper_bound(connection *c, int64_t until_ms, int64_t *seq) {
  static const char sql[] = "SELECT coalesce((SELECT max(seq) + 1 FROM jobs INDEXED BY jobs_created WHERE "
                            "created_ms < ?1), 0)";
  int64_t bound = 0;
  if (until_ms <= 0) return STORE_OK;
  store_status status = sql_integer(c, sql_bind(sql_prepare(c, sql), "i", until_ms), &bound);
  if (bound < *seq) *seq = bound;
  return status;
}

static store_status walk(connection *c, const store_job_filter *f, int64_t low, int64_t high,
                         const store_visit *visit) {
  sqlite3_stmt *stmt =
      sql_bind(sql_prepare(c, way_to_walk(f)), "iittttttiiit", high, low, f->state, f->kind, f->model, f->parent,
               f->label_key, f->label_value, f->since_ms, f->until_ms, (int64_t)f->limit, f->owner);
  store_status status;
  while (sql_row(c, stmt, &status)) {
    store_job job;
    sqlite_read_job(stmt, &job);
    visit->job(visit->context, &job);
    store_job_fini(&job);
  }
  return status;
}

store_status sqlite_job_list(store *s, const store_job_filter *f, const store_visit *visit) {
  connection *c = sqlite_read_many(s);
  int64_t low, high = f->before_seq > 0 ? f->before_seq : INT64_MAX;
  store_status status = lower_bound(c, f->since_ms, &low);
  if (status == STORE_OK) status = upper_bound(c, f->until_ms, &high);
  if (status == STORE_OK) status = walk(c, f, low, high, visit);
  sqlite_read_end(s, c);
  return status;
}

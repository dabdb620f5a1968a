// Everything in a data folder against its checksums. What a server does meanwhile is no damage: a row is asked again
// before a file that it speaks of is called missing.
#include "store/files/files.h"
#include "store/folder/backup.h"
#include "store/folder/snapshot.h"
#include "store/sqlite/sqlite.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LONG_PATH = STORE_PATH_SIZE + 128, ROWS_SHOWN = 100, PAGE = 256 };

static void complain(store_check *c, const char *place, const char *what) {
  c->damaged++;
  if (c->complain) c->complain(place, what);
}

// ------------------------------------------------------------------------------------------------------------ database

static void check_pages(store_check *c, sqlite3 *db, char message[STORE_MESSAGE_SIZE]) {
  sqlite3_stmt *stmt = snapshot_prepare(db, "PRAGMA integrity_check(100)", message);
  int code = stmt ? SQLITE_ROW : SQLITE_ERROR;
  if (c->progress) c->progress("database", 0, 0);
  while (code == SQLITE_ROW && (code = sqlite3_step(stmt)) == SQLITE_ROW) {
    const char *said = (const char *)sqlite3_column_text(stmt, 0);
    if (said && strcmp(said, "ok") != 0) complain(c, "tendril.db", said);
  }
  if (code != SQLITE_DONE) complain(c, "tendril.db", sqlite3_errmsg(db));
  sqlite3_finalize(stmt);
}

static void check_references(store_check *c, sqlite3 *db, char message[STORE_MESSAGE_SIZE]) {
  sqlite3_stmt *stmt = snapshot_prepare(db, "PRAGMA foreign_key_check", message);
  for (int i = 0; stmt && i < ROWS_SHOWN && sqlite3_step(stmt) == SQLITE_ROW; i++) {
    char what[256];
    snprintf(what, sizeof what, "row %lld of %.60s speaks of a row of %.60s that is not there",
             (long long)sqlite3_column_int64(stmt, 1), (const char *)sqlite3_column_text(stmt, 0),
             (const char *)sqlite3_column_text(stmt, 2));
    complain(c, "tendril.db", what);
  }
  sqlite3_finalize(stmt);
}

// SQLite's pages have no checksums: what a flipped bit leaves readable shows where contents have a name by their
// SHA-256. Documents that are kept as a difference to another one (`base`, since migration 13) have theirs in the whole
// only, and are JSON at least.
static bool check_documents(store_check *c, sqlite3 *db, char message[STORE_MESSAGE_SIZE]) {
  static const char differences[] = "SELECT count(*) FROM pragma_table_info('documents') WHERE name = 'base'";
  bool newer = snapshot_integer(db, differences, 0) > 0;
  sqlite3_stmt *stmt = snapshot_prepare(
      db,
      newer ? "SELECT sha256, body, base IS NOT NULL, json_valid(body) FROM documents WHERE sha256 > ?1 "
              "ORDER BY sha256 LIMIT 1"
            : "SELECT sha256, body, 0, 1 FROM documents WHERE sha256 > ?1 ORDER BY sha256 LIMIT 1",
      message);
  char after[DIGEST_HEX_SIZE] = "", sha256[DIGEST_HEX_SIZE], place[DIGEST_HEX_SIZE + 32];
  if (!stmt) return false;
  while (sqlite3_bind_text(stmt, 1, after, -1, SQLITE_TRANSIENT), sqlite3_step(stmt) == SQLITE_ROW) {
    sql_text(stmt, 0, after, sizeof after);
    digest_of(sqlite3_column_blob(stmt, 1), (size_t)sqlite3_column_bytes(stmt, 1), sha256);
    bool whole = sqlite3_column_int(stmt, 2) == 0;
    snprintf(place, sizeof place, "tendril.db: document %s", after);
    if (whole && strcmp(sha256, after) != 0) complain(c, place, "it has another checksum than was written");
    if (!whole && !sqlite3_column_int(stmt, 3)) complain(c, place, "it is not what was written");
    sqlite3_reset(stmt); // no snapshot lasts
  }
  sqlite3_finalize(stmt);
  return true;
}

static bool check_rows_of_jobs(store_check *c, sqlite3 *db, char message[STORE_MESSAGE_SIZE]) {
  static const char sql[] =
      "SELECT id FROM jobs WHERE NOT json_valid(document) OR NOT json_valid(labels) OR "
      "NOT json_valid(coalesce(error, '{}')) OR NOT json_valid(coalesce(warnings, '[]')) LIMIT 100";
  sqlite3_stmt *stmt = snapshot_prepare(db, sql, message);
  char place[ID_SIZE + 32];
  if (!stmt) return false;
  while (sqlite3_step(stmt) == SQLITE_ROW) {
    snprintf(place, sizeof place, "tendril.db: job %.*s", ID_SIZE - 1, (const char *)sqlite3_column_text(stmt, 0));
    complain(c, place, "its row is not what was written");
  }
  sqlite3_finalize(stmt);
  return true;
}

// Rows that are not what was written, by their digests; none in schemas of before.
static bool check_digests(store_check *c, sqlite3 *db, char message[STORE_MESSAGE_SIZE]) {
  static const char there[] = "SELECT count(*) FROM pragma_table_info('events') WHERE name = 'digest'";
  static const char *const queries[] = {
      "SELECT 'job ' || id FROM jobs WHERE digest <> " STORE_JOB_DIGEST("owner"),
      "SELECT 'event ' || seq || ' of job ' || coalesce((SELECT id FROM jobs WHERE jobs.seq = e.job), '?') "
      "FROM events AS e WHERE digest <> " STORE_EVENT_DIGEST,
      "SELECT 'the key ' || key FROM request_keys WHERE digest <> " STORE_KEY_DIGEST("owner"),
      "SELECT 'token ' || name FROM tokens WHERE digest <> " STORE_TOKEN_DIGEST("deleted_ms"),
  };
  bool looked = true;
  if (snapshot_integer(db, there, 0) == 0) return true;
  for (size_t i = 0; looked && i < sizeof queries / sizeof *queries; i++) {
    sqlite3_stmt *stmt = snapshot_prepare(db, queries[i], message);
    char place[256];
    looked = stmt != NULL;
    for (int shown = 0; stmt && shown < ROWS_SHOWN && sqlite3_step(stmt) == SQLITE_ROW; shown++) {
      snprintf(place, sizeof place, "tendril.db: %.200s", (const char *)sqlite3_column_text(stmt, 0));
      complain(c, place, "its row is not what was written");
    }
    sqlite3_finalize(stmt);
  }
  return looked;
}

// ------------------------------------------------------------------------------------------------------------- results

static bool digest_is(int fd, const char *sha256) {
  char found[DIGEST_HEX_SIZE];
  return digest_of_file(fd, found) && strcmp(found, sha256) == 0;
}

// NULL: as it was written.
static const char *look_at(store_check *c, const char *path, int64_t size, const char *sha256) {
  struct stat st;
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW); // a FIFO in its place must not be waited for
  const char *what = NULL;
  if (fd < 0 && errno == ELOOP) return "there is a link in the place of its file";
  if (fd < 0) return errno == ENOENT ? store_result_words(STORE_RESULT_MISSING) : strerror(errno);
  if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size != size)
    what = store_result_words(STORE_RESULT_CUT);
  else if (!c->quick && !digest_is(fd, sha256))
    what = store_result_words(STORE_RESULT_DAMAGED);
  close(fd);
  c->bytes += size;
  return what;
}

// Deleted since the rows were read?
static bool is_gone(const store_check *c, const char *id) {
  char message[STORE_MESSAGE_SIZE];
  sqlite3 *db = snapshot_open(c->folder, message);
  sqlite3_stmt *row = db ? snapshot_prepare(db, "SELECT 1 FROM jobs WHERE id = ?1", message) : NULL;
  bool gone = false;
  if (row) {
    sqlite3_bind_text(row, 1, id, -1, SQLITE_STATIC);
    gone = sqlite3_step(row) == SQLITE_DONE;
  }
  sqlite3_finalize(row);
  sqlite3_close(db);
  return gone;
}

static void check_result(store_check *c, const char *id, int64_t size, const char *sha256) {
  char path[LONG_PATH];
  snprintf(path, sizeof path, "%.4000s/results/%.40s.npz", c->folder, id);
  const char *what = look_at(c, path, size, sha256);
  if (what && !is_gone(c, id)) complain(c, path, what);
}

typedef struct expected {
  char id[ID_SIZE], sha256[DIGEST_HEX_SIZE];
  int64_t size;
} expected;

// The next rows after *after, which moves on: a page at a time, so that no snapshot lasts while files are read.
static int read_rows(sqlite3_stmt *stmt, int64_t *after, expected rows[PAGE]) {
  int count = 0;
  sqlite3_bind_int64(stmt, 1, *after);
  for (; count < PAGE && sqlite3_step(stmt) == SQLITE_ROW; count++) {
    *after = sqlite3_column_int64(stmt, 0);
    sql_text(stmt, 1, rows[count].id, ID_SIZE);
    rows[count].size = sqlite3_column_int64(stmt, 2);
    sql_text(stmt, 3, rows[count].sha256, DIGEST_HEX_SIZE);
  }
  sqlite3_reset(stmt);
  return count;
}

static bool check_results(store_check *c, sqlite3 *db, char message[STORE_MESSAGE_SIZE]) {
  static const char sql[] = "SELECT seq, id, result_size, result_sha256 FROM jobs "
                            "WHERE state = 'succeeded' AND kind <> 'sweep' AND seq > ?1 ORDER BY seq LIMIT 256";
  expected rows[PAGE];
  int64_t after = 0, total = snapshot_integer(db, SNAPSHOT_RESULT_COUNT, 0);
  sqlite3_stmt *stmt = snapshot_prepare(db, sql, message);
  if (!stmt) return false;
  for (int count; (count = read_rows(stmt, &after, rows)) > 0;)
    for (int i = 0; i < count; i++) {
      check_result(c, rows[i].id, rows[i].size, rows[i].sha256);
      c->results++;
      if (c->progress) c->progress("results", c->results, total);
    }
  sqlite3_finalize(stmt);
  return true;
}

// --------------------------------------------------------------------------------------------------------------- parts

static void check_part(store_check *c, const char *id) {
  char folder[LONG_PATH], path[LONG_PATH];
  snprintf(folder, sizeof folder, "%.4000s/parts", c->folder);
  snprintf(path, sizeof path, "%.4000s/parts/%.40s.rows", c->folder, id);
  if (!files_part_intact(folder, id) && !is_gone(c, id))
    complain(c, path, "rows or checkpoint have another checksum than was written");
  c->parts++;
}

// A job that runs writes its rows meanwhile: only those at rest are looked at.
static bool check_parts(store_check *c, sqlite3 *db, char message[STORE_MESSAGE_SIZE]) {
  static const char sql[] =
      "SELECT seq, id, 0, '' FROM jobs "
      "WHERE state IN ('failed', 'cancelled') AND kind <> 'sweep' AND seq > ?1 ORDER BY seq LIMIT 256";
  expected rows[PAGE];
  int64_t after = 0;
  sqlite3_stmt *stmt = snapshot_prepare(db, sql, message);
  if (!stmt) return false;
  for (int count; (count = read_rows(stmt, &after, rows)) > 0;)
    for (int i = 0; i < count; i++) check_part(c, rows[i].id);
  sqlite3_finalize(stmt);
  return true;
}

// -------------------------------------------------------------------------------------------------------------- strays

static bool has_job(sqlite3_stmt *row, const char *name) {
  char id[ID_SIZE] = "";
  snprintf(id, sizeof id, "%.*s", (int)strcspn(name, "."), name);
  sqlite3_bind_text(row, 1, id, -1, SQLITE_TRANSIENT);
  bool has = sqlite3_step(row) == SQLITE_ROW;
  sqlite3_reset(row);
  return has;
}

// Files that belong to no job: no damage, but not the server's either. One that goes with its job just now is not told.
static void check_names(store_check *c, sqlite3 *db, const char *below, char message[STORE_MESSAGE_SIZE]) {
  enum { GOES_US = 50000 };
  char path[LONG_PATH];
  snprintf(path, sizeof path, "%.4000s/%s", c->folder, below);
  DIR *dir = opendir(path);
  sqlite3_stmt *row = dir ? snapshot_prepare(db, "SELECT 1 FROM jobs WHERE id = ?1", message) : NULL;
  if (!dir) complain(c, path, errno == ENOENT ? "the folder is missing" : strerror(errno));
  for (struct dirent *entry; dir && row && (entry = readdir(dir));) {
    const char *name = entry->d_name;
    if (*name == '.' || strcmp(name, STORE_LOST_FOUND) == 0 || has_job(row, name)) continue;
    if (c->strays < ROWS_SHOWN) usleep(GOES_US);
    if (faccessat(dirfd(dir), name, F_OK, AT_SYMLINK_NOFOLLOW) != 0) continue;
    snprintf(path, sizeof path, "%.3900s/%s/%.100s", c->folder, below, name);
    if (c->strays++ < ROWS_SHOWN && c->complain) c->complain(path, "no job knows this file");
  }
  sqlite3_finalize(row);
  if (dir) closedir(dir);
}

bool store_check_run(store_check *c, char message[STORE_MESSAGE_SIZE]) {
  c->jobs = c->results = c->bytes = c->parts = c->damaged = c->strays = 0;
  if (!sqlite_mark_check(c->folder, message)) complain(c, "tendril.db-wal", message); // before SQLite looks at it
  sqlite3 *db = snapshot_open(c->folder, message);
  if (!db) return false;
  check_pages(c, db, message);
  check_references(c, db, message);
  c->jobs = snapshot_integer(db, "SELECT count(*) FROM jobs", 0);
  bool looked = check_documents(c, db, message) && check_rows_of_jobs(c, db, message) &&
                check_digests(c, db, message) && check_results(c, db, message) && check_parts(c, db, message);
  if (looked) check_names(c, db, "results", message), check_names(c, db, "parts", message);
  sqlite3_close(db);
  return looked;
}

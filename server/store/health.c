// Syncs, and the end of all writing when one fails.
//
// A kernel says once that it could not write what it had in memory, and forgets it: the same fsync asked again succeeds
// although the data are gone. So after a failure of the device nothing is written any more: every change is refused
// (STORE_STOPPED), readiness says why, and a person looks at the disk; the next start reads from the disk what is there, as
// after a loss of power. A full disk is not such a failure: what finds no room is refused and may be tried again.
#include "base/log.h"
#include "api/c/nameless_file.h"
#include "store/sqlite/sqlite.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum { ROOM = 1 << 20, RESERVE = 1 << 30 };

void store_stop_writing(store *s, const char *what, const char *reason) {
  if (atomic_exchange(&s->stopped, true)) return;
  log_write(LOG_LEVEL_ERROR, "sync_failed", LOG_S("what", what), LOG_S("reason", reason),
            LOG_S("detail", "nothing is written any more: look at the disk, stop the server, run `tendrild check`"));
}

bool store_folder_has_room(const char *folder) {
  int fd = nameless_file(folder);
  if (fd < 0) return errno != ENOSPC && errno != EDQUOT;
  int error = posix_fallocate(fd, 0, ROOM);
  close(fd);
  return error != ENOSPC && error != EDQUOT;
}

// Privileged processes get the blocks that are kept for them.
bool store_seems_to_have_room(const store *s) {
  struct statvfs fs;
  if (statvfs(s->folder, &fs) != 0) return true;
  unsigned long long blocks = geteuid() == 0 ? fs.f_bfree : fs.f_bavail;
  return blocks * fs.f_frsize >= ROOM;
}

bool store_tmp_room(const store *s, uint64_t bytes) {
  struct statvfs fs;
  if (statvfs(s->folder, &fs) != 0) return true;
  uint64_t free = (uint64_t)fs.f_bavail * fs.f_frsize, share = (uint64_t)fs.f_blocks * fs.f_frsize / 10;
  uint64_t kept = share < RESERVE ? share : RESERVE;
  return free >= kept && free - kept >= bytes;
}

bool store_has_reserve(const store *s, uint64_t bytes) {
  enum {
    PART = 20,
    MOST = 64 << 20,
    COPIES = 3
  }; // in the log, in the database, and what an index or a checkpoint needs

  struct statvfs fs;
  if (statvfs(s->folder, &fs) != 0) return true;
  uint64_t free = (uint64_t)fs.f_bavail * fs.f_frsize, share = (uint64_t)fs.f_blocks * fs.f_frsize / PART;
  return free >= (share < MOST ? share : MOST) + COPIES * bytes;
}

int64_t store_disk_bytes(const store *s) {
  struct statvfs fs;
  return statvfs(s->folder, &fs) == 0 ? (int64_t)((uint64_t)fs.f_blocks * fs.f_frsize) : 0;
}

bool store_is_stopped(const store *s) { return atomic_load(&s->stopped); }

static bool synced(store *s, int result, const char *what) {
  if (result == 0) return true;
  if (errno != ENOSPC && errno != EDQUOT && errno != EINTR) store_stop_writing(s, what, strerror(errno));
  return false;
}

bool store_sync_file(store *s, int fd, const char *what) {
  return !store_is_stopped(s) && synced(s, fdatasync(fd), what);
}

bool store_sync_folder(store *s, const char *path) {
  if (store_is_stopped(s)) return false;
  int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  bool done = fd >= 0 && synced(s, fsync(fd), path);
  if (fd >= 0) close(fd);
  return done;
}

bool store_health(store *s, char message[STORE_MESSAGE_SIZE]) {
  if (store_is_stopped(s))
    return snprintf(message, STORE_MESSAGE_SIZE,
                    "the disk did not keep what was written to it: nothing is stored any more until the server is "
                    "started again"),
           false;
  if (atomic_load(&s->damaged))
    return snprintf(message, STORE_MESSAGE_SIZE,
                    "the database is damaged (the log says where): stop the server, run `tendrild check`, and restore "
                    "a backup"),
           false;
  if (!store_seems_to_have_room(s)) atomic_store(&s->full, true);
  if (atomic_load(&s->full) && store_has_room(s)) atomic_store(&s->full, false);
  if (atomic_load(&s->full))
    return snprintf(message, STORE_MESSAGE_SIZE,
                    "writes: the disk of the data folder is full, so that nothing is stored and waiting jobs do not "
                    "begin; reading and evaluating go on"),
           false;
  return true;
}

// ------------------------------------------------------------------------------------------------- is the database whole

// A table at a time, so that no snapshot lasts long.
static bool check_table(store *s, sqlite3 *db, const char *table) {
  char *sql = sqlite3_mprintf("PRAGMA quick_check(%Q)", table);
  sqlite3_stmt *stmt = NULL;
  bool whole = true;
  int code = sql ? sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) : SQLITE_NOMEM;
  while (code == SQLITE_OK || code == SQLITE_ROW) {
    code = sqlite3_step(stmt);
    const char *said = code == SQLITE_ROW ? (const char *)sqlite3_column_text(stmt, 0) : NULL;
    if (!said || strcmp(said, "ok") == 0) continue;
    log_write(LOG_LEVEL_ERROR, "database_damaged", LOG_S("table", table), LOG_S("detail", said));
    whole = false;
  }
  int primary = code & 0xff;
  if (primary == SQLITE_CORRUPT || primary == SQLITE_NOTADB) {
    log_write(LOG_LEVEL_ERROR, "database_damaged", LOG_S("table", table), LOG_S("detail", sqlite3_errmsg(db)));
    whole = false;
  }
  sqlite3_finalize(stmt);
  sqlite3_free(sql);
  if (!whole) atomic_store(&s->damaged, true);
  return whole;
}

store_status store_quick_check(store *s, bool (*go_on)(void *context), void *context) {
  static const char sql[] = "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name";
  char path[STORE_PATH_SIZE + 16];
  sqlite3 *db = NULL;
  sqlite3_stmt *names = NULL;
  bool whole = true;
  snprintf(path, sizeof path, "%s/tendril.db", s->folder);
  int code = sqlite3_open_v2(path, &db, SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_READONLY, NULL);
  if (code == SQLITE_OK) code = sqlite3_prepare_v2(db, sql, -1, &names, NULL);
  char tables[64][64];
  int count = 0;
  while (code == SQLITE_OK && count < 64 && sqlite3_step(names) == SQLITE_ROW) sql_text(names, 0, tables[count++], 64);
  sqlite3_finalize(names);
  for (int i = 0; i < count && go_on(context); i++) whole = check_table(s, db, tables[i]) && whole;
  sqlite3_close(db);
  return code != SQLITE_OK || !whole ? STORE_FAILED : STORE_OK;
}

// A copy of a data folder while its server works.
//
// A result is a file that never changes once it has its name, so a hard link is a copy. The order makes the copy
// consistent: results that are there now, then the database at one moment, then the results that were named in between
// (a row says succeeded only after its file is there). What was deleted in between is missed, and the moment taken
// anew. Links that the database of the copy does not speak of are removed again, so that the copy has nothing to set
// aside when it is served.
//
// The database is read under one snapshot, straight into the kernel's memory, and synced after the snapshot has ended:
// the server's writer waits for readers when its log is long.
#include "store/folder/backup.h"
#include "store/files/files.h"
#include "store/folder/snapshot.h"
#include "store/sqlite/sqlite.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LONG_PATH = STORE_PATH_SIZE + 128, MOMENTS = 5, PROGRESS_EVERY = 256 };
static const char unfinished[] = "tendril.db.unfinished";

static bool path_in(char path[LONG_PATH], const char *folder, const char *below, const char *name) {
  return snprintf(path, LONG_PATH, "%.4000s/%s%s%s", folder, below, *below ? "/" : "", name) < LONG_PATH;
}

static void tell(const store_backup *b, const char *what, int64_t done, int64_t total) {
  if (b->progress && (done % PROGRESS_EVERY == 0 || done == total)) b->progress(what, done, total);
}

static bool sync_path(const char *path, int flags) {
  int fd = open(path, flags | O_CLOEXEC);
  bool done = fd >= 0 && fsync(fd) == 0;
  if (fd >= 0) close(fd);
  return done;
}

// ------------------------------------------------------------------------------------------------------------ one file

static bool copy_bytes(int from, int to, int64_t size) {
  while (size > 0) {
    ssize_t n = copy_file_range(from, NULL, to, NULL, (size_t)size, 0);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    size -= n;
  }
  char block[64 << 10];
  while (size > 0) { // where the kernel cannot copy between these two
    ssize_t n = read(from, block, size < (int64_t)sizeof block ? (size_t)size : sizeof block);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0 || write(to, block, (size_t)n) != n) return false;
    size -= n;
  }
  return true;
}

// What is no file (a FIFO, a link to a device) is as good as missing, and must not be waited for.
static int open_file(const char *path) {
  struct stat st;
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
  if (fd < 0 && errno == ELOOP) errno = ENOENT;
  if (fd < 0 || (fstat(fd, &st) == 0 && S_ISREG(st.st_mode))) return fd;
  close(fd);
  return errno = ENOENT, -1;
}

static bool is_file(const char *path) {
  int fd = open_file(path);
  if (fd >= 0) close(fd);
  return fd >= 0;
}

// At most `size` bytes of a file (-1: all) under another name, on the disk.
static bool copy_file(store_backup *b, const char *from, const char *to, int64_t size) {
  struct stat st;
  int in = open_file(from);
  int out = in >= 0 ? open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600) : -1;
  bool done = out >= 0 && fstat(in, &st) == 0;
  int64_t bytes = size < 0 || (done && st.st_size < size) ? (int64_t)st.st_size : size;
  done = done && copy_bytes(in, out, bytes) && fsync(out) == 0;
  int reason = errno;
  if (in >= 0) close(in);
  if (out >= 0) close(out);
  if (!done && out >= 0) unlink(to);
  b->copied_bytes += done ? bytes : 0;
  errno = reason;
  return done;
}

static bool same_size(const char *a, const char *b) {
  struct stat x, y;
  return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_size == y.st_size;
}

static bool link_file(store_backup *b, const char *from, const char *to) {
  if (link(from, to) != 0) return false;
  return b->linked++, true;
}

// A result: from the earlier backup where it has it, as a link, or copied. True, too, when it is there already.
static bool take(store_backup *b, const char *below, const char *name) {
  char from[LONG_PATH], to[LONG_PATH], earlier[LONG_PATH];
  if (!path_in(from, b->from, below, name) || !path_in(to, b->to, below, name)) return false;
  if (access(to, F_OK) == 0) return true;
  if (!is_file(from)) return false;
  if (b->previous && path_in(earlier, b->previous, below, name) && same_size(earlier, from) &&
      link_file(b, earlier, to))
    return true;
  if (!b->copy && link_file(b, from, to)) return true;
  return copy_file(b, from, to, -1);
}

// ------------------------------------------------------------------------------------------------------------- folders

static bool is_archive(const char *name) {
  size_t length = strlen(name);
  return length > 4 && strcmp(name + length - 4, ".npz") == 0;
}

// Every archive in a folder; what vanishes meanwhile was deleted.
static bool take_all(store_backup *b, const char *below, char message[STORE_MESSAGE_SIZE]) {
  char path[LONG_PATH];
  path_in(path, b->from, below, "");
  DIR *dir = opendir(path);
  if (!dir) return errno == ENOENT || snapshot_say(message, "cannot read %.150s: %s", path, strerror(errno));
  bool done = true;
  int64_t count = 0;
  for (struct dirent *entry; done && (entry = readdir(dir));) {
    if (!is_archive(entry->d_name)) continue;
    done = take(b, below, entry->d_name) || errno == ENOENT ||
           snapshot_say(message, "cannot keep %.100s in %.100s: %s", entry->d_name, b->to, strerror(errno));
    tell(b, below, ++count, 0);
  }
  closedir(dir);
  return done;
}

static bool is_empty(const char *path) {
  DIR *dir = opendir(path);
  bool empty = dir != NULL;
  for (struct dirent *entry; empty && (entry = readdir(dir));) {
    const char *name = entry->d_name;
    empty = strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || strcmp(name, "lost+found") == 0;
  }
  if (dir) closedir(dir);
  return empty;
}

static bool is_same(const char *a, const char *b) {
  struct stat x, y;
  return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

// The first folder that `is` one above `folder` (which may not be there yet), up to the root; it goes to `path`.
static bool find_above(const char *folder, bool (*is)(const char *path, const char *word), const char *word,
                       char path[LONG_PATH]) {
  struct stat before = {.st_ino = 0}, now;
  size_t length = strlen(folder);
  while (length > 1 && folder[length - 1] == '/') length--;
  while (length > 0 && folder[length - 1] != '/') length--;
  snprintf(path, LONG_PATH, "%.*s", (int)(length < 4000 ? length : 4000), length > 0 ? folder : "./");
  while (stat(path, &now) == 0 && (now.st_dev != before.st_dev || now.st_ino != before.st_ino)) {
    if (is(path, word)) return true;
    before = now;
    size_t used = strlen(path);
    if (used + 4 >= LONG_PATH) return false;
    memcpy(path + used, "../", 4);
  }
  return false;
}

static bool lies_in(const char *folder, const char *above) {
  char path[LONG_PATH];
  return is_same(folder, above) || find_above(folder, is_same, above, path);
}

static bool has_database(const char *folder, const char *name) {
  char path[LONG_PATH + 16];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return access(path, F_OK) == 0;
}

static bool is_apart(const store_backup *b, char message[STORE_MESSAGE_SIZE]) {
  char held[LONG_PATH];
  if (is_same(b->to, b->from))
    return snapshot_say(message, "%.150s is the data folder itself: name another one, best on another disk", b->to);
  if (lies_in(b->to, b->from))
    return snapshot_say(message, "%.100s lies in the data folder %.100s: name one outside of it", b->to, b->from);
  if (lies_in(b->from, b->to))
    return snapshot_say(message, "the data folder %.100s lies in %.100s: name one that is not there yet", b->from,
                        b->to);
  if (find_above(b->to, has_database, "tendril.db",
                 held)) // any one: a server empties some of its folders when it starts
    return snapshot_say(message, "%.100s lies in the data folder %.100s: name one outside of it", b->to, held);
  path_in(held, b->to, "", "tendril.db");
  if (access(held, F_OK) == 0)
    return snapshot_say(
        message, "%.150s is not an empty folder, it has a tendril.db already: name one that is not there yet", b->to);
  return true;
}

// The folder with its lock, so that no server starts in what is half done; the lock's descriptor, or -1.
static int make_target(const store_backup *b, char message[STORE_MESSAGE_SIZE]) {
  static const char *const folders[] = {"results", "parts", "tmp", "lost+found"};
  char path[LONG_PATH];
  if (mkdir(b->to, 0700) != 0 && errno != EEXIST)
    return snapshot_say(message, "cannot make %.150s: %s", b->to, strerror(errno)), -1;
  if (!is_empty(b->to))
    return snapshot_say(message, "%.150s is not an empty folder: name one that is not there yet", b->to), -1;
  path_in(path, b->to, "", "lock");
  int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  bool done = fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0;
  for (size_t i = 0; done && i < sizeof folders / sizeof *folders; i++) {
    path_in(path, b->to, "", folders[i]);
    done = mkdir(path, 0700) == 0 || errno == EEXIST;
  }
  if (done) return fd;
  snapshot_say(message, "cannot write in %.150s: %s", b->to, strerror(errno));
  if (fd >= 0) close(fd);
  return -1;
}

// ------------------------------------------------------------------------------------------------------------ database

// Closed in a mode in which it is one file, and readable where nothing can be written.
static bool close_copy(sqlite3 *db) {
  bool done = sqlite3_exec(db, "PRAGMA journal_mode=DELETE", NULL, NULL, NULL) == SQLITE_OK;
  return sqlite3_close(db) == SQLITE_OK && done;
}

// What tokens are made of is not for everybody on the machine: SQLite would ask the umask only.
static bool make_private(const char *path) {
  int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd >= 0) close(fd);
  return fd >= 0;
}

static void remove_unfinished(const store_backup *b) {
  static const char *const ends[] = {"", "-wal", "-shm", "-journal"};
  char path[LONG_PATH + 16];
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
    snprintf(path, sizeof path, "%.4000s/%s%s", b->to, unfinished, ends[i]);
    unlink(path);
  }
}

static bool copy_database(store_backup *b, sqlite3 *from, char message[STORE_MESSAGE_SIZE]) {
  char path[LONG_PATH];
  sqlite3 *to = NULL;
  path_in(path, b->to, "", unfinished);
  unlink(path);
  tell(b, "database", 0, 0);
  if (!make_private(path)) return snapshot_say(message, "cannot write in %.150s: %s", b->to, strerror(errno));
  int code = sqlite3_open_v2(path, &to, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL);
  if (code == SQLITE_OK) code = sqlite3_exec(to, "PRAGMA synchronous=OFF", NULL, NULL, NULL);
  sqlite3_backup *backup = code == SQLITE_OK ? sqlite3_backup_init(to, "main", from, "main") : NULL;
  if (backup) sqlite3_backup_step(backup, -1);
  code = backup ? sqlite3_backup_finish(backup) : sqlite3_errcode(to);
  if (code == SQLITE_OK && close_copy(to) && sync_path(path, O_RDONLY)) return true;
  snapshot_say(message, "the database cannot be copied to %.120s: %.80s", b->to,
               code == SQLITE_OK ? strerror(errno) : sqlite3_errstr(code));
  if (code != SQLITE_OK) sqlite3_close(to);
  return false;
}

static sqlite3 *open_copy(const store_backup *b, char message[STORE_MESSAGE_SIZE]) {
  char path[LONG_PATH];
  sqlite3 *db = NULL;
  path_in(path, b->to, "", unfinished);
  if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK) return db;
  snapshot_say(message, "the copied database cannot be read: %.150s", sqlite3_errmsg(db));
  sqlite3_close(db);
  return NULL;
}

// ---------------------------------------------------------------------------------------- results of one moment's rows

static bool has_job(sqlite3 *db, const char *id) {
  char message[STORE_MESSAGE_SIZE];
  sqlite3_stmt *row = snapshot_prepare(db, "SELECT 1 FROM jobs WHERE id = ?1", message);
  if (row) sqlite3_bind_text(row, 1, id, -1, SQLITE_STATIC);
  bool has = row && sqlite3_step(row) == SQLITE_ROW;
  sqlite3_finalize(row);
  return has;
}

// The results that the copied rows speak of. *again: one of them was deleted since, with its row.
static bool take_results(store_backup *b, sqlite3 *from, sqlite3 *copy, bool *again, char message[STORE_MESSAGE_SIZE]) {
  sqlite3_stmt *rows = snapshot_prepare(copy, SNAPSHOT_RESULTS, message);
  int64_t total = snapshot_integer(copy, SNAPSHOT_RESULT_COUNT, 0);
  bool done = rows != NULL;
  b->results = b->lost = 0;
  while (done && sqlite3_step(rows) == SQLITE_ROW) {
    char id[ID_SIZE], name[ID_SIZE + 8];
    sql_text(rows, 0, id, sizeof id);
    snprintf(name, sizeof name, "%s.npz", id);
    bool there = take(b, "results", name);
    done =
        there || errno == ENOENT || snapshot_say(message, "cannot keep %s in %.120s: %s", name, b->to, strerror(errno));
    b->lost += !there;
    *again = *again || (done && !there && !has_job(from, id));
    tell(b, "results", ++b->results, total);
  }
  sqlite3_finalize(rows);
  return done;
}

static void drop_unknown(const store_backup *b, sqlite3 *db) {
  static const char sql[] = "SELECT 1 FROM jobs WHERE id || '.npz' = ?1 AND state = 'succeeded'";
  char path[LONG_PATH], message[STORE_MESSAGE_SIZE];
  path_in(path, b->to, "results", "");
  DIR *dir = opendir(path);
  sqlite3_stmt *row = snapshot_prepare(db, sql, message);
  for (struct dirent *entry; dir && row && (entry = readdir(dir));) {
    if (!is_archive(entry->d_name)) continue;
    sqlite3_bind_text(row, 1, entry->d_name, -1, SQLITE_STATIC);
    if (sqlite3_step(row) == SQLITE_DONE) unlinkat(dirfd(dir), entry->d_name, 0);
    sqlite3_reset(row);
  }
  sqlite3_finalize(row);
  if (dir) closedir(dir);
}

// --------------------------------------------------------------------------------------------------------- checkpoints

// Rows grow in place while the job runs, and a checkpoint says how many of them count: it is copied first, and the copy
// is looked at. One that does not fit (its rows were given up meanwhile) is left out: the job starts anew.
static void take_part(store_backup *b, const char *id) {
  char from[LONG_PATH], to[LONG_PATH], folder[LONG_PATH];
  char checkpoint[ID_SIZE + 16], rows[ID_SIZE + 16];
  snprintf(checkpoint, sizeof checkpoint, "%.*s.checkpoint", ID_SIZE - 1, id);
  snprintf(rows, sizeof rows, "%.*s.rows", ID_SIZE - 1, id);
  path_in(folder, b->to, "parts", "");
  for (int attempt = 0; attempt < MOMENTS; attempt++) {
    path_in(from, b->from, "parts", checkpoint), path_in(to, b->to, "parts", checkpoint);
    if (!copy_file(b, from, to, -1)) return;
    path_in(from, b->from, "parts", rows), path_in(to, b->to, "parts", rows);
    if (copy_file(b, from, to, -1) && files_part_intact(folder, id)) return;
    unlink(to);
    path_in(to, b->to, "parts", checkpoint);
    unlink(to);
  }
}

static bool take_parts(store_backup *b, sqlite3 *db, char message[STORE_MESSAGE_SIZE]) {
  sqlite3_stmt *rows =
      snapshot_prepare(db, "SELECT id FROM jobs WHERE state <> 'succeeded' AND kind <> 'sweep'", message);
  if (!rows) return false;
  while (sqlite3_step(rows) == SQLITE_ROW) take_part(b, (const char *)sqlite3_column_text(rows, 0));
  sqlite3_finalize(rows);
  return true;
}

// ---------------------------------------------------------------------------------------------------------------- all

// One moment: *again when jobs were deleted while their results were looked for.
static bool take_moment(store_backup *b, sqlite3 *from, bool *again, char message[STORE_MESSAGE_SIZE]) {
  if (!copy_database(b, from, message)) return false;
  sqlite3 *copy = open_copy(b, message);
  *again = false;
  bool done = copy && take_results(b, from, copy, again, message);
  if (done && !*again) {
    b->jobs = snapshot_integer(copy, "SELECT count(*) FROM jobs", 0);
    drop_unknown(b, copy);
    done = take_parts(b, copy, message);
  }
  sqlite3_close(copy);
  return done;
}

static bool sync_all(const store_backup *b, char message[STORE_MESSAGE_SIZE]) {
  static const char *const folders[] = {"results", "parts", "lost+found", ""};
  char path[LONG_PATH], fresh[LONG_PATH];
  bool done = true;
  for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
    done = done && path_in(path, b->to, folders[i], "") && sync_path(path, O_RDONLY | O_DIRECTORY);
  path_in(fresh, b->to, "", unfinished), path_in(path, b->to, "", "tendril.db");
  done = done && rename(fresh, path) == 0 && sync_path(b->to, O_RDONLY | O_DIRECTORY);
  return done || snapshot_say(message, "%.150s cannot be made durable: %s", b->to, strerror(errno));
}

static bool copy_all(store_backup *b, sqlite3 *from, char message[STORE_MESSAGE_SIZE]) {
  bool again = true;
  if (!take_all(b, "results", message) || !take_all(b, "lost+found", message)) return false;
  for (int i = 0; again && i < MOMENTS; i++)
    if (!take_moment(b, from, &again, message)) return false;
  if (again) return snapshot_say(message, "jobs are deleted faster than they can be copied: try again");
  return sync_all(b, message);
}

bool store_backup_make(store_backup *b, char message[STORE_MESSAGE_SIZE]) {
  b->jobs = b->results = b->linked = b->copied_bytes = b->lost = 0;
  sqlite3 *from = snapshot_open(b->from, message);
  int lock = from && is_apart(b, message) ? make_target(b, message) : -1;
  bool done = lock >= 0 && copy_all(b, from, message);
  if (lock >= 0 && !done) remove_unfinished(b);
  if (lock >= 0) close(lock);
  sqlite3_close(from);
  return done;
}

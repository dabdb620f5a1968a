// Results in a folder that all nodes share (NFS, or a disk of one machine), as DIR/results/ID.ATTEMPT.NODE.npz. What
// survives attempts is in the database, where writes of nodes that were taken for dead are refused.
//
// A result is written in the node's own folder first, copied under a name that nobody looks for, synced, and renamed:
// whoever sees the name sees all of it. What one node has written another may not see for a minute (NFS keeps names in
// mind), and a folder that is not mounted is an empty one: so what is missing is called unreadable until two minutes
// after its job ended, and for good only while the folder has the mark of this database.
#include "store/files/files.h"
#include "store/kinds.h"
#include "store/postgresql/blobs/blobs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define SHARED_DECLARE(name) static __typeof__(store_##name) shared_##name;
SHARED_DECLARE(result_commit)
SHARED_DECLARE(result_open)
SHARED_DECLARE(result_begin)
SHARED_DECLARE(result_look)
SHARED_DECLARE(result_each)
SHARED_DECLARE(blobs_sweep)

// --------------------------------------------------------------------------------------------------------------- mark

enum { MARK_SIZE = 32 };

static void mark_path(const store *s, char path[PATH_SIZE]) {
  snprintf(path, PATH_SIZE, "%.4000s/tendril-results", files_of(s)->home);
}

// Made of the database's key, from which nothing of it can be told.
static void make_mark(const store *s, char mark[MARK_SIZE + 1]) {
  char hex[DIGEST_HEX_SIZE];
  unsigned char text[STORE_KEY_SIZE + 7] = "results";
  memcpy(text + 7, s->cursor_key, STORE_KEY_SIZE);
  digest_of(text, sizeof text, hex);
  memcpy(mark, hex, MARK_SIZE);
  mark[MARK_SIZE] = '\0';
}

static bool read_mark(const store *s, char found[MARK_SIZE + 1]) {
  char path[PATH_SIZE];
  mark_path(s, path);
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  ssize_t n = fd >= 0 ? read(fd, found, MARK_SIZE) : -1;
  if (fd >= 0) close(fd);
  found[n > 0 ? n : 0] = '\0';
  return fd >= 0;
}

static bool is_marked(const store *s) {
  char found[MARK_SIZE + 1], mark[MARK_SIZE + 1];
  make_mark(s, mark);
  return read_mark(s, found) && strcmp(found, mark) == 0;
}

static bool is_empty(const char *path) {
  DIR *dir = opendir(path);
  int entries = 0;
  while (dir && readdir(dir) && entries < 3) entries++;
  if (dir) closedir(dir);
  return entries == 2;
}

static bool write_mark(const store *s, const char *mark) {
  char path[PATH_SIZE];
  mark_path(s, path);
  int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  bool done = fd >= 0 && write(fd, mark, MARK_SIZE) == MARK_SIZE && fsync(fd) == 0;
  if (fd >= 0) close(fd);
  return done || (fd < 0 && errno == EEXIST); // another node began at the same time
}

// Whoever made the mark was a moment before, where several begin at once.
static bool find_mark(const store *s, bool fresh, char found[MARK_SIZE + 1]) {
  bool there = read_mark(s, found);
  for (int i = 0; i < 20 && !there && !fresh; i++) {
    nanosleep(&(struct timespec){.tv_nsec = 100000000L}, NULL);
    there = read_mark(s, found);
  }
  return there;
}

static bool check_mark(store *s, char message[STORE_MESSAGE_SIZE]) {
  char found[MARK_SIZE + 1], mark[MARK_SIZE + 1];
  const char *home = files_of(s)->home;
  bool fresh;
  if (!pg_place_check(s, &fresh, message)) return false;
  make_mark(s, mark);
  if (find_mark(s, fresh, found))
    return strcmp(found, mark) == 0 ||
           store_say(message, "the results in %.160s are those of another database (file tendril-results)", home);
  if (!is_empty(files_of(s)->results))
    return store_say(message, "%.160s has results, but no mark of whose (file tendril-results)", home);
  if (!fresh)
    return store_say(
        message,
        "%.160s is not the folder where the results of this database are: it has no file tendril-results (is "
        "it mounted? all nodes name the same one by --results)",
        home);
  return write_mark(s, mark) || store_say(message, "cannot write to %.160s: %s", home, strerror(errno));
}

// ------------------------------------------------------------------------------------------------------------ writing

static bool copy(int from, int to, off_t size) {
  off_t at = 0, done = 0;
  while (done < size) {
    ssize_t n = copy_file_range(from, &at, to, NULL, (size_t)(size - done), 0);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    done += n;
  }
  char block[1 << 16];
  while (done < size) { // file systems that cannot do it by themselves
    ssize_t n = pread(from, block, sizeof block, done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0 || !store_write_all(to, block, (size_t)n)) return false;
    done += n;
  }
  return true;
}

static bool copy_and_sync(int from, const char *path) {
  struct stat st;
  int to = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  bool done = to >= 0 && fstat(from, &st) == 0 && copy(from, to, st.st_size) && fdatasync(to) == 0;
  if (to >= 0) done = close(to) == 0 && done; // where some file systems say what went wrong
  return done;
}

static bool sync_folder(const char *path) {
  int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  bool done = fd >= 0 && (fsync(fd) == 0 || errno == EINVAL); // some cannot, and need not
  if (fd >= 0) close(fd);
  return done;
}

static store_status shared_result_commit(store *s, const char *id, int attempt, int fd, const char *sha256) {
  char fresh[PATH_SIZE], path[PATH_SIZE];
  store_result_name name = store_result_named(id, attempt, s->node);
  (void)sha256;
  files_result_path(s, &name, "fresh", fresh);
  files_result_path(s, &name, "npz", path);
  if (!is_marked(s)) return STORE_AWAY; // it is not mounted
  bool done = copy_and_sync(fd, fresh) && rename(fresh, path) == 0 && sync_folder(files_of(s)->results);
  if (!done) {
    log_write(LOG_LEVEL_ERROR, "result_not_kept", LOG_S("job", id), LOG_S("reason", strerror(errno)));
    unlink(fresh);
    return STORE_FULL;
  }
  files_result_discard(s, id, attempt); // the name of its file here
  return STORE_OK;
}

// ------------------------------------------------------------------------------------------------------------ reading

static const int64_t PATIENCE_MS = 120000;

// By the database's clock, as its end was written.
static bool ended_long_ago(store *s, const store_job *job) {
  int64_t now_ms = 0;
  pg_rows rows;
  pg_connection *c = pg_read(s);
  store_status status = c ? pg_integer_of(&rows, pg_run(c, &rows, "SELECT now_ms()", ""), &now_ms) : STORE_AWAY;
  pg_read_end(s, c);
  return status == STORE_OK && now_ms - job->finished_ms >= PATIENCE_MS;
}

// What its row calls lost is that at once.
static store_result_condition patiently(store *s, const store_job *job, store_result_condition found) {
  if (found == STORE_RESULT_UNREADABLE || found == STORE_RESULT_GOOD || job->error) return found;
  return is_marked(s) && ended_long_ago(s, job) ? found : STORE_RESULT_UNREADABLE;
}

static store_result_condition shared_result_open(store *s, const store_job *job, int *fd) {
  return patiently(s, job, files_result_open(s, job, fd));
}

static store_result_condition shared_result_begin(store *s, const store_job *job, int *fd, store_missing **missing) {
  *missing = NULL; // it is there as a whole
  return shared_result_open(s, job, fd);
}

static store_result_condition shared_result_look(store *s, const store_job *job) {
  return patiently(s, job, files_result_look(s, job));
}

// ---------------------------------------------------------------------------------------------------------- leftovers

static bool is_old(const store *s, const store_result_name *name, const char *kind) {
  struct stat st;
  char path[PATH_SIZE];
  files_result_path(s, name, kind, path);
  return stat(path, &st) == 0 && time(NULL) - st.st_mtime > PG_GRACE_MS / 1000;
}

typedef struct visit {
  store *s;
  bool (*each)(void *context, const store_result_name *name);
  void *context;
} visit;

static bool visit_old(void *context, const store_result_name *name) {
  const visit *v = context;
  return !*name->node || !is_old(v->s, name, "npz") || v->each(v->context, name);
}

static store_status shared_result_each(store *s, bool (*each)(void *context, const store_result_name *name),
                                       void *context) {
  if (!is_marked(s)) return STORE_FAILED;
  return files_result_each(s, visit_old, &(visit){.s = s, .each = each, .context = context});
}

static void remove_fresh(store *s) {
  DIR *dir = opendir(files_of(s)->results);
  for (struct dirent *entry; dir && (entry = readdir(dir));) {
    store_result_name name;
    if (files_read_name(entry->d_name, "fresh", &name) && is_old(s, &name, "fresh"))
      unlinkat(dirfd(dir), entry->d_name, 0);
  }
  if (dir) closedir(dir);
}

static void shared_blobs_sweep(store *s) {
  remove_fresh(s);
  database_blobs_sweep(s); // of parts
}

// --------------------------------------------------------------------------------------------------------------- kind

static bool open_blobs(store *s, char message[STORE_MESSAGE_SIZE]) {
  return store_make_folder(s->results, message) && file_blobs.open(s, message);
}
static void close_blobs(store *s) { file_blobs.close(s); }

const blobs_kind shared_file_blobs = {.open = open_blobs,
                                      .check = check_mark,
                                      .close = close_blobs,
                                      .result_create = files_result_create,
                                      .result_commit = shared_result_commit,
                                      .result_discard = files_result_discard,
                                      .result_open = shared_result_open,
                                      .result_begin = shared_result_begin,
                                      .result_bring = files_result_bring,
                                      .result_look = shared_result_look,
                                      .result_find = files_result_find,
                                      .result_each = shared_result_each,
                                      .result_set_aside = files_result_set_aside,
                                      .result_remove = files_result_remove,
                                      .part_open = database_part_open,
                                      .part_read = database_part_read,
                                      .part_write = database_part_write,
                                      .part_commit = database_part_commit,
                                      .part_leave = database_part_leave,
                                      .part_remove = database_part_remove,
                                      .part_sweep = database_part_sweep,
                                      .part_bytes = database_part_bytes,
                                      .part_bytes_of = database_part_bytes_of,
                                      .part_limit = database_part_limit,
                                      .part_limits_now = database_part_limits_now,
                                      .part_ended = database_part_ended,
                                      .blobs_sweep = shared_blobs_sweep};

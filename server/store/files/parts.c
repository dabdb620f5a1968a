// What survives the attempts of a job: parts/ID.rows, rows of the result so far, and parts/ID.checkpoint, which says
// how many bytes of them count and from which state another attempt goes on.
//
// A checkpoint has the SHA-256 of its state and of the rows under it: what the disk has changed since is not built
// upon. Order of durability: rows (fdatasync), then the checkpoint under another name (fdatasync), rename, fsync of the
// folder. Whatever is cut off in between leaves the checkpoint before. Rows beyond it are dropped when the next attempt
// opens them.
#include "store/files/files.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct header { // on the disk; then, but for `older`, rows_sha256; then the state
  char magic[8];
  int64_t attempt;
  uint64_t rows, state_size;
  char sha256[DIGEST_HEX_SIZE]; // of the state
} header;

typedef struct checkpoint {
  header h;
  char rows_sha256[DIGEST_HEX_SIZE]; // of the first h.rows bytes of the rows; "" in older ones
} checkpoint;
static const char magic[8] = "tdpart2", older[8] = "tdpart1";

// ---------------------------------------------------------------------------------------------------- opening, reading

// Header and state of a checkpoint file; false when it is damaged.
static bool read_checkpoint(FILE *file, checkpoint *c, void **state) {
  char sha256[DIGEST_HEX_SIZE];
  header *h = &c->h;
  *c->rows_sha256 = '\0';
  if (fread(h, sizeof *h, 1, file) != 1) return false;
  if (memcmp(h->magic, older, sizeof older) != 0 &&
      (memcmp(h->magic, magic, sizeof magic) != 0 || fread(c->rows_sha256, sizeof c->rows_sha256, 1, file) != 1))
    return false;
  if (h->state_size == 0 || h->state_size > STORE_STATE_LIMIT) return false;
  *state = malloc(h->state_size);
  if (!*state || fread(*state, 1, h->state_size, file) != h->state_size) return false;
  digest_of(*state, h->state_size, sha256);
  return memcmp(sha256, h->sha256, sizeof sha256) == 0;
}

static bool rows_are(store_part *part, const checkpoint *c) {
  struct stat rows;
  char sha256[DIGEST_HEX_SIZE];
  if (fstat(part->fd, &rows) != 0 || (uint64_t)rows.st_size < c->h.rows) return false;
  if (!*c->rows_sha256) return true;
  return store_part_digest(part, c->h.rows, sha256) && memcmp(sha256, c->rows_sha256, sizeof sha256) == 0;
}

// The last checkpoint, if there is one; what does not fit its checksums counts as none (`damaged`).
static void take_checkpoint(const char *parts, const char *id, store_part *part) {
  char path[PATH_SIZE];
  checkpoint c;
  files_part_path(parts, id, "checkpoint", path);
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
  FILE *file = fd >= 0 ? fdopen(fd, "rb") : NULL;
  if (!file && fd >= 0) close(fd);
  part->damaged = fd < 0 && errno != ENOENT;
  if (!file) return;
  bool good = read_checkpoint(file, &c, &part->state) && rows_are(part, &c);
  fclose(file);
  if (good) {
    part->state_size = c.h.state_size;
    part->committed = part->size = c.h.rows;
    return;
  }
  part->damaged = true;
  free(part->state);
  part->state = NULL;
}

static bool open_rows(const char *parts, const char *id, int flags, store_part *part) {
  char path[PATH_SIZE];
  *part = (store_part){.fd = -1};
  store_part_forget_digest(part);
  files_part_path(parts, id, "rows", path);
  part->fd = open(path, flags | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW, 0600); // what is no file must not be waited for
  struct stat st;
  if (part->fd < 0 || (fstat(part->fd, &st) == 0 && S_ISREG(st.st_mode))) return part->fd >= 0;
  close(part->fd);
  part->fd = -1;
  errno = EINVAL;
  return false;
}

static void say_damaged(const char *id) {
  log_write(LOG_LEVEL_ERROR, "part_damaged", LOG_S("job", id),
            LOG_S("detail", "rows or checkpoint have another checksum than was written"));
}

// What this part takes now.
static void count(store *s, store_part *part, int64_t bytes) {
  files_part_count(s, part->owner, bytes - part->counted);
  part->counted = bytes;
}

static int64_t bytes_of(const store_part *part) { return (int64_t)part->size + part->kept; }

store_status files_part_open(store *s, const char *id, const char *owner, store_part *part) {
  int64_t rows = files_part_file_bytes(files_of(s)->parts, id, "rows"),
          kept = files_part_file_bytes(files_of(s)->parts, id, "checkpoint");
  bool open = open_rows(files_of(s)->parts, id, O_RDWR, part);
  snprintf(part->owner, sizeof part->owner, "%s", owner);
  if (!open) return errno == ENOENT ? STORE_OK : STORE_FULL;
  part->counted = rows + kept;
  part->kept = kept;
  take_checkpoint(files_of(s)->parts, id, part);
  if (part->damaged) say_damaged(id);
  if (ftruncate(part->fd, (off_t)part->size) == 0) return count(s, part, bytes_of(part)), STORE_OK;
  store_part_close(part);
  return STORE_FULL;
}

store_status files_part_read(store *s, const char *id, store_part *part) {
  if (!open_rows(files_of(s)->parts, id, O_RDONLY, part)) return STORE_NOT_FOUND;
  take_checkpoint(files_of(s)->parts, id, part);
  if (part->state) return STORE_OK;
  bool damaged = part->damaged;
  store_part_close(part);
  part->damaged = damaged;
  if (damaged) say_damaged(id);
  return STORE_NOT_FOUND;
}

bool files_part_intact(const char *parts, const char *id) {
  store_part part;
  char path[PATH_SIZE];
  files_part_path(parts, id, "checkpoint", path);
  bool none = access(path, F_OK) != 0;
  bool open = open_rows(parts, id, O_RDONLY, &part);
  if (open) take_checkpoint(parts, id, &part);
  bool intact = none || part.state;
  store_part_close(&part);
  return intact;
}

// The rows are given up from `offset` on, which a checkpoint counts in: without the rows it must not be found.
static bool drop_checkpoint(store *s, const char *id, store_part *part) {
  char path[PATH_SIZE];
  files_part_path(files_of(s)->parts, id, "checkpoint", path);
  part->committed = 0;
  part->kept = 0;
  return (unlink(path) == 0 || errno == ENOENT) && store_sync_folder(s, files_of(s)->parts);
}

static bool make_rows(store *s, const char *id, store_part *part) {
  char owner[STORE_NAME_SIZE];
  memcpy(owner, part->owner, sizeof owner);
  bool made = open_rows(files_of(s)->parts, id, O_RDWR | O_CREAT, part);
  memcpy(part->owner, owner, sizeof owner);
  return made;
}

store_status files_part_write(store *s, const char *id, store_part *part, uint64_t offset, const void *bytes,
                              size_t size) {
  if (offset > part->size) return STORE_PRECONDITION;
  if (!store_part_room(s, part->owner, (int64_t)size)) return STORE_SHARE;
  if (part->fd < 0 && !make_rows(s, id, part)) return STORE_FULL;
  if (offset < part->committed && !drop_checkpoint(s, id, part)) return STORE_FULL;
  if (offset < part->size && ftruncate(part->fd, (off_t)offset) != 0) return STORE_FULL;
  part->size = offset;
  if (part->digested > offset) store_part_forget_digest(part);
  if (lseek(part->fd, (off_t)offset, SEEK_SET) < 0 || !store_write_all(part->fd, bytes, size))
    return count(s, part, bytes_of(part)), ftruncate(part->fd, (off_t)offset) == 0 ? STORE_FULL : STORE_FAILED;
  if (part->digested == offset) digest_update(&part->rows, bytes, size), part->digested += size;
  part->size += size;
  count(s, part, bytes_of(part));
  return STORE_OK;
}

static bool write_checkpoint(store *s, const char *path, const checkpoint *c, const void *state) {
  int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0) return false;
  bool done = store_write_all(fd, &c->h, sizeof c->h) && store_write_all(fd, c->rows_sha256, sizeof c->rows_sha256) &&
              store_write_all(fd, state, c->h.state_size) && store_sync_file(s, fd, path);
  close(fd);
  return done;
}

store_status files_part_commit(store *s, const char *id, int attempt, store_part *part, const void *state,
                               size_t size) {
  char path[PATH_SIZE], fresh[PATH_SIZE];
  checkpoint c;
  if (size == 0 || size > STORE_STATE_LIMIT) return STORE_PRECONDITION;
  if (part->fd < 0 && !make_rows(s, id, part)) return STORE_FULL;
  memset(&c, 0, sizeof c);
  memcpy(c.h.magic, magic, sizeof magic);
  c.h.attempt = attempt;
  c.h.rows = part->size;
  c.h.state_size = size;
  digest_of(state, size, c.h.sha256);
  if (!store_part_digest(part, c.h.rows, c.rows_sha256)) return STORE_FULL;
  files_part_path(files_of(s)->parts, id, "checkpoint", path);
  files_part_path(files_of(s)->parts, id, "fresh", fresh);
  bool done = store_sync_file(s, part->fd, "rows of a checkpoint") && write_checkpoint(s, fresh, &c, state) &&
              rename(fresh, path) == 0 && store_sync_folder(s, files_of(s)->parts);
  if (!done) unlink(fresh);
  if (!done) return store_is_stopped(s) ? STORE_STOPPED : STORE_FULL;
  part->committed = part->size;
  part->kept = (int64_t)(sizeof c.h + sizeof c.rows_sha256 + size);
  count(s, part, bytes_of(part));
  return STORE_OK;
}

// In doubt it stays.
static bool wanted(store *s, const char *id, char owner[STORE_NAME_SIZE]) {
  store_standing job = {.state = JOB_QUEUED};
  store_status status = store_job_standing(s, id, &job);
  memcpy(owner, job.owner, STORE_NAME_SIZE);
  return status == STORE_OK ? job.state != JOB_SUCCEEDED : status != STORE_NOT_FOUND;
}

void files_part_sweep(store *s) {
  DIR *dir = opendir(files_of(s)->parts);
  if (!dir) return;
  for (struct dirent *entry; (entry = readdir(dir));) {
    char id[ID_SIZE], owner[STORE_NAME_SIZE];
    size_t length = strcspn(entry->d_name, ".");
    if (length + 1 != sizeof id) continue;
    memcpy(id, entry->d_name, length);
    id[length] = '\0';
    struct stat st;
    if (!wanted(s, id, owner))
      unlinkat(dirfd(dir), entry->d_name, 0);
    else if (fstatat(dirfd(dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0)
      files_part_count(s, owner, (int64_t)st.st_size);
  }
  closedir(dir);
}

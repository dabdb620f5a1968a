// What survives the attempts of a job: parts/ID.rows, rows of the result so far, and parts/ID.checkpoint, which says how
// many bytes of them count and from which state another attempt goes on.
//
// Order of durability: rows (fdatasync), then the checkpoint under another name (fdatasync), rename, fsync of the folder.
// Whatever is cut off in between leaves the checkpoint before. Rows beyond it are dropped when the next attempt opens
// them. A commit asks the store whether (job, attempt) still owns the job: a lost attempt's checkpoint is refused.
#include "store/sqlite.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_SIZE = STORE_PATH_SIZE + 64, STATE_LIMIT = 64 << 20 };

typedef struct header {
  char magic[8];
  int64_t attempt;
  uint64_t rows, state_size;
  char sha256[DIGEST_HEX_SIZE]; // of the state
} header;
static const char magic[8] = "tdpart1";

static void part_path(const store *s, const char *id, const char *kind, char path[PATH_SIZE]) {
  snprintf(path, PATH_SIZE, "%s/%s.%s", s->parts, id, kind);
}

static bool sync_folder(const store *s) {
  int fd = open(s->parts, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  bool done = fd >= 0 && fsync(fd) == 0;
  if (fd >= 0) close(fd);
  return done;
}

static bool write_all(int fd, const void *bytes, size_t size) {
  for (const char *from = bytes; size > 0;) {
    ssize_t n = write(fd, from, size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    from += n;
    size -= (size_t)n;
  }
  return true;
}

// Header and state of a checkpoint file; false when there is none or it is damaged (then the job starts anew).
static bool read_checkpoint(FILE *file, header *h, void **state) {
  char sha256[DIGEST_HEX_SIZE];
  if (fread(h, sizeof *h, 1, file) != 1 || memcmp(h->magic, magic, sizeof magic) != 0) return false;
  if (h->state_size == 0 || h->state_size > STATE_LIMIT) return false;
  *state = malloc(h->state_size);
  if (!*state || fread(*state, 1, h->state_size, file) != h->state_size) return false;
  digest_of(*state, h->state_size, sha256);
  return memcmp(sha256, h->sha256, sizeof sha256) == 0;
}

static void take_checkpoint(const store *s, const char *id, store_part *part) {
  char path[PATH_SIZE];
  header h;
  struct stat rows;
  part_path(s, id, "checkpoint", path);
  FILE *file = fopen(path, "rbe");
  if (!file) return;
  bool good =
      read_checkpoint(file, &h, &part->state) && fstat(part->fd, &rows) == 0 && (uint64_t)rows.st_size >= h.rows;
  fclose(file);
  if (good) {
    part->state_size = h.state_size;
    part->committed = part->size = h.rows;
    return;
  }
  free(part->state);
  part->state = NULL;
}

static bool open_rows(const store *s, const char *id, int flags, store_part *part) {
  char path[PATH_SIZE];
  *part = (store_part){.fd = -1};
  part_path(s, id, "rows", path);
  part->fd = open(path, flags | O_CLOEXEC, 0600);
  return part->fd >= 0;
}

store_status store_part_open(store *s, const char *id, store_part *part) {
  if (!open_rows(s, id, O_RDWR, part)) return errno == ENOENT ? STORE_OK : STORE_FULL;
  take_checkpoint(s, id, part);
  if (ftruncate(part->fd, (off_t)part->size) == 0) return STORE_OK;
  store_part_close(part);
  return STORE_FULL;
}

store_status store_part_read(store *s, const char *id, store_part *part) {
  if (!open_rows(s, id, O_RDONLY, part)) return STORE_NOT_FOUND;
  take_checkpoint(s, id, part);
  if (part->state) return STORE_OK;
  store_part_close(part);
  return STORE_NOT_FOUND;
}

void store_part_close(store_part *part) {
  if (part->fd >= 0) close(part->fd);
  free(part->state);
  *part = (store_part){.fd = -1};
}

// The rows are given up from `offset` on, which a checkpoint counts in: without the rows it must not be found.
static bool drop_checkpoint(store *s, const char *id, store_part *part) {
  char path[PATH_SIZE];
  part_path(s, id, "checkpoint", path);
  part->committed = 0;
  return (unlink(path) == 0 || errno == ENOENT) && sync_folder(s);
}

store_status store_part_write(store *s, const char *id, store_part *part, uint64_t offset, const void *bytes,
                              size_t size) {
  if (offset > part->size) return STORE_PRECONDITION;
  if (part->fd < 0 && !open_rows(s, id, O_RDWR | O_CREAT, part)) return STORE_FULL;
  if (offset < part->committed && !drop_checkpoint(s, id, part)) return STORE_FULL;
  if (offset < part->size && ftruncate(part->fd, (off_t)offset) != 0) return STORE_FULL;
  part->size = offset;
  if (lseek(part->fd, (off_t)offset, SEEK_SET) < 0 || !write_all(part->fd, bytes, size)) return STORE_FULL;
  part->size += size;
  return STORE_OK;
}

static bool write_checkpoint(const char *path, const header *h, const void *state) {
  int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0) return false;
  bool done = write_all(fd, h, sizeof *h) && write_all(fd, state, h->state_size) && fdatasync(fd) == 0;
  close(fd);
  return done;
}

static store_status owned(store *s, const char *id, int attempt) {
  static const char sql[] = "SELECT 1 FROM jobs WHERE id = ?1 AND attempt = ?2 AND state = 'running'";
  connection *c = store_read(s);
  int64_t ignored;
  store_status status = sql_integer(c, sql_bind(sql_prepare(c, sql), "ti", id, (int64_t)attempt), &ignored);
  store_read_end(s, c);
  return status == STORE_NOT_FOUND ? STORE_PRECONDITION : status;
}

store_status store_part_commit(store *s, const char *id, int attempt, store_part *part, const void *state,
                               size_t size) {
  char path[PATH_SIZE], fresh[PATH_SIZE];
  header h;
  store_status status = owned(s, id, attempt);
  if (status != STORE_OK) return status;
  if (size == 0 || size > STATE_LIMIT) return STORE_PRECONDITION;
  if (part->fd < 0 && !open_rows(s, id, O_RDWR | O_CREAT, part)) return STORE_FULL;
  memset(&h, 0, sizeof h);
  memcpy(h.magic, magic, sizeof magic);
  h.attempt = attempt;
  h.rows = part->size;
  h.state_size = size;
  digest_of(state, size, h.sha256);
  part_path(s, id, "checkpoint", path);
  part_path(s, id, "fresh", fresh);
  bool done =
      fdatasync(part->fd) == 0 && write_checkpoint(fresh, &h, state) && rename(fresh, path) == 0 && sync_folder(s);
  if (!done) return STORE_FULL;
  part->committed = part->size;
  return STORE_OK;
}

void store_part_remove(store *s, const char *id) {
  static const char *const kinds[] = {"checkpoint", "fresh", "rows"};
  char path[PATH_SIZE];
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    part_path(s, id, kinds[i], path);
    unlink(path);
  }
}

static bool wanted(store *s, const char *id) {
  static const char sql[] = "SELECT 1 FROM jobs WHERE id = ?1 AND state <> 'succeeded'";
  connection *c = store_read(s);
  int64_t ignored;
  store_status status = sql_integer(c, sql_bind(sql_prepare(c, sql), "t", id), &ignored);
  store_read_end(s, c);
  return status != STORE_NOT_FOUND; // in doubt it stays
}

void store_part_sweep(store *s) {
  DIR *dir = opendir(s->parts);
  if (!dir) return;
  for (struct dirent *entry; (entry = readdir(dir));) {
    char id[ID_SIZE];
    size_t length = strcspn(entry->d_name, ".");
    if (length + 1 != sizeof id) continue;
    memcpy(id, entry->d_name, length);
    id[length] = '\0';
    if (!wanted(s, id)) unlinkat(dirfd(dir), entry->d_name, 0);
  }
  closedir(dir);
}

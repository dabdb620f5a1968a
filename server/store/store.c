// A store: a kind of rows and a kind of blobs at the place that the operator names, and the lock of its folder.
//
// Another kind of rows is a folder beside sqlite/ and a row of `kinds`.
#include "store/store.h"
#include "store/files/files.h"
#include "store/inside.h"
#include "store/sqlite/sqlite.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct {
  const rows_kind *rows;
  const blobs_kind *blobs;
} kinds[] = {
    {&sqlite_rows, &file_blobs},
};

bool store_say(char message[STORE_MESSAGE_SIZE], const char *format, ...) {
  va_list values;
  va_start(values, format);
  vsnprintf(message, STORE_MESSAGE_SIZE, format, values);
  va_end(values);
  return false;
}

bool store_make_folder(const char *path, char message[STORE_MESSAGE_SIZE]) {
  if (mkdir(path, 0700) == 0 || errno == EEXIST) return true;
  return store_say(message, "cannot create the folder %.180s: %s", path, strerror(errno));
}

static bool take_lock(store *s, char message[STORE_MESSAGE_SIZE]) {
  char path[STORE_PATH_SIZE + 8];
  snprintf(path, sizeof path, "%s/lock", s->folder);
  s->lock_fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (s->lock_fd < 0) return store_say(message, "cannot open %.180s: %s", path, strerror(errno));
  if (flock(s->lock_fd, LOCK_EX | LOCK_NB) == 0) {
    if (ftruncate(s->lock_fd, 0) == 0) dprintf(s->lock_fd, "%d\n", getpid());
    return true;
  }
  char holder[16] = "unknown";
  ssize_t n = read(s->lock_fd, holder, sizeof holder - 1);
  if (n > 0) holder[n] = '\0', holder[strcspn(holder, "\n")] = '\0';
  return store_say(message, "the data folder %.160s is in use by another server (process %s)", s->folder, holder);
}

static void empty_folder(const char *path) {
  DIR *dir = opendir(path);
  if (!dir) return;
  for (struct dirent *entry; (entry = readdir(dir));)
    if (entry->d_type == DT_REG) unlinkat(dirfd(dir), entry->d_name, 0);
  closedir(dir);
}

static bool open_folder(store *s, char message[STORE_MESSAGE_SIZE]) {
  if (!store_make_folder(s->folder, message) || !take_lock(s, message)) return false;
  if (!store_make_folder(s->tmp, message)) return false;
  empty_folder(s->tmp);
  return true;
}

static bool choose_kind(store *s, const char *place) {
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds && !s->rows; i++)
    if (kinds[i].rows->is_place(place)) s->rows = kinds[i].rows, s->blobs = kinds[i].blobs;
  return s->rows != NULL;
}

static bool open_kinds(store *s, bool anyway, char message[STORE_MESSAGE_SIZE]) {
  if (!open_folder(s, message) || !s->blobs->open(s, message) || !s->rows->open(s, anyway, message)) return false;
  assert(s->rows_state && s->blobs_state);
  return store_cursor_key(s, s->cursor_key) == STORE_OK ||
         store_say(message, "the store of %.160s has no key of cursors", s->folder);
}

static store *open_store(const char *place, bool anyway, char message[STORE_MESSAGE_SIZE]) {
  store *s = calloc(1, sizeof *s);
  if (!s || strlen(place) > STORE_PATH_SIZE - 16 || !choose_kind(s, place)) {
    store_say(message, !s ? "cannot open the store: not enough memory" : "cannot open the store: no place for one");
    free(s);
    return NULL;
  }
  s->lock_fd = -1;
  pthread_mutex_init(&s->notify_lock, NULL);
  snprintf(s->folder, sizeof s->folder, "%s", place);
  snprintf(s->tmp, sizeof s->tmp, "%.4000s/tmp", place);
  if (open_kinds(s, anyway, message)) return s;
  store_close(s);
  return NULL;
}

store *store_open(const char *place, char message[STORE_MESSAGE_SIZE]) { return open_store(place, false, message); }
store *store_open_anyway(const char *place, char message[STORE_MESSAGE_SIZE]) {
  return open_store(place, true, message);
}

// Rows first: a change that still waits may need what its blobs are.
void store_close(store *s) {
  if (!s) return;
  if (s->rows_state) s->rows->close(s);
  if (s->blobs_state) s->blobs->close(s);
  if (s->lock_fd >= 0) close(s->lock_fd);
  pthread_mutex_destroy(&s->notify_lock);
  free(s);
}

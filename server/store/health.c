// Syncs, and the end of all writing when one fails.
//
// A kernel says once that it could not write what it had in memory, and forgets it: the same fsync asked again succeeds
// although the data are gone. So after a failure of the device nothing is written any more: every change is refused
// (STORE_STOPPED), readiness says why, and a person looks at the disk; the next start reads from the disk what is
// there, as after a loss of power. A full disk is not such a failure: what finds no room is refused and may be tried
// again.
#include "store/parts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void store_stop_writing(store *s, const char *what, const char *reason) {
  if (atomic_exchange(&s->stopped, true)) return;
  log_write(LOG_LEVEL_ERROR, "sync_failed", LOG_S("what", what), LOG_S("reason", reason),
            LOG_S("detail", "nothing is written any more: look at the disk, stop the server, run `tendrild check`"));
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

void store_row_damaged(store *s, const char *table, const char *row) {
  atomic_store(&s->damaged, true);
  log_write(LOG_LEVEL_ERROR, "row_damaged", LOG_S("table", table), LOG_S("row", row),
            LOG_S("detail", "the disk has changed it since: run `tendrild check` and restore a backup"));
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

// The disk of temporary files: attempts in progress, and parts of results that are being sent. They lie in a folder of
// this machine, whatever keeps rows and blobs, and must leave room for what is to be kept.
#include "api/c/nameless_file.h"
#include "store/parts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum { PATH_SIZE = STORE_PATH_SIZE + 64, ROOM = 1 << 20, RESERVE = 1 << 30 };

int store_tmp_file(store *s) { return nameless_file(s->tmp); }

bool store_has_room(const store *s) {
  char path[PATH_SIZE];
  snprintf(path, sizeof path, "%s/room", s->tmp);
  int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  bool room = fd >= 0 && posix_fallocate(fd, 0, ROOM) == 0; // reserved, or written where that cannot be
  if (fd >= 0) close(fd);
  unlink(path);
  return room;
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

const char *store_tmp_folder(const store *s) { return s->tmp; }

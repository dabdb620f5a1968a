// A note beside the database of how far its write-ahead log had come.
//
// SQLite takes a log that is damaged, cut or gone for one that ends earlier: what it held, acknowledged changes, would
// be lost without a word. So after each commit that waited for the disk the note says: the log's salt, its frames, the
// page that the last of them holds and a sum of that page. It is written and not synced, after the log was: a loss of
// power leaves it behind the log, never ahead of it. Before SQLite recovers, the frames are read and their running
// checksums compared. A log that began anew since has a salt that counts on; one that is gone was checkpointed by some
// other program when the database holds the last page. A closed database has none.
#include "store/sqlite/database/database.h"

#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_SIZE = STORE_PATH_SIZE + 32, HEADER = 32, FRAME_HEADER = 24, PAGE_MOST = 65536, NEWER_SALTS = 1 << 20 };

typedef struct mark {
  uint64_t page_sum;
  uint32_t magic, salt[2], frames, page, page_size; // frames 0: the database was closed
  uint64_t sum;                                     // of all before
} mark;
static const uint32_t MARK_MAGIC = 0x74646d31;

static uint64_t sum_of(const void *bytes, size_t size) {
  uint64_t sum = 0x9e3779b97f4a7c15u, word;
  for (size_t i = 0; i + sizeof word <= size; i += sizeof word) {
    memcpy(&word, (const char *)bytes + i, sizeof word);
    sum = (sum ^ word) * 0xff51afd7ed558ccdu;
    sum ^= sum >> 32;
  }
  return sum;
}

static uint32_t big_endian(const unsigned char *b) {
  return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

static bool read_at(int fd, void *bytes, size_t size, off_t offset) {
  return pread(fd, bytes, size, offset) == (ssize_t)size;
}

static int open_beside(const char *folder, const char *end, int flags) {
  char path[PATH_SIZE];
  snprintf(path, sizeof path, "%.4000s/tendril.db%s", folder, end);
  return open(path, flags | O_CLOEXEC, 0600);
}

// ------------------------------------------------------------------------------------------------------------- writing

void sqlite_mark_open(store *s) { sqlite_of(s)->writer.mark_fd = open_beside(s->folder, "-mark", O_RDWR | O_CREAT); }

// One that cannot be renewed goes: an old one might fit nothing later.
static void drop(store *s) {
  char path[PATH_SIZE];
  snprintf(path, sizeof path, "%.4000s/tendril.db-mark", s->folder);
  unlink(path);
  close(sqlite_of(s)->writer.mark_fd);
  sqlite_of(s)->writer.mark_fd = -1;
}

static void put(store *s, mark *m) {
  m->magic = MARK_MAGIC;
  m->sum = sum_of(m, offsetof(mark, sum));
  if (pwrite(sqlite_of(s)->writer.mark_fd, m, sizeof *m, 0) != (ssize_t)sizeof *m) drop(s);
}

static off_t place_of(uint32_t frame, uint32_t page_size) {
  return HEADER + (off_t)(frame - 1) * (FRAME_HEADER + (off_t)page_size);
}

void sqlite_mark_commit(store *s, int frames) {
  unsigned char header[HEADER], frame[FRAME_HEADER], page[PAGE_MOST];
  mark m = {.frames = (uint32_t)frames};
  if (sqlite_of(s)->writer.log_fd < 0) sqlite_of(s)->writer.log_fd = open_beside(s->folder, "-wal", O_RDONLY);
  int log = sqlite_of(s)->writer.log_fd;
  if (log < 0 || sqlite_of(s)->writer.mark_fd < 0 || frames <= 0 || !read_at(log, header, sizeof header, 0)) return;
  m.page_size = big_endian(header + 8);
  m.salt[0] = big_endian(header + 16);
  m.salt[1] = big_endian(header + 20);
  if (m.page_size > PAGE_MOST) return;
  off_t place = place_of(m.frames, m.page_size);
  if (!read_at(log, frame, sizeof frame, place) || !read_at(log, page, m.page_size, place + FRAME_HEADER)) return;
  m.page = big_endian(frame);
  m.page_sum = sum_of(page, m.page_size);
  put(s, &m);
}

void sqlite_mark_close(store *s) {
  mark closed = {.frames = 0};
  if (sqlite_of(s)->writer.mark_fd >= 0) put(s, &closed);
  if (sqlite_of(s)->writer.mark_fd >= 0 && fdatasync(sqlite_of(s)->writer.mark_fd) != 0) drop(s); // before the log goes
  if (sqlite_of(s)->writer.mark_fd >= 0) close(sqlite_of(s)->writer.mark_fd);
  if (sqlite_of(s)->writer.log_fd >= 0) close(sqlite_of(s)->writer.log_fd);
  sqlite_of(s)->writer.mark_fd = sqlite_of(s)->writer.log_fd = -1;
}

// ------------------------------------------------------------------------------------------------------------- reading

// False: there is none, or it was being written when power was lost.
static bool read_mark(const char *folder, mark *m) {
  int fd = open_beside(folder, "-mark", O_RDONLY | O_NONBLOCK);
  bool read =
      fd >= 0 && read_at(fd, m, sizeof *m, 0) && m->magic == MARK_MAGIC && m->sum == sum_of(m, offsetof(mark, sum));
  if (fd >= 0) close(fd);
  return read;
}

typedef struct log_file {
  int fd;
  bool little; // the order of bytes in the words of checksums
  uint32_t page_size, salt[2], sum[2];
} log_file;

static uint32_t word_of(const log_file *l, const unsigned char *b) {
  uint32_t word = big_endian(b);
  return l->little ? __builtin_bswap32(word) : word;
}

static void add_to_sum(log_file *l, const unsigned char *bytes, size_t size) {
  for (size_t i = 0; i < size; i += 8) {
    l->sum[0] += word_of(l, bytes + i) + l->sum[1];
    l->sum[1] += word_of(l, bytes + i + 4) + l->sum[0];
  }
}

static bool read_header(log_file *l) {
  unsigned char header[HEADER];
  if (l->fd < 0 || !read_at(l->fd, header, sizeof header, 0)) return false;
  uint32_t magic = big_endian(header);
  if ((magic & ~1u) != 0x377f0682) return false;
  l->little = (magic & 1) == 0;
  l->page_size = big_endian(header + 8);
  l->salt[0] = big_endian(header + 16);
  l->salt[1] = big_endian(header + 20);
  l->sum[0] = l->sum[1] = 0;
  add_to_sum(l, header, 24);
  bool sized = l->page_size >= 512 && l->page_size <= PAGE_MOST && (l->page_size & (l->page_size - 1)) == 0;
  return sized && l->sum[0] == big_endian(header + 24) && l->sum[1] == big_endian(header + 28);
}

// Frames from the first one that are as they were written, at most `most`.
static uint32_t count_frames(log_file *l, uint32_t most) {
  unsigned char frame[FRAME_HEADER], page[PAGE_MOST];
  uint32_t count = 0;
  for (; count < most; count++) {
    off_t place = place_of(count + 1, l->page_size);
    if (!read_at(l->fd, frame, sizeof frame, place) || !read_at(l->fd, page, l->page_size, place + FRAME_HEADER)) break;
    if (big_endian(frame + 8) != l->salt[0] || big_endian(frame + 12) != l->salt[1]) break;
    add_to_sum(l, frame, 8);
    add_to_sum(l, page, l->page_size);
    if (l->sum[0] != big_endian(frame + 16) || l->sum[1] != big_endian(frame + 20)) break;
  }
  return count;
}

static bool holds_last_page(const char *folder, const mark *m) {
  unsigned char page[PAGE_MOST];
  int fd = open_beside(folder, "", O_RDONLY);
  bool holds = fd >= 0 && m->page > 0 && read_at(fd, page, m->page_size, (off_t)(m->page - 1) * m->page_size) &&
               sum_of(page, m->page_size) == m->page_sum;
  if (fd >= 0) close(fd);
  return holds;
}

// Frames that were written and are not there; -1: the whole log is another one's, or has no beginning.
static int64_t missing_frames(const char *folder, const mark *m) {
  log_file l = {.fd = open_beside(folder, "-wal", O_RDONLY | O_NONBLOCK)};
  bool there = read_header(&l);
  uint32_t newer = there ? l.salt[0] - m->salt[0] : 0;
  int64_t missing = 0;
  if (there && l.salt[0] == m->salt[0] && l.salt[1] == m->salt[1])
    missing = (int64_t)m->frames - count_frames(&l, m->frames);
  else if ((!there || newer == 0 || newer > NEWER_SALTS) && !holds_last_page(folder, m))
    missing = -1;
  if (l.fd >= 0) close(l.fd);
  return missing;
}

bool sqlite_mark_check(const char *folder, char message[STORE_MESSAGE_SIZE]) {
  enum { TRIES = 20, PAUSE_US = 20000 };
  mark m, before;
  int64_t missing = 0;
  int db = open_beside(folder, "", O_RDONLY);
  if (db < 0) return true;
  close(db);
  for (int i = 0; i < TRIES; i++) { // a server may be writing
    if (!read_mark(folder, &m) || m.frames == 0) return true;
    missing = missing_frames(folder, &m);
    if (missing == 0) return true;
    if (i > 0 && memcmp(&m, &before, sizeof m) == 0) break;
    before = m;
    usleep(PAUSE_US);
  }
  char lost[32] = "all";
  if (missing > 0) snprintf(lost, sizeof lost, "the last %lld", (long long)missing);
  snprintf(message, STORE_MESSAGE_SIZE,
           "%.60s/tendril.db-wal is damaged, cut or gone: of %u pages of changes that were acknowledged %s are lost; "
           "put it back, restore a backup, or say --accept-lost-rows",
           folder, m.frames, lost);
  return false;
}

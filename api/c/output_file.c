// A path is looked at once: a number when it names a descriptor, stat for what is no regular file, else the name
// behind all symlinks. Invariant: only a name that this file made itself is ever unlinked, only a regular file or
// nothing renamed over.
#include "api/c/output_file.h"
#include "api/c/nameless_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NOT_OPEN = -1, NO_DESCRIPTOR = -1, LINKS_MOST = 40, NAMES_MOST = 1000, BLOCK = 1 << 16 };

static bool fail(output_error *err, output_trouble trouble, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static bool fail(output_error *err, output_trouble trouble, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(err->text, sizeof err->text, format, arguments);
  va_end(arguments);
  err->trouble = trouble;
  return false;
}

static const char *words_of(const char *path) { return strcmp(path, "-") == 0 ? "standard output" : path; }

static bool fail_by(output_error *err, const char *path, int number) {
  return fail(err, number == EPIPE ? OUTPUT_CLOSED : OUTPUT_FAILED, "cannot write %.500s: %s", words_of(path),
              strerror(number));
}

// ------------------------------------------------------------------------------------------------ what a path means

// The number that "-", "/dev/stdout", "/dev/fd/N" and "/proc/self/fd/N" name. Opened by name they would begin a file
// anew that the shell has open, and sockets could not be opened at all.
static int descriptor_of(const char *path) {
  static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};
  if (strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0) return STDOUT_FILENO;
  if (strcmp(path, "/dev/stderr") == 0) return STDERR_FILENO;
  for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
    size_t length = strlen(folders[i]);
    const char *digits = path + length;
    if (strncmp(path, folders[i], length) != 0) continue;
    size_t count = strspn(digits, "0123456789");
    if (count > 0 && count < 8 && digits[count] == '\0') return atoi(digits);
  }
  return NO_DESCRIPTOR;
}

bool output_file_is_stdout(const char *path) { return descriptor_of(path) == STDOUT_FILENO; }

bool output_file_is_regular(const char *path) {
  struct stat st;
  return descriptor_of(path) == NO_DESCRIPTOR && (stat(path, &st) != 0 || S_ISREG(st.st_mode));
}

// What the symlink `path` says, seen from the folder that holds it; NULL with errno, EINVAL when it is no symlink.
static char *follow(const char *path) {
  char to[PATH_MAX], *joined = NULL;
  ssize_t length = readlink(path, to, sizeof to - 1);
  if (length < 0) return NULL;
  to[length] = '\0';
  const char *slash = strrchr(path, '/');
  int folder = slash && to[0] != '/' ? (int)(slash + 1 - path) : 0;
  return asprintf(&joined, "%.*s%s", folder, path, to) < 0 ? NULL : joined;
}

// The name behind all symlinks, of a file or of nothing yet; NULL with errno.
static char *resolve(const char *path) {
  char *name = realpath(path, NULL);
  if (name || errno != ENOENT) return name;
  name = strdup(path);
  for (int links = 0; name && links < LINKS_MOST; links++) {
    char *next = follow(name);
    if (!next && (errno == EINVAL || errno == ENOENT)) return name;
    free(name);
    name = next;
  }
  if (name) errno = ELOOP;
  free(name);
  return NULL;
}

// ------------------------------------------------------------------------------------------------ opening

static bool open_direct(output_file *f, int direct, bool binary, output_error *err) {
  if (direct < 0) return fail_by(err, f->path, errno);
  int flags = fcntl(direct, F_GETFL);
  f->direct = direct;
  if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY) return fail_by(err, f->path, EBADF);
  if (binary && isatty(direct))
    return fail(err, OUTPUT_TERMINAL,
                "%.500s is a terminal and the bytes are binary: name a file, or lead them into a pipe",
                words_of(f->path));
  f->fd = nameless_file(NULL);
  return f->fd >= 0 || fail(err, OUTPUT_FAILED, "no temporary file for %.400s: %s", words_of(f->path), strerror(errno));
}

// 0 or the errno. The counter keeps threads of one process apart.
static int make_part(output_file *f) {
  static atomic_uint made;
  char *part = NULL;
  if (asprintf(&part, "%s.part-%d-%u", f->target, (int)getpid(), atomic_fetch_add(&made, 1)) < 0) return ENOMEM;
  f->fd = open(part, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (f->fd >= 0) return f->part = part, 0;
  int number = errno;
  free(part);
  return number;
}

static bool open_beside(output_file *f, output_error *err) {
  f->target = resolve(f->path);
  if (!f->target) return fail_by(err, f->path, errno);
  int number = EEXIST; // what a killed process left behind under our number is passed over
  for (int tries = 0; number == EEXIST && tries < NAMES_MOST; tries++) number = make_part(f);
  return number == 0 || fail_by(err, f->path, number);
}

static bool open_place(output_file *f, bool binary, output_error *err) {
  struct stat st;
  int descriptor = descriptor_of(f->path);
  if (descriptor != NO_DESCRIPTOR) return open_direct(f, fcntl(descriptor, F_DUPFD_CLOEXEC, 0), binary, err);
  if (stat(f->path, &st) == 0 && !S_ISREG(st.st_mode))
    return open_direct(f, open(f->path, O_WRONLY | O_NOCTTY | O_CLOEXEC), binary, err);
  return open_beside(f, err);
}

bool output_file_open(output_file *f, const char *path, bool binary, output_error *err) {
  *f = (output_file){.fd = NOT_OPEN, .direct = NOT_OPEN, .path = strdup(path)};
  bool good = f->path ? open_place(f, binary, err) : fail_by(err, path, ENOMEM);
  if (!good) output_file_discard(f);
  return good;
}

bool output_file_check(const char *path, bool binary, output_error *err) {
  struct stat st;
  output_file f;
  if (descriptor_of(path) == NO_DESCRIPTOR && stat(path, &st) == 0 && S_ISFIFO(st.st_mode)) // would wait for its reader
    return access(path, W_OK) == 0 || fail_by(err, path, errno);
  bool good = output_file_open(&f, path, binary, err);
  output_file_discard(&f);
  return good;
}

// ------------------------------------------------------------------------------------------------ writing

// 0 or the errno.
static int write_all(int fd, const char *bytes, size_t size) {
  while (size > 0) {
    ssize_t n = write(fd, bytes, size);
    if (n < 0 && errno == EAGAIN) poll(&(struct pollfd){.fd = fd, .events = POLLOUT}, 1, -1);
    if (n < 0 && errno != EAGAIN && errno != EINTR) return errno;
    if (n > 0) bytes += n, size -= (size_t)n;
  }
  return 0;
}

bool output_file_write(output_file *f, const void *bytes, size_t size, output_error *err) {
  int number = write_all(f->fd, bytes, size);
  return number == 0 || fail_by(err, f->path, number);
}

bool output_file_restart(output_file *f, output_error *err) {
  return (ftruncate(f->fd, 0) == 0 && lseek(f->fd, 0, SEEK_SET) == 0) || fail_by(err, f->path, errno);
}

// ------------------------------------------------------------------------------------------------ the end

static int pass_on(output_file *f) {
  char block[BLOCK];
  ssize_t n;
  int number = lseek(f->fd, 0, SEEK_SET) == 0 ? 0 : errno;
  while (number == 0 && (n = read(f->fd, block, sizeof block)) != 0)
    number = n < 0 ? errno : write_all(f->direct, block, (size_t)n);
  if (number == 0 && close(f->direct) != 0) number = errno;
  f->direct = number == 0 ? NOT_OPEN : f->direct;
  return number;
}

static int give_name(output_file *f) {
  bool kept = fdatasync(f->fd) == 0 || errno == EINVAL || errno == ENOSYS; // not every file system can be asked
  if (!kept || rename(f->part, f->target) != 0) return errno;
  free(f->part);
  f->part = NULL;
  return 0;
}

bool output_file_commit(output_file *f, output_error *err) {
  int number = f->direct >= 0 ? pass_on(f) : give_name(f);
  bool good = number == 0 || fail_by(err, f->path, number);
  output_file_discard(f);
  return good;
}

void output_file_discard(output_file *f) {
  if (f->fd >= 0) close(f->fd);
  if (f->direct >= 0) close(f->direct);
  if (f->part) unlink(f->part);
  free(f->part);
  free(f->target);
  free(f->path);
  *f = (output_file){.fd = NOT_OPEN, .direct = NOT_OPEN};
}

// JSON lines on stderr. A line is assembled in a buffer on the stack and written at once, or not at all: whoever reads
// our stderr, or does not, never holds up the server. Lines that nobody took are counted, and told when there is room
// again.
#include "base/log/log.h"
#include "base/clock.h"
#include "base/log/log_kind.h"

#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINE_SIZE = 4096, LINE_RESERVE = 4 };

typedef struct line {
  char text[LINE_SIZE];
  size_t used;
} line;

static _Thread_local log_scope current;

log_scope log_current(void) { return current; }

log_scope log_enter(const log_scope *scope) {
  log_scope before = current;
  current = scope ? *scope : (log_scope){.job = ""};
  return before;
}

static _Atomic int threshold = LOG_LEVEL_INFO;

static const char *const level_names[LOG_LEVEL_COUNT] = {"debug", "info", "warning", "error"};

void log_set_level(log_level level) { atomic_store(&threshold, (int)level); }

const char *log_level_name(log_level level) { return level < LOG_LEVEL_COUNT ? level_names[level] : NULL; }

static void put(line *l, const char *text, size_t size) {
  if (l->used + size > LINE_SIZE - LINE_RESERVE) return;
  memcpy(l->text + l->used, text, size);
  l->used += size;
}

// The length of the token at `text`, 0 when there is none.
static size_t secret_length(const char *text) {
  size_t prefix = strlen(LOG_SECRET);
  if (strncmp(text, LOG_SECRET, prefix) != 0) return 0;
  size_t digits = strspn(text + prefix, "0123456789abcdefABCDEF");
  return digits >= LOG_SECRET_DIGITS ? prefix + digits : 0;
}

static void put_escaped(line *l, const char *text) {
  put(l, "\"", 1);
  for (size_t secret; *text; text++) {
    if (*text == *LOG_SECRET && (secret = secret_length(text)) > 0) {
      put(l, LOG_SECRET "***", sizeof LOG_SECRET + 2);
      text += secret - 1;
      continue;
    }
    unsigned char c = (unsigned char)*text;
    char escape[8];
    // Bytes above 0x7e may be broken UTF-8 from outside: escaped, so that every line is valid JSON whatever came in.
    if (c == '"' || c == '\\')
      put(l, (char[]){'\\', (char)c}, 2);
    else if (c < 0x20 || c > 0x7e)
      put(l, escape, (size_t)snprintf(escape, sizeof escape, "\\u%04x", c));
    else
      put(l, text, 1);
  }
  put(l, "\"", 1);
}

static void put_field(line *l, const log_field *f) {
  char number[40];
  size_t start = l->used, name_size = strlen(f->name), string_size = f->string ? strlen(f->string) : 4;
  if (start + name_size + 6 * string_size + 48 > LINE_SIZE - LINE_RESERVE) return; // whole or not at all
  put(l, ",", 1);
  put_escaped(l, f->name);
  put(l, ":", 1);
  if (f->type == LOG_STRING && f->string)
    put_escaped(l, f->string);
  else if (f->type == LOG_INTEGER)
    put(l, number, (size_t)snprintf(number, sizeof number, "%lld", (long long)f->integer));
  else if (f->type == LOG_NUMBER && isfinite(f->number))
    put(l, number, (size_t)snprintf(number, sizeof number, "%.6g", f->number));
  else
    put(l, "null", 4);
}

// An identifier of the scope, unless the line names another one itself.
static void put_scope(line *l, const char *name, const char *value, const log_field *fields, unsigned long count) {
  bool named = false;
  for (unsigned long i = 0; i < count; i++) named = named || strcmp(fields[i].name, name) == 0;
  if (*value && !named) put_field(l, &LOG_S(name, value));
}

// ---------------------------------------------------------------------------------------------------------------- sink

static struct {
  pthread_once_t once;
  int fd;
  _Atomic bool is_socket; // journald's
  _Atomic uint64_t lost;  // lines that nobody took
} sink = {.once = PTHREAD_ONCE_INIT, .fd = STDERR_FILENO};

// The same file under a descriptor of our own that does not wait: O_NONBLOCK on the inherited one would be everybody's
// who shares it (a shell, a pipe's other writers).
static void open_sink(void) {
  struct stat st;
  if (fstat(STDERR_FILENO, &st) != 0) return;
  sink.is_socket = S_ISSOCK(st.st_mode);
  if (!S_ISFIFO(st.st_mode) && !S_ISCHR(st.st_mode)) return; // files take every line
  int fd = open("/proc/self/fd/2", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (fd >= 0) sink.fd = fd;
}

// The descriptors keep their numbers, so that no line under way meets a closed one.
bool log_to_file(const char *path) {
  int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY, 0640);
  if (fd < 0) return false;
  pthread_once(&sink.once, open_sink);
  bool done = dup2(fd, STDERR_FILENO) >= 0 && (sink.fd == STDERR_FILENO || dup3(fd, sink.fd, O_CLOEXEC) >= 0);
  if (done) sink.is_socket = false;
  close(fd);
  return done;
}

// A pipe takes a line of this size whole or not at all (PIPE_BUF).
static bool write_line(line *l) {
  memcpy(l->text + l->used, "}\n", 2);
  size_t size = l->used + 2;
  ssize_t written =
      sink.is_socket ? send(sink.fd, l->text, size, MSG_DONTWAIT | MSG_NOSIGNAL) : write(sink.fd, l->text, size);
  return written == (ssize_t)size;
}

static void begin_line(line *l, log_level level, const char *event) {
  char time[CLOCK_TEXT_SIZE];
  clock_format(clock_now_ms(), time);
  l->used = (size_t)snprintf(l->text, LINE_SIZE, "{\"time\":\"%s\",\"level\":\"%s\",\"event\":\"%s\"", time,
                             level_names[level], event);
}

static void tell_lost(void) {
  uint64_t lost = atomic_exchange(&sink.lost, 0);
  if (lost == 0) return;
  line l;
  begin_line(&l, LOG_LEVEL_WARNING, "lines_lost");
  put_field(&l, &LOG_I("count", lost));
  if (!write_line(&l)) atomic_fetch_add(&sink.lost, lost);
}

static void tell_left_out(void) {
  for (log_left_out left; log_kind_take(&left);) {
    line l;
    begin_line(&l, LOG_LEVEL_WARNING, "lines_left_out");
    put_field(&l, &LOG_S("kind", left.kind));
    put_field(&l, &LOG_I("count", left.count));
    if (!write_line(&l)) atomic_fetch_add(&sink.lost, 1);
  }
}

void log_fields(log_level level, const char *event, const log_field *fields, unsigned long count) {
  if ((int)level < atomic_load(&threshold)) return;
  pthread_once(&sink.once, open_sink);
  tell_lost();
  tell_left_out();
  line l;
  begin_line(&l, level, event);
  put_scope(&l, "request_id", current.request_id, fields, count);
  put_scope(&l, "job", current.job, fields, count);
  for (unsigned long i = 0; i < count; i++) put_field(&l, &fields[i]);
  if (!write_line(&l)) atomic_fetch_add(&sink.lost, 1);
}

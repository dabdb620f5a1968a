// The server's process: started on a free port with a temporary data folder, asked over libcurl, stopped by SIGTERM.
//
// Invariant: served_close undoes whatever served_open reached.
#include "bench/served.h"
#include "bench/robot.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <jansson.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum { START_MS = 20000, STOP_MS = 20000 };

static bool say(char why[BENCH_NOTE_SIZE], const char *sentence, const char *detail) {
  return snprintf(why, BENCH_NOTE_SIZE, "%s%.100s", sentence, detail), false;
}

// ----------------------------------------------------------------------------------------------------------- process

static bool program_path(char *path, size_t room) {
  ssize_t length = readlink("/proc/self/exe", path, room - 1);
  if (length <= 0) return false;
  path[length] = '\0';
  char *slash = strrchr(path, '/');
  size_t kept = (size_t)(slash + 1 - path);
  return snprintf(slash + 1, room - kept, "tendrild") < (int)(room - kept);
}

static bool spawn(served *s, int out_fd, char why[BENCH_NOTE_SIZE]) {
  char path[4096], data[96], workers[16];
  if (!program_path(path, sizeof path)) return say(why, "cannot tell where this program lies", "");
  snprintf(data, sizeof data, "%s/data", s->folder);
  snprintf(workers, sizeof workers, "%d", s->workers);
  char *arguments[] = {path,          "--data",    data,    "--http",      "127.0.0.1:0", "--grpc",
                       "127.0.0.1:0", "--workers", workers, "--log-level", "error",       NULL};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, out_fd, STDOUT_FILENO);
  int error = posix_spawn(&s->pid, path, &actions, NULL, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error) s->pid = 0;
  return !error || say(why, "tendrild beside this program cannot be started: ", strerror(error));
}

// The ready line. The pipe's write end is only the server's: when it dies, reading ends.
static bool read_line(int fd, char *line, size_t room) {
  struct pollfd readable = {.fd = fd, .events = POLLIN};
  size_t used = 0;
  while (used + 1 < room && poll(&readable, 1, START_MS) > 0) {
    ssize_t n = read(fd, line + used, room - 1 - used);
    if (n <= 0) return false;
    used += (size_t)n;
    line[used] = '\0';
    if (strchr(line, '\n')) return true;
  }
  return false;
}

static bool read_address(served *s, int fd, char why[BENCH_NOTE_SIZE]) {
  char line[512] = "";
  json_t *ready = read_line(fd, line, sizeof line) ? json_loads(line, 0, NULL) : NULL;
  const char *address = json_string_value(json_object_get(ready, "http"));
  const char *grpc = json_string_value(json_object_get(ready, "grpc"));
  if (address) snprintf(s->url, sizeof s->url, "http://%s", address);
  snprintf(s->grpc, sizeof s->grpc, "%s", grpc ? grpc : "");
  json_decref(ready);
  return address || say(why, "tendrild did not say that it serves", "");
}

bool served_start(served *s, char why[BENCH_NOTE_SIZE]) {
  int pipe_fds[2];
  if (pipe2(pipe_fds, O_CLOEXEC)) return say(why, "no pipe: ", strerror(errno));
  bool started = spawn(s, pipe_fds[1], why);
  close(pipe_fds[1]);
  started = started && read_address(s, pipe_fds[0], why);
  close(pipe_fds[0]);
  return started;
}

static void stop(pid_t pid) {
  kill(pid, SIGTERM);
  for (int waited = 0; waited < STOP_MS; waited += 10) {
    if (waitpid(pid, NULL, WNOHANG) != 0) return;
    usleep(10000);
  }
  kill(pid, SIGKILL);
  waitpid(pid, NULL, 0);
}

static int remove_entry(const char *path, const struct stat *info, int type, struct FTW *walk) {
  (void)info, (void)type, (void)walk;
  return remove(path);
}

void served_stop(served *s) {
  if (s->pid > 0) stop(s->pid);
  s->pid = 0;
}

void served_close(served *s) {
  served_stop(s);
  if (s->folder[0]) nftw(s->folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
  curl_slist_free_all(s->headers);
  curl_easy_cleanup(s->curl);
  codec_buffer_fini(&s->reply);
}

// ------------------------------------------------------------------------------------------------------- connection

static size_t receive(char *bytes, size_t size, size_t count, void *context) {
  codec_buffer *reply = context;
  codec_buffer_append(reply, bytes, size * count);
  return reply->failed ? 0 : size * count;
}

bool served_open(served *s, int workers, char why[BENCH_NOTE_SIZE]) {
  *s = (served){.workers = workers};
  codec_buffer_init(&s->reply, 0);
  s->curl = curl_easy_init();
  if (!s->curl) return say(why, "libcurl cannot be started", "");
  curl_easy_setopt(s->curl, CURLOPT_TCP_NODELAY, 1L);
  curl_easy_setopt(s->curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(s->curl, CURLOPT_NOPROXY, "*");
  curl_easy_setopt(s->curl, CURLOPT_TIMEOUT, 120L);
  curl_easy_setopt(s->curl, CURLOPT_BUFFERSIZE, 512L << 10);
  curl_easy_setopt(s->curl, CURLOPT_WRITEFUNCTION, receive);
  curl_easy_setopt(s->curl, CURLOPT_WRITEDATA, &s->reply);
  snprintf(s->folder, sizeof s->folder, "/tmp/tendril-bench-XXXXXX");
  if (!mkdtemp(s->folder)) return s->folder[0] = '\0', say(why, "no temporary folder: ", strerror(errno));
  return served_start(s, why);
}

// "Expect:" empty: libcurl would wait for leave to send a large body.
static void set_headers(served *s, const char *type) {
  char line[96];
  curl_slist_free_all(s->headers);
  s->headers = curl_slist_append(NULL, "Expect:");
  snprintf(line, sizeof line, "Content-Type: %s", type);
  s->headers = curl_slist_append(s->headers, line);
  snprintf(line, sizeof line, "Accept: %s", type);
  s->headers = curl_slist_append(s->headers, line);
  curl_easy_setopt(s->curl, CURLOPT_HTTPHEADER, s->headers);
}

void served_prepare(served *s, const char *path, const char *type, const codec_buffer *body) {
  char url[256];
  snprintf(url, sizeof url, "%s%s", s->url, path);
  curl_easy_setopt(s->curl, CURLOPT_URL, url);
  set_headers(s, type);
  if (!body) {
    curl_easy_setopt(s->curl, CURLOPT_HTTPGET, 1L);
    return;
  }
  curl_easy_setopt(s->curl, CURLOPT_POST, 1L);
  curl_easy_setopt(s->curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)body->size);
  curl_easy_setopt(s->curl, CURLOPT_POSTFIELDS, body->data);
}

bool served_send(served *s) {
  s->reply.size = 0;
  s->status = 0;
  if (curl_easy_perform(s->curl) != CURLE_OK) return false;
  curl_easy_getinfo(s->curl, CURLINFO_RESPONSE_CODE, &s->status);
  return s->status / 100 == 2;
}

bool served_put_example(served *s, const char *name, codec_buffer *body, char why[BENCH_NOTE_SIZE]) {
  char file[64];
  snprintf(file, sizeof file, "%s.model.json", name);
  body->size = 0;
  codec_buffer_text(body, bench_example(file));
  served_prepare(s, "/v1/models", "application/json", body);
  if (served_send(s)) return true;
  snprintf(why, BENCH_NOTE_SIZE, "the model was refused with status %ld", s->status);
  return false;
}

double served_resident_mb(const served *s) {
  char path[64], line[128];
  double kb = 0;
  snprintf(path, sizeof path, "/proc/%d/status", s->pid);
  FILE *file = fopen(path, "re");
  while (file && fgets(line, sizeof line, file))
    if (strncmp(line, "VmRSS:", 6) == 0) kb = strtod(line + 6, NULL);
  if (file) fclose(file);
  return kb / 1024;
}

double served_cpu_s(const served *s) {
  clockid_t clock;
  struct timespec t = {0};
  if (clock_getcpuclockid(s->pid, &clock) == 0) clock_gettime(clock, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

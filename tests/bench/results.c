// Groups results and results_1g: one job whose result is 64 MiB or 1 GiB, written and read, beside the disk that it
// lies on.
//
// All figures are waiting time per GiB. The disk's own: blocks of 1 MiB to a file in the same folder, then fdatasync,
// as `dd conv=fdatasync` does; and read back after the kernel was told to forget it. job: from submission to the end,
// the simulation included. job_keep: the same without the time that the worker says it took: its start, and making the
// result durable. Reading over HTTP begins with a file that the kernel has forgotten, too.
#include "base/digest.h"
#include "bench/served.h"

#include <fcntl.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { POINTS = 300, POLL_US = 2000, BLOCK = 1 << 20 };
static const double GIB = 1 << 30, sample_dt = 0.01;
static const char json_media[] = "application/json";

typedef struct fixture {
  served server;
  codec_buffer body;
  char id[64], file[160], scratch[160]; // of the job; its result; the disk's own
  double bytes, total_s, worker_s;
  const char *media, *query;
  double received;
} fixture;

// --------------------------------------------------------------------------------------------------------------- job

static bool say(char why[BENCH_NOTE_SIZE], const char *sentence, const fixture *f) {
  const codec_buffer *reply = &f->server.reply;
  int size = reply->size < 80 ? (int)reply->size : 80;
  return snprintf(why, BENCH_NOTE_SIZE, "%s: status %ld %.*s", sentence, f->server.status, size,
                  reply->data ? reply->data : ""),
         false;
}

static bool ask(fixture *f, const char *path, const char *text) {
  f->body.size = 0;
  if (text) codec_buffer_text(&f->body, text);
  served_prepare(&f->server, path, json_media, text ? &f->body : NULL);
  return served_send(&f->server);
}

// A rod of one coordinate and many points: little to compute and much to write.
static bool put_model(fixture *f) {
  char text[700];
  snprintf(text, sizeof text,
           "{\"format\":\"tendril.model/1\",\"name\":\"wide\",\"gravity\":[0,0,-9.81],\"links\":[{\"name\":\"arm\","
           "\"joint\":{\"type\":\"fixed\"},\"body\":{\"type\":\"rod\",\"length\":0.5,\"section\":{\"shape\":\"circle\","
           "\"radius\":0.02},\"material\":{\"young\":1e6,\"poisson\":0.5,\"density\":1000,\"viscosity\":1e4},"
           "\"strain\":{\"basis\":\"legendre\",\"order\":{\"bending_y\":0}},\"quadrature\":{\"points\":%d}}}]}",
           POINTS);
  return ask(f, "/v1/models", text);
}

static bool submit(fixture *f, double bytes) {
  char text[300];
  double samples = bytes / ((16 + 6) * sizeof(double) * (POINTS + 2));
  snprintf(text, sizeof text,
           "{\"model\":\"wide\",\"kind\":\"dynamics\",\"t_end\":%.6g,\"integrator\":{\"method\":\"euler_implicit\","
           "\"h\":%g},\"output\":{\"dt\":%g,\"fields\":[\"poses:arm\",\"strain:arm\"]}}",
           ceil(samples) * sample_dt, 10 * sample_dt, sample_dt);
  if (!ask(f, "/v1/jobs", text)) return false;
  json_t *job = json_loadb(f->server.reply.data, f->server.reply.size, 0, NULL);
  const char *id = json_string_value(json_object_get(job, "id"));
  snprintf(f->id, sizeof f->id, "%s", id ? id : "");
  json_decref(job);
  return id != NULL;
}

// True when the job has ended; *succeeded says how.
static bool ended(fixture *f, bool *succeeded) {
  char path[96];
  snprintf(path, sizeof path, "/v1/jobs/%s", f->id);
  json_t *job = ask(f, path, NULL) ? json_loadb(f->server.reply.data, f->server.reply.size, 0, NULL) : NULL;
  const char *state = json_string_value(json_object_get(job, "state"));
  bool waits = state && (strcmp(state, "queued") == 0 || strcmp(state, "running") == 0);
  *succeeded = state && strcmp(state, "succeeded") == 0;
  json_decref(job);
  return !waits;
}

static bool read_summary(fixture *f) {
  char path[128];
  snprintf(path, sizeof path, "/v1/jobs/%s/result?fields=t&stride=1000000", f->id);
  json_t *result = ask(f, path, NULL) ? json_loadb(f->server.reply.data, f->server.reply.size, 0, NULL) : NULL;
  const json_t *wall = json_object_get(json_object_get(result, "summary"), "wall_s");
  f->worker_s = json_number_value(wall);
  bool read = json_is_number(wall);
  json_decref(result);
  return read;
}

static bool run_job(fixture *f, double bytes) {
  struct stat st;
  bool succeeded = false;
  double began = bench_now(BENCH_WALL);
  if (!submit(f, bytes)) return false;
  while (!ended(f, &succeeded)) usleep(POLL_US);
  f->total_s = bench_now(BENCH_WALL) - began;
  snprintf(f->file, sizeof f->file, "%s/data/results/%s.npz", f->server.folder, f->id);
  snprintf(f->scratch, sizeof f->scratch, "%s/data/disk", f->server.folder);
  if (!succeeded || stat(f->file, &st) != 0) return false;
  f->bytes = (double)st.st_size;
  return read_summary(f);
}

static void close_fixture(void *context) {
  fixture *f = context;
  served_close(&f->server);
  codec_buffer_fini(&f->body);
  free(f);
}

static void *open_fixture(const bench_group *group, char why[BENCH_NOTE_SIZE]) {
  fixture *f = calloc(1, sizeof *f);
  if (!f) return snprintf(why, BENCH_NOTE_SIZE, "not enough memory"), NULL;
  codec_buffer_init(&f->body, 0);
  if (served_open(&f->server, 1, why) &&
      ((put_model(f) && run_job(f, group->size * (double)BLOCK)) || say(why, "the job did not succeed", f)))
    return f;
  return close_fixture(f), NULL;
}

// -------------------------------------------------------------------------------------------------------------- disk

static bool write_disk(void *context) {
  fixture *f = context;
  char *block = malloc(BLOCK);
  int fd = open(f->scratch, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  bool good = block && fd >= 0;
  if (block) memset(block, 0x5a, BLOCK);
  for (double left = f->bytes; good && left > 0; left -= BLOCK) good = write(fd, block, BLOCK) == BLOCK;
  good = good && fdatasync(fd) == 0;
  if (fd >= 0) close(fd);
  free(block);
  return good;
}

static int open_forgotten(const char *path) {
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd >= 0) posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
  return fd;
}

static bool read_disk(void *context) {
  fixture *f = context;
  char *block = malloc(BLOCK);
  int fd = open_forgotten(f->file);
  double read_bytes = 0;
  for (ssize_t n; block && fd >= 0 && (n = read(fd, block, BLOCK)) > 0;) read_bytes += (double)n;
  if (fd >= 0) close(fd);
  free(block);
  return read_bytes == f->bytes;
}

static bool check_file(void *context) {
  fixture *f = context;
  char sha256[DIGEST_HEX_SIZE];
  int fd = open_forgotten(f->file);
  bool good = fd >= 0 && digest_of_file(fd, sha256);
  if (fd >= 0) close(fd);
  return good;
}

static void measure(fixture *f, bool (*call)(void *), bench_figure *figure) {
  bench_measure(
      &(bench_plan){.clock = BENCH_WALL, .call = call, .context = f, .items = f->bytes / GIB, .each_call = true},
      figure);
  if (!figure->failed) bench_note(figure, "per GiB, of %.0f MiB", f->bytes / BLOCK);
}

static void disk_write(void *f, bench_figure *figure) { measure(f, write_disk, figure); }
static void disk_read(void *f, bench_figure *figure) { measure(f, read_disk, figure); }
static void checksum(void *f, bench_figure *figure) { measure(f, check_file, figure); }

// ------------------------------------------------------------------------------------------------------------ writing

static void once(const fixture *f, double seconds, const char *note, bench_figure *figure) {
  figure->median = figure->min = seconds * GIB / f->bytes;
  bench_note(figure, "per GiB, of %.0f MiB; %s", f->bytes / BLOCK, note);
}

static void job(void *context, bench_figure *figure) {
  fixture *f = context;
  once(f, f->total_s, "simulation included", figure);
}

static void job_keep(void *context, bench_figure *figure) {
  fixture *f = context;
  once(f, f->total_s - f->worker_s, "checksum and disk", figure);
}

// ------------------------------------------------------------------------------------------------------------ reading

static size_t count_bytes(char *bytes, size_t size, size_t count, void *context) {
  (void)bytes;
  ((fixture *)context)->received += (double)(size * count);
  return size * count;
}

static bool fetch(void *context) {
  fixture *f = context;
  int fd = open_forgotten(f->file);
  if (fd >= 0) close(fd);
  f->received = 0;
  return served_send(&f->server) && f->received > 0;
}

static void get(fixture *f, const char *media, const char *query, bench_figure *figure) {
  char path[128];
  snprintf(path, sizeof path, "/v1/jobs/%s/result%s", f->id, query);
  served_prepare(&f->server, path, media, NULL);
  curl_easy_setopt(f->server.curl, CURLOPT_WRITEFUNCTION, count_bytes);
  curl_easy_setopt(f->server.curl, CURLOPT_WRITEDATA, f);
  measure(f, fetch, figure);
  if (!figure->failed) bench_note(figure, "per GiB read; %.0f MiB sent", f->received / BLOCK);
}

static void read_npz(void *f, bench_figure *figure) { get(f, "application/x-npz", "", figure); }
static void read_json(void *f, bench_figure *figure) { get(f, json_media, "", figure); }
static void read_csv(void *f, bench_figure *figure) { get(f, "text/csv", "", figure); }
static void read_part(void *f, bench_figure *figure) {
  get(f, "application/x-npz", "?fields=strain:arm&stride=4", figure);
}

// --------------------------------------------------------------------------------------------------------------- rows

static const bench_row rows[] = {
    {"disk_write", "s", disk_write, NULL},      {"job", "s", job, "disk_write"},
    {"job_keep", "s", job_keep, "disk_write"},  {"disk_read", "s", disk_read, NULL},
    {"checksum", "s", checksum, "disk_read"},   {"read_npz", "s", read_npz, "disk_read"},
    {"read_part", "s", read_part, "disk_read"}, {"read_json", "s", read_json, "disk_read"},
    {"read_csv", "s", read_csv, "disk_read"},
};

const bench_group bench_results = {"results", BENCH_ROWS(rows), open_fixture, close_fixture, 64};
const bench_group bench_results_1g = {"results_1g", BENCH_ROWS(rows), open_fixture, close_fixture, 1024};

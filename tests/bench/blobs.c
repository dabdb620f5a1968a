// Group blobs: a result of a GiB as it comes to be kept, and as a node that did not write it opens it with its checksum,
// beside a plain synced copy. In a data folder; and, where TENDRIL_BENCH_STORE names a database (postgresql://…, an empty
// schema of it), in that database and in a folder that nodes share.
#include "base/log/log.h"
#include "bench/bench.h"
#include "store/store.h"

#include <fcntl.h>
#include <ftw.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BLOCK = 1 << 20, PLACES = 3 };
static const char *const places[PLACES] = {"folder", "database", "shared"};

typedef struct fixture {
  char folder[64], sha256[DIGEST_HEX_SIZE];
  int source, mib;
  store_job kept[PLACES]; // id, attempt and so on of the result in each; "": none yet
} fixture;

static int remove_entry(const char *path, const struct stat *info, int type, struct FTW *walk) {
  (void)info, (void)type, (void)walk;
  return remove(path);
}

static void close_fixture(void *context) {
  fixture *f = context;
  if (f->source >= 0) close(f->source);
  if (*f->folder) nftw(f->folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
  free(f);
}

// Bytes of which no two blocks are the same, into a file and to the disk.
static bool fill(int fd, int mib) {
  unsigned *block = malloc(BLOCK), state = 1;
  bool good = block != NULL;
  for (int k = 0; good && k < mib; k++) {
    for (size_t i = 0; i < BLOCK / sizeof *block; i++) block[i] = state = state * 1664525u + 1013904223u;
    good = write(fd, block, BLOCK) == BLOCK;
  }
  free(block);
  return good && fdatasync(fd) == 0;
}

static void *open_fixture(const bench_group *group, char why[BENCH_NOTE_SIZE]) {
  char path[96];
  fixture *f = calloc(1, sizeof *f);
  if (!f) return NULL;
  log_set_level(LOG_LEVEL_ERROR);
  f->mib = group->size;
  strcpy(f->folder, "/tmp/tendril-bench-XXXXXX");
  if (!mkdtemp(f->folder)) *f->folder = '\0';
  snprintf(path, sizeof path, "%s/source", f->folder);
  f->source = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (f->source >= 0 && fill(f->source, f->mib) && digest_of_file(f->source, f->sha256)) return f;
  snprintf(why, BENCH_NOTE_SIZE, "%s cannot be written", path);
  return close_fixture(f), NULL;
}

static bool copy(const fixture *f, int to) {
  char *block = malloc(BLOCK);
  bool good = block != NULL;
  for (int k = 0; good && k < f->mib; k++)
    good = pread(f->source, block, BLOCK, (off_t)k * BLOCK) == BLOCK && write(to, block, BLOCK) == BLOCK;
  free(block);
  return good;
}

static void tell(bench_figure *figure, const fixture *f, double taken_s) {
  bench_summarise(&taken_s, 1, 1, figure);
  bench_note(figure, "%.0f MiB/s", f->mib / taken_s);
}

static void plain_copy(void *context, bench_figure *figure) {
  fixture *f = context;
  char path[96];
  snprintf(path, sizeof path, "%s/copy", f->folder);
  double before = bench_now(BENCH_WALL);
  int to = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (to < 0 || !copy(f, to) || fdatasync(to) != 0) bench_fail(figure, "the copy cannot be written");
  tell(figure, f, bench_now(BENCH_WALL) - before);
  if (to >= 0) close(to);
  unlink(path);
}

// A process of its own there, as far as the store can tell; NULL with a note.
static store *open_place(const fixture *f, int place, const char *node, bench_figure *figure) {
  char folder[128], shared[96], message[STORE_MESSAGE_SIZE] = "";
  const char *database = getenv("TENDRIL_BENCH_STORE");
  snprintf(folder, sizeof folder, "%s/%s-%s", f->folder, places[place], place == 0 ? "data" : node);
  snprintf(shared, sizeof shared, "%s/results", f->folder);
  const store_where where = {
      .folder = folder, .rows = place > 0 ? database : NULL, .results = place == 2 ? shared : NULL};
  figure->median = figure->min = NAN;
  if (place > 0 && !database) return bench_note(figure, "TENDRIL_BENCH_STORE names no database"), NULL;
  store *s = store_open_at(&where, message);
  if (!s) bench_fail(figure, "%.140s", message);
  return s;
}

static bool begin(store *s, store_job *job) {
  store_job fresh = {.kind = "statics", .document = "{}", .labels = "{}", .t_end = NAN};
  char *document = NULL;
  int64_t due;
  id_make(fresh.id);
  digest_of("{}", 2, fresh.model_sha256);
  bool good = store_job_insert(s, &fresh, "{}", &(store_room){.all = 10}, &(store_request){.key = NULL}) == STORE_OK &&
              store_job_claim(s, job, &document, &due) == STORE_OK;
  free(document);
  return good;
}

static bool keep(store *s, fixture *f, store_job *job, double *taken_s) {
  int fd = store_result_create(s, job->id, job->attempt);
  bool good = fd >= 0 && copy(f, fd); // as the worker has written it
  double before = bench_now(BENCH_WALL);
  good = good && store_result_commit(s, job->id, job->attempt, fd, f->sha256) == STORE_OK;
  store_outcome outcome = {.state = JOB_SUCCEEDED, .result_size = (int64_t)f->mib * BLOCK, .result_sha256 = f->sha256};
  good = good && store_job_finish(s, job->id, job->attempt, &outcome) == STORE_OK;
  *taken_s = bench_now(BENCH_WALL) - before;
  if (fd >= 0) close(fd);
  return good;
}

// A result that is kept by a node `a`, and how long that took.
static bool put(fixture *f, int place, bench_figure *figure, double *taken_s) {
  store_job job = {.seq = 0};
  store *s = open_place(f, place, "a", figure);
  if (!s) return false;
  bool good = begin(s, &job) && keep(s, f, &job, taken_s);
  store_job_fini(&job);
  if (good) good = store_job_get(s, job.id, &f->kept[place]) == STORE_OK;
  store_job_fini(&f->kept[place]);
  store_close(s);
  if (!good) bench_fail(figure, "the result was not kept");
  return good;
}

static void in(fixture *f, int place, bench_figure *figure) {
  double taken_s = 0;
  if (put(f, place, figure, &taken_s)) tell(figure, f, taken_s);
}

static void out(fixture *f, int place, bench_figure *figure) {
  int fd = -1;
  double taken_s = 0;
  if (!*f->kept[place].id && !put(f, place, figure, &taken_s)) return; // --filter has left `in` out
  store *s = open_place(f, place, "b", figure);
  if (!s) return;
  double before = bench_now(BENCH_WALL);
  bool good = store_result_open(s, &f->kept[place], &fd) == STORE_RESULT_GOOD;
  taken_s = bench_now(BENCH_WALL) - before;
  if (fd >= 0) close(fd);
  good = good && store_job_delete(s, f->kept[place].id) == STORE_OK;
  *f->kept[place].id = '\0';
  store_close(s);
  if (!good) bench_fail(figure, "the result was not read");
  if (good) tell(figure, f, taken_s);
}

static void folder_in(void *f, bench_figure *figure) { in(f, 0, figure); }
static void folder_out(void *f, bench_figure *figure) { out(f, 0, figure); }
static void database_in(void *f, bench_figure *figure) { in(f, 1, figure); }
static void database_out(void *f, bench_figure *figure) { out(f, 1, figure); }
static void shared_in(void *f, bench_figure *figure) { in(f, 2, figure); }
static void shared_out(void *f, bench_figure *figure) { out(f, 2, figure); }

static const bench_row rows[] = {
    {"copy", "s", plain_copy, NULL},
    {"folder_in", "s", folder_in, "copy"},
    {"folder_out", "s", folder_out, "copy"},
    {"database_in", "s", database_in, "copy"},
    {"database_out", "s", database_out, "folder_out"},
    {"shared_in", "s", shared_in, "copy"},
    {"shared_out", "s", shared_out, "folder_out"},
};
const bench_group bench_blobs = {"blobs", BENCH_ROWS(rows), open_fixture, close_fixture, 1024};

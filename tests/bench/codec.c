// Group codec: numbers to text and back, and blocks of numbers to NPZ and back, per number.
//
// The numbers are those of a reply: derivatives of the cable-driven manipulator, 16 or 17 digits each.
#include "bench/robot.h"
#include "codec/wire/archive.h"
#include "support/tree.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 1 << 14, TEXT_ROOM = 40 };

typedef struct fixture {
  double numbers[COUNT];
  char text[COUNT * TEXT_ROOM]; ///< shortest digits, a NUL behind each
  json_t *array;
  codec_buffer out, archive;
  double sum;
} fixture;

static void close_fixture(void *context) {
  fixture *f = context;
  json_decref(f->array);
  codec_buffer_fini(&f->out);
  codec_buffer_fini(&f->archive);
  free(f);
}

// One random state after another: a predictor must not learn the numbers by heart.
static bool fill_numbers(fixture *f) {
  td_status status = TD_OK;
  for (size_t used = 0, state = 1; used < COUNT && status == TD_OK; state++) {
    bench_robot *r = bench_robot_create(bench_cdm_model(), state);
    if (!r) return false;
    size_t left = COUNT - used, square = (size_t)(r->n * r->n), taken = left < square ? left : square;
    status = td_fd_derivatives(r->model, r->ws, r->q, r->qd, r->u, NULL, r->matrix[0], NULL, NULL);
    memcpy(f->numbers + used, r->matrix[0], taken * sizeof(double));
    used += taken;
    bench_robot_destroy(r);
  }
  return status == TD_OK;
}

static bool write_archive(codec_buffer *b, const double *numbers) {
  td_error err;
  npz_writer *w = codec_npz_writer(b);
  if (!w) return false;
  npz_write_doubles(w, "x", numbers, 1, &(size_t){COUNT});
  return codec_npz_close(w, NULL, &err) == TD_OK;
}

static void *open_fixture(const bench_group *group, char why[BENCH_NOTE_SIZE]) {
  (void)group;
  fixture *f = calloc(1, sizeof *f);
  if (!f) return snprintf(why, BENCH_NOTE_SIZE, "not enough memory"), NULL;
  codec_buffer_init(&f->out, 0);
  codec_buffer_init(&f->archive, 0);
  f->array = json_array();
  bool good = fill_numbers(f) && write_archive(&f->archive, f->numbers);
  for (int i = 0; i < COUNT; i++) {
    f->text[i * TEXT_ROOM + codec_double(f->text + i * TEXT_ROOM, f->numbers[i])] = '\0';
    json_array_append_new(f->array, json_real(f->numbers[i]));
  }
  if (good) return f;
  return close_fixture(f), snprintf(why, BENCH_NOTE_SIZE, "the numbers could not be made"), NULL;
}

// ------------------------------------------------------------------------------------------------------------- calls

static bool print_snprintf(void *context) {
  fixture *f = context;
  char text[TEXT_ROOM];
  for (int i = 0; i < COUNT; i++) f->sum += snprintf(text, sizeof text, "%.17g", f->numbers[i]);
  return true;
}

static bool print_shortest(void *context) {
  fixture *f = context;
  char text[CODEC_DOUBLE_SIZE];
  for (int i = 0; i < COUNT; i++) f->sum += (double)codec_double(text, f->numbers[i]);
  return true;
}

static bool print_jansson(void *context) {
  fixture *f = context;
  return json_dumpb(f->array, f->text, 0, JSON_COMPACT) > 0; // size 0: prints everything, keeps nothing
}

static bool print_array(void *context) {
  fixture *f = context;
  f->out.size = 0;
  codec_buffer_array(&f->out, f->numbers, 1, &(size_t){COUNT});
  return !f->out.failed;
}

static bool read_strtod(void *context) {
  fixture *f = context;
  for (int i = 0; i < COUNT; i++) f->sum += strtod(f->text + i * TEXT_ROOM, NULL);
  return true;
}

static bool read_number(void *context) {
  fixture *f = context;
  for (int i = 0; i < COUNT; i++) {
    const char *text = f->text + i * TEXT_ROOM;
    double x = 0;
    if (codec_number_read(text, text + TEXT_ROOM, &x) == 0) return false;
    f->sum += x;
  }
  return true;
}

static bool npz_write(void *context) {
  fixture *f = context;
  f->out.size = 0;
  return write_archive(&f->out, f->numbers);
}

static bool npz_read_back(void *context) {
  fixture *f = context;
  td_error err;
  npz_archive archive;
  npz_array array;
  const double *values = NULL;
  arena *a = arena_create();
  bool good = a && codec_npz_open(f->archive.data, f->archive.size, a, &archive, &err) == TD_OK &&
              codec_npz_read(&archive, npz_find(&archive, "x"), a, &array, &err) == TD_OK &&
              codec_npz_doubles(&array, "x", a, &values, &err) == TD_OK && values[COUNT - 1] == f->numbers[COUNT - 1];
  arena_destroy(a);
  return good;
}

// -------------------------------------------------------------------------------------------------------------- rows

#define CALL(function, call_function)                                                                                  \
  static void function(void *f, bench_figure *figure) {                                                                \
    bench_measure(&(bench_plan){.clock = BENCH_CPU, .call = call_function, .context = f, .items = COUNT}, figure);     \
    if (!figure->failed) bench_note(figure, "per number");                                                             \
  }
CALL(text_snprintf, print_snprintf)
CALL(text_jansson, print_jansson)
CALL(text_shortest, print_shortest)
CALL(text_array, print_array)
CALL(number_strtod, read_strtod)
CALL(number_own, read_number)
CALL(npz_out, npz_write)
CALL(npz_in, npz_read_back)

static const bench_row rows[] = {
    {"print_snprintf_17g", "ns", text_snprintf, NULL},
    {"print_jansson", "ns", text_jansson, "print_snprintf_17g"},
    {"print_shortest", "ns", text_shortest, "print_snprintf_17g"},
    {"print_array", "ns", text_array, "print_snprintf_17g"},
    {"read_strtod", "ns", number_strtod, NULL},
    {"read_number", "ns", number_own, "read_strtod"},
    {"npz_write", "ns", npz_out, "print_array"},
    {"npz_read", "ns", npz_in, "read_number"},
};

const bench_group bench_codec = {"codec", BENCH_ROWS(rows), open_fixture, close_fixture, 0};

// A stored result as JSON text, made as it is read.
//
// Method: the file is mapped; a cursor (member, element) advances through it and refills a small buffer with the text of some
// thousand elements at a time. The brackets in front of element i follow from the strides that divide i, so that no stack
// of open arrays is kept. Numbers that are not finite are written as null. Invariant: the text is complete JSON after the
// last read, whatever the sizes of the reads.
#include "codec/result.h"

#include "codec/npz.h"
#include "codec/text.h"
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ELEMENTS_PER_CHUNK = 4096 };
static const char summary_name[] = "summary";

typedef enum phase { PHASE_SUMMARY, PHASE_NEXT_ARRAY, PHASE_ELEMENTS, PHASE_END, PHASE_DONE } phase;

struct codec_result {
  void *map;
  size_t size;
  arena *memory;
  npz_archive archive;
  codec_buffer text;
  size_t given; // bytes of text already handed out
  phase phase;
  size_t member, element;
  npz_array array;
  int rank;       // of the brackets: up to the first dimension that is 0
  size_t count;   // elements to write
  size_t written; // arrays so far
  bool broken;
};

// ------------------------------------------------------------------------------------------------ open, close

static codec_result *map_file(int fd, td_error *err) {
  struct stat st;
  codec_result *r = calloc(1, sizeof *r);
  if (!r || !(r->memory = arena_create())) {
    codec_result_close(r);
    return td_fail(err, TD_NO_MEMORY, "", "out of memory"), NULL;
  }
  codec_buffer_init(&r->text, 0);
  if (fstat(fd, &st) == 0 && st.st_size > 0) {
    r->size = (size_t)st.st_size;
    r->map = mmap(NULL, r->size, PROT_READ, MAP_PRIVATE, fd, 0);
  }
  if (!r->map || r->map == MAP_FAILED) {
    r->map = NULL;
    codec_result_close(r);
    return td_fail(err, TD_INTERNAL, "", "the stored result cannot be read"), NULL;
  }
  return r;
}

codec_result *codec_result_open_fd(int fd, td_error *err) {
  codec_result *r = map_file(fd, err);
  if (!r) return NULL;
  if (npz_open(r->map, r->size, r->memory, &r->archive, err) == TD_OK) return r;
  codec_result_close(r);
  if (err) err->status = TD_INTERNAL; // our own file is at fault, not the caller
  return NULL;
}

codec_result *codec_result_open(const char *path, td_error *err) {
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return td_fail(err, TD_INTERNAL, "", "the stored result is missing"), NULL;
  codec_result *r = codec_result_open_fd(fd, err);
  close(fd);
  return r;
}

void codec_result_close(codec_result *r) {
  if (!r) return;
  if (r->map) munmap(r->map, r->size);
  codec_buffer_fini(&r->text);
  arena_destroy(r->memory);
  free(r);
}

static bool load_summary(codec_result *r, npz_array *array) {
  const npz_member *m = npz_find(&r->archive, summary_name);
  return m && npz_read(&r->archive, m, r->memory, array, NULL) == TD_OK && array->item == 1;
}

json_t *codec_result_summary(codec_result *r, td_error *err) {
  npz_array array;
  if (load_summary(r, &array)) return codec_parse((const char *)array.data, array.count, err);
  return td_fail(err, TD_INTERNAL, "", "the stored result has no summary"), NULL;
}

// ------------------------------------------------------------------------------------------------ elements

static void write_integer(codec_buffer *b, long long x) {
  char text[24];
  snprintf(text, sizeof text, "%lld", x);
  codec_buffer_text(b, text);
}

static void write_element(codec_result *r, size_t i) {
  const npz_array *a = &r->array;
  const unsigned char *p = a->data + i * a->item;
  double d;
  float f;
  int32_t i4;
  int64_t i8;
  const char *text;
  if (r->rank < a->rank) { // a dimension is 0
    codec_buffer_text(&r->text, "[]");
    return;
  }
  switch (a->type) {
  case NPZ_F8:
    memcpy(&d, p, sizeof d), codec_buffer_double(&r->text, d);
    break;
  case NPZ_F4:
    memcpy(&f, p, sizeof f), codec_buffer_double(&r->text, (double)f);
    break;
  case NPZ_I4:
    memcpy(&i4, p, sizeof i4), write_integer(&r->text, i4);
    break;
  case NPZ_I8:
    memcpy(&i8, p, sizeof i8), write_integer(&r->text, i8);
    break;
  case NPZ_U1:
    write_integer(&r->text, *p);
    break;
  case NPZ_I1:
    write_integer(&r->text, (signed char)*p);
    break;
  case NPZ_BOOL:
    codec_buffer_text(&r->text, *p ? "true" : "false");
    break;
  default:
    text = npz_string(a, i, r->memory), codec_buffer_string(&r->text, text ? text : "");
    break;
  }
}

// Innermost dimensions whose rows begin at element i.
static int brackets(const codec_result *r, size_t i) {
  int n = 0;
  size_t stride = 1;
  for (int k = r->rank - 1; k >= 0; k--, n++) {
    stride *= r->array.dim[k];
    if (i % stride != 0) break;
  }
  return n;
}

static void repeat(codec_buffer *b, const char *c, int n) {
  while (n-- > 0) codec_buffer_append(b, c, 1);
}

static void write_elements(codec_result *r) {
  size_t end = r->count - r->element > ELEMENTS_PER_CHUNK ? r->element + ELEMENTS_PER_CHUNK : r->count;
  for (size_t i = r->element; i < end; i++) {
    if (i > 0) codec_buffer_text(&r->text, ",");
    repeat(&r->text, "[", brackets(r, i));
    write_element(r, i);
    repeat(&r->text, "]", brackets(r, i + 1));
  }
  r->element = end;
  if (end == r->count) r->phase = PHASE_NEXT_ARRAY;
}

// ------------------------------------------------------------------------------------------------ phases

static void write_summary(codec_result *r) {
  npz_array array;
  codec_buffer_text(&r->text, "{\"summary\":");
  if (load_summary(r, &array))
    codec_buffer_append(&r->text, array.data, array.count);
  else
    codec_buffer_text(&r->text, "{}");
  codec_buffer_text(&r->text, ",\"arrays\":{");
  r->phase = PHASE_NEXT_ARRAY;
}

static void next_array(codec_result *r) {
  if (r->member < r->archive.count && strcmp(r->archive.members[r->member].name, summary_name) == 0) r->member++;
  if (r->member == r->archive.count) {
    r->phase = PHASE_END;
    return;
  }
  const npz_member *m = &r->archive.members[r->member++];
  if (npz_peek(&r->archive, m, r->memory, &r->array, NULL) != TD_OK || r->array.fortran) {
    r->broken = true;
    return;
  }
  if (r->written++ > 0) codec_buffer_text(&r->text, ",");
  codec_buffer_string(&r->text, m->name);
  codec_buffer_text(&r->text, ":");
  r->count = 1;
  for (r->rank = 0; r->rank < r->array.rank && r->array.dim[r->rank] > 0; r->rank++) r->count *= r->array.dim[r->rank];
  r->element = 0;
  r->phase = PHASE_ELEMENTS;
}

static void refill(codec_result *r) {
  r->text.size = r->given = 0;
  while (r->text.size == 0 && r->phase != PHASE_DONE && !r->broken) {
    switch (r->phase) {
    case PHASE_SUMMARY:
      write_summary(r);
      break;
    case PHASE_NEXT_ARRAY:
      next_array(r);
      break;
    case PHASE_ELEMENTS:
      write_elements(r);
      break;
    default:
      codec_buffer_text(&r->text, "}}"), r->phase = PHASE_DONE;
      break;
    }
  }
}

long codec_result_read(codec_result *r, char *out, size_t capacity) {
  if (r->given == r->text.size) refill(r);
  if (r->broken || r->text.failed) return -1;
  size_t n = r->text.size - r->given < capacity ? r->text.size - r->given : capacity;
  memcpy(out, r->text.data + r->given, n);
  r->given += n;
  return (long)n;
}

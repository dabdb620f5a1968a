// Members, rows and parts of a stored result, and its archive form.
//
// Method: the directory of the archive and the head of each member are read, then rows through one window per member,
// whose sizes together are bounded. Rows are the outermost axis that all members share; a member with another one
// comes whole. Times rise, so the bounds of a part are found by bisection.
#include "codec/result/parts.h"

#include "codec/json/text.h"
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
  WINDOWS = 2 << 20,
  WINDOW_MAX = 128 << 10,
  ROW_MAX = 64 << 20,
  SUMMARY_MAX = 256 << 20,
  LIST_MAX = 320,
  APART = 1 << 20
};
static const double ROUNDING = 1e-12; // of times: 3 * 0.1 is not above 0.3

static td_status not_a_result(td_error *err, const char *what) {
  return td_fail(err, TD_INTERNAL, "", "the stored result cannot be read: %s", what);
}

bool codec_result_part_is_whole(const codec_result_part *p) {
  return !p || (!p->fields && isnan(p->from) && isnan(p->to) && p->stride <= 1);
}

// ------------------------------------------------------------------------------------------------ members

static td_status locate(codec_result *r, result_member *m, const npz_member *stored, td_error *err) {
  npz_trouble trouble;
  if (!npz_file_locate(&r->file, &r->archive, stored, &m->array, &m->data, &trouble))
    return codec_npz_fail(err, &trouble), not_a_result(err, err->message);
  if (m->array.fortran) return not_a_result(err, "an array is stored by columns");
  m->name = stored->name;
  m->rows = m->array.rank > 0 ? m->array.dim[0] : 1;
  m->row_bytes = m->rows > 0 ? m->array.count / m->rows * m->array.item : 0;
  m->count = m->rows;
  m->stride = 1;
  m->wanted = true;
  return m->row_bytes <= ROW_MAX ? TD_OK : not_a_result(err, "a row is too large");
}

static result_member *find(codec_result *r, const char *name) {
  for (size_t i = 0; i < r->count; i++)
    if (strcmp(r->members[i].name, name) == 0) return &r->members[i];
  return NULL;
}

// The rows of the file are those of its times, or of its first array.
static void find_rows(codec_result *r) {
  r->summary = find(r, "summary");
  r->time = find(r, "t");
  if (r->summary && (r->summary->array.item != 1 || r->summary->array.rank != 1)) r->summary = NULL;
  if (r->time && (r->time->array.type != NPZ_F8 || r->time->array.rank != 1)) r->time = NULL;
  const result_member *first = r->time;
  for (size_t i = 0; !first && i < r->count; i++)
    if (&r->members[i] != r->summary && r->members[i].array.rank > 0) first = &r->members[i];
  r->rows = first ? first->rows : 0;
  for (size_t i = 0; first && i < r->count; i++) {
    result_member *m = &r->members[i];
    m->has_rows = m != r->summary && m->array.rank > 0 && m->rows == r->rows;
  }
}

static td_status read_members(codec_result *r, td_error *err) {
  npz_trouble trouble;
  if (!npz_file_open(&r->file, codec_npz_memory(r->memory), &r->archive, &trouble))
    return codec_npz_fail(err, &trouble), not_a_result(err, err->message);
  r->members = arena_array(r->memory, r->archive.count, sizeof *r->members);
  if (!r->members) return td_fail(err, TD_NO_MEMORY, "", "out of memory");
  for (; r->count < r->archive.count; r->count++) {
    td_status status = locate(r, &r->members[r->count], &r->archive.members[r->count], err);
    if (status != TD_OK) return status;
  }
  find_rows(r);
  return TD_OK;
}

// ------------------------------------------------------------------------------------------------ a part

// The member that a list of names begins with: the longest, since names may have commas in them. NULL: none of these.
static result_member *named_first(codec_result *r, const char *list, size_t *length) {
  result_member *found = NULL;
  *length = 0;
  for (size_t i = 0; i < r->count; i++) {
    size_t n = strlen(r->members[i].name);
    bool fits = strncmp(list, r->members[i].name, n) == 0 && (list[n] == '\0' || list[n] == ',');
    if (fits && n > *length) found = &r->members[i], *length = n;
  }
  return found;
}

static td_status no_such_field(const codec_result *r, const char *list, td_error *err) {
  char names[LIST_MAX] = "";
  size_t used = 0;
  for (size_t i = 0; i < r->count && used < sizeof names; i++)
    used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : "", r->members[i].name);
  if (used >= sizeof names) strcpy(names + sizeof names - 4, "…"); // three bytes in UTF-8
  return td_fail(err, TD_INVALID_ARGUMENT, "", "the result has no field \"%.*s\", only %s",
                 (int)(strcspn(list, ",") < 80 ? strcspn(list, ",") : 80), list, names);
}

static td_status choose_fields(codec_result *r, const char *list, td_error *err) {
  for (size_t i = 0; i < r->count; i++) r->members[i].wanted = false;
  if (r->time) r->time->wanted = true;
  if (r->summary) r->summary->wanted = true;
  for (size_t length;; list += length + 1) {
    result_member *m = named_first(r, list, &length);
    if (!m) return no_such_field(r, list, err);
    m->wanted = true;
    if (list[length] == '\0') return TD_OK;
  }
}

static double time_of(codec_result *r, size_t row) {
  double t = (double)row;
  if (r->time && !npz_file_read(&r->file, r->time->data + row * sizeof t, &t, sizeof t)) r->broken = true;
  return t;
}

// How many rows lie before `bound`, or, with `inclusive`, at most at it.
static size_t rows_below(codec_result *r, double bound, bool inclusive) {
  size_t low = 0, high = r->rows;
  double slack = ROUNDING * fmax(fabs(bound), 1);
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    double t = time_of(r, middle);
    if (inclusive ? t <= bound + slack : t < bound - slack)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static td_status choose_rows(codec_result *r, const codec_result_part *p, td_error *err) {
  uint64_t stride = p->stride == 0 ? 1 : p->stride > r->rows ? r->rows + 1 : p->stride;
  size_t first = isnan(p->from) ? 0 : rows_below(r, p->from, false);
  size_t end = isnan(p->to) ? r->rows : rows_below(r, p->to, true);
  size_t count = first < end ? (size_t)((end - first - 1) / stride + 1) : 0;
  for (size_t i = 0; i < r->count; i++) {
    result_member *m = &r->members[i];
    if (m->has_rows) m->first = first, m->count = count, m->stride = stride;
  }
  return r->broken ? not_a_result(err, "it cannot be read from the disk") : TD_OK;
}

static td_status choose(codec_result *r, const codec_result_part *p, td_error *err) {
  td_status status = p->fields ? choose_fields(r, p->fields, err) : TD_OK;
  return status == TD_OK ? choose_rows(r, p, err) : status;
}

// ------------------------------------------------------------------------------------------------ open, close

// What is wanted of a member, by stretches that have little else in them.
static bool bring_member(codec_result *r, const result_member *m) {
  size_t step = m->stride * m->row_bytes, count = m->count;
  bool apart = step > APART, good = true;
  if (!m->wanted || count == 0 || m->row_bytes == 0) return true;
  for (size_t k = 0; good && k < (apart ? count : 1); k++)
    good = r->file.bring(r->file.context, m->data + m->first * m->row_bytes + k * step,
                         (apart ? 0 : (count - 1) * step) + m->row_bytes);
  return good;
}

// All that is read later, which may be where nothing may be waited for.
static td_status bring(codec_result *r, td_error *err) {
  for (size_t i = 0; r->file.bring && i < r->count; i++)
    if (!bring_member(r, &r->members[i])) return not_a_result(err, "what it has cannot be fetched");
  r->file.bring = NULL;
  return TD_OK;
}

static td_status open_file(codec_result *r, const npz_file *file, td_error *err) {
  r->memory = arena_create();
  r->file = *file;
  r->file.fd = fcntl(file->fd, F_DUPFD_CLOEXEC, 0);
  codec_buffer_init(&r->text, 0);
  if (!r->memory || r->file.fd < 0) return td_fail(err, TD_NO_MEMORY, "", "memory or descriptors are short");
  return read_members(r, err);
}

codec_result *codec_result_open(int fd, const codec_result_part *part, td_error *err) {
  return codec_result_open_file(&(npz_file){.fd = fd}, part, err);
}

codec_result *codec_result_open_file(const npz_file *file, const codec_result_part *part, td_error *err) {
  codec_result *r = calloc(1, sizeof *r);
  *err = (td_error){.status = TD_OK};
  if (!r) return td_fail(err, TD_NO_MEMORY, "", "out of memory"), NULL;
  td_status status = open_file(r, file, err);
  if (status == TD_OK && part) status = choose(r, part, err);
  if (status == TD_OK) status = bring(r, err);
  if (status == TD_OK) return r;
  codec_result_close(r);
  return NULL;
}

void codec_result_close(codec_result *r) {
  if (!r) return;
  if (r->file.fd >= 0) close(r->file.fd);
  for (size_t i = 0; i < r->count; i++) free(r->members[i].window);
  codec_buffer_fini(&r->text);
  arena_destroy(r->memory);
  free(r);
}

long codec_result_read(codec_result *r, char *out, size_t capacity) {
  if (r->given == r->text.size) {
    r->text.size = r->given = 0;
    r->refill(r);
  }
  if (r->broken || r->text.failed) return -1;
  size_t n = r->text.size - r->given < capacity ? r->text.size - r->given : capacity;
  if (n > 0) memcpy(out, r->text.data + r->given, n);
  r->given += n;
  return (long)n;
}

// ------------------------------------------------------------------------------------------------ rows

// As many rows as fit a window; one at a time where most of a window would be skipped.
static bool make_window(codec_result *r, result_member *m) {
  size_t share = WINDOWS / r->count < WINDOW_MAX ? WINDOWS / r->count : WINDOW_MAX;
  m->window_rows = m->row_bytes > 0 && m->stride * m->row_bytes < share ? share / m->row_bytes : 1;
  m->window = malloc(m->window_rows * m->row_bytes + 1);
  return m->window != NULL;
}

static bool load(codec_result *r, result_member *m, size_t row) {
  if (!m->window && !make_window(r, m)) return false;
  m->held = row;
  m->held_count = m->rows - row < m->window_rows ? m->rows - row : m->window_rows;
  return npz_file_read(&r->file, m->data + row * m->row_bytes, m->window, m->held_count * m->row_bytes);
}

const unsigned char *result_row(codec_result *r, result_member *m, size_t k) {
  size_t row = m->first + k * m->stride;
  bool held = m->held_count > 0 && row >= m->held && row < m->held + m->held_count;
  if (!held && !load(r, m, row)) {
    m->held_count = 0;
    r->broken = true;
    return NULL;
  }
  return m->window + (row - m->held) * m->row_bytes;
}

bool result_shows(const codec_result *r, const result_member *m) { return m->wanted && m != r->summary; }

size_t result_summary_bytes(codec_result *r, size_t at, void *bytes, size_t size) {
  size_t left = r->summary ? r->summary->array.count - at : 0, n = left < size ? left : size;
  if (n > 0 && !npz_file_read(&r->file, r->summary->data + at, bytes, n)) r->broken = true;
  return r->broken ? 0 : n;
}

json_t *codec_result_summary(codec_result *r, td_error *err) {
  size_t size = r->summary ? r->summary->array.count : 0;
  char *text = size > 0 && size <= SUMMARY_MAX ? malloc(size) : NULL;
  json_t *summary = text && result_summary_bytes(r, 0, text, size) == size ? codec_parse(text, size, err) : NULL;
  free(text);
  if (!summary) (void)!not_a_result(err, "it has no summary");
  return summary;
}

bool codec_result_intact(codec_result *r) {
  size_t good = 0;
  while (good < r->archive.count && npz_file_check(&r->file, &r->archive, &r->archive.members[good])) good++;
  return good == r->archive.count;
}

// ------------------------------------------------------------------------------------------------ as an archive

static void write_member(codec_result *r, result_member *m, npz_writer *w) {
  size_t dim[NPZ_MAX_RANK];
  memcpy(dim, m->array.dim, sizeof dim);
  if (m->array.rank > 0) dim[0] = m->count;
  npz_write_begin(w, m->name, m->array.type, m->array.item, m->array.rank, dim);
  for (size_t k = 0; k < m->count && m->row_bytes > 0; k++) {
    const unsigned char *row = result_row(r, m, k);
    if (!row) return;
    npz_write_data(w, row, m->row_bytes);
  }
  npz_write_end(w);
}

td_status codec_result_write_npz(codec_result *r, int fd, uint64_t *size, td_error *err) {
  npz_writer *w = npz_writer_to_fd(fd);
  if (!w) return td_fail(err, TD_NO_MEMORY, "", "out of memory");
  for (size_t i = 0; i < r->count && !r->broken; i++)
    if (r->members[i].wanted) write_member(r, &r->members[i], w);
  if (!r->broken) return codec_npz_close(w, size, err);
  npz_writer_abandon(w);
  return not_a_result(err, "it cannot be read from the disk");
}

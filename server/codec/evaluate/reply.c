// Replies of evaluate, JSON and NPZ, from blocks laid out by td_quantity_members.
//
// Method: one block per wanted quantity, [states][doubles of one state], so that a quantity that is one array goes
// into NPZ as it lies; the members of the others are picked out by stride. Invariant: the rows of a failed state are
// NaN.
#include "codec/evaluate/evaluate.h"
#include "codec/wire/archive.h"
#include "codec/wire/warnings.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static td_status no_memory(td_error *err) { return td_fail(err, TD_NO_MEMORY, "", "out of memory for the reply"); }

static td_status layout(codec_reply *reply, int w, td_error *err) {
  assert(w < TD_QUANTITY_LIMIT);
  int quantity = reply->want[w];
  size_t np = reply->by.set ? reply->by.set->count : 0;
  int count = codec_quantity_members(reply->model, np, quantity, NULL, 0, &reply->total[w]);
  if (count < 0) return td_fail(err, TD_INTERNAL, "", "no layout for %s", codec_quantity_name(quantity));
  reply->members[w] = arena_array(reply->memory, (size_t)count, sizeof *reply->members[w]);
  if (!reply->members[w]) return no_memory(err);
  reply->member_count[w] =
      codec_quantity_members(reply->model, np, quantity, reply->members[w], count, &reply->total[w]);
  return TD_OK;
}

static void add_warnings(codec_reply *reply, const char *prefix, const td_warnings *from) {
  if (!reply->warnings) reply->warnings = arena_array(reply->memory, 1, sizeof *reply->warnings);
  td_warnings_append(reply->warnings, prefix, from); // without memory nothing is said
}

td_status codec_reply_init(codec_reply *reply, const td_model *model, const codec_by *by, const int *want,
                           int want_count, size_t state_count, arena *a, size_t limit, td_error *err) {
  *reply = (codec_reply){
      .model = model, .by = *by, .want = want, .want_count = want_count, .state_count = state_count, .memory = a};
  if (td_model_warnings(model)->count > 0) add_warnings(reply, "", td_model_warnings(model));
  size_t row = 1;
  for (int w = 0; w < want_count; w++) {
    td_status status = layout(reply, w, err);
    if (status != TD_OK) return status;
    row += reply->total[w];
  }
  if (limit > 0 && state_count > limit / sizeof(double) / row)
    return td_fail(err, TD_LIMIT, "", "the reply, %zu states of %zu numbers, would be larger than %zu bytes",
                   state_count, row - 1, limit);
  if (state_count * row > budget_most(BUDGET_EVALUATIONS) / sizeof(double))
    return td_fail(err, TD_LIMIT, "",
                   "the reply, %zu states of %zu numbers, is larger than this server can hold (memory)", state_count,
                   row - 1);
  reply->failures = arena_array(a, state_count, sizeof *reply->failures);
  if (!reply->failures) return no_memory(err);
  for (int w = 0; w < want_count; w++) {
    reply->block[w] = arena_array(a, state_count * reply->total[w], sizeof(double));
    if (!reply->block[w]) return no_memory(err);
  }
  return TD_OK;
}

void codec_reply_blocks(const codec_reply *reply, size_t i, double *out[TD_QUANTITY_LIMIT]) {
  assert(i < reply->state_count);
  for (int w = 0; w < reply->want_count; w++) out[w] = reply->block[w] + i * reply->total[w];
}

// td_evaluate names the quantity in its pointer ("/fd", "/fd/arm") or as the first word of its message.
static const char *quantity_of(const td_error *err) {
  const char *from = err->pointer[0] == '/' ? err->pointer + 1 : err->message;
  char name[64];
  size_t n = strcspn(from, "/: ");
  if (n == 0 || n >= sizeof name) return NULL;
  memcpy(name, from, n);
  name[n] = '\0';
  int quantity = codec_quantity_find(name);
  return quantity < 0 ? NULL : codec_quantity_name(quantity);
}

// The link behind the quantity, when the engine could say it.
static const char *link_of(const codec_reply *reply, const td_error *err, const char *quantity) {
  const char *rest = quantity && err->pointer[0] == '/' ? err->pointer + 1 + strlen(quantity) : "";
  int link = *rest == '/' ? td_model_link_find(reply->model, rest + 1) : -1;
  return link < 0 ? NULL : td_model_link_name(reply->model, link);
}

void codec_reply_warn(codec_reply *reply, size_t i, const td_warnings *found) {
  assert(i < reply->state_count && found->count > 0);
  char prefix[40] = "";
  if (!reply->alone) snprintf(prefix, sizeof prefix, "/states/%zu", i);
  add_warnings(reply, prefix, found);
}

void codec_reply_forget(codec_reply *reply) {
  if (reply->warnings) reply->warnings->count = reply->warnings->dropped = 0;
}

void codec_reply_fail(codec_reply *reply, size_t i, const td_error *err) {
  assert(i < reply->state_count);
  const char *quantity = quantity_of(err);
  reply->failures[i] = (codec_failure){.status = err->status != TD_OK ? err->status : TD_INTERNAL,
                                       .quantity = quantity,
                                       .link = link_of(reply, err, quantity),
                                       .detail = arena_strdup(reply->memory, err->message)};
  for (int w = 0; w < reply->want_count; w++) {
    double *row = reply->block[w] + i * reply->total[w];
    for (size_t k = 0; k < reply->total[w]; k++) row[k] = NAN;
  }
}

// ------------------------------------------------------------------------------------------------ JSON

static void dims(const td_member *m, size_t dim[TD_MEMBER_RANK]) {
  for (int k = 0; k < m->rank; k++) dim[k] = (size_t)m->dim[k];
}

static void write_member(codec_buffer *b, const td_member *m, const double *block) {
  size_t dim[TD_MEMBER_RANK];
  dims(m, dim);
  codec_buffer_array(b, block + m->offset, m->rank, dim);
}

static void write_quantity(const codec_reply *reply, int w, size_t i, codec_buffer *b) {
  const td_member *m = reply->members[w];
  const double *block = reply->block[w] + i * reply->total[w];
  int count = reply->member_count[w];
  codec_buffer_string(b, codec_quantity_name(reply->want[w]));
  codec_buffer_text(b, ":");
  if (count == 1 && !m->name) {
    write_member(b, m, block);
    return;
  }
  codec_buffer_text(b, "{");
  for (int k = 0; k < count; k++) {
    if (k > 0) codec_buffer_text(b, ",");
    codec_buffer_string(b, m[k].name);
    codec_buffer_text(b, ":");
    write_member(b, &m[k], block);
  }
  codec_buffer_text(b, "}");
}

static void write_text_or_null(codec_buffer *b, const char *key, const char *text) {
  codec_buffer_text(b, key);
  if (text)
    codec_buffer_string(b, text);
  else
    codec_buffer_text(b, "null");
}

static void write_failure(const codec_failure *f, codec_buffer *b) {
  write_text_or_null(b, "{\"error\":{\"code\":", td_status_name(f->status));
  write_text_or_null(b, ",\"detail\":", f->detail ? f->detail : "");
  write_text_or_null(b, ",\"link\":", f->link);
  write_text_or_null(b, ",\"quantity\":", f->quantity);
  codec_buffer_text(b, "}}");
}

static void write_state(const codec_reply *reply, size_t i, codec_buffer *b) {
  if (reply->failures[i].status != TD_OK) {
    write_failure(&reply->failures[i], b);
    return;
  }
  for (int w = 0; w < reply->want_count; w++) {
    codec_buffer_text(b, w == 0 ? "{" : ",");
    write_quantity(reply, w, i, b);
  }
  codec_buffer_text(b, "}");
}

const char *codec_reply_way(const codec_reply *reply, size_t i) {
  assert(i < reply->by.set->count);
  return td_parameters_affine(reply->by.parameters, i) ? "affine" : "differences";
}

static void write_parameter(const codec_reply *reply, size_t i, codec_buffer *b) {
  char name[TD_POINTER_SIZE];
  const char *closing = "";
  codec_parameter_name(reply->by.list, reply->by.set, i, name);
  codec_buffer_text(b, i == 0 ? "{\"name\":" : ",{\"name\":");
  codec_buffer_string(b, name);
  codec_buffer_text(b, ",\"path\":");
  codec_buffer_string(b, reply->by.set->number[i].name);
  for (size_t k = 0, also = 0; k < reply->by.set->twin_count; k++) {
    if (reply->by.set->twin[k].number != i) continue;
    codec_buffer_text(b, also++ == 0 ? ",\"also\":[" : ",");
    codec_buffer_string(b, reply->by.set->twin[k].name);
    closing = "]";
  }
  codec_buffer_text(b, closing);
  codec_buffer_text(b, ",\"way\":");
  codec_buffer_string(b, codec_reply_way(reply, i));
  codec_buffer_text(b, "}");
}

// What the columns of derivatives by parameters are by; a request without parameters has no such member.
static void write_parameters(const codec_reply *reply, codec_buffer *b) {
  if (!reply->by.list || reply->by.list->count == 0) return;
  codec_buffer_text(b, ",\"parameters\":[");
  for (size_t i = 0; i < reply->by.set->count && !b->failed; i++) write_parameter(reply, i, b);
  codec_buffer_text(b, "]");
}

static bool wants_touches(const codec_reply *reply) {
  bool any = false;
  for (int w = 0; w < reply->want_count; w++)
    any = any || !strncmp(codec_quantity_name(reply->want[w]), "contact", strlen("contact"));
  return any;
}

const char **codec_reply_touches(const codec_reply *reply, size_t *count) {
  size_t rows = wants_touches(reply) ? (size_t)td_contact_row_count(reply->model) : 0;
  const char **names = rows ? arena_array(reply->memory, rows, sizeof *names) : NULL;
  *count = 0;
  for (size_t i = 0; names && i < rows; i++) {
    char name[TD_CONTACT_ROW_NAME];
    td_contact_row_name(reply->model, (int)i, name);
    if (!(names[i] = arena_strdup(reply->memory, name))) return NULL;
  }
  if (names) *count = rows;
  return names;
}

static void write_touches(const codec_reply *reply, codec_buffer *b) {
  size_t count;
  const char **names = codec_reply_touches(reply, &count);
  for (size_t i = 0; i < count && !b->failed; i++) {
    codec_buffer_text(b, i == 0 ? ",\"touches\":[" : ",");
    codec_buffer_string(b, names[i]);
  }
  codec_buffer_text(b, count ? "]" : "");
}

void codec_reply_begin_json(const codec_reply *reply, codec_buffer *b) {
  char head[48];
  snprintf(head, sizeof head, "{\"ndof\":%d", td_model_ndof(reply->model));
  codec_buffer_text(b, head);
  write_parameters(reply, b);
  write_touches(reply, b);
  codec_buffer_text(b, ",\"states\":[");
}

void codec_reply_write_states(const codec_reply *reply, size_t first, size_t last, codec_buffer *b) {
  assert(first <= last && last <= reply->state_count);
  for (size_t i = first; i < last && !b->failed; i++) {
    if (i > 0) codec_buffer_text(b, ",");
    write_state(reply, i, b);
  }
}

void codec_reply_end_json(const codec_reply *reply, codec_buffer *b) {
  char *warnings = reply->warnings ? codec_warnings_text(reply->warnings) : NULL;
  codec_buffer_text(b, "]");
  if (warnings) codec_buffer_text(b, ",\"warnings\":"), codec_buffer_text(b, warnings);
  codec_buffer_text(b, "}");
  free(warnings);
}

void codec_reply_write_json(const codec_reply *reply, codec_buffer *b) {
  codec_reply_begin_json(reply, b);
  codec_reply_write_states(reply, 0, reply->state_count, b);
  codec_reply_end_json(reply, b);
}

// ------------------------------------------------------------------------------------------------ NPZ

static void write_arrays(const codec_reply *reply, int w, npz_writer *out) {
  const char *quantity = codec_quantity_name(reply->want[w]);
  for (int k = 0; k < reply->member_count[w]; k++) {
    const td_member *m = &reply->members[w][k];
    char name[NPZ_MAX_NAME + 1];
    size_t dim[TD_MEMBER_RANK];
    dims(m, dim);
    snprintf(name, sizeof name, "%s%s%s", quantity, m->name ? "/" : "", m->name ? m->name : "");
    npz_write_rows(out, name, reply->block[w] + m->offset, reply->state_count, reply->total[w], m->rank, dim);
  }
}

// "" for a state that has its answer, "singular: the mass matrix …" otherwise.
static bool write_errors(const codec_reply *reply, npz_writer *out) {
  bool any = false;
  for (size_t i = 0; i < reply->state_count && !any; i++) any = reply->failures[i].status != TD_OK;
  if (!any) return true;
  const char **texts = arena_array(reply->memory, reply->state_count, sizeof *texts);
  if (!texts) return false;
  for (size_t i = 0; i < reply->state_count; i++) {
    const codec_failure *f = &reply->failures[i];
    texts[i] = "";
    if (f->status == TD_OK) continue;
    char text[TD_MESSAGE_SIZE + 64];
    snprintf(text, sizeof text, "%s: %s", td_status_name(f->status), f->detail ? f->detail : "");
    if (!(texts[i] = arena_strdup(reply->memory, text))) return false;
  }
  npz_write_strings(out, "error", texts, reply->state_count);
  return true;
}

// The places of a parameter, one a line.
static const char *lines_of(const codec_reply *reply, size_t i) {
  const parameter_set *set = reply->by.set;
  size_t size = strlen(set->number[i].name) + 1;
  for (size_t k = 0; k < set->twin_count; k++)
    if (set->twin[k].number == i) size += strlen(set->twin[k].name) + 1;
  char *text = arena_array(reply->memory, size, 1);
  if (!text) return NULL;
  size_t at = (size_t)snprintf(text, size, "%s", set->number[i].name);
  for (size_t k = 0; k < set->twin_count; k++)
    if (set->twin[k].number == i) at += (size_t)snprintf(text + at, size - at, "\n%s", set->twin[k].name);
  return text;
}

// Names of parameters, their places, and which way they went: three arrays of strings.
static bool write_parameter_names(const codec_reply *reply, npz_writer *out) {
  if (!reply->by.list || reply->by.list->count == 0) return true;
  size_t np = reply->by.set->count;
  const char **names = arena_array(reply->memory, np, sizeof *names), **paths = NULL, **ways = NULL;
  if (names) paths = arena_array(reply->memory, np, sizeof *paths);
  if (paths) ways = arena_array(reply->memory, np, sizeof *ways);
  if (!ways) return false;
  for (size_t i = 0; i < np; i++) {
    char name[TD_POINTER_SIZE];
    codec_parameter_name(reply->by.list, reply->by.set, i, name);
    if (!(names[i] = arena_strdup(reply->memory, name))) return false;
    if (!(paths[i] = lines_of(reply, i))) return false;
    ways[i] = codec_reply_way(reply, i);
  }
  npz_write_strings(out, "parameters", names, np);
  npz_write_strings(out, "parameter_paths", paths, np);
  npz_write_strings(out, "parameter_ways", ways, np);
  return true;
}

static void write_touch_names(const codec_reply *reply, npz_writer *out) {
  size_t count;
  const char **names = codec_reply_touches(reply, &count);
  if (count) npz_write_strings(out, "touches", names, count);
}

// The warnings as JSON text; a reply without any has no such member.
static void write_warnings(const codec_reply *reply, npz_writer *out) {
  char *text = reply->warnings ? codec_warnings_text(reply->warnings) : NULL;
  if (text) npz_write_bytes(out, "warnings", text, strlen(text));
  free(text);
}

static size_t reply_bytes(const codec_reply *reply) {
  size_t bytes = 4096;
  for (int w = 0; w < reply->want_count; w++)
    bytes += reply->state_count * reply->total[w] * sizeof(double) + (size_t)reply->member_count[w] * 768;
  return bytes;
}

td_status codec_reply_write_npz(const codec_reply *reply, codec_buffer *buffer, td_error *err) {
  codec_buffer_reserve(buffer, reply_bytes(reply)); // once, instead of by doubling
  npz_writer *out = codec_npz_writer(buffer);
  if (!out) return no_memory(err);
  for (int w = 0; w < reply->want_count; w++) write_arrays(reply, w, out);
  if (!write_errors(reply, out) || !write_parameter_names(reply, out)) return npz_writer_abandon(out), no_memory(err);
  write_touch_names(reply, out);
  write_warnings(reply, out);
  return codec_npz_close(out, NULL, err);
}

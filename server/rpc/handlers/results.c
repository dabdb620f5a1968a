// Jobs.GetResult: a file in pieces, each read when the one before was taken. Where the bytes are elsewhere, those of the
// next pieces are fetched then.
#include "service/results/results.h"
#include "base/limits.h"
#include "base/log/metrics.h"
#include "rpc/methods.h"
#include "tendril/v1/jobs.pb-c.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
  PIECE = (1 << 20) - 256, // with its frame at most 1 MiB
  AHEAD = 8 << 20          // is fetched at a time
};

typedef struct sending {
  result_file file;   // NPZ
  codec_result *text; // the other forms
  uint64_t offset, brought;
  uint8_t *piece; // [PIECE]
} sending;

// The request in the words of the query string.
typedef struct words {
  char *fields, from[32], to[32], stride[24];
  result_query query;
} words;

static bool join_fields(const Tendril__V1__ResultRequest *m, words *w, fault *f) {
  size_t size = 1;
  for (size_t i = 0; i < m->n_fields; i++) {
    if (!*m->fields[i] || strchr(m->fields[i], ','))
      return fault_set(f, PROBLEM_INVALID_ARGUMENT, "/fields", "\"%.80s\" is not the name of a field", m->fields[i]);
    size += strlen(m->fields[i]) + 1;
  }
  w->fields = malloc(size);
  if (!w->fields) return fault_set(f, PROBLEM_UNAVAILABLE, NULL, "not enough memory");
  char *at = w->fields;
  for (size_t i = 0; i < m->n_fields; i++) at += sprintf(at, "%s%s", i ? "," : "", m->fields[i]);
  *at = '\0';
  return true;
}

static bool read_words(const Tendril__V1__ResultRequest *m, words *w, fault *f) {
  if (!join_fields(m, w, f)) return false;
  snprintf(w->from, sizeof w->from, "%.17g", m->begin);
  snprintf(w->to, sizeof w->to, "%.17g", m->end);
  snprintf(w->stride, sizeof w->stride, "%llu", (unsigned long long)m->stride);
  w->query = (result_query){
      .fields = m->n_fields > 0 ? w->fields : NULL,
      .from = m->lower_case == TENDRIL__V1__RESULT_REQUEST__LOWER_BEGIN ? w->from : NULL,
      .to = m->upper_case == TENDRIL__V1__RESULT_REQUEST__UPPER_END ? w->to : NULL,
      .stride = m->stride > 0 ? w->stride : NULL,
      .partial = m->partial ? "1" : NULL,
  };
  return true;
}

static bool open_form(service *s, const codec_result_part *part, media form, sending *out, fault *f) {
  if (form == MEDIA_NPZ) return codec_result_part_is_whole(part) || results_cut(s, part, &out->file, f);
  out->text = results_read(part, form, &out->file, f); // closes the file
  return out->text != NULL;
}

static bool open_result(rpc_call *c, const Tendril__V1__ResultRequest *m, sending *out, fault *f) {
  static const media forms[] = {MEDIA_NPZ, MEDIA_JSON, MEDIA_CSV};
  codec_result_part part;
  words w = {.fields = NULL};
  service *s = rpc_service(c);
  bool done = (m->format >= 0 && (size_t)m->format < sizeof forms / sizeof *forms) ||
              fault_set(f, PROBLEM_INVALID_ARGUMENT, "/format", "%d is not a format", (int)m->format);
  done = done && read_words(m, &w, f) && results_part(&w.query, &part, f) &&
         results_open(s, rpc_caller(c), m->id, &w.query, &out->file, f) &&
         open_form(s, &part, forms[m->format], out, f);
  free(w.fields);
  return done;
}

static bool begin(rpc_call *c, const Tendril__V1__ResultRequest *m, fault *f) {
  if (!rpc_seat(c, rpc_service(c)->results, "results being sent", "results-per-caller", f)) return false;
  sending *out = calloc(1, sizeof *out);
  if (!out) return fault_set(f, PROBLEM_UNAVAILABLE, NULL, "not enough memory");
  out->file.fd = -1;
  rpc_set_state(c, out);
  out->piece = malloc(PIECE);
  if (!out->piece) return fault_set(f, PROBLEM_UNAVAILABLE, NULL, "not enough memory");
  return open_result(c, m, out, f);
}

// -1 with a fault.
static long read_piece(sending *out, fault *f) {
  fault_set(f, PROBLEM_INTERNAL, NULL, "the result cannot be read any more");
  if (out->text) return codec_result_read(out->text, (char *)out->piece, PIECE);
  if (out->offset + PIECE > out->brought) {
    if (!results_bring(&out->file, (int64_t)out->brought, AHEAD, f)) return -1;
    out->brought += AHEAD;
  }
  return pread(out->file.fd, out->piece, PIECE, (off_t)out->offset);
}

static void send_piece(rpc_call *c, sending *out) {
  fault f;
  long size = read_piece(out, &f);
  bool short_file = size == 0 && !out->text && out->offset < (uint64_t)out->file.size;
  if (size < 0 || short_file)
    rpc_fail(c, &f);
  else if (size == 0)
    rpc_finish(c);
  else {
    Tendril__V1__ResultChunk chunk = TENDRIL__V1__RESULT_CHUNK__INIT;
    chunk.data = (ProtobufCBinaryData){.len = (size_t)size, .data = out->piece};
    chunk.offset = out->offset;
    chunk.size = out->text ? 0 : (uint64_t)out->file.size;
    out->offset += (uint64_t)size;
    rpc_send(c, &chunk.base);
  }
}

void rpc_jobs_result(rpc_call *c, const ProtobufCMessage *message) {
  fault f;
  if (!rpc_state(c) && !begin(c, (const void *)message, &f))
    rpc_fail(c, &f);
  else
    send_piece(c, rpc_state(c));
}

void rpc_jobs_result_end(rpc_call *c) {
  sending *out = rpc_state(c);
  if (!out) return;
  results_close(&out->file);
  if (out->text) codec_result_close(out->text);
  free(out->piece);
  free(out);
  rpc_set_state(c, NULL);
}

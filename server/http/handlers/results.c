// Results over HTTP: the archive as it is stored, a part of it, or text made while it is sent (before, when a Range of
// it is wanted: only then is its length known).
#include "service/results/results.h"
#include "http/routes.h"

#include <string.h>
#include <unistd.h>

static bool bring_asked(exchange *x, result_file *file, const char *tag, fault *f) {
  int64_t first, count;
  reply_file_needs(x, file->size, tag, &first, &count);
  return results_bring(file, first, count, f);
}

static void reply_archive(exchange *x, const codec_result_part *part, result_file *file, const char *tag) {
  fault f;
  bool stored = codec_result_part_is_whole(part);
  if (stored ? bring_asked(x, file, tag, &f) : results_cut(x->service, part, file, &f)) {
    reply_file(x, "application/x-npz", results_hand_over(file), file->size, tag);
    return;
  }
  results_close(file);
  reply_fault(x, &f);
}

static void reply_text(exchange *x, const codec_result_part *part, result_file *file, const char *tag) {
  fault f;
  const char *type = x->out == MEDIA_CSV ? "text/csv" : "application/json";
  codec_result *result = results_read(part, x->out, file, &f);
  if (result && !exchange_header(x, MHD_HTTP_HEADER_RANGE)) {
    reply_result(x, type, result, tag);
    return;
  }
  bool spooled = result && results_spool(x->service, result, file, &f);
  if (spooled)
    reply_file(x, type, file->fd, file->size, tag);
  else
    reply_fault(x, &f);
}

// What is made for one reader, in a temporary file or while it is sent, has fewer places than files that are there.
static bool take_seat(exchange *x, const codec_result_part *part, const result_query *query) {
  if (x->out == MEDIA_NPZ && codec_result_part_is_whole(part) && !query->partial)
    return reply_seat(x, x->service->downloads, "downloads", "downloads-per-caller");
  return reply_seat(x, x->service->results, "results being sent", "results-per-caller");
}

static void reply_part(exchange *x, const codec_result_part *part, result_file *file, const char *tag) {
  if (reply_if_unchanged(x, tag))
    results_close(file);
  else
    (x->out == MEDIA_NPZ ? reply_archive : reply_text)(x, part, file, tag);
}

void handle_jobs_result(exchange *x) {
  fault f;
  result_file file;
  codec_result_part part;
  char tag[RESULT_TAG_SIZE];
  result_query query = {.fields = exchange_query(x, "fields"),
                        .from = exchange_query(x, "from"),
                        .to = exchange_query(x, "to"),
                        .stride = exchange_query(x, "stride"),
                        .partial = exchange_query(x, "partial")};
  if (!results_part(&query, &part, &f)) {
    reply_fault(x, &f);
    return;
  }
  if (!take_seat(x, &part, &query)) return; // before anything is made
  if (!results_open(x->service, &x->caller, x->parameter[0], &query, &file, &f)) {
    reply_fault(x, &f);
    return;
  }
  results_tag(&file, &query, x->out, tag);
  reply_part(x, &part, &file, tag);
  reply_header(x, MHD_HTTP_HEADER_VARY, MHD_HTTP_HEADER_ACCEPT);
}

// A stored result (an archive of a run), or a part of it, in the three forms that clients get.
//
// The file is read row by row through small windows: a result of 1 GB is served in constant memory, whatever the form.
#ifndef TENDRIL_CODEC_RESULT_RESULT_H
#define TENDRIL_CODEC_RESULT_RESULT_H

#include "codec/wire/archive.h"
#include "tendril/status.h"
#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

typedef struct codec_result codec_result;

/// What is wanted of a result. Rows are samples (dynamics) or problems (statics).
typedef struct codec_result_part {
  const char
      *fields;     ///< names of members between commas; NULL: all. The times `t` and `summary` come along in any case
  double from, to; ///< bounds of t (of the number of the problem, from 0, where there is none), inclusive; NaN: none
  uint64_t stride; ///< of the rows between them the first and then every stride-th; 0 as 1
} codec_result_part;

/// True when that is all of a result.
bool codec_result_part_is_whole(const codec_result_part *part);

/// Opens a part (NULL: all) of a result file; the caller may close `fd` then. `err` must not be NULL:
/// TD_INVALID_ARGUMENT when the part cannot be had (a field that is not there; the message lists those that are),
/// TD_INTERNAL when the file is not a result.
codec_result *codec_result_open(int fd, const codec_result_part *part, td_error *err);
/// The same of a file that may have holes: what it takes to find the part, and all of the part, is brought before it
/// returns, and nothing later.
codec_result *codec_result_open_file(const npz_file *file, const codec_result_part *part, td_error *err);
void codec_result_close(codec_result *result);
/// The member `summary` parsed, a new reference; NULL with `err`.
json_t *codec_result_summary(codec_result *result, td_error *err);

/// True when every member of the file has its checksum.
bool codec_result_intact(codec_result *result);

// A result is read once, in one of these forms.

/// {"summary": {…}, "arrays": {"t": […], "q": [[…]], …}}; numbers that are not finite are null.
void codec_result_as_json(codec_result *result);
/// A head line and one line per row, ended by a line feed: t (or index), then one column per number: q.<coordinate>,
/// u.<channel>, energy.kinetic, poses as the 12 numbers of [R p] by rows. Needs the summary for names. False with
/// `err`.
bool codec_result_as_csv(codec_result *result, td_error *err);
/// Writes at most `capacity` bytes of that text; returns how many, 0 at the end, -1 when the file cannot be read any
/// more.
long codec_result_read(codec_result *result, char *out, size_t capacity);

/// An archive of the part, to an empty seekable file.
TD_NODISCARD td_status codec_result_write_npz(codec_result *result, int fd, uint64_t *size, td_error *err);

#endif

// A stored result (result.npz) as JSON text: {"summary": {…}, "arrays": {"t": […], "q": [[…]], …}}, made chunk by chunk.
//
// The file is mapped, never loaded; a chunk holds some thousand numbers, so a result of 1 GB is served in constant memory.
#ifndef TENDRIL_CODEC_RESULT_H
#define TENDRIL_CODEC_RESULT_H

#include "tendril/status.h"
#include <jansson.h>
#include <stddef.h>

typedef struct codec_result codec_result;

/// Opens a result file. NULL with `err`.
codec_result *codec_result_open(const char *path, td_error *err);
/// The same from an open descriptor (kept open by the caller only until return).
codec_result *codec_result_open_fd(int fd, td_error *err);
/// Writes at most `capacity` bytes of the JSON text; returns how many, 0 at the end, -1 on a broken file.
long codec_result_read(codec_result *result, char *out, size_t capacity);
/// The member `summary` parsed, a new reference; NULL with `err`.
json_t *codec_result_summary(codec_result *result, td_error *err);
void codec_result_close(codec_result *result);

#endif

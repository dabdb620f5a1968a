// Files: read whole and bounded, written as api/c/output_file.h says, JSON with the place of its errors.
#ifndef TENDRIL_CLIENT_FILES_H
#define TENDRIL_CLIENT_FILES_H

#include "api/c/output_file.h"
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/// The whole of a file ("-" is standard input), a terminating 0 after `size` bytes, without a byte order mark; the
/// caller frees it. NULL after a line that says why.
char *file_read(const char *path, size_t *size);
/// Writes text to a path; a reader never sees half a file. Returns the exit status, not EXIT_OK after a line that
/// says why.
int file_write(const char *path, const void *bytes, size_t size);
/// Says why an output failed, unless it is a pipe whose reader had enough; returns the exit status for it.
int file_report(const output_error *err);
bool file_exists(const char *path);

/// Parses JSON (duplicate keys refused); prints "path:line:column: why" and returns NULL on error.
json_t *json_from_bytes(const char *path, const char *bytes, size_t size);

/// "dir/cdm.job.json", ".npz" -> "cdm.npz": the name without folder, .json and .job or .model. The caller frees it.
char *file_stem(const char *path, const char *extension);
/// A file that stands in the folder of `path`. The caller frees it.
char *file_beside(const char *path, const char *name);
bool file_has_extension(const char *path, const char *extension);

#endif

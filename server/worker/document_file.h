// Documents that `tendril-worker --local` and `--validate` read from files.
#ifndef SERVER_WORKER_DOCUMENT_FILE_H
#define SERVER_WORKER_DOCUMENT_FILE_H

#include <stddef.h>

/// The bytes of a file ("-" and "/dev/stdin": standard input), to be freed, without a byte order mark. NULL, said on
/// stderr, when it cannot be read or is larger than LIMIT_BODY_BYTES.
char *document_file_read(const char *path, size_t *size);

#endif

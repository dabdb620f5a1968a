// Writing an .npz archive into memory: stored members, below 4 GiB each (a request's limit is far lower).
#ifndef TENDRIL_CLIENT_LIB_NPZ_WRITE_H
#define TENDRIL_CLIENT_LIB_NPZ_WRITE_H

#include "lib/client.h"

typedef struct client_npz_writer {
  client_buffer archive, directory;
  unsigned count;
} client_npz_writer;

/// A member of numpy type `type` with `size` bytes of elements in C order. False when memory is short or it is too large.
bool client_npz_add(client_npz_writer *w, const char *name, const char *type, int rank, const size_t *shape,
                    const void *data, size_t size);
/// A member of strings from words separated by commas, spaces around them ignored.
bool client_npz_add_words(client_npz_writer *w, const char *name, const char *words);
/// Whether there are words, and all of them fit.
bool client_npz_words_fit(const char *words);
/// Writes the directory; w->archive is the archive then.
bool client_npz_finish(client_npz_writer *w);
void client_npz_free(client_npz_writer *w);

#endif

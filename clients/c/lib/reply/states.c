// Words are bytes of one width, which is all that names of quantities need.
#include "lib/reply/states.h"

#include "api/c/npz.h"
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 64, WORD = 48 };

// ------------------------------------------------------------------------------------------------ words

// The next word and its length; 0 at the end.
static size_t next_word(const char **at) {
  *at += strspn(*at, ", ");
  return strcspn(*at, ", ");
}

bool client_words_fit(const char *want) {
  size_t count = 0;
  for (size_t length; (length = next_word(&want)) > 0; want += length)
    if (length > WORD || ++count > WORDS) return false;
  return count > 0;
}

static void write_words(npz_writer *w, const char *want) {
  char cells[WORDS][WORD] = {{0}};
  size_t count = 0;
  for (size_t length; count < WORDS && (length = next_word(&want)) > 0; want += length) {
    assert(length <= WORD);
    memcpy(cells[count++], want, length);
  }
  npz_write_begin(w, "want", NPZ_BYTES, WORD, 1, &count);
  npz_write_data(w, cells, count * WORD);
  npz_write_end(w);
}

// Words of any length and number: cells as wide as the longest.
static bool write_long_words(npz_writer *w, const char *name, const char *words) {
  size_t count = 0, width = 1, i = 0;
  const char *at = words;
  for (size_t length; (length = next_word(&at)) > 0; at += length) width = length > width ? length : width, ++count;
  char *cells = calloc(count + 1, width);
  if (!cells) return false;
  at = words;
  for (size_t length; (length = next_word(&at)) > 0; at += length) memcpy(cells + width * i++, at, length);
  npz_write_begin(w, name, NPZ_BYTES, width, 1, &count);
  npz_write_data(w, cells, count * width);
  npz_write_end(w);
  free(cells);
  return true;
}

// ------------------------------------------------------------------------------------------------ the archive

static int append(void *context, const void *bytes, size_t size) {
  return client_append(context, bytes, size) ? 0 : ENOMEM;
}

static int patch(void *context, uint64_t at, const void *bytes, size_t size) {
  const client_buffer *out = context;
  assert(at + size <= out->size);
  memcpy(out->at + at, bytes, size);
  return 0;
}

bool client_write_states(client_buffer *out, const char *want, const tendril_states *s, const char *document) {
  const struct {
    const char *name;
    const double *values;
    size_t width;
  } parts[] = {{"q", s->q, s->ndof},
               {"qd", s->qd, s->ndof},
               {"qdd", s->qdd, s->ndof},
               {"u", s->u, s->channels},
               {"jvp/q", s->jvp_q, s->ndof},
               {"jvp/qd", s->jvp_qd, s->ndof},
               {"jvp/u", s->jvp_u, s->channels},
               {"jvp/p", s->jvp_p, s->np},
               {"vjp/cotangent", s->vjp, s->ndof}};
  bool jvp = s->jvp_q || s->jvp_qd || s->jvp_u || s->jvp_p, complete = true;
  assert(client_words_fit(want));
  out->size = 0;
  npz_writer *w = npz_writer_to((npz_sink){.context = out, .append = append, .patch = patch});
  if (!w) return false;
  write_words(w, want);
  for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i)
    if (parts[i].values)
      npz_write_doubles(w, parts[i].name, parts[i].values, 2, (const size_t[]){s->count, parts[i].width});
  if (jvp) complete = write_long_words(w, "jvp/of", "fd");
  if (s->vjp) complete = complete && write_long_words(w, "vjp/of", "fd");
  if (s->parameters) complete = complete && write_long_words(w, "parameters", s->parameters);
  if (s->step_h != 0) npz_write_doubles(w, "step/h", &s->step_h, 0, NULL);
  if (s->step_method) complete = complete && write_long_words(w, "step/method", s->step_method);
  double substeps = s->step_substeps;
  if (substeps != 0) npz_write_doubles(w, "step/substeps", &substeps, 0, NULL);
  if (s->baumgarte > 0) npz_write_doubles(w, "baumgarte", &s->baumgarte, 0, NULL);
  if (document) npz_write_bytes(w, "model", document, strlen(document));
  npz_trouble trouble;
  if (!complete) return npz_writer_abandon(w), false;
  return npz_writer_close(w, NULL, &trouble);
}

// What an import says beside the document: what it left out, and what it read otherwise than it stands there. Grouped
// by what there is to say, each place with its line.
#ifndef TENDRIL_CODEC_IMPORT_REMARK_H
#define TENDRIL_CODEC_IMPORT_REMARK_H

#include "base/arena.h"
#include <stdbool.h>
#include <stddef.h>

enum { REMARK_TEXT_SIZE = 256 };

typedef struct remark_place {
  int line;         ///< of the description, from 1; 0: it has none
  const char *what; ///< "<dynamics friction=\"0.3\"> of joint \"elbow\"", or a JSON pointer into the request
  struct remark_place *next;
} remark_place;

typedef struct import_remark {
  const char *detail; ///< what became of it, and what to do
  size_t count;       ///< of places, at least 1
  remark_place *places, *last;
  struct import_remark *next;
} import_remark;

typedef struct remark_list {
  arena *memory; ///< holds all of them
  import_remark *first, *last;
  bool failed; ///< there was not enough memory for one
} remark_list;

/// One place more of `detail` (a constant). `format` as printf; longer than REMARK_TEXT_SIZE it is cut at a character.
void remark_add(remark_list *list, const char *detail, int line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/// Text that snprintf has cut to REMARK_TEXT_SIZE, as `wanted` bytes were more, ends at a character and with "...".
void remark_trim(char text[REMARK_TEXT_SIZE], int wanted);
size_t remark_count(const remark_list *list);

#endif

// From a JSON pointer to a line and a column, so that who looks at a file finds what an error means.
#ifndef TENDRIL_API_TEXT_PLACE_H
#define TENDRIL_API_TEXT_PLACE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct text_place {
  long line, column; ///< from 1; columns are characters
  bool exact; ///< false: what the pointer names is not there; it is the place of the innermost thing that holds it
} text_place;

/// Where the value at a pointer begins. The text is one that was parsed already: of any other the place may be wrong,
/// but nothing is read beyond its `size` bytes. Members whose names are written with backslashes are not found.
/// @return false for a pointer that is empty (it means the whole) or none
bool text_place_find(const char *text, size_t size, const char *pointer, text_place *place);

#endif

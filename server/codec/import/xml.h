// XML text to a tree of elements, each with its line, refusing what a robot's description never needs.
#ifndef TENDRIL_CODEC_IMPORT_XML_H
#define TENDRIL_CODEC_IMPORT_XML_H

#include "base/arena.h"
#include "tendril/status.h"
#include <stdbool.h>
#include <stddef.h>

enum { XML_MAX_BYTES = 16 << 20, XML_MAX_ELEMENTS = 100000, XML_MAX_ATTRIBUTES = 64, XML_MAX_DEPTH = 64 };

typedef struct xml_attribute {
  const char *name, *value;
  bool read; ///< somebody has asked for it
} xml_attribute;

typedef struct xml_element {
  const char *name;
  xml_attribute *attributes; ///< [attribute_count]
  size_t attribute_count;
  int line;                                         ///< where it begins, from 1
  int text_line;                                    ///< where text other than white space begins in it, 0: none
  bool read;                                        ///< somebody has asked for it
  struct xml_element *parent, *first, *last, *next; ///< next: of the same parent
  struct xml_element *following;                    ///< in the order of the text
} xml_element;

/// Parses a whole document, UTF-8. A document type (entities, external files) is refused.
/// @param root  out: in the arena, as all that hangs on it
/// @return TD_INVALID_ARGUMENT with the line, TD_LIMIT beyond XML_MAX_…, TD_NO_MEMORY; pointers are `pointer`
/// Cost: O(size); at no time more than some hundred bytes for each element beside the text.
TD_NODISCARD td_status xml_parse(const char *text, size_t size, const char *pointer, arena *a, xml_element **root,
                                 td_error *err);

/// The value of an attribute, which is read by that; NULL: it has none.
const char *xml_attribute_of(xml_element *e, const char *name);
/// The first child of that name, which is read by that; NULL: there is none.
xml_element *xml_child(xml_element *e, const char *name);
/// The next element of the same name and parent, which is read by that.
xml_element *xml_sibling(const xml_element *e);

#endif

// A layer of USD as text to a tree of prims, each with its properties and its metadata; values stay text until somebody
// asks for them.
#ifndef TENDRIL_CODEC_IMPORT_USD_TREE_H
#define TENDRIL_CODEC_IMPORT_USD_TREE_H

#include "base/arena.h"
#include "codec/import/usd/scan.h"
#include "tendril/status.h"

enum {
  USD_MAX_BYTES = 16 << 20,
  USD_MAX_PRIMS = 100000,
  USD_MAX_FIELDS = 400000, ///< properties and metadata of all
  USD_MAX_FIELDS_OF_ONE = 256,
  USD_MAX_DEPTH = 64 ///< of prims, and of brackets in a value
};

/// A property or an entry of metadata.
typedef struct usd_field {
  const char *type, *name; ///< "float3", "rel"; of metadata ""
  usd_scan value;          ///< begins there
  bool valued;             ///< it has a value
  bool stronger;           ///< of a binding: strongerThanDescendants
  bool read;               ///< somebody has asked for it
  int line;
  struct usd_field *next;
} usd_field;

typedef struct usd_prim {
  const char *specifier; ///< "def", "over", "class"
  const char *type;      ///< "BasisCurves", ""
  const char *name;      ///< of the layer itself ""
  usd_field *properties; ///< in the order of the text
  usd_field *metadata;
  size_t field_count;
  int line;
  bool read;                                     ///< something of it is in the model
  bool told;                                     ///< it was said that it is left out, with all within it
  struct usd_prim *parent, *first, *last, *next; ///< next: of the same parent
  struct usd_prim *following;                    ///< in the order of the text
} usd_prim;

/// Parses a layer, UTF-8.
/// @param root  out: the layer, whose metadata is that of its head; in the arena, as all that hangs on it. The text has
///              to live as long.
/// @return TD_INVALID_ARGUMENT with the line, TD_LIMIT beyond USD_MAX_…, TD_NO_MEMORY; pointers are `pointer`
/// Cost: O(size + fields * USD_MAX_FIELDS_OF_ONE).
TD_NODISCARD td_status usd_parse(const char *text, size_t size, const char *pointer, arena *a, usd_prim **root,
                                 td_error *err);

#endif

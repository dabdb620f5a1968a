// Elements and attributes of a description in XML as values: numbers, texts, and what is wrong with them said with line
// and element.
#ifndef TENDRIL_CODEC_IMPORT_VALUE_H
#define TENDRIL_CODEC_IMPORT_VALUE_H

#include "codec/import/remark.h"
#include "codec/import/xml.h"

/// What to do with an inertia that no body has (negative moments, or one larger than the sum of the others).
typedef enum import_inertia {
  IMPORT_INERTIA_AS_WRITTEN, ///< it stays, and is refused when the model is built
  IMPORT_INERTIA_NEAREST,    ///< the nearest one that a body can have, with a remark
  IMPORT_INERTIA_COUNT
} import_inertia;

/// What becomes of the ends of joints.
typedef enum import_stops {
  IMPORT_STOPS_SOFT, ///< limits of the model: stops that give way a little
  IMPORT_STOPS_NONE, ///< they are left out, with a remark
  IMPORT_STOPS_COUNT
} import_stops;

typedef struct import_reader {
  const char *pointer; ///< "/urdf", "/mjcf", "/usd"
  import_inertia inertia;
  import_stops stops;
  const struct mesh_files *files; ///< meshes that came beside the description; NULL: none
  size_t mesh_points;             ///< what one mesh may have, the others considered
  bool viewed;                    ///< what is drawn is read
  arena *memory;
  remark_list *remarks;
  td_error *err;
} import_reader;

/// Fails at an element: "line 12: <origin> of joint "elbow": …".
td_status import_fail(const import_reader *r, const xml_element *e, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/// "<mass> of link "arm"", of what stands within a link, a joint, or anything else that has a name.
const char *import_whose(const xml_element *e, char text[REMARK_TEXT_SIZE]);
/// The one child of that name, NULL: none; two are an error.
td_status import_one(const import_reader *r, xml_element *e, const char *name, xml_element **child);
td_status import_need(const import_reader *r, xml_element *e, const char *name, xml_element **child);
td_status import_text(const import_reader *r, xml_element *e, const char *attribute, const char **text);
/// `count` finite numbers; an attribute that is not there leaves them as they are, unless it is `needed`.
td_status import_numbers(const import_reader *r, xml_element *e, const char *attribute, bool needed, size_t count,
                         double *numbers);
/// `least` to `most` finite numbers out of `text`, which stands at an element as `attribute`.
td_status import_numbers_of(const import_reader *r, const xml_element *e, const char *attribute, const char *text,
                            size_t least, size_t most, double *numbers, size_t *count);
/// The finite number that `text` begins with, up to white space, '/' or the end; returns its bytes, 0: there is none.
size_t import_number(const char *text, double *x);
/// R I R^T of a symmetric I, symmetric to the last bit.
void import_turn_inertia(const double R[9], const double I[9], double out[9]);
/// Makes the inertia of a body one that a body can have, with a remark where it is none.
void import_nearest_inertia(const import_reader *r, const xml_element *e, double I[9]);

#endif

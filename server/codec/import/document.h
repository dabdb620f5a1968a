// A model document that is being put together: JSON whose shortage of memory is asked for once.
#ifndef TENDRIL_CODEC_IMPORT_DOCUMENT_H
#define TENDRIL_CODEC_IMPORT_DOCUMENT_H

#include "codec/import/value.h"
#include <jansson.h>

/// What a description does not say.
typedef struct import_choice {
  const char *name;        ///< of the robot; NULL: the description's
  const char *description; ///< NULL: none, of a model document its own
  double gravity[3];       ///< where the description says none, or the request does
  bool has_gravity;        ///< the request does
  int base;                ///< import_base_word: fixed, free
  int actuators;           ///< import_actuators_word: force, position, none
  int inertia;             ///< import_inertia_word: as_written, nearest
  int stops;               ///< import_stops_word: soft, none
  int view;                ///< import_view_word: keep, none
} import_choice;

const char *import_base_word(int i);
const char *import_actuators_word(int i);
const char *import_inertia_word(int i); ///< of import_inertia
const char *import_stops_word(int i);   ///< of import_stops
const char *import_view_word(int i);
enum { IMPORT_VIEWS = 2 };
enum { IMPORT_BASES = 2, IMPORT_ACTUATORS = 3, IMPORT_NO_ACTUATORS = 2 };

/// What an object or an array takes over; `*failed` is set where it did not (value NULL: there was no memory).
void import_set(json_t *object, const char *key, json_t *value, bool *failed);
void import_append(json_t *array, json_t *value, bool *failed);
json_t *import_vector(const double *x, size_t count, bool *failed);

/// Lines of the description that the links of a document come from [link_count] (the joint that carries it, its own
/// <link>), and its actuators.
typedef struct import_lines {
  int *joints, *links, *actuators;
  size_t link_count, actuator_count;
} import_lines;

#endif

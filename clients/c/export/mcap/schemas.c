// Schemas say no more than readers need: types, titles, units.
#include "export/mcap/schemas.h"

#include "base/say.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NUMBER "{\"type\":\"number\"}"
#define TEXT "{\"type\":\"string\"}"
#define OBJECT(title, properties) "{\"type\":\"object\",\"title\":\"" title "\",\"properties\":{" properties "}}"
#define LIST(item) "{\"type\":\"array\",\"items\":" item "}"
#define TIME OBJECT("time", "\"sec\":{\"type\":\"integer\"},\"nsec\":{\"type\":\"integer\"}")
#define XYZ(title) OBJECT(title, "\"x\":" NUMBER ",\"y\":" NUMBER ",\"z\":" NUMBER)
#define QUATERNION OBJECT("foxglove.Quaternion", "\"x\":" NUMBER ",\"y\":" NUMBER ",\"z\":" NUMBER ",\"w\":" NUMBER)
#define POSE OBJECT("foxglove.Pose", "\"position\":" XYZ("foxglove.Vector3") ",\"orientation\":" QUATERNION)
#define COLOUR OBJECT("foxglove.Color", "\"r\":" NUMBER ",\"g\":" NUMBER ",\"b\":" NUMBER ",\"a\":" NUMBER)

const char schema_transforms[] =
    OBJECT("foxglove.FrameTransforms",
           "\"transforms\":" LIST(OBJECT("foxglove.FrameTransform",
                                         "\"timestamp\":" TIME ",\"parent_frame_id\":" TEXT ",\"child_frame_id\":" TEXT
                                         ",\"translation\":" XYZ("foxglove.Vector3") ",\"rotation\":" QUATERNION)));

const char schema_poses[] =
    OBJECT("foxglove.PosesInFrame", "\"timestamp\":" TIME ",\"frame_id\":" TEXT ",\"poses\":" LIST(POSE));

#define LINE                                                                                                           \
  OBJECT("foxglove.LinePrimitive",                                                                                     \
         "\"type\":{\"type\":\"integer\"},\"pose\":" POSE ",\"thickness\":" NUMBER                                     \
         ",\"scale_invariant\":{\"type\":\"boolean\"},\"points\":" LIST(                                               \
             XYZ("foxglove.Point3")) ",\"color\":" COLOUR                                                              \
                                     ",\"colors\":" LIST(COLOUR) ",\"indices\":" LIST("{\"type\":\"integer\"}"))
#define PAIR OBJECT("foxglove.KeyValuePair", "\"key\":" TEXT ",\"value\":" TEXT)
#define NOTHING(title) LIST(OBJECT(title, ""))
#define NONE(shape) NOTHING("foxglove." shape "Primitive")
#define ENTITY_HEAD "\"timestamp\":" TIME ",\"frame_id\":" TEXT ",\"id\":" TEXT ",\"lifetime\":" TIME
#define ENTITY_FLAGS ",\"frame_locked\":{\"type\":\"boolean\"},\"metadata\":" LIST(PAIR)
#define ENTITY_SOLIDS ",\"arrows\":" NONE("Arrow") ",\"cubes\":" NONE("Cube") ",\"spheres\":" NONE("Sphere")
#define ENTITY_LINES ",\"cylinders\":" NONE("Cylinder") ",\"lines\":" LIST(LINE)
#define ENTITY_REST ",\"triangles\":" NONE("TriangleList") ",\"texts\":" NONE("Text") ",\"models\":" NONE("Model")
#define ENTITY OBJECT("foxglove.SceneEntity", ENTITY_HEAD ENTITY_FLAGS ENTITY_SOLIDS ENTITY_LINES ENTITY_REST)

const char schema_scene[] = OBJECT(
    "foxglove.SceneUpdate", "\"deletions\":" NOTHING("foxglove.SceneEntityDeletion") ",\"entities\":" LIST(ENTITY));

const char schema_joints[] =
    OBJECT("foxglove.JointStates",
           "\"timestamp\":" TIME ",\"joints\":" LIST(
               OBJECT("foxglove.JointState", "\"name\":" TEXT ",\"position\":" NUMBER ",\"velocity\":" NUMBER)));

// ------------------------------------------------------------------------------------------------ fields of a result

message_form schema_form(const export_field *f) {
  if (f->array->rank <= 1) return FORM_VALUE;
  if (f->names && f->array->rank <= 3) return f->array->rank == 2 ? FORM_NAMED : FORM_LISTS;
  return FORM_VALUES;
}

static bool is_taken(char *const *keys, size_t count, const char *key) {
  for (size_t i = 0; i < count; ++i)
    if (strcmp(keys[i], key) == 0) return true;
  return strcmp(key, "timestamp") == 0;
}

// "arm.bending_y[0]": "arm_bending_y_0".
static char *make_key(const char *name) {
  char *key = must_format("%s%s", isalpha((unsigned char)*name) ? "" : "_", name), *end = key;
  for (char *p = key; *p; ++p) {
    bool good = isalnum((unsigned char)*p) && (unsigned char)*p < 0x80;
    if (good || end == key || end[-1] != '_') *end++ = good ? *p : '_';
  }
  while (end > key + 1 && end[-1] == '_') --end;
  *end = '\0';
  return key;
}

char **schema_keys(const export_field *f) {
  char **keys = must_alloc((f->columns + 1) * sizeof *keys);
  for (size_t i = 0; i < f->columns; ++i) {
    char *key = make_key(f->names[i]);
    if (is_taken(keys, i, key)) {
      keys[i] = must_format("%s_at_%zu", key, i);
      free(key);
    } else {
      keys[i] = key;
    }
  }
  return keys;
}

static json_t *number_called(const char *name, const char *unit) {
  return json_pack("{s:s, s:s+++}", "type", "number", "description", name, *unit ? ", " : "", unit, "");
}

char *schema_of_field(const export_field *f, char *const *keys) {
  json_t *properties = json_pack("{s:o}", "timestamp", json_loads(TIME, 0, NULL));
  message_form form = schema_form(f);
  const char *unit = f->unit;
  for (size_t i = 0; keys && i < f->columns; ++i) {
    json_t *number = number_called(f->names[i], f->units ? f->units[i] : unit);
    if (form == FORM_LISTS) number = json_pack("{s:s, s:o}", "type", "array", "items", number);
    json_object_set_new(properties, keys[i], number);
  }
  if (form == FORM_VALUE) json_object_set_new(properties, "value", number_called(f->array->name, unit));
  if (form == FORM_VALUES)
    json_object_set_new(properties, "values",
                        json_pack("{s:s, s:o}", "type", "array", "items", number_called(f->array->name, unit)));
  json_t *schema =
      json_pack("{s:s, s:s+, s:o}", "type", "object", "title", "tendril.", f->array->name, "properties", properties);
  char *text = json_dumps(schema, 0), *own = must_copy(text ? text : "{}");
  json_decref(schema);
  free(text);
  return own;
}

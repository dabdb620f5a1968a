// What the numbers of a result are: one table by the names of arrays, whose last axes are named by the summary (api/
// openapi.yaml, schema Result) and by the model document in it.
#include "export/result.h"

#include "base/say.h"
#include "plot/curves/channels.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum axis {
  AXIS_NONE,
  AXIS_COORDINATES,
  AXIS_CHANNELS,
  AXIS_MULTIPLIERS,
  AXIS_ENERGIES,
  AXIS_TENDONS,
  AXIS_STRAINS,
  AXIS_TOUCH,
  AXIS_XYZ,
  AXIS_PLACE,
  AXIS_PARAMETERS
} axis;

typedef struct kind {
  const char *name; // with a colon: of a link
  axis last;
  bool headed;
  int rate; // times that it is derived by time
  const char *unit, *about;
} kind;

static const kind kinds[] = {
    {"t", AXIS_NONE, false, 0, "s", "time"},
    {"q", AXIS_COORDINATES, true, 0, "", "generalized coordinates"},
    {"qd", AXIS_COORDINATES, true, 1, "", "rates of the generalized coordinates"},
    {"qdd", AXIS_COORDINATES, true, 2, "", "accelerations of the generalized coordinates"},
    {"u", AXIS_CHANNELS, true, 0, "", "inputs by channel"},
    {"lambda", AXIS_MULTIPLIERS, false, 0, "N, N m", "forces and moments of loops and prescribed joints"},
    {"loop_error", AXIS_MULTIPLIERS, false, 0, "rad, m", "by what loops are open"},
    {"energy", AXIS_ENERGIES, true, 0, "J", "energies by kind"},
    {"tendons", AXIS_TENDONS, false, 0, "m", "lengths of tendons"},
    {"tensions", AXIS_TENDONS, false, 0, "N", "tensions at the ends that are pulled"},
    {"contacts", AXIS_TOUCH, true, 0, "", "rows of summary.contacts: depth, normal force, slip"},
    {"contact_force", AXIS_XYZ, true, 0, "N", "rows of summary.contacts: force on the (first) link, world"},
    {"contact_place", AXIS_PLACE, true, 0, "",
     "where bodies touch: row of summary.contacts or -1, place, force, normal"},
    {"strain:", AXIS_STRAINS, true, 0, "", "strains along the rod: rows, points, components"},
    {"poses:", AXIS_NONE, false, 0, "m", "world from point, [R p; 0 1]: R has no unit, p is in m"},
    {"shape:", AXIS_NONE, false, 0, "m", "points of the deformed surface in the world"},
    {"sensitivity:", AXIS_PARAMETERS, true, 0, "", "derivatives by the numbers named: unit of the field by theirs"},
};

static const char *const strain_names[] = {"torsion", "bending_y", "bending_z", "elongation", "shear_y", "shear_z"};
static const char *const threes[][3] = {{"depth", "normal_force", "slip"}, {"x", "y", "z"}};
static const char *const touch_units[] = {"m", "N", "m/s"};
static const char *const place_names[] = {"touch",   "x",       "y",        "z",        "force_x",
                                          "force_y", "force_z", "normal_x", "normal_y", "normal_z"};
static const char *const place_units[] = {"1", "m", "m", "m", "N", "N", "N", "1", "1", "1"};
static const char *const strain_units[] = {"1/m", "1/m", "1/m", "1", "1", "1"};

// ------------------------------------------------------------------------------------------------ units of coordinates

typedef enum measure { UNKNOWN, ANGLE, LENGTH, CURVATURE, RATIO } measure;

static const char *const measures[][3] = {
    [UNKNOWN] = {"", "", ""},         [ANGLE] = {"rad", "rad/s", "rad/s^2"},
    [LENGTH] = {"m", "m/s", "m/s^2"}, [CURVATURE] = {"1/m", "1/(m s)", "1/(m s^2)"},
    [RATIO] = {"1", "1/s", "1/s^2"},
};

static measure of_joint(const json_t *model, const char *link, size_t length, long number) {
  recording r = {.model = model};
  const json_t *joint = json_object_get(recording_entry(&r, "links", link, length), "joint");
  const char *type = json_string_value(json_object_get(joint, "type"));
  if (!type) return UNKNOWN;
  if (strcmp(type, "prismatic") == 0) return LENGTH;
  bool turns_first = strcmp(type, "cylindrical") == 0 || strcmp(type, "planar") == 0;
  return (turns_first && number > 0) || (strcmp(type, "free") == 0 && number > 2) ? LENGTH : ANGLE;
}

// "arm.bending_y[0]", "shoulder.joint[0]"; names of links may have dots of their own.
static const char *unit_of_coordinate(const json_t *model, const char *name, int rate) {
  const char *dot = strrchr(name, '.'), *bracket = strrchr(name, '[');
  if (!dot || !bracket || bracket < dot) return "";
  size_t length = (size_t)(bracket - dot - 1);
  if (length == 5 && strncmp(dot + 1, "joint", 5) == 0)
    return measures[of_joint(model, name, (size_t)(dot - name), strtol(bracket + 1, NULL, 10))][rate];
  for (int i = 0; i < 6; ++i)
    if (strlen(strain_names[i]) == length && strncmp(dot + 1, strain_names[i], length) == 0)
      return measures[i < 3 ? CURVATURE : RATIO][rate];
  return "";
}

// ------------------------------------------------------------------------------------------------ names along the axis

static const json_t *list_of(const export_result *r, axis last) {
  static const char *const lists[] = {[AXIS_COORDINATES] = "coordinates",
                                      [AXIS_CHANNELS] = "channels",
                                      [AXIS_MULTIPLIERS] = "multipliers",
                                      [AXIS_ENERGIES] = "energies",
                                      [AXIS_PARAMETERS] = "parameters"};
  return last == AXIS_TENDONS ? json_object_get(r->model, "actuators") : json_object_get(r->summary, lists[last]);
}

// The entry's own text, or the name of an object; NULL for an actuator that is no tendon.
static const char *name_of(const json_t *entry, axis last) {
  const char *type = json_string_value(json_object_get(entry, "type"));
  if (last == AXIS_TENDONS && (!type || strcmp(type, "tendon") != 0)) return NULL;
  const char *text = json_string_value(json_is_object(entry) ? json_object_get(entry, "name") : entry);
  return text ? text : json_string_value(json_object_get(entry, "path"));
}

// Names are those of the list only when there are as many as numbers.
static const char *const *names_along(const export_result *r, const export_field *f, axis last) {
  if (last == AXIS_STRAINS) return f->columns == 6 ? strain_names : NULL;
  if (last == AXIS_PLACE) return f->columns == sizeof place_names / sizeof *place_names ? place_names : NULL;
  if (last == AXIS_TOUCH || last == AXIS_XYZ) return f->columns == 3 ? threes[last == AXIS_XYZ] : NULL;
  const char **names = must_alloc((f->columns + 1) * sizeof *names);
  size_t i, count = 0;
  const json_t *entry;
  json_array_foreach(list_of(r, last), i, entry) {
    const char *name = name_of(entry, last);
    if (name && count++ < f->columns) names[count - 1] = name;
  }
  if (count == f->columns) return names;
  free(names);
  return NULL;
}

static const char *const *units_along(const export_result *r, const export_field *f, const kind *k) {
  if (f->names && k->last == AXIS_TOUCH) return touch_units;
  if (f->names && k->last == AXIS_PLACE) return place_units;
  if (!f->names || (k->last != AXIS_COORDINATES && k->last != AXIS_CHANNELS && k->last != AXIS_STRAINS)) return NULL;
  if (k->last == AXIS_STRAINS) return strain_units;
  const char **units = must_alloc((f->columns + 1) * sizeof *units);
  recording of_model = {.model = r->model};
  for (size_t i = 0; i < f->columns; ++i)
    units[i] = k->last == AXIS_CHANNELS ? channels_unit(channels_group(&of_model, f->names[i]))
                                        : unit_of_coordinate(r->model, f->names[i], k->rate);
  return units;
}

// ------------------------------------------------------------------------------------------------ fields

static const kind *kind_of(const char *name) {
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i) {
    size_t length = strlen(kinds[i].name);
    bool of_link = kinds[i].name[length - 1] == ':';
    if (of_link ? strncmp(name, kinds[i].name, length) == 0 : strcmp(name, kinds[i].name) == 0) return &kinds[i];
  }
  return NULL;
}

static void describe(const export_result *r, export_field *f) {
  const tendril_array *a = f->array;
  const kind *k = kind_of(a->name);
  const char *colon = k ? strchr(k->name, ':') : NULL;
  f->rows = r->rows > 0 && a->rank >= 1 && a->shape[0] == r->rows;
  f->columns = a->rank > 1 ? a->shape[a->rank - 1] : 1;
  f->unit = k ? k->unit : "";
  f->about = k ? k->about : "";
  f->headed = k && k->headed;
  snprintf(f->family, sizeof f->family, "%.*s", colon ? (int)(colon - k->name) : 63, a->name);
  snprintf(f->link, sizeof f->link, "%.150s", colon ? a->name + strlen(k->name) : "");
  if (k && k->last != AXIS_NONE && a->rank > 1 && f->columns > 0) f->names = names_along(r, f, k->last);
  if (k) f->units = units_along(r, f, k);
}

static void read_summary(export_result *r) {
  const tendril_array *bytes = tendril_arrays_find(r->file, "summary");
  if (!bytes) return;
  r->summary = json_loadb(bytes->data, strnlen(bytes->data, bytes->size), 0, NULL);
  r->model = json_object_get(json_object_get(r->summary, "model"), "document");
}

static void read_rows(export_result *r) {
  const tendril_array *t = tendril_arrays_find(r->file, "t"), *q = tendril_arrays_find(r->file, "q");
  bool timed = t && t->rank == 1 && t->values;
  if (timed) r->t = t->values;
  r->rows = timed ? t->count : q && q->rank == 2 ? q->shape[0] : 0;
}

void export_open(export_result *r, tendril_arrays *file) {
  int count = tendril_arrays_count(file);
  *r = (export_result){.file = file, .fields = must_alloc((size_t)(count + 1) * sizeof *r->fields)};
  read_summary(r);
  read_rows(r);
  for (int i = 0; i < count; ++i) {
    const tendril_array *a = tendril_arrays_find(file, tendril_arrays_at(file, i)->name);
    if (strcmp(a->name, "summary") == 0) continue;
    if (!a->values && a->count > 0) {
      char safe[200];
      say_note("left out: %s, which holds no numbers", say_safe(safe, sizeof safe, a->name));
      continue;
    }
    r->fields[r->count] = (export_field){.array = a};
    describe(r, &r->fields[r->count++]);
  }
}

static bool is_fixed(const char *const *words) {
  return words == strain_names || words == strain_units || words == threes[0] || words == threes[1] ||
         words == touch_units || words == place_names || words == place_units;
}

void export_close(export_result *r) {
  for (int i = 0; i < r->count; ++i) {
    export_field *f = &r->fields[i];
    if (!is_fixed(f->names)) free((void *)(uintptr_t)f->names);
    if (!is_fixed(f->units)) free((void *)(uintptr_t)f->units);
  }
  free(r->fields);
  json_decref(r->summary);
  tendril_arrays_close(r->file);
  *r = (export_result){0};
}

// ------------------------------------------------------------------------------------------------ words and numbers

char *export_summary(const export_result *r) {
  char *text = r->summary ? json_dumps(r->summary, JSON_ENSURE_ASCII | JSON_REAL_PRECISION(17)) : NULL;
  if (!text) return must_copy("{}");
  char *own = must_copy(text);
  free(text);
  return own;
}

void export_number(double x, char out[32]) {
  if (!isfinite(x)) {
    snprintf(out, 32, "%s", isnan(x) ? "nan" : x > 0 ? "inf" : "-inf");
    return;
  }
  for (int digits = 15; digits <= 17; ++digits) {
    snprintf(out, 32, "%.*g", digits, x);
    if (strtod(out, NULL) == x) return;
  }
}

// "name[i][j]" of the axes behind the first one and before the last `inner` ones.
static size_t write_outer(const export_field *f, int inner, size_t index, char *out, size_t size) {
  const tendril_array *a = f->array;
  size_t used = (size_t)snprintf(out, size, "%.300s", a->name), divisor = 1;
  for (int k = 1; k < a->rank; ++k) divisor *= a->shape[k];
  for (int k = 1; k < a->rank - inner; ++k) {
    divisor /= a->shape[k];
    if (used < size) used += (size_t)snprintf(out + used, size - used, "[%zu]", index / divisor);
    index %= divisor;
  }
  return used < size ? used : size;
}

bool export_column_name(const export_field *f, size_t index, char *out, size_t size) {
  static const char *const parts[12] = {"r11", "r12", "r13", "x", "r21", "r22", "r23", "y", "r31", "r32", "r33", "z"};
  const tendril_array *a = f->array;
  bool pose =
      strcmp(f->family, "poses") == 0 && a->rank >= 3 && a->shape[a->rank - 1] == 4 && a->shape[a->rank - 2] == 4;
  bool named = f->headed && f->names;
  size_t used = write_outer(f, pose ? 2 : named ? 1 : 0, index, out, size);
  if (pose && index % 16 >= 12) return false;
  if (pose) snprintf(out + used, size - used, ".%s", parts[index % 16]);
  if (named) snprintf(out + used, size - used, ".%.200s", f->names[index % f->columns]);
  return true;
}

// Whether places can share one number: what stands at both has one unit.
//
// Two places of one row of the table have the same unit, but where it depends on more: on the axis (a wrench's moments
// and forces), on the type of a joint, on the channel of an input. Places of different rows share a unit where the key
// says it wherever it stands (a length is in m).
#include "codec/document/parameters/parts.h"
#include "codec/json/place.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ------------------------------------------------------------------------------------------------ by the key

typedef struct unit_row {
  const char *keys, *unit; ///< keys: " length radius "
} unit_row;

static const unit_row units[] = {
    {" length radius inner_radius wall width height size points tip_points base tip translation com semi_y semi_z "
     "inner_height inner_width inner_semi_y inner_semi_z slack_width ",
     "m"},
    {" young shear ", "Pa"},
    {" density body_density ", "kg/m^3"},
    {" viscosity ", "Pa s"},
    {" mass ", "kg"},
    {" mass_per_length ", "kg/m"},
    {" EA GA_y GA_z ", "N"},
    {" GJ EI_y EI_z ", "N m^2"},
    {" rpy ", "rad"},
    {" poisson at from to shear_correction cd_x cd_y cd_z cl_x cl_y cl_z added_y added_z ", "1"},
};

// The last key of a pattern that is no index.
static void last_key(const parameter_row *row, char key[JSON_TOKEN_SIZE]) {
  const char *end = row->pattern + strlen(row->pattern), *p = end;
  do {
    end = p;
    do p--;
    while (*p != '/');
  } while (p[1] == '*' && p > row->pattern);
  snprintf(key, JSON_TOKEN_SIZE, "%.*s", (int)(end - p - 1), p + 1);
}

static const char *unit_of(const parameter_row *row) {
  char key[JSON_TOKEN_SIZE], word[JSON_TOKEN_SIZE + 2];
  if (strncmp(row->pattern, "/links/", 7) != 0 && strncmp(row->pattern, "/actuators/", 11) != 0 &&
      strncmp(row->pattern, "/contacts/", 10) != 0 && strncmp(row->pattern, "/loops/", 7) != 0 &&
      strncmp(row->pattern, "/**/pose", 8) != 0)
    return NULL;
  last_key(row, key);
  snprintf(word, sizeof word, " %s ", key);
  for (size_t i = 0; i < sizeof units / sizeof *units; i++)
    if (strstr(units[i].keys, word)) return units[i].unit;
  return NULL;
}

// ------------------------------------------------------------------------------------------------ within a row

static const char *last_index(const char *path) { return strrchr(path, '/'); }

// Arrays over directions, the first of which are rotations.
static bool by_axis(const parameter_row *row) {
  static const char *const rows[] = {"/loads/*/wrench/*",
                                     "/links/*/body/section/damping/**",
                                     "/links/*/body/section/coupling/**",
                                     "/links/*/body/strain/reference/**",
                                     "/links/*/body/strain/*/*/*",
                                     "/links/*/body/hydrodynamics/linear/*",
                                     "/links/*/body/hydrodynamics/linear/*/*",
                                     "/links/*/body/hydrodynamics/drag/*",
                                     "/links/*/body/hydrodynamics/drag/*/*",
                                     "/links/*/body/hydrodynamics/added_mass/*",
                                     "/links/*/body/hydrodynamics/added_mass/*/*"};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (strcmp(row->pattern, rows[i]) == 0) return true;
  return false;
}

// The index or indices behind the last key of a path.
static const char *indices(const char *path) {
  const char *p = path + strlen(path), *from = p;
  while (p > path) {
    const char *end = p;
    do p--;
    while (p > path && *p != '/');
    if (strspn(p + 1, "0123456789") != (size_t)(end - p - 1)) break;
    from = p;
  }
  return from;
}

static const char *joint_type(const char *path, const json_t *model) {
  static const char links[] = "/model/links/";
  if (strncmp(path, links, sizeof links - 1) != 0) return "";
  size_t i = strtoul(path + sizeof links - 1, NULL, 10);
  const json_t *link = json_array_get(json_object_get(model, "links"), i);
  const char *type = json_string_value(json_object_get(json_object_get(link, "joint"), "type"));
  return type ? type : "";
}

static bool turns(const char *type) {
  return strcmp(type, "revolute") == 0 || strcmp(type, "universal") == 0 || strcmp(type, "spherical") == 0;
}

static bool joints_agree(const char *a, const char *b, const json_t *model) {
  const char *one = joint_type(a, model), *other = joint_type(b, model);
  if (turns(one) && turns(other)) return true;
  return strcmp(one, other) == 0 && (strcmp(one, "prismatic") == 0 || strcmp(indices(a), indices(b)) == 0);
}

// Kind and mode of the actuator that a channel of a job's input is of.
static const json_t *actuator_of(const char *path, const json_t *model) {
  char token[JSON_TOKEN_SIZE], channel[JSON_TOKEN_SIZE];
  const char *rest = json_place_token(path, token);
  if (rest) rest = json_place_token(rest, token);
  if (!rest || !json_place_token(rest, channel)) return NULL;
  size_t i;
  json_t *actuator;
  json_array_foreach(json_object_get(model, "actuators"), i, actuator) {
    const char *name = json_string_value(json_object_get(actuator, "name"));
    size_t n = name ? strlen(name) : 0;
    if (n > 0 && strncmp(channel, name, n) == 0 && (channel[n] == '\0' || channel[n] == '[')) return actuator;
  }
  return NULL;
}

static bool same_text(const json_t *a, const json_t *b, const char *key) {
  return json_equal(json_object_get(a, key), json_object_get(b, key)) ||
         (!json_object_get(a, key) && !json_object_get(b, key));
}

static bool channels_agree(const char *a, const char *b, const json_t *model) {
  const json_t *one = actuator_of(a, model), *other = actuator_of(b, model);
  if (!one || !other || one == other) return true;
  return same_text(one, other, "type") && same_text(one, other, "mode");
}

static bool row_agrees(const parameter_row *row, const char *a, const char *b, const json_t *model) {
  if (by_axis(row)) return strcmp(indices(a), indices(b)) == 0;
  if (strncmp(row->pattern, "/links/*/joint/axis", 19) == 0) return strcmp(last_index(a), last_index(b)) == 0;
  if (strncmp(row->pattern, "/links/*/joint/", 15) == 0) return joints_agree(a, b, model);
  if (strstr(row->pattern, "/inputs/")) return channels_agree(a, b, model);
  return true;
}

bool parameter_units_agree(const char *a, const char *b, const json_t *model, const json_t *job,
                           char why[TD_MESSAGE_SIZE]) {
  const parameter_row *one = parameter_row_of(a, job), *other = parameter_row_of(b, job);
  const char *unit = unit_of(one), *others = unit_of(other);
  bool agree = one == other ? row_agrees(one, a, b, model) : unit && others && strcmp(unit, others) == 0;
  if (agree) return true;
  if (unit && others && strcmp(unit, others) != 0)
    snprintf(why, TD_MESSAGE_SIZE, "%.120s is in %s, %.120s in %s: one number cannot stand at both", a, unit, b,
             others);
  else
    snprintf(why, TD_MESSAGE_SIZE,
             "%.120s and %.120s are numbers of different kinds, each with a unit of its own: one number cannot stand "
             "at both",
             a, b);
  return false;
}

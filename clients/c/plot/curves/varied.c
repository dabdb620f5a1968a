// From the summary's job document: `vary` is a list of places, and the result holds the values of the k-th as the
// field vary[k]. A link, an actuator or a load is called by its name in the model document, an input by its channel
// with the unit.
#include "plot/curves/varied.h"

#include "plot/curves/channels.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const json_t *places_of(const recording *r) {
  return r->sweep ? json_object_get(json_object_get(r->summary, "job"), "vary") : NULL;
}

size_t varied_count(const recording *r) { return json_array_size(places_of(r)); }

const double *varied_values(const recording *r, size_t k) {
  char field[32];
  size_t columns = 0;
  snprintf(field, sizeof field, "vary[%zu]", k);
  const double *values = recording_field(r, field, &columns);
  return columns == 1 ? values : NULL;
}

static bool skip(const char **path, const char *prefix) {
  size_t length = strlen(prefix);
  bool same = strncmp(*path, prefix, length) == 0;
  if (same) *path += length;
  return same;
}

// The name of the entry that a path such as "links/0/body" begins with; moves the path behind it. NULL: it has none.
static const char *name_of_entry(const recording *r, const char **path) {
  size_t key = strcspn(*path, "/");
  char list[32], *end;
  if ((*path)[key] != '/' || key >= sizeof list) return NULL;
  snprintf(list, sizeof list, "%.*s", (int)key, *path);
  unsigned long index = strtoul(*path + key + 1, &end, 10);
  if (end == *path + key + 1 || *end != '/') return NULL;
  const json_t *entry = json_array_get(json_object_get(r->model, list), index);
  const char *name = json_string_value(json_object_get(entry, "name"));
  if (name) *path = end + 1;
  return name;
}

bool varied_together(const recording *r) {
  const char *mode = json_string_value(json_object_get(json_object_get(r->summary, "job"), "mode"));
  return r->sweep && mode && strcmp(mode, "zip") == 0;
}

// SI units of numbers of models that sweeps are mostly over, by the last word of their place.
static const char *unit_of(const char *path) {
  static const struct {
    const char *word, *unit;
  } units[] = {{"young", "Pa"},      {"shear", "Pa"},     {"density", "kg/m^3"}, {"viscosity", "Pa s"}, {"length", "m"},
               {"radius", "m"},      {"height", "m"},     {"width", "m"},        {"mass", "kg"},        {"t_end", "s"},
               {"base_radius", "m"}, {"tip_radius", "m"}, {"thickness", "m"},    {"gravity", "m/s^2"},  {"h", "s"}};
  size_t length = strlen(path);
  while (length > 0 && (path[length - 1] == '/' || (path[length - 1] >= '0' && path[length - 1] <= '9'))) --length;
  size_t start = length;
  while (start > 0 && path[start - 1] != '/') --start;
  for (size_t i = 0; i < sizeof units / sizeof *units; ++i)
    if (strlen(units[i].word) == length - start && strncmp(units[i].word, path + start, length - start) == 0)
      return units[i].unit;
  return "";
}

void varied_name(const recording *r, size_t k, char *name, size_t size) {
  const char *path = json_string_value(json_object_get(json_array_get(places_of(r), k), "path")), *entry = NULL;
  if (!path) path = "?";
  if (skip(&path, "/job/inputs/")) {
    const char *unit = channels_unit(channels_group(r, path));
    snprintf(name, size, strchr(path, '/') ? "%.60s" : "%.60s (%s)", path, unit);
  } else {
    if (skip(&path, "/model/")) entry = name_of_entry(r, &path);
    (void)(skip(&path, "/job/") || skip(&path, "/"));
    const char *unit = unit_of(path);
    int n = snprintf(name, size, "%.48s%s%.60s", entry ? entry : "", entry ? ": " : "", path);
    for (char *at = name; *at; ++at)
      if (*at == '/') *at = '.';
    if (*unit && n >= 0 && (size_t)n < size) snprintf(name + n, size - (size_t)n, " (%s)", unit);
  }
}

// "lower: body.length (m)": what stands before and behind the colon; the whole is `what` where there is none.
static void cut_name(const char *name, char *who, char *what, size_t size) {
  const char *colon = strstr(name, ": ");
  snprintf(who, size, "%.*s", colon ? (int)(colon - name) : 0, name);
  snprintf(what, size, "%.100s", colon ? colon + 2 : name);
}

static bool same_values(const double *a, const double *b, size_t count) {
  for (size_t i = 0; i < count; ++i)
    if (a[i] != b[i]) return false;
  return true;
}

void varied_axis(const recording *r, char *name, size_t size) {
  char first[128], who[128], what[128], names[128];
  varied_name(r, 0, first, sizeof first);
  snprintf(name, size, "%.120s", first);
  cut_name(first, names, what, sizeof what);
  for (size_t k = 1; k < varied_count(r); ++k) {
    char other[128], same[128];
    const double *a = varied_values(r, 0), *b = varied_values(r, k);
    varied_name(r, k, other, sizeof other);
    cut_name(other, who, same, sizeof same);
    size_t used = strlen(names);
    if (!a || !b || !*names || !*who || strcmp(same, what) != 0 || !same_values(a, b, r->samples)) return;
    snprintf(names + used, sizeof names - used, ", %.40s", who);
  }
  if (strlen(names) + strlen(what) < size && *names) snprintf(name, size, "%.60s: %.60s", names, what);
}

void varied_tell(const recording *r, char *line, size_t size) {
  size_t count = varied_count(r), used = strlen(line);
  if (varied_together(r) && count > 0) {
    char name[128], first[128];
    varied_name(r, 0, first, sizeof first), varied_axis(r, name, sizeof name);
    if (count == 1 || strcmp(name, first) != 0) {
      snprintf(line + used, size - used, " over %.100s", name);
      return;
    }
  }
  for (size_t k = 0; k < count && used < size; ++k) {
    char name[128];
    varied_name(r, k, name, sizeof name);
    const char *before = k == 0 ? " over " : k + 1 == count ? " and " : ", ";
    snprintf(line + used, size - used, "%s%.60s", before, name);
    used = strlen(line);
  }
}

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
  char field[24];
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

void varied_name(const recording *r, size_t k, char *name, size_t size) {
  const char *path = json_string_value(json_object_get(json_array_get(places_of(r), k), "path")), *entry = NULL;
  if (!path) path = "?";
  if (skip(&path, "/job/inputs/")) {
    const char *unit = channels_unit(channels_group(r, path));
    snprintf(name, size, strchr(path, '/') ? "%.60s" : "%.60s (%s)", path, unit);
  } else {
    if (skip(&path, "/model/")) entry = name_of_entry(r, &path);
    (void)(skip(&path, "/job/") || skip(&path, "/"));
    snprintf(name, size, "%.48s%s%.60s", entry ? entry : "", entry ? ": " : "", path);
  }
  for (char *at = name; *at; ++at)
    if (*at == '/' && !strchr(name, '(')) *at = '.';
}

void varied_tell(const recording *r, char *line, size_t size) {
  size_t count = varied_count(r), used = strlen(line);
  for (size_t k = 0; k < count && used < size; ++k) {
    char name[128];
    varied_name(r, k, name, sizeof name);
    const char *before = k == 0 ? " over " : k + 1 == count ? " and " : ", ";
    snprintf(line + used, size - used, "%s%.60s", before, name);
    used = strlen(line);
  }
}

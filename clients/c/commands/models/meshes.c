// A name is the value of an attribute `filename` or `file`. It is looked for in the folder of the description and in
// those above it, where "package://NAME/REST" may also mean REST; a MJCF has folders of its own beside it (`meshdir`).
#include "commands/models/meshes.h"
#include "base/base64.h"
#include "base/files.h"
#include "base/say.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { UPWARDS = 5, LONGEST = 1024, MOST_BYTES = 40 << 20 };

typedef struct search {
  const char *path; ///< of the description
  char folder[LONGEST];
  json_t *found;
  size_t bytes;
} search;

// The value of the next `attribute="…"` from `p` on, NULL: there is none. `out` is "" where the value is too long.
static const char *next_value(const char *p, const char *attribute, char out[LONGEST]) {
  size_t n = strlen(attribute);
  for (const char *begin = p; (p = strstr(p, attribute)) != NULL; p += n) {
    const char *at = p + n + strspn(p + n, " \t\r\n");
    if (*at != '=' || p == begin || !strchr(" \t\r\n", p[-1])) continue;
    at++;
    at += strspn(at, " \t\r\n");
    if (*at != '"' && *at != '\'') continue;
    const char *end = strchr(at + 1, *at);
    if (!end) return NULL;
    size_t size = (size_t)(end - at - 1);
    out[0] = '\0';
    if (size < LONGEST) memcpy(out, at + 1, size), out[size] = '\0';
    return end;
  }
  return NULL;
}

static const char *behind(const char *name, const char *head) {
  size_t n = strlen(head);
  return strncmp(name, head, n) == 0 ? name + n : NULL;
}

static char *existing(char *path) {
  if (file_exists(path)) return path;
  free(path);
  return NULL;
}

static char *look_upwards(const search *s, const char *folder, const char *rest) {
  char up[3 * UPWARDS + 1] = "", *found = NULL;
  for (int i = 0; i <= UPWARDS && !found; ++i) {
    char *name = must_format("%s%s%s%s", up, folder, *folder ? "/" : "", rest), *path = file_beside(s->path, name);
    free(name);
    found = existing(path);
    memcpy(up + 3 * i, i < UPWARDS ? "../" : "", i < UPWARDS ? 4 : 1);
  }
  return found;
}

// The path of a file, NULL: it is nowhere.
static char *find(const search *s, const char *name) {
  const char *package = behind(name, "package://"), *file = behind(name, "file://");
  if (!package) package = behind(name, "model://");
  if (file || *name == '/') return existing(must_copy(file ? file : name));
  const char *rest = package ? strchr(package, '/') : NULL;
  char *found = look_upwards(s, "", package ? package : name);
  if (!found && rest) found = look_upwards(s, "", rest + 1);
  if (!found && !package && *s->folder) found = look_upwards(s, s->folder, name);
  return found;
}

static bool add(search *s, const char *name) {
  if (!(file_has_extension(name, ".stl") || file_has_extension(name, ".STL") || file_has_extension(name, ".obj") ||
        file_has_extension(name, ".OBJ")))
    return true;
  char *path = json_object_get(s->found, name) ? NULL : find(s, name);
  size_t size = 0;
  char *bytes = path ? file_read(path, &size) : NULL;
  bool good = !path || bytes;
  if (bytes && s->bytes + size > MOST_BYTES) {
    say_note("%s is not sent: all meshes together are more than %d MiB", path, MOST_BYTES >> 20);
  } else if (bytes) {
    char *text = must_alloc(size / 3 * 4 + 5);
    s->bytes += size;
    good =
        json_object_set_new(s->found, name, json_stringn(text, base64_encode((unsigned char *)bytes, size, text))) == 0;
    free(text);
  }
  free(bytes);
  free(path);
  return good;
}

bool meshes_add(json_t *request, const char *path, const char *text) {
  static const char *const attributes[] = {"filename", "file"};
  search s = {.path = path, .found = json_object()};
  char name[LONGEST];
  bool good = true;
  if (!next_value(text, "meshdir", s.folder)) s.folder[0] = '\0';
  for (size_t a = 0; a < 2; ++a)
    for (const char *p = text; good && (p = next_value(p, attributes[a], name));) good = add(&s, name);
  if (good && json_object_size(s.found) > 0) return json_object_set_new(request, "meshes", s.found) == 0;
  json_decref(s.found);
  return good;
}

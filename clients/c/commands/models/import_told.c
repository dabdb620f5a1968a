// A server knows no files and no options: it says "line 4: …" of /urdf, and advises "stops": "none".
#include "commands/models/import_told.h"
#include "base/files.h"
#include "base/say.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 1600, LINES_SHOWN = 6 };

static const char *const words[] = {"base", "actuators", "inertia", "stops", "view", "name", "ground"};
enum { WORDS = sizeof words / sizeof *words };

// ------------------------------------------------------------------------------------------------ words

// How long "KEY": "VALUE" (or true) at `text` is, as --KEY VALUE in `out`; 0: it is none.
static size_t option_at(const char *text, char out[128]) {
  char key[16], value[64];
  int used = 0;
  if (sscanf(text, "\"%15[a-z]\": \"%63[a-z_]\"%n", key, value, &used) != 2 || used == 0) {
    used = 0;
    if (sscanf(text, "\"%15[a-z]\": true%n", key, &used) != 1 || used == 0) return 0;
    *value = '\0';
  }
  for (size_t i = 0; i < WORDS; ++i)
    if (strcmp(words[i], key) == 0) return snprintf(out, 128, "--%s%s%s", key, *value ? " " : "", value), (size_t)used;
  return 0;
}

static const char *with_options(const char *text, char out[TEXT]) {
  char option[128];
  size_t n = 0;
  while (*text && n + sizeof option < TEXT) {
    size_t used = *text == '"' ? option_at(text, option) : 0;
    if (used > 0)
      n += (size_t)snprintf(out + n, TEXT - n, "%s", option), text += used;
    else
      out[n++] = *text++;
  }
  out[n] = '\0';
  return out;
}

// ------------------------------------------------------------------------------------------------ remarks

static long long line_of(const json_t *place) { return json_integer_value(json_object_get(place, "line")); }

// ", and 3 more (lines 13, 14)"
static void write_others(const json_t *places, char *out, size_t size) {
  size_t count = json_array_size(places), n = 0;
  long long last = 0;
  int shown = 0;
  *out = '\0';
  if (count < 2) return;
  n = (size_t)snprintf(out, size, ", and %zu more", count - 1);
  for (size_t i = 1; i < count && n + 32 < size; ++i) {
    long long line = line_of(json_array_get(places, i));
    if (line == 0 || line == last) continue;
    last = line;
    if (++shown > LINES_SHOWN) break;
    n += (size_t)snprintf(out + n, size - n, shown == 1 ? " (also at %lld" : ", %lld", line);
  }
  if (shown > 0) snprintf(out + n, size - n, shown > LINES_SHOWN ? ", …)" : ")");
}

static void say_remark(const char *path, const json_t *remark) {
  char detail[TEXT], safe[TEXT], what[512], others[160];
  const json_t *places = json_object_get(remark, "places"), *first = json_array_get(places, 0);
  const char *said = json_string_value(json_object_get(remark, "detail"));
  const char *of = json_string_value(json_object_get(first, "what"));
  say_safe(safe, sizeof safe, with_options(said ? said : "", detail));
  say_safe(what, sizeof what, of ? of : "");
  write_others(places, others, sizeof others);
  if (line_of(first) > 0)
    say_note("%s:%lld: %s%s: %s", path, line_of(first), what, others, safe);
  else
    say_note("%s%s: %s", what, others, safe);
}

void import_say_remarks(const char *path, const json_t *remarks) {
  for (size_t i = 0; i < json_array_size(remarks); ++i) say_remark(path, json_array_get(remarks, i));
}

// ------------------------------------------------------------------------------------------------ errors

static const char *rest_after(const char *pointer, const char *begin) {
  size_t n = strlen(begin);
  bool within = strncmp(pointer, begin, n) == 0 && (pointer[n] == '/' || pointer[n] == '\0');
  return within ? pointer + n : NULL;
}

// Of a description: "line 4: …".
static void say_described(const char *path, const char *detail) {
  char text[TEXT];
  int line = 0, used = 0;
  bool has_line = sscanf(detail, "line %d: %n", &line, &used) == 1 && used > 0;
  with_options(detail + (has_line ? used : 0), text);
  if (has_line)
    say_error("%s:%d: %s", path, line, text);
  else
    say_error("%s: %s", path, text);
}

static void say_of_document(const tendril_error *err, const char *path, const char *rest) {
  tendril_error own = *err;
  size_t size = 0;
  char *bytes = path ? file_read(path, &size) : NULL;
  memmove(own.pointer, own.pointer + (rest - err->pointer), strlen(rest) + 1);
  if (bytes)
    (void)report_in(&own, path, bytes, size);
  else
    (void)report(err);
  free(bytes);
}

// Of an attachment: its file, or one of the words that go with it.
static bool say_attached(const tendril_error *err, const options *o) {
  static const char *const said[][2] = {{"/parent", "--at"}, {"/prefix", "--prefix"}, {"/pose", "--xyz and --rpy"}};
  int number = 0, used = 0;
  if (sscanf(err->pointer, "/attach/%d%n", &number, &used) != 1 || used == 0 || number < 0) return false;
  const char *at = err->pointer + used, *path = options_nth(o, "attach", number), *rest = rest_after(at, "/model");
  if (rest) return say_of_document(err, path, rest), true;
  for (size_t i = 0; i < sizeof said / sizeof *said; ++i)
    if (rest_after(at, said[i][0]))
      return say_error("%s of %s: %s", said[i][1], path ? path : "--attach", err->detail), true;
  return false;
}

// False: what is wrong is none of these.
static bool say_known(const tendril_error *err, const options *o) {
  static const char *const formats[] = {"/urdf", "/mjcf", "/usd"};
  const char *path = o->positional[0], *rest = rest_after(err->pointer, "/model");
  for (size_t i = 0; i < sizeof formats / sizeof *formats; ++i)
    if (rest_after(err->pointer, formats[i])) return say_described(path, err->detail), true;
  if (rest) return say_of_document(err, path, rest), true;
  for (size_t i = 0; i < WORDS; ++i)
    if (*err->pointer == '/' && strcmp(err->pointer + 1, words[i]) == 0)
      return say_error("--%s: %s", words[i], err->detail), true;
  return say_attached(err, o);
}

int import_report(const tendril_error *err, const options *o) {
  if (err->http != 400) return report(err);
  for (int i = 0; i < error_count(err); ++i) {
    tendril_error one = error_alone(err, i);
    if (!say_known(&one, o)) (void)report(&one);
  }
  return EXIT_FAILED;
}

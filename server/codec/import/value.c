// Values of attributes. Beside JSON's numbers "+1", ".5", "1." and "007" are numbers, as they are for the readers of
// ROS.
#include "codec/import/value.h"
#include "codec/json/number.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *name_of(const xml_element *e) {
  for (size_t i = 0; i < e->attribute_count; i++)
    if (strcmp(e->attributes[i].name, "name") == 0) return e->attributes[i].value;
  return "";
}

// What an element belongs to: in a URDF the link or joint that it stands in, elsewhere the nearest that has a name.
static const xml_element *owner_of(const xml_element *e) {
  const xml_element *top = e, *root = e;
  while (root->parent) root = root->parent;
  bool flat = strcmp(root->name, "robot") == 0;
  while (top->parent && top->parent->parent && (flat || !*name_of(top))) top = top->parent;
  return top;
}

const char *import_whose(const xml_element *e, char text[REMARK_TEXT_SIZE]) {
  const xml_element *top = owner_of(e);
  int wanted;
  if (!e->parent || !*name_of(top))
    wanted = snprintf(text, REMARK_TEXT_SIZE, "<%s>", e->name);
  else if (top == e)
    wanted = snprintf(text, REMARK_TEXT_SIZE, "%s \"%s\"", e->name, name_of(e));
  else
    wanted = snprintf(text, REMARK_TEXT_SIZE, "<%s> of %s \"%s\"", e->name, top->name, name_of(top));
  remark_trim(text, wanted);
  return text;
}

td_status import_fail(const import_reader *r, const xml_element *e, const char *format, ...) {
  char what[TD_MESSAGE_SIZE], whose[REMARK_TEXT_SIZE];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(what, sizeof what, format, arguments);
  va_end(arguments);
  return td_fail(r->err, TD_INVALID_ARGUMENT, r->pointer, "line %d: %.200s: %s", e->line, import_whose(e, whose), what);
}

td_status import_one(const import_reader *r, xml_element *e, const char *name, xml_element **child) {
  *child = xml_child(e, name);
  const xml_element *second = *child ? xml_sibling(*child) : NULL;
  return second ? import_fail(r, second, "there is one in line %d already", (*child)->line) : TD_OK;
}

td_status import_need(const import_reader *r, xml_element *e, const char *name, xml_element **child) {
  td_status status = import_one(r, e, name, child);
  if (status || *child) return status;
  return import_fail(r, e, "it has no <%s>", name);
}

// xacro's expressions and substitutions; in a finished URDF no value has them.
static bool is_macro(const char *text) { return strstr(text, "${") || strstr(text, "$("); }

td_status import_text(const import_reader *r, xml_element *e, const char *attribute, const char **text) {
  *text = xml_attribute_of(e, attribute);
  if (!*text) return import_fail(r, e, "it has no attribute \"%s\"", attribute);
  if (is_macro(*text))
    return import_fail(r, e, "%s=\"%.60s\" is xacro; run xacro first: xacro robot.xacro > robot.urdf", attribute,
                       *text);
  return **text ? TD_OK : import_fail(r, e, "its attribute \"%s\" is empty", attribute);
}

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

static td_status wrong_number(const import_reader *r, const xml_element *e, const char *attribute, const char *text,
                              size_t least, size_t most) {
  static const char *const words[] = {"no", "one", "two", "three", "four", "five", "six"};
  if (is_macro(text))
    return import_fail(r, e, "%s=\"%.60s\" is xacro; run xacro first: xacro robot.xacro > robot.urdf", attribute, text);
  if (least != most || most > 6)
    return import_fail(r, e, "%s=\"%.60s\" is not %zu to %zu finite numbers", attribute, text, least, most);
  return import_fail(r, e, "%s=\"%.60s\" is not %s finite number%s", attribute, text, words[most],
                     most == 1 ? "" : "s");
}

size_t import_number(const char *p, double *x) {
  char text[64];
  size_t length = 0, n = 0;
  while (p[length] && !is_blank(p[length]) && p[length] != '/') length++;
  if (length == 0 || length > 48) return 0;
  const char *from = p, *end = p + length;
  if (*from == '-')
    text[n++] = *from++;
  else if (*from == '+')
    from++;
  while (from + 1 < end && from[0] == '0' && from[1] >= '0' && from[1] <= '9') from++;
  if (*from == '.') text[n++] = '0';
  for (; from < end; from++) {
    text[n++] = *from;
    bool bare = *from == '.' && (from + 1 == end || from[1] == 'e' || from[1] == 'E');
    if (bare && from > p && from[-1] >= '0' && from[-1] <= '9') n--; // "1." and "1.e5" as 1 and 1e5
  }
  return codec_number_read(text, text + n, x) == n && isfinite(*x) ? length : 0;
}

td_status import_numbers_of(const import_reader *r, const xml_element *e, const char *attribute, const char *text,
                            size_t least, size_t most, double *numbers, size_t *count) {
  const char *p = text;
  size_t n = 0;
  for (;;) {
    while (is_blank(*p)) p++;
    if (!*p) break;
    double x;
    size_t used = n < most ? import_number(p, &x) : 0;
    if (used == 0 || p[used] == '/') return wrong_number(r, e, attribute, text, least, most);
    numbers[n++] = x;
    p += used;
  }
  if (n < least) return wrong_number(r, e, attribute, text, least, most);
  if (count) *count = n;
  return TD_OK;
}

td_status import_numbers(const import_reader *r, xml_element *e, const char *attribute, bool needed, size_t count,
                         double *numbers) {
  const char *text = xml_attribute_of(e, attribute);
  if (!text) return needed ? import_fail(r, e, "it has no attribute \"%s\"", attribute) : TD_OK;
  return import_numbers_of(r, e, attribute, text, count, count, numbers, NULL);
}

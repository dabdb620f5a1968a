// Elements and attributes of a URDF as values: numbers, vectors, origins. What is wrong is said with line and element.
#include "codec/import/urdf_parts.h"
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

const char *urdf_whose(const xml_element *e, char text[REMARK_TEXT_SIZE]) {
  const xml_element *top = e;
  while (top->parent && top->parent->parent) top = top->parent;
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

td_status urdf_fail(const urdf_reader *r, const xml_element *e, const char *format, ...) {
  char what[TD_MESSAGE_SIZE], whose[REMARK_TEXT_SIZE];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(what, sizeof what, format, arguments);
  va_end(arguments);
  return td_fail(r->err, TD_INVALID_ARGUMENT, URDF_POINTER, "line %d: %.200s: %s", e->line, urdf_whose(e, whose), what);
}

td_status urdf_one(const urdf_reader *r, xml_element *e, const char *name, xml_element **child) {
  *child = xml_child(e, name);
  const xml_element *second = *child ? xml_sibling(*child) : NULL;
  return second ? urdf_fail(r, second, "there is one in line %d already", (*child)->line) : TD_OK;
}

td_status urdf_need(const urdf_reader *r, xml_element *e, const char *name, xml_element **child) {
  td_status status = urdf_one(r, e, name, child);
  if (status || *child) return status;
  return urdf_fail(r, e, "it has no <%s>", name);
}

// xacro's expressions and substitutions; in a finished URDF no value has them.
static bool is_macro(const char *text) { return strstr(text, "${") || strstr(text, "$("); }

td_status urdf_text(const urdf_reader *r, xml_element *e, const char *attribute, const char **text) {
  *text = xml_attribute_of(e, attribute);
  if (!*text) return urdf_fail(r, e, "it has no attribute \"%s\"", attribute);
  if (is_macro(*text))
    return urdf_fail(r, e, "%s=\"%.60s\" is xacro; run xacro first: xacro robot.xacro > robot.urdf", attribute, *text);
  return **text ? TD_OK : urdf_fail(r, e, "its attribute \"%s\" is empty", attribute);
}

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

static td_status wrong_number(const urdf_reader *r, const xml_element *e, const char *attribute, const char *text,
                              size_t count) {
  if (is_macro(text))
    return urdf_fail(r, e, "%s=\"%.60s\" is xacro; run xacro first: xacro robot.xacro > robot.urdf", attribute, text);
  return urdf_fail(r, e,
                   count == 1 ? "%s=\"%.60s\" is not one finite number" : "%s=\"%.60s\" is not three finite numbers",
                   attribute, text);
}

// Beside JSON's numbers "+1", ".5", "1." and "007" are numbers, as they are for the readers of ROS.
static size_t read_one(const char *p, double *x) {
  char text[64];
  size_t length = 0, n = 0;
  while (p[length] && !is_blank(p[length])) length++;
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

td_status urdf_numbers(const urdf_reader *r, xml_element *e, const char *attribute, bool needed, size_t count,
                       double *numbers) {
  const char *text = xml_attribute_of(e, attribute), *p = text;
  if (!text) return needed ? urdf_fail(r, e, "it has no attribute \"%s\"", attribute) : TD_OK;
  for (size_t i = 0; i < count; i++) {
    while (is_blank(*p)) p++;
    size_t used = read_one(p, &numbers[i]);
    if (used == 0) return wrong_number(r, e, attribute, text, count);
    p += used;
  }
  while (is_blank(*p)) p++;
  return *p ? wrong_number(r, e, attribute, text, count) : TD_OK;
}

td_status urdf_origin_of(const urdf_reader *r, xml_element *e, urdf_origin *origin) {
  xml_element *at;
  *origin = (urdf_origin){.xyz = {0}};
  td_status status = urdf_one(r, e, "origin", &at);
  if (status || !at) return status;
  if (xml_attribute_of(at, "quat_xyzw")) return urdf_fail(r, at, "quat_xyzw is not read; write rpy=\"roll pitch yaw\"");
  status = urdf_numbers(r, at, "xyz", false, 3, origin->xyz);
  return status ? status : urdf_numbers(r, at, "rpy", false, 3, origin->rpy);
}

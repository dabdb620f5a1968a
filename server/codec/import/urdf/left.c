// What of a URDF found no place in a model: each element, attribute and text that no reader has asked for, with its
// line. An element that was not read stands for all within it.
#include "codec/import/urdf/parts.h"

#include <stdio.h>
#include <string.h>

typedef struct left_row {
  const char *name, *detail;
} left_row;

static const left_row ELEMENTS[] = {
    {"visual", "is left out: \"view\": \"none\" was asked for; the body is drawn by its inertia"},
    {"texture", "is left out: bodies are drawn in one colour"},
    {"collision", "is left out: a body with mass touches with one shape; give it a `collision` that holds all of them, "
                  "and name it in "
                  "`contacts`"},
    {"material", "is left out: a colour that nothing drawn has"},
    {"mimic",
     "is left out: no joint follows another by itself; drive both, or prescribe both (\"mode\": \"position\")"},
    {"limit", "is left out: this joint has no end, or \"stops\": \"none\" was asked for; inputs have no bounds, "
              "keep what you command within it"},
    {"safety_controller", "is left out: limits of a controller"},
    {"calibration", "is left out: it is about the real robot's sensors"},
    {"transmission", "is left out: an actuator of a model is a joint's own force, behind all gears"},
    {"gazebo", "is left out: it is for another simulator"},
    {"sensor", "is left out: models have no sensors; ask a run for what they would see (output.fields)"},
    {"ros2_control", "is left out: it is for another program"},
    {"dynamics", "is left out: a fixed joint does not move"},
    {"axis", "is left out: this joint has no axis"},
};
static const left_row ATTRIBUTES[] = {
    {"effort", "is left out: inputs and controllers have no bounds here; keep what you command within it"},
    {"velocity", "is left out: inputs and controllers have no bounds here; keep what you command within it"},
};
static const char UNKNOWN_ELEMENT[] = "is left out: it is no part of URDF that Tendril knows";
static const char UNKNOWN_ATTRIBUTE[] = "is left out: no attribute of URDF that Tendril knows";
static const char TEXT[] = "is left out: text between elements";

// An element without others within it is told with what it says: <limit lower="-1" upper="1"> of joint "elbow".
static void write_element(const xml_element *e, char text[REMARK_TEXT_SIZE]) {
  char whose[REMARK_TEXT_SIZE], said[REMARK_TEXT_SIZE] = "";
  size_t n = 0;
  import_whose(e, whose);
  for (size_t i = 0; !e->first && i < e->attribute_count && n < sizeof said; i++)
    n += (size_t)snprintf(said + n, sizeof said - n, " %s=\"%s\"", e->attributes[i].name, e->attributes[i].value);
  size_t head = *whose == '<' ? strcspn(whose, ">") : 0;
  if (n == 0 || n >= sizeof said || head == 0)
    memcpy(text, whose, REMARK_TEXT_SIZE);
  else
    remark_trim(text, snprintf(text, REMARK_TEXT_SIZE, "%.*s%s%s", (int)head, whose, said, whose + head));
}

static void tell_element(const import_reader *r, const xml_element *e) {
  char text[REMARK_TEXT_SIZE];
  const char *detail = UNKNOWN_ELEMENT;
  for (size_t i = 0; i < sizeof ELEMENTS / sizeof *ELEMENTS; i++)
    if (strcmp(e->name, ELEMENTS[i].name) == 0) detail = ELEMENTS[i].detail;
  write_element(e, text);
  remark_add(r->remarks, detail, e->line, "%s", text);
}

static const char *of_attribute(const xml_element *e, const char *name) {
  for (size_t i = 0; strcmp(e->name, "limit") == 0 && i < sizeof ATTRIBUTES / sizeof *ATTRIBUTES; i++)
    if (strcmp(name, ATTRIBUTES[i].name) == 0) return ATTRIBUTES[i].detail;
  return UNKNOWN_ATTRIBUTE;
}

static void tell_rest(const import_reader *r, const xml_element *e) {
  char whose[REMARK_TEXT_SIZE];
  for (size_t i = 0; i < e->attribute_count; i++)
    if (!e->attributes[i].read && strncmp(e->attributes[i].name, "xmlns", 5) != 0)
      remark_add(r->remarks, of_attribute(e, e->attributes[i].name), e->line, "%s=\"%s\" in %s", e->attributes[i].name,
                 e->attributes[i].value, import_whose(e, whose));
  if (e->text_line) remark_add(r->remarks, TEXT, e->text_line, "text in %s", import_whose(e, whose));
}

void urdf_tell_left(const import_reader *r, const xml_element *root) {
  for (const xml_element *e = root; e; e = e->following) {
    if (e->read)
      tell_rest(r, e);
    else if (e->parent->read)
      tell_element(r, e);
  }
}

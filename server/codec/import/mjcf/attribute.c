// Attributes of MJCF: what an element does not say its class of defaults may, or a class around that.
#include "codec/import/mjcf/parts.h"

#include <string.h>

static bool is_drive(const char *name) {
  static const char *const words[] = {"general",     "motor",  "position", "velocity",
                                      "intvelocity", "damper", "cylinder", "muscle"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strcmp(name, words[i]) == 0) return true;
  return false;
}

static const mjcf_default *default_at(const mjcf *m, const xml_element *e) {
  for (size_t i = 0; i < m->default_count; i++)
    if (m->defaults[i].element == e) return &m->defaults[i];
  return NULL;
}

td_status mjcf_read_defaults(mjcf *m) {
  m->defaults = arena_array(m->r->memory, MJCF_MAX_DEFAULTS, sizeof *m->defaults);
  if (!m->defaults) return td_fail(m->r->err, TD_NO_MEMORY, m->r->pointer, "no memory for the defaults");
  for (xml_element *e = m->root->first; e; e = e->following) {
    if (strcmp(e->name, "default") != 0) continue;
    const mjcf_default *parent = default_at(m, e->parent);
    if (e->parent != m->root && !parent) continue;
    if (m->default_count == MJCF_MAX_DEFAULTS)
      return td_fail(m->r->err, TD_LIMIT, m->r->pointer, "line %d: more than %d of <default>", e->line,
                     (int)MJCF_MAX_DEFAULTS);
    const char *name = xml_attribute_of(e, "class");
    if (!name && parent) return import_fail(m->r, e, "it has no attribute \"class\"");
    e->read = true;
    m->defaults[m->default_count++] = (mjcf_default){.name = name ? name : "main", .element = e, .parent = parent};
  }
  return TD_OK;
}

static td_status named(const mjcf *m, xml_element *e, const char *name, const mjcf_default **found) {
  for (size_t i = 0; i < m->default_count; i++)
    if (strcmp(m->defaults[i].name, name) == 0) return *found = &m->defaults[i], TD_OK;
  return import_fail(m->r, e, "class=\"%.60s\": there is no <default> of that class", name);
}

td_status mjcf_class_of(const mjcf *m, xml_element *e, const mjcf_default **found) {
  const char *name = xml_attribute_of(e, "class");
  *found = m->default_count > 0 ? &m->defaults[0] : NULL;
  for (xml_element *around = e->parent; around && !name; around = around->parent)
    if (strcmp(around->name, "body") == 0) name = xml_attribute_of(around, "childclass");
  return name ? named(m, e, name, found) : TD_OK;
}

static const char *of_default(const mjcf_default *d, const char *element, const char *attribute) {
  bool drive = is_drive(element);
  for (xml_element *child = d->element->first; child; child = child->next) {
    if (strcmp(child->name, element) != 0 && !(drive && is_drive(child->name))) continue;
    child->read = true;
    const char *value = xml_attribute_of(child, attribute);
    if (value) return value;
  }
  return NULL;
}

td_status mjcf_attribute(const mjcf *m, xml_element *e, const char *name, const char **value) {
  const mjcf_default *d;
  td_status status = mjcf_class_of(m, e, &d);
  *value = status ? NULL : xml_attribute_of(e, name);
  for (; !status && !*value && d; d = d->parent) *value = of_default(d, e->name, name);
  return status;
}

td_status mjcf_numbers(const mjcf *m, xml_element *e, const char *name, size_t least, size_t most, double *x,
                       size_t *count) {
  const char *text;
  td_status status = mjcf_attribute(m, e, name, &text);
  if (count) *count = 0;
  return status || !text ? status : import_numbers_of(m->r, e, name, text, least, most, x, count);
}

td_status mjcf_flag(const mjcf *m, xml_element *e, const char *name, int *flag) {
  const char *text;
  td_status status = mjcf_attribute(m, e, name, &text);
  if (status || !text) return status;
  if (strcmp(text, "true") == 0) return *flag = 1, TD_OK;
  if (strcmp(text, "false") == 0) return *flag = 0, TD_OK;
  if (strcmp(text, "auto") == 0) return *flag = -1, TD_OK;
  return import_fail(m->r, e, "%s=\"%.40s\" is none of true, false, auto", name, text);
}

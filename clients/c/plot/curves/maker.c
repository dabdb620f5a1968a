// Panels grow from left to right of a result's columns: the first of a unit opens a panel, others of it join.
#include "plot/curves/maker.h"

#include "base/say.h"
#include "plot/curves/varied.h"
#include <stdio.h>
#include <string.h>

double *maker_hold(maker *m, double *values) {
  if (values) m->list->held[m->list->held_count++] = values;
  return values;
}

panel *maker_add(maker *m, const char *title, const char *unit) {
  if (m->list->count == PANEL_LIMIT) return NULL;
  panel *p = must_alloc(sizeof *p);
  p->samples = m->r->samples;
  p->dots = m->r->statics;
  p->linked = varied_count(m->r) < 2 || varied_together(m->r);
  snprintf(p->title, sizeof p->title, "%.95s", title);
  snprintf(p->unit, sizeof p->unit, "%.15s", unit);
  return m->list->panel[m->list->count++] = p;
}

panel *maker_of_unit(maker *m, int first, const char *title, const char *unit) {
  for (int i = first; i < m->list->count; ++i)
    if (strcmp(m->list->panel[i]->title, title) == 0 && strcmp(m->list->panel[i]->unit, unit) == 0)
      return m->list->panel[i];
  return maker_add(m, title, unit);
}

curve *maker_curve(panel *p, const double *y, size_t stride, colour paint, const char *label) {
  if (p->count == CURVE_LIMIT) return NULL;
  curve *k = &p->curves[p->count++];
  *k = (curve){.y = y, .stride = stride, .paint = paint, .line_width = 1.7};
  snprintf(k->label, sizeof k->label, "%.39s", label);
  return k;
}

curve *maker_named(panel *p, const double *y, size_t stride, const char *label) {
  int i = p->count;
  curve *k = maker_curve(p, y, stride, colour_of_curve(i), label);
  if (k) k->dashed = i / COLOUR_CURVES % 2 == 1 && !(p->dots && p->samples == 1); // no bar is dashed
  return k;
}

bool maker_columns(maker *m, const char *field, const char *title, const char *unit, const char *names) {
  size_t columns;
  const double *y = recording_field(m->r, field, &columns);
  panel *p = y ? maker_add(m, title, unit) : NULL;
  for (size_t i = 0; p && i < columns; ++i) {
    char plain[48];
    snprintf(plain, sizeof plain, "%.24s[%zu]", field, i);
    const char *name = names ? recording_name(m->r, names, i) : NULL;
    maker_named(p, y + i, columns, name ? name : columns > 1 ? plain : "");
  }
  return p != NULL;
}

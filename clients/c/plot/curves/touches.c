// Touches that never are in contact have no curve: of many pairs few meet.
#include "plot/curves/touches.h"

#include "base/say.h"
#include <math.h>

enum { OF_TOUCH = 3, DEPTH = 0, PRESSED = 1 };

static bool acts(const recording *r, const double *column, size_t stride) {
  for (size_t i = 0; i < r->samples; ++i)
    if (isfinite(column[i * stride]) && column[i * stride] != 0) return true;
  return false;
}

static bool add_panel(maker *m, const double *values, size_t columns, size_t first, const char *title,
                      const char *unit) {
  panel *p = maker_add(m, title, unit);
  bool any = false;
  for (size_t i = first; p && i < columns; i += OF_TOUCH) {
    const char *name = recording_name(m->r, "contacts", i / OF_TOUCH);
    if (!acts(m->r, values + i, columns)) continue;
    maker_named(p, values + i, columns, name ? name : "");
    any = true;
  }
  if (p && !any) {
    const char *name = columns == OF_TOUCH ? recording_name(m->r, "contacts", 0) : NULL;
    maker_named(p, values + first, columns, name ? name : "nothing touches");
  }
  return p != NULL;
}

static double *sizes_of(const double *force, size_t columns, size_t samples) {
  double *sizes = must_alloc(columns * samples * sizeof *sizes);
  for (size_t i = 0; i < columns * samples; i += OF_TOUCH)
    sizes[i] = hypot(hypot(force[i], force[i + 1]), force[i + 2]);
  return sizes;
}

bool touches_make(maker *m) {
  size_t columns;
  const double *touch = recording_field(m->r, "contacts", &columns);
  if (touch && columns >= OF_TOUCH)
    return add_panel(m, touch, columns, PRESSED, "contacts: normal force", "N") &&
           add_panel(m, touch, columns, DEPTH, "contacts: depth", "m");
  const double *force = recording_field(m->r, "contact_force", &columns);
  if (!force || columns < OF_TOUCH) return false;
  return add_panel(m, maker_hold(m, sizes_of(force, columns, m->r->samples)), columns, 0, "contacts: force", "N");
}

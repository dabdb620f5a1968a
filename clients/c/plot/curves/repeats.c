// Constant is what moves by less than rounding of its own size, or than what its panel takes as still.
#include "plot/curves/repeats.h"

#include "plot/curves/varied.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double ROUNDING = 1e-9;

static bool same(const double *a, size_t stride, const double *b, size_t count) {
  for (size_t i = 0; i < count; ++i)
    if (a[i * stride] != b[i]) return false;
  return true;
}

bool repeats_varied(const maker *m) {
  const double *only = varied_count(m->r) == 1 ? varied_values(m->r, 0) : NULL;
  return m->list->kin.value || (only && only == m->list->x);
}

static bool is_constant(const double *y, size_t stride, size_t count, double still) {
  double low = INFINITY, high = -INFINITY;
  for (size_t i = 0; i < count; ++i)
    if (isfinite(y[i * stride])) low = fmin(low, y[i * stride]), high = fmax(high, y[i * stride]);
  return !(high - low > fmax(2 * still, ROUNDING * fmax(fabs(low), fabs(high))));
}

bool repeats_inputs(const maker *m) {
  size_t columns = 0, samples = m->r->samples;
  const double *u = repeats_varied(m) ? recording_field(m->r, "u", &columns) : NULL;
  bool any = false;
  for (size_t i = 0; u && i < columns; ++i) {
    bool told = is_constant(u + i, columns, samples, 0);
    for (size_t k = 0; k < varied_count(m->r) && !told; ++k) {
      const double *values = varied_values(m->r, k);
      told = any = values && same(u + i, columns, values, samples);
    }
    if (!told) return false;
  }
  return any;
}

// ------------------------------------------------------------------------------------------------ constants

static bool is_still(const panel *p) {
  for (int k = 0; k < p->count; ++k)
    if (p->curves[k].scattered || !is_constant(p->curves[k].y, p->curves[k].stride, p->samples, p->still)) return false;
  return p->count > 0 && p->samples > 1 && !p->own_axis && p->mark_count == 0;
}

static double first_of(const panel *p, int k) {
  for (size_t i = 0; i < p->samples; ++i)
    if (isfinite(p->curves[k].y[i * p->curves[k].stride])) return p->curves[k].y[i * p->curves[k].stride];
  return NAN;
}

static double shown(const panel *p, int k) { return fabs(first_of(p, k)) <= p->still ? 0 : first_of(p, k); }

// "joint torques 0 N m", or "tensions: left 2 N, right 0 N".
static void tell(const panel *p, char *out, size_t size) {
  const char *end = strstr(p->title, " u"), *behind = end && end[2] == '\0' ? end : p->title + strlen(p->title);
  bool alike = true, named = true;
  for (int k = 1; k < p->count; ++k) alike = alike && shown(p, k) == shown(p, 0);
  for (int k = 0; k < p->count; ++k) named = named && p->curves[k].label[0];
  int n = snprintf(out, size, "%.*s", (int)(behind - p->title), p->title);
  for (int k = 0; k < (alike || !named ? 1 : p->count) && (size_t)n < size; ++k)
    n += snprintf(out + n, size - (size_t)n, "%s%s%.39s %.4g%s%s",
                  k                 ? ","
                  : alike || !named ? ""
                                    : ":",
                  alike || !named ? "" : " ", alike || !named ? "" : p->curves[k].label, shown(p, k),
                  *p->unit ? " " : "", p->unit);
}

void repeats_fold(panel_list *list) {
  int still = 0, kept = 0;
  for (int i = 0; i < list->count; ++i) still += is_still(list->panel[i]);
  if (still == 0 || still == list->count) return;
  int n = snprintf(list->folded, sizeof list->folded, "constant: ");
  for (int i = 0; i < list->count; ++i) {
    panel *p = list->panel[i];
    char text[200];
    if (!is_still(p)) {
      list->panel[kept++] = p;
      continue;
    }
    tell(p, text, sizeof text);
    if ((size_t)n < sizeof list->folded)
      n += snprintf(list->folded + n, sizeof list->folded - (size_t)n, "%s%s", n > 10 ? "; " : "", text);
    free(p);
  }
  list->count = kept;
}

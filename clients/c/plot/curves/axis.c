// A statics list in which one input alone rises or falls is drawn over that input, a sweep over the number that it varied
// (by powers of ten where values rise by equal factors), of all combinations of several numbers over the one with most
// values (family.h), a line for each combination of the others; the rest over the problem's or the job's number.
#include "plot/curves/axis.h"

#include "base/say.h"
#include "plot/curves/channels.h"
#include "plot/curves/family.h"
#include "plot/curves/varied.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static bool varies(const double *u, size_t samples, size_t stride) {
  for (size_t i = 1; i < samples; ++i)
    if (u[i * stride] != u[0]) return true;
  return false;
}

// Equal factors over more than half a power of ten.
static bool by_factors(const double *x, size_t count) {
  if (count < 3 || !(x[0] > 0) || !(x[count - 1] > 0)) return false;
  double whole = log(x[count - 1] / x[0]), each = whole / (double)(count - 1);
  if (!(fabs(whole) > log(3))) return false;
  for (size_t i = 1; i < count; ++i)
    if (!(x[i] > 0) || !(fabs(log(x[i] / x[i - 1]) - each) < 0.02 * fabs(each))) return false;
  return true;
}

// The only input that changes, when it changes one way: its column, else -1.
static long only_input(const recording *r, const double *u, size_t columns) {
  long found = -1;
  for (size_t k = 0; u && k < columns; ++k) {
    if (!varies(u + k, r->samples, columns)) continue;
    if (found >= 0 || !family_one_way(u + k, r->samples, columns)) return -1;
    found = (long)k;
  }
  return found;
}

static bool choose_varied(maker *m) {
  panel_list *list = m->list;
  bool one = varied_count(m->r) == 1 || varied_together(m->r);
  const double *values = one && varied_count(m->r) > 0 ? varied_values(m->r, 0) : NULL;
  if (!values || m->r->samples < 2 || !family_one_way(values, m->r->samples, 1)) return false;
  list->x = values;
  list->log_x = by_factors(values, m->r->samples);
  varied_axis(m->r, list->x_label, sizeof list->x_label);
  return true;
}

enum { VARIED_MOST = 16 }; // numbers that a sweep may vary

// The next greater value among the jobs that agree in all other numbers; `samples`: there is none.
static size_t next_of(const double *const *values, size_t count, size_t axis, size_t samples, size_t i) {
  size_t best = samples;
  for (size_t j = 0; j < samples; ++j) {
    bool agrees = values[axis][j] > values[axis][i];
    for (size_t k = 0; k < count && agrees; ++k) agrees = k == axis || values[k][j] == values[k][i];
    if (agrees && (best == samples || values[axis][j] < values[axis][best])) best = j;
  }
  return best;
}

// All combinations of several numbers.
static bool choose_of_grid(maker *m) {
  panel_list *list = m->list;
  const double *values[VARIED_MOST];
  size_t count = varied_count(m->r), samples = m->r->samples;
  long axis = family_axis(m->r);
  if (axis < 0 || count > VARIED_MOST) return false;
  for (size_t k = 0; k < count; ++k) values[k] = varied_values(m->r, k);
  list->next = must_alloc(samples * sizeof *list->next);
  for (size_t i = 0; i < samples; ++i) list->next[i] = next_of(values, count, (size_t)axis, samples, i);
  list->x = values[axis];
  varied_name(m->r, (size_t)axis, list->x_label, sizeof list->x_label);
  size_t links = 0;
  for (size_t i = 0; i < samples; ++i) links += list->next[i] < samples;
  if (2 * links >= samples) (void)family_open(&list->kin, m->r); // else the jobs are no combinations
  return true;
}

void axis_choose(maker *m) {
  panel_list *list = m->list;
  size_t columns = 0;
  const double *u = m->r->statics && !m->r->ends ? recording_field(m->r, "u", &columns) : NULL;
  list->x = m->r->x;
  snprintf(list->x_label, sizeof list->x_label, "%s", recording_axis(m->r));
  if (choose_varied(m) || choose_of_grid(m) || m->r->sweep) return;
  long k = only_input(m->r, u, columns);
  if (k < 0) return;
  const char *name = recording_name(m->r, "channels", (size_t)k);
  double *x = maker_hold(m, must_alloc(m->r->samples * sizeof *x));
  for (size_t i = 0; i < m->r->samples; ++i) x[i] = u[i * columns + (size_t)k];
  list->x = x;
  snprintf(list->x_label, sizeof list->x_label, "%.40s (%s)", name ? name : "u",
           channels_unit(channels_group(m->r, name)));
}

// Rods bent tighter than their sections allow. A material point (y, z) of a section moves along the rod by
//     (xi_x + kappa_y z - kappa_z y) dX,
// which a rod of rigid sections must keep above 0: where kappa times what lies between the axis and the inner side
// exceeds the stretch, neighbouring sections cross each other. The support of the outline along kappa is
//     circle, ellipse  hypot(kappa_y h_z, kappa_z h_y),   rectangle  |kappa_y| h_z + |kappa_z| h_y,
// h half the section's height or width. The equations of rods know no sections' size, so they answer there, too.
//
// sum_c reach_c |q_c| bounds what coordinates add to it, and settles nearly all states.
#include "body/rod/folded.h"
#include <math.h>
#include <stdio.h>

static bool may_be(const td_bends *b, const double *q) {
  double most = 0;
  for (int c = 0; c < b->count; c++) most += b->reach[c] * fabs(q[c]);
  return !(most < b->least);
}

static bool find_on_rod(const td_model *m, int rod, const double *q, td_folded *worst) {
  const td_rod *r = &m->rod[rod];
  const td_bends *b = r->bends;
  const double *coordinates = b ? q + m->element[r->element].coordinate + b->first : NULL;
  bool found = false;
  if (!b || !may_be(b, coordinates)) return false;
  for (int k = 0; k < r->point_count; k++) {
    double x[3];
    for (int i = 0; i < 3; i++) {
      x[i] = b->rest[3 * k + i];
      for (int c = b->split[i]; c < b->split[i + 1]; c++) x[i] += b->phi[k * b->count + c] * coordinates[c];
    }
    double along_z = fabs(x[0]) * b->half[2 * k], along_y = fabs(x[1]) * b->half[2 * k + 1];
    double inner = b->round ? hypot(along_z, along_y) : along_z + along_y, bend = hypot(x[0], x[1]);
    if (x[2] <= 0 || inner <= x[2] || inner / x[2] <= worst->ratio) continue; // without stretch it is inside out
    *worst = (td_folded){rod, r->abscissa[k], inner / x[2], bend / x[2], inner / bend};
    found = true;
  }
  return found;
}

bool td_folded_find(const td_model *m, const double *q, td_folded *worst) {
  td_folded at = {.ratio = 1};
  bool found = false;
  for (int i = 0; i < m->rod_count; i++) found |= find_on_rod(m, i, q, &at);
  if (found && worst) *worst = at;
  return found;
}

void td_folded_text(const td_model *m, const td_folded *at, char text[TD_FOLDED_TEXT]) {
  const td_rod *rod = &m->rod[at->rod];
  snprintf(text, TD_FOLDED_TEXT,
           "the rod \"%.63s\" is bent tighter than its own section: at X = %.3g m its radius of curvature is %.3g m, "
           "and its inner side lies %.3g m from the axis, so that it would pass through itself; check the units of "
           "loads and section, or take a thinner rod",
           m->link[rod->link].name, at->s * rod->length, 1 / at->curvature, at->radius);
}

void td_folded_tell(const td_model *m, const double *q, const char *prefix, td_warnings *warnings) {
  td_folded at;
  char text[TD_FOLDED_TEXT], pointer[64];
  if (!td_folded_find(m, q, &at)) return;
  td_folded_text(m, &at, text);
  snprintf(pointer, sizeof pointer, "%s/links/%d/body", prefix, m->rod[at.rod].link);
  td_warn(warnings, "folded_section", pointer, "%s", text);
}

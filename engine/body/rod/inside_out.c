// Rods turned inside out. xi = Phi q + xi* has the tangent dr/dX as its linear part, in the axes of the cross section:
// its first component is the stretch along the section's normal. At 0 the rod has no length there, or shear has laid
// its sections along it; below 0 material passes through itself. The linear law of elasticity knows nothing of that:
// pushed by 1.5 EA a rod has the "length" -0.5, stable.
//
// Only rods whose stretch is a coordinate can come there. |xi - xi*| <= sum_c reach_c |q_c| settles nearly all states.
#include "body/rod/inside_out.h"
#include "body/rod/axial.h"
#include <math.h>
#include <stdio.h>

static bool find_on_rod(const td_model *m, int rod, const double *q, double margin, td_inside_out *worst) {
  const td_rod *r = &m->rod[rod];
  const td_axial *a = r->axial;
  const double *coordinates = td_axial_coordinates(m, rod, q);
  bool found = false;
  if (!coordinates || !(margin * td_axial_bound(a, coordinates) >= a->least_rest)) return false;
  for (int k = 0; k < r->point_count; k++) {
    double axis = a->rest[k] + margin * td_axial_added(a, coordinates, k);
    if (axis > 0 || axis >= worst->axis) continue;
    *worst = (td_inside_out){rod, r->abscissa[k], axis};
    found = true;
  }
  return found;
}

bool td_inside_out_find(const td_model *m, const double *q, double margin, td_inside_out *worst) {
  td_inside_out at = {.axis = INFINITY};
  bool found = false;
  for (int i = 0; i < m->rod_count; i++) found |= find_on_rod(m, i, q, margin, &at);
  if (found && worst) *worst = at;
  return found;
}

void td_inside_out_text(const td_model *m, const td_inside_out *at, char text[TD_INSIDE_OUT_TEXT]) {
  const td_rod *rod = &m->rod[at->rod];
  double rest, EA;
  td_axial_law(rod, at->s, &rest, &EA);
  snprintf(text, TD_INSIDE_OUT_TEXT,
           "the rod \"%.63s\" is turned inside out: its stretch (1 at rest) is %.3g at X = %.3g m, where its law has a "
           "push of %.3g N against an axial stiffness EA of %.3g N; no rod has such a shape: check the units of "
           "loads and section",
           m->link[rod->link].name, at->axis, at->s * rod->length, EA * (rest - at->axis), EA);
}

void td_inside_out_tell(const td_model *m, const double *q, const char *prefix, td_warnings *warnings) {
  td_inside_out at;
  char text[TD_INSIDE_OUT_TEXT], pointer[64];
  if (!td_inside_out_find(m, q, 1, &at)) return;
  td_inside_out_text(m, &at, text);
  snprintf(pointer, sizeof pointer, "%s/links/%d/body", prefix, m->rod[at.rod].link);
  td_warn(warnings, "inside_out", pointer, "%s", text);
}

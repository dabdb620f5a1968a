// Rods stretched to more than three times their length. xi_x = Phi q + xi_x* is the stretch (body/rod/inside_out.c).
// Soft silicone breaks at 4 to 10 and leaves the linear law of elasticity long before, metals at 1.3; sliders of 10 m
// that were meant as 10 mm reach 50.
//
// |xi_x - xi_x*| <= sum_c reach_c |q_c| settles nearly all states.
#include "body/rod/overstretched.h"
#include "body/rod/axial.h"
#include <stdio.h>

static const double MOST = 3; // times its length

static bool find_on_rod(const td_model *m, int rod, const double *q, td_overstretched *worst) {
  const td_rod *r = &m->rod[rod];
  const td_axial *a = r->axial;
  const double *coordinates = td_axial_coordinates(m, rod, q);
  bool found = false;
  if (!coordinates || !(td_axial_bound(a, coordinates) > (MOST - 1) * a->least_rest)) return false;
  for (int k = 0; k < r->point_count; k++) {
    double ratio = 1 + td_axial_added(a, coordinates, k) / a->rest[k];
    if (!(ratio > worst->ratio)) continue;
    *worst = (td_overstretched){rod, r->abscissa[k], ratio};
    found = true;
  }
  return found;
}

bool td_overstretched_find(const td_model *m, const double *q, td_overstretched *worst) {
  td_overstretched at = {.ratio = MOST};
  bool found = false;
  for (int i = 0; i < m->rod_count; i++) found |= find_on_rod(m, i, q, &at);
  if (found && worst) *worst = at;
  return found;
}

void td_overstretched_text(const td_model *m, const td_overstretched *at, char text[TD_OVERSTRETCHED_TEXT]) {
  const td_rod *rod = &m->rod[at->rod];
  double rest, EA;
  td_axial_law(rod, at->s, &rest, &EA);
  snprintf(text, TD_OVERSTRETCHED_TEXT,
           "the rod \"%.63s\" is stretched to %.3g times its length at X = %.3g m, where its law has a pull of %.3g N "
           "against an axial stiffness EA of %.3g N; rods tear or leave their linear law long before: check the units "
           "of inputs, loads and section",
           m->link[rod->link].name, at->ratio, at->s * rod->length, EA * rest * (at->ratio - 1), EA);
}

void td_overstretched_tell(const td_model *m, const double *q, const char *prefix, td_warnings *warnings) {
  td_overstretched at;
  char text[TD_OVERSTRETCHED_TEXT], pointer[64];
  if (!td_overstretched_find(m, q, &at)) return;
  td_overstretched_text(m, &at, text);
  snprintf(pointer, sizeof pointer, "%s/links/%d/body", prefix, m->rod[at.rod].link);
  td_warn(warnings, "overstretched", pointer, "%s", text);
}

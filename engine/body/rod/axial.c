// What looks at the stretch of rods shares: inside_out.c asks whether there is any left, overstretched.c whether it is
// too much.
#include "body/rod/axial.h"
#include "strain/section.h"
#include <assert.h>
#include <math.h>

enum { AXIAL = 3 };

const double *td_axial_coordinates(const td_model *m, int rod, const double *q) {
  const td_rod *r = &m->rod[rod];
  return r->axial ? q + m->element[r->element].coordinate + r->axial->first : NULL;
}

double td_axial_bound(const td_axial *a, const double *coordinates) {
  double most = 0;
  for (int c = 0; c < a->count; c++) most += a->reach[c] * fabs(coordinates[c]);
  return most;
}

double td_axial_added(const td_axial *a, const double *coordinates, int k) {
  double added = 0;
  for (int c = 0; c < a->count; c++) added += a->phi[k * a->count + c] * coordinates[c];
  return added;
}

void td_axial_law(const td_rod *rod, double s, double *rest, double *EA) {
  td_section_laws laws;
  assert(rod->axial && s >= 0 && s <= 1);
  td_section_laws_at(rod->outline, s, &laws);
  *EA = laws.stiffness[AXIAL];
  *rest = 1;
  for (int k = 0; k < rod->point_count; k++)
    if (rod->abscissa[k] == s) *rest = rod->axial->rest[k];
}

// Errors of strains themselves. They converge more slowly than shapes: at the clamped end of a soft rod the curvature
// may be off by a quarter where the shape is right to 0.5 %, and sensors, bending moments and material laws read the
// curvature.
#include "estimate/resolution/parts.h"
#include <math.h>

enum { ANGULAR = 3 };
static const double LEAST_BENT =
    0.3; // of what the rod has moved by; a tip load bends it by three times that, and stretching does not

// Curvature and twist (1/m) of a Gauss point by x [N].
static void curvature_at(const td_rod *rod, const td_element *e, int gauss, const double *x, double out[ANGULAR]) {
  const double *phi = rod->phi_gauss + gauss * (e->npad + TD_LANES);
  for (int i = 0; i < ANGULAR; i++) out[i] = 0;
  for (int g = 0; g < rod->group_count; g++) {
    const td_group *group = &rod->group[g];
    for (int c = group->first; group->component < ANGULAR && c < group->first + group->count; c++)
      out[group->component] += phi[c] * x[e->coordinate + c];
  }
}

static double size_of(const double k[ANGULAR]) { return hypot(hypot(k[0], k[1]), k[2]); }

double td_resolution_strain(const td_resolution *r, int rod_index, const double *dq, const double *less) {
  const td_rod *rod = &r->twin.model->rod[rod_index];
  const td_element *e = &r->twin.model->element[rod->element];
  double most = 0, wrong = 0;
  for (int g = 0; g < rod->gauss_count; g++) {
    double k[ANGULAR], d[ANGULAR], l[ANGULAR] = {0};
    curvature_at(rod, e, g, r->q, k);
    curvature_at(rod, e, g, dq, d);
    if (less) curvature_at(rod, e, g, less, l);
    for (int i = 0; i < ANGULAR; i++) d[i] -= l[i];
    most = fmax(most, size_of(k));
    wrong = fmax(wrong, size_of(d));
  }
  bool bends = most * rod->length > LEAST_BENT * r->moved_by[rod_index] / rod->length;
  return most > 0 && bends ? wrong / most : 0;
}

double td_resolution_steepness(const td_resolution *r, int rod_index) {
  const td_rod *rod = &r->twin.model->rod[rod_index];
  const td_element *e = &r->twin.model->element[rod->element];
  const double *block = rod->stiffness;
  double most = 0;
  if (r->model->spring_count > 0 || r->model->contact_count > 0) return 0;
  for (int g = 0; g < rod->group_count; g++) {
    int count = rod->group[g].count, first = e->coordinate + rod->group[g].first;
    for (int i = 0; i < count && (rod->group[g].component == 1 || rod->group[g].component == 2); i++)
      if (block[i * count + i] > 0)
        most = fmax(most, fabs(r->K[(first + i) * r->N + first + i]) / block[i * count + i]);
    block += count * count;
  }
  return most;
}

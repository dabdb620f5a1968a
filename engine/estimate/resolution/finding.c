// What was found, over what is right enough; and of which rods something is to be found at all.
#include "estimate/resolution/parts.h"
#include <math.h>

bool td_resolution_is_asked(const td_resolution_state *at, int rod) { return !at->stands || at->stands[rod]; }

static double by(double ratio, double limit) { return limit > 0 ? ratio / limit : 0; }

double td_resolution_excess_of_points(const td_finding *f) {
  return fmax(fmax(f->force / TD_COARSE_FORCE, by(f->points, f->points_limit)), f->astray.ratio / TD_COARSE_RESPONSE);
}

double td_resolution_excess_of_shape(const td_finding *f) {
  return fmax(by(f->basis, f->basis_limit), by(f->part, f->part_limit));
}

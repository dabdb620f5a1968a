// Points are tried: the worst state once more, of the robot with those of a refinement, and as many as are right.
#include "estimate/resolution/parts.h"

bool td_resolution_try(td_resolution *r, const td_refinement *how, double *ratio) {
  td_twin candidate;
  double sigma = td_resolution_sigma(r, &r->worst);
  if (td_twin_create(r->model, how, &candidate)) return false;
  bool known = !td_resolution_residuals(r, candidate.model, candidate.ws, &r->worst) &&
               td_resolution_solve(r, 0, &sigma, r->fine, r->dq) &&
               !td_kinds_compare(r->kinds, candidate.model, candidate.ws, &r->worst.state, r->unit);
  td_twin_destroy(&candidate);
  if (!known) return false;
  td_kinds_note_total(r->kinds, r->dq, r->unit);
  td_resolution_ratios(r, ratio);
  return true;
}

int td_resolution_enough_points(td_resolution *r, int link, int element, double limit) {
  static const double factors[] = {1.25, 1.5, 2, 2.5, 3, 4, 6, 8, 12};
  int most = td_twin_points(r->model->document, link, &r->how), first = 0; // what is right by chance is not with more
  for (size_t i = 0; i < sizeof factors / sizeof *factors; i++) {
    td_refinement how = {.points = factors[i]};
    int points = td_twin_points(r->model->document, link, &how);
    if (points >= most) break;
    bool right = td_resolution_try(r, &how, r->ratio) && r->ratio[element] <= limit;
    if (right && first > 0) return first;
    first = right ? points : 0;
  }
  return first > 0 ? first : most;
}

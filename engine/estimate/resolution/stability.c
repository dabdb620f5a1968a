// Is an equilibrium that statics calls stable held by the lack of functions alone? A straight rod that is twisted
// buckles into a helix that turns with its sections: nothing bends it before, no residual tells, and polynomials of low
// order cannot take that form. So the twin's K + sigma M, sigma a little above 0, must be positive definite on the
// motions that loops leave; where it is not, inverse iteration finds the form that the rod buckles in, and the strain
// that it lacks for it.
#include "estimate/modes.h"
#include "estimate/resolution/parts.h"
#include "math/cholesky.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ITERATIONS = 12 };
static const double NEUTRAL = 1e-3; // of stiffness over mass of the slowest strain
static const double CLEARLY = 1e-2; // of the load at which it buckles
static const double MOSTLY = 0.5;   // of that: what points do is theirs

bool td_resolution_is_held(td_resolution *r, int level, double neutral) {
  td_resolution_assemble(r, level, neutral * td_resolution_slowest(r));
  return !td_spd_factor(r->N, r->ld, r->S, r->ld, r->U);
}

static double largest(int n, const double *x) {
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
  return most;
}

// The lowest motion into r->dq.
static bool lowest(td_resolution *r, int level) {
  double sigma = td_resolution_slowest(r), *x = r->moved;
  for (int i = 0; i < r->N; i++) x[i] = 1 + 0.1 * (i % 7);
  for (int k = 0; k < ITERATIONS; k++) {
    if (!td_resolution_solve(r, level, &sigma, x, r->dq)) return false;
    double size = largest(r->N, r->dq);
    if (!(size > 0) || !isfinite(size)) return false;
    for (int i = 0; i < r->N; i++) {
      x[i] = 0;
      for (int j = 0; j < r->N; j++) x[i] += r->M[i * r->N + j] * r->dq[j] / size;
    }
  }
  return true;
}

// Elastic energy of new coordinates, by the diagonal.
static double new_energy(const td_resolution *r, int rod_index) {
  const td_rod *rod = &r->twin.model->rod[rod_index];
  const td_element *e = &r->twin.model->element[rod->element];
  double sum = 0;
  for (int i = e->coordinate; i < e->coordinate + e->n && rod->basis; i++)
    if (r->twin.level[i] > 0) sum += fabs(r->K[i * r->N + i]) * r->dq[i] * r->dq[i];
  return sum;
}

// The form r->dq is what it lacks.
static void find(td_resolution *r, const td_resolution_state *at) {
  td_stability_finding *f = &r->stability;
  *f = (td_stability_finding){.found = true};
  for (int i = 1; i < r->model->rod_count; i++)
    if (new_energy(r, i) > new_energy(r, f->rod)) f->rod = i;
  f->component = td_twin_lacking(&r->twin, f->rod, r->dq);
  snprintf(f->where, sizeof f->where, "%s", at->where);
}

void td_resolution_look_at_stability(td_resolution *r, const td_resolution_state *at) {
  td_stability_finding *f = &r->stability;
  int level = r->how.enrichment;
  if (!at->stable || f->found || td_resolution_is_held(r, level, NEUTRAL) || !lowest(r, level)) return;
  *f = (td_stability_finding){.found = true};
  for (int i = 1; i < r->model->rod_count; i++)
    if (new_energy(r, i) > new_energy(r, f->rod)) f->rod = i;
  f->component = td_twin_lacking(&r->twin, f->rod, r->dq);
  snprintf(f->where, sizeof f->where, "%s", at->where);
}

// How far loads are beyond those at which it buckles in the form r->dq, of these: -x^T K x by what the material holds.
static double beyond(const td_resolution *r) {
  const td_model *t = r->twin.model;
  double held = 0, left = 0;
  for (int i = 0; i < r->N; i++)
    for (int j = 0; j < r->N; j++) left += r->dq[i] * r->K[i * r->N + j] * r->dq[j];
  for (int i = 0; i < t->rod_count; i++) {
    const double *block = t->rod[i].stiffness, *x = r->dq + t->element[t->rod[i].element].coordinate;
    for (int g = 0; g < t->rod[i].group_count && t->rod[i].basis; g++) {
      int first = t->rod[i].group[g].first, count = t->rod[i].group[g].count;
      for (int a = 0; a < count; a++)
        for (int b = 0; b < count; b++) held += x[first + a] * block[a * count + b] * x[first + b];
      block += count * count;
    }
  }
  return held > 0 ? -left / held : INFINITY;
}

// Lists come as near to the load at which something buckles as they like: there a basis that is right, and Gauss
// points that are, are on either side of it.
void td_resolution_look_at_hold(td_resolution *r, const td_resolution_state *at) {
  if (!r || !at->stable || r->stability.found || td_resolution_touches(r, at)) return;
  if (td_resolution_residuals(r, r->model, r->ws, at)) return;
  if (!td_resolution_is_held(r, 0, NEUTRAL)) return; // for want of points
  td_resolution_look_at_stability(r, at);
  if (r->stability.found && beyond(r) < CLEARLY) r->stability.found = false;
}

// By how much loads are beyond those of the form in which it buckles next, `behind` it already; its motion into r->dq.
// 0: they are not.
static double next_form(td_resolution *r, const td_modes *m, int behind) {
  if (behind >= m->count || !(m->square[behind] < -NEUTRAL * td_resolution_slowest(r))) return 0;
  memcpy(r->dq, m->x + behind * r->N, (size_t)r->N * sizeof *r->dq);
  return beyond(r);
}

void td_resolution_look_at_branch(td_resolution *r, const td_resolution_state *at, int behind) {
  int level = r ? td_modes_level(r) : 0;
  td_modes own, fine;
  if (!level || r->stability.found || td_resolution_touches(r, at) || td_resolution_residuals(r, r->model, r->ws, at))
    return;
  if (!td_modes_find(r, 0, &own)) return;
  if (td_modes_find(r, level, &fine)) {
    double by_points = next_form(r, &own, behind), by_all = next_form(r, &fine, behind);
    if (by_all > CLEARLY) {
      find(r, at);
      r->stability.branch = true;
      r->stability.points = by_points > MOSTLY * by_all;
    }
    td_modes_free(&fine);
  }
  td_modes_free(&own);
}

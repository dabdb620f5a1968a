// Equilibria that estimates doubt are found once more, by two robots on the same points: with more strain functions,
// and without. What lies between their shapes is what functions do, all that is not linear included: so a hundredth of
// what a rod has moved by can be told where estimates alone only suspect.
//
// There are more functions than the estimates have: where a force kinks the curvature of a rod, the first four beyond
// the basis take only the greater part of what is left.
#include "estimate/resolution/parts.h"
#include "strain/basis.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_COORDINATES = 256, MOST_MORE = 48, LEAST_MORE = 2 }; // of the richer robot; more than the robot has
static const double ALIKE = 4, LEAST = 1e-3; // times what is estimated, of what a rod has moved by: else elsewhere

// Coordinates that one more function of each strain on each element adds.
static int by_one_more(const td_model *m) {
  int sum = 0;
  for (int i = 0; i < m->rod_count; i++)
    for (int c = 0; c < 6 && m->rod[i].basis; c++)
      sum += td_rod_component_elements(&m->document->links[m->rod[i].link].body.rod, c);
  return sum;
}

static bool fits(const td_model *m, int more) {
  int added = more * by_one_more(m);
  return m->n + added <= MOST_COORDINATES && (added <= MOST_MORE || more == LEAST_MORE);
}

// r->richer and r->plain.
static bool make(td_resolution *r) {
  static const int choices[] = {2 * TD_ENRICHMENT, TD_ENRICHMENT, LEAST_MORE};
  for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
    td_refinement richer = {.points = 2, .features = true, .enrichment = choices[i]};
    td_refinement plain = {.points = 2, .features = true, .room = choices[i]};
    if (!fits(r->model, choices[i]) || td_twin_create(r->model, &richer, &r->richer)) continue;
    if (!td_twin_create(r->model, &plain, &r->plain)) return true;
    td_twin_destroy(&r->richer);
  }
  return false;
}

// The equilibrium of a twin into q [n of it]; rates [n of it] is scratch.
static bool settle(const td_resolution *r, const td_twin *twin, const td_resolution_state *at, double *q,
                   double *rates) {
  td_twin_embed(r->model, twin, at->state.q, q);
  td_twin_embed(r->model, twin, at->state.qd, rates);
  return at->near(twin->model, twin->ws, at->state.u, at->state.qd ? rates : NULL, q);
}

// Shapes of both by the points and the kinematics of the richer one.
static bool compare(td_resolution *r, const td_resolution_state *at, double *q, double (*shape)[3], double *error) {
  const td_twin *richer = &r->richer;
  size_t N = (size_t)richer->model->n, nodes = (size_t)richer->model->node_count;
  double *plain = q + N, *rates = plain + N;
  if (!settle(r, &r->plain, at, q, rates)) return false;
  for (int i = 0; i < r->model->n; i++) r->own[i] = q[r->plain.at[i]];
  td_twin_embed(r->model, richer, r->own, plain);
  if (!settle(r, richer, at, q, rates)) return false;
  if (!td_twin_shapes(richer, plain, shape) || !td_twin_shapes(richer, q, shape + nodes)) return false;
  for (int i = 0; i < r->model->rod_count; i++)
    error[i] = r->model->rod[i].basis ? td_twin_change(richer, i, shape, shape + nodes) : 0;
  return true;
}

// What is far from the estimates is another equilibrium, which says nothing of this one.
static bool is_near(const td_resolution *r, const double *estimated, const double *error) {
  bool near = true;
  for (int i = 0; i < r->model->rod_count; i++)
    near &= error[i] <= ALIKE * estimated[i] + LEAST * r->moved_by[i] / r->model->rod[i].length;
  return near;
}

bool td_resolution_settled(td_resolution *r, const td_resolution_state *at, const double *estimated, double *error) {
  size_t rods = (size_t)r->model->rod_count;
  if (!at->near || r->settles_nothing) return false;
  r->settles_nothing = !r->richer.model && !make(r);
  if (r->settles_nothing) return false;
  double *q = calloc(3 * (size_t)r->richer.model->n + rods + 1, sizeof *q), *found = q + 3 * r->richer.model->n;
  double(*shape)[3] = calloc(2 * (size_t)r->richer.model->node_count + 1, sizeof *shape);
  bool known = q && shape && compare(r, at, q, shape, found) && is_near(r, estimated, found);
  if (known) memcpy(error, found, rods * sizeof *error);
  free(q);
  free(shape);
  return known;
}

void td_resolution_settled_fini(td_resolution *r) {
  td_twin_destroy(&r->richer);
  td_twin_destroy(&r->plain);
}

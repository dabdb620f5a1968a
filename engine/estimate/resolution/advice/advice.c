// What would do. Each estimate advises a number by itself: points are tried at the worst state, orders are read off the
// polynomials that may be left out. But a robot with these numbers rests elsewhere, and may ask for more in its turn:
// who follows such advice raises one number after the other. So the robot that is advised is built, brought to its own
// equilibrium and asked before anything is said, and what it asks for is added, until it has nothing to say.
//
// Runs are not gone through again for that: of them, and of bases of elements, the first advice stands.
#include "estimate/resolution/parts.h"
#include "force/contact/obstacle/gap.h"
#include "strain/basis.h"
#include "strain/points.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 4, MOST_COORDINATES = 128, MOST_POINTS = 1024 }; // of a robot that is tried
static const double STRIDE = 1.2;                                // the least by which points rise from the second on

static const td_rod_spec *spec_of(const td_resolution *r, int rod) {
  return &r->model->document->links[r->model->rod[rod].link].body.rod;
}

static td_finding *finding_of(const td_resolution *r, int rod) { return &r->found[r->model->rod[rod].element]; }

// ------------------------------------------------------------------------------------------------ by estimates

// Magnus steps are of fourth order, what contacts kink of second.
static int points_for_shape(const td_resolution *r, int rod, int own, int most) {
  const td_finding *f = finding_of(r, rod);
  double factor = pow(f->points / f->points_limit, r->model->contact_count > 0 ? 0.5 : 0.25);
  return isfinite(factor) ? (int)fmin(most, ceil(own * factor)) : most;
}

static int points_of(td_resolution *r, int rod) {
  const td_finding *f = finding_of(r, rod);
  int link = r->model->rod[rod].link, own = td_rod_gauss_per_piece(spec_of(r, rod)), enough = own;
  int fine = td_twin_points(r->model->document, link, &r->how);
  if (!(td_resolution_excess_of_points(f) > 1)) return 0;
  if (f->force > TD_COARSE_FORCE)
    enough = td_resolution_enough_points(r, link, r->model->rod[rod].element, TD_COARSE_FORCE);
  if (f->points > f->points_limit) enough = (int)fmax(enough, points_for_shape(r, rod, own, fine));
  if (f->astray.ratio > 0) enough = (int)fmax(enough, td_resolution_points_of_run(r, rod));
  return (int)fmax(enough, td_contact_gap_points(r->model, r->ws, rod));
}

int td_resolution_points_of_run(const td_resolution *r, int rod) {
  td_refinement run = {.points = r->enriched.finer, .room = r->enriched.more};
  return td_twin_points(r->model->document, r->model->rod[rod].link, &run);
}

int td_resolution_more_degrees(const td_resolution *r, const td_finding *f, double most) {
  int more = 1;
  while (more < r->how.enrichment && f->tail[more] > most) more++;
  return more;
}

bool td_resolution_has_degrees(const td_rod_spec *spec, int component) {
  int order = spec->order[component];
  return !td_basis_has_elements(spec->basis) && order >= 0 && td_rod_basis_degree(spec->basis, order) == order;
}

// More degrees of a strain that a finding says is lacking; 0: the basis has no degrees.
static int degrees_of(const td_resolution *r, int rod, const td_finding *f, double most) {
  const td_rod_spec *spec = spec_of(r, rod);
  int order = spec->order[f->component];
  if (!td_resolution_has_degrees(spec, f->component)) return 0;
  bool follows = td_rod_basis_follows_section(r->twin.model->rod[rod].basis, f->component);
  int more = td_resolution_more_degrees(r, f, most);
  return (int)fmin(TD_MAX_ORDER - order, follows ? fmax(1, order) : more);
}

td_finding td_resolution_twist_of(const td_finding *f) {
  td_finding like = {.component = 0, .basis = f->turn};
  memcpy(like.tail, f->turns, sizeof like.tail);
  return like;
}

// Adds the degrees that the robot `asked` asks for on a rod. false: none.
static bool add_degrees(td_advised *a, const td_resolution *asked, int rod) {
  const td_finding *f = finding_of(asked, rod), twist = td_resolution_twist_of(f);
  int shape = 0, turn = 0;
  if (td_resolution_excess_of_shape(f) > 1) shape = degrees_of(asked, rod, f, td_resolution_limit_of_shape(f));
  if (f->turn > TD_COARSE_TWIST) turn = degrees_of(asked, rod, &twist, TD_COARSE_TWIST);
  if (f->component == 0) turn = (int)fmax(turn, shape);
  if (f->component != 0) a->more[f->component] += shape;
  a->more[0] += turn;
  return shape + turn > 0;
}

double td_resolution_limit_of_shape(const td_finding *f) {
  return f->basis > f->basis_limit ? f->basis_limit : f->basis * f->part_limit / f->part;
}

// ------------------------------------------------------------------------------------------------ tried

static int highest(const td_rod_spec *spec, const td_advised *a) {
  int most = 0;
  for (int c = 0; c < 6; c++)
    if (spec->order[c] >= 0) most = (int)fmax(most, spec->order[c] + a->more[c]);
  return most;
}

// Adds what `asked`, of the robot itself or of one that is tried, asks for. false: nothing.
static bool add(td_resolution *r, td_resolution *asked, bool again) {
  bool any = false;
  for (int i = 0; i < r->model->rod_count; i++) {
    td_advised *a = &r->advised[r->model->rod[i].link];
    if (!r->model->rod[i].basis) continue;
    int points = points_of(asked, i);
    bool degrees = add_degrees(a, asked, i);
    const td_rod_spec *spec = spec_of(r, i);
    if (points > 0 && again) points = (int)fmax(points, ceil(STRIDE * td_rod_gauss_per_piece(spec_of(asked, i))));
    any |= points > a->points || degrees;
    a->points = (int)fmax(a->points, points);
    bool fewer = degrees && spec->quadrature_points > 0 && spec->quadrature_points < highest(spec, a) + 3;
    if (a->points > 0 || fewer) a->points = (int)fmax(a->points, highest(spec, a) + 3);
  }
  return any;
}

static bool is_small(const td_model *m) {
  int points = 0;
  for (int i = 0; i < m->rod_count; i++) points += m->rod[i].point_count;
  return m->n <= MOST_COORDINATES && points <= MOST_POINTS;
}

bool td_resolution_ask(td_resolution *r, const td_advised *advised, const td_resolution_state *state,
                       void (*look)(td_resolution *, const td_resolution_state *), td_resolution **asked,
                       td_twin *tried) {
  td_refinement how = {.advised = advised};
  td_resolution_state at = *state;
  *asked = NULL;
  if (td_twin_create(r->model, &how, tried) || !is_small(tried->model)) return false;
  size_t n = (size_t)tried->model->n;
  double *q = calloc(3 * n + 1, sizeof *q);
  if (!q) return false;
  td_twin_embed(r->model, tried, state->state.q, q);
  td_twin_embed(r->model, tried, state->state.qd, q + n);
  td_twin_embed(r->model, tried, state->state.qdd, q + 2 * n);
  at.state.q = q;
  at.state.qd = state->state.qd ? q + n : NULL;
  at.state.qdd = state->state.qdd ? q + 2 * n : NULL;
  at.where = "";
  bool found = !at.near || at.near(tried->model, tried->ws, at.state.u, at.state.qd, q);
  if (found) *asked = td_resolution_create(tried->model);
  look(*asked, &at);
  free(q);
  return *asked != NULL;
}

void td_resolution_advise(td_resolution *r) {
  bool more = r->model->document && add(r, r, false) && r->doubted.near && !r->doubted.state.qdd;
  for (int round = 0; round < ROUNDS && more; round++) {
    td_twin tried;
    td_resolution *asked;
    more = td_resolution_ask(r, r->advised, &r->doubted, td_resolution_look, &asked, &tried) && add(r, asked, true);
    td_resolution_destroy(asked);
    td_twin_destroy(&tried);
  }
}

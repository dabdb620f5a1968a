// A posteriori estimates of what Gauss points and strain functions leave out, by a finer twin of the robot (twin.h).
//
// At a state of the model, with the multipliers and accelerations that it has there, the twin has a residual r = (r_l,
// r_h): on the model's coordinates what its own Gauss points see otherwise, r_l = r_twin - r_model, and on the new
// coordinates the work of all forces on strains that the basis does not have. K is the twin's stiffness there, its part
// confined to closed loops:
//     dq_points = K_ll^-1 r_l,     dq = K^-1 r
// and what they displace the points of a rod by, seen from its base, is the error of its shape by Gauss points, by the
// basis. This is the hierarchical estimate of finite elements (Bank and Smith, SIAM J. Numer. Anal. 30, 1993, 921).
// Forces on motions without stiffness accelerate instead: where K is not positive definite, it takes mass (K + sigma M,
// sigma from the slowest elastic coordinate, quadrupled until it is). Beside the shape the forces themselves are
// compared by kind (kinds.h).
//
// Everything is linear about the state, so that large errors are known to be large, small ones how small.
#include "base/carve.h"
#include "constraint/loop_closure.h"
#include "estimate/resolution/parts.h"
#include "math/cholesky.h"
#include "pass/kinematics.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_COORDINATES = 512 };
static const double LEAST_MOVED = 1e-2; // of what the robot's rod that moves most does, m
static const double LEAST_BENT = 0.25;  // of that, of a bar that goes along between its hinges
static const double AT_REST = 1e-5;     // of a rod's length
static const double ROCKS = 0.7;        // of what it moves seen from its base
static const double DOUBT = 0.25;       // of what equilibria with more functions tell
static const double FAR_FROM_HELD = 10; // times as much mass as the motion asks for

// What a force does, by the matrix last factored, which is one without new coordinates.
static void respond(void *context, double *x) {
  td_resolution *r = context;
  for (int i = 0; i < r->N; i++) x[i] = td_resolution_is_free(r, i, 0) ? x[i] : 0;
  td_spd_solve(r->N, r->ld, r->U, x);
}

// ------------------------------------------------------------------------------------------------ life

static bool has_rods(const td_model *m) {
  for (int r = 0; r < m->rod_count; r++)
    if (m->rod[r].basis) return true;
  return false;
}

static bool has_strains(const td_model *m) {
  for (int r = 0; r < m->rod_count; r++)
    if (m->rod[r].basis && m->element[m->rod[r].element].n > 0) return true;
  return false;
}

// As many polynomials beyond the basis as coordinates allow; 0: Gauss points alone are judged. Rods without strains
// have points as well.
static td_status make_twin(td_resolution *r, bool smooth) {
  static const int choices[] = {TD_ENRICHMENT, 2, 1, 0};
  td_status status = TD_LIMIT;
  size_t count = sizeof choices / sizeof *choices;
  for (size_t i = has_strains(r->model) ? 0 : count - 1; i < count && status; i++) {
    r->how = (td_refinement){.points = 2, .features = true, .enrichment = choices[i], .smooth = smooth};
    status = td_twin_create(r->model, &r->how, &r->twin);
    if (status || r->twin.model->n <= MOST_COORDINATES) continue;
    td_twin_destroy(&r->twin);
    status = TD_LIMIT;
  }
  return status;
}

static bool allocate(td_resolution *r) {
  const td_model *m = r->model;
  size_t n = (size_t)m->n, N = (size_t)r->N, ld = (size_t)r->ld, rows = (size_t)m->loop_rows;
  size_t state = 3 * n + (size_t)m->channel_count + rows + (size_t)m->prescribed_count;
  size_t rods = (size_t)m->rod_count, elements = (size_t)m->element_count;
  bool room =
      TD_CARVE({&r->K, N * N}, {&r->M, N * N}, {&r->S, N * ld}, {&r->U, N * ld}, {&r->G, rows * N}, {&r->q, N},
               {&r->qd, N}, {&r->qdd, N}, {&r->fine, N}, {&r->dq, N}, {&r->moved, 2 * N}, {&r->own, n},
               {&r->kept, state}, {&r->doubted_row, state}, {&r->now, state}, {&r->moved_by, rods}, {&r->bow, rods},
               {&r->beside, rods}, {&r->wrong, rods}, {&r->error, 2 * rods}, {&r->ratio, elements}, {&r->all, N});
  r->unit = calloc(elements + 1, sizeof *r->unit);
  r->found = calloc(elements + 1, sizeof *r->found);
  r->shape = calloc(2 * (size_t)r->twin.model->node_count + 1, sizeof *r->shape);
  if (!room || !r->unit || !r->found || !r->shape) return false;
  r->other = r->shape + r->twin.model->node_count;
  r->advised = calloc((size_t)m->link_count + 1, sizeof *r->advised);
  if (!r->advised) return false;
  return true;
}

static td_resolution *create(const td_model *model, bool smooth) {
  if (!has_rods(model) || model->n > MOST_COORDINATES) return NULL;
  td_resolution *r = calloc(1, sizeof *r);
  if (!r) return NULL;
  r->model = model;
  td_status status = make_twin(r, smooth);
  if (!status) status = td_workspace_create(model, &r->ws);
  if (!status) {
    r->N = r->twin.model->n;
    r->ld = td_pad_most(r->N);
    status = allocate(r) ? td_kinds_create(model, &r->twin, respond, r, &r->kinds) : TD_NO_MEMORY;
  }
  if (!status) return r;
  td_resolution_destroy(r);
  return NULL;
}

td_resolution *td_resolution_create(const td_model *model) { return create(model, false); }

// Functions that follow the section are not orthogonal to the basis, and fast strains in motion would ask for them.
td_resolution *td_resolution_create_in_motion(const td_model *model) { return create(model, true); }

bool td_resolution_follows_sections(const td_resolution *r) {
  bool any = false;
  for (int i = 0; r && i < r->twin.model->rod_count; i++)
    for (int c = 0; c < 6 && r->twin.model->rod[i].basis; c++)
      any |= td_rod_basis_follows_section(r->twin.model->rod[i].basis, c);
  return any;
}

void td_resolution_destroy(td_resolution *r) {
  if (!r) return;
  td_kinds_destroy(r->kinds);
  td_resolution_settled_fini(r);
  td_twin_destroy(&r->twin);
  td_workspace_destroy(r->ws);
  free(r->K);
  free(r->unit);
  free(r->found);
  free(r->advised);
  free(r->shape);
  free(r);
}

// ------------------------------------------------------------------------------------------------ shapes

static double apart(const double a[3], const double b[3]) {
  return hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]);
}

static double change(const td_resolution *r, int rod_index, double (*a)[3], double (*b)[3]) {
  return td_twin_change(&r->twin, rod_index, a, b);
}

// shape at the state moved by dq, into r->other.
static bool move(td_resolution *r, const double *dq) {
  for (int i = 0; i < r->N; i++) r->moved[i] = r->q[i] + dq[i];
  return td_resolution_shapes(r, r->moved, r->other);
}

// How far the rod's tip, where the model's own Magnus steps put it, is from where r->other has it, by its length; poses
// of the model in r->ws.
static double tip_error(td_resolution *r, int rod_index) {
  const td_rod *rod = &r->model->rod[rod_index], *fine = &r->twin.model->rod[rod_index];
  const td_se3 *base = &r->ws->pose[rod->point_node[0]];
  const double *p = r->ws->pose[rod->point_node[rod->point_count - 1]].p;
  double d[3] = {p[0] - base->p[0], p[1] - base->p[1], p[2] - base->p[2]}, x[3];
  for (int c = 0; c < 3; c++) x[c] = base->R[c] * d[0] + base->R[3 + c] * d[1] + base->R[6 + c] * d[2];
  return apart(x, r->other[fine->point_node[fine->point_count - 1]]) / rod->length;
}

// ------------------------------------------------------------------------------------------------ looking

static void note(double ratio, double *worst, char at[32], const char *where) {
  if (ratio <= *worst) return;
  *worst = isfinite(ratio) ? ratio : INFINITY;
  snprintf(at, 32, "%s", where);
}

static double limit_of_points(const td_resolution_state *at) {
  return at->state.qdd || at->rests > 0 ? TD_COARSE_POINTS : TD_COARSE_SHAPE;
}
static double limit_of_basis(const td_resolution_state *at) {
  return at->state.qdd || at->rests > 0 ? TD_COARSE_MOTION : TD_COARSE_SHAPE;
}

// The same of shapes, whose limit is not that of every state.
static void note_shape(double ratio, double limit, double *worst, double *worst_limit, char at[32], const char *where) {
  double before = *worst_limit > 0 ? *worst / *worst_limit : 0, beyond = ratio / limit;
  if (beyond <= before) return;
  *worst = 0;
  *worst_limit = limit;
  note(ratio, worst, at, where);
}

// Shapes and strains with all polynomials less those with k of them: what orders would do. r->shape becomes that with
// all, r->all its dq.
static void tails(td_resolution *r, double *sigma, const double *wrong) {
  const double *estimated = r->error + r->model->rod_count;
  memcpy(r->shape, r->other, (size_t)r->twin.model->node_count * sizeof *r->shape);
  memcpy(r->all, r->dq, (size_t)r->N * sizeof *r->dq);
  for (int k = 1; k < r->how.enrichment; k++) {
    if (!td_resolution_solve(r, k, sigma, r->fine, r->dq) || !move(r, r->dq)) return;
    for (int i = 0; i < r->model->rod_count; i++)
      if (wrong[i] > 0) {
        td_finding *f = &r->found[r->model->rod[i].element];
        f->tail[k] = change(r, i, r->shape, r->other) + fmax(0, r->error[i] - estimated[i]);
        f->strains[k] = td_resolution_strain(r, i, r->all, r->dq);
      }
  }
}

// A rod between two hinges rocks: seen from its base, which turns, its points move farther than they do, and what it
// bends is what it moves beside its chord. r->bow stays of rods whose points move less in the world than seen from
// there. Kinematics in the twin: those at 0; r->other is overwritten.
static void leave_rocking(td_resolution *r) {
  const td_model *t = r->twin.model;
  const td_workspace *ws = r->twin.ws;
  for (int k = 0; k < t->node_count; k++)
    for (int i = 0; i < 3; i++) r->other[k][i] = ws->pose[k].p[i] + ws->origin[i];
  td_kinematics(t, r->twin.ws, r->q, NULL, NULL, t->gravity, TD_LEVEL_POSE);
  for (int i = 0; i < t->rod_count; i++) {
    double most = 0;
    for (int k = 0; k < t->rod[i].point_count && t->rod[i].basis; k++) {
      int node = t->rod[i].point_node[k];
      double p[3];
      for (int c = 0; c < 3; c++) p[c] = ws->pose[node].p[c] + ws->origin[c];
      most = fmax(most, apart(p, r->other[node]));
    }
    if (!(most < ROCKS * r->moved_by[i])) r->bow[i] = 0;
  }
}

// How far the points of each rod have moved from the shape at q = 0, m; r->shape is the shape now. Joints alone move no
// point of a rod.
static bool measure_motion(td_resolution *r) {
  memset(r->moved, 0, (size_t)r->N * sizeof *r->moved);
  if (!td_resolution_shapes(r, r->moved, r->other)) return false;
  for (int i = 0; i < r->model->rod_count; i++)
    r->moved_by[i] = r->model->rod[i].basis ? change(r, i, r->shape, r->other) * r->model->rod[i].length : 0;
  for (int i = 0; i < r->model->rod_count; i++)
    r->bow[i] = r->model->rod[i].basis ? td_twin_bow(&r->twin, i, r->shape, r->other) * r->model->rod[i].length : 0;
  leave_rocking(r);
  return true;
}

// How far joints carry rods of this length about, by it, 1 at most: the largest angle or slide.
static double swing(const td_model *m, const double *q, double length) {
  double most = 0;
  for (int i = 0; i < m->element_count; i++) {
    const td_element *e = &m->element[i];
    double unit = e->type == TD_ELEMENT_SCREW && !e->rotates ? length : 1;
    if (e->rod >= 0) continue;
    for (int c = 0; c < e->n; c++) most = fmax(most, fabs(q[e->coordinate + c]) / unit);
  }
  return fmin(1, most);
}

// At equilibria: the error of the shape as a part of what the rod has moved by, where that counts in the robot. What a
// stiff rod does beside joints that move does not.
static double part_of_motion(const td_resolution *r, const td_resolution_state *at, int rod, double error) {
  double most = 0, moved = r->moved_by[rod], length = r->model->rod[rod].length;
  bool rocks = r->bow[rod] > 0;
  double bent = rocks ? r->bow[rod] : moved, least = rocks ? LEAST_BENT : LEAST_MOVED;
  for (int i = 0; i < r->model->rod_count; i++) most = fmax(most, r->bow[i] > 0 ? r->bow[i] : r->moved_by[i]);
  if (at->state.qdd || at->path || at->start || at->rests > 0 || bent < least * most ||
      bent < fmax(AT_REST, LEAST_MOVED * swing(r->model, at->state.q, length)) * length)
    return 0;
  return error * length / moved * r->beside[rod];
}

// Parts of rods that rock are beside the chord, error and way.
static void look_beside(td_resolution *r, int rod) {
  double whole = change(r, rod, r->shape, r->other), moved = r->moved_by[rod];
  r->beside[rod] = 1;
  if (r->bow[rod] > 0 && whole > 0)
    r->beside[rod] = td_twin_bow(&r->twin, rod, r->shape, r->other) / whole * (moved / r->bow[rod]);
}

// In motion K + sigma M is what holds the shape while sigma is about the square of the rate at which the state changes.
// A rod that tumbles may ask for thousands of times that before nothing grows: what is found then is how strains
// accelerate, by next to no mass, and says nothing of shapes.
static bool is_held(const td_resolution *r, const td_resolution_state *at, double sigma) {
  if (!at->state.qdd) return true;
  return sigma <= FAR_FROM_HELD * fmax(td_resolution_pace(r, at), td_resolution_slowest(r));
}

// Shapes by finer quadrature alone: r->fine is the residual, r->shape the shape at the state; r->other and the factor
// are of level 0.
static bool look_at_points(td_resolution *r, const td_resolution_state *at, double *sigma) {
  const td_model *m = r->model;
  if (!td_resolution_shapes(r, r->q, r->shape) || !measure_motion(r) ||
      !td_resolution_solve(r, 0, sigma, r->fine, r->dq) || !move(r, r->dq))
    return false;
  td_kinematics(m, r->ws, at->state.q, NULL, NULL, m->gravity, TD_LEVEL_POSE);
  for (int i = 0; i < m->rod_count && is_held(r, at, *sigma); i++) {
    if (!m->rod[i].basis || !td_resolution_is_asked(at, i)) continue;
    td_finding *f = &r->found[m->rod[i].element];
    note_shape(fmax(change(r, i, r->shape, r->other), tip_error(r, i)), limit_of_points(at), &f->points,
               &f->points_limit, f->points_at, at->where);
  }
  return true;
}

// Of a run no more than what the rod has moved by: a load that has just begun has not bent it yet.
static double shape_error(const td_resolution *r, const td_resolution_state *at, int rod) {
  double error = change(r, rod, r->shape, r->other), moved = r->moved_by[rod] / r->model->rod[rod].length;
  return at->state.qdd && moved < error ? moved : error;
}

static double by(double ratio, double limit) { return limit > 0 ? ratio / limit : 0; }

// What strains beyond the basis change in the shapes, r->error [rods], of the lengths: as estimated, where r->other has
// the shapes with them, or as equilibria with more of them say where that is near to being told.
// @return the limit of the error as a part of what a rod has moved by
static double find_errors(td_resolution *r, const td_resolution_state *at) {
  const td_model *m = r->model;
  double *estimated = r->error + m->rod_count, limit = limit_of_basis(at);
  bool doubtful = false;
  for (int i = 0; i < m->rod_count; i++) {
    bool judged = m->rod[i].basis && m->element[m->rod[i].element].n > 0 && td_resolution_is_asked(at, i);
    estimated[i] = r->error[i] = judged ? shape_error(r, at, i) : 0;
    if (judged) look_beside(r, i);
    doubtful |= estimated[i] > DOUBT * limit || part_of_motion(r, at, i, estimated[i]) > DOUBT * TD_COARSE_SETTLED;
  }
  bool settled = doubtful && !at->path && !at->state.qdd && td_resolution_settled(r, at, estimated, r->error);
  return settled ? TD_COARSE_SETTLED : TD_COARSE_PART;
}

// Whether half a period of the motion r->dq has passed since loads began: w^2 = x^T K x / x^T M x.
static bool has_followed(const td_resolution *r, double time) {
  double stiffness = 0, mass = 0;
  for (int i = 0; i < r->N; i++)
    for (int j = 0; j < r->N; j++) {
      stiffness += r->dq[i] * r->K[i * r->N + j] * r->dq[j];
      mass += r->dq[i] * r->M[i * r->N + j] * r->dq[j];
    }
  return stiffness * time * time > M_PI * M_PI * mass;
}

// What strains beyond the basis change in that, r->other.
static void look_at_basis(td_resolution *r, const td_resolution_state *at, double sigma) {
  const td_model *m = r->model;
  double *wrong = r->wrong;
  bool any = false;
  if (r->how.enrichment == 0) return;
  memcpy(r->shape, r->other, (size_t)r->twin.model->node_count * sizeof *r->shape);
  if (!td_resolution_solve(r, r->how.enrichment, &sigma, r->fine, r->dq) || !move(r, r->dq)) return;
  if (at->rests > 0 && !has_followed(r, at->rests)) return;
  double part_limit = find_errors(r, at);
  for (int i = 0; i < m->rod_count; i++) {
    wrong[i] = 0;
    if (!m->rod[i].basis || m->element[m->rod[i].element].n == 0 || !td_resolution_is_asked(at, i)) continue;
    td_finding *f = &r->found[m->rod[i].element];
    double before = by(f->basis, f->basis_limit), part_before = by(f->part, f->part_limit), strain_before = f->strain;
    note_shape(r->error[i], limit_of_basis(at), &f->basis, &f->basis_limit, f->basis_at, at->where);
    if (by(f->basis, f->basis_limit) > before) f->basis_t = at->t;
    note_shape(part_of_motion(r, at, i, r->error[i]), part_limit, &f->part, &f->part_limit, f->part_at, at->where);
    if (part_of_motion(r, at, i, 1) > 0) // an equilibrium, and a rod that counts in it
      note(td_resolution_strain(r, i, r->dq, NULL), &f->strain, f->strain_at, at->where);
    wrong[i] = by(f->basis, f->basis_limit) > fmax(before, 1) || by(f->part, f->part_limit) > fmax(part_before, 1) ||
               f->strain > fmax(strain_before, TD_COARSE_STRAIN);
    if (wrong[i] > 0) f->steep = fmax(f->steep, td_resolution_steepness(r, i));
    if (wrong[i] > 0) f->component = td_twin_lacking(&r->twin, i, r->dq), any = true;
  }
  if (any) tails(r, &sigma, wrong);
}

// The state as one row: q, qd, qdd, u, multipliers.
static void keep(const td_resolution *r, const td_resolution_state *at, td_resolution_state *kept, double *row) {
  const td_model *m = r->model;
  size_t n = (size_t)m->n, u = (size_t)m->channel_count;
  const td_state *s = &at->state;
  *kept = *at;
  const double *from[] = {s->q, s->qd, s->qdd, s->u, at->lambda};
  const size_t size[] = {n, n, n, u, (size_t)(m->loop_rows + m->prescribed_count)};
  double const **member[] = {&kept->state.q, &kept->state.qd, &kept->state.qdd, &kept->state.u, &kept->lambda};
  for (int i = 0; i < 5; row += size[i++]) {
    if (from[i]) memcpy(row, from[i], size[i] * sizeof *row);
    *member[i] = from[i] ? row : NULL;
  }
  kept->where = NULL;
}

static void look_at_forces(td_resolution *r, const td_resolution_state *at) {
  const td_model *m = r->model;
  double worst = 0;
  if (td_kinds_compare(r->kinds, m, r->ws, &at->state, r->unit)) return;
  td_kinds_note_total(r->kinds, r->dq, r->unit);
  td_resolution_ratios(r, r->ratio);
  for (int i = 0; i < m->element_count; i++) {
    td_finding *f = &r->found[i];
    if (r->ratio[i] > f->force) memcpy(f->what, r->unit[i].what, sizeof f->what);
    note(r->ratio[i], &f->force, f->force_at, at->where);
    worst = fmax(worst, r->ratio[i]);
  }
  if (worst <= r->most) return;
  r->most = worst;
  keep(r, at, &r->worst, r->kept);
}

// The state that asks for most is where advice is tried.
static void keep_doubted(td_resolution *r, const td_resolution_state *at) {
  double most = 0;
  for (int i = 0; i < r->model->rod_count; i++) {
    const td_finding *f = &r->found[r->model->rod[i].element];
    most = fmax(most, fmax(td_resolution_excess_of_points(f), td_resolution_excess_of_shape(f)));
  }
  if (!(most > r->doubt)) return;
  r->doubt = most;
  keep(r, at, &r->doubted, r->doubted_row);
}

// r->other and sigma for strains of a rod in motion: it is pressed and pulled for moments, and K may have growing
// motions of all functions, which do not grow at once; so sigma keeps a distance from them.
static bool in_motion(td_resolution *r, const td_resolution_state *at, double *sigma) {
  *sigma = td_resolution_pace(r, at);
  if (!td_resolution_solve(r, r->how.enrichment, sigma, r->fine, r->dq)) return false;
  *sigma *= 4;
  return td_resolution_solve(r, 0, sigma, r->fine, r->dq) && move(r, r->dq);
}

void td_resolution_look(td_resolution *r, const td_resolution_state *at) {
  td_resolution_state slow = *at;
  if (!r) return;
  if (!at->stands) td_resolution_look_at_contact(r, at);
  if ((at->state.qdd && td_resolution_touches(r, at)) || td_resolution_residuals(r, r->model, r->ws, at)) return;
  if (at->state.qdd && has_strains(r->model)) { // joints alone have no modes that are faster than strains
    td_resolution_smooth(r, r->qdd, at->state.qdd, r->now);
    slow.state.qdd = r->now;
    if (at->state.qd) td_resolution_smooth(r, r->qd, at->state.qd, r->now + r->model->n);
    if (at->state.qd) slow.state.qd = r->now + r->model->n;
    if (td_resolution_residuals(r, r->model, r->ws, &slow)) return;
    td_resolution_leave_out_fast_strains(r);
  }
  double sigma = td_resolution_sigma(r, at);
  td_resolution_look_at_stability(r, &slow);
  if (!look_at_points(r, &slow, &sigma)) return;
  if (!at->stands && is_held(r, &slow, sigma)) look_at_forces(r, &slow);
  if (!at->state.qdd || in_motion(r, &slow, &sigma)) look_at_basis(r, &slow, sigma);
  td_resolution_look_at_twist(r, &slow, sigma);
  keep_doubted(r, &slow);
}

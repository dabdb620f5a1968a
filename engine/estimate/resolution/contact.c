// Contacts of a stiffness per point: does it matter where the points lie?
//
// Another number of points with the same stiffness each is another robot, so that the finer twin says nothing of them.
// Instead the stiffness of each point is spread over the stretch of rod that it stands for (half of the way to its
// neighbours), along the same shape, Hermite's cubic between the points: a rod that lies flat on a floor feels the
// same, one whose few points miss the top of a post does not. Of the points that touch next to each other, with the
// force F together along n, the rod gives way by y along n until what it feels is what it presses with:
//     F_spread(y) = F + k y,      k = |F|^2 / (Q . K^-1 Q),   Q = J^T F, K the stiffness of the robot without contacts
//     on the motions left.
// k y / F is how far the force is off, y how far the rod is. With twice as many points, each of the same stiffness, the
// rod would feel 2 F_spread(y): it is said, too, how far that moves it, as depth hangs on the number of points.
#include "element/contact.h"
#include "estimate/resolution/parts.h"
#include "force/contact/obstacle/gap.h"
#include "force/contact/obstacle/obstacle.h"
#include "lie/vec3.h"
#include "math/cholesky.h"
#include "pass/composite_nodes.h"
#include "pass/kinematics.h"
#include "strain/points.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PIECES = 8, HALVINGS = 60, SHIFTS = 12, POINTS = 3 }; // POINTS: on what touches
static const double PENALTY = 1e6;                           // of loops against the stiffness
static const double FIRST_SHIFT = 1e-9;                      // of the largest stiffness, for motions that nothing holds
static const double MATTERS = 1e-3; // of the rod's length: by so much the force bends the robot, or it sinks in
static const double PART = 0.05, PART_MOVING = 0.15; // of the force at equilibria; in motion inertia has a share in it
static const double PLACE = 2e-3;                    // of the rod's length, of an equilibrium
static const double LEAST_PART = 0.02;               // of the shape's error in what the contact moves the rod by
static const double LEAST_COUNTED = 0.01, MOST_TOUCHING = 0.5; // of the depth; of the rod
static const double TWICE = 2, COUNTS = 0.02; // times the points; of the rod's length: what that may move it by
static const double RESTS = 0.1; // of the contact's force and energy: less inertia and motion than that are none

// Points next to each other of one rod that touch one obstacle.
typedef struct cluster {
  int contact, first, last;
  double F[3], force, n[3];
  double depth; // the largest, m
} cluster;

static void centre_of(const td_workspace *ws, const td_contact_point *p, double out[3]) {
  for (int i = 0; i < 3; i++) out[i] = ws->pose[p->node].p[i] + ws->origin[i];
}

static void touch_point(const td_model *m, const td_workspace *ws, int contact, int i, td_touch *touch) {
  const td_contact *c = &m->contact[contact];
  double centre[3];
  centre_of(ws, &c->point[i], centre);
  td_touch_at(&c->obstacle, centre, c->point[i].radius, touch);
}

// The next one of the contact from point `from` on; false: none. Poses in ws.
static bool next_cluster(const td_model *m, const td_workspace *ws, int contact, int from, cluster *out) {
  const td_contact *c = &m->contact[contact];
  *out = (cluster){.contact = contact, .first = -1};
  for (int i = from; i < c->point_count; i++) {
    td_touch touch;
    if (out->first >= 0 && c->point[i].rod != c->point[i - 1].rod) break;
    if (!td_contact_on_rod(&c->point[i])) break; // they stand behind those of rods, and are as many as they are
    touch_point(m, ws, contact, i, &touch);
    if (!(touch.depth > 0) && out->first >= 0) break;
    if (!(touch.depth > 0)) continue;
    if (out->first < 0) out->first = i;
    out->last = i;
    out->depth = fmax(out->depth, touch.depth);
    for (int k = 0; k < 3; k++) out->F[k] += touch.force[k];
  }
  out->force = sqrt(td_vec3_dot(out->F, out->F));
  for (int k = 0; k < 3 && out->force > 0; k++) out->n[k] = out->F[k] / out->force;
  return out->first >= 0;
}

// ------------------------------------------------------------------------------------------------ spread

static bool same_rod(const td_contact *c, int a, int b) {
  return a >= 0 && b < c->point_count && c->point[a].rod == c->point[b].rod;
}

// Length from point i to the next one, m; 0 beyond the tip.
static double gap_after(const td_model *m, const td_contact *c, int i) {
  const td_rod *rod = &m->rod[c->point[i].rod];
  int k = i;
  while (same_rod(c, k - 1, i)) k--;
  if (!same_rod(c, i, i + 1)) return 0;
  return (rod->abscissa[i - k + 1] - rod->abscissa[i - k]) * rod->length;
}

static double cell(const td_model *m, const td_contact *c, int i) {
  return 0.5 * (gap_after(m, c, i) + (same_rod(c, i - 1, i) ? gap_after(m, c, i - 1) : 0));
}

typedef struct felt {
  double force, length; // N along n; m of rod that touches
} felt;

// What the half of the way from point i to its neighbour j that is i's adds, the rod moved by y along n.
static void add_half(const td_model *m, const td_workspace *ws, const cluster *x, int i, int j, double y, felt *sum) {
  const td_contact *c = &m->contact[x->contact];
  const td_contact_point *a = &c->point[i < j ? i : j], *b = &c->point[i < j ? j : i];
  double way = gap_after(m, c, i < j ? i : j), own = cell(m, c, i), piece = 0.5 / PIECES;
  for (int k = 0; k < PIECES && own > 0; k++) {
    double s = (k + 0.5) * piece, at[3], radius = c->point[i].radius + s * (c->point[j].radius - c->point[i].radius);
    td_touch touch;
    td_contact_between(&ws->pose[a->node], &ws->pose[b->node], i < j ? s : 1 - s, at);
    for (int r = 0; r < 3; r++) at[r] += ws->origin[r] + y * x->n[r];
    td_touch_at(&c->obstacle, at, radius, &touch);
    if (!(touch.depth > 0)) continue;
    sum->force += td_vec3_dot(touch.force, x->n) * piece * way / own;
    sum->length += piece * way;
  }
}

static felt spread(const td_model *m, const td_workspace *ws, const cluster *x, double y) {
  const td_contact *c = &m->contact[x->contact];
  felt sum = {0};
  int first = same_rod(c, x->first - 1, x->first) ? x->first - 1 : x->first;
  int last = same_rod(c, x->last, x->last + 1) ? x->last + 1 : x->last;
  for (int i = first; i <= last; i++) {
    if (i > first) add_half(m, ws, x, i, i - 1, y, &sum);
    if (i < last) add_half(m, ws, x, i, i + 1, y, &sum);
  }
  return sum;
}

// y at which the rod feels what it presses with, of so many times the points.
static double settle(const td_model *m, const td_workspace *ws, const cluster *x, double stiffness, double times) {
  double low = -x->depth, high = x->depth; // spread() - F - k y falls with y
  double size = m->contact[x->contact].obstacle.radius + m->contact[x->contact].point[x->first].radius;
  for (int i = 0; i < 8 && times * spread(m, ws, x, high).force > x->force + stiffness * high; i++) high *= 2;
  for (int i = 0; i < 8 && -low < size && times * spread(m, ws, x, low).force < x->force + stiffness * low; i++)
    low *= 2;
  for (int i = 0; i < HALVINGS; i++) {
    double y = 0.5 * (low + high);
    if (times * spread(m, ws, x, y).force > x->force + stiffness * y)
      low = y;
    else
      high = y;
  }
  return 0.5 * (low + high);
}

// ------------------------------------------------------------------------------------------------ the robot without
// contacts

typedef struct bare {
  td_twin twin;
  int n, ld;
  double *K, *G, *S, *U, *Q, *x; // [n][n], [rows][n], [n][ld], [n][ld], [n], [n]
  double *inertia;               // [n] what motion adds to the forces
  bool slow;                     // what moves holds less energy than what touches
} bare;

static void bare_fini(bare *b) {
  td_twin_destroy(&b->twin);
  free(b->K);
}

static bool find_inertia(bare *b, const td_resolution *r, const td_state *s) {
  double *still = b->inertia + b->n;
  td_energy energy;
  if (td_state_energy(r->model, r->ws, s, &energy)) return false;
  b->slow = energy.kinetic < RESTS * energy.contact;
  if (td_inverse_dynamics(r->model, r->ws, s->q, s->qd, s->qdd, s->u, b->inertia)) return false;
  if (td_inverse_dynamics(r->model, r->ws, s->q, NULL, NULL, s->u, still)) return false;
  for (int i = 0; i < b->n; i++) b->inertia[i] -= still[i];
  return true;
}

static bool bare_init(bare *b, const td_resolution *r, const td_resolution_state *at) {
  td_refinement how = {.points = 1, .contactless = true};
  *b = (bare){.n = r->model->n};
  b->ld = td_pad_most(b->n);
  if (td_twin_create(r->model, &how, &b->twin)) return false;
  size_t n = (size_t)b->n, ld = (size_t)b->ld, rows = (size_t)r->model->loop_rows;
  b->K = calloc(n * n + rows * n + 2 * n * ld + 4 * n + 1, sizeof *b->K);
  if (!b->K) return false;
  b->G = b->K + n * n;
  b->S = b->G + rows * n;
  b->U = b->S + n * ld;
  b->Q = b->U + n * ld;
  b->x = b->Q + n;
  b->inertia = b->x + n;
  b->slow = true;
  if (at->state.qdd && !find_inertia(b, r, &at->state)) return false;
  td_constraint_terms out = {.K = b->K, .G = rows ? b->G : NULL};
  b->twin.ws->constraint.closure = at->closure;
  return !td_constraint_terms_at(b->twin.model, b->twin.ws, &at->state, at->lambda, &out);
}

static bool factor(bare *b, const td_model *m) {
  int n = b->n, rows = m->loop_rows;
  double stiff = 0, steep = 0;
  for (int i = 0; i < n; i++) stiff = fmax(stiff, fabs(b->K[i * n + i]));
  for (int i = 0; i < rows * n; i++) steep = fmax(steep, fabs(b->G[i]));
  double mu = steep > 0 ? PENALTY * stiff / (steep * steep) : 0, shift = FIRST_SHIFT * stiff;
  for (int tries = 0; tries < SHIFTS; tries++, shift *= 10) {
    memset(b->S, 0, (size_t)(n * b->ld) * sizeof *b->S);
    for (int i = 0; i < n; i++) {
      bool free_i = !m->prescribed_count || m->prescribed_mask[i] != 0;
      for (int j = i; j < n && free_i; j++) {
        if (m->prescribed_count && m->prescribed_mask[j] == 0) continue;
        double sum = 0.5 * (b->K[i * n + j] + b->K[j * n + i]) + (i == j ? shift : 0);
        for (int c = 0; c < rows; c++) sum += mu * b->G[c * n + i] * b->G[c * n + j];
        b->S[i * b->ld + j] = sum;
      }
      if (!free_i) b->S[i * b->ld + i] = 1;
    }
    if (!td_spd_factor(n, b->ld, b->S, b->ld, b->U)) return true;
  }
  return false;
}

// k of the head: N/m; infinite where nothing gives way. *rests: what the contact presses against is not inertia.
static double stiffness_of(bare *b, const td_model *m, td_workspace *ws, const cluster *x, bool *rests) {
  static const double ZERO[3] = {0};
  double done = 0, shaken = 0;
  td_composite_clear(m, ws);
  for (int i = x->first; i <= x->last; i++) {
    int node = m->contact[x->contact].point[i].node;
    td_touch touch;
    touch_point(m, ws, x->contact, i, &touch);
    td_composite_apply(&ws->composite[node], ZERO, touch.force, ws->pose[node].p);
  }
  td_composite_sum(m, ws, TD_COMPOSITE_WRENCH);
  td_composite_project(m, ws, b->Q);
  for (int i = 0; i < b->n; i++) b->x[i] = b->Q[i] *= !m->prescribed_count || m->prescribed_mask[i] != 0;
  td_spd_solve(b->n, b->ld, b->U, b->x);
  for (int i = 0; i < b->n; i++) done += b->Q[i] * b->x[i], shaken += b->inertia[i] * b->x[i];
  *rests = b->slow && fabs(shaken) < RESTS * done;
  return done > 0 ? x->force * x->force / done : INFINITY;
}

// ------------------------------------------------------------------------------------------------ looking

// How far the rod that touches gets, m, where the cluster is moved by y along n: dq = x k y / F, x = K^-1 Q in b->x.
// Overwrites the poses in r->ws, and b->Q.
static double farthest(td_resolution *r, const td_resolution_state *at, bare *b, const cluster *x, double k, double y) {
  const td_model *m = r->model;
  const td_rod *rod = &m->rod[m->contact[x->contact].point[x->first].rod];
  double(*from)[3] = r->shape, most = 0;
  for (int moved = 0; moved < 2; moved++) {
    for (int i = 0; i < b->n; i++) b->Q[i] = at->state.q[i] + moved * b->x[i] * k * y / x->force;
    td_kinematics(m, r->ws, b->Q, r->ws->zero, NULL, m->gravity, TD_LEVEL_TWIST);
    for (int p = 0; p < rod->point_count; p++) {
      double d[3];
      for (int c = 0; c < 3; c++) {
        d[c] = r->ws->pose[rod->point_node[p]].p[c] + r->ws->origin[c];
        if (!moved) from[p][c] = d[c];
        d[c] -= from[p][c];
      }
      most = fmax(most, sqrt(td_vec3_dot(d, d)));
    }
  }
  return most;
}

// How far twice the points, each as stiff, would put the rod from where as many on the same length do, m.
static double hangs_by(td_resolution *r, const td_resolution_state *at, bare *b, const cluster *x, double k, double y) {
  const td_model *m = r->model;
  double change = settle(m, r->ws, x, k, TWICE) - y;
  double most = fabs(change) > LEAST_COUNTED * x->depth ? farthest(r, at, b, x, k, change) : 0;
  td_kinematics(m, r->ws, at->state.q, r->ws->zero, NULL, m->gravity, TD_LEVEL_TWIST);
  return most;
}

static void note(td_resolution *r, const td_resolution_state *at, bare *b, const cluster *x, double k, bool rests) {
  const td_model *m = r->model;
  const td_contact *c = &m->contact[x->contact];
  const td_rod *rod = &m->rod[c->point[x->first].rod];
  td_contact_finding *f = &r->contact;
  double given = x->force / k, limit = (rests ? PLACE : TD_COARSE_POINTS) * rod->length;
  if (!isfinite(k) || !(fmax(given, x->depth) > MATTERS * rod->length)) return;
  double y = settle(m, r->ws, x, k, 1), moved = fabs(y), part = k * moved / x->force;
  double excess = part / (rests ? PART : PART_MOVING);
  felt now = spread(m, r->ws, x, y);
  bool lies = given > rod->length && fabs(now.force - x->force - k * y) < RESTS * x->force; // nothing else holds it
  if (lies || moved > LEAST_PART * given) excess = fmax(excess, moved / limit);
  bool somewhere = now.length < MOST_TOUCHING * rod->length; // what lies along it all does not move as one
  double hangs = rests && somewhere ? hangs_by(r, at, b, x, k, y) : 0;
  bool counts = hangs > COUNTS * rod->length && hangs / (COUNTS * rod->length) > excess;
  if (counts) excess = hangs / (COUNTS * rod->length), moved = hangs;
  if (!(excess > fmax(f->excess, 1))) return;
  *f = (td_contact_finding){.excess = excess,
                            .contact = x->contact,
                            .rod = c->point[x->first].rod,
                            .count = x->last - x->first + 1,
                            .force = x->force,
                            .spread = now.force,
                            .moved = moved,
                            .counts = counts,
                            .length = now.length,
                            .stiffness = c->obstacle.stiffness / cell(m, c, x->first)};
  snprintf(f->where, sizeof f->where, "%s", at->where);
}

// Contacts of a point each are what the points make them: another number of points is another robot.
bool td_resolution_touches(td_resolution *r, const td_resolution_state *at) {
  const td_model_spec *d = r->model->document;
  bool per_point = false;
  td_energy energy = {0};
  for (size_t i = 0; i < d->contact_count; i++) per_point |= d->contacts[i].per == TD_CONTACT_PER_POINT;
  return per_point && (td_state_energy(r->model, r->ws, &at->state, &energy) || energy.contact != 0);
}

void td_resolution_look_at_contact(td_resolution *r, const td_resolution_state *at) {
  const td_model *m = r->model;
  bare b;
  if (m->contact_count == 0 || !td_resolution_touches(r, at)) return;
  if (bare_init(&b, r, at) && factor(&b, m)) {
    td_kinematics(m, r->ws, at->state.q, r->ws->zero, NULL, m->gravity, TD_LEVEL_TWIST);
    for (int c = 0; c < m->contact_count; c++) {
      cluster x;
      if (m->document->contacts[c].per != TD_CONTACT_PER_POINT) continue;
      for (int i = 0; next_cluster(m, r->ws, c, i, &x); i = x.last + 1)
        if (x.force > 0) {
          bool rests;
          double k = stiffness_of(&b, m, r->ws, &x, &rests);
          note(r, at, &b, &x, k, rests);
        }
    }
  }
  bare_fini(&b);
}

void td_resolution_tell_contact(const td_resolution *r, td_warnings *warnings) {
  const td_contact_finding *f = &r->contact;
  const td_model *m = r->model;
  if (!(f->excess > 1)) return;
  const td_rod *rod = &m->rod[f->rod];
  const td_rod_spec *spec = &m->document->links[rod->link].body.rod;
  int pieces = td_rod_piece_count(spec), own = td_rod_gauss_per_piece(spec);
  double most = f->length > 0 ? ceil(POINTS * 1.6 * rod->length / (pieces * f->length)) : INFINITY;
  char pointer[TD_POINTER_SIZE], name[TD_MAX_NAME + 8] = "";
  if (m->document->contacts[f->contact].name)
    snprintf(name, sizeof name, " \"%.63s\"", m->document->contacts[f->contact].name);
  snprintf(pointer, sizeof pointer, "/model/contacts/%d/per", f->contact);
  if (f->counts) {
    td_warn(
        warnings, "coarse_quadrature", pointer,
        "%s: where \"%.63s\" lies on the obstacle%s hangs on the number of its points, as each has a stiffness of its "
        "own: twice as many would hold it %.2g m from there, %.2g %% of its length; take \"per\": \"length\" with a "
        "stiffness of %.2g per metre, or a higher one",
        f->where, m->link[rod->link].name, name, f->moved, 100 * f->moved / rod->length, f->stiffness);
    return;
  }
  td_warn(warnings, "coarse_quadrature", pointer,
          "%s: \"%.63s\" touches the obstacle%s with %d of its points, and where these lie decides: the same stiffness "
          "spread "
          "along the rod would press with %.3g N instead of %.3g N and hold it %.2g m from there; take \"per\": "
          "\"length\" with a stiffness of %.2g per metre, and %.0f `quadrature.points`%s",
          f->where, m->link[rod->link].name, name, f->count, f->spread, f->force, f->moved, f->stiffness,
          fmin(fmax(most, ceil(1.5 * own)), 8 * own), pieces > 1 ? " per element" : "");
}

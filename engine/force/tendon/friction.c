// Friction of tendons (friction.h): pieces of a path in the world, turns between them, and derivatives of both.
//
//   dtau/dq = -T_0 sum factor_i d2l_i/dq2 - T_0 sum_j P_j (d psi_j/dq)^T - (sum factor_i dl_i/dq) (dT_0/dq)^T,
//   P_j = sum_(i >= j) factor_i dl_i/dq,  d psi_j = mu (tanh dalpha_j + alpha_j tanh' dv_j / slip);  dqd alike, without
// dalpha.
// The first sum is tendon.c's and stretch.c's, the last tension.c's. Angles below 1e-8 are smoothed, so that straight
// paths have a derivative.
#include "force/tendon/friction.h"
#include "force/tendon/path.h"
#include "force/tendon/tendon.h"
#include "lie/vec3.h"
#include "pass/jacobian.h"
#include "pass/kinematics.h"
#include <math.h>
#include <string.h>

static const double STRAIGHT = 1e-8;  // rad
static const double LEAST_TURN = 0.1; // rad: of less, friction of a tenth of mu at the most
static const double NONE[3] = {0};

// ---- pieces

// A vector of the frame whose x axis is the tangent, in the world.
static void to_world(const td_workspace *ws, const td_rod *rod, int node, const double *x, double *out) {
  double turned[3] = {x[1], x[2], x[0]}; // a reduced body's axis is z
  td_mat3_vec(ws->pose[node].R, rod->column ? turned : x, out);
}

// out [3][n] += w x direction, w the angular columns of the node
static void add_turning(const td_model *m, td_workspace *ws, int node, const double *direction, double *out) {
  double *J = ws->tension.jacobian;
  td_node_jacobian(m, ws, node, J);
  for (int c = 0; c < m->n; c++) {
    double w[3] = {J[c], J[m->n + c], J[2 * m->n + c]}, v[3];
    td_vec3_cross(w, direction, v);
    for (int i = 0; i < 3; i++) out[i * m->n + c] += v[i];
  }
}

// x - n n.x, divided by `length`
static void across(const double *n, const double *x, double length, double *out) {
  double along = td_vec3_dot(n, x);
  for (int i = 0; i < 3; i++) out[i] = (x[i] - along * n[i]) / length;
}

// out [n] += weight phi_c (m^T along)_c on the rod's coordinates
static void project_point(const td_model *m, const td_rod *rod, const double *phi, const td_path_tangent *t,
                          const double *along, double weight, double *out) {
  double pull[TD_COMPONENTS] = {0};
  td_path_pull(t, along, weight, pull);
  out += td_rod_coordinate(m, rod);
  for (int g = 0; g < rod->group_count; g++)
    for (int c = rod->group[g].first; c < rod->group[g].first + rod->group[g].count; c++)
      out[c] += phi[c] * pull[rod->axis[rod->group[g].component]];
}

// out [3][n] += change of the direction by the rod's own strains
static void add_bending(const td_model *m, td_workspace *ws, const td_rod *rod, int node, const double *phi,
                        const td_path_tangent *t, double *out) {
  out += td_rod_coordinate(m, rod);
  for (int g = 0; g < rod->group_count; g++) {
    double unit[TD_COMPONENTS] = {0}, change[3], local[3], world[3];
    unit[rod->axis[rod->group[g].component]] = 1;
    td_path_change(t, unit, change);
    across(t->n, change, t->length, local);
    to_world(ws, rod, node, local, world);
    for (int c = rod->group[g].first; c < rod->group[g].first + rod->group[g].count; c++)
      for (int i = 0; i < 3; i++) out[i * m->n + c] += phi[c] * world[i];
  }
}

// A Gauss point or an edge of a path on a rod.
static void rod_piece(const td_model *m, td_workspace *ws, const td_tendon_piece *piece, int index, const double *q,
                      const double *qd, bool slopes) {
  td_tension_scratch *s = &ws->tension;
  const td_tendon_path *path = &m->path[piece->path];
  const td_rod *rod = &m->rod[path->rod];
  const td_path_edges *edges = path->edges;
  bool edge = piece->type == TD_PIECE_EDGE;
  int at = piece->at, stride = td_rod_stride(m, rod), first = td_rod_coordinate(m, rod);
  const double *phi = (edge ? edges->phi : rod->phi_gauss) + at * stride;
  double strain[TD_COMPONENTS], weight = edge ? 0 : rod->weight[at];
  td_path_strain(rod, phi, q + first, strain);
  td_path_tangent t = edge ? td_path_tangent_of(edges->offset[at], edges->t0[at], strain)
                           : td_path_tangent_of(path->offset + 2 * at, path->t0 + 3 * at, strain);
  double *direction = s->direction[index];
  to_world(ws, rod, piece->node, t.n, direction);
  project_point(m, rod, phi, &t, t.n, weight, s->piece_gradient + index * m->n);
  if (!slopes) return;
  double rate[3], change[3];
  add_turning(m, ws, piece->node, direction, s->turn + 3 * index * m->n);
  add_bending(m, ws, rod, piece->node, phi, &t, s->turn + 3 * index * m->n);
  td_path_strain(rod, phi, qd + first, strain);
  td_path_change(&t, strain, rate);
  across(t.n, rate, t.length, change);
  project_point(m, rod, phi, &t, change, weight, s->piece_drift + index * m->n);
}

static void fixed_piece(const td_model *m, td_workspace *ws, const td_tendon_piece *piece, int index, bool slopes) {
  double *direction = ws->tension.direction[index];
  td_mat3_vec(ws->pose[piece->node].R, piece->direction, direction);
  if (slopes) add_turning(m, ws, piece->node, direction, ws->tension.turn + 3 * index * m->n);
}

static void stretch_piece(const td_model *m, td_workspace *ws, const td_tendon_piece *piece, int index, const double *q,
                          bool slopes) {
  td_tension_scratch *s = &ws->tension;
  int n = m->n;
  double *direction = s->direction[index], *D = s->jacobian + 6 * n, *gradient = s->piece_gradient + index * n, length;
  if (!td_stretch_line(m, ws, q, piece->at, direction, D, &length)) return;
  for (int c = 0; c < n; c++) gradient[c] = direction[0] * D[c] + direction[1] * D[n + c] + direction[2] * D[2 * n + c];
  for (int i = 0; slopes && i < 3; i++)
    for (int c = 0; c < n; c++) s->turn[(3 * index + i) * n + c] = (D[i * n + c] - direction[i] * gradient[c]) / length;
  if (slopes) memcpy(s->piece_drift + index * n, s->stretch_drift + piece->at * n, (size_t)n * sizeof *D);
}

// ---- turns

// alpha between the directions of pieces a and b, and -(d alpha/d n_a, d alpha/d n_b) as vectors. Smoothed at 0, even
// in the turn.
static double turn_between(const td_tension_scratch *s, int a, int b, double by_a[3], double by_b[3]) {
  const double *x = s->direction[a], *y = s->direction[b];
  double normal[3], cosine = td_vec3_dot(x, y);
  td_vec3_cross(x, y, normal);
  double sine = sqrt(td_vec3_dot(normal, normal)), angle = atan2(sine, cosine),
         smooth = sqrt(angle * angle + STRAIGHT * STRAIGHT);
  double slope = (sine > 1e-12 ? angle / sine : cosine > 0 ? 1 : 0) / smooth; // a fold by pi has no direction
  for (int i = 0; i < 3; i++) by_a[i] = slope * (y[i] - cosine * x[i]), by_b[i] = slope * (x[i] - cosine * y[i]);
  return angle * angle / (smooth + STRAIGHT); // smooth - STRAIGHT
}

static bool has_direction(const td_tension_scratch *s, int i) {
  return td_vec3_dot(s->direction[i], s->direction[i]) > 0;
}

// The last piece before i that has a direction (a stretch of length 0 has none), -1.
static int before(const td_tension_scratch *s, int i) {
  if (!has_direction(s, i)) return -1;
  for (i--; i >= 0 && !has_direction(s, i);) i--;
  return i;
}

static double strength(const td_model *m, const td_workspace *ws, int tendon) {
  return ws->tension.total[tendon] < 0 ? -m->law[tendon].friction : m->law[tendon].friction;
}

// Pieces of one tendon at (q, qd), speeds and factors.
static void follow(const td_model *m, td_workspace *ws, int tendon, const double *q, const double *qd, bool slopes) {
  td_tension_scratch *s = &ws->tension;
  const td_tendon_law *law = &m->law[tendon];
  const td_tendon_piece *piece = m->piece + law->first_piece;
  size_t size = (size_t)law->piece_count * (size_t)m->n * sizeof(double);
  memset(s->piece_gradient, 0, size);
  if (slopes) memset(s->turn, 0, 3 * size);
  if (slopes) memset(s->piece_drift, 0, size);
  memset(s->direction, 0, (size_t)law->piece_count * sizeof *s->direction);
  td_kinematics(m, ws, q, NULL, NULL, NONE, TD_LEVEL_POSE);
  for (int i = 0; i < law->piece_count; i++) {
    if (piece[i].type == TD_PIECE_GAUSS || piece[i].type == TD_PIECE_EDGE)
      rod_piece(m, ws, &piece[i], i, q, qd, slopes);
    else if (piece[i].type == TD_PIECE_FIXED)
      fixed_piece(m, ws, &piece[i], i, slopes);
    else
      stretch_piece(m, ws, &piece[i], i, q, slopes);
  }
  s->speed[law->piece_count] = 0;
  for (int i = law->piece_count - 1; i >= 0; i--) {
    s->speed[i] = s->speed[i + 1];
    for (int c = 0; c < m->n; c++) s->speed[i] += s->piece_gradient[i * m->n + c] * qd[c];
  }
  double exponent = 0, unused[2][3];
  for (int i = 0; i < law->piece_count; i++) {
    int last = before(s, i);
    if (last >= 0)
      exponent +=
          strength(m, ws, tendon) * turn_between(s, last, i, unused[0], unused[1]) * tanh(s->speed[i] / law->slip);
    s->factor[law->first_piece + i] = exp(exponent);
    if (piece[i].type == TD_PIECE_STRETCH) s->stretch_factor[piece[i].at] = exp(exponent);
  }
}

// ---- forces

void td_add_friction(const td_model *m, td_workspace *ws, const double *q, const double *qd, double *damping) {
  td_tension_scratch *s = &ws->tension;
  for (int t = 0; t < m->tendon_count; t++) {
    const td_tendon_law *law = &m->law[t];
    if (law->friction == 0 || s->total[t] == 0) continue;
    follow(m, ws, t, q, qd, false);
    for (int i = 0; i < law->piece_count; i++) {
      double lost = s->total[t] * (s->factor[law->first_piece + i] - 1);
      for (int c = 0; c < m->n; c++) damping[c] -= lost * s->piece_gradient[i * m->n + c];
    }
  }
}

double td_friction_share(const td_model *m, td_workspace *ws, const double *q, const double *qd, int *tendon) {
  const td_tension_scratch *s = &ws->tension;
  double all = 0, acts = 0, lowest = INFINITY, unused[2][3];
  *tendon = -1;
  for (int t = 0; t < m->tendon_count; t++) {
    const td_tendon_law *law = &m->law[t];
    double turned = 0, rubs = 0;
    if (law->friction == 0 || !(s->total[t] > 0)) continue;
    follow(m, ws, t, q, qd, false);
    for (int i = 0; i < law->piece_count; i++) {
      int last = before(s, i);
      double angle = last >= 0 ? turn_between(s, last, i, unused[0], unused[1]) : 0;
      turned += angle;
      rubs += angle * fabs(tanh(s->speed[i] / law->slip));
    }
    if (turned < LEAST_TURN) continue;
    all += law->friction * s->total[t] * turned;
    acts += law->friction * s->total[t] * rubs;
    if (rubs / turned < lowest) lowest = rubs / turned, *tendon = t;
  }
  return all > 0 ? acts / all : 1;
}

void td_friction_gradient(const td_model *m, td_workspace *ws, int tendon, const double *q, const double *qd,
                          double *weighted) {
  td_tension_scratch *s = &ws->tension;
  follow(m, ws, tendon, q, qd, false);
  memset(weighted, 0, (size_t)m->n * sizeof *weighted);
  for (int i = 0; i < m->law[tendon].piece_count; i++)
    for (int c = 0; c < m->n; c++)
      weighted[c] += s->factor[m->law[tendon].first_piece + i] * s->piece_gradient[i * m->n + c];
}

// ---- derivatives

// d(l')/dq of one stretch alone: its second derivative times qd.
static void find_stretch_drift(const td_model *m, td_workspace *ws, int tendon, int stretch, const double *q,
                               const double *qd) {
  td_tension_scratch *s = &ws->tension;
  double *out = s->stretch_drift + stretch * m->n, *unit = s->elastic;
  for (int t = 0; t < m->tendon_count; t++) unit[t] = t == tendon;
  for (int i = 0; i < m->stretch_count; i++) s->stretch_factor[i] = i == stretch;
  memset(ws->dtau_dq, 0, (size_t)m->n * (size_t)m->ld * sizeof(double));
  td_stretch_derivatives(m, ws, q, unit, s->stretch_factor);
  for (int i = 0; i < m->n; i++) {
    out[i] = 0;
    for (int j = 0; j < m->n; j++) out[i] -= ws->dtau_dq[i * m->ld + j] * qd[j];
  }
}

void td_friction_drifts(const td_model *m, td_workspace *ws, const double *q, const double *qd) {
  for (int t = 0; t < m->tendon_count; t++)
    for (int i = 0; m->law[t].friction > 0 && i < m->law[t].piece_count; i++) {
      const td_tendon_piece *piece = &m->piece[m->law[t].first_piece + i];
      if (piece->type == TD_PIECE_STRETCH) find_stretch_drift(m, ws, t, piece->at, q, qd);
    }
}

void td_friction_factors(const td_model *m, td_workspace *ws, const double *q, const double *qd) {
  for (int i = 0; i < m->stretch_count; i++) ws->tension.stretch_factor[i] = 1;
  for (int t = 0; t < m->tendon_count; t++)
    if (m->law[t].friction > 0) follow(m, ws, t, q, qd, false);
}

static void add_outer(const td_model *m, double scale, const double *column, const double *row, double *matrix) {
  for (int i = 0; i < m->n; i++)
    for (int j = 0; j < m->n; j++) matrix[i * m->ld + j] += scale * column[i] * row[j];
}

// -T_0 P_j (d psi_j)^T of the turn between pieces `last` and i.
static void add_turn(const td_model *m, td_workspace *ws, int tendon, int last, int i, const double *P, const double *G,
                     const double *H, double *row) {
  td_tension_scratch *s = &ws->tension;
  double by_a[3], by_b[3], mu = strength(m, ws, tendon), slip = m->law[tendon].slip, tension = s->total[tendon];
  double angle = turn_between(s, last, i, by_a, by_b), sign = tanh(s->speed[i] / slip),
         rise = angle * (1 - sign * sign) / slip;
  const double *a = s->turn + 3 * last * m->n, *b = s->turn + 3 * i * m->n;
  for (int c = 0; c < m->n; c++) {
    double turn = 0;
    for (int k = 0; k < 3; k++) turn -= by_a[k] * a[k * m->n + c] + by_b[k] * b[k * m->n + c];
    row[c] = sign * turn + rise * H[c];
  }
  add_outer(m, -tension * mu, P, row, ws->dtau_dq);
  add_outer(m, -tension * mu * rise, P, G, ws->dtau_dqd);
}

void td_add_friction_slopes(const td_model *m, td_workspace *ws, int tendon, const double *q, const double *qd,
                            double *weighted) {
  td_tension_scratch *s = &ws->tension;
  const td_tendon_law *law = &m->law[tendon];
  int n = m->n;
  double *G = s->sum, *H = G + n, *row = H + n, *P = weighted;
  follow(m, ws, tendon, q, qd, true);
  memset(P, 0, (size_t)n * sizeof *P);
  memset(G, 0, 2 * (size_t)n * sizeof *G);
  for (int i = law->piece_count - 1; i >= 0; i--) {
    const double *g = s->piece_gradient + i * n, *h = s->piece_drift + i * n;
    for (int c = 0; c < n; c++) P[c] += s->factor[law->first_piece + i] * g[c], G[c] += g[c], H[c] += h[c];
    int last = before(s, i);
    if (last >= 0) add_turn(m, ws, tendon, last, i, P, G, H, row);
  }
}

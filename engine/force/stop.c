// Soft stops of joints (stop.h): penalty forces on single coordinates, tau = -s k p - d p qd at a depth p > 0 beyond a
// limit, s = 1 beyond the upper one, -1 beyond the lower one. Diagonal, so that derivatives are
//   dtau/dq = -k - s d qd,   dtau/dqd = -d p.
// At p = 0 they are those of the inner side: 0.
#include "force/stop.h"
#include "force/force_table.h"
#include "model/block.h"
#include "tendril/dynamics.h"
#include <assert.h>
#include <math.h>

// A coordinate beyond a limit.
typedef struct press {
  double depth; // of a kink that is held: of either sign
  double side;  // 1, -1; 0: it is not
} press;

static press press_at(const td_stop *s, double q) {
  if (q > s->upper) return (press){q - s->upper, 1};
  if (q < s->lower) return (press){s->lower - q, -1};
  return (press){0, 0};
}

// Of stop i at the side that td_workspace.kinks says, behind the points of contacts, if it does.
static press press_of(const td_model *m, int i, const td_workspace *ws, double q) {
  const td_stop *s = &td_stops_of(m)->stop[i];
  const double *kinks = ws->kinks;
  if (!kinks) return press_at(s, q);
  for (int c = 0; c < m->contact_count; c++) kinks += m->contact[c].point_count;
  kinks += 2 * i;
  if (kinks[0] > 0) return (press){q - s->upper, 1};
  if (kinks[1] > 0) return (press){s->lower - q, -1};
  return (press){0, 0};
}

const td_stops *td_stops_of(const td_model *m) { return m->of_force[TD_FORCE_AT_stop]; }

int td_stops_count(const td_model *m) { return td_stops_of(m) ? td_stops_of(m)->count : 0; }

bool td_stops_any(const td_model *m, int first, int count) {
  const td_stops *all = td_stops_of(m);
  for (int i = 0; i < td_stops_count(m); i++)
    if (all->stop[i].coordinate >= first && all->stop[i].coordinate < first + count) return true;
  return false;
}

double td_stop_depth(const td_stop *stop, double q) { return press_at(stop, q).depth; }

double td_stop_signed(const td_stop *stop, double q, int *side) {
  double above = q - stop->upper, below = stop->lower - q;
  *side = above >= below ? 1 : -1;
  return fmax(above, below);
}

double td_stops_energy(const td_model *m, const double *q, double *slope) {
  const td_stops *all = td_stops_of(m);
  double energy = 0;
  for (int i = 0; i < td_stops_count(m); i++) {
    const td_stop *s = &all->stop[i];
    press at = press_at(s, q[s->coordinate]);
    energy += 0.5 * s->stiffness * at.depth * at.depth;
    if (slope) slope[s->coordinate] += at.side * s->stiffness * at.depth;
  }
  return energy;
}

// ---- the row

static void add(const td_model *m, td_workspace *ws, const double *q, const double *qd, const double *u,
                const td_force_sums *out) {
  const td_stops *all = td_stops_of(m);
  (void)u;
  for (int i = 0; i < all->count; i++) {
    const td_stop *s = &all->stop[i];
    press at = press_of(m, i, ws, q[s->coordinate]);
    if (at.side == 0) continue;
    out->elastic[s->coordinate] -= at.side * s->stiffness * at.depth;
    if (qd) out->damping[s->coordinate] -= s->damping * at.depth * qd[s->coordinate];
  }
}

static void add_slopes(const td_model *m, td_workspace *ws, const double *q, const double *qd, const double *u) {
  const td_stops *all = td_stops_of(m);
  (void)u;
  for (int i = 0; i < all->count; i++) {
    const td_stop *s = &all->stop[i];
    int c = s->coordinate;
    press at = press_of(m, i, ws, q[c]);
    if (at.side == 0) continue;
    ws->dtau_dq[c * m->ld + c] -= s->stiffness + (qd ? at.side * s->damping * qd[c] : 0);
    ws->dtau_dqd[c * m->ld + c] -= s->damping * at.depth;
  }
}

static void add_energy(const td_model *m, td_workspace *ws, const double *q, const double *u, td_energy *energy) {
  const td_stops *all = td_stops_of(m);
  (void)u;
  for (int i = 0; i < all->count; i++) {
    press at = press_of(m, i, ws, q[all->stop[i].coordinate]);
    energy->elastic += 0.5 * all->stop[i].stiffness * at.depth * at.depth;
  }
}

static bool stops(const td_limits_spec *l, int c) {
  return l->stiffness[c] > 0 && (isfinite(l->lower[c]) || isfinite(l->upper[c]));
}

static void add_joint(const td_model *m, int link, const td_limits_spec *l, td_stops *all) {
  int first = m->link[link].joint_coordinate;
  for (int c = 0; c < m->link[link].joint_n; c++)
    if (stops(l, c))
      all->stop[all->count++] = (td_stop){first + c, link, l->lower[c], l->upper[c], l->stiffness[c], l->damping[c]};
}

// Nothing where no joint has limits.
static td_status build(td_model *m, const td_model_spec *spec) {
  size_t count = 0;
  assert((size_t)m->link_count == spec->link_count);
  for (int i = 0; i < m->link_count; i++)
    for (int c = 0; c < m->link[i].joint_n; c++) count += stops(&spec->links[i].joint.limits, c);
  if (count == 0) return TD_OK;
  td_stops *all = td_block_alloc(&m->blocks, 1, sizeof *all + count * sizeof *all->stop);
  if (!all) return TD_NO_MEMORY;
  for (int i = 0; i < m->link_count; i++) add_joint(m, i, &spec->links[i].joint.limits, all);
  m->of_force[TD_FORCE_AT_stop] = all;
  return TD_OK;
}

static unsigned acts(const td_model *m) { return td_stops_of(m) ? TD_ACTS : 0; }

const td_force td_force_stop = {
    .name = "stop", .build = build, .acts = acts, .add = add, .add_slopes = add_slopes, .energy = add_energy};

// How far the rods of two motions are apart in each view of them (sight.h), held against how far they move: weighed at
// the times of a trace, the worst rod and moment kept.
#include "run/judge/second/sight.h"
#include "estimate/resolution/parts.h"
#include "pass/kinematics.h"
#include "strain/points.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double LEAST_PART = 0.05;    // of what the rod that moves most does: others are not looked at
static const double LEAST_SEEN = 1e-9;    // of a rod's length,
static const double LEAST_CARRIED = 1e-3; // and where joints carry rods about: stiff ones hardly bend
static const double TWISTS = 0.3;         // of how far the rod bends: less is not its motion
static const double OF_LENGTH = TD_COARSE_RESPONSE / TD_COARSE_MOTION;

// ------------------------------------------------------------------------------------------------ life

static bool sight_init(const td_model *t, td_sight *s) {
  s->world = calloc(2 * (size_t)t->node_count + 1, sizeof *s->world);
  s->own = s->world ? s->world + t->node_count : NULL;
  s->tip = calloc((size_t)t->rod_count + 1, sizeof *s->tip);
  return s->world && s->tip;
}

static void sight_fini(td_sight *s) {
  free(s->world);
  free(s->tip);
}

bool td_comparison_init(td_comparison *c) {
  const td_model *t = c->twin->model;
  bool start = sight_init(t, &c->start), ours = sight_init(t, &c->ours), theirs = sight_init(t, &c->theirs);
  c->q = calloc(2 * (size_t)t->n + 1, sizeof *c->q);
  c->seen = calloc((size_t)t->rod_count + 1, sizeof *c->seen);
  c->strain = calloc((size_t)t->rod_count + 1, sizeof *c->strain);
  for (int i = 0; i < t->element_count; i++) c->joints |= t->element[i].rod < 0 && t->element[i].n > 0;
  return c->q && c->seen && c->strain && start && ours && theirs;
}

void td_comparison_fini(td_comparison *c) {
  sight_fini(&c->start);
  sight_fini(&c->ours);
  sight_fini(&c->theirs);
  free(c->seen);
  free(c->strain);
  free(c->q);
}

// ------------------------------------------------------------------------------------------------ what is seen

static void see(const td_comparison *c, const double *q, const td_sight *out) {
  const td_model *t = c->twin->model;
  const td_workspace *ws = c->twin->ws;
  td_kinematics(t, c->twin->ws, q, NULL, NULL, t->gravity, TD_LEVEL_POSE);
  for (int i = 0; i < t->rod_count; i++) {
    const td_rod *rod = &t->rod[i];
    const td_se3 *base = &ws->pose[rod->point_node[0]];
    for (int k = 0; k < rod->point_count && rod->basis; k++) {
      const double *p = ws->pose[rod->point_node[k]].p,
                   d[3] = {p[0] - base->p[0], p[1] - base->p[1], p[2] - base->p[2]};
      for (int j = 0; j < 3; j++) {
        out->own[rod->point_node[k]][j] = base->R[j] * d[0] + base->R[3 + j] * d[1] + base->R[6 + j] * d[2];
        out->world[rod->point_node[k]][j] = ws->origin[j] + p[j];
      }
    }
    if (rod->basis) td_twin_tip(c->twin, i, &out->tip[i]);
  }
}

static double farthest(const td_rod *rod, double (*a)[3], double (*b)[3], int first) {
  double most = 0;
  for (int k = first; k < rod->point_count; k++) {
    const double *x = a[rod->point_node[k]], *y = b[rod->point_node[k]];
    double d = hypot(hypot(x[0] - y[0], x[1] - y[1]), x[2] - y[2]);
    if (!(d <= most)) most = d;
  }
  return most;
}

// sqrt(x^T K x) of a rod, x = a - b [N each] or a, by what its material holds.
static double strain_of(const td_comparison *c, int rod_index, const double *a, const double *b) {
  const td_rod *rod = &c->twin->model->rod[rod_index];
  const double *block = rod->stiffness;
  double sum = 0;
  for (int g = 0; g < rod->group_count; g++) {
    int count = rod->group[g].count, first = c->twin->model->element[rod->element].coordinate + rod->group[g].first;
    for (int i = first; i < first + count; i++)
      for (int j = first; j < first + count; j++)
        sum += block[(i - first) * count + j - first] * (a[i] - (b ? b[i] : 0)) * (a[j] - (b ? b[j] : 0));
    block += count * count;
  }
  return sqrt(fmax(sum, 0));
}

// How far the robot's rods have got from the start; its coordinates are in c->q.
static void note_ways(const td_comparison *c) {
  const td_sight *start = &c->start, *ours = &c->ours;
  for (int i = 0; i < c->twin->model->rod_count; i++) {
    const td_rod *rod = &c->twin->model->rod[i];
    td_view *v = c->seen[i];
    if (!rod->basis) continue;
    v[TD_SEEN_OWN].scale = fmax(v[TD_SEEN_OWN].scale, farthest(rod, start->own, ours->own, 1));
    v[TD_SEEN_WORLD].scale = fmax(v[TD_SEEN_WORLD].scale, farthest(rod, start->world, ours->world, 0));
    v[TD_SEEN_TWIST].scale = fmax(v[TD_SEEN_TWIST].scale, fabs(td_twist_between(&start->tip[i], &ours->tip[i])));
    c->strain[i].scale = fmax(c->strain[i].scale, strain_of(c, i, c->q, NULL));
  }
}

static void note(const td_comparison *c, int rod, int which, double error, double t, const double *q) {
  td_view *v = &c->seen[rod][which];
  if (error <= v->error) return;
  v->error = error, v->t = t;
  v->component = which == TD_SEEN_TWIST ? td_twin_lacking(c->twin, rod, q) : td_twin_moving(c->twin, rod, q);
}

// Two traces at one time; q [N] of the twin: the second's. Where a joint turns a rod's base, what its end bends by turns
// it, too, and moves all that is seen from there: no more counts than its points are elsewhere.
static void note_errors(const td_comparison *c, double t, const double *q) {
  const td_sight *ours = &c->ours, *theirs = &c->theirs;
  for (int i = 0; i < c->twin->model->rod_count; i++) {
    const td_rod *rod = &c->twin->model->rod[i];
    if (!rod->basis) continue;
    double own = farthest(rod, ours->own, theirs->own, 1), world = farthest(rod, ours->world, theirs->world, 0);
    note(c, i, TD_SEEN_OWN, fmin(own, world), t, q);
    note(c, i, TD_SEEN_WORLD, world, t, q);
    note(c, i, TD_SEEN_TWIST, fabs(td_twist_between(&ours->tip[i], &theirs->tip[i])), t, q);
    c->strain[i].error = fmax(c->strain[i].error, strain_of(c, i, c->q, q));
  }
}

void td_comparison_see(td_comparison *c, const double *a, const double *b, bool functions, int known) {
  size_t n = (size_t)c->own->n, N = (size_t)c->twin->model->n;
  double *q = c->q, *other = c->q + N;
  memset(c->seen, 0, (size_t)c->own->rod_count * sizeof *c->seen);
  memset(c->strain, 0, (size_t)c->own->rod_count * sizeof *c->strain);
  for (int k = 0; k < c->rows; k++) {
    td_twin_embed(c->own, c->twin, a + (size_t)k * n, q);
    see(c, q, &c->ours);
    if (k == 0) see(c, q, &c->start);
    note_ways(c);
    if (k >= known) continue;
    if (!functions) td_twin_embed(c->own, c->twin, b + (size_t)k * n, other);
    const double *theirs = functions ? b + (size_t)k * N : other;
    see(c, theirs, &c->theirs);
    note_errors(c, c->times[k], theirs);
  }
}

// ------------------------------------------------------------------------------------------------ verdict

int td_comparison_points(const td_comparison *c, int rod, bool twin) {
  const td_model *m = c->own;
  return twin ? td_twin_points(m->document, m->rod[rod].link, c->how)
              : td_rod_gauss_per_piece(&m->document->links[m->rod[rod].link].body.rod);
}

// What a view of a rod says against `largest`, the farthest that any gets in it. false: it is not looked at.
static bool apart_in(const td_comparison *c, int rod, int which, double largest, td_apart *out) {
  const td_view *v = &c->seen[rod][which];
  double L = c->own->rod[rod].length, length = which == TD_SEEN_TWIST ? 1 : L;
  *out = (td_apart){.share = v->error / v->scale, .of_length = v->error / length, .rod = rod, .t = v->t};
  out->twist = which == TD_SEEN_TWIST;
  out->own = which == TD_SEEN_OWN && c->joints;
  out->ratio = out->share * (out->twist ? 1 : fmax(1, OF_LENGTH * fmin(1, v->scale / L)));
  if (v->scale < fmax(LEAST_PART * largest, LEAST_SEEN * length)) return false;
  if (out->twist && L * v->scale < TWISTS * c->seen[rod][TD_SEEN_OWN].scale) return false;
  return which == TD_SEEN_WORLD || !c->joints || v->error >= LEAST_CARRIED * length;
}

int td_comparison_weigh(const td_comparison *c, bool by_points, td_apart *worst) {
  int component = 0;
  for (int k = 0; k < TD_VIEWS; k++) {
    double largest = 0;
    for (int i = 0; i < c->own->rod_count; i++) largest = fmax(largest, c->seen[i][k].scale);
    for (int i = 0; i < c->own->rod_count; i++) {
      td_apart apart;
      if (!c->own->rod[i].basis || !apart_in(c, i, k, largest, &apart) || !(apart.ratio > worst->ratio)) continue;
      if (by_points && td_comparison_points(c, i, true) == td_comparison_points(c, i, false)) continue;
      *worst = apart;
      component = c->seen[i][k].component;
    }
  }
  return component;
}

bool td_comparison_strains(const td_comparison *c, double *strains) {
  bool more = true;
  *strains = 0;
  for (int i = 0; i < c->own->rod_count; i++) {
    if (!c->own->rod[i].basis) continue;
    more &= td_comparison_points(c, i, true) > td_comparison_points(c, i, false);
    if (c->strain[i].error > 0) *strains = fmax(*strains, c->strain[i].error / c->strain[i].scale);
  }
  return more;
}

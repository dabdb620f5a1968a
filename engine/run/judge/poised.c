// What is pressed beyond what it carries stays where it is until what left it has grown by its e-folds. So the longest
// stretch of a run in which the rods kept their shape is asked how motions grow there, in the second half of it: a load
// may have begun in the first. What moves is pressed and pulled for moments, too; that is no such stretch.
#include "run/judge/poised.h"
#include "pass/kinematics.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_ROWS = 8 };           // of the trace, in a stretch: fewer are a moment
static const double STANDS = 0.01; // of a rod's length
static const double AT = 0.75;     // of the stretch

// Positions of rods' points from their base at a row of the trace.
static void shape_at(td_simulation *run, int row, double (*out)[3]) {
  const td_model *m = run->plant.model;
  td_kinematics(m, run->ws, run->trace + (size_t)row * (size_t)m->n, NULL, NULL, m->gravity, TD_LEVEL_POSE);
  for (int i = 0; i < m->rod_count; i++) {
    const td_se3 *pose = run->ws->pose, *base = &pose[m->rod[i].point_node[0]];
    for (int k = 0; k < m->rod[i].point_count; k++) {
      const double *p = pose[m->rod[i].point_node[k]].p,
                   d[3] = {p[0] - base->p[0], p[1] - base->p[1], p[2] - base->p[2]};
      for (int c = 0; c < 3; c++)
        out[m->rod[i].point_node[k]][c] = base->R[c] * d[0] + base->R[3 + c] * d[1] + base->R[6 + c] * d[2];
    }
  }
}

static bool is_kept(const td_model *m, double (*a)[3], double (*b)[3]) {
  bool kept = true;
  for (int i = 0; i < m->rod_count; i++)
    for (int k = 0; k < m->rod[i].point_count && m->rod[i].basis; k++) {
      const double *x = a[m->rod[i].point_node[k]], *y = b[m->rod[i].point_node[k]];
      kept &= hypot(hypot(x[0] - y[0], x[1] - y[1]), x[2] - y[2]) <= STANDS * m->rod[i].length;
    }
  return kept;
}

// Rows of the trace.
typedef struct stretch {
  int first, last;
} stretch;

static double time_of(const td_simulation *run, int row) {
  return td_retrace_time(row, run->state.retrace.rows, run->spec->t_end);
}
static double length_of(const td_simulation *run, const stretch *s) {
  return time_of(run, s->last) - time_of(run, s->first);
}

static stretch longest(td_simulation *run) {
  stretch best = {0, 0}, now = {0, 0};
  size_t nodes = (size_t)run->plant.model->node_count;
  double(*from)[3] = calloc(2 * nodes + 1, sizeof *from), (*here)[3] = from + nodes;
  for (int row = 0; row < run->state.retrace.rows && from; row++) {
    shape_at(run, row, here);
    if (row > 0 && is_kept(run->plant.model, from, here)) {
      now.last = row;
    } else {
      now = (stretch){row, row};
      memcpy(from, here, nodes * sizeof *from);
    }
    if (length_of(run, &now) > length_of(run, &best)) best = now;
  }
  free(from);
  return best;
}

void td_poised_look(td_simulation *run, td_resolution *resolution) {
  td_plant *p = &run->plant;
  size_t n = (size_t)p->n;
  if (!resolution || run->state.retrace.rows < td_retrace_rows(p->n)) return;
  stretch s = longest(run);
  double lasts = length_of(run, &s), t = time_of(run, s.first) + AT * lasts, *y = calloc(4 * n + 1, sizeof *y),
         *dy = y + 2 * n;
  int row = s.first;
  while (row < s.last && time_of(run, row) < t) row++;
  if (y && s.last - s.first >= LEAST_ROWS) {
    p->t_side = t = time_of(run, row);
    memcpy(y, run->trace + (size_t)row * n, n * sizeof *y);
    td_plant_drive(p, t, y, NULL);
    bool known = !td_plant_rate(p, t, y, dy);
    for (int k = 0; k < p->driven_count; k++) p->lambda[p->rows + k] = 0;
    td_resolution_state at = {.state = {.q = y, .qd = y + n, .qdd = dy + n, .u = p->u, .baumgarte = p->baumgarte},
                              .lambda = p->lambda,
                              .closure = true,
                              .lasts = lasts};
    if (known) td_resolution_look_at_growth(resolution, &at);
  }
  free(y);
}

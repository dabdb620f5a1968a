// What an evaluation will cost, from the frozen model alone: counts of points, columns, particles and coordinates times
// what each takes on one core. An estimate for deciding where to compute, within a factor of a few; never a promise.
//
//   kinematics   points
//   columns      intervals (own columns + ancestors') of every strip, particles times modes of bodies that deform
//   matrices     n^3 of the factorisation and of its right-hand sides, loops' rows among them
//   output       numbers of the reply, as text
#include "body/body.h"
#include "tendril/dynamics.h"
#include <string.h>

static const double POINT_NS = 60, COLUMN_NS = 30, FACTOR_NS = 0.1, SOLVE_NS = 0.4, NUMBER_NS = 20; // printed as text

typedef enum work { WORK_POINTS, WORK_MATRICES, WORK_FACTOR, WORK_SOLVE } work;

// By the family's name: dfd_… and dlambda_… need solutions, fd and lambda a factor, other derivatives and masses
// columns.
static work work_of(const char *name) {
  if (!strncmp(name, "dfd", 3) || !strncmp(name, "dlambda", 7)) return WORK_SOLVE;
  if (!strcmp(name, "fd") || !strcmp(name, "lambda")) return WORK_FACTOR;
  bool matrices = !strncmp(name, "did", 3) || !strncmp(name, "dtau", 4) || !strcmp(name, "mass") ||
                  !strcmp(name, "loop_jacobian") || !strcmp(name, "residual");
  return matrices ? WORK_MATRICES : WORK_POINTS;
}

static double column_ns(const td_model *m) {
  double ns = 0;
  for (int i = 0; i < m->element_count; i++) {
    const td_element *e = &m->element[i];
    int intervals = e->type == TD_ELEMENT_STRIP ? e->interval_count : 1;
    ns += COLUMN_NS * intervals * (e->n + e->ancestor_count);
  }
  return ns;
}

static double particle_ns(const td_model *m, bool derivatives) {
  double ns = 0;
  for (const td_body_row *const *row = m->bodies; *row; row++)
    if ((*row)->cost_ns) ns += (*row)->cost_ns(m, derivatives);
  return ns;
}

double td_evaluate_cost(const td_model *model, const int *want, int count) {
  double n = model->n, size = n + model->loop_rows, cube = size * size * size;
  work most = WORK_POINTS;
  double ns = POINT_NS * (model->node_count + model->load_count + model->fluid_count);
  for (int i = 0; i < count; i++) {
    size_t numbers = 0;
    work w = work_of(td_quantity_name(want[i]));
    td_quantity_members(model, want[i], NULL, 0, &numbers);
    ns += NUMBER_NS * (double)numbers + particle_ns(model, w != WORK_POINTS) + POINT_NS * model->node_count;
    if (w > most) most = w;
  }
  if (most >= WORK_MATRICES) ns += column_ns(model);
  if (most >= WORK_FACTOR) ns += FACTOR_NS * cube;
  if (most >= WORK_SOLVE) ns += SOLVE_NS * cube;
  return 1e-9 * ns;
}

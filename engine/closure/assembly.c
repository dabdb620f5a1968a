// Assembly of initial states: the nearest closed one.
//
// It looks for the nearest state to q0: x = (q0 - q) + [G]^-(-e - G (q0 - q)), whose fixed point has e = 0 and q0 - q
// in the row space of G. It converges linearly with the distance times the curvature; steps that raise |e| are halved
// first. Where that ends open, Levenberg and Marquardt's method closes the loops from q0 first,
//     x = G^T (G G^T + mu)^-1 e,   mu less after a step that lowers |e|, more before another try,
// among the states that the robot's bodies can take, if q0 is one, and the search goes on from there. Where |e| is
// stationary and not least (a straight rod that has to bend), it is left along its second derivative (stationary.c),
// before rounding does so.
#include "build/build.h"
#include "closure/projection_parts.h"
#include "closure/stationary.h"
#include "constraint/closed_chain.h"
#include "constraint/loop_closure.h"
#include "math/cholesky.h"
#include "tendril/dynamics.h"
#include "why/shape.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double NEAR = 1e-12, MOST = 1.0, DAMPED_CLOSED = 1e-11, LEAST_DAMPING = 1e-13, MOST_DAMPING = 1e9,
                    BENT = 1.05, MOST_WINDING = 2.9, NEARLY_CLOSED = 1e-3, FAR = 0.3, TOLD = 1e-8;
enum { ASSEMBLY_LIMIT = 200, HALVINGS = 12, DAMPED_LIMIT = 500, SADDLES = 12 };

// One step towards the nearest closed state, halved until |e| does not rise; *moved receives its size.
static td_status assembly_step(td_projection *p, const double *q0, double *q, double *error, double *moved) {
  td_status status = td_projection_linearise(p, q);
  if (status) return status;
  *error = td_projection_largest(p->rows, p->e);
  for (int i = 0; i < p->rows; i++)
    for (int k = 0; k < p->free_count; k++) {
      int j = p->free[k];
      p->e[i] += p->G[i * p->n + j] * (q0[j] - q[j]);
    }
  td_projection_smallest(p, p->e, p->x);
  for (int k = 0; k < p->free_count; k++) p->x[k] = q0[p->free[k]] - q[p->free[k]] - p->x[k];
  double size = td_projection_largest(p->free_count, p->x), scale = size > MOST ? MOST / size : 1, after = INFINITY;
  for (int i = 0; i < HALVINGS; i++, scale /= 2) {
    memcpy(p->q, q, (size_t)p->n * sizeof *q);
    for (int k = 0; k < p->free_count; k++) p->q[p->free[k]] += scale * p->x[k];
    status = td_loop_drift(p, p->q, &after, NULL);
    if (!status && (after < *error || after <= 1e-3)) break;
  }
  memcpy(q, p->q, (size_t)p->n * sizeof *q);
  *moved = scale * size;
  return status;
}

// q0 to the nearest closed state, from q, in place.
static td_status nearest(td_projection *p, const double *q0, double *q) {
  double error = 0, moved = 0;
  td_status status = TD_OK;
  for (int i = 0; !status && i < ASSEMBLY_LIMIT; i++) {
    status = assembly_step(p, q0, q, &error, &moved);
    if (moved <= NEAR) break;
  }
  return status ? status : td_project_position(p, q); // what is left to rounding
}

// Can all bodies take this shape?
static bool is_whole(const td_projection *p, const double *q) {
  td_shape_fault fault;
  return td_shape_valid(p->model, q, 1, &fault);
}

// What Levenberg and Marquardt's method writes besides p's own arrays; ld: rows, padded.
typedef struct damping {
  int ld;
  double *e, *y, *N, *U; // [rows], [rows], [rows][ld], [rows][ld]
} damping;

// p->x = G^T (G G^T + mu)^-1 e from p->G and d->e.
static td_status damped_step(td_projection *p, const damping *d, double mu) {
  for (int i = 0; i < p->rows; i++)
    for (int j = i; j < p->rows; j++) {
      double sum = i == j ? mu : 0;
      for (int k = 0; k < p->free_count; k++) sum += p->G[i * p->n + p->free[k]] * p->G[j * p->n + p->free[k]];
      d->N[i * d->ld + j] = sum;
    }
  td_status status = td_spd_factor(p->rows, d->ld, d->N, d->ld, d->U);
  if (status) return status;
  memcpy(d->y, d->e, (size_t)p->rows * sizeof *d->y);
  td_spd_solve(p->rows, d->ld, d->U, d->y);
  for (int k = 0; k < p->free_count; k++) {
    p->x[k] = 0;
    for (int i = 0; i < p->rows; i++) p->x[k] += p->G[i * p->n + p->free[k]] * d->y[i];
  }
  return TD_OK;
}

// p->q = q less p->x, its largest entry cut to `most`; true when |e| falls and no body is bent out of shape.
static bool better(td_projection *p, const double *q, double most, bool whole, double before) {
  double size = td_projection_largest(p->free_count, p->x), scale = size > most ? most / size : 1;
  memcpy(p->q, q, (size_t)p->n * sizeof *q);
  for (int k = 0; k < p->free_count; k++) p->q[p->free[k]] -= scale * p->x[k];
  if (whole && !is_whole(p, p->q)) return false;
  return !td_loop_error(p->model, p->ws, p->q, p->e, NULL) && td_projection_square(p->rows, p->e) < before;
}

// From q, in place, by steps of at most `most`. TD_NOT_CONVERGED: q is where |e| fell no further, or, where that is to
// be left, was stationary.
static td_status close_damped(td_projection *p, const damping *d, double most, bool to_saddle, double *q) {
  bool whole = is_whole(p, q);
  double mu = 1e-3;
  for (int i = 0; i < DAMPED_LIMIT && mu < MOST_DAMPING; i++) {
    td_status status = td_projection_geometry(p, q);
    if (status) return status;
    memcpy(d->e, p->e, (size_t)p->rows * sizeof *d->e);
    if (td_projection_largest(p->rows, d->e) <= DAMPED_CLOSED) return TD_OK;
    if (to_saddle && td_is_stationary(p, d->e)) return TD_NOT_CONVERGED;
    double before = td_projection_square(p->rows, d->e);
    bool down = false;
    for (; !down && mu < MOST_DAMPING; mu = down ? fmax(0.2 * mu, LEAST_DAMPING) : 4 * mu)
      down = !damped_step(p, d, mu) && better(p, q, most, whole, before);
    if (down) memcpy(q, p->q, (size_t)p->n * sizeof *q);
  }
  return TD_NOT_CONVERGED;
}

// The same, past the saddles of |e| on the way.
static td_status close_past_saddles(td_projection *p, const damping *d, double most, double *q) {
  for (int i = 0; i < SADDLES; i++) {
    td_status status = close_damped(p, d, most, true, q);
    if (status != TD_NOT_CONVERGED || td_leave_stationary(p, is_whole(p, q), q)) break;
  }
  return close_damped(p, d, most, false, q);
}

// When the way to the nearest state ends open: closed states first, the nearest one from there.
static td_status close_first(td_projection *p, const double *q0, double *q) {
  static const double strides[] = {1, 3, INFINITY}; // short ones end nearer, long ones stride over folds
  size_t r = (size_t)p->rows, n = (size_t)p->n, ld = (size_t)td_pad(p->rows);
  double *near = malloc((n + 2 * r + 2 * r * ld) * sizeof *near), *e = near ? near + n : NULL;
  if (!near) return TD_NO_MEMORY;
  damping d = {.ld = (int)ld, .e = e, .y = e + r, .N = e + 2 * r, .U = e + 2 * r + r * ld};
  td_status status = TD_NOT_CONVERGED;
  for (int i = 0; i < 3 && status; i++) {
    memcpy(q, q0, n * sizeof *q);
    status = close_past_saddles(p, &d, strides[i], q);
  }
  if (!status) status = td_project_position(p, q);
  memcpy(near, q, n * sizeof *q);
  if (!status && !nearest(p, q0, near) && (is_whole(p, near) || !is_whole(p, q))) memcpy(q, near, n * sizeof *q);
  free(near);
  return status;
}

// Next to a closed state rows that depend on each other there differ a little, and with rounded numbers of the document
// always: strictly they would ask for large motions, to states that close by chance.
static bool is_nearly_dependent(td_projection *p, const double *q0) {
  p->ws->constraint.loose = false;
  if (td_projection_linearise(p, q0) || td_projection_open(p, p->e) > NEARLY_CLOSED) return false;
  int strict = p->rank;
  p->ws->constraint.loose = true;
  bool less = !td_projection_linearise(p, q0) && p->rank < strict;
  p->ws->constraint.loose = false;
  return less;
}

static td_status not_closed(td_projection *p, td_status status, const double *q, td_error *err) {
  char body[256] = "";
  double error, distance, angle;
  int loop, first, rows;
  bool left = td_shape_explain(p->model, q, BENT, body, sizeof body) >= 0;
  if (td_loop_drift(p, q, &error, &loop) || loop < 0)
    return td_fail(err, status, "/initial/q", "the loops were not closed from this state%s%s", left ? ": " : "", body);
  const char *name = td_model_loop_name(p->model, loop, &first, &rows);
  if (is_nearly_dependent(p, q))
    return td_fail(
        err, status, "/initial/q",
        "the loops were not closed from this state: loop \"%.63s\" closes to %.3g (rad, m) only, because its rows "
        "depend on each other and the numbers of the model contradict each other by that: give poses and lengths "
        "with more digits",
        name, error);
  td_loop_gap(p->model, p->ws, q, loop, &distance, &angle);
  return td_fail(
      err, status, "/initial/q",
      "the loops were not closed from this state: loop \"%.63s\" keeps an error of %.3g (rad, m), its frames %.3g m "
      "and %.3g rad apart, and no small motion brings them nearer: it is out of reach, or wants an initial q nearer "
      "to a closed shape%s%s",
      name, error, distance, angle, left ? "; " : "", body);
}

// Has a helical loop turned further than the logarithm counts?
static bool is_wound(const td_projection *p) {
  for (int i = 0; i < p->model->loop_count; i++)
    if (p->model->loop[i].winds && fabs(p->ws->constraint.loop[i].winding) > MOST_WINDING) return true;
  return false;
}

// Next to a saddle of |e| rounding would choose the way.
static bool starts_at_saddle(td_projection *p, const double *q0) {
  return !td_projection_geometry(p, q0) && td_projection_largest(p->rows, p->e) > DAMPED_CLOSED &&
         td_is_stationary(p, p->e);
}

static td_status close_loops(td_projection *p, const double *q0, double *q) {
  if (starts_at_saddle(p, q0)) return close_first(p, q0, q);
  td_status status = nearest(p, q0, q);
  return status || (is_whole(p, q0) && !is_whole(p, q)) ? close_first(p, q0, q) : status;
}

// By the logarithm or by the closure; q stays q0 where that fails.
static td_status assemble_by(td_projection *p, bool closure, const double *q0, double *q) {
  p->ws->constraint.closure = closure;
  td_status status = close_loops(p, q0, q);
  p->ws->constraint.closure = true;
  if (!status && !closure) {
    td_loop_follow(p->model, p->ws, q, true);
    status = td_project_position(p, q);
  }
  return status;
}

// The logarithm grows with the distance where the closure levels off, so that searches from far away begin with it,
// except where turns are to be counted; what it has closed is closed.
static td_status assemble_strictly(td_projection *p, const double *q0, double *q) {
  bool wound = is_wound(p);
  td_status status = assemble_by(p, wound, q0, q);
  if (!status) return status;
  memcpy(q, q0, (size_t)p->n * sizeof *q);
  td_loop_follow(p->model, p->ws, q, true);
  return assemble_by(p, !wound, q0, q);
}

static td_status assemble_loosely(td_projection *p, const double *q0, double *q) {
  memcpy(q, q0, (size_t)p->n * sizeof *q);
  td_loop_follow(p->model, p->ws, q, true);
  p->ws->constraint.loose = true;
  p->most_misfit = TD_MOST_MISFIT;
  td_status status = nearest(p, q0, q);
  p->most_misfit = TD_LATER_MISFIT;
  p->ws->constraint.loose = !status;
  return status;
}

static double distance(const td_projection *p, const double *a, const double *b) {
  double most = 0;
  for (int i = 0; i < p->n; i++) most = fmax(most, fabs(a[i] - b[i]));
  return most;
}

static td_status assemble(td_projection *p, const double *q0, double *q) {
  bool loose = is_nearly_dependent(p, q0);
  if (loose && !assemble_loosely(p, q0, q)) return TD_OK;
  memcpy(q, q0, (size_t)p->n * sizeof *q);
  td_loop_follow(p->model, p->ws, q, true);
  td_status status = assemble_strictly(p, q0, q);
  if (loose && !status && distance(p, q0, q) > FAR) { // rounded too much: closed by chance, elsewhere
    memcpy(q, q0, (size_t)p->n * sizeof *q);
    return TD_NOT_CONVERGED;
  }
  if (status != TD_NOT_CONVERGED || td_projection_geometry(p, q) || td_projection_open(p, p->e) > NEARLY_CLOSED)
    return status;
  double *from = malloc((size_t)p->n * sizeof *from); // what is left open is small: rounded numbers
  if (!from) return TD_NO_MEMORY;
  memcpy(from, q, (size_t)p->n * sizeof *from);
  status = assemble_loosely(p, from, q);
  free(from);
  return status;
}

td_status td_assemble(td_projection *p, double *q, td_error *err) {
  double error = 0;
  if (p->rows > 0) td_loop_follow(p->model, p->ws, q, true);
  p->ws->constraint.loose = false;
  p->misfit = 0;
  td_status status = td_loop_drift(p, q, &error, NULL);
  if (status) return td_fail(err, status, "/initial/q", "the loop errors of the initial state are not finite");
  if (error <= TD_CLOSED) return TD_OK;
  double *q0 = malloc((size_t)p->n * sizeof *q0);
  if (!q0) return td_fail(err, TD_NO_MEMORY, "", "no memory for the assembly");
  memcpy(q0, q, (size_t)p->n * sizeof *q0);
  status = assemble(p, q0, q);
  free(q0);
  return status ? not_closed(p, status, q, err) : TD_OK;
}

void td_misfit_tell(double misfit, td_warnings *warnings) {
  if (!(misfit > TOLD)) return;
  td_warn(warnings, "loop_misfit", "/model/loops",
          "loops close to %.2g (rad, m) only: some of their rows depend on each other, and the numbers of the model "
          "contradict each "
          "other by that; the independent ones are met. Give poses and lengths with more digits",
          misfit);
}

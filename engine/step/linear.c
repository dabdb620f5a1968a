// The equation of motion linearised at a point: matrices, factors, tangents and cotangents.
#include "step/linear.h"
#include "base/carve.h"
#include "build/build.h"
#include "constraint/loop_closure.h"
#include "math/lu.h"
#include "math/product.h"
#include "parameter/parameters.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

// ------------------------------------------------------------------------------------------------ life

td_status td_linear_init(td_linear *l, td_plant *plant, const td_parameters *parameters) {
  size_t n = (size_t)plant->n, m = (size_t)plant->m, r = (size_t)plant->rows, c = r + (size_t)plant->driven_count;
  size_t np = parameters ? td_parameters_count(parameters) : 0;
  *l = (td_linear){.plant = plant, .parameters = parameters, .n = plant->n, .m = plant->m, .rows = plant->rows};
  l->np = (int)np;
  bool room = TD_CARVE({&l->K, n * n}, {&l->C, n * n}, {&l->M, n * n}, {&l->A, r * n}, {&l->G, r * n}, {&l->Cq, r * n},
                       {&l->Cv, r * n}, {&l->r_u, n * m}, {&l->id_u, n * m}, {&l->by_p, (n + r) * np},
                       {&l->by_scratch, 3 * (n + r)}, {&l->asked, c}, {&l->residual, n + r}, {&l->b, n}, {&l->c, r},
                       {&l->f, n}, {&l->g, r});
  td_status status = room ? td_saddle_init(&l->saddle, plant->free_count, plant->rows) : TD_NO_MEMORY;
  if (!status && parameters) status = td_parameter_workspace_create(parameters, &l->by);
  return status;
}

void td_linear_fini(td_linear *l) {
  td_parameter_workspace_destroy(l->by);
  td_saddle_fini(&l->saddle);
  free(l->K);
  *l = (td_linear){0};
}

size_t td_linear_bytes(const td_model *model, const td_parameters *parameters) {
  size_t np = parameters ? td_parameters_count(parameters) : 0;
  size_t n = (size_t)model->n, m = (size_t)model->channel_count, r = (size_t)model->loop_rows;
  size_t by = parameters ? td_parameter_workspace_bytes(parameters) : 0;
  return by + ((n + r) * np + 5 * n * n + 8 * r * n + 2 * n * m + 30 * (n + r)) * sizeof(double);
}

// ------------------------------------------------------------------------------------------------ matrices

static td_status input_matrix(td_linear *l) {
  const td_plant *p = l->plant;
  if (l->m == 0) return TD_OK;
  td_status status = td_force_derivatives(p->model, p->ws, l->at.q, l->at.v, p->u, NULL, NULL, l->r_u);
  if (!status) status = td_id_input_derivative(p->model, p->ws, l->at.q, l->at.v, p->u, l->id_u);
  for (int i = 0; i < l->n * l->m; i++) l->r_u[i] -= l->id_u[i];
  return status;
}

static bool factor(td_linear *l) {
  const td_plant *p = l->plant;
  double k = l->slopes.q / l->slopes.a, c = l->slopes.v / l->slopes.a;
  td_saddle_square(p, k, l->K, c, l->C, 1, l->M, l->saddle.S);
  if (l->rows) td_saddle_rows(p, l->saddle.ld, 1, l->A, 0, NULL, 0, NULL, l->saddle.A);
  if (l->rows && l->index3) td_saddle_rows(p, l->saddle.ld, 1, l->G, 0, NULL, 0, NULL, l->saddle.G);
  if (l->rows && !l->index3) td_saddle_rows(p, l->saddle.ld, 1, l->A, c, l->Cv, k, l->Cq, l->saddle.G);
  return td_saddle_factor(&l->saddle, p);
}

td_status td_linear_matrices(td_linear *l, const td_linear_point *at, bool index3, bool inputs) {
  l->at = *at;
  l->index3 = index3;
  td_plant_state state = {at->q, at->v, at->a, l->rows ? at->l : NULL};
  td_constraint_terms out = {.K = l->K, .C = l->C, .M = l->M};
  if (l->rows) out.A = l->A;
  if (l->rows && index3) out.G = l->G;
  if (l->rows && !index3) out.Cq = l->Cq, out.Cv = l->Cv;
  td_status status = td_plant_terms(l->plant, at->t, &state, &out);
  return !status && inputs ? input_matrix(l) : status;
}

td_status td_linear_at(td_linear *l, const td_linear_point *at, td_linear_slopes slopes, bool index3, bool inputs) {
  l->slopes = slopes;
  td_status status = td_linear_matrices(l, at, index3, inputs);
  if (status) return status;
  return factor(l) ? TD_OK : TD_SINGULAR;
}

// What is carved from K up to what belongs to numbers.
size_t td_linear_block(const td_linear *l) { return (size_t)(l->by_p - l->K); }

void td_linear_keep(const td_linear *l, double *block) { memcpy(block, l->K, td_linear_block(l) * sizeof *block); }

void td_linear_recall(td_linear *l, const double *block) { memcpy(l->K, block, td_linear_block(l) * sizeof *block); }

// ------------------------------------------------------------------------------------------------ neighbours

// Loops are measured as runs measure them, by their closure, with the turns that the point has.
static td_status ask(void *context, const td_model *model, td_workspace *ws, double *out) {
  td_linear *l = context;
  const td_plant *p = l->plant;
  td_constraint_scratch *loops = &ws->constraint;
  bool before = loops->closure;
  loops->closure = true;
  if (l->rows) {
    memcpy(loops->loop, p->ws->constraint.loop, (size_t)model->loop_count * sizeof *loops->loop);
    td_loop_follow(model, ws, l->at.q, false);
    memcpy(l->asked, l->at.l, (size_t)l->rows * sizeof *l->asked);
  }
  memset(l->asked + l->rows, 0, (size_t)p->driven_count * sizeof *l->asked);
  td_state state = {.q = l->at.q, .qd = l->at.v, .qdd = l->at.a, .u = p->u, .baumgarte = p->baumgarte};
  td_constraint_terms terms = {.residual = out};
  if (l->rows && l->index3) terms.e = out + l->n;
  if (l->rows && !l->index3) terms.a = out + l->n;
  td_status status = td_constraint_terms_at(model, ws, &state, l->asked, &terms);
  loops->closure = before;
  return status;
}

// On the side of each kink that K, C and M were those of.
static td_status differentiate(td_linear *l, td_parameter_function function, size_t size, double *d_dp) {
  const td_plant *p = l->plant;
  td_parameters_keep(l->by, p->ws->kinks, &(td_state){.q = l->at.q, .qd = l->at.v, .u = p->u});
  td_status status = td_parameter_differentiate(l->parameters, l->by, function, l, size, l->by_scratch, d_dp);
  td_parameters_let_go(l->by);
  return status;
}

td_status td_linear_parameters(td_linear *l) {
  return l->np ? differentiate(l, ask, (size_t)(l->n + l->rows), l->by_p) : TD_OK;
}

// f.r - g.e of a neighbour
static td_status ask_weighted(void *context, const td_model *model, td_workspace *ws, double *out) {
  td_linear *l = context;
  td_status status = ask(context, model, ws, l->residual);
  *out = 0;
  for (int i = 0; i < l->n; i++) *out += l->f[i] * l->residual[i];
  for (int i = 0; i < l->rows; i++) *out -= l->g[i] * l->residual[l->n + i];
  return status;
}

td_status td_linear_parameter_cotangent(td_linear *l, double *p) {
  return l->np ? differentiate(l, ask_weighted, 1, p) : TD_OK;
}

// ------------------------------------------------------------------------------------------------ tangents

static void add(int rows, int n, const td_tangent_columns *T, const double *X, const double *x, double *out) {
  td_multiply_add(rows, n, T->columns, -1, X, n, 1, x, T->ld, out, T->ld);
}

// Without loops all columns at once, by rows; a border takes them one by one.
static void solve_rows(td_linear *l, int columns, int ld, double *D) {
  const td_plant *p = l->plant;
  for (int k = 0; k < p->free_count; k++)
    if (p->free[k] != k) memmove(D + k * ld, D + p->free[k] * ld, (size_t)ld * sizeof *D);
  td_lu_solve_many(l->saddle.n, l->saddle.lu, l->saddle.pivot, columns, ld, D, l->b);
  for (int k = p->free_count - 1; k >= 0; k--)
    if (p->free[k] != k) memmove(D + p->free[k] * ld, D + k * ld, (size_t)ld * sizeof *D);
}

static void solve_columns(td_linear *l, int columns, int ld, double scale, const double *g, double *D) {
  const td_plant *p = l->plant;
  for (int j = 0; j < columns; j++) {
    for (int k = 0; k < p->free_count; k++) l->b[k] = D[p->free[k] * ld + j];
    for (int i = 0; i < l->rows; i++) l->c[i] = scale * g[i * ld + j];
    td_saddle_solve(&l->saddle, l->b, l->c);
    for (int k = 0; k < p->free_count; k++) D[p->free[k] * ld + j] = l->b[k];
  }
}

// D from both right-hand sides.
static void solve_all(td_linear *l, int columns, int ld, const double *f, const double *g, double *D) {
  const td_plant *p = l->plant;
  double s = 1 / l->slopes.a;
  for (int i = 0; i < l->n * ld; i++) D[i] = s * f[i];
  if (l->rows)
    solve_columns(l, columns, ld, l->index3 ? 1 : s, g, D);
  else
    solve_rows(l, columns, ld, D);
  for (int i = 0; i < p->driven_count; i++)
    memset(D + td_model_prescribed_coordinate(p->model, i, NULL) * ld, 0, (size_t)ld * sizeof *D);
}

void td_linear_take(const td_linear *l, const td_tangent_columns *T, double *f, double *g) {
  int n = l->n;
  add(n, n, T, l->K, T->q, f);
  add(n, n, T, l->C, T->v, f);
  if (T->a) add(n, n, T, l->M, T->a, f);
  if (l->rows && l->index3) add(l->rows, n, T, l->G, T->q, g);
  if (l->rows && !l->index3) {
    add(l->rows, n, T, l->Cq, T->q, g);
    add(l->rows, n, T, l->Cv, T->v, g);
    if (T->a) add(l->rows, n, T, l->A, T->a, g);
  }
}

void td_linear_tangents(td_linear *l, const td_tangent_columns *T, double *f, double *g, double *D) {
  assert(f != D && T->ld >= T->columns);
  td_linear_take(l, T, f, g);
  solve_all(l, T->columns, T->ld, f, g, D);
}

// to [rows][ld], n columns from the first on: -= x X + y Y, X, Y [rows][n]
static void take_units(int rows, int n, int ld, double x, const double *X, double y, const double *Y, double *to) {
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < n; j++) to[i * ld + j] -= x * X[i * n + j] + y * Y[i * n + j];
}

void td_linear_unit_tangents(td_linear *l, const td_unit_tangents *set, int columns, int ld, double *f, double *g,
                             double *D) {
  assert(f != D && ld >= columns && columns >= 2 * l->n);
  int n = l->n;
  for (int k = 0; k < 2; k++) {
    take_units(n, n, ld, set->q[k], l->K, set->v[k], l->C, f + k * n);
    if (l->rows && l->index3) take_units(l->rows, n, ld, set->q[k], l->G, 0, l->G, g + k * n);
    if (l->rows && !l->index3) take_units(l->rows, n, ld, set->q[k], l->Cq, set->v[k], l->Cv, g + k * n);
  }
  solve_all(l, columns, ld, f, g, D);
}

// ------------------------------------------------------------------------------------------------ cotangents

// out [n] -= X^T x, X [rows][n]
static void take(int rows, int n, const double *X, const double *x, double *out) {
  for (int i = 0; i < rows; i++) {
    double xi = x[i];
    if (xi == 0) continue;
    for (int j = 0; j < n; j++) out[j] -= X[i * n + j] * xi;
  }
}

void td_linear_cotangents(td_linear *l, const double *d, double *q, double *v, double *a) {
  const td_plant *p = l->plant;
  int n = l->n, r = l->rows;
  double s = 1 / l->slopes.a;
  td_plant_pack(p, d, l->b);
  memset(l->g, 0, (size_t)r * sizeof *l->g);
  td_saddle_solve_transposed(&l->saddle, l->b, l->g);
  memset(l->f, 0, (size_t)n * sizeof *l->f);
  for (int k = 0; k < p->free_count; k++) l->f[p->free[k]] = s * l->b[k];
  for (int i = 0; i < r && !l->index3; i++) l->g[i] *= s;
  td_linear_give(l, q, v, a);
}

void td_linear_give(const td_linear *l, double *q, double *v, double *a) {
  int n = l->n, r = l->rows;
  take(n, n, l->K, l->f, q);
  take(n, n, l->C, l->f, v);
  if (a) take(n, n, l->M, l->f, a);
  if (l->index3) {
    take(r, n, l->G, l->g, q);
    return;
  }
  take(r, n, l->Cq, l->g, q);
  take(r, n, l->Cv, l->g, v);
  if (a) take(r, n, l->A, l->g, a);
}

void td_linear_input_cotangent(const td_linear *l, double *u) {
  memset(u, 0, (size_t)l->m * sizeof *u);
  for (int i = 0; i < l->n; i++)
    for (int k = 0; k < l->m; k++) u[k] += l->r_u[i * l->m + k] * l->f[i];
}

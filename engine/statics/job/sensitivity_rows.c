// Derivatives of what jobs report of equilibria: dF = F_p + F_q dq + F_u du, with dq of statics/sensitivity.c and the
// derivatives of fields of plant/output_slopes.h. q, u and lambda, which every result of statics has, are those of the
// equilibrium itself.
#include "base/carve.h"
#include "plant/output_slopes.h"
#include "spec/place.h"
#include "tendril/sensitivity.h"
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIELD_LIMIT = 256 };

// ------------------------------------------------------------------------------------------------ members

typedef enum own_field { OWN_Q, OWN_U, OWN_LAMBDA, OWN_NONE } own_field;

static own_field own_of(const char *field) {
  static const char *const words[OWN_NONE] = {"q", "u", "lambda"};
  int i = 0;
  while (i < OWN_NONE && strcmp(field, words[i]) != 0) i++;
  return (own_field)i;
}

static int own_size(const td_model *model, own_field own) {
  int c = td_model_loop_row_count(model) + td_model_prescribed_count(model);
  return own == OWN_Q ? td_model_ndof(model) : own == OWN_U ? td_model_channel_count(model) : c;
}

// Field i alone, as a spec of statics has it.
static td_statics_spec spec_of(const char *const *fields, size_t count) {
  td_statics_spec spec = {.fields = fields, .field_count = count};
  td_statics_defaults(&spec.options);
  return spec;
}

static bool resolve(const td_model *model, const char *const *fields, size_t i, const td_place *list, td_member *m) {
  td_place at = td_place_at(list, i);
  td_error why;
  size_t size;
  own_field own = own_of(fields[i]);
  for (size_t k = 0; k < i; k++)
    if (strcmp(fields[k], fields[i]) == 0)
      return td_place_fail(&at, TD_INVALID_ARGUMENT, "the field \"%.80s\" is listed twice", fields[i]), false;
  *m = (td_member){.name = fields[i]};
  if (own != OWN_NONE) {
    m->rank = 1;
    m->dim[0] = own_size(model, own);
    m->size = (size_t)m->dim[0];
    return true;
  }
  td_statics_spec spec = spec_of(fields + i, 1);
  if (td_statics_output_members(model, &spec, m, 1, &size, &why) >= 0) return true;
  return td_place_fail(&at, why.status, "%s", why.message), false;
}

int td_sensitivity_members(const td_model *model, const char *const *fields, size_t field_count, td_member *members,
                           int capacity, size_t *row_size, td_error *err) {
  td_place root = td_place_root(err), of = td_place_key(&root, "sensitivity"), list = td_place_key(&of, "fields");
  size_t offset = 0;
  if (field_count > FIELD_LIMIT)
    return (void)!td_place_fail(&list, TD_INVALID_ARGUMENT, "at most %d fields, has %zu", (int)FIELD_LIMIT,
                                field_count),
           -1;
  for (size_t i = 0; i < field_count; i++) {
    td_member m;
    if (!resolve(model, fields, i, &list, &m)) return -1;
    m.offset = offset;
    offset += m.size;
    if (members && i < (size_t)capacity) members[i] = m;
  }
  if (row_size) *row_size = offset;
  return (int)field_count;
}

// ------------------------------------------------------------------------------------------------ rows

struct td_sensitivity_rows {
  td_sensitivity *equilibrium;
  const td_model *model;
  size_t np, of_model;
  size_t *number; ///< [of_model] which of the np
  size_t n, m, c, field_count, row;
  td_member *member; ///< [field_count]
  own_field *own;    ///< [field_count]
  size_t *at;        ///< [field_count] where a field that is not one's own lies in `output`
  td_workspace *ws;
  td_plant plant;
  bool planted;
  td_output *output; ///< NULL: all fields are one's own
  td_output_differentiator *slopes_of;
  td_output_slopes slopes;
  double *dq, *dlambda, *y; ///< [n][np], [c][np], [2n]
  double *wanted, *lq, *ll; ///< cotangents: [row of output], [n], [c]
  double *lu, *lp;          ///< [m], [of_model] of the equilibrium
};

static bool list_numbers(td_sensitivity_rows *r, const td_parameters *parameters, const size_t *number) {
  r->of_model = parameters ? td_parameters_count(parameters) : 0;
  r->number = calloc(r->of_model + 1, sizeof *r->number);
  for (size_t k = 0; r->number && k < r->of_model; k++) r->number[k] = number ? number[k] : k;
  return r->number;
}

static td_status plan_output(td_sensitivity_rows *r, const td_parameters *parameters, const char *const *fields,
                             size_t count, td_error *err) {
  td_statics_spec spec = spec_of(fields, count);
  td_status status = td_output_create_at_rest(r->model, &spec, &r->output, err);
  if (!status) status = td_workspace_create(r->model, &r->ws);
  if (!status) status = td_plant_init(&r->plant, r->model, r->ws, NULL, NULL);
  r->planted = !status;
  if (!status) status = td_output_differentiator_create(r->output, &r->plant, parameters, &r->slopes_of);
  size_t row = r->output ? td_output_row_size(r->output) : 0;
  bool room = status || TD_CARVE({&r->slopes.q, row * r->n}, {&r->slopes.u, row * r->m},
                                 {&r->slopes.a, row * (size_t)td_model_prescribed_count(r->model)},
                                 {&r->slopes.p, row * r->of_model});
  return room ? status : TD_NO_MEMORY;
}

static td_status plan(td_sensitivity_rows *r, const td_parameters *parameters, const char *const *fields, size_t count,
                      td_error *err) {
  r->member = calloc(count + 1, sizeof *r->member);
  r->own = calloc(count + 1, sizeof *r->own);
  r->at = calloc(count + 1, sizeof *r->at);
  if (!r->member || !r->own || !r->at) return TD_NO_MEMORY;
  if (td_sensitivity_members(r->model, fields, count, r->member, (int)count, &r->row, err) < 0) return err->status;
  size_t offset = 0;
  for (size_t i = 0; i < count; i++) {
    r->own[i] = own_of(fields[i]);
    r->at[i] = offset;
    offset += r->own[i] == OWN_NONE ? r->member[i].size : 0;
  }
  r->field_count = count;
  return offset > 0 ? plan_output(r, parameters, fields, count, err) : TD_OK;
}

td_status td_sensitivity_rows_create(const td_model *model, size_t count, const td_parameters *parameters,
                                     const size_t *number, const char *const *fields, size_t field_count,
                                     td_sensitivity_rows **rows, td_error *err) {
  td_error own = {0}, *why = err ? err : &own;
  td_sensitivity_rows *r = *rows = calloc(1, sizeof *r);
  if (!r) return td_fail(err, TD_NO_MEMORY, "", "not enough memory");
  r->model = model;
  r->np = count;
  r->n = (size_t)td_model_ndof(model), r->m = (size_t)td_model_channel_count(model);
  r->c = (size_t)(td_model_loop_row_count(model) + td_model_prescribed_count(model));
  td_status status = list_numbers(r, parameters, number) ? TD_OK : TD_NO_MEMORY;
  if (!status) status = td_sensitivity_create(model, count, parameters, number, &r->equilibrium);
  if (!status) status = plan(r, parameters, fields, field_count, why);
  if (!status && !TD_CARVE({&r->dq, r->n * count}, {&r->dlambda, r->c * count}, {&r->y, 2 * r->n},
                           {&r->wanted, r->output ? td_output_row_size(r->output) : 0}, {&r->lq, r->n}, {&r->ll, r->c},
                           {&r->lu, r->m}, {&r->lp, r->of_model}))
    status = TD_NO_MEMORY;
  if (!status) return TD_OK;
  if (status == TD_NO_MEMORY)
    (void)!td_fail(err, status, "", "not enough memory for derivatives by %zu numbers", count);
  td_sensitivity_rows_destroy(r);
  *rows = NULL;
  return status;
}

void td_sensitivity_rows_destroy(td_sensitivity_rows *r) {
  if (!r) return;
  td_output_differentiator_destroy(r->slopes_of);
  if (r->planted) td_plant_fini(&r->plant);
  td_output_destroy(r->output);
  td_workspace_destroy(r->ws);
  td_sensitivity_destroy(r->equilibrium);
  free(r->slopes.q);
  free(r->dq);
  free(r->member);
  free(r->own);
  free(r->at);
  free(r->number);
  free(r);
}

void td_sensitivity_rows_watch(td_sensitivity_rows *r, const _Atomic bool *stop) {
  td_sensitivity_watch(r->equilibrium, stop);
  if (r->ws) td_workspace_watch(r->ws, stop);
}

// out [size][np] += J [size][inner] T [inner][np]
static void add_product(size_t size, size_t inner, size_t np, const double *J, const double *T, double *out) {
  for (size_t i = 0; i < size; i++)
    for (size_t k = 0; k < inner; k++) {
      double x = J[i * inner + k];
      for (size_t j = 0; x != 0 && j < np; j++) out[i * np + j] += x * T[k * np + j];
    }
}

// Derivatives of a field that the output has, `from` its first number there.
static void add_slopes(const td_sensitivity_rows *r, const double *du, size_t from, size_t size, double *out) {
  size_t np = r->np;
  memset(out, 0, size * np * sizeof *out);
  add_product(size, r->n, np, r->slopes.q + from * r->n, r->dq, out);
  if (du) add_product(size, r->m, np, r->slopes.u + from * r->m, du, out);
  for (size_t i = 0; i < size; i++)
    for (size_t k = 0; k < r->of_model; k++) {
      double *x = &out[i * np + r->number[k]];
      if (isfinite(*x)) *x += r->slopes.p[(from + i) * r->of_model + k];
    }
}

static void fill(const td_sensitivity_rows *r, const double *du, double *row_dp) {
  for (size_t i = 0; i < r->field_count; i++) {
    const td_member *m = &r->member[i];
    double *out = row_dp + m->offset * r->np;
    size_t count = m->size * r->np;
    if (count == 0) continue;
    if (r->own[i] == OWN_NONE) add_slopes(r, du, r->at[i], m->size, out);
    if (r->own[i] == OWN_Q) memcpy(out, r->dq, count * sizeof *out);
    if (r->own[i] == OWN_LAMBDA) memcpy(out, r->dlambda, count * sizeof *out);
    if (r->own[i] == OWN_U && du) memcpy(out, du, count * sizeof *out);
    if (r->own[i] == OWN_U && !du) memset(out, 0, count * sizeof *out);
  }
}

// Slopes of the output's fields at an equilibrium; those that `wanted` [row of output] leaves at 0 are 0.
static td_status fields_at(td_sensitivity_rows *r, const td_equilibrium *at, const double *wanted, td_error *err) {
  if (!r->output) return TD_OK;
  memset(r->y + r->n, 0, r->n * sizeof *r->y);
  memcpy(r->y, at->q, r->n * sizeof *r->y);
  if (at->rates) memcpy(r->y + r->n, at->rates, r->n * sizeof *r->y);
  if (r->m) memcpy(r->plant.u, at->u, r->m * sizeof *r->plant.u);
  td_status status = td_output_slopes_at(r->slopes_of, 0, r->y, wanted, &r->slopes, NULL);
  return status ? td_fail(err, status, "", "a field of this equilibrium cannot be differentiated") : TD_OK;
}

td_status td_sensitivity_rows_at(td_sensitivity_rows *r, const td_equilibrium *at, double *row_dp, td_error *err) {
  assert(at->q && row_dp);
  td_status status = td_statics_sensitivity(r->equilibrium, at, r->dq, r->dlambda, err);
  for (size_t i = 0; i < r->row * r->np; i++) row_dp[i] = NAN;
  if (status && status != TD_SINGULAR) return status;
  td_status told = fields_at(r, at, NULL, err);
  if (told) return told;
  fill(r, at->du_dp, row_dp);
  return status;
}

// ------------------------------------------------------------------------------------------------ backward

// out [inner] += J^T x, J [size][inner]
static void add_transposed(size_t size, size_t inner, const double *J, const double *x, double *out) {
  for (size_t i = 0; i < size; i++)
    for (size_t k = 0; x[i] != 0 && k < inner; k++) out[k] += J[i * inner + k] * x[i];
}

// Cotangents of a row to those of q, lambda, u and of the output's own row.
static void share_out(td_sensitivity_rows *r, const double *row, double *u) {
  double *const to[] = {[OWN_Q] = r->lq, [OWN_U] = u, [OWN_LAMBDA] = r->ll};
  memset(r->lq, 0, r->n * sizeof *r->lq);
  memset(r->ll, 0, r->c * sizeof *r->ll);
  memset(u, 0, r->m * sizeof *u);
  for (size_t i = 0; i < r->field_count; i++) {
    const td_member *m = &r->member[i];
    double *own = r->own[i] == OWN_NONE ? r->wanted + r->at[i] : to[r->own[i]];
    if (m->size > 0) memcpy(own, row + m->offset, m->size * sizeof *own);
  }
}

td_status td_sensitivity_rows_pull(td_sensitivity_rows *r, const td_equilibrium *at, const double *row, double *u,
                                   double *p, td_error *err) {
  assert(at->q && row && (u || r->m == 0));
  size_t size = r->output ? td_output_row_size(r->output) : 0;
  share_out(r, row, u);
  td_status status = fields_at(r, at, r->wanted, err);
  if (status) return status;
  if (size) add_transposed(size, r->n, r->slopes.q, r->wanted, r->lq);
  status = td_statics_cotangent(r->equilibrium, at, r->lq, r->ll, &(td_equilibrium_cotangent){r->lu, r->lp}, err);
  if (status && status != TD_SINGULAR) return status;
  if (size) add_transposed(size, r->m, r->slopes.u, r->wanted, u);
  if (size) add_transposed(size, r->of_model, r->slopes.p, r->wanted, r->lp);
  for (size_t k = 0; k < r->m; k++) u[k] += r->lu[k];
  memset(p, 0, r->np * sizeof *p);
  for (size_t k = 0; k < r->of_model; k++) p[r->number[k]] = r->lp[k];
  return status;
}

// Freezes the neighbours of a model in each of its parameters (stencil.h says where they lie).
// What answers are subtracted must come from the same robot (same_robot.h); a neighbour that is another one is refused.
#include "parameter/parameters.h"
#include "parameter/affine_claim.h"
#include "parameter/same_robot.h"
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t td_parameter_neighbours(const td_parameter *parameter) {
  return parameter->linear ? TD_STENCIL_AFFINE - 1 : TD_STENCIL_POINTS - 1;
}

static td_status no_memory(td_error *err) {
  return td_fail(err, TD_NO_MEMORY, "", "not enough memory for derivatives by parameters");
}

static td_status check_same(const td_parameters *p, const td_parameter *of, double value, const td_model *neighbour,
                            td_error *err) {
  int count[2];
  const char *what = td_robots_differ(p->model, neighbour, count);
  if (!what) return TD_OK;
  char numbers[64] = "";
  if (count[0] != count[1]) snprintf(numbers, sizeof numbers, " (%d, %d there)", count[0], count[1]);
  return td_fail(err, TD_INVALID_ARGUMENT, of->name,
                 "derivatives by this number do not exist at %.9g: with %.9g the model has other %s%s", of->value,
                 value, what, numbers);
}

// A neighbour whose workspace has another layout gets one of its own.
static td_status note_layout(td_parameters *p, const td_model *neighbour, int *own, td_error *err) {
  *own = -1;
  if (td_workspaces_alike(p->model, neighbour)) return TD_OK;
  const td_model **owner = realloc(p->owner, (p->own_count + 1) * sizeof *owner);
  if (!owner) return no_memory(err);
  p->owner = owner;
  p->owner[p->own_count] = neighbour;
  *own = (int)p->own_count++;
  return TD_OK;
}

static void forget(td_parameter_row *row) {
  for (int k = 0; k < TD_STENCIL_MOST; k++) {
    td_model_destroy(row->model[k]);
    row->model[k] = NULL;
  }
}

static td_status freeze_all(const td_parameters *p, const td_parameter *of, size_t index, td_parameter_freeze freeze,
                            void *context, td_error *err) {
  td_parameter_row *row = &p->row[index];
  td_status status = TD_OK;
  for (int k = 0; !status && k < row->stencil.count; k++) {
    if (k == row->stencil.home) continue;
    status = freeze(context, index, row->stencil.at[k], &row->model[k], err);
    if (status) row->model[k] = NULL;
    if (!status) status = check_same(p, of, row->stencil.at[k], row->model[k], err);
  }
  if (status) forget(row);
  return status;
}

// Freezes the neighbours in the first way in which there are any; the error is that of the first way.
static td_status make_row(td_parameters *p, const td_parameter *of, size_t index, td_parameter_freeze freeze,
                          void *context, td_error *err) {
  td_parameter_row *row = &p->row[index];
  td_error other;
  row->affine = of->linear;
  row->name = strdup(of->name);
  if (!row->name) return no_memory(err);
  td_status status = TD_INVALID_ARGUMENT;
  bool tried = false;
  for (int way = 0; status == TD_INVALID_ARGUMENT && way < TD_STENCIL_WAYS; way++) {
    if (!td_stencil_choose(of, way, &row->stencil)) continue;
    status = freeze_all(p, of, index, freeze, context, tried ? &other : err);
    tried = true;
  }
  if (!tried)
    return td_fail(err, status, of->name,
                   "derivatives by this number need room about it: it is %.9g and may be from %.9g to %.9g", of->value,
                   of->lower, of->upper);
  for (int k = 0; !status && k < row->stencil.count; k++) {
    row->own[k] = -1;
    if (row->model[k]) status = note_layout(p, row->model[k], &row->own[k], err);
  }
  assert(status || !row->affine || td_affine_claim_holds(p, index, freeze, context));
  return status;
}

// Doubles of the largest result that passes ask for: parts of the equation of motion with A, poses of a link, lengths.
static size_t largest_result(const td_model *m) {
  size_t n = (size_t)m->n, r = (size_t)m->loop_rows, most = 3 * n + 3 * r + r * n;
  for (int i = 0; i < m->link_count; i++) {
    size_t poses = 16 * (size_t)td_model_link_point_count(m, i);
    most = poses > most ? poses : most;
  }
  return (size_t)m->tendon_count > most ? (size_t)m->tendon_count : most;
}

td_status td_parameters_create(const td_model *model, const td_parameter *list, size_t count,
                               td_parameter_freeze freeze, void *context, td_parameters **parameters, td_error *err) {
  assert(model && freeze && (list || count == 0));
  td_parameters *p = calloc(1, sizeof *p);
  *parameters = NULL;
  if (p) p->row = calloc(count + 1, sizeof *p->row);
  if (!p || !p->row) {
    free(p);
    return no_memory(err);
  }
  p->model = model;
  p->count = count;
  p->most = largest_result(model);
  td_status status = TD_OK;
  for (size_t i = 0; !status && i < count; i++) status = make_row(p, &list[i], i, freeze, context, err);
  if (status)
    td_parameters_destroy(p);
  else
    *parameters = p;
  return status;
}

void td_parameters_destroy(td_parameters *p) {
  if (!p) return;
  for (size_t i = 0; i < p->count; i++) {
    forget(&p->row[i]);
    free(p->row[i].name);
  }
  free(p->owner);
  free(p->row);
  free(p);
}

size_t td_parameters_count(const td_parameters *parameters) { return parameters->count; }

bool td_parameters_affine(const td_parameters *parameters, size_t i) {
  assert(i < parameters->count);
  return parameters->row[i].affine;
}

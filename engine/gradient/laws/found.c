// What static inversion finds for the knots of references, by numbers: the engine's own inversion again, with its slopes
// (control/inversion_slopes.h).
#include "control/static_inversion.h"
#include "gradient/laws/parts.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>

// The numbers of inputs that count at a knot of some reference that is found.
static void find_columns(td_law_numbers *l, const td_reference_spec *r) {
  for (size_t k = 0; k < r->knots; k++) {
    size_t given = td_input_numbers_at(l->of_inputs, r->t[k], r->t[k], l->given);
    for (size_t i = 0; i < given; i++) {
      size_t number = l->given[i].number;
      if (l->column[number] < l->count) continue;
      l->column[number] = l->columns;
      l->number[l->columns++] = number;
    }
  }
}

static bool depends(const td_law_numbers *l, const td_controller_spec *c) {
  const td_reference_spec *r = &c->reference;
  bool does = td_law_model_count(l) + l->columns > 0;
  for (size_t i = 0; i < r->rows * r->width && !does; i++) does = td_law_place_find(l, &r->value[i]) != NULL;
  return does;
}

// Where several equilibria are near, which of them is found may hang on rounding.
static bool is_the_same(const td_track *track, const double *values) {
  static const double rounding = 1e-7;
  bool same = true;
  for (size_t k = 0; k < track->knots && same; k++)
    for (int i = 0; i < track->width && same; i++) {
      double known = track->value[(size_t)i * track->knots + k], x = values[k * (size_t)track->width + (size_t)i];
      same = fabs(x - known) <= rounding * fmax(fabs(x), fabs(known)) + DBL_MIN;
    }
  return same;
}

// What rows of loops count as independent is a workspace's memory: the run's own inversion may have ended elsewhere.
static td_status refuse_loops(const td_law_numbers *l, size_t index, td_error *err) {
  td_place root = td_place_root(err), all, at = td_controller_place(&root, l->run, index, &all);
  td_place reference = td_place_key(&at, "reference"), space = td_place_key(&reference, "space");
  if (td_model_loop_row_count(l->model) == 0) return TD_OK;
  return td_place_fail(&space, TD_UNSUPPORTED,
                       "this reference is found by static inversion, and the robot has loops: which of several "
                       "equilibria is found hangs on the way there, and has no derivatives. The gains are parameters; "
                       "inputs, references and numbers of the model are none beside it");
}

static td_status invert(td_law_numbers *l, size_t index, td_error *err) {
  const td_controller_spec *c = &l->run->controllers[index];
  td_status status = refuse_loops(l, index, err);
  if (status) return status;
  size_t rows = c->reference.knots * c->channel_count, columns = td_law_columns(l, c), most = 1u << 27;
  if (columns > most / rows)
    return td_fail(err, TD_UNSUPPORTED, "/controller/reference",
                   "%zu knots of %zu channels by %zu numbers: a static inversion has room for %zu derivatives",
                   c->reference.knots, c->channel_count, columns, most);
  double *values = calloc(rows + 1, sizeof *values);
  l->found[index] = calloc(rows * columns + 1, sizeof *values);
  td_inversion_by by = {.model = td_law_model_count(l) ? l->of_model : NULL,
                        .inputs = l->of_inputs,
                        .column = l->column,
                        .number_count = l->count,
                        .columns_of_inputs = l->columns,
                        .slopes = l->found[index]};
  bool room = values && l->found[index];
  if (room) status = td_static_inversion(l->control, l->run, index, values, &by, err);
  bool same = !status && room && is_the_same(&l->control->item[index].track, values);
  free(values);
  if (room && !status && !same)
    return td_fail(err, TD_UNSUPPORTED, "/controller/reference/value",
                   "static inversion finds another of several equilibria when it is asked again: no derivatives");
  return room ? status : td_fail(err, TD_NO_MEMORY, "", "no memory for derivatives of a static inversion");
}

td_status td_laws_invert(td_law_numbers *l, td_error *err) {
  size_t most = 0;
  double *total = NULL;
  td_status status = TD_OK;
  for (size_t i = 0; i < l->count; i++) l->column[i] = SIZE_MAX;
  for (size_t i = 0; i < l->run->controller_count; i++)
    if (!td_law_is_direct(&l->run->controllers[i])) find_columns(l, &l->run->controllers[i].reference);
  for (size_t i = 0; i < l->run->controller_count && !status; i++) {
    const td_controller_spec *c = &l->run->controllers[i];
    if (td_law_is_direct(c) || !depends(l, c)) continue;
    most = td_law_columns(l, c) > most ? td_law_columns(l, c) : most;
    status = invert(l, i, err);
  }
  if (status) return status;
  total = calloc(TD_LAW_JET * most + 1, sizeof *total);
  l->total = (double(*)[TD_LAW_JET])(void *)total;
  return total ? TD_OK : td_fail(err, TD_NO_MEMORY, "", "no memory for derivatives of a static inversion");
}

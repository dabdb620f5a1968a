// Memory, start and end of an explicit step.
#include "integrate/explicit/explicit_step.h"
#include "base/carve.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void td_explicit_destroy(td_stepper *stepper) {
  td_explicit *s = td_explicit_of(stepper);
  if (s) free(s->y0);
  free(s);
}

td_status td_explicit_create(const td_integrator *method, td_plant *plant, const td_integrator_spec *spec,
                             td_stepper **stepper) {
  td_explicit *s = calloc(1, sizeof *s);
  *stepper = (td_stepper *)s;
  if (!s) return TD_NO_MEMORY;
  size_t size = 2 * (size_t)plant->n;
  *s = (td_explicit){.method = method, .plant = plant, .spec = spec, .size = (int)size};
  td_array arrays[5 + TD_EXPLICIT_STAGES] = {{&s->y0, size},
                                             {&s->y, size},
                                             {&s->trial, size},
                                             {&s->strike.slope[0], (size_t)plant->n},
                                             {&s->strike.slope[1], (size_t)plant->n}};
  for (int i = 0; i < TD_EXPLICIT_STAGES; i++) arrays[5 + i] = (td_array){&s->k[i], size};
  if (td_carve_arrays(arrays, sizeof arrays / sizeof *arrays)) return TD_OK;
  td_explicit_destroy(*stepper);
  *stepper = NULL;
  return TD_NO_MEMORY;
}

td_status td_explicit_begin(td_explicit *s, double t, double stop, const double *y, td_error *err) {
  assert(stop > t);
  s->t0 = s->t = t;
  s->stop = stop;
  memcpy(s->y, y, (size_t)s->size * sizeof *y);
  td_status status = td_plant_rate(s->plant, t, s->y, s->k[TD_EXPLICIT_STAGES - 1]);
  if (!status) return TD_OK;
  return td_fail(err, status, "", "%s at t = %.9g s: the accelerations at the start cannot be found: %s",
                 s->method->name, t, status == TD_SINGULAR ? td_plant_singular(s->plant) : "they are not finite");
}

td_status td_explicit_rate(td_explicit *s, double t, double *y, double *dy) {
  td_plant_drive(s->plant, t, y, NULL);
  return td_plant_rate(s->plant, t, y, dy);
}

td_status td_explicit_hold(td_explicit *s) {
  bool moved = false;
  if (s->plant->rows > 0) memcpy(s->trial, s->y, (size_t)s->size * sizeof *s->y);
  td_plant_hold(s->plant, td_plant_hold_above(s->plant), s->y, &moved);
  s->held = moved;
  return moved ? td_plant_rate(s->plant, s->t, s->y, s->k[TD_EXPLICIT_STAGES - 1]) : TD_OK;
}

void td_explicit_turn(td_explicit *s) {
  s->t0 = s->t;
  memcpy(s->y0, s->y, (size_t)s->size * sizeof *s->y);
  memcpy(s->k[0], s->k[TD_EXPLICIT_STAGES - 1], (size_t)s->size * sizeof *s->y);
}

td_status td_explicit_fail(td_explicit *s, td_status status, const char *reason, const double *size, td_error *err) {
  int n = s->plant->n;
  if (status == TD_SINGULAR) reason = td_plant_singular(s->plant);
  for (int i = 0; i < n; i++) s->trial[i] = fmax(fabs(size[i]), fabs(size[n + i]));
  return td_plant_fail(s->plant, status, err, s->method->name, s->t0, s->trial, reason);
}

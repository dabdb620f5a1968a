// The part of a step's error that the sieve takes out is that of modes beyond the cutoff, and q and qd of all of them
// tell their frequency. The method's own functions on y' = i w y say what amplitude has such an error, and what the
// step loses of it: all, where it passes over the mode, or (w h)^6 / 3600 of it, ten thousand times. Energies that
// damping takes away meanwhile are no loss: what is said must be missing in the balance of energy, too, if only as a
// small part of all.
#include "run/judge/sifted.h"
#include "input/inputs.h"
#include "run/choice.h"
#include "tendril/dynamics.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double REST = 0.05; // of a coordinate's own energy
static const double UNSEEN = 1e-5,
                    UNSEEN_OF_SET = 1e-9; // of the robot's: what no one looks at; where the job sets or drives it
static const double MISSED = 0.2;         // of the loss: least that the balance of energy misses

static double energy_of(const td_plant *p, const double *M, const double *x, int first, int count) {
  double sum = 0;
  for (int i = first; i < first + count; i++)
    for (int j = first; j < first + count; j++) sum += x[i] * M[i * p->n + j] * x[j];
  return sum;
}

void td_sifted_note(td_sifted *s, const td_plant *p, const td_integrator *method, const td_stepper *stepper, double h,
                    const double *y, double *scratch) {
  assert(h >= 0);
  int n = p->n, count = 0;
  double cutoff = p->statistics->cutoff;
  double *both = scratch, *q = scratch + 2 * n, *v = scratch + 3 * n;
  const double *M = method->sifted ? method->sifted(stepper, both) : NULL;
  if (!M) return;
  memset(q, 0, 2 * (size_t)n * sizeof *q);
  td_plant_unpack(p, both, q);
  td_plant_unpack(p, both + p->free_count, v);
  for (int e = 0; e < p->model->element_count; e++) {
    const td_element *element = &p->model->element[e];
    for (int i = element->coordinate; i < element->coordinate + element->n; i += count) {
      count = td_element_is_whole(element) ? element->n : 1;
      double rate = energy_of(p, M, v, i, count), size = energy_of(p, M, q, i, count);
      s->rate[i] += rate;
      s->size[i] += size;
      double square = s->size[i] > 0 ? s->rate[i] / s->size[i] : 0;
      if (square > cutoff * cutoff) s->lost[i] += method->loss(sqrt(square) * h) * (rate + square * size);
      s->moving[i] = fmax(s->moving[i], energy_of(p, M, y + n, i, count));
    }
  }
}

// The job starts a coordinate of these away from 0.
static bool is_set(const td_dynamics_spec *spec, int first, int count) {
  bool set = false;
  for (int i = first; i < first + count; i++)
    set |= (spec->qd && spec->qd[i] != 0) || (spec->initial == TD_INITIAL_ARRAY && spec->q && spec->q[i] != 0);
  return set;
}

// B [n][m] = d(tau - id)/du at the state y, 0 in channels without an input: what inputs act on, early or late. The
// caller frees it; NULL: unknown.
static double *input_map(const td_plant *p, const td_dynamics_spec *spec, const double *y) {
  int n = p->n, m = td_model_channel_count(p->model);
  double *B = spec->input_count ? calloc(2 * (size_t)(n * m) + 1, sizeof *B) : NULL, *loads = B + n * m;
  if (!B) return NULL;
  bool known = !td_force_derivatives(p->model, p->ws, y, y + n, p->u, NULL, NULL, B) &&
               !td_id_input_derivative(p->model, p->ws, y, y + n, p->u, loads);
  for (int c = 0; c < m; c++) {
    bool driven = false;
    for (size_t k = 0; k < spec->input_count; k++) driven |= td_channel_find(p->model, spec->inputs[k].channel) == c;
    for (int i = 0; i < n; i++) B[i * m + c] = known && driven ? B[i * m + c] - loads[i * m + c] : 0;
  }
  return B;
}

static bool is_driven(const td_plant *p, const double *B, int first, int count) {
  int m = td_model_channel_count(p->model);
  bool driven = false;
  for (int i = first * m; B && i < (first + count) * m; i++) driven |= B[i] != 0;
  return driven;
}

void td_sifted_tell(const td_sifted *s, const td_plant *p, const td_dynamics_spec *spec, const double *y,
                    const td_guard *guard, td_run_statistics *statistics) {
  int worst = -1, count = 0;
  double most = 0, *B = statistics->cutoff > 0 ? input_map(p, spec, y) : NULL;
  for (int e = 0; e < p->model->element_count; e++) {
    const td_element *element = &p->model->element[e];
    for (int i = element->coordinate; i < element->coordinate + element->n; i += count) {
      count = td_element_is_whole(element) ? element->n : 1;
      bool looked_at = is_set(spec, i, count) || is_driven(p, B, i, count);
      double floor = (looked_at ? UNSEEN_OF_SET : UNSEEN) * 2 * guard->most[0];
      bool seen = s->lost[i] > REST * s->moving[i] && s->lost[i] > floor && s->moving[i] > 0;
      if (!seen || guard->worst < MISSED * s->lost[i] / 2 || s->lost[i] / s->moving[i] <= most) continue;
      most = s->lost[i] / s->moving[i];
      worst = i;
    }
  }
  free(B);
  if (worst < 0) return;
  double w = sqrt(s->rate[worst] / s->size[worst]);
  td_choice_tell_lost(p->model, worst, w, most, statistics);
}

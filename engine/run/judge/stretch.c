// Error control holds every coordinate to rtol of itself. Two carts that have gone 1e5 m side by side are each right to
// 0.1 m then, and the spring between them, which stretches by 2 mm, lost all of that, though it is all that acts. What
// moves a spring is found by differences at the end of the run: of what carries both of its ends nothing is left in its
// length.
#include "run/judge/stretch.h"
#include "force/spring.h"
#include "model/model.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double SURE = 100; // times rtol: a stretch below that of a coordinate is not sure
static const double FAR = 10;   // times a spring's length: coordinates below that are no distance
static const double NOISE = 1e-12;

void td_stretch_start(const td_model *model, double *range) {
  for (int i = 0; i < model->spring_count; i++) range[2 * i] = INFINITY, range[2 * i + 1] = -INFINITY;
}

void td_stretch_note(const td_plant *p, double *range) {
  for (int i = 0; i < p->model->spring_count; i++) {
    double length = td_spring_length(p->ws, &p->model->spring[i]);
    range[2 * i] = fmin(range[2 * i], length);
    range[2 * i + 1] = fmax(range[2 * i + 1], length);
  }
}

// Angles come back after a turn.
static double distance_of(const td_model *m, int coordinate, double reach) {
  for (int i = 0; i < m->element_count; i++) {
    const td_element *e = &m->element[i];
    bool here = e->coordinate <= coordinate && coordinate < e->coordinate + e->n;
    if (here && e->type == TD_ELEMENT_SCREW && e->rotates) return fmin(reach, 2 * M_PI);
  }
  return reach;
}

static bool lengths(td_plant *p, double t, const double *y, double *length) {
  td_energy energy;
  if (td_plant_energy(p, t, y, &energy)) return false;
  for (int i = 0; i < p->model->spring_count; i++) length[i] = td_spring_length(p->ws, &p->model->spring[i]);
  return true;
}

// far [springs]: the largest |dl/dq_i| |q_i| of each, m, and whose[springs] that i.
static bool find_far(td_plant *p, double t, double *y, const double *reach, double *work, double *far, int *whose) {
  int count = p->model->spring_count;
  for (int k = 0; k < p->free_count; k++) {
    int i = p->free[k];
    double kept = y[i], size = distance_of(p->model, i, reach[i]), step = 1e-6 * (1 + reach[i]);
    y[i] = kept + step;
    bool known = lengths(p, t, y, work);
    y[i] = kept - step;
    known = known && lengths(p, t, y, work + count);
    y[i] = kept;
    if (!known) return false;
    for (int s = 0; s < count; s++) {
      double moved = fabs(work[s] - work[count + s]) / (2 * step) * size;
      if (moved > far[s]) far[s] = moved, whose[s] = i;
    }
  }
  return true;
}

static void tell(const td_plant *p, const td_integrator_spec *used, const double *range, const double *far,
                 const int *whose, td_run_statistics *s) {
  char pointer[TD_POINTER_SIZE];
  for (int i = 0; i < p->model->spring_count; i++) {
    double moved = range[2 * i + 1] - range[2 * i];
    if (moved >= SURE * used->rtol * far[i] || far[i] <= FAR * range[2 * i + 1] || moved <= NOISE * far[i]) continue;
    snprintf(pointer, sizeof pointer, "/model/springs/%d", i);
    td_warn(
        &s->warnings, "small_motion", pointer,
        "the spring's length changes by %.3g m, and \"%.63s\", which stretches it, goes as far as %.3g m and is held "
        "to rtol %.3g of that: the stretch is not sure. Let the link at one of its ends hang from the other, so "
        "that a joint's coordinate is their distance",
        moved, td_model_coordinate_name(p->model, whose[i]), far[i], used->rtol);
  }
}

void td_stretch_tell(td_plant *p, const td_integrator_spec *used, double t, const double *y, const double *reach,
                     const double *range, td_run_statistics *s) {
  size_t n = (size_t)p->n, count = (size_t)p->model->spring_count;
  if (!used->adaptive || count == 0) return;
  double *there = calloc(2 * n + 3 * count + 1, sizeof *there), *work = there + 2 * n, *far = work + 2 * count;
  int *whose = calloc(count, sizeof *whose);
  if (there && whose) {
    memcpy(there, y, 2 * n * sizeof *y);
    if (find_far(p, t, there, reach, work, far, whose)) tell(p, used, range, far, whose, s);
  }
  free(there);
  free(whose);
}

// Prescribed joints that turn far take their loops along on the way. Turned at once by 6.7 rad, a rod that is clamped
// at its other end was twisted by 0.4: the nearest closed state is another one.
#include "closure/projection.h"
#include "model/model.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PARTS = 1000 };
static const double QUARTER = 1.5707963267948966;

// How many parts of the way turn no joint by more than a radian; 1 up to a quarter of a turn.
static int parts_of(const td_model *m, const double *from, const double *q) {
  double most = 0;
  for (int i = 0; i < td_model_prescribed_count(m); i++) {
    int channel = -1, c = td_model_prescribed_coordinate(m, i, &channel);
    for (int e = 0; e < m->element_count; e++) {
      const td_element *joint = &m->element[e];
      if (joint->type == TD_ELEMENT_SCREW && joint->coordinate == c && joint->rotates)
        most = fmax(most, fabs(q[c] - from[c]));
    }
  }
  return most > QUARTER ? (int)fmin(ceil(most), MOST_PARTS) : 1;
}

// Prescribed coordinates of x at this part of the way.
static void drive(const td_model *m, const double *from, const double *to, double part, double *x) {
  for (int i = 0; i < td_model_prescribed_count(m); i++) {
    int channel = -1, c = td_model_prescribed_coordinate(m, i, &channel);
    x[c] = part < 1 ? from[c] + part * (to[c] - from[c]) : to[c];
  }
}

td_status td_assemble_turning(td_projection *p, const double *from, double *q, td_error *err) {
  const td_model *m = p->model;
  size_t bytes = (size_t)p->n * sizeof *q;
  int parts = p->rows ? parts_of(m, from, q) : 1;
  double *x = parts > 1 ? malloc(bytes) : NULL; // without memory: at once
  bool closed = x != NULL;
  if (x) memcpy(x, from, bytes);
  for (int k = 1; k < parts && closed; k++) {
    td_error open = {.status = TD_OK};
    drive(m, from, q, (double)k / parts, x);
    closed = !td_assemble(p, x, &open); // else there is no way there: at once, too
  }
  if (closed) {
    drive(m, from, q, 1, x);
    memcpy(q, x, bytes);
  }
  free(x);
  return p->rows ? td_assemble(p, q, err) : TD_OK;
}

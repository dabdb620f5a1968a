// Whether all bodies are within the validity of their kinematics, each kind as its row says (body.h); where not, why.
#include "why/shape.h"
#include <assert.h>
#include <stdio.h>

bool td_shape_valid(const td_model *m, const double *q, double margin, td_shape_fault *fault) {
  assert(margin >= 1 && fault);
  for (const td_body_row *const *row = m->bodies; *row; row++)
    if ((*row)->valid && !(*row)->valid(m, q, margin, fault)) return false;
  return !m->guide || td_shape_valid(m->guide, q, margin, fault);
}

int td_shape_explain(const td_model *m, const double *q, double margin, char *text, size_t size) {
  td_shape_fault fault;
  text[0] = '\0';
  if (td_shape_valid(m, q, margin, &fault)) return -1;
  snprintf(text, size, "body \"%.63s\" at s = %.3g m %s", m->link[fault.link].name, fault.s, fault.why);
  return fault.link;
}

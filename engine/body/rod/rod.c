// Rods: a strip, whose sections are rigid inertias at its nodes (rigid.c).
#include "body/rod/inside_out.h"
#include "body/rod/strip.h"

static bool rod_valid(const td_model *m, const double *q, double margin, td_shape_fault *fault) {
  td_inside_out at;
  if (!td_inside_out_find(m, q, margin, &at)) return true;
  const td_rod *rod = &m->rod[at.rod];
  *fault = (td_shape_fault){rod->link, at.s * rod->length,
                            "is pushed to no length or turned inside out: its stretch reaches 0"};
  return false;
}

const td_body_row td_body_rod = {.name = "rod",
                                 .motion = td_strip_motion,
                                 .project = td_strip_project,
                                 .columns = td_strip_columns,
                                 .jacobian = td_strip_jacobian,
                                 .valid = rod_valid};

// Reduced bodies with a backbone: a strip whose sections deform by local fields, particle by particle (slices), or not
// at all.
#include "body/rod/strip.h"
#include "body/section/section_elasticity.h"
#include "body/section/slice.h"
#include "pass/composite.h"
#include <string.h>

static void section_motion(const td_model *m, td_workspace *ws, const td_element *e, const td_sweep *sweep) {
  td_strip_motion(m, ws, e, sweep);
  if (e->slice_at) td_slice_fields(m, ws, e, sweep);
}

static void section_project(const td_model *m, const td_workspace *ws, const td_element *e, double *out) {
  td_strip_project(m, ws, e, out);
  if (e->slice_at) td_slice_project(m, ws, e, out);
}

static void section_clear(const td_model *m, td_workspace *ws) {
  if (m->slice_count) memset(ws->slice, 0, (size_t)m->slice_count * sizeof *ws->slice);
}

static void section_weigh(const td_model *m, const td_workspace *ws, double *kinetic, double *gravitational) {
  for (int i = 0; i < m->slice_count; i++)
    td_composite_weigh(m, ws, m->slice[i].node, m->slice[i].displaced, kinetic, gravitational);
}

static double section_cost_ns(const td_model *m, bool derivatives) {
  const double particle = 100;
  double ns = 0;
  for (int i = 0; i < m->slice_count; i++) ns += (derivatives ? 10 : 1) * particle * m->slice[i].batch_count;
  return ns;
}

const td_body_row td_body_section = {.name = "section",
                                     .motion = section_motion,
                                     .project = section_project,
                                     .columns = td_strip_columns,
                                     .jacobian = td_strip_jacobian,
                                     .skin = td_section_skin,
                                     .surface = td_section_surface,
                                     .clear = section_clear,
                                     .nodes = td_slice_nodes,
                                     .weigh = section_weigh,
                                     .kinetic = td_slice_kinetic,
                                     .forces = td_section_forces,
                                     .slopes = td_section_derivatives,
                                     .elastic = td_section_energy,
                                     .valid = td_section_valid,
                                     .cost_ns = section_cost_ns};

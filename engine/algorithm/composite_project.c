// From wrenches beyond each element to the coordinates: generalized = J^T F.
#include "algorithm/composite_nodes.h"
#include "body/ritz/ritz.h"
#include "body/rod/strip.h"
#include "body/section/slice.h"
#include "lie/vec3.h"

void td_composite_project(const td_model *m, td_workspace *ws, double *generalized) {
  for (int i = 0; i < m->element_count; i++) {
    const td_element *e = &m->element[i];
    if (e->type == TD_ELEMENT_SCREW) generalized[e->coordinate] = td_dot6(ws->screw[i], ws->composite[e->end].F);
    if (e->type == TD_ELEMENT_STRIP) td_strip_project(ws, e, generalized + e->coordinate);
    if (e->type == TD_ELEMENT_SOLID) td_ritz_project(m, ws, e, generalized + e->coordinate);
    if (e->slice_at) td_slice_project(m, ws, e, generalized + e->coordinate);
  }
}

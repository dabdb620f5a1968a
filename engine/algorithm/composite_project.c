// From wrenches beyond each element to the coordinates: generalized = J^T F.
#include "algorithm/composite_nodes.h"

void td_composite_project(const td_model *m, td_workspace *ws, double *generalized) {
  for (int i = 0; i < m->element_count; i++) {
    const td_element *e = &m->element[i];
    if (e->row->project) e->row->project(m, ws, e, generalized + e->coordinate);
  }
}

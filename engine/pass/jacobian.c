// World Jacobians of nodes, column by column along their paths. Not for hot paths.
#include "pass/jacobian.h"
#include "body/body.h"
#include <assert.h>
#include <string.h>

void td_node_jacobian(const td_model *m, td_workspace *ws, int node, double *J) {
  assert(td_holds(ws, TD_HOLDS_POSES) && node >= 0 && node < m->node_count);
  memset(J, 0, 6 * (size_t)m->n * sizeof *J);
  while (m->node[node].element >= 0 && !td_stopped(ws)) {
    const td_element *e = &m->element[m->node[node].element];
    if (e->row->jacobian) e->row->jacobian(m, ws, e, node, J);
    node = e->start;
  }
}

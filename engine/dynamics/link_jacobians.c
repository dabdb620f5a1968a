// World Jacobians of all points of a link. Along a rod each point's is that of the point before it and one interval
// more. Not for hot paths.
#include "dynamics/link_jacobians.h"
#include "body/rod/strip.h"
#include "pass/jacobian.h"
#include <assert.h>
#include <string.h>

void td_link_jacobians(const td_model *m, td_workspace *ws, int link, double *J) {
  assert(td_holds(ws, TD_HOLDS_POSES) && link >= 0 && link < m->link_count);
  const td_element *built = NULL; // whose tables are in the workspace
  size_t size = 6 * (size_t)m->n;
  for (int k = 0, before = -1; k < td_model_link_point_count(m, link) && !td_stopped(ws); k++, J += size) {
    int node = td_link_point_node(m, link, k);
    const td_element *e = m->node[node].element >= 0 ? &m->element[m->node[node].element] : NULL;
    bool follows = k > 0 && e && e->type == TD_ELEMENT_STRIP && e->from[m->node[node].interval] == before;
    before = node;
    if (!follows) {
      td_node_jacobian(m, ws, node, J);
      built = NULL;
      continue;
    }
    if (built != e) td_strip_tables(ws, e, TD_COLUMNS_MASS);
    built = e;
    memcpy(J, J - size, size * sizeof *J);
    td_strip_interval_jacobian(m, ws, e, m->node[node].interval, J);
  }
}

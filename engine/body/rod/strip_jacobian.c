// World Jacobian columns of a strip's nodes, from its tables. Not for hot paths.
#include "body/rod/strip.h"
#include <assert.h>

void td_strip_interval_jacobian(const td_model *m, const td_workspace *ws, const td_element *e, int interval,
                                double *J) {
  assert(interval >= 0 && interval < e->interval_count);
  const td_tables *t = ws->tables + interval / TD_LANES;
  int lane = interval % TD_LANES, stride = e->npad + TD_LANES;
  const double *phi = e->phi_column + 2 * interval * stride;
  for (int g = 0; g < e->group_count; g++) {
    int a = e->group[g].component;
    for (int c = e->group[g].first; c < e->group[g].first + e->group[g].count; c++)
      for (int r = 0; r < 6; r++)
        J[r * m->n + e->coordinate + c] += t->s[r][a][lane] * phi[c] + t->s[r][6 + a][lane] * phi[stride + c];
  }
}

void td_strip_jacobian(const td_model *m, td_workspace *ws, const td_element *e, int node, double *J) {
  assert(&m->element[m->node[node].element] == e); // the chain of intervals leads from the node to the start
  td_strip_tables(ws, e, TD_COLUMNS_MASS);
  for (; node != e->start; node = e->from[m->node[node].interval])
    td_strip_interval_jacobian(m, ws, e, m->node[node].interval, J);
}

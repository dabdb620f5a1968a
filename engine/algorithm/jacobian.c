// World Jacobians of nodes, column by column, from the tables of their paths. Along a rod each point's is that of the point before
// it and one interval more. Not for hot paths.
#include "algorithm/dynamics.h"
#include "body/rod/strip.h"
#include <string.h>

static void add_interval(const td_model *m, const td_workspace *ws, const td_element *e, int interval, double *J) {
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

void td_node_jacobian(const td_model *m, td_workspace *ws, int node, double *J) {
  memset(J, 0, 6 * (size_t)m->n * sizeof *J);
  while (m->node[node].element >= 0 && !td_stopped(ws)) {
    const td_element *e = &m->element[m->node[node].element];
    if (e->type == TD_ELEMENT_SCREW)
      for (int r = 0; r < 6; r++) J[r * m->n + e->coordinate] = ws->screw[e - m->element][r];
    for (int c = 0; e->type == TD_ELEMENT_SOLID && c < e->n; c++)
      for (int r = 0; r < 6; r++) J[r * m->n + e->coordinate + c] = ws->solid[e->solid].s[c][r];
    if (e->type == TD_ELEMENT_STRIP) {
      td_strip_tables(ws, e, 1);
      for (; node != e->start; node = e->from[m->node[node].interval])
        add_interval(m, ws, e, m->node[node].interval, J);
    }
    node = e->start;
  }
}

void td_link_jacobians(const td_model *m, td_workspace *ws, int link, double *J) {
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
    if (built != e) td_strip_tables(ws, e, 1);
    built = e;
    memcpy(J, J - size, size * sizeof *J);
    add_interval(m, ws, e, m->node[node].interval, J);
  }
}

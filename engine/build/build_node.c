// Where something hangs on a link: the node at an abscissa.
#include "build/build.h"
#include <math.h>

int td_build_node_at(const td_model *m, int link, double at) {
  if (link < 0) return 0;
  const td_link *l = &m->link[link];
  if (l->body == TD_BODY_REDUCED) return l->distal;
  if (l->rod < 0) return l->node;
  const td_rod *rod = &m->rod[l->rod];
  for (int k = 0; k < rod->point_count; k++)
    if (fabs(rod->abscissa[k] - at) < TD_SAME_ABSCISSA) return rod->point_node[k];
  const td_element *e = &m->element[rod->element];
  for (int i = rod->point_count - 1, k = rod->point_count; i < e->interval_count; i++, k++)
    if (fabs(rod->abscissa[k] - at) < TD_SAME_ABSCISSA) return e->to[i];
  return -1;
}

// What floats of a rod is summed over its Gauss points, each wet by its own height (element/water.c). Where two
// neighbours are farther apart in height than the surface's width, the second gets wet only after the first is: the sum
// goes by jumps. A rod that lies flat has all its points at one height, whatever lies between them. Judged at q = 0;
// what a run comes to is judged by its twin (estimate/).
#include "force/water/thin_surface.h"
#include "pass/kinematics.h"
#include <math.h>
#include <stdlib.h>

static double height_of(const td_workspace *ws, const td_rod *rod, int k) { return ws->pose[rod->point_node[k]].p[2]; }

// The largest step in height from one Gauss point to the next, m.
static double highest_step(const td_workspace *ws, const td_rod *rod) {
  double most = 0, last = NAN;
  for (int k = 0, gauss = 0; k < rod->point_count && gauss < rod->gauss_count; k++) {
    if (rod->abscissa[k] != rod->gauss_s[gauss]) continue;
    double height = height_of(ws, rod, k);
    if (gauss++ > 0) most = fmax(most, fabs(height - last));
    last = height;
  }
  return most;
}

void td_warn_of_thin_surface(td_model *m, const td_model_spec *spec) {
  td_workspace *ws = NULL;
  double *q = calloc((size_t)m->n + 1, sizeof *q);
  if (!q || td_workspace_create(m, &ws)) {
    free(q);
    return;
  }
  td_kinematics(m, ws, q, NULL, NULL, m->gravity, TD_LEVEL_POSE);
  for (int i = 0; i < m->rod_count; i++) {
    double step = highest_step(ws, &m->rod[i]);
    if (spec->links[m->rod[i].link].body.type != TD_BODY_ROD || !(step > spec->fluid.width)) continue;
    td_warn(
        &m->warnings, "thin_surface", "/fluid/surface/width",
        "the Gauss points of rod \"%s\" lie up to %.3g m above each other, more than the surface's width of %.3g m: "
        "they get wet one by one; widen the surface or take more points",
        spec->links[m->rod[i].link].name, step, spec->fluid.width);
    break;
  }
  td_workspace_destroy(ws);
  free(q);
}

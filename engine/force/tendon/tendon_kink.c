// A known end of the model of tendons: pulled hard enough, the material under a tendon is compressed until the tendon
// has no length left at some point of the rod. There its force, along tangent / |tangent|, has no direction, and its
// stiffness grows without bound. Beyond, the tangent points backwards: the path is counted as if it went on, and the
// tendon pushes the rod on into itself. A real robot's segments would touch long before. Two points between which a
// tendon runs straight may meet as well: there it pulls nothing, beside that place with all its tension.
#include "force/tendon/tendon_kink.h"
#include "force/tendon/path.h"
#include "force/tendon/tendon.h"
#include <math.h>
#include <stdio.h>

static const double USED_UP = 0.03; // m of tendon per m of rod at rest

// t.t0 / t0.t0 of a path at Gauss point k, under the rod's strain [8] there.
static double part_at(const td_tendon_path *path, int k, const double *strain) {
  const double *t0 = path->t0 + 3 * k;
  const td_path_tangent t = {.dy = path->offset[2 * k], .dz = path->offset[2 * k + 1]};
  double change[3], along = 0, rest = 0;
  td_path_change(&t, strain, change);
  for (int i = 0; i < 3; i++) along += (t0[i] + change[i]) * t0[i], rest += t0[i] * t0[i];
  return rest > 0 ? along / rest : INFINITY;
}

static void look_at_rod(const td_model *m, int index, const double *q, td_tendon_kink *least) {
  const td_rod *rod = &m->rod[index];
  for (int k = 0; k < rod->gauss_count; k++) {
    double strain[TD_COMPONENTS];
    bool known = false;
    for (int p = 0; p < m->path_count; p++) {
      const td_tendon_path *path = &m->path[p];
      if (path->rod != index) continue;
      if (!known)
        td_path_strain(rod, rod->phi_gauss + k * td_rod_stride(m, rod), q + td_rod_coordinate(m, rod), strain);
      known = true;
      double part = part_at(path, k, strain);
      if (part < least->part) *least = (td_tendon_kink){path->tendon, index, -1, rod->gauss_s[k], part};
    }
  }
}

static void look_at_stretches(const td_model *m, td_workspace *ws, const double *q, td_tendon_kink *least) {
  const td_model *of = m->guide ? m->guide : m;
  for (int i = 0; i < of->stretch_count; i++) {
    double length = td_stretch_length(m, ws, i == 0 ? q : NULL, i), rest = of->stretch[i].rest;
    double part = rest > 0 ? length / rest : INFINITY;
    if (part < least->part) *least = (td_tendon_kink){of->stretch[i].tendon, -1, i, 0, part};
  }
}

bool td_tendon_kink_find(const td_model *m, td_workspace *ws, const double *q, bool stretches, td_tendon_kink *least) {
  *least = (td_tendon_kink){.part = INFINITY};
  for (int r = 0; r < m->rod_count && m->path_count > 0; r++) look_at_rod(m, r, q, least);
  if (stretches) look_at_stretches(m, ws, q, least);
  return isfinite(least->part);
}

bool td_tendon_is_kinked(const td_tendon_kink *least) { return least->part <= USED_UP; }

static const char *link_of(const td_model *m, int node) {
  for (int i = 0; i < m->link_count; i++)
    for (int k = 0; k < td_model_link_point_count(m, i); k++)
      if (td_link_point_node(m, i, k) == node) return m->link[i].name;
  return "world";
}

void td_tendon_kink_text(const td_model *m, const td_tendon_kink *at, char text[TD_TENDON_KINK_TEXT]) {
  const char *name = td_model_tendon_name(m, at->tendon);
  if (at->rod >= 0) {
    snprintf(text, TD_TENDON_KINK_TEXT,
             "tendon \"%.63s\" has no length left on \"%.63s\" at s = %.3g (%.2g of that at rest): the rod is crushed "
             "there",
             name, m->link[m->rod[at->rod].link].name, at->s, at->part);
    return;
  }
  const td_tendon_stretch *s = &(m->guide ? m->guide : m)->stretch[at->stretch];
  snprintf(text, TD_TENDON_KINK_TEXT,
           "tendon \"%.63s\" has no length left between its points on \"%.63s\" and \"%.63s\": they meet", name,
           link_of(m, s->node_a), link_of(m, s->node_b));
}

td_status td_tendon_rest_stretches(td_model *m) {
  td_model *of = m->guide ? m->guide : m;
  td_workspace *ws = NULL;
  if (of->stretch_count == 0) return TD_OK;
  if (td_workspace_create(m, &ws)) return TD_NO_MEMORY;
  for (int i = 0; i < of->stretch_count; i++)
    of->stretch[i].rest = td_stretch_length(m, ws, i == 0 ? ws->zero : NULL, i);
  td_workspace_destroy(ws);
  return TD_OK;
}

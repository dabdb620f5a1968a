// What the forces of water act on: one td_fluid per rigid body with coefficients and per Gauss point of a rod, and how
// the water flows. Cold code, after all links stand.
//
// Viscous resistance of a rod, per length: diag(tangential, normal, normal), given or by Lighthill1976 (SIAM Review 18,
// 161). Rod, per length (times the Gauss weight):  D = rho_w r [[pi/2 cd_x, -cl_z, cl_y], [cl_z, cd_y, -cl_x], [-cl_y,
// cl_x, cd_z]], added mass rho_w A diag(0, added_y, added_z). Mathew2025 (62)-(66); api/schema/model.schema.json.
#include "force/water/fluid.h"
#include "model/block.h"
#include <assert.h>
#include <math.h>
#include <string.h>

static bool any(const double *x, int count) {
  for (int i = 0; i < count; i++)
    if (x[i] != 0) return true;
  return false;
}

static void rigid_fluid(td_model *m, int link, const td_rigid_spec *rigid) {
  td_fluid f = {.node = m->link[link].node,
                .has_added = any(rigid->added_mass, TD_MATRIX6),
                .has_drag = any(rigid->drag, TD_MATRIX6),
                .has_viscous = any(rigid->linear, TD_MATRIX6)};
  if (!f.has_added && !f.has_drag && !f.has_viscous) return;
  memcpy(f.point, rigid->com, sizeof f.point);
  memcpy(f.added, rigid->added_mass, sizeof f.added);
  memcpy(f.drag, rigid->drag, sizeof f.drag);
  memcpy(f.viscous, rigid->linear, sizeof f.viscous);
  m->fluid[m->fluid_count++] = f;
}

// Lighthill1976: what a thin rod of radius r feels along and across itself, per length and speed, q = 0.09 L.
static void resistive_force(double viscosity, double length, double radius, double linear[2]) {
  double log_ratio = log(2 * 0.09 * length / radius);
  linear[0] = 2 * M_PI * viscosity / log_ratio;
  linear[1] = 4 * M_PI * viscosity / (log_ratio + 0.5);
}

// `reynolds`: rho / mu where resistive-force theory gives `linear`, else 0.
static void gauss_fluid(td_model *m, const td_rod *rod, const td_rod_spec *spec, const double linear[2], double density,
                        double reynolds, int gauss, int node) {
  td_section_at at;
  td_section_eval(rod->outline, rod->gauss_s[gauss], &at);
  const double *cd = spec->cd, *cl = spec->cl;
  double scale = density * at.radius * rod->weight[gauss], mass = density * at.outline * rod->weight[gauss];
  const double D[9] = {M_PI / 2 * cd[0], -cl[2], cl[1], cl[2], cd[1], -cl[0], -cl[1], cl[0], cd[2]};
  td_fluid *f = &m->fluid[m->fluid_count++];
  *f = (td_fluid){.node = node,
                  .linear = 1,
                  .has_added = density > 0 && any(spec->added, 2),
                  .has_drag = density > 0 && any(D, 9),
                  .has_viscous = any(linear, 2)};
  bool quadratic = f->has_drag && (cd[1] != 0 || cd[2] != 0);
  if (reynolds > 0 && !quadratic) f->reynolds = 2 * at.radius * reynolds, m->resistive = 1;
  for (int i = 0; i < 3; i++) f->viscous[4 * i] = rod->weight[gauss] * linear[i > 0];
  for (int i = 0; i < 9; i++) f->drag[i] = scale * D[i];
  f->added[4] = mass * spec->added[0], f->added[8] = mass * spec->added[1];
}

static void rod_fluid(td_model *m, const td_rod *rod, const td_rod_spec *spec, const td_model_spec *model) {
  double density = model->fluid_density, linear[2] = {spec->linear[0], spec->linear[1]};
  if (spec->resistive_force)
    resistive_force(model->fluid.viscosity, rod->length, td_section_mean_radius(rod->outline), linear);
  double reynolds = spec->resistive_force ? density / model->fluid.viscosity : 0;
  bool by_density = density > 0 && (any(spec->cd, 3) || any(spec->cl, 3) || any(spec->added, 2));
  if (!by_density && !any(linear, 2)) return;
  for (int k = 0, gauss = 0; k < rod->point_count && gauss < rod->gauss_count; k++)
    if (rod->abscissa[k] == rod->gauss_s[gauss])
      gauss_fluid(m, rod, spec, linear, density, reynolds, gauss++, rod->point_node[k]);
}

static td_status build_flow(td_model *m, const td_fluid_spec *spec) {
  td_water *w = &m->water; // its channels stand already
  memcpy(w->velocity, spec->velocity, sizeof w->velocity);
  w->flows = any(spec->velocity, 3) || spec->knots > 0;
  for (int c = 0; c < 3; c++) w->flows |= w->channel[c] >= 0;
  w->has_surface = spec->has_surface;
  w->surface = spec->surface, w->width = spec->width;
  if (spec->knots == 0) return TD_OK;
  double *z = td_block_alloc(&m->blocks, 7 * spec->knots, sizeof *z);
  if (!z) return TD_NO_MEMORY;
  double *table = z + spec->knots, *slopes = table + 3 * spec->knots;
  memcpy(z, spec->z, spec->knots * sizeof *z);
  memcpy(table, spec->table, 3 * spec->knots * sizeof *z);
  td_water_slopes((int)spec->knots, z, table, slopes);
  w->knots = (int)spec->knots;
  w->z = z, w->table = table, w->slopes = slopes;
  return TD_OK;
}

td_status td_water_build(td_model *m, const td_model_spec *spec) {
  int gauss = 0;
  assert(!m->fluid && m->fluid_count == 0); // once
  for (int r = 0; r < m->rod_count; r++) gauss += m->rod[r].gauss_count;
  m->fluid = td_block_alloc(&m->blocks, (size_t)(gauss + m->link_count), sizeof *m->fluid);
  if (!m->fluid) return TD_NO_MEMORY;
  for (int i = 0; i < m->link_count; i++) {
    const td_body_spec *body = &spec->links[i].body;
    if (body->type == TD_BODY_RIGID) rigid_fluid(m, i, &body->rigid);
    if (body->type == TD_BODY_ROD) rod_fluid(m, &m->rod[m->link[i].rod], &body->rod, spec);
  }
  assert(m->fluid_count <= gauss + m->link_count);
  td_status status = build_flow(m, &spec->fluid);
  m->immersed = m->water.flows || m->water.has_surface;
  for (int i = 0; i < m->fluid_count; i++) m->immersed |= m->fluid[i].has_viscous;
  return status;
}

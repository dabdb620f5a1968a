// Reduced bodies with a backbone: a strip whose local z is the tangent, with columns from strain/field_column.h.
//
// Nodes: Gauss points on [0, L], frames by one Magnus step from node to node (from 0 to the first, …, to L). Mass on
// the axis, or with the section's inertia (four particles at radius R/sqrt 2 have exactly that), or on the particles of
// the sections (build_slice.c). Elasticity diag(EI, EI, 2 G I, G A, G A, E A) by the same rule, damping eta K qd.
// Source: Pustina2024, conventions of the reference data.
#include "body/body.h"
#include "build/build.h"
#include "element/reduced/reduced_points.h"
#include "math/quadrature.h"
#include <math.h>
#include <string.h>

// (kx, ky, kz, sx, sy, sz) as (bending_y, bending_z, torsion, shear_y, shear_z, elongation) of a frame turned x <- z.
static const int Z_AXIS[TD_COMPONENTS] = {1, 2, 0, 4, 5, 3, 6, 7};

static td_status copy_columns(td_model *m, td_rod *rod, const td_reduced_spec *spec, int n) {
  td_field_column *column = td_block_alloc(&m->blocks, (size_t)n, sizeof *column);
  if (!column) return TD_NO_MEMORY;
  td_reduced_columns(spec, column);
  for (int c = 0; c < n; c++) {
    if (!column[c].polynomial) continue;
    double *copy = td_block_alloc(&m->blocks, column[c].count, sizeof *copy);
    if (!copy) return TD_NO_MEMORY;
    memcpy(copy, column[c].polynomial, column[c].count * sizeof *copy);
    column[c].polynomial = copy;
  }
  rod->column = column;
  return TD_OK;
}

// Runs of columns that act on one component: strains for the strip, the local ones after them for the stiffness.
static td_status build_groups(td_model *m, td_element *e, td_rod *rod) {
  td_group *group = td_block_alloc(&m->blocks, (size_t)e->n, sizeof *group);
  if (!group) return TD_NO_MEMORY;
  int count = 0;
  for (int local = 0; local < 2; local++) {
    for (int c = 0; c < e->n; c++) {
      int component = rod->column[c].component;
      if ((component >= TD_COMPONENT_LOCAL) != local) continue;
      bool joins =
          count > 0 && group[count - 1].component == component && group[count - 1].first + group[count - 1].count == c;
      if (joins)
        group[count - 1].count++;
      else
        group[count++] = (td_group){component, c, 1};
    }
    if (!local) e->group_count = count;
  }
  e->group = rod->group = group;
  rod->group_count = count;
  return TD_OK;
}

static void gauss_inertia(td_model *m, const td_reduced_spec *spec, double fluid_density, const td_section_at *at,
                          double weight, int node) {
  double rho = spec->density * weight, I = spec->section_inertia ? rho * at->Iy : 0;
  m->node[node].inertia = m->inertia_count;
  m->inertia[m->inertia_count++] = (td_inertia){
      .mass = rho * at->area, .inertia = {I, 0, 0, I, 0, 2 * I}, .displaced = fluid_density * at->area * weight};
}

// E int int b^2 dphi ds of the radius modes, the last two blocks of one entry each.
static void add_radius_stiffness(td_rod *rod, const td_reduced_spec *spec, int gauss) {
  double phi[TD_ANGLE_POINTS_MOST], w[TD_ANGLE_POINTS_MOST], *K = (double *)rod->stiffness + 2,
                                                             *D = (double *)rod->damping + 2;
  int angles = td_reduced_angles(spec, phi, w);
  for (int k = 0; k < angles; k++) {
    int half;
    double b = td_radius_bump(spec->length, rod->gauss_s[gauss], phi[k], &half);
    double add = spec->young * rod->weight[gauss] * 2 * M_PI * w[k] * b * b;
    K[half] += add, D[half] += spec->damping_time * add;
  }
}

static void gauss_point(td_model *m, const td_reduced_spec *spec, double fluid_density, td_rod *rod,
                        const td_element *e, int gauss, double weight) {
  double *phi = (double *)rod->phi_gauss + gauss * (e->npad + TD_LANES), s = rod->gauss_s[gauss];
  double E = spec->young, G = E / (2 * (1 + spec->poisson)), eta = spec->damping_time;
  td_section_at at;
  td_section_eval(rod->outline, s, &at);
  td_rod_phi(rod, e, s, phi);
  ((double *)rod->weight)[gauss] = weight * rod->length;
  ((double *)rod->rest_gauss)[6 * gauss + 5] = 1;
  double EI = E * at.Iy, EA = E * at.area, k[TD_COMPONENTS] = {EI, EI, 2 * G * at.Iy, G * at.area, G * at.area, EA},
         d[TD_COMPONENTS];
  for (int c = 0; c < TD_COMPONENTS; c++) d[c] = eta * k[c];
  if (spec->kinematics != TD_KINEMATICS_LVP) td_rod_add_stiffness(rod, phi, rod->weight[gauss], k, d);
  if (spec->kinematics == TD_KINEMATICS_PCC_VARIABLE_RADIUS) add_radius_stiffness(rod, spec, gauss);
  if (!td_reduced_has_sections(spec))
    gauss_inertia(m, spec, fluid_density, &at, rod->weight[gauss], rod->point_node[gauss + 1]);
}

static td_status describe(td_model *m, td_rod *rod, const td_reduced_spec *spec, td_element *e) {
  td_rod_spec section = {.section = TD_SECTION_CIRCLE, .size[0] = spec->radius};
  td_status status = td_section_create(&section, &rod->outline);
  e->n = td_reduced_columns(spec, NULL);
  e->npad = td_pad(e->n);
  if (!status) status = copy_columns(m, rod, spec, e->n);
  return status ? status : build_groups(m, e, rod);
}

// Gauss points between base and tip; a guide has the tendons' stations instead, and nothing that weighs.
static void place_points(td_rod *rod, const double *stations, int station_count, double *weight) {
  double *s = (double *)rod->abscissa;
  if (rod->gauss_count) td_gauss_legendre(rod->gauss_count, s + 1, weight);
  for (int k = 0; k < station_count; k++) s[1 + k] = stations[k];
  s[rod->point_count - 1] = 1;
  memcpy((double *)rod->gauss_s, s + 1, (size_t)rod->gauss_count * sizeof *s);
}

td_status td_build_reduced(td_model *m, const td_model_spec *spec, int link, const double *stations,
                           int station_count) {
  const td_reduced_spec *r = &spec->links[link].body.reduced;
  td_rod *rod = &m->rod[m->rod_count];
  td_element *e = &m->element[m->element_count];
  *rod = (td_rod){.link = link,
                  .element = m->element_count,
                  .length = r->length,
                  .axis = Z_AXIS,
                  .shear_modulus = r->young / (2 * (1 + r->poisson)),
                  .damping_time = r->damping_time};
  *e = (td_element){.type = TD_ELEMENT_STRIP,
                    .row = &td_body_section,
                    .link = link,
                    .coordinate = m->n,
                    .start = m->link[link].node,
                    .rod = m->rod_count};
  m->element_count++, m->rod_count++;
  m->link[link].rod = e->rod;
  td_status status = describe(m, rod, r, e);
  rod->gauss_count = m->is_guide ? 0 : td_reduced_s_points(r);
  rod->point_count = (m->is_guide ? station_count : rod->gauss_count) + 2;
  if (!status) status = td_strip_allocate(m, e, rod->point_count - 1);
  if (!status) status = td_rod_allocate(m, rod, e, rod->point_count, 0);
  double *weight = td_block_alloc(&m->blocks, (size_t)(rod->gauss_count + e->n + 1), sizeof *weight);
  if (status || !weight) return TD_NO_MEMORY;
  place_points(rod, stations, station_count, weight);
  td_rod_lay_out(m, e, rod, NULL, 0, weight + rod->gauss_count);
  for (int k = 0; k < rod->gauss_count; k++) gauss_point(m, r, spec->fluid_density, rod, e, k, weight[k]);
  m->n += e->n;
  m->link[link].distal = e->end;
  status = td_build_slices(m, spec, rod, e);
  if (!status) status = td_strip_pieces(m, e);
  return status ? status : td_strip_gauss_pieces(m, rod, e);
}

static td_status build_chamber(td_model *m, const td_reduced_spec *r, int link, int index) {
  const td_element *e = &m->element[m->node[m->link[link].distal].element];
  td_chamber *chamber = &m->chamber[m->chamber_count++];
  long size = td_chamber_storage(r, index);
  double *storage = size < 0 ? NULL : td_block_alloc(&m->blocks, (size_t)size, sizeof *storage);
  if (!storage || !td_chamber_of(r, index, storage, chamber)) return TD_NO_MEMORY;
  chamber->coordinate = e->coordinate;
  return TD_OK;
}

td_status td_build_chambers(td_model *m, const td_model_spec *spec) {
  int total = 0;
  for (int pass = 0; pass < 2; pass++) { // counts, then builds
    if (pass) m->chamber = td_block_alloc(&m->blocks, (size_t)total, sizeof *m->chamber);
    if (pass && !m->chamber) return TD_NO_MEMORY;
    for (int i = 0; i < m->link_count; i++) {
      const td_reduced_spec *r = &spec->links[i].body.reduced;
      int count = m->link[i].body == TD_BODY_REDUCED ? td_reduced_chamber_count(r) : 0;
      if (count < 0) return TD_NO_MEMORY;
      total += count;
      if (pass) m->link[i].first_chamber = m->chamber_count;
      for (int k = 0; pass && k < count; k++)
        if (build_chamber(m, r, i, k)) return TD_NO_MEMORY;
    }
  }
  return TD_OK;
}

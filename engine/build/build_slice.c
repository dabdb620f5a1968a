// Particles of reduced bodies whose sections deform: one slice per Gauss node, and its local fields as functions of q.
//
// lvp: u = r^2 at Gauss points on [inner^2, R^2], angles (i + 1/2) 2 pi / n. pcc_variable_radius: r at Gauss points on
// [0, R] with weight r, phi at Gauss points on [0, 2 pi] or its halves, bumps b(s, phi). The rules are part of the
// model: they are the reference data's.
#include "build/build.h"
#include "element/reduced/reduced_points.h"
#include "math/quadrature.h"
#include <math.h>
#include <string.h>

enum { RADII = TD_RADIUS_POINTS_MOST, ANGLES = TD_ANGLE_POINTS_MOST };

// A particle of a section: where it rests, how much of the section's area it stands for.
typedef struct particle {
  double area, data[TD_SECTION_DATA];
} particle;

static int lvp_particles(const td_reduced_spec *r, double radius, double s, particle *out) {
  double u[RADII], w[RADII], a[ANGLES], wa[ANGLES], inner = r->inner_radius * r->inner_radius,
                                                    span = radius * radius - inner;
  int radii = td_reduced_r_points(r), angles = td_reduced_angles(r, a, wa);
  (void)s;
  td_gauss_legendre(radii, u, w);
  for (int i = 0; i < radii; i++)
    for (int k = 0; k < angles; k++, out++) {
      double rho = sqrt(inner + span * u[i]);
      *out = (particle){span * w[i] / 2 * 2 * M_PI / angles, {rho * cos(a[k]), rho * sin(a[k])}};
    }
  return radii * angles;
}

static int variable_radius_particles(const td_reduced_spec *r, double radius, double s, particle *out) {
  double x[RADII], wx[RADII], a[ANGLES], wa[ANGLES];
  int radii = td_reduced_r_points(r), angles = td_reduced_angles(r, a, wa);
  td_gauss_legendre(radii, x, wx);
  for (int i = 0; i < radii; i++)
    for (int k = 0; k < angles; k++, out++) {
      double rho = radius * x[i], phi = a[k];
      int half;
      double b = td_radius_bump(r->length, s, phi, &half) * (r->scale_law ? rho / radius : 1), c = cos(phi),
             d = sin(phi);
      *out = (particle){radius * wx[i] * rho * 2 * M_PI * wa[k], {rho * c, rho * d}};
      out->data[2 + 2 * half] = b * c, out->data[3 + 2 * half] = b * d;
    }
  return radii * angles;
}

static int particles_of(const td_reduced_spec *r, double radius, double s, particle *out) {
  return r->kinematics == TD_KINEMATICS_LVP ? lvp_particles(r, radius, s, out)
                                            : variable_radius_particles(r, radius, s, out);
}

// Particles into lanes; the last batch is padded with copies of the first one that weigh nothing.
static td_status pack(td_model *m, const particle *particles, int count, double length, td_slice *slice) {
  slice->batch_count = (count + TD_LANES - 1) / TD_LANES;
  td_section_points *points = td_block_alloc(&m->blocks, (size_t)slice->batch_count, sizeof *points);
  if (!points) return TD_NO_MEMORY;
  slice->points = points;
  for (int i = 0; i < slice->batch_count * TD_LANES; i++) {
    const particle *p = &particles[i < count ? i : 0];
    td_section_points *to = &points[i / TD_LANES];
    to->weight[i % TD_LANES] = i < count ? p->area * length : 0;
    for (int k = 0; k < TD_SECTION_DATA; k++) to->data[k][i % TD_LANES] = p->data[k];
  }
  return TD_OK;
}

// phi [4][stride] and its slope along the axis: local field d = rest + sum_c phi_dc q_c.
static td_status fill_fields(td_model *m, const td_rod *rod, const td_element *e, td_slice *slice) {
  size_t stride = (size_t)(e->npad + TD_LANES);
  double *phi = td_block_alloc(&m->blocks, 4 * stride, sizeof *phi),
         *slope = td_block_alloc(&m->blocks, 10 * stride, sizeof *slope);
  if (!phi || !slope) return TD_NO_MEMORY;
  slice->phi = phi, slice->strain = slope;
  for (int c = 0; c < e->n; c++) {
    double rate, value = td_field_column_eval(&rod->column[c], slice->s, &rate);
    int component = rod->column[c].component, d = rod->local_of[c];
    if (d >= 0) phi[(size_t)d * stride + (size_t)c] = value;
    if (component < TD_COMPONENT_LOCAL) slope[(size_t)component * stride + (size_t)c] = value;
    if (d >= 0) slope[(size_t)(6 + d) * stride + (size_t)c] = rate;
  }
  for (int d = 0; d < rod->section->fields; d++) slice->rest[d] = rod->section->component[d] == 5;
  return TD_OK;
}

static td_status describe_columns(td_model *m, td_rod *rod, const td_element *e) {
  int *local = td_block_alloc(&m->blocks, (size_t)e->n, sizeof *local);
  if (!local) return TD_NO_MEMORY;
  for (int c = 0; c < e->n; c++) {
    local[c] = -1;
    for (int d = 0; d < rod->section->fields; d++)
      if (rod->section->component[d] == rod->column[c].component) local[c] = d;
  }
  rod->local_of = local;
  return TD_OK;
}

// A slice without mass at every local node of a guide: the fields of the tendons' stations.
static td_status add_empty_slices(td_model *m, td_rod *rod, td_element *e, int *at) {
  for (int local = 0; local <= e->interval_count; local++) {
    td_slice *slice = &m->slice[m->slice_count];
    *slice = (td_slice){.node = local ? e->to[local - 1] : e->start, .rod = (int)(rod - m->rod)};
    slice->s = rod->abscissa[local];
    td_status status = fill_fields(m, rod, e, slice);
    if (status) return status;
    at[local] = m->slice_count++;
    rod->slice_count++;
  }
  return TD_OK;
}

td_status td_build_slices(td_model *m, const td_model_spec *spec, td_rod *rod, td_element *e) {
  const td_reduced_spec *r = &spec->links[rod->link].body.reduced;
  rod->section = td_section_row_of(r->kinematics);
  if (!rod->section) return TD_OK;
  int *at = td_block_alloc(&m->blocks, (size_t)e->interval_count + 1, sizeof *at);
  particle *particles = td_block_alloc(&m->blocks, RADII * ANGLES, sizeof *particles);
  if (!at || !particles || describe_columns(m, rod, e)) return TD_NO_MEMORY;
  for (int i = 0; i <= e->interval_count; i++) at[i] = -1;
  e->slice_at = at;
  rod->first_slice = m->slice_count;
  for (int k = 0; k < rod->gauss_count; k++) {
    td_slice *slice = &m->slice[m->slice_count];
    td_section_at section;
    td_section_eval(rod->outline, rod->gauss_s[k], &section);
    *slice = (td_slice){.node = rod->point_node[k + 1],
                        .rod = (int)(rod - m->rod),
                        .s = rod->gauss_s[k],
                        .density = r->density,
                        .displaced = spec->fluid_density / r->density};
    int count = particles_of(r, section.radius, slice->s, particles);
    td_status status = pack(m, particles, count, rod->weight[k], slice);
    if (!status) status = fill_fields(m, rod, e, slice);
    if (status) return status;
    at[k + 1] = m->slice_count++;
    rod->slice_count++;
  }
  return m->is_guide ? add_empty_slices(m, rod, e, at) : TD_OK;
}

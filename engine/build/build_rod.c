// Rods: a strip over the computational points, Gauss points with inertia, elasticity and damping (model.h).
//
// Intervals and Gauss points are laid out the same way for reduced bodies with a backbone (build_reduced.c), whose
// columns come from strain/field_column.h instead of a basis. Source: Mathew2025 (1), (A).
#include "body/body.h"
#include "build/build.h"
#include "strain/points.h"
#include <math.h>
#include <string.h>

enum { BENDING = 1, AXIAL = 3 };
static const int X_AXIS[TD_COMPONENTS] = {0, 1, 2, 3, 4, 5, 6, 7};

void td_rod_rest(const td_rod *rod, double s, double xi[6]) {
  if (rod->reference) {
    td_profile_fixed_eval(rod->reference, s, xi);
    return;
  }
  memset(xi, 0, 6 * sizeof *xi);
  xi[rod->column ? 5 : 3] = 1; // a reduced body's axis is z
}

static td_status build_groups(td_model *m, td_element *e, const td_rod_basis *basis) {
  td_group *group = td_block_alloc(&m->blocks, 6, sizeof *group);
  if (!group) return TD_NO_MEMORY;
  e->group = group;
  for (int c = 0; c < 6; c++) {
    int count = td_rod_basis_count(basis, c);
    if (count) group[e->group_count++] = (td_group){c, e->n, count};
    e->n += count;
  }
  return TD_OK;
}

// Phi at s/L: rods by basis and component, angular rows divided by L; reduced bodies column by column, local columns 0.
void td_rod_phi(const td_rod *rod, const td_element *e, double s, double *phi) {
  for (int c = 0; rod->column && c < e->n; c++)
    phi[c] = rod->column[c].component < TD_COMPONENT_LOCAL ? td_field_column_eval(&rod->column[c], s, NULL) : 0;
  for (int g = 0; !rod->column && g < e->group_count; g++) {
    const td_group *group = &e->group[g];
    td_rod_basis_eval(rod->basis, group->component, s, phi + group->first);
    for (int i = group->first; group->component < 3 && i < group->first + group->count; i++) phi[i] /= rod->length;
  }
}

static void build_interval(td_element *e, const td_rod *rod, int interval, double s0, double s1, double *phi) {
  for (int z = 0; z < 2; z++) {
    double s = s0 + (0.5 + (z ? 1 : -1) * sqrt(3) / 6) * (s1 - s0), h = (s1 - s0) * rod->length, xi[6];
    td_rod_phi(rod, e, s, phi);
    for (int c = 0; c < e->n; c++) td_strip_set_phi(e, interval, c, z, h * phi[c]);
    td_rod_rest(rod, s, xi);
    td_strip_set_rest(e, interval, z, xi, h);
  }
}

void td_rod_add_stiffness(const td_rod *rod, const double *phi, double weight, const double *k, const double *d) {
  double *K = (double *)rod->stiffness, *D = (double *)rod->damping;
  for (int g = 0; g < rod->group_count; g++) {
    const td_group *group = &rod->group[g];
    const double *f = phi + group->first;
    for (int i = 0; i < group->count; i++)
      for (int j = 0; j < group->count; j++, K++, D++) {
        *K += weight * k[group->component] * f[i] * f[j];
        *D += weight * d[group->component] * f[i] * f[j];
      }
  }
}

// Adds weight phi^T C phi between the columns of different components to rod->coupling [n][n].
static void add_coupling(const td_rod *rod, const td_element *e, const double *phi, double weight, const double *C) {
  double *out = (double *)rod->coupling;
  for (int g = 0; g < e->group_count; g++)
    for (int h = 0; h < e->group_count; h++) {
      double c = weight * C[6 * e->group[g].component + e->group[h].component];
      if (g == h || c == 0) continue;
      for (int i = e->group[g].first; i < e->group[g].first + e->group[g].count; i++)
        for (int j = e->group[h].first; j < e->group[h].first + e->group[h].count; j++)
          out[i * e->n + j] += c * phi[i] * phi[j];
    }
}

static void build_gauss_point(td_model *m, const td_model_spec *spec, td_rod *rod, const td_element *e, int gauss,
                              double s, double weight, int node) {
  double *phi = (double *)rod->phi_gauss + gauss * (e->npad + TD_LANES);
  td_rod_phi(rod, e, s, phi);
  td_section_at at;
  td_section_laws laws;
  td_section_eval(rod->outline, s, &at);
  td_section_laws_at(rod->outline, s, &laws);
  ((double *)rod->weight)[gauss] = weight * rod->length;
  ((double *)rod->gauss_s)[gauss] = s;
  td_rod_rest(rod, s, (double *)rod->rest_gauss + 6 * gauss);
  td_rod_add_stiffness(rod, phi, rod->weight[gauss], laws.stiffness, laws.damping);
  if (rod->coupling) add_coupling(rod, e, phi, rod->weight[gauss], laws.coupling);
  double rho = laws.density * rod->weight[gauss];
  m->node[node].inertia = m->inertia_count;
  m->inertia[m->inertia_count++] = (td_inertia){.mass = rho * laws.area,
                                                .inertia = {rho * laws.J[0], 0, 0, rho * laws.J[1], 0, rho * laws.J[2]},
                                                .displaced = spec->fluid_density * at.area * rod->weight[gauss]};
}

static td_status freeze_description(td_rod *rod, const td_rod_spec *spec) {
  td_status status = td_rod_basis_create(spec, &rod->basis);
  if (!status) status = td_section_create(spec, &rod->outline);
  if (!status && spec->reference.count) status = td_profile_fixed_create(&spec->reference, &rod->reference);
  return status;
}

td_status td_rod_allocate(td_model *m, td_rod *rod, const td_element *e, int points, int extra) {
  size_t blocks = 0, stride = (size_t)(e->npad + TD_LANES), gauss = (size_t)rod->gauss_count;
  for (int g = 0; g < rod->group_count; g++) blocks += (size_t)(rod->group[g].count * rod->group[g].count);
  td_block **b = &m->blocks;
  rod->abscissa = td_block_alloc(b, (size_t)(points + extra), sizeof(double));
  rod->point_node = td_block_alloc(b, (size_t)points, sizeof(int));
  rod->weight = td_block_alloc(b, gauss, sizeof(double));
  rod->gauss_s = td_block_alloc(b, gauss, sizeof(double));
  rod->phi_gauss = td_block_alloc(b, gauss * stride, sizeof(double));
  rod->rest_gauss = td_block_alloc(b, gauss * 6, sizeof(double));
  rod->stiffness = td_block_alloc(b, blocks, sizeof(double));
  rod->damping = td_block_alloc(b, blocks, sizeof(double));
  bool all = rod->abscissa && rod->point_node && rod->weight && rod->gauss_s && rod->phi_gauss && rod->rest_gauss &&
             rod->stiffness && rod->damping;
  return all ? TD_OK : TD_NO_MEMORY;
}

// Nodes and intervals: the main chain over the computational points, then one interval to each extra abscissa.
void td_rod_lay_out(td_model *m, td_element *e, td_rod *rod, const double *extra, int extra_count, double *scratch) {
  int *from = (int *)e->from, *to = (int *)e->to, *point_node = (int *)rod->point_node;
  double *s = (double *)rod->abscissa;
  point_node[0] = e->start;
  for (int k = 0; k + 1 < rod->point_count; k++) {
    from[k] = point_node[k];
    to[k] = point_node[k + 1] = m->node_count++;
    build_interval(e, rod, k, s[k], s[k + 1], scratch);
  }
  e->end = point_node[rod->point_count - 1];
  for (int x = 0; x < extra_count; x++) {
    int i = rod->point_count - 1 + x, k = 0;
    while (k + 1 < rod->point_count && s[k + 1] < extra[x]) k++;
    from[i] = point_node[k];
    to[i] = m->node_count++;
    s[rod->point_count + x] = extra[x];
    build_interval(e, rod, i, s[k], extra[x], scratch);
  }
  for (int i = 0; i < e->interval_count; i++)
    m->node[to[i]] = (td_node){.element = (int)(e - m->element), .interval = i, .inertia = -1};
}

// Where the rod may turn inside out (body/rod/inside_out.c).
static td_status build_axial(td_model *m, td_rod *rod, const td_element *e) {
  const td_group *group = e->group;
  while (group < e->group + e->group_count && group->component != AXIAL) group++;
  if (group == e->group + e->group_count) return TD_OK;
  size_t points = (size_t)rod->point_count, count = (size_t)group->count;
  td_axial *a = td_block_alloc(&m->blocks, 1, sizeof *a);
  double *phi = td_block_alloc(&m->blocks, points * count + points + count, sizeof *phi);
  if (!a || !phi) return TD_NO_MEMORY;
  double *rest = phi + points * count, *reach = rest + points, xi[6];
  *a = (td_axial){group->first, group->count, phi, rest, reach, INFINITY};
  for (size_t c = 0; c < count; c++) reach[c] = 0;
  for (size_t k = 0; k < points; k++, phi += count) {
    td_rod_basis_eval(rod->basis, AXIAL, rod->abscissa[k], phi);
    td_rod_rest(rod, rod->abscissa[k], xi);
    rest[k] = xi[AXIAL];
    a->least_rest = fmin(a->least_rest, rest[k]);
    for (size_t c = 0; c < count; c++) reach[c] = fmax(reach[c], fabs(phi[c]));
  }
  rod->axial = a;
  return TD_OK;
}

static double half_of(const td_rod *rod, double s, int i) {
  td_section_at at;
  td_section_eval(rod->outline, s, &at);
  return at.extent[1 - i] / 2; // bending about y acts along z
}

// Rows of one point: phi, rest and half, and what they add to the bounds.
static void bends_at(td_rod *rod, const td_element *e, td_bends *b, int k, double *phi) {
  double s = rod->abscissa[k], xi[6], *rest = (double *)b->rest + 3 * k, *half = (double *)b->half + 2 * k;
  double *row = (double *)b->phi + k * b->count, *reach = (double *)b->reach;
  td_rod_phi(rod, e, s, phi);
  td_rod_rest(rod, s, xi);
  memcpy(row, phi + b->first, (size_t)b->count * sizeof *row);
  memcpy(rest, xi + BENDING, 3 * sizeof *rest);
  for (int i = 0; i < 2; i++) half[i] = half_of(rod, s, i);
  for (int i = 0; i < 3; i++)
    for (int c = b->split[i]; c < b->split[i + 1]; c++) reach[c] = fmax(reach[c], (i < 2 ? half[i] : 1) * fabs(row[c]));
  b->least = fmin(b->least, rest[2] - half[0] * fabs(rest[0]) - half[1] * fabs(rest[1]));
}

// Where the rod may fold over (body/rod/folded.c).
static td_status build_bends(td_model *m, td_rod *rod, const td_element *e, td_section_shape shape, double *phi) {
  int points = rod->point_count;
  td_bends made = {.round = shape != TD_SECTION_RECTANGLE, .least = INFINITY};
  for (int g = 0; g < e->group_count; g++) {
    const td_group *group = &e->group[g];
    if (group->component < BENDING) made.first = group->first + group->count;
    for (int i = 0; i < 3; i++)
      if (group->component <= BENDING + i && group->component >= BENDING) made.split[i + 1] += group->count;
  }
  made.count = made.split[3];
  if (made.split[2] == 0 || (shape == TD_SECTION_STIFFNESS && !(half_of(rod, 0, 0) > 0))) return TD_OK;
  td_bends *b = td_block_alloc(&m->blocks, 1, sizeof *b);
  double *at = td_block_alloc(&m->blocks, (size_t)(points * (made.count + 5) + made.count), sizeof *at);
  if (!b || !at) return TD_NO_MEMORY;
  made.phi = at;
  made.rest = at + points * made.count;
  made.half = made.rest + 3 * points;
  made.reach = made.half + 2 * points;
  for (int c = 0; c < made.count; c++) ((double *)made.reach)[c] = 0;
  for (int k = 0; k < points; k++) bends_at(rod, e, &made, k, phi);
  *b = made;
  rod->bends = b;
  return TD_OK;
}

td_status td_build_rod(td_model *m, const td_model_spec *spec, int link, const double *extra, int extra_count) {
  const td_rod_spec *r = &spec->links[link].body.rod;
  td_rod *rod = &m->rod[m->rod_count];
  td_element *e = &m->element[m->element_count];
  *rod = (td_rod){.link = link, .element = m->element_count, .length = r->length, .axis = X_AXIS};
  *e = (td_element){.type = TD_ELEMENT_STRIP,
                    .row = &td_body_rod,
                    .link = link,
                    .coordinate = m->n,
                    .start = m->link[link].node,
                    .rod = m->rod_count};
  m->element_count++, m->rod_count++;
  m->link[link].rod = e->rod;
  td_status status = freeze_description(rod, r);
  if (status) return status;
  status = build_groups(m, e, rod->basis);
  if (status) return status;
  e->npad = td_pad(e->n);
  rod->point_count = td_rod_point_count(r);
  rod->gauss_count = td_rod_gauss_count(r);
  rod->group = e->group, rod->group_count = e->group_count;
  status = td_strip_allocate(m, e, rod->point_count - 1 + extra_count);
  if (!status) status = td_rod_allocate(m, rod, e, rod->point_count, extra_count);
  if (!status && td_section_is_coupled(rod->outline)) {
    rod->coupling = td_block_alloc(&m->blocks, (size_t)e->n * (size_t)e->n, sizeof(double));
    status = rod->coupling ? TD_OK : TD_NO_MEMORY;
  }
  double *scratch = td_block_alloc(&m->blocks, (size_t)(e->n + 2 * rod->point_count + 1), sizeof(double));
  if (status || !scratch) return TD_NO_MEMORY;
  double *weight = scratch + e->n;
  td_rod_points(r, (double *)rod->abscissa, weight);
  td_rod_lay_out(m, e, rod, extra, extra_count, scratch);
  for (int k = 0, gauss = 0; k < rod->point_count; k++)
    if (weight[k] > 0) build_gauss_point(m, spec, rod, e, gauss++, rod->abscissa[k], weight[k], rod->point_node[k]);
  m->n += e->n;
  status = build_axial(m, rod, e);
  if (!status) status = build_bends(m, rod, e, r->section, scratch);
  if (!status) status = td_strip_pieces(m, e);
  return status ? status : td_strip_gauss_pieces(m, rod, e);
}

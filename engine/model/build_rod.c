// Strips: the columns of rods and of joints with several coordinates (model.h).
//
// A strip's interval is one 4th-order Magnus step: Omega = (a1 + a2)/2 + sqrt(3)/12 [a1, a2] with a_i = h xi at the two Zanna
// points s0 + (1/2 -+ sqrt(3)/6)(s1 - s0). A joint exp(Phi q) is the same with a1 = 2 Phi q, a2 = 0. Source: Mathew2025 (A).
#include "element/rigid_shape.h"
#include "model/build.h"
#include "strain/points.h"
#include <math.h>
#include <string.h>

// ---- common to all strips

static td_status allocate_strip(td_model *m, td_element *e, int intervals) {
  e->interval_count = intervals;
  e->batch_count = (intervals + TD_LANES - 1) / TD_LANES;
  e->from = td_block_alloc(&m->blocks, (size_t)intervals, sizeof(int));
  e->to = td_block_alloc(&m->blocks, (size_t)intervals, sizeof(int));
  e->phi_lane = td_block_alloc(&m->blocks, (size_t)e->batch_count * (size_t)e->n * 2, sizeof(td_vec));
  e->rest_lane = td_block_alloc(&m->blocks, (size_t)e->batch_count * 12, sizeof(td_vec));
  e->phi_column = td_block_alloc(&m->blocks, (size_t)intervals * 2 * (size_t)(e->npad + TD_LANES), sizeof(double));
  return e->from && e->to && e->phi_lane && e->rest_lane && e->phi_column ? TD_OK : TD_NO_MEMORY;
}

static void set_phi(td_element *e, int interval, int column, int zanna, double value) {
  int batch = interval / TD_LANES, lane = interval % TD_LANES;
  double *lanes = (double *)(e->phi_lane + (batch * e->n + column) * 2 + zanna);
  lanes[lane] = value;
  ((double *)e->phi_column)[(interval * 2 + zanna) * (e->npad + TD_LANES) + column] = value;
}

static void set_rest(td_element *e, int interval, int zanna, const double xi[6], double h) {
  double *lanes = (double *)(e->rest_lane + (interval / TD_LANES) * 12 + zanna * 6);
  for (int c = 0; c < 6; c++) lanes[c * TD_LANES + interval % TD_LANES] = h * xi[c];
}

// True when lane l of piece p is one of the element's columns of that component.
static bool in_piece(const td_element *e, int p, int l) {
  int c = e->piece[p].chunk * TD_LANES + l;
  for (int g = 0; g < e->group_count; g++)
    if (e->group[g].component == e->piece[p].component)
      return c >= e->group[g].first && c < e->group[g].first + e->group[g].count;
  return false;
}

// Cuts the groups at multiples of eight columns and lays out phi piece by piece: after groups and phi_column stand.
static td_status build_pieces(td_model *m, td_element *e) {
  td_piece *piece = td_block_alloc(&m->blocks, (size_t)(e->group_count + e->npad / TD_LANES + 1), sizeof *piece);
  if (!piece) return TD_NO_MEMORY;
  for (int chunk = 0; chunk < e->npad / TD_LANES; chunk++)
    for (int g = 0; g < e->group_count; g++) {
      int first = e->group[g].first, last = first + e->group[g].count;
      if (first < (chunk + 1) * TD_LANES && last > chunk * TD_LANES)
        piece[e->piece_count++] = (td_piece){chunk, e->group[g].component};
    }
  e->piece = piece;
  td_vec *phi = td_block_alloc(&m->blocks, (size_t)(e->interval_count * e->piece_count * 2), sizeof *phi);
  if (!phi) return TD_NO_MEMORY;
  e->phi_piece = phi;
  for (int i = 0; i < e->interval_count; i++)
    for (int p = 0; p < e->piece_count; p++)
      for (int z = 0; z < 2; z++, phi++)
        for (int l = 0; l < TD_LANES; l++)
          if (in_piece(e, p, l))
            (*phi)[l] = e->phi_column[(i * 2 + z) * (e->npad + TD_LANES) + piece[p].chunk * TD_LANES + l];
  return TD_OK;
}

static td_status build_gauss_pieces(td_model *m, td_rod *rod, const td_element *e) {
  td_vec *phi = td_block_alloc(&m->blocks, (size_t)(rod->gauss_count * e->piece_count), sizeof *phi);
  if (!phi) return TD_NO_MEMORY;
  rod->piece_gauss = phi;
  for (int k = 0; k < rod->gauss_count; k++)
    for (int p = 0; p < e->piece_count; p++, phi++)
      for (int l = 0; l < TD_LANES; l++)
        if (in_piece(e, p, l)) (*phi)[l] = rod->phi_gauss[k * (e->npad + TD_LANES) + e->piece[p].chunk * TD_LANES + l];
  return TD_OK;
}

// ---- joints

// Column c of a joint acts on component component[c] of the twist in the frame (e1, e2, e3).
typedef struct joint_columns {
  int component[6];
} joint_columns;

static const joint_columns JOINT_COLUMNS[TD_JOINT_TYPE_COUNT] = {
    [TD_JOINT_CYLINDRICAL] = {{2, 5}},  [TD_JOINT_UNIVERSAL] = {{0, 1}},        [TD_JOINT_PLANAR] = {{2, 3, 4}},
    [TD_JOINT_SPHERICAL] = {{0, 1, 2}}, [TD_JOINT_FREE] = {{0, 1, 2, 3, 4, 5}},
};

td_status td_build_joint_strip(td_model *m, td_element *e, const td_joint_spec *joint) {
  td_status status = allocate_strip(m, e, 1);
  if (status) return status;
  ((int *)e->from)[0] = e->start;
  ((int *)e->to)[0] = e->end;
  bool oriented = joint->type != TD_JOINT_SPHERICAL && joint->type != TD_JOINT_FREE;
  td_se3 frame = td_se3_identity();
  double axis[3] = {0, 0, 1}, sign = 1;
  if (oriented) { // columns e1, e2, e3 = e1 x e2; the axis is +e3 or -e3
    double e1[3], e2[3];
    td_axis_plane(joint->axis, axis, e1, e2);
    double e3[3] = {e1[1] * e2[2] - e1[2] * e2[1], e1[2] * e2[0] - e1[0] * e2[2], e1[0] * e2[1] - e1[1] * e2[0]};
    sign = e3[0] * axis[0] + e3[1] * axis[1] + e3[2] * axis[2] < 0 ? -1 : 1;
    for (int i = 0; i < 3; i++) frame.R[3 * i] = e1[i], frame.R[3 * i + 1] = e2[i], frame.R[3 * i + 2] = e3[i];
  }
  td_se3_compose(&e->pre, &frame, &e->pre);
  td_se3_inverse(&frame, &e->post);
  e->group_count = e->n;
  for (int c = 0; c < e->n; c++) {
    int component = JOINT_COLUMNS[joint->type].component[c];
    bool along_axis = oriented && component % 3 == 2;
    e->group[c] = (td_group){component, c, 1};
    set_phi(e, 0, c, 0, along_axis ? 2 * sign : 2);
  }
  return build_pieces(m, e);
}

// ---- rods

static void rest_strain(const td_rod *rod, double s, double xi[6]) {
  static const double STRAIGHT[6] = {0, 0, 0, 1, 0, 0};
  if (rod->reference)
    td_profile_fixed_eval(rod->reference, s, xi);
  else
    memcpy(xi, STRAIGHT, sizeof STRAIGHT);
}

static int build_groups(td_element *e, const td_rod_basis *basis) {
  e->group_count = 0;
  int n = 0;
  for (int c = 0; c < 6; c++) {
    int count = td_rod_basis_count(basis, c);
    if (count) e->group[e->group_count++] = (td_group){c, n, count};
    n += count;
  }
  return n;
}

static void build_interval(td_element *e, const td_rod *rod, int interval, double s0, double s1, double *scratch) {
  for (int z = 0; z < 2; z++) {
    double s = s0 + (0.5 + (z ? 1 : -1) * sqrt(3) / 6) * (s1 - s0), h = (s1 - s0) * rod->length, xi[6];
    for (int g = 0; g < e->group_count; g++) {
      const td_group *group = &e->group[g];
      td_rod_basis_eval(rod->basis, group->component, s, scratch);
      double scale = group->component < 3 ? h / rod->length : h;
      for (int i = 0; i < group->count; i++) set_phi(e, interval, group->first + i, z, scale * scratch[i]);
    }
    rest_strain(rod, s, xi);
    set_rest(e, interval, z, xi, h);
  }
}

// Screw stiffness diag(G Jx, E Iy, E Iz, E A, G A, G A); damping viscosity diag(Jx, 3 Iy, 3 Iz, 3 A, A, A).
static void section_laws(const td_rod_spec *spec, const td_section_at *at, double stiffness[6], double damping[6]) {
  double E = spec->young, G = isnan(spec->shear) ? E / (2 * (1 + spec->poisson)) : spec->shear;
  double k[6] = {G * at->Jx, E * at->Iy, E * at->Iz, E * at->area, G * at->area, G * at->area};
  double d[6] = {at->Jx, 3 * at->Iy, 3 * at->Iz, 3 * at->area, at->area, at->area};
  for (int c = 0; c < 6; c++) stiffness[c] = k[c], damping[c] = spec->viscosity * d[c];
}

static void add_gauss_stiffness(const td_rod *rod, const td_element *e, const double *phi, double weight,
                                const double k[6], const double d[6]) {
  double *K = (double *)rod->stiffness, *D = (double *)rod->damping;
  for (int g = 0; g < e->group_count; g++) {
    const td_group *group = &e->group[g];
    const double *f = phi + group->first;
    for (int i = 0; i < group->count; i++)
      for (int j = 0; j < group->count; j++, K++, D++) {
        *K += weight * k[group->component] * f[i] * f[j];
        *D += weight * d[group->component] * f[i] * f[j];
      }
  }
}

static void build_gauss_point(td_model *m, const td_model_spec *spec, td_rod *rod, const td_element *e, int gauss,
                              double s, double weight, int node, double *scratch) {
  const td_rod_spec *r = &spec->links[rod->link].body.rod;
  double *phi = (double *)rod->phi_gauss + gauss * (e->npad + TD_LANES), k[6], d[6];
  for (int g = 0; g < e->group_count; g++) {
    td_rod_basis_eval(rod->basis, e->group[g].component, s, scratch);
    for (int i = 0; i < e->group[g].count; i++)
      phi[e->group[g].first + i] = e->group[g].component < 3 ? scratch[i] / rod->length : scratch[i];
  }
  td_section_at at;
  td_section_eval(rod->section, s, &at);
  section_laws(r, &at, k, d);
  ((double *)rod->weight)[gauss] = weight * rod->length;
  ((double *)rod->gauss_s)[gauss] = s;
  rest_strain(rod, s, (double *)rod->rest_gauss + 6 * gauss);
  add_gauss_stiffness(rod, e, phi, rod->weight[gauss], k, d);
  double rho = r->density * rod->weight[gauss];
  m->node[node].inertia = m->inertia_count;
  m->inertia[m->inertia_count++] = (td_inertia){.mass = rho * at.area,
                                                .inertia = {rho * at.Jx, 0, 0, rho * at.Iy, 0, rho * at.Iz},
                                                .displaced = spec->fluid_density * at.area * rod->weight[gauss]};
}

static td_status freeze_description(td_rod *rod, const td_rod_spec *spec) {
  td_status status = td_rod_basis_create(spec, &rod->basis);
  if (!status) status = td_section_create(spec, &rod->section);
  if (!status && spec->reference.count) status = td_profile_fixed_create(&spec->reference, &rod->reference);
  return status;
}

static td_status allocate_rod(td_model *m, td_rod *rod, const td_element *e, int points, int extra) {
  size_t blocks = 0, stride = (size_t)(e->npad + TD_LANES), gauss = (size_t)rod->gauss_count;
  for (int g = 0; g < e->group_count; g++) blocks += (size_t)(e->group[g].count * e->group[g].count);
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
static void lay_out(td_model *m, td_element *e, td_rod *rod, const double *extra, int extra_count, double *scratch) {
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

td_status td_build_rod(td_model *m, const td_model_spec *spec, int link, const double *extra, int extra_count) {
  const td_rod_spec *r = &spec->links[link].body.rod;
  td_rod *rod = &m->rod[m->rod_count];
  td_element *e = &m->element[m->element_count];
  *rod = (td_rod){.link = link, .element = m->element_count, .length = r->length};
  *e = (td_element){
      .type = TD_ELEMENT_STRIP, .link = link, .coordinate = m->n, .start = m->link[link].node, .rod = m->rod_count};
  m->element_count++, m->rod_count++;
  m->link[link].rod = e->rod;
  td_status status = freeze_description(rod, r);
  if (status) return status;
  e->n = build_groups(e, rod->basis);
  e->npad = td_pad(e->n);
  rod->point_count = td_rod_point_count(r);
  rod->gauss_count = td_rod_gauss_count(r);
  rod->group = e->group, rod->group_count = e->group_count;
  status = allocate_strip(m, e, rod->point_count - 1 + extra_count);
  if (!status) status = allocate_rod(m, rod, e, rod->point_count, extra_count);
  double *scratch = td_block_alloc(&m->blocks, (size_t)(e->n + 2 * rod->point_count + 1), sizeof(double));
  if (status || !scratch) return TD_NO_MEMORY;
  double *weight = scratch + e->n;
  td_rod_points(r, (double *)rod->abscissa, weight);
  lay_out(m, e, rod, extra, extra_count, scratch);
  for (int k = 0, gauss = 0; k < rod->point_count; k++)
    if (weight[k] > 0)
      build_gauss_point(m, spec, rod, e, gauss++, rod->abscissa[k], weight[k], rod->point_node[k], scratch);
  m->n += e->n;
  status = build_pieces(m, e);
  return status ? status : build_gauss_pieces(m, rod, e);
}

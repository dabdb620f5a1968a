// The builder behind the law tests' robots (the list of them is in tree_list.c).
#include "support/tree.h"
#include <check.h>
#include <math.h>
#include <string.h>

static const td_se3 here = {.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};

void tree_init(tree *t) {
  memset(t, 0, sizeof *t);
  t->spec = (td_model_spec){.name = "tree",
                            .gravity = {1.2, -3.4, -8.5},
                            .links = t->links,
                            .actuators = t->actuators,
                            .loads = t->loads,
                            .contacts = t->contacts,
                            .loops = t->loops,
                            .springs = t->springs};
}

td_link_spec *tree_link(tree *t, const char *name, const char *parent, td_joint_type joint) {
  static const double rpy[3] = {0.4, -0.7, 0.2};
  ck_assert_uint_lt(t->spec.link_count, TREE_LINKS);
  td_link_spec *link = &t->links[t->spec.link_count++];
  *link = (td_link_spec){.name = name,
                         .parent = parent,
                         .at = 1,
                         .pose.p = {0.05, -0.03, 0.02},
                         .joint = {.type = joint, .axis = {0.3, -0.5, 0.8}, .pitch = 0.07}};
  td_rotation_from_rpy(rpy, link->pose.R);
  for (int i = 0; i < td_joint_dof(joint); i++) {
    link->joint.stiffness[i] = 0.3 + 0.1 * i;
    link->joint.damping[i] = 0.05 + 0.01 * i;
    link->joint.rest[i] = 0.1 * i - 0.05;
  }
  return link;
}

void tree_rigid(td_link_spec *link, double mass) {
  double m = mass;
  link->body = (td_body_spec){.type = TD_BODY_RIGID,
                              .rigid = {.mass = m,
                                        .com = {0.04, 0.02, -0.03},
                                        .inertia = {2e-3 * m, 3e-4 * m, -2e-4 * m, 3e-4 * m, 3e-3 * m, 4e-4 * m,
                                                    -2e-4 * m, 4e-4 * m, 2.5e-3 * m},
                                        .axis = {0, 0, 1},
                                        .body_density = 1500}};
}

td_rod_spec *tree_rod(td_link_spec *link, td_basis basis, const int order[6]) {
  static const double radius[2] = {0.03, 0.02};
  link->body = (td_body_spec){.type = TD_BODY_ROD};
  td_rod_spec *rod = &link->body.rod;
  *rod = (td_rod_spec){.length = 0.4,
                       .section = TD_SECTION_CIRCLE,
                       .size[0] = {.count = 2, .width = 1, .value = radius},
                       .young = 1e5,
                       .poisson = 0.4,
                       .shear = NAN,
                       .density = 1100,
                       .viscosity = 300,
                       .basis = basis};
  memcpy(rod->order, order, sizeof rod->order);
  return rod;
}

td_reduced_spec *tree_reduced(td_link_spec *link, td_body_kinematics kinematics) {
  static const double radius[2] = {0.03, 0.02}, thick[1] = {0.03};
  static const double constant[1] = {0.2}, bump[3] = {0, 0.4, -0.4}, ramp[2] = {0, 0.3}, small[2] = {0, 1e-5};
  static const td_mode_spec modes[9] = {
      {TD_FIELD_E, bump, 3},  {TD_FIELD_KX, ramp, 2},      {TD_FIELD_KX, bump, 3},
      {TD_FIELD_KY, ramp, 2}, {TD_FIELD_SOURCE, small, 2}, {TD_FIELD_KZ, ramp, 2},
      {TD_FIELD_SX, ramp, 2}, {TD_FIELD_SY, ramp, 2},      {TD_FIELD_KY, constant, 1},
  };
  bool varies = kinematics == TD_KINEMATICS_PCC_VARIABLE_RADIUS, particles = varies || kinematics == TD_KINEMATICS_LVP;
  link->body = (td_body_spec){.type = TD_BODY_REDUCED};
  td_reduced_spec *body = &link->body.reduced;
  *body = (td_reduced_spec){.kinematics = kinematics,
                            .length = 0.3,
                            .radius = {.count = varies ? 1 : 2, .width = 1, .value = varies ? thick : radius},
                            .density = 1000,
                            .young = 2e5,
                            .poisson = 0.45,
                            .damping_time = 0.02,
                            .section_inertia = true,
                            .order = 2,
                            .width = NAN,
                            .wall = 0.004,
                            .inner_radius = 0.008,
                            .s_points = particles ? 6 : 0, // few, as laws hold with any
                            .r_points = particles ? 2 : 0,
                            .angle_points = varies      ? 6
                                            : particles ? 8
                                                        : 0,
                            .modes = modes,
                            .mode_count = 9};
  return body;
}

td_reduced_spec *tree_ritz(td_link_spec *link) {
  static const double bend[2][4] = {{0.3, 0, 0, 2}, {-0.5, 0, 0, 3}}, lean[1][4] = {{-0.6, 1, 0, 1}},
                      along[1][4] = {{0.1, 0, 0, 1}}, left[1][4] = {{-0.3, 0, 1, 1}}, right[1][4] = {{0.3, 1, 0, 1}},
                      swell[2][4] = {{0.1, 1, 0, 0}, {0.2, 1, 1, 1}};
  static const td_ritz_mode_spec modes[5] = {{.terms = {bend, NULL, lean}, .count = {2, 0, 1}},
                                             {.terms = {NULL, bend, NULL}, .count = {0, 2, 0}},
                                             {.terms = {NULL, NULL, along}, .count = {0, 0, 1}},
                                             {.terms = {left, right, NULL}, .count = {1, 1, 0}},
                                             {.terms = {swell, NULL, NULL}, .count = {2, 0, 0}}};
  static const double tip[9] = {0, 0, 0.15, 0.02, 0, 0.15, 0, 0.02, 0.15}, size[3] = {0.04, 0.03, 0.15};
  link->body = (td_body_spec){.type = TD_BODY_REDUCED};
  td_reduced_spec *body = &link->body.reduced;
  *body = (td_reduced_spec){.kinematics = TD_KINEMATICS_RITZ,
                            .length = 0.15,
                            .density = 1100,
                            .young = 3e5,
                            .poisson = 0.35,
                            .damping_time = 0.02,
                            .ritz_modes = modes,
                            .ritz_mode_count = 5};
  memcpy(body->tip_points, tip, sizeof tip);
  memcpy(body->size, size, sizeof size);
  return body;
}

// 2 x 1 x 3 cells of the box of tree_ritz; the first two layers are hexahedra, the third six tetrahedra a cell.
enum { LAYERS = 3, CORNERS = 6 * (LAYERS + 1) };

// Column i of two cells along x, j along y, layer k. The plane between the layers of hexahedra is bent.
static int mesh_corner(int i, int j, int k) { return i + 3 * (j + 2 * k); }

static void mesh_points(double points[CORNERS][3]) {
  for (int k = 0; k <= LAYERS; k++)
    for (int j = 0; j < 2; j++)
      for (int i = 0; i < 3; i++) {
        double *p = points[mesh_corner(i, j, k)];
        p[0] = 0.04 * (i - 1) / 2, p[1] = 0.03 * (j - 0.5), p[2] = 0.15 * k / LAYERS;
        if (k == 1) p[2] += 0.01 * (i - 1) * (j ? 1 : -1);
      }
}

static void cell_corners(int i, int k, int out[8]) {
  static const int around[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
  for (int c = 0; c < 8; c++) out[c] = mesh_corner(i + around[c % 4][0], around[c % 4][1], k + c / 4);
}

// Six tetrahedra around the diagonal from corner 0 to corner 6.
static void cut_cell(const int cell[8], int out[6][4]) {
  static const int ring[7] = {1, 2, 3, 7, 4, 5, 1};
  for (int t = 0; t < 6; t++) {
    int corners[4] = {cell[0], cell[ring[t]], cell[ring[t + 1]], cell[6]};
    memcpy(out[t], corners, sizeof corners);
  }
}

td_reduced_spec *tree_ritz_mesh(td_link_spec *link, int points) {
  static double corners[CORNERS][3];
  static int hexahedra[4][8], tetrahedra[12][4];
  mesh_points(corners);
  for (int c = 0; c < 4; c++) cell_corners(c % 2, c / 2, hexahedra[c]);
  for (int c = 0; c < 2; c++) {
    int cell[8];
    cell_corners(c, LAYERS - 1, cell);
    cut_cell(cell, tetrahedra + 6 * c);
  }
  td_reduced_spec *body = tree_ritz(link);
  body->has_mesh = true;
  body->s_points = points;
  body->mesh =
      (td_mesh_spec){.points = corners[0], .point_count = CORNERS, .hexahedron_count = 4, .tetrahedron_count = 12};
  body->mesh.hexahedra = (const int(*)[8])hexahedra, body->mesh.tetrahedra = (const int(*)[4])tetrahedra;
  return body;
}

td_reduced_spec *tree_ritz_hollow(td_link_spec *link, int points) {
  static const double x[4] = {-0.02, -0.01, 0.01, 0.02}, y[4] = {-0.015, -0.005, 0.005, 0.015},
                      z[4] = {0, 0.05, 0.1, 0.15};
  static const int around[8] = {0, 1, 5, 4, 16, 17, 21, 20};
  static double corners[64][3];
  static int hexahedra[26][8];
  int count = 0;
  for (int i = 0; i < 64; i++) corners[i][0] = x[i % 4], corners[i][1] = y[i / 4 % 4], corners[i][2] = z[i / 16];
  for (int cell = 0; cell < 27; cell++) {
    if (cell == 13) continue;
    for (int c = 0; c < 8; c++) hexahedra[count][c] = cell % 3 + 4 * (cell / 3 % 3) + 16 * (cell / 9) + around[c];
    count++;
  }
  td_reduced_spec *body = tree_ritz(link);
  body->has_mesh = true;
  body->s_points = points;
  body->mesh = (td_mesh_spec){.points = corners[0], .point_count = 64, .hexahedron_count = 26};
  body->mesh.hexahedra = (const int(*)[8])hexahedra;
  return body;
}

static td_actuator_spec *add_actuator(tree *t, const char *name, td_actuator_type type) {
  ck_assert_uint_lt(t->spec.actuator_count, TREE_INPUTS);
  td_actuator_spec *actuator = &t->actuators[t->spec.actuator_count++];
  *actuator = (td_actuator_spec){.name = name,
                                 .type = type,
                                 .joined = true,
                                 .segments_key = true,
                                 .segments = t->segments + t->segment_count,
                                 .rest = NAN};
  return actuator;
}

td_actuator_spec *tree_tendon(tree *t, const char *name) { return add_actuator(t, name, TD_ACTUATOR_TENDON); }

void tree_joint_actuator(tree *t, const char *name, const char *link) {
  add_actuator(t, name, TD_ACTUATOR_JOINT)->link = link;
}

void tree_prescribe(tree *t, const char *name, const char *link) {
  td_actuator_spec *actuator = add_actuator(t, name, TD_ACTUATOR_JOINT);
  actuator->link = link;
  actuator->mode_position = true;
}

void tree_pressure(tree *t, const char *name, const char *link, int chamber) {
  td_actuator_spec *pressure = add_actuator(t, name, TD_ACTUATOR_PRESSURE);
  pressure->link = link;
  pressure->chamber = chamber;
}

static td_segment_spec *add_segment(tree *t, td_actuator_spec *tendon, const char *link) {
  ck_assert_uint_lt(t->segment_count, TREE_SEGMENTS);
  tendon->segment_count++;
  td_segment_spec *segment = &t->segments[t->segment_count++];
  *segment = (td_segment_spec){.link = link};
  return segment;
}

void tree_route(tree *t, td_actuator_spec *tendon, const char *link, const td_routing_spec *routing) {
  td_segment_spec *segment = add_segment(t, tendon, link);
  segment->has_routing = true;
  segment->routing = *routing;
}

void tree_points(tree *t, td_actuator_spec *tendon, const char *link, const double *points, size_t count) {
  td_segment_spec *segment = add_segment(t, tendon, link);
  segment->points = points;
  segment->points_count = count;
}

td_load_spec *tree_load_along(tree *t, const char *link, double from, double to, td_load_frame frame) {
  td_load_spec *load = tree_load(t, link, 0, frame);
  load->per_length = true;
  load->from = from, load->to = to;
  return load;
}

td_load_spec *tree_load(tree *t, const char *link, double at, td_load_frame frame) {
  static const double wrench[6] = {0.02, -0.03, 0.05, 0.4, -0.2, 0.3};
  ck_assert_uint_lt(t->spec.load_count, TREE_INPUTS);
  td_load_spec *load = &t->loads[t->spec.load_count++];
  *load = (td_load_spec){.link = link, .at = at, .frame = frame, .pose = here};
  load->pose.p[1] = 0.02;
  memcpy(load->wrench, wrench, sizeof wrench);
  return load;
}

td_contact_spec *tree_contact(tree *t, td_contact_type type) {
  static const double rpy[3] = {-0.2, 0.5, 0.3};
  ck_assert_uint_lt(t->spec.contact_count, TREE_INPUTS);
  td_contact_spec *contact = &t->contacts[t->spec.contact_count++];
  *contact = (td_contact_spec){.type = type,
                               .pose = here,
                               .axis = {0.2, 0.1, 0.9},
                               .radius = type == TD_CONTACT_PLANE ? NAN : 0.2,
                               .stiffness = 3,
                               .exponent = 2.5};
  td_rotation_from_rpy(rpy, contact->pose.R);
  return contact;
}

td_spring_spec *tree_spring(tree *t, const char *a, double at_a, const char *b, double at_b, const char *channel) {
  ck_assert_uint_lt(t->spec.spring_count, TREE_INPUTS);
  td_spring_spec *spring = &t->springs[t->spec.spring_count++];
  *spring = (td_spring_spec){.a = {.link = a, .at = at_a, .pose = here},
                             .b = {.link = b, .at = at_b, .pose = here},
                             .stiffness = 30,
                             .damping = 2,
                             .rest = NAN,
                             .channel = channel};
  spring->a.pose.p[1] = 0.03, spring->b.pose.p[0] = 0.05, spring->b.pose.p[2] = -0.02;
  return spring;
}

td_loop_spec *tree_loop(tree *t, td_joint_type joint, const char *a, const char *b) {
  static const double rpy_a[3] = {0.3, 0.2, -0.4}, rpy_b[3] = {-0.1, 0.5, 0.6};
  ck_assert_uint_lt(t->spec.loop_count, TREE_INPUTS);
  td_loop_spec *loop = &t->loops[t->spec.loop_count++];
  *loop = (td_loop_spec){.a = {.link = a, .at = 1, .pose.p = {0.03, -0.02, 0.01}},
                         .b = {.link = b, .at = 1, .pose.p = {-0.01, 0.04, 0.02}},
                         .joint = {.type = joint, .axis = {0, 1, 0}, .pitch = 0.05}};
  td_rotation_from_rpy(rpy_a, loop->a.pose.R);
  td_rotation_from_rpy(rpy_b, loop->b.pose.R);
  return loop;
}

// B^T B of a lopsided B: symmetric and positive definite.
static void lopsided(double scale, double skew, double out[36]) {
  double B[36];
  for (int i = 0; i < 36; i++) B[i] = (i % 7 == 0) + 0.3 * sin(1.0 + 3.0 * i);
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++) {
      out[6 * i + j] = skew * scale * (i - j);
      for (int k = 0; k < 6; k++) out[6 * i + j] += scale * B[6 * k + i] * B[6 * k + j];
    }
}

void tree_water(td_link_spec *link) {
  if (link->body.type == TD_BODY_RIGID) {
    lopsided(0.05, 0.2, link->body.rigid.drag);
    lopsided(0.1, 0, link->body.rigid.added_mass);
    return;
  }
  td_rod_spec *rod = &link->body.rod;
  const double cd[3] = {0.2, 0.5, 0.4}, cl[3] = {-0.1, 0.2, 0.15};
  memcpy(rod->cd, cd, sizeof cd);
  memcpy(rod->cl, cl, sizeof cl);
  rod->added[0] = 0.6, rod->added[1] = 0.8;
}

td_model *tree_build(const tree *t) {
  td_error err = {0};
  td_model *model = NULL;
  td_status status = td_model_create(&t->spec, &model, &err);
  ck_assert_msg(status == TD_OK, "%s at %s: %s", td_status_name(status), err.pointer, err.message);
  return model;
}

uint64_t tree_seed(const char *name) {
  uint64_t seed = 1469598103934665603u; // FNV-1a
  for (; *name; name++) seed = (seed ^ (unsigned char)*name) * 1099511628211u;
  return seed;
}

// splitmix64
double tree_random(uint64_t *seed) {
  uint64_t z = (*seed += 0x9E3779B97F4A7C15u);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return (double)((z ^ (z >> 31)) >> 11) / (double)(1ull << 52) - 1;
}

void tree_random_vector(uint64_t *seed, double scale, int n, double *x) {
  for (int i = 0; i < n; i++) x[i] = scale * tree_random(seed);
}

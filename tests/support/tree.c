// The builder behind the law tests' robots (the list of them is in tree_list.c).
#include "support/tree.h"
#include <check.h>
#include <math.h>
#include <string.h>

static const td_se3 here = {.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};

void tree_init(tree *t) {
  memset(t, 0, sizeof *t);
  t->spec = (td_model_spec){
      .name = "tree", .gravity = {1.2, -3.4, -8.5}, .links = t->links, .actuators = t->actuators, .loads = t->loads};
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

static td_actuator_spec *add_actuator(tree *t, const char *name, td_actuator_type type) {
  ck_assert_uint_lt(t->spec.actuator_count, TREE_INPUTS);
  td_actuator_spec *actuator = &t->actuators[t->spec.actuator_count++];
  *actuator = (td_actuator_spec){
      .name = name, .type = type, .joined = true, .segments_key = true, .segments = t->segments + t->segment_count};
  return actuator;
}

td_actuator_spec *tree_tendon(tree *t, const char *name) { return add_actuator(t, name, TD_ACTUATOR_TENDON); }

void tree_joint_actuator(tree *t, const char *name, const char *link) {
  add_actuator(t, name, TD_ACTUATOR_JOINT)->link = link;
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

td_load_spec *tree_load(tree *t, const char *link, double at, td_load_frame frame) {
  static const double wrench[6] = {0.02, -0.03, 0.05, 0.4, -0.2, 0.3};
  ck_assert_uint_lt(t->spec.load_count, TREE_INPUTS);
  td_load_spec *load = &t->loads[t->spec.load_count++];
  *load = (td_load_spec){.link = link, .at = at, .frame = frame, .pose = here};
  load->pose.p[1] = 0.02;
  memcpy(load->wrench, wrench, sizeof wrench);
  return load;
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

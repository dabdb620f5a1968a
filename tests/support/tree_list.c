// The robots of the law tests. Each is small, but together they meet every joint, basis, section, routing, load and way
// of hanging one link from another; a new kind of anything gets a row here.
#include "support/tree.h"
#include <stdio.h>
#include <string.h>

static const int bend_only[6] = {-1, 2, 2, -1, -1, -1};
static const int soft[6] = {1, 2, 2, 0, -1, -1};
static const int full[6] = {2, 3, 3, 1, 1, 1};

static const td_routing_spec straight = {.type = TD_ROUTING_LINEAR, .base = {0.005, 0.02}, .tip = {0.002, 0.012}};
static const td_routing_spec helix = {.type = TD_ROUTING_HELIX, .radius = 0.012, .turns = 1.5, .phase = 0.4};
static const double table_s[4] = {0, 0.3, 0.7, 1};
static const double table_y[4] = {0.01, -0.01, 0.005, 0.01}, table_z[4] = {0, 0.01, 0.012, -0.003};
static const td_routing_spec table = {.type = TD_ROUTING_TABLE, .s = table_s, .y = table_y, .z = table_z, .count = 4};

// A joint between two rigid bodies, on a skew axis or on a coordinate axis.
static void joint_pair(tree *t, td_joint_type type, int coordinate_axis) {
  tree_rigid(tree_link(t, "root", "world", TD_JOINT_REVOLUTE), 1.3);
  td_link_spec *link = tree_link(t, "middle", "root", type);
  tree_rigid(link, 0.8);
  if (coordinate_axis) {
    memset(link->joint.axis, 0, sizeof link->joint.axis);
    link->joint.axis[coordinate_axis - 1] = coordinate_axis == 2 ? -1 : 1;
  }
  td_link_spec *end = tree_link(t, "end", "middle", TD_JOINT_REVOLUTE);
  end->joint.axis[0] = -1;
  tree_rigid(end, 0.5);
  if (type != TD_JOINT_FIXED) tree_joint_actuator(t, "drive", "middle");
}

static void fixed_pair(tree *t) { joint_pair(t, TD_JOINT_FIXED, 0); }
static void revolute_pair(tree *t) { joint_pair(t, TD_JOINT_REVOLUTE, 0); }
static void prismatic_pair(tree *t) { joint_pair(t, TD_JOINT_PRISMATIC, 0); }
static void helical_pair(tree *t) { joint_pair(t, TD_JOINT_HELICAL, 0); }
static void cylindrical_pair(tree *t) { joint_pair(t, TD_JOINT_CYLINDRICAL, 0); }
static void universal_pair(tree *t) { joint_pair(t, TD_JOINT_UNIVERSAL, 0); }
static void planar_pair(tree *t) { joint_pair(t, TD_JOINT_PLANAR, 0); }
static void spherical_pair(tree *t) { joint_pair(t, TD_JOINT_SPHERICAL, 0); }
static void free_pair(tree *t) { joint_pair(t, TD_JOINT_FREE, 0); }
static void universal_along_y(tree *t) { joint_pair(t, TD_JOINT_UNIVERSAL, 2); }
static void planar_along_x(tree *t) { joint_pair(t, TD_JOINT_PLANAR, 1); }

// A rod of the basis on a revolute joint, a body at its tip and a tendon along it.
static void rod_of(tree *t, td_basis basis, const int order[6]) {
  tree_rod(tree_link(t, "arm", "world", TD_JOINT_REVOLUTE), basis, order);
  tree_rigid(tree_link(t, "tool", "arm", TD_JOINT_FIXED), 0.1);
  tree_route(t, tree_tendon(t, "cable"), "arm", &straight);
}

static void legendre_rod(tree *t) { rod_of(t, TD_BASIS_LEGENDRE, full); }
static void monomial_rod(tree *t) { rod_of(t, TD_BASIS_MONOMIAL, soft); }
static void chebyshev_rod(tree *t) { rod_of(t, TD_BASIS_CHEBYSHEV, full); }
static void fourier_rod(tree *t) { rod_of(t, TD_BASIS_FOURIER, soft); }
static void gaussian_rod(tree *t) { rod_of(t, TD_BASIS_GAUSSIAN, soft); }
static void multiquadric_rod(tree *t) { rod_of(t, TD_BASIS_INVERSE_MULTIQUADRIC, full); }

static const int two_elements[6] = {-1, 2, 2, 2, -1, -1}, three_elements[6] = {1, 3, 2, -1, -1, -1};
static void linear_rod(tree *t) { rod_of(t, TD_BASIS_LINEAR, two_elements); }
static void linear_rod_of_unequal_elements(tree *t) { rod_of(t, TD_BASIS_LINEAR, three_elements); }
static void quadratic_rod(tree *t) { rod_of(t, TD_BASIS_QUADRATIC, two_elements); }
static void cubic_rod(tree *t) { rod_of(t, TD_BASIS_CUBIC, two_elements); }
static void hermite_rod(tree *t) { rod_of(t, TD_BASIS_HERMITE, two_elements); }

static void table_rod(tree *t) {
  static const double columns[8] = {1, 0.7, 0.3, 0, 0, 0.5, 0.9, 1};
  static const int active[6] = {-1, 0, 0, -1, -1, -1};
  rod_of(t, TD_BASIS_TABLE, active);
  td_rod_spec *rod = &t->links[0].body.rod;
  rod->table_s = table_s;
  rod->table_count = 4;
  for (int c = 1; c <= 2; c++) {
    rod->table[c] = columns;
    rod->table_columns[c] = 2;
  }
}

static void rectangular_rod(tree *t) {
  static const double height[2] = {0.06, 0.03}, width[1] = {0.02};
  rod_of(t, TD_BASIS_LEGENDRE, soft);
  td_rod_spec *rod = &t->links[0].body.rod;
  rod->section = TD_SECTION_RECTANGLE;
  rod->size[0] = (td_profile){.count = 2, .width = 1, .value = height};
  rod->size[1] = (td_profile){.count = 1, .width = 1, .value = width};
}

static void elliptic_rod_of_varying_section(tree *t) {
  static const double semi_y[4] = {0.03, 0.02, 0.025, 0.015}, semi_z[2] = {0.01, 0.02};
  rod_of(t, TD_BASIS_LEGENDRE, soft);
  td_rod_spec *rod = &t->links[0].body.rod;
  rod->section = TD_SECTION_ELLIPSE;
  rod->size[0] = (td_profile){.count = 4, .width = 1, .s = table_s, .value = semi_y};
  rod->size[1] = (td_profile){.count = 2, .width = 1, .value = semi_z};
}

static void hollow_rod(tree *t) {
  static const double height[2] = {0.06, 0.03}, width[1] = {0.02}, hole[2] = {0.03, 0.02}, slot[1] = {0.012},
                      J[2] = {3e-8, 2e-8}, k[1] = {0.7}, damping[6] = {1e-3, 2e-3, 1e-3, 1, 2, 3};
  rod_of(t, TD_BASIS_LEGENDRE, full);
  td_rod_spec *rod = &t->links[0].body.rod;
  rod->section = TD_SECTION_RECTANGLE;
  rod->size[0] = (td_profile){.count = 2, .width = 1, .value = height};
  rod->size[1] = (td_profile){.count = 1, .width = 1, .value = width};
  rod->inner[0] = (td_profile){.count = 2, .width = 1, .value = hole};
  rod->inner[1] = (td_profile){.count = 1, .width = 1, .value = slot};
  rod->torsion_constant = (td_profile){.count = 2, .width = 1, .value = J};
  rod->shear_correction = (td_profile){.count = 1, .width = 1, .value = k};
  rod->damping = (td_profile){.count = 1, .width = 6, .value = damping};
}

// Stiffness of all strains by numbers, coupled with one another.
static void coupled_rod(tree *t) {
  static const double stiffness[6] = {0.5, 0.9, 1.1, 900, 300, 250}, mass[2] = {1.2, 0.8},
                      inertia[3] = {5e-4, 3e-4, 2e-4}, radius[1] = {0.02}, damping[6] = {0.02, 0.03, 0.03, 5, 4, 4};
  static const double coupling[36] = {0.02, 0.15, -0.1, 2, 0,  0,   0.15, 0, 0.2, 4,  0, 0,  -0.1, 0.2, 0, 0,   3,  0,
                                      2,    4,    0,    0, 20, -30, 0,    0, 3,   20, 5, 10, 0,    0,   0, -30, 10, 0};
  rod_of(t, TD_BASIS_LEGENDRE, full);
  td_rod_spec *rod = &t->links[0].body.rod;
  rod->section = TD_SECTION_STIFFNESS;
  rod->size[0] = rod->size[1] = (td_profile){0};
  for (int c = 0; c < 6; c++) rod->numbers.stiffness[c] = (td_profile){.count = 1, .width = 1, .value = &stiffness[c]};
  rod->numbers.mass = (td_profile){.count = 2, .width = 1, .value = mass};
  rod->numbers.inertia = (td_profile){.count = 1, .width = 3, .value = inertia};
  rod->numbers.coupling = (td_profile){.count = 1, .width = 36, .value = coupling};
  rod->numbers.radius = (td_profile){.count = 1, .width = 1, .value = radius};
  rod->damping = (td_profile){.count = 1, .width = 6, .value = damping};
}

static void precurved_rod(tree *t) {
  static const double reference[6] = {1.5, -2, 3, 1.1, 0.1, -0.05};
  rod_of(t, TD_BASIS_LEGENDRE, full);
  t->links[0].body.rod.reference = (td_profile){.count = 1, .width = 6, .value = reference};
}

static void rod_with_a_reference_that_varies(tree *t) {
  static const double reference[24] = {0, 0, 0, 1, 0, 0, 1, 2, 0, 1, 0, 0, 0, -2, 3, 1.1, 0, 0, 0, 0, 4, 1, 0, 0};
  rod_of(t, TD_BASIS_LEGENDRE, soft);
  t->links[0].body.rod.reference = (td_profile){.count = 4, .width = 6, .s = table_s, .value = reference};
}

static void locked_rod(tree *t) {
  static const int locked[6] = {-1, -1, -1, -1, -1, -1};
  tree_rod(tree_link(t, "stick", "world", TD_JOINT_SPHERICAL), TD_BASIS_LEGENDRE, locked);
  tree_rigid(tree_link(t, "weight", "stick", TD_JOINT_REVOLUTE), 0.4);
  t->links[1].at = 0.6;
}

static void children_along_a_rod(tree *t) {
  tree_rod(tree_link(t, "stem", "world", TD_JOINT_REVOLUTE), TD_BASIS_LEGENDRE, full);
  td_link_spec *base = tree_link(t, "base", "stem", TD_JOINT_REVOLUTE);
  base->at = 0;
  tree_rigid(base, 0.2);
  td_link_spec *leaf = tree_link(t, "leaf", "stem", TD_JOINT_UNIVERSAL);
  leaf->at = 0.37;
  tree_rigid(leaf, 0.2);
  td_link_spec *branch = tree_link(t, "branch", "stem", TD_JOINT_FIXED);
  branch->at = 0.8;
  tree_rod(branch, TD_BASIS_MONOMIAL, bend_only);
  td_link_spec *twig = tree_link(t, "twig", "branch", TD_JOINT_REVOLUTE);
  twig->at = 0.5;
  tree_rigid(twig, 0.1);
  tree_rigid(tree_link(t, "fruit", "stem", TD_JOINT_FIXED), 0.3);
}

static void rods_in_series(tree *t) {
  tree_rod(tree_link(t, "one", "world", TD_JOINT_FIXED), TD_BASIS_LEGENDRE, soft);
  tree_rod(tree_link(t, "two", "one", TD_JOINT_UNIVERSAL), TD_BASIS_LINEAR, two_elements);
  tree_rod(tree_link(t, "three", "two", TD_JOINT_REVOLUTE), TD_BASIS_LEGENDRE, full);
}

static void floating_body_with_arms(tree *t) {
  tree_rigid(tree_link(t, "hull", "world", TD_JOINT_FREE), 2);
  tree_rod(tree_link(t, "left", "hull", TD_JOINT_REVOLUTE), TD_BASIS_LEGENDRE, soft);
  td_link_spec *right = tree_link(t, "right", "hull", TD_JOINT_REVOLUTE);
  right->pose.p[0] = -0.05;
  tree_rod(right, TD_BASIS_LEGENDRE, bend_only);
  tree_rigid(tree_link(t, "claw", "right", TD_JOINT_PRISMATIC), 0.1);
  tree_joint_actuator(t, "shoulder", "left");
}

static void bodiless_links(tree *t) {
  tree_link(t, "yaw", "world", TD_JOINT_REVOLUTE);
  td_link_spec *pitch = tree_link(t, "pitch", "yaw", TD_JOINT_REVOLUTE);
  pitch->joint.axis[1] = 1;
  tree_link(t, "flange", "pitch", TD_JOINT_FIXED);
  tree_rigid(tree_link(t, "payload", "flange", TD_JOINT_FIXED), 1);
}

static void two_roots(tree *t) {
  tree_rod(tree_link(t, "reed", "world", TD_JOINT_FIXED), TD_BASIS_LEGENDRE, soft);
  td_link_spec *swing = tree_link(t, "swing", "world", TD_JOINT_SPHERICAL);
  swing->pose.p[0] = 0.5;
  tree_rigid(swing, 0.7);
  tree_rod(tree_link(t, "tail", "swing", TD_JOINT_FIXED), TD_BASIS_LEGENDRE, bend_only);
}

// Tendons of every routing, on one rod, over a joint, through points of a rigid link, and one broken in two.
static void tendons(tree *t) {
  static const double guide[6] = {0.01, 0.02, 0, 0.05, 0.03, 0.01}, anchor[3] = {0.02, 0.01, 0.03};
  static td_routing_spec terms[3];
  terms[0] = straight, terms[1] = helix, terms[2] = table;
  const td_routing_spec sum = {.type = TD_ROUTING_SUM, .of = terms, .of_count = 3};
  tree_rigid(tree_link(t, "base", "world", TD_JOINT_REVOLUTE), 0.5);
  tree_rod(tree_link(t, "upper", "base", TD_JOINT_FIXED), TD_BASIS_LEGENDRE, full);
  tree_rigid(tree_link(t, "elbow", "upper", TD_JOINT_UNIVERSAL), 0.2);
  tree_rod(tree_link(t, "lower", "elbow", TD_JOINT_FIXED), TD_BASIS_LINEAR, two_elements);
  tree_rigid(tree_link(t, "hand", "lower", TD_JOINT_REVOLUTE), 0.1);
  tree_route(t, tree_tendon(t, "helix"), "upper", &helix);
  tree_route(t, tree_tendon(t, "sum"), "lower", &sum);
  td_actuator_spec *through = tree_tendon(t, "through");
  tree_points(t, through, "base", anchor, 1);
  tree_route(t, through, "upper", &straight);
  tree_points(t, through, "elbow", guide, 2);
  tree_route(t, through, "lower", &table);
  tree_points(t, through, "hand", anchor, 1);
  td_actuator_spec *broken = tree_tendon(t, "broken");
  broken->joined = false;
  tree_route(t, broken, "upper", &table);
  tree_route(t, broken, "lower", &straight);
  tree_joint_actuator(t, "wrist", "hand");
}

static void loads_in_a_fluid(tree *t) {
  tree_rod(tree_link(t, "arm", "world", TD_JOINT_REVOLUTE), TD_BASIS_LEGENDRE, full);
  tree_rigid(tree_link(t, "float", "arm", TD_JOINT_SPHERICAL), 0.4);
  t->spec.fluid_density = 1000;
  tree_load(t, "arm", 0.43, TD_LOAD_WORLD);
  tree_load(t, "float", 1, TD_LOAD_BODY);
  tree_load(t, "arm", 1, TD_LOAD_BODY);
  td_load_spec *channels = tree_load(t, "arm", 0.43, TD_LOAD_BODY);
  channels->has_channels = true;
  channels->channels[1] = "moment";
  channels->channels[4] = "push";
  td_load_spec *world = tree_load(t, "float", 0, TD_LOAD_WORLD);
  world->has_channels = true;
  world->channels[0] = "twist";
  world->channels[5] = "lift";
  tree_joint_actuator(t, "ball", "float");
}

// Wrenches per length on a whole rod, on parts that begin and end inside elements, constant and driven, by world and
// body.
static void loads_along_rods(tree *t) {
  tree_rod(tree_link(t, "arm", "world", TD_JOINT_REVOLUTE), TD_BASIS_LEGENDRE, soft);
  tree_rod(tree_link(t, "whip", "arm", TD_JOINT_SPHERICAL), TD_BASIS_LINEAR, two_elements);
  tree_load_along(t, "arm", 0, 1, TD_LOAD_WORLD);
  tree_load_along(t, "arm", 0.3, 0.72, TD_LOAD_BODY);
  tree_load_along(t, "whip", 0.3, 1, TD_LOAD_WORLD);
  td_load_spec *driven = tree_load_along(t, "whip", 0.1, 0.8, TD_LOAD_BODY);
  driven->has_channels = true;
  driven->channels[0] = "twist";
  driven->channels[4] = "push";
  driven = tree_load_along(t, "arm", 0, 0.4, TD_LOAD_WORLD);
  driven->has_channels = true;
  driven->channels[2] = "turn";
  driven->channels[5] = "lift";
}

static void swimmer(tree *t) {
  td_link_spec *hull = tree_link(t, "hull", "world", TD_JOINT_FREE), *shaft;
  tree_rigid(hull, 0.7);
  tree_water(hull);
  shaft = tree_link(t, "shaft", "hull", TD_JOINT_REVOLUTE);
  tree_rigid(shaft, 0.2);
  tree_rod(tree_link(t, "fin", "shaft", TD_JOINT_FIXED), TD_BASIS_LEGENDRE, soft);
  tree_water(&t->links[2]);
  td_link_spec *tip = tree_link(t, "tip", "fin", TD_JOINT_UNIVERSAL);
  tip->at = 0.6;
  tree_rigid(tip, 0.1);
  tree_water(tip);
  tree_rod(tree_link(t, "tail", "hull", TD_JOINT_FIXED), TD_BASIS_LINEAR, bend_only);
  tree_water(&t->links[4]);
  t->spec.fluid_density = 800;
}

static const double tide_z[4] = {-2, -0.3, 0.4, 3},
                    tide[12] = {0.5, 0.2, 0.1, 1.2, -0.4, 0.1, 0.3, -0.9, 0.1, -0.6, 0.8, 0.1};

static void set_viscous(td_link_spec *link) {
  static const double resistance[36] = {0.3, 0.1, 0,   0.2, 0,   0.1, 0.1, 0.4, 0,   0.1, 0.3, 0,
                                        0,   0,   0.5, 0,   0.1, 0.2, 0.2, 0.1, 0,   2,   0,   0.3,
                                        0,   0.3, 0.1, 0,   3,   0,   0.1, 0,   0.2, 0.3, 0,   2.5};
  if (link->body.type == TD_BODY_RIGID)
    memcpy(link->body.rigid.linear, resistance, sizeof resistance);
  else
    link->body.rod.linear[0] = 0.7, link->body.rod.linear[1] = 1.9;
}

// In a current that shears and turns with height and is driven by two signals.
static void swimmer_in_a_current(tree *t) {
  swimmer(t);
  for (size_t i = 0; i < t->spec.link_count; i++) set_viscous(&t->links[i]);
  t->spec.fluid.z = tide_z, t->spec.fluid.table = tide, t->spec.fluid.knots = 4;
  t->spec.fluid.has_channels = true;
  t->spec.fluid.channels[0] = "stream";
  t->spec.fluid.channels[2] = "upwelling";
  tree_load(t, "fin", 0.3, TD_LOAD_BODY);
}

// Half in water: the surface crosses everything.
static void swimmer_at_the_surface(tree *t) {
  swimmer(t);
  t->spec.gravity[0] = t->spec.gravity[1] = 0;
  t->spec.fluid.has_surface = true;
  t->spec.fluid.surface = 0.2, t->spec.fluid.width = 5;
  for (size_t i = 0; i < t->spec.link_count; i++) {
    set_viscous(&t->links[i]);
    t->links[i].body.rigid.body_density = 600;
  }
  const double velocity[3] = {0.5, -0.7, 0.2};
  memcpy(t->spec.fluid.velocity, velocity, sizeof velocity);
  tree_reduced(tree_link(t, "feeler", "hull", TD_JOINT_FIXED), TD_KINEMATICS_PCC);
}

// No full maps but for the surface: buoyancy alone.
static void floats(tree *t) {
  tree_rod(tree_link(t, "spar", "world", TD_JOINT_SPHERICAL), TD_BASIS_LEGENDRE, soft);
  tree_rigid(tree_link(t, "buoy", "spar", TD_JOINT_UNIVERSAL), 0.7);
  t->links[1].body.rigid.body_density = 400;
  t->spec.gravity[0] = t->spec.gravity[1] = 0;
  t->spec.fluid_density = 1000;
  t->spec.fluid.has_surface = true;
  t->spec.fluid.width = 3;
}

static void rods_in_syrup(tree *t) {
  tree_rod(tree_link(t, "first", "world", TD_JOINT_REVOLUTE), TD_BASIS_LEGENDRE, full);
  tree_rod(tree_link(t, "second", "first", TD_JOINT_SPHERICAL), TD_BASIS_LINEAR, two_elements);
  t->links[0].body.rod.resistive_force = t->links[1].body.rod.resistive_force = true;
  t->spec.fluid.viscosity = 3;
  t->spec.fluid.has_channels = true;
  t->spec.fluid.channels[1] = "wind";
}

// Bodies of every way of moving, lighter and heavier than the fluid.
static void soft_bodies_in_a_fluid(tree *t) {
  tree_reduced(tree_link(t, "bell", "world", TD_JOINT_SPHERICAL), TD_KINEMATICS_PCC_VARIABLE_RADIUS);
  tree_ritz(tree_link(t, "block", "bell", TD_JOINT_REVOLUTE))->density = 700;
  tree_reduced(tree_link(t, "finger", "block", TD_JOINT_FIXED), TD_KINEMATICS_LVP);
  tree_reduced(tree_link(t, "tentacle", "finger", TD_JOINT_FIXED), TD_KINEMATICS_GAUSSIAN_CURVATURE)->density = 1300;
  tree_rod(tree_link(t, "whip", "bell", TD_JOINT_FIXED), TD_BASIS_LEGENDRE, bend_only);
  t->spec.fluid_density = 900;
}

// The same among bodies with drag and added mass.
static void soft_swimmer(tree *t) {
  tree_rigid(tree_link(t, "hull", "world", TD_JOINT_FREE), 0.7);
  tree_water(&t->links[0]);
  tree_reduced(tree_link(t, "arm", "hull", TD_JOINT_FIXED), TD_KINEMATICS_LVP);
  tree_rigid(tree_link(t, "paddle", "arm", TD_JOINT_REVOLUTE), 0.1);
  tree_water(&t->links[2]);
  tree_ritz(tree_link(t, "block", "hull", TD_JOINT_REVOLUTE));
  tree_rod(tree_link(t, "tail", "block", TD_JOINT_FIXED), TD_BASIS_LEGENDRE, bend_only);
  tree_water(&t->links[4]);
  tree_reduced(tree_link(t, "bell", "hull", TD_JOINT_FIXED), TD_KINEMATICS_PCC_VARIABLE_RADIUS);
  tree_reduced(tree_link(t, "feeler", "bell", TD_JOINT_FIXED), TD_KINEMATICS_PCC);
  t->spec.fluid_density = 800;
}

static void rods_against_obstacles(tree *t) {
  static const char *const second[1] = {"second"};
  tree_rod(tree_link(t, "first", "world", TD_JOINT_REVOLUTE), TD_BASIS_LEGENDRE, full);
  tree_rod(tree_link(t, "second", "first", TD_JOINT_SPHERICAL), TD_BASIS_LEGENDRE, bend_only);
  tree_contact(t, TD_CONTACT_CYLINDER_INTERIOR)->pose.p[0] = 2;
  td_contact_spec *post = tree_contact(t, TD_CONTACT_CYLINDER_EXTERIOR);
  post->pose.p[1] = 1, post->radius = 3;
  td_contact_spec *floor = tree_contact(t, TD_CONTACT_PLANE);
  floor->pose.p[2] = 2;
  floor->per = TD_CONTACT_PER_LENGTH, floor->stiffness = 30;
  td_contact_spec *ball = tree_contact(t, TD_CONTACT_SPHERE);
  ball->pose.p[0] = -2, ball->radius = 4;
  ball->links = second, ball->link_count = 1;
}

static void curvature_bodies(tree *t) {
  tree_reduced(tree_link(t, "planar", "world", TD_JOINT_FIXED), TD_KINEMATICS_PCC_PLANAR_EXTENSIBLE);
  tree_reduced(tree_link(t, "spatial", "planar", TD_JOINT_REVOLUTE), TD_KINEMATICS_PCC);
  tree_reduced(tree_link(t, "polynomial", "spatial", TD_JOINT_FIXED), TD_KINEMATICS_POLYNOMIAL_CURVATURE);
  tree_reduced(tree_link(t, "gaussian", "polynomial", TD_JOINT_FIXED), TD_KINEMATICS_GAUSSIAN_CURVATURE);
  tree_rigid(tree_link(t, "tool", "gaussian", TD_JOINT_FIXED), 0.1);
  static const double eyelets[9] = {0.01, 0.005, 0.05, 0.01, 0, 0.2, 0, 0.01, 0.3}, hook[3] = {0.02, 0.01, 0.03};
  td_actuator_spec *line = tree_tendon(t, "line");
  tree_points(t, line, "spatial", eyelets, 3);
  tree_points(t, line, "gaussian", eyelets, 3);
  tree_points(t, line, "tool", hook, 1);
  tree_route(t, tree_tendon(t, "inside"), "polynomial", &straight);
}

static void swelling_bodies(tree *t) {
  tree_reduced(tree_link(t, "first", "world", TD_JOINT_SPHERICAL), TD_KINEMATICS_PCC_VARIABLE_RADIUS);
  tree_reduced(tree_link(t, "second", "first", TD_JOINT_FIXED), TD_KINEMATICS_PCC_VARIABLE_RADIUS)->scale_law = true;
  tree_rod(tree_link(t, "whip", "second", TD_JOINT_FIXED), TD_BASIS_LEGENDRE, bend_only);
  static const double skin[6] = {0.02, 0.022, 0.05, 0.01, 0.028, 0.25};
  td_actuator_spec *string = tree_tendon(t, "string");
  tree_points(t, string, "first", skin, 2);
  tree_points(t, string, "second", skin, 2);
  tree_pressure(t, "left", "first", 0);
  tree_pressure(t, "right", "second", 1);
}

// A rigid link, a rod, a rigid link and a volume-preserving body with another rod at its end.
static void every_kind_of_body(tree *t) {
  tree_rigid(tree_link(t, "base", "world", TD_JOINT_REVOLUTE), 0.8);
  tree_rod(tree_link(t, "rod", "base", TD_JOINT_FIXED), TD_BASIS_LEGENDRE, bend_only);
  tree_rigid(tree_link(t, "wrist", "rod", TD_JOINT_UNIVERSAL), 0.2);
  tree_reduced(tree_link(t, "finger", "wrist", TD_JOINT_FIXED), TD_KINEMATICS_LVP);
  tree_rod(tree_link(t, "nail", "finger", TD_JOINT_FIXED), TD_BASIS_LEGENDRE, bend_only);
  static const double anchor[3] = {0.02, 0.01, 0.03},
                      through[12] = {0.02, 0, 0, 0.018, 0.004, 0.1, 0.015, 0.005, 0.21, 0.012, 0, 0.3};
  td_actuator_spec *flexor = tree_tendon(t, "flexor");
  tree_points(t, flexor, "wrist", anchor, 1);
  tree_points(t, flexor, "finger", through, 4);
  tree_route(t, flexor, "nail", &straight);
  tree_pressure(t, "cavity", "finger", 0);
}

static void ritz_blocks(tree *t) {
  tree_rigid(tree_link(t, "base", "world", TD_JOINT_REVOLUTE), 0.8);
  tree_ritz(tree_link(t, "lower", "base", TD_JOINT_FIXED));
  tree_ritz(tree_link(t, "upper", "lower", TD_JOINT_REVOLUTE));
  tree_rod(tree_link(t, "whip", "upper", TD_JOINT_FIXED), TD_BASIS_LEGENDRE, bend_only);
}

static void ritz_meshes(tree *t) {
  tree_ritz_mesh(tree_link(t, "lower", "world", TD_JOINT_REVOLUTE), 0);
  tree_rigid(tree_link(t, "middle", "lower", TD_JOINT_SPHERICAL), 0.8);
  tree_ritz_mesh(tree_link(t, "upper", "middle", TD_JOINT_FIXED), 3);
  tree_ritz_hollow(tree_link(t, "hollow", "upper", TD_JOINT_FIXED), 2);
  tree_pressure(t, "inflate", "hollow", 0);
}

static const struct {
  const char *name;
  void (*make)(tree *t);
} rows[] = {
#define ROW(name)                                                                                                      \
  { #name, name }
    ROW(fixed_pair),
    ROW(revolute_pair),
    ROW(prismatic_pair),
    ROW(helical_pair),
    ROW(cylindrical_pair),
    ROW(universal_pair),
    ROW(planar_pair),
    ROW(spherical_pair),
    ROW(free_pair),
    ROW(universal_along_y),
    ROW(planar_along_x),
    ROW(legendre_rod),
    ROW(monomial_rod),
    ROW(chebyshev_rod),
    ROW(fourier_rod),
    ROW(gaussian_rod),
    ROW(multiquadric_rod),
    ROW(linear_rod),
    ROW(linear_rod_of_unequal_elements),
    ROW(quadratic_rod),
    ROW(cubic_rod),
    ROW(hermite_rod),
    ROW(table_rod),
    ROW(rectangular_rod),
    ROW(elliptic_rod_of_varying_section),
    ROW(hollow_rod),
    ROW(coupled_rod),
    ROW(precurved_rod),
    ROW(rod_with_a_reference_that_varies),
    ROW(locked_rod),
    ROW(children_along_a_rod),
    ROW(rods_in_series),
    ROW(floating_body_with_arms),
    ROW(bodiless_links),
    ROW(two_roots),
    ROW(tendons),
    ROW(loads_in_a_fluid),
    ROW(loads_along_rods),
    ROW(swimmer),
    ROW(swimmer_in_a_current),
    ROW(swimmer_at_the_surface),
    ROW(floats),
    ROW(rods_in_syrup),
    ROW(soft_bodies_in_a_fluid),
    ROW(soft_swimmer),
    ROW(rods_against_obstacles),
    ROW(curvature_bodies),
    ROW(swelling_bodies),
    ROW(every_kind_of_body),
    ROW(ritz_blocks),
    ROW(ritz_meshes),
};

size_t tree_count(void) { return sizeof rows / sizeof *rows; }
const char *tree_name(size_t i) { return rows[i].name; }

void tree_make(size_t i, tree *t) {
  tree_init(t);
  rows[i].make(t);
}

// See closed.h.
#include "support/closed.h"
#include <string.h>

static const int bend_only[6] = {-1, 2, 2, -1, -1, -1};
static const int soft[6] = {1, 2, 2, 0, -1, -1};

// Two rods side by side, the tip of one held to the middle of the other.
static td_loop_spec *pair(tree *t, td_joint_type joint) {
  tree_rod(tree_link(t, "left", "world", TD_JOINT_REVOLUTE), TD_BASIS_LEGENDRE, soft);
  td_link_spec *right = tree_link(t, "right", "world", TD_JOINT_SPHERICAL);
  tree_rod(right, TD_BASIS_MONOMIAL, bend_only);
  right->pose.p[1] = 0.1;
  tree_route(t, tree_tendon(t, "cable"), "left",
             &(td_routing_spec){.type = TD_ROUTING_LINEAR, .base = {0, 0.02}, .tip = {0, 0.01}});
  td_load_spec *push = tree_load(t, "right", 0.35, TD_LOAD_WORLD);
  push->has_channels = true;
  push->channels[4] = "push";
  td_loop_spec *loop = tree_loop(t, joint, "left", "right");
  loop->b.at = 0.55;
  return loop;
}

static void fixed_loop(tree *t) { pair(t, TD_JOINT_FIXED); }
static void revolute_loop(tree *t) { pair(t, TD_JOINT_REVOLUTE); }
static void prismatic_loop(tree *t) { pair(t, TD_JOINT_PRISMATIC); }
static void helical_loop(tree *t) { pair(t, TD_JOINT_HELICAL); }
static void cylindrical_loop(tree *t) { pair(t, TD_JOINT_CYLINDRICAL); }
static void universal_loop(tree *t) { pair(t, TD_JOINT_UNIVERSAL); }
static void planar_loop(tree *t) { pair(t, TD_JOINT_PLANAR); }
static void spherical_loop(tree *t) { pair(t, TD_JOINT_SPHERICAL); }

static void helical_loop_along_minus_x(tree *t) {
  td_loop_spec *loop = pair(t, TD_JOINT_HELICAL);
  memcpy(loop->joint.axis, (double[3]){-2, 0, 0}, sizeof loop->joint.axis);
}

static void two_loops_to_the_world(tree *t) {
  tree_rod(tree_link(t, "trunk", "world", TD_JOINT_UNIVERSAL), TD_BASIS_LEGENDRE, soft);
  tree_rigid(tree_link(t, "hand", "trunk", TD_JOINT_CYLINDRICAL), 0.4);
  td_link_spec *branch = tree_link(t, "branch", "trunk", TD_JOINT_FIXED);
  branch->at = 0.5;
  tree_rod(branch, TD_BASIS_LEGENDRE, soft);
  tree_loop(t, TD_JOINT_SPHERICAL, "hand", "world")->b.pose.p[0] = 0.4;
  tree_loop(t, TD_JOINT_CYLINDRICAL, "world", "branch")->b.at = 0.3;
}

static void floating_ring(tree *t) {
  tree_rigid(tree_link(t, "base", "world", TD_JOINT_FREE), 1);
  tree_rod(tree_link(t, "first", "base", TD_JOINT_REVOLUTE), TD_BASIS_LEGENDRE, bend_only);
  tree_rigid(tree_link(t, "second", "base", TD_JOINT_SPHERICAL), 0.3);
  tree_rod(tree_link(t, "third", "second", TD_JOINT_FIXED), TD_BASIS_LEGENDRE, bend_only);
  tree_loop(t, TD_JOINT_REVOLUTE, "first", "third");
}

static void two_ends_of_one_rod(tree *t) {
  tree_rod(tree_link(t, "hoop", "world", TD_JOINT_SPHERICAL), TD_BASIS_LEGENDRE, (int[6]){2, 3, 3, 1, 1, 1});
  tree_loop(t, TD_JOINT_UNIVERSAL, "hoop", "hoop")->b.at = 0.2;
}

// All motion in a plane: the rows out of it are 0.
static void planar_four_bar(tree *t) {
  static const char *const names[3] = {"crank", "coupler", "rocker"};
  for (int i = 0; i < 3; i++) {
    td_link_spec *link = tree_link(t, names[i], i ? names[i - 1] : "world", TD_JOINT_REVOLUTE);
    tree_rigid(link, 0.3 + 0.1 * i);
    link->pose = (td_se3){.R = {0.6, -0.8, 0, 0.8, 0.6, 0, 0, 0, 1}, .p = {0.2, 0, 0}}; // bent: straight is singular
    memcpy(link->joint.axis, (double[3]){0, 0, 1}, sizeof link->joint.axis);
  }
  td_loop_spec *loop = tree_loop(t, TD_JOINT_REVOLUTE, "rocker", "world");
  memcpy(loop->joint.axis, (double[3]){0, 0, 1}, sizeof loop->joint.axis);
  loop->a.pose = loop->b.pose = (td_se3){.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .p = {0.2, 0, 0}};
}

// Six rows across one revolute joint (rank 1, five of them contradictory and turning with q), and a loop of its own
// elsewhere.
static void rows_that_contradict(tree *t) {
  pair(t, TD_JOINT_SPHERICAL);
  tree_rigid(tree_link(t, "flap", "left", TD_JOINT_REVOLUTE), 0.2);
  tree_loop(t, TD_JOINT_FIXED, "flap", "left")->b.pose.p[0] = 0.1;
}

static void the_same_loop_twice(tree *t) {
  pair(t, TD_JOINT_CYLINDRICAL);
  t->loops[t->spec.loop_count++] = t->loops[0];
}

static void prescribed_joints(tree *t) {
  tree_rigid(tree_link(t, "slide", "world", TD_JOINT_PRISMATIC), 0.5);
  tree_rod(tree_link(t, "arm", "slide", TD_JOINT_REVOLUTE), TD_BASIS_LEGENDRE, soft);
  tree_rigid(tree_link(t, "wrist", "arm", TD_JOINT_SPHERICAL), 0.2);
  tree_rigid(tree_link(t, "finger", "wrist", TD_JOINT_REVOLUTE), 0.1);
  tree_prescribe(t, "turn", "wrist");
  tree_joint_actuator(t, "grip", "finger");
  tree_prescribe(t, "push", "slide");
  tree_load(t, "finger", 1, TD_LOAD_BODY);
}

static void prescribed_base_of_a_loop(tree *t) {
  pair(t, TD_JOINT_REVOLUTE);
  tree_prescribe(t, "drive", "left");
  tree_prescribe(t, "turn", "right");
  td_link_spec *hand = tree_link(t, "hand", "right", TD_JOINT_REVOLUTE);
  tree_rigid(hand, 0.2);
  tree_loop(t, TD_JOINT_SPHERICAL, "hand", "world");
}

// A point mass on the axis: M is singular, but not on the free coordinates.
static void prescribed_joint_without_inertia(tree *t) {
  tree_rod(tree_link(t, "arm", "world", TD_JOINT_REVOLUTE), TD_BASIS_LEGENDRE, soft);
  td_link_spec *rotor = tree_link(t, "rotor", "arm", TD_JOINT_REVOLUTE);
  rotor->body = (td_body_spec){.type = TD_BODY_RIGID, .rigid = {.mass = 0.2, .axis = {0, 0, 1}}};
  tree_prescribe(t, "spin", "rotor");
  tree_loop(t, TD_JOINT_CYLINDRICAL, "rotor", "world");
}

static void everything_prescribed(tree *t) {
  tree_rigid(tree_link(t, "first", "world", TD_JOINT_REVOLUTE), 0.5);
  tree_rigid(tree_link(t, "second", "first", TD_JOINT_UNIVERSAL), 0.5);
  tree_prescribe(t, "a", "first");
  tree_prescribe(t, "b", "second");
}

static void closed_swimmer(tree *t) {
  tree_rigid(tree_link(t, "hull", "world", TD_JOINT_FREE), 0.7);
  tree_rod(tree_link(t, "fin", "hull", TD_JOINT_FIXED), TD_BASIS_LEGENDRE, bend_only);
  tree_rod(tree_link(t, "tail", "hull", TD_JOINT_REVOLUTE), TD_BASIS_LEGENDRE, soft);
  for (int i = 0; i < 3; i++) tree_water(&t->links[i]);
  tree_loop(t, TD_JOINT_SPHERICAL, "fin", "tail");
  tree_contact(t, TD_CONTACT_SPHERE)->radius = 4;
  tree_prescribe(t, "wag", "tail");
  t->spec.fluid_density = 1000;
}

// Particles of sections and of a block that the fluid lifts, on both sides of a loop.
static void soft_ring_in_a_fluid(tree *t) {
  tree_rigid(tree_link(t, "hull", "world", TD_JOINT_UNIVERSAL), 0.7);
  tree_reduced(tree_link(t, "finger", "hull", TD_JOINT_REVOLUTE), TD_KINEMATICS_LVP);
  tree_ritz(tree_link(t, "block", "hull", TD_JOINT_REVOLUTE));
  tree_loop(t, TD_JOINT_SPHERICAL, "finger", "block");
  tree_prescribe(t, "wag", "block");
  t->spec.fluid_density = 1300;
}

static const struct {
  const char *name;
  void (*make)(tree *t);
} rows[] = {
#define ROW(name)                                                                                                      \
  { #name, name }
    ROW(fixed_loop),
    ROW(revolute_loop),
    ROW(prismatic_loop),
    ROW(helical_loop),
    ROW(cylindrical_loop),
    ROW(universal_loop),
    ROW(planar_loop),
    ROW(spherical_loop),
    ROW(helical_loop_along_minus_x),
    ROW(two_loops_to_the_world),
    ROW(floating_ring),
    ROW(two_ends_of_one_rod),
    ROW(planar_four_bar),
    ROW(rows_that_contradict),
    ROW(the_same_loop_twice),
    ROW(prescribed_joints),
    ROW(prescribed_base_of_a_loop),
    ROW(prescribed_joint_without_inertia),
    ROW(everything_prescribed),
    ROW(closed_swimmer),
    ROW(soft_ring_in_a_fluid),
};

size_t closed_count(void) { return sizeof rows / sizeof *rows; }
const char *closed_name(size_t i) { return rows[i].name; }

void closed_make(size_t i, tree *t) {
  tree_init(t);
  rows[i].make(t);
}

void closed_each(void (*law)(tree_state *s)) {
  static const double scales[2] = {0.4, 1e-3};
  static tree t;
  for (size_t i = 0; i < closed_count(); i++)
    for (int k = 0; k < 2; k++) {
      tree_state s;
      closed_make(i, &t);
      tree_state_of(&s, &t, closed_name(i), scales[k]);
      law(&s);
      tree_state_close(&s);
    }
}

int closed_rows(const tree_state *s) { return td_model_loop_row_count(s->model); }
int closed_multipliers(const tree_state *s) { return closed_rows(s) + td_model_prescribed_count(s->model); }

void closed_mask(const tree_state *s, double *out) {
  for (int i = 0; i < s->n; i++) out[i] = 1;
  for (int i = 0; i < td_model_prescribed_count(s->model); i++)
    out[td_model_prescribed_coordinate(s->model, i, NULL)] = 0;
}

td_state closed_state(const tree_state *s) {
  return (td_state){.q = s->q, .qd = s->qd, .qdd = s->qdd, .u = s->u, .baumgarte = 0.1};
}

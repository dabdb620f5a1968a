// See wild.h.
#include "support/wild.h"
#include "support/controlled.h"
#include <stdio.h>
#include <string.h>

enum { MOST_LINKS = 4, MOST_MOTORS = 3 };
static const char *const LINKS[MOST_LINKS] = {"trunk", "branch", "twig", "leaf"};
static const char *const MOTORS[MOST_MOTORS] = {"m0", "m1", "m2"};

static size_t pick(uint64_t *seed, size_t count) {
  size_t i = (size_t)(0.5 * (tree_random(seed) + 1) * (double)count);
  return i < count ? i : count - 1;
}

static void body(uint64_t *seed, td_link_spec *link) {
  static const int soft[6] = {1, 2, 2, 0, -1, -1}, bends[6] = {-1, 2, 2, -1, -1, -1};
  static const td_body_kinematics kinematics[] = {TD_KINEMATICS_PCC, TD_KINEMATICS_LVP,
                                                  TD_KINEMATICS_PCC_VARIABLE_RADIUS};
  switch (pick(seed, 5)) {
  case 0:
  case 1:
    tree_rigid(link, 0.3 + 0.2 * tree_random(seed));
    break;
  case 2:
    tree_rod(link, TD_BASIS_LEGENDRE, soft);
    break;
  case 3:
    tree_rod(link, TD_BASIS_MONOMIAL, bends);
    break;
  default:
    tree_reduced(link, kinematics[pick(seed, 3)]);
  }
}

static void limbs(uint64_t *seed, tree *t, unsigned features, size_t count) {
  static const td_joint_type joints[] = {TD_JOINT_REVOLUTE, TD_JOINT_PRISMATIC,   TD_JOINT_UNIVERSAL,
                                         TD_JOINT_HELICAL,  TD_JOINT_CYLINDRICAL, TD_JOINT_SPHERICAL};
  for (size_t i = 0; i < count; i++) {
    bool moved = i == count - 1 && (features & WILD_PRESCRIBED), driven = features & WILD_CONTROLLED;
    td_joint_type joint = moved || driven ? TD_JOINT_REVOLUTE : joints[pick(seed, 6)];
    if (i == 0 && !driven && pick(seed, 4) == 0) joint = TD_JOINT_FREE;
    td_link_spec *link = tree_link(t, LINKS[i], i ? LINKS[pick(seed, i)] : "world", joint);
    if (driven)
      tree_rigid(link, 0.4);
    else if (i == 0 && (features & WILD_CONTACT))
      tree_rod(link, TD_BASIS_LEGENDRE, (const int[6]){1, 2, 2, 0, -1, -1}); // contacts touch rods
    else
      body(seed, link);
  }
}

static void closing(uint64_t *seed, tree *t, size_t count) {
  static const td_joint_type loops[] = {TD_JOINT_SPHERICAL, TD_JOINT_UNIVERSAL, TD_JOINT_CYLINDRICAL, TD_JOINT_PLANAR};
  td_loop_spec *loop = tree_loop(t, loops[pick(seed, 4)], LINKS[count - 1], pick(seed, 2) ? "world" : LINKS[0]);
  if (strcmp(loop->b.link, "world") == 0) loop->b.pose.p[0] = 0.4;
}

static void touching(uint64_t *seed, tree *t) {
  if (pick(seed, 2)) {
    tree_contact(t, TD_CONTACT_SPHERE)->radius = 4;
    return;
  }
  td_contact_spec *floor = tree_contact(t, TD_CONTACT_PLANE);
  floor->pose = (td_se3){.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .p = {0, 0, 2}};
}

void wild_make(uint64_t number, unsigned features, tree *t, char *name, size_t *motors) {
  snprintf(name, 32, "wild %u of kind %u", (unsigned)number, features);
  uint64_t seed = tree_seed(name);
  size_t count = 2 + pick(&seed, MOST_LINKS - 1);
  *motors = 0;
  tree_init(t);
  limbs(&seed, t, features, count);
  if (features & WILD_PRESCRIBED) tree_prescribe(t, "moved", LINKS[count - 1]);
  size_t free = features & WILD_PRESCRIBED ? count - 1 : count;
  for (size_t i = 0; (features & WILD_CONTROLLED) && i < free && i < MOST_MOTORS; i++)
    tree_joint_actuator(t, MOTORS[(*motors)++], LINKS[i]);
  if (features & WILD_LOOP) closing(&seed, t, count);
  if (features & WILD_CONTACT) touching(&seed, t);
  tree_load(t, LINKS[count - 1], 1, TD_LOAD_BODY);
}

td_controller_spec wild_law(size_t motors) {
  static const double t[] = {0, 0.1}, value[2 * MOST_MOTORS] = {0, 0, 0, 0.3, -0.2, 0.1};
  td_controller_spec law = controlled_law(TD_CONTROLLER_PD_PLUS, MOTORS, motors, TD_SPACE_JOINT);
  controlled_reference(&law, 2, t, value, motors);
  return law;
}

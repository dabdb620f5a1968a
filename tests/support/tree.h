// Robots for the law tests, built as td_model_spec in C: a builder, a list that covers every joint, basis, section,
// kind of child and tendon, and random states.
#ifndef TENDRIL_TEST_TREE_H
#define TENDRIL_TEST_TREE_H

#include "tendril/model.h"
#include <stdint.h>

enum { TREE_LINKS = 12, TREE_SEGMENTS = 16, TREE_INPUTS = 8 };

/// A spec under construction. Pointers go into the tree itself: it must not be copied.
typedef struct tree {
  td_model_spec spec;
  td_link_spec links[TREE_LINKS];
  td_actuator_spec actuators[TREE_INPUTS];
  td_segment_spec segments[TREE_SEGMENTS];
  td_load_spec loads[TREE_INPUTS];
  td_contact_spec contacts[TREE_INPUTS];
  td_loop_spec loops[TREE_INPUTS];
  td_spring_spec springs[TREE_INPUTS];
  size_t segment_count;
} tree;

void tree_init(tree *t);
/// Appends a link at the tip of `parent`, turned and moved by a fixed skew pose; axis (0.3, -0.5, 0.8).
td_link_spec *tree_link(tree *t, const char *name, const char *parent, td_joint_type joint);
/// Gives the link a lopsided rigid body.
void tree_rigid(td_link_spec *link, double mass);
/// Gives the link a tapered soft rod of the basis, order for all six components (-1: locked).
td_rod_spec *tree_rod(td_link_spec *link, td_basis basis, const int order[6]);
/// Gives the link a soft reduced body of that kinematics (lvp: hollow, nine modes of every field).
td_reduced_spec *tree_reduced(td_link_spec *link, td_body_kinematics kinematics);
/// Gives the link a soft box of five displacement modes.
td_reduced_spec *tree_ritz(td_link_spec *link);
/// The same body as a mesh of skewed hexahedra below and tetrahedra above, `points` along each direction of an element.
td_reduced_spec *tree_ritz_mesh(td_link_spec *link, int points);
/// The same box of 27 hexahedra less the one in the middle: a cavity of 0.02 x 0.01 x 0.05 m.
td_reduced_spec *tree_ritz_hollow(td_link_spec *link, int points);
/// Appends an actuator; its segments are appended by tree_route and tree_points, in order.
td_actuator_spec *tree_tendon(tree *t, const char *name);
void tree_joint_actuator(tree *t, const char *name, const char *link);
void tree_pressure(tree *t, const char *name, const char *link, int chamber);
void tree_route(tree *t, td_actuator_spec *tendon, const char *link, const td_routing_spec *routing);
void tree_points(tree *t, td_actuator_spec *tendon, const char *link, const double *points, size_t count);
td_load_spec *tree_load(tree *t, const char *link, double at, td_load_frame frame);
/// The same wrench per length of a rod, between two abscissas.
td_load_spec *tree_load_along(tree *t, const char *link, double from, double to, td_load_frame frame);
/// Appends a soft obstacle (radius 0.2 m, 3 N/m^p, p 2.5) at a skew pose.
td_contact_spec *tree_contact(tree *t, td_contact_type type);
/// Appends a loop between frames at skew poses on `a` and `b` (abscissas 1), about y where the joint has an axis.
td_loop_spec *tree_loop(tree *t, td_joint_type joint, const char *a, const char *b);
/// Appends a damped spring between points beside two links, rest: the distance at q = 0.
td_spring_spec *tree_spring(tree *t, const char *a, double at_a, const char *b, double at_b, const char *channel);
/// As tree_joint_actuator, of mode position.
void tree_prescribe(tree *t, const char *name, const char *link);
/// Gives a body lopsided drag, lift and added mass.
void tree_water(td_link_spec *link);
/// Builds the model; a failure prints the error and fails the test.
td_model *tree_build(const tree *t);

/// Robots by index.
size_t tree_count(void);
const char *tree_name(size_t i);
void tree_make(size_t i, tree *t);

/// Random numbers that depend on a name only.
uint64_t tree_seed(const char *name);
/// Uniform in [-1, 1); advances the seed.
double tree_random(uint64_t *seed);
void tree_random_vector(uint64_t *seed, double scale, int n, double *x);

#endif

// Robots for the law tests, built as td_model_spec in C: a builder, a list that covers every joint, basis, section, kind of
// child and tendon, and random states.
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
  size_t segment_count;
} tree;

void tree_init(tree *t);
/// Appends a link at the tip of `parent`, turned and moved by a fixed skew pose; axis (0.3, -0.5, 0.8).
td_link_spec *tree_link(tree *t, const char *name, const char *parent, td_joint_type joint);
/// Gives the link a lopsided rigid body.
void tree_rigid(td_link_spec *link, double mass);
/// Gives the link a tapered soft rod of the basis, order for all six components (-1: locked).
td_rod_spec *tree_rod(td_link_spec *link, td_basis basis, const int order[6]);
/// Appends an actuator; its segments are appended by tree_route and tree_points, in order.
td_actuator_spec *tree_tendon(tree *t, const char *name);
void tree_joint_actuator(tree *t, const char *name, const char *link);
void tree_route(tree *t, td_actuator_spec *tendon, const char *link, const td_routing_spec *routing);
void tree_points(tree *t, td_actuator_spec *tendon, const char *link, const double *points, size_t count);
td_load_spec *tree_load(tree *t, const char *link, double at, td_load_frame frame);
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

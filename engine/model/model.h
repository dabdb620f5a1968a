// The frozen robot: a tree of nodes (frames) joined by elements (what moves them). Internal to the engine.
//
// Nodes stand parents first; node 0 is the world. An element carries its coordinates from a start node to one end node
// (a joint) or to several (a rod: one interval between consecutive computational points, then one extra interval to each
// abscissa between points that a child, load or tendon hangs from). Joints of several coordinates are one-interval strips.
// In the world frame twists, accelerations and wrenches pass along constant transforms unchanged, so fixed joints cost a pose only.
// Everything here is written by build*.c and read by all algorithms; nothing changes after td_model_create.
#ifndef TENDRIL_MODEL_MODEL_H
#define TENDRIL_MODEL_MODEL_H

#include "element/routing.h"
#include "math/lanes.h"
#include "strain/basis.h"
#include "strain/profile.h"
#include "strain/section.h"
#include "tendril/model.h"

/// Mass, centre of mass and inertia about it (xx, xy, xz, yy, yz, zz) in the node's frame; `displaced` kg of fluid.
typedef struct td_inertia {
  double mass, com[3], inertia[6], displaced;
} td_inertia;

typedef struct td_node {
  int element; ///< that ends here, -1 for the world
  int interval;
  int inertia; ///< index into model->inertia, -1: massless
} td_node;

typedef enum td_element_type { TD_ELEMENT_FIXED, TD_ELEMENT_SCREW, TD_ELEMENT_STRIP } td_element_type;

/// Columns first … first + count - 1 of a strip act on one component of the strain (or of the joint's twist).
typedef struct td_group {
  int component, first, count;
} td_group;

/// The part of a group that falls into one chunk of eight columns.
typedef struct td_piece {
  int chunk, component;
} td_piece;

/// Consecutive ancestor columns: `count` slots from `slot` on hold coordinates from `coordinate` on.
typedef struct td_run {
  int slot, coordinate, count;
} td_run;

/// A set of slots for the columns of one element as they stand at one node where children hang.
typedef struct td_slot_block {
  int node, slot;
} td_slot_block;

typedef struct td_element {
  td_element_type type;
  int link, coordinate, n, npad;
  int start; ///< node it starts from
  int has_pre, has_post;
  td_se3 pre, post; ///< constant transforms before and after the motion (joints)
  int end;          ///< end node; of the last main interval for a strip
  double screw[6];  ///< SCREW: unit twist per coordinate in the joint's frame
  int rotates;      ///< SCREW: 1 when the angular part is not 0
  // strips
  int interval_count, batch_count, group_count;
  td_group group[6];
  const int *from, *to;     ///< [interval_count] nodes
  const td_vec *phi_lane;   ///< [batch][n][2]: h Phi at the two Zanna points, lane = interval
  const td_vec *rest_lane;  ///< [batch][2][6]: h xi* there
  const double *phi_column; ///< [interval][2][npad + 8]: the same, column by column
  int piece_count;
  const td_piece *piece;
  const td_vec *phi_piece; ///< [interval][piece][2]: the same, lane = column of the chunk, 0 outside the piece
  int rod;                 ///< index into model->rods, -1 for joints
  int first_batch;         ///< of this strip's motion in a workspace
  // ancestors and descendants
  int run_count, block_count;
  const td_run *run;
  const td_slot_block *block;
  int ancestor_count; ///< sum of run counts
} td_element;

/// What a rod needs beyond its strip: Gauss points for elasticity and tendons, and its continuous description.
typedef struct td_rod {
  int link, element, point_count, gauss_count;
  double length;
  const double *abscissa;    ///< [point_count]
  const int *point_node;     ///< [point_count]
  const double *weight;      ///< [gauss_count] w L, m
  const double *gauss_s;     ///< [gauss_count]
  const double *phi_gauss;   ///< [gauss_count][npad + 8] Phi (angular rows / L)
  const double *rest_gauss;  ///< [gauss_count][6] xi*
  const td_vec *piece_gauss; ///< [gauss_count][pieces of the strip] phi_gauss, lane = column of the chunk, 0 outside
  const double *stiffness, *damping; ///< [group][count][count] blocks, one after the other
  td_rod_basis *basis;
  td_section *section;
  td_profile_fixed *reference; ///< NULL: (0, 0, 0, 1, 0, 0)
  const td_group *group;
  int group_count;
} td_rod;

typedef struct td_link {
  char name[TD_MAX_NAME + 1];
  td_body_type body;
  int node; ///< the frame after the joint
  int rod;  ///< index, -1
  int joint_coordinate, joint_n;
} td_link;

/// One tendon on one rod: the constants of its tangent at the Gauss points, t = t0 + sum_c phi_c q_c m_{a(c)}.
typedef struct td_tendon_path {
  int tendon, rod;
  const double *offset; ///< [gauss][2] d = (y, z)
  const double *t0;     ///< [gauss][3] v* + w* x d + d', m/m
} td_tendon_path;

/// A straight stretch between two material points, length |p_b - p_a|.
typedef struct td_tendon_stretch {
  int tendon, node_a, node_b;
  double a[3], b[3]; ///< in the nodes' frames
} td_tendon_stretch;

typedef struct td_load {
  int node;
  td_se3 pose; ///< attachment in the node's frame
  td_load_frame frame;
  int channel[6]; ///< index into u or -1
  double wrench[6];
} td_load;

typedef struct td_channel {
  char name[TD_MAX_NAME + 12];
  int tendon;     ///< -1: not a tendon
  int coordinate; ///< joint actuator: the coordinate it drives, -1
} td_channel;

struct td_model {
  int n, ld; ///< ld: n padded to lanes, the stride of internal matrices
  double gravity[3];
  int node_count, element_count, inertia_count, rod_count, link_count, slot_count, slot_stride;
  int load_count, tendon_count, path_count, stretch_count, channel_count, actuator_channel_count;
  int floating;     ///< the first element translates: the origin moves with it
  int branched;     ///< some pair of coordinates is on different branches: matrices have zero blocks
  int world_forces; ///< world-frame loads or buoyancy exist: their stiffness enters did_dq
  int max_strip_n, max_strip_intervals, max_batches, strip_batches, max_rod_gauss, max_rod_n;
  td_node *node;
  td_element *element;
  td_inertia *inertia;
  td_rod *rod;
  td_link *link;
  td_load *load;
  td_tendon_path *path;
  td_tendon_stretch *stretch;
  td_channel *channel;
  char (*tendon_name)[TD_MAX_NAME + 1];
  double *tendon_constant; ///< [tendons] lengths that never change (points on rigid links)
  char (*coordinate_name)[TD_MAX_NAME + 24];
  double *joint_stiffness, *joint_damping, *joint_rest; ///< [n], 0 on rod coordinates
  struct td_block *blocks;                              ///< everything the model owns, freed together (model/block.h)
};

#endif

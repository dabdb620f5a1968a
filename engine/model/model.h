// The frozen robot: a tree of nodes (frames) joined by elements (what moves them). Internal to the engine.
//
// Nodes stand parents first; node 0 is the world. An element carries its coordinates from a start node to one end node
// (a joint) or to several (a rod: one interval between consecutive computational points, then one extra interval to
// each abscissa between points that a child, load or tendon hangs from). Joints of several coordinates are one-interval
// strips. In the world frame twists, accelerations and wrenches pass along constant transforms unchanged, so fixed
// joints cost a pose only. Everything here is written by build*.c and read by all algorithms; nothing changes after
// td_model_create.
#ifndef TENDRIL_MODEL_MODEL_H
#define TENDRIL_MODEL_MODEL_H

#include "element/contact.h"
#include "element/reduced/chamber.h"
#include "element/reduced/section_map.h"
#include "element/routing.h"
#include "element/rubbing.h"
#include "element/water.h"
#include "math/lanes.h"
#include "strain/basis.h"
#include "strain/field_column.h"
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

typedef enum td_element_type { TD_ELEMENT_FIXED, TD_ELEMENT_SCREW, TD_ELEMENT_STRIP, TD_ELEMENT_RITZ } td_element_type;

/// Columns first … first + count - 1 of a strip act on one component of the strain (or of the joint's twist).
typedef struct td_group {
  int component, first, count;
} td_group;

/// The part of a group that falls into one chunk of eight columns.
typedef struct td_piece {
  int chunk, component, group;
} td_piece;

/// Consecutive kept columns: `count` of them from `first` on are those of coordinates from `coordinate` on.
typedef struct td_column_range {
  int first, coordinate, count;
} td_column_range;

/// Where the columns of one element, as they stand at one node where children hang, are kept: from `first` on.
typedef struct td_kept_block {
  int node, first;
} td_kept_block;

typedef struct td_element {
  td_element_type type;
  const struct td_body_row *row; ///< what passes ask of it (body/body.h)
  int link, coordinate, n, npad;
  int start; ///< node it starts from
  int has_pre, has_post;
  td_se3 pre, post; ///< constant transforms before and after the motion (joints)
  int end;          ///< end node; of the last main interval for a strip
  double screw[6];  ///< SCREW: unit twist per coordinate in the joint's frame
  int rotates;      ///< SCREW: 1 when the angular part is not 0
  // strips
  int interval_count, batch_count, group_count;
  const td_group *group;
  const int *from, *to;     ///< [interval_count] nodes
  const td_vec *phi_lane;   ///< [batch][n][2]: h Phi at the two Zanna points, lane = interval
  const td_vec *rest_lane;  ///< [batch][2][6]: h xi* there
  const double *phi_column; ///< [interval][2][npad + 8]: the same, column by column
  int piece_count;
  const td_piece *piece;
  const td_vec *phi_piece; ///< [interval][piece][2]: the same, lane = column of the chunk, 0 outside the piece
  int rod;                 ///< index into model->rods, -1 for joints
  int first_batch;         ///< of this strip's motion in a workspace
  int ritz;                ///< RITZ: index into model->ritz
  const int *slice_at;     ///< [interval_count + 1] slice at each local node, -1; NULL: none
  // ancestors and descendants
  int range_count, block_count;
  int whole_blocks; ///< of its blocks, before those that touches between bodies alone read: J and R, where there are any
  const td_column_range *range;
  const td_kept_block *block;
  int ancestor_count; ///< sum of their counts
} td_element;

/// The stretch of a rod whose elongation is a coordinate, at its computational points: xi_x = rest + phi q.
typedef struct td_axial {
  int first, count;         ///< columns of the rod's element
  const double *phi, *rest; ///< [points][count], [points]
  const double *reach;      ///< [count] largest |phi| of each
  double least_rest;
} td_axial;

/// Curvature and stretch of a rod that bends, at its computational points, against the size of its sections.
typedef struct td_bends {
  int first, count;         ///< columns of the rod's element: bending_y, bending_z, elongation
  int split[4];             ///< those of each, [split[i], split[i + 1])
  bool round;               ///< a circle or an ellipse, else a rectangle
  const double *phi, *rest; ///< [points][count]; [points][3] kappa_y, kappa_z (1/m), xi_x
  const double *half;       ///< [points][2] m, what of the section lies beside its axis along z, y
  const double *reach;      ///< [count] most of each in what folds
  double least;             ///< what folds it first, at rest: xi_x less half times |kappa|
} td_bends;

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
  const double *coupling;            ///< [n][n] stiffness between columns of different components; NULL: none
  const td_axial *axial;             ///< NULL: its stretch is no coordinate
  const td_bends *bends;             ///< NULL: it does not bend, or has no size
  td_rod_basis *basis;               ///< NULL for a reduced body
  const td_field_column *column;     ///< [n] of a reduced body, NULL for a rod
  const int *axis; ///< [8] each component as that of a frame whose x axis is the tangent (identity for rods)
  td_section *outline;
  td_profile_fixed *reference;   ///< NULL: (0, 0, 0, 1, 0, 0)
  const td_section_row *section; ///< how particles of the sections move, NULL: sections are rigid
  const int *local_of;           ///< [n] the local field each column drives, -1
  int first_slice, slice_count;
  double shear_modulus, damping_time; ///< of a reduced body with nonlinear elasticity: Pa, s
  const td_group *group;              ///< of the stiffness: those of the element, then a reduced body's local columns
  int group_count;
} td_rod;

/// The particles around one node of a reduced body and the local fields p = rest + phi q that move them.
typedef struct td_slice {
  int node, rod;
  double s;         ///< X/L
  double density;   ///< kg/m^3: weights of the points are volumes
  double displaced; ///< kg of fluid by kg of body
  int batch_count;
  const td_section_points *points;
  const double *phi;    ///< [4][npad + lanes]
  const double *strain; ///< [10][npad + lanes]: strains kx … sz, then slopes of the local fields along the axis
  double rest[4];
} td_slice;

/// Particles of one batch of a Ritz body and one mode at them.
typedef struct td_ritz_points {
  td_vec volume, X[3];
} td_ritz_points;
typedef struct td_ritz_modes {
  td_vec phi[3], gradient[9]; ///< d phi_i / dX_j row-major
} td_ritz_modes;

enum { TD_SKIN_RINGS = 9 };

/// A body given by displacement modes on its start node, x = X + sum phi_k q_k, with a distal frame of three of its
/// points.
typedef struct td_ritz {
  int node, element, n, batch_count;
  double density, mu, lambda, eta; ///< kg/m^3, Pa, Pa, s
  double displaced;                ///< kg of fluid by kg of body
  const td_ritz_points *points;    ///< [batch]
  const td_ritz_modes *modes;      ///< [batch][n]
  double tip[9];                   ///< three material points at rest
  const double *tip_mode;          ///< [n][9] their displacement modes
  int skin_rings, skin_count;      ///< points of the surface: rings of TD_SURFACE_AROUND, or (0 rings) those of a mesh
  const double *skin;              ///< [skin_count][3] at rest
  const double *skin_mode;         ///< [n][skin_count][3] their displacement modes
} td_ritz;

typedef struct td_link {
  char name[TD_MAX_NAME + 1];
  td_body_type body;
  int node;   ///< the frame after the joint
  int distal; ///< reduced bodies: the frame children hang from and poses report
  int first_chamber;
  int rod; ///< index, -1
  int joint_coordinate, joint_n;
} td_link;

/// What sets a tendon's tension: its input, or with `length` how far its input stretches it (force/tendon/tension.h);
/// friction.
typedef struct td_tendon_law {
  int channel, length;
  double stiffness, rest, damping, width; ///< N/m, m (NaN until the model is whole: the length at q = 0), N s/m, m
  double friction, slip;                  ///< 0: none; m/s
  int first_piece, piece_count;           ///< of its path, with friction
} td_tendon_law;

/// A piece of the path of a tendon with friction, between two of its turns. GAUSS: the path's Gauss point `at`; EDGE:
/// the path's direction at its base (at 0) or tip (1), of no length; STRETCH: stretch `at` (of the guide if there is
/// one); FIXED: a stretch between two points of one rigid link, along `direction` in its node's frame.
typedef enum td_piece_type { TD_PIECE_GAUSS, TD_PIECE_EDGE, TD_PIECE_STRETCH, TD_PIECE_FIXED } td_piece_type;
typedef struct td_tendon_piece {
  td_piece_type type;
  int path, at, node;
  double direction[3];
} td_tendon_piece;

/// A path where friction needs it beyond its Gauss points: at its base and tip, and its nodes.
typedef struct td_path_edges {
  const double *phi; ///< [2][npad + 8] Phi at base and tip
  double offset[2][2], t0[2][3];
} td_path_edges;

/// One tendon on one rod: the constants of its tangent at the Gauss points, t = t0 + sum_c phi_c q_c m_{a(c)}.
typedef struct td_tendon_path {
  int tendon, rod;
  int first_piece;            ///< of the Gauss points, -1 without friction
  const td_path_edges *edges; ///< NULL without friction
  const double *offset;       ///< [gauss][2] d = (y, z)
  const double *t0;           ///< [gauss][3] v* + w* x d + d', m/m
} td_tendon_path;

/// A material point of a section that deforms (lane 0 of `point`), at a slice.
typedef struct td_mark {
  int slice;
  td_section_points point;
} td_mark;

/// Marks of one slice, side by side in lanes; lanes from `count` on repeat the first.
typedef struct td_mark_batch {
  int slice, count, mark[TD_LANES];
  td_section_points points;
} td_mark_batch;

/// A straight stretch between two material points, length |p_b - p_a|.
typedef struct td_tendon_stretch {
  int tendon, node_a, node_b;
  int mark_a, mark_b; ///< index into model->mark, -1: the points are fixed in their nodes
  double a[3], b[3];  ///< in the nodes' frames
  double rest;        ///< its length at q = 0, m; 0: one point, met for good
} td_tendon_stretch;

typedef struct td_load {
  int node;
  td_se3 pose; ///< attachment in the node's frame
  td_load_frame frame;
  int channel[6]; ///< index into u or -1
  double wrench[6];
  double scale; ///< of the wrench: 1, or the metres of rod that this point of a load per length stands for
} td_load;

/// Added mass, drag and viscous resistance of one rigid body or Gauss point, about a point of its node, in the node's
/// axes. Rods have the linear-linear 3x3 block alone (integrated over the Gauss point's length), rigid bodies a full
/// 6x6.
typedef struct td_fluid {
  int node, linear, has_added, has_drag, has_viscous;
  double reynolds; ///< rho d / mu of rods whose drag is resistive-force theory's alone, s/m; 0: another drag, or none
  double point[3];
  double added[TD_MATRIX6], drag[TD_MATRIX6], viscous[TD_MATRIX6]; ///< [3][3] when linear, else [6][6]
} td_fluid;

typedef struct td_contact_point {
  int node, rod;        ///< points of a rod follow each other from base to tip; another body's: -1 - link
  double radius, share; ///< m; m of rod when the stiffness is per length, else 1
  double offset[3];     ///< of the sphere's centre in the node's frame; on a rod 0
  double half;          ///< m, of the body there: a depth that is more is deep; on a rod its radius
  double ring, axis[3]; ///< before a plane, of a cylinder's rim (element/rim.h): m, and unit; else 0
  int quarter;          ///< which of its points
} td_contact_point;

typedef struct td_contact {
  td_obstacle obstacle;
  td_rubbing rubbing;
  int point_count;
  bool gaps; ///< it may slip between points of a rod (force/contact/obstacle/gap.h)
  const td_contact_point *point;
  int bristle; ///< of its first point, -1: it does not stick (td_workspace.bristle)
} td_contact;

/// What a proxy is, and so what it touches: axes and balls each other, corners of solids and spines axes
/// (element/closest.h); balls, points and corners cores (element/core.h).
typedef enum td_proxy_role {
  TD_PROXY_AXIS, ///< a capsule, or the joint of two on a rod
  TD_PROXY_BALL,
  TD_PROXY_POINT, ///< of a rod, end of a capsule: it touches cores alone
  TD_PROXY_CORNER,
  TD_PROXY_SPINE, ///< the capsule in a cylinder: it touches axes and spines, which may cross it between all points
  TD_PROXY_CORE,
  TD_PROXY_ROLES
} td_proxy_role;

/// A capsule that may touch others, between two points fixed in nodes (a ball: both ends are the same). Along a rod
/// capsules follow each other, and the points at which they join count as balls of weight -1: what touches there touches
/// both, and counts once.
typedef struct td_proxy {
  int frame[2];     ///< index into model->proxy_frame
  double end[2][3]; ///< in their nodes' frames, m
  bool ball;
  double radius, weight;
  double from, to; ///< m along the rod that it stands for, the neighbours of a joining point included
  td_proxy_role role;
  int joint[2]; ///< steps from its own index: of a capsule to the joints at its ends, of a joint to the capsules before
                ///< and after it, where both have the same radius; 0: none
  int core;     ///< index into model->core
  bool line;    ///< of an obstacle: it goes on along `along` (world, unit) without end
  double along[3];
} td_proxy;

/// What of one body touches others, or an obstacle as one that stands still in the world.
typedef struct td_solid {
  int link, first, count; ///< its proxies; of an obstacle -1 - contact
} td_solid;

/// Two solids that may touch, by the law of model->contact[contact]; of one rod `apart`: m along it, closer is left out.
typedef struct td_solid_pair {
  int contact, a, b;
  double apart;
  int bristle;     ///< of its first two proxies, those of b fastest; -1: it does not stick
  int range_count; ///< coordinates that move either
  const td_column_range *range;
} td_solid_pair;

typedef struct td_channel {
  char name[TD_MAX_NAME + 12];
  int tendon;     ///< -1: not a tendon
  int coordinate; ///< joint actuator of mode force: the coordinate it drives, -1
  int chamber;    ///< pressure: index into model->chamber, -1
} td_channel;

/// One end of a loop: a frame fixed to a node, and the ancestor columns that move it (its own element's included).
typedef struct td_loop_frame {
  int node;
  td_se3 pose; ///< in the node's frame
  int range_count;
  const td_column_range *range;
} td_loop_frame;

/// Rows first … first + rows - 1 of the constraint: phi on log(g_B^-1 g_A), covectors in frame B.
typedef struct td_loop {
  char name[TD_MAX_NAME + 1];
  td_loop_frame a, b;
  int first, rows;
  int turns;        ///< a rotation is free
  int winds;        ///< helical: e holds turn and slide together and jumps where the turn passes half a turn
  int group;        ///< the free motions are a group: where e = 0, A qd = 0 keeps it so
  int type, axis;   ///< td_joint_type; index of its axis
  double pitch;     ///< helical, m per rad
  int component[6]; ///< of each row, in the order wx wy wz vx vy vz
  double phi[6][6];
} td_loop;

/// A spring and damper along the line between points a.pose.p and b.pose.p of two nodes.
typedef struct td_spring {
  td_loop_frame a, b;
  double stiffness, damping, rest; ///< N/m, N s/m, m (NaN until the model is whole: the distance at q = 0)
  int channel;                     ///< whose input is added to rest, -1
} td_spring;

/// A coordinate whose motion is given, and its channel of u.
typedef struct td_prescribed {
  int coordinate, channel;
} td_prescribed;

/// Most kinds of force, and of energy, that there are.
enum { TD_FORCE_ROWS = 24, TD_ENERGY_ROWS = 16 };

struct td_model {
  int n, ld; ///< ld: n padded to lanes, the stride of internal matrices
  double gravity[3];
  int node_count, element_count, inertia_count, rod_count, link_count, kept_count, kept_stride;
  int fluid_count, contact_count, slice_count, ritz_count, mark_count, mark_batch_count, chamber_count;
  int load_count, tendon_count, path_count, stretch_count, channel_count, actuator_channel_count;
  /// The kinds of energy that its robots have, of td_energy_kind.
  int energy_count, energy_kind[TD_ENERGY_ROWS];
  /// What kinds of force keep for themselves, NULL: nothing. By their places in the table (force_table.h).
  void *of_force[TD_FORCE_ROWS];
  /// Kinds of force that act, on bodies and on coordinates, in the order of the table (force.h).
  const struct td_force *body_force[TD_FORCE_ROWS], *tau_force[TD_FORCE_ROWS];
  int body_force_count, tau_force_count,
      actuating_count;              ///< actuating_count: of tau_force, its first, that inputs make
  int driven_energy;                ///< energies depend on inputs
  int floating;                     ///< the first element translates: the origin moves with it
  int branched;                     ///< some pair of coordinates is on different branches: matrices have zero blocks
  const struct td_tree_order *tree; ///< how its mass matrix is factored without these blocks, NULL: dense
  int world_forces;                 ///< world-frame loads or buoyancy exist: their stiffness enters did_dq
  td_water water;                   ///< how the fluid flows, where it ends
  int immersed;                     ///< it flows, ends or is viscous: what acts on bodies in it is the force `immersed`
  bool gaps;                        ///< of some contact
  int resistive;                    ///< some td_fluid has a `reynolds`
  struct td_model
      *guide; ///< tendons through material points: the same robot with reduced bodies resolved at the tendons'
  ///< stations instead of their Gauss points; holds all straight stretches. NULL: none.
  int is_guide, guided; ///< this is one; stretches are the guide's
  int full_maps;        ///< added mass, drag or contact exist: composites hold general 6x6 maps beside the lean ones
  int wide_rows;        ///< columns need all six rows of R: full_maps, or loops or dampers between points exist
  int max_strip_n, max_strip_intervals, max_batches, strip_batches, max_rod_gauss, max_rod_n;
  const struct td_body_row *const *bodies; ///< the rows of all kinds, NULL at the end
  td_node *node;
  td_element *element;
  td_inertia *inertia;
  td_rod *rod;
  td_link *link;
  td_load *load;
  td_fluid *fluid;
  td_slice *slice;
  td_ritz *ritz;
  td_contact *contact;
  int proxy_count, proxy_frame_count, core_count, solid_count, solid_pair_count, bristle_count;
  td_proxy *proxy;
  td_core *core;              ///< of the solids that are neither rods nor balls nor capsules
  td_loop_frame *proxy_frame; ///< of what proxies hang on; their poses are not used
  int proxy_width;            ///< most columns that move one, each range whole vectors
  td_solid *solid;
  td_solid_pair *solid_pair;
  td_tendon_path *path;
  td_tendon_stretch *stretch;
  td_mark *mark;
  td_mark_batch *mark_batch;
  td_chamber *chamber;
  td_channel *channel;
  int length_count, friction_count, piece_count, most_pieces; ///< tendons driven by length; with friction; their pieces
  td_tendon_law *law;                                         ///< [tendons]
  td_tendon_piece *piece;
  int spring_count, driven_springs; ///< springs; those with a channel
  td_spring *spring;
  int loop_count, loop_rows, prescribed_count;
  td_loop *loop;
  td_prescribed *prescribed; ///< [prescribed_count], in channel order
  double *prescribed_mask;   ///< [ld] 0 on prescribed coordinates, 1 elsewhere
  char (*tendon_name)[TD_MAX_NAME + 1];
  double *tendon_constant; ///< [tendons] lengths that never change (points on rigid links)
  char (*coordinate_name)[TD_MAX_NAME + 24];
  double *joint_stiffness, *joint_damping, *joint_rest; ///< [n], 0 on rod coordinates
  td_warnings warnings;                                 ///< of the checks of its document
  const td_model_spec *document;                        ///< a copy of it, NULL in a guide
  struct td_block *blocks;                              ///< everything the model owns, freed together (model/block.h)
};

/// The node of point k of a link, as poses reports them (td_model_link_point_count of them).
int td_link_point_node(const td_model *m, int link, int k);

#endif

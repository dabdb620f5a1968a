// The model document tendril.model/1 as C structures: what a codec fills and td_model_create checks.
//
// A spec only borrows: every pointer stays the caller's and must live until td_model_create returns. A codec checks
// JSON types, unknown keys and missing required keys; every other rule (ranges, names, references, counts) is checked
// by td_model_create, with JSON pointers that follow the document's own keys and indices
// (/links/3/body/section/radius). SI units, radians, 6-vectors angular first. The words of enumerations are listed by
// td_*_name below, one table each.
#ifndef TENDRIL_SPEC_H
#define TENDRIL_SPEC_H

#include "tendril/se3.h"
#include <stdbool.h>
#include <stddef.h>

/// Limits of a model document; /v1/limits reports them.
enum {
  TD_MAX_LINKS = 1024,
  TD_MAX_NDOF = 2048,
  TD_MAX_NAME = 63,
  TD_MAX_CHANNELS = 1024,
  TD_MAX_POINTS = 1024,
  TD_MAX_SEGMENTS = 1024,
  TD_MAX_KNOTS = 4096,
  TD_MAX_LOOPS = 256,
  TD_MAX_SPRINGS = 1024,
  TD_MAX_MODES = 64,
  TD_MAX_TERMS = 256,
  TD_MAX_MESH = 16384,       ///< points of a mesh, its tetrahedra, its hexahedra
  TD_MAX_PARTICLES = 131072, ///< quadrature points of a Ritz body
  TD_MAX_CONTACTS = 256,
  TD_MAX_CONTACT_PAIRS = 4096, ///< pairs of links that may touch each other
  TD_MAX_ORDER = 64
};

/// What the coordinates of a joint move: turns about, then slides along, the axes of a frame whose z is the joint's
/// axis (of spherical and free joints: the joint's own frame), in this order. TD_PITCHED: the turn about z slides along
/// z, too.
enum {
  TD_TURN_X = 1,
  TD_TURN_Y = 2,
  TD_TURN_Z = 4,
  TD_SLIDE_X = 8,
  TD_SLIDE_Y = 16,
  TD_SLIDE_Z = 32,
  TD_PITCHED = 64,
  TD_TURNS = TD_TURN_X | TD_TURN_Y | TD_TURN_Z,
  TD_SLIDES = TD_SLIDE_X | TD_SLIDE_Y | TD_SLIDE_Z
};

/// The types of joints, a line each: enumerator, word, what its coordinates move.
#define TD_JOINTS(LINE)                                                                                                \
  LINE(FIXED, fixed, 0)                                                                                                \
  LINE(REVOLUTE, revolute, TD_TURN_Z)                                                                                  \
  LINE(PRISMATIC, prismatic, TD_SLIDE_Z)                                                                               \
  LINE(HELICAL, helical, TD_TURN_Z | TD_PITCHED)                                                                       \
  LINE(CYLINDRICAL, cylindrical, TD_TURN_Z | TD_SLIDE_Z)                                                               \
  LINE(UNIVERSAL, universal, TD_TURN_X | TD_TURN_Y)                                                                    \
  LINE(PLANAR, planar, TD_TURN_Z | TD_SLIDE_X | TD_SLIDE_Y)                                                            \
  LINE(SPHERICAL, spherical, TD_TURNS)                                                                                 \
  LINE(FREE, free, TD_TURNS | TD_SLIDES)

#define TD_JOINT_ENUMERATOR(word, name, moves) TD_JOINT_##word,
typedef enum td_joint_type { TD_JOINTS(TD_JOINT_ENUMERATOR) TD_JOINT_TYPE_COUNT } td_joint_type;

typedef enum td_body_type {
  TD_BODY_NONE,
  TD_BODY_RIGID,
  TD_BODY_ROD,
  TD_BODY_REDUCED,
  TD_BODY_TYPE_COUNT
} td_body_type;

/// Kinematics of reduced bodies: rows of the table in element/reduced/section_map.c; ritz: body/ritz.
typedef enum td_body_kinematics {
  TD_KINEMATICS_PCC_PLANAR,
  TD_KINEMATICS_PCC_PLANAR_EXTENSIBLE,
  TD_KINEMATICS_PCC,
  TD_KINEMATICS_POLYNOMIAL_CURVATURE,
  TD_KINEMATICS_GAUSSIAN_CURVATURE,
  TD_KINEMATICS_PCC_VARIABLE_RADIUS,
  TD_KINEMATICS_LVP,
  TD_KINEMATICS_RITZ,
  TD_KINEMATICS_COUNT
} td_body_kinematics;

/// Fields of an LVP body along its axis: strains in the order of TD strain of reduced bodies, then the source (m^2).
typedef enum td_field {
  TD_FIELD_KX,
  TD_FIELD_KY,
  TD_FIELD_KZ,
  TD_FIELD_SX,
  TD_FIELD_SY,
  TD_FIELD_E,
  TD_FIELD_SOURCE,
  TD_FIELD_COUNT
} td_field;

/// TD_SHAPE_NONE: mass, com, inertia are given. Otherwise they come from shape and density.
typedef enum td_rigid_shape {
  TD_SHAPE_NONE,
  TD_SHAPE_BOX,
  TD_SHAPE_CYLINDER,
  TD_SHAPE_SPHERE,
  TD_SHAPE_PRISM,
  TD_SHAPE_COUNT
} td_rigid_shape;

/// What rigid bodies touch with, a line each: enumerator and row, td_collision_<row>, in element/collision.c.
#define TD_COLLISIONS(LINE)                                                                                            \
  LINE(SPHERE, sphere)                                                                                                 \
  LINE(CAPSULE, capsule)                                                                                               \
  LINE(CYLINDER, cylinder)                                                                                             \
  LINE(BOX, box)                                                                                                       \
  LINE(MESH, mesh)

/// NONE: nothing is said, so that a sphere, box or cylinder of td_rigid_spec.shape touches as it is.
#define TD_COLLISION_ENUMERATOR(word, row) TD_COLLISION_##word,
typedef enum td_collision_shape {
  TD_COLLISION_NONE,
  TD_COLLISIONS(TD_COLLISION_ENUMERATOR) TD_COLLISION_COUNT
} td_collision_shape;

typedef enum td_section_shape {
  TD_SECTION_CIRCLE,
  TD_SECTION_RECTANGLE,
  TD_SECTION_ELLIPSE,
  TD_SECTION_STIFFNESS, ///< given by numbers (td_stiffness_spec) instead of a shape and a material
  TD_SECTION_SHAPE_COUNT
} td_section_shape;

/// The families of strain functions, a line each: enumerator and row, td_family_<row>, which its file in strain/
/// exports.
#define TD_BASES(LINE)                                                                                                 \
  LINE(LEGENDRE, legendre)                                                                                             \
  LINE(MONOMIAL, monomial)                                                                                             \
  LINE(CHEBYSHEV, chebyshev)                                                                                           \
  LINE(FOURIER, fourier)                                                                                               \
  LINE(GAUSSIAN, gaussian)                                                                                             \
  LINE(INVERSE_MULTIQUADRIC, inverse_multiquadric)                                                                     \
  LINE(LINEAR, linear)                                                                                                 \
  LINE(QUADRATIC, quadratic)                                                                                           \
  LINE(CUBIC, cubic)                                                                                                   \
  LINE(HERMITE, hermite)                                                                                               \
  LINE(TABLE, table)

#define TD_BASIS_ENUMERATOR(word, row) TD_BASIS_##word,
typedef enum td_basis { TD_BASES(TD_BASIS_ENUMERATOR) TD_BASIS_COUNT } td_basis;

typedef enum td_routing_type {
  TD_ROUTING_LINEAR,
  TD_ROUTING_HELIX,
  TD_ROUTING_TABLE,
  TD_ROUTING_SUM,
  TD_ROUTING_COUNT
} td_routing_type;

/// What drives a robot, a line each: enumerator and word; the row td_actuator_<word> is in a file of this name in
/// spec/check/actuator/.
#define TD_ACTUATORS(LINE)                                                                                             \
  LINE(TENDON, tendon)                                                                                                 \
  LINE(JOINT, joint)                                                                                                   \
  LINE(PRESSURE, pressure)                                                                                             \
  LINE(FIELD, field)

#define TD_ACTUATOR_ENUMERATOR(type, word) TD_ACTUATOR_##type,
typedef enum td_actuator_type { TD_ACTUATORS(TD_ACTUATOR_ENUMERATOR) TD_ACTUATOR_TYPE_COUNT } td_actuator_type;
typedef enum td_load_frame { TD_LOAD_WORLD, TD_LOAD_BODY, TD_LOAD_FRAME_COUNT } td_load_frame;

/// The obstacles, a line each: enumerator and row, td_obstacle_<row>, which a file in element/ exports.
#define TD_CONTACTS(LINE)                                                                                              \
  LINE(CYLINDER_INTERIOR, cylinder_interior)                                                                           \
  LINE(CYLINDER_EXTERIOR, cylinder_exterior)                                                                           \
  LINE(PLANE, plane)                                                                                                   \
  LINE(SPHERE, sphere)                                                                                                 \
  LINE(BOX, box)

/// Behind them: links against links, and a rod against itself.
#define TD_CONTACT_ENUMERATOR(word, row) TD_CONTACT_##word,
typedef enum td_contact_type {
  TD_CONTACTS(TD_CONTACT_ENUMERATOR) TD_OBSTACLE_COUNT,
  TD_CONTACT_PAIR = TD_OBSTACLE_COUNT,
  TD_CONTACT_SELF,
  TD_CONTACT_TYPE_COUNT
} td_contact_type;

/// POINT: as many times as there are points, so that depth depends on quadrature. LENGTH: the same for any number of
/// points.
typedef enum td_contact_per { TD_CONTACT_PER_POINT, TD_CONTACT_PER_LENGTH, TD_CONTACT_PER_COUNT } td_contact_per;

/// The document's word for an enumerator ("fixed"), NULL when out of range. Codecs and schema tests read words only
/// here.
TD_API const char *td_joint_type_name(td_joint_type type);
TD_API const char *td_body_type_name(td_body_type type);
TD_API const char *td_kinematics_name(td_body_kinematics kinematics);
TD_API const char *td_field_name(td_field field);
TD_API const char *td_rigid_shape_name(td_rigid_shape shape);
TD_API const char *td_collision_shape_name(td_collision_shape shape); ///< NONE has no word
TD_API const char *td_section_shape_name(td_section_shape shape);
TD_API const char *td_basis_name(td_basis basis);
TD_API const char *td_routing_type_name(td_routing_type type);
TD_API const char *td_actuator_type_name(td_actuator_type type);
TD_API const char *td_load_frame_name(td_load_frame frame);
TD_API const char *td_contact_type_name(td_contact_type type);
TD_API const char *td_contact_per_name(td_contact_per per);
/// "torsion", "bending_y", "bending_z", "elongation", "shear_y", "shear_z" for 0 … 5.
TD_API const char *td_strain_component_name(int component);
/// Coordinates of a joint: 0 fixed, 1 revolute …, 6 free.
TD_API int td_joint_dof(td_joint_type type);
/// What they move: bits of TD_TURN_X … TD_PITCHED.
TD_API unsigned td_joint_moves(td_joint_type type);
/// PAIR and SELF: what touches are bodies of the robot, and there is no obstacle.
static inline bool td_contact_is_mutual(td_contact_type type) { return type >= TD_CONTACT_PAIR; }
/// Which measures an obstacle has beside its pose.
TD_API bool td_contact_has_axis(td_contact_type type);
TD_API bool td_contact_has_radius(td_contact_type type);
TD_API bool td_contact_has_size(td_contact_type type);
/// The keys of a section: circle {"radius", NULL}, rectangle {"height", "width"}, ellipse {"semi_y", "semi_z"},
/// stiffness {NULL, NULL}.
TD_API void td_section_keys(td_section_shape shape, const char *keys[2]);
/// Those of the hole in it: "inner_radius", "inner_height" …
TD_API void td_section_inner_keys(td_section_shape shape, const char *keys[2]);
/// The keys of a section given by its stiffness, by strain component: "GJ", "EI_y", "EI_z", "EA", "GA_y", "GA_z".
TD_API const char *td_stiffness_key(int component);

/// A quantity along a rod: count 1 constant; count 2 with s == NULL linear [base, tip]; otherwise a natural C2 cubic
/// spline through (s[i], value[i]), s in [0, 1] rising strictly, s[0] = 0, s[count-1] = 1. value is [count][width].
typedef struct td_profile {
  size_t count;
  size_t width;
  const double *s;
  const double *value;
} td_profile;

/// Soft stops, per coordinate, at a depth p = q - upper or lower - q beyond them:
///   tau = -+(stiffness p) - damping p qd,   U = stiffness p^2 / 2
/// so that the force sets in without a jump. stiffness 0: the coordinate has none.
typedef struct td_limits_spec {
  double lower[6], upper[6]; ///< rad or m, lower <= upper; -INFINITY, INFINITY: none on that side
  double stiffness[6];       ///< N m/rad or N/m
  double damping[6];         ///< N m s/rad^2 or N s/m^2: a damper that grows with the depth
} td_limits_spec;

typedef struct td_joint_spec {
  td_joint_type type;
  double axis[3];                           ///< any length but 0; default (0, 0, 1)
  double pitch;                             ///< helical: m per rad
  double stiffness[6], damping[6], rest[6]; ///< per coordinate
  td_limits_spec limits;                    ///< default none
} td_joint_spec;

/// What a rigid body touches with: the hull of spheres. NULL pointers and 0 where the shape has none of it.
typedef struct td_collision_spec {
  td_collision_shape shape;
  td_se3 pose;           ///< of its middle in the link's frame
  double radius, length; ///< sphere; capsule: from centre to centre of its round ends; cylinder: from end to end, m
  double axis[3];        ///< capsule, cylinder: unit or not; default (0, 0, 1)
  double size[3];        ///< box: edges, its rounding within, m
  double rounding;       ///< box, cylinder: radius of edges; mesh: what lies around the hull of its points, m
  const double *points;  ///< mesh: [point_count][3], m
  size_t point_count;
} td_collision_spec;

typedef struct td_rigid_spec {
  td_rigid_shape shape;
  double mass, com[3], inertia[9]; ///< inertia about com in link axes (shape NONE); com also places a shape
  double density;                  ///< kg/m^3, with a shape
  double size[3];                  ///< box: edges
  double radius, length;           ///< cylinder, sphere
  double axis[3];                  ///< cylinder, prism: unit or not; default (0, 0, 1)
  double height;                   ///< prism: along its axis
  const double *polygon;           ///< prism: [polygon_count][2]
  size_t polygon_count;
  double body_density;     ///< for buoyancy; 0 when absent: the shape's density, without a shape no buoyancy
  double drag[TD_MATRIX6]; ///< 6x6 at the centre of mass, link axes: wrench = -drag |v| twist; N s^2/m^2, N s^2/m, …
  double linear[TD_MATRIX6];     ///< 6x6 there: wrench = -linear twist; N m s, N s, N s/m
  double added_mass[TD_MATRIX6]; ///< 6x6 symmetric there: kg, kg m, kg m^2
  double magnetisation[3];       ///< magnetic moment there, link axes, A m^2
  td_collision_spec collision;
} td_rigid_spec;

/// A section without shape and material. 6-vectors and matrices by strain component: torsion, bending_y, bending_z,
/// elongation, shear_y, shear_z. Profiles of count 0 are not given.
typedef struct td_stiffness_spec {
  td_profile stiffness[6]; ///< GJ, EI_y, EI_z (N m^2), EA, GA_y, GA_z (N); needed where the component is active
  td_profile mass;         ///< kg/m
  td_profile inertia;      ///< Jx, Iy, Iz, width 3, kg m; default 0
  td_profile coupling;     ///< 6x6 row-major, width 36, added to the diagonal of `stiffness`; default 0
  td_profile radius;       ///< for contact, water and pictures, m
} td_stiffness_spec;

typedef struct td_rod_spec {
  double length;
  td_section_shape section;
  td_profile size[2];          ///< in the order of td_section_keys; both of count 0 for TD_SECTION_STIFFNESS
  td_profile inner[2];         ///< of a concentric hole of the same shape; count 0: none
  td_profile torsion_constant; ///< J of the torsional stiffness G J, m^4; count 0: Iy + Iz
  td_profile shear_correction; ///< k of the shear stiffness k G A; count 0: 1
  td_profile damping;          ///< screw damping by strain component, width 6, added to that of `viscosity`; count 0: 0
  td_stiffness_spec numbers;   ///< TD_SECTION_STIFFNESS, which has no material: young … viscosity are not read
  double young;
  double poisson, shear; ///< exactly one is given; the other is NaN
  double density, viscosity;
  td_basis basis;
  int order[6];          ///< -1: the component is locked at its reference (for table: 0 active, -1 locked)
  const double *table_s; ///< table basis: knots [table_count]
  size_t table_count;
  const double *table[6]; ///< [table_columns[c]][table_count], values of each coordinate at the knots
  size_t table_columns[6];
  td_profile reference;    ///< xi*, width 6, physical; count 0: (0, 0, 0, 1, 0, 0)
  int quadrature_points;   ///< 0: default of the basis
  double cd[3], cl[3];     ///< drag and lift coefficients cd_x … cl_z, 0 when absent
  double added[2];         ///< added_y, added_z
  double linear[2];        ///< viscous resistance along the tangent and across it, N s/m^2; 0 when absent
  double magnetisation[3]; ///< per volume of its material, along the axes of its sections' frames, A/m
  bool resistive_force;    ///< the same by Lighthill's coefficients from the fluid's viscosity; `linear` is not used
  int enrichment;          ///< no word of documents: functions that each element of an active component has beyond its
                           ///< family's; what they would do is what the basis leaves out (engine/estimate); 0
  bool smooth_enrichment;  ///< no word of documents: these are polynomials whatever the section does; false
} td_rod_spec;

/// One coordinate of an LVP body: field(s) += q (scale) sum_i polynomial[i] (s/L)^i, scale 1/L for kx, ky, kz, else 1.
typedef struct td_mode_spec {
  td_field field;
  const double *polynomial;
  size_t count;
} td_mode_spec;

/// One coordinate of a Ritz body: displacement q (f1, f2, f3), each a sum of terms c x^i y^j z^k (m).
typedef struct td_ritz_mode_spec {
  const double (*terms[3])[4]; ///< [count][c, i, j, k]
  size_t count[3];
} td_ritz_mode_spec;

/// A solid made of elements, m. Corners are indices of points. Tetrahedron [a, b, c, d]: a, b, c turn right-handed
/// about the direction to d. Hexahedron: around its bottom, then in the same order around its top (as in VTK).
typedef struct td_mesh_spec {
  const double *points; ///< [point_count][3]
  size_t point_count;
  const int (*tetrahedra)[4], (*hexahedra)[8];
  size_t tetrahedron_count, hexahedron_count;
} td_mesh_spec;

/// A body given by its kinematics; its local z is the axis.
typedef struct td_reduced_spec {
  td_body_kinematics kinematics;
  double length;
  td_profile radius; ///< count 1 or 2
  double density, young, poisson;
  double damping_time;  ///< eta, s
  bool section_inertia; ///< false: mass on the axis
  int s_points, r_points,
      angle_points;          ///< quadrature; 0: default of the kinematics. Ritz: z, x, y; mesh: s per direction
  int order;                 ///< polynomial_curvature
  bool planar;               ///< polynomial_curvature
  double width;              ///< gaussian_curvature, m; NaN: length
  bool scale_law;            ///< pcc_variable_radius: rho = r (1 + dR/R) instead of r + dR
  double wall;               ///< pcc_variable_radius: d_c, m
  double inner_radius;       ///< lvp, m
  const td_mode_spec *modes; ///< lvp
  size_t mode_count;
  bool has_mesh;  ///< ritz: `mesh` instead of `size`
  double size[3]; ///< ritz: box x, y, z, m; x and y centred on the axis, z from 0
  td_mesh_spec mesh;
  const td_ritz_mode_spec *ritz_modes;
  size_t ritz_mode_count;
  double tip_points[9]; ///< ritz: origin, a point along n1, a point that completes the plane (n1, n2), m
} td_reduced_spec;

typedef struct td_body_spec {
  td_body_type type;
  td_rigid_spec rigid;
  td_rod_spec rod;
  td_reduced_spec reduced;
} td_body_spec;

typedef struct td_link_spec {
  const char *name;
  const char *parent; ///< "world" or a link's name
  double at;          ///< [0, 1], default 1
  td_se3 pose;
  td_joint_spec joint;
  td_body_spec body;
} td_link_spec;

/// A tendon's path in a rod's section: y, z in m as functions of s.
typedef struct td_routing_spec {
  td_routing_type type;
  double base[2], tip[2];      ///< linear
  double radius, turns, phase; ///< helix
  const double *s, *y, *z;     ///< table: knots [count]
  size_t count;
  const struct td_routing_spec *of; ///< sum: [of_count], nesting limited by the codec
  size_t of_count;
} td_routing_spec;

typedef struct td_segment_spec {
  const char *link;
  bool has_routing; ///< on a rod: routing; on a rigid link: points
  td_routing_spec routing;
  const double *points; ///< [points_count][3], link frame; on a reduced body material coordinates (x, y, s)
  size_t points_count;
} td_segment_spec;

typedef struct td_actuator_spec {
  const char *name;
  td_actuator_type type;
  const char *link;                ///< joint
  bool mode_position;              ///< joint: mode "position"
  int chamber;                     ///< pressure: chamber of the reduced body `link`
  bool gradient;                   ///< field: five more channels, its gradient
  const td_segment_spec *segments; ///< tendon: `link` + `routing` of the document become one segment
  size_t segment_count;
  bool segments_key;  ///< the document used `segments` (error pointers then go through /segments/i)
  bool joined;        ///< straight stretches between segments count (default true)
  bool mode_length;   ///< tendon: the channel is the length pulled in, m, instead of the tension, N
  double stiffness;   ///< mode length: N/m
  double rest;        ///< mode length: m; NaN: the tendon's length at q = 0
  double damping;     ///< mode length: N s/m
  double slack_width; ///< mode length: m, over it a tendon goes from slack to taut; 0: TD_SLACK_WIDTH
  double friction;    ///< tendon: coefficient of friction along its path, 0: none
  double slip_speed;  ///< m/s, where friction begins to act; 0: TD_SLIP_SPEED
} td_actuator_spec;

/// Defaults of tendons: m, m/s; the speed of contacts, too.
#define TD_SLACK_WIDTH 1e-4
#define TD_SLIP_SPEED 1e-3
/// What of a rod is closer along it than so many of its largest radii does not touch itself.
#define TD_SELF_APART 3

typedef struct td_load_spec {
  const char *name; ///< may be NULL
  const char *link;
  double at;
  td_se3 pose;
  td_load_frame frame;
  double wrench[6]; ///< used when has_channels is false
  bool has_channels;
  const char *channels[6]; ///< NULL: no such component
  bool per_length;         ///< the wrench acts per metre of a rod between `from` and `to`; `at` is not used
  double from, to;         ///< X/L, from < to
} td_load_spec;

/// Balls (of rods at computational points, of rigid bodies those whose hull they are) against one obstacle: force
/// stiffness depth^exponent along its normal; per length, times half the distance of the point's neighbours. With
/// `damping` times 1 + damping d(depth)/dt, not below 0; with `friction` what slides is held back by friction times that
/// force times v / sqrt(v^2 + slip_speed^2) (element/rubbing.h).
typedef struct td_contact_spec {
  const char *name; ///< may be NULL
  td_contact_type type;
  td_se3 pose;                ///< of the obstacle in the world
  double axis[3];             ///< cylinder's axis or plane's outward normal in `pose`; default (0, 0, 1)
  double radius;              ///< cylinder, sphere: m; NaN when absent
  double size[3], rounding;   ///< box: edges along the axes of `pose`, its rounding within; radius of its edges, m
  double stiffness, exponent; ///< N / m^exponent, per metre of rod N / m^(exponent + 1); default exponent 1.5
  td_contact_per per;         ///< what `stiffness` is of: a computational point, or a metre of rod
  double damping;             ///< s/m
  double friction;            ///< coefficient mu, 0: none
  double slip_speed;          ///< m/s, above which friction is nearly all of itself; 0: TD_SLIP_SPEED
  double stick;               ///< N/m, of a spring along the surface that holds up to friction; 0: none
  double stick_damping;       ///< N s/m, of a damper beside it
  double anisotropy[2];       ///< factors of friction along the rod's tangent and across it; both 0: 1, 1
  const char *const *links;   ///< [link_count]; link_count 0: every rod, and nothing else
  size_t link_count;
  const char *const *a, *const *b; ///< pair: [a_count], [b_count], every one against every other; self: a[0], a rod
  size_t a_count, b_count;
  double apart; ///< self: m along the rod, what is closer does not touch; 0: three times its largest radius
} td_contact_spec;

typedef struct td_loop_end {
  const char *link; ///< "world" or a link's name
  double at;        ///< material abscissa of a rod, default 1
  td_se3 pose;      ///< of the loop joint's frame in the link's frame there
} td_loop_end;

/// Closes a chain: what `joint` leaves free between frames a and b; the rest of log(g_B^-1 g_A) is held at 0.
typedef struct td_loop_spec {
  const char *name; ///< may be NULL
  td_loop_end a, b;
  td_joint_spec joint; ///< its axis must be principal; stiffness, damping and rest are not used
} td_loop_spec;

/// A spring and damper along the line between two points:  force = stiffness (distance - rest - u) + damping distance'.
typedef struct td_spring_spec {
  const char *name;    ///< may be NULL
  td_loop_end a, b;    ///< of their poses only the translation matters
  double stiffness;    ///< N/m
  double damping;      ///< N s/m
  double rest;         ///< m; NaN: the distance at q = 0
  const char *channel; ///< its input u (m) is added to rest; NULL: none
} td_spring_spec;

/// How the water moves and where it ends. Velocities in world axes, m/s: `velocity` (knots 0) or the table, and
/// channels on top.
typedef struct td_fluid_spec {
  double viscosity;        ///< Pa s; 0: not given
  double velocity[3];      ///< uniform
  const double *z, *table; ///< [knots] heights, rising; [knots][3] velocities there
  size_t knots;
  bool has_channels;
  const char *channels[3]; ///< of what is added to each component, NULL: none
  bool has_surface;
  double surface, width; ///< m: wet below, smoothed over the width
} td_fluid_spec;

typedef struct td_model_spec {
  const char *name;
  double gravity[3];    ///< default (0, 0, 0)
  double fluid_density; ///< 0: no fluid. Scales gravity on a body by 1 - fluid_density / (its density)
  td_fluid_spec fluid;
  const td_link_spec *links;
  size_t link_count;
  const td_actuator_spec *actuators;
  size_t actuator_count;
  const td_load_spec *loads;
  size_t load_count;
  const td_contact_spec *contacts;
  size_t contact_count;
  const td_loop_spec *loops;
  size_t loop_count;
  const td_spring_spec *springs;
  size_t spring_count;
  bool told; ///< no word of documents: a twin of a robot that was judged already, by which nothing is warned of
  /// No word of documents: whose points' contacts of a stiffness each are spread over the points of this one, as
  /// stiffness per length; NULL: each point has its own.
  const struct td_model *spread;
} td_model_spec;

#endif

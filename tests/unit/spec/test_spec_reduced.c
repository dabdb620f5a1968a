// Rules of reduced bodies, of the chambers that pressure fills and of tendons through their material points.
#include "support/spec_rule.h"
#include "support/suite.h"
#include <math.h>

#define BAD TD_INVALID_ARGUMENT
#define AT "/links/1/body"

static double radius[2], polynomial[3], points[6];
static td_mode_spec modes[2];
static double terms[2][4];
static td_ritz_mode_spec shapes[1];

// The robot's arm as a reduced body: no children along it, no cables.
static td_reduced_spec *body(robot *r, td_body_kinematics kinematics) {
  static const double tip[9] = {0, 0, 0.4, 0.01, 0, 0.4, 0, 0.01, 0.4};
  bool varies = kinematics == TD_KINEMATICS_PCC_VARIABLE_RADIUS;
  radius[0] = 0.03, radius[1] = 0.02;
  polynomial[0] = 0, polynomial[1] = 1, polynomial[2] = -1;
  modes[0] = modes[1] = (td_mode_spec){TD_FIELD_KX, polynomial, 3};
  terms[0][0] = 1, terms[0][1] = 0, terms[0][2] = 1, terms[0][3] = 2;
  const double(*list)[4] = (const double(*)[4])terms;
  shapes[0] = (td_ritz_mode_spec){.terms = {list, list, list}, .count = {1, 0, 0}};
  td_reduced_spec *b = &r->links[ARM].body.reduced;
  r->links[ARM].body.type = TD_BODY_REDUCED;
  *b = (td_reduced_spec){.kinematics = kinematics, .length = 0.4, .density = 1000, .young = 1e6, .poisson = 0.45};
  b->radius = (td_profile){.count = varies ? 1 : 2, .width = 1, .value = radius};
  b->width = NAN;
  b->wall = 0.004;
  b->inner_radius = 0.01;
  b->modes = modes, b->mode_count = 2;
  b->ritz_modes = shapes, b->ritz_mode_count = 1;
  for (int i = 0; i < 3; i++) b->size[i] = 0.04;
  for (int i = 0; i < 9; i++) b->tip_points[i] = tip[i];
  r->spec.actuator_count = 0;
  return b;
}

// A cube of 0.1 m cut into a slab of one hexahedron and, above, one tetrahedron.
static double corner[9][3];
static int tetrahedra[1][4], hexahedra[1][8];

static td_reduced_spec *mesh(robot *r) {
  static const int around[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                   {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
  td_reduced_spec *b = body(r, TD_KINEMATICS_RITZ);
  for (int c = 0; c < 8; c++) {
    for (int i = 0; i < 3; i++) corner[c][i] = 0.1 * around[c][i];
    hexahedra[0][c] = c;
  }
  corner[8][0] = corner[8][1] = 0, corner[8][2] = 0.2;
  for (int i = 0; i < 3; i++) tetrahedra[0][i] = (int[]){4, 5, 7}[i];
  tetrahedra[0][3] = 8;
  b->has_mesh = true;
  b->mesh = (td_mesh_spec){.points = corner[0], .point_count = 9, .tetrahedron_count = 1, .hexahedron_count = 1};
  b->mesh.tetrahedra = (const int(*)[4])tetrahedra, b->mesh.hexahedra = (const int(*)[8])hexahedra;
  return b;
}

static td_reduced_spec *arc(robot *r) { return body(r, TD_KINEMATICS_PCC); }
static td_reduced_spec *lvp(robot *r) { return body(r, TD_KINEMATICS_LVP); }
static td_reduced_spec *box(robot *r) { return body(r, TD_KINEMATICS_RITZ); }
static td_reduced_spec *swell(robot *r) { return body(r, TD_KINEMATICS_PCC_VARIABLE_RADIUS); }

BREAK(arc_good, arc(r))
BREAK(kinematics_unknown, arc(r)->kinematics = TD_KINEMATICS_COUNT)
BREAK(length_zero, arc(r)->length = 0)
BREAK(radius_negative, arc(r); radius[1] = -1)
BREAK(radius_spline, arc(r)->radius.count = 3)
BREAK(density_nan, arc(r)->density = NAN)
BREAK(young_zero, arc(r)->young = 0)
BREAK(poisson_high, arc(r)->poisson = 0.6)
BREAK(poisson_half, arc(r)->poisson = 0.5)
BREAK(damping_negative, arc(r)->damping_time = -0.1)
BREAK(points_many, arc(r)->s_points = 65)
BREAK(radii_many, lvp(r)->r_points = 33)
BREAK(angles_many, lvp(r)->angle_points = 65)

static const spec_rule common[] = {
    {"a reduced body is accepted", arc_good, TD_OK, "", ""},
    {"kinematics are known", kinematics_unknown, BAD, AT, "unknown"},
    {"a body has a length", length_zero, BAD, AT "/length", "is 0"},
    {"a radius is positive at both ends", radius_negative, BAD, AT "/radius/1", "-1"},
    {"a radius is linear", radius_spline, BAD, AT "/radius", "[base, tip]"},
    {"a density is a number", density_nan, BAD, AT "/density", "nan"},
    {"a body is elastic", young_zero, BAD, AT "/young", "is 0"},
    {"Poisson's ratio is at most a half", poisson_high, BAD, AT "/poisson", "0.6"},
    {"a half is accepted", poisson_half, TD_OK, "", ""},
    {"damping takes energy", damping_negative, BAD, AT "/damping_time", "-0.1"},
    {"points along the axis are limited", points_many, BAD, AT "/quadrature/s", "65"},
    {"points along the radius are limited", radii_many, BAD, AT "/quadrature/r", "33"},
    {"points around are limited", angles_many, BAD, AT "/quadrature/angle", "65"},
};

BREAK(order_negative, body(r, TD_KINEMATICS_POLYNOMIAL_CURVATURE)->order = -1)
BREAK(order_high, body(r, TD_KINEMATICS_POLYNOMIAL_CURVATURE)->order = 65)
BREAK(order_unresolved, td_reduced_spec *b = body(r, TD_KINEMATICS_POLYNOMIAL_CURVATURE); b->order = b->s_points = 4)
BREAK(width_zero, body(r, TD_KINEMATICS_GAUSSIAN_CURVATURE)->width = 0)
BREAK(swell_good, swell(r))
BREAK(swell_cone, swell(r)->radius.count = 2)
BREAK(wall_thick, swell(r)->wall = 0.03)
BREAK(wall_negative, swell(r)->wall = -1e-3)
BREAK(lvp_good, lvp(r))
BREAK(no_modes, lvp(r)->mode_count = 0)
BREAK(many_modes, lvp(r)->mode_count = TD_MAX_MODES + 1)
BREAK(cavity_wide, lvp(r)->inner_radius = 0.025)
BREAK(cavity_negative, lvp(r)->inner_radius = -0.01)
BREAK(field_unknown, lvp(r); modes[1].field = TD_FIELD_COUNT)
BREAK(source_solid, lvp(r)->inner_radius = 0; modes[1].field = TD_FIELD_SOURCE)
BREAK(source_hollow, lvp(r); modes[1].field = TD_FIELD_SOURCE)
BREAK(mode_empty, lvp(r); modes[1].count = 0)
BREAK(mode_infinite, lvp(r); polynomial[2] = INFINITY)
BREAK(mode_zero, lvp(r); polynomial[1] = polynomial[2] = 0)
BREAK(box_good, box(r))
BREAK(box_flat, box(r)->size[1] = 0)
BREAK(box_incompressible, box(r)->poisson = 0.5)
BREAK(box_no_modes, box(r)->ritz_mode_count = 0)
BREAK(box_still, box(r); terms[0][0] = 0)
BREAK(box_infinite, box(r); terms[0][0] = NAN)
BREAK(box_root, box(r); terms[0][2] = 0.5)
BREAK(box_inverse, box(r); terms[0][3] = -1)
BREAK(box_terms, box(r); shapes[0].count[1] = TD_MAX_TERMS + 1)
BREAK(box_line, td_reduced_spec *b = box(r); for (int i = 0; i < 3; i++) b->tip_points[6 + i] = b->tip_points[3 + i])

BREAK(box_points, box(r)->angle_points = 65)
BREAK(mesh_good, mesh(r))
BREAK(mesh_without_size, mesh(r)->size[0] = 0)
BREAK(mesh_empty, td_reduced_spec *b = mesh(r); b->mesh.tetrahedron_count = b->mesh.hexahedron_count = 0)
BREAK(mesh_few_points, mesh(r)->mesh.point_count = 3)
BREAK(mesh_many_points, mesh(r)->mesh.point_count = TD_MAX_MESH + 1)
BREAK(mesh_many, mesh(r)->mesh.hexahedron_count = TD_MAX_MESH + 1)
BREAK(mesh_infinite, mesh(r); corner[3][1] = NAN)
BREAK(mesh_beyond, mesh(r); tetrahedra[0][3] = 9)
BREAK(mesh_before, mesh(r); hexahedra[0][7] = -1)
BREAK(mesh_inside_out, mesh(r); tetrahedra[0][0] = 5; tetrahedra[0][1] = 4)
BREAK(mesh_flat, mesh(r); corner[8][2] = 0.1)
BREAK(mesh_twisted, mesh(r); hexahedra[0][4] = 5; hexahedra[0][5] = 4)
BREAK(mesh_points, mesh(r)->s_points = 9)
BREAK(mesh_negative_points, mesh(r)->s_points = -1)

// 16384 times the same cube.
static int crowd[TD_MAX_MESH][8];
static td_reduced_spec *crowded(robot *r) {
  td_reduced_spec *b = mesh(r);
  for (int e = 0; e < TD_MAX_MESH; e++)
    for (int c = 0; c < 8; c++) crowd[e][c] = c;
  b->mesh.hexahedra = (const int(*)[8])crowd, b->mesh.hexahedron_count = TD_MAX_MESH;
  return b;
}
BREAK(mesh_particles, crowded(r)->s_points = 3)

static const spec_rule kinds[] = {
    {"an order is not negative", order_negative, BAD, AT "/order", "-1"},
    {"an order is limited", order_high, BAD, AT "/order", "65"},
    {"the axis resolves the curvature", order_unresolved, BAD, AT "/order", "4 Gauss points"},
    {"a Gaussian has a width", width_zero, BAD, AT "/width", "is 0"},
    {"a body of variable radius is accepted", swell_good, TD_OK, "", ""},
    {"a body of variable radius is a cylinder", swell_cone, BAD, AT "/radius", "one number"},
    {"a wall leaves a chamber", wall_thick, BAD, AT "/wall", "0.03"},
    {"a wall has a thickness", wall_negative, BAD, AT "/wall", "-0.001"},
    {"a hollow volume-preserving body is accepted", lvp_good, TD_OK, "", ""},
    {"a body has modes", no_modes, BAD, AT "/modes", "has 0"},
    {"modes are limited", many_modes, BAD, AT "/modes", "has 65"},
    {"a cavity fits into the tip", cavity_wide, BAD, AT "/inner_radius", "0.025"},
    {"a cavity has a radius", cavity_negative, BAD, AT "/inner_radius", "-0.01"},
    {"a field is known", field_unknown, BAD, AT "/modes/1", "unknown"},
    {"a source needs a cavity", source_solid, BAD, AT "/modes/1/field", "inner_radius"},
    {"a source in a cavity is accepted", source_hollow, TD_OK, "", ""},
    {"a mode has coefficients", mode_empty, BAD, AT "/modes/1/polynomial", "has 0"},
    {"coefficients are finite", mode_infinite, BAD, AT "/modes/0/polynomial/2", "inf"},
    {"a mode moves something", mode_zero, BAD, AT "/modes/0/polynomial", "zero"},
    {"a box with a mode is accepted", box_good, TD_OK, "", ""},
    {"a box has three edges", box_flat, BAD, AT "/size/1", "is 0"},
    {"a box is compressible", box_incompressible, BAD, AT "/poisson", "0.5"},
    {"a box has modes", box_no_modes, BAD, AT "/modes", "has 0"},
    {"a mode of a box moves something", box_still, BAD, AT "/modes/0", "zero"},
    {"terms are finite", box_infinite, BAD, AT "/modes/0/0/0/0", "nan"},
    {"powers are whole", box_root, BAD, AT "/modes/0/0/0/2", "0.5"},
    {"powers are not negative", box_inverse, BAD, AT "/modes/0/0/0/3", "-1"},
    {"terms are limited", box_terms, BAD, AT "/modes/0/1", "257"},
    {"points of a box are limited", box_points, BAD, AT "/quadrature/y", "65"},
    {"a mesh is accepted", mesh_good, TD_OK, "", ""},
    {"a mesh needs no size", mesh_without_size, TD_OK, "", ""},
    {"a mesh has elements", mesh_empty, BAD, AT "/mesh", "no element"},
    {"a mesh has points", mesh_few_points, BAD, AT "/mesh/points", "has 3"},
    {"points of a mesh are limited", mesh_many_points, BAD, AT "/mesh/points", "16385"},
    {"elements are limited", mesh_many, BAD, AT "/mesh/hexahedra", "16385"},
    {"points of a mesh are finite", mesh_infinite, BAD, AT "/mesh/points/3/1", "nan"},
    {"corners are points", mesh_beyond, BAD, AT "/mesh/tetrahedra/0/3", "is 9"},
    {"corners are counted from 0", mesh_before, BAD, AT "/mesh/hexahedra/0/7", "is -1"},
    {"a tetrahedron is not inside out", mesh_inside_out, BAD, AT "/mesh/tetrahedra/0", "-0.000166"},
    {"a tetrahedron is not flat", mesh_flat, BAD, AT "/mesh/tetrahedra/0", "has 0 m^3"},
    {"a hexahedron is not twisted", mesh_twisted, BAD, AT "/mesh/hexahedra/0/4", "must have volume"},
    {"points in an element are limited", mesh_points, BAD, AT "/quadrature/points", "is 9"},
    {"points in an element are a number", mesh_negative_points, BAD, AT "/quadrature/points", "is -1"},
    {"quadrature points are limited", mesh_particles, BAD, AT "/mesh", "442395"},
    {"three points make a frame", box_line, BAD, AT "/tip_points", "on a line"},
};

// One actuator on the arm.
static td_actuator_spec *drive(robot *r, td_actuator_type type) {
  r->spec.actuator_count = 1;
  r->actuators[0] = (td_actuator_spec){.name = "drive", .type = type, .link = "arm", .joined = true};
  return &r->actuators[0];
}

static void run_through(robot *r, double s) {
  points[2] = s, points[5] = 0.4;
  r->cable[0] = (td_segment_spec){.link = "arm", .points = points, .points_count = 2};
  td_actuator_spec *tendon = drive(r, TD_ACTUATOR_TENDON);
  tendon->segments = r->cable, tendon->segment_count = 1;
}

BREAK(pressure_good, swell(r); drive(r, TD_ACTUATOR_PRESSURE)->chamber = 1)
BREAK(pressure_third, swell(r); drive(r, TD_ACTUATOR_PRESSURE)->chamber = 2)
BREAK(pressure_negative, lvp(r); drive(r, TD_ACTUATOR_PRESSURE)->chamber = -1)
BREAK(pressure_solid, lvp(r)->inner_radius = 0; drive(r, TD_ACTUATOR_PRESSURE))
BREAK(pressure_nowhere, swell(r); drive(r, TD_ACTUATOR_PRESSURE)->link = "leg")
BREAK(pressure_rigid, swell(r); drive(r, TD_ACTUATOR_PRESSURE)->link = "flap")
BREAK(through_good, lvp(r); run_through(r, 0.1))
BREAK(through_beyond, lvp(r); run_through(r, 0.5))
BREAK(through_nan, lvp(r); run_through(r, NAN))
BREAK(along_sections, lvp(r); run_through(r, 0); r->cable[0].points_count = 0; r->cable[0].has_routing = true)
BREAK(along_arc, arc(r); run_through(r, 0); r->cable[0].points_count = 0; r->cable[0].has_routing = true)

static const spec_rule actuation[] = {
    {"pressure in a chamber is accepted", pressure_good, TD_OK, "", ""},
    {"a chamber exists", pressure_third, BAD, "/actuators/0/chamber", "is 2"},
    {"chambers count from 0", pressure_negative, BAD, "/actuators/0/chamber", "-1"},
    {"a solid body has no chamber", pressure_solid, BAD, "/actuators/0/link", "no chamber"},
    {"pressure acts on a link", pressure_nowhere, BAD, "/actuators/0/link", "no link \"leg\""},
    {"a rigid link has no chamber", pressure_rigid, BAD, "/actuators/0/link", "no chamber"},
    {"a tendon through material points is accepted", through_good, TD_OK, "", ""},
    {"a material point lies within the length", through_beyond, BAD, "/actuators/0/points/0/2", "0.5"},
    {"a material point is finite", through_nan, BAD, "/actuators/0/points/0/2", "nan"},
    {"sections that deform have no routing", along_sections, BAD, "/actuators/0/routing", "routing"},
    {"rigid sections have a routing", along_arc, TD_OK, "", ""},
};

START_TEST(rules_of_all_reduced_bodies_name_the_number) { CHECK_RULES(common); }
END_TEST
START_TEST(rules_of_each_kinematics_name_the_number) { CHECK_RULES(kinds); }
END_TEST
START_TEST(rules_of_chambers_and_material_points_name_the_place) { CHECK_RULES(actuation); }
END_TEST

TEST_MAIN("spec_reduced", rules_of_all_reduced_bodies_name_the_number, rules_of_each_kinematics_name_the_number,
          rules_of_chambers_and_material_points_name_the_place)

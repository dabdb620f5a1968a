// Rules of rigid bodies, and of the inertia behind every joint.
#include "support/spec_rule.h"
#include "support/suite.h"
#include <math.h>
#include <string.h>

#define BAD TD_INVALID_ARGUMENT
#define RIGID(link) (&r->links[link].body.rigid)

static void set_inertia(robot *r, double x, double y, double z) {
  double inertia[9] = {x, 0, 0, 0, y, 0, 0, 0, z};
  memcpy(RIGID(BASE)->inertia, inertia, sizeof inertia);
}

BREAK(mass_negative, RIGID(BASE)->mass = -1)
BREAK(mass_nan, RIGID(BASE)->mass = NAN)
BREAK(com_infinite, RIGID(BASE)->com[1] = INFINITY)
BREAK(inertia_negative, set_inertia(r, 0.01, -0.02, 0.02))
BREAK(inertia_nan, set_inertia(r, 0.01, NAN, 0.02))
BREAK(inertia_lopsided, RIGID(BASE)->inertia[1] = 0.001)
BREAK(inertia_triangle, set_inertia(r, 0.01, 0.02, 0.05))
BREAK(inertia_rounded, set_inertia(r, 0.0123, 0.0235, 0.036))
BREAK(inertia_product, RIGID(BASE)->inertia[1] = RIGID(BASE)->inertia[3] = 0.015)
BREAK(thin_rod, set_inertia(r, 0, 0.02, 0.02))
BREAK(thin_plate, set_inertia(r, 0.01, 0.02, 0.03))
BREAK(body_density, RIGID(BASE)->body_density = -5)
BREAK(shape_unknown, RIGID(FLAP)->shape = TD_SHAPE_COUNT)
BREAK(density_zero, RIGID(FLAP)->density = 0)
BREAK(box_flat, RIGID(FLAP)->size[1] = 0)
BREAK(box_huge, RIGID(FLAP)->size[1] = 1e300; RIGID(FLAP)->size[2] = 1e300)

static void cylinder(robot *r, double radius, double length) {
  *RIGID(FLAP) =
      (td_rigid_spec){.shape = TD_SHAPE_CYLINDER, .density = 1, .radius = radius, .length = length, .axis = {1, 0, 0}};
}
BREAK(cylinder_good, cylinder(r, 1, 2))
BREAK(cylinder_radius, cylinder(r, -1, 2))
BREAK(cylinder_length, cylinder(r, 1, NAN))
BREAK(cylinder_axis, cylinder(r, 1, 2); RIGID(FLAP)->axis[0] = 0)
BREAK(sphere_radius, RIGID(FLAP)->shape = TD_SHAPE_SPHERE; RIGID(FLAP)->radius = 0)

static void prism(robot *r, size_t count) {
  *RIGID(FLAP) = (td_rigid_spec){.shape = TD_SHAPE_PRISM,
                                 .density = 1,
                                 .height = 1,
                                 .axis = {0, 0, 1},
                                 .polygon = r->polygon,
                                 .polygon_count = count};
}
BREAK(prism_good, prism(r, 6))
BREAK(prism_line, prism(r, 2))
BREAK(prism_height, prism(r, 6); RIGID(FLAP)->height = 0)
BREAK(prism_axis, prism(r, 6); RIGID(FLAP)->axis[2] = 0)
BREAK(prism_vertex, prism(r, 6); r->polygon[5] = NAN)
BREAK(prism_repeated, prism(r, 6); r->polygon[10] = r->polygon[11] = 0)
BREAK(prism_crossed, prism(r, 6); r->polygon[8] = 3; r->polygon[9] = 0.5)
BREAK(prism_flat, prism(r, 3); r->polygon[5] = 0; r->polygon[4] = 3)

static const spec_rule bodies[] = {
    {"mass is not negative", mass_negative, BAD, "/links/0/body/mass", "-1"},
    {"mass is a number", mass_nan, BAD, "/links/0/body/mass", "nan"},
    {"the centre of mass is finite", com_infinite, BAD, "/links/0/body/com/1", "inf"},
    {"moments of inertia are not negative", inertia_negative, BAD, "/links/0/body/inertia", "-0.02"},
    {"inertia is finite", inertia_nan, BAD, "/links/0/body/inertia", "nan"},
    {"inertia is symmetric", inertia_lopsided, BAD, "/links/0/body/inertia", "symmetric"},
    {"no moment exceeds the sum of the others", inertia_triangle, BAD, "/links/0/body/inertia", "no body has it"},
    {"1 % is forgiven to moments that were rounded", inertia_rounded, TD_OK, "", ""},
    {"products of inertia are bounded by the moments", inertia_product, BAD, "/links/0/body/inertia", "semidefinite"},
    {"a thin rod is a body", thin_rod, TD_OK, "", ""},
    {"a thin plate is a body", thin_plate, TD_OK, "", ""},
    {"density for buoyancy is not negative", body_density, BAD, "/links/0/body/hydrodynamics/body_density", "-5"},
    {"a shape is known", shape_unknown, BAD, "/links/2/body", "unknown"},
    {"a shape has a density", density_zero, BAD, "/links/2/body/density", "is 0"},
    {"a box has three edges", box_flat, BAD, "/links/2/body/shape/size/1", "is 0"},
    {"mass stays finite", box_huge, BAD, "/links/2/body/shape", "finite"},
    {"a cylinder is accepted", cylinder_good, TD_OK, "", ""},
    {"a cylinder has a radius", cylinder_radius, BAD, "/links/2/body/shape/radius", "-1"},
    {"a cylinder has a length", cylinder_length, BAD, "/links/2/body/shape/length", "nan"},
    {"a cylinder has an axis", cylinder_axis, BAD, "/links/2/body/shape/axis", "direction"},
    {"a sphere has a radius", sphere_radius, BAD, "/links/2/body/shape/radius", "is 0"},
    {"an L-shaped prism is accepted", prism_good, TD_OK, "", ""},
    {"a polygon has three vertices", prism_line, BAD, "/links/2/body/shape/polygon", "has 2"},
    {"a prism has a height", prism_height, BAD, "/links/2/body/shape/height", "is 0"},
    {"a prism has an axis", prism_axis, BAD, "/links/2/body/shape/axis", "direction"},
    {"a vertex is finite", prism_vertex, BAD, "/links/2/body/shape/polygon/2/1", "nan"},
    {"a polygon does not repeat its first vertex", prism_repeated, BAD, "/links/2/body/shape/polygon/0", "same point"},
    {"a polygon's edges do not cross", prism_crossed, BAD, "/links/2/body/shape/polygon", "cross"},
    {"a polygon encloses an area", prism_flat, BAD, "/links/2/body/shape/polygon", "area"},
};

static void only_links(robot *r, size_t count) {
  r->spec.link_count = count;
  r->spec.actuator_count = r->spec.load_count = 0;
}

// base on a joint of the given type, alone, with a mass of 1 kg at com and a diagonal inertia.
static void alone(robot *r, td_joint_type type, double com_x, double I) {
  only_links(r, 1);
  r->links[BASE].joint.type = type;
  RIGID(BASE)->com[0] = com_x;
  set_inertia(r, I, I, I);
}
BREAK(no_body_at_all, only_links(r, 1); r->links[BASE].body.type = TD_BODY_NONE)
BREAK(no_body_behind, r->links[FINGER].body.type = TD_BODY_NONE)
BREAK(no_mass_behind, RIGID(FINGER)->mass = 0; memset(RIGID(FINGER)->inertia, 0, 9 * sizeof(double)))
BREAK(rotor, only_links(r, 3); r->links[FLAP].body = r->links[BASE].body; RIGID(FLAP)->mass = 0)
BREAK(rotor_on_a_slide, only_links(r, 3); r->links[FLAP].body = r->links[BASE].body; RIGID(FLAP)->mass = 0;
      r->links[FLAP].joint.type = TD_JOINT_PRISMATIC)
BREAK(point_on_the_axis, alone(r, TD_JOINT_REVOLUTE, 0, 0))
BREAK(point_off_the_axis, alone(r, TD_JOINT_REVOLUTE, 0.1, 0))
BREAK(point_on_the_arm_of_a_sphere, alone(r, TD_JOINT_SPHERICAL, 0.1, 0))
BREAK(free_point, alone(r, TD_JOINT_FREE, 0.1, 0))
BREAK(free_body_far_out, alone(r, TD_JOINT_FREE, 1000, 0.001))
BREAK(universal_point, alone(r, TD_JOINT_UNIVERSAL, 0.1, 0))
BREAK(cylindrical_point, alone(r, TD_JOINT_CYLINDRICAL, 0.1, 0))
BREAK(helical_point_on_the_axis, alone(r, TD_JOINT_HELICAL, 0, 0); r->links[BASE].joint.pitch = 0.1)
BREAK(planar_point, alone(r, TD_JOINT_PLANAR, 0.1, 0))
BREAK(planar_body, alone(r, TD_JOINT_PLANAR, 0.1, 0.01))

// Mass at the end of a fixed child: a point there, off the axis of the parent's joint.
static void fixed_child(robot *r, double offset) {
  only_links(r, 2);
  r->links[BASE].joint.type = TD_JOINT_REVOLUTE;
  r->links[BASE].body.type = TD_BODY_NONE;
  r->links[ARM].joint.type = TD_JOINT_FIXED;
  r->links[ARM].body = (td_body_spec){.type = TD_BODY_RIGID, .rigid = {.mass = 1}};
  r->links[ARM].pose.p[0] = offset;
}
BREAK(fixed_child_on_the_axis, fixed_child(r, 0))
BREAK(fixed_child_off_the_axis, fixed_child(r, 0.2))

static const spec_rule inertia[] = {
    {"a joint moves mass", no_body_at_all, BAD, "/links/0/joint", "moves no mass"},
    {"a joint moves mass behind it", no_body_behind, BAD, "/links/3/joint", "moves no mass"},
    {"a body of mass 0 is no mass", no_mass_behind, BAD, "/links/3/joint", "moves no mass"},
    {"a rotor known by its inertia alone is enough for a revolute joint", rotor, TD_OK, "", ""},
    {"but not for a prismatic one", rotor_on_a_slide, BAD, "/links/2/joint", "prismatic"},
    {"a point on the axis of a revolute joint is not moved", point_on_the_axis, BAD, "/links/0/joint", "revolute"},
    {"a point off the axis is a pendulum", point_off_the_axis, TD_OK, "", ""},
    {"a point cannot be spun", point_on_the_arm_of_a_sphere, BAD, "/links/0/joint", "spherical"},
    {"a free point has no rotation", free_point, BAD, "/links/0/joint", "free"},
    {"a small body far from its joint is a body", free_body_far_out, TD_OK, "", ""},
    {"a universal joint turns a point that is on one of its axes about the other only", universal_point, BAD,
     "/links/0/joint", "universal"},
    {"a cylindrical joint turns and slides a point", cylindrical_point, TD_OK, "", ""},
    {"a helical joint slides a point on its axis", helical_point_on_the_axis, TD_OK, "", ""},
    {"a planar joint has one coordinate too many for a point", planar_point, BAD, "/links/0/joint", "planar"},
    {"a planar joint moves a body", planar_body, TD_OK, "", ""},
    {"fixed children are moved with their parent: on the axis", fixed_child_on_the_axis, BAD, "/links/0/joint",
     "revolute"},
    {"fixed children are moved with their parent: off the axis", fixed_child_off_the_axis, TD_OK, "", ""},
};

START_TEST(rules_of_rigid_bodies_name_the_number) { CHECK_RULES(bodies); }
END_TEST
START_TEST(a_joint_that_moves_no_inertia_is_named) { CHECK_RULES(inertia); }
END_TEST

TEST_MAIN("spec_rigid", rules_of_rigid_bodies_name_the_number, a_joint_that_moves_no_inertia_is_named)

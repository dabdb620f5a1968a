// Rules of contacts and of hydrodynamic coefficients.
#include "support/spec_rule.h"
#include "support/suite.h"
#include <math.h>

#define BAD TD_INVALID_ARGUMENT

static td_contact_spec wall;
static const char *touching[2];

// The robot with one cylinder around its arm; the statements of a rule then break it.
static td_contact_spec *contact(robot *r) {
  touching[0] = "arm", touching[1] = "arm";
  wall = (td_contact_spec){.type = TD_CONTACT_CYLINDER_INTERIOR,
                           .pose = td_se3_identity(),
                           .axis = {0, 0, 1},
                           .radius = 0.2,
                           .stiffness = 1e4,
                           .exponent = 1.5,
                           .links = touching,
                           .link_count = 1};
  r->spec.contacts = &wall;
  r->spec.contact_count = 1;
  return &wall;
}

BREAK(contact_good, contact(r))
BREAK(contact_type, contact(r)->type = TD_CONTACT_TYPE_COUNT)
BREAK(contact_name, contact(r)->name = "")
BREAK(contact_without_radius, contact(r)->radius = NAN)
BREAK(contact_radius, contact(r)->radius = -1)
BREAK(contact_axis, contact(r)->axis[2] = 0)
BREAK(contact_pose, contact(r)->pose.p[1] = INFINITY)
BREAK(contact_stiffness, contact(r)->stiffness = 0)
BREAK(contact_exponent, contact(r)->exponent = -0.5)
BREAK(contact_per, contact(r)->per = TD_CONTACT_PER_COUNT)
BREAK(contact_rubs, contact(r)->friction = 0.5; wall.damping = 1; wall.slip_speed = 1e-3; wall.anisotropy[1] = 2)
BREAK(contact_drives, contact(r)->damping = -1)
BREAK(contact_friction, contact(r)->friction = -0.1)
BREAK(contact_slip, contact(r)->slip_speed = NAN)
BREAK(contact_anisotropy, contact(r)->anisotropy[1] = -2)
BREAK(contact_steep, contact(r)->exponent = 1000)
BREAK(contact_hard, contact(r)->stiffness = 1e300)
BREAK(contact_hard_wall, contact(r)->stiffness = 1e18)
BREAK(contact_thick, contact(r)->damping = 1e9)
BREAK(contact_glued, contact(r)->friction = 1e12)
BREAK(contact_of_nothing, contact(r)->radius = 1e-12)
BREAK(contact_fast_slip, contact(r)->friction = 0.5; wall.slip_speed = 1e5)
BREAK(contact_scales, contact(r)->anisotropy[0] = 1e12)
BREAK(contact_hard_spring, contact(r)->friction = 0.5; wall.slip_speed = 1e-3; wall.stick = 1e300)
BREAK(contact_link, contact(r); touching[0] = "leg")
BREAK(contact_world, contact(r); touching[0] = "world")
BREAK(contact_rigid, contact(r); touching[0] = "base")
BREAK(contact_twice, contact(r)->link_count = 2)
BREAK(contact_every_rod, contact(r)->link_count = 0)
BREAK(contact_without_rods, contact(r)->link_count = 0; r->links[ARM].body = r->links[BASE].body;
      r->spec.actuator_count = 0)
BREAK(plane_needs_no_radius, contact(r)->type = TD_CONTACT_PLANE; wall.radius = NAN)
BREAK(sphere_needs_no_axis, contact(r)->type = TD_CONTACT_SPHERE; wall.axis[2] = 0)
BREAK(contacts_many, contact(r); r->spec.contact_count = TD_MAX_CONTACTS + 1)

static const spec_rule contacts[] = {
    {"a cylinder around a rod is accepted", contact_good, TD_OK, "", ""},
    {"a contact's type is known", contact_type, BAD, "/contacts/0", "unknown"},
    {"a contact's name is not empty", contact_name, BAD, "/contacts/0/name", "empty"},
    {"a cylinder needs a radius", contact_without_radius, BAD, "/contacts/0/radius", "needs a radius"},
    {"a radius is positive", contact_radius, BAD, "/contacts/0/radius", "-1"},
    {"an axis has a direction", contact_axis, BAD, "/contacts/0/axis", ""},
    {"a pose is finite", contact_pose, BAD, "/contacts/0/pose/translation/1", "inf"},
    {"a stiffness is positive", contact_stiffness, BAD, "/contacts/0/stiffness", "0"},
    {"an exponent is positive", contact_exponent, BAD, "/contacts/0/exponent", "-0.5"},
    {"what a stiffness is of is known", contact_per, BAD, "/contacts/0", "`per`"},
    {"contacts rub", contact_rubs, TD_OK, "", ""},
    {"damping takes energy", contact_drives, BAD, "/contacts/0/damping", "-1"},
    {"friction takes energy", contact_friction, BAD, "/contacts/0/friction", "-0.1"},
    {"a slip speed is finite", contact_slip, BAD, "/contacts/0/slip_speed", "nan"},
    {"friction takes energy in every direction", contact_anisotropy, BAD, "/contacts/0/anisotropy/1", "-2"},
    {"an exponent pushes", contact_steep, BAD, "/contacts/0/exponent", "[0, 20], is 1000"},
    {"what is pressed gives way", contact_hard, BAD, "/contacts/0/stiffness", "1e+300"},
    {"a wall may be hard", contact_hard_wall, TD_OK, "", ""},
    {"damping lets go", contact_thick, BAD, "/contacts/0/damping", "[0, 1e+06], is 1000000000"},
    {"friction lets go", contact_glued, BAD, "/contacts/0/friction", "[0, 1e+09], is 1"},
    {"what touches is wider than an atom", contact_of_nothing, BAD, "/contacts/0/radius", "1e-12"},
    {"what slides has friction", contact_fast_slip, BAD, "/contacts/0/slip_speed", "100000"},
    {"scales have friction", contact_scales, BAD, "/contacts/0/anisotropy/0", "[0, 1e+09], is 1"},
    {"what sticks gives way", contact_hard_spring, BAD, "/contacts/0/stick/stiffness", "1e+300"},
    {"a link exists", contact_link, BAD, "/contacts/0/links/0", "no link \"leg\""},
    {"the world does not touch itself", contact_world, BAD, "/contacts/0/links/0", "world"},
    {"what touches has something to touch with", contact_rigid, BAD, "/contacts/0/links/0", "\"base\""},
    {"a link is named once", contact_twice, BAD, "/contacts/0/links/1", "twice"},
    {"without links every rod touches", contact_every_rod, TD_OK, "", ""},
    {"there must be a rod", contact_without_rods, BAD, "/contacts/0", "no rod"},
    {"a plane has no radius", plane_needs_no_radius, TD_OK, "", ""},
    {"a sphere has no axis", sphere_needs_no_axis, TD_OK, "", ""},
    {"contacts are limited", contacts_many, BAD, "/contacts", "257"},
};

#define RIGID (&r->links[BASE].body.rigid)
#define ROD (&r->links[ARM].body.rod)

BREAK(drag_nan, RIGID->drag[8] = NAN)
BREAK(drag_drives, RIGID->drag[21] = -1)
BREAK(drag_between, RIGID->drag[21] = RIGID->drag[28] = 1; RIGID->drag[22] = RIGID->drag[27] = 1.1)
BREAK(drag_general, RIGID->drag[21] = RIGID->drag[28] = 1; RIGID->drag[22] = 0.5; RIGID->drag[27] = -0.5)
BREAK(added_skew, RIGID->added_mass[21] = RIGID->added_mass[28] = 1; RIGID->added_mass[22] = 0.5)
BREAK(added_negative, RIGID->added_mass[0] = -1)
BREAK(added_good, for (int i = 0; i < 6; i++) RIGID->added_mass[7 * i] = i)
BREAK(density_negative, RIGID->body_density = -1)
BREAK(rod_drag, ROD->cd[1] = -0.1)
BREAK(rod_lift, ROD->cl[2] = NAN)
BREAK(rod_lift_negative, ROD->cl[0] = -0.1)
BREAK(rod_added, ROD->added[1] = -1)

static const double heights[3] = {-1, 0, 2}, falling[3] = {-1, -1, 2}, currents[9] = {1, 0, 0, 0, 1, 0, NAN, 0, 0};
static td_fluid_spec *flow(robot *r) {
  r->spec.fluid_density = 1000;
  r->spec.fluid = (td_fluid_spec){.viscosity = 1e-3, .z = heights, .table = currents, .knots = 2};
  return &r->spec.fluid;
}
static td_fluid_spec *surface(robot *r) {
  r->spec.gravity[0] = r->spec.gravity[1] = 0;
  flow(r)->has_surface = true;
  r->spec.fluid.width = 0.1;
  return &r->spec.fluid;
}
static void name_flow(robot *r, const char *name) {
  flow(r)->has_channels = true;
  r->spec.fluid.channels[1] = name;
}

BREAK(linear_nan, RIGID->linear[3] = NAN)
BREAK(linear_drives, RIGID->linear[21] = -1)
BREAK(rod_linear, ROD->linear[1] = -1)
BREAK(rod_resistive, flow(r); ROD->resistive_force = true)
BREAK(rod_resistive_in_no_syrup, flow(r)->viscosity = 0; ROD->resistive_force = true)
BREAK(rod_resistive_but_thick, flow(r); ROD->resistive_force = true; ROD->length = 0.08)
BREAK(viscosity_negative, flow(r)->viscosity = -1)
BREAK(flow_good, flow(r))
BREAK(flow_nan, flow(r)->knots = 3)
BREAK(flow_falls, flow(r)->z = falling; r->spec.fluid.knots = 3; r->spec.fluid.table = currents)
BREAK(flow_alone, flow(r)->knots = 1)
BREAK(flow_uniform, flow(r)->knots = 0; r->spec.fluid.velocity[2] = INFINITY)
BREAK(flow_channel, name_flow(r, "stream"))
BREAK(flow_channel_twice, name_flow(r, "push_x"))
BREAK(flow_channel_empty, name_flow(r, ""))
BREAK(surface_good, surface(r))
BREAK(surface_nowhere, surface(r)->surface = NAN)
BREAK(surface_sharp, surface(r)->width = 0)
BREAK(surface_slanting, surface(r); r->spec.gravity[0] = 1)

static const spec_rule water[] = {
    {"a resistance is finite", linear_nan, BAD, "/links/0/body/hydrodynamics/linear", "nan"},
    {"a resistance takes energy", linear_drives, BAD, "/links/0/body/hydrodynamics/linear", "would drive the body"},
    {"a rod's resistance takes energy", rod_linear, BAD, "/links/1/body/hydrodynamics/linear/normal", "-1"},
    {"a rod may feel its viscous fluid", rod_resistive, TD_OK, "", ""},
    {"resistive-force theory needs a viscosity", rod_resistive_in_no_syrup, BAD,
     "/links/1/body/hydrodynamics/resistive_force", "viscosity, which is 0"},
    {"resistive-force theory is for thin rods", rod_resistive_but_thick, BAD,
     "/links/1/body/hydrodynamics/resistive_force", "10 radii"},
    {"a viscosity is not negative", viscosity_negative, BAD, "/fluid/viscosity", "-1"},
    {"a flow by height is accepted", flow_good, TD_OK, "", ""},
    {"a flow is finite", flow_nan, BAD, "/fluid/velocity/velocity/2/0", "nan"},
    {"heights rise", flow_falls, BAD, "/fluid/velocity/z/1", "-1 follows -1"},
    {"a flow by height has two heights", flow_alone, BAD, "/fluid/velocity/z", "2 to"},
    {"a uniform flow is finite", flow_uniform, BAD, "/fluid/velocity/2", "inf"},
    {"a flow has channels", flow_channel, TD_OK, "", ""},
    {"channels of a flow are no others'", flow_channel_twice, BAD, "/fluid/channels/1", "\"push_x\""},
    {"channels of a flow have names", flow_channel_empty, BAD, "/fluid/channels/1", "empty"},
    {"a surface is accepted", surface_good, TD_OK, "", ""},
    {"a surface is somewhere", surface_nowhere, BAD, "/fluid/surface/z", "nan"},
    {"a surface has a width", surface_sharp, BAD, "/fluid/surface/width", "0"},
    {"a surface is level", surface_slanting, BAD, "/gravity", "along z"},
    {"drag is finite", drag_nan, BAD, "/links/0/body/hydrodynamics/drag", "nan"},
    {"drag does not drive", drag_drives, BAD, "/links/0/body/hydrodynamics/drag", "entry 3 is -1"},
    {"drag drives in no direction between the axes", drag_between, BAD, "/links/0/body/hydrodynamics/drag",
     "semidefinite"},
    {"lift is the skew part of drag", drag_general, TD_OK, "", ""},
    {"added mass is symmetric", added_skew, BAD, "/links/0/body/hydrodynamics/added_mass", "symmetric"},
    {"added mass is not negative", added_negative, BAD, "/links/0/body/hydrodynamics/added_mass", "semidefinite"},
    {"added mass may be semidefinite", added_good, TD_OK, "", ""},
    {"a density is not negative", density_negative, BAD, "/links/0/body/hydrodynamics/body_density", "-1"},
    {"a rod's drag coefficient is not negative", rod_drag, BAD, "/links/1/body/hydrodynamics/cd_y", "-0.1"},
    {"a rod's lift coefficient is finite", rod_lift, BAD, "/links/1/body/hydrodynamics/cl_z", "nan"},
    {"a rod's lift may have any sign", rod_lift_negative, TD_OK, "", ""},
    {"a rod's added mass is not negative", rod_added, BAD, "/links/1/body/hydrodynamics/added_z", "-1"},
};

START_TEST(rules_of_contacts_name_the_entry) { CHECK_RULES(contacts); }
END_TEST
START_TEST(rules_of_hydrodynamics_name_the_coefficient) { CHECK_RULES(water); }
END_TEST

TEST_MAIN("spec_external", rules_of_contacts_name_the_entry, rules_of_hydrodynamics_name_the_coefficient)

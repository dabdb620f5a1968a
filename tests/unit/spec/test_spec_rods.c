// Rules of rods: length, section, material, strain basis, reference, quadrature, sizes of the whole model.
#include "support/spec_rule.h"
#include "support/suite.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define BAD TD_INVALID_ARGUMENT
#define ROD (&r->links[ARM].body.rod)
#define AT "/links/1/body"

BREAK(length_zero, ROD->length = 0)
BREAK(length_negative, ROD->length = -0.5)
BREAK(length_infinite, ROD->length = INFINITY)
BREAK(section_unknown, ROD->section = TD_SECTION_SHAPE_COUNT)
BREAK(radius_tip, r->radius[1] = 0)
BREAK(radius_constant, ROD->size[0].count = 1; r->radius[0] = -1)
BREAK(radius_nan, r->radius[0] = NAN)
BREAK(radius_none, ROD->size[0].count = 0)
BREAK(radius_three, ROD->size[0].count = 3)

static void spline(robot *r, const double radius[4]) {
  memcpy(r->radius, radius, sizeof r->radius);
  ROD->size[0] = (td_profile){.count = 4, .width = 1, .s = r->knots, .value = r->radius};
}
static const double good[4] = {0.02, 0.01, 0.015, 0.02}, dipping[4] = {1, 0.01, 0.01, 1}, pit[4] = {1, 1, -1, 1};
BREAK(spline_good, spline(r, good))
BREAK(spline_dips, spline(r, dipping))
BREAK(spline_negative, spline(r, pit))
BREAK(spline_falls, spline(r, good); r->knots[2] = 0.2)
BREAK(spline_short, spline(r, good); r->knots[3] = 0.9)
BREAK(spline_late, spline(r, good); r->knots[0] = 0.1)
BREAK(spline_nan, spline(r, good); r->knots[1] = NAN)
BREAK(spline_one, spline(r, good); ROD->size[0].count = 1)
BREAK(spline_many, spline(r, good); ROD->size[0].count = TD_MAX_KNOTS + 1)
BREAK(width_missing, ROD->section = TD_SECTION_RECTANGLE)
BREAK(width_negative, ROD->section = TD_SECTION_RECTANGLE; r->values[0] = -0.01;
      ROD->size[1] = (td_profile){.count = 1, .width = 1, .value = r->values})

static const spec_rule sections[] = {
    {"a rod has a length", length_zero, BAD, AT "/length", "is 0"},
    {"a rod's length is positive", length_negative, BAD, AT "/length", "-0.5"},
    {"a rod's length is finite", length_infinite, BAD, AT "/length", "inf"},
    {"a section's shape is known", section_unknown, BAD, AT "/section", "unknown"},
    {"a rod does not taper to nothing", radius_tip, BAD, AT "/section/radius/1", "is 0"},
    {"a radius is positive", radius_constant, BAD, AT "/section/radius", "-1"},
    {"a radius is a number", radius_nan, BAD, AT "/section/radius/0", "nan"},
    {"a radius is given", radius_none, BAD, AT "/section/radius", "has 0"},
    {"three numbers need knots", radius_three, BAD, AT "/section/radius", "has 3"},
    {"a spline is accepted", spline_good, TD_OK, "", ""},
    {"a spline is positive between its knots", spline_dips, BAD, AT "/section/radius", "at s = 0.4"},
    {"a spline is positive at its knots", spline_negative, BAD, AT "/section/radius/value/2", "-1"},
    {"knots rise", spline_falls, BAD, AT "/section/radius/s/2", "0.2 follows 0.3"},
    {"knots end at the tip", spline_short, BAD, AT "/section/radius/s/3", "0.9"},
    {"knots begin at the base", spline_late, BAD, AT "/section/radius/s/0", "0.1"},
    {"knots are numbers", spline_nan, BAD, AT "/section/radius/s/1", "nan"},
    {"a spline has two knots", spline_one, BAD, AT "/section/radius/s", "has 1"},
    {"knots are limited", spline_many, BAD, AT "/section/radius", "4097"},
    {"a rectangle has a width", width_missing, BAD, AT "/section/width", "has 0"},
    {"a width is positive", width_negative, BAD, AT "/section/width", "-0.01"},
};

BREAK(young, ROD->young = 0)
BREAK(poisson_high, ROD->poisson = 0.51)
BREAK(poisson_low, ROD->poisson = -1)
BREAK(poisson_half, ROD->poisson = 0.5)
BREAK(poisson_infinite, ROD->poisson = INFINITY)
BREAK(shear_good, ROD->poisson = NAN; ROD->shear = 3e5)
BREAK(shear_negative, ROD->poisson = NAN; ROD->shear = -3e5)
BREAK(shear_both, ROD->shear = 3e5)
BREAK(shear_neither, ROD->poisson = NAN)
BREAK(density, ROD->density = -1000)
BREAK(viscosity, ROD->viscosity = -1)
BREAK(viscosity_none, ROD->viscosity = 0)
BREAK(tiny, ROD->size[0].count = 1; r->radius[0] = 1e-90)
BREAK(huge, ROD->size[0].count = 1; r->radius[0] = 1e90)

static const spec_rule materials[] = {
    {"Young's modulus is positive", young, BAD, AT "/material/young", "is 0"},
    {"Poisson's ratio is at most one half", poisson_high, BAD, AT "/material/poisson", "0.51"},
    {"Poisson's ratio is above -1", poisson_low, BAD, AT "/material/poisson", "-1"},
    {"an incompressible material is accepted", poisson_half, TD_OK, "", ""},
    {"Poisson's ratio is finite", poisson_infinite, BAD, AT "/material/poisson", "inf"},
    {"a shear modulus replaces Poisson's ratio", shear_good, TD_OK, "", ""},
    {"a shear modulus is positive", shear_negative, BAD, AT "/material/shear", "-300000"},
    {"poisson and shear exclude each other", shear_both, BAD, AT "/material", "both"},
    {"poisson or shear is needed", shear_neither, BAD, AT "/material", "neither"},
    {"density is positive", density, BAD, AT "/material/density", "-1000"},
    {"viscosity is not negative", viscosity, BAD, AT "/material/viscosity", "-1"},
    {"no viscosity is accepted", viscosity_none, TD_OK, "", ""},
    {"mass does not underflow", tiny, BAD, AT, "double precision"},
    {"stiffness does not overflow", huge, BAD, AT, "double precision"},
};

static void basis(robot *r, td_basis family, int bending_y) {
  ROD->basis = family;
  for (int c = 0; c < 6; c++) ROD->order[c] = -1;
  ROD->order[1] = bending_y;
}
BREAK(basis_unknown, ROD->basis = TD_BASIS_COUNT)
BREAK(order_high, basis(r, TD_BASIS_LEGENDRE, TD_MAX_ORDER + 1))
BREAK(order_low, basis(r, TD_BASIS_LEGENDRE, -2))
BREAK(order_zero, basis(r, TD_BASIS_GAUSSIAN, 0))
BREAK(no_elements, basis(r, TD_BASIS_HERMITE, 0))
BREAK(cubic_default, basis(r, TD_BASIS_CUBIC, 1))
BREAK(reference_nan, ROD->reference = (td_profile){.count = 1, .width = 6, .value = r->values}; r->values[4] = NAN)
BREAK(reference_row, ROD->reference = (td_profile){.count = 4, .width = 6, .value = r->values, .s = r->knots};
      r->values[8] = INFINITY)
BREAK(reference_flat, ROD->reference = (td_profile){.count = 1, .width = 6, .value = r->values}; r->values[3] = 0)
BREAK(reference_good, ROD->reference = (td_profile){.count = 4, .width = 6, .value = r->values, .s = r->knots})
BREAK(points_few, ROD->quadrature_points = 2)
BREAK(points_enough, ROD->quadrature_points = 3)
BREAK(points_negative, ROD->quadrature_points = -1)
BREAK(points_many, ROD->quadrature_points = 1023)
BREAK(points_of_elements, basis(r, TD_BASIS_LINEAR, 64); ROD->quadrature_points = 16)
BREAK(points_per_element, basis(r, TD_BASIS_LINEAR, 4); ROD->quadrature_points = 1)

static void table(robot *r, size_t columns) {
  basis(r, TD_BASIS_TABLE, 0);
  ROD->table_s = r->knots;
  ROD->table_count = 4;
  ROD->table[1] = r->table;
  ROD->table_columns[1] = columns;
}
BREAK(table_good, table(r, 2))
BREAK(table_empty, table(r, 0))
BREAK(table_nan, table(r, 2); r->table[6] = NAN)
BREAK(table_falls, table(r, 2); r->knots[1] = 0.7)
BREAK(table_repeats, table(r, 2); for (int i = 0; i < 4; i++) r->table[4 + i] = 2 * r->table[i])
BREAK(table_zero, table(r, 2); r->table[3] = 0)
BREAK(table_one_knot, table(r, 2); ROD->table_count = 1)

static const spec_rule strains[] = {
    {"a basis is known", basis_unknown, BAD, AT "/strain", "unknown"},
    {"an order is limited", order_high, BAD, AT "/strain/order/bending_y", "65"},
    {"an order is not negative", order_low, BAD, AT "/strain/order/bending_y", "-2"},
    {"order 0 is constant strain", order_zero, TD_OK, "", ""},
    {"an element basis has an element", no_elements, BAD, AT "/strain/order/bending_y", "number of elements"},
    {"a cubic element has enough points by default", cubic_default, TD_OK, "", ""},
    {"the reference strain is finite", reference_nan, BAD, AT "/strain/reference/4", "nan"},
    {"the reference strain is finite along the rod", reference_row, BAD, AT "/strain/reference/value/1/2", "inf"},
    {"a rod has a length at rest", reference_flat, BAD, AT "/strain/reference", "stretch"},
    {"the reference strain may vary", reference_good, TD_OK, "", ""},
    {"a component has as many points as coefficients", points_few, BAD, AT "/quadrature/points", "2 Gauss"},
    {"as many points as coefficients are enough", points_enough, TD_OK, "", ""},
    {"points are positive", points_negative, BAD, AT "/quadrature/points", "-1"},
    {"computational points are limited", points_many, BAD, AT "/quadrature/points", "1025"},
    {"points are counted over all elements", points_of_elements, BAD, AT "/quadrature/points", "1089"},
    {"one point per element is too few", points_per_element, BAD, AT "/quadrature/points", "4 Gauss"},
    {"a table is accepted", table_good, TD_OK, "", ""},
    {"a table has coordinates", table_empty, BAD, AT "/strain/bending_y", "has 0"},
    {"a table's values are finite", table_nan, BAD, AT "/strain/bending_y/1/2", "nan"},
    {"a table's knots rise", table_falls, BAD, AT "/strain/s/2", "0.6 follows 0.7"},
    {"a table's columns are independent", table_repeats, BAD, AT "/strain/bending_y/1", "combination"},
    {"a table's columns are not zero", table_zero, BAD, AT "/strain/bending_y/0", "zero"},
    {"a table has two knots", table_one_knot, BAD, AT "/strain/s", "has 1"},
};

// Only rods whose strain is locked, on fixed joints: nothing moves.
static void freeze(robot *r) {
  basis(r, TD_BASIS_LEGENDRE, -1);
  r->spec.link_count = 2;
  r->spec.actuator_count = r->spec.load_count = 0;
  r->links[BASE].joint.type = r->links[ARM].joint.type = TD_JOINT_FIXED;
}
BREAK(nothing_moves, freeze(r))

// `count` copies of the arm, hanging from the world.
static td_link_spec many[TD_MAX_LINKS];
static char names[TD_MAX_LINKS][24];
static void copies(robot *r, size_t count) {
  for (size_t i = 0; i < count; i++) {
    many[i] = r->links[ARM];
    many[i].parent = "world";
    snprintf(names[i], sizeof names[i], "r%zu", i);
    many[i].name = names[i];
  }
  r->spec.links = many;
  r->spec.link_count = count;
  r->spec.actuator_count = r->spec.load_count = 0;
}
BREAK(many_coordinates, basis(r, TD_BASIS_LEGENDRE, 62); copies(r, 33))
BREAK(coordinates_at_the_limit, basis(r, TD_BASIS_LEGENDRE, 62); copies(r, 32))
BREAK(many_points, ROD->quadrature_points = 1000; copies(r, 20))

static const spec_rule sizes[] = {
    {"something moves", nothing_moves, BAD, "/links", "no coordinate"},
    {"coordinates are limited", many_coordinates, BAD, "/links/32", "2048 coordinates"},
    {"as many coordinates as the limit are accepted", coordinates_at_the_limit, TD_OK, "", ""},
    {"computational points of the model are limited", many_points, BAD, "/links/16", "computational points"},
};

START_TEST(rules_of_length_and_section_name_the_number) { CHECK_RULES(sections); }
END_TEST
START_TEST(rules_of_materials_name_the_number) { CHECK_RULES(materials); }
END_TEST
START_TEST(rules_of_strain_and_quadrature_name_the_number) { CHECK_RULES(strains); }
END_TEST
START_TEST(the_size_of_a_model_is_limited) { CHECK_RULES(sizes); }
END_TEST

TEST_MAIN("spec_rods", rules_of_length_and_section_name_the_number, rules_of_materials_name_the_number,
          rules_of_strain_and_quadrature_name_the_number, the_size_of_a_model_is_limited)

// Rules of sections: holes, torsion constants, shear corrections, damping, and sections given by their stiffness.
#include "support/spec_rule.h"
#include "support/suite.h"
#include <math.h>
#include <string.h>

#define BAD TD_INVALID_ARGUMENT
#define ROD (&r->links[ARM].body.rod)
#define AT "/links/1/body/section"

static double numbers[64];

static td_profile one(int at, double value) {
  numbers[at] = value;
  return (td_profile){.count = 1, .width = 1, .value = &numbers[at]};
}

// The arm is a circle whose radius tapers to 0.01.
BREAK(hole_good, ROD->inner[0] = one(0, 0.005))
BREAK(hole_wide, ROD->inner[0] = one(0, 0.01))
BREAK(hole_negative, ROD->inner[0] = one(0, -0.01))
BREAK(hole_closed, ROD->inner[0] = one(0, 0))
BREAK(hole_half, ROD->section = TD_SECTION_RECTANGLE; ROD->size[1] = one(1, 0.02); ROD->inner[1] = one(0, 0.001))
BREAK(torsion_good, ROD->torsion_constant = one(0, 1e-8))
BREAK(torsion_zero, ROD->torsion_constant = one(0, 0))
BREAK(shear_good, ROD->shear_correction = one(0, 0.9))
BREAK(shear_negative, ROD->shear_correction = one(0, -0.9))

static void damp(robot *r, double last) {
  memset(numbers, 0, sizeof numbers);
  numbers[5] = last;
  ROD->damping = (td_profile){.count = 1, .width = 6, .value = numbers};
}
BREAK(damping_good, damp(r, 2))
BREAK(damping_negative, damp(r, -2))
BREAK(damping_infinite, damp(r, INFINITY))

static const spec_rule shapes[] = {
    {"a hole is accepted", hole_good, TD_OK, "", ""},
    {"a hole is smaller than the section at its tip", hole_wide, BAD, AT "/inner_radius", "[0, `radius`)"},
    {"a hole is not negative", hole_negative, BAD, AT "/inner_radius", "-0.01"},
    {"a hole may close", hole_closed, TD_OK, "", ""},
    {"a hole has all of its measures", hole_half, BAD, AT "/inner_height", "is required"},
    {"a torsion constant is accepted", torsion_good, TD_OK, "", ""},
    {"a torsion constant is positive", torsion_zero, BAD, AT "/torsion_constant", "is 0"},
    {"a shear correction is accepted", shear_good, TD_OK, "", ""},
    {"a shear correction is positive", shear_negative, BAD, AT "/shear_correction", "-0.9"},
    {"damping by strain is accepted", damping_good, TD_OK, "", ""},
    {"damping is not negative", damping_negative, BAD, AT "/damping", "-2"},
    {"damping is finite", damping_infinite, BAD, AT "/damping/5", "inf"},
};

// The arm by its numbers: all strains 10, mass 1, coupling of torsion and bending_y by `c`.
static void by_numbers(robot *r, double c) {
  memset(numbers, 0, sizeof numbers);
  td_rod_spec *rod = ROD;
  rod->section = TD_SECTION_STIFFNESS;
  rod->size[0] = rod->size[1] = (td_profile){0};
  for (int i = 0; i < 6; i++) rod->numbers.stiffness[i] = one(40 + i, 10);
  rod->numbers.mass = one(46, 1);
  numbers[1] = numbers[6] = c;
  rod->numbers.coupling = (td_profile){.count = 1, .width = 36, .value = numbers};
}
BREAK(numbers_good, by_numbers(r, 9))
BREAK(numbers_locked, by_numbers(r, 0); ROD->order[4] = -1; ROD->numbers.stiffness[4].count = 0)
BREAK(numbers_missing, by_numbers(r, 0); ROD->order[1] = 1; ROD->numbers.stiffness[1].count = 0)
BREAK(numbers_zero, by_numbers(r, 0); numbers[42] = 0)
BREAK(mass_missing, by_numbers(r, 0); ROD->numbers.mass.count = 0)
BREAK(mass_zero, by_numbers(r, 0); numbers[46] = 0)
BREAK(inertia_negative, by_numbers(r, 0); numbers[50] = -1;
      ROD->numbers.inertia = (td_profile){.count = 1, .width = 3, .value = numbers + 50})
BREAK(radius_zero, by_numbers(r, 0); ROD->numbers.radius = one(60, 0))
BREAK(coupling_large, by_numbers(r, 10.5))
BREAK(coupling_skew, by_numbers(r, 3); numbers[6] = 2)
BREAK(coupling_alone, by_numbers(r, 0); numbers[3 * 6 + 4] = numbers[4 * 6 + 3] = 1; ROD->order[4] = -1;
      ROD->numbers.stiffness[4].count = 0)
BREAK(coupling_nan, by_numbers(r, NAN))

static const spec_rule stiffnesses[] = {
    {"numbers are accepted without a material", numbers_good, TD_OK, "", ""},
    {"a locked strain needs no stiffness", numbers_locked, TD_OK, "", ""},
    {"an active strain needs its stiffness", numbers_missing, BAD, AT "/EI_y", "bending_y is active"},
    {"a stiffness is positive", numbers_zero, BAD, AT "/EI_z", "is 0"},
    {"mass is given", mass_missing, BAD, AT "/mass_per_length", "has 0"},
    {"mass is positive", mass_zero, BAD, AT "/mass_per_length", "is 0"},
    {"inertia is not negative", inertia_negative, BAD, AT "/inertia_per_length", "-1"},
    {"a radius is positive", radius_zero, BAD, AT "/radius", "is 0"},
    {"a coupling leaves the stiffness definite", coupling_large, BAD, AT "/coupling", "positive definite"},
    {"a coupling is symmetric", coupling_skew, BAD, AT "/coupling", "(0,1) is 3"},
    {"a coupling needs the stiffness of its strains", coupling_alone, BAD, AT "/coupling", "positive definite"},
    {"a coupling is finite", coupling_nan, BAD, AT "/coupling/1", "nan"},
};

START_TEST(rules_of_shapes_name_the_number) { CHECK_RULES(shapes); }
END_TEST
START_TEST(rules_of_sections_by_their_numbers_name_the_number) { CHECK_RULES(stiffnesses); }
END_TEST

TEST_MAIN("spec_sections", rules_of_shapes_name_the_number, rules_of_sections_by_their_numbers_name_the_number)

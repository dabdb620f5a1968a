// Numbers of contacts that no material and no body has: beyond these bounds what is computed means nothing, or is lost in
// rounding. What is odd and may be meant is odd_contacts.c's.
#include "spec/check/checks.h"
#include <math.h>

// Derivatives by numbers that forces are affine in look 2^20 times as far (parameter/): bounds leave room for them.
static const double LEAST_DEPTH = 1e-40; // m, by which 1 N presses in: a nucleus has 1e-15
static const double MOST_STIFFNESS = 1e60, MOST_STICK = 1e20;
static const double ATOM = 1e-10;        // m
static const double LONGEST = 1e9;       // m
static const double MOST_EXPONENT = 20;  // a tenth less deep is a tenth of the force: steeper is a wall
static const double MOST_DAMPING = 1e6;  // s/m: a speed of 1 um/s doubles the force
static const double MOST_FRICTION = 1e9; // rubber 1 to 2
static const double SLIP[2] = {1e-9, 1e3};

td_status td_check_measure(const td_place *at, const char *key, double x) {
  td_status status = td_check_positive(at, key, x);
  return status ? status : td_check_within(at, key, x, ATOM, LONGEST);
}

// k d^p = 1 N at the depth k^(-1/p).
static td_status check_stiffness(const td_place *contact, const td_contact_spec *c) {
  td_place at = td_place_key(contact, "stiffness");
  double most = fmin(pow(1 / LEAST_DEPTH, c->exponent), MOST_STIFFNESS);
  if (c->stiffness <= most) return TD_OK;
  return td_place_fail(&at, TD_INVALID_ARGUMENT,
                       "must be at most %g with an exponent of %g, is %g: 1 N would press it in by less than %g m",
                       most, c->exponent, c->stiffness, LEAST_DEPTH);
}

static td_status check_friction(const td_place *contact, const td_contact_spec *c) {
  td_place factors = td_place_key(contact, "anisotropy"), stick = td_place_key(contact, "stick");
  td_status status = td_check_within(contact, "friction", c->friction, 0, MOST_FRICTION);
  if (!status && c->friction > 0) status = td_check_within(contact, "slip_speed", c->slip_speed, SLIP[0], SLIP[1]);
  for (size_t i = 0; i < 2 && !status; i++) {
    td_place at = td_place_at(&factors, i);
    status = td_check_within(&at, NULL, c->anisotropy[i], 0, MOST_FRICTION);
  }
  if (!status) status = td_check_within(&stick, "stiffness", c->stick, 0, MOST_STICK);
  return status ? status : td_check_within(&stick, "damping", c->stick_damping, 0, MOST_STICK);
}

td_status td_check_law(const td_place *contact, const td_contact_spec *c) {
  td_status status = td_check_within(contact, "exponent", c->exponent, 0, MOST_EXPONENT);
  if (!status) status = check_stiffness(contact, c);
  if (!status) status = td_check_within(contact, "damping", c->damping, 0, MOST_DAMPING);
  return status ? status : check_friction(contact, c);
}

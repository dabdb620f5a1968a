// Numbers of rods that a thousand or a million would explain, each judged beside another one of the same rod.
//
//   waves      sqrt(E/rho), sqrt(EA/m): diamond 18 000 m/s, the softest gels 1 m/s. A metal (above 5000 kg/m^3) is not
//              softer than 1e9 Pa (lead 16e9)
//   mass       above 1e6 kg; of what is as soft as rubber and has weight above 2e4 kg (a whale's tongue has 3e3), of
//              stiff ropes above 1e8 kg (a bridge's)
//   length     2e4 times the radius of what is soft, 1e5 times of what is stiff (a bridge's cables have 4e4), 1e6 of
//              fibres below 10 um (silk);
//              more than 50 m of rubber that is 1000 times as long as thick (bungee cords have 30 m)
//   stiffness  radius of gyration sqrt(EI/EA) of half a rod's length or far from the radius; GJ beyond 5 EI (plain
//              sections 0.7, laser-cut tubes 4) or below 1e-3 EI (slit tubes 6e-4 … 2e-3, I-beams 0.02)
//   density    mass per length over the area that EI/EA or the radius mean, above osmium: only where waves are slow,
//              since strands that slide on each other have little EI, and fast waves. The radius of gyration of
//              inertia_per_length is within the length
//   bend       a reference curvature above half of 1/radius: springs have a quarter at most; more than a turn on one
//              circle
//   damping    below 1e-6 of the critical one of the slowest bend (structures 1e-3, the best crystals 1e-8): a ratio is
//              not a viscosity
#include "spec/odd/odd.h"
#include "strain/section.h"
#include <math.h>

static const double SOFT = 1e8, OSMIUM = 25e3;

static double most_of(const td_profile *p) {
  double most = 0;
  for (size_t i = 0; p->value && i < p->count * (p->width ? p->width : 1); i++) most = fmax(most, fabs(p->value[i]));
  return most;
}

static double middle_of(const td_profile *p) {
  return p->value && p->count ? p->value[(p->width ? p->width : 1) * (p->count / 2)] : 0;
}

// What a rod is made of, as far as it is known; 0: not known.
typedef struct stuff {
  double radius, mass; // m at the most, kg
  bool soft;           // as rubber
} stuff;

// By Simpson's rule.
static stuff stuff_of(const td_rod_spec *rod) {
  td_section *section = NULL;
  stuff out = {0};
  if (td_section_create(rod, &section)) return out;
  for (int i = 0; i <= 2; i++) {
    td_section_at at;
    td_section_laws laws;
    td_section_eval(section, 0.5 * i, &at);
    td_section_laws_at(section, 0.5 * i, &laws);
    out.mass += laws.density * laws.area * rod->length * (i == 1 ? 4.0 : 1.0) / 6;
    out.radius = fmax(out.radius, at.radius);
  }
  td_section_destroy(section);
  out.soft = rod->section != TD_SECTION_STIFFNESS && rod->young < SOFT;
  return out;
}

// ------------------------------------------------------------------------------------------------ every rod

void td_spec_remark_waves(const td_place *at, double young, double density, const char *what) {
  double speed = sqrt(young / density);
  if (young < 1e3 || young > 1e13 || density < 10 || density > OSMIUM) return; // said already, each by itself
  if (density > 5000 && young < 10 * SOFT)
    td_place_warn(
        at, "odd_material",
        "%s of %.4g Pa at %.4g kg/m^3: what is as heavy as a metal is not as soft as rubber (steel has 2e11 Pa "
        "and 7800 kg/m^3)",
        what, young, density);
  else if (speed > 3e4 || speed < 0.3)
    td_place_warn(
        at, "odd_material",
        "%s of %.4g Pa at %.4g kg/m^3: sound would run at %.3g m/s (diamond 18000, soft gels 1); moduli are in "
        "Pa, densities in kg/m^3",
        what, young, density, speed);
}

static void remark_bulk(const td_place *body, const td_rod_spec *rod, const stuff *of, double gravity) {
  td_place at = td_place_key(body, "length");
  bool soft = of->soft;
  double slender = of->radius > 0 ? rod->length / of->radius : 0;
  double heavy = soft && gravity > 0 ? 2e4 : !soft && slender > 1000 ? 1e8 : 1e6;
  double slim = soft ? 1.9e4 : of->radius > 1e-5 ? 1e5 : 1e6;
  if (of->mass > heavy)
    td_place_warn(body, "odd_mass", "the rod weighs %.4g kg: sizes are in metres, densities in kg/m^3", of->mass);
  if (slender >= slim || (soft && rod->length > 50 && slender > 1000))
    td_place_warn(&at, "odd_size", "%.6g m is %.3g times the radius of %.4g m: both are in metres", rod->length,
                  slender, of->radius);
}

static void remark_reference(const td_place *body, const td_rod_spec *rod, double radius) {
  td_place strain = td_place_key(body, "strain"), at = td_place_key(&strain, "reference");
  double bend = 0;
  for (size_t i = 0; i < rod->reference.count; i++)
    bend = fmax(bend, hypot(rod->reference.value[6 * i + 1], rod->reference.value[6 * i + 2]));
  const double *xi = rod->reference.value;
  double turns = rod->reference.count == 1 && xi[0] == 0 ? bend * rod->length / (2 * M_PI) : 0;
  if (turns > 1.05 && bend * radius <= 0.5)
    td_place_warn(&at, "odd_angle",
                  "%.4g rad/m without a twist rolls the axis of %.4g m up by %.3g turns on one circle, through itself: "
                  "curvatures are in rad/m, not in degrees",
                  bend, rod->length, turns);
  if (bend * radius > 0.5)
    td_place_warn(&at, "odd_angle",
                  "%.4g rad/m bends the axis to a radius of %.4g m, its section has %.4g m: curvatures are in rad/m, "
                  "not in degrees",
                  bend, 1 / bend, radius);
}

// Of the slowest bend of a cantilever of this radius: w = 3.516 (r / 2) sqrt(E / rho) / L^2, of the critical damping
// eta w / (2 E).
static void remark_ratio(const td_place *material, const td_rod_spec *rod, const stuff *of) {
  td_place at = td_place_key(material, "viscosity");
  double w = 3.516 * of->radius / 2 * sqrt(rod->young / rod->density) / (rod->length * rod->length);
  double ratio = rod->viscosity * w / (2 * rod->young);
  if (rod->viscosity > 0 && rod->viscosity < 1 && ratio < 1e-6)
    td_place_warn(&at, "odd_damping",
                  "%.4g Pa s damps the slowest bend by %.2g of the critical damping, which is as good as none: it is a "
                  "viscosity, not a damping ratio; %.2g Pa s would damp it by 0.05",
                  rod->viscosity, ratio, 0.1 * rod->young / w);
}

// ------------------------------------------------------------------------------------------------ stiffness by numbers

// Radii of gyration of the stiffness, sqrt(EI / EA) about y and z; 0 where not given.
typedef struct numbers {
  const td_rod_spec *rod;
  td_place section;
  double EA, EI[2], GJ, gyration[2], radius, mass, speed;
} numbers;

static numbers numbers_of(const td_place *body, const td_rod_spec *rod) {
  const td_stiffness_spec *n = &rod->numbers;
  numbers out = {.rod = rod, .section = td_place_key(body, "section")};
  out.GJ = middle_of(&n->stiffness[0]), out.EA = middle_of(&n->stiffness[3]);
  out.radius = middle_of(&n->radius), out.mass = middle_of(&n->mass);
  for (int i = 0; i < 2; i++) {
    out.EI[i] = middle_of(&n->stiffness[1 + i]);
    if (out.EA > 0) out.gyration[i] = sqrt(out.EI[i] / out.EA);
  }
  out.speed = out.EA > 0 && out.mass > 0 ? sqrt(out.EA / out.mass) : 0;
  return out;
}

static void remark_gyration(const numbers *n) {
  double length = n->rod->length;
  for (int i = 0; i < 2 && n->EA > 0 && n->EI[i] > 0; i++) {
    td_place at = td_place_key(&n->section, td_stiffness_key(1 + i));
    double gyration = n->gyration[i];
    if (n->radius > 0 && (gyration > 10 * n->radius || gyration < 1e-4 * n->radius))
      td_place_warn(&at, "odd_stiffness",
                    "%.4g N m^2 with EA of %.4g N is that of a section of %.3g m, the radius is %.3g m: bending "
                    "stiffness is in N m^2, EA in N",
                    n->EI[i], n->EA, gyration, n->radius);
    else if (gyration > 0.5 * length)
      td_place_warn(&at, "odd_stiffness",
                    "%.4g N m^2 with EA of %.4g N is that of a section with a radius of gyration of %.3g m, the rod "
                    "is only %.3g m long: bending stiffness is in N m^2 (1 N mm^2 is 1e-6), EA in N",
                    n->EI[i], n->EA, gyration, length);
  }
}

static void remark_torsion(const numbers *n) {
  td_place at = td_place_key(&n->section, "GJ");
  double most = fmax(n->EI[0], n->EI[1]), least = n->EI[0] > 0 && n->EI[1] > 0 ? fmin(n->EI[0], n->EI[1]) : most;
  if (n->GJ > 0 && most > 0 && (n->GJ > 5 * most || n->GJ < 1e-3 * least))
    td_place_warn(&at, "odd_stiffness",
                  "%.4g N m^2 is %.3g times the bending stiffness of %.4g N m^2 (solid sections 0.6 to 1): both are in "
                  "N m^2 (1 N mm^2 is 1e-6)",
                  n->GJ, n->GJ / (n->GJ > most ? most : least), n->GJ > most ? most : least);
}

static void remark_shear(const numbers *n) {
  for (int c = 4; c < 6 && n->EA > 0; c++) {
    double GA = middle_of(&n->rod->numbers.stiffness[c]);
    td_place at = td_place_key(&n->section, td_stiffness_key(c));
    if (GA > 0 && GA < 1e-4 * n->EA)
      td_place_warn(&at, "odd_stiffness", "%.4g N is %.2g times EA of %.4g N (solid sections 0.3): both are in N", GA,
                    GA / n->EA, n->EA);
  }
}

static void remark_mass(const numbers *n) {
  td_place mass = td_place_key(&n->section, "mass_per_length"), EA = td_place_key(&n->section, "EA");
  double area = n->radius > 0 ? M_PI * n->radius * n->radius : 4 * M_PI * n->gyration[0] * n->gyration[1];
  double density = area > 0 ? n->mass / area : 0;
  bool slow = n->speed < 300 || n->radius > 0;
  if (n->speed > 0 && (n->speed > 3e4 || n->speed < 0.3))
    td_place_warn(&EA, "odd_stiffness",
                  "%.4g N at %.4g kg/m: sound would run at %.3g m/s; EA is in N, mass_per_length in kg/m", n->EA,
                  n->mass, n->speed);
  else if (density > OSMIUM && slow)
    td_place_warn(&mass, "odd_mass",
                  "%.4g kg/m in a section of %.3g m^2 (by %s) is %.3g kg/m^3, heavier than any material: "
                  "mass_per_length is in kg/m",
                  n->mass, area, n->radius > 0 ? "its radius" : "EI beside EA", density);
}

static void remark_spin(const numbers *n) {
  td_place at = td_place_key(&n->section, "inertia_per_length");
  double gyration = n->mass > 0 ? sqrt(most_of(&n->rod->numbers.inertia) / n->mass) : 0;
  if (gyration > n->rod->length)
    td_place_warn(&at, "odd_inertia",
                  "%.4g kg m with %.4g kg/m is that of a section of %.3g m: inertia_per_length is in kg m, density "
                  "times second moment of area",
                  most_of(&n->rod->numbers.inertia), n->mass, gyration);
}

static void remark_creep(const numbers *n) {
  const td_profile *all = &n->rod->damping;
  td_place at = td_place_key(&n->section, "damping");
  for (int c = 0; c < 6; c++) {
    double stiffness = most_of(&n->rod->numbers.stiffness[c]), damping = 0;
    for (size_t i = 0; i < all->count; i++) damping = fmax(damping, all->value[6 * i + (size_t)c]);
    if (stiffness > 0 && damping > 100 * stiffness)
      td_place_warn(&at, "odd_damping", "%.4g with %s of %.4g: the strain would creep for %.3g s", damping,
                    td_stiffness_key(c), stiffness, damping / stiffness);
  }
}

static void remark_numbers(const td_place *body, const td_rod_spec *rod, stuff *of) {
  numbers n = numbers_of(body, rod);
  remark_gyration(&n);
  remark_torsion(&n);
  remark_shear(&n);
  remark_mass(&n);
  remark_spin(&n);
  remark_creep(&n);
  of->radius = n.radius > 0 ? n.radius : 2 * fmax(n.gyration[0], n.gyration[1]); // of a circle
  of->soft = n.speed > 0 && n.speed < 300;
}

double td_spec_remark_rod(const td_place *body, const td_rod_spec *rod, double gravity) {
  td_place material = td_place_key(body, "material");
  stuff of = stuff_of(rod);
  if (rod->section == TD_SECTION_STIFFNESS) {
    remark_numbers(body, rod, &of);
  } else {
    td_spec_remark_waves(&material, rod->young, rod->density, "young");
    remark_ratio(&material, rod, &of);
  }
  remark_bulk(body, rod, &of, gravity);
  remark_reference(body, rod, of.radius);
  return of.mass;
}

double td_spec_rod_stiffness(const td_rod_spec *rod, int component) {
  td_section *section = NULL;
  td_section_laws laws;
  double least = INFINITY;
  if (rod->section == TD_SECTION_STIFFNESS) return middle_of(&rod->numbers.stiffness[component]);
  if (td_section_create(rod, &section)) return 0;
  for (int i = 0; i <= 2; i++) {
    td_section_laws_at(section, 0.5 * i, &laws);
    least = fmin(least, laws.stiffness[component]);
  }
  td_section_destroy(section);
  return least;
}

// Findings as sentences: what is off, by how much, and what would do. Points are tried; orders come from the
// polynomials beyond the basis, those that may be left out; elements from the order of their error.
#include "estimate/resolution/parts.h"
#include "strain/basis.h"
#include "strain/points.h"
#include "strain/section.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TOLD = 3 }; // rods, of each code
enum { MORE = 2 }; // functions, where nothing says how many would do

static double by(double ratio, double limit) { return limit > 0 ? ratio / limit : 0; }

// What another run does otherwise.
static void describe_apart(const td_apart *apart, char what[160]) {
  const char *words = apart->twist ? "its tip turns about its axis by up to %.2g %% of how far it turns more or less, "
                                     "%.2g rad (t = %.4g s)"
                      : apart->own ? "its points are elsewhere by up to %.2g %% of how far they move, seen from its "
                                     "base, %.2g %% of its length (t = %.4g s)"
                                   : "its points are elsewhere by up to %.2g %% of how far they move, %.2g %% of its "
                                     "length (t = %.4g s)";
  snprintf(what, 160, words, 100 * apart->share, (apart->twist ? 1 : 100) * apart->of_length, apart->t);
}

// What points do: to a whole run, to strains, or to the shape.
static void describe_points(const td_finding *f, char what[224]) {
  if (f->astray.ratio > 0)
    describe_apart(&f->astray, what);
  else if (f->force > TD_COARSE_FORCE)
    snprintf(what, 224, "what they see of %s puts its strains off by %.2g %% (%s)", f->what, 100 * f->force,
             f->force_at);
  else
    snprintf(what, 224, "its shape is off by %.2g %% of its length (%s)", 100 * f->points, f->points_at);
}

static bool has_contacts_of_a_point_each(const td_model_spec *d) {
  bool any = false;
  for (size_t i = 0; i < d->contact_count; i++) any |= d->contacts[i].per == TD_CONTACT_PER_POINT;
  return any;
}

static void tell_points(td_resolution *r, int rod_index, const char *more, td_warnings *warnings) {
  const td_model *m = r->model;
  const td_rod *rod = &m->rod[rod_index];
  const td_finding *f = &r->found[rod->element];
  const td_rod_spec *spec = &m->document->links[rod->link].body.rod;
  bool astray = f->astray.ratio > 0;
  int fine = astray ? td_resolution_points_of_run(r, rod_index) : td_twin_points(m->document, rod->link, &r->how);
  char pointer[64], what[224];
  snprintf(pointer, sizeof pointer, "/model/links/%d/body/quadrature/points", rod->link);
  describe_points(f, what);
  td_warn(warnings, "coarse_quadrature", pointer,
          "the %d Gauss points%s of \"%s\" are too few%s: compared with %d, %s; take %d points%s%s",
          td_rod_gauss_per_piece(spec), td_basis_has_elements(spec->basis) ? " per element" : "",
          m->link[rod->link].name, astray ? " for this motion" : "", fine, what, r->advised[rod->link].points,
          has_contacts_of_a_point_each(m->document) ? ", and contacts with \"per\": \"length\"" : "", more);
}

enum { ADVICE = 224 };

// Other strains of the rod that would do with more degrees, too.
static void advise_others(const td_resolution *r, const td_rod *rod, const td_rod_spec *spec, int but,
                          char advice[ADVICE]) {
  const td_advised *a = &r->advised[rod->link];
  for (int c = 0; c < 6; c++) {
    size_t used = strlen(advice);
    if (c != but && a->more[c] > 0)
      snprintf(advice + used, ADVICE - used, ", order %d of %s", spec->order[c] + a->more[c],
               td_strain_component_name(c));
  }
}

static void advise_basis(const td_resolution *r, const td_rod *rod, const td_rod_spec *spec, const td_finding *f,
                         double most, char advice[ADVICE]) {
  const td_advised *advised = &r->advised[rod->link];
  int order = spec->order[f->component], degree = td_rod_basis_degree(spec->basis, order);
  int first = td_resolution_more_degrees(r, f, most), more = (int)fmax(first, advised->more[f->component]);
  char points[48] = "";
  if (spec->quadrature_points > 0 && advised->points > spec->quadrature_points)
    snprintf(points, sizeof points, " and %d points", advised->points);
  if (td_basis_has_elements(spec->basis))
    snprintf(advice, ADVICE, "take %.0f elements",
             fmin(TD_MAX_ORDER, ceil(order * pow(f->basis / most, 1.0 / (1 + degree)))));
  else if (td_rod_basis_follows_section(r->twin.model->rod[rod - r->model->rod].basis, f->component))
    snprintf(advice, ADVICE, "take order %d or more, or many elements: its section varies too much for few functions",
             (int)fmax(2 * order, order + advised->more[f->component]));
  else if (degree == order)
    snprintf(advice, ADVICE, "take order %d%s%s", order + more,
             more == r->how.enrichment && f->tail[more - 1] > 0.5 * f->basis ? " or more" : "", points);
  else
    snprintf(advice, ADVICE, "take more functions, or the basis legendre");
}

// Where more functions would change the shape by more than half of what it has moved by, or loads hold the rod
// thousands of times as stiffly as its material, no order is the cure: forces are far beyond what such a rod carries.
static void tell_overload(td_resolution *r, int rod_index, const char *pointer, td_warnings *warnings) {
  const td_rod *rod = &r->model->rod[rod_index];
  const td_finding *f = &r->found[rod->element];
  td_section_laws laws;
  td_section_laws_at(rod->outline, 0, &laws);
  double EI = fmin(laws.stiffness[1], laws.stiffness[2]);
  td_warn(warnings, "coarse_basis", pointer,
          "what acts on \"%s\" is far beyond what it carries: more strain functions would move it by %.2g %% of "
          "its length (%s), and no number of them takes its bends; forces of EI/L^2 = %.3g N bend it round: check the "
          "units of "
          "forces, stiffness and length before more functions",
          r->model->link[rod->link].name, 100 * f->basis, f->basis_at, EI / (rod->length * rod->length));
}

// Where the shape is right and the strains are not.
static void tell_strain(td_resolution *r, int rod_index, const char *pointer, const char *others,
                        td_warnings *warnings) {
  const td_model *m = r->model;
  const td_rod *rod = &m->rod[rod_index];
  const td_finding *f = &r->found[rod->element];
  td_finding like = {.component = f->component, .basis = f->strain};
  char advice[ADVICE];
  memcpy(like.tail, f->strains, sizeof like.tail);
  advise_basis(r, rod, &m->document->links[rod->link].body.rod, &like, TD_COARSE_STRAIN, advice);
  td_warn(warnings, "coarse_basis", pointer,
          "the functions of %s of \"%s\" give its shape, and not its strains: with more of them its curvature would be "
          "another by %.2g %% of the largest (%s), and so would bending moments; %s where strains are read%s",
          td_strain_component_name(f->component), m->link[rod->link].name, 100 * f->strain, f->strain_at, advice,
          others);
}

// Where points lie right, and are turned about the axis wrongly.
static void tell_twist(td_resolution *r, int rod_index, const char *others, td_warnings *warnings) {
  const td_model *m = r->model;
  const td_rod *rod = &m->rod[rod_index];
  const td_finding *f = &r->found[rod->element];
  td_finding like = td_resolution_twist_of(f);
  const td_rod_spec *spec = &m->document->links[rod->link].body.rod;
  char advice[ADVICE], pointer[96];
  advise_basis(r, rod, spec, &like, TD_COARSE_TWIST, advice);
  snprintf(pointer, sizeof pointer, "/model/links/%d/body/strain/%storsion", rod->link,
           spec->basis == TD_BASIS_TABLE ? "" : "order/");
  td_warn(warnings, "coarse_basis", pointer,
          "the functions of torsion of \"%s\" cannot take the twist that its torques ask for: with more of them its "
          "sections would be turned about its axis by up to %.2g %% of how far they turn more or less (%s); %s%s",
          m->link[rod->link].name, 100 * f->turn, f->turn_at, advice, others);
}

static void tell_basis(td_resolution *r, int rod_index, const char *others, td_warnings *warnings) {
  const td_model *m = r->model;
  const td_rod *rod = &m->rod[rod_index];
  const td_finding *f = &r->found[rod->element];
  const td_rod_spec *spec = &m->document->links[rod->link].body.rod;
  bool shape = f->basis > f->basis_limit;
  const char *strain = td_strain_component_name(f->component);
  char pointer[96], advice[ADVICE], error[96], strains[64] = "";
  advise_basis(r, rod, spec, f, td_resolution_limit_of_shape(f), advice);
  advise_others(r, rod, spec, f->component, advice);
  snprintf(pointer, sizeof pointer, "/model/links/%d/body/strain/%s%s", rod->link,
           spec->basis == TD_BASIS_TABLE ? "" : "order/", strain);
  if (shape && ((f->basis > TD_OVERLOADED_SHAPE && f->part > TD_OVERLOADED_PART) ||
                (f->steep > TD_OVERLOADED_STIFF && f->basis > TD_OVERLOADED_LEAST))) {
    tell_overload(r, rod_index, pointer, warnings);
    return;
  }
  if (!shape && !(by(f->part, f->part_limit) > 1)) {
    tell_strain(r, rod_index, pointer, others, warnings);
    return;
  }
  if (shape)
    snprintf(error, sizeof error, "%.2g %% of its length (%s)", 100 * f->basis, f->basis_at);
  else
    snprintf(error, sizeof error, "%.2g %% of what they have moved by (%s)", 100 * f->part, f->part_at);
  if (f->strain > TD_COARSE_STRAIN)
    snprintf(strains, sizeof strains, ", and its curvature would be another by %.2g %%", 100 * f->strain);
  td_warn(warnings, "coarse_basis", pointer,
          "the functions of %s of \"%s\" cannot take the form that its forces ask for: with more of them its points "
          "would lie elsewhere by up to %s%s; %s%s",
          strain, m->link[rod->link].name, error, strains, advice, others);
}

static double excess_of_basis(const td_finding *f) {
  return fmax(td_resolution_excess_of_shape(f), f->strain / TD_COARSE_STRAIN);
}

// The worst rods of one code, worst first; the last of them says how many more there are.
static void tell_worst(td_resolution *r, double (*excess)(const td_finding *),
                       void (*tell)(td_resolution *, int, const char *, td_warnings *), td_warnings *warnings) {
  const td_model *m = r->model;
  int count = 0;
  for (int i = 0; i < m->rod_count; i++) {
    double e = m->rod[i].basis ? excess(&r->found[m->rod[i].element]) : 0;
    r->wrong[i] = e > 1 ? e : 0;
    count += e > 1;
  }
  for (int told = 0; told < TOLD && told < count; told++) {
    int worst = 0;
    char more[64] = "";
    for (int i = 1; i < m->rod_count; i++) worst = r->wrong[i] > r->wrong[worst] ? i : worst;
    r->wrong[worst] = 0;
    if (told + 1 == TOLD && count > TOLD) snprintf(more, sizeof more, "; %d more rods are like it", count - TOLD);
    tell(r, worst, more, warnings);
  }
}

// ------------------------------------------------------------------------------------------------ frequencies

bool td_resolution_mode_trust(const td_resolution *r, int *count, int *trusted, double *up_to) {
  if (!r || !r->modes.known) return false;
  *count = r->modes.count, *trusted = r->modes.trusted, *up_to = r->modes.up_to;
  return true;
}

static void advise_orders(const td_rod_spec *spec, const td_mode_finding *f, char advice[ADVICE]) {
  snprintf(advice, ADVICE, "take order %d", spec->order[f->component] + f->more[f->component]);
  for (int c = 0; c < 6; c++) {
    size_t used = strlen(advice);
    if (c != f->component && f->more[c] > 0)
      snprintf(advice + used, ADVICE - used, ", order %d of %s", spec->order[c] + f->more[c],
               td_strain_component_name(c));
  }
  size_t used = strlen(advice);
  if (f->points > 0) snprintf(advice + used, ADVICE - used, " and %d points", f->points);
}

static void tell_modes(const td_resolution *r, td_warnings *warnings) {
  const td_model *m = r->model;
  const td_mode_finding *f = &r->modes;
  if (!f->known || f->rod < 0) return;
  const td_rod *rod = &m->rod[f->rod];
  const td_rod_spec *spec = &m->document->links[rod->link].body.rod;
  const char *strain = td_strain_component_name(f->component);
  double now = sqrt(fabs(f->square)), right = sqrt(fabs(f->right)), off = fabs(now / right - 1);
  td_finding like = {.component = f->component, .basis = off};
  char pointer[96], advice[ADVICE], good[96] = "none of its frequencies is";
  for (int k = 1; k < f->more[f->component] && k < TD_ENRICHMENT; k++) like.tail[k] = INFINITY;
  if (f->tried)
    advise_orders(spec, f, advice);
  else
    advise_basis(r, rod, spec, &like, 0.02, advice);
  if (f->trusted > 0)
    snprintf(good, sizeof good, "of its %d modes the lowest %d, up to %.4g rad/s, %s", f->count, f->trusted, f->up_to,
             f->trusted > 1 ? "are" : "is");
  snprintf(pointer, sizeof pointer, "/model/links/%d/body/strain/%s%s", rod->link,
           spec->basis == TD_BASIS_TABLE ? "" : "order/", strain);
  td_warn(warnings, "coarse_basis", pointer,
          "the functions of %s of \"%s\" are too few for the robot's vibrations (%s): %s within 2 %% of what more "
          "functions give; the %s one, %.4g rad/s, would be %.4g (%.2g %% off); for the first three %s",
          strain, m->link[rod->link].name, f->where, good, f->trusted ? "next" : "first", now, right, 100 * off,
          advice);
}

// ------------------------------------------------------------------------------------------------ motions

// More functions that would do: what the estimates say where they say anything, else two.
static int enough_functions(const td_resolution *r, const td_enriched_finding *f) {
  const td_response_finding *response = &r->response;
  if (response->apart.ratio > TD_COARSE_RESPONSE && response->apart.rod == f->functions.rod) return response->more;
  return f->more < MORE ? f->more : MORE;
}

static void tell_enriched(const td_resolution *r, td_warnings *warnings) {
  const td_enriched_finding *f = &r->enriched;
  const td_model *m = r->model;
  if (!(f->functions.ratio > TD_COARSE_RESPONSE)) return;
  const td_rod *rod = &m->rod[f->functions.rod];
  const td_rod_spec *spec = &m->document->links[rod->link].body.rod;
  const char *strain = td_strain_component_name(f->component);
  td_finding like = {.component = f->component, .basis = f->functions.ratio};
  char pointer[96], advice[ADVICE], what[160];
  for (int k = 1; k < enough_functions(r, f); k++) like.tail[k] = INFINITY;
  advise_basis(r, rod, spec, &like, TD_COARSE_RESPONSE, advice);
  snprintf(pointer, sizeof pointer, "/model/links/%d/body/strain/%s%s", rod->link,
           spec->basis == TD_BASIS_TABLE ? "" : "order/", strain);
  describe_apart(&f->functions, what);
  td_warn(warnings, "coarse_basis", pointer,
          "the functions of %s of \"%s\" are too few for this motion: with %d more of them %s; %s", strain,
          m->link[rod->link].name, f->more, what, advice);
}

static double excess_of_twist(const td_finding *f) { return f->turn / TD_COARSE_TWIST; }

static void tell_response(const td_resolution *r, td_warnings *warnings) {
  const td_model *m = r->model;
  const td_response_finding *f = &r->response;
  bool early = f->apart.ratio > TD_COARSE_RESPONSE, late = !early && f->small && f->whole.ratio > TD_COARSE_RESPONSE;
  if (r->enriched.known || !(early || late)) return;
  const td_apart *apart = early ? &f->apart : &f->whole;
  const td_rod *rod = &m->rod[apart->rod];
  const td_finding *other = &r->found[rod->element];
  if (excess_of_basis(other) > 1) return; // said already
  const td_rod_spec *spec = &m->document->links[rod->link].body.rod;
  td_finding like = {.component = early ? f->component : f->lacking, .basis = apart->ratio};
  const char *strain = td_strain_component_name(like.component);
  char pointer[96], advice[ADVICE];
  for (int k = 1; k < (early ? f->more : MORE); k++) like.tail[k] = INFINITY;
  advise_basis(r, rod, spec, &like, TD_COARSE_RESPONSE, advice);
  snprintf(pointer, sizeof pointer, "/model/links/%d/body/strain/%s%s", rod->link,
           spec->basis == TD_BASIS_TABLE ? "" : "order/", strain);
  td_warn(warnings, "coarse_basis", pointer,
          "the functions of %s of \"%s\" are too few for what drives it: with more of them its tip, seen from its "
          "base, would be elsewhere by up to %.2g %% of its largest deflection, %s (t = %.4g s); %s",
          strain, m->link[rod->link].name, 100 * apart->share,
          early ? "as early as within a period of its slowest vibration"
                : "as its vibrations go out of step with theirs",
          apart->t, advice);
}

static void tell_stability(const td_resolution *r, td_warnings *warnings) {
  const td_stability_finding *f = &r->stability;
  if (!f->found) return;
  const td_rod *rod = &r->model->rod[f->rod];
  const td_rod_spec *spec = &r->model->document->links[rod->link].body.rod;
  const char *strain = td_strain_component_name(f->component);
  char pointer[96];
  snprintf(pointer, sizeof pointer, "/model/links/%d/body/strain/%s%s", rod->link,
           spec->basis == TD_BASIS_TABLE ? "" : "order/", strain);
  if (f->branch) {
    if (f->points) snprintf(pointer, sizeof pointer, "/model/links/%d/body/quadrature/points", rod->link);
    td_warn(
        warnings, f->points ? "coarse_quadrature" : "coarse_basis", pointer,
        "with more %s \"%s\" would have buckled in one form more by then (%s): the loads of this branch and of later "
        "ones are too high; take more of them%s%s",
        f->points ? "Gauss points" : "strain functions", r->model->link[rod->link].name, f->where,
        f->points ? "" : ", of ", f->points ? "" : strain);
    return;
  }
  td_warn(warnings, "coarse_basis", pointer,
          "the equilibrium (%s) is stable with the strain functions of \"%s\" and unstable with more of them: it "
          "buckles in "
          "a form that they cannot take; take more functions or elements of %s",
          f->where, r->model->link[rod->link].name, strain);
}

void td_resolution_tell(td_resolution *r, td_warnings *warnings) {
  if (!r) return;
  td_resolution_advise(r);
  tell_worst(r, td_resolution_excess_of_points, tell_points, warnings);
  td_resolution_tell_joints(r, warnings);
  tell_worst(r, excess_of_basis, tell_basis, warnings);
  tell_worst(r, excess_of_twist, tell_twist, warnings);
  tell_stability(r, warnings);
  tell_modes(r, warnings);
  tell_enriched(r, warnings);
  tell_response(r, warnings);
  td_resolution_tell_contact(r, warnings);
}

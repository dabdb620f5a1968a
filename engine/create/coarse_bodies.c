// Points of reduced bodies against more points, on the body alone, fixed at its base.
//
// With K and M of the finer body at rest, w^2 = 100 min K_ii/M_ii, and q where the robot is:
//     stiffness   max |x^T (K' - K(q)) x| / x^T K x, or, where that is less, / x^T K'(q) x
//     mass        max |x^T (M' - M(q)) x| / x^T (M + K/w^2) x    fast motions count by what they hold of energy
//     chambers    |K^-1/2 (g' - g(q))| / |K^-1/2 g'|             g = dV/dq: what a pressure does
//     strains     |K^-1/2 (f' - f(q))| / |K^1/2 q|               f elastic forces: how far the shape is off, by energy
// Where the format allows no more points, the laws by which these rules converge say how far off they are
// (element/reduced/reduced_points.c).
#include "create/coarse_bodies.h"
#include "build/build.h"
#include "element/reduced/chamber.h"
#include "element/reduced/mesh.h"
#include "element/reduced/reduced_points.h"
#include "force/force.h"
#include "math/cholesky.h"
#include "math/relative.h"
#include "pass/generalized_force.h"
#include "pass/whole_pass.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BODIES = 64, MOST_WORK = 100000, MESH_LEAST = 27, KEYS = 3, TOLD = 3 };
static const double COARSE = 0.015; // of strains, stiffness or mass, at a state
static const double RIGHT = 0.005;  // what advice leaves
static const double GROSS = 0.1;    // at rest, where nothing is known of what acts

typedef struct twin {
  td_model *model;
  td_workspace *ws;
} twin;

typedef struct body {
  int link, first, n; // coordinates of the robot
  const td_reduced_spec *spec;
  twin own, fine;
  double *K, *M, *measure, *A, *B, *U, *work, *f, *x; // of the finer body at rest, and scratch; [n][ld]
  bool regular;                                       // K has a factor, U
  double *worst_q, ratio;
  const char *what;
  char where[32];
} body;

struct td_coarse_bodies {
  const td_model *model;
  int count;
  body body[MOST_BODIES];
};

// ------------------------------------------------------------------------------------------------ more points

static void keys_of(td_reduced_spec *spec, int *key[KEYS]) {
  key[0] = &spec->s_points, key[1] = &spec->r_points, key[2] = &spec->angle_points;
}

// What the body is integrated by, said.
static void say_points(const td_reduced_spec *spec, td_reduced_spec *to) {
  double angle[TD_ANGLE_POINTS_MOST], weight[TD_ANGLE_POINTS_MOST];
  const td_reduced_spec copy = *spec, *from = &copy;
  *to = copy;
  if (from->has_mesh) {
    to->s_points = td_reduced_mesh_points(from);
  } else if (from->kinematics == TD_KINEMATICS_RITZ) {
    int side[3];
    td_reduced_box_points(from, side);
    to->r_points = side[0], to->angle_points = side[1], to->s_points = side[2];
  } else {
    to->s_points = td_reduced_s_points(from), to->r_points = td_reduced_r_points(from);
    if (from->kinematics == TD_KINEMATICS_LVP) to->angle_points = td_reduced_angles(from, angle, weight);
  }
}

static int most_of(const td_reduced_spec *spec, int key) {
  static const int most[KEYS] = {TD_AXIS_POINTS_MOST, TD_RADIUS_POINTS_MOST, TD_ANGLE_POINTS_MOST};
  return spec->has_mesh ? TD_MESH_POINTS_MOST : most[key];
}

static int raised(const td_reduced_spec *spec, int key, int own, double factor) {
  return (int)fmin(most_of(spec, key), fmax(own + 1, ceil(factor * own)));
}

// Twice the points, of lvp sections and meshes a quarter more, and more than by default. Variable radius around: its
// rule by default, on halves, is finer than any that can be said.
static void refine(const td_reduced_spec *spec, td_reduced_spec *fine) {
  td_reduced_spec own, by_default = *spec;
  int *to[KEYS], *from[KEYS], *usual[KEYS];
  bool varies = spec->kinematics == TD_KINEMATICS_PCC_VARIABLE_RADIUS;
  by_default.s_points = by_default.r_points = by_default.angle_points = 0;
  say_points(&by_default, &by_default);
  say_points(spec, &own);
  *fine = own;
  keys_of(fine, to), keys_of(&own, from), keys_of(&by_default, usual);
  double factor = spec->has_mesh || spec->kinematics == TD_KINEMATICS_LVP ? 1.25 : 2; // their rules converge fast
  for (int key = 0; key < (spec->has_mesh ? 1 : KEYS); key++)
    *to[key] = raised(spec, key, (int)fmax(*from[key], *usual[key]), factor);
  if (varies) fine->r_points = 6, fine->angle_points = spec->angle_points ? 0 : TD_ANGLE_POINTS_MOST;
}

// By the law of convergence, where there are no more points to compare with.
static double beyond_the_bounds(const td_reduced_spec *spec) {
  td_reduced_spec own, free = *spec;
  double b = 0, error = 0;
  if (spec->has_mesh || spec->kinematics == TD_KINEMATICS_RITZ) return 0;
  say_points(spec, &own);
  for (size_t i = 0; i < spec->radius.count; i++) b = fmax(b, spec->radius.value[i]);
  free.r_points = 0;
  bool wall = spec->kinematics == TD_KINEMATICS_LVP && td_reduced_r_points(&free) == TD_RADIUS_POINTS_MOST;
  if (wall && own.r_points == TD_RADIUS_POINTS_MOST)
    error = 33 * exp(-2 * own.r_points * log((b + spec->inner_radius) / (b - spec->inner_radius)));
  if (spec->kinematics == TD_KINEMATICS_GAUSSIAN_CURVATURE && spec->width > 0 && own.s_points == TD_AXIS_POINTS_MOST)
    error = 2 * exp(-2 * pow(own.s_points * spec->width / spec->length, 2));
  return fmin(error, 1);
}

// ------------------------------------------------------------------------------------------------ bodies alone

static void free_twin(twin *t) {
  td_workspace_destroy(t->ws);
  td_model_destroy(t->model);
  *t = (twin){0};
}

static bool build_twin(const td_link_spec *link, const td_reduced_spec *points, twin *out) {
  td_link_spec alone = {.name = "body", .parent = "world", .pose = link->pose, .body = link->body};
  alone.joint = (td_joint_spec){.type = TD_JOINT_FIXED, .axis = {0, 0, 1}}, alone.at = 1;
  alone.body.reduced = *points;
  td_model_spec spec = {.name = "body", .links = &alone, .link_count = 1};
  td_error err = {0};
  *out = (twin){0};
  if (td_model_build(&spec, NULL, &out->model, &err)) return false;
  return !td_forces_freeze(out->model, &spec) && !td_workspace_create(out->model, &out->ws);
}

static void mass_at(const twin *t, const double *q, double *out) {
  td_mass_padded(t->model, t->ws, q);
  memcpy(out, t->ws->mass, (size_t)(t->model->n * t->model->ld) * sizeof *out);
}

static void stiffness_at(const twin *t, const double *q, double *out) {
  td_force_derivatives_padded(t->model, t->ws, q, NULL, NULL);
  for (int i = 0; i < t->model->n * t->model->ld; i++) out[i] = -t->ws->dtau_dq[i];
}

static void force_at(const twin *t, const double *q, double *out) {
  memset(out, 0, (size_t)t->model->n * sizeof *out);
  td_add_passive(t->model, t->ws, q, NULL, NULL, out, out);
}

// Not where it would take seconds, or much memory: particles by coordinates of the finer body.
static bool is_judged(const td_reduced_spec *r) {
  double particles, elements = (double)(r->mesh.tetrahedron_count + r->mesh.hexahedron_count);
  td_reduced_spec fine;
  if (elements * MESH_LEAST > MOST_WORK) return false;
  refine(r, &fine);
  particles = fine.s_points;
  if (r->has_mesh) particles = elements * pow(fine.s_points, 3);
  bool many = r->kinematics == TD_KINEMATICS_LVP || r->kinematics == TD_KINEMATICS_RITZ;
  if (!r->has_mesh && many) particles *= fine.r_points * fine.angle_points;
  return particles * (double)(r->kinematics == TD_KINEMATICS_RITZ ? r->ritz_mode_count : 1) <= MOST_WORK;
}

static void close_body(body *b) {
  free_twin(&b->own);
  free_twin(&b->fine);
  free(b->K);
  b->K = NULL;
}

// At rest, too: K, M and the measure of masses.
static bool open_body(const td_link_spec *link, body *b) {
  td_reduced_spec fine;
  b->spec = &link->body.reduced;
  refine(b->spec, &fine);
  if (!build_twin(link, b->spec, &b->own) || !build_twin(link, &fine, &b->fine)) return false;
  size_t n = (size_t)b->own.model->n, ld = (size_t)b->own.model->ld, size = n * ld;
  b->n = (int)n;
  b->K = calloc(6 * size + (size_t)td_relative_work((int)n) + 4 * ld, sizeof *b->K);
  if (!b->K) return false;
  double **part[] = {&b->M, &b->measure, &b->A, &b->B, &b->U};
  for (size_t i = 0; i < 5; i++) *part[i] = b->K + (i + 1) * size;
  b->f = b->K + 6 * size, b->x = b->f + ld, b->worst_q = b->x + ld, b->work = b->worst_q + 2 * ld;
  stiffness_at(&b->fine, b->x, b->K);
  mass_at(&b->fine, b->x, b->M);
  double slow = INFINITY;
  for (size_t i = 0; i < n; i++)
    if (b->K[i * ld + i] > 0 && b->M[i * ld + i] > 0) slow = fmin(slow, b->K[i * ld + i] / b->M[i * ld + i]);
  for (size_t i = 0; i < size; i++) b->measure[i] = b->M[i] + (isfinite(slow) ? b->K[i] / (100 * slow) : 0);
  memcpy(b->A, b->K, size * sizeof *b->A);
  for (size_t i = 0; i < n; i++) b->A[i * ld + i] *= 1 + 1e-9;
  b->regular = !td_spd_factor((int)n, (int)ld, b->A, (int)ld, b->U);
  return true;
}

// ------------------------------------------------------------------------------------------------ comparing

// A = own - finer + measure, so that its change against the measure is that of the two.
static double change(const body *b, const double *measure) {
  int n = b->n, ld = b->own.model->ld;
  for (int i = 0; i < n * ld; i++) b->A[i] += measure[i] - b->B[i];
  double found = td_relative_change(n, ld, b->A, measure, b->work);
  return isfinite(found) ? found : 0;
}

static double change_of_mass(const body *b, const twin *own, const double *q) {
  mass_at(own, q, b->A);
  mass_at(&b->fine, q, b->B);
  return change(b, b->measure);
}

// By K at rest or, where a body has become stiffer, at q.
static double change_of_stiffness(const body *b, const twin *own, const double *q) {
  stiffness_at(own, q, b->A);
  stiffness_at(&b->fine, q, b->B);
  double there = td_relative_change(b->n, b->own.model->ld, b->A, b->B, b->work);
  return fmin(there, change(b, b->K));
}

static double work_of(const body *b, const double *force, double *x) {
  double sum = 0;
  memcpy(x, force, (size_t)b->n * sizeof *x);
  td_spd_solve(b->n, b->own.model->ld, b->U, x);
  for (int i = 0; i < b->n; i++) sum += x[i] * force[i];
  return sum;
}

static double change_of_strains(const body *b, const twin *own, const double *q) {
  int n = b->n, ld = b->own.model->ld;
  double held = 0, lost = 0, L = b->spec->length;
  if (!b->regular) return 0;
  force_at(own, q, b->f);
  force_at(&b->fine, q, b->x);
  for (int i = 0; i < n; i++) {
    b->x[i] -= b->f[i];
    for (int j = 0; j < n; j++) held += q[i] * b->K[i * ld + j] * q[j];
  }
  lost = work_of(b, b->x, b->f);
  bool told = held > 1e-16 * b->spec->young * L * L * L; // else forces are rounding
  return told && lost > 0 && isfinite(lost) ? sqrt(lost / held) : 0;
}

static double change_of_chambers(const body *b, const twin *own, const double *q) {
  double most = 0, L = b->spec->length, *x = b->B, *g = b->f, *fine = b->x;
  if (!b->spec->has_mesh || !b->regular) return 0;
  for (int c = 0; c < own->model->chamber_count; c++) {
    (void)td_chamber_volume(&own->model->chamber[c], q, g, NULL);
    (void)td_chamber_volume(&b->fine.model->chamber[c], q, fine, NULL);
    double all = work_of(b, fine, x);
    for (int i = 0; i < b->n; i++) g[i] -= fine[i];
    if (all * b->spec->young > 1e-16 * L * L * L) most = fmax(most, sqrt(fmax(0, work_of(b, g, x)) / all));
  }
  return most;
}

static double compare(const body *b, const twin *own, const double *q, const char **what) {
  enum { MEASURES = 4 };
  static const char *const name[MEASURES] = {"mass", "stiffness", "strains", "response to pressure"};
  const double mass = change_of_mass(b, own, q), stiffness = change_of_stiffness(b, own, q),
               strains = change_of_strains(b, own, q);
  const double found[MEASURES] = {mass, stiffness, strains, change_of_chambers(b, own, q)};
  int most = 0;
  for (int i = 1; i < MEASURES; i++)
    if (found[i] > found[most]) most = i;
  *what = name[most];
  return found[most];
}

static void look(body *b, const double *q, const char *where) {
  const char *what;
  double ratio = compare(b, &b->own, q, &what);
  if (ratio <= b->ratio) return;
  b->ratio = ratio, b->what = what;
  memcpy(b->worst_q, q, (size_t)b->n * sizeof *q);
  snprintf(b->where, sizeof b->where, "%s", where);
}

// ------------------------------------------------------------------------------------------------ telling

static double with(const td_link_spec *link, const body *b, const td_reduced_spec *points) {
  twin t;
  const char *what;
  double ratio = build_twin(link, points, &t) ? compare(b, &t, b->worst_q, &what) : INFINITY;
  free_twin(&t);
  return ratio;
}

// Of one key, as many points as make it right while the others are fine; 0: it is not the reason.
static int enough(const td_link_spec *link, const body *b, int key) {
  static const double factors[] = {1, 1.25, 1.5, 2, 2.5, 3, 4, 6, 8, 12, 32};
  td_reduced_spec fine, own;
  int *to[KEYS], *from[KEYS], least;
  refine(b->spec, &fine);
  say_points(b->spec, &own);
  keys_of(&fine, to), keys_of(&own, from);
  least = *from[key];
  for (size_t i = 0; i < sizeof factors / sizeof *factors && least > 0; i++) {
    *to[key] = i ? raised(b->spec, key, least, factors[i]) : least;
    if (with(link, b, &fine) <= RIGHT) return i ? *to[key] : 0;
  }
  return least > 0 ? most_of(b->spec, key) : 0;
}

static void advise(const td_link_spec *link, const body *b, char *out, size_t size) {
  static const char *const backbone[KEYS] = {"s", "r", "angle"}, *const box[KEYS] = {"z", "x", "y"};
  const char *const *names = b->spec->kinematics == TD_KINEMATICS_RITZ ? box : backbone;
  int length = 0;
  *out = 0;
  for (int key = 0; key < (b->spec->has_mesh ? 1 : KEYS) && length < (int)size; key++) {
    int points = enough(link, b, key);
    if (points)
      length += snprintf(out + length, size - (size_t)length, "%s%s %d", *out ? ", " : "",
                         b->spec->has_mesh ? "points" : names[key], points);
  }
}

static bool says_points(const td_reduced_spec *r) { return r->s_points || r->r_points || r->angle_points; }

static void tell(const char *prefix, const td_link_spec *link, const body *b, double limit, td_warnings *warnings) {
  char pointer[64], advice[96];
  double bounded = beyond_the_bounds(b->spec);
  snprintf(pointer, sizeof pointer, "%s/links/%d/body/quadrature", prefix, b->link);
  if (b->ratio > limit) {
    advise(link, b, advice, sizeof advice);
    td_warn(warnings, "coarse_quadrature", pointer,
            "the points of \"%s\" are too few: with more of them its %s would be another by %.2g %% (%s); take %s%s",
            link->name, b->what, 100 * b->ratio, b->where, *advice ? advice : "more of all",
            says_points(b->spec) ? ", or leave `quadrature` out: its defaults are right at rest" : "");
  } else if (bounded > limit) {
    td_warn(warnings, "coarse_quadrature", pointer,
            "the points of \"%s\" are too few, and more are not allowed: its stiffness is off by about %.2g %%; take a "
            "%s",
            link->name, 100 * bounded, b->spec->kinematics == TD_KINEMATICS_LVP ? "thinner wall" : "wider Gaussian");
  }
}

void td_warn_of_coarse_bodies(td_model *m, const td_model_spec *spec) {
  int judged = 0;
  for (size_t i = 0; i < spec->link_count && judged < MOST_BODIES; i++) {
    const td_link_spec *link = &spec->links[i];
    const td_reduced_spec *r = &link->body.reduced;
    if (link->body.type != TD_BODY_REDUCED) continue;
    if (!says_points(r) && beyond_the_bounds(r) <= GROSS) continue;
    if (!is_judged(r)) continue;
    body b = {.link = (int)i};
    if (open_body(link, &b)) {
      double rest[TD_MAX_MODES + 2 * TD_MAX_ORDER + 8] = {0};
      look(&b, rest, "at rest");
      tell("", link, &b, GROSS, &m->warnings);
    }
    close_body(&b);
    judged++;
  }
}

// ------------------------------------------------------------------------------------------------ states

td_coarse_bodies *td_coarse_bodies_create(const td_model *model) {
  const td_model_spec *d = model->document;
  td_coarse_bodies *all = NULL;
  for (int e = 0; d && e < model->element_count; e++) {
    const td_element *element = &model->element[e];
    const td_link_spec *link = element->link >= 0 ? &d->links[element->link] : NULL;
    if (!link || link->body.type != TD_BODY_REDUCED || !element->n || !is_judged(&link->body.reduced)) continue;
    if (element->type != TD_ELEMENT_RITZ && element->rod < 0) continue;
    if (!all) all = calloc(1, sizeof *all);
    if (!all || all->count == MOST_BODIES) break;
    all->model = model;
    body *b = &all->body[all->count];
    *b = (body){.link = element->link, .first = element->coordinate};
    if (open_body(link, b) && b->n == element->n)
      all->count++;
    else
      close_body(b);
  }
  return all;
}

void td_coarse_bodies_destroy(td_coarse_bodies *all) {
  for (int i = 0; all && i < all->count; i++) close_body(&all->body[i]);
  free(all);
}

void td_coarse_bodies_look(td_coarse_bodies *all, const double *q, const char *where) {
  for (int i = 0; all && i < all->count; i++) look(&all->body[i], q + all->body[i].first, where);
}

void td_coarse_bodies_tell(td_coarse_bodies *all, td_warnings *warnings) {
  for (int i = 0; all && i < all->count; i++)
    tell("/model", &all->model->document->links[all->body[i].link], &all->body[i], COARSE, warnings);
}

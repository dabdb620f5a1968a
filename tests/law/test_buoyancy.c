// What displaced fluid does to bodies of every kind: gravity on each is scaled by 1 - rho_w/rho, and nothing else
// changes.
//
// In a fluid of its own density a body feels no gravity; robots of one density are those of scaled gravity; the weight
// that is left is that of the difference of densities in the body's volume. Derivatives against differences and the
// gradient of the potential in fluids of another density are with all trees (test_trees.c, test_tree_derivatives.c,
// test_tree_fd_derivatives.c).
#include "support/model_file.h"
#include "support/recording.h"
#include "support/suite.h"
#include "support/tree_state.h"
#include "tendril/tendril.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef double vector[STATE_MAX];
typedef double matrix[STATE_MAX * STATE_MAX];

enum { MESH = TD_KINEMATICS_COUNT, BODIES }; // the kinematics, and a Ritz body of a mesh

static td_reduced_spec *put_body(td_link_spec *link, int kind) {
  if (kind == MESH) return tree_ritz_mesh(link, 3);
  return kind == TD_KINEMATICS_RITZ ? tree_ritz(link) : tree_reduced(link, (td_body_kinematics)kind);
}

static const char *body_name(int kind) { return kind == MESH ? "mesh" : td_kinematics_name((td_body_kinematics)kind); }

static void set_gravity(tree *t, double factor) {
  for (int i = 0; i < 3; i++) t->spec.gravity[i] *= factor;
}

// ------------------------------------------------------------------------------------------------ two robots alike

static double largest(const double *x, int n) {
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
  return most;
}

// Everything that contains weight.
typedef struct weighed {
  vector id, gravity, fd, residual;
  matrix dq, dqd, mass, fd_dq, fd_dqd, K;
  double potential;
} weighed;

static void weigh(tree_state *s, weighed *w) {
  static double terms[6 * STATE_MAX];
  double *const blocks[1] = {terms};
  const int want = td_quantity_find("id_terms");
  const td_state state = {.q = s->q, .qd = s->qd, .qdd = s->qdd, .u = s->u};
  td_energy energy;
  td_error err;
  vector beside;
  TREE_OK(td_id_derivatives(s->model, s->ws, s->q, s->qd, s->qdd, s->u, beside, w->dq, w->dqd, w->mass));
  TREE_OK(td_fd_derivatives(s->model, s->ws, s->q, s->qd, s->u, w->fd, w->fd_dq, w->fd_dqd, NULL));
  TREE_OK(td_residual_derivatives(s->model, s->ws, s->q, NULL, NULL, s->u, w->residual, w->K, NULL, NULL));
  TREE_OK(td_evaluate(s->model, s->ws, &state, &want, 1, blocks, &err));
  memcpy(w->gravity, terms + 2 * s->n, (size_t)s->n * sizeof(double));
  TREE_OK(td_energy_at(s->model, s->ws, s->q, s->qd, &energy));
  w->potential = energy.gravitational;
  tree_id(s, w->id);
  tree_same(s, "id beside its derivatives", s->n, 1, beside, w->id, 0, 1e-12);
}

// Allowed: rounding of what both robots add up, `scale` times as large as what is left of it.
static void same(const tree_state *s, const weighed *a, const weighed *b, double scale) {
  int n = s->n;
  double tight = 1e-12 * scale, loose = 1e-8 * scale; // loose: times the condition of the mass matrix
  tree_same(s, "id", n, 1, a->id, b->id, 0, tight);
  for (int i = 0; i < n; i++) // both may be 0 but for rounding
    ck_assert_double_eq_tol(a->gravity[i], b->gravity[i], tight * largest(b->id, n));
  tree_same(s, "did_dq", n, n, a->dq, b->dq, 0, tight);
  tree_same(s, "did_dqd", n, n, a->dqd, b->dqd, 0, tight);
  tree_same(s, "mass", n, n, a->mass, b->mass, 0, 0);
  tree_same(s, "residual at rest", n, 1, a->residual, b->residual, 0, tight);
  tree_same(s, "K", n, n, a->K, b->K, 0, tight);
  tree_same(s, "fd", n, 1, a->fd, b->fd, 0, loose);
  tree_same(s, "dfd_dq", n, n, a->fd_dq, b->fd_dq, 0, loose);
  tree_same(s, "dfd_dqd", n, n, a->fd_dqd, b->fd_dqd, 0, loose);
}

// Both trees at the same state of that scale.
static void compare(const tree *in_fluid, const tree *instead, const char *name, double scale, weighed *a, weighed *b) {
  tree_state s, other;
  tree_state_of(&s, in_fluid, name, scale);
  tree_state_of(&other, instead, name, scale);
  weigh(&s, a);
  weigh(&other, b);
  same(&s, a, b, 10);
  tree_state_close(&s);
  tree_state_close(&other);
}

// ------------------------------------------------------------------------------------------------ laws

static void hang(tree *t, int kind) {
  tree_init(t);
  put_body(tree_link(t, "body", "world", TD_JOINT_REVOLUTE), kind);
}

// Radius modes and sources are lengths: states are small where a body has them.
static double scale_of(int kind) { return kind == TD_KINEMATICS_PCC_VARIABLE_RADIUS ? 0.02 : 0.4; }

START_TEST(a_body_in_a_fluid_of_its_own_density_feels_no_gravity) {
  static weighed neutral, weightless, heavy;
  for (int kind = 0; kind < BODIES; kind++) {
    static tree fluid, space, air;
    hang(&fluid, kind), hang(&space, kind), hang(&air, kind);
    fluid.spec.fluid_density = fluid.links[0].body.reduced.density;
    set_gravity(&space, 0);
    compare(&fluid, &space, body_name(kind), scale_of(kind), &neutral, &weightless);
    tree_state s;
    tree_state_of(&s, &air, body_name(kind), scale_of(kind));
    weigh(&s, &heavy);
    ck_assert_double_le(fabs(neutral.potential), 1e-14 * fabs(heavy.potential));
    ck_assert_double_le(largest(neutral.gravity, s.n), 1e-13 * largest(heavy.gravity, s.n));
    ck_assert_double_gt(fabs(heavy.potential), 0);
    ck_assert_double_gt(largest(heavy.gravity, s.n), 1e-4);
    tree_state_close(&s);
  }
}
END_TEST

// All bodies of that density; the forces of water on rods, which grow with its density, are left out.
static void make_uniform(tree *t, double density) {
  static double line[1]; // of a section of numbers: its radius is 0.02 m
  line[0] = density * M_PI * 0.02 * 0.02;
  t->spec.fluid.has_surface = false;
  for (size_t i = 0; i < t->spec.link_count; i++) {
    td_body_spec *body = &t->links[i].body;
    td_rod_spec *rod = &body->rod;
    body->rigid.body_density = body->reduced.density = rod->density = density;
    if (rod->section == TD_SECTION_STIFFNESS) rod->numbers.mass = (td_profile){.count = 1, .width = 1, .value = line};
    for (int k = 0; k < 3; k++) rod->cd[k] = rod->cl[k] = 0;
    for (int k = 0; k < 2; k++) rod->added[k] = 0;
  }
}

START_TEST(robots_of_one_density_in_a_fluid_are_those_of_scaled_gravity) {
  static const double ratios[3] = {0.4, 1, 1.7}, scales[3] = {0.5, 1e-3, 3};
  static weighed a, b;
  for (size_t i = 0; i < tree_count(); i++)
    for (int k = 0; k < 3; k++) {
      static tree fluid, scaled;
      tree_make(i, &fluid), tree_make(i, &scaled);
      make_uniform(&fluid, 900), make_uniform(&scaled, 900);
      fluid.spec.fluid_density = 900 * ratios[k], scaled.spec.fluid_density = 0;
      set_gravity(&scaled, 1 - ratios[k]);
      compare(&fluid, &scaled, tree_name(i), scales[k], &a, &b);
      ck_assert_double_eq_tol(a.potential, b.potential, 1e-12 * fabs(b.potential) + 1e-14);
    }
}
END_TEST

// Volumes of the bodies of tree_reduced and tree_ritz, m^3.
static double volume_of(const td_reduced_spec *body) {
  if (body->kinematics == TD_KINEMATICS_RITZ) return 0.04 * 0.03 * 0.15;
  double base = body->radius.value[0], tip = body->radius.value[body->radius.count - 1],
         hole = body->kinematics == TD_KINEMATICS_LVP ? body->inner_radius : 0;
  return M_PI * body->length * ((base * base + base * tip + tip * tip) / 3 - hole * hole);
}

// A body that can be lifted: the force that holds it, at any shape.
START_TEST(what_a_body_weighs_in_a_fluid_is_its_volume_times_the_difference_of_densities) {
  for (int kind = 0; kind < BODIES; kind++) {
    static tree t;
    tree_state s;
    vector id;
    tree_init(&t);
    td_link_spec *link = tree_link(&t, "body", "world", TD_JOINT_PRISMATIC);
    const double up[3] = {0, 0, 1};
    link->pose = td_se3_identity();
    memcpy(link->joint.axis, up, sizeof up);
    const td_reduced_spec *body = put_body(link, kind);
    memcpy(t.spec.gravity, (double[3]){0, 0, -9.81}, sizeof t.spec.gravity);
    t.spec.fluid_density = 1250;
    tree_state_of(&s, &t, body_name(kind), scale_of(kind));
    TREE_OK(td_inverse_dynamics(s.model, s.ws, s.q, NULL, NULL, NULL, id));
    double expected = 9.81 * (body->density - 1250) * volume_of(body);
    ck_assert_msg(fabs(id[0] - expected) < 1e-12 * fabs(expected), "%s weighs %.15g N, not %.15g", s.name, id[0],
                  expected);
    tree_state_close(&s);
  }
}
END_TEST

static size_t index_of(const char *name) {
  size_t i = 0;
  while (strcmp(tree_name(i), name) != 0) i++;
  return i;
}

// Nothing bends it: straight is its equilibrium, from wherever statics starts.
START_TEST(a_neutral_robot_at_rest_stays_and_is_where_statics_finds_it) {
  static tree t;
  tree_state s;
  tree_make(index_of("soft_bodies_in_a_fluid"), &t);
  make_uniform(&t, t.spec.fluid_density);
  for (size_t i = 0; i < t.spec.link_count; i++) memset(t.links[i].joint.rest, 0, sizeof t.links[i].joint.rest);
  tree_state_of(&s, &t, "neutral", 0.1);
  td_dynamics_spec spec = recording_job(s.model, TD_METHOD_BDF, 1, NULL);
  recording r = {0};
  recording_ok(&r, s.model, &spec);
  for (int i = 0; i < s.n; i++) ck_assert_double_le(fabs(recording_last(&r)[i]), 1e-9);
  td_statics_options options;
  td_statics_result result;
  td_error err = {0};
  td_statics_defaults(&options);
  td_status status = td_statics_solve(s.model, s.ws, NULL, &options, s.q, &result, &err);
  ck_assert_msg(status == TD_OK && result.converged && result.stable, "%s", err.message);
  for (int i = 0; i < s.n; i++) ck_assert_double_le(fabs(s.q[i]), 1e-8);
  recording_free(&r);
  tree_state_close(&s);
}
END_TEST

START_TEST(bodies_that_rise_and_sink_keep_the_energy_balance) {
  static tree t;
  tree_make(index_of("soft_bodies_in_a_fluid"), &t);
  td_model *model = tree_build(&t);
  td_dynamics_spec spec = recording_job(model, TD_METHOD_BDF, 0.3, NULL);
  spec.integrator.rtol = 1e-8;
  spec.integrator.atol = 1e-10;
  recording r = {0};
  recording_ok(&r, model, &spec);
  const td_energy_balance *e = &r.statistics.energy;
  ck_assert_double_gt(fabs(e->gravitational), 1e-3);
  ck_assert_msg(fabs(e->error) < 1e-6 * e->exchanged, "energy off by %g of %g J", e->error, e->exchanged);
  recording_free(&r);
  td_model_destroy(model);
}
END_TEST

// A ball of 0.1 m radius and half the fluid's density floats up with its own weight, one of the fluid's density stands
// still.
START_TEST(a_rigid_shape_displaces_its_volume_unless_body_density_says_otherwise) {
  static const struct {
    const char *body;
    double weight; // N, downwards
  } cases[] = {
      {"\"shape\": {\"type\": \"sphere\", \"radius\": 0.1}, \"density\": 500", -500},
      {"\"shape\": {\"type\": \"sphere\", \"radius\": 0.1}, \"density\": 1000", 0},
      {"\"shape\": {\"type\": \"sphere\", \"radius\": 0.1}, \"density\": 500, \"hydrodynamics\": {\"body_density\": "
       "1000}",
       0},
      {"\"mass\": 2, \"inertia\": [1, 1, 1]", 2 / (4 * M_PI / 3 * 1e-3)},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[512];
    snprintf(
        text, sizeof text,
        "{\"format\": \"tendril.model/1\", \"gravity\": [0, 0, -9.81], \"fluid\": {\"density\": 1000}, \"links\": [{"
        "\"name\": \"ball\", \"joint\": {\"type\": \"prismatic\"}, \"body\": {\"type\": \"rigid\", %s}}]}",
        cases[i].body);
    td_model *model = test_model_from_text(text);
    td_workspace *ws;
    ck_assert_int_eq(td_workspace_create(model, &ws), TD_OK);
    double q = 0.3, force;
    ck_assert_int_eq(td_inverse_dynamics(model, ws, &q, NULL, NULL, NULL, &force), TD_OK);
    ck_assert_double_eq_tol(force, cases[i].weight * 9.81 * 4 * M_PI / 3 * 1e-3, 1e-12);
    const td_warnings *w = td_model_warnings(model);
    ck_assert_int_eq(w->count, i == 3);
    if (i == 3) ck_assert_str_eq(w->list[0].code, "no_buoyancy");
    if (i == 3) ck_assert_str_eq(w->list[0].pointer, "/links/0/body");
    td_workspace_destroy(ws);
    td_model_destroy(model);
  }
}
END_TEST

TEST_MAIN("buoyancy", a_rigid_shape_displaces_its_volume_unless_body_density_says_otherwise,
          a_body_in_a_fluid_of_its_own_density_feels_no_gravity,
          robots_of_one_density_in_a_fluid_are_those_of_scaled_gravity,
          what_a_body_weighs_in_a_fluid_is_its_volume_times_the_difference_of_densities,
          a_neutral_robot_at_rest_stays_and_is_where_statics_finds_it,
          bodies_that_rise_and_sink_keep_the_energy_balance)

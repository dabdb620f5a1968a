// Tendons driven by length, friction along their paths, springs between points: forces against energies, derivatives
// against five-point differences, on rods, rigid links, reduced bodies and between branches.
#include "support/suite.h"
#include "support/tree_state.h"
#include <math.h>
#include <string.h>

typedef double vector[STATE_MAX];
typedef double matrix[STATE_MAX * STATE_MAX];

static matrix analytic, other, third, numeric;

static const int soft[6] = {1, 2, 1, 0, 0, 1}, bend_only[6] = {-1, 2, 1, -1, -1, -1};
static const td_routing_spec straight = {.base = {0.02, 0.01}, .tip = {0.01, -0.015}},
                             helix = {.type = TD_ROUTING_HELIX, .radius = 0.02, .turns = 0.75, .phase = 0.3};

static td_actuator_spec *by_length(td_actuator_spec *tendon, double damping) {
  tendon->mode_length = true;
  tendon->stiffness = 40;
  tendon->damping = damping;
  tendon->slack_width = 0.05;
  return tendon;
}

static td_actuator_spec *rubbing(td_actuator_spec *tendon) {
  tendon->friction = 0.4;
  tendon->slip_speed = 0.3;
  return tendon;
}

static void hybrid(tree *t) {
  tree_rigid(tree_link(t, "base", "world", TD_JOINT_REVOLUTE), 0.5);
  tree_rod(tree_link(t, "upper", "base", TD_JOINT_FIXED), TD_BASIS_LEGENDRE, soft);
  tree_rigid(tree_link(t, "elbow", "upper", TD_JOINT_UNIVERSAL), 0.2);
  tree_rod(tree_link(t, "lower", "elbow", TD_JOINT_FIXED), TD_BASIS_LEGENDRE, bend_only);
  tree_rigid(tree_link(t, "hand", "lower", TD_JOINT_REVOLUTE), 0.1);
}

static void run_through(tree *t, td_actuator_spec *tendon) {
  static const double guide[9] = {0.01, 0.02, 0, 0.05, 0.03, 0.01, 0.06, 0.01, 0.03}, anchor[3] = {0.02, 0.01, 0.03};
  tree_points(t, tendon, "base", anchor, 1);
  tree_route(t, tendon, "upper", &straight);
  tree_points(t, tendon, "elbow", guide, 3);
  tree_route(t, tendon, "lower", &helix);
  tree_points(t, tendon, "hand", anchor, 1);
}

static void lengths(tree *t) {
  hybrid(t);
  tree_route(t, by_length(tree_tendon(t, "one"), 2), "upper", &helix);
  run_through(t, by_length(tree_tendon(t, "two"), 3));
  tree_route(t, tree_tendon(t, "pulled"), "lower", &straight);
  td_actuator_spec *undamped = by_length(tree_tendon(t, "undamped"), 0);
  tree_route(t, undamped, "lower", &helix);
  undamped->rest = 0.2;
}

static void friction(tree *t) {
  hybrid(t);
  tree_route(t, rubbing(tree_tendon(t, "one")), "upper", &helix);
  run_through(t, rubbing(by_length(tree_tendon(t, "two"), 3)));
  run_through(t, rubbing(tree_tendon(t, "three")));
  tree_route(t, tree_tendon(t, "smooth"), "lower", &straight);
}

static void reduced_bodies(tree *t) {
  tree_reduced(tree_link(t, "spatial", "world", TD_JOINT_REVOLUTE), TD_KINEMATICS_PCC);
  tree_reduced(tree_link(t, "finger", "spatial", TD_JOINT_FIXED), TD_KINEMATICS_PCC_VARIABLE_RADIUS);
  tree_rod(tree_link(t, "nail", "finger", TD_JOINT_FIXED), TD_BASIS_LEGENDRE, bend_only);
  static const double through[9] = {0.02, 0, 0.02, 0.018, 0.004, 0.1, 0.015, 0.005, 0.21};
  td_actuator_spec *tendon = rubbing(by_length(tree_tendon(t, "flexor"), 1));
  tree_route(t, tendon, "spatial", &straight);
  tree_points(t, tendon, "finger", through, 3);
  tree_route(t, tendon, "nail", &straight);
  tree_route(t, rubbing(tree_tendon(t, "inside")), "spatial", &helix);
  tree_spring(t, "spatial", 1, "nail", 0.4, NULL);
}

static void springs(tree *t) {
  hybrid(t);
  tree_rigid(tree_link(t, "swing", "world", TD_JOINT_SPHERICAL), 0.4);
  tree_spring(t, "upper", 0.37, "swing", 1, NULL);
  tree_spring(t, "world", 1, "hand", 1, "anchor");
  tree_spring(t, "swing", 1, "lower", 0, "line")->rest = 0;
  tree_spring(t, "lower", 1, "upper", 0, NULL)->stiffness = 0;
}

static void floating_springs(tree *t) {
  tree_rigid(tree_link(t, "trunk", "world", TD_JOINT_FREE), 0.5);
  tree_rod(tree_link(t, "left", "trunk", TD_JOINT_FIXED), TD_BASIS_LEGENDRE, soft);
  tree_rod(tree_link(t, "right", "trunk", TD_JOINT_REVOLUTE), TD_BASIS_LEGENDRE, soft);
  tree_spring(t, "left", 0.81, "right", 1, "between");
  tree_spring(t, "world", 1, "trunk", 1, NULL);
}

static const struct {
  const char *name;
  void (*make)(tree *t);
} rows[] = {{"lengths", lengths},
            {"friction", friction},
            {"reduced_bodies", reduced_bodies},
            {"springs", springs},
            {"floating_springs", floating_springs}};

static void each(void (*law)(tree_state *s)) {
  static const double scales[3] = {0.5, 0.02, 1.5};
  static tree t;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    for (int k = 0; k < 3; k++) {
      tree_state s;
      tree_init(&t);
      rows[i].make(&t);
      tree_state_of(&s, &t, rows[i].name, scales[k]);
      for (int c = 0; c < s.m; c++)
        if (!td_model_channel_is_tension(s.model, c)) s.u[c] *= 0.05; // metres
      law(&s);
      tree_state_close(&s);
    }
}

static void tau_derivatives(tree_state *s) {
  TREE_OK(td_force_derivatives(s->model, s->ws, s->q, s->qd, s->u, analytic, other, third));
  tree_difference(s, tree_tau, s->q, s->n, s->n, 2e-4, numeric);
  tree_same(s, "dtau_dq", s->n, s->n, analytic, numeric, 1e-7, 1e-8);
  tree_difference(s, tree_tau, s->qd, s->n, s->n, 1e-3, numeric);
  tree_same(s, "dtau_dqd", s->n, s->n, other, numeric, 1e-7, 1e-8);
  tree_difference(s, tree_tau, s->u, s->m, s->n, 2e-4, numeric);
  tree_same(s, "dtau_du", s->n, s->m, third, numeric, 1e-7, 1e-8);
}

START_TEST(derivatives_of_tau_are_its_differences) { each(tau_derivatives); }
END_TEST

static void fd_derivatives(tree_state *s) {
  vector fd;
  TREE_OK(td_fd_derivatives(s->model, s->ws, s->q, s->qd, s->u, fd, analytic, other, third));
  tree_difference(s, tree_fd, s->q, s->n, s->n, 2e-4, numeric);
  tree_same(s, "dfd_dq", s->n, s->n, analytic, numeric, 1e-6, 1e-6);
  tree_difference(s, tree_fd, s->qd, s->n, s->n, 1e-3, numeric);
  tree_same(s, "dfd_dqd", s->n, s->n, other, numeric, 1e-6, 1e-6);
  tree_difference(s, tree_fd, s->u, s->m, s->n, 2e-4, numeric);
  tree_same(s, "dfd_du", s->n, s->m, third, numeric, 1e-6, 1e-6);
}

START_TEST(derivatives_of_fd_are_its_differences) { each(fd_derivatives); }
END_TEST

static void potential(tree_state *s, double *out) {
  td_energy energy;
  TREE_OK(td_state_energy(s->model, s->ws, &(td_state){.q = s->q, .u = s->u}, &energy));
  *out = energy.elastic;
}

// {actuation, elastic, damping} of tau
static void terms(tree_state *s, double *out) {
  const int want = td_quantity_find("tau_terms");
  const td_state state = {.q = s->q, .qd = s->qd, .u = s->u};
  td_error err;
  TREE_OK(td_evaluate(s->model, s->ws, &state, &want, 1, &out, &err));
}

static void energies(tree_state *s) {
  static double parts[3 * STATE_MAX];
  vector gradient, tau;
  double power = 0, most = 0;
  terms(s, parts);
  tree_difference(s, potential, s->q, s->n, 1, 1e-3, gradient);
  for (int i = 0; i < s->n; i++) gradient[i] = -gradient[i];
  tree_same(s, "the elastic part of tau", 1, s->n, parts + s->n, gradient, 1e-8, 0);
  tree_tau(s, tau);
  for (int i = 0; i < s->n; i++) {
    double sum = parts[i] + parts[s->n + i] + parts[2 * s->n + i];
    most = fmax(most, fabs(parts[i]) + fabs(parts[s->n + i]) + fabs(parts[2 * s->n + i]));
    ck_assert_double_eq_tol(sum, tau[i], 1e-12 * most);
    power += s->qd[i] * parts[2 * s->n + i];
  }
  ck_assert_double_lt(power, 0);
}

START_TEST(elastic_forces_are_gradients_and_the_rest_only_loses) { each(energies); }
END_TEST

TEST_MAIN("tendons_and_springs", derivatives_of_tau_are_its_differences, derivatives_of_fd_are_its_differences,
          elastic_forces_are_gradients_and_the_rest_only_loses)

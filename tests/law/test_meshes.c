// Ritz bodies of meshes: the same solid cut in other ways is the same body, as far as quadrature is exact.
//
// The modes of tree_ritz are cubic, so that mass and whatever moves with it are polynomials of degree 6 in the
// position: exact by the box's 4 x 4 x 4 points, and in an element whose map is affine by 4 points a direction. The
// bent hexahedra of tree_ritz_mesh take two degrees more for their volume.
#include "support/suite.h"
#include "support/tree_state.h"
#include <math.h>
#include <string.h>

static const double edge[3] = {0.04, 0.03, 0.15};

// The box of tree_ritz as one hexahedron.
static void one_hexahedron(td_reduced_spec *body, int points) {
  static double corners[8][3];
  static const int hexahedron[1][8] = {{0, 1, 3, 2, 4, 5, 7, 6}};
  for (int c = 0; c < 8; c++)
    for (int i = 0; i < 3; i++) corners[c][i] = edge[i] * ((c >> i & 1) - (i < 2 ? 0.5 : 0));
  body->has_mesh = true;
  body->s_points = points;
  body->mesh = (td_mesh_spec){.points = corners[0], .point_count = 8, .hexahedra = hexahedron, .hexahedron_count = 1};
}

typedef td_reduced_spec *(*maker)(td_link_spec *link, int points);

static td_reduced_spec *box(td_link_spec *link, int points) {
  td_reduced_spec *body = tree_ritz(link);
  body->r_points = body->angle_points = body->s_points = points;
  return body;
}

static td_reduced_spec *hexahedron(td_link_spec *link, int points) {
  td_reduced_spec *body = tree_ritz(link);
  one_hexahedron(body, points);
  return body;
}

// A body on a hinge with a rigid load; the same random state whatever the body is made of.
static void make(tree_state *s, maker body, int points) {
  tree t;
  tree_init(&t);
  body(tree_link(&t, "body", "world", TD_JOINT_REVOLUTE), points);
  tree_rigid(tree_link(&t, "load", "body", TD_JOINT_FIXED), 0.3);
  tree_state_of(s, &t, "meshes", 0.3);
}

// What polynomials decide: M, ID and its derivatives, kinetic and gravitational energy.
static void inertial(tree_state *s, double *out) {
  static double id[STATE_MAX], dq[STATE_MAX * STATE_MAX], dqd[STATE_MAX * STATE_MAX], mass[STATE_MAX * STATE_MAX];
  int n = s->n;
  td_energy energy;
  TREE_OK(td_id_derivatives(s->model, s->ws, s->q, s->qd, s->qdd, NULL, id, dq, dqd, mass));
  TREE_OK(td_energy_at(s->model, s->ws, s->q, s->qd, &energy));
  memcpy(out, id, (size_t)n * sizeof *id);
  memcpy(out + n, dq, (size_t)(n * n) * sizeof *dq);
  memcpy(out + n + n * n, dqd, (size_t)(n * n) * sizeof *dqd);
  memcpy(out + n + 2 * n * n, mass, (size_t)(n * n) * sizeof *mass);
  out[n + 3 * n * n] = energy.kinetic, out[n + 3 * n * n + 1] = energy.gravitational;
}

// Forces and stiffness, energy.
static void elastic(tree_state *s, double *out) {
  static double dq[STATE_MAX * STATE_MAX], dqd[STATE_MAX * STATE_MAX];
  int n = s->n;
  td_energy energy;
  TREE_OK(td_generalized_force(s->model, s->ws, s->q, s->qd, NULL, out));
  TREE_OK(td_force_derivatives(s->model, s->ws, s->q, s->qd, NULL, dq, dqd, NULL));
  TREE_OK(td_energy_at(s->model, s->ws, s->q, s->qd, &energy));
  memcpy(out + n, dq, (size_t)(n * n) * sizeof *dq);
  memcpy(out + n + n * n, dqd, (size_t)(n * n) * sizeof *dqd);
  out[n + 2 * n * n] = energy.elastic;
}

enum { MOST = 3 * STATE_MAX * STATE_MAX };

// Largest difference of a quantity of two bodies, relative to its largest entry.
static double distance(tree_quantity quantity, maker a, int points_a, maker b, int points_b) {
  static double first[MOST], second[MOST];
  tree_state s;
  double most = 0, size = 0;
  make(&s, a, points_a);
  int count = s.n + 3 * s.n * s.n + 2;
  memset(first, 0, sizeof first), memset(second, 0, sizeof second);
  ck_assert_int_le(count, MOST);
  quantity(&s, first);
  tree_state_close(&s);
  make(&s, b, points_b);
  quantity(&s, second);
  tree_state_close(&s);
  for (int i = 0; i < count; i++) {
    most = fmax(most, fabs(first[i] - second[i]));
    size = fmax(size, fabs(first[i]));
  }
  ck_assert_double_gt(size, 0);
  return most / size;
}

START_TEST(one_hexahedron_is_the_box_point_by_point) {
  for (int points = 1; points <= 5; points++) {
    ck_assert_double_lt(distance(inertial, box, points, hexahedron, points), 1e-14);
    ck_assert_double_lt(distance(elastic, box, points, hexahedron, points), 1e-13);
  }
}
END_TEST

START_TEST(a_box_cut_into_hexahedra_and_tetrahedra_has_the_inertia_of_the_box) {
  ck_assert_double_lt(distance(inertial, box, 4, tree_ritz_mesh, 5), 1e-14);
  ck_assert_double_gt(distance(inertial, box, 4, tree_ritz_mesh, 1), 1e-6); // and 1 point is not enough to tell
}
END_TEST

// The energy is no polynomial: both converge, and to the same.
START_TEST(a_box_cut_into_hexahedra_and_tetrahedra_has_the_elasticity_of_the_box) {
  double coarse = distance(elastic, box, 12, tree_ritz_mesh, 2), fine = distance(elastic, box, 12, tree_ritz_mesh, 8);
  ck_assert_msg(coarse > 1e-7 && fine < 1e-11, "%g with 2 points a direction, %g with 8", coarse, fine);
}
END_TEST

// The corner tetrahedron of the cube of edge a weighs rho a^3/6; its centre of mass is at a/4.
START_TEST(a_tetrahedron_has_its_mass_and_its_centre) {
  static const double corners[12] = {0, 0, 0, 0.06, 0, 0, 0, 0.06, 0, 0, 0, 0.06};
  static const int tetrahedron[1][4] = {{0, 1, 2, 3}};
  static const double unit[1][4] = {{1, 0, 0, 0}}, along[1][4] = {{1, 1, 0, 0}};
  static const td_ritz_mode_spec modes[2] = {{.terms = {unit}, .count = {1}},
                                             {.terms = {NULL, along}, .count = {0, 1}}};
  double zero[2] = {0}, mass[4], expected = 1100 * 0.06 * 0.06 * 0.06 / 6;
  for (int points = 1; points <= 8; points++) {
    tree t;
    tree_init(&t);
    td_reduced_spec *body = tree_ritz(tree_link(&t, "body", "world", TD_JOINT_FIXED));
    body->has_mesh = true, body->s_points = points;
    body->mesh = (td_mesh_spec){.points = corners, .point_count = 4, .tetrahedra = tetrahedron, .tetrahedron_count = 1};
    body->ritz_modes = modes, body->ritz_mode_count = 2;
    tree_state s;
    tree_state_of(&s, &t, "tetrahedron", 0);
    ck_assert_int_eq(s.n, 2);
    TREE_OK(td_mass_matrix(s.model, s.ws, zero, mass));
    ck_assert_double_eq_tol(mass[0] / expected, 1,
                            1e-14); // (1, 0, 0): its mass; (0, x, 0): its second moment, m a^2/10
    if (points > 1) ck_assert_double_eq_tol(mass[3] / (expected * 0.06 * 0.06 / 10), 1, 1e-14);
    tree_state_close(&s);
  }
}
END_TEST

START_TEST(the_surface_of_a_mesh_is_its_points_moved_by_the_modes) {
  tree t;
  tree_init(&t);
  td_link_spec *link = tree_link(&t, "body", "world", TD_JOINT_FIXED);
  td_reduced_spec *body = tree_ritz_mesh(link, 2);
  td_mesh_spec mesh = body->mesh;
  link->pose = td_se3_identity();
  tree_state s;
  tree_state_of(&s, &t, "surface", 0);
  double x[64][3], q[5] = {0, 0, 0.2, 0.1, 0}; // along: z (1 + 0.1 q), turned: (-0.3 y z, 0.3 x z) q
  ck_assert_int_eq(td_model_surface_count(s.model, 0), 0);
  ck_assert_int_eq(td_model_surface_points(s.model, 0), (int)mesh.point_count);
  TREE_OK(td_link_surface(s.model, s.ws, q, 0, x[0]));
  for (size_t i = 0; i < mesh.point_count; i++) {
    const double *X = mesh.points + 3 * i;
    double expected[3] = {X[0] - 0.03 * X[1] * X[2], X[1] + 0.03 * X[0] * X[2], X[2] * 1.02};
    for (int k = 0; k < 3; k++) ck_assert_double_eq_tol(x[i][k], expected[k], 1e-16);
  }
  tree_state_close(&s);
}
END_TEST

// 1 + q in the gradient of affine modes: V = V0 det(1 + q), with its gradient; pressures act by it.
START_TEST(the_volume_of_a_cavity_follows_the_determinant_of_an_affine_motion) {
  static const double unit[3][1][4] = {{{1, 1, 0, 0}}, {{1, 0, 1, 0}}, {{1, 0, 0, 1}}};
  static td_ritz_mode_spec modes[9];
  const double rest = 0.02 * 0.01 * 0.05;
  tree t;
  tree_init(&t);
  td_reduced_spec *body = tree_ritz_hollow(tree_link(&t, "body", "world", TD_JOINT_FIXED), 1);
  for (int k = 0; k < 9; k++) {
    modes[k] = (td_ritz_mode_spec){.count = {k / 3 == 0, k / 3 == 1, k / 3 == 2}};
    modes[k].terms[k / 3] = unit[k % 3];
  }
  body->ritz_modes = modes, body->ritz_mode_count = 9, body->s_points = 2;
  tree_pressure(&t, "p", "body", 0);
  tree_state s;
  tree_state_of(&s, &t, "cavity", 0.3);
  ck_assert_int_eq(td_model_chamber_count(s.model), 1);
  double F[9], volume, gradient[9], with[STATE_MAX], without[STATE_MAX], u[1] = {1e4};
  for (int i = 0; i < 9; i++) F[i] = s.q[i] + (i % 4 == 0);
  TREE_OK(td_chamber_volumes(s.model, s.q, &volume, gradient));
  TREE_OK(td_generalized_force(s.model, s.ws, s.q, NULL, u, with));
  TREE_OK(td_generalized_force(s.model, s.ws, s.q, NULL, NULL, without));
  double det = 0;
  for (int j = 0; j < 3; j++) {
    int a = (j + 1) % 3, b = (j + 2) % 3;
    det += F[j] * (F[3 + a] * F[6 + b] - F[3 + b] * F[6 + a]);
  }
  ck_assert_double_eq_tol(volume / rest, det, 1e-13);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      int a = (i + 1) % 3, b = (i + 2) % 3, c = (j + 1) % 3, d = (j + 2) % 3;
      double cofactor = F[3 * a + c] * F[3 * b + d] - F[3 * a + d] * F[3 * b + c];
      ck_assert_double_eq_tol(gradient[3 * i + j] / rest, cofactor, 1e-12);
      ck_assert_double_eq_tol((with[3 * i + j] - without[3 * i + j]) / (1e4 * rest), cofactor, 1e-8);
    }
  tree_state_close(&s);
}
END_TEST

START_TEST(only_closed_surfaces_within_a_mesh_are_chambers) {
  for (int hollow = 0; hollow < 2; hollow++) {
    tree t;
    tree_init(&t);
    td_link_spec *link = tree_link(&t, "body", "world", TD_JOINT_FIXED);
    td_reduced_spec *body = hollow ? tree_ritz_hollow(link, 2) : tree_ritz_mesh(link, 2);
    tree_state s;
    tree_state_of(&s, &t, "chambers", 0);
    ck_assert_int_eq(td_model_chamber_count(s.model), hollow);
    tree_state_close(&s);
    if (!hollow) continue;
    body->mesh.hexahedron_count = 13; // the lower half: the cavity is open
    tree_state_of(&s, &t, "bowl", 0);
    ck_assert_int_eq(td_model_chamber_count(s.model), 0);
    tree_state_close(&s);
  }
}
END_TEST

TEST_MAIN("meshes", the_volume_of_a_cavity_follows_the_determinant_of_an_affine_motion,
          only_closed_surfaces_within_a_mesh_are_chambers, one_hexahedron_is_the_box_point_by_point,
          a_box_cut_into_hexahedra_and_tetrahedra_has_the_inertia_of_the_box,
          a_box_cut_into_hexahedra_and_tetrahedra_has_the_elasticity_of_the_box,
          a_tetrahedron_has_its_mass_and_its_centre, the_surface_of_a_mesh_is_its_points_moved_by_the_modes)

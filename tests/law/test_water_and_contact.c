// What water and obstacles must keep: the momentum of a free vehicle when neither acts on it, rest of a body as heavy
// as the water it displaces, the weight of a body on the floor, the balance of work and energy of a swimmer, and
// Galileo's relativity: motion in a steady uniform current is motion in still water seen from a moving frame.
#include "force/force.h"
#include "math/lapack.h"
#include "pass/generalized_force.h"
#include "support/model_file.h"
#include "support/recording.h"
#include "support/suite.h"
#include "tendril/dynamics.h"
#include "tendril/statics.h"
#include <math.h>
#include <string.h>

enum { MOST = 128 };

static td_model *model_of(json_t *document) {
  char *text = json_dumps(document, 0);
  td_model *model = test_model_from_text(text);
  free(text);
  return model;
}

// ------------------------------------------------------------------------------------------------ momentum

/// The free vehicle of the reference file without water and weight.
static td_model *vehicle_in_space(void) {
  json_t *file = test_json_from_file("published/gvs/uw_flagellum.json"), *document = json_object_get(file, "model"),
         *link;
  size_t i;
  json_object_del(document, "fluid");
  json_object_set_new(document, "gravity", json_pack("[iii]", 0, 0, 0));
  json_array_foreach(json_object_get(document, "links"), i, link)
      json_object_del(json_object_get(link, "body"), "hydrodynamics");
  td_model *model = model_of(document);
  json_decref(file);
  return model;
}

/// Body Jacobian [6][6] of the first link with respect to its free joint.
static void root_jacobian(const td_model *model, td_workspace *ws, const double *q, double J[36]) {
  int want = td_quantity_find("jacobians"), n = td_model_ndof(model);
  size_t total;
  td_member members[4];
  ck_assert_int_ge(td_quantity_members(model, want, members, 4, &total), 1);
  double *out = calloc(total, sizeof *out);
  ck_assert_int_eq(td_evaluate(model, ws, &(td_state){.q = q}, &want, 1, &out, NULL), TD_OK);
  for (int row = 0; row < 6; row++) memcpy(J + 6 * row, out + members[0].offset + (size_t)(row * n), 6 * sizeof *J);
  free(out);
}

/// Momentum of the whole robot about the world's origin, in world axes: every body moves with the root's twist, so that
/// the root's rows of M qd are J^T h, h the momentum in the root's frame.
static void momentum(const td_model *model, const double *q, const double *qd, double h[6]) {
  static double mass[MOST * MOST];
  double J[36], b[6] = {0};
  int n = td_model_ndof(model), six = 6, one = 1, pivots[6], info;
  td_workspace *ws;
  td_se3 root;
  ck_assert_int_eq(td_workspace_create(model, &ws), TD_OK);
  ck_assert_int_eq(td_mass_matrix(model, ws, q, mass), TD_OK);
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < n; j++) b[i] += mass[i * n + j] * qd[j];
  root_jacobian(model, ws, q, J);
  ck_assert_int_eq(td_link_poses(model, ws, q, 0, &root), TD_OK);
  dgetrf_(&six, &six, J, &six, pivots, &info); // by columns: J^T
  ck_assert_int_eq(info, 0);
  dgetrs_("N", &six, &one, J, &six, pivots, b, &six, &info);
  for (int i = 0; i < 3; i++) {
    h[i] = root.R[3 * i] * b[0] + root.R[3 * i + 1] * b[1] + root.R[3 * i + 2] * b[2];
    h[3 + i] = root.R[3 * i] * b[3] + root.R[3 * i + 1] * b[4] + root.R[3 * i + 2] * b[5];
  }
  const double *p = root.p, *f = h + 3;
  h[0] += p[1] * f[2] - p[2] * f[1];
  h[1] += p[2] * f[0] - p[0] * f[2];
  h[2] += p[0] * f[1] - p[1] * f[0];
  td_workspace_destroy(ws);
}

START_TEST(the_momentum_of_a_free_vehicle_without_water_and_gravity_is_conserved) {
  td_model *model = vehicle_in_space();
  int n = td_model_ndof(model);
  double q[MOST] = {0.3, -0.2, 0.4, 0.1, 0.2, -0.1}, qd[MOST] = {0.7, -0.4, 0.5, 0.3, -0.2, 0.4, 2};
  td_input_spec motor = {.channel = "motor", .signal = {.type = TD_SIGNAL_CONSTANT, .offset = 0.02}};
  td_dynamics_spec spec = recording_job(model, TD_METHOD_BDF, 0.5, q);
  spec.qd = qd;
  spec.qd_count = (size_t)n;
  spec.inputs = &motor;
  spec.input_count = 1;
  spec.integrator.rtol = 1e-10;
  spec.integrator.atol = 1e-12;
  recording r = {0};
  recording_ok(&r, model, &spec);
  double first[6], last[6];
  momentum(model, r.rows, r.rows + n, first);
  ck_assert_double_gt(fabs(r.rows[6] - recording_last(&r)[6]), 0.1); // the motor has turned the whip
  for (size_t k = 1; k < r.count; k++) {
    momentum(model, r.rows + k * r.row, r.rows + k * r.row + n, last);
    for (int i = 0; i < 6; i++)
      ck_assert_msg(fabs(last[i] - first[i]) < 1e-7 * (fabs(first[3]) + fabs(first[4]) + fabs(first[5])),
                    "component %d was %.12g, is %.12g at t = %g", i, first[i], last[i], r.t[k]);
  }
  recording_free(&r);
  td_model_destroy(model);
}
END_TEST

// ------------------------------------------------------------------------------------------------ water

START_TEST(a_neutrally_buoyant_vehicle_at_rest_stays_and_a_heavier_one_sinks) {
  json_t *document = test_json_from_file("../api/examples/uw.model.json");
  td_model *model = model_of(document);
  json_object_set_new(document, "fluid", json_pack("{sf}", "density", 900.0));
  td_model *heavier = model_of(document);
  double q[MOST] = {0.4, -0.7, 1.1, 0.3, -0.2, 2}, fd[MOST];
  td_workspace *ws;
  ck_assert_int_eq(td_workspace_create(heavier, &ws), TD_OK);
  ck_assert_int_eq(td_forward_dynamics(heavier, ws, (double[MOST]){0}, NULL, NULL, fd), TD_OK);
  ck_assert_double_lt(fd[5], -0.1);
  td_workspace_destroy(ws);
  td_dynamics_spec spec = recording_job(model, TD_METHOD_BDF, 2, q);
  recording r = {0};
  recording_ok(&r, model, &spec);
  const double *end = recording_last(&r);
  for (int i = 0; i < td_model_ndof(model); i++) {
    ck_assert_msg(fabs(end[i] - q[i]) < 1e-9, "coordinate %d moved by %g", i, end[i] - q[i]);
    ck_assert_msg(fabs(end[td_model_ndof(model) + i]) < 1e-9, "velocity %d is %g", i, end[td_model_ndof(model) + i]);
  }
  recording_free(&r);
  td_model_destroy(model);
  td_model_destroy(heavier);
  json_decref(document);
}
END_TEST

START_TEST(a_swimmer_s_work_goes_into_energy_damping_and_water) {
  json_t *file = test_json_from_file("published/gvs/uw_flagellum.json");
  td_model *model = model_of(json_object_get(file, "model"));
  td_input_spec motor = {.channel = "motor", .signal = {.type = TD_SIGNAL_CONSTANT, .offset = 0.1}};
  td_dynamics_spec spec = recording_job(model, TD_METHOD_BDF, 0.5, NULL);
  spec.inputs = &motor;
  spec.input_count = 1;
  spec.integrator.rtol = 1e-8;
  spec.integrator.atol = 1e-10;
  recording r = {0};
  recording_ok(&r, model, &spec);
  const td_energy_balance *e = &r.statistics.energy;
  ck_assert_double_gt(e->actuation, 1e-3);
  ck_assert_msg(fabs(e->error) < 1e-4 * e->exchanged, "energy off by %g of %g J", e->error, e->exchanged);
  recording_free(&r);
  td_model_destroy(model);
  json_decref(file);
}
END_TEST

// ------------------------------------------------------------------------------------------------ contact

/// A soft bar that can only be lifted, lying on a floor.
static const char lying[] =
    "{\"format\": \"tendril.model/1\", \"gravity\": [0, 0, -9.81], \"links\": [{\"name\": \"bar\", \"joint\": "
    "{\"type\":"
    " \"prismatic\", \"axis\": \"z\", \"damping\": 2}, \"body\": {\"type\": \"rod\", \"length\": 0.4, \"section\":"
    " {\"shape\": \"circle\", \"radius\": [0.02, 0.015]}, \"material\": {\"young\": 1e6, \"poisson\": 0.5, "
    "\"density\": 1100,"
    " \"viscosity\": 5e3}, \"strain\": {\"basis\": \"legendre\", \"order\": {\"bending_y\": 2, \"elongation\": 0}}}}],"
    " \"contacts\": [{\"type\": \"plane\", \"stiffness\": 1e5, \"exponent\": 1.5, \"pose\": {\"translation\": [0, 0, "
    "0.3]}}]}";

static double term(const td_model *model, const double *q, const char *name) {
  int want = td_quantity_find("id_terms");
  size_t total;
  td_member members[8];
  td_workspace *ws;
  double value = NAN;
  int count = td_quantity_members(model, want, members, 8, &total);
  double *out = calloc(total, sizeof *out);
  ck_assert_int_eq(td_workspace_create(model, &ws), TD_OK);
  ck_assert_int_eq(td_evaluate(model, ws, &(td_state){.q = q}, &want, 1, &out, NULL), TD_OK);
  for (int i = 0; i < count; i++)
    if (strcmp(members[i].name, name) == 0) value = out[members[i].offset];
  td_workspace_destroy(ws);
  free(out);
  return value;
}

/// pi rho g times the integral of (0.02 - 0.005 s)^2 over 0.4 m.
static double weight_of_the_bar(void) {
  const double a = 0.02, b = 0.015;
  return acos(-1.0) * 1100 * 9.81 * 0.4 * (a * a + a * b + b * b) / 3;
}

START_TEST(the_floor_carries_the_weight_of_a_body_at_rest) {
  td_model *model = test_model_from_text(lying);
  td_workspace *ws;
  td_statics_options options;
  td_statics_result result;
  td_error err = {0};
  double q[5] = {0.319}, weight = weight_of_the_bar(), u[1];
  td_statics_defaults(&options);
  ck_assert_int_eq(td_workspace_create(model, &ws), TD_OK);
  td_status status = td_statics_solve(model, ws, u, &options, q, &result, &err);
  ck_assert_msg(status == TD_OK && result.stable, "%s", err.message);
  ck_assert_double_eq_tol(term(model, q, "gravity"), weight, 1e-12 * weight);
  ck_assert_double_eq_tol(term(model, q, "contact"), -weight, 1e-9 * weight);
  td_workspace_destroy(ws);
  td_model_destroy(model);
}
END_TEST

START_TEST(a_body_dropped_on_the_floor_comes_to_the_rest_that_statics_finds) {
  td_model *model = test_model_from_text(lying);
  double q[5] = {0.34}, weight = weight_of_the_bar();
  td_dynamics_spec spec = recording_job(model, TD_METHOD_BDF, 8, q);
  recording r = {0};
  recording_ok(&r, model, &spec);
  ck_assert_double_eq(term(model, r.rows, "contact"), 0); // it starts in the air
  ck_assert_double_eq_tol(term(model, recording_last(&r), "contact"), -weight, 1e-4 * weight);
  const td_energy_balance *e = &r.statistics.energy;
  ck_assert_msg(fabs(e->error) < 1e-3 * e->exchanged, "energy off by %g of %g J", e->error, e->exchanged);
  recording_free(&r);
  td_model_destroy(model);
}
END_TEST

// A bar pressed 1 mm into a floor of 2e5 N/m^1.5 per metre, whatever the number of points; per point it would depend on
// them.
START_TEST(per_length_depth_does_not_depend_on_the_number_of_points) {
  static const char *const strains[] = {"\"legendre\", \"order\": {\"bending_y\": 1}",
                                        "\"linear\", \"order\": {\"bending_y\": 3}"};
  double expected = 2e5 * 0.4 * pow(1e-3, 1.5);
  for (int basis = 0; basis < 2; basis++)
    for (int points = 2; points <= 40; points = 2 * points + 1) {
      char text[1024];
      snprintf(
          text, sizeof text,
          "{\"format\": \"tendril.model/1\", \"links\": [{\"name\": \"bar\", \"joint\": {\"type\": \"prismatic\"}, "
          "\"body\":"
          " {\"type\": \"rod\", \"length\": 0.4, \"section\": {\"shape\": \"circle\", \"radius\": 0.02}, \"material\":"
          " {\"young\": 1e6, \"poisson\": 0.5, \"density\": 1100}, \"strain\": {\"basis\": %s}, \"quadrature\": "
          "{\"points\":"
          " %d}}}], \"contacts\": [{\"type\": \"plane\", \"stiffness\": 2e5, \"per\": \"length\"}]}",
          strains[basis], points);
      td_model *model = test_model_from_text(text);
      td_workspace *ws;
      td_energy energy;
      double q[5] = {0.019};
      ck_assert_double_eq_tol(term(model, q, "contact"), -expected, 1e-10 * expected);
      ck_assert_int_eq(td_workspace_create(model, &ws), TD_OK);
      ck_assert_int_eq(td_energy_at(model, ws, q, NULL, &energy), TD_OK);
      ck_assert_double_eq_tol(energy.contact, expected * 1e-3 / 2.5, 1e-10 * expected);
      td_workspace_destroy(ws);
      td_model_destroy(model);
    }
}
END_TEST

// A rod and a body given by its kinematics, both through the floor.
static const char beside[] =
    "{\"format\":\"tendril.model/"
    "1\",\"name\":\"beside\",\"contacts\":[{\"type\":\"plane\",\"stiffness\":1000}],\"links\":["
    "{\"name\":\"rod\",\"joint\":{\"type\":\"fixed\"},\"body\":{\"type\":\"rod\",\"length\":0.2,"
    "\"section\":{\"shape\":\"circle\",\"radius\":0.02},\"material\":{\"young\":1e5,\"poisson\":0.4,\"density\":1000},"
    "\"strain\":{\"basis\":\"legendre\",\"order\":{\"bending_y\":0}}}},"
    "{\"name\":\"arm\",\"joint\":{\"type\":\"fixed\"},\"pose\":{\"rpy\":[3,0,0]},\"body\":{\"type\":\"reduced\","
    "\"kinematics\":\"pcc\",\"length\":0.2,\"radius\":0.01,\"density\":1000,\"young\":1e5,\"poisson\":0.4}}]}";

START_TEST(an_obstacle_without_links_meets_rods_only) {
  td_model *model = test_model_from_text(beside);
  td_workspace *ws;
  double q[4] = {0, 0.1, 0.1, 0}, rest[4] = {0}, id[4];
  ck_assert_int_eq(td_workspace_create(model, &ws), TD_OK);
  ck_assert_int_eq(td_inverse_dynamics(model, ws, q, rest, rest, NULL, id), TD_OK);
  ck_assert_double_gt(fabs(id[0]), 0.1); // the rod lies half in the floor
  for (int i = 1; i < 4; i++) ck_assert_double_eq(id[i], 0);
  td_workspace_destroy(ws);
  td_model_destroy(model);
}
END_TEST

// ------------------------------------------------------------------------------------------------ Galileo

// A neutrally buoyant ellipsoid of 0.3, 0.2, 0.1 m; added inertia (Lamb, 114, 115) and drag.
static const double HULL[6] = {0.2513274, 0.5026548, 0.6534513, 25.13274, 25.13274, 25.13274},
                    ADDED[6] = {0.09632558, 0.3559983, 0.03914191, 4.656001, 9.161971, 34.21892},
                    DRAG[6] = {0.5, 0.5, 0.5, 20, 30, 60};
static const double START[6] = {1, 0.3, 2, 0.5, 0.1, 0.05}, CURRENT[3] = {1, -0.7, 0.4};

typedef struct drift {
  double turn[4], place[3], w[3], v[3]; // quaternion, in the water's frame, body axes
} drift;
enum { DRIFT = sizeof(drift) / sizeof(double) };

static void cross(const double *a, const double *b, double *out) {
  for (int i = 0; i < 3; i++) out[i] += a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

static void matrix_of(const double *s, double R[9]) {
  double norm = 2 / (s[0] * s[0] + s[1] * s[1] + s[2] * s[2] + s[3] * s[3]);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) R[3 * i + j] = (i == j) * (norm * s[0] * s[0] - 1) + norm * s[1 + i] * s[1 + j];
  for (int i = 0; i < 3; i++) {
    R[3 * ((i + 1) % 3) + i] += norm * s[0] * s[1 + (i + 2) % 3];
    R[3 * i + (i + 1) % 3] -= norm * s[0] * s[1 + (i + 2) % 3];
  }
}

// Kirchhoff's equations: p' = p x w - D |v| v,  L' = L x w + p x v - D |v| w, with quaternions.
static void kirchhoff(const drift *s, bool drag, drift *rate) {
  double p[3], L[3], force[3] = {0}, moment[3] = {0}, spin[3] = {0}, R[9];
  double speed = drag ? sqrt(s->v[0] * s->v[0] + s->v[1] * s->v[1] + s->v[2] * s->v[2]) : 0;
  for (int i = 0; i < 3; i++) {
    L[i] = (HULL[i] + ADDED[i]) * s->w[i], p[i] = (HULL[3 + i] + ADDED[3 + i]) * s->v[i];
    moment[i] = -DRAG[i] * speed * s->w[i], force[i] = -DRAG[3 + i] * speed * s->v[i];
  }
  cross(p, s->w, force);
  cross(L, s->w, moment);
  cross(p, s->v, moment);
  matrix_of(s->turn, R);
  cross(s->turn + 1, s->w, spin);
  rate->turn[0] = 0;
  for (int i = 0; i < 3; i++) {
    rate->w[i] = moment[i] / (HULL[i] + ADDED[i]), rate->v[i] = force[i] / (HULL[3 + i] + ADDED[3 + i]);
    rate->place[i] = R[3 * i] * s->v[0] + R[3 * i + 1] * s->v[1] + R[3 * i + 2] * s->v[2];
    rate->turn[0] -= 0.5 * s->turn[1 + i] * s->w[i];
    rate->turn[1 + i] = 0.5 * (s->turn[0] * s->w[i] + spin[i]);
  }
}

// By the classical method of Runge and Kutta, in still water.
static drift drifted(double time, bool drag) {
  enum { STEPS = 1000 };
  static const double part[4] = {0, 0.5, 0.5, 1}, weight[4] = {1. / 6, 1. / 3, 1. / 3, 1. / 6};
  drift s = {.turn = {1}}, at, rate = {0}, sum;
  memcpy(s.w, START, sizeof s.w), memcpy(s.v, START + 3, sizeof s.v);
  for (int k = 0; k < STEPS; k++) {
    double h = time / STEPS, *x = (double *)&at, *f = (double *)&rate, *next = (double *)&sum;
    sum = s;
    for (int stage = 0; stage < 4; stage++) {
      for (int i = 0; i < DRIFT; i++) x[i] = ((double *)&s)[i] + part[stage] * h * f[i];
      kirchhoff(&at, drag, &rate);
      for (int i = 0; i < DRIFT; i++) next[i] += weight[stage] * h * f[i];
    }
    s = sum;
  }
  return s;
}

static td_model *ellipsoid(const double velocity[3], bool drag) {
  json_t *hull = json_pack("{ss sf s[iii] s[fff] s{s[ffffff]}}", "type", "rigid", "mass", HULL[3], "com", 0, 0, 0,
                           "inertia", HULL[0], HULL[1], HULL[2], "hydrodynamics", "added_mass", ADDED[0], ADDED[1],
                           ADDED[2], ADDED[3], ADDED[4], ADDED[5]);
  if (drag)
    json_object_set_new(json_object_get(hull, "hydrodynamics"), "drag",
                        json_pack("[ffffff]", DRAG[0], DRAG[1], DRAG[2], DRAG[3], DRAG[4], DRAG[5]));
  json_t *document = json_pack("{ss s{sf s[fff]} s[{ss s{ss} so}]}", "format", "tendril.model/1", "fluid", "density",
                               1000., "velocity", velocity[0], velocity[1], velocity[2], "links", "name", "hull",
                               "joint", "type", "free", "body", hull);
  ck_assert_ptr_nonnull(document);
  td_model *model = model_of(document);
  json_decref(document);
  return model;
}

static void adrift(const double velocity[3], bool drag, td_method method, double tolerance) {
  const double time = 2;
  double qd[6], most = 0, R[9];
  memcpy(qd, START, sizeof qd);
  for (int i = 0; i < 3; i++) qd[3 + i] += velocity[i];
  td_model *model = ellipsoid(velocity, drag);
  td_dynamics_spec spec = recording_job(model, method, time, NULL);
  spec.qd = qd, spec.qd_count = 6;
  spec.integrator.rtol = 1e-9, spec.integrator.atol = 1e-12;
  recording r = {0};
  recording_ok(&r, model, &spec);
  drift there = drifted(time, drag);
  td_workspace *ws;
  td_se3 pose;
  ck_assert_int_eq(td_workspace_create(model, &ws), TD_OK);
  ck_assert_int_eq(td_link_poses(model, ws, recording_last(&r), 0, &pose), TD_OK);
  matrix_of(there.turn, R);
  for (int i = 0; i < 9; i++) most = fmax(most, fabs(pose.R[i] - R[i]));
  for (int i = 0; i < 3; i++) most = fmax(most, fabs(pose.p[i] - velocity[i] * time - there.place[i]));
  ck_assert_msg(most < tolerance, "%s, %s, current %g: off by %g", drag ? "drag" : "no drag", td_method_name(method),
                velocity[0], most);
  const td_energy_balance *e = &r.statistics.energy;
  ck_assert_msg(fabs(e->error) < 10 * tolerance, "%s, %s, current %g: the balance misses %g J of %g",
                drag ? "drag" : "no drag", td_method_name(method), velocity[0], e->error, e->exchanged);
  td_workspace_destroy(ws);
  recording_free(&r);
  td_model_destroy(model);
}

START_TEST(a_body_in_a_current_moves_as_kirchhoff_says_of_still_water_seen_from_a_moving_frame) {
  static const double still[3] = {0, 0, 0};
  adrift(still, true, TD_METHOD_RADAU, 1e-6);
  adrift(CURRENT, false, TD_METHOD_RADAU, 1e-6);
  adrift(CURRENT, true, TD_METHOD_RADAU, 1e-6);
  adrift(CURRENT, true, TD_METHOD_RK45, 1e-5);
  adrift(CURRENT, false, TD_METHOD_BDF, 1e-4);
  adrift(CURRENT, true, TD_METHOD_DAE, 1e-4);
  adrift(CURRENT, true, TD_METHOD_GENERALIZED_ALPHA, 3e-3);
}
END_TEST

// Carried 600 m away while it turns: bdf gets there, wrong by a radian, and radau, which would tell, does not in the
// steps it is given.
START_TEST(a_run_whose_check_comes_to_no_end_says_so) {
  static const double fast[3] = {30, 0, 0};
  double qd[6];
  bool said = false;
  memcpy(qd, START, sizeof qd);
  for (int i = 0; i < 3; i++) qd[3 + i] += fast[i];
  td_model *model = ellipsoid(fast, false);
  td_dynamics_spec spec = recording_job(model, TD_METHOD_BDF, 20, NULL);
  spec.qd = qd, spec.qd_count = 6;
  recording r = {0};
  recording_ok(&r, model, &spec);
  for (int i = 0; i < r.statistics.warnings.count; i++) {
    const td_warning *w = &r.statistics.warnings.list[i];
    said |= (!strcmp(w->code, "check_cut") && !strcmp(w->pointer, "/integrator")) ||
            td_warning_rank_of(w->code) <= TD_RANK_DOUBTFUL; // or it came to its end
  }
  ck_assert(said);
  recording_free(&r);
  td_model_destroy(model);
}
END_TEST

// A hull with a soft tail that starts bent, wet in every way; heavier than the water, so that it sinks meanwhile.
static td_model *swimmer(const double velocity[3]) {
  char text[2048];
  snprintf(
      text, sizeof text,
      "{\"format\": \"tendril.model/1\", \"gravity\": [0, 0, -9.81], \"fluid\": {\"density\": 1000, "
      "\"viscosity\": 0.5, \"velocity\": [%.17g, %.17g, %.17g]}, \"links\": [{\"name\": \"hull\", \"joint\": "
      "{\"type\": \"free\"}, \"body\": {\"type\": \"rigid\", \"mass\": 2, \"com\": [0.1, 0.02, -0.03], \"inertia\": "
      "[0.01, 0.02, 0.03], \"hydrodynamics\": {\"body_density\": 1100, \"drag\": [0.1, 0.2, 0.3, 4, 5, 6], "
      "\"linear\": [0.1, 0.1, 0.2, 1, 2, 3], \"added_mass\": [0.01, 0.02, 0.02, 0.5, 0.8, 1.1]}}}, {\"name\": "
      "\"tail\", \"parent\": \"hull\", \"pose\": {\"translation\": [0.2, 0, 0.1], \"rpy\": [0.3, 0.5, -0.4]}, "
      "\"joint\": {\"type\": \"fixed\"}, \"body\": {\"type\": \"rod\", \"length\": 0.5, \"section\": {\"shape\": "
      "\"circle\", \"radius\": [0.02, 0.01]}, \"material\": {\"young\": 1e5, \"poisson\": 0.5, \"density\": 1200, "
      "\"viscosity\": 500}, \"strain\": {\"basis\": \"legendre\", \"order\": {\"torsion\": 1, \"bending_y\": 2, "
      "\"bending_z\": 2}}, \"hydrodynamics\": {\"cd_x\": 0.1, \"cd_y\": 1.1, \"cd_z\": 0.9, \"cl_x\": -0.1, "
      "\"added_y\": 0.8, \"added_z\": 0.7, \"resistive_force\": true}}}]}",
      velocity[0], velocity[1], velocity[2]);
  return test_model_from_text(text);
}

START_TEST(a_soft_swimmer_in_a_current_is_one_in_still_water_seen_from_a_moving_frame) {
  static const double still[3] = {0, 0, 0}, time = 1;
  double q[14] = {0, 0, 0, 0, 0, 0, 0.2, 0, 1, -0.5, 0.3, 0.5, 0, 0}, qd[14], shape[2][8];
  td_se3 hull[2];
  for (int side = 0; side < 2; side++) {
    const double *velocity = side ? CURRENT : still;
    td_model *model = swimmer(velocity);
    int n = td_model_ndof(model);
    ck_assert_int_eq(n, 14);
    for (int i = 0; i < n; i++) qd[i] = i < 6 ? START[i] + (i >= 3 ? velocity[i - 3] : 0) : 0;
    td_dynamics_spec spec = recording_job(model, TD_METHOD_RADAU, time, q);
    spec.qd = qd, spec.qd_count = (size_t)n;
    spec.integrator.rtol = 1e-8, spec.integrator.atol = 1e-10;
    recording r = {0};
    recording_ok(&r, model, &spec);
    td_workspace *ws;
    ck_assert_int_eq(td_workspace_create(model, &ws), TD_OK);
    ck_assert_int_eq(td_link_poses(model, ws, recording_last(&r), 0, &hull[side]), TD_OK);
    for (int i = 0; i < 3; i++) hull[side].p[i] -= velocity[i] * time;
    memcpy(shape[side], recording_last(&r) + 6, sizeof *shape);
    ck_assert_double_lt(fabs(r.statistics.energy.error), 1e-6 * r.statistics.energy.exchanged);
    td_workspace_destroy(ws);
    recording_free(&r);
    td_model_destroy(model);
  }
  for (int i = 0; i < 9; i++) ck_assert_double_eq_tol(hull[0].R[i], hull[1].R[i], 1e-6);
  for (int i = 0; i < 3; i++) ck_assert_double_eq_tol(hull[0].p[i], hull[1].p[i], 1e-6);
  for (int i = 0; i < 8; i++) ck_assert_double_eq_tol(shape[0][i], shape[1][i], 1e-6);
}
END_TEST

// ------------------------------------------------------------------------------------------------ slow fluids

// A rod of 4 mm across the stream, on a hinge; glycerin (1260 kg/m^3, 1 Pa s) or another fluid.
static td_model *reed(double viscosity, double speed, const char *more) {
  char text[1024];
  snprintf(
      text, sizeof text,
      "{\"format\": \"tendril.model/1\", \"fluid\": {\"density\": 1260, \"viscosity\": %g, \"velocity\": [0, 0, %g]}, "
      "\"links\": [{\"name\": \"reed\", \"joint\": {\"type\": \"revolute\", \"axis\": \"y\", \"stiffness\": 5, "
      "\"damping\": 0.1}, \"body\": {\"type\": \"rod\", \"length\": 0.3, \"section\": {\"shape\": \"circle\", "
      "\"radius\": 0.002}, \"material\": {\"young\": 1e8, \"poisson\": 0.4, \"density\": 1260, \"viscosity\": 1e5}, "
      "\"strain\": {\"basis\": \"legendre\", \"order\": {\"bending_y\": 2}}, \"hydrodynamics\": {%s "
      "\"resistive_force\": true}}}]}",
      viscosity, speed, more);
  return test_model_from_text(text);
}

static const td_warning *said(const td_warnings *w, const char *code) {
  for (int i = 0; i < w->count; i++)
    if (!strcmp(w->list[i].code, code)) return &w->list[i];
  return NULL;
}

// As a run, at `rate` of its hinge, and as an equilibrium.
static void slow_enough(double viscosity, double speed, const char *more, double rate, bool expected) {
  td_model *model = reed(viscosity, speed, more);
  double q[4] = {0}, qd[4] = {rate};
  ck_assert_int_eq(td_model_ndof(model), 4);
  td_dynamics_spec spec = recording_job(model, TD_METHOD_AUTOMATIC, 0.05, q);
  spec.qd = qd, spec.qd_count = 4;
  recording r = {0};
  recording_ok(&r, model, &spec);
  const td_warning *w = said(&r.statistics.warnings, "high_reynolds");
  ck_assert_msg((w != NULL) == expected, "%g Pa s, %g m/s%s: %s", viscosity, speed, more, w ? w->detail : "silent");
  if (w) ck_assert_str_eq(w->pointer, "/model/links/0/body/hydrodynamics/resistive_force");
  td_statics_spec still = {.initial = TD_INITIAL_ZERO};
  td_run_statistics statistics;
  td_error error = {0};
  td_statics_defaults(&still.options);
  ck_assert_msg(!td_statics_run(model, &still, 0, NULL, NULL, &statistics, &error), "%s", error.message);
  ck_assert_int_eq(said(&statistics.warnings, "high_reynolds") != NULL, expected && speed > 0);
  recording_free(&r);
  td_model_destroy(model);
}

START_TEST(resistive_force_theory_in_a_fast_stream_is_said_with_the_reynolds_number) {
  slow_enough(1, 1, "", 0, false);     // Re 5
  slow_enough(1, 4, "", 0, true);      // 20
  slow_enough(1e-3, 0.1, "", 0, true); // water: 504
  slow_enough(1e-3, 0.001, "", 0, false);
  slow_enough(1, 0, "", 20, true); // the tip at 6 m/s: 30
  slow_enough(1, 0, "", 2, false);
  slow_enough(1, 4, "\"cd_y\": 1, \"cd_z\": 1,", 0, false); // quadratic drag acts there
  td_model *model = reed(1e-3, 0.1, "");
  td_workspace *ws;
  td_warnings w = {0};
  double q[4] = {0};
  int id = td_quantity_find("id"), mass = td_quantity_find("mass");
  ck_assert_int_eq(td_workspace_create(model, &ws), TD_OK);
  td_evaluate_tell(model, ws, &(td_state){.q = q}, &mass, 1, "/q", &w);
  ck_assert_int_eq(w.count, 0);
  td_evaluate_tell(model, ws, &(td_state){.q = q}, &id, 1, "/q", &w);
  ck_assert_int_eq(w.count, 1);
  ck_assert_str_eq(w.list[0].code, "high_reynolds");
  ck_assert_msg(strstr(w.list[0].detail, "of 504:"), "%s", w.list[0].detail);
  td_workspace_destroy(ws);
  td_model_destroy(model);
}
END_TEST

// ------------------------------------------------------------------------------------------------ flows that change

static int unsteady(const char *body, td_signal_spec signal) {
  char text[1024];
  snprintf(text, sizeof text,
           "{\"format\": \"tendril.model/1\", \"fluid\": {\"density\": 1000, \"channels\": [\"tide\", null, null]}, "
           "\"links\": "
           "[{\"name\": \"body\", \"joint\": {\"type\": \"free\"}, \"body\": {%s}}]}",
           body);
  td_model *model = test_model_from_text(text);
  const td_input_spec input = {.channel = "tide", .signal = signal};
  td_dynamics_spec spec = recording_job(model, TD_METHOD_AUTOMATIC, 10, NULL);
  td_warnings w = {0};
  td_error error = {0};
  spec.inputs = &input, spec.input_count = 1;
  ck_assert_msg(!td_dynamics_check(model, &spec, &w, &error), "%s", error.message);
  const td_warning *flow = said(&w, "unsteady_flow");
  if (flow) ck_assert_str_eq(flow->pointer, "/inputs/tide");
  td_model_destroy(model);
  return flow != NULL;
}

// Water that goes to and fro takes a ball of its density along wholly, and a thin rod by its drag.
START_TEST(flows_whose_own_acceleration_would_matter_are_said) {
  static const char ball[] =
      "\"type\": \"rigid\", \"density\": 1000, \"shape\": {\"type\": \"sphere\", \"radius\": 0.1}, \"hydrodynamics\": "
      "{\"body_density\": 1000, \"added_mass\": [0, 0, 0, 2.1, 2.1, 2.1]}";
  static const char cane[] =
      "\"type\": \"rod\", \"length\": 0.5, \"section\": {\"shape\": \"circle\", \"radius\": 0.01}, \"material\": "
      "{\"young\": "
      "1e8, \"poisson\": 0.4, \"density\": 1000, \"viscosity\": 1e5}, \"strain\": {\"basis\": \"legendre\", \"order\": "
      "{\"bending_y\": 1}}, \"hydrodynamics\": {\"cd_y\": 1, \"cd_z\": 1, \"added_y\": 1, \"added_z\": 1}";
  td_signal_spec sway = {.type = TD_SIGNAL_SINE, .amplitude = 0.5, .frequency = 0.2},
                 shake = {.type = TD_SIGNAL_SINE, .amplitude = 0.5, .frequency = 2},
                 steady = {.type = TD_SIGNAL_CONSTANT, .offset = 0.5};
  ck_assert_int_eq(unsteady(ball, sway), 1);
  ck_assert_int_eq(unsteady(ball, steady), 0);
  ck_assert_int_eq(unsteady(cane, sway), 0);
  ck_assert_int_eq(unsteady(cane, shake), 1);
  ck_assert_int_eq(unsteady(cane, steady), 0);
}
END_TEST

// What resistance takes is the same for whoever looks; what a current gives to a body that turns in it is no
// resistance.
START_TEST(heat_is_made_by_resistance_alone_and_does_not_depend_on_who_looks) {
  static const double still[3] = {0, 0, 0}, q[6] = {0};
  double heat[2], qd[6], id[6];
  for (int drag = 0; drag < 2; drag++) {
    for (int side = 0; side < 2; side++) {
      td_model *model = ellipsoid(side ? CURRENT : still, drag);
      td_workspace *ws;
      ck_assert_int_eq(td_workspace_create(model, &ws), TD_OK);
      for (int i = 0; i < 6; i++) qd[i] = START[i] + (side && i >= 3 ? CURRENT[i - 3] : 0);
      heat[side] = td_force_alone(model, ws, TD_FORCE_DRAG, q, qd, NULL, id);
      double power = 0;
      for (int i = 0; i < 6; i++) power += qd[i] * id[i];
      if (side) ck_assert_double_gt(fabs(power - heat[side]), 0.1); // the current works on it
      td_workspace_destroy(ws);
      td_model_destroy(model);
    }
    double speed = sqrt(0.25 + 0.01 + 0.0025), taken = 0;
    for (int i = 0; i < 6; i++) taken += drag * speed * DRAG[i] * START[i] * START[i];
    ck_assert_double_eq_tol(heat[0], taken, 1e-12);
    ck_assert_double_eq_tol(heat[1], taken, 1e-12);
  }
}
END_TEST

TEST_MAIN("water_and_contact", flows_whose_own_acceleration_would_matter_are_said,
          resistive_force_theory_in_a_fast_stream_is_said_with_the_reynolds_number,
          a_body_in_a_current_moves_as_kirchhoff_says_of_still_water_seen_from_a_moving_frame,
          a_soft_swimmer_in_a_current_is_one_in_still_water_seen_from_a_moving_frame,
          heat_is_made_by_resistance_alone_and_does_not_depend_on_who_looks, a_run_whose_check_comes_to_no_end_says_so,
          per_length_depth_does_not_depend_on_the_number_of_points, an_obstacle_without_links_meets_rods_only,
          the_momentum_of_a_free_vehicle_without_water_and_gravity_is_conserved,
          a_neutrally_buoyant_vehicle_at_rest_stays_and_a_heavier_one_sinks,
          a_swimmer_s_work_goes_into_energy_damping_and_water, the_floor_carries_the_weight_of_a_body_at_rest,
          a_body_dropped_on_the_floor_comes_to_the_rest_that_statics_finds)

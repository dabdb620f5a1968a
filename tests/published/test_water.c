// Bodies in water that flows, has a surface and is viscous, against answers in closed form: terminal velocities,
// Galilean invariance, a rotating helix in resistive-force theory (Lighthill 1976), a cantilever in shear flow,
// floating spheres and spars, and the energy balance of runs among all of it.
#include "support/model_file.h"
#include "support/recording.h"
#include "support/suite.h"
#include "tendril/tendril.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct problem {
  td_model *model;
  td_workspace *ws;
  int n;
  double q[48], qd[48], u[8];
} problem;

static void open(problem *p, const char *text) {
  *p = (problem){.model = test_model_from_text(text)};
  ck_assert_int_eq(td_workspace_create(p->model, &p->ws), TD_OK);
  p->n = td_model_ndof(p->model);
}

static void close(problem *p) {
  td_workspace_destroy(p->ws);
  td_model_destroy(p->model);
}

static void forces(problem *p, double *id) {
  ck_assert_int_eq(td_inverse_dynamics(p->model, p->ws, p->q, p->qd, NULL, p->u, id), TD_OK);
}

static td_statics_result solve(problem *p) {
  td_statics_options options;
  td_statics_result result;
  td_error error = {0};
  td_statics_defaults(&options);
  td_status status = td_statics_solve(p->model, p->ws, p->u, &options, p->q, &result, &error);
  ck_assert_msg(status == TD_OK && result.converged, "%s", error.message);
  return result;
}

// ------------------------------------------------------------------------------------------------ terminal velocities

// A heavy ball of 2 cm (4.19 cm^3, 2000 kg/m^3) on a vertical rail in a fluid of 1000 kg/m^3 falls for `time`; its
// speed then.
static double speed_of_ball(const char *fluid, const char *water, double time) {
  char text[1024];
  snprintf(text, sizeof text,
           "{\"format\": \"tendril.model/1\", \"gravity\": [0,0,-9.81], \"fluid\": %s, \"links\": [{\"name\": \"ball\","
           " \"joint\": {\"type\": \"prismatic\", \"axis\": \"z\"}, \"body\": {\"type\": \"rigid\", \"density\": 2000,"
           " \"shape\": {\"type\": \"sphere\", \"radius\": 0.01}, \"hydrodynamics\": %s}}]}",
           fluid, water);
  td_model *model = test_model_from_text(text);
  td_dynamics_spec spec = recording_job(model, TD_METHOD_BDF, time, NULL);
  spec.integrator.rtol = 1e-9, spec.integrator.atol = 1e-12;
  recording r = {0};
  recording_ok(&r, model, &spec);
  double speed = recording_last(&r)[1];
  recording_free(&r);
  td_model_destroy(model);
  return speed;
}

static const double ball_volume = 4 * M_PI / 3 * 1e-6;

START_TEST(a_ball_sinks_with_the_speed_of_stokes) {
  char water[256];
  const double mu = 0.9, R = 6 * M_PI * mu * 0.01, speed = 1000 * ball_volume * 9.81 / R;
  snprintf(water, sizeof water, "{\"body_density\": 2000, \"linear\": [0,0,0,%.17g,%.17g,%.17g]}", R, R, R);
  ck_assert_double_eq_tol(speed, 2 * 1000 * 9.81 * 1e-4 / (9 * mu), 1e-12); // 2/9 (rho_b - rho_w) g r^2 / mu
  ck_assert_double_eq_tol(speed_of_ball("{\"density\": 1000}", water, 2), -speed, 1e-8 * speed);
}
END_TEST

START_TEST(a_ball_sinks_with_the_speed_of_newton_and_with_both_laws_at_once) {
  char water[256];
  const double D = 0.5 * 1000 * 0.47 * M_PI * 1e-4, W = 1000 * ball_volume * 9.81, R = 0.1;
  snprintf(water, sizeof water, "{\"body_density\": 2000, \"drag\": [0,0,0,%.17g,%.17g,%.17g]}", D, D, D);
  ck_assert_double_eq_tol(speed_of_ball("{\"density\": 1000}", water, 3), -sqrt(W / D), 1e-7);
  double upward = speed_of_ball("{\"density\": 1000, \"velocity\": [0, 0, 0.25]}", water, 3);
  ck_assert_double_eq_tol(upward, 0.25 - sqrt(W / D), 1e-7);
  snprintf(water, sizeof water,
           "{\"body_density\": 2000, \"drag\": [0,0,0,%.17g,%.17g,%.17g], \"linear\": [0,0,0,%.17g,%.17g,%.17g]}", D, D,
           D, R, R, R);
  double both = (-R + sqrt(R * R + 4 * D * W)) / (2 * D);
  ck_assert_double_eq_tol(speed_of_ball("{\"density\": 1000}", water, 3), -both, 1e-7);
}
END_TEST

// ------------------------------------------------------------------------------------------------ Galileo

// Three rails carry a robot of everything wet.
static const char TOWED[] =
    "{\"format\": \"tendril.model/1\", \"gravity\": [1,-2,-9.81], \"fluid\": {\"density\": 1000, \"viscosity\": 0.5,"
    " \"velocity\": %s, \"channels\": [\"x\",\"y\",\"z\"]}, \"links\": ["
    "{\"name\": \"a\", \"joint\": {\"type\": \"prismatic\", \"axis\": \"x\"}},"
    "{\"name\": \"b\", \"parent\": \"a\", \"joint\": {\"type\": \"prismatic\", \"axis\": \"y\"}},"
    "{\"name\": \"c\", \"parent\": \"b\", \"joint\": {\"type\": \"prismatic\", \"axis\": \"z\"}},"
    "{\"name\": \"hull\", \"parent\": \"c\", \"joint\": {\"type\": \"spherical\"}, \"body\": {\"type\": \"rigid\", "
    "\"mass\": 2,"
    " \"com\": [0.1,0.02,-0.03], \"inertia\": [0.01,0.02,0.03], \"hydrodynamics\": {\"body_density\": 900,"
    " \"drag\": [0.1,0.2,0.3,4,5,6], \"linear\": [0.1,0.1,0.2,1,2,3], \"added_mass\": [0.01,0.02,0.02,0.5,0.8,1.1]}}},"
    "{\"name\": \"arm\", \"parent\": \"hull\", \"pose\": {\"translation\": [0.2,0,0.1], \"rpy\": [0.3,0.5,-0.4]}, "
    "\"joint\": {\"type\":"
    " \"revolute\", \"axis\": \"y\"}, \"body\": {\"type\": \"rod\", \"length\": 0.5, \"section\": {\"shape\": "
    "\"circle\", \"radius\":"
    " [0.02,0.01]}, \"material\": {\"young\": 1e6, \"poisson\": 0.5, \"density\": 1100}, \"strain\": {\"basis\": "
    "\"legendre\","
    " \"order\": {\"torsion\": 1, \"bending_y\": 2, \"bending_z\": 2, \"elongation\": 0}}, \"hydrodynamics\": "
    "{\"cd_x\": 0.1,"
    " \"cd_y\": 1.1, \"cd_z\": 0.9, \"cl_x\": -0.1, \"added_y\": 0.8, \"added_z\": 0.7, \"resistive_force\": true}}}]}";

START_TEST(towing_a_robot_is_holding_it_in_a_current) {
  static const double U[3] = {0.7, -1.2, 0.4};
  double towed[48], held[48], driven[48], largest = 0;
  char text[4096];
  problem still, flow;
  snprintf(text, sizeof text, TOWED, "[0,0,0]");
  open(&still, text);
  snprintf(text, sizeof text, TOWED, "[0.7,-1.2,0.4]");
  open(&flow, text);
  for (int i = 0; i < still.n; i++) {
    still.q[i] = flow.q[i] = i < 3 ? 0 : 0.8 * sin(2 + 5 * i);
    still.qd[i] = flow.qd[i] = cos(1 + 3 * i);
  }
  for (int i = 0; i < 3; i++) still.qd[i] -= U[i]; // moves against water at rest as the other in the current
  forces(&still, towed);
  forces(&flow, held);
  for (int i = 0; i < 3; i++) still.qd[i] += U[i], still.u[i] = U[i];
  forces(&still, driven);
  for (int i = 0; i < still.n; i++) largest = fmax(largest, fabs(towed[i]));
  for (int i = 0; i < still.n; i++) {
    ck_assert_double_eq_tol(towed[i], held[i], 1e-14 * largest);
    ck_assert_double_eq_tol(held[i], driven[i], 1e-14 * largest);
  }
  close(&still), close(&flow);
}
END_TEST

// ------------------------------------------------------------------------------------------------ a helix

// A stiff helix of radius a and pitch angle theta (to its axis) turns about its axis, and may slide along it. Per
// length and speed it feels cn across and ct along: thrust (cn - ct) w a sin cos, torque w a^2 (cn cos^2 + ct sin^2),
// times its length.
START_TEST(a_helix_pushes_as_in_resistive_force_theory) {
  char text[2048];
  const double curvature = 30, torsion = 20, length = 1.3, r = 0.003, mu = 2;
  const double darboux = hypot(curvature, torsion), a = curvature / (darboux * darboux), cosine = torsion / darboux,
               sine = curvature / darboux, axis[3] = {torsion / darboux, 0, curvature / darboux};
  snprintf(
      text, sizeof text,
      "{\"format\": \"tendril.model/1\", \"fluid\": {\"density\": 1000, \"viscosity\": %g}, \"links\": [{\"name\":"
      " \"slide\", \"joint\": {\"type\": \"prismatic\", \"axis\": [%.17g,0,%.17g]}}, {\"name\": \"motor\", \"parent\":"
      " \"slide\", \"joint\": {\"type\": \"revolute\", \"axis\": [%.17g,0,%.17g]}}, {\"name\": \"helix\", \"parent\":"
      " \"motor\", \"pose\": {\"translation\": [0,%.17g,0]}, \"joint\": {\"type\": \"fixed\"}, \"body\": {\"type\": "
      "\"rod\","
      " \"length\": %g, \"section\": {\"shape\": \"circle\", \"radius\": %g}, \"material\": {\"young\": 1e9, "
      "\"poisson\": 0.3,"
      " \"density\": 1000}, \"strain\": {\"basis\": \"legendre\", \"order\": {}, \"reference\": [%g,0,%g,1,0,0]},"
      " \"quadrature\": {\"points\": 30}, \"hydrodynamics\": {\"resistive_force\": true}}}]}",
      mu, axis[0], axis[2], axis[0], axis[2], -a, length, r, torsion, curvature);
  problem p;
  double id[48];
  open(&p, text);
  ck_assert_int_eq(p.n, 2);
  const double ratio = log(0.18 * length / r), ct = 2 * M_PI * mu / ratio, cn = 4 * M_PI * mu / (ratio + 0.5), w = 7;
  p.qd[1] = w;
  forces(&p, id);
  double thrust = (cn - ct) * w * a * sine * cosine * length,
         torque = w * a * a * (cn * cosine * cosine + ct * sine * sine) * length;
  ck_assert_double_eq_tol(id[1], torque, 1e-10 * torque);
  ck_assert_double_eq_tol(fabs(id[0]), thrust, 1e-10 * thrust);
  // what swims freely has no thrust left
  p.qd[0] = -copysign((cn - ct) * sine * cosine / (cn * sine * sine + ct * cosine * cosine) * w * a, id[0]);
  forces(&p, id);
  ck_assert_double_eq_tol(id[0], 0, 1e-10 * thrust);
  close(&p);
}
END_TEST

// ------------------------------------------------------------------------------------------------ shear flow

// A standing rod in U = gamma z: a load that grows from 0 to w = cn gamma L bends its tip by 11 w L^4 / 120 E I. The
// curvature is a polynomial of degree 3 in z.
START_TEST(a_cantilever_in_shear_flow_bends_as_under_its_triangular_load) {
  problem p;
  const double gamma = 1e-4, normal = 0.6, L = 0.5, EI = 1e6 * M_PI * 1e-8 / 4;
  open(&p,
       "{\"format\": \"tendril.model/1\", \"fluid\": {\"density\": 0, \"velocity\": {\"z\": [0, 0.5, 2], \"velocity\":"
       " [[0,0,0],[5e-5,0,0],[2e-4,0,0]]}}, \"links\": [{\"name\": \"reed\", \"pose\": {\"rpy\":"
       " [0,-1.5707963267948966,0]}, \"joint\": {\"type\": \"fixed\"}, \"body\": {\"type\": \"rod\", \"length\": 0.5,"
       " \"section\": {\"shape\": \"circle\", \"radius\": 0.01}, \"material\": {\"young\": 1e6, \"poisson\": 0.5,"
       " \"density\": 1000}, \"strain\": {\"basis\": \"legendre\", \"order\": {\"bending_y\": 3}}, \"quadrature\": "
       "{\"points\": 24}, \"hydrodynamics\":"
       " {\"linear\": {\"tangential\": 0.2, \"normal\": 0.6}}}}]}");
  solve(&p);
  td_se3 tip;
  ck_assert_int_eq(td_pose_at(p.model, p.ws, p.q, 0, 1, &tip), TD_OK);
  double deflection = 11 * normal * gamma * L * pow(L, 4) / (120 * EI);
  ck_assert_double_eq_tol(tip.p[0], deflection, 1e-6 * deflection);
  close(&p);
}
END_TEST

// ------------------------------------------------------------------------------------------------ floating

// A ball of relative density s floats where its part t^2 (3 - 2 t) below the surface is s; exact for a sphere.
START_TEST(a_sphere_floats_at_archimedes_depth) {
  static const double ratio[3] = {0.1, 0.5, 0.83}, start[3] = {1.95, -7, 30}; // at the surface, deep, high in the air
  for (int k = 0; k < 3; k++) {
    char text[1024];
    const double r = 0.3, rho = 1025 * ratio[k], volume = 4 * M_PI / 3 * r * r * r;
    snprintf(
        text, sizeof text,
        "{\"format\": \"tendril.model/1\", \"gravity\": [0,0,-9.81], \"fluid\": {\"density\": 1025, \"surface\": "
        "{\"z\":"
        " 2, \"width\": 0.6}}, \"links\": [{\"name\": \"ball\", \"joint\": {\"type\": \"prismatic\", \"axis\": \"z\"},"
        " \"body\": {\"type\": \"rigid\", \"density\": %.17g, \"shape\": {\"type\": \"sphere\", \"radius\": 0.3},"
        " \"hydrodynamics\": {\"body_density\": %.17g, \"added_mass\": [0,0,0,57,57,57]}}}]}",
        rho, rho);
    problem p;
    open(&p, text);
    p.q[0] = start[k];
    td_statics_result result = solve(&p);
    ck_assert(result.stable);
    double depth = 2 + r - p.q[0], cap = M_PI * depth * depth * (3 * r - depth) / 3; // of the lowest point; its cap
    ck_assert_double_eq_tol(cap, ratio[k] * volume, 1e-8 * volume);
    // it bobs with the stiffness of its waterline and the added mass of what is wet
    double K, M;
    ck_assert_int_eq(td_residual_derivatives(p.model, p.ws, p.q, NULL, NULL, NULL, NULL, &K, NULL, &M), TD_OK);
    ck_assert_double_eq_tol(K, 1025 * 9.81 * M_PI * (2 * r * depth - depth * depth), 1e-8 * K);
    ck_assert_double_eq_tol(M, rho * volume + 57 * ratio[k], 1e-8 * M);
    close(&p);
  }
}
END_TEST

static const char SPAR[] =
    "{\"format\": \"tendril.model/1\", \"gravity\": [0,0,-9.81], \"fluid\": {\"density\": 1000, \"surface\": {\"z\": "
    "0.25, "
    "\"width\": 0.2}}, \"links\": [{\"name\": \"spar\", \"pose\": {\"rpy\": [0,-1.5707963267948966,0]}, \"joint\": "
    "{\"type\":"
    " \"prismatic\", \"axis\": \"x\"}, \"body\": {\"type\": \"rod\", \"length\": 1, \"section\": {\"shape\": "
    "\"circle\", \"radius\":"
    " 0.02}, \"material\": {\"young\": 1e7, \"poisson\": 0.5, \"density\": %g}, \"strain\": {\"basis\": \"legendre\","
    " \"order\": {\"bending_y\": 1}}, \"quadrature\": {\"points\": 40}}}]}";

// A standing rod is wet to the part of its density, whatever the width of the surface, as far as the points resolve
// that.
START_TEST(a_spar_floats_with_the_part_of_its_density_in_the_water) {
  static const double ratio[3] = {0.5, 0.3, 0.7};
  for (int k = 0; k < 3; k++) {
    char text[1024];
    problem p;
    snprintf(text, sizeof text, SPAR, 1000 * ratio[k]);
    open(&p, text);
    p.q[0] = 0.25 - ratio[k] + 0.03;
    solve(&p);
    ck_assert_double_eq_tol(p.q[0], 0.25 - ratio[k], 1e-4); // the base hangs that deep
    close(&p);
  }
}
END_TEST

// ------------------------------------------------------------------------------------------------ what is odd

static bool warned(const char *text, const char *code) {
  td_model *model = test_model_from_text(text);
  const td_warnings *w = td_model_warnings(model);
  bool found = false;
  for (int i = 0; i < w->count; i++) found |= !strcmp(w->list[i].code, code);
  td_model_destroy(model);
  return found;
}

START_TEST(water_that_cannot_do_what_its_document_hopes_for_has_a_warning) {
  char text[1024], coarse[1024];
  const char idle[] =
      "{\"format\": \"tendril.model/1\", \"fluid\": {\"density\": 1000, \"velocity\": [1,0,0]}, \"links\":"
      " [{\"name\": \"a\", \"joint\": {\"type\": \"revolute\"}, \"body\": {\"type\": \"rigid\", \"mass\": 1,"
      " \"inertia\": [1,1,1]%s}}]}";
  snprintf(text, sizeof text, idle, "");
  ck_assert(warned(text, "idle_flow"));
  snprintf(text, sizeof text, idle, ", \"hydrodynamics\": {\"linear\": [1,1,1,1,1,1]}");
  ck_assert(!warned(text, "idle_flow"));
  snprintf(text, sizeof text, SPAR, 500.);
  ck_assert(!warned(text, "thin_surface"));
  char *width = strstr(text, "0.2}");
  ck_assert_ptr_nonnull(width);
  snprintf(coarse, sizeof coarse, "%.*s0.01}%s", (int)(width - text), text, width + 4);
  ck_assert(warned(coarse, "thin_surface"));
  char *tilt = strstr(coarse, "-1.5707963267948966"); // the same rod flat on the water, and leaning
  ck_assert_ptr_nonnull(tilt);
  memcpy(tilt, "               0.000", 19);
  ck_assert(!warned(coarse, "thin_surface"));
  memcpy(tilt, "               0.200", 19);
  ck_assert(!warned(coarse, "thin_surface")); // points 0.039 m apart are 0.008 m above each other
  memcpy(tilt, "               0.900", 19);
  ck_assert(warned(coarse, "thin_surface"));
}
END_TEST

// ------------------------------------------------------------------------------------------------ energy

static void balanced(td_model *model, const td_dynamics_spec *spec, double least) {
  recording r = {0};
  recording_ok(&r, model, spec);
  const td_energy_balance *e = &r.statistics.energy;
  ck_assert_double_gt(fabs(e->hydrodynamics), least);
  ck_assert_msg(fabs(e->error) < 1e-6 * e->exchanged, "energy off by %g of %g J", e->error, e->exchanged);
  recording_free(&r);
}

START_TEST(a_robot_in_a_changing_current_keeps_the_energy_balance) {
  char text[4096];
  snprintf(text, sizeof text, TOWED, "{\"z\": [-0.5, 0.1, 0.6], \"velocity\": [[0.5,0,0],[-0.3,0.8,0],[0.1,0.4,0]]}");
  td_model *model = test_model_from_text(text);
  const td_input_spec inputs[2] = {
      {.channel = "x", .signal = {.type = TD_SIGNAL_SINE, .offset = 0.5, .amplitude = 1, .frequency = 2}},
      {.channel = "z", .signal = {.type = TD_SIGNAL_CONSTANT, .offset = 1.5}}};
  td_dynamics_spec spec = recording_job(model, TD_METHOD_BDF, 0.5, NULL);
  spec.inputs = inputs, spec.input_count = 2;
  spec.integrator.rtol = 1e-8, spec.integrator.atol = 1e-10;
  balanced(model, &spec, 1e-2);
  td_model_destroy(model);
}
END_TEST

// Dropped from above: in, under, out again, with added mass that comes and goes. Without drag nothing is lost at all.
static void drop(const char *drag, double least) {
  char text[1024];
  snprintf(text, sizeof text,
           "{\"format\": \"tendril.model/1\", \"gravity\": [0,0,-9.81], \"fluid\": {\"density\": 1000, \"surface\": "
           "{\"z\": 0,"
           " \"width\": 0.2}}, \"links\": [{\"name\": \"ball\", \"joint\": {\"type\": \"planar\", \"axis\": \"y\"}, "
           "\"body\": {\"type\":"
           " \"rigid\", \"density\": 400, \"shape\": {\"type\": \"sphere\", \"radius\": 0.1}, \"hydrodynamics\": "
           "{\"body_density\": 400,"
           " %s \"added_mass\": [0,0,0,2.1,2.1,2.1]}}}]}",
           drag);
  td_model *model = test_model_from_text(text);
  const double q[3] = {0, 0.4, 0}, qd[3] = {0.2, 0, 0.7}; // planar about y: angle, z, x
  td_dynamics_spec spec = recording_job(model, TD_METHOD_BDF, 2, q);
  spec.qd = qd, spec.qd_count = 3;
  spec.integrator.rtol = 1e-9, spec.integrator.atol = 1e-11;
  spec.output_dt = 0.01;
  recording r = {0};
  recording_ok(&r, model, &spec);
  double lowest = 0;
  for (size_t i = 0; i < r.count; i++) lowest = fmin(lowest, r.rows[i * r.row + 1]);
  ck_assert_double_lt(lowest, -0.1);
  const td_energy_balance *e = &r.statistics.energy;
  ck_assert_double_ge(fabs(e->hydrodynamics), least);
  ck_assert_msg(fabs(e->error) < 1e-5, "energy off by %g of %g J", e->error, e->exchanged);
  if (least == 0) ck_assert_double_eq_tol(e->kinetic + e->gravitational, 0, 1e-5);
  recording_free(&r);
  td_model_destroy(model);
}

START_TEST(a_ball_dropped_into_water_keeps_the_energy_balance) {
  drop("", 0);
  drop("\"drag\": [0,0,0,8,8,8], \"linear\": [0,0,0,1,1,1],", 1);
}
END_TEST

TEST_MAIN("water", a_ball_sinks_with_the_speed_of_stokes,
          a_ball_sinks_with_the_speed_of_newton_and_with_both_laws_at_once, towing_a_robot_is_holding_it_in_a_current,
          a_helix_pushes_as_in_resistive_force_theory, a_cantilever_in_shear_flow_bends_as_under_its_triangular_load,
          a_sphere_floats_at_archimedes_depth, a_spar_floats_with_the_part_of_its_density_in_the_water,
          water_that_cannot_do_what_its_document_hopes_for_has_a_warning,
          a_robot_in_a_changing_current_keeps_the_energy_balance, a_ball_dropped_into_water_keeps_the_energy_balance)

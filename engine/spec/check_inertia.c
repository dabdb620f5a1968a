// Does every joint move inertia? A joint that does not makes the mass matrix singular at every configuration, and
// forward dynamics would fail with no hint why: said here, where the joint stands.
//
// Two rules. (1) Behind a joint with coordinates there must be a body with mass, or inertia. (2) Where nothing behind
// it moves by itself (links on fixed joints only), the composite inertia I of what it carries must be definite in the
// joint's directions, Phi^T I Phi > 0: a point mass on the axis of a revolute joint is not.
// A prescribed joint needs none: its acceleration is given.
// Inertias are summed from the last link to the first, each about its own link's origin.
#include "element/joint_type.h"
#include "element/rigid_shape.h"
#include "spec/check/checks.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct cluster {
  double mass, moment[3], inertia[9]; // of links fixed to this one: about its origin, in its axes; moment = m c
  bool heavy;                         // mass or inertia anywhere behind this link
  bool flexible;                      // a rod or a moving joint behind it: rule 2 has nothing to say
} cluster;

// inertia += m (|c|^2 1 - c c^T)
static void add_parallel_axis(double mass, const double c[3], double inertia[9]) {
  double square = c[0] * c[0] + c[1] * c[1] + c[2] * c[2];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) inertia[3 * i + j] += mass * ((i == j ? square : 0) - c[i] * c[j]);
}

static void add_body(const td_body_spec *body, cluster *c) {
  td_mass_properties p;
  if (body->type == TD_BODY_ROD || body->type == TD_BODY_REDUCED) c->heavy = c->flexible = true;
  if (body->type != TD_BODY_RIGID) return;
  td_rigid_mass_properties(&body->rigid, &p);
  c->mass += p.mass;
  for (int i = 0; i < 3; i++) c->moment[i] += p.mass * p.com[i];
  for (int i = 0; i < 9; i++) c->inertia[i] += p.inertia[i];
  add_parallel_axis(p.mass, p.com, c->inertia);
  c->heavy = c->heavy || p.mass > 0 || p.inertia[0] + p.inertia[4] + p.inertia[8] > 0;
}

static void rotate(const double R[9], const double v[3], double out[3]) {
  for (int i = 0; i < 3; i++) out[i] = R[3 * i] * v[0] + R[3 * i + 1] * v[1] + R[3 * i + 2] * v[2];
}

// out += R A R^T
static void add_rotated(const double R[9], const double A[9], double out[9]) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      for (int k = 0; k < 3; k++)
        for (int l = 0; l < 3; l++) out[3 * i + j] += R[3 * i + k] * A[3 * k + l] * R[3 * j + l];
}

// Child on a fixed joint: its cluster joins the parent's, moved to the parent's origin by pose (R, p):
// I_p = R I R^T + m |p|^2 … written with the moment mc: (p . p) m + 2 p . Rmc on the diagonal, minus the dyads.
static void merge(const td_se3 *pose, const cluster *child, cluster *parent) {
  double moved[3], m = child->mass;
  const double *p = pose->p;
  rotate(pose->R, child->moment, moved);
  add_rotated(pose->R, child->inertia, parent->inertia);
  double square = 0;
  for (int i = 0; i < 3; i++) square += p[i] * (m * p[i] + 2 * moved[i]);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      parent->inertia[3 * i + j] += (i == j ? square : 0) - m * p[i] * p[j] - moved[i] * p[j] - p[i] * moved[j];
  parent->mass += m;
  for (int i = 0; i < 3; i++) parent->moment[i] += m * p[i] + moved[i];
}

// a^T [I, [mc]; [mc]^T, m] b: w.I w' + mc.(w x v' …) = w.(I w' + mc x v') + v.(m v' - mc x w')
static double inertia_product(const cluster *c, const double a[6], const double b[6]) {
  const double *w = b, *v = b + 3, *h = c->moment;
  double sum = 0;
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    const double *row = c->inertia + 3 * i;
    sum += a[i] * (row[0] * w[0] + row[1] * w[1] + row[2] * w[2] + h[j] * v[k] - h[k] * v[j]);
    sum += a[3 + i] * (c->mass * v[i] - (h[j] * w[k] - h[k] * w[j]));
  }
  return sum;
}

// Cholesky of A scaled to a unit diagonal; a pivot below rounding says singular.
static bool definite(int n, double A[6][6], const double scale[6]) {
  for (int i = 0; i < n; i++) {
    if (!(A[i][i] > 1e-14 * scale[i])) return false;
    for (int j = 0; j < i; j++) A[i][j] /= sqrt(A[i][i]) * sqrt(A[j][j]);
  }
  for (int i = 0; i < n; i++) A[i][i] = 1;
  for (int j = 0; j < n; j++) {
    for (int k = 0; k < j; k++) A[j][j] -= A[j][k] * A[j][k];
    if (!(A[j][j] > 1e-13)) return false;
    A[j][j] = sqrt(A[j][j]);
    for (int i = j + 1; i < n; i++) {
      for (int k = 0; k < j; k++) A[i][j] -= A[i][k] * A[j][k];
      A[i][j] /= A[j][j];
    }
  }
  return true;
}

// `scale`: what each entry of the diagonal would be for a compact body, to tell 0 from rounding.
static bool moves_inertia(const td_joint_spec *joint, const cluster *c) {
  double twist[6][6], A[6][6], scale[6];
  int n = td_joint_dof(joint->type);
  double turning = c->inertia[0] + c->inertia[4] + c->inertia[8];
  td_joint_twists(joint, twist);
  for (int i = 0; i < n; i++) {
    double w2 = 0, v2 = 0;
    for (int k = 0; k < 3; k++) {
      w2 += twist[i][k] * twist[i][k];
      v2 += twist[i][3 + k] * twist[i][3 + k];
    }
    scale[i] = w2 * turning + v2 * c->mass;
    for (int j = 0; j <= i; j++) A[i][j] = inertia_product(c, twist[i], twist[j]);
  }
  return definite(n, A, scale);
}

static td_status check_joint_inertia(const td_model_spec *spec, size_t index, const cluster *c, const td_place *at) {
  const td_link_spec *link = &spec->links[index];
  td_place joint = td_place_key(at, "joint");
  if (td_joint_dof(link->joint.type) == 0 || td_spec_is_prescribed(spec, (int)index)) return TD_OK;
  if (!c->heavy)
    return td_place_fail(
        &joint, TD_INVALID_ARGUMENT,
        "this %s joint moves no mass (no body on its link or behind it), so that the mass matrix would be "
        "singular",
        td_joint_type_name(link->joint.type));
  if (c->flexible || moves_inertia(&link->joint, c)) return TD_OK;
  return td_place_fail(
      &joint, TD_INVALID_ARGUMENT,
      "the bodies this %s joint moves have no inertia in one of its directions (mass or inertia is 0 there), so "
      "that the mass matrix would be singular",
      td_joint_type_name(link->joint.type));
}

static void pass_to_parent(const td_model_spec *spec, size_t i, cluster *all) {
  const td_link_spec *link = &spec->links[i];
  if (td_spec_is_world(link->parent)) return;
  int p = td_spec_link_find(spec, i, link->parent);
  cluster *parent = &all[p];
  bool fixed = link->joint.type == TD_JOINT_FIXED, on_rod = spec->links[p].body.type == TD_BODY_ROD;
  parent->heavy = parent->heavy || all[i].heavy;
  parent->flexible = parent->flexible || all[i].flexible || !fixed;
  if (fixed && !on_rod) merge(&link->pose, &all[i], parent);
}

// A massless joint is reported at the first link of the document that has one, hence two passes.
td_status td_check_inertia(const td_model_spec *spec, const td_place *links) {
  cluster *all = calloc(spec->link_count, sizeof *all);
  if (!all) return td_place_fail(links, TD_NO_MEMORY, "out of memory");
  for (size_t i = spec->link_count; i-- > 0;) {
    add_body(&spec->links[i].body, &all[i]);
    pass_to_parent(spec, i, all);
  }
  td_status status = TD_OK;
  for (size_t i = 0; i < spec->link_count && !status; i++) {
    td_place at = td_place_at(links, i);
    status = check_joint_inertia(spec, i, &all[i], &at);
  }
  free(all);
  return status;
}

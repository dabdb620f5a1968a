// One robot described in two ways gives one answer: each robot of support/tree_list.c is rewritten by a rule that
// changes its document but not the machine, and everything the engine says about it is compared, coordinate by
// coordinate.
//
// A rule is a function that edits the spec. Coordinates keep their order under all rules but the one that re-orders
// links, where they are found again by name. (A rod cut in two is in test_equivalent_models, what distance does to fd
// in test_far_away.)
#include "lie/vec3.h"
#include "support/suite.h"
#include "support/tree_state.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef double vector[STATE_MAX];
typedef double matrix[STATE_MAX * STATE_MAX];

enum { MANY = 3 * TREE_LINKS };

// A robot being rewritten: room for more links than a tree has, and for their names.
typedef struct rewrite {
  tree t;
  td_link_spec links[MANY];
  char names[MANY][TD_MAX_NAME + 1];
  size_t count;
} rewrite;

static td_link_spec *append(rewrite *r, const td_link_spec *link) {
  ck_assert_uint_lt(r->count, MANY);
  r->links[r->count] = *link;
  return &r->links[r->count++];
}

// A bodiless link on a fixed joint, named after another.
static td_link_spec *append_frame(rewrite *r, const char *stem, const char *suffix, const char *parent, double at,
                                  const td_se3 *pose) {
  td_link_spec frame = {
      .parent = parent, .at = at, .pose = *pose, .joint = {.type = TD_JOINT_FIXED, .axis = {0, 0, 1}}};
  frame.name = r->names[r->count];
  snprintf(r->names[r->count], sizeof r->names[0], "%s_%s", stem, suffix);
  return append(r, &frame);
}

static void finish(rewrite *r) {
  r->t.spec.links = r->links;
  r->t.spec.link_count = r->count;
}

// ---- comparing

typedef struct pair {
  tree_state one, two;
  int place[STATE_MAX]; ///< where coordinate i of `one` is in `two`
} pair;

static void follow(pair *p) { // the state of `one`, in `two`
  for (int i = 0; i < p->one.n; i++) {
    p->two.q[p->place[i]] = p->one.q[i];
    p->two.qd[p->place[i]] = p->one.qd[i];
    p->two.qdd[p->place[i]] = p->one.qdd[i];
  }
  memcpy(p->two.u, p->one.u, sizeof p->one.u);
}

// Measured: forces and their derivatives differ by 6e-15 of their largest entry, did_dqd by 1.3e-13 (a lever arm of
// 0.15 m that nearly cancels), what a mass matrix was divided out of by 4e-11: soft rods with stubborn modes have large
// condition numbers.
#define FORCE 1e-13
#define VELOCITY 1e-12
#define SOLVED 1e-9

// x of `two` [n or 1][columns], rows and (when square) columns brought into the order of `one`.
static void same(const pair *p, const char *what, int columns, const double *one, const double *two, double tolerance) {
  static matrix sorted;
  int n = p->one.n, n2 = p->two.n, square = columns == n;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < columns; j++)
      sorted[i * columns + j] = two[p->place[i] * (square ? n2 : columns) + (square ? p->place[j] : j)];
  tree_same(&p->one, what, n, columns, sorted, one, 0, tolerance);
}

static void compare_forces(pair *p) {
  vector one, two;
  tree_id(&p->one, one), tree_id(&p->two, two);
  same(p, "id", 1, one, two, FORCE);
  tree_tau(&p->one, one), tree_tau(&p->two, two);
  same(p, "tau", 1, one, two, FORCE);
  tree_fd(&p->one, one), tree_fd(&p->two, two);
  same(p, "fd", 1, one, two, SOLVED);
}

static void compare_derivatives(pair *p) {
  static matrix one[4], two[4];
  tree_state *a = &p->one, *b = &p->two;
  TREE_OK(td_id_derivatives(a->model, a->ws, a->q, a->qd, a->qdd, a->u, NULL, one[0], one[1], one[2]));
  TREE_OK(td_id_derivatives(b->model, b->ws, b->q, b->qd, b->qdd, b->u, NULL, two[0], two[1], two[2]));
  same(p, "did_dq", a->n, one[0], two[0], FORCE);
  same(p, "did_dqd", a->n, one[1], two[1], VELOCITY);
  same(p, "mass", a->n, one[2], two[2], FORCE);
  TREE_OK(td_force_derivatives(a->model, a->ws, a->q, a->qd, a->u, one[0], one[1], one[2]));
  TREE_OK(td_force_derivatives(b->model, b->ws, b->q, b->qd, b->u, two[0], two[1], two[2]));
  same(p, "dtau_dq", a->n, one[0], two[0], FORCE);
  same(p, "dtau_dqd", a->n, one[1], two[1], FORCE);
  same(p, "dtau_du", a->m, one[2], two[2], FORCE);
  TREE_OK(td_fd_derivatives(a->model, a->ws, a->q, a->qd, a->u, NULL, one[0], one[1], one[2]));
  TREE_OK(td_fd_derivatives(b->model, b->ws, b->q, b->qd, b->u, NULL, two[0], two[1], two[2]));
  same(p, "dfd_dq", a->n, one[0], two[0], SOLVED);
  same(p, "dfd_dqd", a->n, one[1], two[1], SOLVED);
  same(p, "dfd_du", a->m, one[2], two[2], SOLVED);
}

static void compare_energies(pair *p) {
  td_energy one, two;
  TREE_OK(td_energy_at(p->one.model, p->one.ws, p->one.q, p->one.qd, &one));
  TREE_OK(td_energy_at(p->two.model, p->two.ws, p->two.q, p->two.qd, &two));
  ck_assert_double_eq_tol(two.kinetic, one.kinetic, 1e-12 * one.kinetic);
  ck_assert_double_eq_tol(two.elastic, one.elastic, 1e-12 * one.elastic);
  ck_assert_double_eq_tol(two.gravitational, one.gravitational, 1e-11 * (1 + fabs(one.gravitational)));
}

static int coordinate(const td_model *model, const char *name) {
  for (int i = 0; i < td_model_ndof(model); i++)
    if (!strcmp(td_model_coordinate_name(model, i), name)) return i;
  ck_abort_msg("no coordinate %s", name);
  return -1;
}

// Opens robot i as it is and as the rule rewrites it, in one state.
static void pair_open(pair *p, size_t i, double scale, void (*rule)(rewrite *), int by_name) {
  static tree t;
  static rewrite r;
  memset(&r, 0, sizeof r);
  tree_make(i, &t);
  for (size_t k = 0; k < t.spec.load_count; k++) // world axes cannot carry a turned channel
    if (t.loads[k].frame == TD_LOAD_WORLD) t.loads[k].has_channels = false;
  tree_state_of(&p->one, &t, tree_name(i), scale);
  tree_make(i, &r.t);
  for (size_t k = 0; k < t.spec.load_count; k++) r.t.loads[k].has_channels = t.loads[k].has_channels;
  rule(&r);
  finish(&r);
  tree_state_of(&p->two, &r.t, tree_name(i), scale);
  for (int k = 0; k < p->one.n; k++)
    p->place[k] = by_name ? coordinate(p->two.model, td_model_coordinate_name(p->one.model, k)) : k;
  follow(p);
}

static void turned(rewrite *r);
static void welded(rewrite *r);

static void pair_close(pair *p) {
  tree_state_close(&p->one);
  tree_state_close(&p->two);
}

// Water that has layers or a surface knows where up is, and a current that is driven has the world's axes.
static bool water_is_the_same_all_over(size_t i) {
  static tree t;
  tree_make(i, &t);
  return t.spec.fluid.knots == 0 && !t.spec.fluid.has_surface && !t.spec.fluid.has_channels;
}

// A body's wetness and its water are those at its centre of mass: its halves have two.
static bool feels_layers(void (*rule)(rewrite *)) { return rule == turned || rule == welded; }

static void every_robot(void (*rule)(rewrite *), int by_name) {
  static const double scales[3] = {0.5, 1e-3, 3};
  for (size_t i = 0; i < tree_count(); i++)
    for (int k = 0; k < 3 && (!feels_layers(rule) || water_is_the_same_all_over(i)); k++) {
      pair p;
      pair_open(&p, i, scales[k], rule, by_name);
      ck_assert_int_eq(p.two.n, p.one.n);
      ck_assert_int_eq(p.two.m, p.one.m);
      compare_forces(&p);
      compare_derivatives(&p);
      compare_energies(&p);
      pair_close(&p);
    }
}

// ---- rule: links in another order, children still after their parents

static int placed(const rewrite *r, const char *name) {
  int found = !strcmp(name, "world");
  for (size_t i = 0; i < r->count; i++) found |= !strcmp(r->links[i].name, name);
  return found;
}

static void last_first(rewrite *r) {
  int done[TREE_LINKS] = {0};
  size_t count = r->t.spec.link_count;
  while (r->count < count)
    for (size_t i = count; i-- > 0;) {
      const td_link_spec *link = &r->t.links[i];
      if (done[i] || !placed(r, link->parent)) continue;
      append(r, link);
      done[i] = 1;
      break;
    }
}

START_TEST(links_may_stand_in_any_order) { every_robot(last_first, 1); }
END_TEST

// ---- rule: the world turned, gravity and the loads in its axes with it

static void turned(rewrite *r) {
  static const double rpy[3] = {0.7, -1.1, 2.5};
  td_se3 turn = td_se3_identity();
  td_model_spec *spec = &r->t.spec;
  td_rotation_from_rpy(rpy, turn.R);
  td_mat3_vec(turn.R, spec->gravity, spec->gravity);
  td_mat3_vec(turn.R, spec->fluid.velocity, spec->fluid.velocity);
  for (size_t i = 0; i < spec->link_count; i++) {
    td_link_spec *link = append(r, &r->t.links[i]);
    if (!strcmp(link->parent, "world")) td_se3_compose(&turn, &link->pose, &link->pose);
  }
  for (size_t i = 0; i < spec->load_count; i++) {
    td_load_spec *load = &r->t.loads[i];
    if (load->frame != TD_LOAD_WORLD) continue;
    td_mat3_vec(turn.R, load->wrench, load->wrench);
    td_mat3_vec(turn.R, load->wrench + 3, load->wrench + 3);
  }
  for (size_t i = 0; i < spec->contact_count; i++)
    td_se3_compose(&turn, &r->t.contacts[i].pose, &r->t.contacts[i].pose);
}

START_TEST(the_world_may_be_turned) { every_robot(turned, 0); }
END_TEST

// ---- rule: every pose in two steps, with a frame on a fixed joint between

static void in_two_steps(rewrite *r) {
  static const double rpy[3] = {-0.3, 0.9, 1.7};
  for (size_t i = 0; i < r->t.spec.link_count; i++) {
    const td_link_spec *link = &r->t.links[i];
    td_se3 first = td_se3_identity(), rest;
    td_rotation_from_rpy(rpy, first.R);
    first.p[0] = 0.2, first.p[1] = -0.1, first.p[2] = 0.3;
    td_se3_inverse(&first, &rest);
    td_se3_compose(&rest, &link->pose, &rest);
    td_link_spec *frame = append_frame(r, link->name, "mount", link->parent, link->at, &first);
    td_link_spec *moved = append(r, link);
    moved->parent = frame->name;
    moved->at = 1;
    moved->pose = rest;
  }
}

START_TEST(fixed_joints_may_be_inserted) { every_robot(in_two_steps, 0); }
END_TEST

// ---- rule: every rigid body as two, welded together

// inertia of m at distance d: m (d.d 1 - d d^T)
static void add_steiner(double mass, const double d[3], double inertia[9]) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) inertia[3 * i + j] += mass * ((i == j ? td_vec3_dot(d, d) : 0) - d[i] * d[j]);
}

// 40 % of the mass 3 mm aside, 30 % of the inertia; the rest such that the sums are those of the whole.
static void halve(const td_rigid_spec *whole, td_rigid_spec *near, td_rigid_spec *far) {
  static const double aside[3] = {0.003, -0.002, 0.001};
  double back[3];
  *near = *far = *whole;
  near->mass = 0.4 * whole->mass, far->mass = 0.6 * whole->mass;
  for (int i = 0; i < 3; i++) {
    back[i] = -aside[i] * near->mass / far->mass;
    near->com[i] += aside[i], far->com[i] += back[i];
  }
  for (int i = 0; i < 9; i++) near->inertia[i] *= 0.3, far->inertia[i] *= 0.7;
  add_steiner(-near->mass, aside, far->inertia);
  add_steiner(-far->mass, back, far->inertia);
}

static void welded(rewrite *r) {
  static const double rpy[3] = {0.5, 0.2, -2};
  for (size_t i = 0; i < r->t.spec.link_count; i++) {
    td_link_spec *link = append(r, &r->t.links[i]);
    if (link->body.type != TD_BODY_RIGID || link->body.rigid.drag[0] != 0 || link->body.rigid.linear[0] != 0)
      continue; // drag does not split
    td_se3 pose = td_se3_identity(), inverse;
    td_rotation_from_rpy(rpy, pose.R);
    pose.p[1] = 0.15;
    td_rigid_spec far, *near = &link->body.rigid;
    halve(&r->t.links[i].body.rigid, near, &far);
    td_link_spec *other = append_frame(r, link->name, "other", link->name, 1, &pose);
    td_se3_inverse(&pose, &inverse);
    double com[3], turned_once[9], transposed[9];
    td_mat3_vec(inverse.R, far.com, com);
    for (int k = 0; k < 3; k++) far.com[k] = com[k] + inverse.p[k];
    td_mat3_mul(inverse.R, far.inertia, turned_once);
    td_mat3_mul(turned_once, pose.R, transposed);
    memcpy(far.inertia, transposed, sizeof transposed);
    other->body = (td_body_spec){.type = TD_BODY_RIGID, .rigid = far};
  }
}

START_TEST(a_body_may_be_welded_from_two) { every_robot(welded, 0); }
END_TEST

// ---- rule: joints on principal axes of turned frames, the body turned back

// R with the joint's plane and axis as its columns: about z of the turned frame the joint is the same. False where
// there is none (a plane that a negative axis leaves left-handed) or no axis at all.
static int principal_frame(const td_joint_spec *joint, double R[9]) {
  double n = sqrt(td_vec3_dot(joint->axis, joint->axis)), a[3], k[3] = {0}, e1[3], e2[3];
  if (joint->type == TD_JOINT_FIXED || joint->type == TD_JOINT_SPHERICAL || joint->type == TD_JOINT_FREE) return 0;
  for (int i = 0; i < 3; i++) a[i] = joint->axis[i] / n;
  int skew = 0, along = 0;
  for (int i = 0; i < 3; i++) skew += a[i] != 0, along = a[i] != 0 ? i : along;
  if (skew == 1 && a[along] < 0 && td_joint_dof(joint->type) > 1) return 0;
  k[fabs(a[0]) < 0.9 ? 0 : 1] = 1;
  td_vec3_cross(k, a, e1);
  n = sqrt(td_vec3_dot(e1, e1));
  for (int i = 0; i < 3; i++) e1[i] = skew == 1 ? i == (along + 1) % 3 : e1[i] / n;
  td_vec3_cross(a, e1, e2);
  for (int i = 0; i < 3; i++) R[3 * i] = e1[i], R[3 * i + 1] = e2[i], R[3 * i + 2] = a[i];
  return 1;
}

static const char *renamed(const rewrite *r, const char *name) {
  char body[TD_MAX_NAME + 1];
  snprintf(body, sizeof body, "%s_body", name);
  for (size_t i = 0; i < r->count; i++)
    if (!strcmp(r->links[i].name, body)) return r->links[i].name;
  return name;
}

static void on_principal_axes(rewrite *r) {
  for (size_t i = 0; i < r->t.spec.link_count; i++) {
    td_link_spec *joint = append(r, &r->t.links[i]);
    td_se3 turn = td_se3_identity(), back;
    joint->parent = renamed(r, joint->parent);
    if (!principal_frame(&joint->joint, turn.R)) continue;
    td_se3_compose(&joint->pose, &turn, &joint->pose);
    memcpy(joint->joint.axis, (const double[3]){0, 0, 1}, sizeof joint->joint.axis);
    td_se3_inverse(&turn, &back);
    td_link_spec *body = append_frame(r, joint->name, "body", joint->name, 1, &back);
    body->body = joint->body;
    joint->body = (td_body_spec){.type = TD_BODY_NONE};
  }
  for (size_t i = 0; i < r->t.segment_count; i++) r->t.segments[i].link = renamed(r, r->t.segments[i].link);
  for (size_t i = 0; i < r->t.spec.load_count; i++) r->t.loads[i].link = renamed(r, r->t.loads[i].link);
}

START_TEST(a_skew_axis_is_a_principal_axis_of_a_turned_frame) { every_robot(on_principal_axes, 0); }
END_TEST

// ---- rule: the whole robot on a free joint that rests at a pose, against that pose as a constant of the document

static double carrier[6]; ///< where the free joint rests

static void moved(rewrite *r) {
  td_se3 g;
  td_se3_exp(carrier, &g);
  for (size_t i = 0; i < r->t.spec.link_count; i++) {
    td_link_spec *link = append(r, &r->t.links[i]);
    if (!strcmp(link->parent, "world")) td_se3_compose(&g, &link->pose, &link->pose);
  }
}

static void carried(rewrite *r) {
  static const td_se3 here = {.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
  td_link_spec *base = append_frame(r, "free", "carrier", "world", 1, &here);
  base->joint.type = TD_JOINT_FREE;
  tree_rigid(base, 3);
  for (size_t i = 0; i < r->t.spec.link_count; i++) {
    td_link_spec *link = append(r, &r->t.links[i]);
    if (!strcmp(link->parent, "world")) link->parent = base->name;
  }
}

// As robot i is moved, and as it is carried there by a joint at rest.
static void pair_open_carried(pair *p, size_t i, double scale) {
  static rewrite r;
  for (int k = 0; k < 2; k++) {
    memset(&r, 0, sizeof r);
    tree_make(i, &r.t);
    (k ? carried : moved)(&r);
    finish(&r);
    tree_state_of(k ? &p->two : &p->one, &r.t, tree_name(i), scale);
  }
  for (int k = 0; k < p->one.n; k++) p->place[k] = k + 6;
  memset(p->two.qd, 0, sizeof p->two.qd), memset(p->two.qdd, 0, sizeof p->two.qdd);
  memcpy(p->two.q, carrier, sizeof carrier);
  follow(p);
}

static void compare_carried(pair *p) {
  static matrix one[3], two[3];
  vector force[2];
  tree_state *a = &p->one, *b = &p->two;
  TREE_OK(td_id_derivatives(a->model, a->ws, a->q, a->qd, a->qdd, a->u, force[0], one[0], one[1], one[2]));
  TREE_OK(td_id_derivatives(b->model, b->ws, b->q, b->qd, b->qdd, b->u, force[1], two[0], two[1], two[2]));
  same(p, "id", 1, force[0], force[1], FORCE);
  same(p, "did_dq", a->n, one[0], two[0], FORCE);
  same(p, "did_dqd", a->n, one[1], two[1], VELOCITY);
  same(p, "mass", a->n, one[2], two[2], FORCE);
  tree_tau(a, force[0]), tree_tau(b, force[1]);
  same(p, "tau", 1, force[0], force[1], FORCE);
}

static void compare_poses(const pair *p, double metres) {
  for (int link = 0; link < td_model_link_count(p->one.model); link++)
    for (double at = 0; at <= 1; at += 0.25) {
      td_se3 one, two;
      TREE_OK(td_pose_at(p->one.model, p->one.ws, p->one.q, link, at, &one));
      TREE_OK(td_pose_at(p->two.model, p->two.ws, p->two.q, link + 1, at, &two));
      for (int i = 0; i < 9; i++) ck_assert_double_eq_tol(two.R[i], one.R[i], 1e-14);
      for (int i = 0; i < 3; i++) ck_assert_double_eq_tol(two.p[i], one.p[i], 1e-14 + 1e-15 * metres);
    }
}

static void carry_every_robot(double metres) {
  uint64_t seed = tree_seed("carrier");
  for (size_t i = 0; i < tree_count(); i++) {
    pair p;
    tree_random_vector(&seed, 1.5, 3, carrier);
    tree_random_vector(&seed, metres, 3, carrier + 3);
    pair_open_carried(&p, i, 0.5);
    compare_carried(&p);
    compare_poses(&p, metres);
    pair_close(&p);
  }
}

START_TEST(a_free_joint_at_rest_is_a_pose) { carry_every_robot(1); }
END_TEST

// What happens inside a robot must not notice where it is: positions of 1e6 m have 1e-10 m of rounding.
START_TEST(a_free_joint_far_away_costs_no_digits_inside_the_robot) {
  for (double metres = 1e3; metres <= 1e6; metres *= 10) carry_every_robot(metres);
}
END_TEST
TEST_MAIN("two_ways", links_may_stand_in_any_order, the_world_may_be_turned, fixed_joints_may_be_inserted,
          a_body_may_be_welded_from_two, a_skew_axis_is_a_principal_axis_of_a_turned_frame,
          a_free_joint_at_rest_is_a_pose, a_free_joint_far_away_costs_no_digits_inside_the_robot)

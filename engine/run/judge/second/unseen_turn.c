#include "run/judge/second/unseen_turn.h"
#include "lie/vec3.h"
#include <assert.h>
#include <math.h>

static const double ROUNDING = 1e-9; // of the largest number of a kind

static bool carries(const td_model *m, const td_element *joint, int node) {
  for (; node > 0; node = m->element[m->node[node].element].start)
    if (&m->element[m->node[node].element] == joint) return true;
  return false;
}

// Of a node that it carries, in the frame of its end.
static td_se3 pose_on(const td_model *m, const td_element *joint, int node) {
  td_se3 pose = td_se3_identity();
  for (const td_element *e; (e = &m->element[m->node[node].element]) != joint; node = e->start) {
    assert(e->type == TD_ELEMENT_FIXED);
    td_se3_compose(&e->pre, &pose, &pose);
  }
  return pose;
}

typedef struct mass {
  double mass, first[3], second[9]; // kg m; kg m^2, inertia about the origin
} mass;

static void add_mass(mass *sum, const td_inertia *b, const td_se3 *pose) {
  const double *J = b->inertia;
  double I[9] = {J[0], J[1], J[2], J[1], J[3], J[4], J[2], J[4], J[5]}, turned[9], c[3];
  td_mat3_vec(pose->R, b->com, c);
  for (int i = 0; i < 3; i++) c[i] += pose->p[i];
  for (int i = 0; i < 9; i++) {
    turned[i] = 0;
    for (int k = 0; k < 9; k++) turned[i] += pose->R[i / 3 * 3 + k / 3] * I[k] * pose->R[i % 3 * 3 + k % 3];
  }
  sum->mass += b->mass;
  for (int i = 0; i < 3; i++) sum->first[i] += b->mass * c[i];
  for (int i = 0; i < 9; i++)
    sum->second[i] += turned[i] + b->mass * ((i % 4 == 0 ? td_vec3_dot(c, c) : 0) - c[i / 3] * c[i % 3]);
}

// The same from all sides of the axis a through the origin: I = mu 1 + (lambda - mu) a a^T, the centre on a.
static bool is_round(const mass *b, const double a[3]) {
  double Ia[3], along = td_vec3_dot(b->first, a), trace = b->second[0] + b->second[4] + b->second[8];
  td_mat3_vec(b->second, a, Ia);
  double lambda = td_vec3_dot(a, Ia), mu = (trace - lambda) / 2;
  for (int i = 0; i < 3; i++)
    if (fabs(b->first[i] - along * a[i]) > ROUNDING * sqrt(b->mass * trace)) return false;
  for (int i = 0; i < 9; i++)
    if (fabs(b->second[i] - (i % 4 == 0 ? mu : 0) - (lambda - mu) * a[i / 3] * a[i % 3]) > ROUNDING * trace)
      return false;
  return true;
}

// A moment about the axis, or one that stays where it is in the world.
static bool turns_about(const td_model *m, const td_element *joint, const td_load *load) {
  td_se3 pose = pose_on(m, joint, load->node);
  td_se3_compose(&pose, &load->pose, &pose);
  for (int i = 0; i < 6; i++) {
    bool acts = load->channel[i] >= 0 || load->wrench[i] != 0;
    double along = 0; // of a moment's direction, the part along the axis
    for (int r = 0; r < 3 && i < 3; r++) along += pose.R[3 * r + i] * joint->screw[r];
    if (acts && (i >= 3 || (load->frame == TD_LOAD_BODY && fabs(along) < 1 - ROUNDING))) return false;
  }
  return true;
}

// Kinds of force that keep something for themselves, as fields do, act on whatever they like.
static bool some_keep(const td_model *m) {
  for (int i = 0; i < TD_FORCE_ROWS; i++)
    if (m->of_force[i]) return true;
  return false;
}

static bool nothing_holds(const td_model *m, const td_element *joint) {
  for (int i = 0; i < m->fluid_count; i++)
    if (carries(m, joint, m->fluid[i].node)) return false;
  for (int i = 0; i < m->stretch_count; i++)
    if (carries(m, joint, m->stretch[i].node_a) || carries(m, joint, m->stretch[i].node_b)) return false;
  for (int i = 0; i < m->spring_count; i++)
    if (carries(m, joint, m->spring[i].a.node) || carries(m, joint, m->spring[i].b.node)) return false;
  for (int i = 0; i < m->loop_count; i++)
    if (carries(m, joint, m->loop[i].a.node) || carries(m, joint, m->loop[i].b.node)) return false;
  for (int i = 0; i < m->load_count; i++)
    if (carries(m, joint, m->load[i].node) && !turns_about(m, joint, &m->load[i])) return false;
  return !some_keep(m) && !m->guide && m->joint_stiffness[joint->coordinate] == 0;
}

bool td_turns_unseen(const td_model *m, const td_element *joint) {
  mass sum = {0};
  bool slides = td_vec3_dot(joint->screw + 3, joint->screw + 3) > 0;
  if (joint->type != TD_ELEMENT_SCREW || !joint->rotates || slides) return false;
  for (int i = 0; i < m->element_count; i++)
    if (&m->element[i] != joint && m->element[i].type != TD_ELEMENT_FIXED && carries(m, joint, m->element[i].start))
      return false;
  if (!nothing_holds(m, joint)) return false;
  for (int i = 1; i < m->node_count; i++) {
    if (m->node[i].inertia < 0 || !carries(m, joint, i)) continue;
    const td_inertia *body = &m->inertia[m->node[i].inertia];
    td_se3 pose = pose_on(m, joint, i);
    if (body->displaced > 0) return false;
    add_mass(&sum, body, &pose);
  }
  return is_round(&sum, joint->screw);
}

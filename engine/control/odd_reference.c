// Where controllers want to go, beside the robot's size: a tendon keeps more than a fifth of its length in any robot
// and grows to five times of it in none; a tip goes no farther than the robot reaches.
#include "control/odd_reference.h"
#include "control/parts.h"
#include "create/robot_size.h"
#include "force/contact/obstacle/obstacle.h"
#include "input/odd_inputs.h"
#include "pass/kinematics.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double SHORTEST = 0.2, LONGEST = 5, REACH = 10, BEYOND_REACH = 1.02;

typedef struct look {
  const td_model *m;
  const td_controller_spec *spec;
  td_place at;          // of the values
  const double *length; // [tendons] at q = 0
  double size, far;     // of the robot; of its first node from the origin, m
} look;

// Least and largest value of column i, and the largest step from row to row (of the first from 0).
typedef struct span {
  double least, most, step;
} span;

static span span_of(const td_reference_spec *ref, size_t i) {
  span s = {INFINITY, -INFINITY, 0};
  double last = 0;
  for (size_t row = 0; row < ref->rows; row++) {
    double x = ref->value[row * ref->width + i];
    s.least = fmin(s.least, x), s.most = fmax(s.most, x), s.step = fmax(s.step, fabs(x - last));
    last = x;
  }
  return s;
}

static void remark_tendon(const look *l, size_t i) {
  const char *name = l->spec->channels[i];
  int channel = td_channel_find(l->m, name);
  double length = l->length[l->m->channel[channel].tendon];
  span s = span_of(&l->spec->reference, i);
  if (length > 0 && s.least < SHORTEST * length)
    td_place_warn(&l->at, "odd_input",
                  "%.4g m is asked of \"%.63s\", which is %.4g m long at q = 0: values in tendon space are "
                  "lengths, not displacements; %.4g pulls it in by 10 mm",
                  s.least, name, length, length - 0.01);
  else if (length > 0 && s.most > LONGEST * length)
    td_place_warn(&l->at, "odd_input",
                  "%.4g m is asked of \"%.63s\", which is %.4g m long at q = 0: lengths are in metres", s.most, name,
                  length);
}

static void remark_joints(const look *l) {
  size_t count = l->spec->channel_count;
  int *coordinate = calloc(count + 1, sizeof *coordinate);
  char *angles = calloc((size_t)l->m->n + 1, 1);
  bool known = coordinate && angles && td_joint_outputs(l->m, l->spec, coordinate);
  if (known) td_mark_angles(l->m, angles);
  for (size_t i = 0; known && i < count; i++) {
    double step = span_of(&l->spec->reference, i).step;
    if (coordinate[i] >= 0 && angles[coordinate[i]] && step > 4 * M_PI)
      td_place_warn(&l->at, "odd_angle",
                    "a step of %.6g rad of %s is %.3g turns: angles are in radians, 90 degrees are "
                    "1.5707963",
                    step, td_model_coordinate_name(l->m, coordinate[i]), step / (2 * M_PI));
  }
  free(coordinate);
  free(angles);
}

// What lies between two ends of a body at rest, along its axis, m; INFINITY: nobody knows.
static double length_at_rest(const td_model *m, int link, double part) {
  double most = 0;
  if (m->link[link].rod < 0) return m->link[link].body == TD_BODY_REDUCED ? INFINITY : 0; // what has modes, or a frame
  const td_rod *rod = &m->rod[m->link[link].rod];
  for (int g = 0; g < rod->gauss_count; g++) {
    const double *xi = rod->rest_gauss + 6 * g;
    most = fmax(most, sqrt(xi[3] * xi[3] + xi[4] * xi[4] + xi[5] * xi[5]));
  }
  return part * rod->length * most;
}

static bool slides(td_joint_type type) { return td_joint_moves(type) & (TD_SLIDES | TD_PITCHED); }

// Length of the chain from the world to a link's tip with nothing stretched, m, and the point where it begins. What
// chambers swell has no bound.
static double chain_of(const td_model *m, int tip, double from[3]) {
  double length = length_at_rest(m, tip, 1);
  for (int link = tip; isfinite(length);) {
    const td_link_spec *own = &m->document->links[link];
    const double *p = own->pose.p;
    int parent = own->parent && strcmp(own->parent, "world") != 0 ? td_model_link_find(m, own->parent) : -1;
    if (slides(own->joint.type)) return INFINITY;
    memcpy(from, p, 3 * sizeof *from);
    if (parent < 0) break;
    length += sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]) + length_at_rest(m, parent, own->at);
    link = parent;
  }
  return length;
}

static void remark_reach(const look *l, int link, size_t first) {
  const td_reference_spec *ref = &l->spec->reference;
  double from[3], reach = chain_of(l->m, link, from), most = 0;
  size_t worst = 0;
  for (size_t row = 0; row < ref->rows; row++) {
    const double *x = ref->value + row * ref->width + first;
    double away = sqrt(pow(x[0] - from[0], 2) + pow(x[1] - from[1], 2) + pow(x[2] - from[2], 2));
    if (away > most) most = away, worst = row;
  }
  td_place at = td_place_at(&l->at, worst);
  if (most > BEYOND_REACH * reach)
    td_place_warn(&at, "odd_size",
                  "the tip of \"%.63s\" should be %.4g m from where its chain begins, and at rest that chain is %.4g m "
                  "long: it would have to be stretched to get there; ask for a point within its reach",
                  l->m->link[link].name, most, reach);
}

static void remark_tip(const look *l) {
  const td_reference_spec *ref = &l->spec->reference;
  double most = 0;
  for (size_t i = 0; i < ref->rows * ref->width; i++) most = fmax(most, fabs(ref->value[i]));
  if (l->size > 0 && most > REACH * (l->size + l->far))
    td_place_warn(&l->at, "odd_size", "a tip should go %.4g m away, the robot reaches %.3g m: positions are in metres",
                  most, l->size);
  else if (l->m->document && l->m->chamber_count == 0)
    for (size_t i = 0; 3 * i + 3 <= ref->width; i++)
      remark_reach(l, ref->tip_count ? td_model_link_find(l->m, ref->tips[i]) : td_model_link_count(l->m) - 1, 3 * i);
}

static void remark_reference(const look *l) {
  td_reference_space space = l->spec->reference.space;
  for (size_t i = 0; space == TD_SPACE_TENDON && i < l->spec->channel_count; i++) remark_tendon(l, i);
  if (space == TD_SPACE_JOINT) remark_joints(l);
  if (space == TD_SPACE_TIP) remark_tip(l);
}

void td_references_remark(const td_place *root, const td_model *m, const td_dynamics_spec *spec) {
  td_workspace *ws = NULL;
  double *length = NULL;
  if (!root->warnings || spec->controller_count == 0 || td_workspace_create(m, &ws)) return;
  length = calloc((size_t)m->tendon_count + 1, sizeof *length);
  bool known = length && !td_tendon_lengths(m, ws, ws->zero, length, NULL);
  td_kinematics(m, ws, ws->zero, NULL, NULL, m->gravity, TD_LEVEL_POSE);
  const double *p = ws->pose[0].p, *o = ws->origin;
  double far = sqrt(pow(p[0] + o[0], 2) + pow(p[1] + o[1], 2) + pow(p[2] + o[2], 2));
  for (size_t i = 0; known && i < spec->controller_count; i++) {
    td_place above, own = td_controller_place(root, spec, i, &above), reference = td_place_key(&own, "reference");
    look l = {m, &spec->controllers[i], td_place_key(&reference, "value"), length, td_robot_size(m, ws), far};
    remark_reference(&l);
  }
  free(length);
  td_workspace_destroy(ws);
}

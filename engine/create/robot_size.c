// Rests in metres are of the size of the robot and of the way that they span: ten times both is another unit. Constant
// forces made of a long soft spring have their anchor far away, or rest 0.
#include "create/robot_size.h"
#include "force/contact/obstacle/obstacle.h"
#include "force/spring.h"
#include "pass/kinematics.h"
#include <math.h>
#include <stdio.h>

static const double MOST = 10;

double td_robot_size(const td_model *m, const td_workspace *ws) {
  double most = 0, d[3];
  for (int i = 1; i < m->node_count; i++) {
    for (int k = 0; k < 3; k++) d[k] = ws->pose[i].p[k] - ws->pose[0].p[k];
    most = fmax(most, sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]));
  }
  return most;
}

// A robot whose root stays where it is, and nothing of which slides.
static bool stays(const td_model_spec *spec) {
  for (size_t i = 0; i < spec->link_count; i++) {
    if (td_joint_moves(spec->links[i].joint.type) & (TD_SLIDES | TD_PITCHED)) return false;
  }
  return true;
}

void td_warn_of_far_obstacles(td_model *m, const td_model_spec *spec, td_workspace *ws) {
  td_kinematics(m, ws, ws->zero, ws->zero, NULL, m->gravity, TD_LEVEL_TWIST);
  double size = td_robot_size(m, ws);
  for (int c = 0; c < m->contact_count && size > 0 && stays(spec); c++) {
    double nearest = INFINITY;
    for (int i = 0; i < m->contact[c].point_count; i++) {
      td_sighting s;
      td_contact_sight(m, ws, c, i, &s);
      nearest = fmin(nearest, -s.depth);
    }
    char pointer[TD_POINTER_SIZE];
    snprintf(pointer, sizeof pointer, "/contacts/%d", c);
    if (isfinite(nearest) && nearest > MOST * size)
      td_warn(&m->warnings, "odd_size", pointer,
              "the obstacle is %.4g m away at q = 0 and the robot reaches %.3g m: it cannot touch it; lengths are in "
              "metres",
              nearest, size);
  }
}

void td_warn_of_odd_rests(td_model *m, const td_model_spec *spec, const td_workspace *ws, const double *length) {
  double size = td_robot_size(m, ws);
  char pointer[TD_POINTER_SIZE];
  for (int i = 0; i < m->spring_count; i++) {
    double rest = spec->springs[i].rest, now = td_spring_length(ws, &m->spring[i]);
    snprintf(pointer, sizeof pointer, "/springs/%d/rest", i);
    if (isnan(rest) && size > 0 && now > 100 * size)
      td_warn(
          &m->warnings, "odd_size", pointer,
          "the spring's ends are %.4g m apart at q = 0, which is its rest, and the robot reaches %.3g m: lengths are "
          "in metres",
          now, size);
    if (rest > MOST * fmax(now, size) && size > 0)
      td_warn(&m->warnings, "odd_size", pointer,
              "%.6g m, but the spring's ends are %.4g m apart at q = 0 and the robot reaches %.3g m: lengths are in "
              "metres, 1 mm is 0.001",
              rest, now, size);
  }
  for (size_t i = 0, t = 0; i < spec->actuator_count; i++) {
    const td_actuator_spec *a = &spec->actuators[i];
    if (a->type != TD_ACTUATOR_TENDON) continue;
    double now = length[t++];
    snprintf(pointer, sizeof pointer, "/actuators/%zu/rest", i);
    if (a->mode_length && size > 0 && a->rest > MOST * fmax(now, size))
      td_warn(
          &m->warnings, "odd_size", pointer,
          "%.6g m, but the tendon is %.4g m long at q = 0, so that it is slack: lengths are in metres, 1 mm is 0.001",
          a->rest, now);
  }
}

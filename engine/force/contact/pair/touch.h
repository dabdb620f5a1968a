// One touch between bodies: the at most four points that are ends of its axes, and how what it exerts changes by UNITS:
// of r at s and t held, of u and v (of a core, of its turn), of the velocity midway, and of the spring that holds
// (element/closest.h, element/meeting.h).
//
// An end at `lever` from its node has the part w of r (1 - s, s, minus that on b) and the part e of its axis (-1, 1; 0
// of a ball):
//   dr = sum w dp,  du = sum e dp (a),  dv = sum e dp (b),  dp = dx + turn x lever,
//   force on it  w dF + (e ds or -e dt) F,  moment  |w| dm + (e ds or e dt) m, and lever x force about the node.
// By velocities all of it acts at the point midway, arm from the node:  dF = D (sum w (dv + dspin x arm)).
// The nearest point of a core slides in it, which adds force x slide to the moment on it and turns the velocity there.
#ifndef TENDRIL_FORCE_CONTACT_PAIR_TOUCH_H
#define TENDRIL_FORCE_CONTACT_PAIR_TOUCH_H

#include "force/contact/pair/pair.h"

/// Where units of each kind begin, three of each.
enum { TD_BY_R = 0, TD_BY_U = 3, TD_BY_V = 6, TD_BY_VELOCITY = 9, TD_BY_Z = 12, TD_GRIP_UNITS = 15 };
enum { TD_GRIP_STRIDE = 16 };
/// What changes: the force on a at the nearest point, the moments of a and of b there, s and t.
enum { TD_FORCE_ROW = 0, TD_MOMENT = 3, TD_SLIDE = 9, TD_GRIP_RESULTS = 11 };

/// Of one frame: sums over the ends of an axis that are points of it.
typedef struct td_grip_end {
  int frame, side;           ///< index into model->proxy_frame; 0: of a, 1: of b
  bool axis, beside;         ///< of a capsule; its ends are not the node's point
  int turn;                  ///< the units of its node's turn, -1: none
  double part, along;        ///< of w, of e
  double lever[3], swing[3]; ///< of w lever, of e lever
  double arm[3];             ///< of w arm
  double part_z, z[3];       ///< of the spring: part, of part times from the node to the spring's end
  double spin[3];
  double slid_force[3], slid_moment[3]; ///< on it by ds, by dt
} td_grip_end;

typedef struct td_grip_change {
  bool rubs, held;
  int count;
  td_grip_end end[4];
  td_meeting_force f; ///< all of it
  _Alignas(64) double by[TD_GRIP_RESULTS][TD_GRIP_STRIDE];
} td_grip_change;

/// `grip` has velocities. O(1).
void td_grip_change_find(const td_model *m, const td_workspace *ws, const td_grip *grip, td_grip_change *out);

#endif

// The force of a touch between two bodies, and how it changes.
//
// With the nearest points (element/closest.h), k d^p and what resists motion (element/rubbing.h) at the point midway
// between the surfaces, v the velocity of a's material there against b's, spins included:
//   on a:  k d^p n + (f_n - k d^p) n + f_t,   f_n = k d^p g(1 - c n.v),   f_t = -mu f_n v_t / sqrt(v_t.v_t + v_s^2)
// and the opposite on b, at the same point: momentum is kept to rounding. v_t lies across r. Along a rod and across it
// f_t has the factors of element/rubbing.h, by the tangent of a where that is a rod, else by that of b.
#ifndef TENDRIL_ELEMENT_MEETING_H
#define TENDRIL_ELEMENT_MEETING_H

#include "element/closest.h"
#include "element/rubbing.h"

/// How two bodies touch and move; world axes.
typedef struct td_meeting {
  td_closest at;
  double radius[2];          ///< of a and b, m
  double push, steep;        ///< k d^p, N, with its weight; its slope, N/m
  double v[3], vu[3], vv[3]; ///< m/s, of r at s and t held, of u, of v
  double w[2][3], wu[2][3];  ///< rad/s, spin of a, of b at the nearest points; its change along the axis
  double weight;             ///< of springs that hold (element/stick.h)
  double z[3];               ///< m, stretch of the one here; 0 where none holds yet
  int grain;                 ///< whose tangent weighs friction: 0, 1; -1: neither's
  double t[3];               ///< that tangent, unit
} td_meeting;

/// What it exerts: `force` on a at the nearest point of its axis, minus that on b; moments there.
typedef struct td_meeting_force {
  double force[3], moment[2][3], slip; ///< N, N m, of a and b; m/s
} td_meeting_force;

/// How it changes, TD_LANES ways side by side: place, velocity at the point midway, bodies held, stretch, tangent; what
/// that makes of what is exerted.
typedef struct td_meeting_way {
  td_closest_way at;
  td_vec v[3], z[3], t[3];
  td_vec force[3], moment[2][3];
  td_vec slid[3]; ///< moment of what acts by how its point slides in a core, of its body
} td_meeting_way;

/// What resists motion alone. O(1).
void td_meeting_rub(const td_rubbing *law, const td_meeting *m, td_meeting_force *out);
/// Of a touch that sticks. O(1).
void td_meeting_hold(const td_rubbing *law, const td_meeting *m, td_hold *out);
/// From a of a body to the point midway between the surfaces, and from b: where all of it acts. O(1).
void td_meeting_levers(const td_meeting *m, double lever[2][3]);
/// Fills force and moments of `count` ways, whose `at` is followed already. O(count).
void td_meeting_rub_follow(const td_rubbing *law, const td_meeting *m, int count, td_meeting_way *way);

#endif

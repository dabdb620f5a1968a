// The nearest points of two capsules, and how they move.
//
// Along their axes  r(s, t) = a0 + s (a1 - a0) - b0 - t (b1 - b0)  from b to a, s, t in [0, 1]. Taken is the least of
//   D^2 = |r|^2 - e (1 - (2s - 1)^2) - e (1 - (2t - 1)^2),   e = TD_BARREL (r_a + r_b)^2,
// which is one point whatever the axes do: a capsule bulges in its middle by TD_BARREL (r_a + r_b) / 2, so that where
// axes are parallel the nearest points lie in the middle of what overlaps and go to an end as they tilt, instead of
// jumping there. Balls and ends of capsules have none of it. The depth is d = r_a + r_b - D, its gradient that at s
// and t held, as D is the least.
//
// b may go on along a line without end that stands still: r and a's axis count across it alone.
#ifndef TENDRIL_ELEMENT_CLOSEST_H
#define TENDRIL_ELEMENT_CLOSEST_H

#include "math/lanes.h"
#include <stdbool.h>

#define TD_BARREL 1e-3

/// Axes of two capsules: a[1] = a[0] of a ball.
typedef struct td_axes {
  const double (*a)[3], (*b)[3]; ///< [2]
  bool ball_a, ball_b;
  double radii;       ///< r_a + r_b
  const double *line; ///< [3] unit, along which b, a ball, goes on without end; NULL: it does not
} td_axes;

typedef struct td_closest {
  double s, t, depth;
  double D, r[3], n[3], u[3], v[3]; ///< n = r / D, from b to a; axes u = a1 - a0, v = b1 - b0
  bool free_s, free_t;              ///< within its axis; else at one of its ends
  bool through;                     ///< axes as good as meet: D is held, so that n = r / D goes through 0
  double inverse[3];                ///< of the matrix of what is free: ss, st, tt
  bool line;                        ///< b goes on along `along`, across which r and u are
  double along[3];
} td_closest;

/// How things change, TD_LANES ways side by side: of r at s and t held, of u and v; of s, t and n by that.
typedef struct td_closest_way {
  td_vec r[3], u[3], v[3];
  td_vec s, t, depth, n[3], whole[3]; ///< whole: of r, with s and t
} td_closest_way;

/// False: they are apart, and only depth is set. O(1).
bool td_closest_find(const td_axes *axes, td_closest *out);
/// Fills what follows from r, u, v. O(1).
void td_closest_follow(const td_closest *at, td_closest_way *way);

#endif

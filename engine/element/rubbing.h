// What resists motion where a sphere touches: friction along the surface, damping across it.
//
// At a depth d of force f = k d^p, with the push n (unit, out of the obstacle) and the velocity v of the point midway
// between the two surfaces, relative to the obstacle:
//   normal force   f_n = f g(1 + c d'),  d' = -n.v         (Hunt and Crossley, IEEE Trans. SMC 5, 1975)
//   friction       f_t = -mu f_n A v_t / sqrt(v_t.v_t + v_s^2),  v_t = v - n (n.v)
//   A = a_2 + (a_1 - a_2) t_p t_p^T,  t_p = t - n (n.t) of the rod's tangent t
// g(x) is x, and 0 below 0; between them, over the first tenth, a cubic, so that the force has a slope everywhere and
// nothing sticks. At rest all of it is 0: what lies on a slope creeps down it, by less than v_s.
#ifndef TENDRIL_ELEMENT_RUBBING_H
#define TENDRIL_ELEMENT_RUBBING_H

#include "element/contact.h"

typedef struct td_rubbing {
  double damping, friction, slip; ///< c, s/m; mu; v_s, m/s
  double along, across;           ///< a_1, a_2
} td_rubbing;

/// A sphere that touches an obstacle, and how it moves; world axes.
typedef struct td_rubbed {
  td_touch_geometry at;
  double radius, push, steep; ///< m; f, N, and df/dd, N/m, of the side of the surface that is asked for (td_press_at)
  double v[3], w[3];          ///< of its centre and of its body, m/s, rad/s
  double t[3];                ///< unit tangent of the rod
} td_rubbed;

/// Force and moment about the centre, [6][6] with the moment first, by a twist of six: a turn, then the way of the
/// centre.
typedef struct td_rubbing_maps {
  double place[36];  ///< by how the body moves before the obstacle, seen from the body
  double motion[36]; ///< by its velocities
} td_rubbing_maps;

void td_rubbing_of(const td_contact_spec *spec, td_rubbing *rubbing);
bool td_rubbing_acts(const td_rubbing *rubbing);
/// g(x) and its slope.
void td_rubbing_gain(double x, double *gain, double *slope);
/// What it adds to the force k d^p n: moment about the sphere's centre, force, N m, N. *slip: |v_t|, m/s (NULL:
/// not wanted). O(1), no allocation.
void td_rubbing_at(const td_rubbing *rubbing, const td_rubbed *body, double moment[3], double force[3], double *slip);
/// Their derivatives. O(1), no allocation.
void td_rubbing_slopes(const td_rubbing *rubbing, const td_obstacle *obstacle, const td_rubbed *body,
                       td_rubbing_maps *maps);

#endif

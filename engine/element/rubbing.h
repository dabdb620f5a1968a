// What resists motion where a sphere touches: friction along the surface, damping across it.
//
// At a depth d of force f = k d^p, with the push n (unit, out of the obstacle) and the velocity v of the point midway
// between the two surfaces, relative to the obstacle:
//   normal force   f_n = f g(1 + c d'),  d' = -n.v         (Hunt and Crossley, IEEE Trans. SMC 5, 1975)
//   friction       f_t = -mu f_n A v_t / sqrt(v_t.v_t + v_s^2),  v_t = v - n (n.v)
//   A = a_2 + (a_1 - a_2) t_p t_p^T,  t_p = t - n (n.t) of the rod's tangent t
// g(x) is x, and 0 below 0; between them, over the first tenth, a cubic, so that the force has a slope everywhere and
// nothing sticks. At rest all of it is 0: what lies on a slope creeps down it, by less than v_s. With `stick` springs
// take the place of v_s (element/stick.h): they hold, and slide at mu f_n A e.
#ifndef TENDRIL_ELEMENT_RUBBING_H
#define TENDRIL_ELEMENT_RUBBING_H

#include "element/contact.h"
#include "element/rim.h"

typedef struct td_rubbing {
  double damping, friction, slip; ///< c, s/m; mu; v_s, m/s
  double along, across;           ///< a_1, a_2
  double stick, stick_damping;    ///< of the spring that holds and of the damper beside it, N/m, N s/m; stick 0: none
} td_rubbing;

/// A sphere that touches an obstacle, and how it moves; world axes.
typedef struct td_rubbed {
  td_touch_geometry at;
  double radius, push, steep; ///< m; f, N, and df/dd, N/m, of the side of the surface that is asked for (td_press_at)
  double v[3], w[3];          ///< of its centre and of its body, m/s, rad/s
  double t[3];                ///< unit tangent of the rod
  double share;               ///< of springs that hold
  bool held;                  ///< a spring holds it:
  double z[3], lever[3];      ///< its stretch, m; from the centre to the body's end of it
  bool on_rim;                ///< of a cylinder:
  td_rim rim;                 ///< where on it
} td_rubbed;

/// What a touch leaves for the next step (element/stick.h).
typedef struct td_hold {
  double point[3]; ///< midway between the surfaces, from the centre (of a), m
  double z[3];     ///< stretch of the spring, no more than friction holds, m
  double slip[3];  ///< velocity along the surface, m/s
  double energy;   ///< J of the spring
  double most;     ///< m, that it can be stretched by
} td_hold;

/// Force and moment about the centre, [6][6] with the moment first, by a twist of six: a turn, then the way of the
/// centre.
typedef struct td_rubbing_maps {
  double place[36];  ///< by how the body moves before the obstacle, seen from the body
  double motion[36]; ///< by its velocities
} td_rubbing_maps;

void td_rubbing_of(const td_contact_spec *spec, td_rubbing *rubbing);
bool td_rubbing_acts(const td_rubbing *rubbing);
/// It has friction that is 0 at rest.
static inline bool td_rubbing_fades(const td_rubbing *rubbing) {
  return rubbing->friction > 0 && !(rubbing->stick > 0);
}
/// g(x) and its slope.
void td_rubbing_gain(double x, double *gain, double *slope);
/// What it adds to the force k d^p n: moment about the sphere's centre, force, N m, N. *slip: |v_t|, m/s (NULL:
/// not wanted). O(1), no allocation.
void td_rubbing_at(const td_rubbing *rubbing, const td_rubbed *body, double moment[3], double force[3], double *slip);
/// Of a touch that sticks. O(1), no allocation.
void td_rubbing_hold(const td_rubbing *rubbing, const td_rubbed *body, td_hold *out);
/// Their derivatives. O(1), no allocation.
void td_rubbing_slopes(const td_rubbing *rubbing, const td_rubbed *body, td_rubbing_maps *maps);

#endif

// Rigid transforms, as users of the library see them. The maps of SE(3) used inside the engine are in lie/.
#ifndef TENDRIL_SE3_H
#define TENDRIL_SE3_H

#include "tendril/status.h"

/// A pose: x_parent = R x_child + p.  R row-major 3x3 rotation, p in metres.
typedef struct td_se3 {
  double R[9];
  double p[3];
} td_se3;

/// Numbers of a 6x6 matrix on twists or wrenches, row-major.
enum { TD_MATRIX6 = 36 };

/// R = I, p = 0.
TD_API td_se3 td_se3_identity(void);
/// R = Rz(yaw) Ry(pitch) Rx(roll), as in URDF. rpy in rad, out R row-major.
TD_API void td_rotation_from_rpy(const double rpy[3], double R[9]);
/// Unit quaternion [w, x, y, z] of a rotation, w >= 0.
TD_API void td_quaternion_from_rotation(const double R[9], double wxyz[4]);
/// Rotation of the quaternion [w, x, y, z], normalised here. TD_INVALID_ARGUMENT when its norm is 0 or not finite.
TD_API TD_NODISCARD td_status td_rotation_from_quaternion(const double wxyz[4], double R[9]);
/// out = a b (compose). `out` may alias an input.
TD_API void td_se3_compose(const td_se3 *a, const td_se3 *b, td_se3 *out);
/// out = a^-1. `out` may alias `a`.
TD_API void td_se3_inverse(const td_se3 *a, td_se3 *out);
/// g = exp(xi): xi = (w, v) angular first, exact to rounding at every angle. Mathew2025 A.
TD_API void td_se3_exp(const double xi[6], td_se3 *g);
/// xi = log(g), |w| <= pi, exact to rounding up to and including pi.
TD_API void td_se3_log(const td_se3 *g, double xi[6]);

#endif

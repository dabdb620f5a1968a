// How runs and statics measure a loop: by what its joint holds, without the logarithm of the whole motion.
//
// The format's e = Phi_perp^T log(g_B^-1 g_A) jumps where the free rotation passes half a turn, and its slope de/dq is
// A times a matrix that turns with it: beyond 2.53 rad Baumgarte's terms push the wrong way. Here e is 0 for the same
// poses, and de/dq = A there, however far the free motion has gone. With g_B^-1 g_A = (R, p), z = R k, k the axis, (q0,
// q) the unit quaternion of R:
//   tilt     revolute, helical, cylindrical, planar:  k x z / cos(tilt / 2),  normal to k        (|e| = 2 sin(tilt /
//     2))
//   turn     fixed, prismatic: 2 q;    universal: 2 q.k, whose row is the axis turned by half the rotation
//   place    fixed, revolute, spherical, universal: p;    planar: z.p
//            prismatic, cylindrical, helical: p - z (z.p), normal to k
//   screw    helical: z.p - pitch theta, theta = 2 atan(q.k / q0) with all its turns
// For a universal joint A = de/dq, too: its free motions exp(w), w normal to k, are no group, and what the format's A
// holds is not what keeps it closed.
#ifndef TENDRIL_CONSTRAINT_LOOP_CLOSURE_H
#define TENDRIL_CONSTRAINT_LOOP_CLOSURE_H

#include "model/workspace.h"

/// Row by row e and, as covectors on the twist of A against B in frame B, the rows of A and G = de/dq.
typedef struct td_closure {
  double e[6], A[6][6], G[6][6];
} td_closure;

/// Universal loops leave w0 and w (frame B) in s.
void td_loop_closure(const td_loop *l, const td_se3 *relative, td_loop_state *s, td_closure *out);

/// Takes the present poses for those near which turns are counted: of helical loops the turn that goes with their
/// slide, of universal ones the sign of the quaternion. `fresh`: the latter's is that of less than half a turn.
void td_loop_follow(const td_model *m, td_workspace *ws, const double *q, bool fresh);

/// How far frame A of a loop is from frame B at q: m, rad. O(nodes).
void td_loop_gap(const td_model *m, td_workspace *ws, const double *q, int loop, double *distance, double *angle);

/// Whether the first row of this loop turns with q in a frame of B (universal, by its closure).
static inline bool td_loop_turns_itself(const td_workspace *ws, const td_loop *l) {
  return ws->constraint.closure && !l->group;
}
/// What d^2 e / dt^2 has beside A qdd + Ad qd of the covector's own: -(q.k) |w|^2 / 2, w the relative angular velocity.
double td_universal_rate(const td_loop_state *s, const double *Va, const double *Vb);
/// n.x changes by out.dphi when A turns by dphi against B; n the row, x fixed in B; world frame.
void td_universal_turn(const td_loop_state *s, const double x[3], double out[3]);
/// The same as a matrix: dn = D dphi.
void td_universal_turns(const td_loop_state *s, double D[3][3]);

#endif

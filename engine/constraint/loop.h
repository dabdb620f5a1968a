// Loops at a state: errors, Jacobians, their derivatives, and the wrenches of multipliers. World frame throughout.
//
// Frames A and B of a loop, C = Phi_perp^T Ad_gB^-1 (row by row covectors that are constant in B):
//   e = Phi_perp^T log(g_B^-1 g_A)^vee,   A = C (J_A - J_B),   A qdd + Ad qd = C (A_A - A_B - [V_B, V_A]).
#ifndef TENDRIL_CONSTRAINT_LOOP_H
#define TENDRIL_CONSTRAINT_LOOP_H

#include "body/body.h"
#include "tendril/dynamics.h"
#include "tendril/status.h"

/// C, T, xi of every loop and e, from the poses in ws.
void td_loop_poses(const td_model *m, td_workspace *ws);
/// a = A qdd + Ad qd + (2/T) A qd + e / T^2 and delta of every loop, from twists and accelerations in ws; after
/// td_loop_poses.
void td_loop_rates(const td_model *m, td_workspace *ws, double T);
/// a [r] = A qdd + Ad qd at a state; q, qd, qdd [n].
TD_NODISCARD td_status td_loop_accelerations(const td_model *m, td_workspace *ws, const double *q, const double *qd,
                                             const double *qdd, double *a);
/// A [r][ld] and G = de/dq [r][ld] (either may be NULL) from what is kept of a mass or derivative pass; after
/// td_loop_poses.
void td_loop_jacobian(const td_model *m, td_workspace *ws, double *A, double *G);

/// Copies padded rows [r][ldx] to [r][n].
void td_loop_unpad(const td_model *m, int ldx, const double *padded, double *out);

/// Adds the wrenches of multipliers [r] to the nodes' composites before they are summed: F_A -= Lambda, F_B += Lambda.
void td_loop_apply(const td_model *m, td_workspace *ws, const double *lambda);
/// Lambda = C^T lambda of one loop.
void td_loop_wrench(const td_loop *l, const td_loop_state *s, const double *lambda, double wrench[6]);

// loop_derivatives.c: after a derivative pass, whose kept columns they read.

/// ws->id = ID - A^T lambda, ws->did_dq, ws->did_dqd its derivatives at fixed lambda [r], ws->mass where `what` asks;
/// poses of loops. gravity [3] as in td_kinematics.
void td_loop_id_derivatives(const td_model *m, td_workspace *ws, const td_state *state, const double *lambda,
                            const double *gravity, td_columns what);
/// ws->did_dq = -d(A^T lambda)/dq alone.
void td_loop_force_derivative(const td_model *m, td_workspace *ws, const double *q, const double *lambda);
/// da [r][2 ld]: derivatives of a with respect to q (de/dq / T^2 included) and qd; after td_loop_rates.
void td_loop_rate_derivatives(const td_model *m, td_workspace *ws, double T, double *da);
/// D [r][ld] = d(A qd)/dq at the twists in ws.
void td_loop_turn(const td_model *m, const td_workspace *ws, double *D);

#endif

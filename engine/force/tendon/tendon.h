// Lengths of tendons along rods and over straight stretches, the forces that tensions make, and their derivatives
// (tendon.c, stretch.c).
#ifndef TENDRIL_FORCE_TENDON_TENDON_H
#define TENDRIL_FORCE_TENDON_TENDON_H

#include "model/workspace.h"
#include "tendril/status.h"

/// out [n] -= sum of tension dlength/dq; tension [tendons], outside ws->scratch beyond its first [channels].
void td_add_tensions(const td_model *m, td_workspace *ws, const double *q, const double *tension, double *out);
/// ws->dtau_dq -= sum of tension d2length/dq2; factor [pieces], stretch_factor [stretches]: what tensions are
/// multiplied by, NULL: 1.
void td_add_tension_stiffness(const td_model *m, td_workspace *ws, const double *q, const double *tension,
                              const double *factor, const double *stretch_factor);
/// Straight stretches of tendons between bodies (stretch.c), tension [tendons]: tau [n] += their force;
/// ws->dtau_dq += its derivative (overwrites ws->did_dq, ws->mass, composites).
void td_stretch_forces(const td_model *m, td_workspace *ws, const double *q, const double *tension, double *tau);
/// factor [stretches]: what tensions are multiplied by, NULL: 1.
void td_stretch_derivatives(const td_model *m, td_workspace *ws, const double *q, const double *tension,
                            const double *factor);
/// One stretch: direction n, D [3][n] the Jacobian of its end less that of its start, length. False where it has none.
bool td_stretch_line(const td_model *m, td_workspace *ws, const double *q, int stretch, double n[3], double *D,
                     double *length);
/// length [tendons] +=, dlength_dq [tendons][n] += (may be NULL) of the straight stretches.
void td_stretch_lengths(const td_model *m, td_workspace *ws, const double *q, double *length, double *dlength_dq);
/// motion [tendons] += length and its first and second time derivatives along (q, qd, qdd), of the straight stretches.
void td_stretch_motion(const td_model *m, td_workspace *ws, const double *q, const double *qd, const double *qdd,
                       double (*motion)[3]);
/// hessian [n][n] = sum over tendons of tension d2length/dq2; tension [tendons], outside ws->scratch. O(n^2).
void td_tendon_hessian(const td_model *m, td_workspace *ws, const double *q, const double *tension, double *hessian);
/// out [n] = (sum over tendons of tension d2length/dq2) x; as td_tendon_hessian.
void td_tendon_curvature(const td_model *m, td_workspace *ws, const double *q, const double *tension, const double *x,
                         double *out);
/// Length of every tendon and its two time derivatives along (q, qd, qdd): motion [tendons][3]. O(points).
TD_NODISCARD td_status td_tendon_motion(const td_model *m, td_workspace *ws, const double *q, const double *qd,
                                        const double *qdd, double (*motion)[3]);

/// Length of a straight stretch of a tendon (of the guide where there is one) at q; q NULL: at that of the last call.
double td_stretch_length(const td_model *m, td_workspace *ws, const double *q, int stretch);

#endif

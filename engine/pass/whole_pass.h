// Whole passes over the tree at one state: parts of id, the mass matrix, id with its derivatives.
#ifndef TENDRIL_PASS_WHOLE_PASS_H
#define TENDRIL_PASS_WHOLE_PASS_H

#include "body/body.h"

/// id [n] with chosen parts: qd, qdd NULL mean zero; `forces` of TD_FORCE_… (composite.h); gravity [3] (buoyancy
/// follows it).
void td_id_parts(const td_model *m, td_workspace *ws, const double *q, const double *qd, const double *qdd,
                 const double *u, unsigned forces, const double *gravity, double *id);
/// ws->mass [n][ld] at q. Leaves poses in ws.
void td_mass_padded(const td_model *m, td_workspace *ws, const double *q);
/// Kept columns J at q, by the pass of the mass matrix; nothing where ws holds them of a steady q (td_steady_begin).
void td_kept_columns(const td_model *m, td_workspace *ws, const double *q);
/// ws->id and, as `what` says, ws->did_dq and ws->did_dqd, ws->mass [n][ld].
void td_id_derivatives_padded(const td_model *m, td_workspace *ws, const double *q, const double *qd, const double *qdd,
                              const double *u, td_columns what);

#endif

// Everything an algorithm writes, carved from one block (base/carve.h): one workspace per thread.
//
// World-frame quantities are relative to `origin`, an inertial point at the root body's present position, so that a robot far
// from the world's origin loses no digits. Rows of column arrays are 64-byte aligned and padded to lanes.
#ifndef TENDRIL_MODEL_WORKSPACE_H
#define TENDRIL_MODEL_WORKSPACE_H

#include "lie/tangent.h"
#include "model/model.h"

/// What hangs on a node and beyond it: wrench, rigid inertia (m; first moment; xx xy xz yy yz zz about the origin), and two
/// maps of the form (A11 x, -p x x) of an angular velocity x: B, the Coriolis map of dF/dV, and N, the stiffness of
/// world-frame forces. [A11 row-major 9, p 3] each.
typedef struct td_composite {
  double F[6], M[10], B[12], N[12];
} td_composite;

/// Motion of eight intervals of a strip: strains and their rates, exponential, world-frame adjoint and twists.
typedef struct td_motion {
  td_dvec a[2], ad[2], add[2]; ///< h xi at the Zanna points and its time derivatives
  td_dvec omega_d, omega_dd;   ///< rates of Omega (Omega itself in tangent)
  td_tangent tangent;
  td_dmat T, Ad;       ///< T(Omega); adjoint of the start frame
  td_vec R[9], p[3];   ///< exp(Omega), then the start frame
  td_dvec sigma, beta; ///< world: T Omega', T Omega'' + T' Omega'
  td_dvec V0, V1, A1;  ///< world twists at start and end, acceleration at the end
} td_motion;

/// Columns of an interval's quantities as 12 coefficients (Zanna point x component) per row, lane = interval:
/// column c in component a is  row[a] phi1_c + row[6 + a] phi2_c.
typedef struct td_tables {
  td_vec s[6][12];           ///< twist columns
  td_vec r[3][12];           ///< angular rows of dV/dq
  td_vec k[6][12];           ///< dA/dq
  td_vec y[6][12];           ///< dA/dqd
  td_vec U[6][12];           ///< M s
  td_vec Gq[6][12];          ///< s x* F + M k + B r + N s
  td_vec Gv[6][12];          ///< M y + B s
  td_vec W[3][12], N[3][12]; ///< B^T s, N^T s
  td_vec H[12][12];          ///< second derivative of the interval's own exponential against the wrench beyond it
} td_tables;

/// Rows of a column against its ancestors: U = M s, Gq, Gv (6 each), W = B^T s, N^T s (3 each).
enum { TD_OWN_U = 0, TD_OWN_GQ = 6, TD_OWN_GV = 12, TD_OWN_W = 18, TD_OWN_N = 21, TD_OWN_ROWS = 24 };
/// Rows of an ancestor column: J = dV/dqd, R = dV/dq + [V, J] (angular), Q and Y for dA/dq and dA/dqd.
enum { TD_ROW_J = 0, TD_ROW_R = 6, TD_ROW_Q = 9, TD_ROW_Y = 15, TD_ROWS = 21 };

struct td_workspace {
  const td_model *model;
  void *block;
  double origin[3];
  td_se3 *pose;            ///< [nodes]
  double (*V)[6], (*A)[6]; ///< [nodes] world twist, its time derivative (minus gravity)
  td_composite *composite; ///< [nodes]
  td_motion *motion;       ///< [strip_batches]
  int world_forces;        ///< composites hold world-frame forces: N enters the columns
  double (*screw)[6];      ///< [elements] world column of a SCREW
  td_tables *tables;       ///< [max_batches] of the strip at work
  double *slot;            ///< [TD_ROWS][slot_stride] ancestor columns
  // eight columns of the strip at work; its local nodes are 0 (start) and i + 1 (end of interval i)
  td_vec *prefix; ///< [local nodes][TD_ROWS] sums over the intervals before
  td_vec *branch; ///< [local nodes][TD_OWN_ROWS] sums over side intervals that start there
  td_vec *P;      ///< [intervals][2][6][3] projections of dq, dqd and mass columns on the strip's strains
  // all columns of the element at work
  int strip_stride;
  double *own; ///< [TD_OWN_ROWS][strip_stride] U, Gq, Gv, W, N summed over the element
  // matrices [n][ld] and vectors [ld]
  double *did_dq, *did_dqd, *mass, *dtau_dq, *dtau_dqd, *factor, *solution;
  double *id, *tau, *fd, *zero, *scratch;
  double *rod_scratch; ///< [gauss][8 strains, 48 wrench or stiffness, 48 columns]
};

#endif

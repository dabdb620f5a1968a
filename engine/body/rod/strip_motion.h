// Intervals of a strip from their strains, as many as there are lanes: those of one state (strip.c), or one of as many
// states (batch/).
//   Omega = (a1 + a2)/2 + k [a1, a2],  Omega' = (a1' + a2')/2 + k ([a1', a2] + [a1, a2']),
//   Omega'' = (a1'' + a2'')/2 + k ([a1'', a2] + [a1, a2''] + 2 [a1', a2']),   k = sqrt(3)/12.   Mathew2025 (A), Zanna.
#ifndef TENDRIL_BODY_ROD_STRIP_MOTION_H
#define TENDRIL_BODY_ROD_STRIP_MOTION_H

#include "body/rod/strip.h"

TD_INLINE td_dvec td_half_sum(const td_dvec a[2]) {
  td_dvec out;
  for (int i = 0; i < 3; i++) out.re[i] = 0.5 * (a[0].re[i] + a[1].re[i]), out.du[i] = 0.5 * (a[0].du[i] + a[1].du[i]);
  return out;
}
TD_INLINE void td_add_bracket(td_dvec *out, double k, const td_dvec *a, const td_dvec *b) {
  td_dvec c = td_dvec_cross(a, b);
  td_dvec_add_real(out, td_splat(k), &c);
}

/// exp(Omega) and T from o->a.
TD_INLINE void td_motion_pose(td_motion *o) {
  td_dvec omega = td_half_sum(o->a);
  td_add_bracket(&omega, TD_MAGNUS, &o->a[0], &o->a[1]);
  td_tangent_at(&omega, &o->tangent);
  td_tangent_matrix(&o->tangent, &o->T);
  td_tangent_exp(&o->tangent, &o->T, o->R, o->p);
}

/// T Omega' from o->ad, in the frame before the step.
TD_INLINE void td_motion_twist(td_motion *o) {
  o->omega_d = td_half_sum(o->ad);
  td_add_bracket(&o->omega_d, TD_MAGNUS, &o->ad[0], &o->a[1]);
  td_add_bracket(&o->omega_d, TD_MAGNUS, &o->a[0], &o->ad[1]);
  o->sigma = td_dmat_vec(&o->T, &o->omega_d);
}

/// T Omega'' + T' Omega' from o->add, in the frame before the step.
TD_INLINE void td_motion_acceleration(td_motion *o) {
  o->omega_dd = td_half_sum(o->add);
  td_add_bracket(&o->omega_dd, TD_MAGNUS, &o->add[0], &o->a[1]);
  td_add_bracket(&o->omega_dd, TD_MAGNUS, &o->a[0], &o->add[1]);
  td_add_bracket(&o->omega_dd, 2 * TD_MAGNUS, &o->ad[0], &o->ad[1]);
  td_dvec rate = td_tangent_rate_times(&o->tangent, &o->omega_d);
  o->beta = td_dmat_vec(&o->T, &o->omega_dd);
  td_dvec_add_real(&o->beta, td_splat(1), &rate);
}

/// What columns need of the interval: D = d(T x)/dOmega at x = Omega'; D'' + D2 (strip_tables.c); the rate of T plus D.
TD_INLINE void td_motion_slopes(const td_motion *o, td_dmat *D, td_dmat *Ddd, td_dmat *rate) {
  td_dmat D2;
  td_tangent_derivative(&o->tangent, &o->omega_d, 1, D);
  td_tangent_derivative(&o->tangent, &o->omega_dd, 1, Ddd);
  td_tangent_rate_derivative(&o->tangent, &o->omega_d, &D2);
  td_tangent_rate(&o->tangent, &o->omega_d, rate);
  for (int i = 0; i < 9; i++) {
    Ddd->re[i] += D2.re[i], Ddd->du[i] += D2.du[i];
    rate->re[i] += D->re[i], rate->du[i] += D->du[i];
  }
}

/// Ad of the start frame, which stands in o->R, o->p.
TD_INLINE void td_motion_adjoint(td_motion *o) {
  for (int j = 0; j < 3; j++) {
    td_vec column[3] = {o->R[j], o->R[3 + j], o->R[6 + j]}, moment[3];
    td_v3_cross(o->p, column, moment);
    for (int i = 0; i < 3; i++) o->Ad.re[3 * i + j] = column[i], o->Ad.du[3 * i + j] = moment[i];
  }
}

/// What a wrench beyond the interval does on its strains:
///   p = T^T Ad^T F,  y1 = p/2 + k a2 x* p,  y2 = p/2 - k a1 x* p      (Z^T p with Z = dOmega/dq)
TD_INLINE void td_motion_projection(const td_motion *o, const td_dvec *F, td_vec y[12]) {
  td_dvec local = td_dmat_tvec(&o->Ad, F), p = td_dmat_tvec(&o->T, &local);
  for (int z = 0; z < 2; z++) {
    td_dvec turn = td_dvec_cross(&o->a[1 - z], &p);
    double k = z ? -TD_MAGNUS : TD_MAGNUS;
    for (int i = 0; i < 3; i++) {
      y[6 * z + i] = 0.5 * p.du[i] + k * turn.du[i];
      y[6 * z + 3 + i] = 0.5 * p.re[i] + k * turn.re[i];
    }
  }
}

#endif

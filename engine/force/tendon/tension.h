// Tendons driven by the length pulled in, and tendons with friction: tensions, their forces, slopes and energy.
//
// With u the length pulled in, l(q) the tendon's length, w its slack width:
//   s = l - rest + u,   s+ = (s + sqrt(s^2 + w^2)) / 2,   tension = max(0, k s+ + d l' ds+/ds).
// k s+ is what the tendon stores, exactly: its energy is the integral of k s+ over s,
//   E = k (s+^2 / 2 + (w^2 / 4) ln(2 s+ / w)),   E = k w^2 / 8 at s = 0,
// since s = s+ - w^2 / (4 s+). The logarithm is what smoothing over the slack width adds to k s+^2 / 2: with it -k s+
// dl/dq is
// the gradient of a potential, and k s+ u' the power of who pulls. The rest of the tension is lost: d l'^2 ds+/ds >= 0
// while
// the tension is not held at 0, and k s+ |l'| while it is (there it shortens faster than its spring can follow).
#ifndef TENDRIL_FORCE_TENDON_TENSION_H
#define TENDRIL_FORCE_TENDON_TENSION_H

#include "model/workspace.h"

/// Tension of one tendon driven by length, N, as stored and lost; its slopes by length (and u) and by the rate of
/// length.
typedef struct td_pull {
  double elastic, damping, stretch, rate;
} td_pull;
void td_pull_at(const td_tendon_law *law, double length, double rate, double u, td_pull *out);
/// The same of the polynomial of s+ of third order about s = about[0], pulling where about[1] is not 0: wherever s is,
/// its derivatives are those at that place.
void td_pull_about(const td_tendon_law *law, double length, double rate, double u, const double about[2], td_pull *out);
/// E above, J. about NULL: of the law.
double td_pull_energy(const td_tendon_law *law, double length, double u, const double *about);

/// Some tendon is driven by length or rubs: then tensions of all are those of ws->tension.
static inline bool td_tension_has_laws(const td_model *m) { return m->length_count || m->friction_count; }

/// ws->tension: motion, input, elastic, damping, total, stretch, rate of all tendons. qd, u NULL: zero.
void td_tensions_at(const td_model *m, td_workspace *ws, const double *q, const double *qd, const double *u);
/// s of each tendon driven by length, m, and 1 where it pulls, else 0, at a state (qd, u NULL: zero), for
/// td_workspace.taut. [tendons][2]. Overwrites kinematics in ws.
void td_tensions_hold(const td_model *m, td_workspace *ws, const double *q, const double *qd, const double *u,
                      double *taut);
/// Largest entry of what any one tendon driven by length exerts at rest: antagonists may hold each other with much more
/// than their sum.
double td_tension_scale(const td_model *m, td_workspace *ws, const double *q, const double *u);
#endif

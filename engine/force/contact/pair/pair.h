// Touches between bodies: where they are, how they move, what they exert.
#ifndef TENDRIL_FORCE_CONTACT_PAIR_PAIR_H
#define TENDRIL_FORCE_CONTACT_PAIR_PAIR_H

#include "element/meeting.h"
#include "force/contact/obstacle/obstacle.h"

/// Two proxies that touch. Where one of them is a core its point is the one that is nearest to the other, a ball.
typedef struct td_grip {
  int at;         ///< how many there are before it
  int pair, a, b; ///< indices into model->solid_pair, model->proxy
  td_meeting meeting;
  td_meeting_force rub; ///< what resists motion; 0 where its law has none, and where velocities were not asked for
  double potential;     ///< J, with its weight
  int core;             ///< which of the two is one: 0, 1; -1: neither
  const td_near *near;  ///< how they meet
} td_grip;

/// Where proxies are, and which are in each other; once before a walk at a state. Needs poses. O(proxies and what is
/// near), the first time at a state (nearby.h).
void td_grip_begin(const td_model *m, td_workspace *ws);
/// The same with touches that undo each other, each of which has its spring.
void td_grip_begin_whole(const td_model *m, td_workspace *ws);
/// The walk of one pair: until another one's touch comes.
td_grip td_grip_seek(const td_model *m, const td_workspace *ws, int pair);
/// The next touch from `grip` on, which begins as {0}; false: there is none. Velocities are set where `moving`, which
/// needs V. Touches of a pair follow each other, pairs in their order.
bool td_grip_next(const td_model *m, const td_workspace *ws, bool moving, td_grip *grip);
/// The end `side` (0: a, 1: b) of a grip at point k of its axis, about the origin, m; its share of what acts there.
const double *td_grip_point(const td_workspace *ws, const td_grip *grip, int side, int k);
double td_grip_share(const td_grip *grip, int side, int k);
const td_proxy *td_grip_proxy(const td_model *m, const td_grip *grip, int side);
/// Points of an axis: 1 of a ball, else 2.
static inline int td_grip_points(const td_proxy *proxy) { return proxy->ball ? 1 : 2; }
/// Two solids before each other: depth of what is deepest, or (negative) the least they are apart; what they hold;
/// velocity [0]: no two points of them come nearer by more than that, m/s. Needs a walk begun, and V. O(their proxies).
void td_grip_sight(const td_model *m, const td_workspace *ws, int pair, td_sighting *sighting);
/// m/s: no two points of two solids come nearer by more than that, however fast both go along. Needs a walk begun, and V.
double td_grip_closing(const td_model *m, const td_workspace *ws, int pair);
/// Two solids that are two, before each other.
typedef struct td_pair_look {
  double depth; ///< m, negative: the least they are apart
  double n[3];  ///< where they touch deepest, from b to a; else 0
} td_pair_look;
/// Needs a walk begun. O(their proxies that are near).
void td_grip_look(const td_model *m, const td_workspace *ws, int pair, td_pair_look *out);
/// How deep an axis, not a rod's, runs through a core, and which way is out of it; depth 0: none does. Needs poses.
/// O(axes), 34 questions to the core each; of pairs whose boxes are apart O(1).
void td_grip_runs_through(const td_model *m, const td_workspace *ws, int pair, td_pair_look *out);
/// m: how far one of two cores would have to go out of the other, in which its middle lies, or an axis that runs through
/// a core: corners that lie near each other are not deep. 0: it does not. Needs poses. O(axes); of meshes O(their edges).
double td_grip_engulfed(const td_model *m, const td_workspace *ws, int pair);
enum { TD_SOLID_TEXT = TD_MAX_NAME + 24 };
/// One of a pair in words: "NAME", itself, the obstacle "NAME", an obstacle. O(1).
void td_grip_text(const td_model *m, int pair, int side, char text[TD_SOLID_TEXT]);
/// m, of both where they are thinnest: their radii together.
double td_grip_size(const td_model *m, int pair);
/// Some pair has friction or damping.
bool td_pairs_rub(const td_model *m);
/// They do something to how bodies turn: not where frictionless rods touch at their own points alone.
bool td_pairs_turn(const td_model *m);
/// did_dq, did_dqd += what touches between bodies add beyond the turn of their wrenches (td_force.between).
void td_grip_between(const td_model *m, td_workspace *ws);

#endif

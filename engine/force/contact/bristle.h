// Springs of contacts that stick (element/stick.h): where they are fixed, and what is left of them after a step.
//
// A run owns them (td_workspace.bristle), one for any point of an obstacle's contact and any two proxies that may
// touch. Within a step they are fixed in the bodies, and what they are stretched by is a function of q alone; at its
// end td_bristles_take fixes them where the bodies touch then. What comes to touch within a step has one from its end
// on.
#ifndef TENDRIL_FORCE_CONTACT_BRISTLE_H
#define TENDRIL_FORCE_CONTACT_BRISTLE_H

#include "force/contact/pair/pair.h"

/// Most that a model may have: a checkpoint holds them all.
enum { TD_MOST_BRISTLES = 32768 };
/// Gives every touch that may stick its place among model->bristle_count. Once, when contacts and pairs are laid out.
void td_bristles_number(td_model *m);
/// Stretch of the spring of point i of a contact at `place` about the origin; false: there is none. O(1).
bool td_bristle_at_point(const td_workspace *ws, const td_contact *contact, int i, const double place[3], double z[3],
                         double lever[3]);
/// The place of a grip's spring among them.
int td_bristle_number(const td_model *m, const td_grip *grip);
/// The spring of a grip, NULL: there is none.
const td_bristle *td_bristle_of_grip(const td_model *m, const td_workspace *ws, const td_grip *grip);
/// Its end at point k of the axis of a or b about the origin, and its share of that.
double td_bristle_end(const td_model *m, const td_workspace *ws, const td_grip *grip, const td_bristle *bristle,
                      int side, int k, double point[3]);
void td_bristle_stretch(const td_model *m, const td_workspace *ws, const td_grip *grip, const td_bristle *bristle,
                        double z[3]);

/// What springs leave after a step of h.
typedef struct td_bristles_left {
  double energy; ///< J
  double hurry;  ///< 1/s: longer steps than its inverse may turn sliding round unseen
} td_bristles_left;

/// next [bristle_count]: the springs from this state on. Needs poses and twists of it. h 0: a start. O(touches).
td_bristles_left td_bristles_take(const td_model *m, td_workspace *ws, double h, td_bristle *next);

#endif

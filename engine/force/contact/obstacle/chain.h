// The points of a rod before a ball or a bar, seen together: the two kinds of obstacles that a robot can get behind.
#ifndef TENDRIL_FORCE_CONTACT_OBSTACLE_CHAIN_H
#define TENDRIL_FORCE_CONTACT_OBSTACLE_CHAIN_H

#include "force/contact/obstacle/obstacle.h"

/// Spheres, and cylinders from outside: `every` point of all contacts is in a list of sightings, or those before these.
typedef struct td_contact_chain {
  bool every;
  const td_obstacle *obstacle;
  int contact, point; ///< the first of the points, of its contact
  int at, count;      ///< the same in the list; points
} td_contact_chain;

bool td_contact_is_round(const td_contact *contact);
/// m, of the obstacle with the rod at point i: from its middle to where they touch.
double td_contact_size(const td_contact *contact, int i);

/// The next one from `chain` on, which begins as {.every}; false: there is none. O(contacts).
bool td_contact_chain_next(const td_model *model, td_contact_chain *chain);
bool td_contact_chain_is_bar(const td_contact_chain *chain);

/// rad, about the axis of a bar from a to b, the short way.
double td_contact_turn(const td_obstacle *bar, const double a[3], const double b[3]);
/// rad, by which the polygon of the points turns about the axis of a bar, from base to tip.
double td_contact_winding(const td_contact_chain *chain, const td_sighting *sight);
/// Of the chain, the point that is nearest to the middle.
int td_contact_nearest(const td_contact_chain *chain, const td_sighting *sight);

#endif

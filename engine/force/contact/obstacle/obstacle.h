// Contact of points of bodies with obstacles, as those see it who look into steps.
#ifndef TENDRIL_FORCE_CONTACT_OBSTACLE_OBSTACLE_H
#define TENDRIL_FORCE_CONTACT_OBSTACLE_OBSTACLE_H

#include "model/workspace.h"

/// A point of the robot before an obstacle.
typedef struct td_sighting {
  double centre[3], velocity[3]; ///< m, m/s, world axes
  double depth, energy;          ///< m, negative: apart; J
  double rate;                   ///< m/s, by which the depth grows; 0 where it is apart
} td_sighting;
/// World position of point i about ws->origin, m. Needs poses. O(1).
void td_contact_place(const td_workspace *ws, const td_contact *contact, int i, double place[3]);
/// Its place on a cylinder's rim; false: it is on none. O(1).
bool td_contact_rim(const td_workspace *ws, const td_contact *contact, int i, td_rim *rim);
/// The link whose point it is.
int td_contact_link(const td_model *m, const td_contact_point *point);
static inline bool td_contact_on_rod(const td_contact_point *point) { return point->rod >= 0; }
/// Point i of a contact. Needs poses and V. O(1).
void td_contact_sight(const td_model *m, const td_workspace *ws, int contact, int i, td_sighting *sighting);
/// Its depth, m. Needs poses. O(1).
double td_contact_depth(const td_model *m, const td_workspace *ws, int contact, int i);
/// [point_count] of td_workspace.kinks, which are its points'; NULL: each is on its own side.
const double *td_contact_kinks(const td_model *m, const td_workspace *ws, int contact);

#endif

// The way of steps of statics past what a robot can get behind: cylinders from outside, spheres, and bodies that touch
// each other.
#ifndef TENDRIL_STATICS_CLEARANCE_H
#define TENDRIL_STATICS_CLEARANCE_H

#include "force/contact/obstacle/obstacle.h"
#include "model/model.h"
#include "statics/clearance_pairs.h"

typedef struct td_clearance {
  const td_model *model;
  td_workspace *ws;
  int count; ///< pairs of a point and such an obstacle
  td_clearance_pairs pairs;
  td_sighting *from, *to, *between, *trail; ///< [count] at both ends of a way, at a place of it, at the place before
  double *q;                                ///< [n] at that place; NULL: nothing is in the way, nothing is used
  double *turns;                            ///< [count] rad, of a rod before a cylinder at its first point
  double *deepest;                          ///< [count] m, on the way
} td_clearance;

typedef struct td_passage {
  int contact, point, pair; ///< pair >= 0: index into model->solid_pair, and no point
} td_passage;

TD_NODISCARD td_status td_clearance_init(td_clearance *c, const td_model *model, td_workspace *ws);
void td_clearance_fini(td_clearance *c);

/// Whether a step from q `from` [n] straight to q `to` [n] takes no point into such an obstacle deeper than it was by
/// more than a quarter of the obstacle's size with the point's own, nor two bodies deeper into each other. Steps that do so feel what stands in their way.
/// Cost: none without such obstacles; two forward passes; 8 to 512 where a point could be taken so deep.
bool td_clearance_keeps(td_clearance *c, const double *from, const double *to);

/// Whether the same way goes through one: a point that is apart from it at both ends comes to half of its inside, or a
/// rod's backbone comes to lie on the other side of a cylinder's axis, touching it or not, also where it slips through
/// between two points; or two bodies go through each other. Cost: none without such obstacles, else 8 to 512 forward passes.
/// Who comes so deep and is on the other side of its middle at the end has gone through, too.
/// @param part  it is a part of a way: what has come so deep at its end is on its way through
bool td_clearance_passes(td_clearance *c, const double *from, const double *to, bool part, td_passage *where);

#endif

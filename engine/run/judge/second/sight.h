// What two robots' rods do at the same times, seen by a twin with more strain functions (estimate/twin.h): point by
// point, in the world and from the base of each rod, and by the twist of each tip.
#ifndef TENDRIL_RUN_JUDGE_SECOND_SIGHT_H
#define TENDRIL_RUN_JUDGE_SECOND_SIGHT_H

#include "estimate/resolution/resolution.h"
#include "estimate/twin.h"
#include "model/model.h"

enum { TD_SEEN_OWN, TD_SEEN_WORLD, TD_SEEN_TWIST, TD_VIEWS }; ///< from its base, m; from the world, m; twist, rad

typedef struct td_sight {        ///< what a robot's rods look like
  double (*world)[3], (*own)[3]; ///< [nodes] positions, in the world and from the base of the rod
  td_se3 *tip;                   ///< [rods] from the base
} td_sight;

typedef struct td_view { ///< of a rod: how far it gets, and is apart from the other's; when, by which strain most
  double scale, error, t;
  int component;
} td_view;

typedef struct td_comparison {
  const td_model *own;      ///< the robot
  const td_refinement *how; ///< its twin is made
  const td_twin *twin;      ///< whose coordinates include the robot's
  int rows;                 ///< of traces
  const double *times;      ///< [rows]
  double *q;                ///< [2 N]
  td_sight start, ours, theirs;
  td_view (*seen)[TD_VIEWS]; ///< [rods]
  td_view *strain;           ///< [rods] sqrt(x^T K x)
  bool joints;               ///< that move
} td_comparison;

/// own, how, twin, rows and times are set.  @return false: no memory; to be ended all the same
TD_NODISCARD bool td_comparison_init(td_comparison *c);
void td_comparison_fini(td_comparison *c);
/// A robot's trace a [rows][n], and b, of which `known` rows are there: one with functions [rows][N], or without
/// [rows][n].
void td_comparison_see(td_comparison *c, const double *a, const double *b, bool functions, int known);
/// Where a rod is worst, into *worst where that is worse than what stands there; by points: of rods that have more in
/// the twin.  @return the strain that the twin's functions have most of there
int td_comparison_weigh(const td_comparison *c, bool by_points, td_apart *worst);
/// Whether every rod has more points in the twin, whose motion was seen last: then it says what points do. *strains:
/// what is changed in the strains of the rod where that is most, by its largest.
bool td_comparison_strains(const td_comparison *c, double *strains);
/// Gauss points per element of a rod, of the robot or of its twin.
int td_comparison_points(const td_comparison *c, int rod, bool twin);

#endif

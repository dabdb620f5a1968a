// The way of steps of statics through bodies: two solids that may touch, looked at as points before obstacles are
// (clearance.h). A rod before itself is left out.
#ifndef TENDRIL_STATICS_CLEARANCE_PAIRS_H
#define TENDRIL_STATICS_CLEARANCE_PAIRS_H

#include "force/contact/pair/pair.h"

typedef struct td_clearance_pairs {
  td_pair_look *from, *to, *between; ///< [solid pairs], at both ends of a way, at a place of it
  double (*place)[2][3];             ///< [proxies] world, ends of their axes at `from`
  double *way;                       ///< [solids] m, that what goes farthest goes from `from` to `to`
  td_pair_look *met;                 ///< [solid pairs] of a way: the deepest yet, and n where they first touched
  double (*left)[3];                 ///< [solid pairs] n where they touched last
} td_clearance_pairs;

/// Nothing is taken where there are no pairs.
TD_NODISCARD td_status td_clearance_pairs_init(td_clearance_pairs *c, const td_model *m);
void td_clearance_pairs_fini(td_clearance_pairs *c);

/// Where poses are those of an end of the way: `from`, then `to`. Needs twists. O(proxies + what is near).
void td_clearance_pairs_begin(td_clearance_pairs *c, const td_model *m, td_workspace *ws);
void td_clearance_pairs_end(td_clearance_pairs *c, const td_model *m, td_workspace *ws);
/// Where they are those of a place of it. The same.
void td_clearance_pairs_look(td_clearance_pairs *c, const td_model *m, td_workspace *ws);

/// The longest way of two solids against what they measure together where they are thinnest.
double td_clearance_pairs_way(const td_clearance_pairs *c, const td_model *m);
/// No two can come deeper on the way than by `part` of what they measure.
bool td_clearance_pairs_stay(const td_clearance_pairs *c, const td_model *m, double part);
/// Two are deeper at `between` than at `from`, by more than that.
bool td_clearance_pairs_deepen(const td_clearance_pairs *c, const td_model *m, double part);
/// The pair that has gone through each other by all looks since `begin`: deeper than `part` on the way, no longer so at
/// its end, and apart at both ends or on the other side of each other; -1: none. deep_end: so is what has come so deep.
int td_clearance_pairs_passed(const td_clearance_pairs *c, const td_model *m, double part, bool deep_end);

#endif

// Friction of tendons and contacts is regularised: below the slip speed it fades, and holds nothing at rest. Did a run
// have any, or did what should hold creep?
#ifndef TENDRIL_RUN_JUDGE_CREEP_H
#define TENDRIL_RUN_JUDGE_CREEP_H

#include "plant/plant.h"

typedef struct td_creep {     // part of a checkpoint
  double taut, crept;         ///< s: tendons with friction were under tension; too slow for half of it
  int tendon;                 ///< the first of those that were
  double touched, slow, path; ///< s: contacts with friction touched; too slowly for half of it; m, slid meanwhile
  double radius;              ///< m, of what touched where friction was strongest at the end of that
  int contact;                ///< there
} td_creep;

/// After a step of h to y [2n]. Nothing for models without friction.
void td_creep_note(td_creep *creep, td_plant *plant, double h, const double *y);
/// Appends `friction_faded` where that was so for most of the time, and of contacts where what touched crept meanwhile by
/// a tenth of its radius.
void td_creep_tell(const td_creep *creep, const td_model *model, td_run_statistics *statistics);

#endif

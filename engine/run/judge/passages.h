// Rods that get through what they touch: a ball or a bar that gives way is no obstacle, and nothing else says so.
#ifndef TENDRIL_RUN_JUDGE_PASSAGES_H
#define TENDRIL_RUN_JUDGE_PASSAGES_H

#include "force/contact/obstacle/obstacle.h"
#include "model/model.h"

typedef enum td_passage_part { TD_PASSES_WHOLE, TD_PASSES_BASE, TD_PASSES_TIP, TD_PASSAGE_PARTS } td_passage_part;

typedef struct td_pressed {
  int contact, point; ///< of the model; the point that is nearest to the middle
  td_passage_part part;
  bool felt; ///< a point touches; else it lies between two of them
} td_pressed;

typedef struct td_side { // part of a checkpoint, as numbers
  double away[3];        ///< unit vector from the middle to where a part of the rod went deep in
  double kind;           ///< OUTSIDE, CAME_IN or BEGAN_INSIDE (passages.c)
} td_side;

typedef struct td_passages {
  int chains;           ///< rods before balls and bars; 0: nothing below is used
  td_side *side;        ///< [chains][TD_PASSAGE_PARTS]
  td_sighting *look[2]; ///< [points of all contacts] centres at two moments of a step
} td_passages;

/// Doubles of td_passages.side.
size_t td_passages_size(const td_model *model);
/// @param side  [td_passages_size] zeroed, the caller's: what a run that goes on has to know
TD_NODISCARD td_status td_passages_init(td_passages *p, const td_model *model, double *side);
void td_passages_fini(td_passages *p);

/// Whether in a step of h from `from` to `to`, sightings of all contacts' points in order, a rod gets to the other side
/// of a ball or a bar:
/// its backbone sweeps the axis of a bar; or goes into the inner half of a ball from one side and is on the other; or
/// an end of it that is joined to no other rod does so, of a ball or a bar. What begins there is left out until it has
/// been outside. Cost: O(points); near such an obstacle in each of up to 8192 moments of the step. No allocation.
bool td_passages_find(td_passages *p, const td_model *model, double h, const td_sighting *from, const td_sighting *to,
                      td_pressed *where);

#endif

// Touches between bodies as blocks between the frames that they hang on: a list of blocks for any frame.
#ifndef TENDRIL_FORCE_CONTACT_PAIR_BLOCKS_H
#define TENDRIL_FORCE_CONTACT_PAIR_BLOCKS_H

#include "force/contact/pair.h"

/// Leaves none.
void td_touch_blocks_clear(const td_model *m, td_workspace *ws);
/// One more touch has a place.
bool td_touch_blocks_have_room(const td_model *m, const td_workspace *ws);
/// Adds what a touch does by how its frames move: minus what it adds to did_dq and did_dqd. `grip` has velocities. O(1)
/// but for the blocks of a frame.
/// whole: td_pairs_turn.
void td_touch_blocks_add(const td_model *m, td_workspace *ws, const td_grip *grip, bool whole);

#endif

// A corner between two steps that lie on different sides of a kink (kink.h).
#ifndef TENDRIL_GRADIENT_KINK_CORNER_H
#define TENDRIL_GRADIENT_KINK_CORNER_H

#include "gradient/chain.h"

/// c->T and c->L at the start of the step; td_kinks_enter of it came before.
TD_NODISCARD td_status td_corner_forward(td_chain *c, const td_note *step);
TD_NODISCARD td_status td_corner_backward(td_chain *c, const td_note *step);

#endif

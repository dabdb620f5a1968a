// What an initial state must agree with.
#ifndef TENDRIL_INPUT_INITIAL_CHECK_H
#define TENDRIL_INPUT_INITIAL_CHECK_H

#include "spec/place.h"
#include "tendril/run.h"

/// q and qd of the document against prescribed joints at t = 0. After the checks of lengths and of inputs. Cold;
/// allocates.
TD_NODISCARD td_status td_initial_check(const td_place *initial, const td_model *model, const td_dynamics_spec *spec);

/// Refuses equilibria of models whose contacts have friction: TD_UNSUPPORTED at /model/contacts/i/friction.
TD_NODISCARD td_status td_rest_check(const td_place *root, const td_model *model);

/// Refuses q [n] at which a rod is turned inside out.
TD_NODISCARD td_status td_initial_shape_check(const td_model *model, const double *q, const char *pointer,
                                              td_error *err);

#endif

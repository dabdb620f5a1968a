// All that is wrong with a document at once, where one error does not follow from another.
#ifndef TENDRIL_ERRORS_H
#define TENDRIL_ERRORS_H

#include "tendril/status.h"
#include <stdbool.h>

struct td_model_spec;

enum { TD_MAX_ERRORS = 8 };

/// Errors in the order in which they were found. All zero: none.
typedef struct td_errors {
  int count;
  td_error list[TD_MAX_ERRORS];
} td_errors;

/// Copies an error behind the others, unless it is one of them. A check that is asked for all errors goes on
/// with what is independent while this is true.
/// @param all  NULL: only the first error is wanted
/// @return whether there may be more: false of NULL, of a full list, and where memory is what fails
TD_API bool td_errors_add(td_errors *all, const td_error *err);

/// Adds those of `more` that are not in `all`, as far as there is room.
TD_API void td_errors_join(td_errors *all, const td_errors *more);

/// All independent errors of a spec that td_model_create refuses: of each link, actuator, load, loop, spring and contact
/// the first one, and of each section whose needs are sound. The first is td_model_create's; none: the rules of a spec are
/// kept, whatever else stood in the way. Cost: of the checks of td_model_create.
/// @param all  overwritten
TD_API void td_model_errors(const struct td_model_spec *spec, td_errors *all);

#endif

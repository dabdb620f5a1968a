// Every rule of a model document beyond JSON types: ranges, names, references, counts.
#ifndef TENDRIL_SPEC_SPEC_CHECK_H
#define TENDRIL_SPEC_SPEC_CHECK_H

#include "tendril/spec.h"
#include "tendril/warnings.h"

/// @param spec  any; pointers and counts must be true, every value is checked
/// @param warnings  appended to: what is odd but may be meant; may be NULL
/// @param err   on failure the JSON pointer of the place, in the document's own keys, and a sentence with the value
/// @return TD_OK, TD_INVALID_ARGUMENT, TD_UNSUPPORTED or TD_NO_MEMORY.  Cold; allocates and frees.
TD_NODISCARD td_status td_spec_check(const td_model_spec *spec, td_warnings *warnings, td_error *err);

#endif

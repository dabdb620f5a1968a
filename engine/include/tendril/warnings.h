// Warnings: what is odd but can be computed. A bounded list of {code, pointer, detail}, filled by the checks of a model
// (td_model_warnings), by the checks of a job (td_dynamics_check) and by runs (td_run_statistics.warnings).
//
// An error stops; a warning travels with the answer. A list is a plain value that can be copied: nothing here allocates.
#ifndef TENDRIL_WARNINGS_H
#define TENDRIL_WARNINGS_H

#include "tendril/status.h"
#include <stddef.h>

enum { TD_MAX_WARNINGS = 16, TD_WARNING_CODE_SIZE = 32 };

typedef struct td_warning {
  char code[TD_WARNING_CODE_SIZE]; ///< a word for machines, snake_case: "energy_error"
  char pointer[TD_POINTER_SIZE];   ///< JSON pointer into the model document or the job, "" for the whole
  char detail[TD_MESSAGE_SIZE];    ///< for people: what is odd, with its value, and what to do
} td_warning;

typedef struct td_warnings {
  int count;   ///< of `list`
  int dropped; ///< warnings that found no place
  td_warning list[TD_MAX_WARNINGS];
} td_warnings;

/// Appends a warning to `warnings` (NULL: does nothing). What is said already, the same code at the same pointer, is said
/// once: the first one stays. Beyond TD_MAX_WARNINGS they are only counted. Pointers that do not fit are cut at a UTF-8
/// boundary, details behind a word, with " …".
TD_API void td_warn(td_warnings *warnings, const char *code, const char *pointer, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/// Appends all of `from` (NULL: none), their pointers behind `prefix`.
TD_API void td_warnings_append(td_warnings *warnings, const char *prefix, const td_warnings *from);

#endif

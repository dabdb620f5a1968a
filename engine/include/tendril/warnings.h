// Warnings: what is odd but can be computed. A bounded list of {code, pointer, detail}, filled by the checks of a model
// (td_model_warnings), by the checks of a job (td_dynamics_check) and by runs (td_run_statistics.warnings).
//
// An error stops; a warning travels with the answer. A list is a plain value that can be copied: nothing here
// allocates.
#ifndef TENDRIL_WARNINGS_H
#define TENDRIL_WARNINGS_H

#include "tendril/status.h"
#include <stddef.h>

enum { TD_MAX_WARNINGS = 32, TD_WARNING_CODE_SIZE = 32, TD_WARNING_PLACES_SIZE = 192, TD_WARNING_TEXT_SIZE = 800 };

/// What a code says of an answer; lists stand in this order.
typedef enum td_warning_rank {
  TD_RANK_FALSE,    ///< it is not what its equations say
  TD_RANK_DOUBTFUL, ///< it may not be what was asked for
  TD_RANK_RUN,      ///< how a run came to it
  TD_RANK_ODD,      ///< numbers that were likely meant otherwise
} td_warning_rank;

typedef struct td_warning {
  char code[TD_WARNING_CODE_SIZE];   ///< a word for machines, snake_case: "energy_error"
  char pointer[TD_POINTER_SIZE];     ///< JSON pointer into the model document or the job, "" for the whole
  char detail[TD_MESSAGE_SIZE];      ///< for people: what is odd, with its value, and what to do
  int more;                          ///< further places of the same code, folded into this warning, the first of them
  int named;                         ///< as many of these are in `also`
  char also[TD_WARNING_PLACES_SIZE]; ///< their pointers: "/links/1, /links/2"
} td_warning;

typedef struct td_warnings {
  int count;   ///< of `list`
  int dropped; ///< warnings that found no place
  td_warning list[TD_MAX_WARNINGS];
} td_warnings;

/// Every code that there is, those of a server too, the worst first: i in [0, td_warning_code_count).
TD_API int td_warning_code_count(void);
TD_API const char *td_warning_code(int i);
/// The rank of a code; those of unknown codes is TD_RANK_ODD.
TD_API td_warning_rank td_warning_rank_of(const char *code);

/// Puts a warning into `warnings` (NULL: does nothing), behind those of its rank. What is said already, the same code
/// at the same pointer, is said once: the first one stays. From the fourth place of a code on, or where the list is
/// full, its warnings are folded into the first, which counts them. Only a list of TD_MAX_WARNINGS different codes
/// drops what ranks last, and counts that: no warning of the first two ranks. Pointers that do not fit are cut at a
/// UTF-8 boundary, details behind a word, with " …".
TD_API void td_warn(td_warnings *warnings, const char *code, const char *pointer, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/// Puts one warning of another list, its pointers behind `prefix`.
TD_API void td_warnings_add(td_warnings *warnings, const char *prefix, const td_warning *one);

/// Puts all of `from` (NULL: none), their pointers behind `prefix`.
TD_API void td_warnings_append(td_warnings *warnings, const char *prefix, const td_warnings *from);

/// The detail with what was folded into it: "… (12 of these; also at /links/1, /links/2 and 9 more)".
TD_API void td_warning_text(const td_warning *warning, char text[TD_WARNING_TEXT_SIZE]);

#endif

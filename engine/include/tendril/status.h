// Status codes and error details shared by every part of Tendril.
//
// A fallible call returns td_status. Cold calls (building a model, checking a job) take a last `td_error *` that
// receives the status, a JSON pointer into the document at fault and a sentence that names the offending value.
#ifndef TENDRIL_STATUS_H
#define TENDRIL_STATUS_H

#define TD_API __attribute__((visibility("default")))
#define TD_NODISCARD __attribute__((warn_unused_result))

typedef enum td_status {
  TD_OK = 0,
  TD_INVALID_ARGUMENT, ///< a document, state or setting is wrong; td_error names the place
  TD_UNSUPPORTED,      ///< well-formed, but this build cannot do it; td_error says what
  TD_NO_MEMORY,        ///< an allocation failed
  TD_NONFINITE,        ///< a result is infinite or not a number
  TD_SINGULAR,         ///< a matrix that must be inverted is singular (mass matrix not positive definite)
  TD_NOT_CONVERGED,    ///< an iteration ended without reaching its tolerance
  TD_STEP_TOO_SMALL,   ///< an integrator could not meet its tolerance with any step
  TD_CANCELLED,        ///< a hook asked to stop
  TD_LIMIT,            ///< a declared limit (steps, wall time, size) was reached
  TD_UNCONVERGED,      ///< a list of problems has some without a solution
  TD_INCONSISTENT,     ///< a run came to its end, but its own accounts contradict the equations of motion
  TD_INTERNAL,         ///< a defect of ours
  TD_STATUS_COUNT
} td_status;

enum { TD_POINTER_SIZE = 256, TD_MESSAGE_SIZE = 512 };

typedef struct td_error {
  td_status status;
  char pointer[TD_POINTER_SIZE]; ///< JSON pointer (RFC 6901), "" for the whole document
  char message[TD_MESSAGE_SIZE]; ///< one sentence with the offending value
} td_error;

/// The snake_case name of a status, as it stands in results and problem documents ("not_converged").
TD_API const char *td_status_name(td_status status);

/// Fills `err` (which may be NULL) and returns `status`, so that a check reads `return td_fail(err, …)`.
/// A pointer that does not fit is cut at a UTF-8 boundary, a message behind a word, with " …".
TD_API td_status td_fail(td_error *err, td_status status, const char *pointer, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif

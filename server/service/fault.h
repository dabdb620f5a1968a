// Why a use case cannot be carried out, in the words of the API; transports turn it into a problem document or a
// status.
#ifndef SERVER_SERVICE_FAULT_H
#define SERVER_SERVICE_FAULT_H

#include "codec/wire/problem.h"
#include "store/store.h"

#include <stdbool.h>

typedef struct fault {
  problem_code code;
  int retry_after_s; ///< of rate_limited and unavailable; 0: not said
  bool has_pointer;
  char pointer[TD_POINTER_SIZE]; ///< into the request body
  char detail[TD_MESSAGE_SIZE];
  td_errors all; ///< of several that do not follow from one another, this one first; else none
} fault;

/// Fills `f`; always false, so that a use case reads `return fault_set(f, …)`. pointer may be NULL.
bool fault_set(fault *f, problem_code code, const char *pointer, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/// From an engine or codec error about the request.
bool fault_from_error(fault *f, const td_error *err);
/// What else is wrong in the same document. Where there is nothing else, the fault stays as it is.
void fault_add(fault *f, const td_errors *found);
/// From a store status other than STORE_OK; `what` names the thing asked for ("model \"cdm\"").
bool fault_from_store(fault *f, store_status status, const char *what);

#endif

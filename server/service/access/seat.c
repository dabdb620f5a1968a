// A place of the many that callers hold for long, or the reason why there is none.
#include "service/access/seat.h"

bool seat_take(seats *from, const auth_caller *who, const char *words, const char *option, fault *f) {
  seats_answer answer = seats_take(from, who->account);
  if (answer == SEATS_TAKEN) return true;
  if (answer == SEATS_ALL)
    return fault_set(f, PROBLEM_RATE_LIMITED, NULL, "there are %d %s already, the limit", seats_all(from), words);
  return fault_set(f, PROBLEM_RATE_LIMITED, NULL,
                   "this %s has %d %s already, its share (%s): take or leave one of them first",
                   *who->id ? "token" : "address", seats_each(from), words, option);
}

// The rows of the lines in operations.h.
#include "service/operations.h"
#include "base/log/metrics.h"

#include <assert.h>

const operation operations[OPERATION_COUNT] = {
#define LINE(ID, name, scope, pool, work) [OPERATION_##ID] = {#name, AUTH_##scope, OPERATION_##pool, OPERATION_##work},
    OPERATIONS(LINE)
#undef LINE
};

bool operation_starts_work(const operation *o) {
  return o->work == OPERATION_EVALUATES || o->work == OPERATION_CHANGES;
}

bool operation_is_quiet(const operation *o) { return o->work == OPERATION_LOOKS || o->work == OPERATION_EVALUATES; }

enum { SERIES_OF_FACE = OPERATION_COUNT + 1 }; // the last: of no operation
_Static_assert(OPERATION_FACE_COUNT *SERIES_OF_FACE <= METRIC_ROUTES, "a series for every operation over every face");

int operation_series(operation_face face, const operation *o) {
  assert(!o || (o >= operations && o < operations + OPERATION_COUNT));
  return (int)face * SERIES_OF_FACE + (o ? (int)(o - operations) : OPERATION_COUNT);
}

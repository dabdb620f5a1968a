// The table of controllers (parts.h), and the words that a controller's document has.
#include "control/parts.h"

enum {
  JOINT = 1 << TD_SPACE_JOINT,
  TENDON = 1 << TD_SPACE_TENDON,
  TIP = 1 << TD_SPACE_TIP,
  INPUT = 1 << TD_SPACE_INPUT
};

const td_controller_row td_controller_pd_plus = {.name = "pd_plus",
                                                 .law = TD_LAW_REGULATE,
                                                 .spaces = JOINT | TENDON | TIP,
                                                 .eval = td_regulate,
                                                 .slopes = td_regulator_slopes};
const td_controller_row td_controller_computed_torque = {
    .name = "computed_torque", .law = TD_LAW_LINEARISE, .spaces = JOINT | TIP};
const td_controller_row td_controller_partial_feedback_linearisation = {
    .name = "partial_feedback_linearisation", .law = TD_LAW_LINEARISE, .spaces = JOINT | TENDON | TIP};
const td_controller_row td_controller_feed_forward = {.name = "feed_forward",
                                                      .law = TD_LAW_FEED_FORWARD,
                                                      .spaces = INPUT | JOINT | TENDON | TIP,
                                                      .eval = td_feed_forward};

#define ENTRY(word, row) &td_controller_##row,
static const td_controller_row *const table[TD_CONTROLLER_TYPE_COUNT] = {TD_CONTROLLERS(ENTRY)};

const td_controller_row *td_controller_get(td_controller_type type) {
  return (unsigned)type < TD_CONTROLLER_TYPE_COUNT ? table[type] : NULL;
}

const char *td_controller_type_name(td_controller_type type) {
  const td_controller_row *row = td_controller_get(type);
  return row ? row->name : NULL;
}

const char *td_reference_space_name(td_reference_space space) {
  static const char *const names[TD_SPACE_COUNT] = {"joint", "tendon", "tip", "input"};
  return (unsigned)space < TD_SPACE_COUNT ? names[space] : NULL;
}

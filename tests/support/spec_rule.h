// Rules of a model document as data: how to break the robot of support/robot.h, and what must be said about it.
#ifndef TENDRIL_TEST_SPEC_RULE_H
#define TENDRIL_TEST_SPEC_RULE_H

#include "support/robot.h"

typedef struct spec_rule {
  const char *says; ///< the rule, a sentence
  void (*apply)(robot *r);
  td_status status;
  const char *pointer; ///< expected place
  const char *words;   ///< expected within the message
} spec_rule;

/// Breaks a fresh robot by each rule in turn and fails the test unless td_spec_check answers as the rule says.
void spec_rules_check(const spec_rule *rules, size_t count);

/// A function `name` that runs the statements on robot *r.
#define BREAK(name, ...)                                                                                               \
  static void name(robot *r) { __VA_ARGS__; }

#define CHECK_RULES(rules) spec_rules_check(rules, sizeof(rules) / sizeof(rules)[0])

#endif

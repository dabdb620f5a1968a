// See spec_rule.h.
#include "support/spec_rule.h"
#include "spec/spec_check.h"
#include <check.h>
#include <string.h>

static void check_error(const spec_rule *rule, td_status status, const td_error *err) {
  if (status == TD_OK) return;
  ck_assert_msg(err->status == status, "%s: error holds status %s", rule->says, td_status_name(err->status));
  ck_assert_msg(!strcmp(err->pointer, rule->pointer), "%s: pointer %s instead of %s (%s)", rule->says, err->pointer,
                rule->pointer, err->message);
  ck_assert_msg(strstr(err->message, rule->words) != NULL, "%s: message %s", rule->says, err->message);
}

void spec_rules_check(const spec_rule *rules, size_t count) {
  for (size_t i = 0; i < count; i++) {
    robot r;
    td_error err = {.status = TD_OK};
    robot_init(&r);
    rules[i].apply(&r);
    td_status status = td_spec_check(&r.spec, NULL, &err);
    ck_assert_msg(status == rules[i].status, "%s: status %s, %s %s", rules[i].says, td_status_name(status), err.pointer,
                  err.message);
    check_error(&rules[i], status, &err);
    ck_assert_int_eq(td_spec_check(&r.spec, NULL, NULL), status);
  }
}

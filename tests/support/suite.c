// Runs a list of tests as one suite with one case, so that every test program has the same few lines of main.
#include "support/suite.h"

int test_suite_run_each(const char *name, const TTest *const *tests, size_t count, int times) {
  Suite *suite = suite_create(name);
  TCase *tcase = tcase_create(name);
  for (size_t i = 0; i < count; i++) tcase_add_loop_test(tcase, tests[i], 0, times);
  suite_add_tcase(suite, tcase);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_ENV);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed;
}

int test_suite_run(const char *name, const TTest *const *tests, size_t count) {
  return test_suite_run_each(name, tests, count, 1);
}

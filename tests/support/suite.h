// The main of a test program: one libcheck suite from a list of tests.
//     TEST_MAIN("spline", spline_is_natural, spline_is_C2)
#ifndef TENDRIL_TEST_SUITE_H
#define TENDRIL_TEST_SUITE_H

#include <check.h>
#include <stddef.h>
#include <stdlib.h>

/// Runs the tests (CK_FORK decides about forking) and returns the number of failures.
int test_suite_run(const char *name, const TTest *const *tests, size_t count);

#define TEST_MAIN(name, ...)                                                                                           \
  int main(void) {                                                                                                     \
    const TTest *const tests[] = {__VA_ARGS__};                                                                        \
    return test_suite_run(name, tests, sizeof tests / sizeof tests[0]) ? EXIT_FAILURE : EXIT_SUCCESS;                  \
  }

#endif

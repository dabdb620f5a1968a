// The main of a test program: one libcheck suite from a list of tests.
//     TEST_MAIN("spline", spline_is_natural, spline_is_C2)
#ifndef TENDRIL_TEST_SUITE_H
#define TENDRIL_TEST_SUITE_H

#include <check.h>
#include <stddef.h>
#include <stdlib.h>

// Where a test was when it crashed: libcheck writes it to a file at every assertion that holds. Tests do not fork
// (CK_FORK=no), so that nobody would read it, and assertions in loops take most of their time for it.
#define _mark_point(file, line) ((void)0)

/// Runs the tests (CK_FORK decides about forking) and returns the number of failures.
int test_suite_run(const char *name, const TTest *const *tests, size_t count);
/// The same, each with _i = 0 … times - 1.
int test_suite_run_each(const char *name, const TTest *const *tests, size_t count, int times);

#define TEST_MAIN(name, ...) TEST_MAIN_EACH(name, 1, __VA_ARGS__)
/// The same, each test so many times: for each of several implementations of one interface.
#define TEST_MAIN_EACH(name, times, ...)                                                                               \
  int main(void) {                                                                                                     \
    const TTest *const tests[] = {__VA_ARGS__};                                                                        \
    return test_suite_run_each(name, tests, sizeof tests / sizeof tests[0], times) ? EXIT_FAILURE : EXIT_SUCCESS;      \
  }

#endif

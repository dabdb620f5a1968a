// How thorough a program of many robots is: sanitizers, which see a mistake in any of them, are ten times as slow and
// look at a part.
#ifndef TENDRIL_TESTS_THOROUGH_H
#define TENDRIL_TESTS_THOROUGH_H

#ifdef __SANITIZE_ADDRESS__
enum { SANITIZED = 1, FEWER = 6 }; ///< of robots every FEWER-th
#else
enum { SANITIZED = 0, FEWER = 1 };
#endif

#endif

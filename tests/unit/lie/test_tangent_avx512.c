// The tangent of the exponential on registers of AVX-512, eight lanes and fused multiply-add (tangent_law.h).
#define TANGENT_LEVEL "x86-64-v4"
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC target("arch=x86-64-v4")
#endif
#include "tangent_law.h"

TEST_MAIN("tangent_avx512", TANGENT_TESTS)

// The tangent of the exponential on registers of AVX2, four lanes and fused multiply-add (tangent_law.h).
#define TANGENT_LEVEL "x86-64-v3"
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC target("arch=x86-64-v3")
#endif
#include "tangent_law.h"

TEST_MAIN("tangent_avx2", TANGENT_TESTS)

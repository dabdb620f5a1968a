// The tangent of the exponential on registers of AVX-512, eight lanes and fused multiply-add (tangent_law.h).
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC target("arch=x86-64-v4")
#endif
#include "tangent_law.h"

TANGENT_MAIN("tangent_avx512", __builtin_cpu_supports("avx512dq"))

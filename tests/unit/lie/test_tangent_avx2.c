// The tangent of the exponential on registers of AVX2, four lanes and fused multiply-add (tangent_law.h).
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC target("arch=x86-64-v3")
#endif
#include "tangent_law.h"

TANGENT_MAIN("tangent_avx2", __builtin_cpu_supports("avx2"))

// A quantity along a rod, frozen: constant, linear from base to tip, or a natural cubic spline.
#ifndef TENDRIL_STRAIN_PROFILE_H
#define TENDRIL_STRAIN_PROFILE_H

#include "tendril/spec.h"

typedef struct td_profile_fixed td_profile_fixed;

/// Copies a profile that td_spec_check has accepted.  @return TD_OK or TD_NO_MEMORY
TD_NODISCARD td_status td_profile_fixed_create(const td_profile *profile, td_profile_fixed **fixed);
void td_profile_fixed_destroy(td_profile_fixed *fixed);
/// Numbers at each abscissa.
size_t td_profile_fixed_width(const td_profile_fixed *fixed);
/// out [width] at X/L = s. Pure, no allocation.
void td_profile_fixed_eval(const td_profile_fixed *fixed, double s, double *out);

#endif

// How far tips are from where a controller of the job wanted them.
#ifndef TENDRIL_CLIENT_TIP_ERROR_H
#define TENDRIL_CLIENT_TIP_ERROR_H

#include "plot/recording.h"

/// Distance [samples], m, of the index-th tip of the job's controllers that have a reference in tip space; NULL when
/// there is no such tip, its poses were not recorded, or the reference is none. *tip (borrowed) receives its name.
/// The caller frees it.
double *tip_error_of(const recording *r, size_t index, const char **tip);

#endif

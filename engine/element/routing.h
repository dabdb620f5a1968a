// Path of a tendon in a rod's section, frozen: d(s) = (y, z) and its derivative with respect to s = X/L.
#ifndef TENDRIL_ELEMENT_ROUTING_H
#define TENDRIL_ELEMENT_ROUTING_H

#include "tendril/spec.h"

enum { TD_MAX_ROUTING_DEPTH = 8, TD_MAX_ROUTING_TERMS = 64 };

typedef struct td_routing td_routing;

/// Freezes a routing that td_spec_check has accepted; nested sums become one flat list of terms.
/// @return TD_OK; TD_INVALID_ARGUMENT when sums are nested deeper than TD_MAX_ROUTING_DEPTH or have more than
/// TD_MAX_ROUTING_TERMS terms in all; TD_NO_MEMORY
TD_NODISCARD td_status td_routing_create(const td_routing_spec *spec, td_routing **routing);
void td_routing_destroy(td_routing *routing);
/// d [2] (m) and dd_ds [2] (m per unit of s). Pure, no allocation.
void td_routing_eval(const td_routing *routing, double s, double d[2], double dd_ds[2]);

#endif

// What the forces of water act on, laid out once for all of them.
#ifndef TENDRIL_FORCE_WATER_FLUID_H
#define TENDRIL_FORCE_WATER_FLUID_H

#include "model/model.h"

/// td_model.fluid, water, immersed, resistive. `build` of water's first row: the others find it there.
/// @return TD_OK or TD_NO_MEMORY
TD_NODISCARD td_status td_water_build(td_model *m, const td_model_spec *spec);

#endif

// Rows of the table of forces, one per kind (force.h); each is defined in the file that bears its name.
#ifndef TENDRIL_FORCE_FORCE_TABLE_H
#define TENDRIL_FORCE_FORCE_TABLE_H

#include "force/force.h"

// on bodies
extern const td_force td_force_added_mass, td_force_drag, td_force_immersed, td_force_contact, td_force_load,
    td_force_buoyancy;
// on coordinates
extern const td_force td_force_tendon, td_force_joint, td_force_pressure, td_force_magnetism, td_force_elasticity,
    td_force_tendon_law, td_force_spring;

#endif

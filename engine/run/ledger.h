// Energy bookkeeping of a run: work of actuators and loads, dissipation, integrated along the computed motion.
#ifndef TENDRIL_RUN_LEDGER_H
#define TENDRIL_RUN_LEDGER_H

#include "integrate/integrator.h"

typedef struct td_ledger { // J, from the start of the run
  double actuation, loads, prescribed, hydrodynamics, loops, dissipation, rubbing, exchanged;
  /// of resistance to motion through the water: what a current gives and takes beside it takes no error away
  double heat;
} td_ledger;

/// Doubles of scratch that td_ledger_add_step needs.
size_t td_ledger_scratch(const td_plant *plant);
/// Adds the last step of `stepper`, from t0 to t1.
void td_ledger_add_step(td_ledger *ledger, td_plant *plant, const td_integrator *method, td_stepper *stepper, double t0,
                        double t1, double *scratch);

/// The balance of a run whose energy went from `before` to `after`.
td_energy_balance td_ledger_balance(const td_ledger *ledger, const td_energy *before, const td_energy *after);

#endif

// Written by api/write_kinds.py from the engine's tables: change those.
#ifndef TENDRIL_CLIENT_KINDS_H
#define TENDRIL_CLIENT_KINDS_H

// clang-format off
/// What evaluate gives, for help: lines of words.
#define KINDS_QUANTITIES \
  "id tau residual mass id_terms tau_terms energy poses jacobians tendons chambers tensions contacts\n" \
  "contact_force contact_place did_dq did_dqd did_dqdd did_du dtau_dq dtau_dqd dtau_du fd dfd_dq\n" \
  "dfd_dqd dfd_du lambda dlambda_dq dlambda_dqd dlambda_du loop_error loop_jacobian x_next dx_next_dx\n" \
  "dx_next_du dx_next_dp did_dp dtau_dp dresidual_dp dfd_dp dlambda_dp dposes_dp dtendons_dp jvp vjp"
/// Codes of warnings that say that a result is not to be trusted, for an array of texts.
#define KINDS_UNTRUE "energy_error", "loop_work", "loop_open", "unconverged", "inside_out", "wrong_derivative"
// clang-format on

#endif

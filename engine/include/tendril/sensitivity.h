// How equilibria move with numbers of the model and with their inputs.
//
// Shapes: n coordinates, m channels, c multipliers (rows of loops, then prescribed coordinates), np parameters.
// Matrices are row-major, row = output, column = parameter. Units: that of the output by that of the parameter.
#ifndef TENDRIL_SENSITIVITY_H
#define TENDRIL_SENSITIVITY_H

#include "tendril/parameters.h"
#include "tendril/statics.h"

/// Scratch for one thread; must not outlive its model and parameters.
typedef struct td_sensitivity td_sensitivity;
/// @param model        borrowed
/// @param count        np
/// @param parameters   those of the np that are numbers of that model, borrowed; NULL: none is
/// @param number       [td_parameters_count] which of the np these are, rising; NULL: the first, in their order
/// @param sensitivity  out; owned by the caller, td_sensitivity_destroy
/// @return TD_OK or TD_NO_MEMORY
TD_API TD_NODISCARD td_status td_sensitivity_create(const td_model *model, size_t count,
                                                    const td_parameters *parameters, const size_t *number,
                                                    td_sensitivity **sensitivity);
/// @param sensitivity  may be NULL
TD_API void td_sensitivity_destroy(td_sensitivity *sensitivity);
/// td_statics_sensitivity ends early with TD_CANCELLED when *stop is set meanwhile. NULL: never.
TD_API void td_sensitivity_watch(td_sensitivity *sensitivity, const _Atomic bool *stop);

/// An equilibrium, and what of it depends on the parameters beside the model.
typedef struct td_equilibrium {
  const double *q;         ///< [n] as td_statics_solve left it
  const double *rates;     ///< [n] of prescribed joints that turn on, 0 of all others; NULL: all stand
  const double *u;         ///< [m] inputs
  const double *du_dp;     ///< [m][np] NULL: inputs depend on no parameter
  const double *drates_dp; ///< [n][np] NULL: rates depend on none
  /// Told where it stands just at a stop or an obstacle of exponent 1 (`contact_kink`): the derivatives are those of one
  /// side. NULL: nobody is.
  td_warnings *warnings;
} td_equilibrium;

/// Derivatives of an equilibrium. tau(q, 0, u, p) + A^T lambda = ID and e(q, p) = 0 hold for all p:
///   [K -A^T; A 0] (dq; dlambda) = (r_p + r_u du; -e_p)    on free coordinates, r = tau - ID + A^T lambda, K = -dr/dq,
/// prescribed ones follow their inputs. Where rows of loops depend on each other, by the rank that holds there.
/// @param dq_dp       [n][np] out
/// @param dlambda_dp  [c][np] out, of td_statics_result.lambda; may be NULL
/// @return TD_SINGULAR with the reason in `err` where they do not exist: K is singular at limit points, branch points
///         and of robots that float: all is NaN; or rows of loops that depend on each other part with a parameter
///         (pointer: its name): its column is NaN. The others are right. TD_INVALID_ARGUMENT: forces do not balance at
///         q. TD_NONFINITE, TD_CANCELLED.
/// Cost: one evaluation of forces, one of K, the residuals of all neighbours, O(n^3 + n^2 np); no allocation.
TD_API TD_NODISCARD td_status td_statics_sensitivity(td_sensitivity *sensitivity, const td_equilibrium *at,
                                                     double *dq_dp, double *dlambda_dp, td_error *err);

/// What cotangents of an equilibrium are pulled back to: of inputs [m] (NULL: not wanted) and of numbers of the model
/// [td_parameters_count] (may be NULL where there are none).
typedef struct td_equilibrium_cotangent {
  double *u, *p;
} td_equilibrium_cotangent;
/// The transpose of td_statics_sensitivity: q^T dq + lambda^T dlambda = u^T du + p^T dp of all du and dp.
/// @param at         its du_dp is not read; drates_dp must be NULL
/// @param q, lambda  [n], [c] cotangents; lambda NULL: zero
/// @param out        overwritten
/// @return as td_statics_sensitivity; where rows of loops part with a number its entry is NaN, and the status
///         TD_SINGULAR; where they part with the input of a joint that entry is NaN, whatever the status
/// Cost: as td_statics_sensitivity with one column in place of np, and two products with each of r_p and e_p.
TD_API TD_NODISCARD td_status td_statics_cotangent(td_sensitivity *sensitivity, const td_equilibrium *at,
                                                   const double *q, const double *lambda,
                                                   const td_equilibrium_cotangent *out, td_error *err);

// ---- fields

/// As td_statics_output_members, of fields that are differentiated: "q", "u" and "lambda" are among them. Pointers:
/// /sensitivity/fields/1.
/// @param members   [capacity] out: shapes of the fields themselves, offsets in numbers of a row
/// @param row_size  out: numbers of a row, of which each has np derivatives
/// @return their count, -1 with `err`
TD_API int td_sensitivity_members(const td_model *model, const char *const *fields, size_t field_count,
                                  td_member *members, int capacity, size_t *row_size, td_error *err);

/// Scratch of one thread for fields of equilibria; must not outlive what it was made of.
typedef struct td_sensitivity_rows td_sensitivity_rows;
/// @param fields  [field_count] checked by td_sensitivity_members; the others as of td_sensitivity_create
TD_API TD_NODISCARD td_status td_sensitivity_rows_create(const td_model *model, size_t count,
                                                         const td_parameters *parameters, const size_t *number,
                                                         const char *const *fields, size_t field_count,
                                                         td_sensitivity_rows **rows, td_error *err);
/// @param rows  may be NULL
TD_API void td_sensitivity_rows_destroy(td_sensitivity_rows *rows);
TD_API void td_sensitivity_rows_watch(td_sensitivity_rows *rows, const _Atomic bool *stop);
/// Derivatives of all fields of an equilibrium: F_p + F_q dq + F_u du.
/// @param row_dp  [row_size][np] out; NaN where there are none
/// @return as td_statics_sensitivity
/// Cost: that of td_statics_sensitivity, and of each field what td_output_slopes_at says; no allocation.
TD_API TD_NODISCARD td_status td_sensitivity_rows_at(td_sensitivity_rows *rows, const td_equilibrium *at,
                                                     double *row_dp, td_error *err);
/// Its transpose: row^T drow = u^T du + p^T dp, u [m] and p [np] out (those of inputs are not in p). Fields whose
/// cotangents all are 0 cost nothing.
/// @return as td_statics_cotangent
TD_API TD_NODISCARD td_status td_sensitivity_rows_pull(td_sensitivity_rows *rows, const td_equilibrium *at,
                                                       const double *row, double *u, double *p, td_error *err);

#endif

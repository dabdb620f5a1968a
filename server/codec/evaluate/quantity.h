// Quantities that evaluate knows: the engine's, then those by parameters and products with derivatives, numbered on.
#ifndef TENDRIL_CODEC_EVALUATE_QUANTITY_H
#define TENDRIL_CODEC_EVALUATE_QUANTITY_H

#include "codec/document/parameters/parameters.h"
#include "tendril/dynamics.h"
#include "tendril/parameters.h"
#include "tendril/step.h"

/// What answers are differentiated by: a request's list, its numbers in the model's document, the model frozen around
/// them. NULL everywhere: by nothing.
typedef struct codec_by {
  const parameter_list *list;
  const parameter_set *set;
  const td_parameters *parameters;
} codec_by;

/// What a state's products are made of.
typedef enum codec_factor {
  CODEC_JVP_Q,
  CODEC_JVP_QD,
  CODEC_JVP_U,
  CODEC_JVP_P,
  CODEC_VJP_COTANGENT,
  CODEC_FACTOR_COUNT
} codec_factor;
typedef struct codec_product {
  const double *factor[CODEC_FACTOR_COUNT]; ///< NULL: zero, or not asked for
  size_t length[CODEC_FACTOR_COUNT];        ///< as sent
  bool jvp, vjp;                            ///< which of the two the state asks for
} codec_product;

/// All of them; td_quantity_count() is the first that the engine does not know.
int codec_quantity_count(void);
/// "dfd_dp"; constant memory, NULL beyond the last.
const char *codec_quantity_name(int quantity);
/// Index by name, -1 when unknown.
int codec_quantity_find(const char *name);
/// Index of the products, which are wanted by the states that carry their factors.
int codec_quantity_jvp(void);
int codec_quantity_vjp(void);
/// Who computes a quantity; wanted ones stand in this order.
typedef enum codec_family {
  CODEC_OF_STATE,     ///< the engine: td_evaluate
  CODEC_OF_STEP,      ///< the discrete map: td_step
  CODEC_BY_PARAMETERS ///< td_parameters, products last (of no parameters where a product is by none)
} codec_family;
codec_family codec_quantity_family(int quantity);
/// It has a column for each of the request's parameters.
bool codec_quantity_by_parameters(int quantity);
/// Its layout, as td_quantity_members.
/// @param np  how many parameters there are
int codec_quantity_members(const td_model *model, size_t np, int quantity, td_member *members, int capacity,
                           size_t *total);
/// Seconds for one state, as td_evaluate_cost.
/// @param substeps  of the step that is wanted
double codec_quantity_cost(const td_model *model, const td_parameters *parameters, int substeps, const int *want,
                           int count);

/// Evaluates quantities of the step from a state: x_next and its derivatives.
/// @param want  [count] of CODEC_OF_STEP
/// @param x     [4n] scratch
/// @param out   [count] blocks
TD_NODISCARD td_status codec_quantity_step(td_step *step, int n, const td_state *state, const int *want, int count,
                                           double *x, double *const *out, td_error *err);

/// Evaluates quantities by parameters and products, sharing what they have in common.
/// @param want     [count] of them
/// @param product  of this state, may be NULL where no product is wanted
/// @param out      [count] blocks
/// @return as td_evaluate
TD_NODISCARD td_status codec_quantity_evaluate(const td_model *model, const td_parameters *parameters,
                                               td_parameter_workspace *ws, const td_state *state,
                                               const codec_product *product, const int *want, int count,
                                               double *const *out, td_error *err);

#endif

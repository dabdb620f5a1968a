// Evaluate requests: what JSON and NPZ share, and the check against the model.
//
// Invariant: after evaluate_begin a request can be given to codec_evaluate_fini whatever happened to it.
#include "codec/evaluate/parts.h"

#include <assert.h>
#include <math.h>
#include <string.h>

const char *const evaluate_part_names[CODEC_PART_COUNT] = {"q", "qd", "qdd", "u"};

const evaluate_factor_row evaluate_factors[CODEC_FACTOR_COUNT] = {
    [CODEC_JVP_Q] = {"jvp", "q"},
    [CODEC_JVP_QD] = {"jvp", "qd"},
    [CODEC_JVP_U] = {"jvp", "u"},
    [CODEC_JVP_P] = {"jvp", "p"},
    [CODEC_VJP_COTANGENT] = {"vjp", "cotangent"},
};

td_status evaluate_begin(codec_evaluate *request, td_error *err) {
  *request = (codec_evaluate){.baumgarte = TD_BAUMGARTE};
  request->memory = arena_create();
  if (request->memory) arena_use(request->memory, BUDGET_EVALUATIONS);
  return request->memory ? TD_OK : td_fail(err, TD_NO_MEMORY, "", "out of memory");
}

void codec_evaluate_fini(codec_evaluate *request) {
  json_decref(request->model);
  free(request->numbers);
  if (request->taken > 0) budget_give(BUDGET_EVALUATIONS, request->taken);
  arena_destroy(request->memory);
  *request = (codec_evaluate){0};
}

static td_status unknown_word(reader *r, const char *word) {
  char known[TD_MESSAGE_SIZE] = "";
  size_t n = 0;
  for (int i = 0; i < codec_quantity_count() && n < sizeof known; i++)
    n += (size_t)snprintf(known + n, sizeof known - n, "%s%s", i ? ", " : "", codec_quantity_name(i));
  return fail_here(r, TD_INVALID_ARGUMENT, "no quantity is called \"%.40s\"; known: %s", word, known);
}

// Families one behind the other, products last; within a family as they were asked for.
static int rank_of(int quantity) {
  return quantity >= codec_quantity_jvp() ? CODEC_BY_PARAMETERS + 1 : (int)codec_quantity_family(quantity);
}

static void insert_want(codec_evaluate *request, int quantity) {
  assert(request->want_count < TD_QUANTITY_LIMIT);
  int at = request->want_count++;
  for (; at > 0 && rank_of(request->want[at - 1]) > rank_of(quantity); at--) request->want[at] = request->want[at - 1];
  request->want[at] = quantity;
  request->engine_count += codec_quantity_family(quantity) == CODEC_OF_STATE;
  request->step_count += codec_quantity_family(quantity) == CODEC_OF_STEP;
}

td_status evaluate_add_want(reader *r, codec_evaluate *request, const char *word) {
  int quantity = codec_quantity_find(word);
  if (quantity < 0) return unknown_word(r, word);
  for (int i = 0; i < request->want_count; i++)
    if (request->want[i] == quantity) return fail_here(r, TD_INVALID_ARGUMENT, "\"%s\" is wanted twice", word);
  if (request->want_count == TD_QUANTITY_LIMIT)
    return fail_here(r, TD_INVALID_ARGUMENT, "at most %d quantities", TD_QUANTITY_LIMIT);
  return insert_want(request, quantity), TD_OK;
}

td_status evaluate_check_of(reader *r, const char *of) {
  if (strcmp(of, "fd") == 0) return TD_OK;
  return fail_here(r, TD_UNSUPPORTED, "products are those of \"fd\", not of \"%.40s\"", of);
}

static bool is_wanted(const codec_evaluate *request, int quantity) {
  for (int i = 0; i < request->want_count; i++)
    if (request->want[i] == quantity) return true;
  return false;
}

bool evaluate_need_products(codec_evaluate *request) {
  if (!request->products && request->state_count > 0)
    request->products = arena_array(request->memory, request->state_count, sizeof *request->products);
  return request->products || request->state_count == 0;
}

// One kind of product: that some states carry its factors is as good as wanting it, and then all have to.
static td_status imply(reader *r, codec_evaluate *request, int quantity, bool vjp) {
  size_t carried = 0, lacking = request->state_count;
  for (size_t i = request->state_count; i-- > 0;) {
    const codec_product *p = request->products ? &request->products[i] : NULL;
    bool has = p && (vjp ? p->vjp : p->jvp);
    carried += has;
    if (!has) lacking = i;
  }
  bool wanted = is_wanted(request, quantity);
  if (carried > 0 && !wanted) insert_want(request, quantity);
  if ((carried == 0 && !wanted) || lacking == request->state_count) return TD_OK;
  if (!request->npz) {
    codec_pointer_key(&r->at, "states");
    codec_pointer_index(&r->at, lacking);
  }
  return fail_key(r, codec_quantity_name(quantity), TD_INVALID_ARGUMENT,
                  "required: the factors of this product, in every state of the request");
}

td_status evaluate_imply_products(reader *r, codec_evaluate *request) {
  td_status status = imply(r, request, codec_quantity_jvp(), false);
  return status ? status : imply(r, request, codec_quantity_vjp(), true);
}

td_status evaluate_set_baumgarte(reader *r, codec_evaluate *request, double value) {
  if (!(value > 0 && isfinite(value)))
    return fail_here(r, TD_INVALID_ARGUMENT, "must be positive and finite, is %.15g", value);
  request->baumgarte = value;
  return TD_OK;
}

td_status evaluate_set_step(reader *r, codec_evaluate *request, const td_step_spec *step) {
  td_error err = {.status = TD_OK};
  td_status status = td_step_check(step, &err);
  if (status) return fail_key(r, err.pointer + 1, status, "%s", err.message);
  request->step = *step;
  return TD_OK;
}

static const char *method_word(int i) { return td_method_name((td_method)i); }

td_status evaluate_set_step_method(reader *r, const char *word, td_step_spec *step) {
  for (int i = 0; i < TD_METHOD_COUNT; i++)
    if (strcmp(word, method_word(i)) == 0) return step->method = (td_method)i, TD_OK;
  return fail_here(r, TD_INVALID_ARGUMENT, "no method is called \"%.40s\"", word);
}

static td_status read_method(reader *r, const json_t *value, void *out_step) {
  int word = 0;
  td_status status = read_word(r, value, method_word, TD_METHOD_COUNT, &word);
  if (!status) *(td_method *)out_step = (td_method)word;
  return status;
}

td_status evaluate_read_step(reader *r, codec_evaluate *request, const json_t *value) {
  static const field fields[] = {REQUIRED_FIELD(td_step_spec, h, "h", read_number),
                                 FIELD(td_step_spec, method, "method", read_method),
                                 FIELD(td_step_spec, substeps, "substeps", read_integer)};
  td_step_spec step;
  td_step_defaults(&step);
  td_status status = read_object(r, value, fields, COUNT_OF(fields), &step);
  return status ? status : evaluate_set_step(r, request, &step);
}

td_status evaluate_alloc_states(reader *r, codec_evaluate *request, size_t count) {
  if (count > CODEC_MAX_STATES)
    return fail_here(r, TD_LIMIT, "%zu states are more than the %d allowed in one request", count, CODEC_MAX_STATES);
  request->state_count = count;
  request->states = arena_array(request->memory, count, sizeof *request->states);
  request->lengths = arena_array(request->memory, count, sizeof *request->lengths);
  if (!request->states || !request->lengths) return fail_here(r, TD_NO_MEMORY, "out of memory for %zu states", count);
  return TD_OK;
}

td_status evaluate_check_complete(reader *r, const codec_evaluate *request, bool with_model) {
  if (request->want_count == 0)
    return fail_key(r, "want", TD_INVALID_ARGUMENT, "required: the quantities to compute, at least one");
  if (with_model && !request->model)
    return fail_key(r, "model", TD_INVALID_ARGUMENT, "required key \"model\" is missing");
  if (!request->states) return fail_key(r, request->npz ? "q" : "states", TD_INVALID_ARGUMENT, "required: the states");
  for (int i = 0; i < request->want_count; i++)
    if (codec_quantity_by_parameters(request->want[i]) && request->parameters.count == 0)
      return fail_key(r, "parameters", TD_INVALID_ARGUMENT, "required by %s: the numbers to differentiate by",
                      codec_quantity_name(request->want[i]));
  if (request->step_count > 0 && request->step.h == 0)
    return fail_key(r, "step", TD_INVALID_ARGUMENT, "required by %s: how far to go, {\"h\": seconds}",
                    codec_quantity_name(request->want[request->engine_count]));
  return TD_OK;
}

bool codec_evaluate_is_by(const codec_evaluate *request) {
  return request->parameters.count > 0 || request->want_count > request->engine_count + request->step_count;
}

// ------------------------------------------------------------------------------------------------ against the model

static td_status wrong_length(const codec_evaluate *request, size_t state, codec_part part, size_t needed,
                              td_error *err) {
  codec_pointer at;
  codec_pointer_init(&at, "");
  if (!request->npz) {
    codec_pointer_key(&at, "states");
    codec_pointer_index(&at, state);
  }
  codec_pointer_key(&at, evaluate_part_names[part]);
  size_t got = request->lengths[state][part];
  if (got == 0 && part == CODEC_Q)
    return td_fail(err, TD_INVALID_ARGUMENT, at.text, "required: %zu numbers, one per coordinate", needed);
  return td_fail(err, TD_INVALID_ARGUMENT, at.text, "has %zu numbers, the model has %zu %s", got, needed,
                 part == CODEC_U ? "channels" : "coordinates");
}

// The engine takes NULL for zero; an empty array of a model without coordinates is as good as none.
static bool fits(const codec_evaluate *request, size_t state, codec_part part, size_t needed) {
  const td_state *s = &request->states[state];
  const double *given[CODEC_PART_COUNT] = {s->q, s->qd, s->qdd, s->u};
  if (!given[part]) return part != CODEC_Q || needed == 0;
  return request->lengths[state][part] == needed;
}

static td_status wrong_factor(const codec_evaluate *request, size_t state, codec_factor factor, size_t needed,
                              td_error *err) {
  static const char *const per[CODEC_FACTOR_COUNT] = {"coordinates", "coordinates", "channels", "parameters",
                                                      "coordinates"};
  codec_pointer at;
  codec_pointer_init(&at, "");
  if (!request->npz) {
    codec_pointer_key(&at, "states");
    codec_pointer_index(&at, state);
  }
  codec_pointer_key(&at, evaluate_factors[factor].product);
  codec_pointer_key(&at, evaluate_factors[factor].key);
  return td_fail(err, TD_INVALID_ARGUMENT, at.text, "has %zu numbers, there are %zu %s",
                 request->products[state].length[factor], needed, per[factor]);
}

// A factor that is missing is zero; the cotangent has to be there.
static td_status bind_products(const codec_evaluate *request, const td_model *model, size_t np, td_error *err) {
  size_t n = (size_t)td_model_ndof(model), m = (size_t)td_model_channel_count(model);
  const size_t needed[CODEC_FACTOR_COUNT] = {n, n, m, np, n};
  for (size_t i = 0; request->products && i < request->state_count; i++) {
    const codec_product *p = &request->products[i];
    for (codec_factor k = 0; k < CODEC_FACTOR_COUNT; k++) {
      bool lacks = !p->factor[k] && k == CODEC_VJP_COTANGENT && p->vjp && n > 0;
      if (lacks || (p->factor[k] && p->length[k] != needed[k])) return wrong_factor(request, i, k, needed[k], err);
    }
  }
  return TD_OK;
}

td_status codec_evaluate_bind(const codec_evaluate *request, const td_model *model, size_t np, td_error *err) {
  size_t n = (size_t)td_model_ndof(model), m = (size_t)td_model_channel_count(model);
  const size_t needed[CODEC_PART_COUNT] = {n, n, n, m};
  for (size_t i = 0; i < request->state_count; i++)
    for (codec_part part = CODEC_Q; part < CODEC_PART_COUNT; part++)
      if (!fits(request, i, part, needed[part])) return wrong_length(request, i, part, needed[part], err);
  return bind_products(request, model, np, err);
}

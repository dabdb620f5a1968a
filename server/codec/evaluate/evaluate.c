// Evaluate requests: what JSON and NPZ share, and the check against the model.
//
// Invariant: after evaluate_begin a request can be given to codec_evaluate_fini whatever happened to it.
#include "codec/evaluate/parts.h"

#include <math.h>
#include <string.h>

const char *const evaluate_part_names[CODEC_PART_COUNT] = {"q", "qd", "qdd", "u"};

// Words of the evaluate table that need parts of the engine which are not there yet.
static const char *const later_words[] = {"jvp", "vjp"};

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
  for (size_t i = 0; i < COUNT_OF(later_words); i++)
    if (strcmp(later_words[i], word) == 0)
      return fail_here(r, TD_UNSUPPORTED, "the quantity \"%s\" is not in this version", word);
  char known[TD_MESSAGE_SIZE] = "";
  size_t n = 0;
  for (int i = 0; i < td_quantity_count() && n < sizeof known - 80; i++)
    n += (size_t)snprintf(known + n, sizeof known - n, "%s%s", i ? ", " : "", td_quantity_name(i));
  return fail_here(r, TD_INVALID_ARGUMENT, "no quantity is called \"%.40s\"; known: %.400s", word, known);
}

td_status evaluate_add_want(reader *r, codec_evaluate *request, const char *word) {
  int quantity = td_quantity_find(word);
  if (quantity < 0) return unknown_word(r, word);
  for (int i = 0; i < request->want_count; i++)
    if (request->want[i] == quantity) return fail_here(r, TD_INVALID_ARGUMENT, "\"%s\" is wanted twice", word);
  if (request->want_count == TD_QUANTITY_LIMIT)
    return fail_here(r, TD_INVALID_ARGUMENT, "at most %d quantities", TD_QUANTITY_LIMIT);
  request->want[request->want_count++] = quantity;
  return TD_OK;
}

td_status evaluate_set_baumgarte(reader *r, codec_evaluate *request, double value) {
  if (!(value > 0 && isfinite(value)))
    return fail_here(r, TD_INVALID_ARGUMENT, "must be positive and finite, is %.15g", value);
  request->baumgarte = value;
  return TD_OK;
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
  return TD_OK;
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

td_status codec_evaluate_bind(const codec_evaluate *request, const td_model *model, td_error *err) {
  size_t n = (size_t)td_model_ndof(model), m = (size_t)td_model_channel_count(model);
  const size_t needed[CODEC_PART_COUNT] = {n, n, n, m};
  for (size_t i = 0; i < request->state_count; i++)
    for (codec_part part = CODEC_Q; part < CODEC_PART_COUNT; part++)
      if (!fits(request, i, part, needed[part])) return wrong_length(request, i, part, needed[part], err);
  return TD_OK;
}

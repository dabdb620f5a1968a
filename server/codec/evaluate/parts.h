// What the JSON and the NPZ reader of evaluate requests share. Internal to this folder.
#ifndef TENDRIL_CODEC_EVALUATE_PARTS_H
#define TENDRIL_CODEC_EVALUATE_PARTS_H

#include "codec/evaluate/evaluate.h"
#include "codec/json/field.h"

/// "q", "qd", "qdd", "u".
extern const char *const evaluate_part_names[CODEC_PART_COUNT];
/// Where factors of products stand in a state: {"jvp", "q"}.
typedef struct evaluate_factor_row {
  const char *product, *key;
} evaluate_factor_row;
extern const evaluate_factor_row evaluate_factors[CODEC_FACTOR_COUNT];

/// Empty request with its memory. TD_NO_MEMORY.
td_status evaluate_begin(codec_evaluate *request, td_error *err);
/// One word of `want`; r->at is its place.
td_status evaluate_add_want(reader *r, codec_evaluate *request, const char *word);
td_status evaluate_set_baumgarte(reader *r, codec_evaluate *request, double value);
/// The step as read, checked; r->at is its place.
td_status evaluate_set_step(reader *r, codec_evaluate *request, const td_step_spec *step);
/// Its method by its word; r->at is the word's place.
td_status evaluate_set_step_method(reader *r, const char *word, td_step_spec *step);
/// The step as a JSON object.
td_status evaluate_read_step(reader *r, codec_evaluate *request, const json_t *value);
/// Memory of `count` states (TD_LIMIT above CODEC_MAX_STATES).
td_status evaluate_alloc_states(reader *r, codec_evaluate *request, size_t count);
/// What a product is of: "fd". r->at is its place.
td_status evaluate_check_of(reader *r, const char *of);
/// The array of products, of states that are there already. False: no memory.
bool evaluate_need_products(codec_evaluate *request);
/// Products that states carry the factors of are wanted, and those that are wanted have them in every state.
td_status evaluate_imply_products(reader *r, codec_evaluate *request);
/// What every request must have: want, and the model where it is inline.
td_status evaluate_check_complete(reader *r, const codec_evaluate *request, bool with_model);

#endif

// Requests and replies of evaluate, JSON and NPZ.
//
// Parsing is in two steps because the length of q is only known with the model: codec_evaluate_parse_*, then (model
// found or built) codec_evaluate_bind. The states of a JSON body never become Jansson values: they are read straight
// into arrays of doubles.
#ifndef TENDRIL_CODEC_EVALUATE_EVALUATE_H
#define TENDRIL_CODEC_EVALUATE_EVALUATE_H

#include "base/arena.h"
#include "codec/evaluate/quantity.h"
#include "codec/json/number.h"
#include "tendril/dynamics.h"
#include <jansson.h>

/// Most states of one request; /v1/limits reports it.
enum { CODEC_MAX_STATES = 100000 };

typedef enum codec_part { CODEC_Q, CODEC_QD, CODEC_QDD, CODEC_U, CODEC_PART_COUNT } codec_part;

typedef struct codec_evaluate {
  arena *memory;               ///< owned: everything below
  json_t *model;               ///< owned inline model document, or NULL
  int want[TD_QUANTITY_LIMIT]; ///< codec_quantity_…, the engine's first, products last
  int want_count, engine_count;
  int step_count;    ///< wanted of the step, behind the engine's
  td_step_spec step; ///< h 0: the request has none
  int asked_count;   ///< of a stream: wanted by its setup; products that a state carries come on top
  parameter_list parameters;
  double baumgarte; ///< default TD_BAUMGARTE, s; every state holds it, too
  size_t state_count;
  td_state *states;                    ///< [state_count], ready for td_evaluate once bound
  size_t (*lengths)[CODEC_PART_COUNT]; ///< [state_count] lengths as sent; 0 where the part is missing
  codec_product *products;             ///< [state_count], NULL: no state has any
  bool npz;                            ///< the request was NPZ: pointers then name members ("/q")
  size_t taken;                        ///< of BUDGET_EVALUATIONS for what is not in `memory`
  double *numbers;                     ///< owned: the states of a JSON body
} codec_evaluate;

/// @param with_model  POST /v1/evaluate: `model` is required; otherwise it is an unknown key
/// After any return call codec_evaluate_fini.
TD_NODISCARD td_status codec_evaluate_parse_json(const char *bytes, size_t size, bool with_model,
                                                 codec_evaluate *request, td_error *err);
TD_NODISCARD td_status codec_evaluate_parse_npz(const void *bytes, size_t size, bool with_model,
                                                codec_evaluate *request, td_error *err);
/// What it asks for needs td_parameters: a quantity by parameters, a product, or to be told of parameters.
bool codec_evaluate_is_by(const codec_evaluate *request);
/// Checks the lengths of q, qd, qdd, u and of products' factors against the model ("/states/3/q") and the number of
/// parameters.
TD_NODISCARD td_status codec_evaluate_bind(const codec_evaluate *request, const td_model *model, size_t np,
                                           td_error *err);
void codec_evaluate_fini(codec_evaluate *request);

typedef struct codec_guess {
  int want[TD_QUANTITY_LIMIT], want_count;
  size_t states;
} codec_guess;
/// What a request will be at most, without parsing it; false when its bytes do not tell.
bool codec_evaluate_guess(const char *bytes, size_t size, bool npz, int ndof, codec_guess *guess);

/// Why one state has no answer.
typedef struct codec_failure {
  td_status status;     ///< TD_OK: it has one
  const char *quantity; ///< name, may be NULL
  const char *link;     ///< may be NULL
  const char *detail;   ///< may be NULL
} codec_failure;

/// The blocks of one reply: block[w] is [state_count][total[w]], so state i of quantity w starts at block[w] + i *
/// total[w].
typedef struct codec_reply {
  const td_model *model;
  codec_by by;
  const int *want;
  int want_count;
  size_t state_count;
  double *block[TD_QUANTITY_LIMIT];
  size_t total[TD_QUANTITY_LIMIT];
  td_member *members[TD_QUANTITY_LIMIT]; ///< [member_count[w]] of each wanted quantity
  int member_count[TD_QUANTITY_LIMIT];
  codec_failure *failures; ///< [state_count]
  td_warnings *warnings;   ///< of the model, and of states, at "/states/3/q"; NULL: none
  bool alone;              ///< of a stream: warnings of its one state are at "/q"
  arena *memory;           ///< holds blocks, failures and their strings; borrowed
} codec_reply;

/// Lays out and allocates a reply in `a`. TD_NO_MEMORY, or TD_LIMIT when it would be larger than `limit` bytes (0:
/// none).
/// @param by  what the request is by, borrowed
TD_NODISCARD td_status codec_reply_init(codec_reply *reply, const td_model *model, const codec_by *by, const int *want,
                                        int want_count, size_t state_count, arena *a, size_t limit, td_error *err);
/// The out pointers of td_evaluate for state i.
void codec_reply_blocks(const codec_reply *reply, size_t i, double *out[TD_QUANTITY_LIMIT]);
/// Records a failed state from td_evaluate's error (strings copied). Thread-safe only between different arenas: when
/// several threads evaluate one batch, record after joining them or under a lock.
void codec_reply_fail(codec_reply *reply, size_t i, const td_error *err);

/// Records what is odd about the answer to state i (td_evaluate_tell). Thread-safe as codec_reply_fail is.
void codec_reply_warn(codec_reply *reply, size_t i, const td_warnings *found);
/// Forgets the warnings, before states are evaluated again.
void codec_reply_forget(codec_reply *reply);
/// Which way parameter i went: "affine" or "differences".
const char *codec_reply_way(const codec_reply *reply, size_t i);
/// Names of what touches, by which `contacts` and `contact_force` have rows and `contact_place` counts, [*count]; NULL and
/// 0: none of these is wanted, nothing may touch, or not enough memory.
const char **codec_reply_touches(const codec_reply *reply, size_t *count);
/// Writes the reply. Check buffer->failed.
void codec_reply_write_json(const codec_reply *reply, codec_buffer *buffer);
/// The same in pieces, so that ranges of states can be printed at once and joined: begin, states in order, end.
void codec_reply_begin_json(const codec_reply *reply, codec_buffer *buffer);
void codec_reply_write_states(const codec_reply *reply, size_t first, size_t last, codec_buffer *buffer);
void codec_reply_end_json(const codec_reply *reply, codec_buffer *buffer);
TD_NODISCARD td_status codec_reply_write_npz(const codec_reply *reply, codec_buffer *buffer, td_error *err);

#endif

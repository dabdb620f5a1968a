// Evaluate requests and replies as protobuf messages.
//
// Method: numbers are never copied: states point into the unpacked request, matrices of the reply into its blocks.
// Invariant: what the messages of a reply point to lives in the reply's arena.
#include "codec/evaluate/message.h"
#include "api/c/npz.h"
#include "codec/evaluate/parts.h"
#include "codec/json/text.h"

#include <math.h>
#include <string.h>

// -------------------------------------------------------------------------------------------------------------
// requests

// What batch and setup have in common, under the names of their fields.
typedef struct source {
  const char *document; // NULL: by name
  char **want;
  size_t want_count;
  double baumgarte;
  Tendril__V1__ParameterPlace **parameters;
  size_t parameter_count;
  const Tendril__V1__Step *step;
} source;

static td_status read_want(reader *r, const source *from, codec_evaluate *request) {
  size_t mark = codec_pointer_key(&r->at, "want");
  for (size_t i = 0; i < from->want_count; i++) {
    size_t inner = codec_pointer_index(&r->at, i);
    td_status status = evaluate_add_want(r, request, from->want[i]);
    if (status != TD_OK) return status;
    codec_pointer_pop(&r->at, inner);
  }
  codec_pointer_pop(&r->at, mark);
  return TD_OK;
}

static td_status read_document(reader *r, const char *document, codec_evaluate *request) {
  if (!document) return TD_OK;
  request->model = codec_parse(document, strlen(document), r->err);
  if (request->model) return json_is_object(request->model) ? TD_OK : fail_type(r, "a model document", request->model);
  codec_error_prefix(r->err, "/document");
  return r->err ? r->err->status : TD_INVALID_ARGUMENT;
}

static td_status read_parameters(reader *r, const source *from, codec_evaluate *request) {
  parameter_list *list = &request->parameters;
  size_t mark = codec_pointer_key(&r->at, "parameters");
  td_status status = codec_parameters_begin(r, from->parameter_count, list);
  for (size_t i = 0; status == TD_OK && i < list->count; i++) {
    const Tendril__V1__ParameterPlace *place = from->parameters[i];
    size_t inner = codec_pointer_index(&r->at, i);
    if (!codec_parameter_name_valid(place->name))
      return fail_key(r, "name", TD_INVALID_ARGUMENT, "must be at most %d printable bytes", TD_MAX_NAME);
    parameter_place own = {.path = *place->path ? place->path : NULL,
                           .name = *place->name ? place->name : NULL,
                           .also = place->n_paths > 0 ? (const char *const *)place->paths : NULL,
                           .also_count = place->n_paths};
    if (place->n_paths > CODEC_MAX_SHARED)
      return fail_key(r, "paths", TD_INVALID_ARGUMENT, "needs 1 to %d paths, has %zu", CODEC_MAX_SHARED,
                      place->n_paths);
    if (!own.path && !own.also) own.path = "";
    status = codec_parameter_place_settle(r, &own);
    if (status == TD_OK) status = codec_parameters_set(r, list, i, &own);
    if (status == TD_OK) codec_pointer_pop(&r->at, inner);
  }
  if (status == TD_OK) codec_pointer_pop(&r->at, mark);
  return status;
}

static td_status read_step(reader *r, const Tendril__V1__Step *m, codec_evaluate *request) {
  td_step_spec step;
  td_status status = TD_OK;
  if (!m) return TD_OK;
  td_step_defaults(&step);
  step.h = m->h;
  if (m->substeps) step.substeps = m->substeps <= TD_MAX_SUBSTEPS ? (int)m->substeps : TD_MAX_SUBSTEPS + 1;
  size_t mark = codec_pointer_key(&r->at, "step"), inner = codec_pointer_key(&r->at, "method");
  if (*m->method) status = evaluate_set_step_method(r, m->method, &step);
  codec_pointer_pop(&r->at, inner);
  if (status == TD_OK) status = evaluate_set_step(r, request, &step);
  codec_pointer_pop(&r->at, mark);
  return status;
}

static td_status read_source(reader *r, const source *from, codec_evaluate *request) {
  td_status status = read_want(r, from, request);
  if (status == TD_OK) status = read_parameters(r, from, request);
  if (status == TD_OK) status = read_step(r, from->step, request);
  if (status == TD_OK) status = read_document(r, from->document, request);
  if (status != TD_OK || from->baumgarte == 0) return status;
  size_t mark = codec_pointer_key(&r->at, "baumgarte");
  status = evaluate_set_baumgarte(r, request, from->baumgarte);
  if (status == TD_OK && !isfinite(from->baumgarte)) status = fail_here(r, TD_INVALID_ARGUMENT, "must be finite");
  codec_pointer_pop(&r->at, mark);
  return status;
}

static td_status check_finite(reader *r, const char *key, const double *x, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (!isfinite(x[i]))
      return fail_key(r, key, TD_INVALID_ARGUMENT, "every number must be finite, number %zu is %g", i, x[i]);
  return TD_OK;
}

// The one word that both products have, and a factor of them.
static td_status read_of(reader *r, const char *of) {
  size_t mark = codec_pointer_key(&r->at, "of");
  td_status status = evaluate_check_of(r, of);
  codec_pointer_pop(&r->at, mark);
  return status;
}

static td_status read_factor(reader *r, codec_product *p, codec_factor k, const double *x, size_t count) {
  p->factor[k] = count > 0 ? x : NULL;
  p->length[k] = count;
  return check_finite(r, evaluate_factors[k].key, x, count);
}

static td_status read_jvp(reader *r, const Tendril__V1__Jvp *m, codec_product *p) {
  size_t mark = codec_pointer_key(&r->at, "jvp");
  td_status status = read_of(r, m->of);
  if (status == TD_OK) status = read_factor(r, p, CODEC_JVP_Q, m->q, m->n_q);
  if (status == TD_OK) status = read_factor(r, p, CODEC_JVP_QD, m->qd, m->n_qd);
  if (status == TD_OK) status = read_factor(r, p, CODEC_JVP_U, m->u, m->n_u);
  if (status == TD_OK) status = read_factor(r, p, CODEC_JVP_P, m->p, m->n_p);
  codec_pointer_pop(&r->at, mark);
  p->jvp = true;
  return status;
}

static td_status read_vjp(reader *r, const Tendril__V1__Vjp *m, codec_product *p) {
  size_t mark = codec_pointer_key(&r->at, "vjp");
  td_status status = read_of(r, m->of);
  if (status == TD_OK) status = read_factor(r, p, CODEC_VJP_COTANGENT, m->cotangent, m->n_cotangent);
  codec_pointer_pop(&r->at, mark);
  p->vjp = true;
  return status;
}

static td_status read_products(reader *r, const Tendril__V1__State *s, codec_evaluate *request, size_t i) {
  if (request->products) request->products[i] = (codec_product){.jvp = false};
  if (!s->jvp && !s->vjp) return TD_OK;
  if (!evaluate_need_products(request)) return fail_here(r, TD_NO_MEMORY, "out of memory");
  td_status status = s->jvp ? read_jvp(r, s->jvp, &request->products[i]) : TD_OK;
  return status == TD_OK && s->vjp ? read_vjp(r, s->vjp, &request->products[i]) : status;
}

static td_status read_state(reader *r, const Tendril__V1__State *s, codec_evaluate *request, size_t i) {
  const double *part[CODEC_PART_COUNT] = {s->q, s->qd, s->qdd, s->u};
  const size_t count[CODEC_PART_COUNT] = {s->n_q, s->n_qd, s->n_qdd, s->n_u};
  for (int k = 0; k < CODEC_PART_COUNT; k++) {
    td_status status = check_finite(r, evaluate_part_names[k], part[k], count[k]);
    if (status != TD_OK) return status;
    request->lengths[i][k] = count[k];
    if (count[k] == 0) part[k] = NULL;
  }
  request->states[i] = (td_state){part[CODEC_Q], part[CODEC_QD], part[CODEC_QDD], part[CODEC_U], request->baumgarte};
  td_status status = check_finite(r, "t", &s->t, 1);
  return status ? status : read_products(r, s, request, i);
}

td_status codec_evaluate_read_request(const Tendril__V1__EvaluateRequest *message, codec_evaluate *request,
                                      td_error *err) {
  td_status status = evaluate_begin(request, err);
  if (status != TD_OK) return status;
  reader r = {.memory = request->memory, .err = err};
  bool inline_model = message->source_case == TENDRIL__V1__EVALUATE_REQUEST__SOURCE_DOCUMENT;
  source from = {inline_model ? message->document : NULL,
                 message->want,
                 message->n_want,
                 message->baumgarte,
                 message->parameters,
                 message->n_parameters,
                 message->step};
  status = read_source(&r, &from, request);
  if (status == TD_OK) status = evaluate_alloc_states(&r, request, message->n_states);
  size_t mark = codec_pointer_key(&r.at, "states");
  for (size_t i = 0; status == TD_OK && i < message->n_states; i++) {
    size_t inner = codec_pointer_index(&r.at, i);
    status = read_state(&r, message->states[i], request, i);
    codec_pointer_pop(&r.at, inner);
  }
  codec_pointer_pop(&r.at, mark);
  if (status == TD_OK) status = evaluate_imply_products(&r, request);
  return status ? status : evaluate_check_complete(&r, request, false);
}

td_status codec_evaluate_read_setup(const Tendril__V1__EvaluateSetup *message, codec_evaluate *request, td_error *err) {
  td_status status = evaluate_begin(request, err);
  if (status != TD_OK) return status;
  reader r = {.memory = request->memory, .err = err};
  bool inline_model = message->source_case == TENDRIL__V1__EVALUATE_SETUP__SOURCE_DOCUMENT;
  source from = {inline_model ? message->document : NULL,
                 message->want,
                 message->n_want,
                 message->baumgarte,
                 message->parameters,
                 message->n_parameters,
                 message->step};
  request->npz = true; // pointers name members
  status = read_source(&r, &from, request);
  if (status == TD_OK) status = evaluate_alloc_states(&r, request, 1);
  request->asked_count = request->want_count;
  return status ? status : evaluate_check_complete(&r, request, false);
}

// Products are wanted by each state anew, after what the setup wants.
td_status codec_evaluate_read_state(const Tendril__V1__State *message, codec_evaluate *request, td_error *err) {
  reader r = {.memory = request->memory, .err = err};
  request->want_count = request->asked_count;
  td_status status = read_state(&r, message, request, 0);
  return status ? status : evaluate_imply_products(&r, request);
}

// --------------------------------------------------------------------------------------------------------------
// replies

typedef Tendril__V1__StateReply__ValuesEntry entry;

// What all states share of one member of one quantity.
typedef struct column {
  char *name;
  uint32_t *shape;
  const td_member *member;
  int want;
} column;

static size_t count_columns(const codec_reply *reply) {
  size_t count = 0;
  for (int w = 0; w < reply->want_count; w++) count += (size_t)reply->member_count[w];
  return count;
}

static bool make_column(const codec_reply *reply, int w, const td_member *m, column *c) {
  const char *quantity = codec_quantity_name(reply->want[w]);
  char name[NPZ_MAX_NAME + 1];
  snprintf(name, sizeof name, "%s%s%s", quantity, m->name ? "/" : "", m->name ? m->name : "");
  *c = (column){.member = m, .want = w};
  c->name = arena_strdup(reply->memory, name);
  c->shape = arena_array(reply->memory, (size_t)m->rank, sizeof *c->shape);
  for (int k = 0; c->shape && k < m->rank; k++) c->shape[k] = (uint32_t)m->dim[k];
  return c->name && c->shape;
}

static column *make_columns(const codec_reply *reply, size_t count) {
  column *columns = arena_array(reply->memory, count, sizeof *columns);
  size_t at = 0;
  for (int w = 0; columns && w < reply->want_count; w++)
    for (int k = 0; k < reply->member_count[w]; k++)
      if (!make_column(reply, w, &reply->members[w][k], &columns[at++])) return NULL;
  return columns;
}

// One allocation per state: the reply, its error, its entries and their matrices.
typedef struct state_part {
  Tendril__V1__StateReply reply;
  Tendril__V1__StateError error;
} state_part;

static bool make_entries(const codec_reply *reply, const column *columns, size_t count, size_t i, state_part *part) {
  entry **entries = arena_array(reply->memory, count, sizeof *entries);
  entry *body = arena_array(reply->memory, count, sizeof *body);
  Tendril__V1__Matrix *matrices = arena_array(reply->memory, count, sizeof *matrices);
  if (!entries || !body || !matrices) return false;
  for (size_t c = 0; c < count; c++) {
    const td_member *m = columns[c].member;
    tendril__v1__matrix__init(&matrices[c]);
    matrices[c].n_shape = (size_t)m->rank;
    matrices[c].shape = columns[c].shape;
    matrices[c].n_data = m->size;
    matrices[c].data = reply->block[columns[c].want] + i * reply->total[columns[c].want] + m->offset;
    tendril__v1__state_reply__values_entry__init(&body[c]);
    body[c].key = columns[c].name;
    body[c].value = &matrices[c];
    entries[c] = &body[c];
  }
  part->reply.values = entries;
  return true;
}

static Tendril__V1__StateReply *make_state(const codec_reply *reply, const column *columns, size_t count, size_t i) {
  state_part *part = arena_alloc(reply->memory, sizeof *part);
  if (!part) return NULL;
  tendril__v1__state_reply__init(&part->reply);
  tendril__v1__state_error__init(&part->error);
  if (!make_entries(reply, columns, count, i, part)) return NULL;
  codec_reply_refresh(reply, i, &part->reply);
  return &part->reply;
}

void codec_reply_refresh(const codec_reply *reply, size_t i, Tendril__V1__StateReply *message) {
  static char empty[] = "";
  const codec_failure *f = &reply->failures[i];
  bool failed = f->status != TD_OK;
  message->n_values = failed ? 0 : count_columns(reply);
  message->error = failed ? &((state_part *)message)->error : NULL;
  if (!failed) return;
  message->error->code = (char *)td_status_name(f->status);
  message->error->detail = f->detail ? (char *)f->detail : empty;
  message->error->link = f->link ? (char *)f->link : empty;
  message->error->quantity = f->quantity ? (char *)f->quantity : empty;
}

// Texts of details are made here: what was folded into a warning is part of its own.
Tendril__V1__Warning **codec_reply_warnings(const codec_reply *reply, size_t *count) {
  const td_warnings *w = reply->warnings;
  size_t own = w ? (size_t)w->count : 0, at = 0;
  *count = 0;
  if (own == 0) return NULL;
  Tendril__V1__Warning **list = arena_array(reply->memory, own, sizeof *list);
  Tendril__V1__Warning *body = arena_array(reply->memory, own, sizeof *body);
  for (; list && body && at < own; at++) {
    char text[TD_WARNING_TEXT_SIZE];
    td_warning_text(&w->list[at], text);
    list[at] = &body[at];
    tendril__v1__warning__init(list[at]);
    list[at]->code = (char *)w->list[at].code;
    list[at]->pointer = (char *)w->list[at].pointer;
    if (!(list[at]->detail = arena_strdup(reply->memory, text))) break;
  }
  *count = at;
  return list;
}

Tendril__V1__Parameter **codec_reply_parameters(const codec_reply *reply, size_t *count) {
  size_t np = reply->by.set ? reply->by.set->count : 0;
  *count = 0;
  if (np == 0) return NULL;
  Tendril__V1__Parameter **list = arena_array(reply->memory, np, sizeof *list);
  Tendril__V1__Parameter *body = arena_array(reply->memory, np, sizeof *body);
  for (size_t i = 0; list && body && i < np; i++) {
    char name[TD_POINTER_SIZE];
    codec_parameter_name(reply->by.list, reply->by.set, i, name);
    list[i] = &body[i];
    tendril__v1__parameter__init(list[i]);
    list[i]->path = (char *)reply->by.set->number[i].name;
    list[i]->way = (char *)codec_reply_way(reply, i);
    list[i]->also = arena_array(reply->memory, reply->by.set->twin_count, sizeof *list[i]->also);
    for (size_t k = 0; list[i]->also && k < reply->by.set->twin_count; k++)
      if (reply->by.set->twin[k].number == i) list[i]->also[list[i]->n_also++] = (char *)reply->by.set->twin[k].name;
    if (!(list[i]->name = arena_strdup(reply->memory, name))) return NULL;
  }
  if (list && body) *count = np;
  return *count ? list : NULL;
}

Tendril__V1__StateReply **codec_reply_messages(const codec_reply *reply) {
  size_t count = count_columns(reply);
  column *columns = make_columns(reply, count);
  Tendril__V1__StateReply **states = arena_array(reply->memory, reply->state_count, sizeof *states);
  bool made = columns && states;
  for (size_t i = 0; made && i < reply->state_count; i++)
    made = (states[i] = make_state(reply, columns, count, i)) != NULL;
  return made ? states : NULL;
}

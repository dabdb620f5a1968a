// Evaluate requests in NPZ: members q, qd, qdd, u [N, ·], want, baumgarte, parameters, factors of products, model.
//
// Method: a table of members; arrays of doubles in C order are used where they lie in the request body, so that
// nothing is copied or printed. Invariant: every part has as many rows as q.
#include "codec/evaluate/parts.h"
#include "codec/json/text.h"
#include "codec/wire/archive.h"

#include <math.h>
#include <string.h>

typedef struct npz_request {
  codec_evaluate *request;
  const npz_archive *archive;
  reader r;
  const double *part[CODEC_PART_COUNT];
  size_t rows[CODEC_PART_COUNT], width[CODEC_PART_COUNT];
  const double *factor[CODEC_FACTOR_COUNT];
  size_t factor_rows[CODEC_FACTOR_COUNT], factor_width[CODEC_FACTOR_COUNT];
  bool of[2];             // what jvp and vjp are of was said
  const npz_array *names; // of parameters
  td_step_spec step;
  bool stepped; // something was said of it
} npz_request;

// [states, numbers] of member `name`.
static td_status take_rows(npz_request *n, const npz_array *array, const char *name, const double **values,
                           size_t *rows, size_t *width) {
  if (array->rank != 2)
    return fail_here(&n->r, TD_INVALID_ARGUMENT, "must have 2 dimensions [states, numbers], has %d", array->rank);
  if (array->dim[0] > CODEC_MAX_STATES)
    return fail_here(&n->r, TD_LIMIT, "%zu states are more than the %d allowed in one request", array->dim[0],
                     CODEC_MAX_STATES);
  *rows = array->dim[0];
  *width = array->dim[1];
  return codec_npz_doubles(array, name, n->request->memory, values, n->r.err);
}

static td_status take_part(npz_request *n, const npz_array *array, int k) {
  return take_rows(n, array, evaluate_part_names[k], &n->part[k], &n->rows[k], &n->width[k]);
}
static td_status take_q(npz_request *n, const npz_array *array) { return take_part(n, array, CODEC_Q); }
static td_status take_qd(npz_request *n, const npz_array *array) { return take_part(n, array, CODEC_QD); }
static td_status take_qdd(npz_request *n, const npz_array *array) { return take_part(n, array, CODEC_QDD); }
static td_status take_u(npz_request *n, const npz_array *array) { return take_part(n, array, CODEC_U); }

// The time of each state: read by nothing that is computed here, but it must be numbers.
static td_status take_t(npz_request *n, const npz_array *array) {
  const double *t;
  return codec_npz_doubles(array, "t", n->request->memory, &t, n->r.err);
}

static td_status take_want(npz_request *n, const npz_array *array) {
  if (array->type != NPZ_UNICODE && array->type != NPZ_BYTES)
    return fail_here(&n->r, TD_INVALID_ARGUMENT, "must hold strings, the names of quantities");
  if (array->count > TD_QUANTITY_LIMIT)
    return fail_here(&n->r, TD_INVALID_ARGUMENT, "%zu quantities are more than %d", array->count, TD_QUANTITY_LIMIT);
  for (size_t i = 0; i < array->count; i++) {
    const char *word = codec_npz_string(array, i, n->request->memory);
    size_t mark = codec_pointer_index(&n->r.at, i);
    if (!word) return fail_here(&n->r, TD_INVALID_ARGUMENT, "is not valid text");
    td_status status = evaluate_add_want(&n->r, n->request, word);
    if (status != TD_OK) return status;
    codec_pointer_pop(&n->r.at, mark);
  }
  return TD_OK;
}

static td_status take_factor(npz_request *n, const npz_array *array, int k) {
  static const char *const names[CODEC_FACTOR_COUNT] = {"jvp/q", "jvp/qd", "jvp/u", "jvp/p", "vjp/cotangent"};
  return take_rows(n, array, names[k], &n->factor[k], &n->factor_rows[k], &n->factor_width[k]);
}
static td_status take_jvp_q(npz_request *n, const npz_array *array) { return take_factor(n, array, CODEC_JVP_Q); }
static td_status take_jvp_qd(npz_request *n, const npz_array *array) { return take_factor(n, array, CODEC_JVP_QD); }
static td_status take_jvp_u(npz_request *n, const npz_array *array) { return take_factor(n, array, CODEC_JVP_U); }
static td_status take_jvp_p(npz_request *n, const npz_array *array) { return take_factor(n, array, CODEC_JVP_P); }
static td_status take_cotangent(npz_request *n, const npz_array *array) {
  return take_factor(n, array, CODEC_VJP_COTANGENT);
}

static td_status take_of(npz_request *n, const npz_array *array, bool vjp) {
  bool text = array->type == NPZ_UNICODE || array->type == NPZ_BYTES;
  const char *word = text && array->count == 1 ? codec_npz_string(array, 0, n->request->memory) : NULL;
  if (!word) return fail_here(&n->r, TD_INVALID_ARGUMENT, "must be one string, the name of a quantity");
  n->of[vjp] = true;
  return evaluate_check_of(&n->r, word);
}
static td_status take_jvp_of(npz_request *n, const npz_array *array) { return take_of(n, array, false); }
static td_status take_vjp_of(npz_request *n, const npz_array *array) { return take_of(n, array, true); }

static td_status check_strings(npz_request *n, const npz_array *array) {
  bool text = array->type == NPZ_UNICODE || array->type == NPZ_BYTES;
  if (!text) return fail_here(&n->r, TD_INVALID_ARGUMENT, "must hold strings");
  if (array->count <= CODEC_MAX_PARAMETERS) return TD_OK;
  return fail_here(&n->r, TD_LIMIT, "%zu are more than the %d parameters allowed in one request", array->count,
                   CODEC_MAX_PARAMETERS);
}

// Several places that share one number: one a line.
static td_status split_paths(npz_request *n, const char *text, parameter_place *place) {
  size_t lines = 1;
  for (const char *p = text; *p; p++) lines += *p == '\n';
  if (lines > CODEC_MAX_SHARED)
    return fail_here(&n->r, TD_INVALID_ARGUMENT, "has %zu places (lines), one number has at most %d", lines,
                     CODEC_MAX_SHARED);
  const char **list = arena_array(n->request->memory, lines, sizeof *list);
  char *copy = arena_strdup(n->request->memory, text);
  if (!list || !copy) return fail_here(&n->r, TD_NO_MEMORY, "out of memory");
  for (size_t k = 0; k < lines; k++) {
    list[k] = copy;
    copy += strcspn(copy, "\n");
    if (*copy) *copy++ = '\0';
  }
  *place = (parameter_place){.path = list[0], .also = list + 1, .also_count = lines - 1};
  return TD_OK;
}

static td_status take_parameters(npz_request *n, const npz_array *array) {
  parameter_list *list = &n->request->parameters;
  td_status status = check_strings(n, array);
  if (status == TD_OK) status = codec_parameters_begin(&n->r, array->count, list);
  for (size_t i = 0; status == TD_OK && i < list->count; i++) {
    const char *path = codec_npz_string(array, i, n->request->memory);
    size_t mark = codec_pointer_index(&n->r.at, i);
    if (!path) return fail_here(&n->r, TD_INVALID_ARGUMENT, "is not valid text");
    parameter_place place = {.path = NULL};
    status = split_paths(n, path, &place);
    if (status == TD_OK) status = codec_parameters_set(&n->r, list, i, &place);
    if (status == TD_OK) codec_pointer_pop(&n->r.at, mark);
  }
  return status;
}

// Kept until all members were read; "": the parameter has no name of its own.
static td_status take_names(npz_request *n, const npz_array *array) {
  npz_array *kept = arena_alloc(n->request->memory, sizeof *kept);
  td_status status = kept ? check_strings(n, array) : fail_here(&n->r, TD_NO_MEMORY, "out of memory");
  if (status == TD_OK) *kept = *array, n->names = kept;
  return status;
}

static td_status bind_names(npz_request *n) {
  parameter_list *list = &n->request->parameters;
  if (!n->names) return TD_OK;
  size_t mark = codec_pointer_key(&n->r.at, "parameter_names");
  if (n->names->count != list->count)
    return fail_here(&n->r, TD_INVALID_ARGUMENT, "has %zu names, there are %zu parameters", n->names->count,
                     list->count);
  for (size_t i = 0; i < list->count; i++) {
    const char *name = codec_npz_string(n->names, i, n->request->memory);
    size_t inner = codec_pointer_index(&n->r.at, i);
    if (!name || !codec_parameter_name_valid(name))
      return fail_here(&n->r, TD_INVALID_ARGUMENT, "must be 1 to %d printable bytes, or empty", TD_MAX_NAME);
    if (*name) list->place[i].name = name;
    codec_pointer_pop(&n->r.at, inner);
  }
  codec_pointer_pop(&n->r.at, mark);
  return TD_OK;
}

static td_status take_baumgarte(npz_request *n, const npz_array *array) {
  const double *x;
  if (array->count != 1) return fail_here(&n->r, TD_INVALID_ARGUMENT, "must be one number, has %zu", array->count);
  td_status status = codec_npz_doubles(array, "baumgarte", n->request->memory, &x, n->r.err);
  return status ? status : evaluate_set_baumgarte(&n->r, n->request, *x);
}

static td_status take_one(npz_request *n, const npz_array *array, const char *name, double *x) {
  const double *at;
  if (array->count != 1) return fail_here(&n->r, TD_INVALID_ARGUMENT, "must be one number, has %zu", array->count);
  td_status status = codec_npz_doubles(array, name, n->request->memory, &at, n->r.err);
  if (status == TD_OK) *x = *at;
  return status;
}
static td_status take_step_h(npz_request *n, const npz_array *array) {
  n->stepped = true;
  return take_one(n, array, "step/h", &n->step.h);
}
static td_status take_step_method(npz_request *n, const npz_array *array) {
  bool text = array->type == NPZ_UNICODE || array->type == NPZ_BYTES;
  const char *word = text && array->count == 1 ? codec_npz_string(array, 0, n->request->memory) : NULL;
  if (!word) return fail_here(&n->r, TD_INVALID_ARGUMENT, "must be one string, the name of a method");
  n->stepped = true;
  return evaluate_set_step_method(&n->r, word, &n->step);
}
static td_status take_step_substeps(npz_request *n, const npz_array *array) {
  double x = 0;
  td_status status = take_one(n, array, "step/substeps", &x);
  n->stepped = true;
  if (status == TD_OK && !(x == floor(x) && fabs(x) <= TD_MAX_SUBSTEPS))
    return fail_here(&n->r, TD_INVALID_ARGUMENT, "must be an integer of 1 to %d, is %.15g", TD_MAX_SUBSTEPS, x);
  n->step.substeps = (int)x;
  return status;
}

static td_status bind_step(npz_request *n) {
  if (!n->stepped) return TD_OK;
  size_t mark = codec_pointer_key(&n->r.at, "step");
  td_status status = evaluate_set_step(&n->r, n->request, &n->step);
  codec_pointer_pop(&n->r.at, mark);
  return status;
}

static td_status take_model(npz_request *n, const npz_array *array) {
  if (array->item != 1 && array->type != NPZ_BYTES)
    return fail_here(&n->r, TD_INVALID_ARGUMENT, "must be the bytes of a JSON document (uint8)");
  n->request->model = codec_parse((const char *)array->data, array->count * array->item, n->r.err);
  if (!n->request->model) {
    codec_error_prefix(n->r.err, "/model");
    return n->r.err ? n->r.err->status : TD_INVALID_ARGUMENT;
  }
  return json_is_object(n->request->model) ? TD_OK : fail_type(&n->r, "a model document", n->request->model);
}

static const struct {
  const char *name;
  td_status (*take)(npz_request *n, const npz_array *array);
} members[] = {{"q", take_q},
               {"qd", take_qd},
               {"qdd", take_qdd},
               {"u", take_u},
               {"t", take_t},
               {"want", take_want},
               {"baumgarte", take_baumgarte},
               {"parameters", take_parameters},
               {"parameter_names", take_names},
               {"jvp/of", take_jvp_of},
               {"jvp/q", take_jvp_q},
               {"jvp/qd", take_jvp_qd},
               {"jvp/u", take_jvp_u},
               {"jvp/p", take_jvp_p},
               {"vjp/of", take_vjp_of},
               {"vjp/cotangent", take_cotangent},
               {"step/h", take_step_h},
               {"step/method", take_step_method},
               {"step/substeps", take_step_substeps},
               {"model", take_model}};

static td_status take_member(npz_request *n, const npz_member *member, size_t known) {
  for (size_t i = 0; i < known; i++) {
    if (strcmp(members[i].name, member->name) != 0) continue;
    npz_array array;
    td_status status = codec_npz_read(n->archive, member, n->request->memory, &array, n->r.err);
    return status ? status : members[i].take(n, &array);
  }
  return fail_here(&n->r, TD_INVALID_ARGUMENT,
                   "unknown member; known here: q, qd, qdd, u, t, want, baumgarte, parameters, parameter_names, "
                   "jvp/of, jvp/q, jvp/qd, jvp/u, jvp/p, vjp/of, vjp/cotangent, step/h, "
                   "step/method, step/substeps%s",
                   known == COUNT_OF(members) ? ", model" : "");
}

static td_status take_members(npz_request *n, bool with_model) {
  for (size_t i = 0; i < n->archive->count; i++) {
    const npz_member *member = &n->archive->members[i];
    size_t mark = codec_pointer_key(&n->r.at, member->name);
    td_status status = take_member(n, member, COUNT_OF(members) - !with_model);
    codec_pointer_pop(&n->r.at, mark);
    if (status != TD_OK) return status;
  }
  return TD_OK;
}

// Both products of all states: each that is given has as many rows as q, and says what it is of.
static td_status bind_products(npz_request *n) {
  codec_evaluate *request = n->request;
  bool given[2] = {n->of[0], n->of[1]};
  for (int k = 0; k < CODEC_FACTOR_COUNT; k++) {
    const evaluate_factor_row *row = &evaluate_factors[k];
    bool vjp = k == CODEC_VJP_COTANGENT;
    if (!n->factor[k]) continue;
    if (!n->of[vjp])
      return fail_key(&n->r, row->product, TD_INVALID_ARGUMENT, "required member \"%s/of\" is missing", row->product);
    if (n->factor_rows[k] != request->state_count)
      return fail_key(&n->r, row->product, TD_INVALID_ARGUMENT, "%s has %zu rows, q has %zu", row->key,
                      n->factor_rows[k], request->state_count);
  }
  if (given[1] && !n->factor[CODEC_VJP_COTANGENT])
    return fail_key(&n->r, "vjp", TD_INVALID_ARGUMENT, "required member \"vjp/cotangent\" is missing");
  if (!given[0] && !given[1]) return TD_OK;
  if (!evaluate_need_products(request)) return fail_here(&n->r, TD_NO_MEMORY, "out of memory");
  for (size_t i = 0; i < request->state_count; i++) {
    codec_product *p = &request->products[i];
    p->jvp = given[0];
    p->vjp = given[1];
    for (int k = 0; k < CODEC_FACTOR_COUNT; k++) {
      p->factor[k] = n->factor[k] ? n->factor[k] + i * n->factor_width[k] : NULL;
      p->length[k] = n->factor_width[k];
    }
  }
  return TD_OK;
}

static td_status bind_rows(npz_request *n) {
  codec_evaluate *request = n->request;
  if (!n->part[CODEC_Q]) return fail_key(&n->r, "q", TD_INVALID_ARGUMENT, "required member \"q\" is missing");
  size_t count = n->rows[CODEC_Q];
  for (int k = 0; k < CODEC_PART_COUNT; k++)
    if (n->part[k] && n->rows[k] != count)
      return fail_key(&n->r, evaluate_part_names[k], TD_INVALID_ARGUMENT, "has %zu rows, q has %zu", n->rows[k], count);
  td_status status = evaluate_alloc_states(&n->r, request, count);
  for (size_t i = 0; status == TD_OK && i < count; i++) {
    const double *at[CODEC_PART_COUNT];
    for (int k = 0; k < CODEC_PART_COUNT; k++) {
      at[k] = n->part[k] ? n->part[k] + i * n->width[k] : NULL;
      request->lengths[i][k] = n->width[k];
    }
    request->states[i] = (td_state){at[CODEC_Q], at[CODEC_QD], at[CODEC_QDD], at[CODEC_U], request->baumgarte};
  }
  return status ? status : bind_products(n);
}

td_status codec_evaluate_parse_npz(const void *bytes, size_t size, bool with_model, codec_evaluate *request,
                                   td_error *err) {
  npz_archive archive;
  td_status status = evaluate_begin(request, err);
  if (status != TD_OK) return status;
  request->npz = true;
  status = codec_npz_open(bytes, size, request->memory, &archive, err);
  if (status != TD_OK) return status;
  npz_request n = {.request = request, .archive = &archive, .r = {.memory = request->memory, .err = err}};
  td_step_defaults(&n.step);
  status = take_members(&n, with_model);
  if (status == TD_OK) status = bind_step(&n);
  if (status == TD_OK) status = bind_names(&n);
  if (status == TD_OK) status = bind_rows(&n);
  if (status == TD_OK) status = evaluate_imply_products(&n.r, request);
  return status ? status : evaluate_check_complete(&n.r, request, with_model);
}

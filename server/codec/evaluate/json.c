// Evaluate requests in JSON.
//
// Method: a cursor walks the top level and the states itself and reads their numbers straight into one growing array of
// doubles (a Jansson tree costs ten times the engine's work on a state); `want`, `baumgarte` and `model` are handed to
// Jansson as slices. Whatever is not JSON makes the cursor give up, and the whole body is parsed again by Jansson for
// its error with line and column. Invariant: nothing here recurses, and every byte was checked by the cursor or by
// codec_parse.
#include "codec/evaluate/parts.h"
#include "codec/json/text.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { LEAST_COUNTED = 32 << 10 };

typedef struct parsed_state {
  size_t offset[CODEC_PART_COUNT], length[CODEC_PART_COUNT];
  bool given[CODEC_PART_COUNT];
  size_t product; // one more than its index, 0: the state has none
} parsed_state;

typedef struct parsed_product {
  size_t offset[CODEC_FACTOR_COUNT], length[CODEC_FACTOR_COUNT];
  bool given[CODEC_FACTOR_COUNT], asked[2]; // jvp, vjp
} parsed_product;

typedef struct cursor {
  const char *p, *end;
  bool syntax; // gave up: not JSON
  reader r;
  codec_evaluate *request;
  double *numbers; // of all states
  size_t used, capacity;
  parsed_state *states;
  size_t state_count, state_capacity;
  parsed_product *products; // of states that have any
  size_t product_count, product_capacity;
  unsigned seen; // top-level keys
} cursor;

// ------------------------------------------------------------------------------------------------ tokens

static td_status give_up(cursor *c) {
  c->syntax = true;
  return TD_INVALID_ARGUMENT;
}

static void skip_space(cursor *c) {
  while (c->p < c->end && (*c->p == ' ' || *c->p == '\n' || *c->p == '\t' || *c->p == '\r')) c->p++;
}

static bool peek(cursor *c, char wanted) {
  skip_space(c);
  return c->p < c->end && *c->p == wanted;
}

static bool take(cursor *c, char wanted) {
  if (!peek(c, wanted)) return false;
  c->p++;
  return true;
}

// Past the closing quote of the string that starts at p; NULL when it does not end.
static const char *string_end(const char *p, const char *end) {
  for (p++; p < end && *p != '"'; p++)
    if (*p == '\\' && p + 1 < end) p++;
  return p < end ? p + 1 : NULL;
}

static bool is_text(const char *bytes, size_t size) {
  for (size_t i = 0; i < size; i++)
    if ((unsigned char)bytes[i] < 0x20) return false;
  return codec_utf8_valid(bytes, size);
}

// A key as it is written, quotes off. Keys with escapes match none of ours and are reported as unknown.
static td_status take_key(cursor *c, char *key, size_t room) {
  assert(room > 0);
  if (!peek(c, '"')) return give_up(c);
  const char *end = string_end(c->p, c->end);
  if (!end) return give_up(c);
  size_t length = (size_t)(end - c->p) - 2, kept = length < room ? length : room - 1;
  if (!is_text(c->p + 1, length)) return give_up(c);
  memcpy(key, c->p + 1, kept);
  key[kept] = '\0';
  c->p = end;
  return take(c, ':') ? TD_OK : give_up(c);
}

// Past one value of any kind, without judging it.
static td_status skip_value(cursor *c) {
  skip_space(c);
  int depth = 0;
  const char *start = c->p;
  while (c->p && c->p < c->end) {
    char ch = *c->p;
    if (depth == 0 && (ch == ',' || ch == '}' || ch == ']')) break;
    if (ch == '[' || ch == '{') depth++;
    if (ch == ']' || ch == '}') depth--;
    c->p = ch == '"' ? string_end(c->p, c->end) : c->p + 1;
  }
  if (c->p && c->p != start && depth == 0) return TD_OK;
  return c->p = start, give_up(c);
}

// The next value through Jansson.
static td_status take_json(cursor *c, json_t **value) {
  skip_space(c);
  const char *start = c->p;
  if (skip_value(c) != TD_OK) return give_up(c);
  *value = codec_parse(start, (size_t)(c->p - start), NULL);
  return *value ? TD_OK : give_up(c);
}

// A value of the wrong kind, named for the message.
static td_status wrong_type(cursor *c, const char *expected) {
  json_t *value = NULL;
  td_status status = take_json(c, &value);
  if (status == TD_OK) status = fail_type(&c->r, expected, value);
  json_decref(value);
  return status;
}

// ------------------------------------------------------------------------------------------------ lists

// After an element: true when another follows, false at the closing bracket. *status is set when it is neither.
static bool another(cursor *c, char close, td_status *status) {
  if (take(c, ',')) return true;
  if (!take(c, close)) *status = give_up(c);
  return false;
}

static bool grow(cursor *c, void **list, size_t *capacity, size_t size) {
  size_t wanted = *capacity ? 2 * *capacity : 256, more = (wanted - *capacity) * size;
  if (wanted * size > LEAST_COUNTED) { // what it was before is counted with the first that is
    if (*capacity * size <= LEAST_COUNTED) more = wanted * size;
    if (budget_take(BUDGET_EVALUATIONS, more) != BUDGET_TAKEN) return false;
    c->request->taken += more;
  }
  void *grown = realloc(*list, wanted * size);
  if (!grown) return false;
  *list = grown;
  *capacity = wanted;
  return true;
}

static td_status take_number(cursor *c, size_t index) {
  skip_space(c);
  double x;
  size_t used = codec_number_read(c->p, c->end, &x);
  if (used > 0 && isfinite(x) && (c->used < c->capacity || grow(c, (void **)&c->numbers, &c->capacity, sizeof x))) {
    c->p += used;
    c->numbers[c->used++] = x;
    return TD_OK;
  }
  size_t mark = codec_pointer_index(&c->r.at, index);
  td_status status = used == 0      ? wrong_type(c, "a number")
                     : !isfinite(x) ? fail_here(&c->r, TD_INVALID_ARGUMENT, "the number %.*s is too large for a double",
                                                used < 40 ? (int)used : 40, c->p)
                                    : fail_here(&c->r, TD_NO_MEMORY, "out of memory");
  codec_pointer_pop(&c->r.at, mark);
  return status;
}

static td_status take_numbers(cursor *c, size_t *offset, size_t *length) {
  *offset = c->used;
  if (!peek(c, '[')) return wrong_type(c, "an array of numbers");
  c->p++;
  td_status status = TD_OK;
  size_t i = 0;
  if (!take(c, ']')) {
    do status = take_number(c, i++);
    while (status == TD_OK && another(c, ']', &status));
  }
  *length = c->used - *offset;
  return status;
}

// ------------------------------------------------------------------------------------------------ states

static td_status take_time(cursor *c) {
  double t;
  size_t used = codec_number_read((skip_space(c), c->p), c->end, &t);
  if (used == 0) return wrong_type(c, "a number");
  c->p += used;
  return isfinite(t) ? TD_OK : fail_here(&c->r, TD_INVALID_ARGUMENT, "must be finite");
}

static td_status take_of(cursor *c) {
  json_t *value = NULL;
  td_status status = take_json(c, &value);
  if (status == TD_OK)
    status = json_is_string(value) ? evaluate_check_of(&c->r, json_string_value(value))
                                   : fail_type(&c->r, "the name of a quantity", value);
  json_decref(value);
  return status;
}

static td_status take_factor(cursor *c, const char *product, parsed_product *p, bool *of) {
  char key[64];
  td_status status = take_key(c, key, sizeof key);
  if (status != TD_OK) return status;
  size_t mark = codec_pointer_key(&c->r.at, key);
  if (strcmp(key, "of") == 0) {
    if (*of) return fail_here(&c->r, TD_INVALID_ARGUMENT, "is given twice in the same product");
    *of = true;
    status = take_of(c);
    codec_pointer_pop(&c->r.at, mark);
    return status;
  }
  for (int k = 0; k < CODEC_FACTOR_COUNT; k++) {
    if (strcmp(product, evaluate_factors[k].product) != 0 || strcmp(key, evaluate_factors[k].key) != 0) continue;
    if (p->given[k]) return fail_here(&c->r, TD_INVALID_ARGUMENT, "is given twice in the same product");
    p->given[k] = true;
    status = take_numbers(c, &p->offset[k], &p->length[k]);
    codec_pointer_pop(&c->r.at, mark);
    return status;
  }
  return fail_here(&c->r, TD_INVALID_ARGUMENT, "unknown key; known here: %s",
                   strcmp(product, "jvp") == 0 ? "of, q, qd, u, p" : "of, cotangent");
}

static td_status take_product(cursor *c, const char *key, parsed_state *s) {
  bool vjp = strcmp(key, "vjp") == 0, of = false;
  if (!peek(c, '{')) return wrong_type(c, vjp ? "an object with of, cotangent" : "an object with of, q, qd, u, p");
  c->p++;
  if (s->product == 0) {
    if (c->product_count == c->product_capacity &&
        !grow(c, (void **)&c->products, &c->product_capacity, sizeof *c->products))
      return fail_here(&c->r, TD_NO_MEMORY, "out of memory");
    c->products[c->product_count++] = (parsed_product){0};
    s->product = c->product_count;
  }
  parsed_product *p = &c->products[s->product - 1];
  if (p->asked[vjp]) return fail_here(&c->r, TD_INVALID_ARGUMENT, "is given twice in the same state");
  p->asked[vjp] = true;
  td_status status = TD_OK;
  if (!take(c, '}')) {
    do status = take_factor(c, key, p, &of);
    while (status == TD_OK && another(c, '}', &status));
  }
  if (status == TD_OK && !of) return fail_key(&c->r, "of", TD_INVALID_ARGUMENT, "required key \"of\" is missing");
  if (status == TD_OK && vjp && !p->given[CODEC_VJP_COTANGENT])
    return fail_key(&c->r, "cotangent", TD_INVALID_ARGUMENT, "required key \"cotangent\" is missing");
  return status;
}

static td_status take_part(cursor *c, const char *key, parsed_state *s, bool *timed) {
  for (int k = 0; k < CODEC_PART_COUNT; k++) {
    if (strcmp(key, evaluate_part_names[k]) != 0) continue;
    if (s->given[k]) return fail_here(&c->r, TD_INVALID_ARGUMENT, "is given twice in the same state");
    s->given[k] = true;
    return take_numbers(c, &s->offset[k], &s->length[k]);
  }
  if (strcmp(key, "t") == 0) {
    if (*timed) return fail_here(&c->r, TD_INVALID_ARGUMENT, "is given twice in the same state");
    *timed = true;
    return take_time(c);
  }
  if (strcmp(key, "jvp") == 0 || strcmp(key, "vjp") == 0) return take_product(c, key, s);
  return fail_here(&c->r, TD_INVALID_ARGUMENT, "unknown key; known here: q, qd, qdd, u, t, jvp, vjp");
}

static td_status take_member(cursor *c, parsed_state *s, bool *timed) {
  char key[64];
  td_status status = take_key(c, key, sizeof key);
  if (status != TD_OK) return status;
  size_t mark = codec_pointer_key(&c->r.at, key);
  status = take_part(c, key, s, timed);
  codec_pointer_pop(&c->r.at, mark);
  return status;
}

static td_status take_state(cursor *c) {
  if (!peek(c, '{')) return wrong_type(c, "an object with q, qd, qdd, u");
  c->p++;
  if (c->state_count == c->state_capacity && !grow(c, (void **)&c->states, &c->state_capacity, sizeof *c->states))
    return fail_here(&c->r, TD_NO_MEMORY, "out of memory");
  parsed_state *s = &c->states[c->state_count++];
  *s = (parsed_state){0};
  td_status status = TD_OK;
  bool timed = false;
  if (!take(c, '}')) {
    do status = take_member(c, s, &timed);
    while (status == TD_OK && another(c, '}', &status));
  }
  if (status == TD_OK && !s->given[CODEC_Q])
    return fail_key(&c->r, "q", TD_INVALID_ARGUMENT, "required key \"q\" is missing");
  return status;
}

static td_status take_states(cursor *c) {
  if (!peek(c, '[')) return wrong_type(c, "an array of states");
  c->p++;
  td_status status = TD_OK;
  if (take(c, ']')) return TD_OK;
  do {
    if (c->state_count == CODEC_MAX_STATES)
      return fail_here(&c->r, TD_LIMIT, "more than the %d states allowed in one request", CODEC_MAX_STATES);
    size_t mark = codec_pointer_index(&c->r.at, c->state_count);
    status = take_state(c);
    codec_pointer_pop(&c->r.at, mark);
  } while (status == TD_OK && another(c, ']', &status));
  return status;
}

// ------------------------------------------------------------------------------------------------ top level

static td_status take_wanted(cursor *c, const json_t *value) {
  if (!json_is_array(value)) return fail_type(&c->r, "an array of names of quantities", value);
  for (size_t i = 0; i < json_array_size(value); i++) {
    const json_t *word = json_array_get(value, i);
    size_t mark = codec_pointer_index(&c->r.at, i);
    td_status status = json_is_string(word) ? evaluate_add_want(&c->r, c->request, json_string_value(word))
                                            : fail_type(&c->r, "the name of a quantity", word);
    if (status != TD_OK) return status;
    codec_pointer_pop(&c->r.at, mark);
  }
  return TD_OK;
}

static td_status take_want(cursor *c) {
  json_t *value = NULL;
  td_status status = take_json(c, &value);
  if (status == TD_OK) status = take_wanted(c, value);
  json_decref(value);
  return status;
}

static td_status take_baumgarte(cursor *c) {
  json_t *value = NULL;
  double x = 0;
  td_status status = take_json(c, &value);
  if (status == TD_OK) status = read_number(&c->r, value, &x);
  json_decref(value);
  return status ? status : evaluate_set_baumgarte(&c->r, c->request, x);
}

static td_status take_parameters(cursor *c) {
  json_t *value = NULL;
  td_status status = take_json(c, &value);
  if (status == TD_OK) status = codec_parameters_read(&c->r, value, &c->request->parameters);
  json_decref(value);
  return status;
}

static td_status take_step(cursor *c) {
  json_t *value = NULL;
  td_status status = take_json(c, &value);
  if (status == TD_OK) status = evaluate_read_step(&c->r, c->request, value);
  json_decref(value);
  return status;
}

static td_status take_model(cursor *c) {
  td_status status = take_json(c, &c->request->model);
  if (status == TD_OK && !json_is_object(c->request->model))
    return fail_type(&c->r, "a model document", c->request->model);
  return status;
}

static const struct {
  const char *key;
  td_status (*take)(cursor *c);
} top_level[] = {{"want", take_want},     {"baumgarte", take_baumgarte},
                 {"states", take_states}, {"parameters", take_parameters},
                 {"step", take_step},     {"model", take_model}};

static td_status take_top(cursor *c, const char *key, size_t keys) {
  for (size_t i = 0; i < keys; i++) {
    if (strcmp(key, top_level[i].key) != 0) continue;
    if (c->seen & 1u << i) return fail_here(&c->r, TD_INVALID_ARGUMENT, "is given twice in the request");
    c->seen |= 1u << i;
    return top_level[i].take(c);
  }
  if (strcmp(key, "model") == 0)
    return fail_here(&c->r, TD_INVALID_ARGUMENT, "the model is named by the path; inline models go to /v1/evaluate");
  return fail_here(&c->r, TD_INVALID_ARGUMENT, "unknown key; known here: want, baumgarte, states, parameters, step%s",
                   keys == COUNT_OF(top_level) ? ", model" : "");
}

static td_status take_document(cursor *c, bool with_model) {
  if (!peek(c, '{')) return wrong_type(c, "an object");
  c->p++;
  td_status status = TD_OK;
  if (!take(c, '}')) {
    do {
      char key[64];
      if ((status = take_key(c, key, sizeof key)) != TD_OK) return status;
      size_t mark = codec_pointer_key(&c->r.at, key);
      status = take_top(c, key, COUNT_OF(top_level) - !with_model);
      codec_pointer_pop(&c->r.at, mark);
    } while (status == TD_OK && another(c, '}', &status));
  }
  skip_space(c);
  if (status == TD_OK && c->p != c->end) return give_up(c);
  return status;
}

// ------------------------------------------------------------------------------------------------ request

static const double none[1] = {0}; // an empty array is given all the same

static td_status bind_products(cursor *c) {
  codec_evaluate *request = c->request;
  if (c->product_count == 0) return TD_OK;
  if (!evaluate_need_products(request)) return fail_here(&c->r, TD_NO_MEMORY, "out of memory");
  for (size_t i = 0; i < c->state_count; i++) {
    if (c->states[i].product == 0) continue;
    const parsed_product *p = &c->products[c->states[i].product - 1];
    codec_product *product = &request->products[i];
    product->jvp = p->asked[0];
    product->vjp = p->asked[1];
    for (int k = 0; k < CODEC_FACTOR_COUNT; k++) {
      product->factor[k] = !p->given[k] ? NULL : p->length[k] == 0 ? none : c->numbers + p->offset[k];
      product->length[k] = p->length[k];
    }
  }
  return TD_OK;
}

static td_status bind_numbers(cursor *c) {
  codec_evaluate *request = c->request;
  if (!(c->seen & 1u << 2)) return TD_OK; // no "states": evaluate_check_complete says so
  td_status status = evaluate_alloc_states(&c->r, request, c->state_count);
  for (size_t i = 0; status == TD_OK && i < c->state_count; i++) {
    const parsed_state *s = &c->states[i];
    const double *part[CODEC_PART_COUNT];
    for (int k = 0; k < CODEC_PART_COUNT; k++) {
      part[k] = !s->given[k] ? NULL : s->length[k] == 0 ? none : c->numbers + s->offset[k];
      request->lengths[i][k] = s->length[k];
    }
    request->states[i] = (td_state){part[CODEC_Q], part[CODEC_QD], part[CODEC_QDD], part[CODEC_U], request->baumgarte};
  }
  if (status == TD_OK) status = bind_products(c);
  request->numbers = c->numbers;
  c->numbers = NULL;
  return status;
}

// The whole body again, only for what is wrong with it as JSON.
static td_status syntax_error(const char *bytes, size_t size, td_error *err) {
  json_t *doc = codec_parse(bytes, size, err);
  if (!doc) return err ? err->status : TD_INVALID_ARGUMENT;
  json_decref(doc);
  return td_fail(err, TD_INVALID_ARGUMENT, "", "the request could not be read");
}

td_status codec_evaluate_parse_json(const char *bytes, size_t size, bool with_model, codec_evaluate *request,
                                    td_error *err) {
  td_status status = evaluate_begin(request, err);
  if (status != TD_OK) return status;
  cursor c = {.p = bytes, .end = bytes + size, .r = {.memory = request->memory, .err = err}, .request = request};
  status = take_document(&c, with_model);
  if (status == TD_OK) status = bind_numbers(&c);
  if (status == TD_OK) status = evaluate_imply_products(&c.r, request);
  if (status == TD_OK) status = evaluate_check_complete(&c.r, request, with_model);
  free(c.numbers);
  free(c.states);
  free(c.products);
  return c.syntax ? syntax_error(bytes, size, err) : status;
}

// From places to numbers: found by their pointers, arrays taken apart, each judged by its row of the table.
//
// Invariants after codec_parameters_resolve: every name is the pointer of a number as RFC 6901 writes it, no two are
// alike, and 0 < scale, lower <= value <= upper.
#include "codec/document/parameters/parts.h"
#include "codec/document/parameters/tension.h"
#include "codec/json/place.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char in_model[] = "/model", in_job[] = "/job";

// ------------------------------------------------------------------------------------------------ sizes

// The largest number of a value, arrays taken apart.
static double largest(const json_t *value) {
  double most = fabs(json_number_value(value)); // 0 for what is none
  for (size_t i = 0; i < json_array_size(value); i++) most = fmax(most, largest(json_array_get(value, i)));
  return most;
}

static double largest_member(const json_t *object, const char *const *keys, size_t count) {
  double most = 0;
  for (size_t k = 0; k < count; k++) most = fmax(most, largest(json_object_get(object, keys[k])));
  return most;
}

// How long the robot is: its largest body, without bodies that have a size the largest distance of a link from the one
// before it, else 1 m.
static double robot_size(const json_t *document) {
  static const char *const body_keys[] = {"length", "size", "points", "tip_points", "height", "radius"};
  const json_t *links = json_object_get(document, "links");
  double body = 0, distance = 0;
  for (size_t i = 0; i < json_array_size(links); i++) {
    const json_t *link = json_array_get(links, i), *b = json_object_get(link, "body");
    body = fmax(body, largest_member(b, body_keys, COUNT_OF(body_keys)));
    body = fmax(body, largest_member(json_object_get(b, "shape"), body_keys, COUNT_OF(body_keys)));
    body = fmax(body, largest_member(json_object_get(b, "mesh"), body_keys, COUNT_OF(body_keys)));
    double from_parent = largest(json_object_get(json_object_get(link, "pose"), "translation"));
    distance = fmax(distance, fmax(largest(json_object_get(b, "com")), i > 0 ? from_parent : 0));
  }
  return body > 0 ? body : distance > 0 ? distance : 1;
}

// What of a size answers are smooth over: bodies are smaller than the robot, functions vary within their length, and
// where something bends sharply it is little of the robot (of other numbers than lengths, of theirs).
static const double OF_SMALLER_PARTS = 1. / 4, BETWEEN_BENDS = 1. / 1024;

// The water's surface, and walls between the chambers of a body of variable radius.
static bool bends_sharply(const json_t *document) {
  const json_t *links = json_object_get(document, "links");
  bool found = json_object_get(json_object_get(document, "fluid"), "surface") != NULL;
  for (size_t i = 0; i < json_array_size(links) && !found; i++) {
    const json_t *body = json_object_get(json_array_get(links, i), "body");
    const char *kinematics = json_string_value(json_object_get(body, "kinematics"));
    found = kinematics && strcmp(kinematics, "pcc_variable_radius") == 0;
  }
  return found;
}

// Over what of the robot's size forces vary smoothly that depend on where it is. Contacts and pulled tendons set in over
// less, but derivatives keep to their laws at the state (engine/dynamics/kinks.h), so that only the directions to round
// obstacles count.
static double smooth_part_of_robot(const json_t *document, double robot) {
  const json_t *contacts = json_object_get(document, "contacts");
  double least = bends_sharply(document) ? BETWEEN_BENDS * robot : robot;
  for (size_t i = 0; i < json_array_size(contacts); i++) {
    double radius = largest(json_object_get(json_array_get(contacts, i), "radius"));
    if (radius > 0) least = fmin(least, radius);
  }
  return least / robot;
}

// ------------------------------------------------------------------------------------------------ numbers

typedef struct resolver {
  const parameter_list *list;
  const json_t *model, *job;
  arena *memory;
  parameter_set *set;
  size_t room, twin_room;
  double robot;        ///< its size, m
  double smooth;       ///< what of it forces are smooth over
  size_t entry, which; ///< of the list, and of its places
  const json_t *array; ///< that was looked at last, and its largest number: thousands may stand in one of 400000
  double array_largest;
  codec_pointer at;
  td_error *err;
} resolver;

// A number with what it stands in: its array, or the object whose member it is, and the object around its arrays.
typedef struct place {
  const json_t *value, *array, *object;
  size_t index;
} place;

static td_status refuse(resolver *r, td_status status, const char *format, ...) __attribute__((format(printf, 3, 4)));
static td_status refuse(resolver *r, td_status status, const char *format, ...) {
  char pointer[64], text[TD_MESSAGE_SIZE];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  int n = snprintf(pointer, sizeof pointer, "/parameters/%zu", r->entry);
  if (r->list->place[r->entry].also_count > 0)
    snprintf(pointer + n, sizeof pointer - (size_t)n, "/paths/%zu", r->which);
  return td_fail(r->err, status, pointer, "%s", text);
}

static double largest_beside(resolver *r, const json_t *array) {
  if (r->array != array) r->array_largest = largest(array);
  r->array = array;
  return r->array_largest;
}

static double size_of(resolver *r, const parameter_row *row, const place *p) {
  double own = fabs(json_number_value(p->value)), beside = p->array ? largest_beside(r, p->array) : own;
  switch (row->scale) {
  case SCALE_OWN:
  case SCALE_LENGTH:
    return own > 0 ? own : row->typical;
  case SCALE_ROW:
    return beside > 0 ? beside : row->typical;
  case SCALE_ROBOT:
    return r->robot;
  case SCALE_OFFSET:
    return fmax(beside, 0.05 * r->robot);
  case SCALE_STRAIN:
    return p->index < 3 ? 1 / r->robot : 1;
  case SCALE_WIDTH:
    return largest(json_object_get(p->object, "width"));
  default:
    return row->typical;
  }
}

// Steps of differences are measured by this: answers are smooth over it.
static double smooth_part(const resolver *r, const parameter_row *row, double size) {
  bool length = row->scale == SCALE_LENGTH || row->scale == SCALE_ROBOT || row->scale == SCALE_OFFSET ||
                row->scale == SCALE_WIDTH;
  bool whole = row->scale != SCALE_ROBOT && row->scale != SCALE_ROW && row->scale != SCALE_STRAIN;
  double part = whole ? size : OF_SMALLER_PARTS * size;
  if (row->affine) return size;
  return row->moves ? fmin(part, r->smooth * (length ? r->robot : size)) : part;
}

// A knot moves between its neighbours.
static bool bound_knot(const parameter_row *row, const place *p, td_parameter *number) {
  size_t last = json_array_size(p->array) - 1;
  bool first = p->index == 0;
  if (row->rule == RULE_INNER_KNOT && (first || p->index == last)) return false;
  double below = first ? -INFINITY : json_number_value(json_array_get(p->array, p->index - 1));
  double above = p->index == last ? INFINITY : json_number_value(json_array_get(p->array, p->index + 1));
  number->lower = below;
  number->upper = above;
  number->scale = OF_SMALLER_PARTS * fmin(number->value - below, above - number->value);
  return true;
}

// e1 and e2 of an axis that is a coordinate axis are the other two; of all others they follow a rule of their own.
static bool is_in_plane(const place *p) {
  const char *type = json_string_value(json_object_get(p->object, "type"));
  bool plane = type && (strcmp(type, "planar") == 0 || strcmp(type, "universal") == 0 || strcmp(type, "prism") == 0);
  int zeros = 0;
  for (size_t i = 0; i < json_array_size(p->array); i++) zeros += json_number_value(json_array_get(p->array, i)) == 0;
  return plane && zeros == 2;
}

// What is no value itself is kept away from: steps are small by the distance.
static void bound(const parameter_row *row, td_parameter *number) {
  double down = number->value - row->lower, up = row->upper - number->value;
  number->lower = row->lower;
  number->upper = row->upper;
  if (!row->open) return;
  if (down > 0) number->scale = fmin(number->scale, down);
  if (up > 0) number->scale = fmin(number->scale, up);
}

// A level surface is normal to gravity, which stays along z where there is one (spec/check/check_fluid.c).
static bool tilts_water(const resolver *r, const char *path) {
  bool aside = strcmp(path, "/model/gravity/0") == 0 || strcmp(path, "/model/gravity/1") == 0;
  return aside && json_object_get(json_object_get(r->model, "fluid"), "surface");
}

static td_status judge(resolver *r, const parameter_row *row, const place *p, td_parameter *number) {
  const char *path = r->at.text;
  if (!row) return refuse(r, TD_INVALID_ARGUMENT, "%s is no number that answers depend on smoothly", path);
  if (row->rule == RULE_REFUSED) return refuse(r, TD_INVALID_ARGUMENT, "%s cannot be a parameter: %s", path, row->why);
  if (tilts_water(r, path))
    return refuse(r, TD_INVALID_ARGUMENT,
                  "%s cannot be a parameter: the water's level surface (/fluid/surface) wants gravity along z, whose "
                  "number is /model/gravity/2",
                  path);
  *number = (td_parameter){
      .value = json_number_value(p->value), .scale = smooth_part(r, row, size_of(r, row, p)), .linear = row->affine};
  bound(row, number);
  bool knot = row->rule == RULE_KNOT || row->rule == RULE_INNER_KNOT;
  if (knot && !bound_knot(row, p, number))
    return refuse(r, TD_INVALID_ARGUMENT, "%s cannot be a parameter: the first and the last knot stay at the ends",
                  path);
  if (row->rule == RULE_PLANE && is_in_plane(p))
    return refuse(r, TD_INVALID_ARGUMENT,
                  "%s cannot be a parameter: around a coordinate axis the directions normal to it jump; turn by `pose`",
                  path);
  if (!(number->scale > 0 && isfinite(number->scale)))
    return refuse(r, TD_INVALID_ARGUMENT, "%s is %.9g and has no room to change", path, number->value);
  return TD_OK;
}

// What a number of a symmetric matrix is mirrored by, NaN for others.
static double across(const resolver *r, const parameter_row *row) {
  char mirrored[TD_POINTER_SIZE];
  if (row->rule != RULE_SYMMETRIC) return NAN;
  parameter_mirror(r->at.text, mirrored);
  if (strcmp(mirrored, r->at.text) == 0) return NAN;
  const json_t *number = json_place_find((json_t *)r->model, mirrored + sizeof in_model - 1);
  return json_is_number(number) ? json_number_value(number) : NAN;
}

// Twice as much room, so that a thousand numbers cost ten copies.
static bool grow(resolver *r) {
  parameter_set *s = r->set, old = *s;
  r->room = r->room ? 2 * r->room : 16;
  s->number = arena_array(r->memory, r->room, sizeof *s->number);
  s->place = arena_array(r->memory, r->room, sizeof *s->place);
  s->mirrored = arena_array(r->memory, r->room, sizeof *s->mirrored);
  if (!s->number || !s->place || !s->mirrored) return false;
  if (old.count == 0) return true;
  memcpy(s->number, old.number, old.count * sizeof *s->number);
  memcpy(s->place, old.place, old.count * sizeof *s->place);
  memcpy(s->mirrored, old.mirrored, old.count * sizeof *s->mirrored);
  return true;
}

static td_status add_number(resolver *r, const place *p) {
  parameter_set *s = r->set;
  if (s->count + s->twin_count >= CODEC_MAX_PARAMETERS)
    return refuse(r, TD_LIMIT, "more than the %d parameters allowed in one request", CODEC_MAX_PARAMETERS);
  if (s->count == r->room && !grow(r)) return refuse(r, TD_NO_MEMORY, "out of memory");
  const parameter_row *row = parameter_row_of(r->at.text, r->job);
  td_status status = judge(r, row, p, &s->number[s->count]);
  if (status != TD_OK) return status;
  if (parameter_begins(r->at.text, in_job) && codec_parameter_is_tension(r->model, r->job, r->at.text))
    s->number[s->count].lower = 0;
  s->number[s->count].name = arena_strdup(r->memory, r->at.text);
  s->place[s->count] = r->entry;
  s->mirrored[s->count] = across(r, row);
  return s->number[s->count++].name ? TD_OK : refuse(r, TD_NO_MEMORY, "out of memory");
}

static const char *kind_of(const json_t *value) {
  switch (json_typeof(value)) {
  case JSON_OBJECT:
    return "an object: name one of its numbers";
  case JSON_STRING:
    return "a text, no number: write numbers there to take them as parameters";
  case JSON_NULL:
    return "null, no number: write one there to take it as a parameter";
  default:
    return "a flag, no number";
  }
}

// Depth is bounded by that of documents (CODEC_MAX_DEPTH).
static td_status add_value(resolver *r, const place *p) {
  if (json_is_number(p->value)) return add_number(r, p);
  if (!json_is_array(p->value)) return refuse(r, TD_INVALID_ARGUMENT, "%s is %s", r->at.text, kind_of(p->value));
  td_status status = TD_OK;
  for (size_t i = 0; status == TD_OK && i < json_array_size(p->value); i++) {
    size_t mark = codec_pointer_index(&r->at, i);
    place inner = {.value = json_array_get(p->value, i), .array = p->value, .object = p->object, .index = i};
    status = add_value(r, &inner);
    codec_pointer_pop(&r->at, mark);
  }
  return status;
}

static td_status refuse_missing(resolver *r, const char *document, const char *path, const json_t *at,
                                const char *token) {
  char why[280];
  if (!json_place_explain(at, token, why, sizeof why))
    snprintf(why, sizeof why, "what it leaves to a default has to be written into it");
  return refuse(r, TD_INVALID_ARGUMENT, "the %s has nothing at %.200s; %s", document, path, why);
}

// Down to the place of an entry, its pointer written anew on the way.
static td_status add_path(resolver *r, const char *path) {
  char token[JSON_TOKEN_SIZE];
  bool of_job = parameter_begins(path, in_job);
  const char *document = of_job ? in_job : in_model;
  place p = {.value = of_job ? r->job : r->model};
  codec_pointer_init(&r->at, document);
  for (const char *rest = path + strlen(document); *rest;) {
    rest = json_place_token(rest, token);
    const json_t *next = rest ? json_place_member(p.value, token) : NULL;
    if (!next) return refuse_missing(r, of_job ? "job" : "model document", path, p.value, rest ? token : "");
    codec_pointer_key(&r->at, token);
    p.array = json_is_array(p.value) ? p.value : NULL;
    if (p.array) (void)json_place_index(token, &p.index);
    if (json_is_object(p.value)) p.object = p.value;
    p.value = next;
  }
  size_t before = r->set->count;
  td_status status = add_value(r, &p);
  if (status == TD_OK && r->set->count == before) return refuse(r, TD_INVALID_ARGUMENT, "%.200s holds no number", path);
  return status;
}

// ------------------------------------------------------------------------------------------------ shared numbers

static bool grow_twins(resolver *r, size_t by) {
  parameter_set *s = r->set;
  if (s->twin_count + by <= r->twin_room) return true;
  r->twin_room = 2 * (s->twin_count + by);
  parameter_twin *more = arena_array(r->memory, r->twin_room, sizeof *more);
  if (more && s->twin_count > 0) memcpy(more, s->twin, s->twin_count * sizeof *more);
  s->twin = more;
  return more;
}

static td_status check_share(resolver *r, const td_parameter *first, const td_parameter *other, double mirrored) {
  const parameter_place *entry = &r->list->place[r->entry];
  char why[TD_MESSAGE_SIZE], across[TD_POINTER_SIZE];
  if (!parameter_units_agree(first->name, other->name, r->model, r->job, why))
    return refuse(r, TD_INVALID_ARGUMENT, "%s", why);
  if (!isnan(mirrored)) parameter_mirror(first->name, across);
  if (!isnan(mirrored) && strcmp(across, other->name) == 0)
    return refuse(r, TD_INVALID_ARGUMENT, "%s is %s across a symmetric matrix: one of them will do", other->name,
                  first->name);
  if (entry->started || first->value == other->value) return TD_OK;
  return refuse(r, TD_INVALID_ARGUMENT,
                "%.120s is %.15g, %.120s is %.15g: places that share a number hold the same one%s", first->name,
                first->value, other->name, other->value,
                entry->sought ? "; or say where the search begins (`value`)" : "");
}

// What was read last becomes a further place of number i. Rows that are affine are so together where they are one: what
// stands at their places adds up.
static td_status share(resolver *r, size_t i, size_t last) {
  parameter_set *s = r->set;
  td_parameter *first = &s->number[i], *other = &s->number[last];
  td_status status = check_share(r, first, other, s->mirrored[i]);
  if (status != TD_OK) return status;
  bool one_row = parameter_row_of(first->name, r->job) == parameter_row_of(other->name, r->job);
  first->linear = first->linear && other->linear && one_row;
  first->lower = fmax(first->lower, other->lower);
  first->upper = fmin(first->upper, other->upper);
  first->scale = fmin(first->scale, other->scale);
  s->twin[s->twin_count++] = (parameter_twin){i, other->name, other->value, s->mirrored[last]};
  return TD_OK;
}

static td_status add_entry(resolver *r) {
  const parameter_place *entry = &r->list->place[r->entry];
  parameter_set *s = r->set;
  size_t first = s->count;
  r->which = 0;
  td_status status = add_path(r, entry->path);
  size_t end = s->count, numbers = end - first;
  for (size_t k = 0; status == TD_OK && k < entry->also_count; k++) {
    r->which = k + 1;
    status = add_path(r, entry->also[k]);
    if (status == TD_OK && s->count - end != numbers)
      return refuse(r, TD_INVALID_ARGUMENT,
                    "%.120s holds %zu numbers, %.120s holds %zu: places that are one parameter "
                    "need the same",
                    entry->also[k], s->count - end, entry->path, numbers);
    if (status == TD_OK && !grow_twins(r, numbers)) return refuse(r, TD_NO_MEMORY, "out of memory");
    for (size_t i = 0; status == TD_OK && i < numbers; i++) status = share(r, first + i, end + i);
    s->count = end;
  }
  return status;
}

// ------------------------------------------------------------------------------------------------ all of them

typedef struct named {
  const char *name;
  size_t place;
} named;

static int by_name(const void *a, const void *b) {
  const named *x = a, *y = b;
  int order = strcmp(x->name, y->name);
  return order ? order : (x->place > y->place) - (x->place < y->place);
}

static td_status check_twice(resolver *r) {
  const parameter_set *s = r->set;
  size_t count = s->count + s->twin_count;
  named *sorted = arena_array(r->memory, count, sizeof *sorted);
  if (!sorted) return td_fail(r->err, TD_NO_MEMORY, "", "out of memory");
  for (size_t i = 0; i < s->count; i++) sorted[i] = (named){s->number[i].name, s->place[i]};
  for (size_t i = 0; i < s->twin_count; i++)
    sorted[s->count + i] = (named){s->twin[i].name, s->place[s->twin[i].number]};
  qsort(sorted, count, sizeof *sorted, by_name);
  for (size_t i = 1; i < count; i++) {
    char pointer[48];
    if (strcmp(sorted[i].name, sorted[i - 1].name) != 0) continue;
    snprintf(pointer, sizeof pointer, "/parameters/%zu", sorted[i].place);
    return td_fail(r->err, TD_INVALID_ARGUMENT, pointer, "%s is a parameter twice: /parameters/%zu has it, too",
                   sorted[i].name, sorted[i - 1].place);
  }
  return TD_OK;
}

td_status codec_parameters_resolve(const parameter_list *list, const json_t *model, const json_t *job, arena *a,
                                   parameter_set *set, td_error *err) {
  assert(!list->of_job || job);
  resolver r = {.list = list,
                .model = model,
                .job = job,
                .memory = a,
                .set = set,
                .robot = list->count > 0 ? robot_size(model) : 0,
                .err = err};
  if (list->count > 0) r.smooth = smooth_part_of_robot(model, r.robot);
  *set = (parameter_set){.count = 0};
  td_status status = TD_OK;
  for (; status == TD_OK && r.entry < list->count; r.entry++)
    if (list->place[r.entry].path) status = add_entry(&r);
  return status ? status : check_twice(&r);
}

// Unknowns of fits and designs: what is sought, and of a fit in which of its experiments.
//
// A number of the model is that of all experiments. One of their jobs is, too, unless `of` names experiments: then each
// entry is a number of its own, though places are alike. Every experiment that an entry reaches has to have its numbers.
#include "codec/document/job/fit.h"
#include "codec/document/job/parts.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// ------------------------------------------------------------------------------------------------ reading

typedef struct entry_place {
  parameter_place place;
  fit_entry says;
} entry_place;

static const char *scale_word(int i) { return i == 0 ? "linear" : "log"; }

static td_status read_scale(reader *r, const json_t *value, void *out) {
  int word = 0;
  td_status status = read_word(r, value, scale_word, 2, &word);
  *(bool *)out = word == 1;
  return status;
}

static td_status read_prior(reader *r, const json_t *value, void *out) {
  static const field fields[] = {REQUIRED_FIELD(fit_entry, prior, "value", read_number),
                                 REQUIRED_FIELD(fit_entry, prior_sigma, "sigma", read_positive)};
  return read_object(r, value, fields, COUNT_OF(fields), out);
}

// An experiment (a job of a design), or several.
static td_status read_reach(reader *r, const json_t *value, void *out) {
  fit_entry *e = out;
  bool one = !json_is_array(value);
  e->of_count = one ? 1 : json_array_size(value);
  if (e->of_count < 1 || e->of_count > FIT_MAX_EXPERIMENTS)
    return fail_here(r, TD_INVALID_ARGUMENT, "needs 1 to %d indices, has %zu", (int)FIT_MAX_EXPERIMENTS, e->of_count);
  e->of = arena_array(r->memory, e->of_count, sizeof *e->of);
  if (!e->of) return fail_here(r, TD_NO_MEMORY, "out of memory");
  if (one) return read_integer(r, value, e->of);
  td_status status = TD_OK;
  for (size_t i = 0; status == TD_OK && i < e->of_count; i++) {
    size_t mark = codec_pointer_index(&r->at, i);
    status = read_integer(r, json_array_get(value, i), &e->of[i]);
    if (status == TD_OK) codec_pointer_pop(&r->at, mark);
  }
  return status;
}

static const field entry_fields[] = {
    FIELD(entry_place, place.path, "path", read_text),
    FIELD(entry_place, place, "paths", codec_parameter_paths_read),
    FIELD(entry_place, place.name, "name", read_name),
    FIELD(entry_place, says, "of", read_reach),
    FIELD(entry_place, says.value, "value", read_number),
    FIELD(entry_place, says.lower, "lower", read_number),
    FIELD(entry_place, says.upper, "upper", read_number),
    FIELD(entry_place, says.log, "scale", read_scale),
    FIELD(entry_place, says, "prior", read_prior),
};

static td_status read_entry(reader *r, const json_t *value, fit_document *fit, size_t i) {
  entry_place e = {.place = {.sought = true}, .says = {.value = NAN, .lower = NAN, .upper = NAN}};
  td_status status = json_is_string(value) ? read_text(r, value, &e.place.path)
                     : json_is_object(value)
                         ? read_object(r, value, entry_fields, COUNT_OF(entry_fields), &e)
                         : fail_type(r, "a path, or an object with path (or paths), bounds and more", value);
  if (status == TD_OK) status = codec_parameter_place_settle(r, &e.place);
  if (status != TD_OK) return status;
  e.place.started = !isnan(e.says.value);
  bool only = !fit->each && e.says.of_count == 1 && e.says.of[0] == 0; // as if it were not said
  if (only) e.says.of = NULL, e.says.of_count = 0;
  if (e.says.of && !fit->each)
    return fail_key(r, "of", TD_INVALID_ARGUMENT, "there is one job here, not several: 0, or leave it out");
  if (e.says.of && strncmp(e.place.path, "/job/", 5) != 0)
    return fail_key(r, "of", TD_INVALID_ARGUMENT, "%.200s is a number of the model, which all %ss share", e.place.path,
                    fit->each);
  if (e.says.prior_sigma > 0 && !fit->each)
    return fail_key(r, "prior", TD_INVALID_ARGUMENT,
                    "a prior is weighed against measurements, in jobs of kind fit; a design has none: leave it out");
  if (e.says.upper <= e.says.lower)
    return fail_key(r, "upper", TD_INVALID_ARGUMENT, "%.15g is not above the lower bound, %.15g", e.says.upper,
                    e.says.lower);
  fit->entry[i] = e.says;
  return codec_parameters_set(r, &fit->list, i, &e.place);
}

td_status read_seed(reader *r, const json_t *value, void *out) {
  int seed = 0;
  td_status status = read_integer(r, value, &seed);
  if (status == TD_OK && seed < 0) return fail_here(r, TD_INVALID_ARGUMENT, "must not be negative, is %d", seed);
  *(uint64_t *)out = (uint64_t)seed;
  return status;
}

td_status read_fit_unknowns(reader *r, const json_t *value, void *out) {
  fit_document *fit = out;
  if (!json_is_array(value)) return fail_type(r, "an array of paths", value);
  size_t count = json_array_size(value);
  if (count < 1 || count > TD_MAX_UNKNOWNS)
    return fail_here(r, TD_INVALID_ARGUMENT, "needs 1 to %d parameters, has %zu", (int)TD_MAX_UNKNOWNS, count);
  td_status status = codec_parameters_begin(r, count, &fit->list);
  fit->entry = arena_array(r->memory, count, sizeof *fit->entry);
  if (status == TD_OK && !fit->entry) return fail_here(r, TD_NO_MEMORY, "out of memory");
  if (status != TD_OK) return status;
  const reader_mark here = reader_here(r);
  for (size_t i = 0; i < count; i++) {
    size_t mark = codec_pointer_index(&r->at, i);
    td_status one = read_entry(r, json_array_get(value, i), fit, i);
    if (!status) status = one;
    if (one == TD_OK) codec_pointer_pop(&r->at, mark);
    if (!reader_goes_on(r, &here, one)) break;
  }
  return status;
}

// ------------------------------------------------------------------------------------------------ experiments

bool codec_fit_reaches(const fit_document *fit, size_t entry, size_t experiment) {
  const fit_entry *e = &fit->entry[entry];
  bool reaches = !e->of;
  for (size_t i = 0; i < e->of_count && !reaches; i++) reaches = e->of[i] == (int)experiment;
  return reaches;
}

static td_status no_memory(td_error *err) { return td_fail(err, TD_NO_MEMORY, "", "out of memory"); }

// The list with those entries alone that reach an experiment; NULL: no memory.
static parameter_place *reaching(const fit_document *fit, size_t experiment, arena *a) {
  parameter_place *place = arena_array(a, fit->list.count, sizeof *place);
  for (size_t e = 0; place && e < fit->list.count; e++)
    place[e] = codec_fit_reaches(fit, e, experiment) ? fit->list.place[e] : (parameter_place){.path = NULL};
  return place;
}

static td_status fail_of(const fit_document *fit, size_t entry, size_t experiment, size_t numbers, size_t first,
                         td_error *err) {
  char pointer[64];
  snprintf(pointer, sizeof pointer, "/parameters/%zu", entry);
  return td_fail(err, TD_INVALID_ARGUMENT, pointer,
                 "%.200s holds %zu numbers in %s %zu and %zu in another one: all that share a parameter "
                 "need the same; \"of\" names those that are meant",
                 fit->list.place[entry].path, numbers, fit->each, experiment, first);
}

static size_t count_of(const parameter_set *set, size_t entry) {
  size_t count = 0;
  for (size_t i = 0; i < set->count; i++) count += set->place[i] == entry;
  return count;
}

// Numbers of several experiments are bounded by all of them.
static td_status agree(const fit_document *fit, size_t experiment, const parameter_set *own, parameter_set *all,
                       td_error *err) {
  for (size_t i = 0, k = 0; i < own->count; i++, k++) {
    size_t entry = own->place[i], here = count_of(own, entry), first = count_of(all, entry);
    if (here != first) return fail_of(fit, entry, experiment, here, first, err);
    while (all->place[k] != entry) k++;
    all->number[k].lower = fmax(all->number[k].lower, own->number[i].lower);
    all->number[k].upper = fmin(all->number[k].upper, own->number[i].upper);
  }
  return TD_OK;
}

static td_status check_reach(const fit_document *fit, size_t entry, td_error *err) {
  const fit_entry *e = &fit->entry[entry];
  char pointer[64];
  snprintf(pointer, sizeof pointer, "/parameters/%zu/of", entry);
  for (size_t i = 0; i < e->of_count; i++) {
    if (e->of[i] < 0 || e->of[i] >= (int)fit->count)
      return td_fail(err, TD_INVALID_ARGUMENT, pointer, "there is no %s %d, there are %zu (from 0 on)", fit->each,
                     e->of[i], fit->count);
    for (size_t k = 0; k < i; k++)
      if (e->of[k] == e->of[i])
        return td_fail(err, TD_INVALID_ARGUMENT, pointer, "%s %d is named twice", fit->each, e->of[i]);
  }
  return TD_OK;
}

static td_status resolve_one(const fit_document *fit, size_t entry, const json_t *model, arena *a,
                             parameter_place *only, parameter_set *set, td_error *err) {
  td_status status = check_reach(fit, entry, err);
  if (status != TD_OK) return status;
  size_t first = fit->entry[entry].of ? (size_t)fit->entry[entry].of[0] : 0;
  const parameter_list list = {only, fit->list.count, true};
  only[entry] = fit->list.place[entry];
  status = codec_parameters_resolve(&list, model, fit->of[first].json, a, set, err);
  only[entry] = (parameter_place){.path = NULL};
  return status;
}

// Entry by entry, in the first job that each reaches.
static td_status resolve_entries(const fit_document *fit, const json_t *model, arena *a, parameter_set *all,
                                 td_error *err) {
  td_status status = TD_OK;
  parameter_place *only = arena_array(a, fit->list.count, sizeof *only);
  if (!codec_parameters_room(all, TD_MAX_UNKNOWNS, CODEC_MAX_PARAMETERS, a) || !only) return no_memory(err);
  for (size_t e = 0; e < fit->list.count; e++) only[e] = (parameter_place){.path = NULL};
  for (size_t e = 0; status == TD_OK && e < fit->list.count; e++) {
    parameter_set one;
    status = resolve_one(fit, e, model, a, only, &one, err);
    if (status == TD_OK &&
        (one.count > TD_MAX_UNKNOWNS - all->count || one.twin_count > CODEC_MAX_PARAMETERS - all->twin_count))
      return td_fail(err, TD_LIMIT, "/parameters", "these are more numbers than the %d unknowns that there may be",
                     (int)TD_MAX_UNKNOWNS);
    for (size_t i = 0; status == TD_OK && i < one.count; i++) codec_parameters_append(all, &one, i, e);
  }
  return status;
}

static td_status resolve_several(const fit_document *fit, const json_t *model, arena *a, parameter_set *all,
                                 td_error *err) {
  td_status status = resolve_entries(fit, model, a, all, err);
  for (size_t k = 0; status == TD_OK && k < fit->count; k++) {
    const parameter_list list = {reaching(fit, k, a), fit->list.count, true};
    parameter_set own;
    if (!list.place) return no_memory(err);
    status = codec_parameters_resolve(&list, model, fit->of[k].json, a, &own, err);
    if (status == TD_OK) status = agree(fit, k, &own, all, err);
  }
  return status;
}

// ------------------------------------------------------------------------------------------------ unknowns

// Numbers that should be in an order with the first value say what that is.
static td_status fail_first(td_error *err, size_t place, const char *member, const td_unknown *u, double bound) {
  static const double factors = 90; // bounds in mm of a number in m are the usual mistake
  char pointer[64];
  double least = fmin(fabs(bound), fabs(u->value)), most = fmax(fabs(bound), fabs(u->value));
  bool units = least > 0 && most > factors * least;
  snprintf(pointer, sizeof pointer, "/parameters/%zu%s", place, member);
  return td_fail(err, TD_INVALID_ARGUMENT, pointer, "%.15g is %s the first value of %.200s, which is %.15g%s", bound,
                 bound > u->value ? "above" : "below", u->name, u->value,
                 units ? ": are both in the same units (m, rad, kg, Pa, N)?" : "");
}

static td_status fail_entry(td_error *err, size_t place, const char *member, const char *name, double value,
                            const char *what) {
  char pointer[64];
  snprintf(pointer, sizeof pointer, "/parameters/%zu%s", place, member);
  return td_fail(err, TD_INVALID_ARGUMENT, pointer, "%.15g %s of %.200s", value, what, name);
}

static double given_or(double given, double otherwise) { return isnan(given) ? otherwise : given; }

// "/job/initial/q/0 of 1, 2"
static void add_reach(const fit_entry *e, char name[TD_POINTER_SIZE]) {
  size_t n = strlen(name);
  for (size_t i = 0; i < e->of_count && n < TD_POINTER_SIZE; i++)
    n += (size_t)snprintf(name + n, TD_POINTER_SIZE - n, "%s%d", i ? ", " : " of ", e->of[i]);
}

static td_status make_unknown(const fit_document *fit, const parameter_set *set, size_t i, arena *a, td_unknown *u,
                              td_error *err) {
  const td_parameter *number = &set->number[i];
  const fit_entry *e = &fit->entry[set->place[i]];
  char name[TD_POINTER_SIZE];
  codec_parameter_name(&fit->list, set, i, name);
  if (e->of && !fit->list.place[set->place[i]].name) add_reach(e, name);
  double least = e->log ? fmax(number->lower, 0) : number->lower;
  *u = (td_unknown){.name = arena_strdup(a, name),
                    .value = given_or(e->value, number->value),
                    .lower = given_or(e->lower, least),
                    .upper = given_or(e->upper, number->upper),
                    .log = e->log,
                    .prior = e->prior,
                    .prior_sigma = e->prior_sigma};
  if (!u->name) return td_fail(err, TD_NO_MEMORY, "", "out of memory");
  if (codec_parameter_is_of_job(set, i)) u->lower = fmax(u->lower, number->lower); // a tension is not negative
  if (u->lower < number->lower) return fail_entry(err, set->place[i], "/lower", name, u->lower, "is below all values");
  if (u->upper > number->upper) return fail_entry(err, set->place[i], "/upper", name, u->upper, "is above all values");
  if (!(u->lower < u->upper))
    return fail_entry(err, set->place[i], "/upper", name, u->upper, "is not above the lower bound");
  if (!(u->value >= u->lower)) return fail_first(err, set->place[i], "/lower", u, u->lower);
  if (!(u->value <= u->upper)) return fail_first(err, set->place[i], "/upper", u, u->upper);
  if (u->log && !(u->value > 0))
    return fail_entry(err, set->place[i], "/scale", name, u->value, "has no logarithm: the first value");
  return TD_OK;
}

// Priors without sigma, starts without bounds.
static td_status check_one(const fit_document *fit, const td_unknown *unknown, size_t place, td_error *err) {
  const double sample = 0, sigma = 1;
  char rest[64] = "";
  size_t i;
  td_fit_spec spec = {.unknowns = unknown,
                      .count = 1,
                      .data = &sample,
                      .sigma = fit->has_sigma ? &sigma : NULL,
                      .samples = 1,
                      .options = fit->options};
  td_status status = td_fit_check(&spec, err);
  if (status != TD_OK && sscanf(err->pointer, "/parameters/%zu%63s", &i, rest) >= 1)
    snprintf(err->pointer, sizeof err->pointer, "/parameters/%zu%.63s", place, rest);
  return status;
}

td_status codec_fit_resolve(const fit_document *fit, const json_t *model, const json_t *job, arena *a,
                            parameter_set *set, td_unknown **unknowns, td_error *err) {
  td_status status = fit->each ? resolve_several(fit, model, a, set, err)
                               : codec_parameters_resolve(&fit->list, model, job, a, set, err);
  if (status != TD_OK) return status;
  if (fit->each && set->count > TD_MAX_UNKNOWNS)
    return td_fail(err, TD_LIMIT, "/parameters", "%zu numbers are more than the %d unknowns that there may be",
                   set->count, (int)TD_MAX_UNKNOWNS);
  *unknowns = arena_array(a, set->count, sizeof **unknowns);
  if (!*unknowns) return td_fail(err, TD_NO_MEMORY, "", "out of memory");
  for (size_t i = 0; status == TD_OK && i < set->count; i++)
    status = make_unknown(fit, set, i, a, &(*unknowns)[i], err);
  for (size_t i = 0; status == TD_OK && i < set->count; i++)
    status = check_one(fit, &(*unknowns)[i], set->place[i], err);
  return status;
}

// Each entry alone.
void codec_fit_errors(const fit_document *fit, const json_t *model, const json_t *job, td_errors *all) {
  arena *a = arena_create();
  parameter_place *only = a ? arena_array(a, fit->list.count + 1, sizeof *only) : NULL;
  fit_document one = *fit;
  one.list.place = only;
  for (size_t e = 0; only && e < fit->list.count && e < CODEC_MOST_JUDGED; e++) {
    parameter_set set;
    td_unknown *unknowns;
    td_error err = {.status = TD_OK};
    only[e] = fit->list.place[e];
    if (!check_goes_on(all, codec_fit_resolve(&one, model, job, a, &set, &unknowns, &err), &err)) break;
    only[e] = (parameter_place){.path = NULL};
  }
  arena_destroy(a);
}

// ------------------------------------------------------------------------------------------------ warnings

static bool place_of(const parameter_set *set, const char *pointer, char place[32]) {
  size_t number;
  if (sscanf(pointer, "/parameters/%zu", &number) != 1 || number >= set->count) return false;
  snprintf(place, 32, "/parameters/%zu", set->place[number]);
  return true;
}

// Of a list "/parameters/4, /parameters/5" each place once.
void codec_unknowns_place(const parameter_set *set, td_warning *w) {
  char place[32], last[32], also[sizeof w->also] = "";
  size_t used = 0;
  if (!place_of(set, w->pointer, last)) return;
  snprintf(w->pointer, sizeof w->pointer, "%s", last);
  const char *at = w->also;
  int named = w->named;
  w->named = 0;
  for (int i = 0; i < named && at; i++) {
    if (place_of(set, at, place) && strcmp(place, last) != 0 && used + sizeof place < sizeof also) {
      used += (size_t)snprintf(also + used, sizeof also - used, "%s%s", used ? ", " : "", place);
      strcpy(last, place);
      w->named++;
    }
    at = strstr(at, ", ");
    if (at) at += 2;
  }
  memcpy(w->also, also, sizeof also);
}

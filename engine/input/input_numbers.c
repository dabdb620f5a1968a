// Derivatives of inputs by their numbers: those of each signal, told apart by the places of the numbers.
#include "input/inputs.h"
#include "input/signal_slopes.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>

typedef struct named {
  uintptr_t place;
  size_t number;
} named;

typedef struct driver {
  const td_input_spec *spec;
  int channel;
  td_signal signal; // of those without a list
} driver;

struct td_input_numbers {
  size_t count, input_count, most;
  named *sorted;  // [count] by places
  driver *inputs; // [input_count]
};

static int by_place(const void *a, const void *b) {
  uintptr_t x = ((const named *)a)->place, y = ((const named *)b)->place;
  return (x > y) - (x < y);
}

static void name(td_input_numbers *n, const double *const *places) {
  for (size_t i = 0; i < n->count; i++) n->sorted[i] = (named){(uintptr_t)places[i], i};
  qsort(n->sorted, n->count, sizeof *n->sorted, by_place);
}

static td_status add(td_input_numbers *n, const td_model *model, const td_input_spec *spec) {
  driver *d = &n->inputs[n->input_count];
  *d = (driver){.spec = spec, .channel = td_channel_find(model, spec->channel)};
  assert(d->channel >= 0);
  n->most += spec->list ? 1 : td_signal_slopes_most(&spec->signal);
  n->input_count++;
  return spec->list ? TD_OK : td_signal_init(&d->signal, &spec->signal);
}

td_status td_input_numbers_create(const td_model *model, const td_input_spec *specs, size_t count,
                                  const double *const *places, size_t number_count, td_input_numbers **numbers) {
  td_input_numbers *n = calloc(1, sizeof *n);
  *numbers = NULL;
  if (!n) return TD_NO_MEMORY;
  n->count = number_count;
  n->sorted = calloc(number_count + 1, sizeof *n->sorted);
  n->inputs = calloc(count + 1, sizeof *n->inputs);
  td_status status = n->sorted && n->inputs ? TD_OK : TD_NO_MEMORY;
  if (status == TD_OK) name(n, places);
  for (size_t i = 0; status == TD_OK && i < count; i++) status = add(n, model, &specs[i]);
  if (status == TD_OK)
    *numbers = n;
  else
    td_input_numbers_destroy(n);
  return status;
}

void td_input_numbers_destroy(td_input_numbers *n) {
  if (!n) return;
  for (size_t i = 0; i < n->input_count; i++)
    if (!n->inputs[i].spec->list) td_signal_fini(&n->inputs[i].signal);
  free(n->inputs);
  free(n->sorted);
  free(n);
}

size_t td_input_numbers_most(const td_input_numbers *numbers) { return numbers->most; }

typedef struct writing {
  const td_input_numbers *numbers;
  int channel;
  td_input_slope *list;
  size_t count;
} writing;

static void take(void *context, const double *number, const double of[3]) {
  writing *w = context;
  const td_input_numbers *n = w->numbers;
  const named asked = {(uintptr_t)number, 0}, *found = bsearch(&asked, n->sorted, n->count, sizeof asked, by_place);
  if (!found) return;
  assert(w->count < n->most);
  w->list[w->count++] = (td_input_slope){w->channel, found->number, {of[0], of[1], of[2]}};
}

size_t td_input_numbers_at(const td_input_numbers *n, double t, double t_side, td_input_slope *list) {
  writing w = {.numbers = n, .list = list};
  const td_slope_taker taker = {&w, take};
  if (n->count == 0) return 0;
  for (size_t i = 0; i < n->input_count; i++) {
    assert(!n->inputs[i].spec->list);
    w.channel = n->inputs[i].channel;
    td_signal_slopes(&n->inputs[i].signal, t, t_side, &taker);
  }
  return w.count;
}

size_t td_input_numbers_of_problem(const td_input_numbers *n, size_t index, td_input_slope *list) {
  static const double one[3] = {1, 0, 0};
  writing w = {.numbers = n, .list = list};
  if (n->count == 0) return 0;
  for (size_t i = 0; i < n->input_count; i++) {
    const td_input_spec *spec = n->inputs[i].spec;
    assert(!spec->list || index < spec->list_count);
    w.channel = n->inputs[i].channel;
    take(&w, spec->list ? &spec->list[index] : &spec->signal.offset, one);
  }
  return w.count;
}

// Where numbers stand in the controllers of a run, and which of their references are given to laws as they are written.
#include "gradient/laws/parts.h"
#include <stdlib.h>

static int by_place(const void *a, const void *b) {
  uintptr_t x = ((const td_law_place *)a)->place, y = ((const td_law_place *)b)->place;
  return (x > y) - (x < y);
}

void td_law_places_sort(td_law_numbers *l, const double *const *places) {
  for (size_t i = 0; i < l->count; i++) l->sorted[i] = (td_law_place){(uintptr_t)places[i], i};
  qsort(l->sorted, l->count, sizeof *l->sorted, by_place);
}

const td_law_place *td_law_place_find(const td_law_numbers *l, const double *place) {
  const td_law_place asked = {(uintptr_t)place, 0};
  return bsearch(&asked, l->sorted, l->count, sizeof asked, by_place);
}

const double *td_law_value_at(const td_law_reference *r, size_t knot) {
  return &r->spec->reference.value[knot * r->spec->reference.width + (size_t)r->index];
}

bool td_law_is_direct(const td_controller_spec *c) {
  bool feed = td_controller_get(c->type)->law == TD_LAW_FEED_FORWARD;
  td_reference_space space = c->reference.space;
  return space == TD_SPACE_INPUT || (!feed && space != TD_SPACE_TIP);
}

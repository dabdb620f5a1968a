// Lines across the panels: what the summary tells, and contacts that begin.
#include "plot/curves/events.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// The words of what is marked stand once beside the label of x.
static void tell_event(panel_list *list, const char *word) {
  char *label = list->x_label;
  size_t used = strlen(label);
  if (!strstr(label, word))
    snprintf(label + used, sizeof list->x_label - used, "%s%.24s", strstr(label, "dotted") ? ", " : "; dotted: ", word);
}

static void add_event(panel_list *list, double x, const char *word) {
  tell_event(list, word);
  for (int i = 0; i < list->count; ++i) {
    panel *p = list->panel[i];
    if (!p->own_axis && p->mark_count < MARKS_MOST) p->marks[p->mark_count++] = (mark){x, 0, MARK_EVENT};
  }
}

// Of the summary: a time, or the problem after which it happened, which is drawn half way to the next.
static void mark_told(panel_list *list, const recording *r) {
  const json_t *event;
  size_t i;
  json_array_foreach(json_object_get(r->summary, "events"), i, event) {
    const json_t *t = json_object_get(event, "t"), *after = json_object_get(event, "after");
    json_int_t k = json_integer_value(after);
    const char *kind = json_string_value(json_object_get(event, "kind"));
    bool singular = kind && strcmp(kind, "singular_configuration") == 0;
    if (json_is_number(t) && !r->statics)
      add_event(list, json_number_value(t), singular ? "singular" : "tendon pushed");
    if (json_is_integer(after) && r->statics && k >= 0 && (size_t)k + 1 < r->samples)
      add_event(list, 0.5 * (list->x[k] + list->x[k + 1]), "snap");
  }
}

// Where contact begins: the energy of contacts leaves 0.
static void mark_impacts(panel_list *list, const recording *r) {
  size_t columns = 0;
  const double *energy = r->statics ? NULL : recording_field(r, "energy", &columns);
  double last = -INFINITY, apart = (r->x[r->samples - 1] - r->x[0]) / 100; // bounces in one pixel are one
  for (size_t i = 1; energy && columns == 4 && i < r->samples; ++i) {
    bool begins = energy[4 * i + 3] > 0 && energy[4 * i - 1] == 0;
    if (begins && r->x[i] - last > apart) add_event(list, r->x[i], "contact begins"), last = r->x[i];
  }
}

void events_mark(panel_list *list, const recording *r) {
  mark_told(list, r);
  mark_impacts(list, r);
}

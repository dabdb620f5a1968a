// Tendons that have used up their length (force/tendon/tendon_kink.h): statics finds no balance there (the potential
// has a kink, its minimum lies on it), integrators need ever smaller steps. Failures ask here whether this is why.
#include "why/slack.h"
#include "force/tendon/tendon.h"
#include "force/tendon/tendon_kink.h"
#include "tendril/dynamics.h"
#include <stdio.h>
#include <stdlib.h>

static const double MET = 1e-6; // of a stretch's length at rest

bool td_slack_has_met(const td_model *m, td_workspace *ws, const double *q, const double *u) {
  const td_model *of = m->guide ? m->guide : m;
  bool met = false;
  if (of->stretch_count == 0) return false;
  double *tension = calloc((size_t)m->tendon_count + 1, sizeof *tension);
  bool known = tension && !td_tendon_tensions(m, ws, q, NULL, u, tension);
  for (int i = 0; i < of->stretch_count && known; i++) {
    const td_tendon_stretch *s = &of->stretch[i];
    double length = td_stretch_length(m, ws, i == 0 ? q : NULL, i);
    met |= s->rest > 0 && length <= MET * s->rest && tension[s->tendon] != 0;
  }
  free(tension);
  return met;
}

void td_slack_explain(const td_model *m, const double *q, char *text, size_t size) {
  char why[TD_TENDON_KINK_TEXT];
  td_tendon_kink least;
  td_workspace *ws = NULL;
  text[0] = '\0';
  if (td_workspace_create(m, &ws)) return;
  if (td_tendon_kink_find(m, ws, q, true, &least) && td_tendon_is_kinked(&least)) {
    td_tendon_kink_text(m, &least, why);
    snprintf(text, size, "; %s", why);
  }
  td_workspace_destroy(ws);
}

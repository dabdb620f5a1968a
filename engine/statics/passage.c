// The way from one equilibrium to the next, or from the first guess, is taken as the straight line between them: what
// goes through an obstacle there (statics/clearance.c) may have been led through it. A robot that bends over other
// things goes another way, so then loads are raised in parts: who comes to the same equilibrium by small ways that lead
// through nothing is right there.
#include "statics/passage.h"
#include "force/contact/obstacle/obstacle.h"
#include "force/contact/pair/pair.h"
#include "model/model.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double SAME = 1e-4; // rad, m, strains

// Whether loads raised in parts lead from `from` to s->q through nothing; s is left as it was.
static bool is_reached(td_statics *s, const double *from, const double *from_u) {
  size_t n = (size_t)s->n;
  size_t c = (size_t)(td_model_loop_row_count(s->model) + td_model_prescribed_count(s->model));
  double *to = malloc((n + c + 1) * sizeof *to), *lambda = to + n;
  if (!to) return true;
  memcpy(to, s->q, n * sizeof *to);
  memcpy(lambda, s->lambda, c * sizeof *lambda);
  double residual = s->residual;
  bool reached = !td_statics_raise_slowly(s, from, from_u);
  for (size_t i = 0; i < n; i++) reached = reached && fabs(s->q[i] - to[i]) < SAME;
  memcpy(s->q, to, n * sizeof *to);
  if (s->loops.rows && !td_statics_evaluate(s)) (void)!td_statics_linearise(s);
  memcpy(s->lambda, lambda, c * sizeof *lambda);
  s->residual = residual;
  free(to);
  return reached;
}

static void tell_pair(const td_model *m, int pair, const char *where, const char *pointer, td_warnings *warnings) {
  char a[TD_SOLID_TEXT], b[TD_SOLID_TEXT];
  td_grip_text(m, pair, 0, a);
  td_grip_text(m, pair, 1, b);
  td_warn(warnings, "contact_missed", pointer,
          "%s: the way there leads %s right through %s, also with the loads raised in parts: real ones would stop at "
          "each other; they give way to what presses, or the loads leap; take a higher `stiffness`, loads in smaller "
          "steps, or give `initial.q` on the side that is meant",
          where, a, b);
}

void td_passage_tell(td_statics *s, const double *from, const double *from_u, const char *where,
                     td_warnings *warnings) {
  const td_model *m = s->model;
  td_passage at;
  char pointer[TD_POINTER_SIZE], name[TD_MAX_NAME + 8] = "";
  if (s->led || !td_clearance_passes(&s->clearance, from, s->q, false, &at) || is_reached(s, from, from_u)) return;
  if (m->document->contacts[at.contact].name)
    snprintf(name, sizeof name, " \"%.63s\"", m->document->contacts[at.contact].name);
  snprintf(pointer, sizeof pointer, "/model/contacts/%d", at.contact);
  if (at.pair >= 0) {
    tell_pair(m, at.pair, where, pointer, warnings);
    return;
  }
  int link = td_contact_link(m, &m->contact[at.contact].point[at.point]);
  td_warn(warnings, "contact_missed", pointer,
          "%s: \"%.63s\" lies behind the obstacle%s, and the way there leads through it, also with the loads raised in "
          "parts: a real one would stop at it; it slips through between two points of the rod, or gives way to what "
          "presses, or the loads leap; take more `quadrature.points`, a higher `stiffness`, loads in smaller steps, or "
          "give "
          "`initial.q` on the side that is meant",
          where, m->link[link].name, name);
}

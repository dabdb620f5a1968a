// A step of a given h, across a kink of stiffness K, counts the slope of the force for all of h or for none of it,
// where the motion has it for a part. The derivatives of the step's own numbers do the same: those of rates are off by
// up to h K / m times those of coordinates, for every kink, and a bounce turns what is left of them into more. Values
// are as good as the method's order all the same: nothing that judges them sees it.
#include "integrate/events/across.h"
#include "force/stop.h"
#include "force/tendon/tendon.h"
#include "model/model.h"
#include <math.h>
#include <stdio.h>

static const double SMOOTH = 2; // exponent from which on the slope begins at 0, and grows no faster
static const double LEAST = 1e-12,
                    NEXT = 1e-9; // rad or m, and of the farther end: what is at a kink has not crossed it

static bool crosses(double before, double after, double least) {
  double far = fmax(fabs(before), fabs(after)), near = fmin(fabs(before), fabs(after));
  return before * after < 0 && near > fmax(least, NEXT * far);
}

static void tell(const td_across_step *s, const char *pointer, const char *where, td_warnings *warnings) {
  td_warn(warnings, "kink_crossed", pointer,
          "steps of a given length go across %s, first the one of %.3g s that ends at t = %.6g s: there the slope of a "
          "force jumps, or sets in steeply, within a step. The derivatives are those of the run's own numbers, and may "
          "be far from those of the motion, by tens of percent after a few bounces; shorter steps help little. Leave "
          "`h` and `method` out: under error control steps end there",
          where, s->h, s->t);
}

static void look_at_contact(const td_across_step *s, int contact, double before, double after, const char *what,
                            td_warnings *warnings) {
  char pointer[TD_POINTER_SIZE], where[2 * TD_MAX_NAME + 64];
  const char *name = s->model->document->contacts[contact].name;
  if (s->model->contact[contact].obstacle.exponent >= SMOOTH || !crosses(before, after, LEAST)) return;
  snprintf(pointer, sizeof pointer, "/model/contacts/%d", contact);
  if (name)
    snprintf(where, sizeof where, "the surface at which %.80s touches \"%.63s\"", what, name);
  else
    snprintf(where, sizeof where, "the surface at which %.80s touches an obstacle", what);
  tell(s, pointer, where, warnings);
}

static void look_at_contacts(const td_across_step *s, td_warnings *warnings) {
  const td_model *m = s->model;
  const td_sighting *from = s->approach->end, *to = s->approach->start; // the look went on to the end
  char what[TD_MAX_NAME + 16];
  for (int c = 0; c < m->contact_count; c++)
    for (int i = 0; i < m->contact[c].point_count; i++, from++, to++) {
      if (!(from->depth * to->depth < 0)) continue;
      const td_node *node = &m->node[m->contact[c].point[i].node];
      snprintf(what, sizeof what, "\"%.63s\"", m->link[m->element[node->element].link].name);
      look_at_contact(s, c, from->depth, to->depth, what, warnings);
    }
  for (int i = 0; i < m->solid_pair_count; i++, from++, to++)
    look_at_contact(s, m->solid_pair[i].contact, from->depth, to->depth, "a body", warnings);
}

static void look_at_stop(const td_across_step *s, const td_stop *stop, double from, double to, td_warnings *warnings) {
  char pointer[TD_POINTER_SIZE], where[TD_MAX_NAME + 64];
  bool upper = crosses(from - stop->upper, to - stop->upper, LEAST);
  if (!upper && !crosses(from - stop->lower, to - stop->lower, LEAST)) return;
  snprintf(pointer, sizeof pointer, "/model/links/%d/joint/limits", stop->link);
  snprintf(where, sizeof where, "the %s limit of \"%.63s\"", upper ? "upper" : "lower",
           s->model->link[stop->link].name);
  tell(s, pointer, where, warnings);
}

// A tendon's stiffness fades over its slack width: what is within has not crossed it.
static void look_at_tendon(const td_across_step *s, int k, td_warnings *warnings) {
  char where[TD_MAX_NAME + 64];
  const td_onset_sight *from = &s->onset->end, *to = &s->onset->start;
  const td_tendon_law *law = &s->model->law[s->onset->tendon[k]];
  double before = from->value[k] + from->input[k] - law->rest, after = to->value[k] + to->input[k] - law->rest;
  if (!crosses(before, after, fmax(law->width, LEAST))) return;
  snprintf(where, sizeof where, "the length at which \"%.63s\" goes taut",
           td_model_tendon_name(s->model, s->onset->tendon[k]));
  tell(s, "/model/actuators", where, warnings);
}

void td_across_tell(const td_across_step *s, td_warnings *warnings) {
  const td_onset *o = s->onset;
  if (s->approach->count > 0) look_at_contacts(s, warnings);
  if (o->count == 0) return;
  for (int k = 0; k < o->tendon_count; k++) look_at_tendon(s, k, warnings);
  for (int i = 0, k = o->tendon_count; i < o->stop_count; i++, k++)
    look_at_stop(s, &td_stops_of(s->model)->stop[i], o->end.value[k], o->start.value[k], warnings);
}

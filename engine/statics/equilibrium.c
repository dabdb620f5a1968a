// Statics goes where forces balance. What it finds may be no shape of a rod, lie behind a bar, or hang on too few
// functions.
#include "statics/equilibrium.h"
#include "body/rod/folded.h"
#include "body/rod/overstretched.h"
#include "constraint/loop_closure.h"
#include "force/contact/deep.h"
#include "force/contact/obstacle/gap.h"
#include "force/tendon/tendon_kink.h"
#include "force/water/high_reynolds.h"
#include "input/moved.h"
#include "input/odd_start.h"
#include "model/model.h"
#include "statics/passage.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void td_equilibrium_tell_shape(const td_model *model, const double *q, td_warnings *warnings) {
  td_folded_tell(model, q, "/model", warnings);
  td_overstretched_tell(model, q, "/model", warnings);
}

static void tell_tendons(td_statics *s, const char *where, td_warnings *warnings) {
  td_tendon_kink least;
  char text[TD_TENDON_KINK_TEXT];
  if (s->model->tendon_count == 0) return;
  if (!td_tendon_kink_find(s->model, s->ws, s->q, true, &least) || !td_tendon_is_kinked(&least)) return;
  td_tendon_kink_text(s->model, &least, text);
  td_warn(warnings, "tendon_kink", "/model/actuators", "%s: %s; its force has no direction: no robot gets there", where,
          text);
}

static void tell_gaps(td_statics *s, const char *where, td_warnings *warnings) {
  td_contact_gap at;
  char text[TD_CONTACT_GAP_TEXT], pointer[TD_CONTACT_GAP_POINTER];
  if (!td_contact_gap_find(s->model, s->ws, s->q, &at)) return;
  td_contact_gap_text(s->model, &at, text);
  td_contact_gap_pointer(&at, pointer);
  td_warn(warnings, "contact_missed", pointer, "%s: %s", where, text);
}

static void tell_depth(td_statics *s, const char *where, td_warnings *warnings) {
  td_contact_deep at = {.ratio = 0};
  char text[TD_CONTACT_DEEP_TEXT], pointer[TD_CONTACT_DEEP_POINTER];
  if (!td_contact_deep_find(s->model, s->ws, s->q, &at)) return;
  td_contact_deep_text(s->model, &at, text);
  td_contact_deep_pointer(&at, pointer);
  td_warn(warnings, "deep_contact", pointer, "%s: %s", where, text);
}

static void tell_water(td_statics *s, const char *where, td_warnings *warnings) {
  td_high_reynolds at;
  char text[TD_HIGH_REYNOLDS_TEXT], pointer[64];
  if (!td_high_reynolds_find(s->model, s->ws, s->q, s->qd, s->u, &at)) return;
  td_high_reynolds_text(s->model, &at, text);
  td_high_reynolds_pointer(s->model, &at, "/model", pointer, sizeof pointer);
  td_warn(warnings, "high_reynolds", pointer, "%s: %s", where, text);
}

void td_equilibrium_tell(td_statics *s, const double *from, const double *from_u, const char *where,
                         td_warnings *warnings) {
  td_equilibrium_tell_shape(s->model, s->q, warnings);
  tell_tendons(s, where, warnings);
  tell_gaps(s, where, warnings);
  tell_depth(s, where, warnings);
  tell_water(s, where, warnings);
  if (s->model->contact_count > 0) td_passage_tell(s, from, from_u, where, warnings);
}

void td_equilibrium_tell_guess(td_statics *s, const double *first, bool given, td_warnings *warnings) {
  td_place root = td_place_root_of(warnings, NULL);
  size_t bytes = (size_t)s->n * sizeof *first;
  if (!s->loops.rows && td_model_prescribed_count(s->model) == 0) return;
  double *from = malloc(bytes + 1);
  if (!from) return;
  memcpy(from, first, bytes);
  for (int i = 0; i < td_model_prescribed_count(s->model); i++) { // they follow their inputs
    int channel = -1, c = td_model_prescribed_coordinate(s->model, i, &channel);
    from[c] = s->u[channel];
  }
  if (!td_statics_start(s, first, 1)) {
    if (given)
      td_moved_tell_guess(s->model, from, s->q, warnings);
    else
      td_moved_tell_open(s->model, s->q, warnings);
    td_start_remark_assembled(&root, s->model, s->q);
  }
  free(from);
}

void td_equilibrium_tell_open(td_statics *s, const double *first, td_warnings *warnings) {
  if (!s->loops.rows) return;
  memcpy(s->kept_q, s->q, (size_t)s->n * sizeof *s->q);
  if (!td_statics_start(s, first, 1)) td_moved_tell_open(s->model, s->q, warnings);
  memcpy(s->q, s->kept_q, (size_t)s->n * sizeof *s->q);
  td_loop_follow(s->model, s->ws, s->q, false); // turns are counted from here again
}

void td_equilibrium_tell_friction(const td_model *model, td_warnings *warnings) {
  if (model->bristle_count > 0)
    td_warn(warnings, "friction_faded", "/model/contacts",
            "springs of contacts that stick are unstretched in statics: the equilibria are those without friction, and "
            "a robot may rest at others; run the motion that leads there");
  if (model->friction_count == 0) return;
  td_warn(warnings, "friction_faded", "/model/actuators",
          "friction of tendons needs motion and does not act in statics: the equilibria are those of tendons that "
          "slide freely, and "
          "a robot may rest at others; run a slow motion with a small slip_speed instead");
}

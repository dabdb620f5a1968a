// The share of friction that acts is that of all tendons together (td_friction_share), or of all contacts
// (td_contact_slip_at), at the ends of steps. What lies still on its ground needs no friction; what creeps does.
#include "run/judge/creep.h"
#include "force/contact/rubbing.h"
#include "force/tendon/friction.h"
#include "force/tendon/tension.h"
#include "model/model.h"
#include "pass/kinematics.h"
#include <assert.h>
#include <stdio.h>

static const double FADED = 0.5; // of friction, of the time
static const double CREPT = 0.1; // of the radius

static void note_contacts(td_creep *c, td_plant *p, double h, const double *y) {
  td_contact_slip slip;
  if (td_contact_with_friction(p->model) < 0) return;
  td_kinematics(p->model, p->ws, y, y + p->n, NULL, p->model->gravity, TD_LEVEL_TWIST);
  td_contact_slip_at(p->model, p->ws, &slip);
  if (slip.contact < 0) return;
  c->touched += h;
  if (slip.share >= FADED) return;
  c->slow += h;
  c->path += h * slip.speed;
  c->contact = slip.contact;
  c->radius = slip.radius;
}

static void tell_contacts(const td_creep *c, const td_model *model, td_run_statistics *statistics) {
  char pointer[40];
  if (!(c->slow > FADED * c->touched) || !(c->path > CREPT * c->radius)) return;
  snprintf(pointer, sizeof pointer, "/model/contacts/%d/slip_speed", c->contact);
  td_warn(&statistics->warnings, "friction_faded", pointer,
          "for %.3g of the %.3g s in touch less than half of the friction of contacts acted, and what should have held "
          "crept by %.3g m meanwhile: friction fades below slip_speed (%.3g m/s) and holds nothing at rest. A smaller "
          "slip_speed makes it creep less, in proportion",
          c->slow, c->touched, c->path, model->contact[c->contact].rubbing.slip);
}

void td_creep_note(td_creep *c, td_plant *p, double h, const double *y) {
  assert(h >= 0);
  int tendon;
  note_contacts(c, p, h, y);
  if (p->model->friction_count == 0) return;
  td_tensions_at(p->model, p->ws, y, y + p->n, p->u);
  double share = td_friction_share(p->model, p->ws, y, y + p->n, &tendon);
  if (tendon < 0) return;
  c->taut += h;
  if (share >= FADED) return;
  if (c->crept == 0) c->tendon = tendon;
  c->crept += h;
}

void td_creep_tell(const td_creep *c, const td_model *model, td_run_statistics *statistics) {
  tell_contacts(c, model, statistics);
  if (!(c->crept > FADED * c->taut)) return;
  const td_tendon_law *law = &model->law[c->tendon];
  td_warn(
      &statistics->warnings, "friction_faded", "/model/actuators",
      "for %.3g of the %.3g s under tension tendons such as \"%.63s\" slid so slowly that less than half of their "
      "friction acted: friction fades below slip_speed (%.3g m/s) and holds nothing at rest. Take a slip_speed well "
      "below the speeds of the motion, and do not read shapes at rest as held by friction",
      c->crept, c->taut, td_model_channel_name(model, law->channel), law->slip);
}

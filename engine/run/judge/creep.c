// The share of friction that acts is that of all tendons together (td_friction_share), at the ends of steps.
#include "run/judge/creep.h"
#include "force/tendon/friction.h"
#include "force/tendon/tension.h"
#include "model/model.h"
#include <assert.h>

static const double FADED = 0.5; // of friction, of the time

void td_creep_note(td_creep *c, td_plant *p, double h, const double *y) {
  assert(h >= 0);
  int tendon;
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
  if (!(c->crept > FADED * c->taut)) return;
  const td_tendon_law *law = &model->law[c->tendon];
  td_warn(
      &statistics->warnings, "friction_faded", "/model/actuators",
      "for %.3g of the %.3g s under tension tendons such as \"%.63s\" slid so slowly that less than half of their "
      "friction acted: friction fades below slip_speed (%.3g m/s) and holds nothing at rest. Take a slip_speed well "
      "below the speeds of the motion, and do not read shapes at rest as held by friction",
      c->crept, c->taut, td_model_channel_name(model, law->channel), law->slip);
}

// Does a motion grow faster with more functions than with those that there are? What is pressed beyond what it carries
// leaves its straight shape by exp(g t), g^2 = -w^2, and while it is straight no residual tells: of Euler's column at
// 1.1 times its load order 1 has g 6 % too small, and is 6 % of 12 e-folds late; held at both ends it does not buckle
// at all, 1.2 times Euler's load. So the growing motions of the twin's K and M about a state are compared with those on
// the model's coordinates. What moves is pressed and pulled for moments, too, which does not grow at once: it is a
// doubt and no more.
#include "estimate/modes.h"
#include <math.h>

static const double FOLDS = 3;      // e, less is a motion like any other
static const double NEUTRAL = 1e-3; // of stiffness over mass of the slowest strain

// 1/s; 0: nothing grows.
static double fastest(td_resolution *r, int level) {
  td_modes modes;
  if (!td_modes_find(r, level, &modes)) return 0;
  double least = modes.count > 0 ? modes.square[0] : 0;
  td_modes_free(&modes);
  return least < 0 ? sqrt(-least) : 0;
}

void td_resolution_look_at_growth(td_resolution *r, const td_resolution_state *at) {
  if (!r || td_resolution_touches(r, at) || td_resolution_residuals(r, r->model, r->ws, at)) return;
  int level = r->how.enrichment;
  if (level == 0 || td_resolution_is_held(r, level, NEUTRAL)) return;
  level = td_modes_level(r);
  if (level == 0) return;
  double grows = fastest(r, level), beyond = grows - fastest(r, 0);
  if (grows * at->lasts > FOLDS) r->growth = fmax(r->growth, at->lasts * beyond);
}

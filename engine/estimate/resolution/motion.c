// States of runs: of a motion only what is slow asks for strain functions, and only as fast as it changes.
#include "estimate/resolution/parts.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static const double FAST = 10; // times the slowest strain: faster modes are not looked at

// Rates without those of fast modes, on the model's coordinates: where forces begin suddenly, stiff strains take nearly
// all of them, swing by next to nothing, and their inertia says nothing of the motion.
//     (K + w^2 M) x = -K rate,  rate + x: modes of a frequency beyond w lose their part
void td_resolution_smooth(td_resolution *r, const double *embedded, const double *rate, double *out) {
  int N = r->N, n = r->model->n;
  double sigma = FAST * FAST * td_resolution_slowest(r);
  for (int i = 0; i < N; i++) {
    r->fine[i] = 0;
    for (int j = 0; j < N; j++) r->fine[i] -= r->K[i * N + j] * embedded[j];
  }
  bool known = td_resolution_solve(r, 0, &sigma, r->fine, r->dq);
  for (int i = 0; i < n; i++) out[i] = rate[i] + (known ? r->dq[r->twin.at[i]] : 0);
}

// The strains of fast modes stay in q when their accelerations are left out, and would ask for new functions wherever
// those are not orthogonal to the basis. So what is not balanced on the model's coordinates is taken for the work of
// such strains x, and theirs is taken out of the rest:
//     S_ll x = r_model,     r_h -= S_hl x
void td_resolution_leave_out_fast_strains(td_resolution *r) {
  double sigma = 0, *force = r->all, *x = r->dq;
  int N = r->N;
  memset(force, 0, (size_t)N * sizeof *force);
  for (int i = 0; i < r->model->n; i++) force[r->twin.at[i]] = r->own[i];
  if (!td_resolution_solve(r, 0, &sigma, force, x)) return;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N && r->twin.level[i] > 0; j++)
      r->fine[i] -= (r->K[i * N + j] + sigma * r->M[i * N + j]) * x[j];
}

static double mass_form(const td_resolution *r, const double *x) {
  double sum = 0;
  for (int i = 0; i < r->N; i++)
    for (int j = 0; j < r->N && x[i] != 0; j++) sum += x[i] * r->M[i * r->N + j] * x[j];
  return sum;
}

// The square of the rate at which a state of a run changes, 1/s^2: what swings with q'' = -W^2 q has q''^T M q'' = W^2
// 2 T where T is largest, and there that of its slowest strain is taken; what has come to rest has none. Motions slower
// than W do not follow at once.
double td_resolution_pace(const td_resolution *r, const td_resolution_state *at) {
  if (!(at->liveliest > 0)) return 0;
  double twice = 2 * at->liveliest, moves = fmin(1, mass_form(r, r->qd) / twice);
  return mass_form(r, r->qdd) / twice + moves * td_resolution_slowest(r);
}

// ------------------------------------------------------------------------------------------------ doubt

// Of what is said: estimates are linear, and of a few states.
static const double DOUBT = 0.25, DOUBT_WHOLE = 0.5;
static const double DOUBT_GROWTH = 0.05; // e-folds that a motion would grow by beside those that it does

// Whether what is estimated of functions exceeds these parts of what is said.
static bool exceeds(const td_resolution *r, double part, double part_of_whole) {
  bool any = false;
  if (!r) return false;
  for (int i = 0; i < r->model->rod_count; i++) {
    const td_finding *f = &r->found[r->model->rod[i].element];
    any |= r->model->rod[i].basis && f->basis > part * f->basis_limit;
  }
  return any || r->response.apart.ratio > part * TD_COARSE_RESPONSE ||
         r->response.whole.ratio > part_of_whole * TD_COARSE_RESPONSE;
}

bool td_resolution_doubts_motion(const td_resolution *r) {
  return exceeds(r, DOUBT, DOUBT_WHOLE) || (r && r->growth > DOUBT_GROWTH);
}

bool td_resolution_blames_motion(const td_resolution *r) { return exceeds(r, 1, 1); }

bool td_resolution_blames_points(const td_resolution *r) {
  bool any = false;
  if (!r) return false;
  for (int i = 0; i < r->model->element_count; i++) {
    const td_finding *f = &r->found[i];
    bool rod = r->model->element[i].rod >= 0;
    any |= f->force > (rod ? TD_COARSE_FORCE : TD_COARSE_JOINT) || (rod && f->points > f->points_limit);
  }
  return any;
}

// A run on more points that goes the same way, with the same strains, says that the robot's are enough. Where its
// strains are others, it says by how much: an estimate at an instant weighs them by what they are then, and that may be
// next to nothing.
static void acquit_points(td_resolution *r, const td_enriched_finding *found) {
  const td_apart *apart = found->points.ratio > 0 ? &found->points : &found->functions;
  if (apart->ratio > TD_COARSE_RESPONSE) return;
  for (int i = 0; i < r->model->element_count; i++) {
    td_finding *f = &r->found[i];
    bool rod = r->model->element[i].rod >= 0;
    f->points = f->points_limit = 0;
    if (rod ? found->strains <= TD_COARSE_FORCE : apart->share <= TD_COARSE_JOINT) f->force = 0;
    if (!rod || f->force <= found->strains) continue;
    f->force = found->strains;
    snprintf(f->force_at, sizeof f->force_at, "at most, in the whole run");
  }
}

void td_resolution_settle_motion(td_resolution *r, const td_enriched_finding *found) {
  double until = found->known ? INFINITY : found->until;
  for (int i = 0; i < r->model->element_count; i++) {
    td_finding *f = &r->found[i];
    if (f->basis_t <= until) f->basis = f->basis_limit = 0;
  }
  if (r->response.apart.t <= until) r->response.apart = (td_apart){0};
  if (r->response.whole.t <= until) r->response.whole = (td_apart){0};
  r->enriched = *found;
  if (found->points.ratio > TD_COARSE_RESPONSE)
    r->found[r->model->rod[found->points.rod].element].astray = found->points;
  if (found->finer_known) acquit_points(r, found);
}

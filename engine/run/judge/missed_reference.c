// The way that a reference asks for is the farthest that it goes from where the robot began, of all outputs of one kind
// (coordinates, lengths, tips) together: one that should stay while another goes is not held to nothing. The run is
// right: it is what this controller does.
#include "run/judge/missed_reference.h"
#include "control/parts.h"
#include "model/model.h"
#include "pass/kinematics.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double STANDS = 0.25, MOVES = 0.5; // of the way
static const double NOTHING = 1e-9;             // rad, m: no way at all

typedef struct ending {
  td_simulation *run;
  const td_controlled *law;
  const td_controller_spec *spec;
  const double *start, *end; // states; the first of them behind the first step
  double t;
  char pointer[TD_POINTER_SIZE];
} ending;

// The worst of what is off, and the way.
typedef struct miss {
  double error, way, closing; // the last: how fast it comes nearer, per s; NaN: not known
  bool moves;
  const char *what, *unit;
} miss;

static void tell(const ending *e, const miss *m) {
  char why[160];
  if (!(m->way > NOTHING) || !(m->error > (m->moves ? MOVES : STANDS) * m->way)) return;
  if (m->closing > 0 && m->error / m->closing < 10 * e->t)
    snprintf(why, sizeof why, "it comes nearer by %.3g %s/s: a longer run or larger gains", m->closing, m->unit);
  else if (isnan(m->closing))
    snprintf(why, sizeof why, "a longer run, larger gains, or a reference within reach");
  else
    snprintf(why, sizeof why, "it comes no nearer: larger gains, a reference within reach, or more channels");
  td_warn(
      &e->run->state.statistics.warnings, "reference_missed", e->pointer,
      "at the end, t = %.6g s, \"%.63s\" is %.3g %s off its reference, %.3g %% of the way of %.3g %s that it was asked "
      "to go; %s",
      e->t, m->what, m->error, m->unit, 100 * m->error / m->way, m->way, m->unit, why);
}

// ------------------------------------------------------------------------------------------------ outputs

static double way_of(const td_track *track, int i, double from, double t) {
  double most = 0;
  for (size_t k = 0; k < track->knots; k++)
    if (k == 0 || track->t[k - 1] < t) most = fmax(most, fabs(track->value[(size_t)i * track->knots + k] - from));
  return most;
}

static void look_at_outputs(const ending *e, td_control *control) {
  const td_controlled *c = e->law;
  size_t width = (size_t)c->width, n = (size_t)e->run->plant.n;
  double *y0 = calloc(2 * width + width * n + 1, sizeof *y0), *y = y0 + width, *J = y + width;
  bool known = y0 && !td_outputs_at(control, c->output, c->width, e->start, y0, NULL) &&
               !td_outputs_at(control, c->output, c->width, e->end, y, J);
  for (int kind = 0; kind < 2 && known; kind++) { // coordinates, lengths of tendons
    miss worst = {.unit = kind ? "m" : "(rad, m or a number)"};
    for (int i = 0; i < c->width; i++) {
      double wanted[3], rate = 0;
      if ((c->output[i].tendon >= 0) != kind) continue;
      td_track_eval(&c->track, i, e->t, e->run->plant.t_side, wanted);
      worst.way = fmax(worst.way, way_of(&c->track, i, y0[i], e->t));
      double off = wanted[0] - y[i];
      if (fabs(off) <= worst.error) continue;
      for (size_t k = 0; k < n; k++) rate += J[(size_t)i * n + k] * e->end[n + k];
      worst.error = fabs(off), worst.moves = wanted[1] != 0;
      worst.closing = off > 0 ? rate - wanted[1] : wanted[1] - rate;
      worst.what = kind ? td_model_tendon_name(e->run->plant.model, c->output[i].tendon)
                        : td_model_coordinate_name(e->run->plant.model, c->output[i].coordinate);
    }
    tell(e, &worst);
  }
  free(y0);
}

// ------------------------------------------------------------------------------------------------ tips

static void tip_at(const ending *e, const double *q, int link, double p[3]) {
  const td_model *m = e->run->plant.model;
  td_workspace *ws = e->run->ws;
  td_kinematics(m, ws, q, NULL, NULL, m->gravity, TD_LEVEL_POSE);
  const td_se3 *g = &ws->pose[td_link_point_node(m, link, td_model_link_point_count(m, link) - 1)];
  for (int i = 0; i < 3; i++) p[i] = g->p[i] + ws->origin[i];
}

static double distance(const double *a, const double *b) {
  return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
}

// Between its knots the reference of a tip is not known: it is looked at where the last one is past.
static void look_at_tips(const ending *e) {
  const td_reference_spec *ref = &e->spec->reference;
  const td_model *m = e->run->plant.model;
  if (ref->t[ref->knots - 1] > e->t) return;
  for (size_t i = 0; 3 * i + 3 <= ref->width; i++) {
    int link = ref->tip_count ? td_model_link_find(m, ref->tips[i]) : td_model_link_count(m) - 1;
    double first[3], last[3];
    const double *wanted = ref->value + (ref->rows - 1) * ref->width + 3 * i;
    if (link < 0) return;
    tip_at(e, e->start, link, first);
    tip_at(e, e->end, link, last);
    miss tip = {.closing = NAN, .what = m->link[link].name, .unit = "m", .error = distance(wanted, last)};
    for (size_t row = 0; row < ref->rows; row++)
      tip.way = fmax(tip.way, distance(ref->value + row * ref->width + 3 * i, first));
    tell(e, &tip);
  }
}

void td_missed_reference_tell(td_simulation *run) {
  td_control *control = run->control;
  const td_dynamics_spec *spec = run->spec;
  const double *start = run->witness + 2 * (TD_WITNESSES - 1) * run->plant.n;
  for (int i = 0; control && run->state.witnessed && i < control->count; i++) {
    ending e = {run, &control->item[i], &spec->controllers[i], start, run->y, run->state.t, "/controller/reference"};
    if (spec->controller_list) snprintf(e.pointer, sizeof e.pointer, "/controller/%d/reference", i);
    if (!td_controlled_acts(e.law, run->plant.t_side)) continue;
    if (e.spec->reference.space == TD_SPACE_TIP)
      look_at_tips(&e);
    else if (e.law->row->law != TD_LAW_FEED_FORWARD)
      look_at_outputs(&e, control);
  }
}

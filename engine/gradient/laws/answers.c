// How the laws at work answer to numbers, at a moment of a run (laws.c has the formula).
#include "gradient/laws/parts.h"
#include <assert.h>
#include <math.h>
#include <string.h>

typedef struct moment {
  td_law_numbers *l;
  const td_input_moment *at;
  td_control_state state;
  td_input_slope *list;
  size_t count;
  bool failed;
} moment;

// u [m] for l->in and l->qdd.
static void ask(moment *o, double *u) {
  td_law_numbers *l = o->l;
  memcpy(u, l->in, (size_t)l->m * sizeof *u);
  if (l->control && td_control_eval(l->control, &o->state, u)) o->failed = true;
}

static void add(moment *o, int channel, size_t number, const double of[TD_LAW_JET]) {
  assert(o->count < o->l->most);
  o->list[o->count++] = (td_input_slope){channel, number, {of[0], of[1], of[2]}};
}

// l->answer times a factor, of the channels of controllers.
static void add_answer(moment *o, size_t number, double factor) {
  td_law_numbers *l = o->l;
  for (int i = 0; i < l->channels; i++) {
    int channel = l->reference[i].law->channel[l->reference[i].index];
    double of = factor * l->answer[channel];
    if (of != 0) add(o, channel, number, (double[TD_LAW_JET]){of, 0, 0});
  }
}

// l->answer = (u - u0) / step, exact of what is affine.
static void answer_to_step(moment *o, double step) {
  ask(o, o->l->out);
  for (int i = 0; i < o->l->m; i++) o->l->answer[i] = (o->l->out[i] - o->l->base[i]) / step;
}

static void answer_to_gain(moment *o, double *gain, int first, int last, size_t number) {
  double step = fmax(1, fabs(gain[first])), before[TD_MAX_CHANNELS];
  for (int i = first; i <= last; i++) before[i] = gain[i], gain[i] += step;
  answer_to_step(o, step);
  for (int i = first; i <= last; i++) gain[i] = before[i];
  add_answer(o, number, 1);
}

static void gains(moment *o, td_controlled *law, double *gain, const double *places, size_t count) {
  for (size_t i = 0; i < count; i++) {
    const td_law_place *asked = td_law_place_find(o->l, &places[i]);
    if (asked) answer_to_gain(o, gain, count == 1 ? 0 : (int)i, count == 1 ? law->width - 1 : (int)i, asked->number);
  }
}

// ------------------------------------------------------------------------------------------------ references

typedef struct taking {
  moment *o;
  const td_law_reference *r;
  const double (*answers)[TD_LAW_JET]; // [m]
} taking;

static void answer_along(const taking *k, const double of[TD_LAW_JET], size_t number) {
  td_law_numbers *l = k->o->l;
  for (int i = 0; i < l->m; i++)
    l->answer[i] = of[0] * k->answers[i][0] + of[1] * k->answers[i][1] + of[2] * k->answers[i][2];
  add_answer(k->o, number, 1);
}

// What was found at a knot moves with the values that it was to be found for, and, summed up, with all else.
static void take_found(const taking *k, size_t knot, const double of[TD_LAW_JET]) {
  td_law_numbers *l = k->o->l;
  const td_reference_spec *spec = &k->r->spec->reference;
  size_t np = td_law_model_count(l), channels = k->r->spec->channel_count;
  const double *by = k->r->found + (knot * channels + (size_t)k->r->index) * k->r->columns;
  for (size_t c = 0; c < k->r->columns; c++)
    for (int i = 0; i < TD_LAW_JET; i++) l->total[c][i] += of[i] * by[c];
  for (size_t c = 0; c < spec->width; c++) {
    const td_law_place *asked = td_law_place_find(l, &spec->value[knot * spec->width + c]);
    if (asked)
      answer_along(k, (double[TD_LAW_JET]){of[0] * by[np + c], of[1] * by[np + c], of[2] * by[np + c]}, asked->number);
  }
}

static void take_totals(const taking *k) {
  const td_law_numbers *l = k->o->l;
  size_t np = td_law_model_count(l), inputs = np + k->r->spec->reference.width;
  for (size_t j = 0; j < np; j++) answer_along(k, l->total[j], l->model_number ? l->model_number[j] : j);
  for (size_t j = 0; j < l->columns; j++) answer_along(k, l->total[inputs + j], l->number[j]);
}

static void take_jets(const taking *k, size_t knot, const double of[TD_LAW_JET]) {
  const td_law_place *asked = k->r->found ? NULL : td_law_place_find(k->o->l, td_law_value_at(k->r, knot));
  if (k->r->found) take_found(k, knot, of);
  if (asked) answer_along(k, of, asked->number);
}

static void take_value(void *context, const double *number, const double of[TD_LAW_JET]) {
  const taking *k = context;
  const td_track *track = &k->r->law->track;
  const double *first = track->value + (size_t)k->r->index * track->knots;
  if (number >= first && number < first + track->knots) take_jets(k, (size_t)(number - first), of);
}

// From knot to knot x0 + (x1 - x0) s^2 (3 - 2 s), held outside.
static void take_cubic(const taking *k) {
  const td_track *track = &k->r->law->track;
  const td_control_state *at = &k->o->state;
  size_t last = track->knots - 1, i = 0;
  if (last == 0 || at->t_side <= track->t[0] || at->t_side >= track->t[last]) {
    take_jets(k, last == 0 || at->t_side <= track->t[0] ? 0 : last, (double[TD_LAW_JET]){1, 0, 0});
    return;
  }
  i = td_signal_knots_reached(&k->r->curve, at->t_side) - 1;
  double h = track->t[i + 1] - track->t[i], s = (at->t - track->t[i]) / h;
  double jet[TD_LAW_JET] = {s * s * (3 - 2 * s), 6 * s * (1 - s) / h, (6 - 12 * s) / (h * h)};
  take_jets(k, i, (double[TD_LAW_JET]){1 - jet[0], -jet[1], -jet[2]});
  take_jets(k, i + 1, jet);
}

static void answer_to_reference(moment *o, td_law_reference *r, double (*answers)[TD_LAW_JET]) {
  td_law_numbers *l = o->l;
  double *shift = r->law->shift[r->index];
  for (int k = 0; k < TD_LAW_JET; k++) {
    shift[k] = 1;
    answer_to_step(o, 1);
    shift[k] = 0;
    for (int i = 0; i < l->m; i++) answers[i][k] = l->answer[i];
  }
  taking take = {o, r, (const double(*)[TD_LAW_JET])answers};
  if (r->found) memset(l->total, 0, r->columns * sizeof *l->total);
  if (r->rises)
    take_cubic(&take);
  else
    td_signal_slopes(&r->signal, o->at->t, o->at->t_side, &(td_slope_taker){&take, take_value});
  if (r->found) take_totals(&take);
}

// ------------------------------------------------------------------------------------------------ model

static void model_numbers(moment *o) {
  td_law_numbers *l = o->l;
  size_t np = td_parameters_count(l->of_model);
  if (td_model_numbers_at(l->weighed, &o->state, l->base, l->by_model)) o->failed = true;
  for (int channel = 0; !o->failed && channel < l->m; channel++)
    for (size_t j = 0; j < np; j++) {
      double of = l->by_model[(size_t)channel * np + j];
      if (of != 0) add(o, channel, l->model_number ? l->model_number[j] : j, (double[TD_LAW_JET]){of, 0, 0});
    }
}

// ------------------------------------------------------------------------------------------------ inputs

// The inputs and driven accelerations moved along a number.
static void move(td_law_numbers *l, size_t number, size_t given, double by) {
  for (size_t i = 0; i < given; i++) {
    if (l->given[i].number != number) continue;
    l->in[l->given[i].channel] += by * l->given[i].of[0];
    for (int k = 0; k < l->driven; k++) {
      int channel = -1, c = td_model_prescribed_coordinate(l->model, k, &channel);
      if (channel == l->given[i].channel) l->qdd[c] += by * l->given[i].of[2];
    }
  }
}

static double size_of(const td_law_numbers *l, size_t number, size_t given) {
  double most = 0;
  for (size_t i = 0; i < given; i++)
    if (l->given[i].number == number) most = fmax(most, fmax(fabs(l->given[i].of[0]), fabs(l->given[i].of[2])));
  return most;
}

// How laws answer to the other inputs: of order 4, as springs and tendons pull by lengths.
static void answer_to_inputs(moment *o, size_t number, size_t given) {
  static const double weight[] = {1, -8, 8, -1}, place[] = {-2, -1, 1, 2}, reach = 1e-3;
  td_law_numbers *l = o->l;
  double size = size_of(l, number, given), h = size > 0 ? reach / size : 0;
  if (h == 0) return;
  memset(l->change, 0, (size_t)l->m * sizeof *l->change);
  for (int j = 0; j < 4; j++) {
    move(l, number, given, place[j] * h);
    ask(o, l->out);
    move(l, number, given, -place[j] * h);
    for (int i = 0; i < l->m; i++) l->change[i] += weight[j] * l->out[i] / (12 * h);
  }
  memcpy(l->answer, l->change, (size_t)l->m * sizeof *l->answer);
  add_answer(o, number, 1);
}

static void inputs(moment *o) {
  td_law_numbers *l = o->l;
  size_t given = td_input_numbers_at(l->of_inputs, o->at->t, o->at->t_side, l->given);
  for (size_t i = 0; i < given; i++) add(o, l->given[i].channel, l->given[i].number, l->given[i].of);
  for (size_t i = 0; l->control && i < given; i++) {
    bool again = false;
    for (size_t j = 0; j < i && !again; j++) again = l->given[j].number == l->given[i].number;
    if (!again) answer_to_inputs(o, l->given[i].number, given);
  }
}

size_t td_law_numbers_at(void *numbers, const td_input_moment *at, td_input_slope *list) {
  td_law_numbers *l = numbers;
  moment o = {.l = l, .at = at, .list = list};
  double answers[TD_MAX_CHANNELS][TD_LAW_JET];
  o.state = (td_control_state){.t = at->t, .t_side = at->t_side, .q = at->q, .qd = at->qd, .qdd = l->qdd};
  o.state.baumgarte = l->baumgarte;
  td_inputs_eval(l->inputs, at->t, at->t_side, l->in);
  memset(l->qdd, 0, (size_t)l->n * sizeof *l->qdd);
  for (int k = 0; k < l->driven; k++) {
    double motion[TD_LAW_JET];
    int channel = -1, c = td_model_prescribed_coordinate(l->model, k, &channel);
    td_inputs_motion(l->inputs, channel, at->t, at->t_side, motion);
    l->qdd[c] = motion[2];
  }
  ask(&o, l->base);
  inputs(&o);
  for (size_t i = 0; l->control && i < l->run->controller_count; i++) {
    const td_controller_spec *spec = &l->run->controllers[i];
    td_controlled *law = &l->control->item[i];
    gains(&o, law, law->kp, spec->kp, spec->kp_count);
    gains(&o, law, law->kd, spec->kd, spec->kd_count);
  }
  for (int i = 0; l->control && i < l->channels; i++)
    if (l->reference[i].asked) answer_to_reference(&o, &l->reference[i], answers);
  if (l->weighed) model_numbers(&o);
  if (!o.failed) return o.count;
  list[0] = (td_input_slope){0, 0, {NAN, NAN, NAN}};
  return 1;
}

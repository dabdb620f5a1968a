// Inputs under control, by numbers of inputs and controllers: laws answer to what they are given, and what they are
// given depends on numbers.
//
//   u = U(t, q, qd; u_in, qdd_driven, k, x_ref, model)
//   du/dp = U_in du_in/dp + U_k dk/dp + sum over jets U_ref dx_ref/dp + du/dp of the model (control/model_numbers.c)
//
// u_in: channels with signals, of which there are derivatives (input_numbers.c); k: gains; x_ref: value, velocity and
// acceleration of references, whose derivatives by knots are those of a signal. U is affine in each of them, but for
// inputs that are lengths of springs or tendons, so that a difference is its derivative; those are differences of order
// 4. A law's own channels are the only ones that U changes.
#include "base/carve.h"
#include "control/model_numbers.h"
#include "control/parts.h"
#include "input/inputs.h"
#include "input/signal_slopes.h"
#include "tendril/gradient.h"

#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { JET = 3 };

typedef struct named {
  uintptr_t place;
  size_t number;
} named;

// One output of one controller.
typedef struct reference {
  const td_controller_spec *spec;
  td_controlled *law;
  int index;
  td_signal_spec curve; // values of its track, splines and lines
  td_signal signal;
  bool asked, rises; // some of its values is; from knot to knot in cubics
} reference;

struct td_law_numbers {
  const td_model *model;
  const td_dynamics_spec *run;
  td_workspace *ws;
  td_inputs *inputs;
  td_input_numbers *of_inputs;
  td_control *control;
  const td_parameters *of_model;
  const size_t *model_number;
  td_model_numbers *weighed; // by numbers of the model; NULL: there are none, or no controllers
  double *by_model;          // [m][td_parameters_count]
  named *sorted;             // [count] by places
  size_t count, most;
  double baumgarte;                                // s, of the run
  int m, n, driven, channels;                      // channels: of controllers
  reference *reference;                            // [channels]
  td_input_slope *given;                           // [td_input_numbers_most]
  double *base, *in, *out, *change, *answer, *qdd; // [m] each, qdd [n]
  double (*shift)[JET];                            // [channels]
};

// ------------------------------------------------------------------------------------------------ places

static int by_place(const void *a, const void *b) {
  uintptr_t x = ((const named *)a)->place, y = ((const named *)b)->place;
  return (x > y) - (x < y);
}

static const named *find(const td_law_numbers *l, const double *place) {
  const named asked = {(uintptr_t)place, 0};
  return bsearch(&asked, l->sorted, l->count, sizeof asked, by_place);
}

static const double *value_at(const reference *r, size_t knot) {
  return &r->spec->reference.value[knot * r->spec->reference.width + (size_t)r->index];
}

// ------------------------------------------------------------------------------------------------ life

static bool is_direct(const td_controller_spec *c) {
  bool feed = td_controller_get(c->type)->law == TD_LAW_FEED_FORWARD;
  td_reference_space space = c->reference.space;
  return space == TD_SPACE_INPUT || (!feed && space != TD_SPACE_TIP);
}

static bool within(const double *place, const double *list, size_t count) {
  return list && place >= list && place < list + count;
}

// Gains, and what of the initial state is a first guess at the most.
static bool leaves_inversions(const td_dynamics_spec *run, const double *place) {
  bool does = !place || within(place, run->q, run->q_count) || within(place, run->qd, run->qd_count);
  for (size_t i = 0; i < run->controller_count && !does; i++) {
    const td_controller_spec *c = &run->controllers[i];
    does = within(place, c->kp, c->kp_count) || within(place, c->kd, c->kd_count);
  }
  return does;
}

td_status td_law_numbers_check_model(const td_dynamics_spec *run, td_error *err) {
  td_place root = td_place_root(err), all;
  for (size_t i = 0; i < run->controller_count; i++) {
    if (is_direct(&run->controllers[i])) continue;
    td_place at = td_controller_place(&root, run, i, &all), key = td_place_key(&at, "reference");
    td_place space = td_place_key(&key, "space");
    return td_place_fail(
        &space, TD_UNSUPPORTED,
        "this reference is found by static inversion, of which there are no derivatives yet: its "
        "gains are parameters; inputs, references and numbers of the model are none beside it. A reference in "
        "joint space has them all");
  }
  return TD_OK;
}

td_status td_law_numbers_check_place(const td_dynamics_spec *run, const double *place, td_error *err) {
  return leaves_inversions(run, place) ? TD_OK : td_law_numbers_check_model(run, err);
}

// An inversion depends on the model, on the other inputs and on the reference.
static td_status check_inversions(const td_law_numbers *l, td_error *err) {
  bool matters = l->of_model && td_parameters_count(l->of_model) > 0;
  td_status status = matters ? td_law_numbers_check_model(l->run, err) : TD_OK;
  for (size_t k = 0; k < l->count && status == TD_OK; k++)
    status = td_law_numbers_check_place(l->run, (const double *)l->sorted[k].place, err);
  return status;
}

static td_status make_reference(td_law_numbers *l, const td_controller_spec *spec, td_controlled *law, int i,
                                reference *r) {
  const td_track *track = &law->track;
  *r = (reference){.spec = spec, .law = law, .index = i, .rises = track->interpolation == TD_INTERPOLATION_CUBIC};
  if (!is_direct(spec)) return TD_OK;
  for (size_t k = 0; k < track->knots && !r->asked; k++) r->asked = find(l, value_at(r, k)) != NULL;
  r->curve = (td_signal_spec){.type = TD_SIGNAL_TABLE,
                              .t = track->t,
                              .value = track->value + (size_t)i * track->knots,
                              .count = track->knots,
                              .spline = track->interpolation == TD_INTERPOLATION_SPLINE && track->knots > 1};
  return td_signal_init(&r->signal, &r->curve);
}

static td_status make_references(td_law_numbers *l) {
  td_status status = TD_OK;
  int next = 0;
  for (size_t i = 0; i < l->run->controller_count; i++) {
    td_controlled *law = &l->control->item[i];
    law->shift = l->shift + next;
    for (int k = 0; k < law->width && status == TD_OK; k++)
      status = make_reference(l, &l->run->controllers[i], law, k, &l->reference[next++]);
  }
  return status;
}

// Each number of an input, each gain and each live value of a reference reaches all channels of controllers.
static size_t most_of(const td_law_numbers *l) {
  size_t sources = 0, given = td_input_numbers_most(l->of_inputs), each = (size_t)l->channels;
  for (int i = 0; i < l->channels; i++)
    if (l->reference[i].asked) sources += td_signal_slopes_most(&l->reference[i].curve);
  for (size_t i = 0; i < l->run->controller_count; i++)
    sources += l->run->controllers[i].kp_count + l->run->controllers[i].kd_count;
  if (l->weighed) sources += td_parameters_count(l->of_model);
  return given + (given + sources) * each + 1;
}

static bool make_room(td_law_numbers *l) {
  size_t m = (size_t)l->m, n = (size_t)l->n, np = l->of_model ? td_parameters_count(l->of_model) : 0;
  double *shift = NULL;
  bool room = TD_CARVE({&l->base, m}, {&l->in, m}, {&l->out, m}, {&l->change, m}, {&l->answer, m}, {&l->qdd, n},
                       {&shift, JET * (size_t)l->channels + 1}, {&l->by_model, m * np});
  l->shift = (double(*)[JET])(void *)shift;
  l->reference = calloc((size_t)l->channels + 1, sizeof *l->reference);
  l->given = calloc(td_input_numbers_most(l->of_inputs) + 1, sizeof *l->given);
  return room && l->reference && l->given;
}

static td_status make(td_law_numbers *l, const double *const *places, td_error *err) {
  const td_dynamics_spec *run = l->run;
  for (size_t i = 0; i < l->count; i++) l->sorted[i] = (named){(uintptr_t)places[i], i};
  qsort(l->sorted, l->count, sizeof *l->sorted, by_place);
  td_status status = check_inversions(l, err);
  if (status) return status;
  for (size_t i = 0; i < run->controller_count; i++) l->channels += (int)run->controllers[i].channel_count;
  status = td_workspace_create(l->model, &l->ws);
  if (!status) status = td_inputs_create(l->model, run->inputs, run->input_count, &l->inputs);
  if (!status)
    status = td_input_numbers_create(l->model, run->inputs, run->input_count, places, l->count, &l->of_inputs);
  if (!status && !make_room(l)) status = TD_NO_MEMORY;
  if (status) return td_fail(err, status, "", "no memory for derivatives of controllers");
  status = td_control_create(l->model, l->ws, l->inputs, run, NULL, &l->control, err);
  if (status) return status;
  if (l->control && make_references(l)) return td_fail(err, TD_NO_MEMORY, "", "no memory for references");
  if (l->control && l->of_model && td_model_numbers_create(l->control, l->of_model, &l->weighed))
    return td_fail(err, TD_NO_MEMORY, "", "no memory for derivatives of controllers");
  l->most = most_of(l);
  return TD_OK;
}

td_status td_law_numbers_create(const td_model *model, const td_dynamics_spec *run, const td_parameters *of_model,
                                const size_t *model_number, const double *const *places, size_t count,
                                td_law_numbers **numbers, td_error *err) {
  td_law_numbers *l = calloc(1, sizeof *l);
  *numbers = NULL;
  if (!l) return td_fail(err, TD_NO_MEMORY, "", "no memory for derivatives of controllers");
  *l = (td_law_numbers){.model = model, .run = run, .of_model = of_model, .model_number = model_number, .count = count};
  l->m = td_model_channel_count(model);
  l->n = td_model_ndof(model);
  l->driven = td_model_prescribed_count(model);
  td_integrator_spec used;
  td_integrator_resolve(model, run, &used);
  l->baumgarte = used.baumgarte;
  l->sorted = calloc(count + 1, sizeof *l->sorted);
  td_status status = l->sorted ? make(l, places, err) : td_fail(err, TD_NO_MEMORY, "", "no memory for numbers");
  if (status)
    td_law_numbers_destroy(l);
  else
    *numbers = l;
  return status;
}

void td_law_numbers_destroy(td_law_numbers *l) {
  if (!l) return;
  for (int i = 0; l->reference && i < l->channels; i++)
    if (l->reference[i].signal.spec) td_signal_fini(&l->reference[i].signal);
  td_model_numbers_destroy(l->weighed);
  td_control_destroy(l->control);
  td_input_numbers_destroy(l->of_inputs);
  td_inputs_destroy(l->inputs);
  td_workspace_destroy(l->ws);
  free(l->reference);
  free(l->given);
  free(l->base);
  free(l->sorted);
  free(l);
}

size_t td_law_numbers_most(const td_law_numbers *numbers) { return numbers->most; }

// ------------------------------------------------------------------------------------------------ answers

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

static void add(moment *o, int channel, size_t number, const double of[JET]) {
  assert(o->count < o->l->most);
  o->list[o->count++] = (td_input_slope){channel, number, {of[0], of[1], of[2]}};
}

// l->answer times a factor, of the channels of controllers.
static void add_answer(moment *o, size_t number, double factor) {
  td_law_numbers *l = o->l;
  for (int i = 0; i < l->channels; i++) {
    int channel = l->reference[i].law->channel[l->reference[i].index];
    double of = factor * l->answer[channel];
    if (of != 0) add(o, channel, number, (double[JET]){of, 0, 0});
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
    const named *asked = find(o->l, &places[i]);
    if (asked) answer_to_gain(o, gain, count == 1 ? 0 : (int)i, count == 1 ? law->width - 1 : (int)i, asked->number);
  }
}

// ------------------------------------------------------------------------------------------------ references

typedef struct taking {
  moment *o;
  const reference *r;
  const double (*answers)[JET]; // [m]
} taking;

static void take_jets(const taking *k, size_t knot, const double of[JET]) {
  const named *asked = find(k->o->l, value_at(k->r, knot));
  if (!asked) return;
  for (int i = 0; i < k->o->l->m; i++)
    k->o->l->answer[i] = of[0] * k->answers[i][0] + of[1] * k->answers[i][1] + of[2] * k->answers[i][2];
  add_answer(k->o, asked->number, 1);
}

static void take_value(void *context, const double *number, const double of[JET]) {
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
    take_jets(k, last == 0 || at->t_side <= track->t[0] ? 0 : last, (double[JET]){1, 0, 0});
    return;
  }
  i = td_signal_knots_reached(&k->r->curve, at->t_side) - 1;
  double h = track->t[i + 1] - track->t[i], s = (at->t - track->t[i]) / h;
  double jet[JET] = {s * s * (3 - 2 * s), 6 * s * (1 - s) / h, (6 - 12 * s) / (h * h)};
  take_jets(k, i, (double[JET]){1 - jet[0], -jet[1], -jet[2]});
  take_jets(k, i + 1, jet);
}

static void answer_to_reference(moment *o, reference *r, double (*answers)[JET]) {
  td_law_numbers *l = o->l;
  double *shift = r->law->shift[r->index];
  for (int k = 0; k < JET; k++) {
    shift[k] = 1;
    answer_to_step(o, 1);
    shift[k] = 0;
    for (int i = 0; i < l->m; i++) answers[i][k] = l->answer[i];
  }
  taking take = {o, r, (const double(*)[JET])answers};
  if (r->rises)
    take_cubic(&take);
  else
    td_signal_slopes(&r->signal, o->at->t, o->at->t_side, &(td_slope_taker){&take, take_value});
}

// ------------------------------------------------------------------------------------------------ model

static void model_numbers(moment *o) {
  td_law_numbers *l = o->l;
  size_t np = td_parameters_count(l->of_model);
  if (td_model_numbers_at(l->weighed, &o->state, l->base, l->by_model)) o->failed = true;
  for (int channel = 0; !o->failed && channel < l->m; channel++)
    for (size_t j = 0; j < np; j++) {
      double of = l->by_model[(size_t)channel * np + j];
      if (of != 0) add(o, channel, l->model_number ? l->model_number[j] : j, (double[JET]){of, 0, 0});
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
  double answers[TD_MAX_CHANNELS][JET];
  o.state = (td_control_state){.t = at->t, .t_side = at->t_side, .q = at->q, .qd = at->qd, .qdd = l->qdd};
  o.state.baumgarte = l->baumgarte;
  td_inputs_eval(l->inputs, at->t, at->t_side, l->in);
  memset(l->qdd, 0, (size_t)l->n * sizeof *l->qdd);
  for (int k = 0; k < l->driven; k++) {
    double motion[JET];
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

// Controllers made ready for a run: channels and outputs by index, gains one per output, references as tracks.
#include "base/carve.h"
#include "control/parts.h"
#include "control/static_inversion.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

// ------------------------------------------------------------------------------------------------ life

static void item_fini(td_controlled *c) {
  free(c->channel);
  free(c->output);
  free(c->kp);
  td_track_fini(&c->track);
}

void td_control_destroy(td_control *s) {
  if (!s) return;
  for (int i = 0; i < s->count; i++) item_fini(&s->item[i]);
  free(s->item);
  free(s->pivot);
  free(s->zero);
  free(s);
}

static bool memory(td_control *s) {
  size_t n = (size_t)s->n, m = (size_t)s->m, most = n > m ? n : m, t = (size_t)td_model_tendon_count(s->model);
  double *motion = NULL;
  s->pivot = calloc(4 * m + 1, sizeof *s->pivot);
  bool room = TD_CARVE({&s->zero, n}, {&s->fd, n}, {&s->r, n}, {&s->x, n}, {&motion, 3 * t}, {&s->gradient, t * n},
                       {&s->tension, t}, {&s->u, m}, {&s->w, m}, {&s->F, m}, {&s->square, m * m}, {&s->size, m},
                       {&s->B, n * m}, {&s->dfd_du, n * m}, {&s->K, n * n}, {&s->H, n * n}, {&s->C, n * most},
                       {&s->du_dq, m * n}, {&s->du_dqd, m * n}, {&s->Fq, m * n}, {&s->Fv, m * n});
  if (!s->pivot || !room) return false;
  s->stack = s->pivot + m;
  s->motion = (double(*)[3])(void *)motion;
  return true;
}

// ------------------------------------------------------------------------------------------------ one controller

// Outputs of the channels themselves, or the coordinates that the reference names.
static void watch(const td_model *model, const td_controller_spec *spec, td_controlled *c, int *coordinate) {
  bool named = spec->reference.space == TD_SPACE_JOINT && td_joint_outputs(model, spec, coordinate);
  c->collocated = true;
  for (int i = 0; i < c->width; i++) {
    td_watched own;
    (void)td_channel_output(model, c->channel[i], &own);
    c->output[i] = named ? (td_watched){coordinate[i], -1} : own;
    if (named && own.coordinate != coordinate[i]) c->collocated = false;
  }
}

static td_status item_init(td_control *s, const td_controller_spec *spec, td_controlled *c) {
  size_t k = spec->channel_count;
  *c = (td_controlled){.row = td_controller_get(spec->type), .width = (int)k, .from = spec->from};
  c->until = spec->until > 0 ? spec->until : INFINITY;
  c->channel = calloc(2 * k, sizeof *c->channel);
  c->output = calloc(k, sizeof *c->output);
  c->kp = calloc(2 * k, sizeof *c->kp);
  if (!c->channel || !c->output || !c->kp) return TD_NO_MEMORY;
  c->kd = c->kp + k;
  for (size_t i = 0; i < k; i++) {
    c->channel[i] = td_channel_find(s->model, spec->channels[i]);
    if (spec->kp_count) c->kp[i] = spec->kp[spec->kp_count == 1 ? 0 : i];
    if (spec->kd_count) c->kd[i] = spec->kd[spec->kd_count == 1 ? 0 : i];
  }
  watch(s->model, spec, c, c->channel + k);
  return TD_OK;
}

// The reference of a controller's own outputs (or inputs), by static inversion where it says something else.
static td_status item_reference(td_control *s, const td_dynamics_spec *run, size_t index, td_error *err) {
  const td_controller_spec *spec = &run->controllers[index];
  const td_reference_spec *r = &spec->reference;
  td_controlled *c = &s->item[index];
  bool feed = c->row->law == TD_LAW_FEED_FORWARD,
       direct = r->space == TD_SPACE_INPUT || (!feed && r->space != TD_SPACE_TIP);
  double *rows = direct ? NULL : calloc(r->knots * (size_t)c->width + 1, sizeof *rows);
  if (!direct && !rows) return td_fail(err, TD_NO_MEMORY, "", "no memory for the controllers");
  td_status status = direct ? TD_OK : td_static_inversion(s, run, index, rows, NULL, err);
  if (!status && td_track_init(&c->track, r->interpolation, c->width, r->knots, r->t, direct ? r->value : rows))
    status = td_fail(err, TD_NO_MEMORY, "", "no memory for the controllers");
  free(rows);
  return status;
}

td_status td_control_create(const td_model *model, td_workspace *ws, const td_inputs *inputs,
                            const td_dynamics_spec *spec, const td_control_hooks *hooks, td_control **control,
                            td_error *err) {
  *control = NULL;
  if (spec->controller_count == 0) return TD_OK;
  td_control *s = calloc(1, sizeof *s);
  if (!s) return td_fail(err, TD_NO_MEMORY, "", "no memory for the controllers");
  *s = (td_control){.model = model, .ws = ws, .inputs = inputs};
  if (hooks) s->hooks = *hooks;
  s->n = td_model_ndof(model);
  s->m = td_model_channel_count(model);
  s->item = calloc(spec->controller_count, sizeof *s->item);
  td_status status = s->item && memory(s) ? TD_OK : TD_NO_MEMORY;
  for (size_t i = 0; !status && i < spec->controller_count; i++) {
    s->count = (int)i + 1;
    status = item_init(s, &spec->controllers[i], &s->item[i]);
  }
  if (status) status = td_fail(err, status, "", "no memory for the controllers");
  for (size_t i = 0; !status && i < spec->controller_count; i++) status = item_reference(s, spec, i, err);
  if (!status) {
    *control = s;
    return TD_OK;
  }
  td_control_destroy(s);
  return status;
}

// ------------------------------------------------------------------------------------------------ times

static double later(double candidate, double t) { return candidate > t ? candidate : INFINITY; }

double td_control_next_event(const td_control *s, double t) {
  double next = INFINITY;
  for (int i = 0; s && i < s->count; i++) {
    const td_controlled *c = &s->item[i];
    next = fmin(next, fmin(later(c->from, t), later(c->until, t)));
    double knot = td_track_next_event(&c->track, t);
    if (knot > c->from && knot < c->until) next = fmin(next, knot);
  }
  return next;
}

bool td_control_feeds_back(const td_control *s) {
  for (int i = 0; s && i < s->count; i++)
    if (s->item[i].row->law != TD_LAW_FEED_FORWARD) return true;
  return false;
}

double td_controllers_time_scale(const td_dynamics_spec *spec) {
  double scale = INFINITY;
  for (size_t i = 0; i < spec->controller_count; i++)
    scale = fmin(scale, td_track_time_scale(spec->controllers[i].reference.knots, spec->controllers[i].reference.t));
  return scale;
}

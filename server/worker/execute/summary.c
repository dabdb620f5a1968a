// The summary that travels with every result: what was run (model, job), by what (build, CPU level), and how it went
// (solver statistics, energy balance, time). With it a result explains itself years later.
#include "base/clock.h"
#include "codec/document/parameters/tension.h"
#include "codec/json/number.h"
#include "codec/wire/warnings.h"
#include "worker/execute/parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static json_t *number(double x) { return isfinite(x) ? json_real(x) : json_null(); }

static json_t *names(const td_model *model, int count, const char *(*name)(const td_model *, int)) {
  json_t *list = json_array();
  for (int i = 0; i < count; i++) json_array_append_new(list, json_string(name(model, i)));
  return list;
}

// Columns of the field `energy`.
static const char *energy_word(const td_model *model, int i) { return td_energy_name(td_energy_kind_of(model, i)); }

// Rows of the fields `contacts` and `contact_force`, numbers in `contact_place`.
static json_t *contacts(const td_model *model) {
  json_t *list = json_array();
  char name[TD_CONTACT_ROW_NAME];
  for (int i = 0; i < td_contact_row_count(model); i++) {
    td_contact_row_name(model, i, name);
    json_array_append_new(list, json_string(name));
  }
  return list;
}

// Material abscissae of the computational points of each link, the second axis of `poses:LINK`.
static json_t *points(const td_model *model) {
  json_t *links = json_object();
  for (int link = 0; link < td_model_link_count(model); link++) {
    json_t *list = json_array();
    for (int k = 0; k < td_model_link_point_count(model, link); k++)
      json_array_append_new(list, json_real(td_model_link_abscissa(model, link, k)));
    json_object_set_new(links, td_model_link_name(model, link), list);
  }
  return links;
}

static json_t *model_part(const execute_request *q) {
  json_t *part = json_object();
  bool named = q->model_name && *q->model_name && q->model_revision > 0;
  json_object_set_new(part, "name", named ? json_string(q->model_name) : json_null());
  json_object_set_new(part, "revision", q->model_revision > 0 ? json_integer(q->model_revision) : json_null());
  json_object_set_new(part, "sha256", q->model_sha256 ? json_string(q->model_sha256) : json_null());
  return part;
}

static json_t *statistics_part(const td_run_statistics *s) {
  const struct {
    const char *name;
    uint64_t value;
  } counts[] = {{"steps", s->steps},
                {"rejected", s->rejected},
                {"evaluations", s->evaluations},
                {"jacobians", s->jacobians},
                {"factorisations", s->factorisations},
                {"newton_iterations", s->newton_iterations},
                {"nonlinear_failures", s->nonlinear_failures},
                {"recharts", s->recharts},
                {"projections", s->projections}};
  json_t *part = json_object();
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
    json_object_set_new(part, counts[i].name, json_integer((json_int_t)counts[i].value));
  json_object_set_new(part, "drift", number(s->drift));                 // largest loop error of a step, rad or m
  json_object_set_new(part, "free_rotation", number(s->free_rotation)); // rad
  return part;
}

// How many of a linearisation's lowest modes more strain functions would not change.
static json_t *modes_part(const td_mode_trust *m) {
  if (!m->known) return json_null();
  return json_pack("{s:i, s:i, s:f}", "count", m->count, "trusted", m->trusted, "up_to", m->up_to); // rad/s
}

static json_t *energy_part(const td_model *model, const td_energy_balance *e) {
  const struct {
    const char *name;
    double value;
  } terms[] = {{"actuation", e->actuation},           {"loads", e->loads}, {"prescribed", e->prescribed},
               {"hydrodynamics", e->hydrodynamics},   {"loops", e->loops}, {"dissipation", e->dissipation},
               {"contact_losses", e->contact_losses}, {"error", e->error}, {"exchanged", e->exchanged}};
  json_t *part = json_object();
  for (int i = 0; i < td_energy_count(model); i++) {
    td_energy_kind kind = td_energy_kind_of(model, i);
    json_object_set_new(part, td_energy_name(kind), number(e->of[kind]));
  }
  for (size_t i = 0; i < sizeof terms / sizeof *terms; i++)
    json_object_set_new(part, terms[i].name, number(terms[i].value));
  return part;
}

// What lambda's entries belong to: rows of loops, then prescribed coordinates by their channels.
static json_t *multipliers(const td_model *model) {
  json_t *list = json_array();
  for (int loop = 0; loop < td_model_loop_count(model); loop++) {
    int first, rows;
    const char *name = td_model_loop_name(model, loop, &first, &rows);
    for (int k = 0; k < rows; k++) json_array_append_new(list, json_sprintf("%s[%d]", name, k));
  }
  for (int i = 0; i < td_model_prescribed_count(model); i++) {
    int channel;
    td_model_prescribed_coordinate(model, i, &channel);
    json_array_append_new(list, json_string(td_model_channel_name(model, channel)));
  }
  return list;
}

// The signal of a channel in a run; NULL: none.
static const td_signal_spec *signal_of(const job_document *run, const char *channel) {
  for (size_t i = 0; run->kind == JOB_DYNAMICS && i < run->dynamics.input_count; i++)
    if (strcmp(run->dynamics.inputs[i].channel, channel) == 0) return &run->dynamics.inputs[i].signal;
  return NULL;
}

// Numbers of the set that are in the input of a channel, further places too.
static size_t count_in_input(const parameter_set *set, const json_t *model, const char *channel) {
  char other[JSON_TOKEN_SIZE];
  size_t count = 0, number;
  for (size_t i = 0; i < set->count + set->twin_count; i++) {
    *other = '\0';
    (void)codec_parameter_bends_tension(model, codec_parameter_every(set, i, &number), other);
    count += strcmp(other, channel) == 0;
  }
  return count;
}

// A number of a tendon's signal lies where the tension is not negative. Where several of one signal are asked for, that is
// no matter of each alone.
static void bound_tension(const execution *r, size_t i, double bounds[2]) {
  const parameter_set *set = &r->numbers.set;
  char channel[JSON_TOKEN_SIZE];
  double within[2];
  if (!codec_parameter_bends_tension(r->model_json, set->number[i].name, channel)) return;
  const td_signal_spec *signal = signal_of(r->run, channel);
  double *place = (double *)codec_job_number(r->run, set->number[i].name); // of our own document
  if (!signal || !place || count_in_input(set, r->model_json, channel) != 1) return;
  if (!td_tension_bounds(signal, r->run->dynamics.t_end, place, within)) return;
  bounds[0] = fmax(bounds[0], within[0]);
  bounds[1] = fmin(bounds[1], within[1]);
}

// The last axis of arrays "sensitivity:FIELD" and of "gradient", as evaluate names what it differentiates by, and between
// what each can lie at all.
static json_t *parameters_part(const execution *r) {
  static const char *const ways[] = {"affine", "differences", "formula"};
  const parameter_set *set = &r->numbers.set;
  json_t *list = json_array();
  char name[TD_POINTER_SIZE];
  for (size_t i = 0; i < set->count; i++) {
    int way = codec_parameter_is_of_job(set, i) ? 2 : set->number[i].linear ? 0 : 1;
    double bounds[2] = {set->number[i].lower, set->number[i].upper};
    codec_parameter_name(&r->run->sensitivity.parameters, set, i, name);
    bound_tension(r, i, bounds);
    json_array_append_new(list, json_pack("{s:s, s:s, s:o*, s:s, s:o, s:o}", "name", name, "path", set->number[i].name,
                                          "also", codec_parameter_also(set, i), "way", ways[way], "lower",
                                          number(bounds[0]), "upper", number(bounds[1])));
  }
  return list;
}

// The modes that a choice of method went by.
static json_t *spectrum_part(const execution *r) {
  const td_spectrum *m = &r->statistics.spectrum;
  if (!m->known) return json_null();
  json_t *part = json_object();
  bool any = m->coordinate >= 0;
  json_object_set_new(part, "lowest", number(m->lowest));   // rad/s, of all modes
  json_object_set_new(part, "highest", number(m->highest)); // of those that are hardly damped
  json_object_set_new(part, "damping", number(m->damping));
  json_object_set_new(part, "coordinate",
                      any ? json_string(td_model_coordinate_name(r->model, m->coordinate)) : json_null());
  return part;
}

// The method with what was left to it filled in, and why it is this one.
static json_t *integrator_part(const execution *r) {
  const td_run_statistics *used = &r->statistics;
  td_integrator_spec s;
  char reason[512];
  td_integrator_resolve(r->model, &r->run->dynamics, &s);
  td_run_reason(r->model, used, reason, sizeof reason);
  const char *formulation = td_formulation_name(s.formulation);
  json_t *part = json_object();
  json_object_set_new(part, "method", json_string(td_method_name(used->method)));
  json_object_set_new(part, "reason", json_string(reason));
  json_object_set_new(part, "formulation", formulation ? json_string(formulation) : json_null());
  json_object_set_new(part, "adaptive", json_boolean(s.adaptive));
  json_object_set_new(part, "rtol", s.adaptive ? number(used->rtol) : json_null());
  json_object_set_new(part, "atol", s.adaptive ? number(used->atol) : json_null());           // rad, m
  json_object_set_new(part, "cutoff", used->cutoff > 0 ? number(used->cutoff) : json_null()); // rad/s
  json_object_set_new(part, "spectrum", spectrum_part(r));
  return part;
}

static json_t *warnings(const execution *r) {
  json_t *list = codec_warnings_json(&r->warnings);
  return list ? list : json_array();
}

// Of a job whose result is whole although it failed.
static json_t *verdict_part(const td_error *why) {
  return json_pack("{s:s, s:s, s:s}", "code", td_status_name(why->status), "detail", why->message, "pointer",
                   why->pointer);
}

// Along a path of equilibria: where its channel turns back and where another path crosses, `after` which point; whether
// it reached its last value, when it has one.
static json_t *continuation_part(const execution *r) {
  const td_continuation_spec *c = &r->run->statics.continuation;
  json_t *part = json_pack("{s:s, s:O}", "channel", c->channel, "events", r->events);
  if (c->bounded && (!r->assembled || r->ended)) json_object_set_new(part, "reached", json_boolean(r->reached));
  return part;
}

static void add_event(json_t *list, const char *kind, double t) {
  json_array_append_new(list, json_pack("{s:s, s:f}", "kind", kind, "t", t));
}

// What happened when (a run), or between which problems (a list); a path has its own in `continuation`.
static json_t *events_part(const execution *r) {
  const td_run_statistics *s = &r->statistics;
  json_t *list = json_array();
  if (r->run->kind == JOB_STATICS && r->snaps) json_array_extend(list, r->snaps);
  if (r->run->kind == JOB_DYNAMICS && s->singular > 0) add_event(list, "singular_configuration", s->singular_t);
  if (r->run->kind == JOB_DYNAMICS && s->push > 0) add_event(list, "tendon_pushed", s->push_t);
  return list;
}

static void add_end(const execution *r, json_t *s) {
  char now[CLOCK_TEXT_SIZE];
  clock_format(clock_now_ms(), now);
  json_object_set_new(s, "finished_at", json_string(now));
  json_object_set_new(s, "wall_s", number(clock_monotonic_s() - r->started_s));
  json_object_set_new(s, "cpu_s", number((double)clock() / CLOCKS_PER_SEC - r->started_cpu_s));
}

static json_t *report(const execution *r) {
  json_t *s = json_object();
  json_object_set_new(s, "kind", json_string(job_kind_name(r->job.kind)));
  json_object_set_new(s, "coordinates", names(r->model, td_model_ndof(r->model), td_model_coordinate_name));
  json_object_set_new(s, "channels", names(r->model, td_model_channel_count(r->model), td_model_channel_name));
  json_object_set_new(s, "energies", names(r->model, td_energy_count(r->model), energy_word));
  json_object_set_new(s, "multipliers", multipliers(r->model));
  if (td_contact_row_count(r->model) > 0) json_object_set_new(s, "contacts", contacts(r->model));
  json_object_set_new(s, "points", points(r->model));
  json_object_set_new(s, "build", json_pack("{s:s, s:s}", "version", td_version(), "cpu_level", td_cpu_level()));
  json_object_set_new(s, "attempt", json_integer(r->request->attempt));
  json_object_set_new(s, "statistics", statistics_part(&r->statistics));
  if (r->run->kind == JOB_DYNAMICS) json_object_set_new(s, "integrator", integrator_part(r));
  if (r->job.kind == JOB_LINEARIZE) json_object_set_new(s, "modes", modes_part(&r->statistics.modes));
  if (r->numbers.set.count > 0) json_object_set_new(s, "parameters", parameters_part(r));
  if (r->fit) json_object_set(s, job_kind_name(r->job.kind), r->fit);
  if (r->failures) json_object_set(s, "failures", r->failures);
  if (r->events) json_object_set_new(s, "continuation", continuation_part(r));
  json_object_set_new(s, "events", events_part(r));
  bool whole = !r->assembled || r->verdict.status != TD_OK;
  json_object_set_new(s, "warnings", warnings(r));
  if (r->verdict.status != TD_OK) json_object_set_new(s, "error", verdict_part(&r->verdict));
  if (whole && r->run->kind == JOB_DYNAMICS)
    json_object_set_new(s, "energy", energy_part(r->model, &r->statistics.energy));
  if (r->assembled)
    json_object_set_new(s, "partial", json_true()); // and no times: the same checkpoint gives the same bytes
  else
    add_end(r, s);
  return s;
}

// Appends `part` as JSON text without its closing brace, so that members can follow.
static void append_open(codec_buffer *b, json_t *part) {
  char *text = json_dumps(part, JSON_COMPACT);
  if (text)
    codec_buffer_append(b, text, strlen(text) - 1);
  else
    b->failed = true;
  free(text);
  json_decref(part);
}

// A document as it was sent, digit for digit; one that only exists as a part of another is written again.
static void append_document(codec_buffer *b, const char *text, size_t size, const json_t *json) {
  char *written = text ? NULL : json_dumps(json, JSON_COMPACT);
  if (text)
    codec_buffer_append(b, text, size);
  else
    codec_buffer_text(b, written ? written : "null");
  free(written);
}

char *execute_summary(const execution *r) {
  const execute_request *q = r->request;
  codec_buffer b;
  codec_buffer_init(&b, 0);
  append_open(&b, report(r));
  codec_buffer_text(&b, ",\"job\":");
  append_document(&b, q->job, q->job_size, r->job_json);
  codec_buffer_text(&b, ",\"model\":");
  append_open(&b, model_part(q));
  codec_buffer_text(&b, ",\"document\":");
  append_document(&b, q->model, q->model_size, r->model_json);
  codec_buffer_append(&b, "}}", 3); // with its NUL
  size_t size = 0;
  char *text = codec_buffer_take(&b, &size);
  codec_buffer_fini(&b);
  return text;
}

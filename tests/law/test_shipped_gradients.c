// Derivatives of runs and equilibria of robots that ship, as their jobs begin, by numbers of their models and by the
// initial state: forward and backward the same, and within 1e-7 of differences between runs that take the same steps.
#include "base/arena.h"
#include "codec/document/job/job.h"
#include "codec/document/parameters/parameters.h"
#include "support/model_file.h"
#include "support/recording.h"
#include "support/suite.h"
#include "support/task.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBERS = 3, STEPS = 8, MOST_PLACES = 2048 };

static task job;

// What a robot is asked for beside implicit runs from its job's state.
enum {
  RESTS = 1,     // an equilibrium
  EXPLICIT = 2,  // rk4, whose steps get along with it
  MATERIALS = 4, // by materials: other lengths stretch what closes its loops, or leave tendons beyond the end
  STIFF = 8,     // equilibria alone
  LARGE = 16     // runs by radau alone, by one number
};

typedef struct shipped {
  const char *name;
  double h; // s, of implicit steps
  unsigned is;
} shipped;

static const shipped robots[] = {
    {"cdm", 2e-3, RESTS | EXPLICIT},
    {"serial", 5e-3, RESTS | EXPLICIT},
    {"finray", 1e-2, RESTS | STIFF | MATERIALS},
    {"parallel", 1e-2, RESTS},
    {"contact", 2e-3, RESTS | EXPLICIT},
    {"boom", 5e-2, RESTS},
    {"catheter", 1e-3, RESTS},
    {"pcc-chain", 2e-3, RESTS | EXPLICIT},
    {"pgc-tentacle", 2e-3, EXPLICIT},
    {"serial_torque", 5e-3, RESTS | EXPLICIT},
    {"tendon-arm", 2e-3, RESTS},
    {"vpcc-pneumatic", 2e-3, RESTS},
    {"helicoid", 2e-3, MATERIALS | LARGE},
    {"uw", 2e-3, LARGE},
};
enum { ROBOTS = sizeof robots / sizeof *robots };

typedef struct way {
  td_method method;
  bool adaptive;
} way;

static const way ways[] = {
    {TD_METHOD_GENERALIZED_ALPHA, false},
    {TD_METHOD_NEWMARK, true},
    {TD_METHOD_EULER_IMPLICIT, false},
    {TD_METHOD_RADAU, true},
    {TD_METHOD_RK4, false},
};
enum { WAYS = sizeof ways / sizeof *ways };

// ---- numbers of a robot's document

typedef struct document {
  json_t *model;
  parameter_set set;
} document;

static const char *file_of(const char *name, const char *kind) {
  static char path[4096];
  snprintf(path, sizeof path, TEST_DATA_DIR "/../api/examples/%s.%s.json", name, kind);
  return path;
}

static td_status freeze(void *context, size_t index, double value, td_model **model, td_error *err) {
  document *d = context;
  ck_assert(codec_parameters_move(&d->set, d->model, index, value));
  char *text = json_dumps(d->model, JSON_REAL_PRECISION(17));
  ck_assert(codec_parameters_restore(&d->set, d->model, index));
  td_status status = test_model_try(text, model, err);
  free(text);
  return status;
}

typedef struct place {
  json_t *value;
  char path[128];
} place;

// The first number of that name that is not 0, breadth first: its place.
static const char *find(json_t *model, const char *name) {
  static place list[MOST_PLACES];
  size_t count = 1, i;
  const char *key;
  json_t *value;
  list[0] = (place){model, "/model"};
  for (size_t next = 0; next < count; next++) {
    const place *at = &list[next];
    json_object_foreach(at->value, key, value) {
      if (count == MOST_PLACES) return NULL;
      place *to = &list[count++];
      to->value = value;
      if (snprintf(to->path, sizeof to->path, "%s/%s", at->path, key) >= (int)sizeof to->path) count--;
      if (strcmp(key, name) == 0 && json_is_number(value) && json_number_value(value) != 0) return to->path;
    }
    if (!json_is_array(at->value)) continue;
    json_array_foreach(at->value, i, value) {
      if (count == MOST_PLACES) return NULL;
      place *to = &list[count++];
      to->value = value;
      if (snprintf(to->path, sizeof to->path, "%s/%zu", at->path, i) >= (int)sizeof to->path) count--;
    }
  }
  return NULL;
}

// Numbers of rods, of sections by numbers and of rigid links: the first that there are.
static void open_document(document *d, const char *name, arena *memory) {
  static const char *const keys[] = {"young", "density", "length", "EI_y", "mass_per_length", "mass", "stiffness"};
  static char paths[NUMBERS][128];
  parameter_place places[NUMBERS];
  parameter_list list = {.place = places};
  td_error err = {0};
  *d = (document){.model = test_json_from_file(file_of(name, "model"))};
  for (size_t i = 0; i < sizeof keys / sizeof *keys && list.count < NUMBERS; i++) {
    const char *path = find(d->model, keys[i]);
    if (!path) continue;
    snprintf(paths[list.count], sizeof *paths, "%s", path);
    places[list.count] = (parameter_place){.path = paths[list.count]};
    list.count++;
  }
  ck_assert_uint_gt(list.count, 0);
  td_status status = codec_parameters_resolve(&list, d->model, NULL, memory, &d->set, &err);
  ck_assert_msg(!status, "%s: %s: %s", name, err.pointer, err.message);
}

// ---- jobs

static void steps_of(td_dynamics_spec *spec, const way *w, double h) {
  td_integrator_spec *s = &spec->integrator;
  td_integrator_defaults(s);
  if (w->method == TD_METHOD_RK4) h = 1e-5;
  spec->t_end = STEPS * h;
  spec->output_dt = spec->t_end / 3.7;
  s->method = w->method;
  bool radau = w->method == TD_METHOD_RADAU;
  if (!w->adaptive) s->h = h;
  if (!w->adaptive) return;
  s->adaptive = true;
  if (!radau) s->given |= TD_OPTION_ADAPTIVE;
  s->rtol = 1e-5;
  s->atol = 1e-8;
  if (radau) spec->output_dt = spec->t_end / 2; // at ends of steps: those between them are bent by the steps' errors
}

// The robot's job, which begins at its equilibrium where it is asked for.
static void take_job(const shipped *r, const way *w, bool at_rest, const job_document *read, td_dynamics_spec *spec) {
  *spec = read->dynamics;
  spec->fail_on_inconsistency = false;
  steps_of(spec, w, r->h);
  if (at_rest) spec->initial = TD_INITIAL_EQUILIBRIUM, spec->q = spec->qd = NULL, spec->q_count = spec->qd_count = 0;
}

static void law(const shipped *r, const way *w, bool at_rest) {
  document d;
  job_document read;
  td_dynamics_spec spec;
  td_error err = {0};
  arena *memory = arena_create();
  json_t *text = test_json_from_file(file_of(r->name, "job"));
  td_status status = codec_job_read_local(text, "", memory, &read, &err);
  ck_assert_msg(status == TD_OK, "%s: %s: %s", r->name, err.pointer, err.message);
  take_job(r, w, at_rest, &read, &spec);
  open_document(&d, r->name, memory);
  size_t count = r->is & LARGE ? 1 : r->is & MATERIALS ? 2 : d.set.count;
  task_of_job(&job, test_model_from_file(file_of(r->name, "model"), NULL), r->name, &spec, d.set.number, count, freeze,
              &d, r->is & STIFF ? 0 : 1);
  task_same_both_ways(&job, 1e-8);
  task_same_as_repeated(&job, 1e-7);
  task_free(&job);
  json_decref(text);
  json_decref(d.model);
  arena_destroy(memory);
}

static bool suits(const way *w, const shipped *r) {
  if (r->is & LARGE) return w->method == TD_METHOD_RADAU;
  return !(r->is & STIFF) && (w->method != TD_METHOD_RK4 || r->is & EXPLICIT);
}

START_TEST(runs_by_every_method) {
  for (int i = 0; i < ROBOTS * WAYS; i++)
    if (suits(&ways[i % WAYS], &robots[i / WAYS])) law(&robots[i / WAYS], &ways[i % WAYS], false);
}
END_TEST

START_TEST(equilibria_and_what_sets_out_from_them) {
  for (int i = 0; i < ROBOTS; i++)
    if (robots[i].is & RESTS) law(&robots[i], &ways[0], true);
}
END_TEST

TEST_MAIN("shipped_gradients", runs_by_every_method, equilibria_and_what_sets_out_from_them)

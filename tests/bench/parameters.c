// Group parameters: derivatives of the cable-driven manipulator by numbers of its document, against one evaluation of
// id. Ten numbers that go by one far neighbour each (gravity, material, a load at the tip), one that goes by four near
// ones, and products of all derivatives of forward dynamics with a vector.
#include "tendril/parameters.h"
#include "bench/robot.h"
#include "codec/document/model/model.h"
#include "support/model_file.h"
#include "support/tree.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { AFFINE = 10, MOST_N = 64 };

typedef struct fixture {
  bench_robot *robot;
  json_t *document;
  td_parameters *affine, *near;
  td_parameter_workspace *affine_ws, *near_ws;
  double out[MOST_N * AFFINE], cotangent[MOST_N], gradient[3][MOST_N];
} fixture;

// ------------------------------------------------------------------------------------------------------------ numbers

typedef struct place {
  const char *name;
  json_t *owner; ///< array or object that holds it
  size_t index;
  const char *key; ///< NULL: an array
} place;

typedef struct places {
  json_t *document;
  place at[AFFINE];
} places;

static void put(const place *p, double value) {
  if (p->key)
    json_object_set_new(p->owner, p->key, json_real(value));
  else
    json_array_set_new(p->owner, p->index, json_real(value));
}

static double get(const place *p) {
  return json_number_value(p->key ? json_object_get(p->owner, p->key) : json_array_get(p->owner, p->index));
}

static td_status freeze(void *context, size_t index, double value, td_model **model, td_error *err) {
  places *s = context;
  double kept = get(&s->at[index]);
  put(&s->at[index], value);
  td_status status = codec_model_build(s->document, "", model, err);
  put(&s->at[index], kept);
  return status;
}

static bool differentiate(const td_model *model, places *s, size_t count, bool linear, td_parameters **p,
                          td_parameter_workspace **ws) {
  td_parameter list[AFFINE];
  for (size_t i = 0; i < count; i++) {
    double value = get(&s->at[i]);
    list[i] = (td_parameter){.name = s->at[i].name,
                             .value = value,
                             .scale = value != 0 ? fabs(value) : 1,
                             .linear = linear,
                             .lower = -INFINITY,
                             .upper = INFINITY};
  }
  return td_parameters_create(model, list, count, freeze, s, p, NULL) == TD_OK &&
         td_parameter_workspace_create(*p, ws) == TD_OK;
}

static bool open_parameters(fixture *f) {
  json_t *body = json_object_get(json_array_get(json_object_get(f->document, "links"), 0), "body"),
         *material = json_object_get(body, "material"), *gravity = json_object_get(f->document, "gravity"),
         *wrench = json_object_get(json_array_get(json_object_get(f->document, "loads"), 0), "wrench");
  places affine = {f->document,
                   {{"gravity/0", gravity, 0, NULL},
                    {"gravity/1", gravity, 1, NULL},
                    {"gravity/2", gravity, 2, NULL},
                    {"young", material, 0, "young"},
                    {"density", material, 0, "density"},
                    {"viscosity", material, 0, "viscosity"},
                    {"wrench/2", wrench, 2, NULL},
                    {"wrench/3", wrench, 3, NULL},
                    {"wrench/4", wrench, 4, NULL},
                    {"wrench/5", wrench, 5, NULL}}};
  places near = {f->document, {{"length", body, 0, "length"}}};
  return differentiate(f->robot->model, &affine, AFFINE, true, &f->affine, &f->affine_ws) &&
         differentiate(f->robot->model, &near, 1, false, &f->near, &f->near_ws);
}

// ------------------------------------------------------------------------------------------------------------ fixture

static void close_fixture(void *fixture_) {
  fixture *f = fixture_;
  td_parameter_workspace_destroy(f->affine_ws);
  td_parameter_workspace_destroy(f->near_ws);
  td_parameters_destroy(f->affine);
  td_parameters_destroy(f->near);
  if (f->robot) bench_robot_destroy(f->robot);
  json_decref(f->document);
  free(f);
}

static void *open_fixture(const bench_group *group, char why[BENCH_NOTE_SIZE]) {
  (void)group;
  td_model *model = NULL;
  fixture *f = calloc(1, sizeof *f);
  if (!f) return snprintf(why, BENCH_NOTE_SIZE, "not enough memory"), NULL;
  f->document = json_loads(bench_example("cdm.model.json"), 0, NULL);
  json_t *load = json_pack("{s:s, s:[f,f,f,f,f,f]}", "link", "arm", "wrench", 0.01, 0.02, 0.01, 0.1, 0.2, 0.3);
  json_object_set_new(f->document, "loads", json_pack("[o]", load));
  bool good = codec_model_build(f->document, "", &model, NULL) == TD_OK && td_model_ndof(model) <= MOST_N;
  if (good) f->robot = bench_robot_create(model, tree_seed("state"));
  for (int i = 0; i < MOST_N; i++) f->cotangent[i] = 1;
  if (f->robot && open_parameters(f)) return f;
  snprintf(why, BENCH_NOTE_SIZE, "the neighbours of the model could not be frozen");
  close_fixture(f);
  return NULL;
}

// --------------------------------------------------------------------------------------------------------------- rows

static bool call_id(void *fixture_) {
  bench_robot *r = ((fixture *)fixture_)->robot;
  return td_inverse_dynamics(r->model, r->ws, r->q, r->qd, r->qdd, r->u, r->vector) == TD_OK;
}

static bool call_dfd(void *fixture_) {
  bench_robot *r = ((fixture *)fixture_)->robot;
  return td_fd_derivatives(r->model, r->ws, r->q, r->qd, r->u, r->vector, r->matrix[0], r->matrix[1], NULL) == TD_OK;
}

static bool residual_by(fixture *f, const td_parameters *p, td_parameter_workspace *ws) {
  bench_robot *r = f->robot;
  const td_state state = {.q = r->q, .qd = r->qd, .qdd = r->qdd, .u = r->u};
  return td_parameter_derivatives(p, ws, &state, NULL, &(td_parameter_output){.dresidual_dp = f->out}) == TD_OK;
}

static bool call_affine(void *fixture_) {
  fixture *f = fixture_;
  return residual_by(f, f->affine, f->affine_ws);
}

static bool call_near(void *fixture_) {
  fixture *f = fixture_;
  return residual_by(f, f->near, f->near_ws);
}

static bool call_vjp(void *fixture_) {
  fixture *f = fixture_;
  bench_robot *r = f->robot;
  const td_state state = {.q = r->q, .qd = r->qd, .u = r->u};
  const td_variation gradient = {.q = f->gradient[0], .qd = f->gradient[1], .p = f->gradient[2]};
  return td_parameter_vjp(f->affine, f->affine_ws, &state, f->cotangent, NULL, &gradient) == TD_OK;
}

static void measure(void *f, bench_figure *figure, bool (*call)(void *)) {
  bench_measure(&(bench_plan){.clock = BENCH_CPU, .call = call, .context = f}, figure);
}

static void id(void *f, bench_figure *figure) { measure(f, figure, call_id); }
static void dfd(void *f, bench_figure *figure) { measure(f, figure, call_dfd); }
static void affine(void *f, bench_figure *figure) { measure(f, figure, call_affine); }
static void near(void *f, bench_figure *figure) { measure(f, figure, call_near); }
static void vjp(void *f, bench_figure *figure) { measure(f, figure, call_vjp); }

static const bench_row rows[] = {{"id", "us", id, NULL},
                                 {"r_p_of_10_affine", "us", affine, "id"},
                                 {"r_p_of_1_other", "us", near, "id"},
                                 {"dfd", "us", dfd, "id"},
                                 {"vjp_with_10_affine", "us", vjp, "dfd"}};

const bench_group bench_parameters = {"parameters", BENCH_ROWS(rows), open_fixture, close_fixture, 0};

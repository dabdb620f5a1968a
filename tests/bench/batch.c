// Many states of one robot through td_evaluate_batch: what one of them costs.
#include "tendril/batch.h"
#include "bench/robot.h"
#include "support/tree.h"

#include <stdlib.h>

enum { STATES = 64, WISHES = 3 };

typedef struct batch_fixture {
  const bench_robot *robot;
  td_batch *batch;
  td_state states[STATES];
  double *numbers; ///< [states][4 most of n, m]
  int want[WISHES], wanted;
  double *out[WISHES];
} batch_fixture;

static bool call(void *context) {
  batch_fixture *f = context;
  size_t done;
  td_error err;
  return td_evaluate_batch(f->robot->model, f->batch, f->robot->ws, f->states, STATES, f->want, f->wanted, f->out,
                           &done, &err) == TD_OK;
}

static bool fill_states(batch_fixture *f) {
  int n = f->robot->n, m = f->robot->m, size = 3 * n + m;
  uint64_t seed = tree_seed("batch");
  double *x = f->numbers = calloc((size_t)(STATES * size), sizeof *x);
  if (!x) return false;
  for (int i = 0; i < STATES; i++, x += size) {
    for (int k = 0; k < 3 * n; k++) x[k] = bench_coordinate(&seed);
    for (int k = 3 * n; k < size; k++) x[k] = bench_positive(&seed, 20);
    f->states[i] = (td_state){.q = x, .qd = x + n, .qdd = x + 2 * n, .u = x + 3 * n};
  }
  return true;
}

static bool open_batch(batch_fixture *f, const char *const *names) {
  for (; f->wanted < WISHES && names[f->wanted]; f->wanted++) {
    size_t total = 0;
    f->want[f->wanted] = td_quantity_find(names[f->wanted]);
    td_quantity_members(f->robot->model, f->want[f->wanted], NULL, 0, &total);
    f->out[f->wanted] = calloc(STATES * total, sizeof(double));
    if (!f->out[f->wanted]) return false;
  }
  return fill_states(f) && td_batch_create(f->robot->model, &f->batch) == TD_OK;
}

void bench_batch(const bench_robot *robot, const char *const *names, bench_figure *figure) {
  batch_fixture f = {.robot = robot};
  if (open_batch(&f, names))
    bench_measure(&(bench_plan){.clock = BENCH_CPU, .call = call, .context = &f, .items = STATES}, figure);
  else
    bench_fail(figure, "not enough memory");
  td_batch_destroy(f.batch);
  free(f.numbers);
  for (int i = 0; i < WISHES; i++) free(f.out[i]);
}

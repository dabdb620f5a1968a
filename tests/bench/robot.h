// A robot at a random state, with room for every result: what the groups of the engine measure on.
#ifndef TENDRIL_BENCH_ROBOT_H
#define TENDRIL_BENCH_ROBOT_H

#include "bench/bench.h"
#include "tendril/dynamics.h"
#include <stdint.h>

typedef struct bench_robot {
  td_model *model; ///< owned
  td_workspace *ws;
  int n, m;
  double *q, *qd, *qdd, *u; ///< [n], [m]
  double *vector, *other;   ///< [n]
  double *matrix[3];        ///< [n][n]
} bench_robot;

/// Takes the model. Coordinates and velocities 0.3 to 1 in size, accelerations within 2, inputs 0 to 20. NULL: no
/// memory.
bench_robot *bench_robot_create(td_model *model, uint64_t seed);
void bench_robot_destroy(void *robot);

/// The cable-driven manipulator, from the example that the programs carry.
td_model *bench_cdm_model(void);
/// The text of an example ("cdm.job.json"); NUL behind it.
const char *bench_example(const char *file);
/// `joints` revolute joints about y and x in turn, lopsided rigid links 0.3 m apart.
td_model *bench_chain_model(int joints, char why[BENCH_NOTE_SIZE]);
/// A free base with four legs of three such joints: 18 coordinates.
td_model *bench_quadruped_model(char why[BENCH_NOTE_SIZE]);

/// Measures td_evaluate_batch at 64 states, per state; `names` [up to 3] of quantities, NULL behind the last.
void bench_batch(const bench_robot *robot, const char *const *names, bench_figure *figure);

/// 0.3 to 1 in size, either sign.
double bench_coordinate(uint64_t *seed);
/// [0, most)
double bench_positive(uint64_t *seed, double most);

#endif

// A run of a robot and numbers that it depends on, to be differentiated: by formula, and by repeating it.
#ifndef TENDRIL_TEST_TASK_H
#define TENDRIL_TEST_TASK_H

#include "support/numbers.h"
#include "support/tree_state.h"
#include "tendril/gradient.h"

enum { TASK_NUMBERS = 64, TASK_CHANNELS = 24, TASK_KNOTS = 4 };

typedef struct task {
  tree *t; ///< borrowed
  const char *name;
  td_model *model;
  td_dynamics_spec spec;
  td_input_spec inputs[TASK_CHANNELS];
  double knots[TASK_KNOTS], values[TASK_CHANNELS][TASK_KNOTS];
  double q[STATE_MAX], qd[STATE_MAX];
  bool by_field;              ///< q and u, and qd, are judged by the largest entry of each, others by that of all
  tree_numbers numbers;       ///< of the model; its parameters come first
  td_parameter_freeze freeze; ///< of these, by default a tree's
  void *document;             ///< its context
  td_parameters *parameters;
  int directions; ///< of the initial state, which come next
  double direction[TASK_NUMBERS][2 * STATE_MAX];
  int channels; ///< whose values of tables, or amplitudes of sines, come last
  td_variables by;
  td_law_numbers *laws; ///< of controllers of jobs; NULL: none
  double *initial;      ///< [2n][np]
  size_t row;
} task;

/// A run of the robot from a random state of that size, `t_end` seconds in equal steps of h, all channels driven, fields
/// q, qd and u, differentiated by `directions` of the initial state, by `numbers` of the model and by all inputs of the
/// first `channels`. False: its loops cannot be closed from there.
bool task_make(task *k, tree *t, const char *name, td_method method, double t_end, double h, double scale,
               int directions, int numbers, int channels);
/// The same of any model, which is taken over, by directions of the initial state alone; without inputs where the
/// caller then says so.
bool task_of(task *k, td_model *model, const char *name, td_method method, double t_end, double h, double scale,
             int directions);
/// A job of a model, which is taken over: `spec` as it stands, with fields q, u and qd, by numbers [count] of the model
/// that `freeze` knows and by `directions` of the initial state.
void task_of_job(task *k, td_model *model, const char *name, const td_dynamics_spec *spec, const td_parameter *numbers,
                 size_t count, td_parameter_freeze freeze, void *document, int directions);
void task_free(task *k);

/// All rows' derivatives along random cotangents are the same forward and backward, to `allowed` of their terms, with the
/// same rows; and those of rows by each number are those that repeated runs give, to `allowed` of the largest.
void task_same_both_ways(task *k, double allowed);
void task_same_as_repeated(task *k, double allowed);

/// Both go on from any of their checkpoints, in the run and in the sweep, to the same bits.
void task_goes_on(task *k);

#endif

// The experiments of a fit: what they give at values of its parameters, and the derivatives of that.
#ifndef SERVER_WORKER_EXECUTE_EXPERIMENTS_H
#define SERVER_WORKER_EXECUTE_EXPERIMENTS_H

#include "worker/execute/parts.h"

typedef struct experiments experiments;

/// Plans the experiments of r->job.fit: which rows of which fields are measured.
/// @param set, unknowns  of codec_fit_resolve; borrowed, as is r
TD_NODISCARD td_status experiments_create(execution *r, const parameter_set *set, experiments **e, td_error *err);
void experiments_destroy(experiments *e);
/// Whether some are differentiated by differences of runs, which are as good as their tolerances.
bool experiments_differ(const experiments *e);

/// What was measured, [samples] numbers in the order of the document; NaN: missing.
const double *experiments_data(const experiments *e);
/// [samples]; NULL: there is none.
const double *experiments_sigma(const experiments *e);
size_t experiments_samples(const experiments *e);

/// A td_fit_predict: runs all experiments one after the other. Reports the progress that experiments_note said.
td_status experiments_predict(void *context, const double *p, double *y, double *dy_dp, td_error *err);
/// Whether a run goes in equal steps: how long they are decides how good its numbers are.
bool experiments_step(const experiments *e);
/// A td_fit_predict: as above, without derivatives, where runs in equal steps take them half as long.
td_status experiments_predict_finer(void *context, const double *p, double *y, double *dy_dp, td_error *err);
/// How far the fit has come: of `all` iterations.
void experiments_note(experiments *e, double iterations, double all);
/// Runs all experiments once more, at the answer, with the checks that runs have, and says what they find odd: pointers
/// "/of/0/job…".
td_status experiments_judge(experiments *e, const double *p, td_warnings *warnings, td_error *err);

#endif

// Work-precision: what a run costs and how far off it is, by method, drawn.
#ifndef TENDRIL_BENCH_PRECISION_H
#define TENDRIL_BENCH_PRECISION_H

/// Runs each robot by each method at ever finer tolerances or steps, says one line for each run on standard output, and
/// draws error against CPU time to an SVG file. Minutes.
/// @param robot  only this one ("cdm"), NULL: all
/// @return exit code
int bench_precision(const char *file, const char *robot);

#endif

// The picture of work and precision: a panel for a robot, a curve for a method, both axes by powers of ten.
#ifndef TENDRIL_BENCH_PRECISION_PICTURE_H
#define TENDRIL_BENCH_PRECISION_PICTURE_H

#include <stdbool.h>

enum { PRECISION_PANELS = 8, PRECISION_CURVES = 12, PRECISION_POINTS = 16 };

typedef struct precision_curve {
  char name[32];
  int count;
  double cost[PRECISION_POINTS], error[PRECISION_POINTS]; ///< s of CPU time; relative
} precision_curve;

typedef struct precision_panel {
  char title[64];
  double known; ///< errors below this are those of the reference
  int count;
  precision_curve curve[PRECISION_CURVES];
} precision_panel;

/// SVG. False: it cannot be written.
bool precision_draw(const char *file, const precision_panel *panels, int count);

#endif

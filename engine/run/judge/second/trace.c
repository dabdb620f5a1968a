// Uneven times, golden parts of even ones: what goes to and fro is not met at the same moment again and again.
#include "run/judge/second/trace.h"
#include <assert.h>
#include <math.h>

int td_retrace_rows(int n) {
  enum { LEAST_ROWS = 48, NUMBERS = 4096 };
  int rows = NUMBERS / (n > 0 ? n : 1);
  return rows < LEAST_ROWS ? LEAST_ROWS : rows > TD_RETRACE_MOST_ROWS ? TD_RETRACE_MOST_ROWS : rows;
}

double td_retrace_time(int row, int rows, double t_end) {
  assert(row >= 0 && rows > 0);
  static const double golden = 0.6180339887498949, last = 1 - 1e-9;
  double at = golden * row, part = (row + 0.9 * (at - floor(at))) / rows;
  return row == rows - 1 ? last * t_end : t_end * part * sqrt(part);
}

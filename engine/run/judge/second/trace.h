// What is kept of a run to hold other runs against: its coordinates at some times.
#ifndef TENDRIL_RUN_JUDGE_SECOND_TRACE_H
#define TENDRIL_RUN_JUDGE_SECOND_TRACE_H

enum { TD_RETRACE_MOST_ROWS = 256 };

/// Rows of the trace of n coordinates: what tumbles is off for moments only, where few coordinates are.
int td_retrace_rows(int n);
/// When a row of the trace is: 0 is the start, the last one a moment before the end.
double td_retrace_time(int row, int rows, double t_end);

#endif

// What a run leaves behind to be linearised: notes, one for each map that it took, and the points they led to.
#ifndef TENDRIL_GRADIENT_TAPE_H
#define TENDRIL_GRADIENT_TAPE_H

#include "run/recorder.h"

typedef enum td_note_kind {
  TD_NOTE_BEGIN,  ///< accelerations are those of forward dynamics: a start, the end of an explicit step
  TD_NOTE_GO_ON,  ///< it starts with what it knew
  TD_NOTE_STEP,   ///< a step from the point before
  TD_NOTE_CLOSE,  ///< coordinates and rates of the point before were put on the constraint
  TD_NOTE_RATES,  ///< rates and accelerations of the point before were
  TD_NOTE_SAMPLE, ///< a sample at the last point, or `inside` the last step
  TD_NOTE_CHART   ///< a change of chart of the point before
} td_note_kind;

typedef struct td_note {
  td_note_kind kind;
  double t, t_side; ///< s
  double from;      ///< s, where a step begins
  double h, ratio;  ///< of a step: its size, and what part of the algorithmic acceleration's distance it took over
  size_t sample, row;
  bool inside;
  bool loose;    ///< rows that nearly depend on each other do so
  int rank;      ///< of the rows on the constraint
  size_t point;  ///< that it is at, or led to
  size_t start;  ///< of a step: the point where it began
  size_t filter; ///< of a step of radau: the matrices that its error, and so what is between its ends, is measured by
  bool twice;    ///< td_radau.twice
  bool ends;     ///< of accelerations that begin: those at the end of a step
  bool sets_out; ///< and those where a method starts anew as a force has set in or ended
  td_step_metric metric; ///< by which projections measure, where `measured`; else by the coordinates themselves
  bool measured;
} td_note;

/// Of each sample: its row. A step of radau has three points, its stages. Of each point: y = (q, qd) [2n], accelerations
/// [n], multipliers [rows], and with loops the method's own accelerations [n] and the turns that loops count [5 loops].
typedef struct td_tape {
  size_t n, rows, loops, stride;
  size_t row, own; ///< doubles of a row, and of the method's own accelerations
  size_t note_count, note_room, point_count, point_room, row_count, row_room;
  td_note *note;
  double *point, *rows_told; ///< a point, a row behind the other
  size_t filter_count, filter_room;
  double *filter; ///< td_tape_filter_size each: K, C, M [n][n], A, Cq, Cv [rows][n]
} td_tape;

void td_tape_init(td_tape *tape, const td_model *model, size_t row);
void td_tape_fini(td_tape *tape);
/// Forgets all.
void td_tape_clear(td_tape *tape);
/// Forgets all notes, and all points but the last two.
void td_tape_trim(td_tape *tape);
static inline double *td_tape_point(const td_tape *tape, size_t point) { return tape->point + point * tape->stride; }

static inline const double *td_tape_row(const td_tape *tape, const td_note *note) {
  return tape->rows_told + note->row * tape->row;
}

/// [n] of a point, of models with loops.
static inline const double *td_tape_own_accelerations(const td_tape *tape, size_t point) {
  return td_tape_point(tape, point) + 3 * tape->n + tape->rows;
}

static inline size_t td_tape_filter_size(const td_tape *tape) { return 3 * tape->n * (tape->n + tape->rows); }

static inline const double *td_tape_filter(const td_tape *tape, const td_note *note) {
  return tape->filter + note->filter * td_tape_filter_size(tape);
}

/// Appends what the recorder is told. TD_NO_MEMORY.
TD_NODISCARD td_status td_tape_start(td_tape *tape, const td_simulation *run, bool carried);
TD_NODISCARD td_status td_tape_step(td_tape *tape, const td_simulation *run, double before);
TD_NODISCARD td_status td_tape_sample(td_tape *tape, const td_simulation *run, size_t index, double t, bool inside);
TD_NODISCARD td_status td_tape_chart(td_tape *tape, const td_simulation *run);
/// Loops in `ws` are taken for those of the point.
void td_tape_follow(const td_tape *tape, size_t point, td_workspace *ws);

#endif

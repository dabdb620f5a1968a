// The tape: memory that doubles, and what it reads of steppers.
#include "gradient/tape.h"
#include "integrate/explicit/explicit_step.h"
#include "integrate/one_step/implicit_newton.h"
#include "model/workspace.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { OF_LOOP = 5 };

void td_tape_init(td_tape *tape, const td_model *model, size_t row) {
  *tape = (td_tape){.n = (size_t)model->n, .rows = (size_t)model->loop_rows, .loops = (size_t)model->loop_count};
  tape->row = row;
  tape->stride = 3 * tape->n + tape->rows + OF_LOOP * tape->loops;
}

void td_tape_fini(td_tape *tape) {
  free(tape->mark);
  free(tape->point);
  free(tape->rows_told);
  *tape = (td_tape){0};
}

void td_tape_clear(td_tape *tape) { tape->mark_count = tape->point_count = tape->row_count = 0; }

void td_tape_trim(td_tape *tape) {
  size_t kept = tape->point_count < 2 ? tape->point_count : 2, first = tape->point_count - kept;
  if (first) memmove(tape->point, td_tape_point(tape, first), kept * tape->stride * sizeof *tape->point);
  tape->point_count = kept;
  tape->mark_count = tape->row_count = 0;
}

static void *grown(void *array, size_t count, size_t size, size_t *room) {
  if (count < *room) return array;
  size_t more = *room ? 2 * *room : 64;
  void *to = realloc(array, more * size);
  if (to) *room = more;
  return to;
}

static td_note *add_mark(td_tape *tape, td_note_kind kind, const td_simulation *run, double t) {
  td_note *list = grown(tape->mark, tape->mark_count, sizeof *list, &tape->mark_room);
  if (!list) return NULL;
  tape->mark = list;
  td_note *mark = &list[tape->mark_count++];
  *mark = (td_note){.kind = kind, .t = t, .t_side = run->plant.t_side, .ratio = 1, .point = tape->point_count - 1};
  return mark;
}

static void put_turns(const td_tape *tape, const td_simulation *run, double *to) {
  for (size_t i = 0; i < tape->loops; i++, to += OF_LOOP) {
    const td_loop_state *s = &run->ws->constraint.loop[i];
    to[0] = s->winding;
    memcpy(to + 1, s->before, sizeof s->before);
  }
}

void td_tape_follow(const td_tape *tape, size_t point, td_workspace *ws) {
  const double *from = td_tape_point(tape, point) + 3 * tape->n + tape->rows;
  for (size_t i = 0; i < tape->loops; i++, from += OF_LOOP) {
    td_loop_state *s = &ws->constraint.loop[i];
    s->winding = from[0];
    memcpy(s->before, from + 1, sizeof s->before);
  }
}

// y is the run's own (y) or the stepper's.
static td_status add_point(td_tape *tape, const td_simulation *run, const double *y) {
  size_t n = tape->n;
  double *list = grown(tape->point, tape->point_count, tape->stride * sizeof *list, &tape->point_room);
  if (!list) return TD_NO_MEMORY;
  tape->point = list;
  double *to = td_tape_point(tape, tape->point_count++);
  bool implicit = run->method->map == TD_MAP_IMPLICIT;
  const td_implicit *im = (const td_implicit *)run->stepper;
  const td_explicit *ex = (const td_explicit *)run->stepper;
  if (!y) y = implicit ? im->now.y : ex->y;
  memcpy(to, y, 2 * n * sizeof *to);
  memcpy(to + 2 * n, implicit ? im->now.a : ex->k[TD_EXPLICIT_STAGES - 1] + n, n * sizeof *to);
  if (tape->rows) memcpy(to + 3 * n, implicit ? im->now.l : run->plant.lambda, tape->rows * sizeof *to);
  put_turns(tape, run, to + 3 * n + tape->rows);
  return TD_OK;
}

td_status td_tape_start(td_tape *tape, const td_simulation *run, bool carried) {
  td_status status = add_point(tape, run, run->y);
  if (status) return status;
  return add_mark(tape, carried ? TD_NOTE_GO_ON : TD_NOTE_BEGIN, run, run->state.t) ? TD_OK : TD_NO_MEMORY;
}

td_status td_tape_step(td_tape *tape, const td_simulation *run, double before) {
  td_status status = add_point(tape, run, NULL);
  td_note *mark = status ? NULL : add_mark(tape, TD_NOTE_STEP, run, run->state.t);
  if (!mark) return TD_NO_MEMORY;
  mark->from = before;
  mark->h = run->state.t - before;
  if (run->method->map != TD_MAP_IMPLICIT) return TD_OK;
  const td_implicit *im = (const td_implicit *)run->stepper;
  mark->h = im->b_h;
  mark->ratio = im->b_before > 0 ? fmin(im->b_h / im->b_before, 4) : 1;
  return TD_OK;
}

td_status td_tape_sample(td_tape *tape, const td_simulation *run, size_t index, double t, bool inside) {
  td_note *mark = add_mark(tape, TD_NOTE_SAMPLE, run, t);
  double *list = grown(tape->rows_told, tape->row_count, (tape->row + 1) * sizeof *list, &tape->row_room);
  if (list) tape->rows_told = list;
  if (!mark || !list) return TD_NO_MEMORY;
  memcpy(list + tape->row_count * tape->row, run->row, tape->row * sizeof *list);
  mark->row = tape->row_count++;
  mark->sample = index;
  mark->inside = inside;
  return TD_OK;
}

td_status td_tape_chart(td_tape *tape, const td_simulation *run) {
  td_status status = add_point(tape, run, run->y);
  if (status) return status;
  return add_mark(tape, TD_NOTE_CHART, run, run->state.t) ? TD_OK : TD_NO_MEMORY;
}

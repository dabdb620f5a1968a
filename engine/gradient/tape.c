// The tape: memory that doubles, and what it reads of steppers.
#include "gradient/tape.h"
#include "integrate/explicit/explicit_step.h"
#include "integrate/one_step/implicit_newton.h"
#include "integrate/one_step/radau_stages.h"
#include "model/workspace.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { OF_LOOP = 5 };

void td_tape_init(td_tape *tape, const td_model *model, size_t row) {
  *tape = (td_tape){.n = (size_t)model->n, .rows = (size_t)model->loop_rows, .loops = (size_t)model->loop_count};
  tape->row = row;
  tape->own = tape->rows ? tape->n : 0;
  tape->stride = 3 * tape->n + tape->rows + tape->own + OF_LOOP * tape->loops;
}

void td_tape_fini(td_tape *tape) {
  free(tape->note);
  free(tape->point);
  free(tape->rows_told);
  free(tape->filter);
  *tape = (td_tape){0};
}

void td_tape_clear(td_tape *tape) { tape->note_count = tape->point_count = tape->row_count = tape->filter_count = 0; }

// The last of blocks of that size is the first.
static void keep_last(double *block, size_t size, size_t *count) {
  if (*count > 1) memmove(block, block + (*count - 1) * size, size * sizeof *block);
  if (*count > 1) *count = 1;
}

void td_tape_trim(td_tape *tape) {
  size_t kept = tape->point_count < 2 ? tape->point_count : 2, first = tape->point_count - kept;
  if (first) memmove(tape->point, td_tape_point(tape, first), kept * tape->stride * sizeof *tape->point);
  tape->point_count = kept;
  tape->note_count = tape->row_count = 0;
  keep_last(tape->filter, td_tape_filter_size(tape), &tape->filter_count);
}

static void *grown(void *array, size_t count, size_t size, size_t *room) {
  if (count < *room) return array;
  size_t more = *room ? 2 * *room : 64;
  void *to = realloc(array, more * size);
  if (to) *room = more;
  return to;
}

static td_note *add_note(td_tape *tape, td_note_kind kind, const td_simulation *run, double t) {
  td_note *list = grown(tape->note, tape->note_count, sizeof *list, &tape->note_room);
  if (!list) return NULL;
  tape->note = list;
  td_note *note = &list[tape->note_count++];
  *note = (td_note){.kind = kind,
                    .t = t,
                    .t_side = run->plant.t_side,
                    .ratio = 1,
                    .loose = run->ws->constraint.loose,
                    .rank = run->ws->constraint.most_rank,
                    .point = tape->point_count - 1,
                    .metric = run->plant.metric,
                    .measured = run->plant.measured};
  return note;
}

static void put_turns(const td_tape *tape, const td_simulation *run, double *to) {
  for (size_t i = 0; i < tape->loops; i++, to += OF_LOOP) {
    const td_loop_state *s = &run->ws->constraint.loop[i];
    to[0] = s->winding;
    memcpy(to + 1, s->before, sizeof s->before);
  }
}

void td_tape_follow(const td_tape *tape, size_t point, td_workspace *ws) {
  const double *from = td_tape_point(tape, point) + 3 * tape->n + tape->rows + tape->own;
  for (size_t i = 0; i < tape->loops; i++, from += OF_LOOP) {
    td_loop_state *s = &ws->constraint.loop[i];
    s->winding = from[0];
    memcpy(s->before, from + 1, sizeof s->before);
  }
}

// What the stepper has: its end, or, of explicit ones, that before it was put on the constraint.
typedef struct seen {
  const double *y, *a, *l, *b;
} seen;

static seen end_of(const td_simulation *run, bool before) {
  if (run->method->collocates) {
    const td_radau *s = (const td_radau *)run->stepper;
    const td_radau_point *end = &s->stage[TD_RADAU_STAGES - 1];
    return (seen){before ? s->open : end->y, end->a, end->l, end->a};
  }
  const td_implicit *im = (const td_implicit *)run->stepper;
  const td_explicit *ex = (const td_explicit *)run->stepper;
  if (run->method->map != TD_MAP_IMPLICIT) {
    const double *a = ex->k[TD_EXPLICIT_STAGES - 1] + run->plant.n;
    return (seen){before ? ex->trial : ex->y, a, run->plant.lambda, a};
  }
  const td_point *at = before ? &im->trial : &im->now;
  return (seen){at->y, at->a, at->l, at->b};
}

static td_status add_point(td_tape *tape, const td_simulation *run, const seen *at) {
  size_t n = tape->n;
  double *list = grown(tape->point, tape->point_count, tape->stride * sizeof *list, &tape->point_room);
  if (!list) return TD_NO_MEMORY;
  tape->point = list;
  double *to = td_tape_point(tape, tape->point_count++);
  memcpy(to, at->y, 2 * n * sizeof *to);
  memcpy(to + 2 * n, at->a, n * sizeof *to);
  if (tape->rows) memcpy(to + 3 * n, at->l, tape->rows * sizeof *to);
  if (tape->own) memcpy(to + 3 * n + tape->rows, at->b, n * sizeof *to);
  put_turns(tape, run, to + 3 * n + tape->rows + tape->own);
  return TD_OK;
}

td_status td_tape_start(td_tape *tape, const td_simulation *run, bool carried) {
  seen at = end_of(run, false);
  at.y = run->y;
  td_status status = add_point(tape, run, &at);
  if (status) return status;
  td_note *note = add_note(tape, carried ? TD_NOTE_GO_ON : TD_NOTE_BEGIN, run, run->state.t);
  if (note) note->sets_out = !carried && (run->taken.how & TD_STEP_SET_OUT);
  return note ? TD_OK : TD_NO_MEMORY;
}

// What put the end of the last step on the constraint.
static bool holding(const td_simulation *run, td_note_kind *kind) {
  const td_implicit *im = (const td_implicit *)run->stepper;
  bool implicit = run->method->map == TD_MAP_IMPLICIT;
  *kind = implicit && im->held == TD_HELD_RATES ? TD_NOTE_RATES : TD_NOTE_CLOSE;
  return implicit ? im->held != TD_NOT_HELD : ((const td_explicit *)run->stepper)->held;
}

static td_status hold(td_tape *tape, const td_simulation *run, td_note_kind kind) {
  seen at = end_of(run, false);
  td_status status = add_point(tape, run, &at);
  if (status) return status;
  return add_note(tape, kind, run, run->state.t) ? TD_OK : TD_NO_MEMORY;
}

// ------------------------------------------------------------------------------------------------ steps

static td_status add_filter(td_tape *tape, const td_simulation *run, td_note *note) {
  const td_radau *s = (const td_radau *)run->stepper;
  size_t size = td_tape_filter_size(tape), square = tape->n * tape->n, rows = tape->rows * tape->n;
  double *list = grown(tape->filter, tape->filter_count, size * sizeof *list, &tape->filter_room);
  if (!list) return TD_NO_MEMORY;
  tape->filter = list;
  double *to = list + tape->filter_count * size;
  const double *from[] = {s->K, s->C, s->M, s->A, s->Cq, s->Cv};
  for (int i = 0, at = 0; i < 6; i++) {
    size_t count = i < 3 ? square : rows;
    if (count) memcpy(to + at, from[i], count * sizeof *to);
    at += (int)count;
  }
  bool same = tape->filter_count > 0 && !memcmp(to, to - size, size * sizeof *to);
  if (!same) tape->filter_count++;
  note->filter = tape->filter_count - 1;
  return TD_OK;
}

// Its stages, of which the last is its end.
static td_status step_of_stages(td_tape *tape, const td_simulation *run, double before) {
  const td_radau *s = (const td_radau *)run->stepper;
  size_t start = tape->point_count - 1;
  td_status status = TD_OK;
  for (int i = 0; !status && i < TD_RADAU_STAGES; i++) {
    bool end = i == TD_RADAU_STAGES - 1;
    seen at = {s->stage[i].y, s->stage[i].a, s->stage[i].l, s->stage[i].a};
    if (end) at = end_of(run, s->held);
    status = add_point(tape, run, &at);
  }
  td_note *note = status ? NULL : add_note(tape, TD_NOTE_STEP, run, run->state.t);
  if (!note) return TD_NO_MEMORY;
  note->from = before;
  note->h = s->last_h;
  note->start = start;
  note->twice = s->twice;
  status = add_filter(tape, run, note);
  return !status && s->held ? hold(tape, run, TD_NOTE_CLOSE) : status;
}

td_status td_tape_step(td_tape *tape, const td_simulation *run, double before) {
  if (run->method->collocates) return step_of_stages(tape, run, before);
  const td_implicit *im = (const td_implicit *)run->stepper;
  bool implicit = run->method->map == TD_MAP_IMPLICIT;
  td_note_kind kind;
  bool held = holding(run, &kind);
  seen at = end_of(run, held);
  td_status status = add_point(tape, run, &at);
  td_note *note = status ? NULL : add_note(tape, TD_NOTE_STEP, run, run->state.t);
  if (!note) return TD_NO_MEMORY;
  note->from = before;
  note->start = note->point - 1;
  note->h = run->state.t - before;
  if (implicit) {
    note->h = im->b_h;
    note->ratio = im->b_before > 0 ? fmin(im->b_h / im->b_before, 4) : 1;
  }
  if (held) status = hold(tape, run, kind);
  if (status || implicit) return status;
  note = add_note(tape, TD_NOTE_BEGIN, run, run->state.t); // the rate at the end
  if (note) note->ends = true;
  return note ? TD_OK : TD_NO_MEMORY;
}

td_status td_tape_sample(td_tape *tape, const td_simulation *run, size_t index, double t, bool inside) {
  td_note *note = add_note(tape, TD_NOTE_SAMPLE, run, t);
  double *list = grown(tape->rows_told, tape->row_count, (tape->row + 1) * sizeof *list, &tape->row_room);
  if (list) tape->rows_told = list;
  if (!note || !list) return TD_NO_MEMORY;
  memcpy(list + tape->row_count * tape->row, run->row, tape->row * sizeof *list);
  note->row = tape->row_count++;
  note->sample = index;
  note->inside = inside;
  return TD_OK;
}

td_status td_tape_chart(td_tape *tape, const td_simulation *run) {
  seen at = end_of(run, false);
  at.y = run->y;
  td_status status = add_point(tape, run, &at);
  if (status) return status;
  return add_note(tape, TD_NOTE_CHART, run, run->state.t) ? TD_OK : TD_NO_MEMORY;
}

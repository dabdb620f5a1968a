// Sides of kinks (kink.h), from the depths of a state and of both ends of its step.
#include "base/carve.h"
#include "dynamics/kinks.h"
#include "gradient/kink/kink.h"
#include <math.h>
#include <stdlib.h>

static const double NEARLY = 0.05, ROUNDED = 1e-9; // of the farther end's distance

td_status td_kinks_init(td_chain *c) {
  td_sides *k = &c->sides;
  k->count = td_kinks_count(c->model);
  size_t count = (size_t)k->count;
  if (count == 0) return TD_OK;
  bool room = TD_CARVE({&k->memory, 1}, {&k->from, count}, {&k->to, count}, {&k->at, count}, {&k->made, count});
  return room ? TD_OK : TD_NO_MEMORY;
}

void td_kinks_fini(td_chain *c) { free(c->sides.memory); }

// ------------------------------------------------------------------------------------------------ of a step

static bool look_at_ends(td_chain *c, const td_note *step) {
  td_sides *k = &c->sides;
  td_kinks_at(c->model, c->ws, td_tape_point(c->tape, step->start), k->from);
  td_kinks_at(c->model, c->ws, td_tape_point(c->tape, step->point), k->to);
  return true;
}

// A depth in a step: INFINITY, -INFINITY where it is not its own side.
static double sided(const td_chain *c, double depth, double from, double to) {
  bool follows = c->method->kinked && c->method_spec.adaptive;
  double nearly = follows ? NEARLY : ROUNDED, far = fabs(from) > fabs(to) ? from : to, near = far == from ? to : from;
  bool apart = near * far < 0 && fabs(near) > nearly * fabs(far);
  if (apart || (depth > 0) == (far > 0) || !(fabs(depth) <= nearly * fabs(far))) return depth;
  return far > 0 ? INFINITY : -INFINITY;
}

static void put_sides(td_chain *c, const double *q, bool in_step, double *at) {
  td_sides *k = &c->sides;
  td_kinks_at(c->model, c->ws, q, at);
  for (int i = 0; in_step && i < k->count; i++)
    if (td_kinks_jump(c->model, i)) at[i] = sided(c, at[i], k->from[i], k->to[i]);
}

// The rate at the end of an explicit step is that step's; what begins anew is on its own.
static const td_note *step_of(const td_chain *c, const td_note *note) {
  if (note->kind == TD_NOTE_STEP) return note;
  if (note->kind != TD_NOTE_BEGIN || !note->ends) return NULL;
  while (note > c->tape->note && note->kind != TD_NOTE_STEP) note--;
  return note->kind == TD_NOTE_STEP ? note : NULL;
}

void td_kinks_enter(td_chain *c, const td_note *note) {
  td_sides *k = &c->sides;
  c->ws->kinks = NULL;
  if (k->count == 0 || !note) return;
  const td_note *step = step_of(c, note);
  k->in_step = step && look_at_ends(c, step);
}

void td_kinks_keep(td_chain *c, const double *q) {
  td_sides *k = &c->sides;
  if (k->count == 0) return;
  c->ws->kinks = NULL;
  put_sides(c, q, k->in_step, k->at);
  c->ws->kinks = k->at;
}

// ------------------------------------------------------------------------------------------------ between steps

// Those at the end of what led to the note's point.
static void sides_after(td_chain *c, const td_note *note, double *made) {
  const td_note *step = step_of(c, note);
  if (step) look_at_ends(c, step);
  put_sides(c, td_tape_point(c->tape, note->point), step, made);
}

static bool makes(const td_note *note) {
  return note->kind == TD_NOTE_STEP || note->kind == TD_NOTE_BEGIN || note->kind == TD_NOTE_GO_ON;
}

void td_kinks_remember(td_chain *c, const td_note *note) {
  if (c->sides.count && makes(note)) sides_after(c, note, c->sides.made);
}

// What put the accelerations at the start of a step there.
static const td_note *maker(const td_chain *c, const td_note *step) {
  const td_note *note = step;
  do note--;
  while (note > c->tape->note && !makes(note));
  return note;
}

// How long ago the motion from (q, v) went through the kinks whose sides differ (< 0: it will); 0: it grazes them, more
// than a part of the size of a step away.
static double late_at(td_chain *c, const double *q, double h, const double *made) {
  static const double look = 1e-6; // s
  td_sides *k = &c->sides;
  double late = 0;
  for (int i = 0; i < c->n; i++) c->y[i] = q[i] + look * q[c->n + i];
  td_kinks_at(c->model, c->ws, q, k->from);
  td_kinks_at(c->model, c->ws, c->y, k->to);
  for (int i = 0; i < k->count; i++) {
    double ago = (k->at[i] > 0) == (made[i] > 0) ? 0 : look * k->from[i] / (k->to[i] - k->from[i]);
    if (fabs(ago) > fabs(late) && fabs(ago) <= 2 * NEARLY * h) late = ago;
  }
  return late;
}

static double size_of_step(const td_chain *c, const td_note *note) {
  while (note > c->tape->note && note->kind != TD_NOTE_STEP) note--;
  return note->kind == TD_NOTE_STEP ? note->h : 0;
}

bool td_kinks_turn(td_chain *c, const td_note *note) {
  td_sides *k = &c->sides;
  bool step = note->kind == TD_NOTE_STEP, turns = false;
  const double *q = td_tape_point(c->tape, step ? note->start : note->point);
  k->late = 0;
  if (k->count == 0 || !(step || note->sets_out)) return false;
  if (c->backward) sides_after(c, maker(c, note), k->made);
  td_kinks_enter(c, note);
  put_sides(c, q, step, k->at);
  for (int i = 0; i < k->count; i++) turns |= (k->at[i] > 0) != (k->made[i] > 0);
  if (!turns) return false;
  k->late = late_at(c, q, size_of_step(c, note), k->made);
  td_kinks_enter(c, note);
  return true;
}

// Frequencies. Each mode of the robot is compared with the one of its finer twin that it resembles most, by mass: the
// basis is a part of the twin's, so that its frequencies are upper bounds (Rayleigh, Ritz), and the last ones of any
// basis are poor. One that the robot lacks altogether resembles none: where the k-th of the twin is lower than the k-th
// of the robot, there is such a mode below it.
#include "estimate/modes.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { READ = 3 }; // frequencies that a reader takes for granted, those of the same height counted once
static const double TRUSTED = 0.02;  // of a frequency
static const double NEUTRAL = 1e-6;  // of w^2 of the slowest strain: a motion that costs nothing
static const double DISTINCT = 0.01; // of a frequency

// The mode of `fine` that shares most with x [N].
static int nearest(const td_resolution *r, const td_modes *fine, const double *x, double *Mx) {
  int N = r->N, best = 0;
  double most = -1;
  for (int i = 0; i < N; i++) {
    Mx[i] = 0;
    for (int j = 0; j < N; j++) Mx[i] += r->M[i * N + j] * x[j];
  }
  for (int k = 0; k < fine->count; k++) {
    double share = 0;
    for (int i = 0; i < N; i++) share += fine->x[k * N + i] * Mx[i];
    if (fabs(share) > most) most = fabs(share), best = k;
  }
  return best;
}

// How much of a mode y [N] of the twin the first modes of the robot hold, by mass.
static double held(const td_resolution *r, const td_modes *own, int count, const double *y, double *My) {
  int N = r->N;
  double sum = 0;
  for (int i = 0; i < N; i++) {
    My[i] = 0;
    for (int j = 0; j < N; j++) My[i] += r->M[i * N + j] * y[j];
  }
  for (int k = 0; k < count; k++) {
    double share = 0;
    for (int i = 0; i < N; i++) share += own->x[k * N + i] * My[i];
    sum += share * share;
  }
  return sum;
}

// Of the first modes of `fine` the one that as many of the robot hold least of.
static int missing(const td_resolution *r, const td_modes *own, int count, const td_modes *fine, double *scratch) {
  int least = 0;
  double share = INFINITY;
  for (int j = 0; j < count && j < fine->count; j++) {
    double h = held(r, own, count, fine->x + j * r->N, scratch);
    if (h < share) share = h, least = j;
  }
  return least;
}

static bool is_right(double a, double b) { return fabs(a - b) <= 2 * TRUSTED * fabs(b); }

typedef struct count {
  int trusted, distinct, first_wrong,
      right; // modes of `own` in a row that are right; the next, and the one of `fine` that it is
} count;

static count count_right(td_resolution *r, const td_modes *own, const td_modes *fine, double neutral) {
  count c = {.first_wrong = -1};
  double last = 0;
  for (int k = 0; k < own->count; k++) {
    int j = nearest(r, fine, own->x + k * r->N, r->dq);
    double a = own->square[k], b = fine->square[j];
    bool still = fabs(a) < neutral && fabs(b) < neutral, lacks = k < fine->count && !is_right(a, fine->square[k]);
    if (!still && (!is_right(a, b) || lacks)) {
      c.first_wrong = k, c.right = is_right(a, b) ? missing(r, own, k + 1, fine, r->dq) : j;
      return c;
    }
    c.trusted++;
    c.distinct += !still && !(fabs(a - last) <= 2 * DISTINCT * fabs(a));
    last = a;
  }
  return c;
}

// The rod and the strain whose new coordinates hold most elastic energy in the mode x.
static void place(const td_resolution *r, const double *x, td_mode_finding *f) {
  const td_model *t = r->twin.model;
  double most = -1;
  for (int i = 0; i < t->rod_count; i++) {
    const td_rod *rod = &t->rod[i];
    const double *block = rod->stiffness;
    for (int g = 0; g < rod->group_count && rod->basis; g++) {
      int n = rod->group[g].count, first = t->element[rod->element].coordinate + rod->group[g].first;
      double sum = 0;
      for (int k = 0; k < n; k++)
        if (r->twin.level[first + k] > 0) sum += block[k * n + k] * x[first + k] * x[first + k];
      if (sum > most) most = sum, f->rod = i, f->component = rod->group[g].component;
      block += n * n;
    }
  }
}

// How many polynomials more make as many frequencies right as are read.
static int enough(td_resolution *r, const td_modes *fine, int level, double neutral) {
  for (int k = 1; k < level; k++) {
    td_modes some;
    if (!td_modes_find(r, k, &some)) return level;
    count c = count_right(r, &some, fine, neutral);
    td_modes_free(&some);
    if (c.distinct >= READ) return k;
  }
  return level;
}

// The twin's own last modes are poor, too: the robot that is advised is asked, and what it asks for is added.
static void confirm(td_resolution *r, const td_resolution_state *at, td_mode_finding *f) {
  const td_model_spec *document = r->model->document;
  int link = r->model->rod[f->rod].link, highest = 0;
  const td_rod_spec *spec = &document->links[link].body.rod;
  td_advised *advised = calloc(document->link_count, sizeof *advised);
  td_resolution *asked = NULL;
  td_twin tried = {0};
  if (!advised || !td_resolution_has_degrees(spec, f->component)) {
    free(advised);
    return;
  }
  memcpy(advised[link].more, f->more, sizeof f->more);
  for (int c = 0; c < 6; c++)
    if (spec->order[c] >= 0) highest = (int)fmax(highest, spec->order[c] + f->more[c]);
  if (spec->quadrature_points > 0 && spec->quadrature_points < highest + 3) f->points = highest + 3;
  advised[link].points = f->points;
  f->tried = td_resolution_ask(r, advised, at, td_resolution_look_at_modes, &asked, &tried) && asked->modes.known;
  if (f->tried && asked->modes.rod == f->rod) {
    for (int c = 0; c < 6; c++) f->more[c] += asked->modes.more[c];
    f->tried = asked->modes.tried;
    f->points = (int)fmax(f->points, asked->modes.points);
  }
  td_resolution_destroy(asked);
  td_twin_destroy(&tried);
  free(advised);
}

static void compare(td_resolution *r, const td_modes *own, const td_modes *fine, int level,
                    const td_resolution_state *at) {
  double neutral = NEUTRAL * td_resolution_slowest(r);
  count c = count_right(r, own, fine, neutral);
  td_mode_finding f = {.known = true, .count = own->count, .trusted = c.trusted, .rod = -1};
  if (c.trusted > 0) f.up_to = sqrt(fmax(0, own->square[c.trusted - 1]));
  if (c.first_wrong >= 0 && c.distinct < READ) {
    f.square = own->square[c.first_wrong], f.right = fine->square[c.right];
    place(r, fine->x + c.right * r->N, &f);
    f.more[f.component] = enough(r, fine, level, neutral);
    snprintf(f.where, sizeof f.where, "%s", at->where);
  }
  bool worse = !r->modes.known || (f.rod >= 0) > (r->modes.rod >= 0) || f.trusted < r->modes.trusted;
  if (!worse || (r->modes.known && r->modes.rod >= 0 && f.rod < 0)) return;
  if (f.rod >= 0) confirm(r, at, &f);
  r->modes = f;
}

void td_resolution_look_at_modes(td_resolution *r, const td_resolution_state *at) {
  int level = r ? td_modes_level(r) : 0;
  td_modes own, fine;
  if (!level || td_resolution_touches(r, at) || td_resolution_residuals(r, r->model, r->ws, at)) return;
  if (!td_modes_find(r, 0, &own)) return;
  if (td_modes_find(r, level, &fine)) {
    compare(r, &own, &fine, level, at);
    td_modes_free(&fine);
  }
  td_modes_free(&own);
}

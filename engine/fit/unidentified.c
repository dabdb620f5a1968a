// What the data do not tell, by name: combinations of unknowns along which nothing, or hardly anything, changes.
//
// Directions that nobody tells are a space, of which singular vectors are any basis: another order of the unknowns gives
// another one. Named is the reduced basis: as many unknowns as it has directions lead one combination each, and stand in
// no other. Who leads is chosen by how much of an unknown lies in the space (Gram-Schmidt over its columns, the longest
// that is left first; of equals the name that comes first), which no order changes.
#include "fit/parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double RANK = 1e-7;  // of singular values: told by nobody
static const double ALIKE = 1e-6; // of a length
static const double SMALL = 0.05; // of a combination: a part that is not named
enum { NAMED = 4, TOLD = 3 };

// ------------------------------------------------------------------------------------------------ words

// By which an unknown is named: its size at the answer, and where that is next to nothing how far data notice it.
static double name_size(const fit *f, const fit_directions *d, size_t j) {
  return f->spec->unknowns[d->of[j]].log ? 1 : fmax(fit_size_at(f, d->of[j]), d->scale[j]);
}

// "0.71 ln(young)" or, of what is not sought by its logarithm, "0.71 (mass / 1.29)".
static int name_part(const fit *f, const fit_directions *d, size_t j, double part, const char *sign, char *text,
                     size_t size) {
  const td_unknown *u = &f->spec->unknowns[d->of[j]];
  int digits = part < 0.01 ? 5 : 2;
  return u->log ? snprintf(text, size, "%s%.*f ln(%.60s)", sign, digits, part, u->name)
                : snprintf(text, size, "%s%.*f (%.60s / %.3g)", sign, digits, part, u->name, name_size(f, d, j));
}

static bool comes_first(const fit *f, const size_t *of, size_t a, size_t b) {
  return strcmp(f->spec->unknowns[of[a]].name, f->spec->unknowns[of[b]].name) < 0;
}

// Who takes part, by what its part changes in what was measured: named[] in order, at most NAMED + 1; their number.
static size_t choose_named(const fit *f, const fit_directions *d, const double *v, size_t named[NAMED + 1]) {
  bool taken[TD_MAX_UNKNOWNS] = {false};
  size_t count = 0;
  for (; count <= NAMED && count < d->k; count++) {
    size_t best = d->k;
    for (size_t j = 0; j < d->k; j++) {
      if (taken[j]) continue;
      double over = best == d->k ? 1 : fabs(v[j]) - fabs(v[best]);
      if (over > ALIKE || (over > -ALIKE && comes_first(f, d->of, j, best))) best = j;
    }
    if (fabs(v[best]) < SMALL) break;
    taken[best] = true;
    named[count] = best;
  }
  return count;
}

// "0.71 ln(young) - 0.71 ln(density)": parts of a combination of length 1, the one that changes most first.
static void name_direction(const fit *f, const fit_directions *d, const double *v, char *text, size_t size) {
  size_t named[NAMED + 1], count = choose_named(f, d, v, named), length = 0;
  double part[TD_MAX_UNKNOWNS], square = 0;
  for (size_t j = 0; j < d->k; j++) {
    part[j] = v[j] * d->scale[j] / name_size(f, d, j);
    square += part[j] * part[j];
  }
  *text = '\0';
  for (size_t i = 0; i < count && length < size; i++) {
    double own = part[named[i]] / sqrt(square);
    const char *sign = i == 0 ? "" : (own < 0) != (part[named[0]] < 0) ? " - " : " + ";
    int n = i == NAMED ? snprintf(text + length, size - length, " + …")
                       : name_part(f, d, named[i], fabs(own), sign, text + length, size - length);
    length += n > 0 ? (size_t)n : size;
  }
}

// ------------------------------------------------------------------------------------------------ the reduced basis

// The column of N [r][k] that is the longest; its length.
static double longest(const fit *f, const size_t *of, const double *N, size_t r, size_t k, size_t *which) {
  double most = -1;
  *which = 0;
  for (size_t j = 0; j < k; j++) {
    double square = 0;
    for (size_t i = 0; i < r; i++) square += N[i * k + j] * N[i * k + j];
    double length = sqrt(square);
    if (length > most + ALIKE || (length > most - ALIKE && comes_first(f, of, j, *which))) most = length, *which = j;
  }
  return most;
}

// Takes one column's direction out of all columns.
static void take_out(double *N, size_t r, size_t k, size_t which, double length) {
  double unit[TD_MAX_UNKNOWNS];
  for (size_t i = 0; i < r; i++) unit[i] = N[i * k + which] / length;
  for (size_t j = 0; j < k; j++) {
    double dot = 0;
    for (size_t i = 0; i < r; i++) dot += unit[i] * N[i * k + j];
    for (size_t i = 0; i < r; i++) N[i * k + j] -= dot * unit[i];
  }
}

static void choose_leaders(const fit *f, const size_t *of, double *N, size_t r, size_t k, size_t *leader) {
  for (size_t t = 0; t < r; t++) {
    double length = longest(f, of, N, r, k, &leader[t]);
    if (length > 0) take_out(N, r, k, leader[t], length);
  }
}

static void swap_rows(double *a, double *b, size_t k) {
  for (size_t j = 0; j < k; j++) {
    double kept = a[j];
    a[j] = b[j];
    b[j] = kept;
  }
}

// Row t of N leads with 1 in column leader[t], where all others have 0; then it is made of length 1.
static void eliminate(double *N, size_t r, size_t k, const size_t *leader) {
  for (size_t t = 0; t < r; t++) {
    size_t best = t;
    for (size_t i = t; i < r; i++)
      if (fabs(N[i * k + leader[t]]) > fabs(N[best * k + leader[t]])) best = i;
    if (best != t) swap_rows(N + best * k, N + t * k, k);
    double pivot = N[t * k + leader[t]];
    for (size_t j = 0; pivot != 0 && j < k; j++) N[t * k + j] /= pivot;
    for (size_t i = 0; i < r; i++) {
      double part = N[i * k + leader[t]];
      for (size_t j = 0; i != t && j < k; j++) N[i * k + j] -= part * N[t * k + j];
    }
  }
  for (size_t t = 0; t < r; t++) {
    double square = 0;
    for (size_t j = 0; j < k; j++) square += N[t * k + j] * N[t * k + j];
    for (size_t j = 0; square > 0 && j < k; j++) N[t * k + j] /= sqrt(square);
  }
}

// ------------------------------------------------------------------------------------------------ warnings

// How many more there are than are told, by the unknowns that lead them.
static void add_others(const fit *f, const size_t *of, const size_t *leader, size_t from, size_t r, char *text,
                       size_t size) {
  size_t length = strlen(text);
  if (from >= r || length >= size) return;
  length += (size_t)snprintf(text + length, size - length, ". Nor %zu more, with", r - from);
  for (size_t t = from; t < r && length < size; t++)
    length += (size_t)snprintf(text + length, size - length, "%s %.60s", t > from ? "," : "",
                               f->spec->unknowns[of[leader[t]]].name);
}

// Whether a combination is one unknown by itself.
static bool alone(const fit_directions *d, const double *v) {
  size_t parts = 0;
  for (size_t j = 0; j < d->k; j++) parts += fabs(v[j]) > ALIKE;
  return parts == 1;
}

static void tell_lost(const fit *f, const fit_directions *d, const double *N, size_t r, const size_t *leader,
                      td_fit_result *result) {
  char text[320], others[200] = "", pointer[48];
  for (size_t t = 0; t < r && t < TOLD; t++) {
    snprintf(pointer, sizeof pointer, "/parameters/%zu", d->of[leader[t]]);
    name_direction(f, d, N + t * d->k, text, sizeof text);
    if (t + 1 == TOLD) add_others(f, d->of, leader, TOLD, r, others, sizeof others);
    if (alone(d, N + t * d->k))
      td_warn(&result->warnings, "unidentified", pointer,
              "nothing that was measured depends on %.60s: leave it out, or give a prior%s",
              f->spec->unknowns[d->of[leader[t]]].name, others);
    else
      td_warn(&result->warnings, "unidentified", pointer,
              "the data do not tell %s: along it nothing that was measured changes. Fix one of them, or give a prior%s",
              text, others);
  }
}

// A deviation along v, by the reach of the unknown that it is most of.
static double widest(const fit *f, const fit_directions *d, const double *v, double deviation) {
  double most = 0;
  for (size_t j = 0; j < d->k; j++)
    most = fmax(most, fabs(v[j]) * deviation * d->scale[j] / fit_reach(&f->spec->unknowns[d->of[j]]));
  return most;
}

// Pointers are apart: warnings of one place are one.
static size_t lead(size_t k, const double *v, bool *led) {
  size_t best = k;
  for (size_t j = 0; j < k; j++)
    if (!led[j] && (best == k || fabs(v[j]) > fabs(v[best]))) best = j;
  led[best] = true;
  return best;
}

static void tell_wide(const fit *f, const fit_directions *d, const double *v, double wide, bool *led,
                      td_fit_result *result) {
  char text[320], pointer[48];
  snprintf(pointer, sizeof pointer, "/parameters/%zu", d->of[lead(d->k, v, led)]);
  name_direction(f, d, v, text, sizeof text);
  td_warn(&result->warnings, "unidentified", pointer,
          "the data hardly tell %s: its standard deviation is %.2g times as far as it may be sought (e-fold of what is "
          "sought by its logarithm; the span of bounds, or ten times the first value). Fix one of them, or give a "
          "prior",
          text, wide);
}

// The last r directions, copied.
static double *reduced(const fit *f, const fit_directions *d, size_t r, size_t *leader) {
  size_t k = d->k;
  double *N = calloc(2 * r * k + 1, sizeof *N);
  if (!N) return NULL;
  memcpy(N, d->V + (k - r) * k, r * k * sizeof *N);
  memcpy(N + r * k, N, r * k * sizeof *N);
  choose_leaders(f, d->of, N + r * k, r, k, leader);
  eliminate(N, r, k, leader);
  return N;
}

td_status fit_judge_directions(const fit *f, const fit_directions *d, td_fit_result *result) {
  const double *s = d->s;
  size_t k = d->k;
  double unit = f->spec->sigma ? 1 : result->misfit;
  bool led[TD_MAX_UNKNOWNS] = {false};
  size_t leader[TD_MAX_UNKNOWNS] = {0}, r = 0;
  while (r < k && !(s[k - 1 - r] > RANK * s[0])) r++;
  double *N = r > 0 ? reduced(f, d, r, leader) : NULL;
  if (r > 0 && !N) return TD_NO_MEMORY;
  tell_lost(f, d, N, r, leader, result);
  free(N);
  for (size_t t = 0; t < r; t++) led[leader[t]] = true;
  size_t told = r;
  for (size_t i = k - r; i-- > 0 && told < TOLD;) {
    double wide = widest(f, d, d->V + i * k, unit / s[i]);
    if (!(wide > 1)) continue;
    tell_wide(f, d, d->V + i * k, wide, led, result);
    told++;
  }
  return TD_OK;
}

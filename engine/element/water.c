// Flow and wetness by height (water.h). Fritsch & Butland's slopes: inside, the weighted harmonic mean of the two
// chords, 0 where they differ in sign; at an end the slope of the parabola through three points, held to the sign of
// the chord and three times it.
#include "element/water.h"
#include <assert.h>
#include <math.h>
#include <string.h>

static double inner_slope(double h0, double h1, double d0, double d1) {
  if (!(d0 * d1 > 0)) return 0;
  double w0 = 2 * h1 + h0, w1 = h1 + 2 * h0;
  return (w0 + w1) / (w0 / d0 + w1 / d1);
}

// At the outer end of the chord (h0, d0), (h1, d1) the next one.
static double end_slope(double h0, double h1, double d0, double d1) {
  double slope = ((2 * h0 + h1) * d0 - h0 * d1) / (h0 + h1);
  if (!(slope * d0 > 0)) return 0;
  return d0 * d1 < 0 && fabs(slope) > 3 * fabs(d0) ? 3 * d0 : slope;
}

void td_water_slopes(int knots, const double *z, const double *table, double *slopes) {
  assert(knots >= 2);
  int last = knots - 1;
  for (int c = 0; c < 3; c++) {
#define H(k) (z[(k) + 1] - z[k])
#define CHORD(k) ((table[3 * (k) + 3 + c] - table[3 * (k) + c]) / H(k))
    for (int k = 1; k < last; k++) slopes[3 * k + c] = inner_slope(H(k - 1), H(k), CHORD(k - 1), CHORD(k));
    slopes[c] = knots == 2 ? CHORD(0) : end_slope(H(0), H(1), CHORD(0), CHORD(1));
    slopes[3 * last + c] =
        knots == 2 ? CHORD(0) : end_slope(H(last - 1), H(last - 2), CHORD(last - 1), CHORD(last - 2));
#undef CHORD
#undef H
  }
}

// Index of the piece that holds z; z lies within the table.
static int piece_at(const td_water *water, double z) {
  int low = 0, high = water->knots - 1;
  while (high - low > 1) {
    int middle = (low + high) / 2;
    *(z < water->z[middle] ? &high : &low) = middle;
  }
  return low;
}

static void table_at(const td_water *water, double z, double U[3], double dU_dz[3]) {
  int last = water->knots - 1;
  if (z <= water->z[0] || z >= water->z[last]) {
    memcpy(U, water->table + (z <= water->z[0] ? 0 : 3 * last), 3 * sizeof *U);
    return;
  }
  int k = piece_at(water, z);
  double h = water->z[k + 1] - water->z[k], t = (z - water->z[k]) / h;
  const double *y = water->table + 3 * k, *m = water->slopes + 3 * k;
  for (int c = 0; c < 3; c++) {
    double chord = (y[3 + c] - y[c]) / h, b = 3 * chord - 2 * m[c] - m[3 + c], a = m[c] + m[3 + c] - 2 * chord;
    U[c] = y[c] + h * t * (m[c] + t * (b + t * a));
    dU_dz[c] = m[c] + t * (2 * b + 3 * t * a);
  }
}

void td_water_flow(const td_water *water, double z, const double *u, double U[3], double dU_dz[3]) {
  memcpy(U, water->velocity, 3 * sizeof *U);
  memset(dU_dz, 0, 3 * sizeof *dU_dz);
  if (water->knots) table_at(water, z, U, dU_dz);
  for (int c = 0; c < 3; c++)
    if (u && water->channel[c] >= 0) U[c] += u[water->channel[c]];
}

// t of the wetness, held to [0, 1].
static double immersion(const td_water *water, double z) {
  return fmin(1, fmax(0, (water->surface - z) / water->width + 0.5));
}

td_wetness td_water_wetness(const td_water *water, double z) {
  if (!water->has_surface) return (td_wetness){.value = 1};
  double t = immersion(water, z), w = water->width;
  td_wetness wet = {.value = t * t * (3 - 2 * t), .slope = -6 * t * (1 - t) / w};
  if (t > 0 && t < 1) wet.bend = 6 * (1 - 2 * t) / (w * w);
  return wet;
}

double td_water_wet_height(const td_water *water, double z) {
  if (!water->has_surface) return z;
  double t = immersion(water, z);
  return t >= 1 ? z : water->surface - water->width * t * t * t * (1 - 0.5 * t);
}

// References as the engine follows them: from knot to knot at rest (cubic) or by a natural spline, held outside the
// knots. Everything is read from the job document in the summary, which may hold anything.
#include "plot/curves/tip_error.h"

#include "base/say.h"
#include <stdlib.h>
#include <string.h>

typedef struct wish { // where one tip should be
  size_t knots;
  double *t, *x, *bend; ///< [knots], [3][knots], [3][knots] second derivatives of a spline
  bool spline;
} wish;

static void wish_free(wish *w) {
  free(w->t);
  *w = (wish){0};
}

// ------------------------------------------------------------------------------------------------ reading

static const json_t *controllers_of(const recording *r) {
  return json_object_get(json_object_get(r->summary, "job"), "controller");
}

static const json_t *tip_reference_of(const json_t *controller) {
  const json_t *reference = json_object_get(controller, "reference");
  const char *space = json_string_value(json_object_get(reference, "space"));
  return space && strcmp(space, "tip") == 0 ? reference : NULL;
}

static const char *last_link(const recording *r) {
  const json_t *links = json_object_get(r->model, "links");
  size_t count = json_array_size(links);
  return count ? json_string_value(json_object_get(json_array_get(links, count - 1), "name")) : NULL;
}

// The reference that holds the index-th tip; *place receives which of its tips that is.
static const json_t *find(const recording *r, size_t index, size_t *place, const char **tip) {
  const json_t *all = controllers_of(r);
  size_t count = json_is_array(all) ? json_array_size(all) : json_is_object(all);
  for (size_t i = 0; i < count; ++i) {
    const json_t *reference = tip_reference_of(json_is_array(all) ? json_array_get(all, i) : all);
    const json_t *tips = json_object_get(reference, "tips");
    size_t own = !reference ? 0 : json_array_size(tips) ? json_array_size(tips) : 1;
    if (index < own) {
      *place = index;
      *tip = json_array_size(tips) ? json_string_value(json_array_get(tips, index)) : last_link(r);
      return *tip ? reference : NULL;
    }
    index -= own;
  }
  return NULL;
}

static bool read_wish(const json_t *reference, size_t place, wish *w) {
  const json_t *t = json_object_get(reference, "t"), *value = json_object_get(reference, "value");
  const char *word = json_string_value(json_object_get(reference, "interpolation"));
  *w = (wish){.knots = json_array_size(t), .spline = word && strcmp(word, "spline") == 0};
  if (w->knots == 0 || json_array_size(value) != w->knots) return false;
  w->t = must_alloc(7 * w->knots * sizeof *w->t);
  w->x = w->t + w->knots;
  w->bend = w->x + 3 * w->knots;
  for (size_t k = 0; k < w->knots; ++k) {
    const json_t *row = json_array_get(value, k);
    w->t[k] = json_number_value(json_array_get(t, k));
    if (k > 0 && !(w->t[k] > w->t[k - 1])) return false;
    for (size_t i = 0; i < 3; ++i) w->x[i * w->knots + k] = json_number_value(json_array_get(row, 3 * place + i));
  }
  return true;
}

// ------------------------------------------------------------------------------------------------ where it should be

// Second derivatives of the natural spline through x: a tridiagonal system, solved forward and back.
static void bend_spline(const double *t, const double *x, size_t n, double *bend) {
  double *upper = must_alloc((n + 1) * sizeof *upper);
  bend[0] = bend[n - 1] = upper[0] = 0;
  for (size_t k = 1; k + 1 < n; ++k) {
    double a = t[k] - t[k - 1], b = t[k + 1] - t[k];
    double right = 6 * ((x[k + 1] - x[k]) / b - (x[k] - x[k - 1]) / a), pivot = 2 * (a + b) - a * upper[k - 1];
    upper[k] = b / pivot;
    bend[k] = (right - a * bend[k - 1]) / pivot;
  }
  for (size_t k = n - 1; k-- > 1;) bend[k] -= upper[k] * bend[k + 1];
  free(upper);
}

static double piece(const wish *w, size_t i, size_t k, double t) {
  const double *x = w->x + i * w->knots, *bend = w->bend + i * w->knots;
  double h = w->t[k + 1] - w->t[k], b = (t - w->t[k]) / h, a = 1 - b;
  if (!w->spline) return x[k] + (x[k + 1] - x[k]) * b * b * (3 - 2 * b);
  return a * x[k] + b * x[k + 1] + ((a * a * a - a) * bend[k] + (b * b * b - b) * bend[k + 1]) * h * h / 6;
}

static vec wish_at(const wish *w, double t) {
  size_t last = w->knots - 1, k = 0;
  if (t < w->t[0]) t = w->t[0];
  if (t > w->t[last]) t = w->t[last];
  while (k + 1 < last && w->t[k + 1] <= t) ++k;
  if (last == 0) return (vec){w->x[0], w->x[1], w->x[2]};
  return (vec){piece(w, 0, k, t), piece(w, 1, k, t), piece(w, 2, k, t)};
}

double *tip_error_of(const recording *r, size_t index, const char **tip) {
  size_t place = 0;
  const json_t *reference = find(r, index, &place, tip);
  const track *k = reference ? recording_track(r, *tip) : NULL;
  wish w = {0};
  if (!k || !read_wish(reference, place, &w)) return wish_free(&w), NULL;
  for (size_t i = 0; i < 3; ++i) bend_spline(w.t, w.x + i * w.knots, w.knots, w.bend + i * w.knots);
  double *error = must_alloc(r->samples * sizeof *error);
  for (size_t i = 0; i < r->samples; ++i)
    error[i] = vec_norm(vec_sub(track_position(k, i, k->points - 1), wish_at(&w, r->x[i])));
  wish_free(&w);
  return error;
}

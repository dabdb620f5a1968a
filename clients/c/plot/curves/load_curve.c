// Rows are points of the path in order, so that lines between them are the curve. An event lies between two rows at a
// value u of the channel that the summary tells: a limit point where a parabola through both rows has its top, a
// branch point by its share of the way.
#include "plot/curves/load_curve.h"

#include "base/say.h"
#include "plot/curves/channels.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct displacement {
  const double *at; // [samples], `stride` apart
  size_t stride;
  char name[64], unit[8];
} displacement;

static const json_t *path_of(const recording *r) { return json_object_get(r->summary, "continuation"); }

static long channel_column(const recording *r, const char *name) {
  for (size_t i = 0; name; ++i) {
    const char *own = recording_name(r, "channels", i);
    if (!own) break;
    if (strcmp(own, name) == 0) return (long)i;
  }
  return -1;
}

// ------------------------------------------------------------------------------------------------ what moves

static displacement of_point(const recording *r, const track *k, size_t point, int axis) {
  displacement d = {.at = k->pose + point * 16 + 4 * (size_t)axis + 3, .stride = 16 * k->points, .unit = "m"};
  bool tip = point + 1 == k->points;
  (void)r;
  if (!track_is_rod(k))
    snprintf(d.name, sizeof d.name, "%c of %.40s", "xyz"[axis], k -> link);
  else if (tip)
    snprintf(d.name, sizeof d.name, "%c of the tip of %.32s", "xyz"[axis], k -> link);
  else
    snprintf(d.name, sizeof d.name, "%c of %.32s at s = %.3g", "xyz"[axis], k -> link, k -> abscissa[point]);
  return d;
}

// Where the force of this channel acts along a world axis.
static bool of_load(const recording *r, const char *channel, displacement *d) {
  const json_t *load, *component;
  size_t i, c;
  json_array_foreach(json_object_get(r->model, "loads"), i, load) {
    const char *link = json_string_value(json_object_get(load, "link"));
    const char *axes = json_string_value(json_object_get(load, "frame"));
    const track *k = link ? recording_track(r, link) : NULL;
    const json_t *at = json_object_get(load, "at");
    bool body = axes && strcmp(axes, "body") == 0;
    json_array_foreach(json_object_get(load, "channels"), c, component) {
      const char *own = json_string_value(component);
      if (!own || strcmp(own, channel) != 0 || c < 3 || !k || body) continue;
      *d = of_point(r, k, track_nearest(k, at ? json_number_value(at) : 1), (int)c - 3);
      return true;
    }
  }
  return false;
}

static double range_of(const double *y, size_t count, size_t stride) {
  double low = INFINITY, high = -INFINITY;
  for (size_t i = 0; i < count; ++i)
    if (isfinite(y[i * stride])) low = fmin(low, y[i * stride]), high = fmax(high, y[i * stride]);
  return high > low ? high - low : 0;
}

static bool of_farthest(const recording *r, displacement *d) {
  double most = 0;
  for (int t = 0; t < r->track_count; ++t)
    for (size_t point = 0; point < r->tracks[t].points; ++point)
      for (int axis = 0; axis < 3; ++axis) {
        displacement other = of_point(r, &r->tracks[t], point, axis);
        double range = range_of(other.at, r->samples, other.stride);
        if (range > 1.001 * most) most = range, *d = other;
      }
  return most > 0;
}

static bool of_coordinate(const recording *r, displacement *d) {
  size_t columns = 0;
  const double *q = recording_field(r, "q", &columns);
  double most = 0;
  for (size_t i = 0; q && i < columns; ++i) {
    double range = range_of(q + i, r->samples, columns);
    if (range <= 1.001 * most) continue;
    const char *name = recording_name(r, "coordinates", i);
    most = range;
    *d = (displacement){.at = q + i, .stride = columns};
    snprintf(d->name, sizeof d->name, "%.60s", name ? name : "q");
  }
  return most > 0;
}

// ------------------------------------------------------------------------------------------------ the panel

static double share_of(const char *kind, double u, double before, double behind) {
  double a = fabs(u - before), b = fabs(u - behind);
  if (strcmp(kind, "limit") == 0) a = sqrt(a), b = sqrt(b);
  return a + b > 0 ? a / (a + b) : 0.5;
}

static void add_events(panel *p, const json_t *path, const double *x, const double *u, size_t stride, size_t samples) {
  const json_t *event;
  size_t i;
  json_array_foreach(json_object_get(path, "events"), i, event) {
    const char *kind = json_string_value(json_object_get(event, "kind"));
    json_int_t after = json_integer_value(json_object_get(event, "after"));
    double value = json_number_value(json_object_get(event, "value"));
    if (!kind || after < 0 || (size_t)after + 1 >= samples || p->mark_count == MARKS_MOST) continue;
    size_t k = (size_t)after;
    double s = share_of(kind, value, u[k * stride], u[(k + 1) * stride]);
    p->marks[p->mark_count++] =
        (mark){x[k] + s * (x[k + 1] - x[k]), value, strcmp(kind, "limit") == 0 ? MARK_LIMIT : MARK_BRANCH};
  }
}

// u where the row is of this kind, and at the ends of stretches of unstable rows, so that no gap is left.
static void split(double *out, const double *u, size_t stride, const double *stable, size_t samples, bool wanted) {
  for (size_t i = 0; i < samples; ++i) {
    bool own = (stable[i] != 0) == wanted;
    bool beside = !wanted && ((i > 0 && stable[i - 1] == 0) || (i + 1 < samples && stable[i + 1] == 0));
    out[i] = own || beside ? u[i * stride] : NAN;
  }
}

static void add_part(panel *p, const double *y, colour paint, bool dashed, const char *label) {
  curve *k = &p->curves[p->count++];
  *k = (curve){.y = y, .stride = 1, .paint = paint, .line_width = dashed ? 1.6 : 2.4, .dashed = dashed};
  snprintf(k->label, sizeof k->label, "%s", label);
}

bool load_curve_fill(panel *p, const recording *r, double **held) {
  const json_t *path = path_of(r);
  const char *channel = json_string_value(json_object_get(path, "channel"));
  long column = channel_column(r, channel);
  size_t columns = 0, one = 0;
  const double *u = recording_field(r, "u", &columns), *stable = recording_field(r, "stable", &one);
  displacement d = {0};
  bool known = u && column >= 0 && (size_t)column < columns && stable && one == 1;
  if (!known || !(of_load(r, channel, &d) || of_farthest(r, &d) || of_coordinate(r, &d))) return false;
  double *rows = *held = must_alloc(3 * r->samples * sizeof *rows), *good = rows + r->samples, *bad = good + r->samples;
  for (size_t i = 0; i < r->samples; ++i) rows[i] = d.at[i * d.stride];
  split(good, u + column, columns, stable, r->samples, true);
  split(bad, u + column, columns, stable, r->samples, false);
  p->x = rows, p->samples = r->samples;
  p->own_axis = true;
  snprintf(p->title, sizeof p->title, "load curve: %.60s", channel);
  snprintf(p->unit, sizeof p->unit, "%s", channels_unit(channels_group(r, channel)));
  snprintf(p->x_label, sizeof p->x_label, d.unit[0] ? "%.55s (%s)" : "%.55s%s", d.name, d.unit);
  add_part(p, good, colour_of_curve(0), false, "stable");
  add_part(p, bad, colour_of_curve(1), true, "unstable");
  add_events(p, path, rows, u + column, columns, r->samples);
  return true;
}

// From the members of a result: `t`, fields by name, `poses:LINK` [T][points][4][4] or [T][4][4], `poses:LINK@S` [T][4][4],
// and `summary`, whose model document gives the cross-sections.
#include "plot/recording.h"

#include "base/say.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const json_t *link_document(const recording *r, const char *name) {
  const json_t *link;
  size_t i;
  json_array_foreach(json_object_get(r->model, "links"), i, link) {
    const char *own = json_string_value(json_object_get(link, "name"));
    if (own && strcmp(own, name) == 0) return link;
  }
  return NULL;
}

static void read_summary(recording *r) {
  const npz_array *bytes = npz_find(r->file, "summary");
  if (!bytes) return;
  size_t size = strnlen((const char *)bytes->data, bytes->bytes);
  r->summary = json_loadb((const char *)bytes->data, size, 0, NULL);
  r->model = json_object_get(json_object_get(r->summary, "model"), "document");
}

static bool read_samples(recording *r) {
  const npz_array *t = npz_find(r->file, "t"), *q = npz_find(r->file, "q");
  r->statics = t == NULL;
  if (t && t->rank == 1) {
    r->samples = t->count;
    r->x = npz_doubles(t);
    return r->x != NULL && r->samples > 0;
  }
  if (!q || q->rank != 2 || q->shape[0] == 0) return false;
  r->samples = q->shape[0];
  r->x = must_alloc(r->samples * sizeof *r->x);
  for (size_t i = 0; i < r->samples; ++i) r->x[i] = (double)i;
  return true;
}

// Adds poses:LINK as a track; `poses:LINK@S` is no body, only a point.
static void read_track(recording *r, const npz_array *a) {
  bool poses = strncmp(a->name, "poses:", 6) == 0 && !strchr(a->name, '@');
  bool shaped = (a->rank == 3 || a->rank == 4) && a->shape[a->rank - 1] == 4 && a->shape[a->rank - 2] == 4;
  if (!poses || !shaped || a->shape[0] != r->samples || r->track_count == TRACK_LIMIT) return;
  track *k = &r->tracks[r->track_count];
  *k = (track){.samples = r->samples, .points = a->rank == 4 ? a->shape[1] : 1, .pose = npz_doubles(a)};
  if (!k->pose || k->points == 0) {
    free(k->pose);
    return;
  }
  snprintf(k->link, sizeof k->link, "%.95s", a->name + 6);
  k->document = link_document(r, k->link);
  track_place_points(k, json_object_get(json_object_get(r->summary, "points"), k->link));
  ++r->track_count;
}

bool recording_open(recording *r, const char *path) {
  char why[256] = "";
  *r = (recording){.file = npz_open(path, why, sizeof why)};
  if (!r->file) return say_error("cannot read %s: %s", path, why), false;
  read_summary(r);
  if (!read_samples(r)) {
    say_error("%s holds nothing to draw: a result of a job has `t` or `q`", path);
    recording_close(r);
    return false;
  }
  for (int i = 0; i < npz_count(r->file); ++i) read_track(r, npz_at(r->file, i));
  return true;
}

void recording_close(recording *r) {
  for (int i = 0; i < r->track_count; ++i) {
    free(r->tracks[i].pose);
    free(r->tracks[i].abscissa);
  }
  free(r->x);
  json_decref(r->summary);
  npz_close(r->file);
  *r = (recording){0};
}

double *recording_field(const recording *r, const char *name, size_t *columns) {
  const npz_array *a = npz_find(r->file, name);
  if (!a || a->rank < 1 || a->shape[0] != r->samples) return NULL;
  *columns = a->count / r->samples;
  return *columns > 0 ? npz_doubles(a) : NULL;
}

const track *recording_track(const recording *r, const char *link) {
  for (int i = 0; i < r->track_count; ++i)
    if (strcmp(r->tracks[i].link, link) == 0) return &r->tracks[i];
  return NULL;
}

const track *recording_parent(const recording *r, const track *k) {
  const char *parent = json_string_value(json_object_get(k->document, "parent"));
  return parent ? recording_track(r, parent) : NULL;
}

static const track *last_track(const recording *r, const char *link) {
  if (link) return recording_track(r, link);
  for (int i = r->track_count - 1; i >= 0; --i)
    if (track_is_rod(&r->tracks[i])) return &r->tracks[i];
  return r->track_count > 0 ? &r->tracks[r->track_count - 1] : NULL;
}

static double *tip_of_track(const recording *r, const track *k) {
  double *tip = must_alloc(r->samples * 3 * sizeof *tip);
  for (size_t i = 0; i < r->samples; ++i) {
    vec p = track_position(k, i, k->points - 1);
    tip[3 * i] = p.x, tip[3 * i + 1] = p.y, tip[3 * i + 2] = p.z;
  }
  return tip;
}

// Without whole shapes a single recorded abscissa will do: the last field poses:LINK@S.
static double *tip_of_field(const recording *r, const char *link, char *name, size_t size) {
  for (int i = npz_count(r->file) - 1; i >= 0; --i) {
    const npz_array *a = npz_at(r->file, i);
    const char *at = strchr(a->name, '@');
    size_t length = at ? (size_t)(at - a->name) : 0;
    if (strncmp(a->name, "poses:", 6) != 0 || !at) continue;
    if (link && (strlen(link) != length - 6 || strncmp(a->name + 6, link, length - 6) != 0)) continue;
    size_t columns;
    double *pose = recording_field(r, a->name, &columns);
    if (!pose || columns != 16) return free(pose), NULL;
    double *tip = must_alloc(r->samples * 3 * sizeof *tip);
    for (size_t k = 0; k < 3 * r->samples; ++k) tip[k] = pose[k / 3 * 16 + k % 3 * 4 + 3];
    free(pose);
    snprintf(name, size, "%s", a->name + 6);
    return tip;
  }
  return NULL;
}

double *recording_tip(const recording *r, const char *link, char *name, size_t size) {
  const track *k = last_track(r, link);
  if (!k) return tip_of_field(r, link, name, size);
  snprintf(name, size, "%s of %s", track_is_rod(k) ? "tip" : "frame", k->link);
  return tip_of_track(r, k);
}

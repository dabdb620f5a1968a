// From the members of a result: `t`, fields by name, `poses:LINK` [T][points][4][4] or [T][4][4], `poses:LINK@S`
// [T][4][4], `shape:LINK` [T][circles][around][3], of a mesh [T][points][3], and `summary`, whose model document
// gives the cross-sections.
#include "plot/recording.h"

#include "base/say.h"
#include "plot/scene/faces.h"
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const json_t *entry_of(const json_t *model, const char *list, const char *name, size_t length) {
  const json_t *entry;
  size_t i;
  json_array_foreach(json_object_get(model, list), i, entry) {
    const char *own = json_string_value(json_object_get(entry, "name"));
    if (own && strlen(own) == length && strncmp(own, name, length) == 0) return entry;
  }
  return NULL;
}

const json_t *recording_entry(const recording *r, const char *list, const char *name, size_t length) {
  return entry_of(r->model, list, name, length);
}

const char *recording_name(const recording *r, const char *list, size_t i) {
  return json_string_value(json_array_get(json_object_get(r->summary, list), i));
}

static void read_summary(recording *r) {
  const tendril_array *bytes = tendril_arrays_find(r->file, "summary");
  if (!bytes) return;
  size_t size = strnlen(bytes->data, bytes->size);
  r->summary = json_loadb(bytes->data, size, 0, NULL);
  r->model = json_object_get(json_object_get(r->summary, "model"), "document");
}

// Of searches: what they found, and the robot with it.
static void read_found(recording *r) {
  tendril_error err;
  r->found = tendril_found_read(r->file, &err);
  char *text = r->found ? tendril_found_model(r->file, &err) : NULL;
  if (text) r->found_model = json_loads(text, 0, NULL);
  if (r->found_model) r->model = r->found_model;
  free(text);
}

static const char *word(const json_t *object, const char *key) {
  const char *text = json_string_value(json_object_get(object, key));
  return text ? text : "";
}

// A sweep of dynamics: the last sample of every job. All of them may be the same moment, so time is no axis.
static bool holds_ends(const recording *r) {
  const json_t *base = json_object_get(json_object_get(r->summary, "job"), "base");
  return r->sweep && strcmp(word(base, "kind"), "dynamics") == 0;
}

// Lists of equilibria have several rows per job: those are counted on.
static bool rises(const double *x, size_t count) {
  for (size_t i = 1; i < count; ++i)
    if (!(x[i] > x[i - 1])) return false;
  return true;
}

static void number_rows(recording *r) {
  const tendril_array *child = r->sweep ? tendril_arrays_find(r->file, "child") : NULL;
  if (child && child->values && child->count == r->samples && rises(child->values, child->count)) {
    r->x = child->values;
    return;
  }
  assert(!r->numbers && r->samples > 0);
  r->x = r->numbers = must_alloc(r->samples * sizeof *r->numbers);
  for (size_t i = 0; i < r->samples; ++i) r->numbers[i] = (double)i;
}

// A fit has no rows of its own, but those of its records.
static bool read_search(recording *r) {
  r->statics = true;
  r->samples = 1;
  number_rows(r);
  return true;
}

static bool read_samples(recording *r) {
  const tendril_array *t = tendril_arrays_find(r->file, "t"), *q = tendril_arrays_find(r->file, "q");
  bool timed = t && t->rank == 1;
  if (r->found && !t && !q) return read_search(r);
  if (timed && !t->values) return false;
  if (!timed && (!q || q->rank != 2)) return false;
  r->samples = timed ? t->count : q->shape[0];
  r->t = timed ? t->values : NULL;
  r->sweep = strcmp(word(r->summary, "kind"), "sweep") == 0;
  r->ends = timed && holds_ends(r);
  r->linear = strcmp(word(r->summary, "kind"), "linearize") == 0;
  r->statics = !timed || r->ends || (r->linear && r->samples == 1); // one state has no course
  if (r->statics && r->samples > 0)
    number_rows(r);
  else
    r->x = r->t;
  return r->samples > 0;
}

// Adds PREFIXposes:LINK as a track of that model's link; `poses:LINK@S` is no body, only a point.
static void read_track(const recording *r, const tendril_array *a, const char *prefix, const json_t *model,
                       track tracks[TRACK_LIMIT], int *count) {
  size_t length = strlen(prefix);
  bool poses = strncmp(a->name, prefix, length) == 0 && strncmp(a->name + length, "poses:", 6) == 0;
  bool shaped = (a->rank == 3 || a->rank == 4) && a->shape[a->rank - 1] == 4 && a->shape[a->rank - 2] == 4;
  if (!poses || strchr(a->name, '@') || !shaped || a->shape[0] != r->samples || *count == TRACK_LIMIT) return;
  track *k = &tracks[*count];
  *k = (track){.samples = r->samples, .points = a->rank == 4 ? a->shape[1] : 1, .pose = a->values};
  if (!k->pose || k->points == 0) return;
  snprintf(k->link, sizeof k->link, "%.95s", a->name + length + 6);
  k->document = entry_of(model, "links", k->link, strlen(k->link));
  track_place_points(k, json_object_get(json_object_get(r->summary, "points"), k->link));
  ++*count;
}

static void read_tracks(recording *r) {
  const json_t *began = json_object_get(json_object_get(r->summary, "model"), "document");
  for (int i = 0; i < tendril_arrays_count(r->file); ++i) {
    const tendril_array *a = tendril_arrays_find(r->file, tendril_arrays_at(r->file, i)->name);
    read_track(r, a, "", r->model, r->tracks, &r->track_count);
    read_track(r, a, "first:", began, r->first, &r->first_count);
  }
}

// Points of a mesh are a skin together with the faces that the model document tells.
static skin mesh_skin(const track *k, const tendril_array *a) {
  skin s = {.circles = 1, .around = a->shape[1], .points = a->values};
  s.triangle = faces_of(json_object_get(json_object_get(k->document, "body"), "mesh"), s.around, &s.triangles);
  return s;
}

// shape:LINK [T][circles][around][3], of a mesh [T][points][3], is the skin of the track of that link.
static void read_skin(recording *r, const tendril_array *a) {
  bool shaped = (a->rank == 3 || a->rank == 4) && a->shape[a->rank - 1] == 3 && a->shape[0] == r->samples && a->values;
  for (int i = 0; shaped && strncmp(a->name, "shape:", 6) == 0 && i < r->track_count; ++i) {
    track *k = &r->tracks[i];
    if (strcmp(k->link, a->name + 6) != 0 || skin_exists(&k->skin)) continue;
    k->skin =
        a->rank == 3 ? mesh_skin(k, a) : (skin){.circles = a->shape[1], .around = a->shape[2], .points = a->values};
  }
}

// As ids of jobs are, and files of results are not.
static bool is_bare_name(const char *path) { return strlen(path) <= 26 && !strpbrk(path, "./"); }

bool recording_open(recording *r, const char *path) {
  tendril_error err;
  *r = (recording){.file = tendril_arrays_open(path, &err)};
  if (!r->file && is_bare_name(path))
    return say_error("%s; where it is a job's id, `tendril result %s` fetches the file", err.detail, path), false;
  if (!r->file) return say_error("%s", err.detail), false;
  read_summary(r);
  read_found(r);
  if (!read_samples(r)) {
    say_error("%s holds nothing to draw: a result of a job has `t` or `q`", path);
    recording_close(r);
    return false;
  }
  read_tracks(r);
  for (int i = 0; i < tendril_arrays_count(r->file); ++i)
    if (strncmp(tendril_arrays_at(r->file, i)->name, "shape:", 6) == 0)
      read_skin(r, tendril_arrays_find(r->file, tendril_arrays_at(r->file, i)->name));
  return true;
}

void recording_take_rebuilt(recording *r) {
  for (int i = 0; i < r->rebuilt_count; ++i) read_track(r, &r->rebuilt[i], "", r->model, r->tracks, &r->track_count);
}

void recording_drop_rebuilt(recording *r) {
  for (int i = 0; i < r->rebuilt_count; ++i) {
    free((void *)(uintptr_t)r->rebuilt[i].name);
    free((void *)(uintptr_t)r->rebuilt[i].values);
  }
  r->rebuilt_count = 0;
}

void recording_close(recording *r) {
  for (int i = 0; i < r->track_count; ++i) free(r->tracks[i].abscissa), free(r->tracks[i].skin.triangle);
  for (int i = 0; i < r->first_count; ++i) free(r->first[i].abscissa);
  recording_drop_rebuilt(r);
  free(r->numbers);
  tendril_found_free(r->found);
  json_decref(r->found_model);
  json_decref(r->summary);
  tendril_arrays_close(r->file);
  *r = (recording){0};
}

const double *recording_field(const recording *r, const char *name, size_t *columns) {
  const tendril_array *a = tendril_arrays_find(r->file, name);
  if (!a || a->rank < 1 || a->shape[0] != r->samples) return NULL;
  *columns = a->count / r->samples;
  return *columns > 0 ? a->values : NULL;
}

const char *recording_axis(const recording *r) {
  if (json_object_get(r->summary, "continuation")) return "point of the path";
  bool jobs = r->ends || (r->sweep && r->x != r->numbers);
  return jobs ? "job" : r->linear && r->statics ? "state" : r->statics ? "problem" : "t (s)";
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

// ------------------------------------------------------------------------------------------------ the tip

// Where poses were recorded: of a whole link, or of one abscissa (field poses:LINK@S).
typedef struct place {
  char link[96];
  const track *whole;
  const double *pose; ///< [samples][4][4], of one abscissa
  double at;          ///< X/L, 1 of whole links
  bool rod;
  long depth, row; ///< in the tree of the model, in its list of links
} place;

static long row_of(const recording *r, const char *name) {
  const json_t *link;
  size_t i;
  json_array_foreach(json_object_get(r->model, "links"), i, link) {
    if (strcmp(word(link, "name"), name) == 0) return (long)i;
  }
  return -1;
}

// How many links stand between a link and the world; documents from elsewhere may go round in circles.
static long depth_of(const recording *r, long row) {
  const json_t *links = json_object_get(r->model, "links");
  long depth = 0, count = (long)json_array_size(links);
  while (row >= 0 && depth <= count) ++depth, row = row_of(r, word(json_array_get(links, (size_t)row), "parent"));
  return depth;
}

static void find_in_tree(const recording *r, place *p) {
  const json_t *links = json_object_get(r->model, "links");
  p->row = row_of(r, p->link);
  p->depth = depth_of(r, p->row);
  if (p->whole)
    p->rod = track_is_rod(p->whole);
  else if (p->row >= 0)
    p->rod = strcmp(word(json_object_get(json_array_get(links, (size_t)p->row), "body"), "type"), "rigid") != 0;
}

static bool read_place(const recording *r, const tendril_array *a, place *p) {
  const char *at = strchr(a->name, '@');
  size_t columns = 0;
  if (strncmp(a->name, "poses:", 6) != 0) return false;
  *p = (place){.at = at ? strtod(at + 1, NULL) : 1};
  snprintf(p->link, sizeof p->link, "%.*s", at ? (int)(at - a->name - 6) : 95, a->name + 6);
  if (at)
    p->pose = recording_field(r, a->name, &columns);
  else
    p->whole = recording_track(r, p->link);
  if (!p->whole && (!p->pose || columns != 16)) return false;
  find_in_tree(r, p);
  return true;
}

// Rods before rigid bodies; then the one that has most links below it; then the later of the document's list; then the
// place nearest to the end; then the whole link.
static bool is_later(const place *a, const place *b) {
  if (a->rod != b->rod) return a->rod;
  if (a->depth != b->depth) return a->depth > b->depth;
  if (a->row != b->row) return a->row > b->row;
  return a->at != b->at ? a->at > b->at : a->whole != NULL;
}

static void try_place(const recording *r, const tendril_array *a, const char *link, place *last, bool *any) {
  place one;
  if (!read_place(r, a, &one) || (link && strcmp(link, one.link) != 0)) return;
  if (!*any || !is_later(last, &one)) *last = one;
  *any = true;
}

static bool last_place(const recording *r, const char *link, place *last) {
  bool any = false;
  for (int i = 0; i < tendril_arrays_count(r->file); ++i) {
    // The directory names arrays; finding one reads it.
    const char *name = tendril_arrays_at(r->file, i)->name;
    if (strncmp(name, "poses:", 6) == 0) try_place(r, tendril_arrays_find(r->file, name), link, last, &any);
  }
  for (int i = 0; i < r->rebuilt_count; ++i) try_place(r, &r->rebuilt[i], link, last, &any);
  return any;
}

double *recording_tip(const recording *r, const char *link, char *name, size_t size) {
  place p;
  if (!last_place(r, link, &p)) return NULL;
  double *tip = must_alloc(r->samples * 3 * sizeof *tip);
  for (size_t i = 0; i < r->samples; ++i) {
    const double *pose = p.pose ? p.pose + 16 * i : p.whole->pose + 16 * (p.whole->points * (i + 1) - 1);
    for (size_t k = 0; k < 3; ++k) tip[3 * i + k] = pose[4 * k + 3];
  }
  if (p.at == 1 || !p.rod)
    snprintf(name, size, "%s of %s", p.rod ? "tip" : "frame", p.link);
  else
    snprintf(name, size, "%s at %g of its length", p.link, p.at);
  return tip;
}

// Finer twins. Points: twice as many as in the model, enough for the polynomials beyond the basis, and SEEN for the
// narrowest stretch that the document describes: between knots of a table along a rod, along the heights of a flow,
// a surface, an eighth of a turn of a helix.
#include "estimate/twin.h"
#include "lie/vec3.h"
#include "pass/kinematics.h"
#include "strain/basis.h"
#include "strain/points.h"
#include "tendril/dynamics.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SEEN = 384 };       // points on a rod that a feature may ask for
enum { TURNING = 3 };           // of the six strains: torsion and curvatures
static const double SEEN = 3;   // points in the narrowest stretch
static const double TURNS = 16; // points in a turn
static const double RISING = 6; // points in the height over which a rod gets wet

// ------------------------------------------------------------------------------------------------ features

// The narrowest distance of knots between which something changes, in their unit; INFINITY: nothing does.
static double narrowest(size_t count, const double *s, const double *value, size_t width) {
  double least = INFINITY;
  for (size_t i = 1; s && i < count; i++) {
    bool changes = false;
    for (size_t k = 0; k < width; k++) changes |= value[i * width + k] != value[(i - 1) * width + k];
    if (changes) least = fmin(least, s[i] - s[i - 1]);
  }
  return least;
}

static double narrowest_profile(const td_profile *p) { return narrowest(p->count, p->s, p->value, p->width); }

static double narrowest_section(const td_rod_spec *rod) {
  const td_stiffness_spec *n = &rod->numbers;
  const td_profile *const profiles[] = {&rod->torsion_constant,
                                        &rod->shear_correction,
                                        &rod->damping,
                                        &rod->reference,
                                        &n->mass,
                                        &n->inertia,
                                        &n->coupling,
                                        &n->radius};
  double least = INFINITY;
  for (int i = 0; i < 2; i++)
    least = fmin(least, fmin(narrowest_profile(&rod->size[i]), narrowest_profile(&rod->inner[i])));
  for (int i = 0; i < 6; i++) least = fmin(least, narrowest_profile(&n->stiffness[i]));
  for (size_t i = 0; i < sizeof profiles / sizeof *profiles; i++) least = fmin(least, narrowest_profile(profiles[i]));
  for (int c = 0; c < 6 && rod->basis == TD_BASIS_TABLE; c++)
    for (size_t i = 0; rod->order[c] >= 0 && i < rod->table_columns[c]; i++)
      least = fmin(least, narrowest(rod->table_count, rod->table_s, rod->table[c] + i * rod->table_count, 1));
  return least;
}

static double points_of_routing(const td_routing_spec *r) {
  double most = r->type == TD_ROUTING_HELIX ? TURNS * fabs(r->turns) : 0;
  if (r->type == TD_ROUTING_TABLE)
    most = SEEN / fmin(narrowest(r->count, r->s, r->y, 1), narrowest(r->count, r->s, r->z, 1));
  for (size_t i = 0; r->type == TD_ROUTING_SUM && i < r->of_count; i++) most = fmax(most, points_of_routing(&r->of[i]));
  return most;
}

// Gauss points on a rod of the document that leave nothing between them.
static double points_of_features(const td_model_spec *d, int link) {
  const td_rod_spec *rod = &d->links[link].body.rod;
  double most = fmax(SEEN / narrowest_section(rod),
                     SEEN * rod->length / narrowest(d->fluid.knots, d->fluid.z, d->fluid.table, 3));
  if (d->fluid.has_surface) most = fmax(most, RISING * rod->length / d->fluid.width);
  for (size_t a = 0; a < d->actuator_count; a++)
    for (size_t i = 0; d->actuators[a].type == TD_ACTUATOR_TENDON && i < d->actuators[a].segment_count; i++) {
      const td_segment_spec *s = &d->actuators[a].segments[i];
      if (s->has_routing && !strcmp(s->link, d->links[link].name)) most = fmax(most, points_of_routing(&s->routing));
    }
  return fmin(most, MOST_SEEN);
}

int td_twin_points(const td_model_spec *document, int link, const td_refinement *how) {
  const td_rod_spec *rod = &document->links[link].body.rod;
  int own = td_rod_gauss_per_piece(rod), pieces = td_rod_piece_count(rod);
  if (how->advised) return how->advised[link].points ? how->advised[link].points : rod->quadrature_points;
  if (how->own_points || (how->alone && how->alone != link + 1)) return own;
  double points = ceil(how->points * own);
  int more = how->enrichment > how->room ? how->enrichment : how->room, degree = more ? more + 3 : 0;
  for (int c = 0; c < 6 && more; c++) { // the last of them vanishes at as many points as its degree
    int highest = pieces == 1 ? rod->order[c] + 2 : td_rod_basis_degree(rod->basis, rod->order[c]);
    if (rod->order[c] >= 0) degree = (int)fmax(degree, highest + more + 1);
  }
  if (how->features) points = fmax(points, ceil(points_of_features(document, link) / pieces));
  points = fmax(points, degree);
  return (int)fmin(points, (TD_MAX_POINTS - pieces - 1) / pieces);
}

// ------------------------------------------------------------------------------------------------ building

static td_status build(const td_model *model, const td_refinement *how, td_model **out) {
  td_model_spec spec = *model->document;
  td_link_spec *links = malloc((spec.link_count + 1) * sizeof *links);
  if (!links) return TD_NO_MEMORY;
  if (spec.link_count) memcpy(links, spec.links, spec.link_count * sizeof *links);
  for (size_t i = 0; i < spec.link_count; i++) {
    if (links[i].body.type != TD_BODY_ROD) continue;
    links[i].body.rod.quadrature_points = td_twin_points(model->document, (int)i, how);
    for (int c = 0; c < 6 && how->advised; c++) links[i].body.rod.order[c] += how->advised[i].more[c];
    links[i].body.rod.enrichment = how->enrichment;
    links[i].body.rod.smooth_enrichment = how->smooth;
  }
  spec.links = links;
  spec.told = true;
  spec.spread = spec.spread ? spec.spread : model;
  if (how->contactless) spec.contact_count = 0;
  td_error err = {0};
  td_status status = td_model_create(&spec, out, &err);
  free(links);
  return status;
}

// Behind the family's functions of a strain stand `enrichment` for each of its elements.
static void map_group(td_twin *twin, const td_group *own, int first, const td_group *fine, int there, int enrichment) {
  for (int i = 0; i < own->count; i++) twin->at[first + own->first + i] = there + fine->first + i;
  for (int i = own->count; i < fine->count; i++)
    twin->level[there + fine->first + i] = enrichment > 0 ? 1 + (i - own->count) % enrichment : 0;
}

static void map_coordinates(const td_model *model, const td_refinement *how, td_twin *twin) {
  for (int k = 0; k < model->element_count; k++) {
    const td_element *own = &model->element[k], *fine = &twin->model->element[k];
    bool enriched = own->rod >= 0 && model->rod[own->rod].basis;
    for (int i = 0; i < own->n && !enriched; i++) twin->at[own->coordinate + i] = fine->coordinate + i;
    for (int g = 0; enriched && g < own->group_count; g++)
      map_group(twin, &own->group[g], own->coordinate, &fine->group[g], fine->coordinate, how->enrichment);
  }
}

td_status td_twin_create(const td_model *model, const td_refinement *how, td_twin *twin) {
  *twin = (td_twin){0};
  td_status status = model->document ? build(model, how, &twin->model) : TD_UNSUPPORTED;
  if (!status) status = td_workspace_create(twin->model, &twin->ws);
  if (!status) {
    twin->at = calloc((size_t)(model->n + twin->model->n + 1), sizeof *twin->at);
    twin->level = twin->at ? twin->at + model->n : NULL;
    status = twin->at ? TD_OK : TD_NO_MEMORY;
  }
  if (status)
    td_twin_destroy(twin);
  else
    map_coordinates(model, how, twin);
  return status;
}

void td_twin_destroy(td_twin *twin) {
  td_workspace_destroy(twin->ws);
  td_model_destroy(twin->model);
  free(twin->at);
  *twin = (td_twin){0};
}

void td_twin_embed(const td_model *model, const td_twin *twin, const double *from, double *to) {
  memset(to, 0, (size_t)twin->model->n * sizeof *to);
  for (int i = 0; from && i < model->n; i++) to[twin->at[i]] = from[i];
}

int td_twin_lacking(const td_twin *twin, int rod_index, const double *x) {
  const td_rod *rod = &twin->model->rod[rod_index];
  const td_element *e = &twin->model->element[rod->element];
  const double *block = rod->stiffness;
  double most = -1;
  int component = 0;
  for (int g = 0; g < rod->group_count; g++) {
    int count = rod->group[g].count, first = e->coordinate + rod->group[g].first;
    double sum = 0;
    for (int i = 0; i < count; i++)
      if (twin->level[first + i] > 0) sum += block[i * count + i] * x[first + i] * x[first + i];
    if (sum > most) most = sum, component = rod->group[g].component;
    block += count * count;
  }
  return component;
}

int td_twin_moving(const td_twin *twin, int rod_index, const double *x) {
  const td_rod *rod = &twin->model->rod[rod_index];
  const td_element *e = &twin->model->element[rod->element];
  const double *block = rod->stiffness;
  double most[2] = {-1, -1}, way[2] = {0, 0}; // J, m^2: of curvatures and twist; of what stretches and shears
  int component[2] = {0, TURNING};
  for (int g = 0; g < rod->group_count; g++) {
    int count = rod->group[g].count, first = e->coordinate + rod->group[g].first;
    int kind = rod->group[g].component >= TURNING;
    double energy = 0, lever = kind ? rod->length : rod->length * rod->length;
    for (int i = 0; i < count; i++) {
      if (twin->level[first + i] == 0) continue;
      energy += block[i * count + i] * x[first + i] * x[first + i];
      way[kind] += lever * lever * x[first + i] * x[first + i];
    }
    if (energy > most[kind]) most[kind] = energy, component[kind] = rod->group[g].component;
    block += count * count;
  }
  return component[most[0] < 0 || way[1] > way[0]];
}

bool td_twin_shapes(const td_twin *twin, const double *q, double (*out)[3]) {
  const td_model *t = twin->model;
  td_kinematics(t, twin->ws, q, NULL, NULL, t->gravity, TD_LEVEL_POSE);
  for (int i = 0; i < t->rod_count; i++) {
    const td_rod *rod = &t->rod[i];
    const td_se3 *base = &twin->ws->pose[rod->point_node[0]];
    for (int k = 0; k < rod->point_count && rod->basis; k++) {
      const double *p = twin->ws->pose[rod->point_node[k]].p;
      double *x = out[rod->point_node[k]], d[3] = {p[0] - base->p[0], p[1] - base->p[1], p[2] - base->p[2]};
      for (int c = 0; c < 3; c++) x[c] = base->R[c] * d[0] + base->R[3 + c] * d[1] + base->R[6 + c] * d[2];
      if (k > 0 && !isfinite(x[0] + x[1] + x[2])) return false;
    }
  }
  return true;
}

double td_twin_change(const td_twin *twin, int rod_index, double (*a)[3], double (*b)[3]) {
  const td_rod *rod = &twin->model->rod[rod_index];
  double most = 0;
  for (int k = 1; k < rod->point_count; k++) {
    const double *x = a[rod->point_node[k]], *y = b[rod->point_node[k]];
    double d = hypot(hypot(x[0] - y[0], x[1] - y[1]), x[2] - y[2]);
    if (!(d <= most)) most = d;
  }
  return most / rod->length;
}

double td_twin_bow(const td_twin *twin, int rod_index, double (*a)[3], double (*b)[3]) {
  const td_rod *rod = &twin->model->rod[rod_index];
  const double *ta = a[rod->point_node[rod->point_count - 1]], *tb = b[rod->point_node[rod->point_count - 1]];
  double size = sqrt(td_vec3_dot(ta, ta) * td_vec3_dot(tb, tb)), v[3], most = 0;
  double c = size > 0 ? td_vec3_dot(ta, tb) / size : -1;
  if (!(c > 0)) return td_twin_change(twin, rod_index, a, b); // no chord, or another side
  td_vec3_cross(tb, ta, v);
  for (int i = 0; i < 3; i++) v[i] /= size;
  for (int k = 1; k < rod->point_count; k++) {
    const double *x = a[rod->point_node[k]], *y = b[rod->point_node[k]];
    double turned[3], square = 0, along = td_vec3_dot(v, y) / (1 + c);
    td_vec3_cross(v, y, turned);
    for (int i = 0; i < 3; i++) {
      double d = c * y[i] + turned[i] + along * v[i] - x[i];
      square += d * d;
    }
    most = fmax(most, sqrt(square));
  }
  return most / rod->length;
}

void td_twin_tip(const td_twin *twin, int rod_index, td_se3 *tip) {
  const td_rod *rod = &twin->model->rod[rod_index];
  const td_se3 *pose = twin->ws->pose;
  td_se3 back;
  td_se3_inverse(&pose[rod->point_node[0]], &back);
  td_se3_compose(&back, &pose[rod->point_node[rod->point_count - 1]], tip);
}

double td_twist_between(const td_se3 *a, const td_se3 *b) {
  td_se3 between;
  double xi[6];
  td_se3_inverse(a, &between);
  td_se3_compose(&between, b, &between);
  td_se3_log(&between, xi);
  return xi[0];
}

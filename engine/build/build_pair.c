// What of bodies touches other bodies: a capsule between any two computational points of a rod, of their mean radius,
// with a joining point of weight -1 between any two capsules; a rigid body's `collision`, a ball, a capsule, or a core
// with its corners. What touches cores has points for them: a rod's computational points, the ends of a capsule.
// Edges have points as close together as what may cross them is thin, twice over.
//
// Solids are made once for all contacts that name their link. Frames of proxies are laid out before the topology is, so
// that the columns of their nodes are kept.
#include "build/build.h"
#include "element/collision.h"
#include "element/mesh.h"
#include "lie/vec3.h"
#include "spec/check/checks.h"
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static bool is_mutual(const td_contact_spec *c) { return td_contact_is_mutual(c->type); }

static bool is_named(const td_model_spec *spec, int link) {
  for (size_t i = 0; i < spec->contact_count; i++) {
    const td_contact_spec *c = &spec->contacts[i];
    for (size_t k = 0; is_mutual(c) && k < c->a_count + c->b_count; k++)
      if (!strcmp(k < c->a_count ? c->a[k] : c->b[k - c->a_count], spec->links[link].name)) return true;
  }
  return false;
}

static int count_pairs(const td_model_spec *spec) {
  size_t count = 0;
  for (size_t i = 0; i < spec->contact_count; i++) {
    const td_contact_spec *c = &spec->contacts[i];
    if (is_mutual(c)) count += c->type == TD_CONTACT_SELF ? 1 : c->a_count * c->b_count;
  }
  return (int)count;
}

static int frame_of(td_model *m, int node) {
  m->proxy_frame[m->proxy_frame_count] = (td_loop_frame){.node = node};
  return m->proxy_frame_count++;
}

// ---- rods

static double radius_at(const td_rod *rod, int k) {
  td_section_at at;
  td_section_eval(rod->outline, rod->abscissa[k], &at);
  return at.radius;
}

static void join(td_proxy *capsule, int end, td_proxy *joint) {
  if (capsule->radius != joint->radius) return;
  capsule->joint[end] = (int)(joint - capsule);
  joint->joint[1 - end] = (int)(capsule - joint);
}

// The point at which capsules join is a ball of the mean radius of the two: what touches both there does so with it.
static void add_rod(td_model *m, const td_rod *rod, bool points) {
  int first = m->proxy_frame_count;
  td_proxy *capsule = m->proxy + m->proxy_count;
  for (int k = 0; k < rod->point_count; k++) (void)frame_of(m, rod->point_node[k]);
  for (int k = 0; k + 1 < rod->point_count; k++)
    m->proxy[m->proxy_count++] = (td_proxy){.frame = {first + k, first + k + 1},
                                            .radius = 0.5 * (radius_at(rod, k) + radius_at(rod, k + 1)),
                                            .weight = 1,
                                            .from = rod->length * rod->abscissa[k],
                                            .to = rod->length * rod->abscissa[k + 1]};
  for (int k = 1; k + 1 < rod->point_count; k++)
    m->proxy[m->proxy_count++] = (td_proxy){.frame = {first + k, first + k},
                                            .ball = true,
                                            .radius = radius_at(rod, k),
                                            .weight = -1,
                                            .from = rod->length * rod->abscissa[k - 1],
                                            .to = rod->length * rod->abscissa[k + 1]};
  for (int k = 1; k + 1 < rod->point_count; k++)
    for (int end = 0; end < 2; end++) join(capsule + k - end, end, capsule + rod->point_count - 2 + k);
  for (int k = 0; points && k < rod->point_count; k++)
    m->proxy[m->proxy_count++] = (td_proxy){.role = TD_PROXY_POINT,
                                            .frame = {first + k, first + k},
                                            .ball = true,
                                            .radius = radius_at(rod, k),
                                            .weight = 1};
}

// ---- rigid bodies

enum { BOX_EDGE_POINTS = 3, MESH_EDGE_POINTS = 1, MOST_EDGE_POINTS = 64 };

// Points of edges: the frame that they hang on, how many at least, their radius, and how thin it is what may cross
// them, m.
typedef struct edges {
  int frame, least;
  double radius, thin;
} edges;

static void add_ball(td_model *m, const td_collision_spec *c, size_t i, int frame, td_proxy_role role, double radius) {
  td_proxy *p = &m->proxy[m->proxy_count++];
  *p = (td_proxy){.role = role, .frame = {frame, frame}, .ball = true, .radius = radius, .weight = 1};
  for (int k = 0; k < 2; k++) td_collision_centre(c, i, p->end[k]);
}

static void add_capsule(td_model *m, const td_collision_spec *c, int frame) {
  td_proxy *p = &m->proxy[m->proxy_count++];
  *p = (td_proxy){.frame = {frame, frame}, .radius = td_collision_radius(c), .weight = 1};
  for (size_t i = 0; i < 2; i++) td_collision_centre(c, i, p->end[i]);
}

// Points on an edge between its ends, for what is so thin: where edges cross or faces overlap without a corner, they
// meet the other.
static double points_asked(double length, double thin) { return ceil(2 * length / thin) - 1; }
static int points_between(double length, double thin, int least) {
  return (int)fmin(MOST_EDGE_POINTS, fmax(least, points_asked(length, thin)));
}

static void add_edge(td_model *m, const double a[3], const double b[3], const edges *e) {
  double way[3];
  for (int k = 0; k < 3; k++) way[k] = b[k] - a[k];
  int points = points_between(sqrt(td_vec3_dot(way, way)), e->thin, e->least);
  for (int n = 1; n <= points; n++) {
    double x = (double)n / (points + 1);
    td_proxy *p = &m->proxy[m->proxy_count++];
    *p = (td_proxy){
        .role = TD_PROXY_CORNER, .frame = {e->frame, e->frame}, .ball = true, .radius = e->radius, .weight = 1};
    for (int k = 0; k < 3; k++) p->end[0][k] = p->end[1][k] = (1 - x) * a[k] + x * b[k];
  }
}

static void add_edges(td_model *m, const td_collision_spec *c, const edges *e) {
  double end[2][3];
  for (size_t i = 0; i < 8; i++)
    for (size_t bit = 1; bit < 8; bit *= 2) {
      if (i & bit) continue;
      td_collision_centre(c, i, end[0]);
      td_collision_centre(c, i | bit, end[1]);
      add_edge(m, end[0], end[1], e);
    }
}

// Its points and faces, and points on its edges.
static td_status add_mesh(td_model *m, const td_collision_spec *c, const edges *e, td_core *core) {
  td_mesh mesh;
  double(*point)[3] = td_block_alloc(&m->blocks, c->point_count, sizeof *point);
  bool found = td_mesh_of((const double(*)[3])c->points, (int)c->point_count, &mesh);
  assert(found);
  (void)found;
  td_core_face *face = td_block_alloc(&m->blocks, (size_t)mesh.face_count, sizeof *face);
  td_core_edge *edge = td_block_alloc(&m->blocks, (size_t)mesh.edge_count, sizeof *edge);
  int *corner = td_block_alloc(&m->blocks, (size_t)mesh.corner_count, sizeof *corner);
  if (!point || !face || !edge || !corner) return TD_NO_MEMORY;
  memcpy(point, c->points, c->point_count * sizeof *point);
  memcpy(face, mesh.face, (size_t)mesh.face_count * sizeof *face);
  memcpy(edge, mesh.edge, (size_t)mesh.edge_count * sizeof *edge);
  memcpy(corner, mesh.corner, (size_t)mesh.corner_count * sizeof *corner);
  core->point = (const double(*)[3])point;
  core->face = face, core->face_count = mesh.face_count;
  core->edge = edge, core->edge_count = mesh.edge_count;
  core->corner = corner;
  for (int i = 0; i < mesh.edge_count; i++) {
    double end[2][3];
    for (int k = 0; k < 2; k++) td_collision_centre(c, (size_t)mesh.edge[i].point[k], end[k]);
    add_edge(m, end[0], end[1], e);
  }
  return TD_OK;
}

// Of a cylinder that is longer than wide.
static void add_spine(td_model *m, const td_collision_spec *c, int frame) {
  double half = 0.5 * c->length - c->radius, axis = sqrt(td_vec3_dot(c->axis, c->axis)), turned[3];
  if (!(half > 0)) return;
  td_proxy *p = &m->proxy[m->proxy_count++];
  *p = (td_proxy){.role = TD_PROXY_SPINE, .frame = {frame, frame}, .radius = c->radius, .weight = 1};
  td_mat3_vec(c->pose.R, c->axis, turned);
  for (int i = 0; i < 2; i++)
    for (int k = 0; k < 3; k++) p->end[i][k] = c->pose.p[k] + (i ? half : -half) / axis * turned[k];
}

// Corners lie in the core: those of a box that is sharp are moved in as far as its rounding reaches.
static td_status add_core(td_model *m, const td_collision_spec *c, int frame, double thin) {
  td_collision_spec inset = *c;
  td_core *core = &m->core[m->core_count];
  bool found = td_collision_core(c, core);
  assert(found);
  (void)found;
  inset.rounding = core->rounding;
  m->proxy[m->proxy_count++] = (td_proxy){.role = TD_PROXY_CORE,
                                          .frame = {frame, frame},
                                          .ball = true,
                                          .radius = core->rounding,
                                          .weight = 1,
                                          .core = m->core_count++};
  for (size_t i = 0; i < td_collision_count(c); i++) add_ball(m, &inset, i, frame, TD_PROXY_CORNER, core->rounding);
  const int least = c->shape == TD_COLLISION_BOX ? BOX_EDGE_POINTS : MESH_EDGE_POINTS;
  const edges e = {frame, least, core->rounding, thin};
  if (c->shape == TD_COLLISION_BOX) add_edges(m, &inset, &e);
  if (c->shape == TD_COLLISION_CYLINDER) add_spine(m, c, frame);
  return c->shape == TD_COLLISION_MESH ? add_mesh(m, c, &e, core) : TD_OK;
}

static td_status add_rigid(td_model *m, int link, const td_collision_spec *c, bool points, double thin) {
  int frame = frame_of(m, m->link[link].node);
  td_core core;
  if (td_collision_core(c, &core)) return add_core(m, c, frame, thin);
  if (td_collision_count(c) == 1) {
    add_ball(m, c, 0, frame, TD_PROXY_BALL, td_collision_radius(c));
    return TD_OK;
  }
  add_capsule(m, c, frame);
  for (size_t i = 0; points && i < 2; i++) add_ball(m, c, i, frame, TD_PROXY_POINT, td_collision_radius(c));
  return TD_OK;
}

// ---- all

static bool has_core(const td_model_spec *spec, int link) {
  const td_body_spec *body = &spec->links[link].body;
  td_collision_spec c;
  td_core core;
  return body->type == TD_BODY_RIGID && td_collision_of(&body->rigid, &c) && td_collision_core(&c, &core);
}

static bool any_has_core(const td_model_spec *spec, const char *const *links, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (has_core(spec, td_spec_link_find(spec, spec->link_count, links[i]))) return true;
  return false;
}

static bool is_among(const char *const *links, size_t count, const char *name) {
  for (size_t i = 0; i < count; i++)
    if (!strcmp(links[i], name)) return true;
  return false;
}

static bool meets_core(const td_model_spec *spec, int link) {
  const char *name = spec->links[link].name;
  for (size_t i = 0; i < spec->contact_count; i++) {
    const td_contact_spec *c = &spec->contacts[i];
    if (c->type != TD_CONTACT_PAIR) continue;
    if (is_among(c->a, c->a_count, name) && any_has_core(spec, c->b, c->b_count)) return true;
    if (is_among(c->b, c->b_count, name) && any_has_core(spec, c->a, c->a_count)) return true;
  }
  return false;
}

// What a link measures where it is thinnest, m.
static double thinnest(const td_model *m, const td_model_spec *spec, int link) {
  const td_body_spec *body = &spec->links[link].body;
  td_collision_spec c;
  double least = INFINITY;
  if (body->type == TD_BODY_RIGID) return td_collision_of(&body->rigid, &c) ? 2 * td_collision_half(&c) : INFINITY;
  const td_rod *rod = &m->rod[m->link[link].rod];
  for (int k = 0; k < rod->point_count; k++) least = fmin(least, 2 * radius_at(rod, k));
  return least;
}

static double thinnest_among(const td_model *m, const td_model_spec *spec, const char *const *links, size_t count) {
  double least = INFINITY;
  for (size_t i = 0; i < count; i++)
    least = fmin(least, thinnest(m, spec, td_spec_link_find(spec, spec->link_count, links[i])));
  return least;
}

// The same of all that a link touches.
static double thinnest_met(const td_model *m, const td_model_spec *spec, int link) {
  const char *name = spec->links[link].name;
  double least = INFINITY;
  for (size_t i = 0; i < spec->contact_count; i++) {
    const td_contact_spec *c = &spec->contacts[i];
    if (c->type != TD_CONTACT_PAIR) continue;
    if (is_among(c->a, c->a_count, name)) least = fmin(least, thinnest_among(m, spec, c->b, c->b_count));
    if (is_among(c->b, c->b_count, name)) least = fmin(least, thinnest_among(m, spec, c->a, c->a_count));
  }
  return least;
}

// At the most.
static int proxies_of_core(const td_collision_spec *c, const td_core *core, double thin) {
  int count = 2 + (int)td_collision_count(c);
  if (c->shape == TD_COLLISION_MESH) return count + TD_MESH_EDGES * MOST_EDGE_POINTS;
  for (int k = 0; k < 3 && c->shape == TD_COLLISION_BOX; k++)
    count += 4 * points_between(2 * core->half[k], thin, BOX_EDGE_POINTS);
  return count;
}

static int proxies_of(const td_model *m, const td_model_spec *spec, int link) {
  const td_body_spec *body = &spec->links[link].body;
  td_collision_spec c;
  td_core core;
  if (body->type != TD_BODY_RIGID) return 3 * m->rod[m->link[link].rod].point_count;
  if (!td_collision_of(&body->rigid, &c)) return 0;
  return td_collision_core(&c, &core) ? proxies_of_core(&c, &core, thinnest_met(m, spec, link)) : 3;
}

static void warn_of_thin(td_model *m, const td_collision_spec *c, int link, double thin) {
  td_core core;
  char pointer[64];
  if (!td_collision_core(c, &core) || c->shape == TD_COLLISION_CYLINDER) return;
  double longest = 2 * fmax(core.half[0], fmax(core.half[1], core.half[2]));
  if (points_asked(longest, thin) <= MOST_EDGE_POINTS) return;
  snprintf(pointer, sizeof pointer, "/links/%d/body", link);
  td_warn(
      &m->warnings, "coarse_contact", pointer,
      "the edges of \"%s\", up to %.3g m long, touch at %d points each, %.3g m apart: what is %.3g m thin may pass or "
      "sink in between them",
      td_model_link_name(m, link), longest, MOST_EDGE_POINTS, longest / (MOST_EDGE_POINTS + 1), thin);
}

static td_status add_solid(td_model *m, const td_model_spec *spec, int link) {
  const td_body_spec *body = &spec->links[link].body;
  td_solid *s = &m->solid[m->solid_count++];
  td_collision_spec c;
  td_status status = TD_OK;
  bool points = meets_core(spec, link);
  *s = (td_solid){.link = link, .first = m->proxy_count};
  if (body->type != TD_BODY_RIGID)
    add_rod(m, &m->rod[m->link[link].rod], points);
  else if (td_collision_of(&body->rigid, &c)) {
    double thin = thinnest_met(m, spec, link);
    status = add_rigid(m, link, &c, points, thin);
    warn_of_thin(m, &c, link, thin);
  }
  s->count = m->proxy_count - s->first;
  return status;
}

static int solid_of(const td_model *m, const char *name) {
  for (int i = 0; i < m->solid_count; i++)
    if (!strcmp(m->link[m->solid[i].link].name, name)) return i;
  assert(false);
  return 0;
}

static double apart_of(const td_model *m, const td_contact_spec *c, int solid) {
  double radius = 0;
  if (c->apart > 0) return c->apart;
  for (int i = 0; i < m->solid[solid].count; i++) radius = fmax(radius, m->proxy[m->solid[solid].first + i].radius);
  return TD_SELF_APART * radius;
}

static void add_pairs(td_model *m, const td_contact_spec *c, int contact) {
  if (c->type == TD_CONTACT_SELF) {
    int solid = solid_of(m, c->a[0]);
    m->solid_pair[m->solid_pair_count++] =
        (td_solid_pair){.contact = contact, .a = solid, .b = solid, .apart = apart_of(m, c, solid)};
    return;
  }
  for (size_t i = 0; i < c->a_count; i++)
    for (size_t k = 0; k < c->b_count; k++)
      m->solid_pair[m->solid_pair_count++] =
          (td_solid_pair){.contact = contact, .a = solid_of(m, c->a[i]), .b = solid_of(m, c->b[k])};
}

td_status td_build_pairs(td_model *m, const td_model_spec *spec) {
  size_t solids = 0, proxies = 0, pairs = (size_t)count_pairs(spec);
  if (pairs == 0) return TD_OK;
  for (int i = 0; i < m->link_count; i++)
    if (is_named(spec, i)) solids++, proxies += (size_t)proxies_of(m, spec, i);
  m->proxy = td_block_alloc(&m->blocks, proxies, sizeof *m->proxy);
  m->proxy_frame = td_block_alloc(&m->blocks, proxies, sizeof *m->proxy_frame);
  m->core = td_block_alloc(&m->blocks, solids, sizeof *m->core);
  m->solid = td_block_alloc(&m->blocks, solids, sizeof *m->solid);
  m->solid_pair = td_block_alloc(&m->blocks, pairs, sizeof *m->solid_pair);
  if (!m->proxy || !m->proxy_frame || !m->core || !m->solid || !m->solid_pair) return TD_NO_MEMORY;
  for (int i = 0; i < m->link_count; i++)
    if (is_named(spec, i) && add_solid(m, spec, i)) return TD_NO_MEMORY;
  for (size_t i = 0; i < spec->contact_count; i++)
    if (is_mutual(&spec->contacts[i])) add_pairs(m, &spec->contacts[i], (int)i);
  return TD_OK;
}

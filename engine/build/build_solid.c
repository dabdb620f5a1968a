// What of one body or obstacle touches others: a capsule between any two computational points of a rod, of their mean
// radius, with a joining point of weight -1 between any two capsules; a rigid body's `collision` and an obstacle's shape,
// a ball, a capsule, a line without end, or a core with its corners. What touches cores has points for them: a rod's
// computational points, the ends of a capsule. Edges have points as close together as what may cross them is thin, twice
// over.
#include "build/build_solid.h"
#include "element/mesh.h"
#include "lie/vec3.h"
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static int frame_of(td_model *m, int node) {
  m->proxy_frame[m->proxy_frame_count] = (td_loop_frame){.node = node};
  return m->proxy_frame_count++;
}

// ---- rods

double td_solid_rod_radius(const td_rod *rod, int k) {
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
void td_solid_add_rod(td_model *m, const td_rod *rod, bool points) {
  int first = m->proxy_frame_count;
  td_proxy *capsule = m->proxy + m->proxy_count;
  for (int k = 0; k < rod->point_count; k++) (void)frame_of(m, rod->point_node[k]);
  for (int k = 0; k + 1 < rod->point_count; k++)
    m->proxy[m->proxy_count++] =
        (td_proxy){.frame = {first + k, first + k + 1},
                   .radius = 0.5 * (td_solid_rod_radius(rod, k) + td_solid_rod_radius(rod, k + 1)),
                   .weight = 1,
                   .from = rod->length * rod->abscissa[k],
                   .to = rod->length * rod->abscissa[k + 1]};
  for (int k = 1; k + 1 < rod->point_count; k++)
    m->proxy[m->proxy_count++] = (td_proxy){.frame = {first + k, first + k},
                                            .ball = true,
                                            .radius = td_solid_rod_radius(rod, k),
                                            .weight = -1,
                                            .from = rod->length * rod->abscissa[k - 1],
                                            .to = rod->length * rod->abscissa[k + 1]};
  for (int k = 1; k + 1 < rod->point_count; k++)
    for (int end = 0; end < 2; end++) join(capsule + k - end, end, capsule + rod->point_count - 2 + k);
  for (int k = 0; points && k < rod->point_count; k++)
    m->proxy[m->proxy_count++] = (td_proxy){.role = TD_PROXY_POINT,
                                            .frame = {first + k, first + k},
                                            .ball = true,
                                            .radius = td_solid_rod_radius(rod, k),
                                            .weight = 1};
}

// ---- rigid bodies, and obstacles of a shape

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

td_status td_solid_add_shape(td_model *m, int node, const td_collision_spec *c, bool points, double thin) {
  int frame = frame_of(m, node);
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

void td_solid_add_line(td_model *m, const td_obstacle *o) {
  int frame = frame_of(m, 0);
  td_proxy *p = &m->proxy[m->proxy_count++];
  *p = (td_proxy){.frame = {frame, frame}, .ball = true, .radius = o->radius, .weight = 1, .line = true};
  for (int k = 0; k < 3; k++) p->end[0][k] = p->end[1][k] = o->origin[k], p->along[k] = o->axis[k];
}

// ---- how much there is

// At the most.
static int count_core(const td_collision_spec *c, const td_core *core, double thin) {
  int count = 2 + (int)td_collision_count(c);
  if (c->shape == TD_COLLISION_MESH) return count + TD_MESH_EDGES * MOST_EDGE_POINTS;
  for (int k = 0; k < 3 && c->shape == TD_COLLISION_BOX; k++)
    count += 4 * points_between(2 * core->half[k], thin, BOX_EDGE_POINTS);
  return count;
}

int td_solid_proxies(const td_collision_spec *c, double thin) {
  td_core core;
  return td_collision_core(c, &core) ? count_core(c, &core, thin) : 3;
}

void td_solid_warn_of_thin(td_model *m, const td_collision_spec *c, int link, double thin) {
  td_core core;
  char pointer[64], name[TD_MAX_NAME + 8];
  if (!td_collision_core(c, &core) || c->shape == TD_COLLISION_CYLINDER) return;
  double longest = 2 * fmax(core.half[0], fmax(core.half[1], core.half[2]));
  if (points_asked(longest, thin) <= MOST_EDGE_POINTS) return;
  snprintf(pointer, sizeof pointer, link < 0 ? "/contacts/%d" : "/links/%d/body", link < 0 ? -1 - link : link);
  if (link < 0)
    snprintf(name, sizeof name, "the box");
  else
    snprintf(name, sizeof name, "\"%.63s\"", td_model_link_name(m, link));
  td_warn(&m->warnings, "coarse_contact", pointer,
          "the edges of %s, up to %.3g m long, touch at %d points each, %.3g m apart: what is %.3g m thin may pass or "
          "sink in between them",
          name, longest, MOST_EDGE_POINTS, longest / (MOST_EDGE_POINTS + 1), thin);
}

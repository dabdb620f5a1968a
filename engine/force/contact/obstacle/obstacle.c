// Contact of points of bodies with obstacles (element/contact.c), in the world frame: of rods the computational points,
// of rigid bodies the spheres whose hull they are (element/collision.h).
//
// A force f at p, fixed in the world, with slope S = df/dp:  F -= (p x f, f),  N of such a force, less P^T S P with P =
// [-p^, 1].
// Source: Mathew2025 (57)-(61), with the corrections of the signs (engine/README.md).
#include "force/contact/obstacle/obstacle.h"
#include "element/collision.h"
#include "element/rigid_shape.h"
#include "force/contact/bristle.h"
#include "force/force_table.h"
#include "force/world_map.h"
#include "lie/vec3.h"
#include "model/block.h"
#include "pass/composite.h"
#include "tendril/dynamics.h"
#include <assert.h>
#include <math.h>
#include <string.h>

bool td_contact_rim(const td_workspace *ws, const td_contact *c, int i, td_rim *rim) {
  const td_contact_point *p = &c->point[i];
  if (!(p->ring > 0)) return false;
  td_rim_at(ws->pose[p->node].R, p->axis, p->ring, p->quarter, c->obstacle.axis, rim);
  return true;
}

void td_contact_place(const td_workspace *ws, const td_contact *c, int i, double place[3]) {
  const td_contact_point *point = &c->point[i];
  const td_se3 *pose = &ws->pose[point->node];
  td_rim rim;
  double way[3];
  memcpy(place, pose->p, sizeof pose->p);
  if (td_contact_on_rod(point)) return;
  td_mat3_vec(pose->R, point->offset, way);
  for (int k = 0; k < 3; k++) place[k] += way[k];
  if (!td_contact_rim(ws, c, i, &rim)) return;
  td_rim_offset(&rim, way);
  for (int k = 0; k < 3; k++) place[k] += way[k];
}

// What a force at p loses, beside what one at a point of the body does, as its point goes round the rim: that goes by o
// where the plane turns by b, seen from the body.
static void add_round(const td_rim *rim, const td_obstacle *o, const td_touch *touch, const double p[3], double *N) {
  double G[TD_MATRIX6] = {0}, steep[3];
  td_mat3_vec(touch->slope, o->axis, steep); // -df/dd n
  for (int b = 0; b < 3; b++) {
    double unit[3] = {0}, turned[3], way[3], moment[3];
    unit[b] = 1;
    td_vec3_cross(unit, o->axis, turned);
    td_rim_turn(rim, turned, way);
    td_vec3_cross(way, touch->force, moment);
    for (int k = 0; k < 3; k++) G[6 * k + b] = moment[k], G[6 * (3 + k) + b] = td_vec3_dot(o->axis, way) * steep[k];
  }
  td_add_body_map(G, p, N);
}

int td_contact_link(const td_model *m, const td_contact_point *point) {
  return td_contact_on_rod(point) ? m->rod[point->rod].link : -1 - point->rod;
}

// Of point i at `place`. kinks: those of its points in td_workspace.kinks, NULL.
static void touch_at(const td_workspace *ws, const td_contact *c, int i, const double place[3], const double *kinks,
                     td_touch *touch) {
  double centre[3];
  for (int k = 0; k < 3; k++) centre[k] = place[k] + ws->origin[k];
  if (kinks)
    td_touch_about(&c->obstacle, centre, c->point[i].radius, kinks[i], touch);
  else
    td_touch_at(&c->obstacle, centre, c->point[i].radius, touch);
  double share = c->point[i].share;
  touch->potential *= share;
  for (int k = 0; k < 3; k++) touch->force[k] *= share;
  for (int k = 0; k < 9; k++) touch->slope[k] *= share;
}

const double *td_contact_kinks(const td_model *m, const td_workspace *ws, int contact) {
  if (!ws->kinks) return NULL;
  const double *at = ws->kinks;
  for (int c = 0; c < contact; c++) at += m->contact[c].point_count;
  return at;
}

static void add_to_nodes(td_workspace *ws, const td_contact *c, const double *kinks, td_composite_level level) {
  static const double ZERO[3] = {0};
  for (int i = 0; i < c->point_count; i++) {
    int node = c->point[i].node;
    double p[3];
    td_touch touch;
    td_rim rim;
    td_contact_place(ws, c, i, p);
    touch_at(ws, c, i, p, kinks, &touch);
    if (!touch.pressed) continue;
    td_composite_apply(&ws->composite[node], ZERO, touch.force, p);
    if (level < TD_COMPOSITE_ALL) continue;
    if (td_contact_rim(ws, c, i, &rim)) add_round(&rim, &c->obstacle, &touch, p, ws->full[node].N);
    for (int k = 0; k < 9; k++) touch.slope[k] = -touch.slope[k];
    td_add_point_map(touch.slope, p, ws->full[node].N);
  }
}

static void on_nodes(const td_model *m, td_workspace *ws, const td_force_pass *pass) {
  assert(ws->full && pass->level != TD_COMPOSITE_MASS);
  for (int i = 0; i < m->contact_count; i++) add_to_nodes(ws, &m->contact[i], td_contact_kinks(m, ws, i), pass->level);
}

void td_contact_sight(const td_model *m, const td_workspace *ws, int contact, int i, td_sighting *sighting) {
  const td_contact *c = &m->contact[contact];
  double p[3];
  td_touch touch;
  assert(contact < m->contact_count && i < c->point_count);
  td_contact_place(ws, c, i, p);
  for (int k = 0; k < 3; k++) sighting->centre[k] = p[k] + ws->origin[k];
  td_point_velocity(ws, c->point[i].node, p, sighting->velocity);
  touch_at(ws, c, i, p, NULL, &touch);
  sighting->depth = touch.depth;
  sighting->energy = touch.potential;
  double push = touch.pressed ? sqrt(td_vec3_dot(touch.force, touch.force)) : 0;
  sighting->rate = push > 0 ? -td_vec3_dot(touch.force, sighting->velocity) / push : 0;
}

double td_contact_depth(const td_model *m, const td_workspace *ws, int contact, int i) {
  double p[3];
  td_touch touch;
  assert(contact < m->contact_count && i < m->contact[contact].point_count);
  td_contact_place(ws, &m->contact[contact], i, p);
  touch_at(ws, &m->contact[contact], i, p, NULL, &touch);
  return touch.depth;
}

static void add_energy(const td_model *m, td_workspace *ws, const double *q, const double *u, td_energy *energy) {
  double sum = 0;
  (void)q, (void)u;
  for (int c = 0; c < m->contact_count; c++)
    for (int i = 0; i < m->contact[c].point_count; i++) {
      double p[3];
      td_touch touch;
      td_contact_place(ws, &m->contact[c], i, p);
      touch_at(ws, &m->contact[c], i, p, td_contact_kinks(m, ws, c), &touch);
      sum += touch.potential;
    }
  energy->contact += sum;
}

// ---- what it acts on: the computational points of rods, spheres of the section's radius; those of bodies that are
// named

static bool is_named(const td_contact_spec *c, const char *link) {
  for (size_t i = 0; i < c->link_count; i++)
    if (!strcmp(c->links[i], link)) return true;
  return false;
}

// Half the distance of the neighbours: the shares add up to the length and none is 0, at base, boundaries and tip
// either (Gauss weights vanish there).
static double length_around(const td_rod *rod, int k) {
  const double *s = rod->abscissa;
  double before = k > 0 ? s[k] - s[k - 1] : 0, after = k + 1 < rod->point_count ? s[k + 1] - s[k] : 0;
  return 0.5 * (before + after) * rod->length;
}

// What points of another number of the same rod, of 1 each over the length they stand for, are on that of point k. Its
// ends stay what they are: what stands on an end touches with it alone, whatever the number of points.
static double spread_around(const td_rod *rod, const td_rod *other, int k) {
  const double *s = rod->abscissa, *x = other->abscissa;
  int last = rod->point_count - 1, end = other->point_count - 1;
  double sum = 0;
  if (k == 0 || k == last) return 1;
  for (int i = 1; i < end; i++) {
    double a = 0.5 * (x[i - 1] + x[i]), b = 0.5 * (x[i] + x[i + 1]);
    double from = k > 1 ? 0.5 * (s[k - 1] + s[k]) : s[0], to = k < last - 1 ? 0.5 * (s[k] + s[k + 1]) : s[last];
    double shared = fmin(b, to) - fmax(a, from);
    if (shared > 0) sum += shared / (b - a);
  }
  return sum;
}

static double share_of(const td_rod *rod, const td_rod *other, td_contact_per per, int k) {
  if (per == TD_CONTACT_PER_LENGTH) return length_around(rod, k);
  return other ? spread_around(rod, other, k) : 1;
}

static void add_points(const td_model *m, int index, td_contact_per per, const td_model *spread, td_contact *contact) {
  const td_rod *other = spread ? &spread->rod[index] : NULL;
  const td_rod *rod = &m->rod[index];
  td_contact_point *point = (td_contact_point *)contact->point;
  for (int k = 0; k < rod->point_count; k++) {
    td_section_at at;
    td_section_eval(rod->outline, rod->abscissa[k], &at);
    point[contact->point_count++] = (td_contact_point){.node = rod->point_node[k],
                                                       .rod = index,
                                                       .radius = at.radius,
                                                       .share = share_of(rod, other, per, k),
                                                       .half = at.radius};
  }
}

// A reduced body whose sections are rigid.
static void add_backbone(const td_model *m, int link, td_contact *contact) {
  const td_rod *rod = &m->rod[m->link[link].rod];
  td_contact_point *point = (td_contact_point *)contact->point;
  for (int k = 0; k < rod->point_count; k++) {
    td_section_at at;
    td_section_eval(rod->outline, rod->abscissa[k], &at);
    point[contact->point_count++] = (td_contact_point){
        .node = rod->point_node[k], .rod = -1 - link, .radius = at.radius, .share = 1, .half = at.radius};
  }
}

// Of a cylinder before a plane.
static void add_rims(const td_model *m, int link, const td_collision_spec *c, td_contact *contact) {
  td_contact_point *point = (td_contact_point *)contact->point;
  double unit[3], e[2][3];
  td_axis_plane(c->axis, unit, e[0], e[1]);
  for (int k = 0; k < 2 * TD_RIM_QUARTERS; k++) {
    td_contact_point *p = &point[contact->point_count++];
    double up = (k < TD_RIM_QUARTERS ? 1 : -1) * (0.5 * c->length - c->rounding);
    *p = (td_contact_point){.node = m->link[link].node, .rod = -1 - link, .share = 1, .quarter = k % TD_RIM_QUARTERS};
    p->radius = td_collision_radius(c);
    p->half = td_collision_half(c);
    p->ring = c->radius - c->rounding;
    td_mat3_vec(c->pose.R, unit, p->axis);
    for (int i = 0; i < 3; i++) p->offset[i] = c->pose.p[i] + up * p->axis[i];
  }
}

static void add_spheres(const td_model *m, int link, const td_collision_spec *c, td_contact *contact) {
  td_contact_point *point = (td_contact_point *)contact->point;
  for (size_t k = 0; k < td_collision_count(c); k++) {
    td_contact_point *p = &point[contact->point_count++];
    *p = (td_contact_point){.node = m->link[link].node, .rod = -1 - link, .share = 1};
    p->radius = td_collision_radius(c);
    p->half = td_collision_half(c);
    td_collision_centre(c, k, p->offset);
  }
}

static void add_body(const td_model *m, const td_model_spec *spec, int link, td_contact *contact) {
  const td_body_spec *body = &spec->links[link].body;
  td_collision_spec c;
  if (body->type == TD_BODY_REDUCED) add_backbone(m, link, contact);
  if (body->type == TD_BODY_RIGID && td_collision_of(&body->rigid, &c) &&
      !td_collision_by_shape(body, contact->obstacle.type)) // pair.c
    (c.shape == TD_COLLISION_CYLINDER && contact->obstacle.type == TD_CONTACT_PLANE ? add_rims : add_spheres)(
        m, link, &c, contact);
}

// Points of all that a contact may touch, at the most.
static int count_points(const td_model *m, const td_model_spec *spec) {
  int points = 0;
  for (int r = 0; r < m->rod_count; r++) points += m->rod[r].point_count;
  for (size_t i = 0; i < spec->link_count; i++) {
    const td_body_spec *body = &spec->links[i].body;
    td_collision_spec c;
    if (body->type == TD_BODY_RIGID && td_collision_of(&body->rigid, &c)) points += (int)td_collision_count(&c);
  }
  return points;
}

static td_status build_one(td_model *m, const td_model_spec *robot, const td_contact_spec *spec, int points) {
  td_contact *contact = &m->contact[m->contact_count++];
  bool all = spec->link_count == 0;
  td_obstacle_of(spec, &contact->obstacle);
  td_rubbing_of(spec, &contact->rubbing);
  contact->point = td_block_alloc(&m->blocks, (size_t)points, sizeof(td_contact_point));
  if (!contact->point) return TD_NO_MEMORY;
  if (td_contact_is_mutual(spec->type)) return TD_OK; // of bodies (pair/pair.c)
  for (int r = 0; r < m->rod_count; r++)
    if (m->rod[r].basis && (all || is_named(spec, m->link[m->rod[r].link].name)))
      add_points(m, r, spec->per, robot->spread, contact);
  for (int i = 0; i < m->link_count; i++)
    if (is_named(spec, m->link[i].name)) add_body(m, robot, i, contact);
  return TD_OK;
}

static td_status build(td_model *m, const td_model_spec *spec) {
  int points = spec->contact_count ? count_points(m, spec) : 0;
  td_status status = TD_OK;
  assert(!m->contact && m->contact_count == 0); // once
  m->contact = td_block_alloc(&m->blocks, spec->contact_count, sizeof *m->contact);
  if (!m->contact) return TD_NO_MEMORY;
  for (size_t i = 0; i < spec->contact_count && !status; i++) status = build_one(m, spec, &spec->contacts[i], points);
  if (!status) td_bristles_number(m);
  return status;
}

static unsigned acts(const td_model *m) {
  for (int i = 0; i < m->contact_count; i++)
    if (m->contact[i].point_count > 0) return TD_ACTS_BY_MAPS;
  return 0;
}

const td_force td_force_contact = {.name = "contact",
                                   .build = build,
                                   .acts = acts,
                                   .kind = TD_FORCE_CONTACT,
                                   .on_nodes = on_nodes,
                                   .energy = add_energy};

// Which solids may touch each other (build_solid.c): links that a contact names, and obstacles that stand before bodies
// which touch them by their shapes, as solids of the world (td_collision_by_shape).
//
// Solids are made once for all contacts that name their link. Frames of proxies are laid out before the topology is, so
// that the columns of their nodes are kept.
#include "build/build.h"
#include "build/build_solid.h"
#include "spec/check/checks.h"
#include <assert.h>
#include <math.h>
#include <string.h>

static bool is_mutual(const td_contact_spec *c) { return td_contact_is_mutual(c->type); }

static bool is_among(const char *const *links, size_t count, const char *name) {
  for (size_t i = 0; i < count; i++)
    if (!strcmp(links[i], name)) return true;
  return false;
}

// A link before an obstacle.
static bool by_shape(const td_model_spec *spec, const td_contact_spec *c, int link) {
  return td_collision_by_shape(&spec->links[link].body, c->type) &&
         is_among(c->links, c->link_count, spec->links[link].name);
}

static size_t count_by_shape(const td_model_spec *spec, const td_contact_spec *c) {
  size_t count = 0;
  for (size_t i = 0; i < spec->link_count; i++) count += by_shape(spec, c, (int)i);
  return count;
}

static bool is_named(const td_model_spec *spec, int link) {
  const char *name = spec->links[link].name;
  for (size_t i = 0; i < spec->contact_count; i++) {
    const td_contact_spec *c = &spec->contacts[i];
    if (by_shape(spec, c, link)) return true;
    if (is_mutual(c) && (is_among(c->a, c->a_count, name) || is_among(c->b, c->b_count, name))) return true;
  }
  return false;
}

static size_t count_pairs(const td_model_spec *spec) {
  size_t count = 0;
  for (size_t i = 0; i < spec->contact_count; i++) {
    const td_contact_spec *c = &spec->contacts[i];
    count += c->type == TD_CONTACT_SELF ? 1 : is_mutual(c) ? c->a_count * c->b_count : count_by_shape(spec, c);
  }
  return count;
}

// ---- obstacles

// Of a sphere and a box.
static td_collision_spec shape_of(const td_contact_spec *c) {
  td_collision_spec shape = {.pose = c->pose, .radius = c->radius, .rounding = c->rounding};
  shape.shape = c->type == TD_CONTACT_BOX ? TD_COLLISION_BOX : TD_COLLISION_SPHERE;
  memcpy(shape.size, c->size, sizeof shape.size);
  return shape;
}

// How close together points of edges must be that it crosses, m: a ball meets whole bodies.
static double thinnest_of(const td_contact_spec *c) {
  td_collision_spec shape = shape_of(c);
  return c->type == TD_CONTACT_BOX                 ? 2 * td_collision_half(&shape)
         : c->type == TD_CONTACT_CYLINDER_EXTERIOR ? 2 * c->radius
                                                   : INFINITY;
}

// ---- what a link meets

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

static bool meets_core(const td_model_spec *spec, int link) {
  const char *name = spec->links[link].name;
  for (size_t i = 0; i < spec->contact_count; i++) {
    const td_contact_spec *c = &spec->contacts[i];
    if (c->type == TD_CONTACT_BOX && by_shape(spec, c, link)) return true;
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
  for (int k = 0; k < rod->point_count; k++) least = fmin(least, 2 * td_solid_rod_radius(rod, k));
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
    if (by_shape(spec, c, link)) least = fmin(least, thinnest_of(c));
    if (c->type != TD_CONTACT_PAIR) continue;
    if (is_among(c->a, c->a_count, name)) least = fmin(least, thinnest_among(m, spec, c->b, c->b_count));
    if (is_among(c->b, c->b_count, name)) least = fmin(least, thinnest_among(m, spec, c->a, c->a_count));
  }
  return least;
}

// The same of all that an obstacle meets by their shapes.
static double thinnest_before(const td_model *m, const td_model_spec *spec, const td_contact_spec *c) {
  double least = INFINITY;
  for (int i = 0; i < m->link_count; i++)
    if (by_shape(spec, c, i)) least = fmin(least, thinnest(m, spec, i));
  return least;
}

// ---- all

static int proxies_of(const td_model *m, const td_model_spec *spec, int link) {
  const td_body_spec *body = &spec->links[link].body;
  td_collision_spec c;
  if (body->type != TD_BODY_RIGID) return 3 * m->rod[m->link[link].rod].point_count;
  return td_collision_of(&body->rigid, &c) ? td_solid_proxies(&c, thinnest_met(m, spec, link)) : 0;
}

static td_status add_solid(td_model *m, const td_model_spec *spec, int link) {
  const td_body_spec *body = &spec->links[link].body;
  td_solid *s = &m->solid[m->solid_count++];
  td_collision_spec c;
  td_status status = TD_OK;
  bool points = meets_core(spec, link);
  *s = (td_solid){.link = link, .first = m->proxy_count};
  if (body->type != TD_BODY_RIGID)
    td_solid_add_rod(m, &m->rod[m->link[link].rod], points);
  else if (td_collision_of(&body->rigid, &c)) {
    double thin = thinnest_met(m, spec, link);
    status = td_solid_add_shape(m, m->link[link].node, &c, points, thin);
    td_solid_warn_of_thin(m, &c, link, thin);
  }
  s->count = m->proxy_count - s->first;
  return status;
}

static td_status add_obstacle(td_model *m, const td_model_spec *spec, int contact) {
  const td_contact_spec *c = &spec->contacts[contact];
  td_solid *s = &m->solid[m->solid_count++];
  td_status status = TD_OK;
  *s = (td_solid){.link = -1 - contact, .first = m->proxy_count};
  if (c->type == TD_CONTACT_CYLINDER_EXTERIOR) {
    td_obstacle o;
    td_obstacle_of(c, &o);
    td_solid_add_line(m, &o);
  } else {
    td_collision_spec shape = shape_of(c);
    double thin = thinnest_before(m, spec, c);
    status = td_solid_add_shape(m, 0, &shape, false, thin);
    td_solid_warn_of_thin(m, &shape, s->link, thin);
  }
  s->count = m->proxy_count - s->first;
  return status;
}

static int proxies_of_obstacle(const td_model *m, const td_model_spec *spec, const td_contact_spec *c) {
  td_collision_spec shape = shape_of(c);
  return c->type == TD_CONTACT_CYLINDER_EXTERIOR ? 1 : td_solid_proxies(&shape, thinnest_before(m, spec, c));
}

static int solid_of(const td_model *m, const char *name) {
  for (int i = 0; i < m->solid_count; i++)
    if (m->solid[i].link >= 0 && !strcmp(m->link[m->solid[i].link].name, name)) return i;
  assert(false);
  return 0;
}

static double apart_of(const td_model *m, const td_contact_spec *c, int solid) {
  double radius = 0;
  if (c->apart > 0) return c->apart;
  for (int i = 0; i < m->solid[solid].count; i++) radius = fmax(radius, m->proxy[m->solid[solid].first + i].radius);
  return TD_SELF_APART * radius;
}

static int solid_of_obstacle(const td_model *m, int contact) {
  int i = 0;
  while (m->solid[i].link != -1 - contact) i++;
  assert(i < m->solid_count);
  return i;
}

static void add_pair(td_model *m, int contact, int a, int b) {
  m->solid_pair[m->solid_pair_count++] = (td_solid_pair){.contact = contact, .a = a, .b = b};
}

static void add_pairs(td_model *m, const td_model_spec *spec, int contact) {
  const td_contact_spec *c = &spec->contacts[contact];
  if (c->type == TD_CONTACT_SELF) {
    int solid = solid_of(m, c->a[0]);
    add_pair(m, contact, solid, solid);
    m->solid_pair[m->solid_pair_count - 1].apart = apart_of(m, c, solid);
  }
  for (int i = 0; i < m->link_count; i++)
    if (by_shape(spec, c, i)) add_pair(m, contact, solid_of(m, spec->links[i].name), solid_of_obstacle(m, contact));
  for (size_t i = 0; i < c->a_count && c->type == TD_CONTACT_PAIR; i++)
    for (size_t k = 0; k < c->b_count; k++) add_pair(m, contact, solid_of(m, c->a[i]), solid_of(m, c->b[k]));
}

static td_status allocate(td_model *m, const td_model_spec *spec, size_t pairs) {
  size_t solids = 0, proxies = 0;
  for (int i = 0; i < m->link_count; i++)
    if (is_named(spec, i)) solids++, proxies += (size_t)proxies_of(m, spec, i);
  for (size_t i = 0; i < spec->contact_count; i++)
    if (count_by_shape(spec, &spec->contacts[i]))
      solids++, proxies += (size_t)proxies_of_obstacle(m, spec, &spec->contacts[i]);
  m->proxy = td_block_alloc(&m->blocks, proxies, sizeof *m->proxy);
  m->proxy_frame = td_block_alloc(&m->blocks, proxies, sizeof *m->proxy_frame);
  m->core = td_block_alloc(&m->blocks, solids, sizeof *m->core);
  m->solid = td_block_alloc(&m->blocks, solids, sizeof *m->solid);
  m->solid_pair = td_block_alloc(&m->blocks, pairs, sizeof *m->solid_pair);
  return m->proxy && m->proxy_frame && m->core && m->solid && m->solid_pair ? TD_OK : TD_NO_MEMORY;
}

td_status td_build_pairs(td_model *m, const td_model_spec *spec) {
  size_t pairs = count_pairs(spec);
  if (pairs == 0) return TD_OK;
  td_status status = allocate(m, spec, pairs);
  for (int i = 0; i < m->link_count && !status; i++)
    if (is_named(spec, i)) status = add_solid(m, spec, i);
  for (size_t i = 0; i < spec->contact_count && !status; i++)
    if (count_by_shape(spec, &spec->contacts[i])) status = add_obstacle(m, spec, (int)i);
  for (size_t i = 0; i < spec->contact_count && !status; i++) add_pairs(m, spec, (int)i);
  return status;
}

// What of bodies touches other bodies: a capsule between any two computational points of a rod, of their mean radius,
// with a joining point of weight -1 between any two capsules; a rigid body's `collision`, a ball or a capsule.
//
// Solids are made once for all contacts that name their link. Frames of proxies are laid out before the topology is, so
// that the columns of their nodes are kept.
#include "build/build.h"
#include "element/collision.h"
#include <assert.h>
#include <math.h>
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

// The point at which capsules join is a ball of the mean radius of the two: what touches both there does so with it.
static void add_rod(td_model *m, const td_rod *rod) {
  int first = m->proxy_frame_count;
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
}

// ---- rigid bodies

static void add_rigid(td_model *m, int link, const td_collision_spec *c) {
  int frame = frame_of(m, m->link[link].node);
  td_proxy *p = &m->proxy[m->proxy_count++];
  size_t count = td_collision_count(c);
  assert(count <= 2);
  *p = (td_proxy){.frame = {frame, frame}, .ball = count == 1, .radius = td_collision_radius(c), .weight = 1};
  for (size_t i = 0; i < 2; i++) td_collision_centre(c, i < count ? i : 0, p->end[i]);
}

// ---- all

static int proxies_of(const td_model *m, const td_model_spec *spec, int link) {
  return spec->links[link].body.type == TD_BODY_ROD ? 2 * m->rod[m->link[link].rod].point_count : 1;
}

static void add_solid(td_model *m, const td_model_spec *spec, int link) {
  const td_body_spec *body = &spec->links[link].body;
  td_solid *s = &m->solid[m->solid_count++];
  td_collision_spec c;
  *s = (td_solid){.link = link, .first = m->proxy_count};
  if (body->type == TD_BODY_ROD)
    add_rod(m, &m->rod[m->link[link].rod]);
  else if (td_collision_of(&body->rigid, &c))
    add_rigid(m, link, &c);
  s->count = m->proxy_count - s->first;
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
  m->solid = td_block_alloc(&m->blocks, solids, sizeof *m->solid);
  m->solid_pair = td_block_alloc(&m->blocks, pairs, sizeof *m->solid_pair);
  if (!m->proxy || !m->proxy_frame || !m->solid || !m->solid_pair) return TD_NO_MEMORY;
  for (int i = 0; i < m->link_count; i++)
    if (is_named(spec, i)) add_solid(m, spec, i);
  for (size_t i = 0; i < spec->contact_count; i++)
    if (is_mutual(&spec->contacts[i])) add_pairs(m, &spec->contacts[i], (int)i);
  return TD_OK;
}

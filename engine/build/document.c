// Deep copies of specs: every array and every text of the caller's becomes the model's.
//
// Each kind of part is copied as a whole, then its pointers are taken over one by one; a new member of spec.h that
// points to something needs a line here. Invariant: nothing in the copy points to memory of the caller.
#include "build/document.h"
#include <string.h>

typedef struct copier {
  td_block **blocks;
  bool failed;
} copier;

static void *copy_of(copier *c, const void *from, size_t count, size_t size) {
  if (!from || count == 0) return NULL;
  void *to = td_block_alloc(c->blocks, count, size);
  c->failed |= to == NULL;
  return to ? memcpy(to, from, count * size) : NULL;
}

// Takes over an array of `count` of the member that `pointer` is.
#define TAKE(pointer, count) ((pointer) = copy_of(c, (pointer), (count), sizeof *(pointer)))

static void take_text(copier *c, const char **text) {
  if (*text) *text = copy_of(c, *text, strlen(*text) + 1, 1);
}

static void take_texts(copier *c, const char **texts, size_t count) {
  for (size_t i = 0; i < count; i++) take_text(c, &texts[i]);
}

static void take_profile(copier *c, td_profile *p) {
  TAKE(p->s, p->count);
  TAKE(p->value, p->count * p->width);
}

static void take_numbers(copier *c, td_stiffness_spec *n) {
  for (int i = 0; i < 6; i++) take_profile(c, &n->stiffness[i]);
  take_profile(c, &n->mass);
  take_profile(c, &n->inertia);
  take_profile(c, &n->coupling);
  take_profile(c, &n->radius);
}

static void take_rod(copier *c, td_rod_spec *rod) {
  for (int i = 0; i < 2; i++) {
    take_profile(c, &rod->size[i]);
    take_profile(c, &rod->inner[i]);
  }
  take_profile(c, &rod->torsion_constant);
  take_profile(c, &rod->shear_correction);
  take_profile(c, &rod->damping);
  take_profile(c, &rod->reference);
  take_numbers(c, &rod->numbers);
  TAKE(rod->table_s, rod->table_count);
  for (int i = 0; i < 6; i++) TAKE(rod->table[i], rod->table_columns[i] * rod->table_count);
}

static void take_reduced(copier *c, td_reduced_spec *r) {
  take_profile(c, &r->radius);
  td_mode_spec *modes = copy_of(c, r->modes, r->mode_count, sizeof *modes);
  for (size_t i = 0; modes && i < r->mode_count; i++) TAKE(modes[i].polynomial, modes[i].count);
  r->modes = modes;
  TAKE(r->mesh.points, 3 * r->mesh.point_count);
  TAKE(r->mesh.tetrahedra, r->mesh.tetrahedron_count);
  TAKE(r->mesh.hexahedra, r->mesh.hexahedron_count);
  td_ritz_mode_spec *ritz = copy_of(c, r->ritz_modes, r->ritz_mode_count, sizeof *ritz);
  for (size_t i = 0; ritz && i < r->ritz_mode_count; i++)
    for (int k = 0; k < 3; k++) TAKE(ritz[i].terms[k], ritz[i].count[k]);
  r->ritz_modes = ritz;
}

// Only the body that the link has: the others' members are whatever the caller left there.
static void take_body(copier *c, td_body_spec *body) {
  td_rod_spec rod = body->rod;
  td_rigid_spec rigid = body->rigid;
  td_reduced_spec reduced = body->reduced;
  td_body_type type = body->type;
  memset(body, 0, sizeof *body);
  body->type = type;
  if (type == TD_BODY_ROD) body->rod = rod, take_rod(c, &body->rod);
  if (type == TD_BODY_REDUCED) body->reduced = reduced, take_reduced(c, &body->reduced);
  if (type != TD_BODY_RIGID) return;
  body->rigid = rigid;
  TAKE(body->rigid.polygon, 2 * rigid.polygon_count);
  TAKE(body->rigid.collision.points, 3 * rigid.collision.point_count);
}

static void take_routing(copier *c, td_routing_spec *r) {
  TAKE(r->s, r->count);
  TAKE(r->y, r->count);
  TAKE(r->z, r->count);
  td_routing_spec *terms = copy_of(c, r->of, r->of_count, sizeof *terms);
  for (size_t i = 0; terms && i < r->of_count; i++) take_routing(c, &terms[i]);
  r->of = terms;
}

static void take_actuator(copier *c, td_actuator_spec *a) {
  take_text(c, &a->name);
  take_text(c, &a->link);
  td_segment_spec *segments = copy_of(c, a->segments, a->segment_count, sizeof *segments);
  for (size_t i = 0; segments && i < a->segment_count; i++) {
    take_text(c, &segments[i].link);
    TAKE(segments[i].points, 3 * segments[i].points_count);
    if (segments[i].has_routing) take_routing(c, &segments[i].routing);
  }
  a->segments = segments;
}

static void take_contact(copier *c, td_contact_spec *contact) {
  take_text(c, &contact->name);
  const char **links = copy_of(c, contact->links, contact->link_count, sizeof *links);
  if (links) take_texts(c, links, contact->link_count);
  contact->links = links;
  const char **a = copy_of(c, contact->a, contact->a_count, sizeof *a),
             **b = copy_of(c, contact->b, contact->b_count, sizeof *b);
  if (a) take_texts(c, a, contact->a_count);
  if (b) take_texts(c, b, contact->b_count);
  contact->a = a;
  contact->b = b;
}

static td_link_spec *links_of(copier *c, const td_model_spec *spec) {
  td_link_spec *links = copy_of(c, spec->links, spec->link_count, sizeof *links);
  for (size_t i = 0; links && i < spec->link_count; i++) {
    take_text(c, &links[i].name);
    take_text(c, &links[i].parent);
    take_body(c, &links[i].body);
  }
  return links;
}

static td_load_spec *loads_of(copier *c, const td_model_spec *spec) {
  td_load_spec *loads = copy_of(c, spec->loads, spec->load_count, sizeof *loads);
  for (size_t i = 0; loads && i < spec->load_count; i++) {
    take_text(c, &loads[i].name);
    take_text(c, &loads[i].link);
    take_texts(c, loads[i].channels, loads[i].has_channels ? 6 : 0);
  }
  return loads;
}

static td_loop_spec *loops_of(copier *c, const td_model_spec *spec) {
  td_loop_spec *loops = copy_of(c, spec->loops, spec->loop_count, sizeof *loops);
  for (size_t i = 0; loops && i < spec->loop_count; i++) {
    take_text(c, &loops[i].name);
    take_text(c, &loops[i].a.link);
    take_text(c, &loops[i].b.link);
  }
  return loops;
}

static td_spring_spec *springs_of(copier *c, const td_model_spec *spec) {
  td_spring_spec *springs = copy_of(c, spec->springs, spec->spring_count, sizeof *springs);
  for (size_t i = 0; springs && i < spec->spring_count; i++) {
    take_text(c, &springs[i].name);
    take_text(c, &springs[i].a.link);
    take_text(c, &springs[i].b.link);
    take_text(c, &springs[i].channel);
  }
  return springs;
}

static void take_fluid(copier *c, td_fluid_spec *fluid) {
  TAKE(fluid->z, fluid->knots);
  TAKE(fluid->table, 3 * fluid->knots);
  take_texts(c, fluid->channels, fluid->has_channels ? 3 : 0);
}

const td_model_spec *td_document_copy(td_block **blocks, const td_model_spec *spec) {
  copier copier_ = {.blocks = blocks}, *c = &copier_;
  td_model_spec *out = copy_of(c, spec, 1, sizeof *spec);
  if (!out) return NULL;
  take_text(c, &out->name);
  take_fluid(c, &out->fluid);
  out->links = links_of(c, spec);
  td_actuator_spec *actuators = copy_of(c, spec->actuators, spec->actuator_count, sizeof *actuators);
  for (size_t i = 0; actuators && i < spec->actuator_count; i++) take_actuator(c, &actuators[i]);
  out->actuators = actuators;
  out->loads = loads_of(c, spec);
  td_contact_spec *contacts = copy_of(c, spec->contacts, spec->contact_count, sizeof *contacts);
  for (size_t i = 0; contacts && i < spec->contact_count; i++) take_contact(c, &contacts[i]);
  out->contacts = contacts;
  out->loops = loops_of(c, spec);
  out->springs = springs_of(c, spec);
  return c->failed ? NULL : out;
}

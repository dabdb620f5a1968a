// td_model_build: from a checked spec to nodes and elements (model.h). Cold code; all memory comes from the model's
// blocks.
//
// Pass 1 counts and collects the abscissas between computational points that children, loads, loops and springs hang
// from; pass 2 lays out links in document order, each a joint element and, for a rod, a strip. Parents stand first, so
// every start node exists.
#include "build/build.h"
#include "body/body.h"
#include "build/document.h"
#include "element/joint_type.h"
#include "element/reduced/reduced_points.h"
#include "element/rigid_shape.h"
#include "model/invariants.h"
#include "spec/spec_check.h"
#include "strain/points.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int find_link(const td_model_spec *spec, const char *name) {
  for (size_t i = 0; i < spec->link_count; i++)
    if (!strcmp(spec->links[i].name, name)) return (int)i;
  return -1;
}

// ---- abscissas that need a node of their own

typedef struct abscissas {
  double *value;
  int count;
} abscissas;

static int rising(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static bool is_computational(const double *points, int count, double at) {
  for (int k = 0; k < count; k++)
    if (fabs(points[k] - at) < TD_SAME_ABSCISSA) return true;
  return false;
}

static void keep_if_new(abscissas *a, const double *points, int point_count, double at) {
  if (!is_computational(points, point_count, at) && !is_computational(a->value, a->count, at))
    a->value[a->count++] = at;
}

// The points that a load per length acts at, unless they are computational points.
static td_status keep_range(abscissas *a, const double *points, int point_count, const td_rod_spec *rod,
                            const td_load_spec *load) {
  size_t limit = (size_t)td_rod_range_limit(rod);
  double *s = malloc(2 * limit * sizeof *s);
  if (!s) return TD_NO_MEMORY;
  int count = td_rod_range_points(rod, load->from, load->to, s, s + limit);
  for (int k = 0; k < count; k++) keep_if_new(a, points, point_count, s[k]);
  free(s);
  return TD_OK;
}

// How many nodes of their own the loads on a link may need.
static size_t load_nodes(const td_model_spec *spec, int link) {
  size_t count = 0;
  for (size_t i = 0; i < spec->load_count; i++) {
    const td_load_spec *l = &spec->loads[i];
    if (strcmp(l->link, spec->links[link].name) != 0) continue;
    count += l->per_length ? (size_t)td_rod_range_points(&spec->links[link].body.rod, l->from, l->to, NULL, NULL) : 1;
  }
  return count;
}

// Every `at` on link `link` that is not one of its computational points, rising.
static td_status collect_abscissas(const td_model_spec *spec, int link, abscissas *out) {
  const td_rod_spec *rod = &spec->links[link].body.rod;
  int count = td_rod_point_count(rod);
  double *points = malloc(2 * (size_t)count * sizeof(double));
  out->count = 0;
  out->value = malloc((spec->link_count + load_nodes(spec, link) + 2 * spec->loop_count + 2 * spec->spring_count + 1) *
                      sizeof(double));
  if (!points || !out->value) {
    free(points);
    return TD_NO_MEMORY;
  }
  td_rod_points(rod, points, points + count);
  const char *name = spec->links[link].name;
  for (size_t i = 0; i < spec->link_count; i++)
    if (!strcmp(spec->links[i].parent, name)) keep_if_new(out, points, count, spec->links[i].at);
  td_status status = TD_OK;
  for (size_t i = 0; i < spec->load_count && !status; i++) {
    if (strcmp(spec->loads[i].link, name) != 0) continue;
    if (spec->loads[i].per_length)
      status = keep_range(out, points, count, rod, &spec->loads[i]);
    else
      keep_if_new(out, points, count, spec->loads[i].at);
  }
  for (size_t i = 0; i < spec->loop_count; i++) {
    const td_loop_spec *l = &spec->loops[i];
    if (!strcmp(l->a.link, name)) keep_if_new(out, points, count, l->a.at);
    if (!strcmp(l->b.link, name)) keep_if_new(out, points, count, l->b.at);
  }
  for (size_t i = 0; i < spec->spring_count; i++) {
    const td_spring_spec *s = &spec->springs[i];
    if (!strcmp(s->a.link, name)) keep_if_new(out, points, count, s->a.at);
    if (!strcmp(s->b.link, name)) keep_if_new(out, points, count, s->b.at);
  }
  qsort(out->value, (size_t)out->count, sizeof(double), rising);
  free(points);
  return status;
}

static size_t count_marks(const td_model_spec *spec, const char *link) {
  size_t count = 0;
  for (size_t a = 0; a < spec->actuator_count; a++)
    for (size_t i = 0; i < spec->actuators[a].segment_count; i++)
      if (!strcmp(spec->actuators[a].segments[i].link, link)) count += spec->actuators[a].segments[i].points_count;
  return count;
}

// ---- links

static void set_screw(td_element *e, const td_joint_spec *joint) {
  double twist[6][6];
  td_joint_twists(joint, twist);
  memcpy(e->screw, twist[0], sizeof twist[0]);
  e->rotates = td_joint_moves(joint->type) & TD_TURNS;
}

static bool is_identity(const td_se3 *g) {
  td_se3 one = td_se3_identity();
  return !memcmp(g, &one, sizeof one);
}

static td_status build_joint(td_model *m, const td_link_spec *link, int index, int start) {
  int dof = td_joint_dof(link->joint.type);
  td_element *e = &m->element[m->element_count++];
  *e = (td_element){.link = index, .coordinate = m->n, .n = dof, .npad = td_pad(dof), .start = start, .rod = -1};
  e->type = dof == 0 ? TD_ELEMENT_FIXED : dof == 1 ? TD_ELEMENT_SCREW : TD_ELEMENT_STRIP;
  e->row = dof == 0 ? &td_body_fixed : dof == 1 ? &td_body_screw : &td_body_joint;
  e->pre = link->pose;
  e->end = m->node_count++;
  m->node[e->end] = (td_node){.element = m->element_count - 1, .inertia = -1};
  if (dof == 1) set_screw(e, &link->joint);
  if (dof > 1) {
    td_status status = td_build_joint_strip(m, e, &link->joint);
    if (status) return status;
  }
  e->has_pre = !is_identity(&e->pre);
  e->has_post = e->type == TD_ELEMENT_STRIP && !is_identity(&e->post);
  for (int i = 0; i < dof; i++) {
    m->joint_stiffness[m->n + i] = link->joint.stiffness[i];
    m->joint_damping[m->n + i] = link->joint.damping[i];
    m->joint_rest[m->n + i] = link->joint.rest[i];
  }
  m->link[index].node = e->end;
  m->link[index].joint_coordinate = m->n;
  m->link[index].joint_n = dof;
  m->n += dof;
  return TD_OK;
}

static void build_rigid(td_model *m, const td_model_spec *spec, int index) {
  const td_rigid_spec *rigid = &spec->links[index].body.rigid;
  td_mass_properties p;
  td_rigid_mass_properties(rigid, &p);
  td_inertia *inertia = &m->inertia[m->inertia_count];
  m->node[m->link[index].node].inertia = m->inertia_count++;
  *inertia = (td_inertia){
      .mass = p.mass, .inertia = {p.inertia[0], p.inertia[1], p.inertia[2], p.inertia[4], p.inertia[5], p.inertia[8]}};
  memcpy(inertia->com, p.com, sizeof p.com);
  double density = td_rigid_density(rigid);
  if (spec->fluid_density > 0 && density > 0) inertia->displaced = p.mass * spec->fluid_density / density;
}

// Abscissas inside (0, 1) of the material points that tendons pass through on a reduced body.
static td_status collect_stations(const td_model_spec *spec, int link, abscissas *out) {
  const td_reduced_spec *r = &spec->links[link].body.reduced;
  const double ends[2] = {0, 1};
  out->count = 0;
  out->value = malloc((count_marks(spec, spec->links[link].name) + 1) * sizeof(double));
  if (!out->value) return TD_NO_MEMORY;
  for (size_t a = 0; a < spec->actuator_count; a++)
    for (size_t i = 0; i < spec->actuators[a].segment_count; i++) {
      const td_segment_spec *segment = &spec->actuators[a].segments[i];
      if (strcmp(segment->link, spec->links[link].name)) continue;
      for (size_t k = 0; k < segment->points_count; k++)
        keep_if_new(out, ends, 2, segment->points[3 * k + 2] / r->length);
    }
  qsort(out->value, (size_t)out->count, sizeof(double), rising);
  return TD_OK;
}

static td_status build_reduced(td_model *m, const td_model_spec *spec, int index) {
  if (spec->links[index].body.reduced.kinematics == TD_KINEMATICS_RITZ) return td_build_ritz(m, spec, index);
  if (!m->is_guide) return td_build_reduced(m, spec, index, NULL, 0);
  abscissas stations = {0};
  td_status status = collect_stations(spec, index, &stations);
  if (!status) status = td_build_reduced(m, spec, index, stations.value, stations.count);
  free(stations.value);
  return status;
}

static td_status build_link(td_model *m, const td_model_spec *spec, int index) {
  const td_link_spec *link = &spec->links[index];
  td_link *out = &m->link[index];
  strncpy(out->name, link->name, TD_MAX_NAME);
  out->body = link->body.type;
  out->rod = -1;
  int parent = strcmp(link->parent, "world") ? find_link(spec, link->parent) : -1;
  td_status status = build_joint(m, link, index, td_build_node_at(m, parent, link->at));
  if (status || link->body.type == TD_BODY_NONE) return status;
  if (link->body.type == TD_BODY_RIGID) {
    build_rigid(m, spec, index);
    return TD_OK;
  }
  if (link->body.type == TD_BODY_REDUCED) return build_reduced(m, spec, index);
  abscissas extra = {0};
  status = collect_abscissas(spec, index, &extra);
  if (!status) status = td_build_rod(m, spec, index, extra.value, extra.count);
  free(extra.value);
  return status;
}

// ---- the whole

// Upper bounds that size the arrays: two elements per link, a node per computational point and per attachment.
static td_status allocate(td_model *m, const td_model_spec *spec) {
  size_t nodes = 2 + spec->link_count * 2 + 2 * spec->loop_count + 2 * spec->spring_count, n = 0, rods = 0, slices = 0;
  for (size_t i = 0; i < spec->link_count; i++) {
    const td_link_spec *l = &spec->links[i];
    n += (size_t)td_joint_dof(l->joint.type);
    if (l->body.type == TD_BODY_REDUCED) {
      nodes += (size_t)td_reduced_s_points(&l->body.reduced) + 2;
      nodes += count_marks(spec, l->name);
      slices += (size_t)td_reduced_s_points(&l->body.reduced) + 2 + count_marks(spec, l->name);
      n += (size_t)td_reduced_columns(&l->body.reduced, NULL);
      rods++;
    }
    if (l->body.type != TD_BODY_ROD) continue;
    nodes += (size_t)td_rod_point_count(&l->body.rod) + load_nodes(spec, (int)i);
    for (int c = 0; c < 6; c++) n += (size_t)td_rod_component_count(&l->body.rod, c);
    rods++;
  }
  td_block **b = &m->blocks;
  m->node = td_block_alloc(b, nodes, sizeof *m->node);
  m->inertia = td_block_alloc(b, nodes, sizeof *m->inertia);
  m->element = td_block_alloc(b, 2 * spec->link_count, sizeof *m->element);
  m->rod = td_block_alloc(b, rods, sizeof *m->rod);
  m->link = td_block_alloc(b, spec->link_count, sizeof *m->link);
  m->slice = td_block_alloc(b, slices, sizeof *m->slice);
  m->ritz = td_block_alloc(b, spec->link_count, sizeof *m->ritz);
  m->joint_stiffness = td_block_alloc(b, n, sizeof(double));
  m->joint_damping = td_block_alloc(b, n, sizeof(double));
  m->joint_rest = td_block_alloc(b, n, sizeof(double));
  bool all = m->node && m->inertia && m->element && m->rod && m->link && m->slice && m->ritz && m->joint_stiffness &&
             m->joint_damping && m->joint_rest;
  return all ? TD_OK : TD_NO_MEMORY;
}

// Tendons pass through material points of reduced bodies.
static bool needs_guide(const td_model_spec *spec) {
  for (size_t i = 0; i < spec->link_count; i++)
    if (spec->links[i].body.type == TD_BODY_REDUCED && spec->links[i].body.reduced.kinematics != TD_KINEMATICS_RITZ &&
        count_marks(spec, spec->links[i].name))
      return true;
  return false;
}

static td_status build(td_model *m, const td_model_spec *spec, const td_memory *memory) {
  if (memory && !td_block_begin(&m->blocks, memory)) return TD_NO_MEMORY;
  m->bodies = td_bodies;
  m->guided = !m->is_guide && needs_guide(spec);
  td_status status = allocate(m, spec);
  if (status) return status;
  memcpy(m->gravity, spec->gravity, sizeof m->gravity);
  m->node[m->node_count++] = (td_node){.element = -1, .inertia = -1};
  m->link_count = (int)spec->link_count;
  for (int i = 0; i < m->link_count; i++)
    if ((status = build_link(m, spec, i))) return status;
  m->ld = td_row_stride(m->n);
  if ((status = td_build_chambers(m, spec))) return status;
  if ((status = td_build_actuation(m, spec))) return status;
  if ((status = td_build_loops(m, spec))) return status;
  if ((status = td_build_names(m))) return status;
  if ((status = td_build_pairs(m, spec))) return status;
  if ((status = td_build_topology(m))) return status;
  td_model_assert_invariants(m);
  return TD_OK;
}

// The guide is the same tree without what does not pull on tendons.
static td_status build_guide(td_model *m, const td_model_spec *spec, const td_memory *memory) {
  if (!m->guided) return TD_OK;
  td_model_spec bare = *spec;
  bare.load_count = bare.loop_count = bare.contact_count = bare.spring_count = 0;
  bare.fluid = (td_fluid_spec){0};
  m->guide = calloc(1, sizeof *m->guide);
  if (!m->guide) return TD_NO_MEMORY;
  m->guide->is_guide = 1;
  td_status status = build(m->guide, &bare, memory);
  m->stretch_count = m->guide->stretch_count;
  return status;
}

td_status td_model_build(const td_model_spec *spec, const td_memory *memory, td_model **model, td_error *err) {
  *model = NULL;
  td_model *m = calloc(1, sizeof *m);
  if (!m) return td_fail(err, TD_NO_MEMORY, "", "not enough memory for the model");
  td_status status = td_spec_check(spec, &m->warnings, err);
  if (status) return free(m), status;
  status = build(m, spec, memory);
  if (!status) status = build_guide(m, spec, memory);
  if (!status && !(m->document = td_document_copy(&m->blocks, spec))) status = TD_NO_MEMORY;
  if (status) {
    td_model_destroy(m);
    return td_fail(err, status, "", "the model could not be built: %s", td_status_name(status));
  }
  *model = m;
  return TD_OK;
}

void td_model_destroy(td_model *model) {
  if (!model) return;
  td_model_destroy(model->guide);
  for (int i = 0; i < model->rod_count; i++) {
    td_rod_basis_destroy(model->rod[i].basis);
    td_section_destroy(model->rod[i].outline);
    td_profile_fixed_destroy(model->rod[i].reference);
  }
  td_block_free_all(&model->blocks);
  free(model);
}

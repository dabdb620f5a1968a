// Actuators, loads, springs and channels of a model: tendon paths on rods, straight stretches between segments, joint
// forces.
//
// A tendon on a rod adds |v + w x d + d'| at each Gauss point; on a rigid link its points are a constant length.
// Consecutive segments are joined by a straight stretch between the end of one and the start of the next unless
// `joined` is false.
#include "build/build.h"
#include "spec/check/actuator/actuator.h"
#include "strain/points.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- channels

static td_channel *add_channel(td_model *m, const char *name) {
  td_channel *c = &m->channel[m->channel_count++];
  *c = (td_channel){.tendon = -1, .coordinate = -1, .chamber = -1};
  snprintf(c->name, sizeof c->name, "%s", name);
  return c;
}

static td_channel *add_actuator_channel(td_model *m, const td_actuator_spec *a, int k, int count) {
  char name[TD_CHANNEL_NAME];
  td_actuator_channel_name(a, k, count, name);
  return add_channel(m, name);
}

static void build_joint_actuator(td_model *m, const td_actuator_spec *a) {
  const td_link *link = &m->link[td_model_link_find(m, a->link)];
  for (int i = 0; i < link->joint_n; i++) {
    td_channel *channel = add_actuator_channel(m, a, i, link->joint_n);
    if (a->mode_position) // no force: the channel gives the coordinate itself
      m->prescribed[m->prescribed_count++] = (td_prescribed){link->joint_coordinate + i, (int)(channel - m->channel)};
    else
      channel->coordinate = link->joint_coordinate + i;
  }
}

// ---- tendons

typedef struct tendon_end {
  int node, mark; ///< mark -1: the point is fixed in its node
  double point[3];
} tendon_end;

// ---- pieces of a path with friction

static bool has_friction(const td_model *m, int tendon) { return m->law[tendon].friction > 0; }

static int add_piece(td_model *m, int tendon, td_tendon_piece piece) {
  td_tendon_law *law = &m->law[tendon];
  if (!has_friction(m, tendon)) return -1;
  m->piece[m->piece_count] = piece;
  law->piece_count++;
  if (law->piece_count > m->most_pieces) m->most_pieces = law->piece_count;
  return m->piece_count++;
}

static void path_constants(const td_rod *rod, const td_routing *routing, double s, const double *rest, double d[2],
                           double t0[3]) {
  double xi[6], dd[2];
  for (int c = 0; c < 6; c++) xi[rod->axis[c]] = rest[c];
  td_routing_eval(routing, s, d, dd);
  t0[0] = xi[3] + xi[1] * d[1] - xi[2] * d[0];
  t0[1] = xi[4] - xi[0] * d[1] + dd[0] / rod->length;
  t0[2] = xi[5] + xi[0] * d[0] + dd[1] / rod->length;
}

// The nodes of Gauss points in their order; reference strains at base and tip are those of the strain field there.
static td_status build_edges(td_model *m, td_tendon_path *path, const td_routing *routing) {
  const td_rod *rod = &m->rod[path->rod];
  const td_element *e = &m->element[rod->element];
  size_t stride = (size_t)e->npad + TD_LANES;
  td_path_edges *edges = td_block_alloc(&m->blocks, 1, sizeof *edges);
  double *phi = td_block_alloc(&m->blocks, 2 * stride, sizeof *phi);
  if (!edges || !phi) return TD_NO_MEMORY;
  edges->phi = phi;
  for (int end = 0; end < 2; end++) {
    double rest[6];
    td_rod_phi(rod, e, end, phi + (size_t)end * stride);
    td_rod_rest(rod, end, rest);
    path_constants(rod, routing, end, rest, edges->offset[end], edges->t0[end]);
  }
  path->edges = edges;
  int base = rod->point_node[0], tip = rod->point_node[rod->point_count - 1];
  int index = (int)(path - m->path);
  (void)add_piece(m, path->tendon, (td_tendon_piece){.type = TD_PIECE_EDGE, .path = index, .at = 0, .node = base});
  for (int k = 0, gauss = 0; k < rod->point_count && gauss < rod->gauss_count; k++) {
    if (rod->abscissa[k] != rod->gauss_s[gauss]) continue;
    int piece =
        add_piece(m, path->tendon,
                  (td_tendon_piece){.type = TD_PIECE_GAUSS, .path = index, .at = gauss, .node = rod->point_node[k]});
    if (gauss++ == 0) path->first_piece = piece;
  }
  (void)add_piece(m, path->tendon, (td_tendon_piece){.type = TD_PIECE_EDGE, .path = index, .at = 1, .node = tip});
  return TD_OK;
}

static td_status build_path(td_model *m, const td_segment_spec *segment, int tendon, int rod_index,
                            tendon_end ends[2]) {
  td_rod *rod = &m->rod[rod_index];
  td_routing *routing;
  td_status status = td_routing_create(&segment->routing, &routing);
  if (status) return status;
  td_tendon_path *path = &m->path[m->path_count++];
  double *offset = td_block_alloc(&m->blocks, (size_t)rod->gauss_count * 2, sizeof(double));
  double *t0 = td_block_alloc(&m->blocks, (size_t)rod->gauss_count * 3, sizeof(double));
  *path = (td_tendon_path){.tendon = tendon, .rod = rod_index, .offset = offset, .t0 = t0, .first_piece = -1};
  for (int k = 0; offset && t0 && k < rod->gauss_count; k++)
    path_constants(rod, routing, rod->gauss_s[k], rod->rest_gauss + 6 * k, offset + 2 * k, t0 + 3 * k);
  if (has_friction(m, tendon)) status = build_edges(m, path, routing);
  for (int end = 0; end < 2; end++) {
    double d[2], dd[2];
    td_routing_eval(routing, end, d, dd);
    ends[end] = (tendon_end){.node = rod->point_node[end ? rod->point_count - 1 : 0], .mark = -1};
    ends[end].point[rod->column ? 0 : 1] = d[0], ends[end].point[rod->column ? 1 : 2] = d[1];
  }
  td_routing_destroy(routing);
  return offset && t0 ? status : TD_NO_MEMORY;
}

static void build_points(td_model *m, const td_segment_spec *segment, int tendon, int node, tendon_end ends[2]) {
  const double *p = segment->points;
  for (size_t i = 1; i < segment->points_count; i++) {
    double length = sqrt(pow(p[3 * i] - p[3 * i - 3], 2) + pow(p[3 * i + 1] - p[3 * i - 2], 2) +
                         pow(p[3 * i + 2] - p[3 * i - 1], 2));
    td_tendon_piece piece = {.type = TD_PIECE_FIXED, .node = node};
    for (int k = 0; k < 3; k++) piece.direction[k] = (p[3 * i + (size_t)k] - p[3 * i - 3 + (size_t)k]) / length;
    m->tendon_constant[tendon] += length;
    if (length > 0) (void)add_piece(m, tendon, piece);
  }
  const double *last = p + 3 * (segment->points_count - 1);
  ends[0] = (tendon_end){node, -1, {p[0], p[1], p[2]}};
  ends[1] = (tendon_end){node, -1, {last[0], last[1], last[2]}};
}

// The piece of a stretch that is known only when what comes after it stands.
static int reserve_stretch(td_model *m, int tendon) {
  return add_piece(m, tendon, (td_tendon_piece){.type = TD_PIECE_STRETCH});
}

static void add_stretch(td_model *m, int tendon, const tendon_end *from, const tendon_end *to, int piece) {
  if (piece >= 0) m->piece[piece].at = m->stretch_count;
  td_tendon_stretch *s = &m->stretch[m->stretch_count++]; // of a guided model: only counted, in the guide's order
  *s = (td_tendon_stretch){
      .tendon = tendon, .node_a = from->node, .node_b = to->node, .mark_a = from->mark, .mark_b = to->mark};
  memcpy(s->a, from->point, sizeof s->a);
  memcpy(s->b, to->point, sizeof s->b);
}

static int local_at(const td_rod *rod, double s) {
  for (int i = 0; i < rod->point_count; i++)
    if (fabs(rod->abscissa[i] - s) < TD_SAME_ABSCISSA) return i;
  return 0;
}

// A material point (x, y, s) of a reduced body in a guide: fixed in its node, or a mark where sections deform.
static tendon_end material_point(td_model *m, const td_rod *rod, const double *p) {
  const td_element *e = &m->element[rod->element];
  int local = local_at(rod, p[2] / rod->length);
  tendon_end end = {rod->point_node[local], -1, {p[0], p[1], 0}};
  if (!rod->section || m->guided) return end;
  end.mark = m->mark_count++;
  td_mark *mark = &m->mark[end.mark];
  mark->slice = e->slice_at[local];
  for (int l = 0; l < TD_LANES; l++) mark->point.data[0][l] = p[0], mark->point.data[1][l] = p[1];
  td_section_mark(rod->section, m->slice[mark->slice].s, rod->length, &mark->point);
  return end;
}

// The batch of a slice with a lane left, a new one if there is none.
static td_mark_batch *batch_of(td_model *m, int slice) {
  for (int b = 0; b < m->mark_batch_count; b++)
    if (m->mark_batch[b].slice == slice && m->mark_batch[b].count < TD_LANES) return &m->mark_batch[b];
  td_mark_batch *new = &m->mark_batch[m->mark_batch_count++];
  *new = (td_mark_batch){.slice = slice};
  return new;
}

static void batch_marks(td_model *m) {
  for (int i = 0; i < m->mark_count; i++) {
    td_mark_batch *b = batch_of(m, m->mark[i].slice);
    int from = b->count++;
    b->mark[from] = i;
    for (int k = 0; k < TD_SECTION_DATA; k++)
      for (int l = from; l < (from ? from + 1 : TD_LANES); l++) b->points.data[k][l] = m->mark[i].point.data[k][0];
  }
}

// Consecutive material points of a body that deforms are joined by straight stretches.
static void build_material_points(td_model *m, const td_segment_spec *segment, int tendon, const td_rod *rod,
                                  tendon_end ends[2]) {
  ends[0] = ends[1] = material_point(m, rod, segment->points);
  for (size_t i = 1; i < segment->points_count; i++) {
    tendon_end next = material_point(m, rod, segment->points + 3 * i);
    add_stretch(m, tendon, &ends[1], &next, reserve_stretch(m, tendon));
    ends[1] = next;
  }
}

static td_tendon_law law_of(const td_actuator_spec *a, int channel) {
  return (td_tendon_law){.channel = channel,
                         .length = a->mode_length,
                         .stiffness = a->stiffness,
                         .rest = a->rest,
                         .damping = a->damping,
                         .width = a->slack_width > 0 ? a->slack_width : TD_SLACK_WIDTH,
                         .friction = a->friction,
                         .slip = a->slip_speed > 0 ? a->slip_speed : TD_SLIP_SPEED};
}

static td_status build_tendon(td_model *m, const td_actuator_spec *a) {
  int tendon = m->tendon_count++;
  snprintf(m->tendon_name[tendon], sizeof *m->tendon_name, "%s", a->name);
  td_channel *channel = add_channel(m, a->name);
  channel->tendon = tendon;
  m->law[tendon] = law_of(a, (int)(channel - m->channel));
  m->law[tendon].first_piece = m->piece_count;
  m->length_count += a->mode_length;
  m->friction_count += a->friction > 0;
  tendon_end previous = {0};
  for (size_t i = 0; i < a->segment_count; i++) {
    const td_segment_spec *segment = &a->segments[i];
    const td_link *link = &m->link[td_model_link_find(m, segment->link)];
    tendon_end ends[2];
    td_status status = TD_OK;
    bool joined = i > 0 && a->joined;
    int piece = joined ? reserve_stretch(m, tendon) : -1;
    if (link->rod >= 0 && segment->has_routing)
      status = build_path(m, segment, tendon, link->rod, ends);
    else if (link->rod >= 0)
      build_material_points(m, segment, tendon, &m->rod[link->rod], ends);
    else
      build_points(m, segment, tendon, link->node, ends);
    if (status) return status;
    if (joined) add_stretch(m, tendon, &previous, &ends[0], piece);
    previous = ends[1];
  }
  return TD_OK;
}

// ---- loads

static void build_load(td_model *m, const td_load_spec *l, const int channel[6], double at, double scale) {
  td_load *load = &m->load[m->load_count++];
  *load = (td_load){.node = td_build_node_at(m, td_model_link_find(m, l->link), at),
                    .pose = l->pose,
                    .frame = l->frame,
                    .scale = scale};
  memcpy(load->channel, channel, sizeof load->channel);
  for (int c = 0; c < 6; c++) load->wrench[c] = l->has_channels ? 0 : l->wrench[c];
}

static const td_rod_spec *rod_of(const td_model_spec *spec, const td_model *m, const td_load_spec *l) {
  return &spec->links[td_model_link_find(m, l->link)].body.rod;
}

// One load at every point of the quadrature over its stretch.
static td_status build_distributed_load(td_model *m, const td_model_spec *spec, const td_load_spec *l,
                                        const int channel[6]) {
  const td_rod_spec *rod = rod_of(spec, m, l);
  size_t limit = (size_t)td_rod_range_limit(rod);
  double *s = malloc(2 * limit * sizeof *s);
  if (!s) return TD_NO_MEMORY;
  int count = td_rod_range_points(rod, l->from, l->to, s, s + limit);
  for (int k = 0; k < count; k++) build_load(m, l, channel, s[k], s[limit + (size_t)k] * rod->length);
  free(s);
  return TD_OK;
}

static td_status build_loads(td_model *m, const td_model_spec *spec, const td_load_spec *l) {
  int channel[6];
  for (int c = 0; c < 6; c++) {
    channel[c] = l->has_channels && l->channels[c] ? m->channel_count : -1;
    if (channel[c] >= 0) add_channel(m, l->channels[c]);
  }
  if (l->per_length) return build_distributed_load(m, spec, l, channel);
  build_load(m, l, channel, l->at, 1);
  return TD_OK;
}

// Points that all loads act at.
static size_t load_points(const td_model *m, const td_model_spec *spec) {
  size_t count = 0;
  for (size_t i = 0; i < spec->load_count; i++) {
    const td_load_spec *l = &spec->loads[i];
    count += l->per_length ? (size_t)td_rod_range_points(rod_of(spec, m, l), l->from, l->to, NULL, NULL) : 1;
  }
  return count;
}

// Channels of the flow stand last.
static void build_flow(td_model *m, const td_fluid_spec *fluid) {
  for (int c = 0; c < 3; c++) {
    m->water.channel[c] = -1;
    if (!fluid->has_channels || !fluid->channels[c]) continue;
    m->water.channel[c] = m->channel_count;
    add_channel(m, fluid->channels[c]);
  }
}

// Pieces of paths with friction: every Gauss point and two edges of a path, stretches, and between points of rigid
// links.
static size_t count_pieces(const td_model *m, const td_model_spec *spec) {
  size_t pieces = 0;
  for (size_t i = 0; i < spec->actuator_count; i++)
    for (size_t k = 0; spec->actuators[i].friction > 0 && k < spec->actuators[i].segment_count; k++) {
      const td_segment_spec *segment = &spec->actuators[i].segments[k];
      const td_link *link = &m->link[td_model_link_find(m, segment->link)];
      pieces += 3 + segment->points_count;
      if (link->rod >= 0) pieces += (size_t)m->rod[link->rod].gauss_count;
    }
  return pieces;
}

static td_loop_frame end_of(const td_model *m, const td_loop_end *end) {
  return (td_loop_frame){.node = td_build_node_at(m, td_model_link_find(m, end->link), end->at), .pose = end->pose};
}

static void build_spring(td_model *m, const td_spring_spec *s) {
  td_spring *spring = &m->spring[m->spring_count++];
  *spring = (td_spring){.a = end_of(m, &s->a),
                        .b = end_of(m, &s->b),
                        .stiffness = s->stiffness,
                        .damping = s->damping,
                        .rest = s->rest,
                        .channel = -1};
  if (!s->channel) return;
  spring->channel = m->channel_count;
  m->driven_springs++;
  add_channel(m, s->channel);
}

static td_status allocate(td_model *m, const td_model_spec *spec) {
  size_t channels = 6 * spec->load_count + spec->spring_count + 3, segments = 0, tendons = 0, points = 0;
  for (size_t i = 0; i < spec->actuator_count; i++) {
    bool tendon = spec->actuators[i].type == TD_ACTUATOR_TENDON;
    channels += (size_t)td_actuator_channel_count(spec, &spec->actuators[i]);
    tendons += tendon;
    segments += spec->actuators[i].segment_count;
    for (size_t k = 0; k < spec->actuators[i].segment_count; k++) points += spec->actuators[i].segments[k].points_count;
  }
  td_block **b = &m->blocks;
  m->channel = td_block_alloc(b, channels, sizeof *m->channel);
  m->prescribed = td_block_alloc(b, channels, sizeof *m->prescribed);
  m->load = td_block_alloc(b, load_points(m, spec), sizeof *m->load);
  m->path = td_block_alloc(b, segments, sizeof *m->path);
  m->stretch = td_block_alloc(b, segments + points, sizeof *m->stretch);
  m->mark = td_block_alloc(b, points, sizeof *m->mark);
  m->mark_batch = td_block_alloc(b, points, sizeof *m->mark_batch);
  m->tendon_name = td_block_alloc(b, tendons, sizeof *m->tendon_name);
  m->tendon_constant = td_block_alloc(b, tendons, sizeof(double));
  m->law = td_block_alloc(b, tendons, sizeof *m->law);
  m->piece = td_block_alloc(b, count_pieces(m, spec), sizeof *m->piece);
  m->spring = td_block_alloc(b, spec->spring_count, sizeof *m->spring);
  return m->law && m->piece && m->spring && m->mark && m->mark_batch && m->channel && m->prescribed && m->load &&
                 m->path && m->stretch && m->tendon_name && m->tendon_constant
             ? TD_OK
             : TD_NO_MEMORY;
}

td_status td_build_actuation(td_model *m, const td_model_spec *spec) {
  td_status status = allocate(m, spec);
  for (size_t i = 0; !status && i < spec->actuator_count; i++) {
    const td_actuator_spec *a = &spec->actuators[i];
    int count = td_actuator_channel_count(spec, a);
    if (a->type == TD_ACTUATOR_TENDON)
      status = build_tendon(m, a);
    else if (a->type == TD_ACTUATOR_PRESSURE)
      add_channel(m, a->name)->chamber = m->link[td_model_link_find(m, a->link)].first_chamber + a->chamber;
    else if (a->type == TD_ACTUATOR_JOINT)
      build_joint_actuator(m, a);
    else // what drives bodies through the field finds its channels by their places (force/magnetism.c)
      for (int k = 0; k < count; k++) add_actuator_channel(m, a, k, count);
  }
  batch_marks(m);
  m->actuator_channel_count = m->channel_count;
  for (size_t i = 0; !status && i < spec->load_count; i++) status = build_loads(m, spec, &spec->loads[i]);
  for (size_t i = 0; !status && i < spec->spring_count; i++) build_spring(m, &spec->springs[i]);
  build_flow(m, &spec->fluid);
  return status;
}

// Measures and assigns a workspace (workspace.h). One layout, two uses: base == NULL only measures.
#include "model/workspace.h"
#include "base/carve.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

static void carve_tree(td_carver *c, const td_model *m, td_workspace *ws) {
  size_t nodes = (size_t)m->node_count;
  ws->pose = td_carve(c, nodes, sizeof(td_se3));
  ws->V = td_carve(c, nodes, sizeof *ws->V);
  ws->A = td_carve(c, nodes, sizeof *ws->A);
  ws->composite = td_carve(c, nodes, sizeof(td_composite));
  ws->full = m->full_maps ? td_carve(c, nodes, sizeof(td_full)) : NULL;
  size_t slices = (size_t)m->slice_count;
  ws->slice = td_carve(c, slices, sizeof(td_slice_state));
  ws->mark = td_carve(c, (size_t)m->mark_count, sizeof(td_mark_state));
  ws->slice_field = td_carve(c, slices, sizeof *ws->slice_field);
  ws->slice_rows = td_carve(c, slices * 12, sizeof(td_vec));
  ws->motion = td_carve(c, (size_t)m->strip_batches, sizeof(td_motion));
  ws->screw = td_carve(c, (size_t)m->element_count, sizeof *ws->screw);
  ws->tables = td_carve(c, (size_t)m->max_batches, sizeof(td_tables));
}

static void carve_ritz_bodies(td_carver *c, const td_model *m, td_workspace *ws) {
  td_ritz_state *first = td_carve(c, (size_t)m->ritz_count, sizeof *first);
  ws->ritz = first;
  for (int i = 0; i < m->ritz_count; i++) {
    size_t n = (size_t)m->ritz[i].n;
    td_ritz_state scratch, *s = c->base ? &first[i] : &scratch;
    double **vectors[] = {&s->q, &s->qd, &s->qdd, &s->pi};
    for (size_t k = 0; k < 4; k++) *vectors[k] = td_carve(c, n, sizeof(double));
    s->s = td_carve(c, n, sizeof *s->s);
    s->U = td_carve(c, n, sizeof *s->U);
    s->Gq = td_carve(c, n, sizeof *s->Gq);
    s->Gv = td_carve(c, n, sizeof *s->Gv);
    s->W = td_carve(c, n, sizeof *s->W);
    s->N = td_carve(c, n, sizeof *s->N);
    double **matrices[] = {&s->mass, &s->dq, &s->dqd};
    for (size_t k = 0; k < 3; k++) *matrices[k] = td_carve(c, n * n, sizeof(double));
  }
}

static void carve_columns(td_carver *c, const td_model *m, td_workspace *ws) {
  ws->strip_stride = td_pad(m->max_strip_n) + TD_LANES;
  size_t stride = (size_t)ws->strip_stride, nodes = (size_t)m->max_strip_intervals + 1,
         gauss_point = TD_COMPONENTS + TD_STRAIN_HESSIAN + 6 * TD_LANES;
  ws->kept = td_carve(c, TD_ROWS * (size_t)m->kept_stride, sizeof(double));
  ws->prefix = td_carve(c, TD_ROWS * nodes, sizeof(td_vec));
  ws->branch = td_carve(c, TD_WRENCH_ROWS * nodes, sizeof(td_vec));
  ws->projected = td_carve(c, TD_PROJECTED * nodes, sizeof(td_vec));
  ws->wrench = td_carve(c, TD_WRENCH_ROWS * stride, sizeof(double));
  ws->rod_scratch = td_carve(c, gauss_point * (size_t)m->max_rod_gauss, sizeof(double));
}

enum { SCRATCH_VECTORS = 8 }; // at the most, of who uses ws->scratch

static void carve_results(td_carver *c, const td_model *m, td_workspace *ws) {
  size_t ld = (size_t)m->ld, n = (size_t)m->n, columns = ld * 2 + (size_t)m->channel_count + TD_LANES;
  double **matrix[] = {&ws->did_dq, &ws->did_dqd, &ws->mass, &ws->dtau_dq, &ws->dtau_dqd, &ws->factor};
  for (size_t i = 0; i < sizeof matrix / sizeof *matrix; i++)
    *matrix[i] = td_carve(c, n * ld + TD_LANES, sizeof(double));
  ws->solution = td_carve(c, n * (columns + TD_LANES), sizeof(double));
  double **vector[] = {&ws->id, &ws->tau, &ws->fd, &ws->zero};
  for (size_t i = 0; i < sizeof vector / sizeof *vector; i++)
    *vector[i] = td_carve(c, ld + (size_t)m->channel_count + TD_LANES, sizeof(double));
  ws->scratch = td_carve(c, SCRATCH_VECTORS * (ld + TD_LANES) + (size_t)m->channel_count, sizeof(double));
}

static void carve_constraints(td_carver *c, const td_model *m, td_workspace *ws) {
  td_constraint_scratch *s = &ws->constraint;
  size_t ld = (size_t)m->ld, n = (size_t)m->n, r = (size_t)m->loop_rows, p = (size_t)m->prescribed_count;
  if (r + p == 0) return;
  size_t k = r < n ? r : n, kpad = (size_t)td_pad((int)k);
  s->kpad = (int)kpad;
  s->loop = td_carve(c, (size_t)m->loop_count, sizeof *s->loop);
  double **rows[] = {&s->A, &s->reduced, &s->G};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) *rows[i] = td_carve(c, r * ld + TD_LANES, sizeof(double));
  s->e = td_carve(c, r + TD_LANES, sizeof(double));
  s->a = td_carve(c, r + TD_LANES, sizeof(double));
  s->da = td_carve(c, 2 * (r + p) * ld + TD_LANES, sizeof(double));
  s->basis = td_carve(c, r * kpad, sizeof(double));
  double **tall[] = {&s->Q, &s->turn_Q}, **square[] = {&s->R, &s->turn_R};
  for (int i = 0; i < 2; i++) *tall[i] = td_carve(c, n * kpad, sizeof(double));
  for (int i = 0; i < 2; i++) *square[i] = td_carve(c, kpad * kpad, sizeof(double));
  s->H = td_carve(c, 2 * kpad * ld + TD_LANES, sizeof(double));
  s->lambda = td_carve(c, r + p + TD_LANES, sizeof(double));
  s->qdd = td_carve(c, ld, sizeof(double));
  s->mass_rows = td_carve(c, p * ld + TD_LANES, sizeof(double));
  s->force_rows = td_carve(c, 2 * p * ld + TD_LANES, sizeof(double));
  s->moved = td_carve(c, 6 * ld + TD_LANES, sizeof(double));
  s->inputs = td_carve(c, n * (size_t)m->channel_count + TD_LANES, sizeof(double));
  s->work = td_carve(c, ld + 4 * (r + kpad) + r * kpad + kpad * kpad, sizeof(double));
}

static void carve_tensions(td_carver *c, const td_model *m, td_workspace *ws) {
  td_tension_scratch *s = &ws->tension;
  size_t t = (size_t)m->tendon_count, n = (size_t)m->n, p = (size_t)m->most_pieces;
  if (m->spring_count) ws->line = td_carve(c, 9 * (size_t)m->ld + TD_LANES, sizeof(double));
  if (m->length_count == 0 && m->friction_count == 0) return;
  s->motion = td_carve(c, t, sizeof *s->motion);
  double **tension[] = {&s->input, &s->elastic, &s->damping, &s->total, &s->stretch, &s->rate};
  for (size_t i = 0; i < sizeof tension / sizeof *tension; i++) *tension[i] = td_carve(c, t, sizeof(double));
  s->gradient = td_carve(c, t * n, sizeof(double));
  s->drift = td_carve(c, t * n, sizeof(double));
  s->weighted = td_carve(c, n, sizeof(double));
  if (m->friction_count == 0) return;
  s->factor = td_carve(c, (size_t)m->piece_count, sizeof(double));
  s->stretch_factor = td_carve(c, (size_t)m->stretch_count, sizeof(double));
  s->direction = td_carve(c, p, sizeof *s->direction);
  s->speed = td_carve(c, p + 1, sizeof(double));
  s->turn = td_carve(c, 3 * p * n, sizeof(double));
  s->piece_gradient = td_carve(c, p * n, sizeof(double));
  s->piece_drift = td_carve(c, p * n, sizeof(double));
  s->stretch_drift = td_carve(c, (size_t)m->stretch_count * n, sizeof(double));
  s->sum = td_carve(c, 4 * n, sizeof(double));
  s->jacobian = td_carve(c, 9 * n, sizeof(double));
}

static void carve_touches(td_carver *c, const td_model *m, td_workspace *ws) {
  if (m->solid_pair_count == 0) return;
  ws->proxy_end = td_carve(c, (size_t)m->proxy_count, sizeof *ws->proxy_end);
  ws->proxy_box = td_carve(c, 2 * (size_t)m->proxy_count, sizeof *ws->proxy_box);
  ws->nearby = td_carve(c, 1, sizeof *ws->nearby);
  td_near *near = td_carve(c, (size_t)td_nearby_most(m), sizeof *near);
  td_met *how = td_carve(c, (size_t)td_nearby_most(m), sizeof *how);
  if (c->base) *ws->nearby = (td_nearby){.most = td_nearby_most(m), .at = near, .how = how};
  size_t stride = (size_t)td_pad_most(m->n);
  ws->frame_wrench = td_carve(c, (size_t)m->proxy_frame_count, sizeof *ws->frame_wrench);
  ws->touch_of = td_carve(c, (size_t)m->proxy_frame_count, sizeof *ws->touch_of);
  ws->frame_known = td_carve(c, (size_t)m->proxy_frame_count, sizeof *ws->frame_known);
  size_t columns = TD_FRAME_ROWS * (size_t)m->proxy_frame_count * (size_t)m->proxy_width;
  ws->frame_column = td_carve(c, columns, sizeof(double));
  ws->frame_row = td_carve(c, TD_FRAME_ROWS * (size_t)td_touch_most(m) * stride, sizeof(double));
  ws->touch_span = td_carve(c, (size_t)m->proxy_frame_count, sizeof *ws->touch_span);
}

static size_t workspace_carve(const td_model *m, char *base, td_workspace *ws) {
  td_carver c = {.base = base};
  carve_tree(&c, m, ws);
  carve_ritz_bodies(&c, m, ws);
  carve_columns(&c, m, ws);
  carve_results(&c, m, ws);
  carve_constraints(&c, m, ws);
  carve_tensions(&c, m, ws);
  carve_touches(&c, m, ws);
  return c.used;
}

size_t td_workspace_bytes(const td_model *model) {
  td_workspace measured = {0};
  return sizeof measured + workspace_carve(model, NULL, &measured) +
         (model->guide ? td_workspace_bytes(model->guide) : 0);
}

td_status td_workspace_create(const td_model *model, td_workspace **ws) {
  *ws = calloc(1, sizeof **ws);
  if (!*ws) return TD_NO_MEMORY;
  size_t size = workspace_carve(model, NULL, *ws);
  void *block = aligned_alloc(TD_CACHE_LINE, size ? size : TD_CACHE_LINE);
  if (!block) {
    free(*ws);
    *ws = NULL;
    return TD_NO_MEMORY;
  }
  memset(block, 0, size);
  workspace_carve(model, block, *ws);
  (*ws)->model = model;
  (*ws)->block = block;
  td_status status = model->guide ? td_workspace_create(model->guide, &(*ws)->guide) : TD_OK;
  if (status) {
    td_workspace_destroy(*ws);
    *ws = NULL;
  }
  return status;
}

static void set_steady(td_workspace *ws, const double *q, const double *qd) {
  for (; ws; ws = ws->guide) {
    ws->steady_q = q, ws->steady_qd = qd;
    ws->poses_of = ws->twists_of = NULL;
  }
}

bool td_steady_begin(td_workspace *ws, const double *q, const double *qd) {
  assert(q);
  if (ws->steady_q) return false;
  set_steady(ws, q, qd ? qd : ws->zero);
  return true;
}

void td_steady_end(td_workspace *ws, bool begun) {
  if (begun) set_steady(ws, NULL, NULL);
}

void td_workspace_watch(td_workspace *ws, const _Atomic bool *stop) { ws->stop = stop; }

void td_workspace_destroy(td_workspace *ws) {
  if (!ws) return;
  td_workspace_destroy(ws->guide);
  free(ws->block);
  free(ws);
}

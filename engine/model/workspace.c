// Measures and assigns a workspace (workspace.h). One layout, two uses: base == NULL only measures.
#include "model/workspace.h"
#include "base/carve.h"
#include <stdlib.h>
#include <string.h>

static void carve_tree(td_carver *c, const td_model *m, td_workspace *ws) {
  size_t nodes = (size_t)m->node_count;
  ws->pose = td_carve(c, nodes, sizeof(td_se3));
  ws->V = td_carve(c, nodes, sizeof *ws->V);
  ws->A = td_carve(c, nodes, sizeof *ws->A);
  ws->composite = td_carve(c, nodes, sizeof(td_composite));
  ws->motion = td_carve(c, (size_t)m->strip_batches, sizeof(td_motion));
  ws->screw = td_carve(c, (size_t)m->element_count, sizeof *ws->screw);
  ws->tables = td_carve(c, (size_t)m->max_batches, sizeof(td_tables));
}

static void carve_columns(td_carver *c, const td_model *m, td_workspace *ws) {
  ws->strip_stride = (m->max_strip_n + TD_LANES - 1) / TD_LANES * TD_LANES + TD_LANES;
  size_t stride = (size_t)ws->strip_stride, nodes = (size_t)m->max_strip_intervals + 1;
  ws->slot = td_carve(c, TD_ROWS * (size_t)m->slot_stride, sizeof(double));
  ws->prefix = td_carve(c, TD_ROWS * nodes, sizeof(td_vec));
  ws->branch = td_carve(c, TD_OWN_ROWS * nodes, sizeof(td_vec));
  ws->P = td_carve(c, 36 * nodes, sizeof(td_vec));
  ws->own = td_carve(c, TD_OWN_ROWS * stride, sizeof(double));
  ws->rod_scratch = td_carve(c, 112 * (size_t)(m->max_rod_gauss + 1) + 16 * stride, sizeof(double));
}

static void carve_results(td_carver *c, const td_model *m, td_workspace *ws) {
  size_t ld = (size_t)m->ld, n = (size_t)m->n, columns = ld * 2 + (size_t)m->channel_count + TD_LANES;
  double **matrix[] = {&ws->did_dq, &ws->did_dqd, &ws->mass, &ws->dtau_dq, &ws->dtau_dqd, &ws->factor};
  for (size_t i = 0; i < sizeof matrix / sizeof *matrix; i++)
    *matrix[i] = td_carve(c, n * ld + TD_LANES, sizeof(double));
  ws->solution = td_carve(c, n * (columns + TD_LANES), sizeof(double));
  double **vector[] = {&ws->id, &ws->tau, &ws->fd, &ws->zero};
  for (size_t i = 0; i < sizeof vector / sizeof *vector; i++)
    *vector[i] = td_carve(c, ld + (size_t)m->channel_count + TD_LANES, sizeof(double));
  ws->scratch = td_carve(c, 8 * (ld + TD_LANES) + (size_t)m->channel_count, sizeof(double));
}

static size_t workspace_carve(const td_model *m, char *base, td_workspace *ws) {
  td_carver c = {.base = base};
  carve_tree(&c, m, ws);
  carve_columns(&c, m, ws);
  carve_results(&c, m, ws);
  return c.used;
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
  return TD_OK;
}

void td_workspace_destroy(td_workspace *ws) {
  if (!ws) return;
  free(ws->block);
  free(ws);
}

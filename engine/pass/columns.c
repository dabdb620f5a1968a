// Matrices column by column: what elements have to do with themselves and with their ancestors.
#include "pass/columns.h"
#include "body/body.h"
#include "pass/ancestors.h"
#include <assert.h>
#include <string.h>

static void all_columns(const td_model *m, td_workspace *ws, td_columns what) {
  for (int i = 0; i < m->element_count && !td_stopped(ws); i++) {
    const td_element *e = &m->element[i];
    if (e->n == 0) continue;
    e->row->columns(m, ws, e, what);
    if (e->range_count) td_ancestor_blocks(m, ws, e, what);
  }
}

static void clear(const td_model *m, double *matrix) {
  if (m->branched) memset(matrix, 0, (size_t)m->n * (size_t)m->ld * sizeof *matrix);
}

void td_columns_of(const td_model *m, td_workspace *ws, td_columns what) {
  assert(td_holds(ws, TD_HOLDS_POSES | TD_HOLDS_COMPOSITES));
  assert(!(what & TD_COLUMNS_SLOPES) || td_holds(ws, TD_HOLDS_TWISTS | TD_HOLDS_ACCELERATIONS | TD_HOLDS_MAPS));
  if (what & TD_COLUMNS_MASS) clear(m, ws->mass);
  if (what & TD_COLUMNS_SLOPES) clear(m, ws->did_dq), clear(m, ws->did_dqd);
  all_columns(m, ws, what);
  ws->holds |= what & TD_COLUMNS_SLOPES ? TD_HOLDS_COLUMNS | TD_HOLDS_SLOPES : TD_HOLDS_COLUMNS;
}

void td_unpad(const td_model *m, const double *padded, double *out) {
  for (int i = 0; i < m->n; i++) memcpy(out + i * m->n, padded + i * m->ld, (size_t)m->n * sizeof *out);
}

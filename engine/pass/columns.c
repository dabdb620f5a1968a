// Matrices column by column: what elements have to do with themselves and with their ancestors.
#include "pass/columns.h"
#include "body/body.h"
#include "pass/ancestors.h"
#include <string.h>

static void all_columns(const td_model *m, td_workspace *ws, int mass_only) {
  for (int i = 0; i < m->element_count && !td_stopped(ws); i++) {
    const td_element *e = &m->element[i];
    if (e->n == 0) continue;
    e->row->columns(m, ws, e, mass_only);
    if (e->run_count) td_ancestor_blocks(m, ws, e, mass_only);
  }
}

static void clear(const td_model *m, double *matrix) {
  if (m->branched) memset(matrix, 0, (size_t)m->n * (size_t)m->ld * sizeof *matrix);
}

void td_mass_columns(const td_model *m, td_workspace *ws) {
  clear(m, ws->mass);
  all_columns(m, ws, 1);
}

void td_derivative_columns(const td_model *m, td_workspace *ws) {
  clear(m, ws->mass);
  clear(m, ws->did_dq);
  clear(m, ws->did_dqd);
  all_columns(m, ws, 0);
}

void td_unpad(const td_model *m, const double *padded, double *out) {
  for (int i = 0; i < m->n; i++) memcpy(out + i * m->n, padded + i * m->ld, (size_t)m->n * sizeof *out);
}

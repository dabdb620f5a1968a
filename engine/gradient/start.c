// The state at t = 0, linearised: what the job gives, prescribed coordinates where their inputs want them, then q to the
// nearest state that closes the loops, and v to the nearest that they allow.
//
// q0 - q = G^T m, e(q) = 0:   (1 + H) dq + G^T dm = dq0 - (G^T m)_p dp,  G dq = -e_p dp,  H = d(G^T m)/dq.
#include "closure/projection_parts.h"
#include "gradient/chain.h"
#include <math.h>
#include <string.h>

// q0 and v0 [n] as the job gives them, at the places of prescribed joints those of their inputs: c->open [2n].
static void given(td_chain *c) {
  size_t n = (size_t)c->n;
  const td_dynamics_spec *spec = c->spec;
  memset(c->open, 0, 2 * n * sizeof *c->open);
  if (spec->initial == TD_INITIAL_ARRAY && n) memcpy(c->open, spec->q, n * sizeof *c->open);
  if (spec->qd && n) memcpy(c->open + n, spec->qd, n * sizeof *c->open);
  td_plant_drive(&c->plant, 0, c->open, NULL);
}

td_status td_chain_start_forward(td_chain *c, const td_tape *tape, const td_note *mark) {
  c->tape = tape;
  for (int k = 0; k < TD_PARTS; k++) memset(c->T[k], 0, (size_t)c->n * (size_t)c->ld * sizeof *c->T[k]);
  for (int i = 0; c->by->initial && i < 2 * c->n; i++) {
    double *to = i < c->n ? c->T[TD_Q] + i * c->ld : c->T[TD_V] + (i - c->n) * c->ld;
    memcpy(to, c->by->initial + (size_t)i * c->by->count, c->by->count * sizeof *to);
  }
  td_chain_place(c, mark, mark->point);
  given(c);
  td_status status = td_chain_list(c, 0, td_tape_point(tape, mark->point), c->open + c->n);
  if (status) return status;
  td_chain_drive_tangents(c, c->T[TD_Q], c->T[TD_V], NULL);
  if (c->plant.rows == 0) return TD_OK;
  return td_hold_start_forward(c, mark, c->open, c->open + c->n, td_tape_point(tape, mark->point));
}

td_status td_chain_start_backward(td_chain *c, const td_tape *tape, const td_note *mark) {
  c->tape = tape;
  td_chain_place(c, mark, mark->point);
  given(c);
  td_status status = td_chain_list(c, 0, td_tape_point(tape, mark->point), c->open + c->n);
  if (!status && c->plant.rows)
    status = td_hold_start_backward(c, mark, c->open, c->open + c->n, td_tape_point(tape, mark->point));
  if (status) return status;
  td_chain_drive_cotangents(c, c->L[TD_Q], c->L[TD_V], NULL);
  for (int i = 0; c->by->initial && i < 2 * c->n; i++) {
    double x = i < c->n ? c->L[TD_Q][i] : c->L[TD_V][i - c->n];
    const double *row = c->by->initial + (size_t)i * c->by->count;
    for (size_t j = 0; x != 0 && j < c->by->count; j++) c->gradient[j] += row[j] * x;
  }
  return TD_OK;
}

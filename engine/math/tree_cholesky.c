#include "math/tree_cholesky.h"
#include "math/tiles.h"
#include <assert.h>
#include <math.h>

int td_tree_tile_rows(int n, int row, bool ahead) {
  int left = ahead ? n - row : row + 1; // rows that tiles have not taken yet, `row` the next of them
  return left >= TD_TILE_ROWS ? TD_TILE_ROWS : 1;
}

// ------------------------------------------------------------------------------------------------ the factor

TD_INLINE void take(const td_tree_order *t, const td_tree_tile *tile, int rows, int vectors, int ld, double *U, int j) {
  td_vec sum[TD_TILE_ROWS][TD_TILE_VECTORS];
  int i = tile->row;
  td_tile_load(sum, rows, vectors, ld, U + i * ld + j);
  for (const td_tree_range *r = t->range + tile->begin; r < t->range + tile->end; r++)
    td_tile_subtract(sum, rows, vectors, r->to - r->from, U + r->from * ld + i, ld, 1, U + r->from * ld + j, ld);
  td_tile_store(sum, rows, vectors, ld, U + i * ld + j);
}

TD_INLINE void take_all(const td_tree_order *t, const td_tree_tile *tile, int rows, int ld, double *U) {
  int j = tile->row / TD_LANES * TD_LANES;
  for (; j + TD_TILE_VECTORS * TD_LANES <= ld; j += TD_TILE_VECTORS * TD_LANES)
    take(t, tile, rows, TD_TILE_VECTORS, ld, U, j);
  for (; j < ld; j += TD_LANES) take(t, tile, rows, 1, ld, U, j);
}

static void reverse(int n, int ldm, const double *M, int ld, double *U) {
  for (int i = 0; i < n; i++) {
    const double *from = M + (n - 1 - i) * ldm + n - 1;
    double *row = U + i * ld;
    for (int j = 0; j < n; j++) row[j] = from[-j];
    for (int j = n; j < ld; j++) row[j] = 0;
  }
}

td_status td_tree_factor(const td_tree_order *t, int ldm, const double *M, int ld, double *U) {
  assert(ldm >= t->n && ld >= t->n && ld % TD_LANES == 0);
  reverse(t->n, ldm, M, ld, U);
  for (const td_tree_tile *tile = t->ahead; tile < t->ahead + t->ahead_count; tile++) {
    if (tile->begin == tile->end)
      ; // nothing hangs from these
    else if (tile->rows == TD_TILE_ROWS)
      take_all(t, tile, TD_TILE_ROWS, ld, U);
    else
      take_all(t, tile, 1, ld, U);
    if (!td_tile_factor(tile->row, tile->rows, ld, U)) return TD_SINGULAR;
  }
  return TD_OK;
}

bool td_tree_above(const td_tree_order *t, int ldm, const double *M, int ld, const double *U, double least) {
  assert(least >= 0 && least < 1);
  bool above = true;
  for (int k = 0; k < t->n; k++) {
    double root = 1 / U[k * ld + k];
    int i = t->n - 1 - k;
    above &= root * root > least * M[i * ldm + i];
  }
  return above;
}

// ------------------------------------------------------------------------------------------------ one right-hand side

// x counts from the last: x[-j] belongs to row j.
void td_tree_forward(const td_tree_order *t, int ld, const double *U, double *x) {
  x += t->n - 1;
  for (const td_tree_tile *tile = t->back + t->back_count; tile-- > t->back;)
    for (int k = tile->row; k < tile->row + tile->rows; k++) {
      const double *row = U + k * ld;
      double f = x[-k] *= row[k];
      for (int j = k + 1; j < tile->row + tile->rows; j++) x[-j] -= row[j] * f;
      for (const td_tree_range *r = t->range + tile->begin; r < t->range + tile->end; r++)
        for (int j = r->from; j < r->to; j++) x[-j] -= row[j] * f;
    }
}

void td_tree_backward(const td_tree_order *t, int ld, const double *U, double *x) {
  x += t->n - 1;
  for (const td_tree_tile *tile = t->back; tile < t->back + t->back_count; tile++)
    for (int k = tile->row + tile->rows - 1; k >= tile->row; k--) {
      const double *row = U + k * ld;
      double sum = x[-k];
      for (int j = k + 1; j < tile->row + tile->rows; j++) sum -= row[j] * x[-j];
      for (const td_tree_range *r = t->range + tile->begin; r < t->range + tile->end; r++)
        for (int j = r->from; j < r->to; j++) sum -= row[j] * x[-j];
      x[-k] = sum * row[k];
    }
}

// ------------------------------------------------------------------------------------------------ many right-hand sides

TD_INLINE void forward_tile(const td_tree_order *t, const td_tree_tile *tile, int rows, int vectors, int ld,
                            const double *U, int ldx, double *X) {
  td_vec sum[TD_TILE_ROWS][TD_TILE_VECTORS];
  int i = tile->row;
  td_tile_load(sum, rows, vectors, ldx, X + i * ldx);
  for (const td_tree_range *r = t->range + tile->begin; r < t->range + tile->end; r++)
    td_tile_subtract(sum, rows, vectors, r->to - r->from, U + r->from * ld + i, ld, 1, X + r->from * ldx, ldx);
  td_tile_forward(sum, rows, vectors, ld, U + i * ld + i);
  td_tile_store(sum, rows, vectors, ldx, X + i * ldx);
}

TD_INLINE void backward_tile(const td_tree_order *t, const td_tree_tile *tile, int rows, int vectors, int ld,
                             const double *U, int ldx, double *X) {
  td_vec sum[TD_TILE_ROWS][TD_TILE_VECTORS];
  int i = tile->row;
  td_tile_load(sum, rows, vectors, ldx, X + i * ldx);
  for (const td_tree_range *r = t->range + tile->begin; r < t->range + tile->end; r++)
    td_tile_subtract(sum, rows, vectors, r->to - r->from, U + i * ld + r->from, 1, ld, X + r->from * ldx, ldx);
  td_tile_backward(sum, rows, vectors, ld, U + i * ld + i);
  td_tile_store(sum, rows, vectors, ldx, X + i * ldx);
}

TD_INLINE void solve_block(const td_tree_order *t, int ld, const double *U, int vectors, bool ahead, int ldx,
                           double *X) {
  if (ahead)
    for (const td_tree_tile *tile = t->ahead; tile < t->ahead + t->ahead_count; tile++)
      if (tile->rows == TD_TILE_ROWS)
        forward_tile(t, tile, TD_TILE_ROWS, vectors, ld, U, ldx, X);
      else
        forward_tile(t, tile, 1, vectors, ld, U, ldx, X);
  else
    for (const td_tree_tile *tile = t->back; tile < t->back + t->back_count; tile++)
      if (tile->rows == TD_TILE_ROWS)
        backward_tile(t, tile, TD_TILE_ROWS, vectors, ld, U, ldx, X);
      else
        backward_tile(t, tile, 1, vectors, ld, U, ldx, X);
}

// Rows of X are met from the last on: their stride is negative.
static void solve_many(const td_tree_order *t, int ld, const double *U, int columns, bool ahead, int ldx, double *X) {
  assert(columns >= 0 && columns <= ldx && ldx % TD_LANES == 0 && ld >= t->n);
  int c = 0;
  X += (t->n - 1) * ldx;
  for (; c + TD_TILE_VECTORS * TD_LANES <= columns; c += TD_TILE_VECTORS * TD_LANES)
    solve_block(t, ld, U, TD_TILE_VECTORS, ahead, -ldx, X + c);
  for (; c + 2 * TD_LANES <= columns; c += 2 * TD_LANES) solve_block(t, ld, U, 2, ahead, -ldx, X + c);
  for (; c < columns; c += TD_LANES) solve_block(t, ld, U, 1, ahead, -ldx, X + c);
}

void td_tree_forward_many(const td_tree_order *t, int ld, const double *U, int columns, int ldx, double *X) {
  solve_many(t, ld, U, columns, true, ldx, X);
}

void td_tree_backward_many(const td_tree_order *t, int ld, const double *U, int columns, int ldx, double *X) {
  solve_many(t, ld, U, columns, false, ldx, X);
}

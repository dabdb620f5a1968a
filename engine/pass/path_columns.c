// Columns of all that moves a frame of a node, read where they are kept.
#include "pass/path_columns.h"
#include <assert.h>

void td_path_columns(const td_model *m, const td_workspace *ws, const td_loop_frame *f, int row, double sign, int rows,
                     const double *W, int ld, double *out) {
  assert(td_holds(ws, row == TD_ROW_J ? TD_HOLDS_COLUMNS : TD_HOLDS_COLUMNS | TD_HOLDS_SLOPES));
  assert(row == TD_ROW_J || row == TD_ROW_R || row == TD_ROW_Q || row == TD_ROW_Y);
  for (int i = 0; i < f->range_count; i++)
    for (int c = 0; c < f->range[i].count; c += TD_LANES) {
      td_vec column[6];
      int left = f->range[i].count - c;
      for (int k = 0; k < 6; k++)
        column[k] = sign * *(const td_vecu *)(ws->kept + (row + k) * m->kept_stride + f->range[i].first + c);
      for (int r = 0; r < rows; r++) {
        const double *w = W + 6 * r;
        double *to = out + r * ld + f->range[i].coordinate + c;
        td_vec sum = w[0] * column[0] + w[1] * column[1] + w[2] * column[2] + w[3] * column[3] + w[4] * column[4] +
                     w[5] * column[5];
        if (left >= TD_LANES)
          *(td_vecu *)to += sum;
        else
          for (int l = 0; l < left; l++) to[l] += sum[l];
      }
    }
}

// The frame that three material points span, n1 = (x1 - x0)/|.|, n3 = n1 x (x2 - x0)/|.|, n2 = n3 x n1, and
// how it turns.
#ifndef TENDRIL_ELEMENT_FRAME_OF_POINTS_H
#define TENDRIL_ELEMENT_FRAME_OF_POINTS_H

/// Angular velocity of the frame as omega = sum_i S_i z_i' of the six components z = (x1 - x0, x2 - x0), in the axes of
/// z.
typedef struct td_turning {
  double R[9];               ///< columns n1, n2, n3
  double S[6][3];            ///< S_i
  double first[6][6][3];     ///< dS_i/dz_j
  double second[6][6][6][3]; ///< d2S_i/dz_j dz_k
} td_turning;

/// z [6] m. Collinear points give no frame: the results are not finite. Pure, no allocation. Source: Pustina2025
/// (5)-(7).
void td_frame_of_points(const double z[6], td_turning *out);

#endif

// The rim of a cylinder before a plane: four points of a circle, of which the first is the one that is nearest.
//
// With the plane's normal n, the axis a and the circle's radius R,
//   e_1 = -(n - a (a.n)) / |n - a (a.n)|,  e_2 = a x e_1,  points R e_1, R e_2, -R e_1, -R e_2 from the circle's middle:
// they go round the rim as the cylinder rolls, so that it rolls as one that is round. The second and fourth are as near
// as the middle, what their places would add to the gradient of a potential cancels, and a circle that lies flat is
// pressed alike whichever way its points lie: forces are those of a potential, and do not jump where it comes to lie.
#ifndef TENDRIL_ELEMENT_RIM_H
#define TENDRIL_ELEMENT_RIM_H

#include <stdbool.h>

enum { TD_RIM_QUARTERS = 4 };

typedef struct td_rim {
  double radius, axis[3], e[2][3]; ///< world axes
  double lean, rise;               ///< a.n, |n - a (a.n)|
  int quarter;                     ///< of 4
  bool flat;                       ///< no point is nearest: e are fixed in the body
} td_rim;

/// R [9] of the body, axis (unit) in its frame, n in the world. O(1).
void td_rim_at(const double R[9], const double axis[3], double radius, int quarter, const double n[3], td_rim *out);
/// From the middle of the circle to the point, m.
void td_rim_offset(const td_rim *rim, double out[3]);
/// How that changes, seen from the body, where n turns by dn.
void td_rim_turn(const td_rim *rim, const double dn[3], double out[3]);

#endif

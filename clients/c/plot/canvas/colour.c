// Colour tables: nine knots of viridis, linearly interpolated; Paul Tol's bright qualitative scheme.
#include "plot/canvas/colour.h"

static const colour viridis[] = {{.267, .005, .329}, {.279, .175, .483}, {.230, .322, .546},
                                 {.173, .449, .558}, {.128, .567, .551}, {.158, .683, .502},
                                 {.369, .789, .383}, {.678, .864, .190}, {.993, .906, .144}};
enum { KNOTS = sizeof viridis / sizeof *viridis };

colour colour_of_time(double s) {
  double at = (s > 0 ? (s < 1 ? s : 1) : 0) * (KNOTS - 1); // NaN is the first
  int i = at >= KNOTS - 1 ? KNOTS - 2 : (int)at;
  double k = at - i;
  colour a = viridis[i], b = viridis[i + 1];
  return (colour){a.r + k * (b.r - a.r), a.g + k * (b.g - a.g), a.b + k * (b.b - a.b)};
}

colour colour_of_curve(int i) {
  static const colour bright[] = {{.267, .467, .667}, {.933, .400, .467}, {.133, .533, .200}, {.800, .733, .267},
                                  {.400, .800, .933}, {.667, .200, .467}, {.45, .45, .45}};
  return bright[i % (int)(sizeof bright / sizeof *bright)];
}

colour colour_towards(colour c, colour other, double k) {
  return (colour){c.r + k * (other.r - c.r), c.g + k * (other.g - c.g), c.b + k * (other.b - c.b)};
}

colour colour_lighter(colour c, double k) { return colour_towards(c, (colour){1, 1, 1}, k); }

// Colours: a perceptually even scale for time (viridis) and a palette for curves that colour-blind readers tell apart.
#ifndef TENDRIL_CLIENT_COLOUR_H
#define TENDRIL_CLIENT_COLOUR_H

enum { COLOUR_CURVES = 7 };

typedef struct colour {
  double r, g, b;
} colour;

/// s in [0, 1], first to last instant.
colour colour_of_time(double s);
colour colour_of_curve(int i);
/// Towards another colour (k = 1) or itself (k = 0).
colour colour_towards(colour c, colour other, double k);
colour colour_lighter(colour c, double k);

#endif

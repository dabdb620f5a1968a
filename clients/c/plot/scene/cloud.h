// The workspace: where the tip is in every row, as dots coloured by the number that tells the rows apart.
#ifndef TENDRIL_CLIENT_CLOUD_H
#define TENDRIL_CLIENT_CLOUD_H

#include "plot/scene/stage.h"

/// Whether a result holds tips and nothing else of the robot, in rows enough for a cloud.
bool cloud_exists(const recording *r);
/// The dots, the nearest to the eye last, over what is drawn already in `bounds`; the larger, the larger a third number.
void cloud_draw(cairo_t *c, const stage *s, const view *eye, const box *bounds);
/// What the colours mean, at the lower edge of `place`.
void cloud_draw_scale(cairo_t *c, const stage *s, rect place);
/// "dots: tip of arm, small to large: pull (N) 0 to 4; 5 of 144 robots".
void cloud_tell(const stage *s, char *text, size_t size);

#endif

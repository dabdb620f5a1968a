// A result as a film: the robot moves, and a line goes along its curves.
#ifndef TENDRIL_CLIENT_FILM_H
#define TENDRIL_CLIENT_FILM_H

#include "plot/figure.h"

typedef struct film_style {
  const char *format; ///< one that film_format_named knows
  double seconds;     ///< how long it lasts; 0: as long as the motion, within 4 and 20 s
  long rate;          ///< frames a second; 0: 25
} film_style;

/// "mp4" or "gif" in small letters; NULL for others.
const char *film_format_named(const char *name);

/// Draws a frame after the other and lets ffmpeg make a film of them, which is written to a path as
/// api/c/output_file.h reads it. Returns the exit status, not EXIT_OK after a line that says why.
int film_write(const recording *r, const figure_style *style, const film_style *film, const char *path);

#endif

// The whole picture of a result.
#ifndef TENDRIL_CLIENT_FIGURE_H
#define TENDRIL_CLIENT_FIGURE_H

#include "plot/curves/panels.h"
#include "plot/modes/spectrum.h"
#include "plot/scene/shapes.h"

typedef enum figure_format { FIGURE_PNG, FIGURE_SVG, FIGURE_PDF } figure_format;

typedef struct figure_style {
  shapes_style shapes;
  figure_format format;
  long width, height; ///< in units of which text is 13 to 24 high
  double scale;       ///< pixels per unit
  const char *fields; ///< panels by name, separated by commas; NULL: the usual ones; "": none
  bool curves_only;   ///< no shapes
} figure_style;

/// "png", "svg" or "pdf"; false for others.
bool figure_format_named(const char *name, figure_format *format);

typedef struct figure {
  const recording *r;
  figure_style style;
  panel_list list, records;
  spectrum *spectra; ///< of a linearisation, unless only curves are wanted
  size_t spectrum_count;
} figure;

/// What will be drawn. Returns the exit status, not EXIT_OK after a line that says why; then nothing is held.
int figure_open(figure *f, const recording *r, const figure_style *style);
void figure_close(figure *f);
/// The whole picture, with f->style as it is now.
void figure_draw(const figure *f, cairo_t *c);

/// Writes a picture of the robot's shapes (when poses were recorded) and a column of curves to a path as
/// api/c/output_file.h reads it. Returns the exit status, not EXIT_OK after a line that says why.
int figure_write(const recording *r, const figure_style *style, const char *path);

#endif

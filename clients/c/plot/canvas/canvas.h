// Text, axes and curves on a cairo surface.
#ifndef TENDRIL_CLIENT_CANVAS_H
#define TENDRIL_CLIENT_CANVAS_H

#include "plot/canvas/colour.h"
#include <cairo.h>
#include <stdbool.h>
#include <stddef.h>

enum { CURVE_LIMIT = 256, TICK_LIMIT = 24, MARKS_MOST = 64 };

typedef struct rect {
  double x, y, width, height;
} rect;

typedef struct curve {
  const double *y; ///< [samples], `stride` doubles apart
  size_t stride;
  colour paint;
  double line_width;
  bool dashed;
  bool scattered; ///< dots without lines, whatever its panel has: what was measured
  char label[40]; ///< "" keeps it out of the legend
  char name[64];  ///< of its bar, "": the label
} curve;

typedef enum mark_kind { MARK_LIMIT, MARK_BRANCH, MARK_EVENT } mark_kind;

typedef struct mark {
  double x, y; ///< of an event only x, which is a line across the panel
  mark_kind kind;
} mark;

typedef struct panel {
  char title[96], unit[16], x_label[128];
  bool dots;     ///< samples are problems of their own, not a course of time
  bool linked;   ///< lines between few dots: neighbours have to do with one another
  bool log_x;    ///< x by powers of ten
  double still;  ///< curves that stay within this are drawn as the line that they are
  bool own_axis; ///< x is not that of the panels beside it, and may turn back
  const double *x;
  const size_t *next; ///< of every sample the one that a line leads to, `samples`: none; NULL: the one behind it
  size_t samples;
  curve curves[CURVE_LIMIT];
  int count;
  mark marks[MARKS_MOST];
  int mark_count;
  const double *now;    ///< x at which a film is; NULL in pictures
  const double *family; ///< [samples] of a grid: the number that tells its lines apart; NULL: there is one line
  double family_low, family_high;
  char family_name[128];
} panel;

/// Whether lines and dots of a panel have the colours of its family: its only curve needs none.
bool canvas_by_family(const panel *p);

typedef enum align { ALIGN_LEFT, ALIGN_CENTRE, ALIGN_RIGHT } align;

void canvas_colour(cairo_t *c, colour paint);
/// Text whose baseline starts (ends, is centred) at x, y.
void canvas_text(cairo_t *c, double x, double y, double size, align where, bool bold, const char *text);
double canvas_text_width(cairo_t *c, double size, const char *text);
/// At most `most` round values that cover [low, high]; returns how many.
int canvas_ticks(double low, double high, int most, double ticks[TICK_LIMIT]);
void canvas_number(char *out, size_t size, double value, double step);
/// The title of a panel; returns what is left below it for axes, without `below` units, and where the title ends.
rect canvas_title(cairo_t *c, rect place, const panel *p, double below, double *end);
/// Title and legend, beside it or in rows below it.
rect canvas_heading(cairo_t *c, rect place, const panel *p, double below);
/// Axes with grid, ticks, title, legend and the curves. `last` panels of a column carry the label of x.
void canvas_panel(cairo_t *c, rect place, const panel *p, bool last);

#endif

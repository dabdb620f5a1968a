// What a picture of shapes shows: which instants, how large a box, from where.
#ifndef TENDRIL_CLIENT_STAGE_H
#define TENDRIL_CLIENT_STAGE_H

#include "plot/canvas/canvas.h"
#include "plot/curves/family.h"
#include "plot/recording.h"
#include "plot/scene/touching.h"

typedef enum shapes_layout { SHAPES_AUTO, SHAPES_TOGETHER, SHAPES_APART } shapes_layout;

enum { INSTANTS_MOST = 200 };

typedef struct shapes_style {
  shapes_layout layout;
  long instants;               ///< how many shapes, 0: as many as suit the layout
  double times[INSTANTS_MOST]; ///< those that were asked for: s, or numbers of problems or jobs
  long time_count;             ///< 0: what moves chooses
  double azimuth, elevation;   ///< of the eye, degrees; NaN: what suits the robot
  const char *link;            ///< whose tip leaves the trace, NULL: the last of the tree
  bool collision;              ///< what bodies touch with is drawn
  double finer;                ///< pixels per unit of the picture
} shapes_style;

typedef struct stage {
  const recording *r;
  shapes_style style; ///< nothing left open
  box bounds;         ///< of everything that is drawn
  vec reach;          ///< largest size of the robot at one instant
  double travel;      ///< of the tip, as a share of the longest side
  double thin;        ///< radius of the trace and of links without a body
  double *tip;        ///< [samples][3] or NULL
  size_t targets;     ///< how many points a design asks for
  char tip_name[128];
  touching_scale force;         ///< of arrows where bodies touch
  family kin;                   ///< rows that are answers of their own: what colours them; `value` NULL: a course
  size_t sample[INSTANTS_MOST]; ///< [instants], rising
} stage;

/// Measures the robot and fills in what `style` leaves open; `place` is where it will be drawn.
stage stage_open(const recording *r, const shapes_style *style, rect place);
void stage_close(stage *s);
/// The sample of instant i, and its share of the time.
size_t stage_sample(const stage *s, long i);
double stage_share(const stage *s, size_t sample);
/// Whether the tip's path is drawn.
bool stage_traces(const stage *s);
/// Whether all tips are drawn as dots, coloured by s->kin: the workspace.
bool stage_clouds(const stage *s);
/// Whether the robots are there only to show to what the dots belong.
bool stage_is_faint(const stage *s);
/// The box around one instant when the robot travels so far that it would be small in the whole one: as large for
/// every instant.
bool stage_follows(const stage *s);
box stage_bounds_at(const stage *s, long i);
/// Whether the tips of a cloud lie in a corner of the robot's box: then the box around them, and from how high it is
/// looked at, degrees.
bool stage_crowds(const stage *s, box *tips, double *elevation);
/// Instants [first, last], and the tip's path up to the last of them, onto `solid`; `scale` units of the picture are one
/// metre.
void stage_draw(const stage *s, scene *solid, const box *bounds, double scale, long first, long last);
/// What the bodies touch with at instants [first, last], over what is drawn already.
void stage_draw_collision(const stage *s, cairo_t *c, const view *eye, long first, long last);
/// Where bodies touch at instants [first, last], and the forces there, on top of all else.
void stage_draw_touching(const stage *s, scene *solid, const box *bounds, double scale, long first, long last);
/// What the robot touches, and where it was to be.
void stage_draw_around(const stage *s, scene *solid, const box *bounds);
/// How many times as thick as it is the thinnest rod is drawn at this scale, 1: as it is.
double stage_thickened(const stage *s, double scale);

#endif

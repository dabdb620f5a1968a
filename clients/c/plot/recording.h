// A result file as things to draw: times, curves, the robot's links over time.
#ifndef TENDRIL_CLIENT_RECORDING_H
#define TENDRIL_CLIENT_RECORDING_H

#include "plot/scene/robot.h"
#include "tendril_client.h"
#include <jansson.h>

enum { TRACK_LIMIT = 256 };

typedef struct recording {
  tendril_arrays *file;
  json_t *summary;      ///< NULL when the file has none
  const json_t *model;  ///< the model document, NULL when unknown; of a design the one that was found
  json_t *found_model;  ///< owns it there
  tendril_found *found; ///< of a fit, a design or a gradient, else NULL
  bool statics;         ///< time is no axis: samples are problems, or what jobs of a sweep ended with
  bool ends;            ///< a sweep of dynamics: a row per job, which is its end
  bool sweep;
  bool linear; ///< of kind linearize: states, and A and B there
  size_t samples;
  const double *t; ///< [samples] s, NULL: there is none
  const double *x; ///< [samples] time in s, the problem's index, or the job's in its sweep
  double *numbers; ///< owns x where it is an index that the file does not hold
  track tracks[TRACK_LIMIT];
  int track_count;
  track first[TRACK_LIMIT]; ///< of a design: where the search began
  int first_count;
  tendril_array rebuilt[TRACK_LIMIT]; ///< owned: "poses:LINK" as a server placed them from q (plot/rebuilt.h)
  int rebuilt_count;
} recording;

/// Prints a line and returns false when the file cannot be drawn.
bool recording_open(recording *r, const char *path);
void recording_close(recording *r);
/// Makes tracks of `rebuilt`, once it holds every link.
void recording_take_rebuilt(recording *r);
/// Frees `rebuilt`, which no track has taken.
void recording_drop_rebuilt(recording *r);
/// A field with one row per sample as doubles [samples][*columns], borrowed; NULL when the result has none.
const double *recording_field(const recording *r, const char *name, size_t *columns);
/// "t (s)", "problem" or "job": what x counts.
const char *recording_axis(const recording *r);
const track *recording_track(const recording *r, const char *link);
/// The track that a link hangs from, NULL for the world or when it was not recorded.
const track *recording_parent(const recording *r, const track *k);
/// A named entry of a list in the summary: coordinates, channels. NULL when there is none.
const char *recording_name(const recording *r, const char *list, size_t i);
/// The entry of a list in the model document (links, actuators) with this name; NULL when there is none.
const json_t *recording_entry(const recording *r, const char *list, const char *name, size_t length);
/// Positions [samples][3] of the end effector: the tip of `link`, NULL: of the last rod of the model's tree whose poses
/// were recorded (else the last link), whatever the order of output.fields; and its name. The caller frees it.
double *recording_tip(const recording *r, const char *link, char *name, size_t size);

#endif

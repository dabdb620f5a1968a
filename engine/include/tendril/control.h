// Laws that give inputs from (t, q, qd), and the references that they follow.
#ifndef TENDRIL_CONTROL_H
#define TENDRIL_CONTROL_H

#include "tendril/dynamics.h"

/// The controllers, a line each: enumerator and row, td_controller_<row>, which a file in control/ exports.
#define TD_CONTROLLERS(LINE)                                                                                           \
  LINE(PD_PLUS, pd_plus)                                                                                               \
  LINE(COMPUTED_TORQUE, computed_torque)                                                                               \
  LINE(PARTIAL_FEEDBACK_LINEARISATION, partial_feedback_linearisation)                                                 \
  LINE(FEED_FORWARD, feed_forward)

#define TD_CONTROLLER_ENUMERATOR(word, row) TD_CONTROLLER_##word,
typedef enum td_controller_type {
  TD_CONTROLLERS(TD_CONTROLLER_ENUMERATOR) TD_CONTROLLER_TYPE_COUNT
} td_controller_type;
/// "pd_plus", "computed_torque" …; constant memory.
TD_API const char *td_controller_type_name(td_controller_type type);

/// What a reference says: coordinates, lengths of the channels' tendons, positions of tips, or the inputs themselves.
typedef enum td_reference_space {
  TD_SPACE_JOINT,
  TD_SPACE_TENDON,
  TD_SPACE_TIP,
  TD_SPACE_INPUT, ///< no word in documents: feed_forward without a space
  TD_SPACE_COUNT
} td_reference_space;
/// "joint", "tendon", "tip".
TD_API const char *td_reference_space_name(td_reference_space space);

typedef enum td_interpolation {
  TD_INTERPOLATION_CUBIC,  ///< from knot to knot, at rest in each
  TD_INTERPOLATION_SPLINE, ///< natural cubic spline
  TD_INTERPOLATION_LINEAR, ///< feed_forward only
  TD_INTERPOLATION_COUNT
} td_interpolation;
/// "cubic", "spline", "linear".
TD_API const char *td_interpolation_name(td_interpolation interpolation);

typedef struct td_reference_spec {
  td_reference_space space;
  const char *const *coordinates; ///< joint: one per channel; count 0: those of the joint actuators, or all free ones
  size_t coordinate_count;
  const char *const *tips; ///< tip: links; count 0: the last link of the model
  size_t tip_count;
  const double *t;     ///< [knots], rising strictly; the reference is held outside
  const double *value; ///< [rows][width], one row per knot: rad, m; lengths m; x, y, z of each tip, m
  size_t knots, rows, width;
  td_interpolation interpolation;
} td_reference_spec;

/// A law that gives the inputs of some channels from (t, q, qd). engine/control/controller.c has the equations.
typedef struct td_controller_spec {
  td_controller_type type;
  const char *const *channels;
  size_t channel_count;
  const double *kp, *kd; ///< [1] for all channels, or one each; not of feed_forward
  size_t kp_count, kd_count;
  double from, until; ///< s: acts in [from, until), its inputs are 0 outside; until 0: to the end
  td_reference_spec reference;
} td_controller_spec;

enum { TD_MAX_CONTROLLERS = 64 };

#endif

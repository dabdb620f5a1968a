// What controller*.c and static_inversion.c share.
#ifndef TENDRIL_CONTROL_PARTS_H
#define TENDRIL_CONTROL_PARTS_H

#include "control/controller.h"
#include "model/model.h"
#include "spec/place.h"

typedef enum td_law { TD_LAW_FEED_FORWARD, TD_LAW_REGULATE, TD_LAW_LINEARISE } td_law;

struct td_controlled;

/// A type of controller: which references it takes and what it does. Those that linearise are solved for together: they
/// have neither function.
typedef struct td_controller_row {
  const char *name; ///< the document's word
  td_law law;       ///< what is asked of its document: outputs and gains, or nothing but values
  unsigned spaces;  ///< bits 1 << td_reference_space
  /// Its channels of u [m], of which those of controllers before it are set.
  td_status (*eval)(td_control *s, const struct td_controlled *c, const td_control_state *at, double *u);
  /// Rows of s->du_dq, s->du_dqd [m][n] of its channels, which are 0, at the u that it gave. NULL: it does not look at
  /// the state.
  td_status (*slopes)(td_control *s, const struct td_controlled *c, const td_control_state *at, const double *u);
} td_controller_row;

#define TD_CONTROLLER_ROW(word, row) extern const td_controller_row td_controller_##row;
TD_CONTROLLERS(TD_CONTROLLER_ROW)
const td_controller_row *td_controller_get(td_controller_type type);

/// What a controller watches: exactly one of both is not -1.
typedef struct td_watched {
  int coordinate, tendon;
} td_watched;

typedef struct td_controlled {
  const td_controller_row *row;
  int width;          ///< channels, and outputs
  int *channel;       ///< [width]
  td_watched *output; ///< [width]; not of feed_forward
  double *kp, *kd;    ///< [width]
  bool collocated;    ///< output i is the one that channel i does work on
  double from, until;
  td_track track;
  double (*shift)[3]; ///< [width] added to what the reference says: how the law answers to it; NULL: nothing
} td_controlled;

struct td_control {
  const td_model *model;
  td_workspace *ws;
  const td_inputs *inputs;
  td_control_hooks hooks;
  int n, m, count, linear_count; ///< linear_count: channels of linearising controllers
  bool accelerated;              ///< fd is that of the u last given
  td_controlled *item;           ///< [count]
  int *pivot, *stack;            ///< [m], [2 m] outputs solved for together: item, index
  double *zero, *fd, *r, *x;     ///< [n]
  double (*motion)[3];           ///< [tendons]
  double *gradient, *tension;    ///< [tendons][n], [tendons]
  double *u, *w, *F;             ///< [m]
  double *square, *size;         ///< [m][m], [m] what its columns come from, at the most
  double *B, *dfd_du;            ///< [n][m]
  double *K, *C, *H;             ///< [n][n]
  double *du_dq, *du_dqd;        ///< [m][n]
  double *Fq, *Fv;               ///< [m][n]
};

static inline bool td_controlled_acts(const td_controlled *c, double t_side) {
  return t_side >= c->from && t_side < c->until;
}

/// The reference of output i (of feed_forward: of channel i), value, velocity and acceleration.
void td_controlled_reference(const td_controlled *c, int i, const td_control_state *at, double out[3]);

/// Index of a coordinate by its name or that of the channel that drives it, -1.
int td_coordinate_find(const td_model *model, const char *name);
/// The output that a channel does work on: a tendon's length, a joint's coordinate; false: a pressure or a load.
bool td_channel_output(const td_model *model, int channel, td_watched *output);
/// The outputs of a controller whose reference is in joint space, -1 in `coordinate` [width] where a name is unknown.
/// False: the spec names none and it is not clear which are meant.
bool td_joint_outputs(const td_model *model, const td_controller_spec *spec, int *coordinate);
/// "/controller" or "/controller/2"; `all` is storage for the place above.
td_place td_controller_place(const td_place *root, const td_dynamics_spec *spec, size_t index, td_place *all);

/// Values of all outputs at q: out [width], and Jacobian [width][n] when not NULL.
TD_NODISCARD td_status td_outputs_at(td_control *control, const td_watched *output, int width, const double *q,
                                     double *out, double *jacobian);

/// The laws that stand alone, and the derivatives of the second, for rows.
td_status td_feed_forward(td_control *s, const td_controlled *c, const td_control_state *at, double *u);
td_status td_regulate(td_control *s, const td_controlled *c, const td_control_state *at, double *u);
td_status td_regulator_slopes(td_control *s, const td_controlled *c, const td_control_state *at, const double *u);

// controller.c: parts that its derivatives (control/slopes.c) share.
bool td_outputs_have_tendons(const td_watched *output, int width);
/// Of u only what loads do: out [m].
void td_loads_only(const td_control *s, const double *u, double *out);
/// s->w [width] = the feedback of a regulator; collocated: as a force of each channel.
TD_NODISCARD td_status td_regulator_feedback(td_control *s, const td_controlled *c, const td_control_state *at);
/// Product of columns a and b of s->B.
double td_column_product(const td_control *s, int a, int b);
/// Outputs of all linearising controllers that act now: s->stack [count][item, index].
int td_stack_outputs(td_control *s, double t_side);
/// s->fd, s->dfd_du and, when not NULL, the others; s->motion along fd, s->gradient.
TD_NODISCARD td_status td_controlled_accelerations(td_control *s, const td_control_state *at, const double *u,
                                                   double *dfd_dq, double *dfd_dqd);
/// dy''/du of one output and one channel.
double td_decoupling(const td_control *s, const td_watched *o, int channel);
/// s->square [count][count] of the stacked outputs.
void td_decoupling_matrix(td_control *s, int count);

#endif

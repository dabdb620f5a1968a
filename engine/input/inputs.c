// The inputs of a run: which signal goes to which channel, all of them evaluated into u, and the next of their events.
#include "input/inputs.h"
#include "input/signal.h"
#include "model/model.h"
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct td_inputs {
  int channel_count;
  size_t count;
  int *channel;      // [count] where signal i goes
  bool *drives;      // [count] it prescribes a coordinate
  td_signal *signal; // [count]
};

int td_channel_coordinate(const td_model *model, int channel) {
  int driven = -1;
  for (int i = 0; i < td_model_prescribed_count(model); i++) {
    int coordinate = td_model_prescribed_coordinate(model, i, &driven);
    if (driven == channel) return coordinate;
  }
  return channel >= 0 && channel < model->actuator_channel_count ? model->channel[channel].coordinate : -1;
}

// What alone drives a joint's coordinate is known by its name, too.
static int find_driver(const td_model *model, const char *coordinate) {
  int found = -1;
  for (int i = 0; i < model->actuator_channel_count; i++) {
    int own = td_channel_coordinate(model, i);
    if (own < 0 || strcmp(td_model_coordinate_name(model, own), coordinate) != 0) continue;
    if (found >= 0) return -1;
    found = i;
  }
  return found;
}

int td_channel_find(const td_model *model, const char *name) {
  for (int i = 0; i < td_model_channel_count(model); i++)
    if (strcmp(td_model_channel_name(model, i), name) == 0) return i;
  return find_driver(model, name);
}

void td_channel_tell(const td_model *model, int channel, char *out, size_t size) {
  int coordinate = td_channel_coordinate(model, channel);
  snprintf(out, size, coordinate < 0 ? "%s" : "%s (%s)", td_model_channel_name(model, channel),
           coordinate < 0 ? "" : td_model_coordinate_name(model, coordinate));
}

bool td_channel_drives(const td_model *model, int channel) {
  for (int i = 0; i < td_model_prescribed_count(model); i++) {
    int driven = -1;
    (void)td_model_prescribed_coordinate(model, i, &driven);
    if (driven == channel) return true;
  }
  return false;
}

td_status td_inputs_create(const td_model *model, const td_input_spec *specs, size_t count, td_inputs **inputs) {
  td_inputs *in = calloc(1, sizeof *in);
  *inputs = in;
  if (!in) return TD_NO_MEMORY;
  in->channel_count = td_model_channel_count(model);
  in->channel = calloc(count + 1, sizeof *in->channel);
  in->drives = calloc(count + 1, sizeof *in->drives);
  in->signal = calloc(count + 1, sizeof *in->signal);
  td_status status = in->channel && in->drives && in->signal ? TD_OK : TD_NO_MEMORY;
  for (size_t i = 0; !status && i < count; i++) {
    in->channel[i] = td_channel_find(model, specs[i].channel);
    status = in->channel[i] < 0 ? TD_INVALID_ARGUMENT : td_signal_init(&in->signal[i], &specs[i].signal);
    in->drives[i] = td_channel_drives(model, in->channel[i]);
    in->count = i + 1;
  }
  if (status) {
    td_inputs_destroy(in);
    *inputs = NULL;
  }
  return status;
}

void td_inputs_destroy(td_inputs *inputs) {
  if (!inputs) return;
  for (size_t i = 0; i < inputs->count; i++) td_signal_fini(&inputs->signal[i]);
  free(inputs->channel);
  free(inputs->drives);
  free(inputs->signal);
  free(inputs);
}

void td_inputs_eval(const td_inputs *inputs, double t, double t_side, double *u) {
  for (int i = 0; i < inputs->channel_count; i++) u[i] = 0;
  for (size_t i = 0; i < inputs->count; i++) u[inputs->channel[i]] = td_signal_eval(&inputs->signal[i], t, t_side);
}

double td_inputs_next_event(const td_inputs *inputs, double t) {
  double next = INFINITY;
  for (size_t i = 0; i < inputs->count; i++) {
    const td_signal_spec *s = inputs->signal[i].spec;
    next = fmin(next, inputs->drives[i] ? td_motion_next_event(s, t) : td_signal_next_event(s, t));
  }
  return next;
}

double td_inputs_rate(const td_inputs *inputs, double from, double to, int *channel) {
  assert(from <= to);
  double fastest = 0;
  if (channel) *channel = -1;
  for (size_t i = 0; i < inputs->count; i++) {
    double rate = td_signal_rate(&inputs->signal[i], from, to);
    if (rate > fastest && channel) *channel = inputs->channel[i];
    fastest = fmax(fastest, rate);
  }
  return fastest;
}

void td_inputs_motion(const td_inputs *inputs, int channel, double t, double t_side, double out[3]) {
  assert(channel >= 0 && channel < inputs->channel_count);
  out[0] = out[1] = out[2] = 0;
  for (size_t i = 0; i < inputs->count; i++)
    if (inputs->channel[i] == channel) td_signal_motion(&inputs->signal[i], t, t_side, out);
}

double td_inputs_next_motion_event(const td_inputs *inputs, int channel, double t) {
  double next = INFINITY;
  for (size_t i = 0; i < inputs->count; i++)
    if (inputs->channel[i] == channel) next = fmin(next, td_motion_next_event(inputs->signal[i].spec, t));
  return next;
}

double td_inputs_speed(const td_inputs *inputs, int channel, double t_end) {
  assert(t_end > 0);
  double fastest = 0;
  for (size_t i = 0; i < inputs->count; i++)
    if (inputs->channel[i] == channel) fastest = fmax(fastest, td_signal_speed(&inputs->signal[i], t_end));
  return fastest;
}

double td_inputs_time_scale(const td_input_spec *specs, size_t count) {
  double scale = INFINITY;
  for (size_t i = 0; i < count; i++) scale = fmin(scale, td_signal_time_scale(&specs[i].signal));
  return scale;
}

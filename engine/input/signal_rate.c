// How fast a signal goes to and fro, so that no step strides over it: an integrator that looks at a sine once or twice
// a period sees another one, or none at all.
#include "input/signal.h"
#include <assert.h>
#include <math.h>

static const double TURN = 0.01; // of a table's range: less is noise on a curve

// Half a period for each way from one turn of the curve to the next.
static double table_rate(const td_signal *signal, double from, double to) {
  const td_signal_spec *s = signal->spec;
  size_t first = td_signal_knots_reached(s, from), last = td_signal_knots_reached(s, to);
  double turn = TURN * signal->range, shortest = INFINITY, turned_at = NAN;
  if (first > 0) first--;
  if (last < s->count) last++;
  int way = 0;
  size_t extreme = first;
  for (size_t k = first; k < last; k++) {
    double from_extreme = s->value[k] - s->value[extreme];
    bool back = way ? way * from_extreme < -turn : fabs(from_extreme) > turn;
    if (back && way) { // the extreme was a turn
      if (!isnan(turned_at)) shortest = fmin(shortest, s->t[extreme] - turned_at);
      turned_at = s->t[extreme];
    }
    if (back) way = from_extreme > 0 ? 1 : -1;
    if (back || (way && way * from_extreme >= 0)) extreme = k;
  }
  return 0.5 / shortest;
}

// True where the signal is 0 from `from` to `to`, between which nothing jumps.
static bool is_idle(const td_signal_spec *s, double from, double to) {
  if (s->type == TD_SIGNAL_CONSTANT) return s->offset == 0;
  if (s->type == TD_SIGNAL_SINE) return s->offset == 0 && s->amplitude == 0;
  if (s->type == TD_SIGNAL_PRODUCT || s->type == TD_SIGNAL_SUM) {
    size_t idle = 0;
    for (size_t i = 0; i < s->of_count; i++) idle += is_idle(&s->of[i], from, to);
    return s->type == TD_SIGNAL_PRODUCT ? idle > 0 : idle == s->of_count;
  }
  bool kinks = td_signal_has_few_kinks(s);
  if (s->type != TD_SIGNAL_STEPS && !kinks) return false;
  size_t reached = td_signal_knots_reached(s, 0.5 * (from + to));
  if (s->type == TD_SIGNAL_STEPS) return reached == 0 || s->value[reached - 1] == 0;
  size_t left = reached > 0 ? reached - 1 : 0, right = reached < s->count ? reached : s->count - 1;
  return s->value[left] == 0 && s->value[right] == 0;
}

double td_signal_rate(const td_signal *signal, double from, double to) {
  assert(from <= to);
  const td_signal_spec *s = signal->spec;
  double rate = 0;
  if (is_idle(s, from, to)) return 0;
  if (s->type == TD_SIGNAL_SINE) return s->amplitude != 0 ? fabs(s->frequency) : 0;
  if (s->type == TD_SIGNAL_TABLE && !td_signal_has_few_kinks(s)) return table_rate(signal, from, to);
  if (s->type != TD_SIGNAL_SUM && s->type != TD_SIGNAL_PRODUCT) return 0;
  for (size_t i = 0; i < s->of_count; i++) {
    double term = td_signal_rate(&signal->of[i], from, to);
    rate = s->type == TD_SIGNAL_PRODUCT ? rate + term : fmax(rate, term);
  }
  return rate;
}

static double speed_at(const td_signal *signal, double t) {
  double motion[3];
  td_signal_motion(signal, t, t, motion);
  return fabs(motion[1]);
}

// Of the whole signal in the middle between knots of any part of it.
static double speed_between(const td_signal *whole, const td_signal_spec *part, double t_end) {
  double fastest = 0;
  size_t knots = part->type == TD_SIGNAL_RAMP ? 2 : part->type == TD_SIGNAL_TABLE ? part->count : 0;
  for (size_t i = 1; i < knots; i++) {
    double middle = 0.5 * (part->t[i - 1] + part->t[i]);
    if (middle > 0 && middle < t_end) fastest = fmax(fastest, speed_at(whole, middle));
  }
  for (size_t i = 0; i < part->of_count; i++) fastest = fmax(fastest, speed_between(whole, &part->of[i], t_end));
  return fastest;
}

double td_signal_speed(const td_signal *signal, double t_end) {
  assert(t_end >= 0);
  enum { TIMES = 1000 };
  double fastest = speed_between(signal, signal->spec, t_end);
  for (int i = 0; i <= TIMES; i++) fastest = fmax(fastest, speed_at(signal, t_end * i / TIMES));
  return fastest;
}

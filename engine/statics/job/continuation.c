// A statics job that follows a path of equilibria along one channel (statics/job/path.c), with the stability of each
// and the points where the path turns back (limit points) or meets another (bifurcations).
//
// Steps are as long as the job allows, shorter where Newton needs more corrections or the tangent turns by more than 25
// degrees, and where the point at half of the step denies it: it must lie on the cubic through both ends along their
// tangents (a step on to another part of the path, or to another path, does not), and nothing may have changed sign
// there and back. Limit and branch points between two points are found by regula falsi on the arc length: t_p, the
// determinant, are 0 there. An even number of branches in one step leaves the determinant's sign as it was (a round rod
// buckles both ways at once): the inertia of the stiffness tells them, and each eigenvalue that changes sign is
// followed to its own zero. Without a potential there is no inertia.
#include "base/stopwatch.h"
#include "body/rod/inside_out.h"
#include "spec/place.h"
#include "statics/equilibrium.h"
#include "statics/job/list.h"
#include "statics/job/path.h"
#include "tendril/statics.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LOCATE = 14, HALVINGS = 14, EASY = 3, HARD = 6 };
static const double MIDDLE = 0.02; // of a step: how far its middle may lie beside the cubic
static const double LEAST = 1. / 4096, LOCATED = 1e-9, BESIDE = 1e-6, VANISHED = 1e-2, TOGETHER = 1e-5, NEUTRAL = 1e-11,
                    NEUTRAL_THERE_AND_BACK = 1e-9;

const char *td_path_event_name(td_path_event event) {
  static const char *const names[] = {"limit", "bifurcation"};
  return event >= 0 && event < TD_PATH_EVENT_COUNT ? names[event] : NULL;
}

td_status td_continuation_check(const td_model *model, const td_statics_spec *spec, td_error *err) {
  const td_continuation_spec *c = &spec->continuation;
  td_place root = td_place_root(err), place = td_place_key(&root, "continuation");
  td_place channel = td_place_key(&place, "channel"), steps = td_place_key(&place, "steps"),
           ds = td_place_key(&place, "ds"), to = td_place_key(&place, "to");
  if (td_channel_find(model, c->channel) < 0)
    return td_place_fail(&channel, TD_INVALID_ARGUMENT, "the model has no channel \"%s\"", c->channel);
  if (c->steps < 1 || c->steps >= TD_MAX_STATICS)
    return td_place_fail(&steps, TD_INVALID_ARGUMENT, "must be 1 to %d, is %d", TD_MAX_STATICS - 1, c->steps);
  if (!(c->ds > 0) || !isfinite(c->ds))
    return td_place_fail(&ds, TD_INVALID_ARGUMENT, "must be positive, is %.9g", c->ds);
  if (c->bounded && !isfinite(c->to)) return td_place_fail(&to, TD_INVALID_ARGUMENT, "must be finite");
  if (c->bounded && c->to < 0 && td_model_channel_is_tension(model, td_channel_find(model, c->channel)))
    return td_place_fail(&to, TD_INVALID_ARGUMENT, "a tendon cannot push, its tension is %.6g N", c->to);
  for (size_t i = 0; i < spec->input_count; i++) {
    if (spec->inputs[i].list)
      return td_place_fail(&place, TD_INVALID_ARGUMENT,
                           "the input of \"%s\" is a list: a continuation follows one channel, the others are constant",
                           spec->inputs[i].channel);
    bool own = td_channel_find(model, spec->inputs[i].channel) == td_channel_find(model, c->channel);
    if (own && c->bounded && spec->inputs[i].signal.offset == c->to)
      return td_place_fail(&to, TD_INVALID_ARGUMENT, "is %.9g, where the path starts: \"inputs\" has the first value",
                           c->to);
  }
  return TD_OK;
}

typedef struct walk {
  td_path path;
  const td_continuation_spec *spec;
  const td_statics_hooks *hooks;
  td_statics_output *output;
  td_run_statistics *statistics;
  size_t first, index;      // points before `first` were told by an earlier attempt
  double *u, *saved;        // [m]; [n + d + 3] a point kept while another is located
  double *was, *now;        // [d] eigenvalues of the stiffness, ascending: of the present point, of the next
  double *half;             // [d] of the point at half of the step
  bool known, sure;         // that they are: forces have a potential at the present point, at the next
  td_statics_result judged; // stability of the next
  const char *obstacle;     // what a step that failed met
  double reach;             // arc length from the present point to the channel's last value; INFINITY: not in this step
} walk;

typedef struct event {
  td_path_event kind;
  int eigenvalue, multiplicity; // whose zero is sought; -1: none, that of the determinant or t_p
  double s, place, value,
      test; // arc length of the point nearby, of the zero; the channel there; the eigenvalue after the step
} event;

static bool tell(walk *w, const double *q, td_statics_result *result, const td_error *failure) {
  td_statics_tell(result, w->statistics);
  w->statistics->steps++;
  w->statistics->nonlinear_failures += failure != NULL;
  size_t index = w->index++;
  if (index < w->first || !w->hooks || !w->hooks->solved) return true;
  result->output = td_statics_output_row(w->output, w->u, failure ? NULL : q);
  return w->hooks->solved(w->hooks->context, index, w->u, q, result, failure);
}

// Stability of the point in the solver and the eigenvalues that decide it, into w->judged and w->now.
static void judge(walk *w) {
  td_statics *s = w->path.s;
  w->judged = (td_statics_result){0};
  bool done = !td_statics_judge(s, &w->judged);
  if (!done) w->judged.stable = false;
  w->sure = done && w->judged.conservative;
  if (w->sure) memcpy(w->now, s->trial_r, (size_t)s->d * sizeof *w->now);
}

// The point in the solver, already judged.
static bool tell_point(walk *w) {
  td_statics *s = w->path.s;
  td_statics_result result = w->judged;
  result.converged = true, result.residual = s->residual, result.lambda = s->lambda;
  result.iterations = s->iterations;
  result.evaluations = s->evaluations, result.jacobians = s->jacobians, result.factorisations = s->factorisations;
  (void)!td_loop_drift(&s->loops, s->q, &result.loop_error, NULL);
  bool go = tell(w, s->q, &result, NULL);
  s->iterations = 0;
  s->evaluations = s->jacobians = s->factorisations = 0;
  return go;
}

static void save(walk *w) {
  const td_path *p = &w->path;
  double *to = w->saved;
  memcpy(to, p->s->q, (size_t)p->s->n * sizeof *to);
  to += p->s->n;
  memcpy(to, p->t, (size_t)(p->d + 1) * sizeof *to);
  to += p->d + 1;
  to[0] = p->u[p->channel], to[1] = p->determinant, to[2] = p->logarithm;
}

static td_status load(walk *w) {
  td_path *p = &w->path;
  const double *from = w->saved;
  memcpy(p->s->q, from, (size_t)p->s->n * sizeof *from);
  from += p->s->n;
  memcpy(p->t, from, (size_t)(p->d + 1) * sizeof *from);
  from += p->d + 1;
  p->u[p->channel] = from[0], p->determinant = from[1], p->logarithm = from[2];
  return td_statics_evaluate(p->s);
}

// What changes sign at an event, near `scale` in size.
static double test_of(const td_path *p, td_path_event kind, double logarithm) {
  return kind == TD_PATH_LIMIT ? p->t[p->d] : p->determinant * exp(fmin(p->logarithm - logarithm, 50));
}

// The point at s; where that is a branch point itself, whose matrix is singular, the one a little before it (*beside).
static td_status step_to(walk *w, const event *e, double s, double ds, bool *beside) {
  td_path *p = &w->path;
  int corrections;
  td_status status = td_path_step(p, s, &corrections);
  *beside = status && e->kind == TD_PATH_BIFURCATION && s > BESIDE * ds;
  return *beside ? td_path_step(p, s - BESIDE * ds, &corrections) : status;
}

// Between the present point (value f0 at 0) and the one at ds (f1): regula falsi, Illinois' variant. False where the
// sign changes but nothing vanishes: the step has jumped to another path.
static bool locate(walk *w, event *e, double ds, double f0, double f1, double logarithm) {
  td_path *p = &w->path;
  double a = 0, b = ds, fa = f0, fb = f1, f = INFINITY, whole = fmax(fabs(f0), fabs(f1)), from = p->at[p->s->n];
  int side = 0;
  bool beside = false;
  for (int i = 0; i < LOCATE && !beside; i++) {
    double c = (fa * b - fb * a) / (fa - fb);
    if (!(c > a && c < b)) c = 0.5 * (a + b);
    if (step_to(w, e, c, ds, &beside)) break;
    f = test_of(p, e->kind, logarithm);
    e->s = c, e->value = p->u[p->channel];
    if (beside) e->value = from + (e->value - from) * c / (c - BESIDE * ds);
    if (b - a < LOCATED * ds || f == 0) break;
    bool left = (f > 0) == (fa > 0);
    if (left) {
      a = c, fa = f;
      if (side == 1) fb /= 2;
    } else {
      b = c, fb = f;
      if (side == -1) fa /= 2;
    }
    side = left ? 1 : -1;
    if (fabs(f) < LOCATED * fabs(f0)) break;
  }
  return fabs(f) < VANISHED * whole;
}

// What lies beyond the channel's last value is not on the path that was asked for.
static void pass(walk *w, const event *e, double place) {
  if (place > w->reach * (1 + LOCATED)) return;
  if (w->hooks && w->hooks->passed) // on resuming, too: nobody else remembers them
    w->hooks->passed(w->hooks->context, w->index - 1, e->kind, e->multiplicity, e->value, w->path.s->q);
}

// ------------------------------------------------------------------------------------------------ inertia

// Eigenvalue k is on the other side of 0 at the next point; rounding about 0 is no change.
static bool crosses(const walk *w, int k) {
  int last = w->path.d - 1;
  double a = w->was[k], b = w->now[k], largest = fmax(fabs(w->was[0]), fabs(w->was[last]));
  return (a < 0) != (b < 0) && fmax(fabs(a), fabs(b)) > NEUTRAL * largest;
}

// Eigenvalues that change sign in this step; -1 where there is no potential.
static int crossings(const walk *w) {
  if (!w->known || !w->sure) return -1;
  int count = 0;
  for (int k = 0; k < w->path.d; k++) count += crosses(w, k);
  return count;
}

// Where eigenvalue k vanishes, f1 at ds: halved, since the ascending order puts corners into its curve, then a secant.
// No point is taken where it vanishes: Newton has no hold where two do. e->s is that of the point before.
static bool halve(walk *w, event *e, double ds, double f1) {
  td_path *p = &w->path;
  int k = e->eigenvalue;
  bool beside;
  double a = 0, b = ds, fa = w->was[k], fb = f1, at = p->at[p->s->n], bt = e->value;
  double whole = fmax(fabs(fa), fabs(fb));
  for (int i = 0; i < HALVINGS; i++) {
    double c = 0.5 * (a + b);
    if (step_to(w, e, c, ds, &beside)) break;
    if (beside) c -= BESIDE * ds;
    judge(w);
    if (!w->sure) return false;
    double f = w->now[k], value = p->u[p->channel];
    if ((f < 0) == (fa < 0))
      a = c, fa = f, at = value;
    else
      b = c, fb = f, bt = value;
  }
  e->s = a;
  e->place = (fa * b - fb * a) / (fa - fb);
  e->value = at + (bt - at) * fa / (fa - fb);
  return fabs(fa) + fabs(fb) < VANISHED * whole;
}

// The zeros of these eigenvalues, in the order in which they are passed: told one by one, those at the same place as
// one. A limit point has one of them for its own.
static bool find_zeros(walk *w, event *all, int count, double ds, const event *limit) {
  int own = -1, corrections;
  for (int i = 0; i < count; i++) {
    if (!halve(w, &all[i], ds, all[i].test)) return false;
    if (limit && (own < 0 || fabs(all[i].place - limit->s) < fabs(all[own].place - limit->s))) own = i;
  }
  for (int i = 0; i < count; i++) {
    if (i == own) continue;
    event e = all[i];
    for (; i + 1 < count && i + 1 != own && fabs(all[i + 1].place - e.place) < TOGETHER * ds; i++) e.multiplicity++;
    if (!td_path_step(&w->path, e.s, &corrections))
      pass(w, &e, e.place);
    else
      return false;
  }
  return true;
}

static bool find_hidden(walk *w, double ds, const event *limit) {
  int d = w->path.d, count = 0;
  event *all = calloc((size_t)d + 1, sizeof *all);
  if (!all) return false;
  bool rising = true;
  for (int k = 0; k < d; k++)
    if (crosses(w, k)) rising = w->now[k] < 0;
  for (int i = 0; i < d; i++) {
    int k = rising ? i : d - 1 - i;
    if (crosses(w, k))
      all[count++] = (event){.kind = TD_PATH_BIFURCATION,
                             .eigenvalue = k,
                             .multiplicity = 1,
                             .test = w->now[k],
                             .value = w->saved[w->path.s->n + d + 1]};
  }
  bool found = find_zeros(w, all, count, ds, limit);
  free(all);
  return found;
}

// ------------------------------------------------------------------------------------------------ the middle

// By f at 0, 1/2 and 1, as a parabola: whether it changes sign there and back, by more than `rounding`.
static bool returns(double f0, double half, double f1, double rounding) {
  if ((f0 < 0) != (f1 < 0)) return false;
  if ((half < 0) != (f0 < 0)) return fabs(half) > rounding;
  double slope = 4 * half - 3 * f0 - f1, bend = 2 * (f0 + f1 - 2 * half), at = -0.5 * slope / bend;
  if (!(at > 0 && at < 1)) return false;
  double extreme = f0 + 0.5 * slope * at;
  return (extreme < 0) != (f0 < 0) && fabs(extreme) > rounding;
}

// How far the point in the solver, at half of the step ds, lies beside the cubic from the present point to the saved
// one.
static double beside_cubic(const walk *w, double ds) {
  const td_path *p = &w->path;
  const double *q = w->saved, *t = q + p->s->n;
  double along = td_path_product(p, t, p->was), lo = 0, hi = 1, a = 0, h[4] = {0};
  td_path_difference(p, q, t[p->d + 1], p->x);
  double chord = sqrt(td_path_product(p, p->x, p->x));
  for (int i = 0; i < 40; i++) { // where it has come as far along the tangent as the point
    a = 0.5 * (lo + hi);
    h[1] = a * (1 - a) * (1 - a) * chord, h[2] = a * a * (3 - 2 * a), h[3] = -a * a * (1 - a) * chord;
    *(h[1] + h[2] * ds + h[3] * along < 0.5 * ds ? &lo : &hi) = a;
  }
  for (int i = 0; i <= p->d; i++) p->row[i] = h[1] * p->was[i] + h[2] * p->x[i] + h[3] * t[i];
  td_path_difference(p, p->s->q, p->u[p->channel], p->x);
  for (int i = 0; i <= p->d; i++) p->x[i] -= p->row[i];
  return sqrt(td_path_product(p, p->x, p->x));
}

// Whether an eigenvalue of the stiffness changes sign there and back; where there is no potential, the determinant.
static bool hides_branches(walk *w, double determinant, double middle, double there) {
  double largest = 0;
  judge(w);
  bool known = w->known && w->sure;
  memcpy(w->half, w->now, (size_t)w->path.d * sizeof *w->half);
  (void)!load(w);
  judge(w);
  if (!known || !w->sure) return determinant * there > 0 && determinant * middle < 0;
  for (int k = 0; k < w->path.d; k++) largest = fmax(largest, fabs(w->was[k]));
  for (int k = 0; k < w->path.d; k++)
    if (returns(w->was[k], w->half[k], w->now[k], NEUTRAL_THERE_AND_BACK * largest)) return true;
  return false;
}

// Whether the point at half of the step belongs to it. The solver holds the point at ds before and after; it is judged.
static td_status confirm(walk *w, double ds, double determinant) {
  td_path *p = &w->path;
  int corrections;
  double turned = p->t[p->d], there = p->determinant;
  save(w);
  td_status status = td_path_step(p, 0.5 * ds, &corrections);
  if (status) return status;
  bool belongs = beside_cubic(w, ds) <= MIDDLE * ds && !returns(p->was[p->d], p->t[p->d], turned, 0);
  if (!belongs || hides_branches(w, determinant, p->determinant, there)) return TD_NOT_CONVERGED;
  return td_statics_evaluate(p->s);
}

// ------------------------------------------------------------------------------------------------ steps

// Events between the present point and the one that the solver holds now, which stays.
static td_status find_events(walk *w, double ds, double determinant, double logarithm) {
  td_path *p = &w->path;
  event limit = {.kind = TD_PATH_LIMIT, .eigenvalue = -1, .multiplicity = 1}, branch = limit;
  branch.kind = TD_PATH_BIFURCATION;
  bool turns = p->t[p->d] * p->was[p->d] < 0, branches = p->determinant * determinant < 0;
  int count = crossings(w);
  if (count == 0 && !turns) branches = false; // rounding: a motion costs nothing all along, and the determinant is 0
  bool hidden = count > turns + branches;
  if (!turns && !branches && !hidden) return TD_OK;
  save(w);
  double now = p->t[p->d], there = test_of(p, TD_PATH_BIFURCATION, logarithm);
  if (turns && hidden && !locate(w, &limit, ds, p->was[p->d], now, logarithm)) return TD_NOT_CONVERGED;
  if (hidden && !find_hidden(w, ds, turns ? &limit : NULL)) return TD_NOT_CONVERGED;
  if (branches && !hidden) {
    if (!locate(w, &branch, ds, determinant, there, logarithm)) return TD_NOT_CONVERGED;
    pass(w, &branch, branch.s);
  }
  if (turns) {
    if (!locate(w, &limit, ds, p->was[p->d], now, logarithm)) return TD_NOT_CONVERGED;
    pass(w, &limit, limit.s);
  }
  td_status status = load(w);
  if (status || !hidden) return status;
  judge(w); // the search went over it
  return td_statics_evaluate(p->s);
}

static bool passes(const walk *w, double from, double to) {
  const td_continuation_spec *c = w->spec;
  return c->bounded && (from - c->to) * (to - c->to) <= 0 && from != c->to;
}

// How far the channel's last value is; the solver holds the point at ds, beyond it, before and after.
static double reach_of(walk *w, double ds) {
  td_path *p = &w->path;
  double reach = INFINITY;
  save(w);
  if (!td_path_meet(p, w->spec->to, ds)) {
    td_path_difference(p, p->s->q, p->u[p->channel], p->x);
    reach = td_path_product(p, p->x, p->was);
  }
  return load(w) ? INFINITY : reach;
}

// Events on the way to the point that the solver holds now; where that lies beyond the channel's last value, the point
// there instead.
static td_status arrive(walk *w, double ds, double determinant, double logarithm, bool *end) {
  td_path *p = &w->path;
  w->obstacle = "the point at half of each step lies on another branch";
  td_status status = confirm(w, ds, determinant);
  bool beyond = passes(w, p->at[p->s->n], p->u[p->channel]);
  w->reach = !status && beyond ? reach_of(w, ds) : INFINITY;
  if (!status && beyond && !isfinite(w->reach)) {
    w->obstacle = "the equilibrium at `to` itself is not found";
    return TD_NOT_CONVERGED; // before any event is told
  }
  if (!status) w->obstacle = "a branch point or a limit point lies there that cannot be located";
  if (!status) status = find_events(w, ds, determinant, logarithm);
  if (status || !beyond) return status;
  *end = !td_path_meet(p, w->spec->to, ds);
  if (!*end) return TD_NOT_CONVERGED;
  judge(w);
  return td_statics_evaluate(p->s);
}

// The point told last is the present one.
static void advance(walk *w) {
  td_path_advance(&w->path);
  double *spare = w->was;
  w->was = w->now, w->now = spare;
  w->known = w->sure;
}

// One point further; *ds adapts. *end: the channel's last value is reached.
static td_status go_on(walk *w, double *ds, bool *end) {
  td_path *p = &w->path;
  double determinant = p->determinant, logarithm = p->logarithm;
  for (;;) {
    int corrections = 0;
    w->obstacle = "Newton's iteration leaves the path, which ends or turns too sharply";
    td_status status = td_path_step(p, *ds, &corrections);
    if (!status) {
      status = arrive(w, *ds, determinant, logarithm, end);
      if (corrections <= EASY) *ds = fmin(1.5 * *ds, w->spec->ds);
      if (corrections >= HARD) *ds *= 0.7;
      if (!status) return TD_OK;
    }
    *ds *= 0.5;
    if (*ds < LEAST * w->spec->ds) return TD_NOT_CONVERGED;
  }
}

static bool fail_point(walk *w, const td_error *why) {
  td_statics_result result = {.residual = NAN, .smallest_eigenvalue = NAN};
  td_statics *s = w->path.s;
  for (int i = 0; i < s->n; i++) s->trial_q[i] = NAN;
  return tell(w, s->trial_q, &result, why);
}

static bool follow(walk *w) {
  td_path *p = &w->path;
  const td_continuation_spec *c = w->spec;
  double from = p->u[p->channel], span = c->bounded ? fabs(c->to - from) : 0, ds = c->ds;
  double direction = c->bounded && c->to < from ? -1 : 1;
  td_error why = {0};
  td_inside_out turned;
  if (td_path_start(p, direction, span)) {
    (void)!td_fail(&why, TD_NOT_CONVERGED, "",
                   "a branch point or limit point at %.9g: the path has no direction to begin in", from);
    return fail_point(w, &why);
  }
  judge(w);
  advance(w);
  if (td_statics_evaluate(p->s)) return false;
  bool end = false;
  double nearest = from;
  for (int i = 0; i < c->steps && !end; i++) {
    if (go_on(w, &ds, &end)) {
      (void)!td_fail(&why, TD_NOT_CONVERGED, "", "the path could not be followed beyond %.9g with steps of %.3g: %s",
                     p->at[p->s->n], ds, w->obstacle);
      p->u[p->channel] = p->at[p->s->n];
      return fail_point(w, &why);
    }
    if (td_inside_out_find(p->s->model, p->s->q, 1, &turned)) {
      char text[TD_INSIDE_OUT_TEXT];
      td_inside_out_tell(p->s->model, p->s->q, "/model", &w->statistics->warnings);
      td_inside_out_text(p->s->model, &turned, text);
      (void)!td_fail(&why, TD_NOT_CONVERGED, "", "the path ends at %.9g: after it, %s", p->at[p->s->n], text);
      return fail_point(w, &why);
    }
    td_equilibrium_tell_shape(p->s->model, p->s->q, &w->statistics->warnings);
    advance(w);
    if (fabs(p->u[p->channel] - c->to) < fabs(nearest - c->to)) nearest = p->u[p->channel];
    if (!tell_point(w)) return false;
  }
  if (w->hooks && w->hooks->ended) w->hooks->ended(w->hooks->context, end, p->u[p->channel], nearest);
  return true;
}

td_status td_continuation_run(td_statics *s, const td_statics_spec *spec, double *u, size_t first,
                              td_statics_output *output, const td_statics_hooks *hooks, td_run_statistics *statistics,
                              td_error *err) {
  walk w = {
      .spec = &spec->continuation, .hooks = hooks, .output = output, .statistics = statistics, .first = first, .u = u};
  td_status status = td_path_init(&w.path, s, u, td_channel_find(s->model, spec->continuation.channel));
  w.saved = status ? NULL : calloc((size_t)(s->n + 4 * s->d + 4), sizeof *w.saved);
  if (!w.saved) {
    td_path_fini(&w.path);
    return td_fail(err, TD_NO_MEMORY, "", "no memory for the continuation");
  }
  w.was = w.saved + s->n + s->d + 4;
  w.now = w.was + s->d;
  w.half = w.now + s->d;
  td_statics_result result;
  td_error why = {0};
  memcpy(w.path.at, s->q, (size_t)s->n * sizeof *s->q);
  bool found = !td_statics_find(s, u, &result, &why), go = true;
  if (found) td_equilibrium_tell(s, w.path.at, NULL, "the first point of the path", &statistics->warnings);
  if (!found)
    go = fail_point(&w, &why);
  else
    go = !td_statics_evaluate(s) && tell(&w, s->q, &result, NULL) && follow(&w);
  free(w.saved);
  td_path_fini(&w.path);
  return go ? TD_OK : td_fail(err, TD_CANCELLED, "", "cancelled after point %zu of the path", w.index);
}

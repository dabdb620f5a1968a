// The end of a search in words: which constraints stand in its way and by how much, in the units of what they bound, and
// what may help.
#include "worker/execute/design/parts.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { NAMED = 2 };

typedef struct text {
  char *at;
  size_t room;
} text;

static void add(text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(text *t, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int n = vsnprintf(t->at, t->room, format, arguments);
  va_end(arguments);
  size_t used = n < 0 ? 0 : (size_t)n < t->room ? (size_t)n : t->room - 1;
  t->at += used;
  t->room -= used;
}

// ------------------------------------------------------------------------------------------------ constraints

// "poses:arm@1[2][3] of problem 1"
static void add_number(text *t, const design_job *d, const design_bound *b) {
  const design_part *part = &d->parts[b->part];
  static const char *const words[] = {
      [TD_TERM_PEAK] = "the peak of", [TD_TERM_WORK] = "the work along", [TD_TERM_STIFFNESS] = "the stiffness at"};
  if (b->measure) {
    add(t, "%s %.63s", words[b->term->kind], b->term->field);
    return;
  }
  for (size_t i = 0; i < part->member_count; i++) {
    const td_member *m = &part->members[i];
    if (b->at < m->offset || b->at >= m->offset + m->size) continue;
    size_t left = b->at - m->offset, below = m->size;
    add(t, "%.63s", m->name);
    for (int k = 0; k < m->rank; k++) {
      below /= (size_t)m->dim[k];
      add(t, "[%zu]", left / below);
      left %= below;
    }
  }
  if (part->job->base->kind == JOB_DYNAMICS)
    add(t, " at %.6g s", part->t[b->sample]);
  else
    add(t, " of problem %zu", b->sample);
  if (d->part_count > 1) add(t, " of job %zu", b->part);
}

// "q[0] of problem 0 is 0.41, at most 0.3 is wanted (/constraints/0)"
static void add_constraint(text *t, const design_job *d, size_t i) {
  const design_bound *b = &d->bounds[i];
  double c = d->result.c[i];
  add_number(t, d, b);
  add(t, " is %.6g, at %s %.6g is wanted", b->value + b->sign * c, b->sign > 0 ? "most" : "least", b->value);
  if (c > 0) add(t, " (%.3g off", c);
  add(t, "%s/constraints/%zu)", c > 0 ? ", " : " (", b->constraint);
}

// The constraint that is missed by most, or that is the nearest to be, of those not named; bound_count: there is none.
static size_t next(const design_job *d, const bool *named, bool missed) {
  size_t best = d->bound_count;
  double most = missed ? d->spec.slack : -1e-3;
  for (size_t i = 0; i < d->bound_count; i++) {
    double by = d->result.c[i] / (d->sizes[i] > 0 ? d->sizes[i] : 1);
    if (!named[i] && by > most && (missed || by <= d->spec.slack)) best = i, most = by;
  }
  return best;
}

static size_t add_constraints(text *t, const design_job *d, bool missed) {
  bool named[TD_MAX_DESIGN_CONSTRAINTS] = {false};
  size_t first = next(d, named, missed), i = first;
  for (int k = 0; k < NAMED && i < d->bound_count; k++, i = next(d, named, missed)) {
    add(t, "%s", k == 0 ? "" : "; ");
    add_constraint(t, d, i);
    named[i] = true;
  }
  if (i < d->bound_count) add(t, "; and more");
  return first;
}

// By how much it is missed or, below 0, how far it is from its bound, by its size.
static double missed_by(const design_job *d, size_t i) { return d->result.c[i] / (d->sizes[i] > 0 ? d->sizes[i] : 1); }

static json_t *finite_or_null(double x) { return isfinite(x) ? json_real(x) : json_null(); }

static json_t *constraint_part(const design_job *d, size_t constraint, size_t worst, size_t numbers) {
  static const double near = 1e-3; // of its size: it holds the best
  const design_bound *b = &d->bounds[worst];
  double lower = NAN, upper = NAN;
  char name[200] = "";
  text t = {name, sizeof name};
  add_number(&t, d, b);
  for (size_t i = 0; i < d->bound_count; i++)
    if (d->bounds[i].constraint == constraint && d->bounds[i].part == b->part)
      *(d->bounds[i].sign > 0 ? &upper : &lower) = d->bounds[i].value;
  return json_pack("{s:I, s:s, s:o, s:o, s:o, s:o, s:b, s:I}", "constraint", (json_int_t)constraint, "number", name,
                   "value", finite_or_null(b->value + b->sign * d->result.c[worst]), "lower", finite_or_null(lower),
                   "upper", finite_or_null(upper), "missed", finite_or_null(fmax(0, d->result.c[worst])), "active",
                   missed_by(d, worst) > -near, "numbers", (json_int_t)numbers);
}

json_t *design_constraints(const design_job *d) {
  json_t *list = json_array();
  size_t most = 0;
  for (size_t i = 0; i < d->bound_count; i++)
    if (d->bounds[i].constraint >= most) most = d->bounds[i].constraint + 1;
  for (size_t k = 0; k < most; k++) {
    size_t worst = d->bound_count, numbers = 0, last = d->bound_count;
    for (size_t i = 0; i < d->bound_count; i++) {
      if (d->bounds[i].constraint != k) continue;
      if (worst == d->bound_count || missed_by(d, i) > missed_by(d, worst)) worst = i;
      numbers += last == d->bound_count || !design_is_same(d, i, last);
      last = i;
    }
    if (worst < d->bound_count) json_array_append_new(list, constraint_part(d, k, worst, numbers));
  }
  return list;
}

// ------------------------------------------------------------------------------------------------ ends

static void say_infeasible(const design_job *d, text *t, char *pointer, size_t size) {
  const td_design_result *r = &d->result;
  add(t, "no point was found that meets the constraints. At the nearest of %zu evaluations ", r->evaluations);
  size_t first = add_constraints(t, d, true);
  if (first < d->bound_count) snprintf(pointer, size, "/constraints/%zu", d->bounds[first].constraint);
  char list[200];
  text against = {list, sizeof list};
  if (add_constraints(&against, d, false) < d->bound_count) add(t, ". Against it stands: %s", list);
  const char *before = ". Numbers at their bounds there: ";
  for (size_t j = 0; j < d->set.count; j++) {
    if (!r->at_bound[j]) continue;
    add(t, "%s%.63s", before, d->unknowns[j].name);
    before = ", ";
  }
  add(t, ". Loosen the constraint or widen bounds of numbers, or begin elsewhere (`value`)%s",
      r->evaluations >= (size_t)d->spec.max_evaluations * (size_t)d->spec.starts
          ? "; max_evaluations came first, more may help"
          : "");
}

static void say_unbounded(const design_job *d, text *t, char *pointer, size_t size) {
  const td_design_result *r = &d->result;
  add(t, "the objective has no least value as far as the search came: %.6g after %zu evaluations, falling still", r->f,
      r->evaluations);
  for (int i = 0; i < r->warnings.count; i++) {
    const td_warning *w = &r->warnings.list[i];
    size_t number;
    if (strcmp(w->code, "design_unbounded") != 0 || sscanf(w->pointer, "/parameters/%zu", &number) != 1) continue;
    snprintf(pointer, size, "/parameters/%zu", d->set.place[number]);
    add(t, ". %.200s", w->detail);
  }
}

static void say_held(const design_job *d, text *t) {
  char list[600];
  text inner = {list, sizeof list};
  if (d->result.violation > d->spec.slack || add_constraints(&inner, d, false) >= d->bound_count) return;
  add(t, ". What holds it: %s", list);
}

// What the derivatives promise, to first order, over a reach of the numbers.
static double promised_of(const td_design_result *r) { return r->promised * fmax(fabs(r->f), fabs(r->first_f)); }

static void say_stalled(const design_job *d, text *t) {
  const td_design_result *r = &d->result;
  add(t,
      "the search stalled at %.6g after %zu evaluations: its derivatives promise %.2g less over the reach of the "
      "numbers, but no step finds it",
      r->f, r->evaluations, promised_of(r));
  say_held(d, t);
  add(t,
      ". An optimum that lies just at a kink ends so, and is one: where a joint stands at its limit, a point just "
      "touches or a tendon goes slack, slopes differ on both sides (compare values there). Else try another `value` "
      "to begin with, or narrower bounds%s",
      r->derivative_error > 1e-3 ? ", or finer tolerances of the job within: its derivatives do not fit its values"
                                 : "");
}

static void say_failed(const design_job *d, text *t) {
  const td_design_result *r = &d->result;
  add(t, "evaluations failed on the way to an optimum, the last one: %.60s %.300s. The best of %zu evaluations: %.6g",
      r->failure.pointer, r->failure.message, r->evaluations, r->f);
  say_held(d, t);
  add(t, ". Narrower bounds keep the search where the job can be computed");
}

static void say_exhausted(const design_job *d, text *t) {
  const td_design_result *r = &d->result;
  add(t,
      "%zu evaluations came before an optimum: the best is %.6g, it falls still, and the derivatives promise %.2g less "
      "over the reach of the numbers",
      r->evaluations, r->f, promised_of(r));
  say_held(d, t);
  add(t, ". More max_evaluations bring it on from there");
}

void design_say_end(const design_job *d, td_error *why) {
  char message[TD_MESSAGE_SIZE] = "", pointer[64] = "/objective";
  text t = {message, sizeof message};
  switch (d->result.end) {
  case TD_DESIGN_INFEASIBLE:
    strcpy(pointer, "/constraints");
    say_infeasible(d, &t, pointer, sizeof pointer);
    break;
  case TD_DESIGN_UNBOUNDED:
    say_unbounded(d, &t, pointer, sizeof pointer);
    break;
  case TD_DESIGN_EXHAUSTED:
    strcpy(pointer, "/max_evaluations");
    say_exhausted(d, &t);
    break;
  case TD_DESIGN_FAILED:
    say_failed(d, &t);
    break;
  default:
    say_stalled(d, &t);
    break;
  }
  (void)td_fail(why, TD_UNCONVERGED, pointer, "%s", message);
}

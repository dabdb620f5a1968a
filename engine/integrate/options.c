// Options of an integrator against its row: one that only other methods have is an error at its key, one that this
// method has but will not look at here a warning. Bounds of numbers are rows of `numbers`; nothing here names a method.
#include "integrate/options.h"
#include "integrate/integrator.h"
#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>

static const double MOST_STEPS = 2e8; // as many as run.c lets a run hope for

#define NUMBER(member) offsetof(td_integrator_spec, member)
static const td_integrator_number numbers[] = {
    {"h", 0, NUMBER(h), TD_SIGN_NOT_NEGATIVE, 0, 0},
    {"baumgarte", TD_OPTION_BAUMGARTE, NUMBER(baumgarte), TD_SIGN_POSITIVE, 0, 0},
    {"gamma", TD_OPTION_GAMMA, NUMBER(gamma), TD_SIGN_ANY, 0.5, 1},
    {"beta", TD_OPTION_BETA, NUMBER(beta), TD_SIGN_ANY, 1e-3, 1},
    {"alpha", TD_OPTION_ALPHA, NUMBER(alpha), TD_SIGN_ANY, -1. / 3, 0},
    {"rho_inf", TD_OPTION_RHO_INF, NUMBER(rho_inf), TD_SIGN_ANY, 0, 1},
    {"rtol", TD_OPTION_RTOL, NUMBER(rtol), TD_SIGN_POSITIVE, 1e-14, 0.5},
    {"atol", TD_OPTION_ATOL, NUMBER(atol), TD_SIGN_POSITIVE, 0, 0},
    {"h_max", TD_OPTION_H_MAX, NUMBER(h_max), TD_SIGN_NOT_NEGATIVE, 0, 0},
    {"max_steps", TD_OPTION_MAX_STEPS, NUMBER(max_steps), TD_SIGN_POSITIVE, 0, 0},
    {"cutoff", TD_OPTION_CUTOFF, NUMBER(cutoff), TD_SIGN_POSITIVE, 0, 0},
};
enum { NUMBERS = sizeof numbers / sizeof *numbers, OF_ERROR = TD_OPTIONS_OF_CONTROL | TD_OPTION_CUTOFF };

const td_integrator_number *td_integrator_numbers(size_t *count) {
  *count = NUMBERS;
  return numbers;
}

static double value_of(const td_integrator_spec *spec, const td_integrator_number *number) {
  return *(const double *)(const void *)((const char *)spec + number->offset);
}

// ------------------------------------------------------------------------------------------------ bounds

// A default of 0 leaves the number to the method, whichever it is; so does NaN.
static td_status bound(const td_place *at, const td_integrator_number *number, const td_integrator_spec *given,
                       const td_integrator_spec *used, const td_integrator *method) {
  td_integrator_spec usual;
  td_integrator_defaults(&usual);
  double open = value_of(&usual, number), x = value_of(used, number);
  if (open == 0) return td_check_not_negative(at, number->key, value_of(given, number));
  bool of_error = number->option & OF_ERROR;
  if (!(method->options & number->option) || (of_error && !used->adaptive) || (isnan(open) && isnan(x))) return TD_OK;
  return number->most > number->least ? td_check_within(at, number->key, x, number->least, number->most)
                                      : td_check_positive(at, number->key, x);
}

static td_status step_count_check(const td_place *at, const td_integrator_spec *s, double t_end) {
  td_place place = td_place_key(at, "h");
  if (t_end / s->h > MOST_STEPS)
    return td_place_fail(&place, TD_INVALID_ARGUMENT, "%g s in steps of %g s are more than %g steps", t_end, s->h,
                         MOST_STEPS);
  return TD_OK;
}

// ------------------------------------------------------------------------------------------------ whose options

// "newmark, hht and generalized_alpha": the methods that have the option.
static void list_owners(unsigned option, char *text, size_t size) {
  const char *name[TD_METHOD_COUNT];
  int count = 0;
  size_t used = 0;
  for (int i = 0; i < TD_METHOD_COUNT; i++)
    if (td_integrator_get((td_method)i)->options & option) name[count++] = td_integrator_get((td_method)i)->name;
  assert(count > 0 && "an option that no method has");
  for (int i = 0; i < count && used < size; i++)
    used += (size_t)snprintf(text + used, size - used, "%s%s", i == 0 ? "" : i == count - 1 ? " and " : ", ", name[i]);
}

static td_status refuse(const td_place *at, const td_integrator_number *number, const td_integrator *method,
                        bool chosen) {
  td_place key = td_place_key(at, number->key);
  char owners[128] = "methods with error control";
  if (!(number->option & TD_OPTIONS_OF_CONTROL)) list_owners(number->option, owners, sizeof owners);
  return td_place_fail(&key, TD_INVALID_ARGUMENT, "is an option of %s; the method %s is %s%s", owners,
                       chosen ? "of this job" : "that was chosen for this job", method->name,
                       chosen ? "" : " (`method` may say another one)");
}

static td_status owned(const td_place *at, const td_integrator_spec *given, const td_integrator *method) {
  bool chosen = given->method != TD_METHOD_AUTOMATIC;
  for (int i = 0; i < NUMBERS; i++) {
    unsigned missing = numbers[i].option & given->given & ~(method->options | (unsigned)TD_OPTIONS_OF_ALL);
    // what chooses a method may choose one that needs no tolerance, and a run may choose one that follows no fast modes
    if (missing && (chosen || !(missing & OF_ERROR))) return refuse(at, &numbers[i], method, chosen);
  }
  td_place adaptive = td_place_key(at, "adaptive");
  if (given->given & TD_OPTION_ADAPTIVE && !given->adaptive && method->adaptive)
    return td_place_fail(&adaptive, TD_INVALID_ARGUMENT, "%s always chooses its steps by their error", method->name);
  return TD_OK;
}

// ------------------------------------------------------------------------------------------------ unused

static void remark(const td_place *at, const td_integrator_spec *given, const td_integrator_spec *used,
                   const td_integrator *method) {
  for (int i = 0; i < NUMBERS && method->family && !used->adaptive; i++) {
    td_place key = td_place_key(at, numbers[i].key);
    if (given->given & numbers[i].option & OF_ERROR)
      td_place_warn(&key, "unused_option", "%s takes steps of %.6g s here, whatever the error: say \"adaptive\": true",
                    method->name, used->h);
  }
  td_place baumgarte = td_place_key(at, "baumgarte");
  if (given->given & TD_OPTION_BAUMGARTE && used->formulation == TD_FORMULATION_INDEX3)
    td_place_warn(&baumgarte, "unused_option",
                  "index3 keeps loops closed by themselves: Baumgarte's terms are index1's");
}

// ------------------------------------------------------------------------------------------------ all

td_status td_integrator_check(const td_place *root, const td_model *model, const td_dynamics_spec *spec) {
  td_place at = td_place_key(root, "integrator"), key = td_place_key(&at, "adaptive");
  const td_integrator_spec *given = &spec->integrator;
  td_integrator_spec used;
  td_integrator_resolve(model, spec, &used);
  const td_integrator *method = td_integrator_get(used.method);
  if (!method) return td_place_fail(&at, TD_INVALID_ARGUMENT, "unknown method %d", (int)used.method);
  if (given->adaptive && !used.adaptive)
    return td_place_fail(&key, TD_INVALID_ARGUMENT, "%s takes steps of fixed size", method->name);
  key = td_place_key(&at, "formulation");
  char family[128];
  list_owners(TD_OPTION_GAMMA, family, sizeof family);
  if (used.formulation == TD_FORMULATION_INDEX3 && !method->family)
    return td_place_fail(&key, TD_INVALID_ARGUMENT, "%s solves for accelerations (index1); index3 belongs to %s",
                         method->name, family);
  td_status status = owned(&at, given, method);
  for (int i = 0; !status && i < NUMBERS; i++) status = bound(&at, &numbers[i], given, &used, method);
  if (!status && !used.adaptive) status = step_count_check(&at, &used, spec->t_end);
  if (!status) remark(&at, given, &used, method);
  return status;
}

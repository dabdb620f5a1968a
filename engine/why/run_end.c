// Why a run could not go on: a rod bent beyond what its functions hold, a tendon without length, a singular
// configuration of loops, a free joint far out, loops that have drifted apart.
#include "why/run_end.h"
#include "model/model.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

static void append(td_error *err, const char *text) {
  size_t used = strlen(err->message);
  if (used + strlen(text) < sizeof err->message) memcpy(err->message + used, text, strlen(text) + 1);
}

void td_run_end_add_cause(const td_model *model, const double *q, td_error *err) {
  char why[256];
  if (!err) return;
  td_cause_explain(model, q, why, sizeof why);
  if (!strstr(err->message, why)) append(err, why); // a start at equilibrium has been explained by statics
}

// What the run said of its start is what it failed of.
static const char *singular_start(const td_warnings *said) {
  for (int i = 0; i < said->count; i++)
    if (strcmp(said->list[i].code, "singular_configuration") == 0 && strcmp(said->list[i].pointer, "/initial/q") == 0)
      return said->list[i].detail;
  return NULL;
}

static void add_singular(const td_run_end *left, td_error *err) {
  const char *start = singular_start(left->said);
  if (start) {
    append(err, "; ");
    append(err, start);
  } else if (left->near_singular) {
    append(err, "; it is next to a singular configuration, in which rows of the loops lose rank and multipliers grow "
                "beyond bounds: "
                "which way a mechanism goes on from there is not determined by its loops");
  }
}

void td_run_end_explain(const td_model *model, const double *q, const td_run_end *left, td_error *err) {
  char text[400];
  int first, rows;
  assert(left->said && left->rtol >= 0 && left->loop < td_model_loop_count(model));
  if (!err) return;
  td_run_end_add_cause(model, q, err);
  add_singular(left, err);
  td_cause_explain_far(model, q, left->rtol, text, sizeof text);
  append(err, text);
  if (left->loop < 0) return;
  snprintf(text, sizeof text, "; loop errors up to %.3g, at \"%.63s\"", left->open,
           td_model_loop_name(model, left->loop, &first, &rows));
  append(err, text);
}

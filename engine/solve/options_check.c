// Options of an integrator against its method: one that only other methods have is an error at its key, one that this
// method has but will not look at here a warning.
#include "solve/options_check.h"
#include "solve/integrator.h"

enum { FAMILY = 1 << 0, HHT = 1 << 1, ALPHA = 1 << 2, CONTROLLED = 1 << 3, SIFTED = 1 << 4 };

static const struct {
  unsigned option;
  const char *key;
  int needs;           // what a method must be to have it
  const char *belongs; // in words
} rows[] = {
    {TD_OPTION_GAMMA, "gamma", FAMILY, "newmark, hht and generalized_alpha"},
    {TD_OPTION_BETA, "beta", FAMILY, "newmark, hht and generalized_alpha"},
    {TD_OPTION_ALPHA, "alpha", HHT, "hht"},
    {TD_OPTION_RHO_INF, "rho_inf", ALPHA, "generalized_alpha"},
    {TD_OPTION_RTOL, "rtol", CONTROLLED, "methods with error control"},
    {TD_OPTION_ATOL, "atol", CONTROLLED, "methods with error control"},
    {TD_OPTION_H_MAX, "h_max", CONTROLLED, "methods with error control"},
    {TD_OPTION_MAX_STEPS, "max_steps", CONTROLLED, "methods with error control"},
    {TD_OPTION_CUTOFF, "cutoff", SIFTED, "radau, newmark, hht and generalized_alpha"},
};
enum { ROWS = sizeof rows / sizeof *rows };

static int nature(const td_integrator *method, td_method which) {
  return (method->family ? FAMILY | CONTROLLED : 0) | (which == TD_METHOD_HHT ? HHT : 0) |
         (which == TD_METHOD_GENERALIZED_ALPHA ? ALPHA : 0) | (method->adaptive ? CONTROLLED : 0) |
         (which == TD_METHOD_RADAU || method->family ? SIFTED : 0);
}

static td_status refuse(const td_place *at, int row, const td_integrator *method, bool chosen) {
  td_place key = td_place_key(at, rows[row].key);
  return td_place_fail(&key, TD_INVALID_ARGUMENT, "is an option of %s; the method %s is %s%s", rows[row].belongs,
                       chosen ? "of this job" : "that was chosen for this job", method->name,
                       chosen ? "" : " (`method` may say another one)");
}

static void remark(const td_place *at, const td_integrator_spec *given, const td_integrator_spec *used,
                   const td_integrator *method) {
  for (int i = 0; i < ROWS && method->family && !used->adaptive; i++) {
    td_place key = td_place_key(at, rows[i].key);
    if (given->given & rows[i].option && (rows[i].needs == CONTROLLED || rows[i].needs == SIFTED))
      td_place_warn(&key, "unused_option", "%s takes steps of %.6g s here, whatever the error: say \"adaptive\": true",
                    method->name, used->h);
  }
  td_place baumgarte = td_place_key(at, "baumgarte");
  if (given->given & TD_OPTION_BAUMGARTE && used->formulation == TD_FORMULATION_INDEX3)
    td_place_warn(&baumgarte, "unused_option",
                  "index3 keeps loops closed by themselves: Baumgarte's terms are index1's");
}

td_status td_options_check(const td_place *at, const td_integrator_spec *given, const td_integrator_spec *used) {
  const td_integrator *method = td_integrator_get(used->method);
  bool chosen = given->method != TD_METHOD_AUTOMATIC;
  int is = nature(method, used->method);
  for (int i = 0; i < ROWS; i++) {
    // what chooses a method may choose one that needs no tolerance, and a run may choose radau
    bool tolerance = rows[i].needs == CONTROLLED || rows[i].needs == SIFTED;
    if (given->given & rows[i].option && !(is & rows[i].needs) && (chosen || !tolerance))
      return refuse(at, i, method, chosen);
  }
  td_place adaptive = td_place_key(at, "adaptive");
  if (given->given & TD_OPTION_ADAPTIVE && !given->adaptive && method->adaptive)
    return td_place_fail(&adaptive, TD_INVALID_ARGUMENT, "%s always chooses its steps by their error", method->name);
  remark(at, given, used, method);
  return TD_OK;
}

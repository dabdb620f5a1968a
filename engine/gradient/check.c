// Which runs can be differentiated, and by which method they then go.
#include "integrate/integrator.h"
#include "model/model.h"
#include "spec/place.h"
#include "tendril/gradient.h"

void td_gradient_job(const td_dynamics_spec *spec, td_dynamics_spec *job) {
  *job = *spec;
  td_integrator_spec *s = &job->integrator;
  if (s->method != TD_METHOD_AUTOMATIC) return;
  s->method = TD_METHOD_GENERALIZED_ALPHA;
  if (!(s->given & TD_OPTION_ADAPTIVE)) s->adaptive = !(s->h > 0);
}

td_status td_gradient_check(const td_model *model, const td_dynamics_spec *spec, const td_variables *by,
                            td_error *err) {
  td_dynamics_spec job;
  td_gradient_job(spec, &job);
  const td_integrator *method = td_integrator_get(job.integrator.method);
  (void)model;
  if (!method || (method->map != TD_MAP_IMPLICIT && !method->tableau))
    return td_fail(err, TD_UNSUPPORTED, "/integrator/method",
                   "runs by %s have no derivatives; take generalized_alpha (which `automatic` is here), newmark, hht, "
                   "euler_implicit, rk4 or rk45",
                   method ? method->name : "this method");
  if (job.controller_count > 0 && !by->controlled && (by->model || by->slopes))
    return td_fail(err, TD_UNSUPPORTED, job.controller_list ? "/controller/0" : "/controller",
                   "what a controller does by numbers of its own, of the model or of inputs is not known");
  return TD_OK;
}

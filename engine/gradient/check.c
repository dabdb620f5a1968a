// Which runs can be differentiated, and by which method they then go.
#include "gradient/chain.h"
#include "model/model.h"
#include "spec/place.h"
#include "tendril/gradient.h"

void td_gradient_job(const td_dynamics_spec *spec, td_dynamics_spec *job) {
  *job = *spec;
  job->integrator.differentiated = true;
}

td_status td_gradient_check(const td_model *model, const td_dynamics_spec *spec, const td_variables *by,
                            td_error *err) {
  td_dynamics_spec job;
  td_integrator_spec used;
  td_gradient_job(spec, &job);
  td_integrator_resolve(model, &job, &used);
  const td_integrator *method = td_integrator_get(used.method);
  if (!method || (method->map != TD_MAP_IMPLICIT && !method->tableau && !method->collocates))
    return td_fail(
        err, TD_UNSUPPORTED, "/integrator/method",
        "runs by %s have no derivatives; take radau (with derivatives `automatic` stands for it in place of bdf), "
        "generalized_alpha, newmark, hht, euler_implicit, rk4 or rk45",
        method ? method->name : "this method");
  if (model->bristle_count > 0)
    return td_fail(err, TD_UNSUPPORTED, "/model/contacts",
                   "runs with contacts that stick have no derivatives: what their springs remember changes with what "
                   "the run did. Leave `stick` out, with a small slip_speed in its place");
  if (job.controller_count > 0 && !by->controlled && (by->model || by->slopes))
    return td_fail(err, TD_UNSUPPORTED, job.controller_list ? "/controller/0" : "/controller",
                   "how its controllers answer to numbers is not told: take the slopes of td_law_numbers");
  return by->model ? td_law_numbers_check_model(&job, err) : TD_OK;
}

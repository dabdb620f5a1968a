// A pendulum: put its model, ask for an acceleration, run two seconds of it on the server, print how far it swung.
#include "tendril_client.h"
#include <stdio.h>
#include <string.h>

static const char model[] =
    "{\"format\": \"tendril.model/1\", \"name\": \"pendulum\", \"gravity\": [0, 0, -9.81], \"links\": [{\"name\": "
    "\"arm\","
    " \"joint\": {\"type\": \"revolute\", \"axis\": \"y\"}, \"body\": {\"type\": \"rigid\", \"mass\": 2,"
    " \"com\": [0, 0, -0.5], \"inertia\": [0.1, 0.1, 0.01]}}]}";
static const char job[] = "{\"model\": \"pendulum\", \"kind\": \"dynamics\", \"t_end\": 2, \"initial\": {\"q\": [0.5]},"
                          " \"output\": {\"dt\": 0.01, \"fields\": [\"q\"]}}";

int main(void) {
  tendril_error err;
  tendril_arrays *now = NULL, *run = NULL;
  tendril_job done;
  int failed = 0;
  tendril_client *client = tendril_open(NULL, &err); // TENDRIL_URL, TENDRIL_TOKEN
  tendril_states state = {.count = 1, .ndof = 1, .q = (double[]){0.5}};
  if (client && tendril_model_put(client, "pendulum", model, strlen(model), NULL, &err) == TENDRIL_OK &&
      tendril_evaluate(client, "pendulum", "fd", &state, &now, &err) == TENDRIL_OK &&
      tendril_job_submit(client, job, strlen(job), NULL, &done, &err) == TENDRIL_OK &&
      tendril_job_wait(client, done.id, 60, &done, &err) == TENDRIL_OK &&
      tendril_result_arrays(client, done.id, NULL, &run, &err) == TENDRIL_OK) {
    const tendril_array *q = tendril_arrays_find(run, "q"); // [201][1]
    printf("acceleration %.3f rad/s^2, then from %.3f to %.3f rad in %zu samples\n",
           tendril_arrays_find(now, "fd")->values[0], q->values[0], q->values[q->count - 1], q->shape[0]);
  } else {
    fprintf(stderr, "%s (%s)\n", err.detail, *err.code ? err.code : tendril_status_name(err.status));
    failed = 1;
  }
  tendril_arrays_close(now);
  tendril_arrays_close(run);
  tendril_close(client);
  return failed;
}

// Stiffness and weight of an arm from its tip under four tensions, and how sure they are.
#include "tendril_client.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char arm[] = // the stiffness of its material is a guess, and so is its density
    "{\"format\": \"tendril.model/1\", \"name\": \"arm\", \"gravity\": [0, 0, -9.81], \"links\": [{\"name\": \"arm\","
    " \"joint\": {\"type\": \"fixed\"}, \"body\": {\"type\": \"rod\", \"length\": 0.3, \"section\": {\"shape\": "
    "\"circle\","
    " \"radius\": 0.01}, \"material\": {\"young\": 3e6, \"poisson\": 0.45, \"density\": 700}, \"strain\": {\"basis\":"
    " \"legendre\", \"order\": {\"bending_y\": 4}}}}], \"actuators\": [{\"name\": \"cable\", \"type\": \"tendon\","
    " \"link\": \"arm\", \"routing\": {\"type\": \"linear\", \"base\": [0, 0.008]}}]}";
static const double seen[4][2] = { // x and z of the tip, m; the camera is good for half a millimetre
    {0.2007, -0.2091},
    {0.2319, -0.1806},
    {0.2587, -0.1439},
    {0.2778, -0.0979}};

int main(void) {
  tendril_error err;
  tendril_arrays *result = NULL;
  tendril_record tip = {"poses:arm@1", "[[0, 3], [2, 3]]", .rows = 4, .width = 2, .value = &seen[0][0], .sigma = 5e-4};
  tendril_experiment pulls = {"{\"kind\": \"statics\", \"inputs\": {\"cable\": [0, 2, 4, 6]}}", &tip, 1};
  tendril_choice unknowns[] = {
      {"/model/links/0/body/material/young", "young", .lower = 1e5, .upper = 1e8, .log = true},
      {"/model/links/0/body/material/density", "density", .lower = 100, .upper = 1e4, .log = true}};
  tendril_client *client = tendril_open(NULL, &err); // TENDRIL_URL, TENDRIL_TOKEN
  char *job = tendril_fit_document(arm, &pulls, 1, unknowns, 2, NULL, &err), *fitted = NULL;
  tendril_found *found = NULL;
  if (client && job && tendril_run(client, job, strlen(job), NULL, &result, &err) == TENDRIL_OK &&
      (found = tendril_found_read(result, &err)) && (fitted = tendril_found_model(result, &err))) {
    for (size_t i = 0; i < found->count; ++i)
      printf("%-8s %.4g +- %.2g\n", found->parameter[i].name, found->parameter[i].value, found->parameter[i].deviation);
    printf("what is left over is %.2f times the noise; the robot with them has %zu bytes\n", found->misfit,
           strlen(fitted));
  } else
    fprintf(stderr, "%s (%s)\n", err.detail, *err.code ? err.code : tendril_status_name(err.status));
  int failed = !found;
  tendril_found_free(found);
  tendril_arrays_close(result);
  free(fitted);
  free(job);
  tendril_close(client);
  return failed;
}

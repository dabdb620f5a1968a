// tendril umbridge: jobs as functions that clients of UM-Bridge call.
#include "base/say.h"
#include "commands/command.h"
#include "umbridge/serve.h"
#include <stdlib.h>
#include <string.h>

static bool unique(const um_model *models, size_t count) {
  for (size_t i = 0; i + 1 < count; ++i)
    if (strcmp(models[i].name, models[count - 1].name) == 0)
      return say_error("two models are called \"%.64s\"", models[i].name), false;
  return true;
}

static void say_model(const um_model *m) {
  say_note("%s: %zu inputs of %zu numbers, %zu outputs of %zu; Evaluate%s%s", m->name, m->inputs, um_input_size(m),
           m->outputs, um_output_size(m), m->gradient ? ", Gradient" : "", m->jacobian ? ", ApplyJacobian" : "");
}

static int run(session *s, const options *o) {
  const char *address = options_get(o, "address");
  long port;
  size_t count = 0;
  if (!options_integer(o, "port", 0, 65535, 4242, &port)) return EXIT_USAGE;
  um_model *models = must_alloc(UM_MODELS * sizeof *models);
  bool good = true;
  for (int i = 0; good && i < o->count; ++i) {
    good = um_open(&models[count++], s->client, o->positional[i]) && unique(models, count);
    if (good) say_model(&models[count - 1]);
  }
  int status = EXIT_USAGE;
  um_server server = {.models = models, .count = count, .wishes = s->wishes};
  if (good) status = um_serve(&server, address ? address : "127.0.0.1", (unsigned short)port) ? EXIT_OK : EXIT_FAILED;
  for (size_t i = 0; i < count; ++i) um_close(&models[i]);
  free(models);
  return status;
}

const command command_umbridge = {
    .name = "umbridge",
    .arguments = "MODEL.umbridge.json…",
    .summary = "jobs as functions for clients of UM-Bridge (Python, R, Julia, MATLAB, C++)",
    .help =
        "Answers UM-Bridge's protocol 1.0 (/Info, /Evaluate, /Gradient, …) with jobs on the Tendril server, so that "
        "samplers and\nfitting programs that speak it can use robots. A document says what the function is:\n\n"
        "  {\"name\": \"tip\",\n"
        "   \"job\": {\"kind\": \"statics\", \"model\": \"cdm\", \"inputs\": {\"cable1\": [5]}},\n"
        "   \"inputs\": [[\"/job/inputs/cable1\"], [\"/model/links/0/body/material/young\"]],\n"
        "   \"outputs\": [{\"field\": \"poses:arm@1\", \"select\": [[0, 3], [1, 3], [2, 3]]}]}\n\n"
        "Each input is a vector of the numbers at its places, below /job or /model (an array stands for all of its "
        "numbers). Each\noutput is a vector of numbers of a field, of the last row, or with \"at\": \"all\" of all "
        "rows. Evaluate runs the job;\nGradient is a gradient job, ApplyJacobian the job's sensitivities: exact "
        "derivatives of what they run. A job of dynamics\nshould name its integrator (radau, say), so that all three "
        "take the same. There are no second derivatives.\nJobs are deleted once they are read. Anybody who reaches "
        "the "
        "port may run them: it is 127.0.0.1's unless --address says\notherwise. Ctrl-C ends it.\n\n"
        "  tendril umbridge tip.umbridge.json\n"
        "  python3 -c 'import umbridge; print(umbridge.HTTPModel(\"http://127.0.0.1:4242\", \"tip\")([[5.0], [1e6]]))'",
    .least = 1,
    .most = UM_MODELS,
    .options = {{"port", 'p', "N", "where it listens, 0 is any that is free (default: 4242)"},
                {"address", 'a', "IP", "the address that it listens on (default: 127.0.0.1)"}},
    .run = run};

// The shipped robots (api/c/examples), as the service tells them.
#include "api/c/examples/examples.h"
#include "service/about/about.h"

#include <jansson.h>

void examples_list(void (*visit)(void *context, const example_view *view), void *context) {
  example_files example;
  for (size_t i = 0; example_at(i, &example); i++) {
    json_t *model = json_loadb(example.model->data, example.model->size, 0, NULL);
    const example_view view = {.name = example.name,
                               .description = json_string_value(json_object_get(model, "description"))};
    visit(context, &view);
    json_decref(model);
  }
}

bool examples_get(const char *name, example_view *view, fault *f) {
  example_files example;
  if (!example_find(name, &example))
    return fault_set(f, PROBLEM_NOT_FOUND, NULL, "there is no example \"%.63s\"", name);
  *view = (example_view){.name = name, .model = example.model->data, .job = example.job->data};
  return true;
}

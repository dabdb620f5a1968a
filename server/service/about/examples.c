// The shipped robots: api/examples/NAME.model.json and NAME.job.json, carried by the binary.
#include "base/embedded.h"
#include "service/about/about.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

static const char model_suffix[] = ".model.json", job_suffix[] = ".job.json";

static const embedded_file *find(const char *name, const char *suffix) {
  char file_name[128];
  snprintf(file_name, sizeof file_name, "%.63s%s", name, suffix);
  const embedded_file *file = embedded_examples;
  while (file->name && strcmp(file->name, file_name) != 0) file++;
  return file->name ? file : NULL;
}

// The name of an example whose model this file is, else false.
static bool example_name(const embedded_file *file, char name[64]) {
  size_t length = strlen(file->name), suffix = sizeof model_suffix - 1;
  if (length <= suffix || length - suffix >= 64 || strcmp(file->name + length - suffix, model_suffix) != 0)
    return false;
  snprintf(name, 64, "%.*s", (int)(length - suffix), file->name);
  return find(name, job_suffix) != NULL;
}

void examples_list(void (*visit)(void *context, const example_view *view), void *context) {
  char name[64];
  for (const embedded_file *file = embedded_examples; file->name; file++) {
    if (!example_name(file, name)) continue;
    json_t *model = json_loadb(file->data, file->size, 0, NULL);
    const example_view view = {.name = name, .description = json_string_value(json_object_get(model, "description"))};
    visit(context, &view);
    json_decref(model);
  }
}

bool examples_get(const char *name, example_view *view, fault *f) {
  const embedded_file *model = find(name, model_suffix), *job = find(name, job_suffix);
  if (!model || !job) return fault_set(f, PROBLEM_NOT_FOUND, NULL, "there is no example \"%.63s\"", name);
  *view = (example_view){.name = name, .model = model->data, .job = job->data};
  return true;
}

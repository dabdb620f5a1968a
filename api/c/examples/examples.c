// A model and a job of one name are an example. A few dozen files: they are looked through one by one.
#include "api/c/examples/examples.h"

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

bool example_find(const char *name, example_files *out) {
  if (strlen(name) >= sizeof out->name) return false;
  snprintf(out->name, sizeof out->name, "%s", name);
  out->model = find(name, model_suffix);
  out->job = find(name, job_suffix);
  return out->model && out->job;
}

// Whether the file is the model of an example.
static bool is_example(const embedded_file *file, example_files *out) {
  size_t length = strlen(file->name), suffix = sizeof model_suffix - 1;
  if (length <= suffix || length - suffix >= 64 || strcmp(file->name + length - suffix, model_suffix) != 0)
    return false;
  char name[64];
  snprintf(name, sizeof name, "%.*s", (int)(length - suffix), file->name);
  return example_find(name, out);
}

bool example_at(size_t i, example_files *out) {
  for (const embedded_file *file = embedded_examples; file->name; file++)
    if (is_example(file, out) && i-- == 0) return true;
  return false;
}

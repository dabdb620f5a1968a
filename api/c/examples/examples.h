// The shipped robots, api/examples/NAME.model.json and NAME.job.json, carried by server and command, so that neither
// needs a file or the other to show them.
#ifndef TENDRIL_API_EXAMPLES_H
#define TENDRIL_API_EXAMPLES_H

#include "api/c/embedded_file.h"
#include <stdbool.h>

typedef struct example_files {
  char name[64];
  const embedded_file *model, *job; ///< both are there
} example_files;

/// All files, by rising names (embed.cmake).
extern const embedded_file embedded_examples[];

/// Example number `i` in the order of names; false behind the last one.
bool example_at(size_t i, example_files *out);
/// The example of this name; false when there is none.
bool example_find(const char *name, example_files *out);

#endif

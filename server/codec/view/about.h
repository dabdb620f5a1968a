// What a server says about itself and what it ships, as JSON: only REST has it.
#ifndef SERVER_CODEC_VIEW_ABOUT_H
#define SERVER_CODEC_VIEW_ABOUT_H

#include "codec/json/number.h"

#include <stdint.h>

typedef struct server_version {
  const char *version, *api, *model_format, *cpu_level;
} server_version;
/// {version, api, model_format, cpu_level}
void codec_version_json(codec_buffer *b, const server_version *version);

typedef struct limit_row {
  const char *name;
  int64_t value;
} limit_row;
/// {name: value, …}
void codec_limits_json(codec_buffer *b, const limit_row *rows, int count);

typedef struct example_view { ///< of a list: name and description; of one: name, model and job, JSON text
  const char *name, *description, *model, *job;
} example_view;
/// {name, description}
void codec_example_entry_json(codec_buffer *b, const example_view *example);
/// {name, model, job}
void codec_example_json(codec_buffer *b, const example_view *example);

#endif

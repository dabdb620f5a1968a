// The members and their order are those of the contract.
#include "codec/view/about.h"
#include "codec/json/object.h"

void codec_version_json(codec_buffer *b, const server_version *version) {
  json_begin(b);
  json_string_member(b, "version", version->version);
  json_string_member(b, "api", version->api);
  json_string_member(b, "model_format", version->model_format);
  json_string_member(b, "cpu_level", version->cpu_level);
  json_end(b);
}

void codec_limits_json(codec_buffer *b, const limit_row *rows, int count) {
  json_begin(b);
  for (int i = 0; i < count; i++) json_integer_member(b, rows[i].name, rows[i].value);
  json_end(b);
}

void codec_example_entry_json(codec_buffer *b, const example_view *example) {
  json_begin(b);
  json_string_member(b, "name", example->name);
  json_string_member(b, "description", example->description);
  json_end(b);
}

void codec_example_json(codec_buffer *b, const example_view *example) {
  json_begin(b);
  json_string_member(b, "name", example->name);
  json_raw_member(b, "model", example->model);
  json_raw_member(b, "job", example->job);
  json_end(b);
}

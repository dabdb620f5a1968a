// tendril found: what a fit, a design or a gradient found, as a table, and as documents to go on with. Needs no server.
#include "base/files.h"
#include "base/found_words.h"
#include "base/say.h"
#include "commands/command.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int save_text(const char *path, char *text, const tendril_error *err) {
  if (!text) return report(err);
  char *line = must_format("%s\n", text);
  int result = file_write(path, line, strlen(line));
  if (result == EXIT_OK && !output_file_is_stdout(path)) say_note("%s written", path);
  free(line);
  free(text);
  return result;
}

static int save_documents(const options *o, tendril_arrays *arrays) {
  tendril_error err;
  const char *model = options_get(o, "model"), *job = options_get(o, "job");
  int result = EXIT_OK;
  if (model) result = save_text(model, tendril_found_model(arrays, &err), &err);
  if (job && result == EXIT_OK) result = save_text(job, tendril_found_job(arrays, &err), &err);
  return result;
}

static json_t *number(double x) { return x - x == 0 ? json_real(x) : json_null(); }

static int print_json(const tendril_found *f) {
  json_t *list = json_array();
  for (size_t i = 0; i < f->count; ++i) {
    const tendril_parameter *p = &f->parameter[i];
    json_array_append_new(list, json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:b}", "name", p->name, "path", p->path,
                                          "value", number(p->value), "first", number(p->first), "deviation",
                                          number(p->deviation), "slope", number(p->slope), "at_bound", p->at_bound));
  }
  json_t *held = json_array();
  for (size_t i = 0; i < f->constraints; ++i) {
    const tendril_constraint *c = &f->constraint[i];
    json_array_append_new(held, json_pack("{s:I, s:s, s:o, s:o, s:o, s:o, s:b}", "constraint", (json_int_t)c->index,
                                          "number", c->number, "value", number(c->value), "lower", number(c->lower),
                                          "upper", number(c->upper), "missed", number(c->missed), "active", c->active));
  }
  json_t *all = json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o}", "kind", f->kind, "end", f->end, "value",
                          number(f->value), "first_value", number(f->first_value), "misfit", number(f->misfit),
                          "violation", number(f->violation), "parameters", list, "constraints", held);
  char *text = all ? json_dumps(all, JSON_INDENT(2) | JSON_REAL_PRECISION(17)) : NULL;
  if (text) puts(text);
  free(text);
  json_decref(all);
  return EXIT_OK;
}

static int run(session *s, const options *o) {
  tendril_error err;
  tendril_arrays *arrays = tendril_arrays_open(o->positional[0], &err);
  tendril_found *found = arrays ? tendril_found_read(arrays, &err) : NULL;
  int result = EXIT_USAGE;
  if (!found)
    say_error("%s%s%s", arrays ? o->positional[0] : "", arrays ? ": " : "", err.detail);
  else if (s->json)
    result = print_json(found);
  else
    found_print(stdout, found), result = EXIT_OK;
  if (result == EXIT_OK) result = save_documents(o, arrays);
  tendril_found_free(found);
  tendril_arrays_close(arrays);
  return result;
}

const command command_found = {
    .name = "found",
    .arguments = "RESULT.npz",
    .summary = "what a fit, a design or a gradient found, as a table and as documents",
    .help =
        "Prints the numbers that were found. Of a fit each has its standard deviation: if the same was measured again, "
        "the value\n"
        "would lie within it in two of three cases, and within three of it nearly always, provided that the model can "
        "do what was\n"
        "measured (what is left over is about 1 times the noise). Of a design each stands beside its bounds, of a "
        "gradient with its\n"
        "slope. --model writes the robot with the numbers found, --job the job of a design with them, ready to run;\n"
        "one that does not say what it reports then reports what the design looked at.\n\n"
        "  tendril examples tentacle-fit\n  tendril run tentacle-fit.job.json\n"
        "  tendril found tentacle-fit.npz --model fitted.model.json\n"
        "  tendril found tentacle-fit.npz --json | jq .parameters[0].value",
    .least = 1,
    .most = 1,
    .offline = true,
    .options = {{"model", 'm', "FILE", "write the robot with the numbers that were found, - is standard output"},
                {"job", 0, "FILE", "write the job of a design with the numbers that were found (of a fit: a list)"}},
    .run = run};

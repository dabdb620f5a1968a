// tendril sweep: many jobs from one, by what --over varies; or the document of a sweep, as `tendril run` takes it.
#include "base/files.h"
#include "base/say.h"
#include "commands/command.h"
#include "commands/jobs/run.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VALUES_LIMIT = 20000 };

// ------------------------------------------------------------------------------------------------ values

// A whole number is one in JSON, too: counts are not taken as 3.0.
static json_t *as_number(double x) {
  return x == rint(x) && fabs(x) < 1e15 ? json_integer((json_int_t)x) : json_real(x);
}

// "1e5:1e6:11" or "1e5:1e6:11:log": the ends are in. NULL after a line that says why.
static json_t *read_range(const char *text) {
  double from, to;
  long count;
  int used = 0;
  bool good = sscanf(text, "%lf:%lf:%ld%n", &from, &to, &count, &used) == 3;
  bool logs = good && strcmp(text + used, ":log") == 0;
  good = good && (text[used] == '\0' || logs) && isfinite(from) && isfinite(to) && count >= 2 && count <= VALUES_LIMIT;
  if (!good || (logs && !(from > 0 && to > 0))) {
    say_error("'%s' is no range: FROM:TO:N with N from 2 to %d, or FROM:TO:N:log with both ends above 0", text,
              VALUES_LIMIT);
    return NULL;
  }
  json_t *list = json_array();
  for (long i = 0; i < count; ++i) {
    double part = (double)i / (double)(count - 1),
           inner = logs ? from * pow(to / from, part) : from + part * (to - from);
    json_array_append_new(list, as_number(i == 0 ? from : i == count - 1 ? to : inner));
  }
  return list;
}

// "1,2,5" or "newmark,rk4": what is no JSON is a word.
static json_t *read_words(const char *text) {
  json_t *list = json_array();
  for (const char *at = text; *at; at += *at == ',') {
    size_t length = strcspn(at, ",");
    json_t *value = json_loadb(at, length, JSON_DECODE_ANY, NULL);
    json_array_append_new(list, value ? value : json_stringn(at, length));
    at += length;
  }
  return list;
}

static json_t *read_values(const char *text) {
  if (*text == '[') return json_from_bytes("--over", text, strlen(text));
  return strchr(text, ':') && !strchr(text, ',') ? read_range(text) : read_words(text);
}

// ------------------------------------------------------------------------------------------------ document

// {"path", "values"} of "/model/…=VALUES"; NULL after a line that says why.
static json_t *read_over(const char *text) {
  const char *equals = strchr(text, '=');
  bool place = strncmp(text, "/model/", 7) == 0 || strncmp(text, "/job/", 5) == 0;
  if (!equals || !equals[1] || !place) {
    say_error("--over takes a place and its values, /model/links/0/body/length=0.1:0.5:9 or /job/t_end=1,2,5; not '%s'",
              text);
    return NULL;
  }
  json_t *values = read_values(equals + 1);
  return values ? json_pack("{s:s%, s:o}", "path", text, (size_t)(equals - text), "values", values) : NULL;
}

static json_t *read_vary(const options *o) {
  json_t *vary = json_array();
  const char *text;
  for (int i = 0; (text = options_nth(o, "over", i)); ++i) {
    json_t *one = read_over(text);
    if (!one) return json_decref(vary), NULL;
    json_array_append_new(vary, one);
  }
  return vary;
}

static bool is_sweep(const json_t *document) {
  const char *kind = json_string_value(json_object_get(document, "kind"));
  return kind && strcmp(kind, "sweep") == 0;
}

// The sweep over a job; takes over `job`. NULL after a line that says why.
static json_t *sweep_over(const options *o, const char *path, json_t *job) {
  json_t *vary = NULL;
  if (is_sweep(job))
    say_error("%s is a sweep already, and --over makes one of a job", path);
  else
    vary = read_vary(o);
  if (!vary) return json_decref(job), NULL;
  json_t *sweep = json_pack("{s:s, s:o, s:o}", "kind", "sweep", "base", job, "vary", vary);
  if (options_get(o, "zip")) json_object_set_new(sweep, "mode", json_string("zip"));
  return sweep;
}

static int run_sweep(session *s, const options *o, const char *model, run_source filed, const json_t *sweep) {
  char *text = json_dumps(sweep, JSON_COMPACT | JSON_REAL_PRECISION(17));
  if (!text) return say_error("the sweep cannot be written as JSON"), EXIT_USAGE;
  int result = EXIT_OK;
  if (options_get(o, "print"))
    puts(text);
  else
    result = job_run(s, o, model, (run_text){filed.path, text, strlen(text), false, filed, "-sweep.npz"});
  free(text);
  return result;
}

static int run_file(session *s, const options *o, const char *model, const char *path, const char *bytes, size_t size) {
  json_t *document = json_from_bytes(path, bytes, size);
  if (!document) return EXIT_USAGE;
  int result = EXIT_USAGE;
  if (options_get(o, "over")) {
    document = sweep_over(o, path, document);
    if (document) result = run_sweep(s, o, model, (run_source){path, bytes, size}, document);
  } else if (!is_sweep(document)) {
    say_error("%s is no sweep; say with --over what to vary, such as --over /job/t_end=1,2,5", path);
  } else {
    result = job_run(s, o, model, (run_text){path, bytes, size, true, .ending = ".npz"});
  }
  json_decref(document);
  return result;
}

static int sweep(session *s, const options *o) {
  size_t size;
  const char *model = o->count > 1 ? o->positional[0] : NULL, *path = o->positional[o->count - 1];
  char *bytes = file_read(path, &size);
  int result = bytes ? run_file(s, o, model, path, bytes, size) : EXIT_USAGE;
  free(bytes);
  return result;
}

const command command_sweep = {
    .name = "sweep",
    .arguments = "[MODEL.json] JOB.json",
    .summary = "run a job many times with other values, follow it, fetch all results as one",
    .help =
        "--over says what to vary: a place in the model (/model/…) or the job (/job/…), and its values:\n"
        "  PATH=FROM:TO:N        N values, evenly from FROM to TO      PATH=A,B,C     these\n"
        "  PATH=FROM:TO:N:log    N values, each by the same factor     PATH=[…]       a JSON list, for values of any "
        "kind\n"
        "Given several times, all combinations are run (the last varies fastest), or with --zip the first values of "
        "each, "
        "then the\nsecond, and so on. Instead of --over, JOB.json may be the document of a sweep (kind \"sweep\"). "
        "Models "
        "are found as by\n`tendril run`. The result has a row per job (of dynamics: its end), and `tendril plot` draws "
        "it "
        "over what was varied; without\n-o it is NAME-sweep.npz. At the end all jobs are listed, of more than 24 those "
        "that "
        "failed or have warnings.\n"
        "Exit status: 0 the sweep succeeded, 1 it failed or its result cannot be written, 3 no server.\n\n"
        "  tendril sweep cdm.job.json --over /model/links/0/body/material/young=1e5:1e6:11 -o stiffness.npz\n"
        "  tendril sweep arm.model.json pull.job.json --over /job/inputs/cable=0:10:21 --over "
        "/model/links/0/body/length=0.2,0.3\n"
        "  tendril sweep pull.job.json --over /job/inputs/cable=0:10:21 --print > cable.sweep.json",
    .least = 1,
    .most = 2,
    .options = {{"over", 0, "PATH=VALUES", "what to vary; may be given up to 16 times"},
                {"zip", 0, NULL, "values of several --over go together instead of in all combinations"},
                {"print", 0, NULL, "print the sweep's document instead of running it"},
                RUN_OPTIONS},
    .run = sweep};

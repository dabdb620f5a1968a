// tendril export: a result, or a model, as other programs read it.
#include "base/files.h"
#include "base/say.h"
#include "commands/command.h"
#include "commands/jobs/ids.h"
#include "commands/jobs/query.h"
#include "export/result.h"
#include "export/urdf.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct target {
  const char *word, *extension, *other; // other: a second extension, or NULL
  bool binary;
  bool (*write)(const export_result *r, const char *path);
} target;

static const target targets[] = {
    {"mcap", ".mcap", NULL, true, export_mcap},
    {"hdf5", ".h5", ".hdf5", true, export_hdf5},
    {"mat", ".mat", NULL, true, export_mat},
    {"csv", ".csv", NULL, false, export_csv},
};
enum { TARGETS = sizeof targets / sizeof *targets };

// By --to, else by the extension of the output.
static const target *choose(const options *o) {
  const char *word = options_get(o, "to"), *path = options_get(o, "output");
  for (int i = 0; i < TARGETS; ++i) {
    const target *k = &targets[i];
    if (word ? strcmp(word, k->word) == 0
             : path && (file_has_extension(path, k->extension) || (k->other && file_has_extension(path, k->other))))
      return k;
  }
  if (word)
    say_error("--to must be mcap, hdf5, mat or csv (of a model: urdf), not '%s'", word);
  else
    say_error("--to says the format: mcap, hdf5, mat or csv (or an output that ends in .mcap, .h5, .mat or .csv)");
  return NULL;
}

static int open_file(const options *o, tendril_arrays **arrays) {
  static const char *const parts[] = {"fields", "from", "until", "stride", "partial"};
  tendril_error err;
  for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i) {
    if (!options_get(o, parts[i])) continue;
    say_error("--%s chooses from a job's result on the server; %s is a file, which is exported whole", parts[i],
              o->positional[0]);
    return EXIT_USAGE;
  }
  *arrays = tendril_arrays_open(o->positional[0], &err);
  if (*arrays) return EXIT_OK;
  say_error("%s", err.detail);
  return EXIT_USAGE;
}

static int fetch(session *s, const options *o, char id[TENDRIL_ID_SIZE], tendril_arrays **arrays) {
  tendril_result_query query;
  tendril_error err;
  if (!query_read(o, "until", &query)) return EXIT_USAGE;
  int found = job_id(s, o->positional[0], id);
  if (found != EXIT_OK) return found;
  if (tendril_result_arrays(s->client, id, &query, arrays, &err) != TENDRIL_OK) return report(&err);
  query_tell_warnings(s, id);
  return EXIT_OK;
}

// The libraries write to a path: that of the open file.
static int write_result(const target *k, const export_result *r, const char *path) {
  output_file file;
  output_error err;
  char open_path[32];
  if (!output_file_open(&file, path, k->binary, &err)) return file_report(&err);
  snprintf(open_path, sizeof open_path, "/dev/fd/%d", file.fd);
  bool written = k->write(r, open_path);
  bool good = written && output_file_commit(&file, &err);
  output_file_discard(&file);
  return good ? EXIT_OK : written ? file_report(&err) : EXIT_FAILED;
}

// "runs/cdm.npz", ".mat": "cdm.mat". The caller frees it.
static char *path_beside(const char *npz, const char *extension) {
  char *bare = must_format("%.*s", (int)(strlen(npz) - strlen(".npz")), npz), *path = file_stem(bare, extension);
  free(bare);
  return path;
}

// ------------------------------------------------------------------------------------------------ models

static bool is_of_model(const options *o) {
  const char *word = options_get(o, "to"), *path = options_get(o, "output");
  return word ? strcmp(word, "urdf") == 0 : path && file_has_extension(path, ".urdf");
}

// A file, or a model on the server.
static int open_model(session *s, const char *name, json_t **model) {
  tendril_error err;
  size_t size;
  char *bytes = file_exists(name) ? file_read(name, &size) : NULL;
  if (!bytes && file_exists(name)) return EXIT_USAGE;
  if (!bytes && tendril_model_get(s->client, name, NULL, &err) != TENDRIL_OK) return report(&err);
  tendril_text text = bytes ? (tendril_text){bytes, size} : tendril_reply_member(s->client, "document");
  *model = json_from_bytes(name, text.at, text.size);
  free(bytes);
  return *model ? EXIT_OK : EXIT_USAGE;
}

static int export_model(session *s, const options *o) {
  const char *given = options_get(o, "output"), *name = o->positional[0];
  json_t *model = NULL;
  int status = open_model(s, name, &model);
  if (status != EXIT_OK) return status;
  char *path = given ? must_copy(given) : file_stem(name, ".urdf"), *text = export_urdf(model, path);
  status = text ? file_write(path, text, strlen(text)) : EXIT_FAILED;
  if (status == EXIT_OK && !s->json && !output_file_is_stdout(path)) printf("%s\n", path);
  free(text);
  free(path);
  json_decref(model);
  return status;
}

static int run(session *s, const options *o) {
  if (is_of_model(o)) return export_model(s, o);
  const target *k = choose(o);
  if (!k) return EXIT_USAGE;
  char id[TENDRIL_ID_SIZE] = "";
  tendril_arrays *arrays = NULL;
  bool is_file = file_has_extension(o->positional[0], ".npz");
  int status = is_file ? open_file(o, &arrays) : fetch(s, o, id, &arrays);
  if (status != EXIT_OK) return status;
  const char *output = options_get(o, "output");
  char *path = output    ? must_copy(output)
               : is_file ? path_beside(o->positional[0], k->extension)
                         : must_format("%s%s", id, k->extension);
  export_result result;
  export_open(&result, arrays);
  status = write_result(k, &result, path);
  export_close(&result);
  if (status == EXIT_OK && !s->json && !output_file_is_stdout(path)) printf("%s\n", path);
  free(path);
  return status;
}

const command command_export = {
    .name = "export",
    .arguments = "ID|RESULT.npz|MODEL",
    .summary = "a result as Foxglove, h5py, MATLAB or a spreadsheet reads it",
    .help = "Of a job on the server, or of a result in NPZ (which needs no server):\n"
            "  mcap  messages over time for Foxglove: frames of all recorded links and rods' points (3D panel: /tf, "
            "/poses/LINK,\n"
            "        /scene), joints (/joint_states), and every other array by name (plot panel: /q.arm_bending_y_0, "
            "/energy.kinetic)\n"
            "  hdf5  a dataset per array with attributes unit, names, units, link; `t` is a dimension scale\n"
            "  mat   MATLAB 5: variables t, q, …; structs poses, strain, shape by link; names and units\n"
            "  csv   a head line, one row per sample\n"
            "Bodies move in MCAP when the job recorded poses:LINK. The summary, with model and job, comes along (not "
            "in CSV).\n"
            "  urdf  of a model, a file or a name on the server: its rigid links and joints, what is drawn of them "
            "(meshes as OBJ\n"
            "        files beside it). What a URDF has no place for is said\n" ID_HELP OUTPUT_HELP "\n"
            "  tendril export 01kb3y7m2q --to mcap            writes ID.mcap\n"
            "  tendril export cdm.npz -o cdm.h5               h5py.File(\"cdm.h5\")[\"q\"].attrs[\"names\"]\n"
            "  tendril export cdm.npz -o cdm.mat              load cdm.mat; plot(t, q)\n"
            "  tendril export arm.model.json --to urdf        writes arm.urdf",
    .least = 1,
    .most = 1,
    .options = {{"to", 't', "mcap|hdf5|mat|csv|urdf", "the format (default: what the extension of FILE says)"},
                {"output", 'o', "FILE",
                 "where to write it, - is standard output (default: ID or RESULT with .mcap, .h5, "
                 ".mat or .csv)"},
                {"fields", 0, "NAMES", "of a job only these arrays, separated by commas: q,qd,poses:arm@1"},
                {"from", 0, "S", "of a job: first time, s (statics: number of a problem)"},
                {"until", 0, "S", "of a job: last time, s"},
                {"stride", 0, "N", "of a job: every N-th sample"},
                {"partial", 'p', NULL, "of a job that has not succeeded: what it has saved so far"}},
    .run = run};

// tendril replay: a result as one HTML file, the dashboard's replay and curves with the result inside. The archive goes
// in as base64; the page asks nobody for anything.
#include "base/base64.h"
#include "base/files.h"
#include "base/say.h"
#include "commands/command.h"
#include "commands/jobs/ids.h"
#include "commands/local/replay_page.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double BYTES_MOST = 200e6;

typedef struct writing {
  output_file file;
  output_error err;
  bool good;
} writing;

static void put(writing *w, const void *bytes, size_t size) {
  w->good = w->good && output_file_write(&w->file, bytes, size, &w->err);
}

static void put_part(writing *w, const replay_part *part) { put(w, part->bytes, part->size); }

// Names come from documents, which may hold anything.
static void put_escaped(writing *w, const char *text) {
  for (; *text; ++text) {
    char code[16];
    if (strchr("<>&\"'", *text))
      snprintf(code, sizeof code, "&#%d;", *text);
    else
      snprintf(code, sizeof code, "%c", *text);
    put(w, code, strlen(code));
  }
}

static void put_base64(writing *w, const unsigned char *bytes, size_t size) {
  enum { LINE = 19 * 3 * 64 };
  char line[LINE / 3 * 4];
  for (size_t at = 0; at < size; at += LINE)
    put(w, line, base64_encode(bytes + at, size - at < LINE ? size - at : LINE, line));
}

// What the title says: the model's name. NULL after a line when the file is no result of a job.
static char *title_of(const char *path) {
  tendril_error err;
  tendril_arrays *arrays = tendril_arrays_open(path, &err);
  if (!arrays) return say_error("%s", err.detail), NULL;
  const tendril_array *bytes = tendril_arrays_find(arrays, "summary");
  json_t *summary = bytes ? json_loadb(bytes->data, strnlen(bytes->data, bytes->size), 0, NULL) : NULL;
  const json_t *model = json_object_get(json_object_get(summary, "model"), "document");
  const char *name = json_string_value(json_object_get(model, "name"));
  char *title = model ? must_format("%.120s", name ? name : "result") : NULL;
  if (!model)
    say_error("%s holds nothing to show: a result of a job has a summary with its model", path);
  else if (!tendril_arrays_find(arrays, "q"))
    say_note("the robot is not shown: the job recorded no q. \"output\": {\"fields\": [\"q\"]} adds it");
  json_decref(summary);
  tendril_arrays_close(arrays);
  return title;
}

static int write_page(const char *path, const char *title, const char *bytes, size_t size) {
  writing w = {.good = true};
  if (!output_file_open(&w.file, path, false, &w.err)) return file_report(&w.err);
  put_part(&w, &replay_head);
  put_escaped(&w, title);
  put_part(&w, &replay_middle);
  put_base64(&w, (const unsigned char *)bytes, size);
  put_part(&w, &replay_tail);
  w.good = w.good && output_file_commit(&w.file, &w.err);
  output_file_discard(&w.file);
  return w.good ? EXIT_OK : file_report(&w.err);
}

static int show(const char *archive, const char *path) {
  size_t size;
  char *title = title_of(archive), *bytes = title ? file_read(archive, &size) : NULL;
  int result = EXIT_USAGE;
  if (bytes && (double)size > BYTES_MOST)
    say_error("%s has %.0f MB, more than a page should carry: `tendril result --fields q,u --stride 10` takes a part",
              archive, 1e-6 * (double)size);
  else if (bytes)
    result = write_page(path, title, bytes, size);
  free(bytes);
  free(title);
  return result;
}

// The result of a job on the server, in a file for as long as the page is written.
static int show_job(session *s, const char *text, const char *path) {
  char id[TENDRIL_ID_SIZE], archive[] = "/tmp/tendril-replay-XXXXXX";
  tendril_error err;
  int found = job_id(s, text, id), file;
  if (found != EXIT_OK) return found;
  if ((file = mkstemp(archive)) < 0) return say_error("cannot write to /tmp"), EXIT_FAILED;
  close(file);
  tendril_status status = tendril_result_save(s->client, id, NULL, TENDRIL_NPZ, archive, &err);
  int result = status == TENDRIL_OK ? show(archive, path) : report(&err);
  unlink(archive);
  return result;
}

static int run(session *s, const options *o) {
  const char *from = o->positional[0], *given = options_get(o, "output");
  if (replay_head.size == 0)
    return say_error("this build of tendril has no replay: it was made without npm (or -DTENDRIL_WITH_DASHBOARD=OFF)"),
           EXIT_FAILED;
  if (given && output_file_is_regular(given) && !file_has_extension(given, ".html"))
    return say_error("%s: a replay is HTML; use .html", given), EXIT_USAGE;
  bool is_file = file_exists(from) || strchr(from, '/') || file_has_extension(from, ".npz");
  char *path = given ? must_copy(given) : must_format("%s.html", from);
  int result = is_file ? show(from, path) : show_job(s, from, path);
  if (result == EXIT_OK && !output_file_is_stdout(path)) printf("%s\n", path);
  free(path);
  return result;
}

const command command_replay = {
    .name = "replay",
    .arguments = "RESULT.npz|ID",
    .summary = "a result as a page: the robot moves in 3D beside its curves",
    .help = "Writes one HTML file with the dashboard's replay and the result inside. It asks no server, so it can be "
            "sent to\n"
            "somebody, or be opened in ten years. The robot is rebuilt from q: its job has to record that. A result "
            "file needs\n"
            "no server either.\n" ID_HELP OUTPUT_HELP "\n"
            "  tendril replay cdm.npz -o cdm.html\n"
            "  tendril replay 01kb3y7m2q",
    .least = 1,
    .most = 1,
    .options = {{"output", 'o', "FILE.html", "the page, - is standard output (default: RESULT.npz.html, ID.html)"}},
    .run = run};

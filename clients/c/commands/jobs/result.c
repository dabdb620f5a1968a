// tendril result: the result of a job into a file, whole or in part.
#include "base/files.h"
#include "base/say.h"
#include "commands/command.h"
#include "commands/jobs/about.h"
#include "commands/jobs/ids.h"
#include "commands/jobs/query.h"
#include <stdio.h>
#include <stdlib.h>

static int run(session *s, const options *o) {
  tendril_format format;
  tendril_result_query query;
  tendril_error err;
  char id[TENDRIL_ID_SIZE];
  const char *output = options_get(o, "output");
  if (!query_read(o, "to", &query) || !format_choose(o, output, &format)) return EXIT_USAGE;
  int found = job_id(s, o->positional[0], id);
  if (found != EXIT_OK) return found;
  char *path = output ? must_copy(output) : must_format("%s%s", id, format_extension(format));
  tendril_status status = tendril_result_save(s->client, id, &query, format, path, &err);
  if (status == TENDRIL_OK && !s->json && !output_file_is_stdout(path)) printf("%s\n", path);
  free(path);
  if (status == TENDRIL_OK) query_tell_warnings(s, id);
  if (status == TENDRIL_OK) return EXIT_OK;
  int result = report(&err);
  if (err.http > 0 && !query.partial) about_say_partial(s, id);
  return result;
}

const command command_result = {
    .name = "result",
    .arguments = "ID",
    .summary = "fetch the result of a job",
    .help = "The format is --format, or what the extension of FILE says: npz (arrays for numpy.load, `tendril plot` "
            "draws them),\n"
            "json ({\"summary\": …, \"arrays\": …}) or csv (a header line, one row per sample). A download that breaks "
            "goes on\n"
            "where it was.\n" ID_HELP OUTPUT_HELP "\n"
            "  tendril result 01kb3y7m2q -o cdm.npz\n"
            "  tendril result 01kb3y7m2q --fields q,energy --from 2 --to 4 --stride 10 -o part.csv\n"
            "  tendril result 01kb3y7m2q --format csv -o - | cut -d, -f1,2\n"
            "  tendril result 01kb3y7m2q --partial          what a running or failed job has computed so far",
    .least = 1,
    .most = 1,
    .options = {{"output", 'o', "FILE", "where to write it, - is standard output (default: ID.npz, ID.json or ID.csv)"},
                {"format", 'f', "npz|json|csv", "whatever FILE is called"},
                {"fields", 0, "NAMES", "only these, separated by commas: q,qd,poses:arm@1"},
                {"from", 0, "S", "first time, s (statics: number of a problem)"},
                {"to", 0, "S", "last time, s"},
                {"stride", 0, "N", "every N-th sample"},
                {"partial", 'p', NULL, "what a job that has not succeeded has saved so far"}},
    .run = run};

// tendril plot: a result as a picture. Needs no server.
#include "base/files.h"
#include "base/say.h"
#include "commands/command.h"
#include "plot/figure.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool read_view(const char *text, shapes_style *style) {
  if (!text) return true;
  char rest;
  if (sscanf(text, "%lf,%lf%c", &style->azimuth, &style->elevation, &rest) == 2 && style->elevation >= -90 &&
      style->elevation <= 90)
    return true;
  say_error("--view must be AZIMUTH,ELEVATION in degrees, such as -60,20, not '%s'", text);
  return false;
}

static bool read_layout(const char *text, shapes_style *style) {
  static const char *const words[] = {"auto", "together", "apart"};
  for (int i = 0; i < 3; ++i)
    if (!text || strcmp(text, words[i]) == 0) return style->layout = (shapes_layout)i, true;
  say_error("--layout must be auto, together or apart, not '%s'", text);
  return false;
}

static int run(session *s, const options *o) {
  (void)s;
  shapes_style style = {.azimuth = -58, .elevation = 16, .link = options_get(o, "link")};
  bool good = options_integer(o, "shapes", 1, 200, 11, &style.instants) && read_view(options_get(o, "view"), &style) &&
              read_layout(options_get(o, "layout"), &style);
  if (!good) return EXIT_USAGE;
  const char *given = options_get(o, "output");
  recording r;
  if (!recording_open(&r, o->positional[0])) return EXIT_USAGE;
  char *name = given ? must_copy(given) : must_format("%s.png", o->positional[0]);
  good = figure_write(&r, &style, name);
  if (good) printf("%s\n", name);
  free(name);
  recording_close(&r);
  return good ? EXIT_OK : EXIT_USAGE;
}

const command command_plot = {
    .name = "plot",
    .arguments = "RESULT.npz",
    .summary = "draw a result: curves and the robot's shapes, as PNG",
    .help = "Draws what the job recorded in output.fields: u (inputs), q, energy, and from poses:LINK the shapes of "
            "the robot at\n"
            "several instants and the path of its tip. Cross-sections come from the model inside the result.\n\n"
            "  tendril plot cdm.npz -o cdm.png\n  tendril plot cdm.npz -o side.png --view 0,0 --shapes 5",
    .least = 1,
    .most = 1,
    .options = {{"output", 'o', "FILE.png", "the picture (default: RESULT.npz.png)"},
                {"shapes", 0, "N", "number of instants drawn (11)"},
                {"view", 0, "AZ,EL", "where the eye stands, degrees (-58,16)"},
                {"layout", 0, "WORD", "instants together in one box, apart, or auto (auto)"},
                {"link", 0, "NAME", "whose tip is traced (default: the last rod)"}},
    .run = run};

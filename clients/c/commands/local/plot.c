// tendril plot: a result as a picture. Needs no server.
#include "base/files.h"
#include "base/say.h"
#include "commands/command.h"
#include "plot/figure.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const double PIXEL_LIMIT = 30e6;

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

// "1200x800", between 300 and 8000 a side; a fold of 0.5 to 4 on top.
static bool read_size(const options *o, figure_style *style) {
  const char *size = options_get(o, "size"), *scale = options_get(o, "scale");
  char rest;
  if (size && (sscanf(size, "%ldx%ld%c", &style->width, &style->height, &rest) != 2 || style->width < 300 ||
               style->width > 8000 || style->height < 300 || style->height > 8000)) {
    say_error("--size must be WIDTHxHEIGHT, each 300 to 8000, such as 1200x800, not '%s'", size);
    return false;
  }
  if (scale && (sscanf(scale, "%lf%c", &style->scale, &rest) != 1 || !(style->scale >= 0.5 && style->scale <= 4))) {
    say_error("--scale must be a number from 0.5 to 4, not '%s'", scale);
    return false;
  }
  double pixels = (double)style->width * (double)style->height * style->scale * style->scale;
  if (pixels > PIXEL_LIMIT)
    say_error("a picture of %.0f million pixels is too large: the limit is 30 million", 1e-6 * pixels);
  return pixels <= PIXEL_LIMIT;
}

static bool read_style(const options *o, figure_style *style) {
  *style = (figure_style){.width = 1720, .height = 1000, .scale = 1, .fields = options_get(o, "panels")};
  style->shapes = (shapes_style){.azimuth = NAN, .elevation = NAN, .link = options_get(o, "link")};
  style->curves_only = options_get(o, "curves") != NULL;
  return options_integer(o, "shapes", 1, 200, 0, &style->shapes.instants) &&
         read_view(options_get(o, "view"), &style->shapes) && read_layout(options_get(o, "layout"), &style->shapes) &&
         read_size(o, style);
}

static bool link_check(const recording *r, const char *link) {
  char name[128];
  double *tip = link ? recording_tip(r, link, name, sizeof name) : NULL;
  free(tip);
  if (!link || tip) return true;
  say_error("the result holds no poses of a link '%s'", link);
  return false;
}

// The extension of what is no regular file says nothing.
static bool name_is_png(const char *path) {
  size_t length = strlen(path);
  if ((length > 4 && strcasecmp(path + length - 4, ".png") == 0) || !output_file_is_regular(path)) return true;
  say_error("%s: pictures are PNG; use .png", path);
  return false;
}

static int run(session *s, const options *o) {
  (void)s;
  figure_style style;
  recording r;
  const char *given = options_get(o, "output");
  if (!read_style(o, &style) || (given && !name_is_png(given)) || !recording_open(&r, o->positional[0]))
    return EXIT_USAGE;
  char *name = given ? must_copy(given) : must_format("%s.png", o->positional[0]);
  int result = link_check(&r, style.shapes.link) ? figure_write(&r, &style, name) : EXIT_USAGE;
  if (result == EXIT_OK && !output_file_is_stdout(name)) printf("%s\n", name);
  free(name);
  recording_close(&r);
  return result;
}

const command command_plot = {
    .name = "plot",
    .arguments = "RESULT.npz",
    .summary = "draw a result: curves and the robot's shapes, as PNG",
    .help = "Draws what the job recorded in output.fields: from poses:LINK the robot at several instants with the path "
            "of its tip\n"
            "(bodies, loops and what it touches come from the model inside the result), and panels of curves: u "
            "(inputs, a panel per\n"
            "unit), q, qd, tip, tip_error, tendons, energy, lambda, loop_error, residual. Statics in which one "
            "input rises\n"
            "are drawn over that input, a sweep over the numbers of its jobs.\n" OUTPUT_HELP "\n"
            "  tendril plot cdm.npz -o cdm.png\n"
            "  tendril plot cdm.npz -o side.png --view -90,0 --shapes 5 --layout together\n"
            "  tendril plot cdm.npz -o paper.png --panels u,tip,tendons --curves --size 900x700 --scale 2",
    .least = 1,
    .most = 1,
    .offline = true,
    .options = {{"output", 'o', "FILE.png", "the picture, - is standard output (default: RESULT.npz.png)"},
                {"panels", 'p', "NAMES", "these panels only, separated by commas"},
                {"curves", 'c', NULL, "curves only, no shapes of the robot"},
                {"shapes", 0, "N", "number of instants drawn (6 or 11)"},
                {"layout", 0, "auto|together|apart", "instants in one box or side by side (default: auto)"},
                {"view", 0, "AZ,EL", "direction to look from, degrees (default: one that suits the robot)"},
                {"link", 0, "NAME", "whose tip is traced (default: the last rod whose poses were recorded)"},
                {"size", 0, "WxH", "width and height, units (1720x1000)"},
                {"scale", 0, "K", "pixels per unit (1)"}},
    .run = run};

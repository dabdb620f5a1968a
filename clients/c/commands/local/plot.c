// tendril plot: a result as a picture. Needs no server, but where the job kept q and no poses: a server places the links.
#include "base/files.h"
#include "base/say.h"
#include "commands/command.h"
#include "plot/figure.h"
#include "plot/film.h"
#include "plot/rebuilt.h"
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

static bool read_style(const options *o, figure_style *style, bool moves) {
  *style = (figure_style){
      .width = moves ? 1280 : 1720, .height = moves ? 744 : 1000, .scale = 1, .fields = options_get(o, "panels")};
  style->shapes = (shapes_style){.azimuth = NAN, .elevation = NAN, .link = options_get(o, "link")};
  style->curves_only = options_get(o, "curves") != NULL;
  style->shapes.collision = options_get(o, "collision") != NULL;
  return options_integer(o, "shapes", 1, 200, 0, &style->shapes.instants) &&
         read_view(options_get(o, "view"), &style->shapes) && read_layout(options_get(o, "layout"), &style->shapes) &&
         read_size(o, style);
}

// "0,0.5,2": seconds, or numbers of problems or jobs.
static bool read_times(const char *text, shapes_style *style) {
  for (const char *at = text; at && *at;) {
    char *end;
    double time = strtod(at, &end);
    bool good = end > at && isfinite(time) && (*end == ',' || *end == '\0') && style->time_count < INSTANTS_MOST &&
                (style->time_count == 0 || time > style->times[style->time_count - 1]);
    if (!good)
      return say_error("--times must be at most %d rising numbers such as 0,0.5,2, not '%s'", INSTANTS_MOST, text),
             false;
    style->times[style->time_count++] = time;
    at = *end ? end + 1 : end;
  }
  return true;
}

// Words that ask for shapes, which a result without poses does not have.
static const char *asks_for_shapes(const options *o) {
  static const char *const words[] = {"shapes", "times", "layout", "view"};
  for (size_t i = 0; i < sizeof words / sizeof *words; ++i)
    if (options_get(o, words[i])) return words[i];
  return NULL;
}

// "poses:upper", "poses:lower" of the model's links: what output.fields lacks; "…" behind those that have room.
static void list_fields(const recording *r, char *out, size_t size) {
  const json_t *link, *links = json_object_get(r->model, "links");
  size_t i, used = 0;
  snprintf(out, size, "\"poses:LINK\"");
  json_array_foreach(links, i, link) {
    const char *name = json_string_value(json_object_get(link, "name"));
    if (!name) break;
    if (used + strlen(name) + 24 > size) {
      snprintf(out + used, size - used, "%s…", used ? ", " : "");
      break;
    }
    used += (size_t)snprintf(out + used, size - used, "%s\"poses:%s\"", used ? ", " : "", name);
  }
}

static bool wants_robot(const recording *r, const options *o) {
  return r->track_count == 0 && !options_get(o, "curves") && recording_rebuildable(r);
}

// A server that is not there is no reason not to draw the curves, and nobody waits for it.
static void rebuild(const session *s, recording *r, tendril_error *err) {
  tendril_options wishes = *s->wishes;
  wishes.patience_s = -1;
  wishes.connect_timeout_s = 3;
  tendril_client *client = tendril_open(&wishes, err);
  if (client) recording_rebuild(r, client, err);
  tendril_close(client);
}

// A linearisation records A, B and states, and no output.fields add to them.
static bool linear_check(const recording *r, const char *word) {
  if (word) return say_error("there are no shapes for --%s: a linearisation has none", word), false;
  if (!spectrum_exists(r)) say_note("no eigenvalues: the result has no A, or one of more than 1500 rows");
  return true;
}

// A picture without a robot says why; one in which the robot was asked for is refused. unplaced: why no server placed
// the links from q, "": none was asked.
static bool shapes_check(const recording *r, const options *o, const char *unplaced) {
  char fields[240], kept[420];
  const char *word = asks_for_shapes(o);
  bool drawn = r->track_count > 0 || options_get(o, "curves") || (word && shapes_exist(r));
  bool records = r->found && strcmp(r->found->kind, "fit") == 0;
  if (r->linear) return linear_check(r, word);
  if (drawn || (records && !word)) return true;
  list_fields(r, fields, sizeof fields);
  snprintf(kept, sizeof kept, "%s%.360s%s", *unplaced ? ", and no server placed them from q (" : "", unplaced,
           *unplaced ? ")" : "");
  if (word)
    return say_error("there are no shapes for --%s: the job recorded no poses of links%s. Add \"output\": {\"fields\": "
                     "[…, %s]} to it",
                     word, kept, fields),
           false;
  if (r->model)
    say_note("%s: %s recorded no poses%s. \"output\": {\"fields\": [%s]} adds them",
             shapes_exist(r) ? "only places of links are drawn" : "the robot is not drawn",
             r->found ? "the job within (\"of\")" : "the job", kept, fields);
  return true;
}

static bool link_check(const recording *r, const char *link) {
  char name[128];
  double *tip = link ? recording_tip(r, link, name, sizeof name) : NULL;
  free(tip);
  if (!link || tip) return true;
  bool known = !r->model || recording_entry(r, "links", link, strlen(link));
  if (known)
    say_error("the result holds no poses of the link '%s': add \"poses:%s\" to output.fields of the job", link, link);
  else
    say_error("the model has no link '%s'", link);
  return false;
}

static bool times_check(const recording *r, const shapes_style *style) {
  double low = r->x[0], high = r->x[r->samples - 1];
  for (long i = 0; i < style->time_count; ++i)
    if (style->times[i] < low - 1e-9 * (high - low) || style->times[i] > high + 1e-9 * (high - low)) {
      say_error("--times: there is nothing at %g: %s goes from %g to %g", style->times[i], recording_axis(r), low,
                high);
      return false;
    }
  return true;
}

static bool is_format(const char *word, figure_format *picture, const char **film) {
  *film = film_format_named(word);
  return *film || figure_format_named(word, picture);
}

// By --format, else by the extension; what is no regular file says nothing by its own. *film: NULL for a picture.
static bool read_format(const options *o, const char *path, figure_format *picture, const char **film) {
  const char *word = options_get(o, "format"), *dot = strrchr(path, '.'), *slash = strrchr(path, '/');
  bool extended = dot && dot != path && (!slash || dot > slash + 1);
  *picture = FIGURE_PNG;
  *film = NULL;
  if (word && !is_format(word, picture, film))
    return say_error("--format must be png, svg, pdf, mp4 or gif, not '%s'", word), false;
  if (word || (extended && is_format(dot + 1, picture, film)) || !output_file_is_regular(path)) return true;
  say_error("%s: pictures are PNG, SVG or PDF, films MP4 or GIF; use .png, .svg, .pdf, .mp4 or .gif, or --format",
            path);
  return false;
}

// --seconds and --fps are a film's, some words a picture's.
static bool read_film(const options *o, film_style *film) {
  static const char *const of_films[] = {"seconds", "fps"}, *const of_pictures[] = {"shapes", "times", "layout"};
  const char *seconds = options_get(o, "seconds");
  char rest;
  for (size_t i = 0; i < 2; ++i)
    if (!film->format && options_get(o, of_films[i]))
      return say_error("--%s is of films: -o FILE.mp4 or FILE.gif makes one", of_films[i]), false;
  for (size_t i = 0; i < 3; ++i)
    if (film->format && options_get(o, of_pictures[i]))
      return say_error("--%s is of pictures: a film shows one instant after the other", of_pictures[i]), false;
  if (seconds && (sscanf(seconds, "%lf%c", &film->seconds, &rest) != 1 || !(film->seconds > 0 && film->seconds <= 600)))
    return say_error("--seconds must be a number above 0 and up to 600, not '%s'", seconds), false;
  return options_integer(o, "fps", 1, 60, 0, &film->rate);
}

static int run(session *s, const options *o) {
  figure_style style;
  figure_format format;
  film_style film = {.seconds = 0};
  recording r;
  const char *given = options_get(o, "output");
  if (!read_format(o, given ? given : "x.png", &format, &film.format) || !read_film(o, &film)) return EXIT_USAGE;
  if (!read_style(o, &style, film.format) || !read_times(options_get(o, "times"), &style.shapes)) return EXIT_USAGE;
  style.format = format;
  if (!recording_open(&r, o->positional[0])) return EXIT_USAGE;
  const char *extension = options_get(o, "format");
  tendril_error unplaced = {.detail = ""};
  if (wants_robot(&r, o)) rebuild(s, &r, &unplaced);
  char *name = given ? must_copy(given) : must_format("%s.%s", o->positional[0], extension ? extension : "png");
  bool good =
      link_check(&r, style.shapes.link) && shapes_check(&r, o, unplaced.detail) && times_check(&r, &style.shapes);
  int result = !good ? EXIT_USAGE : film.format ? film_write(&r, &style, &film, name) : figure_write(&r, &style, name);
  if (result == EXIT_OK && !output_file_is_stdout(name)) printf("%s\n", name);
  free(name);
  recording_close(&r);
  return result;
}

const command command_plot = {
    .name = "plot",
    .arguments = "RESULT.npz",
    .summary = "draw a result: curves and the robot's shapes, as a picture or a film",
    .help =
        "Draws what the job recorded in output.fields: from poses:LINK, or from q where a server answers, the robot "
        "at several\ninstants with the path of its tip "
        "(bodies, loops and what it touches come from the model inside the result), and panels of curves: u "
        "(inputs, a panel per\n"
        "unit), q, qd, tip, tip_error, tendons, energy, lambda, loop_error, residual. Statics in which one "
        "input rises\n"
        "are drawn over that input, a sweep over what it varied, a single problem as bars; many jobs or problems "
        "have a "
        "dot\nwhere each tip is, coloured by the second number that varies. Instants are chosen by "
        "what moves.\nA film (.mp4, .gif) shows one after the other, and a line goes along the curves; ffmpeg "
        "makes it (Debian: ffmpeg).\n" OUTPUT_HELP "\n"
        "  tendril plot cdm.npz -o cdm.png\n"
        "  tendril plot cdm.npz -o side.png --view -90,0 --shapes 5 --layout together\n"
        "  tendril plot cdm.npz -o early.svg --times 0,0.5,1,1.5\n"
        "  tendril plot cdm.npz -o paper.pdf --panels u,tip,tendons --curves --size 900x700 --scale 2\n"
        "  tendril plot cdm.npz -o cdm.mp4 --seconds 10",
    .least = 1,
    .most = 1,
    .offline = true,
    .options =
        {{"output", 'o', "FILE",
          "the picture, .png, .svg or .pdf, or the film, .mp4 or .gif; - is standard output (default: RESULT.npz.png)"},
         {"format", 'f', "png|svg|pdf|mp4|gif", "where no extension tells it"},
         {"panels", 'p', "NAMES", "these panels only, separated by commas"},
         {"curves", 'c', NULL, "curves only, no shapes of the robot"},
         {"collision", 0, NULL, "also what bodies touch with, in orange"},
         {"shapes", 0, "N", "number of instants drawn (6 or 11)"},
         {"times", 0, "T1,T2,…", "these instants, s (of statics and sweeps: numbers of problems, of jobs)"},
         {"layout", 0, "auto|together|apart", "instants in one box or side by side (default: auto)"},
         {"view", 0, "AZ,EL", "direction to look from, degrees (default: one that suits the robot)"},
         {"link", 0, "NAME", "whose tip is traced (default: the last rod of the tree whose poses were recorded)"},
         {"size", 0, "WxH", "width and height, units (1720x1000; a film 1280x744)"},
         {"scale", 0, "K", "pixels per unit (1)"},
         {"seconds", 0, "S", "how long a film lasts (as long as the motion, within 4 and 20 s)"},
         {"fps", 0, "N", "its frames a second (25)"}},
    .run = run};

// Layout: shapes on the left, panels on the right, in a column, or in two when there are many. Without shapes the
// panels take the whole width, without panels the shapes.
#include "plot/figure.h"

#include "base/files.h"
#include "base/kinds.h"
#include "base/options.h"
#include "base/say.h"
#include "plot/canvas/bars.h"
#include "plot/curves/panels.h"
#include "plot/curves/search.h"
#include "plot/curves/varied.h"
#include "plot/found_table.h"
#include "plot/modes/eigenplane.h"
#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#ifdef __SANITIZE_ADDRESS__
// fontconfig 2.14 keeps one block of its own for ever; everything of ours is still checked.
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) { return "leak:libfontconfig"; }
__attribute__((visibility("default"))) const char *__lsan_default_options(void);
const char *__lsan_default_options(void) { return "print_suppressions=0"; }
#endif

enum { SPECTRA_MOST = 40, HEADER = 76, REMARK_LINE = 19, REMARKS = 3 };

static int describe_fit(const recording *r, char *line, size_t size) {
  size_t records = json_array_size(json_object_get(json_object_get(r->summary, "fit"), "records"));
  return snprintf(line, size, "fit of %zu number%s to %zu record%s", r->found->count, r->found->count == 1 ? "" : "s",
                  records, records == 1 ? "" : "s");
}

// "linearised at 1 state, A has 24 eigenvalues"
static int describe_linear(const recording *r, char *line, size_t size) {
  const tendril_array *a = tendril_arrays_find(r->file, "A");
  int n = snprintf(line, size, "linearised at %zu state%s", r->samples, r->samples == 1 ? "" : "s");
  if (!a || a->rank != 3) return n;
  return n + snprintf(line + n, size - (size_t)n, ", A has %zu eigenvalues", a->shape[2]);
}

// What the rows are: "1001 samples over 10 s", "40 problems of statics", "1 state", "200 jobs of a sweep over pull (N),
// each at its end (t = 2 s)".
static int describe_rows(const recording *r, char *line, size_t size) {
  double low = INFINITY, high = -INFINITY;
  if (r->found && strcmp(r->found->kind, "fit") == 0) return describe_fit(r, line, size);
  if (r->linear) return describe_linear(r, line, size);
  const char *kind = json_string_value(json_object_get(r->summary, "kind"));
  if (kind && strcmp(kind, "state") == 0)
    return snprintf(line, size, "%zu state%s", r->samples, r->samples == 1 ? "" : "s");
  if (json_object_get(r->summary, "continuation"))
    return snprintf(line, size, "%zu points of a path of equilibria", r->samples);
  if (r->statics && !r->ends && !r->sweep)
    return snprintf(line, size, "%zu problem%s of statics", r->samples, r->samples == 1 ? "" : "s");
  if (!r->statics) return snprintf(line, size, "%zu samples over %g s", r->samples, r->x[r->samples - 1] - r->x[0]);
  bool jobs = r->ends || r->x != r->numbers;
  snprintf(line, size, jobs ? "%zu jobs of a sweep" : "%zu equilibria of a sweep", r->samples);
  varied_tell(r, line, size / 2);
  int n = (int)strlen(line);
  if (r->statics && !r->ends) return n;
  n += snprintf(line + n, size - (size_t)n, ", each at its end");
  for (size_t i = 0; i < r->samples; ++i) low = fmin(low, r->t[i]), high = fmax(high, r->t[i]);
  if (low == high) return n + snprintf(line + n, size - (size_t)n, " (t = %g s)", low);
  return low < high ? n + snprintf(line + n, size - (size_t)n, " (t = %g to %g s)", low, high) : n;
}

// The method of the run; the job may leave it open. NULL when nothing tells.
static const char *method_of(const recording *r) {
  const json_t *used = json_object_get(json_object_get(r->summary, "integrator"), "method");
  const json_t *job = json_object_get(r->summary, "job"), *of = json_object_get(job, "of");
  if (r->found) return json_string_value(json_object_get(json_object_get(of, "integrator"), "method"));
  const json_t *asked = json_object_get(json_object_get(job, "integrator"), "method");
  return json_string_value(used ? used : asked);
}

// The rows, then "24 coordinates, radau" from what the summary tells.
static void describe(const recording *r, char *line, size_t size) {
  const char *method = method_of(r);
  size_t coordinates = json_array_size(json_object_get(r->summary, "coordinates"));
  size_t failures = json_array_size(json_object_get(r->summary, "failures"));
  int n = describe_rows(r, line, size);
  if (r->found && strcmp(r->found->kind, "fit") != 0)
    n += snprintf(line + n, size - (size_t)n, r->found->kind[0] == 'd' ? " of the best robot" : ", differentiated");
  if (coordinates) n += snprintf(line + n, size - (size_t)n, ", %zu coordinates", coordinates);
  if (failures) n += snprintf(line + n, size - (size_t)n, ", %zu failed", failures);
  if (!r->statics && method) n += snprintf(line + n, size - (size_t)n, ", %.24s", method);
  if (json_is_true(json_object_get(r->summary, "partial"))) snprintf(line + n, size - (size_t)n, ", so far (partial)");
}

static bool ends_a_sentence(const char *at) {
  return *at == '\0' || (at[-1] == '.' && at[0] == ' ' && at[1] >= 'A' && at[1] <= 'Z');
}

// As many whole sentences of the description as fit the line.
static void draw_description(cairo_t *c, const char *description, double width) {
  char *fits = NULL;
  for (const char *at = description; *at;) {
    while (!ends_a_sentence(++at)) continue;
    char *text = must_format("%.*s", (int)(at - description), description);
    bool longer = canvas_text_width(c, 13, text) >= width;
    free(longer ? text : fits);
    if (longer) break;
    fits = text;
  }
  if (fits) canvas_text(c, 36, 66, 13, ALIGN_LEFT, false, fits);
  free(fits);
}

// ------------------------------------------------------------------------------------------------ remarks

// What a run says of itself when its motion is not what the equations say.
static bool is_grave(const json_t *remark) {
  static const char *const codes[] = {"inconsistent", KINDS_UNTRUE};
  const char *code = json_string_value(json_object_get(remark, "code"));
  for (size_t i = 0; code && i < sizeof codes / sizeof *codes; ++i)
    if (strcmp(code, codes[i]) == 0) return true;
  return false;
}

enum { REMARKS_KNOWN = 64 };

// The job's error and its warnings, grave ones first; returns how many.
static int list_remarks(const recording *r, const json_t *list[REMARKS_KNOWN]) {
  const json_t *error = json_object_get(r->summary, "error"), *warnings = json_object_get(r->summary, "warnings"), *w;
  int count = 0;
  size_t i;
  if (json_is_object(error)) list[count++] = error;
  for (int grave = 1; grave >= 0; --grave)
    json_array_foreach(warnings, i, w) if (is_grave(w) == (grave == 1) && count < REMARKS_KNOWN) list[count++] = w;
  return count;
}

// As much of a text as the width holds.
static void draw_cut(cairo_t *c, double x, double y, double width, bool bold, char *text) {
  size_t length = strlen(text), whole = length;
  while (length > 4 && canvas_text_width(c, bold ? 14.4 : 13, text) > width) {
    length -= length > 40 ? 4 : 1;
    while (length > 0 && ((unsigned char)text[length] & 0xC0) == 0x80) --length;
    text[length] = '\0';
  }
  if (length < whole && length > 3) {
    while (length > 0 && ((unsigned char)text[length - 3] & 0xC0) == 0x80) --length;
    memcpy(text + length - 3, "...", 4);
  }
  canvas_text(c, x, y, 13, ALIGN_LEFT, bold, text);
}

// What stands under the description: an inconsistent run is marked in every picture of it.
typedef struct remarks {
  int rows; ///< in small pictures one, in the description's place
  char *text[REMARKS];
  bool grave[REMARKS];
} remarks;

// Where the text breaks so that its first part fits, at a space; its length: all of it fits, or no space comes in time.
static size_t break_of(cairo_t *c, double width, bool bold, const char *text) {
  size_t at = 0, length = strlen(text);
  char *part = must_format("%s", text);
  for (size_t i = length; i > 0 && at == 0; --i) {
    if (i < length && text[i] != ' ') continue;
    part[i] = '\0';
    if (canvas_text_width(c, bold ? 14.4 : 13, part) <= width) at = i;
  }
  free(part);
  return at > 0 ? at : length;
}

// Into rows, as many as are left over; the last one takes the rest.
static void add_remark(cairo_t *c, remarks *to, double width, bool grave, const char *text, int *spare) {
  for (bool first = true; *text; first = false) {
    size_t length = *spare > 0 ? break_of(c, width, grave, text) : strlen(text);
    to->grave[to->rows] = grave;
    to->text[to->rows++] = must_format("%s%.*s", first ? "" : "    ", (int)length, text);
    text += length;
    *spare -= *text != '\0';
    while (*text == ' ') ++text;
  }
}

// The job's error and its warnings, as many as there is room for, each as a whole where there are few.
static remarks lay_remarks(cairo_t *c, const recording *r, double width, double height) {
  const json_t *list[REMARKS_KNOWN];
  int count = list_remarks(r, list), room = height > 300 ? (int)((height - 300) / 40) : 0;
  int most = room < REMARKS ? room : REMARKS, shown = count < most ? count : most > 0 ? most : count > 0;
  int spare = most - shown;
  remarks out = {0};
  for (int i = 0; i < shown; ++i) {
    const char *code = json_string_value(json_object_get(list[i], "code")),
               *detail = json_string_value(json_object_get(list[i], "detail"));
    bool grave = is_grave(list[i]);
    char more[32] = "";
    if (i + 1 == shown && count > shown) snprintf(more, sizeof more, "(and %d more) ", count - shown);
    char *text = must_format("%s%s%.60s: %.400s", more, grave ? "Not to be trusted: " : "", code ? code : "warning",
                             detail ? detail : "");
    add_remark(c, &out, width, grave, text, &spare);
    free(text);
  }
  return out;
}

static void draw_remarks(cairo_t *c, remarks *list, double width, bool below) {
  for (int i = 0; i < list->rows; ++i) {
    canvas_colour(c, list->grave[i] ? (colour){.78, .10, .10} : (colour){.62, .36, .02});
    draw_cut(c, 36, (below ? HEADER + 8 : 66) + i * REMARK_LINE, width, list->grave[i], list->text[i]);
    free(list->text[i]);
  }
}

static void draw_header(cairo_t *c, const recording *r, double width, bool described) {
  const char *name = json_string_value(json_object_get(r->model, "name"));
  const char *description = json_string_value(json_object_get(r->model, "description"));
  char line[480];
  describe(r, line, sizeof line);
  canvas_colour(c, (colour){.12, .14, .18});
  canvas_text(c, 36, 42, 24, ALIGN_LEFT, true, name ? name : "result");
  canvas_colour(c, (colour){.36, .39, .44});
  canvas_text(c, 36 + canvas_text_width(c, 27, name ? name : "result") + 18, 42, 16, ALIGN_LEFT, false, line);
  if (description && described) draw_description(c, description, width - 72);
}

// Panels with an axis of their own are higher than others, a few bars less high.
static double share_of(const panel *p) {
  return p->own_axis ? 2.4 : bars_suit(p) ? fmin(1, 0.25 + 0.12 * p->count) : 1;
}

static void draw_panel(cairo_t *c, rect place, const panel *p, bool last) {
  if (bars_suit(p))
    bars_draw(c, place, p);
  else
    canvas_panel(c, place, p, last);
}

static void draw_column(cairo_t *c, const panel_list *list, rect place) {
  double shares = 0, y = place.y;
  for (int i = 0; i < list->count; ++i) shares += share_of(list->panel[i]);
  for (int i = 0; i < list->count; ++i) {
    bool last = i + 1 == list->count;
    double height = (place.height - 30) * share_of(list->panel[i]) / shares;
    draw_panel(c, (rect){place.x, y, place.width - 12, height + (last ? 30 : 0)}, list->panel[i], last);
    y += height;
  }
}

static int columns_of(const panel_list *list, rect place) {
  return place.width > (list->narrow ? 600 : 1100) && list->count > 3 ? 2 : 1;
}

// As many of the first panels as have a height in which they can be read; at least one.
static panel_list those_that_fit(const panel_list *list, rect place) {
  static const double least = 52;
  panel_list fit = *list;
  for (; fit.count > 1; --fit.count) {
    int columns = columns_of(&fit, place);
    double shares = 0, smallest = 1;
    for (int i = 0; i < fit.count; ++i) {
      shares += share_of(fit.panel[i]);
      smallest = fmin(smallest, share_of(fit.panel[i]));
    }
    if (columns > 1) shares = (fit.count + columns - 1) / columns, smallest = 1;
    if ((place.height - 30) * smallest / shares >= fmin(1, 2 * smallest) * least) break;
  }
  return fit;
}

enum { FOLDED_LINES = 2, FOLDED_HIGH = 16 };

// As many words of *at as the width holds.
static void take_line(cairo_t *c, const char **at, double width, char line[480]) {
  size_t length = strlen(*at);
  snprintf(line, 480, "%s", *at);
  while (length > 0 && canvas_text_width(c, 12, line) > width) {
    do --length;
    while (length > 0 && line[length] != ' ');
    line[length] = '\0';
  }
  *at += length > 0 ? length + ((*at)[length] == ' ') : strlen(*at);
}

// What stays the same, below the panels; returns the height.
static double draw_folded(cairo_t *c, const char *text, rect place) {
  char line[FOLDED_LINES][480];
  int lines = 0;
  while (*text && lines < FOLDED_LINES) take_line(c, &text, place.width - 74, line[lines++]);
  canvas_colour(c, (colour){.36, .39, .44});
  for (int i = 0; i < lines; ++i)
    canvas_text(c, place.x + 62, place.y + place.height - 2 - (lines - 1 - i) * FOLDED_HIGH, 12, ALIGN_LEFT, false,
                line[i]);
  return lines * FOLDED_HIGH + 8;
}

static void draw_panels(cairo_t *c, const panel_list *all, rect place) {
  if (all->folded[0]) place.height -= draw_folded(c, all->folded, place);
  panel_list fit = those_that_fit(all, place), *list = &fit;
  int columns = columns_of(list, place), rows = (list->count + columns - 1) / columns;
  double width = place.width / columns, height = (place.height - 30) / rows;
  if (list->count < all->count) {
    char line[96];
    snprintf(line, sizeof line, "%d more: --size with more height, or --panels", all->count - list->count);
    canvas_colour(c, (colour){.36, .39, .44});
    canvas_text(c, place.x + place.width - 12, place.y + place.height - 4, 11, ALIGN_RIGHT, false, line);
  }
  if (columns == 1) {
    draw_column(c, list, place);
    return;
  }
  for (int i = 0; i < list->count; ++i) {
    bool last = i / columns == rows - 1 || i + columns >= list->count;
    rect cell = {place.x + i % columns * width, place.y + i / columns * height, width - 12, height + (last ? 30 : 0)};
    draw_panel(c, cell, list->panel[i], last);
  }
}

// Records of a fit stand where other results have shapes.
static void draw_records(cairo_t *c, const panel_list *records, rect place) {
  canvas_colour(c, (colour){.36, .39, .44});
  canvas_text(c, place.x + 62, place.y + 18, 13, ALIGN_LEFT, false,
              "dots: measured; lines: with what was found; dashed: as the search began");
  draw_panels(c, records, (rect){place.x, place.y + 24, place.width, place.height - 24});
}

// What stands on the right above the panels: what was found, or the modes of a linearisation. Returns its height.
static double draw_table(cairo_t *c, const figure *f, rect place) {
  double height = 0;
  if (f->r->found) height = fmin(found_table_height(f->r), 0.6 * place.height);
  if (f->r->found) found_table_draw(c, (rect){place.x, place.y, place.width, height}, f->r);
  if (f->spectrum_count == 0) return height;
  const spectrum *last = &f->spectra[f->spectrum_count - 1];
  height = modes_height(last, (f->list.count > 0 ? 0.5 : 1) * place.height);
  modes_draw(c, (rect){place.x + 62, place.y, place.width - 62, height}, f->r, last);
  return height;
}

void figure_draw(const figure *f, cairo_t *c) {
  const recording *r = f->r;
  const figure_style *style = &f->style;
  const panel_list *list = &f->list, *records = &f->records;
  double width = (double)style->width, height = (double)style->height, split = width * 0.53;
  bool plane = f->spectrum_count > 0, shapes = shapes_exist(r) && !style->curves_only && !plane;
  bool left = shapes || plane || records->count > 0;
  shapes_style look = style->shapes;
  look.finer = style->format == FIGURE_PNG ? style->scale : 2; // shapes are pixels in vectors, too
  cairo_scale(c, style->scale, style->scale);
  cairo_set_source_rgb(c, 1, 1, 1);
  cairo_paint(c);
  remarks list_of = lay_remarks(c, r, width - 72, height);
  bool below = height >= 340; // else a remark stands in the description's place
  draw_header(c, r, width, below || list_of.rows == 0);
  draw_remarks(c, &list_of, width - 72, below);
  double header = HEADER + (below ? list_of.rows : 0) * REMARK_LINE;
  bool right = list->count > 0 || r->found || plane;
  rect aside = {16, header, (right ? split : width) - 24, height - header - 10};
  if (shapes) shapes_draw(c, aside, r, &look);
  if (plane) eigenplane_draw(c, aside, r, f->spectra, f->spectrum_count);
  if (!shapes && records->count) draw_records(c, records, aside);
  double x = left ? split : 30, table = draw_table(c, f, (rect){x, header, width - x - 12, height - header});
  if (list->count) draw_panels(c, list, (rect){x, header + table, width - x - 12, height - header - table - 10});
}

typedef struct saving {
  output_file file;
  output_error err;
  bool failed; // by the file, not by cairo
} saving;

static cairo_status_t on_bytes(void *context, const unsigned char *bytes, unsigned size) {
  saving *s = context;
  s->failed = !output_file_write(&s->file, bytes, size, &s->err);
  return s->failed ? CAIRO_STATUS_WRITE_ERROR : CAIRO_STATUS_SUCCESS;
}

typedef cairo_surface_t *(*surface_maker)(cairo_write_func_t write, void *context, double width, double height);

// What each format is drawn on: pixels are written at the end, vectors as they are drawn.
static const struct {
  const char *name;
  surface_maker make; ///< NULL: an image
} formats[] = {[FIGURE_PNG] = {"png", NULL},
               [FIGURE_SVG] = {"svg", cairo_svg_surface_create_for_stream},
               [FIGURE_PDF] = {"pdf", cairo_pdf_surface_create_for_stream}};

bool figure_format_named(const char *name, figure_format *format) {
  for (size_t i = 0; i < sizeof formats / sizeof *formats; ++i)
    if (strcasecmp(name, formats[i].name) == 0) return *format = (figure_format)i, true;
  return false;
}

static cairo_surface_t *surface_of(const figure_style *style, saving *s) {
  double width = floor((double)style->width * style->scale), height = floor((double)style->height * style->scale);
  surface_maker make = formats[style->format].make;
  if (!make) return cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)width, (int)height);
  cairo_surface_t *surface = make(on_bytes, s, width, height);
  if (style->format == FIGURE_SVG) cairo_svg_surface_set_document_unit(surface, CAIRO_SVG_UNIT_PX);
  return surface;
}

static cairo_status_t finish(cairo_surface_t *surface, const figure_style *style, saving *s) {
  if (style->format == FIGURE_PNG) return cairo_surface_write_to_png_stream(surface, on_bytes, s);
  cairo_surface_finish(surface);
  return cairo_surface_status(surface);
}

// Fields that are drawn, as a job would ask for them.
static int report_empty(const figure_style *style) {
  if (style->fields)
    say_error("nothing is left to draw: --panels names no panel%s",
              style->curves_only ? " and --curves leaves out the shapes" : ", and there are no shapes");
  else
    say_error(
        "the result holds nothing to draw: its job recorded none of q, qd, u, tendons, energy and poses of a link. "
        "\"output\": {\"fields\": [\"q\", \"poses:LINK\"]} in the job records some");
  return EXIT_USAGE;
}

static int draw_to(const figure *f, const char *path) {
  saving s = {.failed = false};
  if (!output_file_open(&s.file, path, true, &s.err)) return file_report(&s.err);
  cairo_surface_t *surface = surface_of(&f->style, &s);
  cairo_t *c = cairo_create(surface);
  figure_draw(f, c);
  cairo_status_t status = cairo_status(c);
  cairo_destroy(c);
  if (status == CAIRO_STATUS_SUCCESS) status = finish(surface, &f->style, &s);
  cairo_surface_destroy(surface);
  if (status == CAIRO_STATUS_SUCCESS) s.failed = !output_file_commit(&s.file, &s.err);
  output_file_discard(&s.file);
  if (s.failed) return file_report(&s.err);
  if (status == CAIRO_STATUS_SUCCESS) return EXIT_OK;
  return say_error("cannot draw %s: %s", path, cairo_status_to_string(status)), EXIT_FAILED;
}

int figure_open(figure *f, const recording *r, const figure_style *style) {
  *f = (figure){.r = r, .style = *style};
  if (!panels_make(&f->list, r, style->fields, style->shapes.link)) return EXIT_USAGE;
  if (!style->curves_only) f->spectrum_count = spectra_of(r, SPECTRA_MOST, &f->spectra);
  if (f->list.count == 0 && !r->found && f->spectrum_count == 0 && (!shapes_exist(r) || style->curves_only))
    return panels_free(&f->list), report_empty(style);
  if (r->found) search_records(&f->records, r);
  return EXIT_OK;
}

void figure_close(figure *f) {
  cairo_debug_reset_static_data(); // font caches: a clean exit for leak checkers
  panels_free(&f->list);
  panels_free(&f->records);
  spectra_free(f->spectra, f->spectrum_count);
}

int figure_write(const recording *r, const figure_style *style, const char *path) {
  figure f;
  int result = figure_open(&f, r, style);
  if (result != EXIT_OK) return result;
  result = draw_to(&f, path);
  figure_close(&f);
  return result;
}

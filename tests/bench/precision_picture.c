#include "bench/precision_picture.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { COLUMNS = 2, WIDTH = 620, HEIGHT = 400, LEFT = 64, RIGHT = 150, TOP = 34, BOTTOM = 48, HEAD = 44 };

// Okabe and Ito's colours, which most eyes tell apart; more curves are dashed.
static const char *const COLOURS[] = {"#000000", "#0072b2", "#e69f00", "#009e73", "#cc79a7", "#d55e00", "#56b4e9"};
enum { COLOUR_COUNT = sizeof COLOURS / sizeof *COLOURS };

typedef struct axes {
  double x, y, width, height; // of the frame
  int least[2], most[2];      // powers of ten
} axes;

static const char *colour_of(int curve) { return COLOURS[curve % COLOUR_COUNT]; }
static const char *dash_of(int curve) { return curve < COLOUR_COUNT ? "" : " stroke-dasharray=\"5 3\""; }

static double place_x(const axes *a, double cost) {
  return a->x + a->width * (log10(cost) - a->least[0]) / (a->most[0] - a->least[0]);
}
static double place_y(const axes *a, double error) {
  return a->y + a->height * (a->most[1] - log10(error)) / (a->most[1] - a->least[1]);
}

static axes axes_of(const precision_panel *p, double x, double y) {
  double low[2] = {INFINITY, p->known}, high[2] = {-INFINITY, -INFINITY};
  for (int c = 0; c < p->count; c++)
    for (int i = 0; i < p->curve[c].count; i++) {
      double at[2] = {p->curve[c].cost[i], p->curve[c].error[i]};
      for (int k = 0; k < 2; k++) low[k] = fmin(low[k], at[k]), high[k] = fmax(high[k], at[k]);
    }
  axes a = {x + LEFT, y + TOP, WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM, {-3, -6}, {0, 0}};
  for (int k = 0; k < 2; k++) {
    if (!(low[k] > 0) || !(high[k] >= low[k])) continue; // nothing was measured
    a.least[k] = (int)floor(log10(low[k]));
    a.most[k] = (int)ceil(log10(high[k]));
    if (a.most[k] == a.least[k]) a.most[k]++;
  }
  return a;
}

static void draw_text(FILE *f, double x, double y, const char *anchor, const char *more, const char *text) {
  fprintf(f, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\"%s>%s</text>\n", x, y, anchor, more, text);
}

static void draw_axes(FILE *f, const axes *a, const precision_panel *p) {
  char text[32];
  draw_text(f, a->x, a->y - 12, "start", " font-weight=\"bold\" font-size=\"14\"", p->title);
  for (int k = a->least[0]; k <= a->most[0]; k++) {
    double x = place_x(a, pow(10, k));
    fprintf(f, "<path d=\"M%.1f %.1fV%.1f\" stroke=\"#ddd\"/>\n", x, a->y, a->y + a->height);
    snprintf(text, sizeof text, "%g ms", pow(10, k + 3));
    draw_text(f, x, a->y + a->height + 16, "middle", "", text);
  }
  int every = a->most[1] - a->least[1] > 8 ? 2 : 1;
  for (int k = a->least[1]; k <= a->most[1]; k += every) {
    double y = place_y(a, pow(10, k));
    fprintf(f, "<path d=\"M%.1f %.1fH%.1f\" stroke=\"#ddd\"/>\n", a->x, y, a->x + a->width);
    snprintf(text, sizeof text, "1e%d", k);
    draw_text(f, a->x - 6, y + 4, "end", "", text);
  }
  double known = place_y(a, p->known);
  fprintf(f, "<path d=\"M%.1f %.1fH%.1f\" stroke=\"#888\" stroke-dasharray=\"2 3\"/>\n", a->x, known, a->x + a->width);
  draw_text(f, a->x + a->width / 2, a->y + a->height + 36, "middle", "", "CPU time of the run");
  fprintf(f, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"none\" stroke=\"#888\"/>\n", a->x, a->y,
          a->width, a->height);
}

static void draw_curve(FILE *f, const axes *a, const precision_curve *c, int number, int row) {
  double y = a->y + 10 + 18 * row, x = a->x + a->width + 12;
  fprintf(f, "<g stroke=\"%s\" fill=\"%s\">\n<path fill=\"none\" stroke-width=\"1.6\"%s d=\"", colour_of(number),
          colour_of(number), dash_of(number));
  for (int i = 0; i < c->count; i++)
    fprintf(f, "%c%.1f %.1f", i ? 'L' : 'M', place_x(a, c->cost[i]), place_y(a, c->error[i]));
  fprintf(f, "M%.1f %.1fh22\"/>\n", x, y - 4);
  for (int i = 0; i < c->count; i++)
    fprintf(f, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2.4\"/>\n", place_x(a, c->cost[i]), place_y(a, c->error[i]));
  fprintf(f, "</g>\n");
  draw_text(f, x + 28, y, "start", "", c->name);
}

static void draw_panel(FILE *f, const precision_panel *p, double x, double y) {
  axes a = axes_of(p, x, y);
  draw_axes(f, &a, p);
  for (int c = 0, row = 0; c < p->count; c++)
    if (p->curve[c].count) draw_curve(f, &a, &p->curve[c], c, row++);
}

bool precision_draw(const char *file, const precision_panel *panels, int count) {
  int columns = count < COLUMNS ? count : COLUMNS, rows = (count + columns - 1) / columns;
  FILE *f = fopen(file, "w");
  if (!f) return false;
  fprintf(f,
          "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\" "
          "font-size=\"11\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
          columns * WIDTH, rows * HEIGHT + HEAD);
  draw_text(f, 12, 18, "start", "",
            "Largest error of a coordinate, relative to the largest motion of one. Left and down is better.");
  draw_text(f, 12, 34, "start", "", "Dotted: as far as the reference, radau at its finest, is known.");
  for (int i = 0; i < count; i++) draw_panel(f, &panels[i], i % columns * WIDTH, HEAD + i / columns * HEIGHT);
  fprintf(f, "</svg>\n");
  bool good = !ferror(f);
  return fclose(f) == 0 && good;
}

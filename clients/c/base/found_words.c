// Numbers found, as a table: of a fit with deviations, of a design with bounds, of a gradient with slopes.
#include "base/found_words.h"

#include "base/say.h"
#include <math.h>
#include <string.h>

// The last `words` words of a path.
static const char *tail(const char *path, int words) {
  const char *at = path + strlen(path);
  while (at > path && words > 0) words -= *--at == '/';
  return *at == '/' ? at + 1 : at;
}

static bool is_shared(const tendril_found *f, size_t i, int words) {
  const char *own = tail(f->parameter[i].name, words);
  for (size_t k = 0; k < f->count; ++k)
    if (k != i && strcmp(own, tail(f->parameter[k].name, words)) == 0) return true;
  return false;
}

void found_name(const tendril_found *f, size_t i, char out[FOUND_NAME]) {
  const tendril_parameter *p = &f->parameter[i];
  const char *name = p->name;
  char safe[sizeof p->name];
  int words = 2;
  while (*name == '/' && words < 6 && f->count < 1000 && is_shared(f, i, words)) ++words;
  if (*name == '/') name = tail(name, words);
  snprintf(out, FOUND_NAME, "%.63s", say_safe(safe, sizeof safe, name));
}

// Decimals of a value between 0.001 and 10 million, of which `digits` count; -1: others are better with an exponent.
static int decimals_of(double value, int digits) {
  if (value == 0) return 0;
  double power = floor(log10(fabs(value)));
  return power < -3 || power > 6 ? -1 : (int)fmax(0, digits - 1 - power);
}

static int digits_of(double value, double deviation) {
  if (!(deviation > 0) || value == 0) return 5;
  return (int)fmin(12, fmax(3, ceil(log10(fabs(value) / deviation)) + 2));
}

static void write_number(char *out, size_t size, double x, int digits, int decimals) {
  if (!isfinite(x))
    snprintf(out, size, "%s", isinf(x) ? "inf" : "-");
  else if (decimals < 0 || fabs(x) >= 1e10)
    snprintf(out, size, "%.*g", digits, x);
  else
    snprintf(out, size, "%.*f", decimals, x);
}

void found_number(char *out, size_t size, double value, double deviation) {
  int digits = digits_of(value, deviation);
  write_number(out, size, value, digits, decimals_of(value, digits));
}

// A search that failed or was stopped has no end of its own.
static const char *end_of(const tendril_found *f) {
  static const struct {
    const char *end, *words;
  } words[] = {{"running", "did not end"}, {"iterations", "did not converge"}, {"", "did not end"}};
  for (size_t i = 0; i < sizeof words / sizeof *words; ++i)
    if (strcmp(f->end, words[i].end) == 0) return words[i].words;
  return f->end;
}

void found_verdict(const tendril_found *f, char *out, size_t size) {
  int n = 0;
  if (strcmp(f->kind, "gradient") == 0) {
    snprintf(out, size, "value %.10g, and its slopes by %zu numbers", f->value, f->count);
    return;
  }
  bool fit = strcmp(f->kind, "fit") == 0;
  n = snprintf(out, size, "%s", end_of(f));
  if (f->iterations > 0) n += snprintf(out + n, size - (size_t)n, " after %ld iterations", f->iterations);
  n += snprintf(out + n, size - (size_t)n, " (%ld runs)", f->runs);
  n += snprintf(out + n, size - (size_t)n, "; %s %.6g, at first %.6g", fit ? "cost" : "objective", f->value,
                f->first_value);
  if (!fit && f->first_violation > 1e-6)
    n += snprintf(out + n, size - (size_t)n, ", where constraints were missed by %.2g of their size",
                  f->first_violation);
  if (fit && isfinite(f->misfit))
    snprintf(out + n, size - (size_t)n,
             f->estimated ? "; no sigma was given: the noise is taken as what is left over, %.3g"
                          : "; what is left over is %.2f times the noise",
             f->misfit);
  if (!fit && f->violation > 1e-6)
    snprintf(out + n, size - (size_t)n, "; constraints are missed by %.2g of their size", f->violation);
}

// ------------------------------------------------------------------------------------------------ the table

enum { CELL = 24 };

void found_deviation(char *out, size_t size, const tendril_parameter *p) {
  if (isfinite(p->deviation))
    write_number(out, size, p->deviation, 3, decimals_of(p->value, digits_of(p->value, p->deviation)));
  else
    snprintf(out, size, p->at_bound ? "held" : "anything");
}

// "1007", "0.24 %"
static void write_deviation(const tendril_parameter *p, char value[CELL], char share[CELL]) {
  found_deviation(value, CELL, p);
  snprintf(share, CELL, "%s", "");
  if (p->value != 0 && isfinite(p->deviation)) snprintf(share, CELL, "%.2g %%", 100 * fabs(p->deviation / p->value));
}

static void write_plain(char out[CELL], double x) { snprintf(out, CELL, isfinite(x) ? "%.5g" : "-", x); }

static void print_found(FILE *to, const tendril_found *f, size_t i, int width) {
  const tendril_parameter *p = &f->parameter[i];
  char name[FOUND_NAME], value[CELL], deviation[CELL], share[CELL], first[CELL], low[CELL], high[CELL];
  found_name(f, i, name);
  found_number(value, sizeof value, p->value, p->deviation);
  write_deviation(p, deviation, share);
  write_plain(first, p->first);
  write_plain(low, p->lower);
  write_plain(high, p->upper);
  fprintf(to, "  %-*s %13s", width, name, value);
  if (strcmp(f->kind, "fit") == 0) fprintf(to, "  +- %-12s %-9s", deviation, share);
  fprintf(to, "  %13s   %s to %s%s\n", first, low, high, p->at_bound ? "  at its bound" : "");
}

static void print_slope(FILE *to, const tendril_found *f, size_t i, int width) {
  char name[FOUND_NAME];
  found_name(f, i, name);
  fprintf(to, "  %-*s %16.9g\n", width, name, f->parameter[i].slope);
}

// "  constraint 0: poses:tip[0][3] of problem 0 = 0.8, wanted at least 0.8, it holds the best"
static void print_constraint(FILE *to, const tendril_constraint *c) {
  char wanted[3 * CELL];
  if (!isfinite(c->upper))
    snprintf(wanted, sizeof wanted, "at least %.5g", c->lower);
  else if (!isfinite(c->lower))
    snprintf(wanted, sizeof wanted, "at most %.5g", c->upper);
  else if (c->lower == c->upper)
    snprintf(wanted, sizeof wanted, "%.5g", c->lower);
  else
    snprintf(wanted, sizeof wanted, "%.5g to %.5g", c->lower, c->upper);
  fprintf(to, "  constraint %ld: %s = %.6g, wanted %s", c->index, c->number, c->value, wanted);
  if (c->missed > 1e-6 * fabs(c->value)) fprintf(to, ", %.3g beyond", c->missed);
  fprintf(to, "%s\n", c->active ? ", it holds the best" : "");
}

static int width_of_names(const tendril_found *f) {
  char name[FOUND_NAME];
  size_t width = 9;
  for (size_t i = 0; i < f->count; ++i) {
    found_name(f, i, name);
    if (strlen(name) > width) width = strlen(name);
  }
  return (int)width;
}

void found_print(FILE *to, const tendril_found *f) {
  enum { ROWS = 100 };
  char verdict[256];
  int width = width_of_names(f);
  bool fit = strcmp(f->kind, "fit") == 0, gradient = strcmp(f->kind, "gradient") == 0;
  found_verdict(f, verdict, sizeof verdict);
  fprintf(to, "%s: %s\n", f->kind, verdict);
  if (gradient)
    fprintf(to, "  %-*s %16s\n", width, "", "slope");
  else
    fprintf(to, "  %-*s %13s%s  %13s   bounds\n", width, "", "found", fit ? "  +- deviation            " : "",
            "at first");
  for (size_t i = 0; i < f->count && i < ROWS; ++i) (gradient ? print_slope : print_found)(to, f, i, width);
  if (f->count > ROWS) fprintf(to, "  … and %zu more\n", f->count - ROWS);
  for (size_t i = 0; i < f->constraints && i < ROWS; ++i) print_constraint(to, &f->constraint[i]);
}

// Output: an aligned table under one line about machine and build, or a JSON array with an object per row.
#include "bench/past.h"
#include "codec/json/number.h"
#include "tendril/dynamics.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct {
  const char *name;
  double per_second;
} units[] = {{"ns", 1e9}, {"us", 1e6}, {"ms", 1e3}, {"s", 1}, {"MB", 1}, {"1", 1}, {"eps", 1 / 2.220446049250313e-16}};

static bool first_row, with_past;

double bench_scale_of(const char *unit) {
  for (size_t i = 0; i < sizeof units / sizeof *units; i++)
    if (strcmp(units[i].name, unit) == 0) return units[i].per_second;
  return 0;
}

bool bench_unit_known(const char *unit) { return bench_scale_of(unit) > 0; }

// ------------------------------------------------------------------------------------------------ machine and build

static void cpu_name(char *out, size_t room) {
  char line[256];
  FILE *f = fopen("/proc/cpuinfo", "r");
  snprintf(out, room, "unknown CPU");
  while (f && fgets(line, sizeof line, f)) {
    char *value = strchr(line, ':');
    if (!value || strncmp(line, "model name", 10) != 0) continue;
    value[strcspn(value, "\n")] = '\0';
    snprintf(out, room, "%s", value + 1 + (value[1] == ' '));
    break;
  }
  if (f) fclose(f);
}

static void build_name(char *out, size_t room) {
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
  const char *kind = "sanitized, figures mean little";
#elif !defined __OPTIMIZE__
  const char *kind = "not optimised, figures mean little";
#elif !defined NDEBUG
  const char *kind = "optimised, with assertions";
#else
  const char *kind = "optimised";
#endif
  snprintf(out, room, "%s, gcc %s, %s", td_version(), __VERSION__, kind);
}

// ---------------------------------------------------------------------------------------------------------- a table

static void print_number(double x, int width) {
  if (!isfinite(x))
    printf(" %*s", width, "-");
  else
    printf(" %*.*f", width, x < 0.1 ? 5 : x < 10 ? 3 : x < 100 ? 2 : 1, x);
}

// "+7.1 %", and the word that one looks for.
static void print_change(const char *unit, double change) {
  char text[32] = "-";
  if (isfinite(change)) snprintf(text, sizeof text, "%+.1f %%", 100 * (change - 1));
  printf(" %10s %-6s", text, bench_is_slower(unit, change) ? "slower" : "");
}

static void print_table_row(const char *name, const bench_row *row, const bench_figure *figure, double ratio,
                            double change) {
  double scale = bench_scale_of(row->unit);
  printf("%-40s %-4s", name, row->unit);
  print_number(figure->median * scale, 11);
  print_number(figure->min * scale, 11);
  print_number(ratio, 9);
  if (with_past) print_change(row->unit, change);
  printf("  %-19s %s\n", row->reference ? row->reference : "", figure->note);
  fflush(stdout);
}

// ------------------------------------------------------------------------------------------------------------- JSON

static void put_text(codec_buffer *b, const char *key, const char *text) {
  codec_buffer_text(b, key);
  if (text)
    codec_buffer_string(b, text);
  else
    codec_buffer_text(b, "null");
}

static void put_number(codec_buffer *b, const char *key, double x) {
  codec_buffer_text(b, key);
  codec_buffer_double(b, x); // a NaN is null
}

static void print_json_row(const char *name, const char *reference, const bench_row *row, const bench_figure *figure,
                           double ratio, const bench_beside *beside) {
  char cpu[160], build[160];
  codec_buffer b;
  codec_buffer_init(&b, 0);
  cpu_name(cpu, sizeof cpu);
  build_name(build, sizeof build);
  put_text(&b, first_row ? "\n{\"name\":" : ",\n{\"name\":", name);
  put_text(&b, ",\"unit\":", row->unit);
  put_number(&b, ",\"median\":", figure->median * bench_scale_of(row->unit));
  put_number(&b, ",\"min\":", figure->min * bench_scale_of(row->unit));
  put_number(&b, ",\"ratio\":", ratio);
  put_text(&b, ",\"reference\":", reference);
  if (with_past) put_number(&b, ",\"change\":", beside->change);
  put_number(&b, ",\"pace\":", beside->pace);
  put_text(&b, ",\"note\":", figure->note);
  put_text(&b, ",\"cpu\":", cpu);
  put_text(&b, ",\"level\":", td_cpu_level());
  put_text(&b, ",\"build\":", build);
  codec_buffer_text(&b, "}");
  if (!b.failed) fwrite(b.data, 1, b.size, stdout);
  codec_buffer_fini(&b);
  fflush(stdout);
}

// ----------------------------------------------------------------------------------------------------------- either

void bench_print_begin(bench_form form, bool past) {
  char cpu[160], build[160];
  first_row = true;
  with_past = past;
  if (form == BENCH_JSON) {
    printf("[");
    return;
  }
  cpu_name(cpu, sizeof cpu);
  build_name(build, sizeof build);
  printf("tendril-bench: %s, kernels %s, build %s\n\n", cpu, td_cpu_level(), build);
  printf("%-40s %-4s %11s %11s %9s", "name", "unit", "median", "min", "ratio");
  printf("%s  %-19s %s\n", with_past ? "     change       " : "", "to", "note");
}

void bench_print_row(bench_form form, const bench_group *group, const bench_row *row, const bench_figure *figure,
                     const bench_beside *beside) {
  char name[96], compared[96];
  double ratio = beside->reference ? figure->median / beside->reference->median : NAN;
  snprintf(name, sizeof name, "%s.%s", group->name, row->name);
  snprintf(compared, sizeof compared, "%s.%s", group->name, row->reference ? row->reference : "");
  if (form == BENCH_JSON)
    print_json_row(name, row->reference ? compared : NULL, row, figure, ratio, beside);
  else
    print_table_row(name, row, figure, ratio, beside->change);
  first_row = false;
}

void bench_print_end(bench_form form) {
  if (form == BENCH_JSON) printf("\n]\n");
}

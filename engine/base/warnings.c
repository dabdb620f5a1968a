// Lists of warnings: plain values, nothing here allocates or keeps state. They are sorted by rank, and what would not
// fit is folded first: the places of one code into its first warning. So a list of TD_MAX_WARNINGS has room for every
// code of the first two ranks that one job can meet: those of fits, designs, equilibria and runs exclude each other.
#include "tendril/warnings.h"
#include "base/trim.h"
#include <assert.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { PLACES = 3 }; // of a code, each a warning of its own

// Every code, the worst first. What lists them elsewhere (contract, clients, READMEs) is held to this table.
static const struct {
  const char *code;
  td_warning_rank rank;
} RANKS[] = {
    {"energy_error", TD_RANK_FALSE},
    {"loop_work", TD_RANK_FALSE},
    {"loop_open", TD_RANK_FALSE},
    {"unconverged", TD_RANK_FALSE},
    {"inside_out", TD_RANK_FALSE},
    {"wrong_derivative", TD_RANK_FALSE},
    {"folded_section", TD_RANK_DOUBTFUL},
    {"overstretched", TD_RANK_DOUBTFUL},
    {"contact_missed", TD_RANK_DOUBTFUL},
    {"coarse_step", TD_RANK_DOUBTFUL},
    {"accumulated_error", TD_RANK_DOUBTFUL},
    {"sensitive_motion", TD_RANK_DOUBTFUL},
    {"fast_input", TD_RANK_DOUBTFUL},
    {"initial_moved", TD_RANK_DOUBTFUL},
    {"singular_mass_matrix", TD_RANK_DOUBTFUL},
    {"singular_configuration", TD_RANK_DOUBTFUL},
    {"snapped", TD_RANK_DOUBTFUL},
    {"unstable", TD_RANK_DOUBTFUL},
    {"continuation_short", TD_RANK_DOUBTFUL},
    {"no_derivative", TD_RANK_DOUBTFUL},
    {"friction_faded", TD_RANK_DOUBTFUL},
    {"coarse_quadrature", TD_RANK_DOUBTFUL},
    {"coarse_basis", TD_RANK_DOUBTFUL},
    {"unresolved_modes", TD_RANK_DOUBTFUL},
    {"contact_kink", TD_RANK_DOUBTFUL},
    {"kink_crossed", TD_RANK_DOUBTFUL},
    {"tendon_kink", TD_RANK_DOUBTFUL},
    {"high_reynolds", TD_RANK_DOUBTFUL},
    {"unsteady_flow", TD_RANK_DOUBTFUL},
    {"small_motion", TD_RANK_DOUBTFUL},
    {"rates_left_out", TD_RANK_DOUBTFUL},
    {"unidentified", TD_RANK_DOUBTFUL},
    {"fit_at_bound", TD_RANK_DOUBTFUL},
    {"misfit", TD_RANK_DOUBTFUL},
    {"design_unbounded", TD_RANK_DOUBTFUL},
    {"deep_contact", TD_RANK_RUN},
    {"many_steps", TD_RANK_RUN},
    {"loop_misfit", TD_RANK_RUN},
    {"check_cut", TD_RANK_RUN},
    {"passing_equilibrium", TD_RANK_RUN},
    {"tendon_pushed", TD_RANK_RUN},
    {"reference_missed", TD_RANK_RUN},
    {"failed_starts", TD_RANK_RUN},
    {"by_differences", TD_RANK_RUN},
    {"design_at_bound", TD_RANK_RUN},
    {"no_effect", TD_RANK_RUN},
    {"odd_gravity", TD_RANK_ODD},
    {"odd_size", TD_RANK_ODD},
    {"odd_mass", TD_RANK_ODD},
    {"odd_inertia", TD_RANK_ODD},
    {"odd_stiffness", TD_RANK_ODD},
    {"counted_twice", TD_RANK_ODD},
    {"odd_friction", TD_RANK_ODD},
    {"odd_material", TD_RANK_ODD},
    {"odd_damping", TD_RANK_ODD},
    {"odd_angle", TD_RANK_ODD},
    {"odd_input", TD_RANK_ODD},
    {"odd_duration", TD_RANK_ODD},
    {"torsion_constant", TD_RANK_ODD},
    {"shear_correction", TD_RANK_ODD},
    {"no_inertia", TD_RANK_ODD},
    {"coarse_contact", TD_RANK_ODD},
    {"flat_contact", TD_RANK_ODD},
    {"no_contact", TD_RANK_ODD},
    {"tendon_outside", TD_RANK_ODD},
    {"odd_routing", TD_RANK_ODD},
    {"coarse_routing", TD_RANK_ODD},
    {"slack_tension", TD_RANK_ODD},
    {"no_buoyancy", TD_RANK_ODD},
    {"thick_rod", TD_RANK_ODD},
    {"thin_surface", TD_RANK_ODD},
    {"idle_flow", TD_RANK_ODD},
    {"starts_inside", TD_RANK_ODD},
    {"idle_force", TD_RANK_ODD},
    {"undamped", TD_RANK_ODD},
    {"coarse_tolerance", TD_RANK_ODD},
    {"unused_option", TD_RANK_ODD},
    {"jobs_warned", TD_RANK_ODD},   // said by a server
    {"more_warnings", TD_RANK_ODD}, // said by a server
};
enum { RANKED = sizeof RANKS / sizeof *RANKS };

int td_warning_code_count(void) { return RANKED; }

const char *td_warning_code(int i) {
  assert(i >= 0 && i < RANKED);
  return RANKS[i].code;
}

td_warning_rank td_warning_rank_of(const char *code) {
  for (int i = 0; i < RANKED; i++)
    if (!strcmp(code, RANKS[i].code)) return RANKS[i].rank;
  return TD_RANK_ODD;
}

// ---- the places of a folded warning, "/a, /b"

static bool names(const char *places, const char *pointer) {
  size_t length = strlen(pointer);
  for (const char *at = places; length && (at = strstr(at, pointer)); at++) {
    bool begins = at == places || at[-1] == ' ', ends = at[length] == '\0' || at[length] == ',';
    if (begins && ends) return true;
  }
  return false;
}

static void add_place(td_warning *w, const char *prefix, const char *pointer, size_t length) {
  size_t used = strlen(w->also), comma = used ? 2 : 0, front = strlen(prefix);
  w->more++;
  if (used + comma + front + length >= sizeof w->also || w->more - 1 > w->named)
    return; // none behind one that is left out
  memcpy(w->also + used, ", ", comma);
  memcpy(w->also + used + comma, prefix, front);
  memcpy(w->also + used + comma + front, pointer, length);
  w->also[used + comma + front + length] = '\0';
  w->named++;
}

// The places folded into `other`.
static void add_places(td_warning *w, const char *prefix, const td_warning *other) {
  const char *at = other->also;
  for (int i = 0; i < other->named; i++) {
    size_t length = i + 1 < other->named ? (size_t)(strstr(at, ", ") - at) : strlen(at);
    add_place(w, prefix, at, length);
    at += length + 2;
  }
  w->more += other->more - other->named;
}

static void absorb(td_warning *w, const td_warning *other) {
  add_place(w, "", other->pointer, strlen(other->pointer));
  add_places(w, "", other);
}

// ---- a list

static bool is_said(const td_warnings *w, const char *code, const char *pointer) {
  for (int i = 0; i < w->count; i++)
    if (!strcmp(w->list[i].code, code) &&
        (!strcmp(w->list[i].pointer, pointer) || (w->list[i].named && names(w->list[i].also, pointer))))
      return true;
  return false;
}

static void take_out(td_warnings *w, int i) {
  memmove(&w->list[i], &w->list[i + 1], (size_t)(w->count - i - 1) * sizeof *w->list);
  w->count--;
}

static int first_of(const td_warnings *w, const char *code) {
  int i = 0;
  while (i < w->count && strcmp(w->list[i].code, code) != 0) i++;
  return i;
}

static int places_of(const td_warnings *w, const char *code) {
  int count = 0;
  for (int i = 0; i < w->count; i++) count += !strcmp(w->list[i].code, code);
  return count;
}

static void fold(td_warnings *w, int first) {
  for (int i = first + 1; i < w->count;) {
    if (strcmp(w->list[i].code, w->list[first].code) != 0) {
      i++;
      continue;
    }
    absorb(&w->list[first], &w->list[i]);
    take_out(w, i);
  }
}

// Room for a warning of this rank: by folding, from the last on, or else by dropping what ranks behind it.
static bool make_room(td_warnings *w, td_warning_rank rank) {
  if (w->count < TD_MAX_WARNINGS) return true;
  for (int i = w->count - 1; i >= 0; i--)
    if (first_of(w, w->list[i].code) < i) return fold(w, first_of(w, w->list[i].code)), true;
  td_warning *last = &w->list[w->count - 1];
  if (td_warning_rank_of(last->code) <= rank) return false;
  w->dropped += 1 + last->more;
  w->count--;
  return true;
}

static void put(td_warnings *w, const td_warning *new) {
  assert(w->count >= 0 && w->count <= TD_MAX_WARNINGS);
  if (is_said(w, new->code, new->pointer)) return;
  int first = first_of(w, new->code), places = places_of(w, new->code);
  if (places && (places == PLACES || w->list[first].more || w->count == TD_MAX_WARNINGS)) {
    fold(w, first);
    absorb(&w->list[first], new);
    return;
  }
  td_warning_rank rank = td_warning_rank_of(new->code);
  if (!make_room(w, rank)) {
    w->dropped += 1 + new->more;
    return;
  }
  int at = w->count;
  while (at > 0 && td_warning_rank_of(w->list[at - 1].code) > rank) at--;
  memmove(&w->list[at + 1], &w->list[at], (size_t)(w->count - at) * sizeof *w->list);
  w->list[at] = *new;
  w->count++;
}

static void name(td_warning *w, const char *code, const char *prefix, const char *pointer) {
  assert(strlen(code) < TD_WARNING_CODE_SIZE);
  snprintf(w->code, sizeof w->code, "%s", code);
  int wanted = snprintf(w->pointer, sizeof w->pointer, "%s%s", prefix, pointer);
  td_trim_utf8(w->pointer, sizeof w->pointer, (size_t)wanted);
}

void td_warn(td_warnings *warnings, const char *code, const char *pointer, const char *format, ...) {
  td_warning new = {0};
  if (!warnings) return;
  name(&new, code, "", pointer ? pointer : "");
  va_list args;
  va_start(args, format);
  int wanted = vsnprintf(new.detail, sizeof new.detail, format, args);
  va_end(args);
  td_trim_message(new.detail, sizeof new.detail, wanted < 0 ? 0 : (size_t)wanted);
  put(warnings, &new);
}

void td_warnings_add(td_warnings *warnings, const char *prefix, const td_warning *one) {
  td_warning new = {0};
  if (!warnings) return;
  name(&new, one->code, prefix, one->pointer);
  memcpy(new.detail, one->detail, sizeof new.detail);
  add_places(&new, prefix, one);
  put(warnings, &new);
}

void td_warnings_append(td_warnings *warnings, const char *prefix, const td_warnings *from) {
  for (int i = 0; from && i < from->count; i++) td_warnings_add(warnings, prefix, &from->list[i]);
  if (warnings && from) warnings->dropped += from->dropped;
}

void td_warning_text(const td_warning *w, char text[TD_WARNING_TEXT_SIZE]) {
  char rest[64] = "";
  if (w->more > w->named) snprintf(rest, sizeof rest, "%s%d more", w->named ? " and " : "", w->more - w->named);
  if (w->more)
    snprintf(text, TD_WARNING_TEXT_SIZE, "%s (%d of these; also at %s%s)", w->detail, w->more + 1, w->also, rest);
  else
    snprintf(text, TD_WARNING_TEXT_SIZE, "%s", w->detail);
}

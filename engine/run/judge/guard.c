// What a run's own accounts say about its motion. Warnings:
//
//   energy_error    |energy.error| > 1 % of energy.exchanged: work was lost or invented that no force did; or > 2 % of
//                   what the energies
//                   swing by and what passed through the robot (exchanged without what is stored there and back): an
//                   error that grows
//                   for many periods may be a small part of all that was exchanged, and more than the energy itself
//   loop_work       |energy.loops| > 1 %: forces of constraints do no work on the constraint
//   loop_open       a loop is open by more than 1e-4 rad or m at an output time
//   inside_out      a rod was pushed or sheared to where its tangent points against its sections: no such rod exists
//   folded_section  a rod was bent tighter than its own section: its inner side would pass through itself
//   overstretched   a rod was stretched to more than three times its length
//   high_reynolds   a rod with resistive-force theory alone moved too fast through the fluid for it
//   singular_configuration   loops passed a configuration in which their rows lose rank
//   contact_missed  steps began and ended apart from an obstacle and went deep through it, however they were shortened
//                   (approach.c);
//                   an obstacle lay between two points of a rod, which do not feel it (force/contact/obstacle/gap.c); a rod or an
//                   end of it was pressed through one that gives way (passages.c), or a body through another
//                   (through.c)
//   tendon_pushed   a controller asked a tendon to push
//   small_motion    under error control no coordinate and no rate ever reached 1e4 atol: there atol, not rtol, is what
//                   it is held to;
//                   or those of one joint or body moved, but stayed below 300 atol (strains of a rod not where they
//                   are a millionth of those of others: symmetric motion has such by rounding)
//
// The first three and inside_out make the run inconsistent. Where next to nothing is exchanged, at rest, the balance is
// rounding and what error control cannot see: an imbalance below 1e-10 of the energies themselves, or 1e-15 of what the
// robot weighs times its size, or below what heat does, is no reason to warn. A body that only spins or flies exchanges
// nothing, either: its kinetic energy is held to the tolerances, not to 0. What lies at rest on a turntable that turns
// below it has no energy in the world, and coordinates that go round: these are held to the tolerances, and so the sum
// is rounding beside the energy that the table alone would give it (that of its own rates is within four times the
// larger one of both).
#include "run/judge/guard.h"
#include "create/robot_size.h"
#include "force/contact/obstacle/obstacle.h"
#include "force/contact/pair/pair.h"
#include "lie/vec3.h"
#include "model/model.h"
#include "run/choice.h"
#include "tendril/statics.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SHARE_SIZE = 128, REMEDY_SIZE = 200 };
static const double MOST_IMBALANCE = 0.01; // of what was exchanged
static const double MOST_ON_THE_WAY = 10;  // times these: what the balance may miss before the end
static const double MOST_DRIFT = 0.02;     // of what swings and what passed through
static const double TOLERATED = 100,
                    TOLERATED_ALWAYS = 1e-4; // of the kinetic energy: so many rtol, at most 1 %, at least this
static const double LEAST_IMBALANCE = 1e-10; // of the energies
static const double ROUNDING = 1e-15;        // of weight times size, where a robot that lies level has no energy
static const double THERMAL = 4e-21;         // J, k T at room temperature
static const double MOST_OPEN = 1e-4;        // rad, m
static const double SMALL = 1e4;             // of atol
static const double SMALL_BESIDE = 300;      // of atol: of one joint or body beside others that move more
static const double TRIFLE = 1e-6;           // of what rods strain by
static const double LASTS = 0.02;            // of a run

static const double SLOWEST = 1e-3; // 1/s: what grows more slowly is neutral

bool td_equilibrium_is_unstable(const td_statics_result *result) {
  double falling = sqrt(fmax(0, -result->smallest_eigenvalue));
  bool by_stiffness = result->conservative && !result->fed;
  return result->converged && !result->stable && (by_stiffness ? falling : result->growth_rate) > SLOWEST;
}

bool td_equilibrium_flutters(const td_statics_result *result) {
  return td_equilibrium_is_unstable(result) && (result->fed || !result->conservative) && result->growth_frequency > 0;
}

void td_guard_note_energy(td_guard *guard, const td_energy *e, double stored) {
  double size = 0;
  for (int i = 0; i < TD_ENERGY_KINDS; i++) {
    double now = e->of[i];
    guard->least[i] = guard->noted ? fmin(guard->least[i], now) : now;
    guard->most[i] = guard->noted ? fmax(guard->most[i], now) : now;
    size += fabs(now);
  }
  guard->noted = true;
  guard->stored += stored;
  guard->size = fmax(guard->size, size);
}

void td_guard_note_weight(td_guard *guard, const td_plant *p) {
  const td_model *m = p->model;
  double mass = 0;
  for (int i = 0; i < m->node_count; i++) mass += p->ws->composite[i].M[0];
  guard->weight = mass * sqrt(td_vec3_dot(m->gravity, m->gravity)) * td_robot_size(m, p->ws);
  guard->deep_energy = td_contact_deep_energy(m);
}

void td_guard_note_motion(td_guard *guard, const td_plant *p, const double *y, double *reach) {
  for (int k = 0; k < p->free_count; k++) {
    int i = p->free[k];
    reach[i] = fmax(reach[i], fabs(y[i]));
    guard->reach = fmax(guard->reach, fmax(fabs(y[i]), fabs(y[p->n + i])));
  }
}

void td_guard_note_loops(td_guard *guard, td_plant *plant, double t, const double *q) {
  double error = 0;
  int loop = -1;
  if (!plant->rows || td_loop_drift(&plant->projection, q, &error, &loop) || !(error > guard->open)) return;
  guard->open = error;
  guard->open_t = t;
  guard->open_loop = loop;
}

void td_guard_note_shape(td_guard *guard, const td_model *model, double t, const double *q) {
  td_inside_out at;
  td_folded bent;
  td_overstretched most;
  if (td_overstretched_find(model, q, &most)) {
    if (guard->overstretched++ == 0) guard->overstretched_t = t;
    if (most.ratio > guard->longest.ratio) guard->longest = most;
  }
  if (td_folded_find(model, q, &bent)) {
    if (guard->folded++ == 0) guard->folded_t = t;
    if (bent.ratio > guard->tightest.ratio) guard->tightest = bent;
  }
  if (!td_inside_out_find(model, q, 1, &at)) return;
  if (guard->inside_out++ == 0) guard->inside_out_t = t;
  if (guard->inside_out == 1 || at.axis < guard->worst_rod.axis) guard->worst_rod = at;
}

void td_guard_note_gaps(td_guard *guard, td_plant *p, double t, const double *q) {
  td_contact_gap at;
  if (!td_contact_gap_find(p->model, p->ws, q, &at)) return;
  if (guard->slipped++ == 0) guard->slipped_t = t;
  if (at.depth > guard->deepest.depth) guard->deepest = at;
}

void td_guard_note_depth(td_guard *guard, td_plant *p, double h, double t, const double *q, double energy) {
  if (p->model->contact_count == 0 || energy < guard->deep_energy) return;
  td_contact_deep at = {.ratio = 0};
  if (!td_contact_deep_find(p->model, p->ws, q, &at)) return;
  if (guard->deep == 0) guard->deep_t = t;
  guard->deep += h;
  if (at.ratio > guard->sunk.ratio) guard->sunk = at;
}

void td_guard_note_passage(td_guard *guard, double t, const td_pressed *at) {
  if (guard->pressed++ == 0) guard->pressed_t = t, guard->pressed_at = *at;
}

void td_guard_note_crossing(td_guard *guard, const td_through_found *at) {
  if (guard->crossed++ == 0) guard->crossed_at = *at;
}

void td_guard_note_water(td_guard *guard, td_plant *p, double t, const double *y) {
  td_high_reynolds at;
  if (!p->model->resistive || td_plant_inputs(p, t, y, y + p->n)) return;
  if (!td_high_reynolds_find(p->model, p->ws, y, y + p->n, p->u, &at)) return;
  if (guard->fast++ == 0) guard->fast_t = t;
  if (at.number > guard->fastest.number) guard->fastest = at;
}

double td_guard_swing(const td_guard *guard) {
  double swing = 0;
  for (int i = 0; i < TD_ENERGY_KINDS; i++) swing = fmax(swing, guard->most[i] - guard->least[i]);
  return swing;
}

// The largest swing of an energy, and what came in from outside or was dissipated.
static double reach_of(const td_guard *guard, const td_energy_balance *b) {
  return td_guard_swing(guard) + fmax(b->exchanged - guard->stored, 0);
}

double td_guard_rounding(const td_guard *guard) {
  return fmax(fmax(LEAST_IMBALANCE * guard->size, ROUNDING * guard->weight), THERMAL);
}

// True for joules that the scale of the run makes too many. Energies that are no number cannot be trusted either.
static bool is_too_much(const td_guard *guard, const td_integrator_spec *used, const td_energy_balance *b,
                        double joules) {
  double most = fmin(MOST_IMBALANCE * b->exchanged, MOST_DRIFT * reach_of(guard, b));
  double held =
      fmin(used->adaptive ? fmax(TOLERATED * used->rtol, TOLERATED_ALWAYS) : TOLERATED_ALWAYS, MOST_IMBALANCE);
  held *= fmax(guard->most[0], guard->carried);
  return !(fabs(joules) <= fmax(fmax(most, held), td_guard_rounding(guard)));
}

void td_guard_note_balance(td_guard *guard, td_plant *p, const td_integrator_spec *used, const td_energy_balance *b,
                           const double *y, double *scratch) {
  td_energy along;
  size_t n = (size_t)p->n;
  guard->worst = fmax(guard->worst, fabs(b->error));
  bool asked = !used->adaptive || is_too_much(guard, used, b, b->error); // by td_march_judge, or by this guard
  if (p->driven_count == 0 || !asked) return;
  memcpy(scratch, y, 2 * n * sizeof *y);
  for (int i = 0; i < p->free_count; i++) scratch[p->n + p->free[i]] = 0;
  td_state carried = {.q = scratch, .qd = scratch + n, .u = p->u};
  if (td_state_energy(p->model, p->ws, &carried, &along)) return;
  guard->carried = fmax(guard->carried, along.kinetic);
}

// The rule that joules break, which is the stricter one of the two scales: "12 % of the 3 J that were exchanged (1 % is
// the most)". `leave`: what the most is multiplied by.
static const char *share(const td_guard *guard, const td_energy_balance *b, double joules, double leave,
                         char text[SHARE_SIZE]) {
  double reach = reach_of(guard, b), bar = fabs(joules) / MOST_DRIFT;
  bool swings = reach < bar && MOST_DRIFT * reach < MOST_IMBALANCE * b->exchanged;
  double scale = swings ? reach : b->exchanged, most = swings ? MOST_DRIFT : MOST_IMBALANCE;
  snprintf(text, SHARE_SIZE, "%.2g %% of the %.3g J that %s (%g %% is the most%s)",
           scale > 0 ? 100 * fabs(joules) / scale : 100, scale,
           swings ? "energies swing by or pass through" : "were exchanged", 100 * leave * most,
           leave > 1 ? " on the way" : "");
  return text;
}

// What to do about it. Energy that modes above the cutoff lose is kept by a higher one: four times it takes three times
// the steps.
static const char *remedy(const td_integrator_spec *used, const td_run_statistics *s, char text[REMEDY_SIZE]) {
  bool sifted = used->cutoff > 0 && s->energy.error < 0;
  snprintf(text, REMEDY_SIZE, "take smaller tolerances (rtol, atol), a smaller step h or another method");
  if (sifted)
    snprintf(text, REMEDY_SIZE,
             "modes above %.3g rad/s are held stable, and lose what they hold; take a `cutoff` of %.6g, or smaller "
             "tolerances (rtol, atol)",
             used->cutoff, fmax(4 * used->cutoff, td_choice_wanted(s)));
  return text;
}

static void tell_energy(const td_guard *guard, const td_integrator_spec *used, td_run_statistics *s) {
  const td_energy_balance *b = &s->energy;
  char text[SHARE_SIZE], advice[REMEDY_SIZE];
  if (guard->at_rest) return; // what moves is the noise of the steps, and so is the balance of its energy
  bool ends_well = !is_too_much(guard, used, b, b->error);
  if (ends_well && is_too_much(guard, used, b, guard->worst / MOST_ON_THE_WAY))
    td_warn(&s->warnings, "energy_error", "/integrator",
            "on the way the energy balance missed %.3g J, %s, though it closes at the end: the motion is not what the "
            "equations of motion say; %s",
            guard->worst, share(guard, b, guard->worst, MOST_ON_THE_WAY, text), remedy(used, s, advice));
  if (!ends_well)
    td_warn(&s->warnings, "energy_error", "/integrator",
            "the energy balance misses %.3g J, %s: the motion is not what the equations of motion say; %s", b->error,
            share(guard, b, b->error, 1, text), remedy(used, s, advice));
  if (is_too_much(guard, used, b, b->loops))
    td_warn(&s->warnings, "loop_work", "/integrator",
            "the forces that keep loops closed did %.3g J of work, %s; they should do none: take smaller tolerances "
            "(rtol, atol), a smaller step h or another method",
            b->loops, share(guard, b, b->loops, 1, text));
}

static void tell_loops(const td_guard *guard, const td_model *model, td_run_statistics *s) {
  int first, rows;
  char pointer[32];
  if (!(guard->open > MOST_OPEN)) return;
  snprintf(pointer, sizeof pointer, "/model/loops/%d", guard->open_loop);
  td_warn(&s->warnings, "loop_open", pointer,
          "the loop \"%s\" was open by %.3g (rad or m) at t = %.6g s: take smaller tolerances (rtol, atol) or steps",
          td_model_loop_name(model, guard->open_loop, &first, &rows), guard->open, guard->open_t);
}

static void tell_inside_out(const td_guard *guard, const td_model *model, td_run_statistics *s) {
  char text[TD_INSIDE_OUT_TEXT], pointer[32];
  if (guard->inside_out == 0) return;
  td_inside_out_text(model, &guard->worst_rod, text);
  snprintf(pointer, sizeof pointer, "/model/links/%d/body", model->rod[guard->worst_rod.rod].link);
  td_warn(&s->warnings, "inside_out", pointer, "from t = %.6g s on (%llu steps): at worst %s", guard->inside_out_t,
          (unsigned long long)guard->inside_out, text);
}

static void tell_folded(const td_guard *guard, const td_model *model, td_run_statistics *s) {
  char text[TD_FOLDED_TEXT], pointer[32];
  if (guard->folded == 0) return;
  td_folded_text(model, &guard->tightest, text);
  snprintf(pointer, sizeof pointer, "/model/links/%d/body", model->rod[guard->tightest.rod].link);
  td_warn(&s->warnings, "folded_section", pointer, "from t = %.6g s on (%llu steps): at worst %s", guard->folded_t,
          (unsigned long long)guard->folded, text);
}

static void tell_overstretched(const td_guard *guard, const td_model *model, td_run_statistics *s) {
  char text[TD_OVERSTRETCHED_TEXT], pointer[32];
  if (guard->overstretched == 0) return;
  td_overstretched_text(model, &guard->longest, text);
  snprintf(pointer, sizeof pointer, "/model/links/%d/body", model->rod[guard->longest.rod].link);
  td_warn(&s->warnings, "overstretched", pointer, "from t = %.6g s on (%llu steps): at worst %s",
          guard->overstretched_t, (unsigned long long)guard->overstretched, text);
}

static void tell_gaps(const td_guard *guard, const td_model *model, td_run_statistics *s) {
  char text[TD_CONTACT_GAP_TEXT], pointer[TD_CONTACT_GAP_POINTER];
  if (guard->slipped == 0) return;
  td_contact_gap_text(model, &guard->deepest, text);
  td_contact_gap_pointer(&guard->deepest, pointer);
  td_warn(&s->warnings, "contact_missed", pointer, "from t = %.6g s on (%llu steps): at worst %s", guard->slipped_t,
          (unsigned long long)guard->slipped, text);
}

static void tell_depth(const td_guard *guard, const td_model *model, td_run_statistics *s) {
  char text[TD_CONTACT_DEEP_TEXT], pointer[TD_CONTACT_DEEP_POINTER];
  if (!(guard->deep > LASTS * s->t)) return; // a blow is over, and took the momentum that it should
  td_contact_deep_text(model, &guard->sunk, text);
  td_contact_deep_pointer(&guard->sunk, pointer);
  td_warn(&s->warnings, "deep_contact", pointer, "from t = %.6g s on, for %.3g s: at worst %s", guard->deep_t,
          guard->deep, text);
}

static const char *way_through(const td_pressed *at, const td_contact *c) {
  static const char bar[] = "its axis gets across that of the obstacle", ball[] = "its axis gets across the middle",
                    end[] = "it went deep in on one side and is on the other";
  if (at->part != TD_PASSES_WHOLE) return end;
  return c->obstacle.type == TD_CONTACT_SPHERE ? ball : bar;
}

static void tell_passages(const td_guard *guard, const td_model *model, td_run_statistics *s) {
  static const char *const part[] = {"", "the base of ", "the tip of "};
  const td_pressed *at = &guard->pressed_at;
  bool slipped = guard->slipped > 0 && guard->deepest.contact == at->contact; // that says it
  if (guard->pressed == 0 || slipped) return;
  const td_contact *c = &model->contact[at->contact];
  const char *own = model->document->contacts[at->contact].name;
  char pointer[TD_POINTER_SIZE], name[TD_MAX_NAME + 8] = "";
  if (own) snprintf(name, sizeof name, " \"%.63s\"", own);
  snprintf(pointer, sizeof pointer, "/model/contacts/%d", at->contact);
  if (!at->felt) {
    td_warn(&s->warnings, "contact_missed", pointer,
            "at t = %.6g s the obstacle%s slips through \"%.63s\" between two of the points that touch: take more "
            "`quadrature.points`",
            guard->pressed_t, name, td_model_link_name(model, td_contact_link(model, &c->point[at->point])));
    return;
  }
  td_warn(&s->warnings, "contact_missed", pointer,
          "at t = %.6g s %s\"%.63s\" is pressed right through the obstacle%s: %s, which gives way at a stiffness of "
          "%.3g; a real one would stop it or turn it aside; take a higher `stiffness`, or press less",
          guard->pressed_t, part[at->part], td_model_link_name(model, td_contact_link(model, &c->point[at->point])),
          name, way_through(at, c), c->obstacle.stiffness);
}

// A point of a link before a box.
static void name_point(const td_model *model, const td_through_found *at, char a[TD_SOLID_TEXT],
                       char b[TD_SOLID_TEXT]) {
  const td_contact *c = &model->contact[at->contact];
  const char *box = model->document->contacts[at->contact].name;
  snprintf(a, TD_SOLID_TEXT, "\"%.63s\"", td_model_link_name(model, td_contact_link(model, &c->point[at->point])));
  snprintf(b, TD_SOLID_TEXT, box ? "the obstacle \"%.63s\"" : "an obstacle", box);
}

static void tell_crossings(const td_guard *guard, const td_model *model, td_run_statistics *s) {
  const td_through_found *at = &guard->crossed_at;
  char pointer[TD_POINTER_SIZE], a[TD_SOLID_TEXT], b[TD_SOLID_TEXT];
  if (guard->crossed == 0) return;
  int contact = at->pair < 0 ? at->contact : model->solid_pair[at->pair].contact;
  snprintf(pointer, sizeof pointer, "/model/contacts/%d", contact);
  if (at->pair < 0) name_point(model, at, a, b);
  for (int side = 0; side < 2 && at->pair >= 0; side++) td_grip_text(model, at->pair, side, side ? b : a);
  td_warn(
      &s->warnings, "contact_missed", pointer,
      "at t = %.6g s %s is pressed right through %s: it went deep in on one side and is on the other, which gives way "
      "at a stiffness of %.3g; a real one would stop it or turn it aside; take a higher `stiffness`, shorter steps, or "
      "press less",
      at->t, a, b, model->contact[contact].obstacle.stiffness);
}

static void tell_water(const td_guard *guard, const td_model *model, td_run_statistics *s) {
  char text[TD_HIGH_REYNOLDS_TEXT], pointer[64];
  if (guard->fast == 0) return;
  td_high_reynolds_text(model, &guard->fastest, text);
  td_high_reynolds_pointer(model, &guard->fastest, "/model", pointer, sizeof pointer);
  td_warn(&s->warnings, "high_reynolds", pointer, "from t = %.6g s on (%llu steps): at worst %s", guard->fast_t,
          (unsigned long long)guard->fast, text);
}

// Steps may be as wrong as atol allows in each of many periods: of 10 nm at 50 rad/s beside 0.1 m a third was lost in 5
// s (atol 1e-9), of 100 nm 1.6 %, by bdf 14 %. Rates do not help: at 1000 rad/s it is half of 100 nm. The coordinate of
// an element that gets furthest; *set: the job starts one of them away from 0.
static int furthest(const td_element *e, const td_dynamics_spec *spec, const double *reach, bool *set) {
  int best = e->coordinate;
  *set = false;
  for (int i = e->coordinate; i < e->coordinate + e->n; i++) {
    if (reach[i] > reach[best]) best = i;
    bool moved = spec->initial == TD_INITIAL_ARRAY && spec->q && spec->q[i] != 0;
    *set = *set || moved || (spec->qd && spec->qd[i] != 0);
  }
  return best;
}

// Angular strains are of one kind, linear ones of the other.
static double most_of_kind(const td_element *e, const double *reach, bool linear) {
  double most = 0;
  for (int g = 0; g < e->group_count; g++)
    for (int i = 0; i < e->group[g].count && (e->group[g].component >= 3) == linear; i++)
      most = fmax(most, reach[e->coordinate + e->group[g].first + i]);
  return most;
}

// What a rod strains by through others' rounding, or hardly: next to nothing beside what rods strain by elsewhere.
static bool is_trifling(const td_model *m, const td_element *e, const double *reach) {
  bool trifling = e->type == TD_ELEMENT_STRIP;
  for (int linear = 0; linear < 2; linear++) {
    double most = 0;
    for (int k = 0; k < m->element_count; k++)
      if (m->element[k].type == TD_ELEMENT_STRIP) most = fmax(most, most_of_kind(&m->element[k], reach, linear));
    trifling = trifling && most_of_kind(e, reach, linear) <= TRIFLE * most;
  }
  return trifling;
}

static void tell_all_small(const td_guard *guard, const td_model *m, const td_integrator_spec *used,
                           const double *reach, td_run_statistics *s) {
  if (guard->reach <= TD_MOTIONLESS) return;
  double far = 0;
  for (int i = 0; i < td_model_ndof(m); i++) far = fmax(far, reach[i]);
  if (far <= TD_MOTIONLESS) far = guard->reach;
  td_warn(&s->warnings, "small_motion", "/integrator/atol",
          "no coordinate went beyond %.3g (rad, m or a number) and no rate beyond %.3g, and steps are held to atol "
          "%.3g: each may be off by %.2g %% of the motion, and they add up; take an atol below %.2g",
          far, guard->reach, used->atol, 100 * fmin(1, used->atol / far), 1e-6 * far);
}

void td_guard_tell_small(const td_guard *guard, const td_plant *plant, const td_dynamics_spec *spec,
                         const td_integrator_spec *used, const double *reach, td_run_statistics *s) {
  const td_model *m = plant->model;
  int worst = -1, others = -1;
  bool set;
  if (!used->adaptive) return;
  if (guard->reach < SMALL * used->atol) {
    tell_all_small(guard, m, used, reach, s);
    return;
  }
  for (int e = 0; e < m->element_count; e++) {
    if (m->element[e].n == 0) continue;
    int i = furthest(&m->element[e], spec, reach, &set);
    // below atol what moves may be what is left of Newton's iterations
    if (reach[i] >= SMALL_BESIDE * used->atol || reach[i] <= (set ? TD_MOTIONLESS : used->atol)) continue;
    if (!set && is_trifling(m, &m->element[e], reach)) continue;
    others++;
    if (worst < 0 || reach[i] < reach[worst]) worst = i;
  }
  if (worst < 0) return;
  char more[48] = "";
  if (others > 0) snprintf(more, sizeof more, " (and %d more joints or bodies)", others);
  td_warn(&s->warnings, "small_motion", "/integrator/atol",
          "\"%.63s\" never went beyond %.3g%s, and steps are held to atol %.3g: each may be "
          "off by %.2g %% of its motion, and they add up; take an atol below %.2g if it matters",
          td_model_coordinate_name(m, worst), reach[worst], more, used->atol, 100 * fmin(1, used->atol / reach[worst]),
          1e-6 * reach[worst]);
}

static void tell_remarks(const td_guard *guard, const td_model *model, td_run_statistics *s) {
  if (s->singular > 0)
    td_warn(
        &s->warnings, "singular_configuration", "/model/loops",
        "the mechanism passes a singular configuration at t = %.6g s (%llu in all): the branch it takes afterwards is "
        "not determined by its loops; symmetric motion may be kept by rounding alone",
        s->singular_t, (unsigned long long)s->singular);
  if (guard->missed > 0)
    td_warn(&s->warnings, "contact_missed", "/integrator/h_max",
            "%llu steps went through an obstacle without feeling it, the first one ends at t = %.6g s: take a smaller "
            "h_max (or h), so that no point moves by the size of an obstacle in a step",
            (unsigned long long)guard->missed, guard->missed_t);
  if (s->push > 0)
    td_warn(&s->warnings, "tendon_pushed", "/controller",
            "a controller let tendons push, \"%s\" most: its tension was %.3g N at t = %.3g s; cables cannot",
            td_model_channel_name(model, s->push_channel), -s->push, s->push_t);
}

td_status td_guard_judge(const td_guard *guard, const td_model *model, const td_integrator_spec *used,
                         td_run_statistics *s, td_error *err) {
  tell_inside_out(guard, model, s);
  tell_folded(guard, model, s);
  tell_overstretched(guard, model, s);
  tell_gaps(guard, model, s);
  tell_depth(guard, model, s);
  tell_passages(guard, model, s);
  tell_crossings(guard, model, s);
  tell_water(guard, model, s);
  tell_energy(guard, used, s);
  tell_loops(guard, model, s);
  tell_remarks(guard, model, s);
  const td_warning *first = s->warnings.list; // what is false stands before what was odd from the start
  if (s->warnings.count == 0 || td_warning_rank_of(first->code) != TD_RANK_FALSE) return TD_OK;
  return td_fail(err, TD_INCONSISTENT, first->pointer, "%s", first->detail);
}

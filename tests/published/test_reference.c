// Published and independently computed values: every entry of every file in published/gvs, published/oracle and
// published/examples.
//
// The files hold a model, states and what is expected at each of them; gvs/ comes from an implementation in 113-bit
// arithmetic that agrees with the authors' toolbox, oracle/ from tests/oracle (80-bit Taylor arithmetic on the forward
// kinematics). Neither shares a formula with the engine. An entry is compared relative to the largest entry of its
// quantity: within 1e-9, for fd, lambda and their derivatives within max(1e-9, 10 cond eps), cond that of the mass
// matrix scaled to a unit diagonal. A quantity that vanishes at one state is measured against 1e-6 of its largest entry
// in the file, a derivative that vanishes also against 1e-6 of what it is the derivative of (at rest did_dqd is 0 but
// for rounding). Each file prints its worst quantity, each miss a line; all are seen before the test fails.
#include "support/model_file.h"
#include "support/suite.h"
#include "tendril/dynamics.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MEMBERS_MAX = 64 };

typedef struct reference {
  const char *path;
  json_t *states;
  double baumgarte;
  td_model *model;
  td_workspace *ws;
  double worst;        // largest error / tolerance so far
  double worst_error;  // its relative error
  char worst_what[96]; // its quantity
  int misses;
  size_t entries; // numbers compared
} reference;

static double largest_of(json_t *value) {
  if (json_is_object(value)) {
    double largest = 0;
    const char *key;
    json_t *member;
    json_object_foreach(value, key, member) largest = fmax(largest, largest_of(member));
    return largest;
  }
  size_t count;
  double *x = test_numbers(value, &count), largest = 0;
  for (size_t i = 0; i < count; i++) largest = fmax(largest, fabs(x[i]));
  free(x);
  return largest;
}

/// Largest entry of a quantity in the whole file.
static double largest_anywhere(const reference *r, const char *quantity) {
  double largest = 0;
  for (size_t i = 0; i < json_array_size(r->states); i++) {
    const json_t *expect = json_object_get(json_array_get(r->states, i), "expect");
    json_t *value = json_object_get(expect, quantity);
    if (value) largest = fmax(largest, largest_of(value));
  }
  return largest;
}

/// What an entry's error is divided by.
static double scale_of(const reference *r, const json_t *state, const char *quantity) {
  double scale = largest_of(json_object_get(json_object_get(state, "expect"), quantity));
  scale = fmax(scale, 1e-6 * largest_anywhere(r, quantity));
  const char *by = strstr(quantity, "_d");
  if (quantity[0] == 'd' && by) {
    char function[32];
    snprintf(function, sizeof function, "%.*s", (int)(by - quantity - 1), quantity + 1);
    scale = fmax(scale, 1e-6 * largest_anywhere(r, function));
  }
  return scale > 1e-12 ? scale : 1; // zero but for rounding in the whole file: compared as it is
}

/// One Jacobi rotation: makes a[p][q] of the symmetric a [n][n] vanish.
static void rotate(double *a, int n, int p, int q) {
  double theta = (a[q * n + q] - a[p * n + p]) / (2 * a[p * n + q]);
  double t = copysign(1 / (fabs(theta) + hypot(1, theta)), theta), c = 1 / hypot(1, t), s = t * c;
  for (int k = 0; k < n; k++) {
    double x = a[k * n + p], y = a[k * n + q];
    a[k * n + p] = c * x - s * y;
    a[k * n + q] = s * x + c * y;
  }
  for (int k = 0; k < n; k++) {
    double x = a[p * n + k], y = a[q * n + k];
    a[p * n + k] = c * x - s * y;
    a[q * n + k] = s * x + c * y;
  }
}

/// Largest over smallest eigenvalue of a symmetric positive definite a [n][n], overwritten; Jacobi's method.
static double condition_of(double *a, int n) {
  for (int sweep = 0; sweep < 12; sweep++)
    for (int p = 0; p < n; p++)
      for (int q = p + 1; q < n; q++)
        if (a[p * n + q] != 0) rotate(a, n, p, q);
  double low = INFINITY, high = 0;
  for (int i = 0; i < n; i++) low = fmin(low, a[i * n + i]), high = fmax(high, a[i * n + i]);
  ck_assert_msg(low > 0, "a reference mass matrix is not positive definite");
  return high / low;
}

/// Condition number of D M D with D = diag(M)^-1/2; M of this state or, in files of large robots, of the first.
static double scaled_condition(const reference *r, const json_t *state) {
  const json_t *mass = json_object_get(json_object_get(state, "expect"), "mass");
  if (!mass) mass = json_object_get(json_object_get(json_array_get(r->states, 0), "expect"), "mass");
  size_t count;
  double *m = test_numbers(mass, &count);
  int n = (int)json_array_size(mass);
  double *d = calloc((size_t)n + 1, sizeof *d);
  ck_assert_ptr_nonnull(d);
  for (int i = 0; i < n; i++) d[i] = 1 / sqrt(m[i * n + i]);
  for (int i = 0; i < n * n; i++) m[i] *= d[i / n] * d[i % n];
  double condition = condition_of(m, n);
  free(d);
  free(m);
  return condition;
}

static double tolerance_of(const char *quantity, double condition) {
  static const char *const solved[] = {"fd", "dfd_", "lambda", "dlambda_"};
  for (int i = 0; i < 4; i++)
    if (strncmp(quantity, solved[i], strlen(solved[i])) == 0) return fmax(1e-9, 10 * condition * 2.2e-16);
  return 1e-9;
}

static void note(reference *r, const char *quantity, const char *member, double error, double tolerance) {
  double ratio = isfinite(error) ? error / tolerance : INFINITY;
  if (ratio > 1) {
    r->misses++;
    printf("  MISS %s: %s %s relative error %.2e, tolerance %.1e\n", r->path, quantity, member ? member : "", error,
           tolerance);
  }
  if (ratio < r->worst) return;
  r->worst = ratio;
  r->worst_error = error;
  snprintf(r->worst_what, sizeof r->worst_what, "%s%s%s", quantity, member ? "." : "", member ? member : "");
}

static void compare_member(reference *r, const char *quantity, const td_member *member, const json_t *expected,
                           const double *got, double scale, double tolerance) {
  size_t count;
  double *want = test_numbers(expected, &count), error = 0;
  ck_assert_msg(count == member->size, "%s %s %s: %zu numbers expected, %zu given", r->path, quantity,
                member->name ? member->name : "", count, member->size);
  for (size_t i = 0; i < count; i++) {
    double e = fabs(got[member->offset + i] - want[i]) / scale;
    if (!(e <= error) && !isnan(error)) error = e; // once not a number, always
  }
  r->entries += count;
  free(want);
  note(r, quantity, member->name, error, tolerance);
}

/// Every member that the file expects; the engine may know more (id_terms.contact).
static void compare_quantity(reference *r, const json_t *state, const char *quantity, const double *got,
                             double condition) {
  const json_t *expected = json_object_get(json_object_get(state, "expect"), quantity);
  double scale = scale_of(r, state, quantity), tolerance = tolerance_of(quantity, condition);
  td_member members[MEMBERS_MAX];
  size_t total, found = 0;
  int count = td_quantity_members(r->model, td_quantity_find(quantity), members, MEMBERS_MAX, &total);
  ck_assert_int_le(count, MEMBERS_MAX);
  for (int i = 0; i < count; i++) {
    const json_t *part = members[i].name ? json_object_get(expected, members[i].name) : expected;
    if (!part) continue;
    found++;
    compare_member(r, quantity, &members[i], part, got, scale, tolerance);
  }
  ck_assert_msg(found == (json_is_object(expected) ? json_object_size(expected) : 1), "%s: %s lacks a member", r->path,
                quantity);
}

/// All quantities of a state in one call, as a request to the server asks for them.
static void evaluate_state(reference *r, const json_t *state, const td_state *numbers, double condition) {
  int want[TD_QUANTITY_LIMIT], count = 0;
  double *out[TD_QUANTITY_LIMIT] = {0};
  td_member members[MEMBERS_MAX];
  const char *name;
  json_t *expected;
  json_object_foreach(json_object_get(state, "expect"), name, expected) {
    size_t total = 0;
    want[count] = td_quantity_find(name);
    ck_assert_msg(want[count] >= 0, "%s: the engine knows no quantity \"%s\"", r->path, name);
    ck_assert_int_le(td_quantity_members(r->model, want[count], members, MEMBERS_MAX, &total), MEMBERS_MAX);
    out[count] = calloc(total + 1, sizeof(double));
    ck_assert_ptr_nonnull(out[count++]);
  }
  td_error err = {0};
  td_status status = td_evaluate(r->model, r->ws, numbers, want, count, out, &err);
  ck_assert_msg(status == TD_OK, "%s: %s: %s", r->path, td_status_name(status), err.message);
  for (int i = 0; i < count; i++) {
    compare_quantity(r, state, td_quantity_name(want[i]), out[i], condition);
    free(out[i]);
  }
}

static void compare_state(reference *r, const json_t *state) {
  static const char *const keys[] = {"q", "qd", "qdd", "u"};
  double *x[4];
  size_t count, n = (size_t)td_model_ndof(r->model), m = (size_t)td_model_channel_count(r->model);
  for (int i = 0; i < 4; i++) {
    x[i] = test_numbers(json_object_get(state, keys[i]), &count);
    ck_assert_msg(count == (i < 3 ? n : m), "%s: %s has %zu entries", r->path, keys[i], count);
  }
  double condition = scaled_condition(r, state);
  evaluate_state(r, state, &(td_state){x[0], x[1], x[2], x[3], r->baumgarte}, condition);
  for (int i = 0; i < 4; i++) free(x[i]);
}

/// The file's own model, or the shipped robot it names.
static td_model *model_of(const char *path, const json_t *doc) {
  const char *example = json_string_value(json_object_get(doc, "example"));
  if (!example) return test_model_from_file(path, "model");
  char shipped[4096];
  snprintf(shipped, sizeof shipped, TEST_DATA_DIR "/../api/examples/%s.model.json", example);
  return test_model_from_file(shipped, NULL);
}

static int compare_file(const char *path) {
  json_t *doc = test_json_from_file(path);
  reference r = {.path = path + strlen(TEST_DATA_DIR) + 1,
                 .states = json_object_get(doc, "states"),
                 .baumgarte = json_number_value(json_object_get(doc, "baumgarte")),
                 .model = model_of(path, doc)};
  ck_assert_int_eq(td_workspace_create(r.model, &r.ws), TD_OK);
  ck_assert_int_eq(td_model_ndof(r.model), (int)json_integer_value(json_object_get(doc, "ndof")));
  ck_assert_uint_gt(json_array_size(r.states), 0);
  for (size_t i = 0; i < json_array_size(r.states); i++) compare_state(&r, json_array_get(r.states, i));
  printf("%-56s %7zu numbers, worst %s %.1e (%.1e of its tolerance)\n", r.path, r.entries, r.worst_what, r.worst_error,
         r.worst);
  fflush(stdout);
  td_workspace_destroy(r.ws);
  td_model_destroy(r.model);
  json_decref(doc);
  return r.misses;
}

static int is_json(const struct dirent *entry) {
  size_t length = strlen(entry->d_name);
  return length > 5 && strcmp(entry->d_name + length - 5, ".json") == 0;
}

/// Compares every file of a folder; returns how many quantities missed, `files` how many files there were.
static int compare_folder(const char *folder, int *files) {
  char path[4096];
  struct dirent **entries;
  snprintf(path, sizeof path, TEST_DATA_DIR "/%s", folder);
  *files = scandir(path, &entries, is_json, alphasort);
  ck_assert_msg(*files >= 0, "cannot read %s", path);
  int misses = 0;
  for (int i = 0; i < *files; i++) {
    snprintf(path, sizeof path, TEST_DATA_DIR "/%s/%s", folder, entries[i]->d_name);
    misses += compare_file(path);
    free(entries[i]);
  }
  free(entries);
  return misses;
}

START_TEST(the_engine_gives_the_published_values_of_the_gvs_paper_s_robots) {
  int files, misses = compare_folder("published/gvs", &files);
  ck_assert_int_ge(files, 6);
  ck_assert_int_eq(misses, 0);
}
END_TEST

START_TEST(the_engine_gives_what_differentiated_forward_kinematics_gives_for_every_kind_of_part) {
  int files, misses = compare_folder("published/oracle", &files);
  ck_assert_int_ge(files, 60);
  ck_assert_int_eq(misses, 0);
}
END_TEST

START_TEST(reduced_bodies_give_the_values_of_d_alembert_sums_over_their_particles) {
  int files, misses = compare_folder("published/reduced", &files);
  ck_assert_int_ge(files, 18);
  ck_assert_int_eq(misses, 0);
}
END_TEST

START_TEST(the_engine_gives_what_forward_kinematics_gives_for_the_shipped_robots) {
  int files, misses = compare_folder("published/examples", &files);
  ck_assert_int_ge(files, 6);
  ck_assert_int_eq(misses, 0);
}
END_TEST

TEST_MAIN("reference", the_engine_gives_the_published_values_of_the_gvs_paper_s_robots,
          reduced_bodies_give_the_values_of_d_alembert_sums_over_their_particles,
          the_engine_gives_what_differentiated_forward_kinematics_gives_for_every_kind_of_part,
          the_engine_gives_what_forward_kinematics_gives_for_the_shipped_robots)

// Transforms of USD: the operations of xformOpOrder, the first one outermost, of a prim and of those around it.
//
// A matrix of USD multiplies rows, p' = p M; here it is turned round, p' = M p.
#include "codec/import/usd/parts.h"

#include <math.h>
#include <string.h>

static const double ONE[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
static const double DEGREE = 3.14159265358979323846 / 180;

// out = A B; out may be A or B.
static void multiply(const double A[12], const double B[12], double out[12]) {
  double C[12];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 4; j++) {
      C[4 * i + j] = j == 3 ? A[4 * i + 3] : 0;
      for (int k = 0; k < 3; k++) C[4 * i + j] += A[4 * i + k] * B[4 * k + j];
    }
  memcpy(out, C, sizeof C);
}

static bool invert(double M[12]) {
  double I[12], det;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      int a = (j + 1) % 3, b = (j + 2) % 3, c = (i + 1) % 3, d = (i + 2) % 3;
      I[4 * i + j] = M[4 * a + c] * M[4 * b + d] - M[4 * a + d] * M[4 * b + c];
    }
  det = M[0] * I[0] + M[1] * I[4] + M[2] * I[8];
  if (!(fabs(det) > 0) || !isfinite(det)) return false;
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) I[4 * i + j] /= det;
    I[4 * i + 3] = -(I[4 * i] * M[3] + I[4 * i + 1] * M[7] + I[4 * i + 2] * M[11]);
  }
  memcpy(M, I, sizeof I);
  return true;
}

static void turn_about(int axis, double degrees, double M[12]) {
  int a = (axis + 1) % 3, b = (axis + 2) % 3;
  double c = cos(degrees * DEGREE), s = sin(degrees * DEGREE);
  memcpy(M, ONE, sizeof ONE);
  M[4 * a + a] = M[4 * b + b] = c;
  M[4 * b + a] = s, M[4 * a + b] = -s;
}

static td_status read_orient(const usd *u, const usd_prim *prim, const usd_field *f, double M[12]) {
  double q[4];
  td_status status = usd_vector(u, prim, f, q, 4);
  double n = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  if (status) return status;
  if (!(n > 0)) return usd_fail(u, prim, f->line, "%.60s has no direction", f->name);
  double w = q[0] / n, x = q[1] / n, y = q[2] / n, z = q[3] / n;
  const double R[12] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),     0,
                        2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),     0,
                        2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y), 0};
  memcpy(M, R, sizeof R);
  return TD_OK;
}

static td_status read_matrix(const usd *u, const usd_prim *prim, const usd_field *f, double M[12]) {
  double rows[16];
  td_status status = usd_vector(u, prim, f, rows, 16);
  if (status) return status;
  if (rows[3] != 0 || rows[7] != 0 || rows[11] != 0 || rows[15] != 1)
    return usd_fail(u, prim, f->line, "%.60s is not affine: its last column is not 0, 0, 0, 1", f->name);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 4; j++) M[4 * i + j] = rows[4 * j + i];
  return TD_OK;
}

// "XYZ": about x first, then y, then z.
static td_status read_turn(const usd *u, const usd_prim *prim, const usd_field *f, const char *axes, double M[12]) {
  double angles[3] = {0}, one[12];
  size_t n = strlen(axes);
  td_status status = usd_vector(u, prim, f, angles, n);
  for (size_t i = 0; i < n && !status; i++) {
    int axis = axes[i] - 'X';
    turn_about(axis, angles[n == 1 ? 0 : axis], one);
    multiply(one, M, M);
  }
  return status;
}

static td_status read_operation(const usd *u, usd_prim *prim, const char *name, usd_field *f, double M[12]) {
  static const char *const turns[] = {"X", "Y", "Z", "XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX"};
  size_t n = strcspn(name, ":");
  double x[3];
  td_status status;
  memcpy(M, ONE, sizeof ONE);
  if (n == 9 && strncmp(name, "translate", n) == 0) {
    status = usd_vector(u, prim, f, x, 3);
    for (int i = 0; i < 3 && !status; i++) M[4 * i + 3] = x[i];
    return status;
  }
  if (n == 5 && strncmp(name, "scale", n) == 0) {
    status = usd_vector(u, prim, f, x, 3);
    for (int i = 0; i < 3 && !status; i++) M[4 * i + i] = x[i];
    return status;
  }
  if (n == 6 && strncmp(name, "orient", n) == 0) return read_orient(u, prim, f, M);
  if (n == 9 && strncmp(name, "transform", n) == 0) return read_matrix(u, prim, f, M);
  for (size_t i = 0; i < sizeof turns / sizeof *turns; i++)
    if (n == 6 + strlen(turns[i]) && strncmp(name, "rotate", 6) == 0 && strncmp(name + 6, turns[i], n - 6) == 0)
      return read_turn(u, prim, f, turns[i], M);
  return usd_fail(u, prim, f->line,
                  "%.60s is no transform that is read (translate, orient, rotateXYZ, scale, transform)", f->name);
}

// One entry of xformOpOrder.
static td_status read_entry(const usd *u, usd_prim *prim, const usd_token *t, double M[12]) {
  static const char inverse[] = "!invert!", before[] = "xformOp:";
  char name[128] = "";
  if (t->kind != USD_STRING || t->size >= sizeof name)
    return usd_fail(u, prim, t->line, "xformOpOrder is no list of names of transforms");
  memcpy(name, t->text, t->size);
  bool inverted = strncmp(name, inverse, sizeof inverse - 1) == 0;
  const char *plain = inverted ? name + sizeof inverse - 1 : name;
  usd_field *f = usd_property(prim, plain);
  if (strncmp(plain, before, sizeof before - 1) != 0 || !f)
    return usd_fail(u, prim, t->line, "xformOpOrder names \"%.60s\", which has no value that stands still", name);
  td_status status = read_operation(u, prim, plain + sizeof before - 1, f, M);
  if (!status && inverted && !invert(M)) return usd_fail(u, prim, t->line, "%.60s has no inverse", name);
  return status;
}

// From the prim's frame to that around it; *alone: what is around it does not count.
static td_status read_local(const usd *u, usd_prim *prim, double M[12], bool *alone) {
  usd_field *f = usd_property(prim, "xformOpOrder");
  memcpy(M, ONE, sizeof ONE);
  if (!f) return TD_OK;
  usd_scan s = f->value;
  usd_token t = usd_next(&s);
  if (!usd_is_mark(&t, '[')) return usd_fail(u, prim, t.line, "xformOpOrder is no list");
  for (;;) {
    double one[12];
    t = usd_next(&s);
    if (usd_is_mark(&t, ']')) return TD_OK;
    if (usd_is_mark(&t, ',')) continue;
    if (usd_is(&t, USD_STRING, "!resetXformStack!")) {
      memcpy(M, ONE, sizeof ONE);
      *alone = true;
      continue;
    }
    td_status status = read_entry(u, prim, &t, one);
    if (status) return status;
    multiply(M, one, M);
  }
}

td_status usd_world(const usd *u, usd_prim *prim, double M[12]) {
  bool alone = false;
  memcpy(M, ONE, sizeof ONE);
  for (usd_prim *p = prim; p && p->parent && !alone; p = p->parent) {
    double local[12];
    td_status status = read_local(u, p, local, &alone);
    if (status) return status;
    p->read = true;
    multiply(local, M, M);
  }
  return TD_OK;
}

void usd_place_points(const usd *u, const double M[12], const double *points, size_t count, double *out) {
  for (size_t i = 0; i < count; i++) {
    const double *p = points + 3 * i;
    double x[3];
    for (int k = 0; k < 3; k++)
      x[k] = u->metre * (M[4 * k] * p[0] + M[4 * k + 1] * p[1] + M[4 * k + 2] * p[2] + M[4 * k + 3]);
    out[3 * i] = x[0];
    out[3 * i + 1] = u->y_up ? -x[2] : x[1];
    out[3 * i + 2] = u->y_up ? x[1] : x[2];
  }
}

// By the largest of its four components (Shepperd 1978).
void usd_quaternion(const double R[9], double q[4]) {
  double trace = R[0] + R[4] + R[8];
  int k = 0;
  for (int i = 1; i < 3; i++)
    if (R[4 * i] > R[4 * k]) k = i;
  if (trace > R[4 * k]) {
    q[0] = sqrt(1 + trace) / 2;
    q[1] = (R[7] - R[5]) / (4 * q[0]), q[2] = (R[2] - R[6]) / (4 * q[0]), q[3] = (R[3] - R[1]) / (4 * q[0]);
    return;
  }
  int l = (k + 1) % 3, m = (k + 2) % 3;
  double s = sqrt(1 + R[4 * k] - R[4 * l] - R[4 * m]) / 2;
  q[1 + k] = s;
  q[0] = (R[3 * m + l] - R[3 * l + m]) / (4 * s);
  q[1 + l] = (R[3 * l + k] + R[3 * k + l]) / (4 * s);
  q[1 + m] = (R[3 * m + k] + R[3 * k + m]) / (4 * s);
}

// R = 1 + [v] + [v]^2 / (1 + c) with v = x × way, c = x . way; where way is -x, half a turn about z.
void usd_turn_to(const double way[3], double R[9]) {
  double c = way[0], y = way[1], z = way[2];
  if (c < -1 + 1e-12) {
    const double half[9] = {-1, 0, 0, 0, -1, 0, 0, 0, 1};
    memcpy(R, half, sizeof half);
    return;
  }
  const double turn[9] = {
      c, -y, -z, y, 1 - y * y / (1 + c), -y * z / (1 + c), z, -y * z / (1 + c), 1 - z * z / (1 + c)};
  memcpy(R, turn, sizeof turn);
}

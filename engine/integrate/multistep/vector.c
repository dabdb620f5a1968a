// What CVODE and IDA ask of vectors in every step, lane by lane; all else stays with SUNDIALS' serial vectors, whose
// memory these are. Results may be one of the operands, as SUNDIALS wants it: every entry is read before it is written.
//
//   linear sum  z = a x + b y           linear combination  z = sum_k c_k X_k      scale, add  Z_k = a_k x + Y_k
//   norm        sqrt(sum (x w)^2 / n)
#include "integrate/multistep/vector.h"
#include "math/lanes.h"
#include <math.h>

static double *data(N_Vector v) { return NV_DATA_S(v); }
static int size_of(N_Vector v) { return (int)NV_LENGTH_S(v); }
TD_INLINE td_vecu *at(double *x, int i) { return (td_vecu *)(x + i); }

static void linear_sum(realtype a, N_Vector x, realtype b, N_Vector y, N_Vector z) {
  double *X = data(x), *Y = data(y), *Z = data(z);
  int i = 0, n = size_of(z);
  for (; i + TD_LANES <= n; i += TD_LANES) *at(Z, i) = a * *at(X, i) + b * *at(Y, i);
  for (; i < n; i++) Z[i] = a * X[i] + b * Y[i];
}

static void constant(realtype c, N_Vector z) {
  double *Z = data(z);
  int i = 0, n = size_of(z);
  for (; i + TD_LANES <= n; i += TD_LANES) *at(Z, i) = td_splat(c);
  for (; i < n; i++) Z[i] = c;
}

static void product(N_Vector x, N_Vector y, N_Vector z) {
  double *X = data(x), *Y = data(y), *Z = data(z);
  int i = 0, n = size_of(z);
  for (; i + TD_LANES <= n; i += TD_LANES) *at(Z, i) = *at(X, i) * *at(Y, i);
  for (; i < n; i++) Z[i] = X[i] * Y[i];
}

static void scale(realtype c, N_Vector x, N_Vector z) {
  double *X = data(x), *Z = data(z);
  int i = 0, n = size_of(z);
  for (; i + TD_LANES <= n; i += TD_LANES) *at(Z, i) = c * *at(X, i);
  for (; i < n; i++) Z[i] = c * X[i];
}

static realtype weighted_norm(N_Vector x, N_Vector w) {
  double *X = data(x), *W = data(w), rest = 0;
  td_vec sum = td_splat(0);
  int i = 0, n = size_of(x);
  for (; i + TD_LANES <= n; i += TD_LANES) {
    td_vec xw = *at(X, i) * *at(W, i);
    sum += xw * xw;
  }
  for (; i < n; i++) rest += X[i] * W[i] * (X[i] * W[i]);
  return sqrt((td_total(sum) + rest) / n);
}

static int linear_combination(int count, realtype *c, N_Vector *x, N_Vector z) {
  double *Z = data(z);
  int i = 0, n = size_of(z);
  for (; i + TD_LANES <= n; i += TD_LANES) {
    td_vec sum = c[0] * *at(data(x[0]), i);
    for (int k = 1; k < count; k++) sum += c[k] * *at(data(x[k]), i);
    *at(Z, i) = sum;
  }
  for (; i < n; i++) {
    double sum = c[0] * data(x[0])[i];
    for (int k = 1; k < count; k++) sum += c[k] * data(x[k])[i];
    Z[i] = sum;
  }
  return 0;
}

// x may be one of the sums.
static int scale_add(int count, realtype *a, N_Vector x, N_Vector *y, N_Vector *z) {
  double *X = data(x);
  int i = 0, n = size_of(x);
  for (; i + TD_LANES <= n; i += TD_LANES) {
    td_vec xi = *at(X, i);
    for (int k = 0; k < count; k++) *at(data(z[k]), i) = a[k] * xi + *at(data(y[k]), i);
  }
  for (; i < n; i++) {
    double xi = X[i];
    for (int k = 0; k < count; k++) data(z[k])[i] = a[k] * xi + data(y[k])[i];
  }
  return 0;
}

static int scale_each(int count, realtype *c, N_Vector *x, N_Vector *z) {
  for (int k = 0; k < count; k++) scale(c[k], x[k], z[k]);
  return 0;
}

static N_Vector with_operations(N_Vector v) {
  if (!v) return NULL;
  v->ops->nvlinearsum = linear_sum;
  v->ops->nvconst = constant;
  v->ops->nvprod = product;
  v->ops->nvscale = scale;
  v->ops->nvwrmsnorm = weighted_norm;
  v->ops->nvlinearcombination = linear_combination;
  v->ops->nvscaleaddmulti = scale_add;
  v->ops->nvscalevectorarray = scale_each;
  return v;
}

N_Vector td_vector_new(int size, SUNContext context) { return with_operations(N_VNew_Serial(size, context)); }

N_Vector td_vector_new_view(int size, SUNContext context) { return with_operations(N_VNewEmpty_Serial(size, context)); }

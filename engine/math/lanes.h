// Lanes: several doubles at once, and dual-number 3-vectors and 3x3 matrices over them.
//
// A lane is one interval of a rod (all intervals of a batch go through exp, T and their derivatives together) or one
// column of a matrix. se(3) is so(3) over the dual numbers: a twist is w + e v, a wrench f + e m, the adjoint of a pose
// R + e p^R, and every 6x6 map of the exponential (T, dT, d2T) has the form [X 0; Y X] = X + e Y. Products of such
// matrices cost 81 instead of 216 multiplications, and each so(3) formula serves SE(3) unchanged. The pairing of twist
// x and wrench F is the dual part of x.F. TD_LANES is the width of the registers the library is compiled for (8:
// AVX-512, 4: AVX2, 2: SSE2); the library is built once per level and the dynamic loader takes the best one the CPU
// runs (glibc-hwcaps; CMakeLists.txt).
#ifndef TENDRIL_MATH_LANES_H
#define TENDRIL_MATH_LANES_H

#define TD_INLINE static inline __attribute__((always_inline))

#if defined(__AVX512F__)
enum { TD_LANES = 8 };
#define TD_CPU_LEVEL "x86-64-v4"
#elif defined(__AVX2__)
enum { TD_LANES = 4 };
#define TD_CPU_LEVEL "x86-64-v3"
#else
enum { TD_LANES = 2 };
#ifdef __aarch64__
#define TD_CPU_LEVEL "aarch64"
#else
#define TD_CPU_LEVEL "x86-64"
#endif
#endif

/// n up to whole vectors.
TD_INLINE int td_pad(int n) { return (n + TD_LANES - 1) / TD_LANES * TD_LANES; }

/// Of matrices with n columns, which are also taken two beside each other: rows 64 bytes apart but for a power of two
/// would share a few places of the cache.
TD_INLINE int td_row_stride(int n) { return td_pad(n) % 32 || n < 64 ? td_pad(n) : td_pad(n) + TD_LANES; }

/// Lanes of the widest level: rows that are padded to them are whole vectors at every level.
enum { TD_MOST_LANES = 8 };
TD_INLINE int td_pad_most(int n) { return (n + TD_MOST_LANES - 1) / TD_MOST_LANES * TD_MOST_LANES; }

typedef double td_vec __attribute__((vector_size(sizeof(double) * TD_LANES)));
/// The same, at any address.
typedef double td_vecu __attribute__((vector_size(sizeof(double) * TD_LANES), aligned(sizeof(double)), may_alias));

typedef struct td_dual {
  td_vec re, du;
} td_dual;
typedef struct td_dvec {
  td_vec re[3], du[3];
} td_dvec;
typedef struct td_dmat {
  td_vec re[9], du[9]; ///< row-major
} td_dmat;

TD_INLINE td_vec td_splat(double x) {
#if defined(__AVX512F__)
  return (td_vec){x, x, x, x, x, x, x, x};
#elif defined(__AVX2__)
  return (td_vec){x, x, x, x};
#else
  return (td_vec){x, x};
#endif
}

/// Sum over the lanes.
TD_INLINE double td_total(td_vec x) {
  double sum = 0;
  for (int l = 0; l < TD_LANES; l++) sum += x[l];
  return sum;
}

// ---- real 3-vectors over lanes
TD_INLINE void td_v3_cross(const td_vec *a, const td_vec *b, td_vec *out) {
  td_vec x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2], z = a[0] * b[1] - a[1] * b[0];
  out[0] = x, out[1] = y, out[2] = z;
}
TD_INLINE void td_v3_cross_add(const td_vec *a, const td_vec *b, td_vec *out) {
  out[0] += a[1] * b[2] - a[2] * b[1];
  out[1] += a[2] * b[0] - a[0] * b[2];
  out[2] += a[0] * b[1] - a[1] * b[0];
}
/// w the same in all lanes.
TD_INLINE void td_v3_cross_const(const double *w, const td_vec *x, td_vec out[3]) {
  td_vec a[3] = {td_splat(w[0]), td_splat(w[1]), td_splat(w[2])};
  td_v3_cross(a, x, out);
}
TD_INLINE td_vec td_v3_dot(const td_vec *a, const td_vec *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

// ---- real 3x3 matrices over lanes
TD_INLINE void td_m3_mul(const td_vec *a, const td_vec *b, td_vec *out) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) out[3 * i + j] = a[3 * i] * b[j] + a[3 * i + 1] * b[3 + j] + a[3 * i + 2] * b[6 + j];
}
/// out += sym(a^T b)
TD_INLINE void td_m3_add_symmetric(const td_vec *a, const td_vec *b, td_vec *out) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      td_vec ab = a[i] * b[j] + a[3 + i] * b[3 + j] + a[6 + i] * b[6 + j];
      out[3 * i + j] += 0.5 * ab;
      out[3 * j + i] += 0.5 * ab;
    }
}

// ---- dual scalars and vectors
TD_INLINE td_dual td_dual_mul(td_dual a, td_dual b) { return (td_dual){a.re * b.re, a.re * b.du + a.du * b.re}; }
TD_INLINE td_dual td_dual_scale(td_vec s, td_dual a) { return (td_dual){s * a.re, s * a.du}; }
TD_INLINE td_dual td_dvec_dot(const td_dvec *a, const td_dvec *b) {
  return (td_dual){td_v3_dot(a->re, b->re), td_v3_dot(a->re, b->du) + td_v3_dot(a->du, b->re)};
}
/// out = a x b: the Lie bracket ad_a b of twists.
TD_INLINE td_dvec td_dvec_cross(const td_dvec *a, const td_dvec *b) {
  td_dvec out;
  td_v3_cross(a->re, b->re, out.re);
  td_v3_cross(a->re, b->du, out.du);
  td_v3_cross_add(a->du, b->re, out.du);
  return out;
}
/// y += s x
TD_INLINE void td_dvec_add(td_dvec *y, td_dual s, const td_dvec *x) {
  for (int i = 0; i < 3; i++) {
    y->re[i] += s.re * x->re[i];
    y->du[i] += s.re * x->du[i] + s.du * x->re[i];
  }
}
/// y += s x, s real
TD_INLINE void td_dvec_add_real(td_dvec *y, td_vec s, const td_dvec *x) {
  for (int i = 0; i < 3; i++) y->re[i] += s * x->re[i], y->du[i] += s * x->du[i];
}

// ---- dual matrices
/// M += s I
TD_INLINE void td_dmat_add_identity(td_dmat *m, td_dual s) {
  for (int i = 0; i < 9; i += 4) m->re[i] += s.re, m->du[i] += s.du;
}
/// M += s x^
TD_INLINE void td_dmat_add_hat(td_dmat *m, td_dual s, const td_dvec *x) {
  td_vec re[3], du[3];
  for (int i = 0; i < 3; i++) re[i] = s.re * x->re[i], du[i] = s.re * x->du[i] + s.du * x->re[i];
  m->re[1] -= re[2], m->re[2] += re[1], m->re[3] += re[2], m->re[5] -= re[0], m->re[6] -= re[1], m->re[7] += re[0];
  m->du[1] -= du[2], m->du[2] += du[1], m->du[3] += du[2], m->du[5] -= du[0], m->du[6] -= du[1], m->du[7] += du[0];
}
/// M += a b^T
TD_INLINE void td_dmat_add_outer(td_dmat *m, const td_dvec *a, const td_dvec *b) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      m->re[3 * i + j] += a->re[i] * b->re[j];
      m->du[3 * i + j] += a->re[i] * b->du[j] + a->du[i] * b->re[j];
    }
}
/// out = A x
TD_INLINE td_dvec td_dmat_vec(const td_dmat *a, const td_dvec *x) {
  td_dvec out;
  for (int i = 0; i < 3; i++) {
    out.re[i] = td_v3_dot(a->re + 3 * i, x->re);
    out.du[i] = td_v3_dot(a->re + 3 * i, x->du) + td_v3_dot(a->du + 3 * i, x->re);
  }
  return out;
}
/// out = A^T x: maps a wrench when A maps twists.
TD_INLINE td_dvec td_dmat_tvec(const td_dmat *a, const td_dvec *x) {
  td_dvec out;
  for (int i = 0; i < 3; i++) {
    out.re[i] = a->re[i] * x->re[0] + a->re[3 + i] * x->re[1] + a->re[6 + i] * x->re[2];
    out.du[i] = a->re[i] * x->du[0] + a->re[3 + i] * x->du[1] + a->re[6 + i] * x->du[2] + a->du[i] * x->re[0] +
                a->du[3 + i] * x->re[1] + a->du[6 + i] * x->re[2];
  }
  return out;
}
/// out = A B (out must not alias)
TD_INLINE void td_dmat_mul(const td_dmat *a, const td_dmat *b, td_dmat *out) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      const td_vec *r = a->re + 3 * i, *d = a->du + 3 * i;
      out->re[3 * i + j] = r[0] * b->re[j] + r[1] * b->re[3 + j] + r[2] * b->re[6 + j];
      out->du[3 * i + j] = r[0] * b->du[j] + r[1] * b->du[3 + j] + r[2] * b->du[6 + j] + d[0] * b->re[j] +
                           d[1] * b->re[3 + j] + d[2] * b->re[6 + j];
    }
}
/// out += A B
TD_INLINE void td_dmat_mul_add(const td_dmat *a, const td_dmat *b, td_dmat *out) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      const td_vec *r = a->re + 3 * i, *d = a->du + 3 * i;
      out->re[3 * i + j] += r[0] * b->re[j] + r[1] * b->re[3 + j] + r[2] * b->re[6 + j];
      out->du[3 * i + j] += r[0] * b->du[j] + r[1] * b->du[3 + j] + r[2] * b->du[6 + j] + d[0] * b->re[j] +
                            d[1] * b->re[3 + j] + d[2] * b->re[6 + j];
    }
}
/// out = A^T B
TD_INLINE void td_dmat_tmul(const td_dmat *a, const td_dmat *b, td_dmat *out) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      out->re[3 * i + j] = a->re[i] * b->re[j] + a->re[3 + i] * b->re[3 + j] + a->re[6 + i] * b->re[6 + j];
      out->du[3 * i + j] = a->re[i] * b->du[j] + a->re[3 + i] * b->du[3 + j] + a->re[6 + i] * b->du[6 + j] +
                           a->du[i] * b->re[j] + a->du[3 + i] * b->re[3 + j] + a->du[6 + i] * b->re[6 + j];
    }
}
/// out += x^ B: column by column the bracket [x, b].
TD_INLINE void td_dmat_bracket_add(const td_dvec *x, const td_dmat *b, td_dmat *out) {
  for (int j = 0; j < 3; j++) {
    td_vec re[3] = {b->re[j], b->re[3 + j], b->re[6 + j]}, du[3] = {b->du[j], b->du[3 + j], b->du[6 + j]};
    td_vec ore[3], odu[3];
    td_v3_cross(x->re, re, ore);
    td_v3_cross(x->re, du, odu);
    td_v3_cross_add(x->du, re, odu);
    for (int i = 0; i < 3; i++) out->re[3 * i + j] += ore[i], out->du[3 * i + j] += odu[i];
  }
}

#endif

// Natural cubic splines, profiles along a rod and Gauss-Legendre rules, as in engine/math and engine/strain/profile.c.
import type { Profile } from "./document";

/** A function of s with several columns. */
export type Curve = (s: number) => number[];

function secondDerivatives(x: number[], y: number[]): number[] {
  const n = x.length, upper = new Array<number>(n).fill(0), m = new Array<number>(n).fill(0);
  const slope = (i: number) => (y[i + 1] - y[i]) / (x[i + 1] - x[i]);
  for (let i = 1; i + 1 < n; i++) {
    const below = x[i] - x[i - 1], above = x[i + 1] - x[i], pivot = 2 * (below + above) - below * upper[i - 1];
    upper[i] = above / pivot;
    m[i] = (6 * (slope(i) - slope(i - 1)) - below * m[i - 1]) / pivot;
  }
  for (let i = n - 2; i > 0; i--) m[i] -= upper[i] * m[i + 1];
  return m;
}

/** The natural cubic spline through (x, y); its end pieces reach beyond. */
export function spline(x: number[], y: number[]): (at: number) => number {
  const m = secondDerivatives(x, y);
  return (at) => {
    let low = 0, high = x.length - 1;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (at < x[middle]) high = middle;
      else low = middle;
    }
    const h = x[low + 1] - x[low], b = (at - x[low]) / h, a = 1 - b;
    return a * y[low] + b * y[low + 1] + (((a * a * a - a) * m[low] + (b * b * b - b) * m[low + 1]) * h * h) / 6;
  };
}

/** A number, [base, tip] linear in s, or {s, value} as a spline. */
export function profile(p: Profile): (s: number) => number {
  if (typeof p === "number") return () => p;
  if (Array.isArray(p)) return p.length === 1 ? () => p[0] : (s) => (1 - s) * p[0] + s * p[1];
  return spline(p.s, p.value as number[]);
}

/** Columns of {s, value: rows}, or constant numbers. */
export function curves(p: number[] | { s: number[]; value: number[][] }): Curve {
  if (Array.isArray(p)) return () => p;
  const columns = p.value[0].map((_, c) => spline(p.s, p.value.map((row) => row[c])));
  return (s) => columns.map((f) => f(s));
}

/** Gauss-Legendre nodes on [0, 1], rising. */
export function gaussNodes(n: number): number[] {
  const nodes = new Array<number>(n);
  for (let i = 0; i < n; i++) {
    let z = Math.cos((Math.PI * (i + 0.75)) / (n + 0.5));
    for (let k = 0; k < 100; k++) {
      let p = 1, before = 0;
      for (let j = 0; j < n; j++) [p, before] = [((2 * j + 1) * z * p - j * before) / (j + 1), p];
      const step = p / ((n * (z * p - before)) / (z * z - 1));
      z -= step;
      if (Math.abs(step) < 1e-16) break;
    }
    nodes[i] = 2 * i + 1 === n ? 0.5 : (1 - z) / 2;
  }
  return nodes;
}

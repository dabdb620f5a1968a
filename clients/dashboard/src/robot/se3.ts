// Poses and the exponential of SE(3). A pose is twelve numbers in a row of a Float64Array: rotation row-major, then
// place. Twists are angular first. The same formulas as engine/lie: R = 1 + c1 w^ + c2 w^ w^, p = (1 + c2 w^ + c3 w^
// w^) v.
import type { PoseDocument, Vec3 } from "./document";

export const POSE = 12;

export function identity(): Float64Array {
  return Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0);
}

/** out[o…] = a[i…] b[j…]; out must be neither. */
export function compose(a: Float64Array, i: number, b: Float64Array, j: number, out: Float64Array, o: number): void {
  for (let r = 0; r < 3; r++) {
    const x = a[i + 3 * r], y = a[i + 3 * r + 1], z = a[i + 3 * r + 2];
    for (let c = 0; c < 3; c++) out[o + 3 * r + c] = x * b[j + c] + y * b[j + 3 + c] + z * b[j + 6 + c];
    out[o + 9 + r] = x * b[j + 9] + y * b[j + 10] + z * b[j + 11] + a[i + 9 + r];
  }
}

/** The inverse of a pose. */
export function inverse(g: Float64Array): Float64Array {
  const out = new Float64Array(POSE);
  for (let r = 0; r < 3; r++) {
    for (let c = 0; c < 3; c++) out[3 * r + c] = g[3 * c + r];
    out[9 + r] = -(g[r] * g[9] + g[3 + r] * g[10] + g[6 + r] * g[11]);
  }
  return out;
}

// c_n(s) = sum_j (-s)^j / (2j + n)!  for n = 1, 2, 3, s = angle^2
function series(s: number, n: number): number {
  let factorial = 1;
  for (let k = 2; k <= n; k++) factorial *= k;
  let term = 1 / factorial, sum = term;
  for (let j = 1; j < 16; j++) {
    term *= -s / ((2 * j + n) * (2 * j + n - 1));
    sum += term;
  }
  return sum;
}

/** out[o…] = exp(twist): twist is (w, v). */
export function exp(twist: ArrayLike<number>, out: Float64Array, o = 0): void {
  const wx = twist[0], wy = twist[1], wz = twist[2], vx = twist[3], vy = twist[4], vz = twist[5];
  const s = wx * wx + wy * wy + wz * wz, angle = Math.sqrt(s), small = s < 1;
  const c1 = small ? series(s, 1) : Math.sin(angle) / angle;
  const c2 = small ? series(s, 2) : (1 - Math.cos(angle)) / s;
  const c3 = small ? series(s, 3) : (1 - c1) / s;
  const d = 1 - c2 * s, e = 1 - c3 * s, along = c3 * (wx * vx + wy * vy + wz * vz);
  out[o] = d + c2 * wx * wx;
  out[o + 1] = c2 * wx * wy - c1 * wz;
  out[o + 2] = c2 * wx * wz + c1 * wy;
  out[o + 3] = c2 * wx * wy + c1 * wz;
  out[o + 4] = d + c2 * wy * wy;
  out[o + 5] = c2 * wy * wz - c1 * wx;
  out[o + 6] = c2 * wx * wz - c1 * wy;
  out[o + 7] = c2 * wy * wz + c1 * wx;
  out[o + 8] = d + c2 * wz * wz;
  out[o + 9] = e * vx + c2 * (wy * vz - wz * vy) + along * wx;
  out[o + 10] = e * vy + c2 * (wz * vx - wx * vz) + along * wy;
  out[o + 11] = e * vz + c2 * (wx * vy - wy * vx) + along * wz;
}

/** A `pose` of the document: R = Rz(yaw) Ry(pitch) Rx(roll), or a quaternion [w, x, y, z] of any length. */
export function poseOf(document?: PoseDocument): Float64Array {
  const g = identity();
  if (!document) return g;
  if (document.translation) g.set(document.translation, 9);
  if (document.rpy) {
    const [a, b, c] = document.rpy;
    const ca = Math.cos(a), sa = Math.sin(a), cb = Math.cos(b), sb = Math.sin(b), cc = Math.cos(c), sc = Math.sin(c);
    g.set([cc * cb, cc * sb * sa - sc * ca, cc * sb * ca + sc * sa, sc * cb, sc * sb * sa + cc * ca,
           sc * sb * ca - cc * sa, -sb, cb * sa, cb * ca]);
  } else if (document.quaternion) {
    const norm = Math.hypot(...document.quaternion);
    const [w, x, y, z] = document.quaternion.map((k) => k / norm);
    g.set([1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y), 2 * (x * y + w * z),
           1 - 2 * (x * x + z * z), 2 * (y * z - w * x), 2 * (x * z - w * y), 2 * (y * z + w * x),
           1 - 2 * (x * x + y * y)]);
  }
  return g;
}

/** The place of a pose. */
export function place(g: Float64Array, o = 0): Vec3 {
  return [g[o + 9], g[o + 10], g[o + 11]];
}

/** out = g x, a point of the frame at g[o…]. */
export function transform(g: Float64Array, o: number, x: number, y: number, z: number): Vec3 {
  return [g[o] * x + g[o + 1] * y + g[o + 2] * z + g[o + 9], g[o + 3] * x + g[o + 4] * y + g[o + 5] * z + g[o + 10],
          g[o + 6] * x + g[o + 7] * y + g[o + 8] * z + g[o + 11]];
}

const NAMED: Record<string, Vec3> = { x: [1, 0, 0], y: [0, 1, 0], z: [0, 0, 1], "-x": [-1, 0, 0], "-y": [0, -1, 0], "-z": [0, 0, -1] };

/** A unit vector from the document's `axis` (default z). */
export function axisOf(axis?: string | Vec3): Vec3 {
  const v = typeof axis === "string" ? NAMED[axis] : (axis ?? NAMED.z);
  const norm = Math.hypot(...v);
  return [v[0] / norm, v[1] / norm, v[2] / norm];
}

export function cross(a: Vec3, b: Vec3): Vec3 {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}

export function unit(v: Vec3): Vec3 {
  const norm = Math.hypot(...v) || 1;
  return [v[0] / norm, v[1] / norm, v[2] / norm];
}

/** The plane of a planar or universal joint: the other two axes in cyclic order, or what the format says of a skew axis. */
export function planeOf(axis: Vec3): [Vec3, Vec3] {
  for (let i = 0; i < 3; i++)
    if (axis[(i + 1) % 3] === 0 && axis[(i + 2) % 3] === 0) {
      const e: Vec3[] = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
      return [e[(i + 1) % 3], e[(i + 2) % 3]];
    }
  const k: Vec3 = [0, 0, 0];
  k[axis.findIndex((c) => Math.abs(c) < 0.9)] = 1;
  const e1 = unit(cross(k, axis));
  return [e1, cross(axis, e1)];
}

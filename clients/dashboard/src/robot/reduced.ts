// Reduced bodies: strain columns of those with a backbone (engine/strain/field_column.c), how their sections deform
// (engine/element/reduced/lvp.c, variable_radius.c), and the displacement of Ritz bodies. Local z is the axis;
// components are kx, ky, kz, sx, sy, sz, then 6 and 7 that act on the section alone.
import type { BodyDocument, MeshDocument, Vec3 } from "./document";
import { unit, cross } from "./se3";

export interface FieldColumn {
  component: number;
  eval: (s: number) => number; // s in [0, 1]
}

const LOCAL = 6;
const FIELDS = ["kx", "ky", "kz", "sx", "sy", "e"];

interface LvpMode {
  field: string;
  polynomial: number[];
}

const power = (component: number, scale: number, k = 0): FieldColumn => ({ component, eval: (s) => scale * s ** k });
const [KX, KY, SZ] = [0, 1, 5];

/** Columns in coordinate order; [] for Ritz bodies. */
export function reducedColumns(b: BodyDocument): FieldColumn[] {
  const L = b.length as number, stretch = power(SZ, 1 / L);
  const powers = (component: number, sign: number) =>
    Array.from({ length: (b.order ?? 0) + 1 }, (_, k) => power(component, sign * L ** (k - 1), k));
  const bell = (component: number, sign: number): FieldColumn => {
    const width = b.width ?? L;
    return { component, eval: (s) => (sign / L) * Math.exp(-((((s - 0.5) * L) / width) ** 2)) };
  };
  switch (b.kinematics!) {
    case "pcc_planar":
      return [power(KY, -1 / L)];
    case "pcc_planar_extensible":
      return [power(KY, -1 / L), stretch];
    case "pcc":
      return [power(KY, 1 / L), power(KX, -1 / L), stretch];
    case "polynomial_curvature":
      return b.planar ? [...powers(KY, -1), stretch] : [...powers(KX, -1), ...powers(KY, 1), stretch];
    case "gaussian_curvature":
      return [power(KX, -1 / L), bell(KX, -1), power(KY, 1 / L), bell(KY, 1), stretch];
    case "pcc_variable_radius":
      return [power(KX, 1 / L), stretch, power(LOCAL, 1), power(LOCAL + 1, 1)];
    case "lvp":
      return (b.modes as LvpMode[]).map(({ field, polynomial }) => {
        const component = field === "source" ? LOCAL : FIELDS.indexOf(field), scale = component < 3 ? 1 / L : 1;
        return { component, eval: (s) => scale * polynomial.reduceRight((sum, c) => sum * s + c, 0) };
      });
    case "ritz":
      return [];
  }
}

/** Gauss points along the axis. */
export function axisPoints(b: BodyDocument): number {
  return b.quadrature?.s ?? (b.kinematics === "lvp" || b.kinematics === "pcc_variable_radius" ? 6 : 10);
}

/** Radius of the undeformed body at s, m. */
export function radiusAt(b: BodyDocument, s: number): number {
  const r = b.radius ?? 0;
  return typeof r === "number" ? r : r.length === 1 ? r[0] : (1 - s) * r[0] + s * r[1];
}

// The root w of w^2 + alpha w^3 = 1 near 1.
function bendingRoot(alpha: number): number {
  let w = 1;
  for (let i = 0; i < 60; i++) {
    const step = (w * w * (1 + alpha * w) - 1) / (w * (2 + 3 * alpha * w));
    w -= step;
    if (Math.abs(step) < 1e-15) break;
  }
  return w;
}

// What the radius modes add at s and angle phi: the half it belongs to and the bump.
function bump(length: number, s: number, phi: number): [number, number] {
  const half = phi >= Math.PI ? 1 : 0, angle = phi - half * Math.PI - Math.PI / 2, x = (s - 0.5) * length;
  const along = (length * length) / 4 - x * x, around = (Math.PI * Math.PI) / 4 - angle * angle;
  return [half, along > 0 && around > 0 ? Math.exp((-1e-2 * length) / along) * Math.exp(-1 / around) : 0];
}

/** Where the particle (x, y) of section s goes in the section's plane. `strain` is [8] at s. */
export function sectionPoint(b: BodyDocument, strain: ArrayLike<number>, s: number, x: number, y: number): [number, number] {
  if (b.kinematics === "pcc_variable_radius") {
    const r = radiusAt(b, s), rho = Math.hypot(x, y), phi = Math.atan2(y, x), [half, size] = bump(b.length as number, s, phi < 0 ? phi + 2 * Math.PI : phi);
    const out = rho + size * strain[LOCAL + half] * (b.radius_law === "scale" ? rho / r : 1);
    return [out * Math.cos(phi), out * Math.sin(phi)];
  }
  if (b.kinematics !== "lvp") return [x, y];
  const scale = Math.sqrt(Math.max(0, 1 + strain[LOCAL] / (x * x + y * y || 1))) / Math.sqrt(strain[SZ]);
  const w = bendingRoot((2 / 3) * ((scale * (strain[KX] * y - strain[KY] * x)) / strain[SZ]));
  return [x * scale * w, y * scale * w];
}

/** Where the outline's particle at angle phi of section s goes. */
export function outline(b: BodyDocument, strain: ArrayLike<number>, s: number, phi: number): [number, number] {
  const r = radiusAt(b, s);
  return sectionPoint(b, strain, s, r * Math.cos(phi), r * Math.sin(phi));
}

type Term = [number, number, number, number]; // coefficient, powers of x, y, z

/** x(X) = X + sum phi_i(X) q_i of a Ritz body; q from `first` on. */
export function ritzPoint(b: BodyDocument, q: ArrayLike<number>, first: number, X: Vec3): Vec3 {
  const out: Vec3 = [...X];
  (b.modes as Term[][][]).forEach((mode, i) => {
    for (let c = 0; c < 3; c++)
      for (const [k, px, py, pz] of mode[c]) out[c] += k * X[0] ** px * X[1] ** py * X[2] ** pz * q[first + i];
  });
  return out;
}

/** The distal frame of a Ritz body by its three tip points (Pustina2025 eq. 5-7): where it stands and its axes as columns. */
export function ritzTip(b: BodyDocument, q: ArrayLike<number>, first: number, out: Float64Array): void {
  const [x0, x1, x2] = (b.tip_points as Vec3[]).map((X) => ritzPoint(b, q, first, X));
  const n1 = unit([x1[0] - x0[0], x1[1] - x0[1], x1[2] - x0[2]]);
  const d: Vec3 = [x2[0] - x0[0], x2[1] - x0[1], x2[2] - x0[2]];
  const along = d[0] * n1[0] + d[1] * n1[1] + d[2] * n1[2];
  const n2 = unit([d[0] - along * n1[0], d[1] - along * n1[1], d[2] - along * n1[2]]), n3 = cross(n1, n2);
  for (let r = 0; r < 3; r++) {
    out[3 * r] = n1[r];
    out[3 * r + 1] = n2[r];
    out[3 * r + 2] = n3[r];
    out[9 + r] = x0[r];
  }
}

// Corners counterclockwise from outside.
const TETRAHEDRON = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];
const HEXAHEDRON = [[0, 3, 2, 1], [4, 5, 6, 7], [0, 1, 5, 4], [1, 2, 6, 5], [2, 3, 7, 6], [3, 0, 4, 7]];

/** The faces of a mesh that belong to one element alone: corners as indices of points. */
export function outerFaces(mesh: MeshDocument): number[][] {
  const seen = new Map<string, number[] | null>();
  const look = (elements: number[][] | undefined, faces: number[][]) => {
    for (const element of elements ?? [])
      for (const face of faces) {
        const corners = face.map((c) => element[c]), key = [...corners].sort((a, b) => a - b).join();
        seen.set(key, seen.has(key) ? null : corners);
      }
  };
  look(mesh.tetrahedra, TETRAHEDRON);
  look(mesh.hexahedra, HEXAHEDRON);
  return [...seen.values()].filter((corners) => corners !== null);
}

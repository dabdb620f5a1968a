// Strain bases of rods: a family is a row, its functions those of engine/strain. Columns come by component (torsion,
// bending_y, bending_z, elongation, shear_y, shear_z), each by its index; the angular ones are divided by the length
// later.
import { COMPONENTS, type Basis } from "../api/kinds";
import type { BodyDocument, StrainDocument } from "./document";
import { gaussNodes, spline } from "./numeric";

type Eval = (order: number, s: number) => number[];

interface Family {
  elements?: boolean;
  count: (order: number) => number;
  points: (order: number) => number;
  eval: Eval;
}

const next = (order: number) => order + 1;
const plusThree = (order: number) => order + 3;
const bellPoints = (order: number) => Math.max(order + 4, 2 * order);
const range = (n: number) => Array.from({ length: n }, (_, i) => i);

function elementOf(n: number, s: number): [number, number] {
  const place = s * n, e = place < 0 ? 0 : place >= n ? n - 1 : Math.floor(place);
  return [e, place - e];
}

function recurrence(step: (k: number, s: number, v: number[]) => number): Eval {
  return (order, s) => {
    const v: number[] = [];
    for (let k = 0; k <= order; k++) v.push(step(k, s, v));
    return v;
  };
}

function radial(bump: (r2: number) => number): Eval {
  return (order, s) => range(order + 1).map((k) => bump((s * order - k) ** 2));
}

function lagrange(p: number): Family {
  return {
    elements: true,
    count: (order) => p * order + 1,
    points: () => p + 2,
    eval: (order, s) => {
      const [e, t] = elementOf(order, s), value = new Array<number>(p * order + 1).fill(0);
      for (let j = 0; j <= p; j++) {
        let l = 1;
        for (let i = 0; i <= p; i++) if (i !== j) l *= (p * t - i) / (j - i);
        value[e * p + j] = l;
      }
      return value;
    },
  };
}

const FAMILIES: Record<Exclude<Basis, "table">, Family> = {
  legendre: {
    count: next,
    points: plusThree,
    eval: recurrence((k, s, v) =>
      k === 0 ? 1 : k === 1 ? 2 * s - 1 : ((2 * k - 1) * (2 * s - 1) * v[k - 1] - (k - 1) * v[k - 2]) / k),
  },
  chebyshev: {
    count: next,
    points: plusThree,
    eval: recurrence((k, s, v) => (k === 0 ? 1 : k === 1 ? 2 * s - 1 : 2 * (2 * s - 1) * v[k - 1] - v[k - 2])),
  },
  monomial: { count: next, points: plusThree, eval: recurrence((k, s, v) => (k === 0 ? 1 : s * v[k - 1])) },
  fourier: {
    count: (order) => 2 * order + 1,
    points: (order) => 4 * order,
    eval: (order, s) => [1, ...range(order).flatMap((k) => [Math.cos(2 * Math.PI * (k + 1) * s), Math.sin(2 * Math.PI * (k + 1) * s)])],
  },
  gaussian: { count: next, points: bellPoints, eval: radial((r2) => Math.exp(-4 * Math.LN2 * r2)) },
  inverse_multiquadric: { count: next, points: bellPoints, eval: radial((r2) => 1 / Math.sqrt(1 + 12 * r2)) },
  linear: lagrange(1),
  quadratic: lagrange(2),
  cubic: lagrange(3),
  hermite: {
    elements: true,
    count: (order) => 2 * (order + 1),
    points: () => 5,
    eval: (order, s) => {
      const [e, t] = elementOf(order, s), value = new Array<number>(2 * (order + 1)).fill(0);
      value[2 * e] = t * t * (2 * t - 3) + 1;
      value[2 * e + 1] = t * (t - 1) * (t - 1);
      value[2 * e + 2] = t * t * (3 - 2 * t);
      value[2 * e + 3] = t * t * (t - 1);
      return value;
    },
  },
};

/** One active component of a rod's strain: which of the six, its first column in the rod, and its functions. */
export interface StrainGroup {
  component: number;
  first: number;
  count: number;
  elements: number;
  eval: (s: number) => number[];
}

/** null: the functions are those of a table. */
const familyOf = (strain: StrainDocument): Family | null => (strain.basis === "table" ? null : FAMILIES[strain.basis]);

function tableGroup(strain: StrainDocument, name: string): { count: number; eval: (s: number) => number[] } | null {
  const columns = strain[name] as number[][] | undefined;
  if (!columns) return null;
  const f = columns.map((values) => spline(strain.s as number[], values));
  return { count: f.length, eval: (s) => f.map((g) => g(s)) };
}

/** Active components in coordinate order. */
export function strainGroups(strain: StrainDocument): StrainGroup[] {
  const groups: StrainGroup[] = [];
  let first = 0;
  COMPONENTS.forEach((name, component) => {
    const family = familyOf(strain), order = strain.order?.[name];
    const found = !family ? tableGroup(strain, name)
      : order === undefined ? null : { count: family.count(order), eval: (s: number) => family.eval(order, s) };
    if (!found) return;
    groups.push({ component, first, ...found, elements: family?.elements ? (order as number) : 1 });
    first += found.count;
  });
  return groups;
}

/** Abscissas of the computational points: base, Gauss points of every piece with the boundaries between, tip. */
export function computationalPoints(body: BodyDocument, groups: StrainGroup[]): number[] {
  const strain = body.strain as StrainDocument, family = familyOf(strain);
  const edges = new Set([0, 1]);
  for (const g of groups) for (let i = 1; i < g.elements; i++) edges.add(i / g.elements);
  const s = [...edges].sort((a, b) => a - b), pieces = s.length - 1;
  const largest = Math.max(0, ...groups.map((g) => g.count));
  const order = Math.max(0, ...Object.values(strain.order ?? {}));
  const gauss = body.quadrature?.points ??
    Math.max(family ? family.points(order) : 0, Math.ceil((largest + (family?.elements ? 0 : 2)) / pieces), family?.elements ? 3 : 5);
  const rule = gaussNodes(gauss), out = [0];
  for (let p = 0; p < pieces; p++) {
    for (const x of rule) out.push(s[p] + (s[p + 1] - s[p]) * x);
    out.push(s[p + 1]);
  }
  return out;
}

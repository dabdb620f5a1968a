// A robot built from its document, and its forward kinematics: the tree of engine/model and the steps of
// engine/body/rod/strip.c.
//
// Nodes are frames; an element leads from one node to others: a constant pose, the exponential of a joint's
// coordinates, or a strip of intervals, each one 4th-order Magnus step
//   Omega = (a1 + a2)/2 + sqrt(3)/12 [a1, a2],  a_i = h xi at the Zanna points,  xi = Phi q + xi*.
// Beside the computational points a strip has side steps to the abscissas that children, loads, loops and springs hang
// from, and to those that only drawing asks for.
import type { BodyDocument, JointDocument, LinkDocument, ModelDocument, Vec3 } from "./document";
import { computationalPoints, strainGroups } from "./basis";
import { curves, gaussNodes } from "./numeric";
import { axisPoints, reducedColumns, ritzTip } from "./reduced";
import { axisOf, compose, exp, identity, planeOf, POSE, poseOf } from "./se3";

const ZANNA = Math.sqrt(3) / 6;
const MAGNUS = Math.sqrt(3) / 12;
const SAME_ABSCISSA = 1e-12;

interface Interval {
  from: number;
  to: number;
  h: number;
  phi: [Float64Array, Float64Array]; // [n] at the two Zanna points
  rest: [number[], number[]]; // [6]
}

type Element =
  | { kind: "fixed"; start: number; end: number; pre: Float64Array }
  | { kind: "joint"; start: number; end: number; pre: Float64Array; first: number; twists: number[][] }
  | { kind: "strip"; first: number; component: Int32Array; intervals: Interval[] }
  | { kind: "ritz"; start: number; end: number; first: number; body: BodyDocument };

export interface Link {
  name: string;
  document: LinkDocument;
  parent: number; // node it hangs from
  node: number; // frame after the joint
  first: number; // its first coordinate
  joint: number; // coordinates of the joint
  /** Rods and backbones: frames along the body by rising s, computational points and stations for drawing alike. */
  stations: { s: number; node: number }[];
  /** What `poses` of the API reports. */
  points: number[];
  tip: number;
}

export interface Robot {
  document: ModelDocument;
  ndof: number;
  nodes: number;
  links: Link[];
  elements: Element[];
  coordinates: string[];
  strainAt: (link: Link, q: ArrayLike<number>, s: number, out: Float64Array) => void;
}

// ---- joints

const axis6 = (w: Vec3 | null, v: Vec3 | null): number[] => [...(w ?? [0, 0, 0]), ...(v ?? [0, 0, 0])];
const E: Vec3[] = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];

/** Twists that the coordinates of a joint multiply, in its frame: the joint is exp of their sum. */
export function jointTwists(joint?: JointDocument): number[][] {
  const axis = axisOf(joint?.axis), [e1, e2] = planeOf(axis), pitch = joint?.pitch ?? 0;
  switch (joint?.type ?? "fixed") {
    case "revolute":
      return [axis6(axis, null)];
    case "prismatic":
      return [axis6(null, axis)];
    case "helical":
      return [axis6(axis, [pitch * axis[0], pitch * axis[1], pitch * axis[2]])];
    case "cylindrical":
      return [axis6(axis, null), axis6(null, axis)];
    case "universal":
      return [axis6(e1, null), axis6(e2, null)];
    case "planar":
      return [axis6(axis, null), axis6(null, e1), axis6(null, e2)];
    case "spherical":
      return E.map((e) => axis6(e, null));
    case "free":
      return [...E.map((e) => axis6(e, null)), ...E.map((e) => axis6(null, e))];
    case "fixed":
      return [];
  }
}

// ---- bodies along an axis

interface Backbone {
  n: number;
  length: number;
  component: Int32Array; // [n], 0 … 5, beyond: local to the section
  phi: (s: number) => Float64Array; // [n], angular rows already divided by the length
  rest: (s: number) => number[];
  points: number[];
  names: string[];
}

function rodBackbone(body: BodyDocument): Backbone {
  const strain = body.strain!, groups = strainGroups(strain), length = body.length!;
  const n = groups.reduce((sum, g) => sum + g.count, 0), component = new Int32Array(n);
  const names: string[] = [];
  const words = ["torsion", "bending_y", "bending_z", "elongation", "shear_y", "shear_z"];
  for (const g of groups)
    for (let i = 0; i < g.count; i++) {
      component[g.first + i] = g.component;
      names.push(`${words[g.component]}[${i}]`);
    }
  return {
    n, length, component, names,
    phi: (s) => {
      const out = new Float64Array(n);
      for (const g of groups) g.eval(s).forEach((v, i) => (out[g.first + i] = g.component < 3 ? v / length : v));
      return out;
    },
    rest: strain.reference ? curves(strain.reference) : () => [0, 0, 0, 1, 0, 0],
    points: computationalPoints(body, groups),
  };
}

function reducedBackbone(body: BodyDocument): Backbone {
  const columns = reducedColumns(body), rule = gaussNodes(axisPoints(body));
  return {
    n: columns.length,
    length: body.length!,
    component: Int32Array.from(columns, (c) => c.component),
    phi: (s) => Float64Array.from(columns, (c) => c.eval(s)),
    rest: () => [0, 0, 0, 0, 0, 1],
    points: [0, ...rule, 1],
    names: columns.map((_, i) => `q[${i}]`),
  };
}

function interval(b: Backbone, from: number, to: number, s0: number, s1: number): Interval {
  const at = (z: number) => s0 + (0.5 + (z ? 1 : -1) * ZANNA) * (s1 - s0);
  return { from, to, h: (s1 - s0) * b.length, phi: [b.phi(at(0)), b.phi(at(1))], rest: [b.rest(at(0)), b.rest(at(1))] };
}

// ---- building

class Builder {
  nodes = 1;
  ndof = 0;
  elements: Element[] = [];
  links: Link[] = [];
  coordinates: string[] = [];
  backbones = new Map<Link, Backbone>();

  constructor(readonly document: ModelDocument, readonly stations: number) {}

  nodeAt(link: string | undefined, at: number): number {
    const l = this.links.find((candidate) => candidate.name === link);
    if (!l) return 0;
    if (l.document.body?.type !== "rod") return l.tip;
    return l.stations.reduce((best, p) => (Math.abs(p.s - at) < Math.abs(best.s - at) ? p : best)).node;
  }

  // Abscissas between the computational points that something hangs from.
  abscissas(name: string): number[] {
    const m = this.document, out: number[] = [];
    const add = (link: string | undefined, at: number | undefined) => link === name && at !== undefined && out.push(at);
    for (const l of m.links) add(l.parent, l.at);
    for (const l of m.loads ?? []) add(l.link, l.at);
    for (const l of [...(m.loops ?? []), ...(m.springs ?? [])]) add(l.a.link, l.a.at), add(l.b.link, l.b.at);
    const body = m.links.find((l) => l.name === name)?.body;
    for (const a of body?.type === "reduced" && this.stations ? (m.actuators ?? []) : [])
      for (const s of a.segments ?? [a]) if (s.link === name) for (const p of s.points ?? []) out.push(Math.min(1, Math.max(0, p[2] / body!.length!)));
    for (let i = 1; i < this.stations; i++) out.push(i / this.stations);
    return out;
  }

  lay(link: Link, b: Backbone): void {
    const element: Element = { kind: "strip", first: this.ndof, component: b.component, intervals: [] };
    const first: { s: number; node: number }[] = [{ s: 0, node: link.node }];
    for (let k = 1; k < b.points.length; k++) {
      const node = this.nodes++;
      element.intervals.push(interval(b, first[k - 1].node, node, b.points[k - 1], b.points[k]));
      first.push({ s: b.points[k], node });
    }
    link.stations = [...first];
    for (const s of this.abscissas(link.name)) {
      if (link.stations.some((p) => Math.abs(p.s - s) < SAME_ABSCISSA)) continue;
      const before = first.filter((p) => p.s < s).pop() ?? first[0], node = this.nodes++;
      element.intervals.push(interval(b, before.node, node, before.s, s));
      link.stations.push({ s, node });
    }
    link.stations.sort((p, r) => p.s - r.s);
    link.tip = first[first.length - 1].node;
    link.points = link.document.body!.type === "rod" ? first.map((p) => p.node) : [link.tip];
    this.backbones.set(link, b);
    this.elements.push(element);
    b.names.forEach((name) => this.coordinates.push(`${link.name}.${name}`));
    this.ndof += b.n;
  }

  addJoint(link: Link, d: LinkDocument): void {
    const twists = jointTwists(d.joint), pre = poseOf(d.pose), { parent: start, node: end } = link;
    if (twists.length === 0) this.elements.push({ kind: "fixed", start, end, pre });
    else this.elements.push({ kind: "joint", start, end, pre, first: this.ndof, twists });
    twists.forEach((_, i) => this.coordinates.push(`${d.name}.joint[${i}]`));
    link.joint = twists.length;
    this.ndof += twists.length;
  }

  addRitz(link: Link, body: BodyDocument): void {
    const n = body.modes!.length;
    link.tip = this.nodes++;
    link.points = [link.tip];
    this.elements.push({ kind: "ritz", start: link.node, end: link.tip, first: this.ndof, body });
    for (let i = 0; i < n; i++) this.coordinates.push(`${link.name}.q[${i}]`);
    this.ndof += n;
  }

  add(d: LinkDocument): void {
    const node = this.nodes++, parent = this.nodeAt(d.parent, d.at ?? 1);
    const link: Link = { name: d.name, document: d, parent, node, first: this.ndof, joint: 0, stations: [], points: [node], tip: node };
    this.addJoint(link, d);
    this.links.push(link);
    if (d.body?.type === "rod") this.lay(link, rodBackbone(d.body));
    else if (d.body?.type === "reduced" && d.body.kinematics === "ritz") this.addRitz(link, d.body);
    else if (d.body?.type === "reduced") this.lay(link, reducedBackbone(d.body));
  }
}

/** Builds a robot. `stations` > 0 adds that many steps along every rod for drawing; poses at the engine's own points stay as they are. */
export function buildRobot(document: ModelDocument, stations = 0): Robot {
  const b = new Builder(document, stations);
  for (const link of document.links) b.add(link);
  const known = new Map<Backbone, Map<number, Float64Array>>(); // phi at stations, for drawing
  const phiAt = (backbone: Backbone, s: number): Float64Array => {
    const of = known.get(backbone) ?? known.set(backbone, new Map()).get(backbone)!;
    return of.get(s) ?? of.set(s, backbone.phi(s)).get(s)!;
  };
  return {
    document, ndof: b.ndof, nodes: b.nodes, links: b.links, elements: b.elements, coordinates: b.coordinates,
    strainAt: (link, q, s, out) => {
      const backbone = b.backbones.get(link);
      out.fill(0);
      if (!backbone) return;
      const phi = phiAt(backbone, s), first = link.first + link.joint;
      backbone.rest(s).forEach((x, c) => (out[c] = x));
      for (let c = 0; c < backbone.n; c++) out[backbone.component[c]] += phi[c] * q[first + c];
    },
  };
}

/** The frame of a link at an abscissa (a node), 0 for the world. */
export function nodeAt(robot: Robot, link: string, at = 1): number {
  const l = robot.links.find((candidate) => candidate.name === link);
  if (!l) return 0;
  if (l.document.body?.type !== "rod") return l.tip;
  return l.stations.reduce((best, p) => (Math.abs(p.s - at) < Math.abs(best.s - at) ? p : best)).node;
}

// ---- kinematics

const a1 = new Float64Array(6), a2 = new Float64Array(6), omega = new Float64Array(6);
const step = new Float64Array(POSE), start = new Float64Array(POSE);

function magnus(i: Interval, component: Int32Array, q: ArrayLike<number>, first: number): void {
  for (let c = 0; c < 6; c++) {
    a1[c] = i.h * i.rest[0][c];
    a2[c] = i.h * i.rest[1][c];
  }
  const [p, r] = i.phi;
  for (let c = 0; c < component.length; c++) {
    const row = component[c];
    if (row > 5) continue;
    const x = i.h * q[first + c];
    a1[row] += p[c] * x;
    a2[row] += r[c] * x;
  }
  for (let k = 0; k < 3; k++) {
    const l = (k + 1) % 3, m = (k + 2) % 3;
    omega[k] = 0.5 * (a1[k] + a2[k]) + MAGNUS * (a1[l] * a2[m] - a1[m] * a2[l]);
    omega[3 + k] = 0.5 * (a1[3 + k] + a2[3 + k]) +
      MAGNUS * (a1[l] * a2[3 + m] - a1[m] * a2[3 + l] + a1[3 + l] * a2[m] - a1[3 + m] * a2[l]);
  }
}

/** Poses of all nodes at q, twelve numbers each (se3.ts), into `out` when given. */
export function forward(robot: Robot, q: ArrayLike<number>, out: Float64Array = new Float64Array(POSE * robot.nodes)): Float64Array {
  out.set(identity());
  for (const e of robot.elements) {
    if (e.kind === "strip") {
      for (const i of e.intervals) {
        magnus(i, e.component, q, e.first);
        exp(omega, step);
        compose(out, POSE * i.from, step, 0, out, POSE * i.to);
      }
    } else if (e.kind === "joint") {
      omega.fill(0);
      e.twists.forEach((t, k) => t.forEach((x, c) => (omega[c] += x * q[e.first + k])));
      exp(omega, step);
      compose(out, POSE * e.start, e.pre, 0, start, 0);
      compose(start, 0, step, 0, out, POSE * e.end);
    } else if (e.kind === "ritz") {
      ritzTip(e.body, q, e.first, step);
      compose(out, POSE * e.start, step, 0, out, POSE * e.end);
    } else compose(out, POSE * e.start, e.pre, 0, out, POSE * e.end);
  }
  return out;
}

// How far sliders go: coordinates until the robot has moved by about its own size, inputs until it bends by about a
// radian. Rough on purpose; what is typed may go beyond.
import type { ActuatorDocument, BodyDocument, ModelDocument, SegmentDocument } from "./document";
import { profile } from "./numeric";
import { radiusAt } from "./reduced";
import { forward, type Link, type Robot } from "./robot";
import { place, POSE } from "./se3";
import { routingAt } from "./tendons";

export interface Reach {
  low: number;
  high: number;
  unit: string;
}

/** The next of 1, 2, 5, 10 … above x. */
export function round125(x: number): number {
  if (!(x > 0) || !Number.isFinite(x)) return 1;
  const ten = 10 ** Math.floor(Math.log10(x) + 1e-9);
  return ten * [1, 2, 5, 10].find((k) => k * ten >= x * (1 - 1e-9))!;
}

const STEP = 1e-4;

/** The extent of the robot at q = 0, m. */
export function sizeOf(robot: Robot): number {
  const poses = forward(robot, new Float64Array(robot.ndof)), low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
  for (let n = 1; n < robot.nodes; n++) place(poses, POSE * n).forEach((x, c) => ((low[c] = Math.min(low[c], x)), (high[c] = Math.max(high[c], x))));
  return Math.hypot(...[0, 1, 2].map((c) => high[c] - low[c])) || 0.1;
}

// What one unit of coordinate i does to the strain of its body at most: turning (1/m), stretching, and of the section
// itself.
function strainOf(robot: Robot, link: Link, i: number): [number, number, number] {
  const q = new Float64Array(robot.ndof), rest = new Float64Array(8), bent = new Float64Array(8), most: [number, number, number] = [0, 0, 0];
  for (const { s } of link.stations) {
    q[i] = 0;
    robot.strainAt(link, q, s, rest);
    q[i] = 1;
    robot.strainAt(link, q, s, bent);
    for (let c = 0; c < 8; c++) most[c < 3 ? 0 : c < 6 ? 1 : 2] = Math.max(most[c < 3 ? 0 : c < 6 ? 1 : 2], Math.abs(bent[c] - rest[c]));
  }
  return most;
}

// How far coordinate i may go before the body is bent by half a turn, strained by 0.3 or its sections change by half.
function strainReach(robot: Robot, link: Link, i: number): number {
  const body = link.document.body!, [turn, stretch, section] = strainOf(robot, link, i), r = body.type === "reduced" ? radiusAt(body, 0.5) : 0;
  const local = body.kinematics === "lvp" ? r * r : r;
  return Math.min(turn ? Math.PI / (turn * body.length!) : Infinity, stretch ? 0.3 / stretch : Infinity, section ? (0.5 * local) / section : Infinity);
}

// … and before the robot has moved by a part of its size, or turned by half a turn.
function frameReach(robot: Robot, i: number, rest: Float64Array, size: number): number {
  const q = new Float64Array(robot.ndof);
  q[i] = STEP;
  const poses = forward(robot, q);
  let moved = 0, turned = 0;
  for (let k = 0; k < poses.length; k++) {
    const d = Math.abs(poses[k] - rest[k]) / STEP;
    if (k % POSE < 9) turned = Math.max(turned, d);
    else moved = Math.max(moved, d);
  }
  return turned > 1e-6 ? Math.PI / turned : moved > 1e-6 ? (0.4 * size) / moved : 0.1 * size;
}

// The limit of coordinate k of a joint on one side; one number is that of all its coordinates.
function limitOf(link: Link, side: "lower" | "upper", k: number, otherwise: number): number {
  const given = link.document.joint?.limits?.[side], limit = Array.isArray(given) ? given[k] : given;
  return k < link.joint && typeof limit === "number" ? limit : otherwise;
}

/** Of all coordinates: to the limits of joints that have them, else alike on both sides. */
export function coordinateReaches(robot: Robot): Reach[] {
  const rest = forward(robot, new Float64Array(robot.ndof)), size = sizeOf(robot);
  return robot.coordinates.map((_, i) => {
    const link = [...robot.links].reverse().find((l) => l.first <= i)!, k = i - link.first;
    const strain = link.stations.length && k >= link.joint ? strainReach(robot, link, i) : Infinity;
    const far = Number.isFinite(strain) ? strain : frameReach(robot, i, rest, size);
    return { low: Math.min(0, limitOf(link, "lower", k, -far)), high: Math.max(0, limitOf(link, "upper", k, far)), unit: "" };
  });
}

// Bending stiffness over length of a soft body, N m.
function stiffness(body: BodyDocument | undefined): number {
  const young = body?.material?.young ?? body?.young, s = 0.5, given = body?.section?.EI_y ?? body?.section?.EI_z;
  if (body?.length && given !== undefined) return profile(given)(s) / body.length;
  if (!body?.length || !young) return 0;
  const round = (r: number) => (Math.PI / 4) * r ** 4;
  const c = body.section, side = (p: typeof body.radius | undefined) => (p === undefined ? 0 : profile(p)(s));
  const area2 = !c ? round(radiusAt(body, s) || (body.size?.[0] ?? 0) / 2)
    : c.shape === "rectangle" ? Math.min(side(c.height as number) * side(c.width as number) ** 3, side(c.width as number) * side(c.height as number) ** 3) / 12
      : c.shape === "circle" ? round(side(c.radius as number)) : (Math.PI / 4) * side(c.semi_y as number) * side(c.semi_z as number) ** 3;
  return (young * area2) / body.length;
}

// Distance of a tendon from the axis, m.
function offset(d: SegmentDocument): number {
  if (d.routing) return Math.max(...[0, 0.5].map((s) => Math.hypot(...routingAt(d.routing!)(s))));
  return Math.max(0, ...(d.points ?? []).map(([x, y]) => Math.hypot(x, y)));
}

function tension(robot: Robot, a: ActuatorDocument): number {
  const reach = (a.segments ?? [a as SegmentDocument]).map((d) => (2 * stiffness(linkOf(robot, d.link)?.document.body)) / offset(d));
  return Math.max(0, ...reach.filter((x) => Number.isFinite(x)));
}

// Where a tendon pulls from at most, m: that length pulled in bends a body by about a radian.
const arm = (a: ActuatorDocument): number => Math.max(...(a.segments ?? [a as SegmentDocument]).map(offset));

const linkOf = (robot: Robot, name?: string): Link | undefined => robot.links.find((l) => l.name === name);

function weightMoment(document: ModelDocument, size: number): number {
  const g = Math.hypot(...(document.gravity ?? [0, 0, -9.81])), mass = document.links.reduce((sum, l) => sum + (l.body?.mass ?? 0), 0);
  return 0.25 * mass * g * size;
}

/** Reaches of all channels, in the order of u. */
export function channelReaches(robot: Robot): Reach[] {
  const { document } = robot, size = sizeOf(robot), stiff = document.links.map((l) => stiffness(l.body)).filter((x) => x > 0).sort((a, b) => a - b);
  const soft = stiff[stiff.length >> 1] ?? 0, out: Reach[] = [];
  const both = (x: number, unit: string): Reach => ({ low: -round125(x), high: round125(x), unit });
  for (const a of document.actuators ?? []) {
    const link = linkOf(robot, a.link), body = link?.document.body;
    if (a.type === "tendon" && a.mode === "length") out.push(both(arm(a) || 0.05 * size, "m"));
    else if (a.type === "tendon") out.push({ low: 0, high: round125(tension(robot, a) || soft / (0.1 * size) || 10), unit: "N" });
    else if (a.type === "pressure") out.push({ low: 0, high: round125(0.2 * (body?.material?.young ?? body?.young ?? 1e5)), unit: "Pa" });
    else if (a.type === "field") {
      for (let i = 0; i < 3; i++) out.push(both(0.05, "T"));
      for (let i = 0; a.gradient && i < 5; i++) out.push(both(0.5, "T/m"));
    } else if (a.type === "joint")
      for (let i = 0; i < (link?.joint ?? 1); i++) {
        const straight = link?.document.joint?.type === "prismatic", moment = weightMoment(document, size) || soft || 1;
        if (a.mode === "position") out.push(straight ? both(0.25 * size, "m") : { low: -Math.PI, high: Math.PI, unit: "rad" });
        else out.push(straight ? both(moment / size, "N") : both(moment, "N m"));
      }
    else a.type satisfies never; // a new kind of actuator has a reach of its own
  }
  for (const l of document.loads ?? [])
    (l.channels ?? []).forEach((c, i) => {
      const body = linkOf(robot, l.link)?.document.body, length = (l.per_length && body?.length) || 1, own = (stiffness(body) || soft || 1) / length;
      const [moment, force] = l.per_length ? ["N", "N/m"] : ["N m", "N"];
      if (c) out.push(i < 3 ? both(own, moment) : both((2 * own) / size, force));
    });
  for (const s of document.springs ?? []) if (s.channel) out.push(both(s.rest || 0.2 * size, "m"));
  const flow = document.fluid?.velocity, speeds = Array.isArray(flow) ? flow : (flow?.velocity ?? []).flat();
  for (const c of document.fluid?.channels ?? []) if (c) out.push(both(Math.max(0, ...speeds.map(Math.abs)) || 1, "m/s"));
  return out;
}

// Where tendons run: nodes and offsets in their frames, in order along the tendon. Between stations of a rod straight
// pieces are drawn; lengths are the engine's business.
import type { ActuatorDocument, RoutingDocument, SegmentDocument } from "./document";
import { spline } from "./numeric";
import type { Link, Robot } from "./robot";
import { transform } from "./se3";
import { sectionPoint } from "./reduced";

export interface Waypoint {
  node: number;
  at: [number, number, number];
  link?: Link; // a mark on a body whose sections deform, at s
  s?: number;
}

/** Offset of a routing at s across the axis. */
export function routingAt(r: RoutingDocument): (s: number) => [number, number] {
  switch (r.type) {
    case "linear": {
      const tip = r.tip ?? r.base;
      return (s) => [(1 - s) * r.base[0] + s * tip[0], (1 - s) * r.base[1] + s * tip[1]];
    }
    case "helix":
      return (s) => {
        const angle = 2 * Math.PI * r.turns * s + (r.phase ?? 0);
        return [r.radius * Math.cos(angle), r.radius * Math.sin(angle)];
      };
    case "table": {
      const y = spline(r.s, r.y), z = spline(r.s, r.z);
      return (s) => [y(s), z(s)];
    }
    case "sum": {
      const all = r.of.map(routingAt);
      return (s) => all.map((f) => f(s)).reduce(([a, b], [c, d]) => [a + c, b + d], [0, 0]);
    }
  }
}

function segment(link: Link, d: SegmentDocument): Waypoint[] {
  const body = link.document.body;
  if (d.routing) {
    const f = routingAt(d.routing), rod = body?.type === "rod"; // a rod's axis is x, that of a reduced body z
    return link.stations.map(({ s, node }) => {
      const [a, b] = f(s);
      return { node, at: rod ? [0, a, b] : [a, b, 0] };
    });
  }
  if (body?.type !== "reduced" || !link.stations.length)
    return (d.points ?? []).map((at) => ({ node: link.node, at }));
  return (d.points ?? []).map(([x, y, z]) => {
    const s = Math.min(1, Math.max(0, z / body.length!));
    const near = link.stations.reduce((best, p) => (Math.abs(p.s - s) < Math.abs(best.s - s) ? p : best));
    return { node: near.node, at: [x, y, 0], link, s: near.s };
  });
}

/** Polylines of a tendon: one, or one per segment when they are not joined. */
export function tendonPaths(robot: Robot, a: ActuatorDocument): Waypoint[][] {
  const parts = (a.segments ?? [{ link: a.link!, routing: a.routing, points: a.points }])
    .map((s) => ({ s, link: robot.links.find((l) => l.name === s.link) }))
    .filter((p) => p.link)
    .map((p) => segment(p.link!, p.s));
  return a.joined === false ? parts : [parts.flat()];
}

const strain = new Float64Array(8);

/** Places of waypoints in the world at q, whose poses are given, into `out`, three numbers each. */
export function tracePath(robot: Robot, path: Waypoint[], q: ArrayLike<number>, poses: Float64Array, out: Float32Array | Float64Array): void {
  path.forEach(({ node, at: [x, y, z], link, s }, i) => {
    if (link) {
      robot.strainAt(link, q, s!, strain);
      [x, y] = sectionPoint(link.document.body!, strain, s!, x, y);
    }
    out.set(transform(poses, 12 * node, x, y, z), 3 * i);
  });
}

// Colours of values: a map that reads in grey and to the colour-blind (stops of viridis), and what a value is along a
// body.
import type { Link, Robot } from "../robot/robot";

export type ColourBy = "body" | "curvature" | "strain" | "tension";
export const COLOURS: ColourBy[] = ["body", "curvature", "strain", "tension"];
export const UNITS: Record<ColourBy, string> = { body: "", curvature: "1/m", strain: "", tension: "N" };

const STOPS = [[68, 1, 84], [59, 82, 139], [33, 145, 140], [94, 201, 98], [253, 231, 37]];
const ON_DARK = [[146, 92, 190], [92, 124, 196], [38, 162, 160], [94, 201, 98], [253, 231, 37]]; // its dark end is lost on a dark ground

/** Colour [r, g, b] in 0 … 1 of a share in 0 … 1; of dots and lines on a dark ground lighter ones. */
export function ramp(share: number, dark = false): [number, number, number] {
  const stops = dark ? ON_DARK : STOPS, x = Math.min(1, Math.max(0, Number.isFinite(share) ? share : 0)) * (STOPS.length - 1), i = Math.min(STOPS.length - 2, Math.floor(x));
  const mix = (c: number) => (stops[i][c] + (stops[i + 1][c] - stops[i][c]) * (x - i)) / 255;
  return [mix(0), mix(1), mix(2)];
}

/** CSS gradient of the ramp. */
export const gradient = (dark = false) => `linear-gradient(90deg, ${(dark ? ON_DARK : STOPS).map((c) => `rgb(${c.join(",")})`).join(", ")})`;

const strain = new Float64Array(8);

/** Curvature (1/m) or strain along the axis (relative) of a body at s. */
export function valueAt(robot: Robot, link: Link, q: ArrayLike<number>, s: number, by: ColourBy): number {
  robot.strainAt(link, q, s, strain);
  const z = link.document.body?.type === "reduced"; // axis z: bending is about x and y
  return by === "strain" ? strain[z ? 5 : 3] - 1 : z ? Math.hypot(strain[0], strain[1]) : Math.hypot(strain[1], strain[2]);
}

/** Smallest and largest value over robots at q. */
export function rangeOf(samples: { robot: Robot; q: ArrayLike<number> }[], by: ColourBy): [number, number] {
  let low = Infinity, high = -Infinity;
  for (const { robot, q } of samples)
    for (const link of robot.links)
      for (const { s } of link.stations) {
        const v = valueAt(robot, link, q, s, by);
        low = Math.min(low, v);
        high = Math.max(high, v);
      }
  if (by === "curvature") low = 0;
  return low < high ? [low, high] : [0, 1];
}

// What is replayed: the coordinates of a result with the model of every row, where its tips are, and the row that shows
// most of what happens.
import type { ModelDocument, Vec3 } from "../robot/document";
import { buildRobot, forward, type Link, type Robot } from "../robot/robot";
import { POSE, transform } from "../robot/se3";
import { familyOf, type Family } from "./family";
import { abscissa, rowsOf, type Rows, type Run } from "./results";
import { touchesOf, type Touches } from "./touching";
import { captionsOf, modelsOf } from "./sweep";

/** Samples of q (and u) at rising times, or of problems in their order. */
export interface Motion {
  id: string;
  documents: ModelDocument[]; // of every sample, or one of all
  t: Float64Array; // or 0, 1, 2 …
  rows: Rows;
  captions?: string[]; // of every sample
  q: Float64Array; // [samples][n]
  n: number;
  u: Float64Array | null;
  channels: number;
  touches?: Touches | null;
  grows?: boolean; // more of it is being computed
  family?: Family | null; // rows are answers of their own: what colours their tips
}

const known = new WeakMap<Run, Promise<Motion | null>>();

/** null: the result has no q to rebuild shapes from. */
export function motionOf(run: Run): Promise<Motion | null> {
  if (!known.has(run)) known.set(run, load(run));
  return known.get(run)!;
}

async function load(run: Run): Promise<Motion | null> {
  if (!run.archive.has("q")) return null;
  const q = await run.archive.array("q"), u = run.archive.has("u") ? await run.archive.array("u") : null;
  if (q.shape.length !== 2 || q.shape[0] === 0) return null;
  const motion = { id: run.id, t: await abscissa(run, q.shape[0]), rows: rowsOf(run), q: q.data, n: q.shape[1], u: u && u.shape[1] ? u.data : null, channels: u?.shape[1] ?? 0, touches: await touchesOf(run), grows: run.partial };
  if (run.summary.kind !== "sweep") return { ...motion, documents: [run.summary.model.document], family: motion.rows === "problem" ? familyOf(run.summary, motion.t.length, null, motion.u) : null };
  const child = (await run.archive.array("child")).data, models = await modelsOf(run.summary);
  return { ...motion, family: familyOf(run.summary, child.length, child, motion.u), documents: Array.from(child, (c) => models[c]), captions: captionsOf(run.summary, child) };
}

export const documentAt = (m: Motion, row: number): ModelDocument => m.documents[m.documents.length > 1 ? row : 0];

/** The link that tells most of a robot: its last soft one, or the last; and what of it is followed. */
export function tipLink({ links }: ModelDocument): { name: string; point: string } {
  const soft = [...links].reverse().find((l) => l.body?.type === "rod" || l.body?.type === "reduced"), link = soft ?? links[links.length - 1];
  return { name: link.name, point: soft ? "tip" : link.body ? "centre" : "frame" };
}

const ORIGIN: Vec3 = [0, 0, 0];
const robots = new WeakMap<ModelDocument, Robot>();

function robotOf(document: ModelDocument): Robot {
  if (!robots.has(document)) robots.set(document, buildRobot(document));
  return robots.get(document)!;
}

// At most so many rows of all, evenly.
function rowsFor(m: Motion, most: number): number[] {
  const all = m.t.length, count = Math.min(most, all);
  return Array.from({ length: count }, (_, k) => (count < 2 ? 0 : Math.round((k * (all - 1)) / (count - 1))));
}

// Tips of soft links, centres of mass of rigid ones, at a row; NaN where the row has no shape.
function placesAt(m: Motion, row: number, wanted: (links: Link[]) => Link[], poses: Map<Robot, Float64Array>): number[] {
  const robot = robotOf(documentAt(m, row)), q = m.q.subarray(row * m.n, (row + 1) * m.n), links = wanted(robot.links);
  if (q.length && !Number.isFinite(q[0])) return links.flatMap(() => [NaN, NaN, NaN]);
  const out = poses.get(robot) ?? new Float64Array(POSE * robot.nodes);
  poses.set(robot, out);
  forward(robot, q, out);
  return links.flatMap(({ tip, document: { body } }) => transform(out, POSE * tip, ...((body?.type === "rigid" && body.com) || ORIGIN)));
}

/** Where the tip of a link goes: rows, and x, y, z at each, m. */
export function tipOf(m: Motion, link: string, most: number): { rows: number[]; places: Float64Array } {
  const rows = rowsFor(m, most), poses = new Map<Robot, Float64Array>();
  const one = (links: Link[]) => [links.find((l) => l.name === link) ?? links[links.length - 1]];
  return { rows, places: Float64Array.from(rows.flatMap((row) => placesAt(m, row, one, poses))) };
}

const LOOKED_AT = 200;

/** The time (or row) at which the tips of all links are farthest from where they began. */
export function tellingTime(m: Motion): number {
  const poses = new Map<Robot, Float64Array>();
  let first: number[] | null = null, best = 0, most = 0;
  for (const row of rowsFor(m, LOOKED_AT)) {
    const at = placesAt(m, row, (links) => links, poses);
    if (at.some(Number.isNaN)) continue;
    first ??= at;
    const far = at.reduce((sum, x, i) => sum + (x - (first![i] ?? x)) ** 2, 0);
    if (far > most * 1.0001) (most = far), (best = row);
  }
  return m.t[best];
}

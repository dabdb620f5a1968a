// What a result tells beside its numbers: the load curve of a path of equilibria, and the events that plots mark.
import type { ModelDocument } from "../robot/document";
import { column, columnNames, ENERGIES, type Run } from "./results";

export interface CurvePoint {
  x: number;
  y: number;
}

export interface LoadCurve {
  x: Float64Array; // a displacement
  y: Float64Array; // the channel
  stable: boolean[];
  xName: string;
  yName: string;
  events: (CurvePoint & { kind: string })[];
}

interface Candidate {
  values: Float64Array;
  name: string;
}

function reach(values: Float64Array): number {
  let low = Infinity, high = -Infinity;
  for (const v of values) if (Number.isFinite(v)) (low = Math.min(low, v)), (high = Math.max(high, v));
  return high > low ? high - low : 0;
}

// Where the force of this channel acts along a world axis, among the points of its link that were recorded.
async function ofLoad(run: Run, channel: string): Promise<Candidate | null> {
  for (const load of (run.summary.model.document as ModelDocument & { loads?: { link: string; at?: number; frame?: string; channels?: (string | null)[] }[] }).loads ?? []) {
    const axis = (load.channels ?? []).indexOf(channel) - 3, field = `poses:${load.link}`;
    if (axis < 0 || load.frame === "body" || !run.archive.has(field)) continue;
    const array = await run.archive.array(field), size = array.shape.slice(1).reduce((a, b) => a * b, 1), count = size / 16;
    const places = run.summary.points?.[load.link] ?? [];
    let point = count - 1;
    for (let p = 0; count > 1 && p < count; p++) if (Math.abs(places[p] - (load.at ?? 1)) < Math.abs(places[point] - (load.at ?? 1))) point = p;
    const at = count > 1 ? ` at s = ${Number((places[point] ?? 1).toPrecision(3))}` : "";
    return { values: column(array, 16 * point + 4 * axis + 3), name: `${"xyz"[axis]} of ${load.link}${at} (m)` };
  }
  return null;
}

// What moves farthest: of the poses that were recorded, else of the coordinates.
async function farthest(run: Run): Promise<Candidate | null> {
  const fields = run.archive.names().filter((n) => n.startsWith("poses:"));
  let best: Candidate | null = null, most = 0;
  for (const field of fields.length ? fields : ["q"]) {
    if (!run.archive.has(field)) continue;
    const array = await run.archive.array(field);
    for (const { name, offset } of columnNames(run, field, array.shape)) {
      const values = column(array, offset), range = reach(values);
      if (range > 1.001 * most) (most = range), (best = { values, name: field === "q" ? name : `${name} of ${field.slice(6)} (m)` });
    }
  }
  return best;
}

/** Where between two rows an event at `value` lies: a limit point where a parabola through both has its top. */
export function shareOf(kind: string, value: number, before: number, behind: number): number {
  const root = kind === "limit" ? Math.sqrt : (x: number) => x, a = root(Math.abs(value - before)), b = root(Math.abs(value - behind));
  return a + b > 0 ? a / (a + b) : 0.5;
}

/** null: the result is no path of equilibria. */
export async function loadCurve(run: Run): Promise<LoadCurve | null> {
  const path = run.summary.continuation, index = path ? (run.summary.channels ?? []).indexOf(path.channel) : -1;
  if (!path || index < 0 || !run.archive.has("u") || !run.archive.has("stable")) return null;
  const moved = (await ofLoad(run, path.channel)) ?? (await farthest(run));
  if (!moved) return null;
  const y = column(await run.archive.array("u"), index), x = moved.values, kept = (await run.archive.array("stable")).data;
  const events = path.events.filter((e) => e.after >= 0 && e.after + 1 < y.length).map((e) => {
    const share = shareOf(e.kind, e.value, y[e.after], y[e.after + 1]);
    return { kind: e.kind, x: x[e.after] + share * (x[e.after + 1] - x[e.after]), y: e.value };
  });
  return { x, y, stable: Array.from(kept, (s) => s !== 0), xName: moved.name, yName: path.channel, events };
}

/** Rows cut where stability changes; a stretch of unstable ones reaches to its stable neighbours. */
export function stretches(curve: LoadCurve): { stable: boolean; points: CurvePoint[] }[] {
  const found: { stable: boolean; points: CurvePoint[] }[] = [];
  for (let i = 0; i + 1 < curve.x.length; i++) {
    const ends = [i, i + 1].map((k) => ({ x: curve.x[k], y: curve.y[k] }));
    if (ends.some((p) => !Number.isFinite(p.x + p.y))) continue;
    const stable = curve.stable[i] && curve.stable[i + 1], last = found[found.length - 1], end = last?.points[last.points.length - 1];
    if (last && last.stable === stable && end!.x === ends[0].x && end!.y === ends[0].y) last.points.push(ends[1]);
    else found.push({ stable, points: ends });
  }
  return found;
}

export interface Mark {
  x: number;
  word: string;
}

const MOST_MARKS = 64;

/** Contacts that begin (their energy leaves 0), and what the summary tells of. */
export async function marksOf(run: Run): Promise<Mark[]> {
  const marks: Mark[] = [], timed = run.archive.has("t") && run.summary.kind !== "sweep";
  for (const e of run.summary.events ?? []) {
    if (e.t !== undefined && timed) marks.push({ x: e.t, word: e.kind.replace(/_/g, " ") });
    if (e.after !== undefined && !timed) marks.push({ x: e.after + 0.5, word: e.kind });
  }
  if (!timed || !run.archive.has("energy")) return marks;
  const energy = await run.archive.array("energy"), t = (await run.archive.array("t")).data;
  const names = run.summary.energies ?? ENERGIES;
  if (energy.shape[1] !== names.length) return marks;
  const contact = column(energy, names.indexOf("contact")), apart = (t[t.length - 1] - t[0]) / 100;
  let last = -Infinity;
  for (let i = 1; i < contact.length && marks.length < MOST_MARKS; i++)
    if (contact[i] > 0 && contact[i - 1] === 0 && t[i] - last > apart) marks.push({ x: (last = t[i]), word: "contact begins" });
  return marks;
}

// Sweeps as their documents and results tell them: which values a job took, and the model that it ran with.
import { get, query as text } from "../api/client";
import type { Job, JobDocument, Summary } from "../api/types";
import type { ModelDocument } from "../robot/document";
import { number } from "./parts";

export interface Variation {
  path: string; // a JSON pointer below /job or /model
  values: unknown[];
}

/** What the document of a sweep varies. */
export const variationsOf = (job: JobDocument) => (job.vary ?? []) as Variation[];

const token = (t: string) => t.replace(/~1/g, "/").replace(/~0/g, "~");
const MOST_WORDS = 40;

/** A copy of a document with another value at a place that exists; what does not change is shared. */
export function put(document: unknown, pointer: string, value: unknown): unknown {
  const [, first, rest] = /^\/([^/]*)(.*)$/s.exec(pointer) ?? [];
  if (first === undefined) return value;
  const key = token(first), copy = (Array.isArray(document) ? [...document] : { ...(document as object) }) as Record<string, unknown>;
  copy[key] = put(copy[key], rest, value);
  return copy;
}

/** What stands at a place, undefined: nothing. */
export function valueAt(document: unknown, pointer: string): unknown {
  return pointer.split("/").slice(1).reduce<unknown>((d, t) => (d as Record<string, unknown> | undefined)?.[token(t)], document);
}

function show(value: unknown): string {
  const said = typeof value === "number" ? number(value) : typeof value === "string" ? value : JSON.stringify(value) ?? "–";
  return said.length > MOST_WORDS ? `${said.slice(0, MOST_WORDS)}…` : said;
}

// The ends of the paths tell them apart.
const nameOf = (v: Variation) => v.path.split("/").slice(2).slice(-2).map(token).join("/");

/** "body/length = 0.5, cable1/amplitude = 3". */
export function words(vary: Variation[], values: unknown[]): string {
  return vary.map((v, i) => `${nameOf(v)} = ${show(values[i])}`).join(", ");
}

/** "body/length: 0.1 to 0.5, 3 values; cable1: 1, 2": what a sweep varies. */
export function varied(vary: Variation[]): string {
  return vary.map((v) => {
    const { values } = v, counted = values.length > 2 && values.every((x) => typeof x === "number");
    const range = () => `${show(values.reduce((a, b) => Math.min(a as number, b as number)))} to ${show(values.reduce((a, b) => Math.max(a as number, b as number)))}`;
    return `${nameOf(v)}: ${counted ? `${range()}, ${values.length} values` : values.slice(0, 4).map(show).join(", ") + (values.length > 4 ? " …" : "")}`;
  }).join("; ");
}

/** An axis for the rows of a sweep: what stands along it, and the rows of each curve by rising values. */
export interface SweepAxis {
  label: string;
  curves: { name: string; x: Float64Array; rows: number[]; share: number }[]; // name: what else the rows have in common, "" where nothing is varied beside; share: its place on the scale of colours
  scale: { name: string; low: string; high: string } | null; // of the curves: the first number beside the axis
}

const MOST_GROUPS = 400;
const UNIT_OF: Record<string, string> = {
  young: "Pa", shear: "Pa", density: "kg/m³", viscosity: "Pa s", length: "m", radius: "m", height: "m", width: "m", mass: "kg",
  base_radius: "m", tip_radius: "m", thickness: "m", gravity: "m/s²", t_end: "s", h: "s",
};

// "front (N)" of the input of a tendon or a chamber, where the model tells; "".
function inputLabel(path: string, model?: ModelDocument): string {
  const name = /^\/job\/inputs\/([^/]+)$/.exec(path)?.[1], actuator = model?.actuators?.find((a) => a.name === (name && token(name)));
  const unit = actuator?.type === "tendon" && actuator.mode !== "length" ? "N" : actuator?.type === "pressure" ? "Pa" : "";
  return unit ? `${actuator!.name} (${unit})` : "";
}

export function labelOf(v: Variation, model?: ModelDocument): string {
  const input = inputLabel(v.path, model);
  if (input) return input;
  const words = v.path.split("/"), unit = UNIT_OF[[...words].reverse().find((w) => !/^\d+$/.test(w)) ?? ""];
  return unit ? `${nameOf(v)} (${unit})` : nameOf(v);
}

const isNumeric = (values: unknown[]): values is number[] => values.every((v) => typeof v === "number" && Number.isFinite(v));

/**
 * What the curves of a sweep stand over: the number that is varied; of several that go together (zip) the first that rises or
 * falls, named with the others; of all combinations the one with most values, a curve for each combination of the others. null:
 * rows are numbered, because no number tells them apart.
 */
export function axisOf(summary: Summary, child: ArrayLike<number>): SweepAxis | null {
  const vary = variationsOf(summary.job), jobs = summary.jobs ?? [], zip = summary.job.mode === "zip", of = (row: number) => jobs[child[row]]?.values ?? [], model = summary.model?.document;
  if (vary.length === 0 || child.length < 2) return null;
  const columns = vary.map((_, k) => Array.from(child, (_, row) => of(row)[k])), numeric = vary.map((_, k) => k).filter((k) => isNumeric(columns[k]));
  const different = (k: number) => new Set(columns[k] as number[]).size;
  const order = zip ? numeric : [...numeric].sort((a, b) => different(b) - different(a) || a - b);
  for (const k of order) {
    const groups = new Map<string, number[]>(), x = columns[k] as number[];
    for (let row = 0; row < child.length; row++) {
      const name = zip ? "" : words(vary.filter((_, o) => o !== k), of(row).filter((_, o) => o !== k));
      groups.set(name, [...(groups.get(name) ?? []), row]);
    }
    if (groups.size > MOST_GROUPS) return null;
    const other = zip ? undefined : numeric.find((o) => o !== k && different(o) > 1), tells = other === undefined ? null : (columns[other] as number[]);
    const low = tells?.reduce((a, b) => Math.min(a, b)) ?? 0, high = tells?.reduce((a, b) => Math.max(a, b)) ?? groups.size - 1;
    const curves = [...groups].map(([name, rows], g) => {
      rows.sort((a, b) => x[a] - x[b]);
      return { name, rows, x: Float64Array.from(rows, (row) => x[row]), share: high > low ? ((tells ? tells[rows[0]] : g) - low) / (high - low) : 0 };
    });
    const names = [...groups.keys()], scale = groups.size < 2 ? null : other === undefined ? { name: "", low: names[0], high: names[names.length - 1] } : { name: labelOf(vary[other], model), low: number(low), high: number(high) };
    const rises = curves.every((c) => c.x.length > 1 && c.x.every((v, i) => i === 0 || v > c.x[i - 1]));
    if (rises) return { label: zip ? vary.map((v, o) => (o === k ? labelOf(v, model) : "")).filter(Boolean).concat(vary.length > 1 ? `with ${vary.filter((_, o) => o !== k).map(nameOf).join(", ")}` : []).join(", ") : labelOf(vary[k], model), curves, scale };
  }
  return null;
}

/** The values that job `i` takes: every combination, the last of `vary` fastest, or value i of each. */
export function valuesOf(vary: Variation[], zip: boolean, i: number): unknown[] {
  return vary.map((v, k) => {
    const faster = vary.slice(k + 1).reduce((n, w) => n * w.values.length, 1);
    return v.values[zip ? i : Math.floor(i / faster) % v.values.length];
  });
}

// Documents of jobs do not change, and results of running sweeps are read again and again.
const models = new Map<string, Promise<unknown>>();

function modelOf(job: string): Promise<unknown> {
  const found = models.get(job) ?? get<{ model: unknown }>(`/v1/jobs/${job}/document`).then((d) => d.model);
  models.set(job, found);
  found.catch(() => models.delete(job));
  return found;
}

/** The model of every job of a sweep: the result has that of one of them, every varied place of which is set anew. */
export async function modelsOf(summary: Summary): Promise<ModelDocument[]> {
  const vary = variationsOf(summary.job), known = new Map<string, Promise<unknown> | unknown>();
  const make = (id: string, values: unknown[]) => {
    const whole = vary.findIndex((v) => v.path === "/job/model");
    if (whole >= 0 && typeof values[whole] === "string") return modelOf(id);
    if (whole >= 0) return values[whole];
    return vary.reduce<unknown>((d, v, k) => (v.path.startsWith("/model/") ? put(d, v.path.slice("/model".length), values[k]) : d), summary.model.document);
  };
  return Promise.all((summary.jobs ?? []).map((job) => {
    const key = JSON.stringify(vary.map((v, k) => (/^\/model\/|^\/job\/model$/.test(v.path) ? job.values[k] : null)));
    if (!known.has(key)) known.set(key, make(job.id, job.values));
    return known.get(key) as Promise<ModelDocument>;
  }));
}

/** What is said of every row of a sweep's result: the values of its job, and why there is nothing. */
export function captionsOf(summary: Summary, child: ArrayLike<number>): string[] {
  const vary = variationsOf(summary.job), jobs = summary.jobs ?? [], several = child.length !== jobs.length;
  return Array.from(child, (c, row) => {
    const { values, state } = jobs[c];
    return `problem ${row}${several ? ` of job ${c}` : ""}: ${words(vary, values)}${state === "succeeded" ? "" : ` (${state})`}`;
  });
}

/**
 * What to say of the jobs of a sweep in a list, by one or two requests for all of them. `rank` is the place in the list, newest
 * first; it tells the place in the sweep when the list is `whole` from its beginning and no job was taken over from an earlier
 * sweep. Otherwise the result knows which job is which, once there is one.
 */
export async function namesOf(sweep: string, whole: boolean, signal?: AbortSignal): Promise<(id: string, rank: number) => string> {
  const job = await get<Job>(`/v1/jobs/${sweep}`, signal);
  const counts = Object.values(job.jobs ?? {}), total = counts.reduce((a, b) => a + b, 0), started = (job.jobs?.succeeded ?? 0) > 0;
  if (started && (!whole || job.retry_of)) {
    const { summary } = await get<{ summary: Summary }>(`/v1/jobs/${sweep}/result${text({ partial: 1, fields: "child" })}`, signal);
    const vary = variationsOf(summary.job), names = new Map((summary.jobs ?? []).map((j, i) => [j.id, `${i}: ${words(vary, j.values)}`]));
    return (id) => names.get(id) ?? "";
  }
  if (!whole) return () => "";
  const { job: document } = await get<{ job: JobDocument }>(`/v1/jobs/${sweep}/document`, signal), vary = variationsOf(document);
  return (_, rank) => `${total - 1 - rank}: ${words(vary, valuesOf(vary, document.mode === "zip", total - 1 - rank))}`;
}

/** What a job has at the places that its sweep varies. */
export async function variedIn(job: string, sweep: string, signal?: AbortSignal): Promise<string> {
  const [own, of] = await Promise.all([job, sweep].map((id) => get<{ job: JobDocument; model: unknown }>(`/v1/jobs/${id}/document`, signal)));
  const vary = variationsOf(of.job);
  return words(vary, vary.map((v) => valueAt(own, v.path)));
}

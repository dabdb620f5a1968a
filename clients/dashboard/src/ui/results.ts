// Results of jobs as pages use them: an archive that is opened when there is something, again while the job runs, and
// the columns of its members with their names.
import { useEffect, useState } from "preact/hooks";
import { Problem } from "../api/client";
import { Archive, type NpzArray, type Tell } from "../api/npz";
import { ended, type Job, type JobEvent, type Summary } from "../api/types";
import type { ModelDocument } from "../robot/document";
import { problemOf, toSay, useTokenTurn } from "./hooks";
import { put } from "./sweep";

export interface Run {
  id: string;
  archive: Archive;
  summary: Summary;
  partial: boolean;
}

const LIVE_MS = 2500;

/** What a job's model is called. One that was given with the job, or that a sweep made, has the name in its own document. */
export function modelName(job: { model: Pick<Job["model"], "name" | "revision"> }): string {
  const { name, revision } = job.model;
  return !name ? "given with the job" : revision ? `${name}@${revision}` : `${name} (own copy)`;
}

// A design is shown as the robot that it chose.
function asChosen(summary: Summary): Summary {
  const chosen = summary.design?.parameters.filter((p) => p.path.startsWith("/model/")) ?? [];
  const document = chosen.reduce<unknown>((d, p) => put(d, p.path.slice("/model".length), p.value), summary.model.document) as ModelDocument;
  return { ...summary, model: { ...summary.model, document } };
}

export async function openRun(id: string, state: Job["state"], signal?: AbortSignal, tell?: Tell): Promise<Run> {
  const partial = state !== "succeeded";
  const archive = await Archive.open(`/v1/jobs/${id}/result${partial ? "?partial=1" : ""}`, signal, tell);
  return { id, archive, summary: asChosen(await archive.summary<Summary>()), partial };
}

/** Of an archive that is whole, wherever it came from. */
export async function runOf(id: string, archive: Archive): Promise<Run> {
  return { id, archive, summary: asChosen(await archive.summary<Summary>()), partial: false };
}

/** What the events of a job say of the rows that are kept of it. */
export interface Kept {
  seen: number; // the last event
  rows: boolean; // an event told of some
  gaps: boolean; // the server no longer has all events
  over: boolean; // no more will come
}

export const NOTHING_KEPT: Kept = { seen: 0, rows: false, gaps: false, over: false };

export function keptAfter(k: Kept, e: JobEvent): Kept {
  return { seen: e.seq, rows: k.rows || e.event === "samples", gaps: k.gaps || e.seq > k.seen + 1, over: k.over || (e.event === "state" && ended(e.state!)) };
}

/** Whether there is something to ask for: a result, or of a job that has none (yet) the rows that its fields and its events tell of. */
export function hasRows(job: Job, kept: Kept): boolean {
  if (job.state === "succeeded") return true;
  if (job.kind === "sweep") return (job.jobs?.succeeded ?? 0) > 0;
  if (job.started_at === null || (ended(job.state) && !kept.over)) return false;
  return kept.rows || kept.gaps;
}

/** Bytes that have come, of how many; 0: nobody said. */
export interface Loading {
  done: number;
  total: number;
}

const WORTH_TELLING = 5e5, TELL_MS = 200; // bytes

interface Shown {
  run: Run | null;
  problem: Problem | null;
  waiting: boolean; // nothing is kept yet
  loading: Loading | null; // much of it is on its way, the first time
}

/** The result of a job, growing while it runs. */
export function useRun(job: Job | null, kept: Kept): Shown {
  const [state, set] = useState<Shown>({ run: null, problem: null, waiting: false, loading: null });
  const entered = useTokenTurn(), ask = job !== null && hasRows(job, kept);
  useEffect(() => {
    if (!job || job.state === "queued") return;
    if (!ask) return set((s) => ({ ...s, waiting: job.state === "running" && !s.run }));
    const stop = new AbortController();
    let timer = 0;
    const load = async () => {
      let again = job.state === "running", told = performance.now();
      const began = told;
      set((s) => ({ ...s, waiting: false }));
      const tell: Tell = (done, total) => {
        if (done < WORTH_TELLING || performance.now() - told < TELL_MS) return;
        told = performance.now();
        set((s) => ({ ...s, loading: s.run ? null : { done, total } }));
      };
      try {
        const run = await openRun(job.id, job.state, stop.signal, tell);
        if (!stop.signal.aborted) set({ run, problem: null, waiting: false, loading: null });
      } catch (error) {
        if (stop.signal.aborted) return;
        const problem = problemOf(error), waiting = problem.code === "not_ready", never = problem.code === "failed_precondition";
        again ||= problem.code === "unreachable" || problem.status >= 500;
        set((s) => ({ run: s.run, problem: waiting || never ? null : toSay(problem), waiting: waiting && !s.run, loading: null }));
      }
      if (again) timer = window.setTimeout(load, LIVE_MS + 3 * (performance.now() - began)); // large ones more rarely
    };
    void load();
    return () => (stop.abort(), clearTimeout(timer));
  }, [job?.id, job?.state, ask, entered]);
  return state;
}

export interface Column {
  name: string;
  values: Float64Array;
}

export const ENERGIES = ["kinetic", "elastic", "gravitational", "contact"]; // of results whose summary does not name them
const STRAINS = ["torsion", "bending y", "bending z", "elongation", "shear y", "shear z"];
const AXES = ["x", "y", "z"];
export const TOUCHES: Record<string, string[]> = { contacts: ["depth", "normal force", "slip"], contact_force: AXES };

/** Names of the trailing entries of a member, by the document's words where there are some. */
function namesOf(run: Run, field: string, shape: number[]): string[] | null {
  const s = run.summary, width = shape[1];
  const tendons = (s.model.document.actuators ?? []).filter((a) => a.type === "tendon").map((a) => a.name);
  const lists: Record<string, string[] | undefined> = {
    q: s.coordinates, qd: s.coordinates, u: s.channels, lambda: s.multipliers, energy: s.energies ?? ENERGIES,
    tendons, tensions: tendons,
  };
  const list = lists[field];
  return shape.length === 2 && list?.length === width ? list : null;
}

/** Which entries of a sample a member's columns are: places only for poses. */
export function columnNames(run: Run, field: string, shape: number[]): { name: string; offset: number }[] {
  if (shape.length === 1) return [{ name: field, offset: 0 }];
  const size = shape.slice(1).reduce((a, b) => a * b, 1);
  if (field.startsWith("poses:")) {
    const points = size / 16, s = run.summary.points?.[field.slice(6)];
    return Array.from({ length: 3 * points }, (_, i) => {
      const p = points - 1 - Math.floor(i / 3), axis = i % 3; // the tip first
      const at = points > 1 ? ` at ${s ? Number(s[p].toPrecision(3)) : p}` : "";
      return { name: `${AXES[axis]}${at}`, offset: 16 * p + 4 * axis + 3 };
    });
  }
  const names = namesOf(run, field, shape);
  return Array.from({ length: size }, (_, i) => {
    if (names) return { name: names[i], offset: i };
    if (TOUCHES[field] && size % 3 === 0) return { name: `${run.summary.contacts?.[Math.floor(i / 3)] ?? Math.floor(i / 3)} ${TOUCHES[field][i % 3]}`, offset: i };
    if (field.startsWith("strain:") && size % 6 === 0) return { name: `${STRAINS[i % 6]} at point ${Math.floor(i / 6)}`, offset: i };
    return { name: `[${i}]`, offset: i };
  });
}

export function column(array: NpzArray, offset: number): Float64Array {
  const n = array.shape[0], size = n ? array.data.length / n : 0, out = new Float64Array(n);
  for (let i = 0; i < n; i++) out[i] = array.data[i * size + offset];
  return out;
}

/** What the rows of a result are: samples over time, or problems that are counted: of statics, of the jobs of a sweep. */
export type Rows = "time" | "problem";

export function rowsOf(run: Run): Rows {
  return run.archive.has("t") && run.summary.kind !== "sweep" ? "time" : "problem";
}

/** Times of the samples, or 0, 1, 2 … for results that are not over time. */
export async function abscissa(run: Run, rows: number): Promise<Float64Array> {
  if (rowsOf(run) === "time") return (await run.archive.array("t")).data;
  return Float64Array.from({ length: rows }, (_, i) => i);
}

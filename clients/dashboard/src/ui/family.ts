// Rows that are answers of their own (the jobs of a sweep, problems of statics): the number that tells them apart by colour.
import type { Summary } from "../api/types";
import { number } from "./parts";
import { labelOf, variationsOf } from "./sweep";

export interface Family {
  name: string;
  values: Float64Array; // of every row
  low: number;
  high: number;
  beside?: string; // what else tells rows of one colour apart
}

export const FEWEST = 12; // rows of a workspace that is shown unasked

export function family(name: string, values: Float64Array): Family | null {
  let low = Infinity, high = -Infinity;
  for (const v of values) if (Number.isFinite(v)) (low = Math.min(low, v)), (high = Math.max(high, v));
  return high > low ? { name, values, low, high } : null;
}

export const shareIn = (f: Family, row: number): number => (f.values[row] - f.low) / (f.high - f.low);

/** Of numbers that vary the one that curves stand over: that with most values, the first of those with as many. */
export function alongOf(columns: number[][]): number {
  const own = columns.map((c) => new Set(c).size);
  return own.reduce((best, n, k) => (n > own[best] ? k : best), 0);
}

const isNumeric = (values: unknown[]): values is number[] => values.every((v) => typeof v === "number" && Number.isFinite(v));

function ofSweep(summary: Summary, child: ArrayLike<number>): Family | null {
  const vary = variationsOf(summary.job), jobs = summary.jobs ?? [], zip = summary.job.mode === "zip";
  const all = vary.map((v, k) => ({ name: labelOf(v, summary.model?.document), values: Array.from(child, (c) => jobs[c]?.values[k]) }));
  const numeric = all.filter((a): a is { name: string; values: number[] } => isNumeric(a.values) && a.values.some((v) => v !== a.values[0])), along = numeric.length > 1 && !zip ? alongOf(numeric.map((n) => n.values)) : -1;
  for (const [k, one] of numeric.entries()) {
    const made = k === along ? null : family(one.name, Float64Array.from(one.values));
    const rest = zip ? [] : numeric.filter((_, j) => j !== k);
    if (made) return { ...made, beside: rest.map((r) => `${r.name}: ${number(Math.min(...r.values))} to ${number(Math.max(...r.values))}`).join(", ") };
  }
  return family("job", Float64Array.from(child));
}

// Where one input alone changes, and one way, rows are a course.
function ofStatics(rows: number, u: Float64Array | null, channels: string[]): Family | null {
  const n = channels.length, column = (k: number) => Float64Array.from({ length: rows }, (_, i) => u![i * n + k]);
  const changing = u ? channels.map((name, k) => ({ name, values: column(k) })).filter(({ values }) => values.some((v) => v !== values[0])) : [];
  const way = (v: Float64Array) => v.every((x, i) => i === 0 || (x - v[i - 1]) * (v[rows - 1] - v[0]) > 0);
  if (changing.length === 0 || (changing.length === 1 && way(changing[0].values))) return null;
  const second = changing[Math.min(1, changing.length - 1)];
  return family(second.name, second.values);
}

/** null: rows follow one another (a path, one input that rises), or are few. Jobs of a sweep never do. */
export function familyOf(summary: Summary, rows: number, child: ArrayLike<number> | null, u: Float64Array | null): Family | null {
  if (rows < (child ? 2 : FEWEST) || summary.continuation) return null;
  return child ? ofSweep(summary, child) : ofStatics(rows, u, summary.channels ?? []);
}

// What a search for parameters leaves, as curves: the way of its cost and of its parameters, what was measured beside
// what the best parameters give.
import type { Chosen, Found } from "../api/types";
import type { Series } from "./plot";
import { column, columnNames, type Run } from "./results";

/** What a parameter is called where there is little room: its name, or the end of its path. */
export const shortName = (p: { name: string; path: string }) => (p.name === p.path ? p.path.split("/").slice(-2).join("/") : p.name);

interface Experiment {
  data: { field: string; select?: number[][] }[];
}

// "x" of entry [0, 3] of a pose, "[2]" of others.
function entryNames(run: Run, experiment: number, record: number, shape: number[]): { name: string; offset: number }[] {
  const { field, select } = (run.summary.job.of as Experiment[] | undefined)?.[experiment]?.data[record] ?? { field: "" };
  const named = columnNames(run, field.startsWith("poses:") ? "" : field, shape);
  if (!select || select.length !== named.length) return named;
  const one = (at: number[]) => (field.startsWith("poses:") && at[at.length - 1] === 3 && at.length === 2 ? "xyz"[at[0]] ?? `[${at}]` : `[${at}]`);
  return named.map(({ offset }, i) => ({ name: one(select[i]), offset }));
}

// Rows of each start, in the order of its iterations.
function rowsOfStarts(start: ArrayLike<number>): Map<number, number[]> {
  const rows = new Map<number, number[]>();
  for (let i = 0; i < start.length; i++) rows.set(start[i], [...(rows.get(start[i]) ?? []), i]);
  return rows;
}

const counted = (n: number) => Float64Array.from({ length: n }, (_, i) => i);

/** log10 of the cost over the iterations of every start. */
export async function costCurves(run: Run): Promise<Series[]> {
  const cost = (await run.archive.array("cost")).data, rows = rowsOfStarts((await run.archive.array("start")).data);
  return [...rows].map(([start, list]) => ({
    label: rows.size > 1 ? `start ${start}` : "cost", x: counted(list.length), y: Float64Array.from(list, (i) => Math.log10(cost[i])),
  }));
}

/** Every parameter over the iterations that led to the answer, as a part of what it ended at. */
export async function parameterCurves(run: Run, found: Found): Promise<Series[]> {
  const all = await run.archive.array("parameters"), rows = rowsOfStarts((await run.archive.array("start")).data).get(found.start) ?? [];
  return found.parameters.map((p, k) => {
    const values = column(all, k);
    return { label: shortName(p), x: counted(rows.length), y: Float64Array.from(rows, (i) => (p.value ? values[i] / p.value : values[i])) };
  });
}

/** One record: what was measured as dots, what the best parameters give as lines, dotted as the search began; at most six quantities. */
export async function recordCurves(run: Run, experiment: number, record: number): Promise<Series[]> {
  const [t, measured, fitted, first] = await Promise.all(["t", "measured", "fitted", "first"].map(async (what) => {
    const name = `${what}:${experiment}:${record}`;
    return run.archive.has(name) ? run.archive.array(name) : null;
  }));
  if (!measured || !fitted) return [];
  const x = t ? t.data : counted(measured.shape[0]);
  return entryNames(run, experiment, record, measured.shape).slice(0, 6).flatMap(({ name, offset }, hue) => [
    { label: `${name} measured`, x, y: column(measured, offset), hue, dots: true },
    { label: `${name} fitted`, x, y: column(fitted, offset), hue, dots: false },
    ...(first ? [{ label: `${name} at first`, x, y: column(first, offset), hue, dots: false, run: 2 }] : []),
  ]);
}

/** A square matrix by rows. */
export async function matrixOf(run: Run, name: string): Promise<number[][]> {
  if (!run.archive.has(name)) return [];
  const { data, shape } = await run.archive.array(name), n = shape[0];
  return Array.from({ length: n }, (_, i) => Array.from(data.subarray(i * n, (i + 1) * n)));
}

/** The start value of every parameter: the first row of the start that won. */
export async function startValues(run: Run, found: Found): Promise<number[]> {
  const all = await run.archive.array("parameters"), first = rowsOfStarts((await run.archive.array("start")).data).get(found.start)?.[0] ?? 0;
  return found.parameters.map((_, k) => column(all, k)[first]);
}

const MET = 1e-6; // of the size of a constraint: what a search takes as met

/** Every number over the evaluations of a design, as a part of what it ended at, and what these numbers were worth. */
export async function chosenCurves(run: Run, chosen: Chosen): Promise<{ objective: Series[]; parameters: Series[]; first: number[] }> {
  const [all, objective, violation] = await Promise.all(["parameters", "objective", "violation"].map((name) => run.archive.array(name)));
  const x = counted(all.shape[0]), within = Float64Array.from(objective.data, (v, i) => (violation.data[i] > MET ? NaN : v));
  const worth: Series[] = [{ label: "all evaluations", x, y: objective.data }];
  if (violation.data.some((v) => v > MET)) worth.push({ label: "within the constraints", x, y: within, dots: true });
  return {
    objective: worth,
    parameters: chosen.parameters.map((p, k) => ({ label: shortName(p), x, y: column(all, k).map((v) => (p.value ? v / p.value : v)) })),
    first: chosen.parameters.map((_, k) => column(all, k)[0]),
  };
}

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

// Several powers of ten are told by these.
function spreads(values: Float64Array): boolean {
  const there = values.filter(Number.isFinite), least = there.reduce((a, b) => Math.min(a, b), Infinity);
  return least > 0 && there.reduce((a, b) => Math.max(a, b), 0) > 5 * least;
}

const counted = (n: number) => Float64Array.from({ length: n }, (_, i) => i);

/** log10 of the cost over the iterations of every start. */
export async function costCurves(run: Run): Promise<Series[]> {
  const cost = (await run.archive.array("cost")).data, rows = rowsOfStarts((await run.archive.array("start")).data);
  return [...rows].map(([start, list]) => ({
    label: rows.size > 1 ? `start ${start}` : "cost", x: counted(list.length), y: Float64Array.from(list, (i) => Math.log10(cost[i])),
  }));
}

/** Every parameter over the iterations that led to the answer, as a part of what it ended at: by powers of ten where it went through several. */
export async function parameterCurves(run: Run, found: Found): Promise<{ series: Series[]; isLogarithmic: boolean }> {
  const all = await run.archive.array("parameters"), rows = rowsOfStarts((await run.archive.array("start")).data).get(found.start) ?? [];
  const series = found.parameters.map((p, k) => {
    const values = column(all, k);
    return { label: shortName(p), x: counted(rows.length), y: Float64Array.from(rows, (i) => (p.value ? values[i] / p.value : values[i])) };
  });
  const isLogarithmic = series.every((s) => s.y.every((v) => v > 0)) && series.some((s) => spreads(s.y));
  return { series: isLogarithmic ? series.map((s) => ({ ...s, y: s.y.map(Math.log10) })) : series, isLogarithmic };
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

/** Slopes by the numbers of each array of three or more, whose units are alike: where it begins among all, and its curve. */
export function slopesOfArrays(names: { name: string; path: string }[], slopes: Float64Array): (Series & { first: number })[] {
  const arrayOf = (path: string) => /^(.*)\/\d+$/.exec(path)?.[1], found: (Series & { first: number })[] = [];
  for (let first = 0, end; first < names.length; first = end) {
    const array = arrayOf(names[first].path);
    for (end = first + 1; array !== undefined && end < names.length && arrayOf(names[end].path) === array; ) end++;
    if (array === undefined || end - first <= 2) continue;
    const label = names[first].name.startsWith("/") ? array.split("/").slice(-2).join("/") : names[first].name.replace(/\[\d+\]$/, "");
    found.push({ label, first, x: counted(end - first), y: slopes.slice(first, end) });
  }
  return found;
}

const MET = 1e-6; // of the size of a constraint: what a search takes as met

interface Ways {
  objective: Series[];
  isLogarithmic: boolean;
  parameters: Series[];
  measure: string; // of the parameters
  first: number[];
}

/** Every number over the evaluations of a design, and what these numbers were worth. Numbers that keep their sign are told as a part
    of what they ended at, others, which may be as good as 0, by the largest that they were. */
export async function chosenCurves(run: Run, chosen: Chosen): Promise<Ways> {
  const [all, objective, violation] = await Promise.all(["parameters", "objective", "violation"].map((name) => run.archive.array(name)));
  const isLogarithmic = spreads(objective.data), worths = isLogarithmic ? objective.data.map(Math.log10) : objective.data;
  const ways = chosen.parameters.map((_, k) => column(all, k)), keepSign = chosen.parameters.every((p, k) => ways[k].every((v) => v * p.value > 0));
  const sizes = ways.map((way, k) => (keepSign ? chosen.parameters[k].value : way.reduce((most, v) => Math.max(most, Math.abs(v)), 0)) || 1);
  const x = counted(all.shape[0]), within = Float64Array.from(objective.data, (_, i) => (violation.data[i] > MET ? NaN : worths[i]));
  const worth: Series[] = [{ label: "all evaluations", x, y: worths }];
  if (violation.data.some((v) => v > MET)) worth.push({ label: "within the constraints", x, y: within, dots: true });
  return {
    objective: worth,
    isLogarithmic,
    parameters: chosen.parameters.map((p, k) => ({ label: shortName(p), x, y: ways[k].map((v) => v / sizes[k]) })),
    measure: keepSign ? "part of the final value" : "part of the largest value",
    first: chosen.parameters.map((_, k) => column(all, k)[0]),
  };
}

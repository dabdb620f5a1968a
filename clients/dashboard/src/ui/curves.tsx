// Curves of members of a result, of one run or several on top of each other: charts above each other with one cursor, one
// zoom, and a line where the replay is.
import { lazy, Suspense } from "preact/compat";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Clock } from "./clock";
import { gradient, ramp } from "../scene/colour";
import { fieldsOf, labelOf, memberOf, mostTelling, tableOf, telling, usualFields } from "./fields";
import { useLoaded, useTheme } from "./hooks";
import { bytes, ProblemBox } from "./parts";
import { LoadCurvePlot } from "./loadcurve";
import { loadCurve, marksOf, type Mark } from "./path";
import type { Series, Stack } from "./plot";
import { rowsOf, type Run } from "./results";
import { axisOf, type SweepAxis } from "./sweep";

const plotting = () => import("./plot");
const Plot = lazy(plotting);
const MOST = 40, MOST_LINES = 400; // curves of one chart, and where they have a scale of colours
const DASHES = 4; // as many kinds of line as plots have
const HEIGHTS = [420, 270, 205]; // of one chart, of each of two, of each of more, px

interface Shown {
  series: Series[];
  axis: SweepAxis | null; // of the first run
  names: string[];
  active: string[];
  size: number; // of all that the field has, shown or not
}

async function sweepAxis(run: Run): Promise<SweepAxis | null> {
  return run.summary.kind === "sweep" && run.archive.has("child") ? axisOf(run.summary, (await run.archive.array("child")).data) : null;
}

/** Curves are so many that a scale of colours tells them apart, and no list of names. */
const manyLines = (axis: SweepAxis | null) => (axis?.curves.length ?? 0) > DASHES;

async function load(runs: Run[], field: string, chosen: string[] | null, dark: boolean): Promise<Shown> {
  const series: Series[] = [], axes = await Promise.all(runs.map(sweepAxis)), over = axes.every((a) => a !== null && a.label === axes[0]?.label);
  let names: string[] = [], active: string[] | null = chosen, size = 0;
  for (const [r, run] of runs.entries()) {
    const table = await tableOf(run, field);
    if (!table) continue;
    if (!names.length) names = table.names;
    active ??= (over && manyLines(axes[r]) ? mostTelling(table, field) : telling(table, field)).map((c) => table.names[c]);
    size = Math.max(size, table.size);
    const whole = { name: "", x: table.x, rows: null, share: 0 }, groups = over && table.rows === null && axes[r]!.curves.every((c) => c.rows.every((row) => row < table.x.length)) ? axes[r]!.curves : [whole];
    for (const c of table.names.map((_, c) => c).filter((c) => active!.includes(table.names[c])).slice(0, MOST)) {
      const values = table.values(c);
      for (const [g, { name, x, rows }] of groups.entries())
        series.push({
          label: [table.names[c], name, runs.length > 1 ? run.id.slice(-4) : ""].filter(Boolean).join(" · "), x, y: rows ? Float64Array.from(rows, (row) => values[row]) : values,
          run: r, hue: active!.indexOf(table.names[c]), group: groups.length > DASHES ? active!.indexOf(table.names[c]) : g,
          ...(groups.length > DASHES && { colour: `rgb(${ramp(groups[g].share, dark).map((v) => Math.round(255 * v)).join(",")})` }),
        });
    }
  }
  return { series: series.slice(0, manyLines(axes[0]) ? MOST_LINES : MOST), axis: over ? axes[0] : null, names, active: active ?? [], size };
}

/** The row whose value on the axis is nearest. */
function nearest(axis: SweepAxis, x: number): number {
  let best = 0, least = Infinity;
  for (const c of axis.curves) c.x.forEach((v, i) => { if (Math.abs(v - x) < least) (least = Math.abs(v - x)), (best = c.rows[i]); });
  return best;
}

function placeOf(axis: SweepAxis, row: number): number | null {
  for (const c of axis.curves) { const i = c.rows.indexOf(row); if (i >= 0) return c.x[i]; }
  return null;
}

// Where a scale of colours tells the lines of a grid apart, x, y and z of the tip have a chart each; what was varied has none.
async function usualCharts(run: Run): Promise<{ field: string; first?: string[] }[]> {
  const usual = await usualFields(run), tip = usual[0];
  if (!manyLines(await sweepAxis(run)) || !/^(tip|poses):/.test(tip ?? "")) return usual.map((field) => ({ field }));
  const table = await tableOf(run, tip);
  return table ? telling(table, tip).map((c) => ({ field: tip, first: [table.names[c]] })) : [{ field: tip }];
}

interface ChartProps {
  runs: Run[];
  fields: string[];
  field: string;
  first?: string[]; // curves that are shown before others are chosen
  set: (field: string) => void;
  remove?: () => void;
  stack: Stack;
  last: boolean;
  height: number;
  marks: Mark[];
  path: boolean;
  clock?: Clock;
  onPick?: (t: number) => void;
}

function Chart({ runs, fields, field, first, set, remove, stack, last, height, marks, path, clock, onPick }: ChartProps) {
  const rows = rowsOf(runs[0]), dark = useTheme() === "dark";
  const [chosen, setChosen] = useState<string[] | null>(first ?? null), opened = useRef(field);
  useEffect(() => { if (opened.current !== field) (opened.current = field), setChosen(null); }, [field]);
  const shown = useLoaded(() => load(runs, field, chosen, dark), [runs, field, chosen?.join("|"), dark]);
  const [kept, setKept] = useState<Shown | null>(null);
  useEffect(() => { if (shown.value) setKept(shown.value); }, [shown.value]);
  const view = shown.value ?? kept, axis = view?.axis ?? null, active = chosen ?? view?.active ?? [];
  const pick = onPick && ((x: number) => onPick(axis ? nearest(axis, x) : x));
  const place = useMemo(() => (axis ? (row: number) => placeOf(axis, Math.round(row)) : undefined), [axis]);
  return (
    <div class={last ? "chart last" : "chart"} data-field={field}>
      <div class="filters">
        <select name="field" aria-label="field" value={field} onChange={(e) => set((e.target as HTMLSelectElement).value)}>
          {fields.map((f) => <option key={f} value={f}>{f.startsWith("tip:") ? labelOf(f) : `${f} (${bytes(runs[0].archive.size(memberOf(f)))})`}</option>)}
        </select>
        <details class="columns">
          <summary>{active.length} of {view?.names.length ?? 0} curves</summary>
          <select multiple size={10} aria-label="curves" onChange={(e) => setChosen([...(e.target as HTMLSelectElement).selectedOptions].map((o) => o.value))}>
            {view?.names.map((n) => <option key={n} value={n} selected={active.includes(n)}>{n}</option>)}
          </select>
        </details>
        {view && !chosen && active.length < view.names.length && (
          <span class="quiet shown">
            {field.startsWith("poses:") ? "of one point" : "those that move most"}{" "}
            <button class="plain" onClick={() => setChosen(view.names.slice(0, MOST))}>show {view.names.length > MOST ? `the first ${MOST}` : `all ${view.names.length}`}</button>
          </span>
        )}
        {axis && manyLines(axis) && axis.scale && <span class="scale lines"><span>{axis.scale.name}</span><span>{axis.scale.low}</span><i ref={(e) => { if (e) e.style.background = gradient(dark); }} /><span>{axis.scale.high}</span></span>}
        <span class="spacer" />
        {remove && <button class="plain remove" onClick={remove} aria-label={`remove the chart of ${field}`}>✕</button>}
      </div>
      <ProblemBox problem={shown.problem} />
      {view && (
        <Suspense fallback={<p class="quiet">Loading…</p>}>
          <Plot series={view.series} size={view.size} counted={rows === "problem" && !axis} legend={!manyLines(axis)} marks={axis ? [] : marks.map((m) => m.x)} height={height} stack={stack} last={last} clock={clock} place={place}
            xLabel={rows === "time" ? "t (s)" : axis ? axis.label : path ? "point of the path" : "problem"} yLabel={manyLines(axis) && active.length === 1 ? `${active[0]}: ${labelOf(field)}` : labelOf(field)} onPick={pick} />
        </Suspense>
      )}
    </div>
  );
}

export function Curves({ runs, onPick, clock }: { runs: Run[]; onPick?: (t: number) => void; clock?: Clock }) {
  const fields = fieldsOf(runs[0]);
  const usual = useLoaded(async () => ({ fields: await usualCharts(runs[0]), stack: new (await plotting()).Stack() }), [runs[0].id, fields.join("|")]);
  const [own, setOwn] = useState<{ key: number; field: string; first?: string[] }[] | null>(null), made = useRef(0), stack = useRef<Stack | null>(null);
  stack.current ??= usual.value?.stack ?? null;
  const charts = own ?? (usual.value?.fields ?? []).map((chart, i) => ({ key: -1 - i, ...chart })).filter((c) => fields.includes(c.field));
  const marks = useLoaded(() => marksOf(runs[0]), [runs]).value ?? [], path = useLoaded(() => loadCurve(runs[0]), [runs]).value;
  const words = [...new Set(marks.map((m) => m.word))];
  if (fields.length === 0) return <p class="quiet">The result has no arrays.</p>;
  const more = () => setOwn([...charts, { key: made.current++, field: fields.find((f) => !charts.some((c) => c.field === f)) ?? fields[0] }]);
  return (
    <div class="curves">
      {path && <LoadCurvePlot curve={path} onPick={onPick} clock={clock} />}
      <ProblemBox problem={usual.problem} />
      {stack.current && charts.map((c, i) => (
        <Chart key={c.key} runs={runs} fields={fields} field={c.field} first={c.first} stack={stack.current!} last={i === charts.length - 1} height={HEIGHTS[Math.min(charts.length, HEIGHTS.length) - 1]} marks={marks} path={!!path}
          clock={clock} onPick={onPick} set={(field) => setOwn(charts.map((o) => (o.key === c.key ? { key: o.key, field } : o)))} remove={charts.length > 1 ? () => setOwn(charts.filter((o) => o.key !== c.key)) : undefined} />
      ))}
      <div class="row">
        <button onClick={more}>Add a chart</button>
        <span class="quiet">drag to zoom, double click for all{onPick && ", a click moves the robot there"}{words.length > 0 && <span class="marks">; dotted: {words.join(", ")}</span>}</span>
      </div>
    </div>
  );
}

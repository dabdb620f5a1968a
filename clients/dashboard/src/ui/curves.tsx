// Curves of any member of a result, of one run or several on top of each other.
import { lazy, Suspense } from "preact/compat";
import { useEffect, useState } from "preact/hooks";
import { useLoaded } from "./hooks";
import { bytes, ProblemBox } from "./parts";
import { LoadCurvePlot } from "./loadcurve";
import { loadCurve, marksOf } from "./path";
import type { Series } from "./plot";
import { abscissa, column, columnNames, rowsOf, type Run } from "./results";
import { axisOf, type SweepAxis } from "./sweep";

const Plot = lazy(() => import("./plot"));
const MOST = 40;
const UNITS: Record<string, string> = { energy: "J", tendons: "m", tensions: "N", loop_error: "rad, m", lambda: "N, N m" };

const labelOf = (field: string) => {
  const unit = UNITS[field] ?? (field.startsWith("poses:") ? "m" : "");
  return unit ? `${field} (${unit})` : field;
};

interface Shown {
  series: Series[];
  axis: SweepAxis | null; // of the first run
  names: string[];
  size: number; // of all that the field has, shown or not
}

const FIRST = 6; // curves that are shown unasked, of poses the three of the tip

async function sweepAxis(run: Run): Promise<SweepAxis | null> {
  return run.summary.kind === "sweep" && run.archive.has("child") ? axisOf(run.summary, (await run.archive.array("child")).data) : null;
}

const largest = (values: Float64Array) => values.reduce((most, v) => (Math.abs(v) > most && Number.isFinite(v) ? Math.abs(v) : most), 0);

async function load(runs: Run[], field: string, chosen: string[] | null): Promise<Shown> {
  const series: Series[] = [];
  const axes = await Promise.all(runs.map(sweepAxis)), over = axes.every((a) => a !== null && a.label === axes[0]?.label);
  let names: string[] = [], size = 0;
  for (const [r, run] of runs.entries()) {
    if (!run.archive.has(field)) continue;
    const array = await run.archive.array(field), columns = columnNames(run, field, array.shape);
    if (!names.length) names = columns.map((c) => c.name);
    const wanted = chosen ?? columns.slice(0, field.startsWith("poses:") ? 3 : FIRST).map((c) => c.name);
    const axis = over && axes[r]!.x.length === array.shape[0] ? axes[r]! : null, x = axis?.x ?? (await abscissa(run, array.shape[0]));
    const y = (offset: number) => { const all = column(array, offset); return axis ? Float64Array.from(axis.rows, (i) => all[i]) : all; };
    size = Math.max(size, largest(array.data));
    for (const c of columns.filter((c) => wanted.includes(c.name)).slice(0, MOST))
      series.push({ label: runs.length > 1 ? `${c.name} · ${run.id.slice(-4)}` : c.name, x, y: y(c.offset), run: r, hue: names.indexOf(c.name) });
  }
  return { series, axis: over ? axes[0] : null, names, size };
}

// What has no rows of samples: of a gradient its worth and slopes, of a design the way of its search, which has panels of its own.
const APART: Record<string, string[]> = {
  gradient: ["value", "gradient"], design: ["parameters", "objective", "violation", "constraints", "start", "best"],
};

export function Curves({ runs, onPick }: { runs: Run[]; onPick?: (t: number) => void }) {
  const rows = rowsOf(runs[0]), apart = APART[runs[0].summary.kind] ?? [];
  const fields = runs[0].archive.names().filter((n) => (n !== "t" || rows === "problem") && !apart.includes(n) && runs[0].archive.size(n) > 0);
  const preferred = ["energy", "q"].find((f) => fields.includes(f)) ?? fields[0];
  const [field, setField] = useState(preferred);
  const [chosen, setChosen] = useState<string[] | null>(null);
  useEffect(() => setChosen(null), [field]);
  const shown = useLoaded(() => load(runs, field, chosen), [runs, field, chosen?.join("|")]);
  const [last, setLast] = useState<Shown | null>(null);
  useEffect(() => { if (shown.value) setLast(shown.value); }, [shown.value]);
  const view = shown.value ?? last;
  const marks = useLoaded(() => marksOf(runs[0]), [runs]).value ?? [], path = useLoaded(() => loadCurve(runs[0]), [runs]).value;
  const words = [...new Set(marks.map((m) => m.word))];
  if (!field) return <p class="quiet">The result has no arrays.</p>;
  const pick = onPick && ((x: number) => {
    const axis = view?.axis;
    if (!axis) return onPick(x);
    const nearest = axis.x.reduce((best, v, i) => (Math.abs(v - x) < Math.abs(axis.x[best] - x) ? i : best), 0);
    onPick(axis.rows[nearest]);
  });
  const active = chosen ?? [...new Set(view?.series.map((s) => s.label.split(" · ")[0]))];
  return (
    <div class="curves">
      {path && <LoadCurvePlot curve={path} onPick={onPick} />}
      <div class="filters">
        <label>
          field
          <select name="field" value={field} onChange={(e) => setField((e.target as HTMLSelectElement).value)}>
            {fields.map((f) => <option key={f} value={f}>{f} ({bytes(runs[0].archive.size(f))})</option>)}
          </select>
        </label>
        <details class="columns">
          <summary>{active.length} of {view?.names.length ?? 0} curves</summary>
          <select multiple size={10} aria-label="curves" onChange={(e) => setChosen([...(e.target as HTMLSelectElement).selectedOptions].map((o) => o.value))}>
            {view?.names.map((n) => <option key={n} value={n} selected={active.includes(n)}>{n}</option>)}
          </select>
        </details>
        {view && !chosen && active.length < view.names.length && (
          <span class="quiet shown">
            the first {active.length} of {view.names.length} {field}{" "}
            <button class="plain" onClick={() => setChosen(view.names.slice(0, MOST))}>show {view.names.length > MOST ? `the first ${MOST}` : "all"}</button>
          </span>
        )}
        <span class="quiet">drag to zoom, double click for all{words.length > 0 && <span class="marks">; dotted: {words.join(", ")}</span>}</span>
      </div>
      <ProblemBox problem={shown.problem} />
      {view && (
        <Suspense fallback={<p class="quiet">Loading…</p>}>
          <Plot series={view.series} size={view.size} counted={rows === "problem" && !view.axis} marks={marks.map((m) => m.x)} xLabel={rows === "time" ? "t (s)" : view.axis ? view.axis.label : path ? "point of the path" : "problem"} yLabel={labelOf(field)} onPick={pick} />
        </Suspense>
      )}
    </div>
  );
}

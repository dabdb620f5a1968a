// A fit: parameters with their intervals, the way of the search, what was measured against what the answer gives, and
// which parameters the data could not tell from each other.
import { lazy, Suspense } from "preact/compat";
import { useState } from "preact/hooks";
import type { Chosen, Found } from "../api/types";
import { chosenCurves, costCurves, matrixOf, parameterCurves, recordCurves, shortName, slopesOfArrays, startValues } from "./found";
import { useLoaded } from "./hooks";
import { Facts, number, Panel, ProblemBox } from "./parts";
import type { Run } from "./results";
import type { Series } from "./plot";

const Plot = lazy(() => import("./plot"));
const MOST_CORRELATED = 24, MOST_SLOPES = 200, MOST_ARRAYS = 8;

function Curve({ series, xLabel, yLabel, height = 260, isCounted = false }: { series: Series[] | null; xLabel: string; yLabel: string; height?: number; isCounted?: boolean }) {
  if (!series?.length) return <p class="quiet">{series ? "Nothing of it was recorded." : "Loading…"}</p>;
  return <Suspense fallback={<p class="quiet">Loading…</p>}><Plot series={series} counted={isCounted} xLabel={xLabel} yLabel={yLabel} height={height} /></Suspense>;
}

function Parameters({ run, found }: { run: Run; found: Found }) {
  const start = useLoaded(() => startValues(run, found), [run]).value;
  return (
    <Panel title="Parameters">
      <div class="scroll">
        <table class="found">
          <thead><tr><th>name</th><th>value</th><th>± one deviation</th><th>from</th></tr></thead>
          <tbody>
            {found.parameters.map((p, k) => (
              <tr key={p.path + p.name}>
                <td title={p.path}>{shortName(p)}</td>
                <td>{number(p.value)}{p.at_bound && <span class="warned" title="it ended at its bound"> at its bound</span>}</td>
                <td>{p.deviation === null ? (p.at_bound ? "held" : "anything") : `${number(p.deviation)} (${number((100 * p.deviation) / Math.abs(p.value))} %)`}</td>
                <td>{start ? number(start[k]) : ""}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <Facts rows={[["ended", found.end.replace(/_/g, " ")], ["iterations", found.iterations], ["predictions", found.predictions], ["samples", found.samples],
        ["cost", number(found.cost)], found.has_sigma === false ? ["left over, taken for the noise", number(found.misfit)] : ["left over, in sigmas", number(found.misfit)]]} />
    </Panel>
  );
}

function Records({ run, found }: { run: Run; found: Found }) {
  const [chosen, choose] = useState(0), record = found.records[chosen];
  const curves = useLoaded(() => (record ? recordCurves(run, record.experiment, record.record) : Promise.resolve([])), [run, chosen]);
  if (!record) return null;
  return (
    <Panel title="Measured and fitted">
      <div class="filters">
        <label>
          record
          <select name="record" value={chosen} onChange={(e) => choose(Number((e.target as HTMLSelectElement).value))}>
            {found.records.map((r, i) => <option key={i} value={i}>experiment {r.experiment}, {r.field}</option>)}
          </select>
        </label>
      </div>
      <ProblemBox problem={curves.problem} />
      <Curve series={curves.value} isCounted={!run.archive.has(`t:${record.experiment}:${record.record}`)} xLabel={run.archive.has(`t:${record.experiment}:${record.record}`) ? "t (s)" : "sample"} yLabel={record.field} height={380} />
    </Panel>
  );
}

// Red: one can make up for the other with the same sign, blue: with the opposite one.
const shade = (x: number) => (Number.isFinite(x) ? `rgba(${x < 0 ? "60, 110, 210" : "205, 60, 80"}, ${Math.min(1, Math.abs(x)) * 0.75})` : "transparent");

function Correlation({ run, found }: { run: Run; found: Found }) {
  const matrix = useLoaded(() => matrixOf(run, "correlation"), [run]).value, names = found.parameters.map(shortName);
  if (!matrix?.length || names.length < 2 || names.length > MOST_CORRELATED) return null;
  return (
    <Panel title="Correlation">
      <div class="scroll">
        <table class="correlation">
          <thead><tr><th />{names.map((n) => <th key={n}>{n}</th>)}</tr></thead>
          <tbody>{matrix.map((row, i) => <tr key={names[i]}><th>{names[i]}</th>{row.map((x, j) => <td key={j} style={{ background: shade(x) }}>{Number.isFinite(x) ? x.toFixed(2) : "–"}</td>)}</tr>)}</tbody>
        </table>
      </div>
      <p class="quiet">Near 1 or -1: the data hardly tell the two apart.</p>
    </Panel>
  );
}

export function FoundView({ run, found }: { run: Run; found: Found }) {
  const cost = useLoaded(() => costCurves(run), [run]), ways = useLoaded(() => parameterCurves(run, found), [run]);
  return (
    <>
      <div class="two wide">
        <Parameters run={run} found={found} />
        <Records run={run} found={found} />
      </div>
      <div class="three">
        <Panel title="Cost"><ProblemBox problem={cost.problem} /><Curve series={cost.value} isCounted xLabel="iteration" yLabel="log10 of the cost" /></Panel>
        <Panel title="Parameters on their way"><ProblemBox problem={ways.problem} /><Curve series={ways.value?.series ?? null} isCounted xLabel="iteration" yLabel={ways.value?.isLogarithmic ? "log10 of the part of the final value" : "part of the final value"} /></Panel>
        <Correlation run={run} found={found} />
      </div>
    </>
  );
}

/** A design: the numbers chosen, what they are worth, and the way to them; its robot is shown as that of any job. */
export function ChosenView({ run, chosen }: { run: Run; chosen: Chosen }) {
  const ways = useLoaded(() => chosenCurves(run, chosen), [run]), first = ways.value?.first;
  return (
    <div class="three">
      <Panel title="Chosen">
        <div class="scroll">
          <table class="found">
            <thead><tr><th>name</th><th>value</th><th>from</th></tr></thead>
            <tbody>
              {chosen.parameters.map((p, k) => (
                <tr key={p.path + p.name}>
                  <td title={p.path}>{shortName(p)}</td>
                  <td>{number(p.value)}{p.at_bound && <span class="warned" title="beyond it would be better still"> at its bound</span>}</td>
                  <td>{first ? number(first[k]) : ""}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
        <Facts rows={[["ended", chosen.end.replace(/_/g, " ")], ["method", chosen.method], ["evaluations", chosen.evaluations], ["objective", number(chosen.objective)],
          ["at first", number(chosen.first_objective)], ["beyond constraints", number(chosen.violation)]]} />
      </Panel>
      <Panel title="Objective"><ProblemBox problem={ways.problem} /><Curve series={ways.value?.objective ?? null} isCounted xLabel="evaluation" yLabel={ways.value?.isLogarithmic ? "log10 of the objective" : "objective"} /></Panel>
      <Panel title="Numbers on their way"><Curve series={ways.value?.parameters ?? null} isCounted xLabel="evaluation" yLabel={ways.value?.measure ?? ""} /></Panel>
    </div>
  );
}

/** The value of an objective and what it changes by. */
export function Gradient({ run }: { run: Run }) {
  const names = run.summary.parameters ?? [];
  const loaded = useLoaded(async () => [await run.archive.array("value"), await run.archive.array("gradient")], [run]);
  if (!loaded.value) return <Panel title="Gradient"><ProblemBox problem={loaded.problem} /></Panel>;
  const [value, gradient] = loaded.value, arrays = slopesOfArrays(names, gradient.data);
  const alone = names.map((p, i) => ({ p, i })).filter(({ i }) => !arrays.some((a) => i >= a.first && i < a.first + a.x.length));
  const shown = [...alone, ...arrays.flatMap((a) => names.slice(a.first, a.first + a.x.length).map((p, k) => ({ p, i: a.first + k })))].slice(0, MOST_SLOPES);
  return (
    <div class="three">
      <Panel title="Gradient">
        <Facts rows={[["value of the objective", number(value.data[0])]]} />
        <div class="scroll slopes">
          <table>
            <thead><tr><th>by</th><th>derivative</th></tr></thead>
            <tbody>{shown.map(({ p, i }) => <tr key={i}><td><code>{p.name}</code></td><td>{number(gradient.data[i])}</td></tr>)}</tbody>
          </table>
        </div>
        {shown.length < names.length && <p class="quiet">{shown.length} of {names.length}; the result has all of them.</p>}
      </Panel>
      {arrays.slice(0, MOST_ARRAYS).map((a) => (
        <Panel key={a.label} title={`Derivatives by ${a.label}`}><Curve series={[a]} isCounted xLabel="number in the array" yLabel="derivative" /></Panel>
      ))}
    </div>
  );
}

// Small pieces that pages share: problems, states, progress, facts, times.
import type { ComponentChildren, JSX } from "preact";
import type { Problem } from "../api/client";
import { UNTRUE } from "../api/kinds";
import type { Job, JobState, Warning } from "../api/types";

const HELP: Record<string, string> = {
  unreachable: "Is tendrild still running?",
  unauthenticated: "Enter one under Token, in the upper right corner.",
  permission_denied: "Another token may be allowed to: enter it under Token, in the upper right corner.",
  not_found: "It may have been deleted in the meantime.",
  not_ready: "The result is there when the job has succeeded. Until then, what is saved of it is shown as it grows.",
};

export function ProblemBox({ problem, retry }: { problem: Problem | null; retry?: () => void }) {
  if (!problem) return null;
  return (
    <div class="problem" role="alert">
      <strong>{problem.code.replace(/_/g, " ")}</strong> {problem.body.detail}
      {problem.body.pointer && <code> at {problem.body.pointer}</code>}
      {HELP[problem.code] && <div class="quiet">{HELP[problem.code]}</div>}
      {retry && <button onClick={retry}>Try again</button>}
    </div>
  );
}

const FEW_ALIKE = 3; // warnings of one code that have a line each

/** Those of one code together, codes in the order in which they come. */
export const byCode = (list: Warning[]): Warning[][] => [...new Set(list.map((w) => w.code))].map((code) => list.filter((w) => w.code === code));

/** What is odd, each with its place: `where` makes words of a pointer. Many of one code are folded. */
export function Warnings({ list, where = (p) => <code>{p}</code> }: { list: Warning[]; where?: (pointer: string) => ComponentChildren }) {
  if (list.length === 0) return null;
  const one = (w: Warning, i: number) => <li key={i} class={UNTRUE.includes(w.code) ? "grave" : ""}>{UNTRUE.includes(w.code) && <strong>Not to be trusted: </strong>}<strong>{w.code.replace(/_/g, " ")}</strong>{w.pointer && <> at {where(w.pointer)}</>}: {w.detail}</li>;
  return (
    <ul class="warnings" role="status" aria-label="warnings">
      {byCode(list).map((same, i) => same.length <= FEW_ALIKE ? same.map(one) : (
        <li key={i} class={UNTRUE.includes(same[0].code) ? "grave" : ""}>
          <details>
            <summary>{UNTRUE.includes(same[0].code) && <strong>Not to be trusted: </strong>}<strong>{same[0].code.replace(/_/g, " ")}</strong> at {same.length} places, the first {same[0].pointer && where(same[0].pointer)}: {same[0].detail}</summary>
            <ul>{same.map(one)}</ul>
          </details>
        </li>
      ))}
    </ul>
  );
}

export function State({ state }: { state: JobState }) {
  return <span class={`state ${state}`}>{state}</span>;
}

// What `t` of a job's progress counts.
const UNIT: Record<string, string> = { dynamics: " s", sweep: " jobs", statics: " problems", linearize: " points", fit: " iterations" };

const unitOf = ({ kind, progress }: Job) => (progress.t_end === 1 && kind !== "dynamics" ? UNIT[kind]?.replace(/s$/, "") : UNIT[kind]) ?? "";

export function Progress({ job }: { job: Job }) {
  const percent = Math.round(1000 * job.progress.fraction) / 10;
  const checking = job.progress.phase === "checking" && job.state === "running";
  return (
    <span class="progress" title={checking ? `${percent} %: the run is over, a second one measures its errors` : `${percent} %`}>
      <progress max={1} value={job.progress.fraction} aria-label={`progress of job ${job.id}`} />
      <span class="quiet">{Number.isFinite(job.progress.t_end ?? NaN) ? `${number(job.progress.t)} / ${number(job.progress.t_end)}${unitOf(job)}` : `${percent} %`}{checking && ", checking"}</span>
    </span>
  );
}

/** Simulated seconds per second, "" when there is nothing to say: of a later attempt, which goes on where another was cut off, the
 * time that it has spent is not that of all it has come to. */
export function rate(job: Job, now = Date.now()): string {
  if (!job.started_at || job.kind !== "dynamics" || job.attempt > 1) return "";
  const spent = ((job.finished_at ? Date.parse(job.finished_at) : now) - Date.parse(job.started_at)) / 1000;
  return spent > 0.05 && job.progress.t > 0 ? `${Number((job.progress.t / spent).toPrecision(2))}×` : "";
}

/** A number as people read it: three or four digits. */
export function number(x: number | null | undefined): string {
  if (x === null || x === undefined || Number.isNaN(x)) return "–";
  if (!Number.isFinite(x)) return x > 0 ? "∞" : "-∞";
  if (Number.isInteger(x) && Math.abs(x) < 1e7) return String(x);
  const size = Math.abs(x);
  return size >= 1e5 || size < 1e-3 ? x.toExponential(2) : String(Number(x.toPrecision(4)));
}

export function bytes(n: number): string {
  return n < 1e3 ? `${n} B` : n < 1e6 ? `${number(n / 1e3)} kB` : n < 1e9 ? `${number(n / 1e6)} MB` : `${number(n / 1e9)} GB`;
}

/** A time span: seconds, minutes, hours, days. */
export function span(s: number): string {
  return s < 120 ? `${s.toFixed(1)} s` : s < 7200 ? `${Math.round(s / 60)} min` : s < 172800 ? `${Math.round(s / 3600)} h` : `${Math.round(s / 86400)} d`;
}

const two = (n: number) => String(n).padStart(2, "0");

/** "2026-11-28 14:03:27", of the clock where the browser is: today's too, because a page stays open over midnight. */
export function when(time: string | null): string {
  if (!time) return "–";
  const d = new Date(time);
  return `${d.getFullYear()}-${two(d.getMonth() + 1)}-${two(d.getDate())} ${two(d.getHours())}:${two(d.getMinutes())}:${two(d.getSeconds())}`;
}

export function lasted(job: Job): string {
  if (!job.started_at) return "";
  return span(((job.finished_at ? Date.parse(job.finished_at) : Date.now()) - Date.parse(job.started_at)) / 1000);
}

const LONG = 24; // letters that one column does not hold

export function Facts({ rows }: { rows: [string, ComponentChildren][] }) {
  return (
    <dl class="facts">
      {rows.filter(([, value]) => value !== "" && value !== undefined && value !== null).map(([key, value]) => (
        <div key={key} class={typeof value === "string" && value.length > LONG ? "long" : ""}>
          <dt>{key}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

export function Panel({ title, children, more, ...rest }: { title: string; children: ComponentChildren; more?: ComponentChildren } & JSX.HTMLAttributes<HTMLElement>) {
  return (
    <section class="panel" {...rest}>
      <header>
        <h2>{title}</h2>
        {more}
      </header>
      {children}
    </section>
  );
}

// One job: how far it is, why it failed, its robot moving, its curves, events as they come, and what can be done with
// it.
import { lazy, Suspense } from "preact/compat";
import { useEffect, useMemo, useState } from "preact/hooks";
import { get, Problem, query as text, send } from "../api/client";
import { follow } from "../api/live";
import { ended, type Job, type JobDocument, type JobError, type JobEvent } from "../api/types";
import { Clock } from "../ui/clock";
import { ask } from "../ui/confirm";
import { Curves } from "../ui/curves";
import { Download } from "../ui/download";
import { ChosenView, FoundView, Gradient } from "../ui/foundview";
import { problemOf, useLoaded, useTokenTurn } from "../ui/hooks";
import { bytes, Facts, lasted, number, Panel, ProblemBox, Progress, rate, State, Warnings, when } from "../ui/parts";
import { motionOf, type Motion } from "../ui/motion";
import { reasonOf, tooShort } from "../ui/reason";
import { keptAfter, modelName, NOTHING_KEPT, openRun, rowsOf, useRun, type Kept, type Run } from "../ui/results";
import { pretty } from "../ui/pretty";
import { change, go, href, modelHref } from "../ui/router";
import { varied as variedOver, variationsOf, variedIn } from "../ui/sweep";

const Player = lazy(() => import("../scene/player"));
const Eigenplane = lazy(() => import("../ui/eigenplane"));
const MOST_EVENTS = 400;

// The job as events change it between replies.
function useJob(id: string): { job: Job | null; events: JobEvent[]; kept: Kept; problem: Problem | null; reload: () => void } {
  const loaded = useLoaded((s) => get<Job>(`/v1/jobs/${id}`, s), [id], (j) => (j && !ended(j.state) ? 5000 : 10000));
  const [events, setEvents] = useState<JobEvent[]>([]);
  const [kept, setKept] = useState(NOTHING_KEPT);
  const [gone, setGone] = useState<Problem | null>(null);
  const [live, setLive] = useState<Partial<Job> | null>(null);
  const exists = loaded.value !== null, entered = useTokenTurn();
  useEffect(() => {
    if (!exists) return;
    setEvents([]);
    setKept(NOTHING_KEPT);
    setGone(null);
    return follow(id, (e) => {
      setEvents((all) => [...all.slice(-MOST_EVENTS), e]);
      setKept((k) => keptAfter(k, e));
      if (e.event === "progress") setLive({ state: "running", progress: { fraction: e.fraction ?? 0, t: e.t ?? 0, t_end: e.t_end ?? 0, phase: e.phase } });
      if (e.event === "state") (setLive(null), loaded.reload());
    }, setGone);
  }, [id, exists, entered]);
  const job = loaded.value && (ended(loaded.value.state) ? loaded.value : { ...loaded.value, ...live });
  return { job, events, kept, problem: loaded.problem ?? gone, reload: loaded.reload };
}

function Actions({ job, reload }: { job: Job; reload: () => void }) {
  const [problem, setProblem] = useState<Problem | null>(null);
  const run = (what: () => Promise<void>) => what().then(() => setProblem(null), (e) => setProblem(problemOf(e)));
  const cancel = () => run(async () => (await send(`/v1/jobs/${job.id}:cancel`, { method: "POST" }), reload()));
  const [within, setWithin] = useState<string | null>(null), short = tooShort(job.error), seconds = within ?? (short > 0 ? String(10 * short) : "");
  const retry = () => run(async () => go(["jobs", ((await (await send(`/v1/jobs/${job.id}:retry${text({ max_wall_s: short > 0 && seconds ? seconds : undefined })}`, { method: "POST" })).json()) as Job).id]));
  const remove = () => run(async () => {
    if (!(await ask("Delete this job and its result?", "Delete"))) return;
    await send(`/v1/jobs/${job.id}`, { method: "DELETE" });
    go(["jobs"]);
  });
  return (
    <>
      <div class="row actions">
        {!ended(job.state) && <button onClick={cancel}>Cancel</button>}
        {short > 0 && <label class="check">within <input class="seconds" type="number" min="0" step="any" aria-label="seconds that the retry may take" value={seconds} onInput={(e) => setWithin((e.target as HTMLInputElement).value)} /> s</label>}
        {(job.state === "failed" || job.state === "cancelled") && <button onClick={retry} title={job.kind === "sweep" ? "a new sweep: what succeeded is taken over, the rest is computed again" : "a new job, from its beginning"}>Retry</button>}
        <a class="button" href={href(["submit"], { from: job.id })}>Clone and edit</a>
        {ended(job.state) && !job.parent && <button onClick={remove}>Delete</button>}
      </div>
      <ProblemBox problem={problem} />
    </>
  );
}

// When, where and how far off; what the server says in fields of its own comes as it is.
function reasonRows({ code: _, detail, ...fields }: JobError): [string, string][] {
  const { time, link, coordinate, place, residual } = reasonOf(detail);
  const rows: [string, string | undefined][] = [
    ["time", time === undefined ? undefined : `${number(time)} s`], ["link", link], ["coordinate", coordinate],
    ["along the link", place === undefined ? undefined : `${number(place)} m`], ["residual", residual === undefined ? undefined : number(residual)],
    ...Object.entries(fields).map(([k, v]) => [k, typeof v === "number" ? number(v) : String(v ?? "")] as [string, string]),
  ];
  return rows.filter((r): r is [string, string] => !!r[1]);
}

function Failure({ job, run }: { job: Job; run: Run | null }) {
  const failures = run?.summary.failures ?? [];
  if (!job.error && failures.length === 0) return null;
  return (
    <div class="problem failure" role="alert">
      {job.error && (
        <>
          <strong>{job.state === "failed" ? "Failed" : "Note"}: {job.error.code.replace(/_/g, " ")}</strong>
          <p>{job.error.detail.replace(" (jobs retry --max-wall-s)", ": write it beside Retry")}</p>
          <Facts rows={reasonRows(job.error)} />
        </>
      )}
      {failures.slice(0, 20).map((f) => <p key={f.index}>problem {f.index}: {f.code}: {f.detail}</p>)}
    </div>
  );
}

// "bdf: no mode is hardly damped", of a robot with loops also how they are held.
function integratorOf(run: Run | null): string {
  const { method, reason, ...rest } = (run?.summary.integrator ?? {}) as Record<string, unknown>;
  const held = run?.summary.multipliers?.length ? Object.values(rest).filter((v) => typeof v === "string") : [];
  return [typeof method === "string" ? method + (typeof reason === "string" ? `: ${reason}` : "") : "", ...held].filter(Boolean).join(", ");
}

function About({ job, run }: { job: Job; run: Run | null }) {
  const varied = useLoaded(async (signal) => (job.parent ? variedIn(job.id, job.parent, signal) : ""), [job.id]).value;
  const s = run?.summary, link = job.model.name && job.model.revision ? <a href={modelHref(job.model.name, job.model.owner, job.model.revision)}>{modelName(job)}</a> : modelName(job);
  return (
    <Panel title="About" id="about">
      <Facts rows={[
        ["job", job.id], ["kind", job.kind], ["model", link], ["attempt", job.attempt], ["node", job.node], ["waiting for", job.waiting_for], ["priority", job.priority], ["owner", job.owner],
        ["labels", Object.entries(job.labels).map(([k, v]) => `${k}:${v}`).join(" ")],
        ["created", when(job.created_at)], ["started", when(job.started_at)], ["finished", when(job.finished_at)], ["took", lasted(job)], ["rate", rate(job) && `${rate(job)} real time`],
        ["retry of", job.retry_of && <a href={href(["jobs", job.retry_of])}>{job.retry_of.slice(-10)}</a>],
        ["sweep", job.parent && <><a href={href(["jobs", job.parent])}>{job.parent.slice(-10)}</a> {varied}</>],
        ["processor time", s?.cpu_s !== undefined ? `${number(s.cpu_s)} s` : ""],
        ["build", s?.build ? `${s.build.version}, ${s.build.cpu_level}` : ""],
        ["integrator", integratorOf(run)],
        ["result", run ? `${bytes(run.archive.bytes)}${run.partial ? ", saved so far" : ""}` : ""],
      ]} />
      {run && (
        <p class="row">
          {Object.entries(FORMATS).map(([name, type]) => (
            <Download key={name} path={`/v1/jobs/${job.id}/result${run.partial ? "?partial=1" : ""}`} accept={type} file={`${job.id}.${name}`}>
              Download {name}
            </Download>
          ))}
        </p>
      )}
    </Panel>
  );
}

const FORMATS = { npz: "application/x-npz", json: "application/json", csv: "text/csv" };

function Statistics({ run }: { run: Run }) {
  const { statistics, energy } = run.summary;
  return (
    <>
      {statistics && !run.partial && <Panel title="Solver"><Facts rows={Object.entries(statistics).map(([k, v]) => [k.replace(/_/g, " "), number(v)])} /></Panel>}
      {energy && <Panel title="Energy balance (J)"><Facts rows={Object.entries(energy).map(([k, v]) => [k, number(v)])} /></Panel>}
    </>
  );
}

function Events({ events }: { events: JobEvent[] }) {
  const lines = events.filter((e) => e.event === "state" || e.event === "log" || e === events[events.length - 1]).slice(-100).reverse();
  const hidden = lines.length < events.length;
  return (
    <Panel title={`Events (${lines.length}${hidden ? ` of ${events.length}; earlier progress not shown` : ""})`}>
      <ol class="events" aria-live="polite">
        {lines.map((e) => (
          <li key={e.seq}>
            <time>{when(e.time)}</time> {e.event === "state" ? <State state={e.state!} /> : e.event === "log" ? `${e.level}: ${e.message}` : e.event === "samples" ? `${e.rows} samples kept` : `t = ${number(e.t)} s`}
            {e.error && ` ${e.error.code}: ${e.error.detail}`} <span class="quiet">attempt {e.attempt}</span>
          </li>
        ))}
      </ol>
    </Panel>
  );
}

function Documents({ id }: { id: string }) {
  const [open, setOpen] = useState(false);
  const loaded = useLoaded(() => (open ? get<{ job: unknown; model: unknown }>(`/v1/jobs/${id}/document`) : Promise.resolve(null)), [id, open]);
  return (
    <details class="panel" onToggle={(e) => setOpen((e.target as HTMLDetailsElement).open)}>
      <summary>Documents</summary>
      <ProblemBox problem={loaded.problem} />
      {loaded.value && <div class="two"><pre>{pretty(loaded.value.job)}</pre><pre>{pretty(loaded.value.model)}</pre></div>}
    </details>
  );
}

// Other runs on top: by their ids in the address.
function useOthers(ids: string[]): { runs: Run[]; problem: Problem | null } {
  const loaded = useLoaded(async () => {
    const runs: Run[] = [];
    for (const id of ids) runs.push(await openRun(id, (await get<Job>(`/v1/jobs/${id}`)).state));
    return runs;
  }, [ids.join()]);
  return { runs: loaded.value ?? [], problem: loaded.problem };
}

const MOST_OFFERED = 60;
const worth = (j: Job) => j.state === "succeeded" && !j.parent;

// Runs to compare with: those of the same model first, newest first; what is typed is sought in all that is said of them.
function Compare({ job, ids }: { job: Job; ids: string[] }) {
  const [open, setOpen] = useState(false), [sought, setSought] = useState("");
  const list = useLoaded(async (s) => {
    if (!open) return null;
    const ask = (more: string) => get<{ jobs: Job[] }>(`/v1/jobs?state=succeeded&kind=${job.kind}&parent=none&limit=200${more}`, s);
    const [same, others] = await Promise.all([job.model.name ? ask(`&model=${encodeURIComponent(job.model.name)}`) : { jobs: [] }, ask("")]);
    return { same: same.jobs, others: others.jobs.filter((j) => !same.jobs.some((o) => o.id === j.id)) };
  }, [job.id, open]);
  const words = sought.toLowerCase().split(/\s+/).filter(Boolean);
  const text = (j: Job) => `${j.id} ${modelName(j)} ${Object.entries(j.labels).map(([k, v]) => `${k}:${v}`).join(" ")} ${when(j.created_at)} ${j.owner ?? ""}`;
  const fits = (j: Job) => worth(j) && j.id !== job.id && !ids.includes(j.id) && words.every((w) => text(j).toLowerCase().includes(w));
  const groups: [string, Job[]][] = [["the same model", (list.value?.same ?? []).filter(fits)], [job.model.name ? "other models" : "", (list.value?.others ?? []).filter(fits)]];
  const add = (id: string) => (setOpen(false), change({ with: [...ids, id].join() }));
  return (
    <div class="row compare">
      <details open={open} onToggle={(e) => setOpen((e.target as HTMLDetailsElement).open)}>
        <summary class="button">Compare with…</summary>
        <div class="offer">
          <input type="search" placeholder="model, label, date, id" aria-label="search runs" value={sought} onInput={(e) => setSought((e.target as HTMLInputElement).value)} />
          <ProblemBox problem={list.problem} />
          {groups.filter(([, jobs]) => jobs.length).map(([title, jobs]) => (
            <section key={title}>
              {title && <h3>{title}</h3>}
              <ul>
                {jobs.slice(0, MOST_OFFERED).map((j) => (
                  <li key={j.id}><button class="plain" onClick={() => add(j.id)}><span>{modelName(j)}</span> <span class="quiet">{when(j.created_at)}, {j.kind === "dynamics" ? `${number(j.progress.t_end)} s` : j.kind} <span class="id">{j.id.slice(-10)}</span> {Object.entries(j.labels).map(([k, v]) => `${k}:${v}`).join(" ")}</span></button></li>
                ))}
              </ul>
              {jobs.length > MOST_OFFERED && <p class="quiet">{jobs.length - MOST_OFFERED} more: type what you look for.</p>}
            </section>
          ))}
          {list.value && groups.every(([, jobs]) => jobs.length === 0) && <p class="quiet">{words.length ? "No run fits that." : "There is no other run of this kind."}</p>}
        </div>
      </details>
      {ids.map((id) => <button key={id} class="label" title="Remove from the comparison" onClick={() => change({ with: ids.filter((x) => x !== id).join() || undefined })}>{id.slice(-10)} ✕</button>)}
    </div>
  );
}

const ROWS = { time: "samples over time", problem: "numbered problems" };

// What is no sample beside samples has no place on their axis.
function Unlike({ run, others }: { run: Run; others: Run[] }) {
  return (
    <>
      {others.filter((o) => rowsOf(o) !== rowsOf(run)).map((o) => (
        <p key={o.id} class="problem" role="alert">{o.id.slice(-10)} is not shown beside this job: its rows are {ROWS[rowsOf(o)]}, those of this job are {ROWS[rowsOf(run)]}.</p>
      ))}
    </>
  );
}

// Why there is no robot.
function still({ summary }: Run): string {
  const of = summary.kind === "sweep" ? (summary.job.base as JobDocument).kind : summary.kind;
  if (of === "linearize" || of === "fit") return "Nothing moves in this result.";
  if (summary.not_stacked?.includes("q")) return "The robots of this sweep have different coordinates: its jobs show them.";
  return "The result has no q: add it to output.fields to see the robot.";
}

function View({ runs }: { runs: Run[] }) {
  const motions = useLoaded(async () => (await Promise.all(runs.slice(0, 2).map(motionOf))).filter((m): m is Motion => m !== null), [runs]);
  const clock = useMemo(() => new Clock(), []), moves = !!(motions.value ?? []).length;
  const [kept, setKept] = useState<Motion[] | null>(null);
  const [time, setTime] = useState<number | null>(null);
  useEffect(() => { if (motions.value) setKept(motions.value); }, [motions.value]);
  const shown = motions.value ?? kept, linear = runs[0].summary.kind === "linearize"; // states have no course
  return (
    <div class="two wide">
      <Panel title="Robot">
        <ProblemBox problem={motions.problem} />
        {shown?.length ? (
          <Suspense fallback={<p class="quiet">Loading 3D…</p>}><Player motions={shown} time={time} clock={clock} /></Suspense>
        ) : !shown && !motions.problem ? <p class="quiet" role="status">Loading {bytes(runs[0].archive.size("q"))} of shapes…</p> : shown && <p class="quiet">{still(runs[0])}</p>}
      </Panel>
      {linear ? <Panel title="Eigenvalues"><Suspense fallback={<p class="quiet">Computing…</p>}><Eigenplane run={runs[0]} /></Suspense></Panel>
        : <Panel title="Curves"><Curves runs={runs} onPick={setTime} clock={moves || kept?.length ? clock : undefined} /></Panel>}
    </div>
  );
}

export function JobPage({ id, query }: { id: string; query: URLSearchParams }) {
  const { job, events, kept, problem, reload } = useJob(id);
  const { run, problem: noResult, waiting, loading } = useRun(job, kept);
  const ids = (query.get("with") ?? "").split(",").filter(Boolean), others = useOthers(ids);
  const runs = useMemo(() => (run ? [run, ...others.runs.filter((o) => rowsOf(o) === rowsOf(run))] : []), [run, others.runs]);
  if (!job) return <><h1>Job {id.slice(-10)}</h1><ProblemBox problem={problem} retry={reload} />{!problem && <p class="quiet">Loading…</p>}<p><a href="#/jobs">All jobs</a></p></>;
  return (
    <>
      <div class="row">
        <h1>{modelName(job)} <span class="quiet">{job.kind} {job.id.slice(-10)}</span></h1>
        <State state={job.state} />
        <Progress job={job} />
        {rate(job) && <span class="quiet">{rate(job)} real time</span>}
        <span class="spacer" />
        <Actions job={job} reload={reload} />
      </div>
      <ProblemBox problem={problem} />
      <Failure job={job} run={run} />
      <Warnings list={job.warnings} />
      {waiting && job.state === "running" && <p class="quiet">This job has kept no rows yet: the first ones come after some seconds, and are shown then.</p>}
      {loading && !run && <p class="quiet" role="status">Loading {bytes(loading.total || loading.done)}{loading.total ? "" : " so far"}… <progress max={loading.total || undefined} value={loading.total ? loading.done : undefined} aria-label="how much of the result has come" /></p>}
      {run?.partial && job.state === "running" && job.kind !== "dynamics" && <p class="quiet" role="status">The job is running: what is shown is what it has so far.</p>}
      {job.state === "succeeded" && <ProblemBox problem={noResult} />}
      {job.kind === "sweep" && <p>{run && <span class="over">Varied: {variedOver(variationsOf(run.summary.job))}. </span>}<a href={href(["jobs"], { parent: job.id })}>The jobs of this sweep</a></p>}
      {run && !run.summary.fit && <Compare job={job} ids={ids} />}
      <ProblemBox problem={others.problem} />
      {run && <Unlike run={run} others={others.runs} />}
      {run?.summary.fit ? <FoundView run={run} found={run.summary.fit} /> : runs.length > 0 && <View runs={runs} />}
      {run?.summary.design && <ChosenView run={run} chosen={run.summary.design} />}
      {run?.archive.has("gradient") && <Gradient run={run} />}
      <div class="three">
        <About job={job} run={run} />
        {run && <Statistics run={run} />}
        <Events events={events} />
      </div>
      <Documents id={id} />
    </>
  );
}

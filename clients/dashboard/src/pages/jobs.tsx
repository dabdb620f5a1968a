// The queue: newest first, filters and cursor in the address, sweeps as one row that opens, many jobs at once. Events
// of the first jobs that run come as they happen (browsers allow six connections to a server, too few for a stream
// each); the list itself is asked for again when one of them changes its state, and every few seconds.
import { useEffect, useState } from "preact/hooks";
import { get, query as text, send } from "../api/client";
import { follow } from "../api/live";
import { UNTRUE } from "../api/kinds";
import { ended, KINDS, STATES, type Job } from "../api/types";
import { problemOf, useLoaded, useNarrow } from "../ui/hooks";
import { ask } from "../ui/confirm";
import { lasted, number, Progress, ProblemBox, rate, State, when } from "../ui/parts";
import { modelName } from "../ui/results";
import { change, href } from "../ui/router";
import { namesOf } from "../ui/sweep";
import type { Problem } from "../api/client";

const FILTERS = ["state", "kind", "model", "label", "since", "until", "owner", "parent"] as const;
const PAGE = 50;
const FOLLOWED = 2;
const BUSY_MS = 1000, FOLLOWING_MS = 3000, QUIET_MS = 5000;

interface JobList {
  jobs: Job[];
  next_cursor: string | null;
}

const SORTS: Record<string, (j: Job) => number | string> = {
  state: (j) => STATES.indexOf(j.state),
  model: (j) => modelName(j),
  kind: (j) => j.kind,
  progress: (j) => j.progress.fraction,
  rate: (j) => parseFloat(rate(j)) || 0,
  attempt: (j) => j.attempt,
  priority: (j) => j.priority,
  owner: (j) => j.owner ?? "",
  created: (j) => j.created_at,
};

function sorted(jobs: Job[], by: string | null): Job[] {
  const down = by?.startsWith("-"), key = SORTS[by?.replace("-", "") ?? ""];
  if (!key) return jobs;
  const order = (a: Job, b: Job) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0);
  return [...jobs].sort(down ? (a, b) => order(b, a) : order);
}

function Labels({ job }: { job: Job }) {
  return (
    <>
      {Object.entries(job.labels).map(([k, v]) => (
        <a key={k} class="label" href={href(["jobs"], { label: `${k}:${v}` })} title="Only this label">{k}:{v}</a>
      ))}
    </>
  );
}

function Warned({ job: { warnings } }: { job: Job }) {
  if (warnings.length === 0) return null;
  const codes = [...new Set(warnings.map((w) => w.code.replace(/_/g, " ")))].join(", ");
  return <> <span class={warnings.some((w) => UNTRUE.includes(w.code)) ? "warned grave" : "warned"} title={warnings.map((w) => `${w.code}: ${w.detail}`).join("\n")}>⚠ {codes}</span></>;
}

// Columns that say something of a job on this page; the others are left out.
const SAYS = {
  rate: (j: Job) => rate(j) !== "", attempt: (j: Job) => j.attempt > 1, priority: (j: Job) => j.priority !== 0, owner: (j: Job) => j.owner !== null,
  labels: (j: Job) => Object.keys(j.labels).length > 0,
};
type Optional = keyof typeof SAYS;
const optional = (jobs: Job[], by: string | null) => new Set((Object.keys(SAYS) as Optional[]).filter((c) => jobs.some(SAYS[c]) || by?.replace("-", "") === c));

interface RowProps {
  job: Job;
  chosen: Set<string>;
  toggle: (id: string) => void;
  columns: Set<Optional>;
  child?: boolean;
  name?: string; // of a job of a sweep: its place and what was varied
}

function Row({ job, chosen, toggle, columns, child, name }: RowProps) {
  const [open, setOpen] = useState(false);
  const sweep = job.kind === "sweep";
  return (
    <>
      <tr class={child ? "child" : ""} data-job={job.id}>
        <td class="tight"><input type="checkbox" checked={chosen.has(job.id)} onChange={() => toggle(job.id)} aria-label={`choose job ${job.id}`} /></td>
        <td>
          {sweep && <button class="plain" aria-expanded={open} aria-label={`jobs of sweep ${job.id}`} onClick={() => setOpen(!open)}>{open ? "▾" : "▸"}</button>}
          <a class="id" href={href(["jobs", job.id])}>{job.id.slice(-10)}</a>
        </td>
        <td><State state={job.state} /><Warned job={job} /></td>
        <td data-of="model">{name && !job.model.revision ? "" : modelName(job)} {name && <span class="varied">{name}</span>}</td>
        <td data-of="kind">{job.kind}{sweep && job.jobs ? ` of ${Object.values(job.jobs).reduce((a, b) => a + b, 0)}` : ""}</td>
        <td data-of="progress"><Progress job={job} /></td>
        {columns.has("rate") && <td data-of="rate">{rate(job)}</td>}
        {columns.has("attempt") && <td data-of="attempt">{job.attempt}</td>}
        {columns.has("priority") && <td data-of="priority">{job.priority || ""}</td>}
        {columns.has("owner") && <td data-of="owner">{job.owner && <a href={href(["jobs"], { owner: job.owner })} title="Only this owner">{job.owner}</a>}</td>}
        {columns.has("labels") && <td data-of="labels"><Labels job={job} /></td>}
        <td data-of="created">{when(job.created_at)}</td>
        <td data-of="took">{lasted(job)}</td>
      </tr>
      {job.error && !child && <tr class="reason"><td /><td colSpan={12}>{job.error.code}: {job.error.detail}</td></tr>}
      {open && <Children parent={job.id} chosen={chosen} toggle={toggle} columns={columns} />}
    </>
  );
}

function Children({ parent, chosen, toggle, columns }: { parent: string; chosen: Set<string>; toggle: (id: string) => void; columns: Set<Optional> }) {
  const list = useLoaded((signal) => get<JobList>(`/v1/jobs${text({ parent, limit: 50 })}`, signal), [parent],
    (l) => (l?.jobs.some((j) => !ended(j.state)) ? 1500 : 0));
  const names = useLoaded((signal) => namesOf(parent, true, signal), [parent]);
  return (
    <>
      {list.problem && <tr><td /><td colSpan={12}><ProblemBox problem={list.problem} /></td></tr>}
      {list.value?.jobs.map((job, i) => <Row key={job.id} job={job} chosen={chosen} toggle={toggle} columns={columns} name={names.value?.(job.id, i)} child />)}
      {list.value?.next_cursor && <tr class="child"><td /><td colSpan={12}><a href={href(["jobs"], { parent })}>all jobs of this sweep</a></td></tr>}
    </>
  );
}

// datetime-local works in local time, the API in UTC.
const toLocal = (iso: string | null) => (iso ? new Date(Date.parse(iso) - new Date().getTimezoneOffset() * 60000).toISOString().slice(0, 16) : "");
const toUtc = (local: string) => (local ? new Date(local).toISOString().replace(/\.\d+Z$/, "Z") : undefined);

function Filters({ query }: { query: URLSearchParams }) {
  const narrow = useNarrow();
  const set = (key: string) => (e: Event) => change({ [key]: (e.target as HTMLInputElement).value || undefined, cursor: undefined });
  const choose = (key: string, values: readonly string[]) => (
    <label>
      {key}
      <select value={query.get(key) ?? ""} onChange={set(key)} name={key}>
        <option value="">any</option>
        {values.map((v) => <option key={v} value={v}>{v}</option>)}
      </select>
    </label>
  );
  const type = (key: string, hint: string) => (
    <label>{key}<input name={key} value={query.get(key) ?? ""} placeholder={hint} onChangeCapture={set(key)} /></label>
  );
  const time = (key: string) => (
    <label>
      {key}
      <input type="datetime-local" name={key} value={toLocal(query.get(key))}
        onChangeCapture={(e) => change({ [key]: toUtc((e.target as HTMLInputElement).value), cursor: undefined })} />
    </label>
  );
  const count = FILTERS.filter((f) => query.get(f)).length;
  return (
    <details class="folded" open={!narrow}>
    <summary>Filters{count ? ` (${count})` : ""}</summary>
    <form class="filters" role="search" aria-label="Filter jobs" onSubmit={(e) => e.preventDefault()}>
      {choose("state", STATES)}
      {choose("kind", KINDS)}
      {type("model", "name")}
      {type("label", "key:value")}
      {type("owner", "name")}
      {time("since")}
      {time("until")}
      {query.get("parent") && <span class="label">jobs of sweep {query.get("parent")!.slice(-10)}</span>}
      {count > 0 && <a class="button" href="#/jobs">Clear</a>}
    </form>
    </details>
  );
}

type Action = "cancel" | "retry" | "delete";

async function act(action: Action, id: string): Promise<void> {
  await (action === "delete" ? send(`/v1/jobs/${id}`, { method: "DELETE" }) : send(`/v1/jobs/${id}:${action}`, { method: "POST" }));
}

const FITS: Record<Action, (j: Job) => boolean> = {
  cancel: (j) => !ended(j.state),
  retry: (j) => j.state === "failed" || j.state === "cancelled",
  delete: (j) => ended(j.state) && !j.parent,
};

function Bulk({ chosen, done }: { chosen: Job[]; done: () => void }) {
  const [problems, setProblems] = useState<Problem[]>([]);
  const [busy, setBusy] = useState(false);
  const run = async (action: Action) => {
    const jobs = chosen.filter(FITS[action]);
    if (action === "delete" && !(await ask(jobs.length === 1 ? "Delete this job and its result?" : `Delete ${jobs.length} jobs and their results?`, "Delete"))) return;
    setBusy(true);
    const failed: Problem[] = [];
    for (const job of jobs) await act(action, job.id).catch((e) => failed.push(problemOf(e)));
    setProblems(failed);
    setBusy(false);
    done();
  };
  return (
    <>
      <div class="bulk" role="toolbar" aria-label="Chosen jobs">
        <span>{chosen.length} chosen</span>
        {(Object.keys(FITS) as Action[]).map((action) => {
          const n = chosen.filter(FITS[action]).length;
          return <button key={action} disabled={busy || n === 0} onClick={() => run(action)}>{action[0].toUpperCase() + action.slice(1)}{n ? ` ${n}` : ""}</button>;
        })}
      </div>
      {problems.slice(0, 5).map((p) => <ProblemBox key={p.message} problem={p} />)}
    </>
  );
}

function Head({ query, all, toggleAll, columns }: { query: URLSearchParams; all: boolean; toggleAll: () => void; columns: Set<Optional> }) {
  const by = query.get("sort");
  const column = (key: string, name = key) => {
    const down = by === `-${key}`, up = by === key;
    return (
      <th key={key} aria-sort={up ? "ascending" : down ? "descending" : "none"}>
        <button class="plain" onClick={() => change({ sort: up ? `-${key}` : down ? undefined : key }, true)}>{name}{up ? " ↑" : down ? " ↓" : ""}</button>
      </th>
    );
  };
  return (
    <thead>
      <tr>
        <th class="tight"><input type="checkbox" checked={all} onChange={toggleAll} aria-label="choose all on this page" /></th>
        <th>job</th>
        {column("state")}{column("model")}{column("kind")}{column("progress")}
        {(["rate", "attempt", "priority", "owner"] as const).filter((c) => columns.has(c)).map((c) => column(c))}
        {columns.has("labels") && <th>labels</th>}
        {column("created")}
        <th>took</th>
      </tr>
    </thead>
  );
}

// Progress of running jobs between two replies of the list, by their ids.
function useProgress(jobs: Job[], reload: () => void): Map<string, Job["progress"]> {
  const [progress, set] = useState(new Map<string, Job["progress"]>());
  const ids = jobs.filter((j) => j.state === "running").slice(0, FOLLOWED).map((j) => j.id);
  useEffect(() => {
    const stops = ids.map((id) => {
      let known = false; // the first state told is the one we know
      return follow(id, (e) => {
        if (e.event === "progress") known = true, set((all) => new Map(all).set(id, { fraction: e.fraction ?? 0, t: e.t ?? 0, t_end: e.t_end ?? 0, phase: e.phase }));
        if (e.event === "state" && (known || ended(e.state!))) reload();
      }, reload);
    });
    return () => stops.forEach((stop) => stop());
  }, [ids.join()]);
  return progress;
}

const waitFor = (jobs: Job[]) => {
  const running = jobs.filter((j) => j.state === "running").length, busy = jobs.some((j) => !ended(j.state));
  return !busy ? QUIET_MS : running > 0 && running <= FOLLOWED ? FOLLOWING_MS : BUSY_MS;
};

export function JobsPage({ query }: { query: URLSearchParams }) {
  const filter = Object.fromEntries(FILTERS.map((f) => [f, query.get(f)])), cursor = query.get("cursor");
  const list = useLoaded((signal) => get<JobList>(`/v1/jobs${text({ ...filter, parent: filter.parent ?? "none", cursor, limit: PAGE })}`, signal),
    [JSON.stringify(filter), cursor], (l) => waitFor(l?.jobs ?? []));
  const { parent } = filter, whole = !cursor && FILTERS.every((f) => f === "parent" || !filter[f]);
  const names = useLoaded(async (signal) => (parent && parent !== "none" ? { of: await namesOf(parent, whole, signal) } : null), [parent, whole]);
  const ranks = new Map((list.value?.jobs ?? []).map((j, i) => [j.id, i]));
  const [chosen, setChosen] = useState(new Set<string>());
  const progress = useProgress(list.value?.jobs ?? [], list.reload);
  const now = (list.value?.jobs ?? []).map((j) => (j.state === "running" && progress.has(j.id) ? { ...j, progress: progress.get(j.id)! } : j));
  const jobs = sorted(now, query.get("sort"));
  const columns = optional(jobs, query.get("sort"));
  const toggle = (id: string) => setChosen((s) => (s = new Set(s), s.delete(id) || s.add(id), s));
  const all = jobs.length > 0 && jobs.every((j) => chosen.has(j.id));
  const toggleAll = () => setChosen(all ? new Set() : new Set(jobs.map((j) => j.id)));
  const picked = jobs.filter((j) => chosen.has(j.id));
  return (
    <>
      <div class="row"><h1>Jobs</h1><a class="button primary" href="#/submit">New job</a></div>
      <Filters query={query} />
      <ProblemBox problem={list.problem} />
      {picked.length > 0 && <Bulk chosen={picked} done={() => (setChosen(new Set()), list.reload())} />}
      <div class="scroll">
        <table class="jobs cards">
          <Head query={query} all={all} toggleAll={toggleAll} columns={columns} />
          <tbody>{jobs.map((job) => <Row key={job.id} job={job} chosen={chosen} toggle={toggle} columns={columns} name={names.value?.of(job.id, ranks.get(job.id)!)} />)}</tbody>
        </table>
      </div>
      {list.value && jobs.length === 0 && <p class="quiet">No jobs here.</p>}
      <div class="row">
        {cursor && <a class="button" href={href(["jobs"], { ...filter, sort: query.get("sort") ?? undefined } as Record<string, string>)}>Newest</a>}
        {list.value?.next_cursor && <button onClick={() => change({ cursor: list.value!.next_cursor! })}>Older</button>}
        <span class="quiet">{number(jobs.length)} shown</span>
      </div>
    </>
  );
}

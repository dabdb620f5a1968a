// What the server says of itself: readiness, workers, queue, store, requests, limits.
import { get, post, token, type Problem } from "../api/client";
import { loadMetrics, type Metrics } from "../api/metrics";
import { STATES } from "../api/types";
import { Download } from "../ui/download";
import { problemOf, useLoaded, useTokenTurn } from "../ui/hooks";
import { bytes, Facts, number, Panel, ProblemBox, span, when } from "../ui/parts";
import { lazy, Suspense } from "preact/compat";
import { useMemo, useState } from "preact/hooks";
import { jobsSince, note, occupancy, rates } from "../ui/history";
import type { Series } from "../ui/plot";
import { limitOf } from "../ui/limits";
import { href } from "../ui/router";

const Plot = lazy(() => import("../ui/plot"));
const REFRESH_MS = 3000, HISTORY_MS = 10000;
const SPAN_S = 1800, BINS = 180;

const count = (x: number | undefined) => (x === undefined ? "" : number(x));
const size = (x: number | undefined) => (x === undefined ? "" : bytes(x));

function mean(m: Metrics, name: string): string {
  const n = m.total(`${name}_count`), sum = m.total(`${name}_sum`);
  return n && sum !== undefined ? `${number((1000 * sum) / n)} ms` : "";
}

function Workers({ m }: { m: Metrics }) {
  const busy = m.value("tendril_workers", '{activity="busy"}') ?? 0, idle = m.value("tendril_workers", '{activity="idle"}') ?? 0;
  return (
    <Panel title="Workers">
      <p class="row">
        <meter min={0} max={busy + idle || 1} value={busy} aria-label="busy workers" /> {busy} of {busy + idle} busy
      </p>
      <Facts rows={[
        ["started", count(m.total("tendril_worker_starts_total"))], ["started again", count(m.total("tendril_worker_restarts_total"))],
        ["attempts", count(m.total("tendril_attempts_total"))], ["crashed", count(m.value("tendril_attempts_total", '{outcome="crashed"}'))],
        ["leases lost", count(m.total("tendril_leases_lost_total"))], ["solver steps", count(m.total("tendril_solver_steps_total"))],
      ]} />
    </Panel>
  );
}

function Queue({ m }: { m: Metrics }) {
  return (
    <Panel title="Queue">
      <Facts rows={[
        ...STATES.map((state) => [state, <a href={href(["jobs"], { state })}>{count(m.value("tendril_jobs", `{state="${state}"}`))}</a>] as [string, preact.ComponentChildren]),
        ["submitted since the start", count(m.total("tendril_jobs_submitted_total"))], ["ended since the start", count(m.total("tendril_jobs_ended_total"))],
      ]} />
    </Panel>
  );
}

function Store({ m }: { m: Metrics }) {
  return (
    <Panel title="Store">
      <Facts rows={[
        ["results", size(m.value("tendril_store_results_bytes"))], ["database", size(m.value("tendril_store_database_bytes"))],
        ["its log", size(m.value("tendril_store_wal_bytes"))], ["commits", count(m.total("tendril_store_commits_total"))],
        ["a commit takes", mean(m, "tendril_store_commit_duration_seconds")],
        ["pruned", count(m.total("tendril_jobs_pruned_total"))], ["results lost", count(m.total("tendril_results_lost_total"))],
      ]} />
    </Panel>
  );
}

function Chart({ title, series, unit }: { title: string; series: Series[]; unit: string }) {
  return (
    <figure class="over-time" data-chart={title}>
      <figcaption>{title}</figcaption>
      <Suspense fallback={<p class="quiet">Loading…</p>}>{series[0].x.length > 1 ? <Plot series={series} amounts xLabel="minutes, now is 0" yLabel={unit} height={170} /> : <p class="quiet">Two readings are needed.</p>}</Suspense>
    </figure>
  );
}

// Queue, runs and throughput of the last half hour, from what jobs say of themselves; load since the dashboard was opened.
function OverTime({ m }: { m: Metrics | null }) {
  const jobs = useLoaded((s) => jobsSince(new Date(Date.now() - 1000 * SPAN_S), s), [], () => HISTORY_MS);
  const past = useMemo(() => {
    if (!jobs.value) return null;
    const now = Date.now(), { jobs: list, whole } = jobs.value, oldest = list[list.length - 1], span_s = whole || !oldest ? SPAN_S : Math.max(60, (now - Date.parse(oldest.created_at)) / 1000);
    return { ...occupancy(list, now, span_s, BINS), whole, span: span_s };
  }, [jobs.value]);
  const load = useMemo(() => { const now = Date.now(); return (["requests", "states", "cpu"] as const).map((of) => rates(now, of)); }, [m]);
  if (!past) return null; // a token may not see them
  const of = (label: string, y: Float64Array, x = past.minutes): Series => ({ label, x, y, dots: false });
  return (
    <Panel title={`The last ${span(past.span)}`} more={<span class="quiet">{!past.whole && "as far as the newest 1200 jobs tell"}</span>}>
      <div class="three">
        <Chart title="Queue" unit="jobs" series={[of("queued", past.queued), of("running", past.running)]} />
        <Chart title="Throughput" unit="jobs a minute" series={[of("ended", past.ended)]} />
        <Chart title="Load, while this page is open" unit="a second" series={[of("requests", load[0].values, load[0].minutes), of("states evaluated", load[1].values, load[1].minutes), of("processors busy", load[2].values, load[2].minutes)]} />
      </div>
    </Panel>
  );
}

interface Node {
  id: string;
  name: string;
  host: string;
  state: "ready" | "draining" | "lost";
  slots: number;
  running: number;
  version: string;
  cpu_level: string;
  heartbeat_at: string;
  self: boolean;
}

// A node that is drained takes no more jobs; those that it runs go on.
function Nodes() {
  const [turn, setTurn] = useState(0);
  const [problem, setProblem] = useState<Problem | null>(null);
  const nodes = useLoaded((s) => get<{ nodes: Node[] }>("/v1/nodes", s), [turn], () => REFRESH_MS);
  const drain = (node: Node) => {
    const undo = node.state === "draining" ? "?undo=1" : "";
    setProblem(null);
    post(`/v1/nodes/${node.id}/drain${undo}`).then(() => setTurn(turn + 1), (error) => setProblem(problemOf(error)));
  };
  if (!nodes.value) return null; // whoever sees only their own jobs is not told
  return (
    <Panel title="Nodes">
      <ProblemBox problem={problem} />
      <div class="scroll">
        <table class="nodes cards">
          <thead><tr><th>node</th><th>state</th><th>running</th><th>slots</th><th>CPU level</th><th>version</th><th>heard of</th><th>host</th><th /></tr></thead>
          <tbody>
            {nodes.value.nodes.map((node) => (
              <tr key={node.id}>
                <td>{node.name}{node.self ? " (this one)" : ""}</td><td data-of="state">{node.state}</td><td data-of="running"><a href={href(["jobs"], { state: "running" })}>{node.running}</a></td><td data-of="slots">{node.slots}</td>
                <td data-of="CPU level">{node.cpu_level}</td><td data-of="version">{node.version}</td><td data-of="heard of">{when(node.heartbeat_at)}</td><td data-of="host">{node.host}</td>
                <td>{node.state !== "lost" && <button type="button" onClick={() => drain(node)}>{node.state === "draining" ? "resume" : "drain"}</button>}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Panel>
  );
}

function Traffic({ m }: { m: Metrics }) {
  const started = m.value("process_start_time_seconds");
  return (
    <Panel title="Process">
      <Facts rows={[
        ["up for", started ? span(Date.now() / 1000 - started) : ""], ["memory", size(m.value("process_resident_memory_bytes"))],
        ["processor time", m.value("process_cpu_seconds_total") === undefined ? "" : span(m.value("process_cpu_seconds_total")!)],
        ["files open", `${count(m.value("process_open_fds"))} of ${count(m.value("process_max_fds"))}`],
        ["HTTP requests", count(m.total("tendril_http_requests_total"))], ["one takes", mean(m, "tendril_http_request_duration_seconds")],
        ["states evaluated", count(m.total("tendril_evaluated_states_total"))], ["watchers of events", count(m.value("tendril_event_watchers"))],
      ]} />
    </Panel>
  );
}

// What the page itself shows for people, for programs.
function Documents() {
  const entered = useTokenTurn();
  return (
    <span key={entered} class="links">
      <a href="/openapi.json">openapi.json</a>{" "}
      {token.get() ? <Download path="/metrics" accept="*/*" file="metrics.txt" plain>metrics</Download> : <a href="/metrics">metrics</a>}
    </span>
  );
}

export function ServerPage() {
  const ready = useLoaded((s) => get<{ status: string }>("/readyz", s), [], () => REFRESH_MS);
  const version = useLoaded((s) => get<Record<string, string>>("/v1/version", s), []);
  const limits = useLoaded((s) => get<Record<string, number>>("/v1/limits", s), []);
  const metrics = useLoaded(async (s) => { const read = await loadMetrics(s); note(read); return read; }, [], () => REFRESH_MS), m = metrics.value;
  return (
    <>
      <h1>Server</h1>
      <ProblemBox problem={ready.problem ?? version.problem ?? metrics.problem ?? limits.problem} />
      <div class="three five">
        <Panel title="State" more={<Documents />}>
          <Facts rows={[["ready", ready.value?.status ?? "no"], ...Object.entries(version.value ?? {}).map(([k, v]) => [k.replace(/_/g, " "), v] as [string, string])]} />
        </Panel>
        {m && <><Workers m={m} /><Queue m={m} /><Store m={m} /><Traffic m={m} /></>}
      </div>
      <OverTime m={m} />
      <Nodes />
      <Panel title="Limits">
        <Facts rows={Object.entries(limits.value ?? {}).map(([k, v]) => limitOf(k, v))} />
      </Panel>
    </>
  );
}

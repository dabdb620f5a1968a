// What the server says of itself: readiness, workers, queue, store, requests, limits.
import { get, post, token, type Problem } from "../api/client";
import { loadMetrics, type Metrics } from "../api/metrics";
import { STATES } from "../api/types";
import { Download } from "../ui/download";
import { problemOf, useLoaded, useTokenTurn } from "../ui/hooks";
import { bytes, Facts, number, Panel, ProblemBox, span, when } from "../ui/parts";
import { useState } from "preact/hooks";
import { href } from "../ui/router";

const REFRESH_MS = 3000;

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
        <table class="nodes">
          <thead><tr><th>node</th><th>state</th><th>running</th><th>slots</th><th>CPU level</th><th>version</th><th>heard of</th><th>host</th><th /></tr></thead>
          <tbody>
            {nodes.value.nodes.map((node) => (
              <tr key={node.id}>
                <td>{node.name}{node.self ? " (this one)" : ""}</td><td>{node.state}</td><td><a href={href(["jobs"], { state: "running" })}>{node.running}</a></td><td>{node.slots}</td>
                <td>{node.cpu_level}</td><td>{node.version}</td><td>{when(node.heartbeat_at)}</td><td>{node.host}</td>
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
    <span key={entered}>
      <a href="/openapi.json">openapi.json</a>{" "}
      {token.get() ? <Download path="/metrics" accept="*/*" file="metrics.txt" plain>metrics</Download> : <a href="/metrics">metrics</a>}
    </span>
  );
}

export function ServerPage() {
  const ready = useLoaded((s) => get<{ status: string }>("/readyz", s), [], () => REFRESH_MS);
  const version = useLoaded((s) => get<Record<string, string>>("/v1/version", s), []);
  const limits = useLoaded((s) => get<Record<string, number>>("/v1/limits", s), []);
  const metrics = useLoaded(loadMetrics, [], () => REFRESH_MS), m = metrics.value;
  return (
    <>
      <h1>Server</h1>
      <ProblemBox problem={ready.problem ?? version.problem ?? metrics.problem ?? limits.problem} />
      <div class="three">
        <Panel title="State" more={<Documents />}>
          <Facts rows={[["ready", ready.value?.status ?? "no"], ...Object.entries(version.value ?? {}).map(([k, v]) => [k.replace(/_/g, " "), v] as [string, string])]} />
        </Panel>
        {m && <><Workers m={m} /><Queue m={m} /><Store m={m} /><Traffic m={m} /></>}
      </div>
      <Nodes />
      <Panel title="Limits">
        <Facts rows={Object.entries(limits.value ?? {}).map(([k, v]) => [k.replace(/_/g, " ").replace(/ bytes$/, ""), k.endsWith("_bytes") ? bytes(v) : number(v)])} />
      </Panel>
    </>
  );
}

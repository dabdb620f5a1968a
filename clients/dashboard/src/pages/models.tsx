// Models: the list, and one of them: document to edit, revisions, coordinates and channels, and its shape with sliders
// for q; the shape of equilibrium under given inputs comes from a statics job.
import { lazy, Suspense } from "preact/compat";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { get, post, query as text, send, Problem } from "../api/client";
import { Archive } from "../api/npz";
import { ended, type Job, type JobError, type Model, type Summary, type Warning } from "../api/types";
import { channelReaches, coordinateReaches, type Reach } from "../robot/reach";
import { buildRobot } from "../robot/robot";
import type { Motion } from "../ui/motion";
import { complaintOf, Editor, type Complaint } from "../ui/editor";
import { problemOf, useLoaded } from "../ui/hooks";
import { says } from "../ui/meaning";
import { Facts, Panel, ProblemBox, when } from "../ui/parts";
import { pretty } from "../ui/pretty";
import { change, href, modelHref } from "../ui/router";
import { scan } from "../ui/pointer";
import { schemaOf } from "../ui/schema";

const Player = lazy(() => import("../scene/player"));

interface Entry {
  name: string;
  owner?: string | null;
  revision: number;
  sha256: string;
  created_at?: string;
  ndof?: number;
}

export function ModelsPage({ query }: { query: URLSearchParams }) {
  const cursor = query.get("cursor");
  const list = useLoaded((s) => get<{ models: Entry[]; next_cursor: string | null }>(`/v1/models${text({ cursor, limit: 50 })}`, s), [cursor], () => 10000);
  return (
    <>
      <div class="row"><h1>Models</h1><a class="button primary" href="#/submit">New job with a model</a></div>
      <ProblemBox problem={list.problem} />
      <div class="scroll">
        <table class="cards">
          <thead><tr><th>name</th><th>owner</th><th>revision</th><th>changed</th><th /></tr></thead>
          <tbody>
            {list.value?.models.map((m) => (
              <tr key={`${m.name}/${m.owner ?? ""}`}>
                <td><a href={modelHref(m.name, m.owner)}>{m.name}</a></td>
                <td data-of="owner">{m.owner ?? ""}</td>
                <td data-of="revision">{m.revision}</td>
                <td data-of="changed">{m.created_at ? when(m.created_at) : ""}</td>
                <td class="links"><a href={href(["submit"], { model: m.name, owner: m.owner ?? "none" })}>new job</a> <a href={href(["jobs"], { model: m.name })}>jobs</a></td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {list.value?.models.length === 0 && <p class="quiet">No models are stored. Submit an example: it is kept under its name.</p>}
      {list.value?.next_cursor && <button onClick={() => change({ cursor: list.value!.next_cursor! })}>More</button>}
    </>
  );
}

const DRAFT = -1; // the revision of what is being edited
const STATIC_LABEL = { dashboard: "static" };
const PAUSE_MS = 150;

// What the engine or the server answered, where the request itself succeeded.
const refused = ({ code, detail }: Pick<JobError, "code" | "detail">) => new Problem({ status: 200, code, detail });

// What a job says for a model: its name, where that means this one to who asks; the document where somebody else has
// it.
async function meantBy(model: Model): Promise<unknown> {
  if (model.revision === DRAFT) return model.document;
  const named = await get<Model>(`/v1/models/${encodeURIComponent(model.name!)}/revisions/${model.revision}`).catch(() => null);
  return named && (named.owner ?? null) === (model.owner ?? null) ? `${model.name}@${model.revision}` : model.document;
}

// q of equilibrium under constant inputs: a statics job that goes first and is deleted afterwards, also when nobody
// waits any more.
async function equilibrium(model: Model, inputs: Record<string, number>, signal: AbortSignal): Promise<Float64Array> {
  const job = await post<Job>("/v1/jobs", { model: await meantBy(model), kind: "statics", inputs, unconverged: "keep", priority: 100, labels: STATIC_LABEL });
  try {
    let now = job;
    while (!ended(now.state) && !signal.aborted) {
      await new Promise((r) => setTimeout(r, PAUSE_MS));
      now = await get<Job>(`/v1/jobs/${job.id}`);
    }
    signal.throwIfAborted();
    if (now.state !== "succeeded") throw refused(now.error ?? { code: now.state, detail: "The job that looked for the static shape ended without a result." });
    const archive = await Archive.open(`/v1/jobs/${job.id}/result`);
    const [failure] = (await archive.summary<Pick<Summary, "failures">>()).failures ?? [];
    if (failure) throw refused({ ...failure, code: failure.code === "not_converged" ? "no_equilibrium" : failure.code });
    return (await archive.array("q")).data.slice(0, model.ndof);
  } finally {
    if (signal.aborted) await send(`/v1/jobs/${job.id}:cancel`, { method: "POST" }).catch(() => undefined);
    await send(`/v1/jobs/${job.id}`, { method: "DELETE" }).catch(() => undefined);
  }
}

// onChangeCapture: what the browser calls change, a value that is settled; compat makes every input of onChange.
function Slider({ name, value, reach: { low, high, unit }, set, done }: { name: string; value: number; reach: Reach; set: (v: number) => void; done?: () => void }) {
  const read = (e: Event) => Number((e.target as HTMLInputElement).value);
  const from = Math.min(low, value), to = Math.max(high, value);
  return (
    <label class="slider">
      <span title={name}>{name}</span>
      <input type="range" min={from} max={to} step={(high - low) / 200} value={value} onInput={(e) => set(read(e))} onChangeCapture={done} />
      <span class="value"><input type="number" step="any" value={Number(value.toPrecision(4))} aria-label={`${name}, exactly`} onChangeCapture={(e) => (set(read(e)), done?.())} /> {unit}</span>
    </label>
  );
}

// Solves for what was asked last: while one shape is computed, only the newest wish waits.
function useEquilibrium(model: Model, take: (q: Float64Array) => void) {
  const [problem, setProblem] = useState<Problem | null>(null);
  const [busy, setBusy] = useState(false);
  const wish = useRef<Float64Array | null>(null), working = useRef(false), stop = useRef(new AbortController());
  useEffect(() => {
    const mine = (stop.current = new AbortController());
    setProblem(null);
    return () => (mine.abort(), void (wish.current = null));
  }, [model]);
  const settle = async (u: Float64Array) => {
    wish.current = u;
    if (working.current) return;
    working.current = true;
    setBusy(true);
    while (wish.current) {
      const now = wish.current, { signal } = stop.current;
      wish.current = null;
      try {
        const q = await equilibrium(model, Object.fromEntries(model.channels.map((c, i) => [c, now[i]])), signal);
        if (!signal.aborted) take(q), setProblem(null);
      } catch (error) {
        if (!signal.aborted) setProblem(problemOf(error));
      }
    }
    working.current = false;
    setBusy(false);
  };
  return { settle, busy, problem };
}

function Shape({ model }: { model: Model }) {
  const [q, setQ] = useState<Float64Array>(() => new Float64Array(model.ndof));
  const [u, setU] = useState<Float64Array>(() => new Float64Array(model.channels.length));
  const [follows, setFollows] = useState(true);
  const newest = useRef(u);
  newest.current = u;
  const moved = useRef(false); // what is shown is an equilibrium
  const { settle, busy, problem } = useEquilibrium(model, setQ);
  const names = JSON.stringify([model.coordinates, model.channels]), known = useRef(names);
  useEffect(() => { // of another robot nothing is kept, of the same one with other numbers all
    if (known.current === names) return void (moved.current && follows && settle(newest.current));
    known.current = names;
    moved.current = false;
    setQ(new Float64Array(model.ndof));
    setU(new Float64Array(model.channels.length));
  }, [model]);
  const fits = q.length === model.ndof && u.length === model.channels.length, zero = useMemo(() => ({ q: new Float64Array(model.ndof), u: new Float64Array(model.channels.length) }), [model]);
  const motion = useMemo<Motion>(() => ({ id: model.name, documents: [model.document], t: Float64Array.of(0), rows: "time", q: fits ? q : zero.q, n: model.ndof, u: fits ? u : zero.u, channels: model.channels.length }), [model, q, u]);
  const reaches = useMemo(() => {
    const robot = buildRobot(model.document);
    return { q: coordinateReaches(robot), u: channelReaches(robot) };
  }, [model]);
  const put = (all: Float64Array, i: number, v: number) => all.map((x, k) => (k === i ? v : x));
  const pull = (i: number, v: number) => setU((newest.current = put(newest.current, i, v)));
  const find = () => ((moved.current = true), settle(newest.current));
  const released = () => follows && void find();
  return (
    <Panel title={model.revision === DRAFT ? "Shape, as edited" : "Shape"}>
      <Suspense fallback={<p class="quiet">Loading 3D…</p>}><Player motions={[motion]} controls={false} /></Suspense>
      {model.channels.length > 0 && (
        <details open>
          <summary>Inputs</summary>
          {model.channels.map((c, i) => <Slider key={c} name={c} value={u[i] ?? 0} reach={reaches.u[i]} set={(v) => pull(i, v)} done={released} />)}
        </details>
      )}
      <div class="row">
        <button onClick={find} disabled={busy}>{busy ? "Solving…" : "Static shape"}</button>
        <button onClick={() => ((moved.current = false), setQ(new Float64Array(model.ndof)))}>q = 0</button>
        {model.channels.length > 0 && <label class="check"><input type="checkbox" checked={follows} onChange={() => setFollows(!follows)} />the static shape follows the inputs</label>}
      </div>
      <ProblemBox problem={problem} />
      <details>
        <summary>Coordinates ({model.ndof})</summary>
        {model.coordinates.map((c, i) => <Slider key={c} name={c} value={q[i] ?? 0} reach={reaches.q[i]} set={(v) => ((moved.current = false), setQ((all) => put(all, i, v)))} />)}
      </details>
    </Panel>
  );
}

const CHECK_MS = 350;

// What the server says of a text while it is typed: the model that it would be, or what is wrong with it.
function useChecked(source: string, same: boolean): { model: Model | null; complaint: Complaint | null; checking: boolean } {
  const [said, set] = useState<{ of: string; model: Model | null; complaint: Complaint | null }>({ of: "", model: null, complaint: null });
  useEffect(() => {
    if (same || source === said.of || !source.trim() || scan(source).error) return;
    const stop = new AbortController(), timer = setTimeout(async () => {
      try {
        const reply = await send("/v1/models?validate=1", { method: "POST", body: source, signal: stop.signal }), model = (await reply.json()) as Model;
        set({ of: source, model: { ...model, document: JSON.parse(source), revision: DRAFT }, complaint: null });
      } catch (error) {
        if (stop.signal.aborted) return;
        const { body } = problemOf(error);
        if (body.pointer !== undefined) set((s) => ({ ...s, of: source, complaint: complaintOf(body) }));
      }
    }, CHECK_MS);
    return () => (stop.abort(), clearTimeout(timer));
  }, [source, same]);
  const checking = !same && said.of !== source;
  return same ? { model: null, complaint: null, checking } : { model: said.model, complaint: checking ? null : said.complaint, checking };
}

// `newest`: the revision that what is saved here follows, whichever is looked at. `draft` takes what the text says, null while that is
// what is stored.
function Document({ model, newest, reload, draft }: { model: Model; newest: Entry; reload: () => void; draft: (m: Model | null) => void }) {
  const [source, setSource] = useState("");
  const [complaint, setComplaint] = useState<Complaint | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [said, setSaid] = useState("");
  const [found, setFound] = useState<Warning[] | null>(null); // in what was checked or saved here; null: look at the stored one
  const schema = useLoaded(() => schemaOf("ModelDocument"), []).value;
  const saved = useRef(""); // what was saved here comes back by loading: the text, edited on meanwhile, stays
  useEffect(() => { if (model.sha256 !== saved.current) setSource(pretty(model.document)); }, [model.sha256]);
  const same = useMemo(() => source === "" || says(source, model.document), [source, model]), unchanged = same && model.revision === newest.revision;
  const typed = useChecked(source, same);
  useEffect(() => draft(typed.model), [typed.model]);
  const put = async (validate: boolean) => {
    setComplaint(null);
    setProblem(null);
    setSaid("");
    setFound(null);
    try {
      const headers = validate ? undefined : { "If-Match": `"${newest.sha256}"` };
      const reply = await send(`/v1/models/${encodeURIComponent(model.name)}${text({ validate: validate ? 1 : undefined, owner: model.owner ?? "none" })}`, { method: "PUT", body: source, headers });
      const now = (await reply.json()) as Model;
      setSaid(validate ? "The document is valid." : `Revision ${now.revision}.`);
      setFound(now.warnings);
      if (!validate) (saved.current = now.sha256), reload();
    } catch (error) {
      const p = problemOf(error);
      if (p.body.pointer !== undefined) setComplaint(complaintOf(p.body));
      else setProblem(p);
    }
  };
  const odd = found ?? (same ? model.warnings : typed.complaint || typed.checking ? [] : typed.model?.warnings ?? []);
  const state = same ? `This is what revision ${model.revision} says.` : typed.checking ? "" : typed.complaint ? "" : typed.model ? "Not saved; it could be." : "";
  return (
    <Panel title="Document">
      <Editor label="Document" titled={false} text={source} change={(t) => (setSource(t), setSaid(""), setComplaint(null), setFound(null))} complaint={complaint ?? typed.complaint} quiet={!complaint}
        warnings={odd} schema={schema} rows={30} />
      <div class="row">
        <button onClick={() => put(true)}>Check</button>
        <button class="primary" disabled={unchanged} onClick={() => put(false)}>Save as a new revision</button>
        <span role="status">{said || state}</span>
      </div>
      <ProblemBox problem={problem} />
    </Panel>
  );
}

export function ModelPage({ name, query }: { name: string; query: URLSearchParams }) {
  const revision = query.get("revision"), path = `/v1/models/${encodeURIComponent(name)}`, owner = query.get("owner"), whose = text({ owner });
  const model = useLoaded((s) => get<Model>((revision ? `${path}/revisions/${revision}` : path) + whose, s), [name, revision, owner]);
  const revisions = useLoaded((s) => get<{ revisions: Entry[] }>(`${path}/revisions${whose ? `${whose}&` : "?"}limit=1000`, s), [name, owner, model.value?.revision]);
  const m = model.value, [draft, setDraft] = useState<Model | null>(null);
  const newest = m && (revisions.value?.revisions ?? []).reduce<Entry>((a, b) => (b.revision > a.revision ? b : a), m);
  const reload = () => (revision ? change({ revision: undefined }) : model.reload());
  return (
    <>
      <div class="row">
        <h1>{name}{m && <span class="quiet"> revision {m.revision}, {(draft ?? m).ndof} coordinates{m.owner ? `, of ${m.owner}` : ""}</span>}</h1>
        <a class="button primary" href={href(["submit"], { model: name, owner: m ? (m.owner ?? "none") : undefined })}>New job</a>
        <a class="button" href={href(["jobs"], { model: name })}>Jobs</a>
        <label>revision{" "}
          <select value={revision ?? ""} onChange={(e) => change({ revision: (e.target as HTMLSelectElement).value || undefined })}>
            <option value="">newest</option>
            {revisions.value?.revisions.map((r) => <option key={r.revision} value={r.revision}>{r.revision}{r.created_at ? `, ${when(r.created_at)}` : ""}</option>)}
          </select>
        </label>
      </div>
      <ProblemBox problem={model.problem} retry={model.reload} />
      {m && (
        <>
          {m.document.description && <p>{m.document.description}</p>}
          <div class="two">
            <Shape model={draft ?? m} />
            <Document model={m} newest={newest!} reload={reload} draft={setDraft} />
          </div>
          <Panel title="Channels"><Facts rows={(draft ?? m).channels.map((c, i) => [`u[${i}]`, c])} /></Panel>
        </>
      )}
    </>
  );
}

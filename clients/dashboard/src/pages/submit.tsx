// A new job: from an example, from another job (clone and edit), from a stored model, or from files. What the server
// finds wrong is shown in the document that it stands in, at its place.
import { useEffect, useRef, useState } from "preact/hooks";
import { get, post, Problem, send } from "../api/client";
import type { Job, JobDocument, Model, Warning } from "../api/types";
import { complaintOf, Editor, type Complaint } from "../ui/editor";
import { problemOf, useLoaded } from "../ui/hooks";
import { says } from "../ui/meaning";
import { ProblemBox } from "../ui/parts";
import { change, go } from "../ui/router";
import { scan } from "../ui/pointer";
import { pretty } from "../ui/pretty";
import { schemaOf } from "../ui/schema";

interface Draft {
  job: string;
  model: string; // "" when the job names a stored one
  keep: boolean; // store the model under its name
}

// As many lines as the window has room for beside what stands above and below.
const linesThatFit = () => Math.max(22, Math.floor((innerHeight - 320) / 18.2));

const BLANK = { kind: "dynamics", t_end: 1, inputs: {}, output: { dt: 0.01, fields: ["q", "qd", "energy"] } };

async function draftOf(query: URLSearchParams): Promise<Draft | null> {
  const example = query.get("example"), from = query.get("from"), model = query.get("model");
  if (example) {
    const found = await get<{ model: unknown; job: JobDocument }>(`/v1/examples/${encodeURIComponent(example)}`);
    return { job: pretty(found.job), model: pretty(found.model), keep: true };
  }
  if (from) {
    const found = await get<{ model: unknown; job: JobDocument }>(`/v1/jobs/${from}/document`);
    const named = found.job.model !== undefined || found.job.base !== undefined;
    return { job: pretty(found.job), model: named ? "" : pretty(found.model), keep: false };
  }
  if (model) {
    const owner = query.get("owner"), path = `/v1/models/${encodeURIComponent(model)}`;
    const meant = owner ? await get<Model>(path).catch(() => null) : null;
    if (!owner || (meant && (meant.owner ?? "none") === owner)) return { job: pretty({ model, ...BLANK }), model: "", keep: false };
    const found = await get<Model>(`${path}?owner=${encodeURIComponent(owner)}`); // somebody else's: it goes with the job
    return { job: pretty(BLANK), model: pretty(found.document), keep: false };
  }
  return null;
}

// The name that a job uses for a model that is stored first.
function nameOf(model: string): string | undefined {
  try {
    const name = (JSON.parse(model) as { name?: unknown }).name;
    return typeof name === "string" ? name : undefined;
  } catch {
    return undefined;
  }
}

class Refusal extends Error {
  constructor(readonly where: "job" | "model" | null, readonly problem: Problem, readonly split = false) {
    super(problem.message);
  }
}

// A refusal of the model: without a pointer it is not about the document.
function ofModel(error: unknown): Refusal {
  const problem = problemOf(error);
  return new Refusal(problem.body.pointer === undefined ? null : "model", problem);
}

// The newest revision says the same in other words: no need for one more.
async function isStored(name: string, model: string): Promise<boolean> {
  try {
    const kept = await get<Model>(`/v1/models/${encodeURIComponent(name)}`);
    return says(model, kept.document);
  } catch {
    return false;
  }
}

async function store(draft: Draft): Promise<string> {
  const name = nameOf(draft.model) ?? "";
  if (await isStored(name, draft.model)) return name;
  try {
    await send(`/v1/models/${encodeURIComponent(name)}`, { method: "PUT", body: draft.model });
  } catch (error) {
    throw ofModel(error);
  }
  return name;
}

// The job as it is sent: numbers of the texts stay as they were typed.
function body(draft: Draft, name?: string): string {
  const job = JSON.parse(draft.job) as JobDocument, inner = (job.kind === "sweep" ? job.base : job.kind === "gradient" ? job.of : job) as JobDocument;
  if (name) inner.model = name;
  else if (draft.model.trim()) inner.model = JSON.parse(draft.model);
  return JSON.stringify(job);
}

async function submit(draft: Draft): Promise<Job> {
  const own = draft.model.trim() !== "";
  const name = own && draft.keep ? await store(draft) : undefined;
  try {
    return await (await send("/v1/jobs", { method: "POST", body: body(draft, name) })).json();
  } catch (error) {
    const problem = problemOf(error), pointer = problem.body.pointer ?? "";
    const split = own && !name;
    throw new Refusal(problem.body.pointer === undefined ? null : split && MODEL.test(pointer) ? "model" : "job", problem, split);
  }
}

// What the server would say of the job with this model, which it does not store.
async function checked(draft: Draft): Promise<Warning[]> {
  try {
    return ((await (await send("/v1/jobs?validate=1", { method: "POST", body: body(draft) })).json()) as Job).warnings;
  } catch (error) {
    const problem = problemOf(error), split = draft.model.trim() !== "";
    throw new Refusal(problem.body.pointer === undefined ? null : split && MODEL.test(problem.body.pointer) ? "model" : "job", problem, split);
  }
}

const MODEL = /^(\/base)?\/model(?=\/|$)/;

// Of a model that was sent within its job each editor says what stands in its own text.
function complaintAbout(refusal: Refusal | null, where: "job" | "model"): Complaint | null {
  if (!refusal?.where) return null;
  if (!refusal.split) return refusal.where === where ? complaintOf(refusal.problem.body) : null;
  return complaintOf(refusal.problem.body, (p) => (MODEL.test(p) !== (where === "model") ? undefined : where === "model" ? p.replace(MODEL, "") : p));
}

function Choose({ query }: { query: URLSearchParams }) {
  const examples = useLoaded((s) => get<{ examples: { name: string; description: string | null }[] }>("/v1/examples", s), []);
  const models = useLoaded((s) => get<{ models: Pick<Model, "name">[] }>("/v1/models?limit=200", s), []);
  const set = (key: string) => (e: Event) =>
    change({ example: undefined, from: undefined, model: undefined, owner: undefined, [key]: (e.target as HTMLSelectElement).value || undefined });
  const chosen = examples.value?.examples.find((e) => e.name === query.get("example"));
  return (
    <>
      <ProblemBox problem={examples.problem ?? models.problem} />
      <div class="filters">
        <label>
          example
          <select name="example" value={query.get("example") ?? ""} onChange={set("example")}>
            <option value="">choose…</option>
            {examples.value?.examples.map((e) => <option key={e.name} value={e.name}>{e.name}</option>)}
          </select>
        </label>
        <label>
          stored model
          <select name="model" value={query.get("model") ?? ""} onChange={set("model")}>
            <option value="">choose…</option>
            {models.value?.models.map((m) => <option key={m.name} value={m.name}>{m.name}</option>)}
          </select>
        </label>
        {chosen?.description && <p class="quiet">{chosen.description}</p>}
        {query.get("from") && <p class="quiet">A copy of job {query.get("from")}</p>}
      </div>
    </>
  );
}

export function SubmitPage({ query }: { query: URLSearchParams }) {
  const [draft, setDraft] = useState<Draft>({ job: pretty({ model: "", ...BLANK }), model: "", keep: true });
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [busy, setBusy] = useState(false), [lines] = useState(linesThatFit);
  const [odd, setOdd] = useState<Warning[]>([]), [oddJob, setOddJob] = useState<Warning[]>([]); // in what was checked; those of a job that runs stand on its page
  const [fine, setFine] = useState("");
  const modelSchema = useLoaded(() => schemaOf("ModelDocument"), []).value, jobSchema = useLoaded(() => schemaOf("JobDocument"), []).value;
  const source = ["example", "from", "model", "owner"].map((k) => query.get(k)).join();
  const start = useLoaded(async () => ({ source, draft: await draftOf(query) }), [source]), filled = useRef<string | null>(null);
  const forget = () => (setRefusal(null), setOdd([]), setOddJob([]), setFine(""));
  useEffect(forget, [source]);
  useEffect(() => { // once: what is there may have been edited
    if (!start.value || filled.current === start.value.source) return;
    filled.current = start.value.source;
    if (start.value.draft) setDraft(start.value.draft);
  }, [start.value]);
  const edit = (part: Partial<Draft>) => (forget(), setDraft((d) => ({ ...d, ...part })));
  const run = async (job: () => Promise<void>) => {
    setBusy(true);
    forget();
    setProblem(null);
    try {
      await job();
    } catch (error) {
      if (error instanceof Refusal && error.where) setRefusal(error);
      else setProblem(error instanceof Refusal ? error.problem : problemOf(error));
    }
    setBusy(false);
  };
  const send_ = () => run(async () => go(["jobs", (await submit(draft)).id]));
  const check = () => run(async () => {
    setOdd((await post<Model>("/v1/models?validate=1", JSON.parse(draft.model)).catch((e) => { throw ofModel(e); })).warnings);
  });
  const checkJob = () => run(async () => {
    const list = await checked(draft), own = draft.model.trim() !== "", ofModel_ = (w: Warning) => own && MODEL.test(w.pointer);
    setOdd(list.filter(ofModel_).map((w) => ({ ...w, pointer: w.pointer.replace(MODEL, "") })));
    setOddJob(list.filter((w) => !ofModel_(w)));
    setFine(list.length ? "The server would take this job, with what is said above." : "The server would take this job as it is.");
  });
  const broken = !!scan(draft.job).error || (draft.model.trim() !== "" && !!scan(draft.model).error);
  return (
    <>
      <h1>New job</h1>
      <Choose query={query} />
      <ProblemBox problem={problem ?? start.problem} />
      <div class="two">
        <Editor label="Job" rows={lines} text={draft.job} change={(job) => edit({ job })} complaint={complaintAbout(refusal, "job")} warnings={oddJob} schema={jobSchema} />
        <div>
          <Editor label="Model" rows={lines - 4} text={draft.model} change={(model) => edit({ model })} complaint={complaintAbout(refusal, "model")} warnings={odd} schema={modelSchema} />
          <label class="check">
            <input type="checkbox" checked={draft.keep} onChange={() => edit({ keep: !draft.keep })} />
            keep the model on the server as {nameOf(draft.model) ? `“${nameOf(draft.model)}”` : "its name"}
          </label>
          <p class="quiet">When this is empty, the job's <code>model</code> names a model stored on the server.</p>
        </div>
      </div>
      <div class="row">
        <button class="primary" disabled={busy || broken} onClick={send_}>{busy ? "Sending…" : "Submit"}</button>
        <button disabled={busy || broken} onClick={checkJob}>Check the job</button>
        <button disabled={busy || broken || !draft.model.trim()} onClick={check}>Check the model</button>
        {fine && <span class="quiet" role="status">{fine}</span>}
      </div>
    </>
  );
}

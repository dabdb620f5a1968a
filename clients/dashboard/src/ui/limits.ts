// The limits of a server in words: what each bounds, its unit, and what 0 means.
import { bytes, number } from "./parts";

const WORDS: Record<string, string> = {
  body_bytes: "a request's body", states: "states of one evaluation", parameters: "numbers differentiated by", ndof: "coordinates of a robot", links: "links of a robot",
  channels: "inputs of a robot", depth: "nesting of a document", jobs_queued: "queued jobs", sweep_jobs: "jobs of a sweep", streams: "streams of a connection", attempts: "attempts of a job",
  memory_bytes: "memory for callers", evaluate_seconds: "time of one evaluation", rate: "requests a second of a caller", burst: "requests at once above that", watchers: "watchers of events",
  max_wall_s: "wall time of a job", max_steps: "equal steps of a job", queued_bytes_per_owner: "documents queued per owner", documents_bytes_per_owner: "documents per owner",
  calls: "calls at once", wait_s: "a wait for events", list: "entries of one list", reply_bytes: "a reply", result_bytes: "a result", sensitivity_models_bytes: "models that are differentiated",
  sensitivity_row_bytes: "a row of derivatives", results_quota_bytes: "all results", retention_days: "how long results are kept", retention_min_days: "how long they are kept at least",
};
const UNITS: [RegExp, string][] = [[/(_seconds|_s)$/, "s"], [/_days$/, "days"]];
const UNBOUNDED = /^(rate|burst|max_wall_s|max_steps|results_quota_bytes|retention_days)$/; // 0: none is set

/** [what, how much] of a limit. */
export function limitOf(key: string, value: number): [string, string] {
  const what = WORDS[key] ?? key.replace(/_bytes$/, "").replace(/_/g, " "), unit = UNITS.find(([end]) => end.test(key))?.[1];
  if (value === 0 && UNBOUNDED.test(key)) return [what, "no limit"];
  if (key.endsWith("_bytes") || /_bytes_per_/.test(key)) return [what, bytes(value)];
  return [what, unit ? `${number(value)} ${unit}` : value >= 1e4 && Number.isInteger(value) ? value.toLocaleString("en").replaceAll(",", " ") : number(value)];
}

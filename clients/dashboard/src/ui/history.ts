// How busy the server was: from what its jobs say of themselves (when each was created, began and ended), so that it is
// there when the page opens; and from figures that are read while the page is open, for what no job tells.
import { get, query as text } from "../api/client";
import type { Metrics } from "../api/metrics";
import type { Job } from "../api/types";

type Times = Pick<Job, "kind" | "created_at" | "started_at" | "finished_at">;

export interface Occupancy {
  minutes: Float64Array; // before now, negative, ends of bins
  queued: Float64Array; // on average in the bin
  running: Float64Array;
  ended: Float64Array; // jobs a minute
}

// Adds to every bin how much of it lies between two times.
function cover(bins: Float64Array, width: number, from: number, to: number): void {
  const first = Math.max(0, Math.floor(from / width)), last = Math.min(bins.length - 1, Math.floor(to / width));
  for (let b = first; b <= last; b++) bins[b] += Math.max(0, Math.min(to, (b + 1) * width) - Math.max(from, b * width)) / width;
}

/** Queue, runs and throughput of the last `span` s. A sweep is no run of its own. */
export function occupancy(jobs: Times[], now: number, span: number, count: number): Occupancy {
  const width = span / count, since = now / 1000 - span, zeros = () => new Float64Array(count), queued = zeros(), running = zeros(), ended = zeros();
  const at = (time: string | null) => (time ? Date.parse(time) / 1000 - since : null);
  for (const job of jobs) {
    if (job.kind === "sweep") continue;
    const created = at(job.created_at)!, started = at(job.started_at), finished = at(job.finished_at);
    cover(queued, width, created, started ?? finished ?? span);
    if (started !== null) cover(running, width, started, finished ?? span);
    if (finished !== null && finished >= 0 && finished < span) ended[Math.floor(finished / width)] += 60 / width;
  }
  return { minutes: Float64Array.from(queued, (_, b) => ((b + 1) * width - span) / 60), queued, running, ended };
}

const PAGE = 200, MOST_PAGES = 6;

/** Jobs that were created since a time, newest first; `whole`: all of them. */
export async function jobsSince(since: Date, signal?: AbortSignal): Promise<{ jobs: Job[]; whole: boolean }> {
  const jobs: Job[] = [];
  let cursor: string | null = null;
  for (let page = 0; page < MOST_PAGES; page++) {
    const list: { jobs: Job[]; next_cursor: string | null } = await get(`/v1/jobs${text({ since: since.toISOString().replace(/\.\d+Z$/, "Z"), limit: PAGE, cursor: cursor ?? undefined })}`, signal);
    jobs.push(...list.jobs);
    cursor = list.next_cursor;
    if (!cursor) return { jobs, whole: true };
  }
  return { jobs, whole: false };
}

export interface Figures {
  at: number; // ms
  requests?: number;
  states?: number;
  cpu?: number;
}

const MOST_FIGURES = 1200;
const seen: Figures[] = []; // since the dashboard was opened, whichever page was looked at

export function note(m: Metrics, at = Date.now()): void {
  if (seen.length && at - seen[seen.length - 1].at < 500) return;
  seen.push({ at, requests: m.total("tendril_http_requests_total"), states: m.total("tendril_evaluated_states_total"), cpu: m.value("process_cpu_seconds_total") });
  if (seen.length > MOST_FIGURES) seen.shift();
}

/** What counters rose by a second, between readings. */
export function rates(now: number, of: keyof Omit<Figures, "at">, figures: Figures[] = seen): { minutes: Float64Array; values: Float64Array } {
  const pairs = figures.slice(1).map((f, i) => [figures[i], f]).filter(([a, b]) => a[of] !== undefined && b[of] !== undefined && b[of]! >= a[of]!);
  return {
    minutes: Float64Array.from(pairs, ([, b]) => (b.at - now) / 60000), values: Float64Array.from(pairs, ([a, b]) => (b[of]! - a[of]!) / ((b.at - a.at) / 1000)),
  };
}

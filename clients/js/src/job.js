// A job on the server: watching it, its result, and what can be done to it.
import { backoff, pause } from "./connection.js";
import { JobFailed, TendrilError } from "./errors.js";
import { events } from "./sse.js";

const ENDED = ["succeeded", "failed", "cancelled"];
const BROKEN = ["unreachable", "unavailable", "rate_limited"];

export class Job {
  constructor(connection, data) {
    this.connection = connection;
    this.data = data;
  }

  get id() {
    return this.data.id;
  }

  get kind() {
    return this.data.kind;
  }

  get state() {
    return this.data.state;
  }

  get ended() {
    return ENDED.includes(this.data.state);
  }

  get fraction() {
    return this.data.progress.fraction ?? 0;
  }

  get error() {
    return this.data.error;
  }

  /** [{code, detail, pointer}]: what is odd though nothing failed; when the job has ended, of the run, too. */
  get warnings() {
    return this.data.warnings ?? [];
  }

  async refresh() {
    this.data = await this.connection.call("jobs_get", { id: this.id });
    return this;
  }

  /** Events behind number `since` as they happen; a broken connection is taken up behind the last one. */
  async *events({ since = 0, signal } = {}) {
    let broken = 0;
    let end = Date.now() + 1000 * this.connection.patience;
    for (;;) {
      const before = since;
      try {
        for await (const event of this.once(since, signal)) {
          since = event.seq;
          broken = 0;
          end = Date.now() + 1000 * this.connection.patience;
          yield event;
          if (event.event === "state" && ENDED.includes(event.state)) return;
        }
        if (since === before && (await this.refresh()).ended) return; // nothing is left to be told
      } catch (error) {
        if (signal?.aborted || !BROKEN.includes(error.code) || Date.now() > end) throw error;
      }
      await pause(backoff(broken), signal);
      broken += 1;
    }
  }

  async *once(since, signal) {
    const headers = { "Last-Event-ID": String(since) };
    const reply = await this.connection.ask("jobs_events", { id: this.id }, { accept: "text/event-stream", headers, signal });
    const stream = events(reply.body);
    try {
      for (;;) {
        const { done, value } = await stream.next().catch((cause) => {
          throw new TendrilError(`the events of job ${this.id} broke off: ${cause.message}`, { code: "unreachable", cause });
        });
        if (done) return;
        yield value;
      }
    } finally {
      await stream.return();
    }
  }

  /** Waits for the end; progress(fraction, job) is called on the way. Throws JobFailed unless it succeeded (check: false).
   *  Look at `warnings` afterwards: energy_error says that the motion is not to be trusted. */
  async wait({ progress, signal, check = true } = {}) {
    if (!(await this.refresh()).ended) {
      for await (const event of this.events({ signal })) {
        if (event.event === "state") this.data.state = event.state;
        if (event.event === "progress") this.data.progress = { fraction: event.fraction, t: event.t, t_end: event.t_end, ...(event.phase && { phase: event.phase }) };
        progress?.(this.fraction, this);
      }
      await this.refresh();
    }
    progress?.(this.fraction, this);
    if (check && this.state !== "succeeded") throw new JobFailed(this);
    return this;
  }

  /** {summary, arrays}, or with `as` "npz" an ArrayBuffer, with "csv" text. */
  async result({ fields, from, to, stride, partial, as = "json" } = {}) {
    const accept = { json: "application/json", npz: "application/x-npz", csv: "text/csv" }[as];
    if (!accept) throw new TypeError(`a result comes as json, npz or csv, not as '${as}'`);
    const query = { fields: fields?.join(","), from, to, stride, partial: partial ? 1 : undefined };
    const reply = await this.connection.ask("jobs_result", { id: this.id, ...query }, { accept });
    return as === "json" ? reply.json() : as === "npz" ? reply.arrayBuffer() : reply.text();
  }

  async cancel() {
    this.data = await this.connection.call("jobs_cancel", { id: this.id });
    return this;
  }

  /** A new job like this one, which failed or was cancelled. key: idempotency key, by default a fresh one. */
  async retry({ key = newKey(), max_wall_s } = {}) {
    return new Job(this.connection, await this.connection.call("jobs_retry", { id: this.id, max_wall_s }, undefined, { headers: { "Idempotency-Key": key } }));
  }

  async delete() {
    await this.connection.ask("jobs_delete", { id: this.id });
  }
}

// randomUUID exists in secure contexts only; node 18 has no global crypto.
export function newKey() {
  if (globalThis.crypto?.randomUUID) return crypto.randomUUID();
  return Array.from({ length: 4 }, () => Math.floor(Math.random() * 2 ** 32).toString(16).padStart(8, "0")).join("");
}

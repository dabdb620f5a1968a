// The client of Tendril for browsers and node: fetch, server-sent events, no dependencies. Types in index.d.ts.
import { Connection } from "./connection.js";
import { TendrilError } from "./errors.js";
import { Job } from "./job.js";

export { JobFailed, TendrilError } from "./errors.js";
export { Job };

const at = (name) => `/v1/models/${encodeURIComponent(name)}`;
const matching = (sha256) => (sha256 ? { "If-Match": `"${sha256}"` } : undefined);

class Models {
  constructor(connection) {
    this.connection = connection;
  }

  create(document) {
    return this.connection.json("POST", "/v1/models", document, { repeat: false });
  }

  validate(document) {
    return this.connection.json("POST", "/v1/models", document, { query: { validate: 1 } });
  }

  put(document, { name = document.name, ifMatch, owner } = {}) {
    if (!name) return Promise.reject(new TypeError("the document has no name; give one: put(document, {name})"));
    return this.connection.json("PUT", at(name), document, { headers: matching(ifMatch), repeat: !ifMatch, query: { owner } });
  }

  get(name, { owner } = {}) {
    const [, base, n] = /^(.*)@(\d+)$/.exec(name) ?? [];
    if (base) return this.revision(base, Number(n), { owner });
    return this.connection.json("GET", at(name), undefined, { query: { owner } });
  }

  async *list({ owner } = {}) {
    for (let cursor; ; ) {
      const page = await this.connection.json("GET", "/v1/models", undefined, { query: { limit: 1000, cursor, owner } });
      yield* page.models;
      cursor = page.next_cursor;
      if (!cursor) return;
    }
  }

  async delete(name, { ifMatch, owner } = {}) {
    await this.connection.request("DELETE", at(name), { headers: matching(ifMatch), query: { owner } });
  }

  async revisions(name, { owner } = {}) {
    const all = [];
    for (let cursor; ; ) {
      const page = await this.connection.json("GET", `${at(name)}/revisions`, undefined, { query: { limit: 1000, cursor, owner } });
      all.push(...page.revisions);
      cursor = page.next_cursor;
      if (!cursor) return all;
    }
  }

  revision(name, n, { owner } = {}) {
    return this.connection.json("GET", `${at(name)}/revisions/${n}`, undefined, { query: { owner } });
  }
}

class Tokens {
  constructor(connection) {
    this.connection = connection;
  }

  create(name, scope = "run", { owner } = {}) {
    return this.connection.json("POST", "/v1/tokens", { name, scope, ...(owner === undefined ? {} : { owner }) }, { repeat: false });
  }

  async list() {
    return (await this.connection.json("GET", "/v1/tokens")).tokens;
  }

  get(id) {
    return this.connection.json("GET", `/v1/tokens/${encodeURIComponent(id)}`);
  }

  async delete(id, { force } = {}) {
    await this.connection.request("DELETE", `/v1/tokens/${encodeURIComponent(id)}`, { query: { force: force ? 1 : undefined } });
  }
}

/** A Tendril server. options: token, timeout and patience in seconds, fetch. */
export class Client {
  constructor(url, options) {
    this.connection = new Connection(url, options);
    this.models = new Models(this.connection);
    this.tokens = new Tokens(this.connection);
  }

  /** Quantities at a state {q, qd, qdd, u} or at an array of them. One failed state throws; in an array it is {error}. What is odd is in
   *  `warnings` of what is returned, which is not enumerable: [{code, detail, pointer}], of answers at /states/3/q. */
  async evaluate(model, states, want, { baumgarte } = {}) {
    const single = !Array.isArray(states);
    const request = { want: [want].flat(), states: single ? [states] : states, ...(baumgarte === undefined ? {} : { baumgarte }) };
    const reply =
      typeof model === "string"
        ? await this.connection.json("POST", `${at(model)}:evaluate`, request)
        : await this.connection.json("POST", "/v1/evaluate", { ...request, model });
    const warned = (found) => Object.defineProperty(found, "warnings", { value: reply.warnings ?? [] });
    if (!single) return warned(reply.states);
    const [{ error, ...values }] = reply.states;
    if (error) throw new TendrilError(error.detail, { code: error.code });
    return warned(values);
  }

  /** Queues a job. key: idempotency key; by default a fresh one, so that a repeated request makes no second job. */
  async submit(job, { key = newKey() } = {}) {
    return new Job(this.connection, await this.connection.json("POST", "/v1/jobs", job, { headers: { "Idempotency-Key": key } }));
  }

  /** submit, wait and result in one call. */
  async run(job, options) {
    return (await (await this.submit(job)).wait(options)).result();
  }

  async job(id) {
    return new Job(this.connection, await this.connection.json("GET", `/v1/jobs/${encodeURIComponent(id)}`));
  }

  /** Jobs, the newest first; filters: state, kind, model, label, since, until, parent, owner. */
  async *jobs(filters = {}) {
    for (let cursor; ; ) {
      const page = await this.connection.json("GET", "/v1/jobs", undefined, { query: { limit: 1000, ...filters, cursor } });
      for (const data of page.jobs) yield new Job(this.connection, data);
      cursor = page.next_cursor;
      if (!cursor) return;
    }
  }

  async examples() {
    return (await this.connection.json("GET", "/v1/examples")).examples;
  }

  example(name) {
    return this.connection.json("GET", `/v1/examples/${encodeURIComponent(name)}`);
  }

  limits() {
    return this.connection.json("GET", "/v1/limits");
  }

  version() {
    return this.connection.json("GET", "/v1/version");
  }

  health() {
    return this.connection.json("GET", "/healthz");
  }

  ready() {
    return this.connection.json("GET", "/readyz");
  }

  async metrics() {
    return (await this.connection.request("GET", "/metrics", { accept: "*/*" })).text();
  }
}

// randomUUID exists in secure contexts only; node 18 has no global crypto.
function newKey() {
  if (globalThis.crypto?.randomUUID) return crypto.randomUUID();
  return Array.from({ length: 4 }, () => Math.floor(Math.random() * 2 ** 32).toString(16).padStart(8, "0")).join("");
}

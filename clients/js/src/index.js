// The client of Tendril for browsers and node: fetch, server-sent events, no dependencies. Types in index.d.ts.
import { Connection } from "./connection.js";
import { TendrilError } from "./errors.js";
import { Found, unknowns } from "./found.js";
import { wholeId } from "./ids.js";
import { Job, newKey } from "./job.js";

export { JobFailed, TendrilError } from "./errors.js";
export { Found, record } from "./found.js";
export { Job };

const listed = (one) => (one === undefined || Array.isArray(one) ? one : [one]);

const matching = (sha256) => (sha256 ? { "If-Match": `"${sha256}"` } : undefined);

class Models {
  constructor(connection) {
    this.connection = connection;
  }

  create(document) {
    return this.connection.call("models_create", {}, document, { repeat: false });
  }

  validate(document) {
    return this.connection.call("models_create", { validate: 1 }, document);
  }

  /** {document, remarks, …} of a URDF (its text) or of robots attached to one another: {urdf} or {model}, attach: [{model, parent, prefix}]. */
  import(request) {
    return this.connection.call("models_import", {}, request);
  }

  put(document, { name = document.name, ifMatch, owner } = {}) {
    if (!name) return Promise.reject(new TypeError("the document has no name; give one: put(document, {name})"));
    return this.connection.call("models_put", { name, owner }, document, { headers: matching(ifMatch), repeat: !ifMatch });
  }

  get(name, { owner } = {}) {
    const [, base, n] = /^(.*)@(\d+)$/.exec(name) ?? [];
    return base ? this.revision(base, Number(n), { owner }) : this.connection.call("models_get", { name, owner });
  }

  list({ owner } = {}) {
    return this.connection.list("models_list", "models", { owner });
  }

  async delete(name, { ifMatch, owner } = {}) {
    await this.connection.ask("models_delete", { name, owner }, { headers: matching(ifMatch) });
  }

  async revisions(name, { owner } = {}) {
    const all = [];
    for await (const revision of this.connection.list("models_revisions", "revisions", { name, owner })) all.push(revision);
    return all;
  }

  revision(name, n, { owner } = {}) {
    return this.connection.call("models_revision", { name, n, owner });
  }
}

class Tokens {
  constructor(connection) {
    this.connection = connection;
  }

  create(name, scope = "run", { owner } = {}) {
    return this.connection.call("tokens_create", {}, { name, scope, ...(owner === undefined ? {} : { owner }) }, { repeat: false });
  }

  async list() {
    return (await this.connection.call("tokens_list")).tokens;
  }

  get(id) {
    return this.connection.call("tokens_get", { id });
  }

  async delete(id, { force } = {}) {
    await this.connection.ask("tokens_delete", { id, force: force ? 1 : undefined });
  }
}

class Nodes {
  constructor(connection) {
    this.connection = connection;
  }

  async list() {
    return (await this.connection.call("nodes_list")).nodes;
  }

  drain(node, { undo } = {}) {
    return this.connection.call("nodes_drain", { node, undo: undo ? 1 : undefined });
  }
}

/** A Tendril server. options: token, timeout and patience in seconds, fetch. */
export class Client {
  constructor(url, options) {
    this.connection = new Connection(url, options);
    this.models = new Models(this.connection);
    this.tokens = new Tokens(this.connection);
    this.nodes = new Nodes(this.connection);
  }

  /** Quantities at a state {q, qd, qdd, u} or at an array of them. One failed state throws; in an array it is {error}. What is odd is in
   *  `warnings` of what is returned, which is not enumerable: [{code, detail, pointer}], of answers at /states/3/q. So is `parameters`, what
   *  derivatives by the places of options.parameters are by: [{name, path, way}]. A state may carry jvp and vjp: {of: "fd", …}.
   *  options.step says how far x_next is ahead: {h: seconds, method, substeps}. */
  async evaluate(model, states, want, { baumgarte, parameters, step } = {}) {
    const single = !Array.isArray(states);
    const options = Object.fromEntries(Object.entries({ baumgarte, parameters, step }).filter(([, value]) => value !== undefined));
    const request = { want: [want].flat(), states: single ? [states] : states, ...options };
    const reply =
      typeof model === "string"
        ? await this.connection.call("evaluate", { name: model }, request)
        : await this.connection.call("evaluate_inline", {}, { ...request, model });
    const told = (found) =>
      Object.defineProperties(found, { warnings: { value: reply.warnings ?? [] }, parameters: { value: reply.parameters ?? [] } });
    if (!single) return told(reply.states);
    const [{ error, ...values }] = reply.states;
    if (error) throw new TendrilError(error.detail, { code: error.code });
    return told(values);
  }

  /** What `submit` would refuse is refused, nothing is queued; the job as it would be, with its warnings. */
  check(job) {
    return this.connection.call("jobs_submit", { validate: 1 }, job);
  }

  /** Queues a job. key: idempotency key; by default a fresh one, so that a repeated request makes no second job. */
  async submit(job, { key = newKey() } = {}) {
    return new Job(this.connection, await this.connection.call("jobs_submit", {}, job, { headers: { "Idempotency-Key": key } }));
  }

  /** submit, wait and result in one call. */
  async run(job, options) {
    return (await (await this.submit(job)).wait(options)).result();
  }

  /** Parameters of a robot from measurements: of is [{job, data}, …], data a record or a list of them (`record` makes them), parameters
   *  {path: [lower, upper] or {lower, upper, scale: "log", name, value, prior}}. members: model, starts, max_iterations, unconverged, … of
   *  the job; options: those of wait. What the data do not tell is in warnings of what is returned. */
  async fit(of, parameters, members = {}, options) {
    const experiments = listed(of).map(({ data, ...rest }) => ({ ...rest, data: listed(data) }));
    return new Found(await this.run({ ...members, kind: "fit", of: experiments, parameters: unknowns(parameters) }, options));
  }

  /** The best robot or input for a task: of is a job with its model, objective and constraints are terms or lists of them. members: method,
   *  max_evaluations, starts, seed, tolerance, unconverged, … of the job. */
  async design(of, parameters, objective, constraints = [], members = {}, options) {
    const job = { ...members, kind: "design", of, parameters: unknowns(parameters), objective: listed(objective), constraints: listed(constraints) };
    return new Found(await this.run(job, options));
  }

  /** What a run or a list of equilibria is worth, and its slopes by numbers of the job and of its model: the result, arrays.value and
   *  arrays.gradient. objective: a term or a list of them, or {cotangents: {field: array}}. */
  gradient(of, parameters, objective, members = {}, options) {
    const goal = objective.cotangents ? { cotangents: objective.cotangents } : { objective: listed(objective) };
    return this.run({ ...members, kind: "gradient", of, parameters: [parameters].flat(), ...goal }, options);
  }

  /** A job by its id, or by its first (at least 4) or last (at least 8) characters where one job alone has them. */
  async job(part) {
    const id = await wholeId(part, (filters) => this.connection.list("jobs_list", "jobs", filters));
    return new Job(this.connection, await this.connection.call("jobs_get", { id }));
  }

  /** Jobs, the newest first; filters: state, kind, model, label, since, until, parent, owner. */
  async *jobs(filters = {}) {
    for await (const data of this.connection.list("jobs_list", "jobs", filters)) yield new Job(this.connection, data);
  }

  async examples() {
    return (await this.connection.call("examples_list")).examples;
  }

  example(name) {
    return this.connection.call("examples_get", { name });
  }

  limits() {
    return this.connection.call("limits");
  }

  version() {
    return this.connection.call("version");
  }

  health() {
    return this.connection.call("health");
  }

  ready() {
    return this.connection.call("ready");
  }

  async metrics() {
    return (await this.connection.ask("metrics", {}, { accept: "*/*" })).text();
  }
}

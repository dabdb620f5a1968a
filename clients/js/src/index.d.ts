// Types of the client. What goes over the wire is in types.d.ts, which is written from the contract.
import type {
  EvaluateFailure, EvaluateReply, Evaluated, Event, Example, ExampleList, JobData, JobDocument, JobKind, JobState, Limits, ModelDocument,
  Imported, ImportRequest, ModelEntry, NewToken, Parameters, Problem, Quantity, Result, RevisionList, Scope, State, Status, Step, StoredModel, Token, TokenList, Version, Warning,
} from "./types.js";

export * from "./types.js";

type Numbers = ArrayLike<number>;

/** A state to evaluate at: q [ndof] and what else is not zero; rad, m, strain modes, 1/s, N, N m, Pa. */
export interface StateInput {
  q: Numbers;
  qd?: Numbers;
  qdd?: Numbers;
  u?: Numbers;
  t?: State["t"];
  jvp?: { of: "fd"; q?: Numbers; qd?: Numbers; u?: Numbers; p?: Numbers };
  vjp?: { of: "fd"; cotangent: Numbers };
}

/** A call that failed. */
export class TendrilError extends Error {
  /** The server's word for it, or "unreachable" when there was no server to say one. */
  code: Problem["code"] | EvaluateFailure["error"]["code"] | "unreachable" | (string & {});
  /** HTTP status, when there was an answer. */
  status?: number;
  /** JSON pointer into what was sent. */
  pointer?: string;
  /** All that was found wrong at once (at most 8), the first is this one; empty without a place. */
  errors: { pointer: string; detail: string }[];
  /** Finds the request in the server's log. */
  requestId?: string;
}

/** A job that has failed or was cancelled. */
export class JobFailed extends TendrilError {
  job: Job;
}

export interface Options {
  /** Bearer token. */
  token?: string;
  /** Seconds without an answer until a request counts as broken (120). */
  timeout?: number;
  /** Seconds for which broken requests are repeated (30). */
  patience?: number;
  /** Instead of the global fetch. */
  fetch?: typeof fetch;
}

export interface WaitOptions {
  progress?: (fraction: number, job: Job) => void;
  signal?: AbortSignal;
  /** false: do not throw JobFailed. */
  check?: boolean;
}

export interface ResultPart {
  /** Names of arrays; t comes along. */
  fields?: string[];
  /** Rows between these times, s, inclusive (statics: problem numbers). */
  from?: number;
  to?: number;
  /** Every so many rows one. */
  stride?: number;
  /** Of a job that has not succeeded, the rows up to its last checkpoint. */
  partial?: boolean;
}

/** A job as it was when last asked about. */
export class Job {
  readonly data: JobData;
  readonly id: string;
  readonly kind: JobKind;
  readonly state: JobState;
  readonly ended: boolean;
  readonly fraction: number;
  readonly error: JobData["error"];
  /** What is odd though nothing failed; when the job has ended, of the run, too. */
  readonly warnings: JobData["warnings"];
  refresh(): Promise<this>;
  events(options?: { since?: number; signal?: AbortSignal }): AsyncGenerator<Event, void>;
  wait(options?: WaitOptions): Promise<this>;
  result(part?: ResultPart & { as?: "json" }): Promise<Result>;
  result(part: ResultPart & { as: "npz" }): Promise<ArrayBuffer>;
  result(part: ResultPart & { as: "csv" }): Promise<string>;
  cancel(): Promise<this>;
  /** max_wall_s: the new job's time, s, in place of this one's. */
  retry(options?: { key?: string; max_wall_s?: number }): Promise<Job>;
  delete(): Promise<void>;
}

/** Whose model, "none": the shared one. Without it a name means one's own, else the shared one. */
export interface OfOwner {
  owner?: string;
}

export interface Models {
  create(document: ModelDocument): Promise<StoredModel>;
  validate(document: ModelDocument): Promise<StoredModel>;
  /** A document of a URDF (its text) or of robots attached to one another; nothing is stored. What is left out is in `remarks`. */
  import(request: ImportRequest): Promise<Imported>;
  put(document: ModelDocument, options?: OfOwner & { name?: string; ifMatch?: string }): Promise<StoredModel>;
  /** name@3 is revision 3. */
  get(name: string, options?: OfOwner): Promise<StoredModel>;
  list(options?: OfOwner): AsyncGenerator<ModelEntry, void>;
  delete(name: string, options?: OfOwner & { ifMatch?: string }): Promise<void>;
  revisions(name: string, options?: OfOwner): Promise<RevisionList["revisions"]>;
  revision(name: string, n: number, options?: OfOwner): Promise<StoredModel>;
}

/** For those whose token has the scope admin. */
export interface Tokens {
  /** The secret is told only here. */
  create(name: string, scope?: Scope, options?: { owner?: string }): Promise<NewToken>;
  list(): Promise<TokenList["tokens"]>;
  get(id: string): Promise<Token>;
  /** force: also the last one of scope admin. */
  delete(id: string, options?: { force?: boolean }): Promise<void>;
}

/** The servers that run the jobs of one database. */
export interface Nodes {
  list(): Promise<NodeList["nodes"]>;
  /** By name or id: it takes no more jobs, or (undo) does again. For admins, where there are tokens. */
  drain(node: string, options?: { undo?: boolean }): Promise<Node>;
}

/** What is odd in the model, pointers into its document, and in answers, at /states/3/q (inside_out: the values of no robot). */
export interface Warned {
  readonly warnings: Array<Warning>;
  /** What derivatives by parameters are by: their last axis. */
  readonly parameters: NonNullable<EvaluateReply["parameters"]>;
}

export interface EvaluateOptions {
  /** Time constant of loops, s. */
  baumgarte?: number;
  /** Numbers of the model document to differentiate by, for did_dp … dtendons_dp and the products jvp and vjp of states. */
  parameters?: Parameters;
  /** How far ahead x_next is, for it, dx_next_dx and dx_next_du. */
  step?: Step;
}

/** A record of an experiment: rows of numbers of a field ("poses:arm@1"; select: [[0, 3], [2, 3]] is x and z of a pose); NaN: missing.
 *  t: times of the rows, s, left out of equilibria; sigma: standard deviation of the noise. */
export function record(field: string, value: ArrayLike<number | ArrayLike<number>>,
  given?: { t?: ArrayLike<number>; select?: number[] | number[][]; sigma?: number | number[] }): ExperimentRecord;

export interface ExperimentRecord {
  field: string;
  value: Array<number | null> | Array<Array<number | null>>;
  t?: number[];
  select?: number[] | number[][];
  sigma?: number | number[];
}

/** By path: bounds, or all that the document may say of it; null: no bounds. A list as in the document will do. */
export type Sought = Record<string, [number, number] | { lower?: number; upper?: number; scale?: "log" | "linear"; name?: string; value?: number; prior?: { value: number; sigma: number } } | null> | Array<string | object>;

/** What a fit or a design found. */
export class Found {
  readonly result: Result;
  readonly kind: "fit" | "design";
  readonly values: Record<string, number>;
  /** Of a fit: standard deviations, Infinity where the data do not tell. */
  readonly deviations: Record<string, number | undefined>;
  readonly converged: boolean;
  /** Cost of a fit, objective of a design. */
  readonly value: number;
  readonly warnings: Array<Warning>;
  /** The document of the model with the values that were found. */
  readonly model: ModelDocument;
  /** The job within a design with them; of several, and of a fit, the list of them. */
  readonly job: unknown;
}

/** A Tendril server. */
export class Client {
  constructor(url: string, options?: Options);
  readonly models: Models;
  readonly tokens: Tokens;
  readonly nodes: Nodes;
  /** One state: its quantities, or an error thrown. */
  evaluate<Q extends Quantity>(model: string | ModelDocument, state: StateInput, want: Q | Q[], options?: EvaluateOptions): Promise<Pick<Evaluated, Q> & Warned>;
  /** Many states: an entry for each, in order; those that fail are {error}. */
  evaluate<Q extends Quantity>(model: string | ModelDocument, states: StateInput[], want: Q | Q[], options?: EvaluateOptions): Promise<Array<Pick<Evaluated, Q> | EvaluateFailure> & Warned>;
  /** What `submit` would refuse is refused, nothing is queued. Of a sweep every job is checked. */
  check(job: JobDocument): Promise<JobData>;
  submit(job: JobDocument, options?: { key?: string }): Promise<Job>;
  run(job: JobDocument, options?: WaitOptions): Promise<Result>;
  /** Parameters of a robot from measurements; members: model, starts, max_iterations, unconverged, … of the job. */
  fit(of: Array<{ job: object; data: ExperimentRecord | ExperimentRecord[] }> | { job: object; data: ExperimentRecord | ExperimentRecord[] },
    parameters: Sought, members?: object, options?: WaitOptions): Promise<Found>;
  /** The best robot or input for a task; terms and bounds as in the document. */
  design(of: object, parameters: Sought, objective: object | object[], constraints?: object | object[], members?: object, options?: WaitOptions): Promise<Found>;
  /** A value and its slopes: arrays.value, arrays.gradient. */
  gradient(of: object, parameters: string | Array<string | { path: string; name?: string }>, objective: object | object[], members?: object, options?: WaitOptions): Promise<Result>;
  /** By its id, or by its first (at least 4) or last (at least 8) characters where one job alone has them. */
  job(part: string): Promise<Job>;
  jobs(filters?: Record<string, string | number>): AsyncGenerator<Job, void>;
  examples(): Promise<ExampleList["examples"]>;
  example(name: string): Promise<Example>;
  limits(): Promise<Limits>;
  version(): Promise<Version>;
  health(): Promise<Status>;
  ready(): Promise<Status>;
  metrics(): Promise<string>;
}

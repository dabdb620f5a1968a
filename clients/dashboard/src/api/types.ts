// Replies of the API, as far as pages read them.
import type { ModelDocument } from "../robot/document";
import type { JobState } from "./kinds";

export type { JobState };
export { JOB_STATES as STATES, JOBS as KINDS } from "./kinds";

export interface JobError {
  code: string;
  detail: string;
  pointer?: string;
  [more: string]: unknown;
}

/** What is odd though nothing failed. Of a job, its model is at /model. */
export interface Warning {
  code: string;
  detail: string;
  pointer: string;
}

export interface Job {
  id: string;
  kind: string;
  state: JobState;
  attempt: number;
  model: { name: string | null; revision: number | null; owner: string | null; sha256?: string }; // owner null: shared
  progress: { fraction: number; t: number; t_end: number; phase?: "checking" };
  labels: Record<string, string>;
  priority: number;
  created_at: string;
  started_at: string | null;
  finished_at: string | null;
  error: JobError | null;
  node: string | null; // that runs it, or ran its last attempt
  waiting_for: string | null; // why it does not run: its turn, a node that takes jobs, a processor
  warnings: Warning[];
  retry_of: string | null;
  parent: string | null;
  owner: string | null; // null: nobody
  jobs?: Record<JobState, number>;
}

export interface JobEvent {
  seq: number;
  event: "state" | "progress" | "log" | "samples";
  time: string;
  attempt: number;
  state?: JobState;
  error?: JobError;
  fraction?: number;
  phase?: "checking";
  t?: number | null;
  t_end?: number | null;
  rows?: number;
  level?: string;
  message?: string;
}

export interface JobDocument {
  kind: string;
  model?: unknown;
  [more: string]: unknown;
}

export interface Model {
  document: ModelDocument;
  name: string;
  owner?: string | null; // null: shared by all
  revision: number;
  sha256: string;
  ndof: number;
  coordinates: string[];
  channels: string[];
  warnings: Warning[];
}

/** What a search for parameters came to: a fit. */
export interface Found {
  end: string;
  start: number; // the one that the answer comes from
  iterations: number;
  predictions: number;
  samples: number;
  cost: number;
  misfit: number; // root mean square of residuals over sigma, or where there is none of residuals
  has_sigma?: boolean;
  parameters: { name: string; path: string; value: number; deviation: number | null; at_bound: boolean }[];
  records: { experiment: number; record: number; field: string }[];
}

/** What a search for the best came to: a design. */
export interface Chosen {
  end: string;
  method: string;
  evaluations: number;
  best: number; // its row
  objective: number;
  first_objective: number;
  violation: number; // of the constraints, at the best
  parameters: { name: string; path: string; value: number; at_bound: boolean }[];
}

export interface Summary {
  kind: string;
  coordinates: string[];
  channels: string[];
  energies?: string[];
  multipliers?: string[];
  contacts?: string[]; // rows of contacts, contact_force, numbers of contact_place
  points?: Record<string, number[]>;
  build?: { version: string; cpu_level: string };
  statistics?: Record<string, number>;
  energy?: Record<string, number | null>;
  integrator?: Record<string, unknown>;
  warnings?: Warning[];
  failures?: { index: number; code: string; detail: string }[];
  continuation?: { channel: string; events: { kind: string; after: number; value: number; multiplicity: number }[]; reached?: boolean };
  events?: { kind: string; t?: number; after?: number; distance?: number }[]; // what plots mark
  fit?: Found;
  design?: Chosen;
  parameters?: { name: string; path: string; way: string }[]; // that gradients and sensitivities are by
  wall_s?: number;
  cpu_s?: number;
  partial?: boolean;
  jobs?: { id: string; state: JobState; values: unknown[]; rows: number; warnings?: Warning[] }[]; // of a sweep
  not_stacked?: string[]; // members that differ in shape between its jobs
  job: JobDocument;
  model: { name: string | null; revision: number | null; document: ModelDocument };
}

export const ended = (state: JobState) => state === "succeeded" || state === "failed" || state === "cancelled";

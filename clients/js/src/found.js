// What fits and designs are asked with, and what they found. Types in index.d.ts.

/** A record of an experiment: rows of numbers of a field; NaN and undefined: missing. */
export function record(field, value, { t, select, sigma } = {}) {
  const number = (x) => (Number.isFinite(x) ? x : null);
  const rows = Array.from(value, (row) => (row?.length === undefined ? number(row) : Array.from(row, number)));
  const given = Object.entries({ t: t && Array.from(t), select, sigma }).filter(([, one]) => one !== undefined);
  return { field, value: rows, ...Object.fromEntries(given) };
}

/** The list of a document, of {path: [lower, upper] or {lower, upper, scale, name, value, prior} or null} or a list. */
export function unknowns(parameters) {
  if (Array.isArray(parameters)) return parameters;
  return Object.entries(parameters).map(([path, says]) => {
    if (!Array.isArray(says)) return { path, ...says };
    return { path, lower: says[0], upper: says[1] };
  });
}

function put(document, path, value) {
  const tokens = path.split("/").slice(2).map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
  const last = tokens.pop();
  tokens.reduce((at, token) => at[token], document)[last] = value;
}

/** What a fit or a design found: values by name, and documents with them. */
export class Found {
  constructor(result) {
    this.result = result;
    this.kind = result.summary.kind;
    const part = result.summary[this.kind];
    this.rows = part.parameters;
    this.values = Object.fromEntries(this.rows.map((row) => [row.name, row.value]));
    /** Of a fit: standard deviations; Infinity where the data do not tell. */
    this.deviations = Object.fromEntries(this.rows.map((row) => [row.name, row.deviation ?? (this.kind === "fit" ? Infinity : undefined)]));
    this.converged = part.end === "converged";
    /** Cost of a fit, objective of a design. */
    this.value = part.cost ?? part.objective;
    this.warnings = result.summary.warnings ?? [];
  }

  filled(document, root, counts = () => true) {
    const copy = structuredClone(document);
    for (const row of this.rows) if (row.path.startsWith(root) && counts(row)) put(copy, row.path, row.value);
    return copy;
  }

  /** The document of the model with the values that were found. */
  get model() {
    return this.filled(this.result.summary.model.document, "/model/");
  }

  /** The job within a design with them; of several, and of a fit, the list of them. */
  get job() {
    const { of } = this.result.summary.job;
    if (!Array.isArray(of)) return this.filled(of, "/job/");
    const jobs = this.kind === "design" ? of : of.map(({ job }) => job);
    return jobs.map((job, k) => this.filled(job, "/job/", (row) => row.of?.includes(k) ?? true));
  }
}

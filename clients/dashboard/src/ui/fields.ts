// What can be drawn of a result: its members, the way of a tip that is rebuilt from q, and which of all curves tell most.
import { motionOf, tipLink, tipOf } from "./motion";
import { abscissa, column, columnNames, rowsOf, TOUCHES, type Run } from "./results";

const UNITS: Record<string, string> = { energy: "J", tendons: "m", tensions: "N", loop_error: "rad, m", lambda: "N, N m", "contacts: depth": "m", "contacts: normal force": "N", "contacts: slip": "m/s", contact_force: "N", contact_place: "m, N" };
const FIRST = 6; // curves that are shown unasked, of poses the three of the tip
const MOST_TIPS = 1500; // samples for which a tip is rebuilt

/** Curves of one field of one run: names, and what stands where. */
export interface Table {
  names: string[];
  x: Float64Array; // times or rows
  rows: Int32Array | null; // of the result, null: all
  values: (column: number) => Float64Array;
  size: number; // the largest number of all
}

export function labelOf(field: string): string {
  const unit = UNITS[field] ?? (field.startsWith("poses:") || field.startsWith("tip:") ? "m" : ""), what = field.startsWith("tip:") ? `${wordOf(field)} of ${field.split(":")[2]}` : field;
  return unit ? `${what} (${unit})` : what;
}

const wordOf = (field: string) => field.split(":")[1];

const LARGE = 4e6; // bytes that are not fetched unasked

/** "tip:tip:arm": where the tip of a link goes, of results that have q and not its poses, or so many of them that they are not fetched
 * for it. */
function tipField(run: Run): string | null {
  if (!run.archive.has("q") || ["linearize", "fit"].includes(run.summary.kind)) return null;
  const { name, point } = tipLink(run.summary.model.document);
  return run.archive.names().some((n) => (n === `poses:${name}` || n === `poses:${name}@1`) && run.archive.size(n) < LARGE) ? null : `tip:${point}:${name}`;
}

// What has no rows of samples: of a gradient its worth and slopes, of a design the way of its search, which has panels of its own.
const APART: Record<string, string[]> = {
  gradient: ["value", "gradient"], design: ["parameters", "objective", "violation", "constraints", "start", "best"],
};

export function fieldsOf(run: Run): string[] {
  const apart = APART[run.summary.kind] ?? [], tip = tipField(run);
  const own = run.archive.names().filter((n) => (n !== "t" || rowsOf(run) === "problem") && !apart.includes(n) && run.archive.size(n) > 0);
  return [...(tip ? [tip] : []), ...own.flatMap((n) => (n === "contacts" ? TOUCH : [n]))];
}

// Of touches depth, force and slip are charts of their own: they are of three units.
const TOUCH = TOUCHES.contacts.map((what) => `contacts: ${what}`);
/** The member of the result that holds a field. */
export const memberOf = (field: string) => (TOUCH.includes(field) ? "contacts" : field);

const largest = (values: Float64Array) => values.reduce((most, v) => (Math.abs(v) > most && Number.isFinite(v) ? Math.abs(v) : most), 0);

/** null: the run has no such field. */
export async function tableOf(run: Run, field: string): Promise<Table | null> {
  if (field.startsWith("tip:")) return tipTable(run, field.split(":")[2]);
  const member = memberOf(field);
  if (!run.archive.has(member)) return null;
  const array = await run.archive.array(member), all = columnNames(run, member, array.shape);
  const columns = member === field ? all : all.filter((_, i) => i % TOUCH.length === TOUCH.indexOf(field));
  if (field === "energy" && columns.length > 1) return energyTable(await abscissa(run, array.shape[0]), columns.map((c) => ({ name: c.name, values: column(array, c.offset) })));
  return {
    names: columns.map((c) => c.name), x: await abscissa(run, array.shape[0]), rows: null,
    size: member === field ? largest(array.data) : Math.max(0, ...columns.map((c) => largest(column(array, c.offset)))),
    values: (c) => column(array, columns[c].offset),
  };
}

// The energies, and their sum.
function energyTable(x: Float64Array, columns: { name: string; values: Float64Array }[]): Table {
  const sum = Float64Array.from(x, (_, row) => columns.reduce((all, c) => all + c.values[row], 0)), all = [...columns, { name: "sum", values: sum }];
  return { names: all.map((c) => c.name), x, rows: null, size: Math.max(...all.map((c) => largest(c.values))), values: (c) => all[c].values };
}

async function tipTable(run: Run, link: string): Promise<Table | null> {
  const motion = await motionOf(run);
  if (!motion) return null;
  const { rows, places } = tipOf(motion, link, MOST_TIPS), whole = rows.length === motion.t.length;
  return {
    names: ["x", "y", "z"], x: whole ? motion.t : Float64Array.from(rows, (r) => motion.t[r]), rows: whole ? null : Int32Array.from(rows), size: largest(places),
    values: (c) => Float64Array.from(rows, (_, i) => places[3 * i + c]),
  };
}

export function reach(values: Float64Array): number {
  let low = Infinity, high = -Infinity;
  for (const v of values) if (Number.isFinite(v)) (low = Math.min(low, v)), (high = Math.max(high, v));
  return high > low ? high - low : 0;
}

// Of the points along a link (the tip stands first) the tip, unless another moves more than twice as far.
function tellingPoint(table: Table): number[] {
  const moved = Array.from({ length: Math.min(table.names.length / 3, 100) }, (_, p) => Math.hypot(...[0, 1, 2].map((k) => reach(table.values(3 * p + k)))));
  const most = moved.reduce((best, m, p) => (m > moved[best] ? p : best), 0), point = moved[most] > 2 * moved[0] ? most : 0;
  return [0, 1, 2].map((k) => 3 * point + k);
}

/** The columns that are shown unasked: those that move most, in their order; of poses those of one point. */
export function telling(table: Table, field: string): number[] {
  const all = table.names.map((_, i) => i);
  if (field.startsWith("poses:")) return table.names.length % 3 === 0 ? tellingPoint(table) : all.slice(0, 3);
  const far = all.slice(0, 400).map((c) => ({ c, moved: reach(table.values(c)), size: largest(table.values(c)) })), moving = far.filter((f) => f.moved > STILL * table.size);
  if (all.length <= FIRST) return STILL_TOO.test(field) || moving.length === 0 ? all : moving.map((f) => f.c);
  const moves = moving.length > 0; // else the largest
  return far.sort((a, b) => (moves ? b.moved - a.moved : 0) || b.size - a.size || a.c - b.c).slice(0, FIRST).map((f) => f.c).sort((a, b) => a - b);
}

/** The one column that moves most, where a chart has room for one. */
export function mostTelling(table: Table, field: string): number[] {
  const few = telling(table, field);
  return few.length ? [few.reduce((best, c) => (reach(table.values(c)) > reach(table.values(best)) ? c : best))] : [];
}

const STILL = 1e-9; // of the largest number: what moves by less stands still
const STILL_TOO = /^(tip:|energy$)/; // shown whole: what does not move of it says something

// What changes from row to row.
async function varies(run: Run, field: string): Promise<boolean> {
  const table = await tableOf(run, field);
  return !!table && table.names.some((_, c) => reach(table.values(c)) > STILL * table.size);
}

// Of recorded poses those of the link whose tip tells most, as pictures have it: its last place.
function recordedTip(run: Run, fields: string[]): string | undefined {
  const { name } = tipLink(run.summary.model.document);
  return [`poses:${name}@1`, `poses:${name}`].find((f) => fields.includes(f) && run.archive.size(f) < LARGE);
}

/** Fields that are drawn unasked, one above the other: where the robot's tip goes, what drives it, what its energy does; coordinates
 * where there is none of these. */
export async function usualFields(run: Run): Promise<string[]> {
  const fields = fieldsOf(run), found: string[] = [], tip = fields.find((f) => f.startsWith("tip:")) ?? recordedTip(run, fields) ?? fields.find((f) => f.startsWith("poses:") && run.archive.size(f) < LARGE);
  if (tip) found.push(tip);
  for (const f of ["u", "tensions"]) if (fields.includes(f) && found.length < 2 && run.archive.size(f) < LARGE && (await varies(run, f))) found.push(f);
  for (const f of ["contacts: normal force"]) if (fields.includes(f) && found.length < 3 && (await varies(run, f))) found.push(f);
  for (const f of ["q", "energy"].filter((f) => fields.includes(f))) if (found.length < 3) found.push(f);
  return found.length ? found : fields.slice(0, 1);
}

// A job by a part of its id: its first characters, or, where none begins so, the last ones of the newest jobs. An id begins with its
// time (48 bits of milliseconds as ten digits of base 32), so a beginning is an interval of time, and only its jobs are listed.
import { TendrilError } from "./errors.js";

const DIGITS = "0123456789abcdefghjkmnpqrstvwxyz", WHOLE = 26, LEAST = 4, ENDING = 8, TIME = 10, NEWEST = 1000, TOLD = 5;
const LAST_MS = 253402300799000, EARLIER_MS = 60e3, LATER_MS = 600e3; // times in the list differ a little from those in ids

const moment = (ms) => new Date(Math.min(Math.max(ms, 0), LAST_MS)).toISOString().replace(/\.\d+Z$/, "Z");

async function taken(list, fits, most, looked = Infinity) {
  const found = [];
  let seen = 0;
  for await (const { id } of list) {
    if (fits(id)) found.push(id);
    if (found.length === most || ++seen === looked) break;
  }
  return found;
}

async function beginSo(part, jobs) {
  if ([...part].some((letter) => !DIGITS.includes(letter))) return [];
  const step = 32 ** Math.max(0, TIME - part.length), first = step * [...part.slice(0, TIME)].reduce((sum, letter) => 32 * sum + DIGITS.indexOf(letter), 0);
  if (first > LAST_MS) return [];
  return taken(jobs({ since: moment(first - EARLIER_MS), until: moment(first + step + LATER_MS) }), (id) => id.startsWith(part), TOLD + 1);
}

/** The id of the one job that has such a beginning or end; `jobs` lists jobs by filters, the newest first. */
export async function wholeId(text, jobs) {
  const part = String(text).toLowerCase();
  if (part.length >= WHOLE) return part;
  const wrong = (detail, code = "invalid_argument") => new TendrilError(detail, { code });
  if (part.length < LEAST) throw wrong(`'${part}' is too short: at least ${LEAST} characters of a job's id`);
  let found = await beginSo(part, jobs), how = "begin";
  if (!found.length && part.length >= ENDING) [found, how] = [await taken(jobs({}), (id) => id.endsWith(part), TOLD + 1, NEWEST), "end"];
  if (!found.length) throw wrong(part.length >= ENDING ? `no job's id begins with '${part}', and of the newest ${NEWEST} none ends so` : `no job's id begins with '${part}' (its last characters do from ${ENDING} of them on)`, "not_found");
  if (found.length > 1) throw wrong(`several jobs' ids ${how} with '${part}': ${found.slice(0, TOLD).join(", ")}${found.length > TOLD ? ", …" : ""}`);
  return found[0];
}

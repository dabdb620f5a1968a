// The axes of curves: how far the vertical one reaches, and what stands at the ticks of both.
import { number } from "./parts";

const TINY = 1e-12; // of any unit that is plotted (rad, m, J, N): beyond what solvers are asked for
const NOISE = 1e-12; // of what the curve is part of: sums of doubles
const STILL = 1e-9; // of the curve's own size: less is no motion

/**
 * From where to where, when curves are flat; null: they are not. Rounding errors do not fill the panel: it reaches at least over
 * what could be no rounding error beside the largest value (`size`) of all that the curves are part of.
 */
export function flatReach(low: number, high: number, size = 0): [number, number] | null {
  const own = Math.max(Math.abs(low), Math.abs(high)), least = Math.max(TINY, NOISE * size, STILL * own), span = high - low;
  if (span >= least) return null;
  if (own === 0) return [-1, 1];
  const middle = own < least ? 0 : (low + high) / 2;
  return [middle - least, middle + least];
}

/** Words for ticks, with as many digits as tell them apart. */
export function ticksOf(values: (number | null)[]): string[] {
  const known = values.filter((v): v is number => v !== null), size = known.reduce((most, v) => Math.max(most, Math.abs(v)), 0);
  const step = known.length > 1 ? Math.abs(known[1] - known[0]) : size;
  if (!(step > 0)) return values.map((v) => (v === null ? "" : number(v)));
  const digits = Math.max(0, Math.floor(Math.log10(size)) - Math.floor(Math.log10(step * 1.000001))); // after the first one
  const more = (d: number) => Math.abs(step / 10 ** Math.floor(Math.log10(step * 1.000001)) - 2.5) < 1e-6 ? d + 1 : d;
  const scientific = size >= 1e5 || size < 1e-3, places = Math.max(0, more(-Math.floor(Math.log10(step * 1.000001))));
  const word = (v: number) => (Math.abs(v) < 1e-6 * step ? "0" : scientific ? exponential(v, Math.floor(Math.log10(size)), more(digits)) : v.toFixed(places));
  return values.map((v) => (v === null ? "" : word(v)));
}

// All ticks of an axis with the same power of ten.
function exponential(v: number, power: number, digits: number): string {
  return `${(v / 10 ** power).toFixed(digits)}e${power}`;
}

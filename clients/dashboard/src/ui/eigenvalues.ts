// What a linearisation says of motion: eigenvalues of A at its states, and how fast, how often and how damped that is.
import { eigenvalues } from "./qr";
import { abscissa, type Run } from "./results";

export interface Spectrum {
  at: number; // s, or the number of the state
  re: Float64Array; // 1/s, rising by modulus
  im: Float64Array;
}

export interface Mode {
  frequency: number; // rad/s, 0: it does not swing
  decay: number; // 1/s, negative: it grows
  damping: number; // share of what would just not swing
}

/** Of more states, or larger ones, those are taken that lie evenly: eigenvalues of a matrix of n rows cost 25 n^3. */
const MOST_WORK = 4e7;
const TURNS = 1e-9; // of its modulus: an eigenvalue with less beside the axis does not swing

/** Of a matrix [n, n] by rows, by rising modulus. */
export function eigenvaluesOf(values: ArrayLike<number>, n: number): { re: Float64Array; im: Float64Array } {
  const { re, im } = eigenvalues(values, n), order = Array.from(re, (_, i) => i).sort((a, b) => Math.hypot(re[a], im[a]) - Math.hypot(re[b], im[b]));
  return { re: Float64Array.from(order, (i) => re[i]), im: Float64Array.from(order, (i) => im[i]) };
}

/** None where it has no A, or one that is too large for a page. */
export async function spectraOf(run: Run): Promise<Spectrum[]> {
  if (!run.archive.has("A")) return [];
  const { data, shape } = await run.archive.array("A"), [states, n] = shape, most = Math.floor(MOST_WORK / n ** 3);
  if (shape.length !== 3 || !n || !states || most < 1) return [];
  const at = await abscissa(run, states), count = Math.min(states, most);
  return Array.from({ length: count }, (_, k) => (count < 2 ? states - 1 : Math.round((k * (states - 1)) / (count - 1))))
    .filter((row) => data.subarray(row * n * n, (row + 1) * n * n).every(Number.isFinite))
    .map((row) => ({ at: at[row], ...eigenvaluesOf(data.subarray(row * n * n, (row + 1) * n * n), n) }));
}

/** Each pair of a swing is one; the slowest first. */
export function modesOf({ re, im }: Spectrum): Mode[] {
  return Array.from(re, (decay, i) => ({ decay: -decay, frequency: Math.abs(im[i]) > TURNS * Math.hypot(decay, im[i]) ? im[i] : 0, size: Math.hypot(decay, im[i]) }))
    .filter((m) => m.frequency >= 0)
    .map(({ decay, frequency, size }) => ({ decay, frequency, damping: size > 0 ? decay / size : 0 }));
}

/** A place on an axis that is linear below `least` and counts powers of ten beyond. */
export const folded = (x: number, least: number) => (Math.abs(x) <= least ? x / least : Math.sign(x) * (1 + Math.log10(Math.abs(x) / least)));

/** Where an axis of these numbers begins to count powers of ten; Infinity: all are of one size. */
export function foldOf(spectra: Spectrum[]): number {
  const sizes = spectra.flatMap(({ re, im }) => Array.from(re, (x, i) => Math.hypot(x, im[i]))), largest = sizes.reduce((a, b) => Math.max(a, b), 0);
  const least = sizes.filter((s) => s > TURNS * largest).reduce((a, b) => Math.min(a, b), largest);
  return largest > 100 * least ? least : Infinity;
}

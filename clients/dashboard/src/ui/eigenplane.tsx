// Eigenvalues of a linearisation in the complex plane, as an SVG, and its slowest modes in words: crosses swing, rings do
// not, what is right of the dashed line grows.
import { ramp } from "../scene/colour";
import { folded, foldOf, modesOf, spectraOf, type Spectrum } from "./eigenvalues";
import { useLoaded, useTheme } from "./hooks";
import { number, ProblemBox } from "./parts";
import type { Run } from "./results";

const SIZE = 460, LEFT = 62, BOTTOM = 42, TOP = 10, RIGHT = 12, MARK = 4.5, MOST_MODES = 12;

interface Axis { to: (x: number) => number; ticks: { x: number; label: string }[] }

// Over all values, the origin and a margin; folded where they differ by powers of ten.
function axisOf(values: number[], fold: number, from: number, length: number): Axis {
  const place = (x: number) => (Number.isFinite(fold) ? folded(x, fold) : x), all = values.concat(0).map(place);
  let low = all.reduce((a, b) => Math.min(a, b)), high = all.reduce((a, b) => Math.max(a, b));
  const margin = 0.07 * (high - low) || 1;
  (low -= margin), (high += margin);
  return { to: (x) => from + ((place(x) - low) / (high - low)) * length, ticks: ticksOn(low, high, fold).map((x) => ({ x, label: number(x) })) };
}

function ticksOn(low: number, high: number, fold: number): number[] {
  if (!Number.isFinite(fold)) {
    const raw = (high - low) / 5, power = 10 ** Math.floor(Math.log10(raw)), lead = raw / power, step = power * (lead <= 1 ? 1 : lead <= 2 ? 2 : lead <= 5 ? 5 : 10), first = Math.ceil(low / step);
    return Array.from({ length: Math.max(0, Math.floor(high / step) - first + 1) }, (_, i) => (first + i) * step);
  }
  const first = Math.ceil(Math.log10(fold)), reach = Math.max(-low, high) - 1 + Math.log10(fold), every = Math.max(1, Math.ceil((reach - first + 1) / 4)), powers: number[] = [];
  for (let p = first; p <= reach; p += every) powers.push(10 ** p);
  return [...powers.map((p) => -p).reverse(), 0, ...powers].filter((x) => folded(x, fold) >= low && folded(x, fold) <= high);
}

function Plane({ spectra, dark }: { spectra: Spectrum[]; dark: boolean }) {
  const fold = foldOf(spectra), x = axisOf(spectra.flatMap((s) => [...s.re]), fold, LEFT, SIZE - LEFT - RIGHT), y = axisOf(spectra.flatMap((s) => [...s.im]), fold, SIZE - BOTTOM, -(SIZE - TOP - BOTTOM));
  const colour = (k: number) => `rgb(${ramp(spectra.length > 1 ? k / (spectra.length - 1) : 0.35, dark).map((v) => Math.round(255 * v)).join(",")})`;
  return (
    <svg viewBox={`0 0 ${SIZE} ${SIZE}`} role="img" aria-label="eigenvalues in the complex plane">
      {x.ticks.map((t) => <g key={`x${t.x}`}><line class="grid" x1={x.to(t.x)} x2={x.to(t.x)} y1={TOP} y2={SIZE - BOTTOM} /><text x={x.to(t.x)} y={SIZE - BOTTOM + 16} text-anchor="middle">{t.label}</text></g>)}
      {y.ticks.map((t) => <g key={`y${t.x}`}><line class="grid" x1={LEFT} x2={SIZE - RIGHT} y1={y.to(t.x)} y2={y.to(t.x)} /><text x={LEFT - 6} y={y.to(t.x) + 4} text-anchor="end">{t.label}</text></g>)}
      <line class="stability" x1={x.to(0)} x2={x.to(0)} y1={TOP} y2={SIZE - BOTTOM} />
      {spectra.map((s, k) => Array.from(s.re, (re, i) => {
        const cx = x.to(re), cy = y.to(s.im[i]);
        return s.im[i] === 0 ? <circle key={`${k} ${i}`} cx={cx} cy={cy} r={MARK} style={{ stroke: colour(k) }} />
          : <path key={`${k} ${i}`} d={`M${cx - MARK},${cy - MARK} l${2 * MARK},${2 * MARK} m0,${-2 * MARK} l${-2 * MARK},${2 * MARK}`} style={{ stroke: colour(k) }} />;
      }))}
      <text x={(LEFT + SIZE - RIGHT) / 2} y={SIZE - 6} text-anchor="middle">real part (1/s)</text>
      <text x={14} y={(TOP + SIZE - BOTTOM) / 2} text-anchor="middle" transform={`rotate(-90 14 ${(TOP + SIZE - BOTTOM) / 2})`}>imaginary part (rad/s)</text>
    </svg>
  );
}

// "grows by e in 0.3 s"
const course = (decay: number) => (decay === 0 ? "stays" : `${decay > 0 ? "dies" : "grows"} by e in ${number(1 / Math.abs(decay))} s`);

function Modes({ spectrum, of }: { spectrum: Spectrum; of: string }) {
  const modes = modesOf(spectrum), growing = modes.filter((m) => m.decay < 0).length;
  return (
    <div class="scroll">
      <table>
        <caption class="quiet">{of}: {modes.length > MOST_MODES ? `the slowest ${MOST_MODES} of ${modes.length} modes` : `${modes.length} modes`}, {growing ? `${growing} of all grow` : "none grows"}</caption>
        <thead><tr><th>swings at (rad/s)</th><th>(Hz)</th><th>damping ratio</th><th>in time</th></tr></thead>
        <tbody>
          {modes.slice(0, MOST_MODES).map((m, i) => (
            <tr key={i}><td>{m.frequency ? number(m.frequency) : "–"}</td><td>{m.frequency ? number(m.frequency / (2 * Math.PI)) : "–"}</td><td>{m.frequency ? number(m.damping) : "–"}</td><td>{course(m.decay)}</td></tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

export default function Eigenplane({ run }: { run: Run }) {
  const dark = useTheme() === "dark", loaded = useLoaded(() => spectraOf(run), [run]), spectra = loaded.value;
  if (loaded.problem) return <ProblemBox problem={loaded.problem} />;
  if (!spectra) return <p class="quiet">Computing…</p>;
  if (!spectra.length) return <p class="quiet">Its A is not there, or too large to be looked at here: the client in Python draws its eigenvalues.</p>;
  const last = spectra[spectra.length - 1], timed = run.archive.has("t"), name = (s: Spectrum) => (timed ? `t = ${number(s.at)} s` : "at the state");
  return (
    <figure class="eigenplane">
      <figcaption class="quiet">✕ swings, ○ does not swing, right of the dashed line it grows{spectra.length > 1 ? `; dark to bright: ${name(spectra[0])} to ${number(last.at)} s` : ""}</figcaption>
      <Plane spectra={spectra} dark={dark} />
      <Modes spectrum={last} of={name(last)} />
    </figure>
  );
}

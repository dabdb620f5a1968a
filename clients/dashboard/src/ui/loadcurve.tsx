// The load curve of a path of equilibria as an SVG: stable parts solid, unstable ones dashed, rings at limit points,
// diamonds at branch points.
import { useEffect, useRef } from "preact/hooks";
import type { Clock } from "./clock";
import { stretches, type LoadCurve } from "./path";
import { ticksOf } from "./scale";

const WIDTH = 640, HEIGHT = 300, LEFT = 74, RIGHT = 14, TOP = 12, BOTTOM = 44;

function span(values: Iterable<number>): [number, number] {
  let low = Infinity, high = -Infinity;
  for (const v of values) if (Number.isFinite(v)) (low = Math.min(low, v)), (high = Math.max(high, v));
  if (!(high >= low)) return [0, 1];
  const margin = high > low ? 0.05 * (high - low) : 0.5;
  return [low - margin, high + margin];
}

function ticks([low, high]: [number, number], most: number): number[] {
  const raw = (high - low) / most, power = 10 ** Math.floor(Math.log10(raw)), lead = raw / power;
  const step = power * (lead <= 1 ? 1 : lead <= 2 ? 2 : lead <= 5 ? 5 : 10), first = Math.ceil(low / step);
  return Array.from({ length: Math.max(0, Math.floor(high / step) - first + 1) }, (_, i) => (first + i) * step);
}

export function LoadCurvePlot({ curve, onPick, clock }: { curve: LoadCurve; onPick?: (row: number) => void; clock?: Clock }) {
  const now = useRef<SVGCircleElement>(null);
  const xs = span(curve.x), ys = span([...curve.y, ...curve.events.map((e) => e.y)]);
  const px = (x: number) => LEFT + ((x - xs[0]) / (xs[1] - xs[0])) * (WIDTH - LEFT - RIGHT), py = (y: number) => TOP + (1 - (y - ys[0]) / (ys[1] - ys[0])) * (HEIGHT - TOP - BOTTOM);
  const xt = ticks(xs, 7), yt = ticks(ys, 6), xl = ticksOf(xt), yl = ticksOf(yt);
  useEffect(() => clock?.watch((row) => {
    const i = Math.round(row), at = now.current;
    if (!at || !(i < curve.x.length)) return;
    at.setAttribute("cx", String(px(curve.x[i])));
    at.setAttribute("cy", String(py(curve.y[i])));
  }), [clock, curve]);
  const pick = (e: MouseEvent) => {
    const box = (e.currentTarget as SVGElement).getBoundingClientRect();
    const at = [((e.clientX - box.left) / box.width) * WIDTH, ((e.clientY - box.top) / box.height) * HEIGHT];
    let best = 0, least = Infinity;
    curve.x.forEach((x, i) => { const d = (px(x) - at[0]) ** 2 + (py(curve.y[i]) - at[1]) ** 2; if (d < least) (least = d), (best = i); });
    onPick?.(best);
  };
  return (
    <figure class="loadcurve">
      <figcaption>Load curve: {curve.yName} over {curve.xName} <span class="quiet">solid: stable, dashed: unstable, ○ limit point, ◇ branch point; a click shows the robot there</span></figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={`load curve of ${curve.yName}`} onClick={pick}>
        {xt.map((x, i) => <g key={`x${i}`}><line class="grid" x1={px(x)} x2={px(x)} y1={TOP} y2={HEIGHT - BOTTOM} /><text x={px(x)} y={HEIGHT - BOTTOM + 16} text-anchor="middle">{xl[i]}</text></g>)}
        {yt.map((y, i) => <g key={`y${i}`}><line class="grid" x1={LEFT} x2={WIDTH - RIGHT} y1={py(y)} y2={py(y)} /><text x={LEFT - 6} y={py(y) + 4} text-anchor="end">{yl[i]}</text></g>)}
        {stretches(curve).map((s, i) => <polyline key={i} class={s.stable ? "stable" : "unstable"} points={s.points.map((p) => `${px(p.x).toFixed(1)},${py(p.y).toFixed(1)}`).join(" ")} />)}
        {curve.events.map((e, i) => e.kind === "limit" ? <circle key={i} class="limit" cx={px(e.x)} cy={py(e.y)} r={5} />
          : <path key={i} class="branch" d={`M${px(e.x) - 6},${py(e.y)} l6,-6 l6,6 l-6,6 z`} />)}
        {clock && <circle ref={now} class="now" r={4} />}
        <text x={(LEFT + WIDTH - RIGHT) / 2} y={HEIGHT - 8} text-anchor="middle">{curve.xName}</text>
        <text x={14} y={(TOP + HEIGHT - BOTTOM) / 2} text-anchor="middle" transform={`rotate(-90 14 ${(TOP + HEIGHT - BOTTOM) / 2})`}>{curve.yName}</text>
      </svg>
    </figure>
  );
}

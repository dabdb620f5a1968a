// Curves over time with uPlot: drag to zoom, double click to see all, values under the cursor, or at the time that a replay
// shows where there is none; a click tells the time. Charts of one stack share cursor, zoom and left edge.
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import type { Clock } from "./clock";
import { useTheme } from "./hooks";
import { number } from "./parts";
import { flatReach, ticksOf } from "./scale";

export interface Series {
  label: string;
  x: Float64Array;
  y: Float64Array;
  run?: number; // which of those that are compared: 0 has plain lines
  hue?: number; // curves with the same one are the same quantity of several runs
  colour?: string; // of its own
  group?: number; // which of several curves of one quantity: they have marks of their own
  dots?: boolean; // measured: no line between them; false: a line alone, however few they are
}

const COLOURS = ["#d1495b", "#2a9d8f", "#e9a23b", "#5b6fd6", "#a35bb0", "#6a994e", "#c77d3f", "#3a86c8", "#8d6e63", "#607d8b"];

const DASHES = [undefined, [7, 5], [2, 3], [12, 4, 2, 4]], MARKS = ["solid", "dashed", "dotted", "double"]; // of the runs, on the plot and in the legend
const dashOf = <T,>(list: T[], s: Series) => list[Math.min(s.run || (s.group ?? 0), list.length - 1)];

// All series on the union of their times: uPlot joins over what is undefined, and leaves a gap where there is no
// number.
function align(series: Series[]): uPlot.AlignedData {
  const gaps = (y: Float64Array) => (y.some(Number.isNaN) ? Array.from(y, (v) => (Number.isNaN(v) ? null : v)) : y);
  const tables = series.map((s) => [s.x, gaps(s.y)] as unknown as uPlot.AlignedData);
  return tables.length ? (uPlot.join(tables) as uPlot.AlignedData) : [[]];
}

const COUNTS = [1, 2, 5].flatMap((n) => [0, 1, 2, 3, 4, 5].map((k) => n * 10 ** k)).sort((a, b) => a - b);

/** Charts above each other. */
export class Stack {
  private static made = 0;
  readonly key = `stack${Stack.made++}`;
  readonly plots = new Set<uPlot>();
  private left = 66; // px that the widest numbers take

  /** Room for the numbers of an axis; all others follow when one needs more. */
  room(asker: uPlot, wanted: number): number {
    if (wanted > this.left) {
      this.left = wanted;
      queueMicrotask(() => this.plots.forEach((p) => p !== asker && p.redraw(false, true)));
    }
    return this.left;
  }
}

// Of samples that lie closer than pixels, of each column of pixels the first, least, largest and last, where they are: uPlot's own
// thinning draws them all at the column's edge, which makes stairs of what is smooth.
const paths: uPlot.Series.PathBuilder = (u, series, from, to) => {
  const xs = u.data[0], ys = u.data[series], scale = u.series[series].scale!, line = new Path2D(), thin = to - from > 4 * u.bbox.width;
  const put = (i: number, start: boolean) => {
    const x = u.valToPos(xs[i], "x", true), y = u.valToPos(ys[i]!, scale, true);
    if (start) line.moveTo(x, y);
    else line.lineTo(x, y);
  };
  let open = false, column = NaN, kept: number[] = [];
  const flush = () => {
    [...new Set(kept)].sort((a, b) => a - b).forEach((i) => (put(i, !open), (open = true)));
    kept = [];
  };
  for (let i = from; i <= to; i++) {
    const y = ys[i];
    if (y === undefined) continue; // of another curve alone
    if (y === null) {
      flush();
      open = false;
      column = NaN;
      continue;
    }
    const now = thin ? Math.floor(u.valToPos(xs[i], "x", true)) : i;
    if (now !== column) flush(), (column = now), (kept = [i, i, i, i]);
    else kept = [kept[0], y < ys[kept[1]]! ? i : kept[1], y > ys[kept[2]]! ? i : kept[2], i];
  }
  flush();
  return { stroke: line, flags: 1 };
};

// Lines across the panel where something happened.
function drawMarks(u: uPlot, marks: number[]): void {
  const { ctx, bbox } = u, { min, max } = u.scales.x;
  ctx.save();
  ctx.strokeStyle = "#c8591c";
  ctx.lineWidth = devicePixelRatio;
  ctx.setLineDash([2 * devicePixelRatio, 3 * devicePixelRatio]);
  for (const x of marks) {
    if (x < min! || x > max!) continue;
    const at = Math.round(u.valToPos(x, "x", true)) + 0.5;
    ctx.beginPath();
    ctx.moveTo(at, bbox.top);
    ctx.lineTo(at, bbox.top + bbox.height);
    ctx.stroke();
  }
  ctx.restore();
}

export interface PlotProps {
  series: Series[];
  xLabel: string;
  yLabel: string;
  size?: number; // of what is plotted and of all that it is part of
  counted?: boolean; // x is 0, 1, 2 …
  marks?: number[]; // x of dotted lines
  onPick?: (x: number) => void;
  height?: number;
  stack?: Stack;
  last?: boolean; // of a stack: says what the numbers below it are
  clock?: Clock;
  place?: (time: number) => number | null; // x of a time; without it they are the same
  legend?: boolean; // what each curve is called
  amounts?: boolean; // nothing is below 0
}

// The sample at x or before it.
function before(xs: ArrayLike<number>, x: number): number {
  let low = 0, high = xs.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (xs[middle] <= x) low = middle;
    else high = middle - 1;
  }
  return low;
}

export default function Plot({ series, xLabel, yLabel, size = 0, counted = false, marks = [], legend = true, amounts = false, onPick, height = 420, stack, last = true, clock, place }: PlotProps) {
  const box = useRef<HTMLDivElement>(null), pick = useRef(onPick), all = useRef(size);
  pick.current = onPick;
  all.current = size;
  const dotted = useRef(marks);
  dotted.current = marks;
  const where = useRef(place);
  where.current = place;
  const shape = series.map((s) => `${s.label}-${s.run}${s.colour ?? ""}`).join("|") + xLabel + yLabel + height + last + legend + useTheme();
  const plot = useRef<uPlot | null>(null);

  useEffect(() => {
    const parent = box.current!, style = getComputedStyle(parent);
    const ink = style.getPropertyValue("--ink").trim(), line = style.getPropertyValue("--line").trim();
    const axis = { stroke: ink, grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1 } };
    const made = new uPlot({
      width: parent.clientWidth || 600,
      height,
      scales: { x: { time: false }, y: { range: (_, low, high) => (low === null || (amounts && high === 0) ? [0, 1] : flatReach(low, high, all.current) ?? uPlot.rangeNum(low, high, 0.1, true)) } },
      axes: [
        { ...axis, size: 30, ...(last && { label: xLabel, labelSize: 20, labelGap: 0 }), space: (_, __, low, high) => 26 + 7 * ticksOf([low, high]).reduce((n, w) => Math.max(n, w.length), 0), incrs: counted ? COUNTS : undefined, values: (_, v) => ticksOf(v) },
        { ...axis, label: yLabel, labelSize: 22, space: 34, size: (u, v) => { const own = 14 + 7 * Math.max(0, ...(v ?? []).map((x) => x.length)); return stack?.room(u, own) ?? Math.max(44, own); }, values: (_, v) => ticksOf(v) },
      ],
      pxAlign: 0,
      legend: { show: legend, markers: { dash: (_, i) => (i ? dashOf(MARKS, series[i - 1]) : "solid") } },
      series: [{ label: xLabel, value: (_, v) => number(v) }, ...series.map((s, i) => ({
        label: s.label, paths, stroke: s.colour ?? COLOURS[(s.hue ?? i) % COLOURS.length], width: s.dots ? 0 : 1.5, dash: dashOf(DASHES, s),
        points: { show: s.dots ?? s.x.length < (counted ? 100 : 40), ...(s.dots && { size: 8 }), ...(s.colour && { size: 5, fill: s.colour }) }, value: (_: uPlot, v: number | null) => number(v),
      }))],
      cursor: { drag: { x: true, y: false }, ...(stack && { sync: { key: stack.key } }) },
      hooks: { draw: [(u) => drawMarks(u, dotted.current)], setCursor: [(u) => (u.cursor.left ?? -1) < 0 && queueMicrotask(showNow)], setSize: [() => showNow()], setScale: [(_, key) => key === "x" && queueMicrotask(showNow)], ready: [() => queueMicrotask(showNow)] },
    }, align(series), parent);
    const head = document.createElement("div");
    head.className = "playhead";
    if (clock) made.over.append(head);
    let gone = false;
    // Where the replay is: a line, and its values while no cursor asks for others.
    const showNow = () => {
      if (gone || !clock) return;
      const x = where.current ? where.current(clock.time) : clock.time, { min, max } = made.scales.x;
      head.hidden = x === null || min === undefined || min === null || x < min || x > max!;
      if (x === null) return;
      head.style.transform = `translateX(${made.valToPos(x, "x")}px)`;
      head.dataset.x = String(x);
      if ((made.cursor.left ?? -1) < 0 && made.data[0].length) made.setLegend({ idx: before(made.data[0], x + 1e-9 * Math.abs(x)) }, false);
    };
    const unwatch = clock?.watch(showNow);
    stack?.plots.add(made);
    made.over.addEventListener("click", () => {
      const at = made.cursor.left;
      if (at !== undefined && at !== null && at >= 0) pick.current?.(made.posToVal(at, "x"));
    });
    plot.current = made;
    const observer = new ResizeObserver(() => parent.clientWidth && made.setSize({ width: parent.clientWidth, height }));
    observer.observe(parent);
    return () => {
      gone = true;
      unwatch?.();
      observer.disconnect();
      stack?.plots.delete(made);
      made.destroy();
      plot.current = null;
    };
  }, [shape]);

  useEffect(() => {
    const p = plot.current;
    if (!p) return;
    const { min, max } = p.scales.x, xs = p.data[0], zoomed = xs.length > 0 && (min! > xs[0] || max! < xs[xs.length - 1]);
    p.setData(align(series), !zoomed); // a zoom stays while data grow
  }, [series, marks.join()]);

  return <div class="plot" ref={box} />;
}

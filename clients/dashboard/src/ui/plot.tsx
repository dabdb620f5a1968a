// Curves over time with uPlot: drag to zoom, double click to see all, values under the cursor; a click tells the time.
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { number } from "./parts";
import { flatReach, ticksOf } from "./scale";

export interface Series {
  label: string;
  x: Float64Array;
  y: Float64Array;
  run?: number; // which of those that are compared: 0 has plain lines
  hue?: number; // curves with the same one are the same quantity of several runs
  dots?: boolean; // measured: no line between them; false: a line alone, however few they are
}

const COLOURS = ["#d1495b", "#2a9d8f", "#e9a23b", "#5b6fd6", "#a35bb0", "#6a994e", "#c77d3f", "#3a86c8", "#8d6e63", "#607d8b"];

const DASHES = [undefined, [7, 5], [2, 3], [12, 4, 2, 4]], MARKS = ["solid", "dashed", "dotted", "double"]; // of the runs, on the plot and in the legend
const dashOf = <T,>(list: T[], s: Series) => list[Math.min(s.run ?? 0, list.length - 1)];

// All series on the union of their times: uPlot joins over what is undefined, and leaves a gap where there is no
// number.
function align(series: Series[]): uPlot.AlignedData {
  const gaps = (y: Float64Array) => (y.some(Number.isNaN) ? Array.from(y, (v) => (Number.isNaN(v) ? null : v)) : y);
  const tables = series.map((s) => [s.x, gaps(s.y)] as unknown as uPlot.AlignedData);
  return tables.length ? (uPlot.join(tables) as uPlot.AlignedData) : [[]];
}

const COUNTS = [1, 2, 5].flatMap((n) => [0, 1, 2, 3, 4, 5].map((k) => n * 10 ** k)).sort((a, b) => a - b);

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
}

export default function Plot({ series, xLabel, yLabel, size = 0, counted = false, marks = [], onPick, height = 420 }: PlotProps) {
  const box = useRef<HTMLDivElement>(null), pick = useRef(onPick), all = useRef(size);
  pick.current = onPick;
  all.current = size;
  const dotted = useRef(marks);
  dotted.current = marks;
  const shape = series.map((s) => `${s.label}-${s.run}`).join("|") + xLabel + yLabel;
  const plot = useRef<uPlot | null>(null);

  useEffect(() => {
    const parent = box.current!, style = getComputedStyle(parent);
    const ink = style.getPropertyValue("--ink").trim(), line = style.getPropertyValue("--line").trim();
    const axis = { stroke: ink, grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1 } };
    const made = new uPlot({
      width: parent.clientWidth || 600,
      height,
      scales: { x: { time: false }, y: { range: (_, low, high) => (low === null ? [0, 1] : flatReach(low, high, all.current) ?? uPlot.rangeNum(low, high, 0.1, true)) } },
      axes: [
        { ...axis, label: xLabel, labelSize: 22, incrs: counted ? COUNTS : undefined, values: (_, v) => ticksOf(v) },
        { ...axis, label: yLabel, labelSize: 22, size: (_, v) => Math.max(66, 26 + 7 * Math.max(0, ...(v ?? []).map((x) => x.length))), values: (_, v) => ticksOf(v) },
      ],
      legend: { markers: { dash: (_, i) => (i ? dashOf(MARKS, series[i - 1]) : "solid") } },
      series: [{ label: xLabel, value: (_, v) => number(v) }, ...series.map((s, i) => ({
        label: s.label, stroke: COLOURS[(s.hue ?? i) % COLOURS.length], width: s.dots ? 0 : 1.5, dash: dashOf(DASHES, s),
        points: { show: s.dots ?? s.x.length < (counted ? 100 : 40), ...(s.dots && { size: 8 }) }, value: (_: uPlot, v: number | null) => number(v),
      }))],
      cursor: { drag: { x: true, y: false } },
      hooks: { draw: [(u) => drawMarks(u, dotted.current)] },
    }, align(series), parent);
    made.over.addEventListener("click", () => {
      const at = made.cursor.left;
      if (at !== undefined && at !== null && at >= 0) pick.current?.(made.posToVal(at, "x"));
    });
    plot.current = made;
    const observer = new ResizeObserver(() => parent.clientWidth && made.setSize({ width: parent.clientWidth, height }));
    observer.observe(parent);
    return () => (observer.disconnect(), made.destroy(), void (plot.current = null));
  }, [shape]);

  useEffect(() => {
    const p = plot.current;
    if (!p) return;
    const { min, max } = p.scales.x, xs = p.data[0], zoomed = xs.length > 0 && (min! > xs[0] || max! < xs[xs.length - 1]);
    p.setData(align(series), !zoomed); // a zoom stays while data grow
  }, [series, marks.join()]);

  return <div class="plot" ref={box} />;
}

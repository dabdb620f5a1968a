// Curves over time with uPlot: drag to zoom, double click to see all, values under the cursor; a click tells the time.
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { number } from "./parts";

export interface Series {
  label: string;
  x: Float64Array;
  y: Float64Array;
  dash?: boolean;
  hue?: number; // curves with the same one are the same quantity of several runs
}

const COLOURS = ["#d1495b", "#2a9d8f", "#e9a23b", "#5b6fd6", "#a35bb0", "#6a994e", "#c77d3f", "#3a86c8", "#8d6e63", "#607d8b"];

// All series on the union of their times: uPlot joins over what is undefined.
function align(series: Series[]): uPlot.AlignedData {
  const tables = series.map((s) => [s.x, s.y] as unknown as uPlot.AlignedData);
  return tables.length ? (uPlot.join(tables) as uPlot.AlignedData) : [[]];
}

export default function Plot({ series, xLabel, yLabel, onPick, height = 420 }: { series: Series[]; xLabel: string; yLabel: string; onPick?: (x: number) => void; height?: number }) {
  const box = useRef<HTMLDivElement>(null), pick = useRef(onPick);
  pick.current = onPick;
  const shape = series.map((s) => s.label + (s.dash ? "-" : "")).join("|") + xLabel + yLabel;
  const plot = useRef<uPlot | null>(null);

  useEffect(() => {
    const parent = box.current!, style = getComputedStyle(parent);
    const ink = style.getPropertyValue("--ink").trim(), line = style.getPropertyValue("--line").trim();
    const axis = { stroke: ink, grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1 } };
    const made = new uPlot({
      width: parent.clientWidth || 600,
      height,
      scales: { x: { time: false } },
      axes: [{ ...axis, label: xLabel, labelSize: 22 }, { ...axis, label: yLabel, labelSize: 22, size: 66, values: (_, v) => v.map(number) }],
      series: [{ label: xLabel, value: (_, v) => number(v) }, ...series.map((s, i) => ({
        label: s.label, stroke: COLOURS[(s.hue ?? i) % COLOURS.length], width: 1.5, spanGaps: true, dash: s.dash ? [6, 4] : undefined,
        points: { show: s.x.length < 40 }, value: (_: uPlot, v: number | null) => number(v),
      }))],
      cursor: { drag: { x: true, y: false } },
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
    const { min, max } = p.scales.x, all = p.data[0], zoomed = all.length > 0 && (min! > all[0] || max! < all[all.length - 1]);
    p.setData(align(series), !zoomed); // a zoom stays while data grow
  }, [series]);

  return <div class="plot" ref={box} />;
}

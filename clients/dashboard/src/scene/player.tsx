// Replay of runs in 3D: one clock, a canvas per run, cameras that move together. Space plays, arrows step, Home and End jump.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Run } from "../ui/results";
import type { ModelDocument, Vec3 } from "../robot/document";
import { number } from "../ui/parts";
import { COLOURS, GRADIENT, rangeOf, UNITS, type ColourBy } from "./colour";
import { RobotScene, type Look } from "./scene";

/** What is replayed: samples of q (and u) at rising times. */
export interface Motion {
  id: string;
  document: ModelDocument;
  t: Float64Array;
  unit: string; // of t: s, or "" where samples are counted
  q: Float64Array; // [samples][n]
  n: number;
  u: Float64Array | null;
  channels: number;
}

/** null: the result has no q to rebuild shapes from. */
export async function motionOf(run: Run): Promise<Motion | null> {
  if (!run.archive.has("q")) return null;
  const q = await run.archive.array("q"), u = run.archive.has("u") ? await run.archive.array("u") : null;
  if (q.shape.length !== 2 || q.shape[0] === 0) return null;
  const t = run.archive.has("t") ? (await run.archive.array("t")).data : Float64Array.from({ length: q.shape[0] }, (_, i) => i);
  return { id: run.id, document: run.summary.model.document, t, unit: run.archive.has("t") ? "s" : "", q: q.data, n: q.shape[1], u: u && u.shape[1] ? u.data : null, channels: u?.shape[1] ?? 0 };
}

const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 5, 10];
const VIEWS: [string, Vec3][] = [["3D", [1.1, -1.6, 0.7]], ["x", [1, 0, 0]], ["y", [0, -1, 0.0001]], ["z", [0, -0.0001, 1]]];

// Sample and share of the next one at time t.
function find(t: Float64Array, time: number): [number, number] {
  let low = 0, high = t.length - 1;
  if (high <= 0 || time <= t[0]) return [0, 0];
  if (time >= t[high]) return [high, 0];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (t[middle] <= time) low = middle;
    else high = middle;
  }
  return [low, (time - t[low]) / (t[high] - t[low])];
}

function at(data: Float64Array, width: number, [i, share]: [number, number], out: Float64Array): Float64Array {
  for (let c = 0; c < width; c++) {
    const a = data[i * width + c], b = share > 0 ? data[(i + 1) * width + c] : a;
    out[c] = a + (b - a) * share;
  }
  return out;
}

function samples(m: Motion, most: number): Float64Array[] {
  const count = Math.min(most, m.t.length);
  return Array.from({ length: count }, (_, k) => {
    const i = count < 2 ? 0 : Math.round((k * (m.t.length - 1)) / (count - 1));
    return m.q.subarray(i * m.n, (i + 1) * m.n);
  });
}

function rangeFor(scene: RobotScene, m: Motion, by: ColourBy): [number, number] {
  if (by === "body") return [0, 1];
  if (by !== "tension") return rangeOf(scene.robot, samples(m, 40), by);
  const high = m.u ? m.u.reduce((a, b) => Math.max(a, b), 0) : 0;
  return [0, high || 1];
}

function Canvas({ motion, time, look, tip, view, register, title }: {
  motion: Motion; time: number; look: Look; tip: string; view: number;
  register: (s: RobotScene | null) => void; title: string | null;
}) {
  const canvas = useRef<HTMLCanvasElement>(null), scene = useRef<RobotScene | null>(null), fitted = useRef(-1); // length of the motion that the camera was pointed at
  const [trouble, setTrouble] = useState("");
  const document_ = useMemo(() => JSON.stringify(motion.document), [motion.document]);
  const buffers = useMemo(() => ({ q: new Float64Array(motion.n), u: new Float64Array(motion.channels) }), [motion.n, motion.channels]);

  useEffect(() => {
    try {
      scene.current = new RobotScene(canvas.current!, motion.document);
    } catch (error) {
      setTrouble(`This browser shows no 3D: ${error instanceof Error ? error.message : error}`);
      return;
    }
    fitted.current = -1;
    register(scene.current);
    return () => (scene.current?.dispose(), (scene.current = null), register(null));
  }, [document_]);

  useEffect(() => {
    const s = scene.current;
    if (!s) return;
    const length = motion.t[motion.t.length - 1] - motion.t[0];
    if (fitted.current >= 0 && length <= 1.5 * fitted.current) return; // a run that grows is followed, a still shape is not
    fitted.current = length;
    s.fit(samples(motion, 30), VIEWS[0][1]);
  }, [motion, document_]);

  useEffect(() => { if (view >= 0) scene.current?.fit(samples(motion, 30), VIEWS[view % VIEWS.length][1]); }, [view]);
  useEffect(() => { if (look.trail) scene.current?.setTrail(tip, samples(motion, 2000)); }, [motion, tip, look.trail]);
  useEffect(() => {
    const s = scene.current;
    if (!s) return;
    const where = find(motion.t, time);
    s.show(at(motion.q, motion.n, where, buffers.q), motion.u ? at(motion.u, motion.channels, [where[0], 0], buffers.u) : null, look, time);
  }, [motion, document_, time, look]);

  return (
    <div class="stage">
      {trouble ? <p class="problem" role="alert">{trouble}</p> : <canvas ref={canvas} aria-label="the robot in 3D" />}
      {title && <span class="title">{title}</span>}
    </div>
  );
}

export interface PlayerProps {
  motions: Motion[];
  time?: number | null; // asked for from outside
  controls?: boolean;
}

export default function Player({ motions, time: asked, controls = true }: PlayerProps) {
  const first = motions[0], start = first.t[0], end = Math.max(...motions.map((m) => m.t[m.t.length - 1]));
  const [time, setTime] = useState(start);
  const [playing, setPlaying] = useState(false);
  const [speed, setSpeed] = useState(1);
  const [colour, setColour] = useState<ColourBy>("body");
  const [show, setShow] = useState({ frames: false, tendons: true, trail: false, clear: false });
  const links = first.document.links, soft = [...links].reverse().find((l) => l.body?.type === "rod" || l.body?.type === "reduced");
  const [tip, setTip] = useState((soft ?? links[links.length - 1]).name);
  const [view, setView] = useState(-1);
  const [scenes, setScenes] = useState<(RobotScene | null)[]>([]);
  const touched = useRef(false);
  const register = (i: number) => (s: RobotScene | null) => setScenes((all) => { const next = [...all]; next[i] = s; return next; });

  useEffect(() => { if (asked !== null && asked !== undefined) setTime(Math.min(end, Math.max(start, asked))); }, [asked]);
  // A run that grows is shown at its newest, unless somebody looks at an earlier time.
  const reached = useRef(end);
  useEffect(() => {
    if (end > reached.current && !playing) setTime((t) => (t === reached.current || (t === start && !touched.current) ? end : t));
    reached.current = end;
  }, [end]);
  useEffect(() => {
    if (!playing) return;
    let last = performance.now(), frame = 0;
    const tick = (now: number) => {
      const passed = ((now - last) / 1000) * speed;
      last = now;
      setTime((t) => (t + passed >= end ? (setPlaying(false), end) : t + passed));
      frame = requestAnimationFrame(tick);
    };
    frame = requestAnimationFrame(tick);
    return () => cancelAnimationFrame(frame);
  }, [playing, speed, end]);

  // Whichever camera is moved leads the others.
  useEffect(() => {
    if (scenes.filter(Boolean).length < 2) return;
    const follow = scenes.filter((s): s is RobotScene => !!s).map((s, i, all) => {
      const lead = () => all.forEach((o, k) => k !== i && o.copyView(s));
      s.controls.addEventListener("end", lead);
      return () => s.controls.removeEventListener("end", lead);
    });
    return () => follow.forEach((f) => f());
  }, [scenes]);

  const range = useMemo<[number, number]>(
    () => (scenes[0] && colour !== "body" ? rangeFor(scenes[0], first, colour) : [0, 1]), [scenes[0], colour, first]);
  const look = useMemo<Look>(() => ({ colour, range, ...show }), [colour, range, show]);
  const step = (direction: number) => {
    setPlaying(false);
    const [i] = find(first.t, time + 1e-12);
    setTime(first.t[Math.min(first.t.length - 1, Math.max(0, i + direction))]);
  };
  const play = () => {
    if (!playing && time >= end) setTime(start);
    setPlaying(!playing);
  };
  const key = (e: KeyboardEvent) => {
    if ((e.target as HTMLElement).matches("select, input:not([type=range])")) return;
    const act: Record<string, () => void> = { " ": play, ArrowLeft: () => step(-1), ArrowRight: () => step(1), Home: () => setTime(start), End: () => setTime(end) };
    if (!act[e.key]) return;
    e.preventDefault();
    act[e.key]();
  };
  const toggle = (name: keyof typeof show) => (
    <label class="check"><input type="checkbox" checked={show[name]} onChange={() => setShow((s) => ({ ...s, [name]: !s[name] }))} />{name === "clear" ? "see through" : name}</label>
  );
  return (
    <div class="player" onKeyDown={key} onPointerDown={() => { touched.current = true; }} tabIndex={0} aria-label="replay: space plays, arrows step">
      <div class={`stages n${motions.length}`}>
        {motions.map((m, i) => (
          <Canvas key={m.id} motion={m} time={time} look={look} tip={tip} view={view} register={register(i)} title={motions.length > 1 ? m.id.slice(-10) : null} />
        ))}
      </div>
      {controls && first.t.length > 1 && (
        <div class="row transport">
          <button class="primary" onClick={play} aria-label={playing ? "pause" : "play"}>{playing ? "❚❚" : "▶"}</button>
          <input type="range" min={start} max={end} step="any" value={time} aria-label="time"
            onInput={(e) => (setPlaying(false), setTime(Number((e.target as HTMLInputElement).value)))} />
          <output>{first.unit ? `${number(time)} ${first.unit}` : `problem ${number(time)}`}</output>
          <select value={speed} aria-label="speed" onChange={(e) => setSpeed(Number((e.target as HTMLSelectElement).value))}>
            {SPEEDS.map((s) => <option key={s} value={s}>{s}×</option>)}
          </select>
        </div>
      )}
      <div class="row options">
        <label>colour <select value={colour} aria-label="colour" onChange={(e) => setColour((e.target as HTMLSelectElement).value as ColourBy)}>
          {COLOURS.map((c) => <option key={c} value={c}>{c}</option>)}
        </select></label>
        {colour !== "body" && <span class="scale"><span>{number(range[0])}</span><i ref={(e) => { if (e) e.style.background = GRADIENT; }} /><span>{number(range[1])} {UNITS[colour]}</span></span>}
        {toggle("tendons")}{toggle("frames")}{toggle("clear")}{toggle("trail")}
        {show.trail && <select value={tip} aria-label="link of the trail" onChange={(e) => setTip((e.target as HTMLSelectElement).value)}>{links.map((l) => <option key={l.name} value={l.name}>{l.name}</option>)}</select>}
        <span class="views">{VIEWS.map(([name], i) => <button key={name} onClick={() => setView((view < 0 ? 0 : view - (view % VIEWS.length)) + VIEWS.length + i)} aria-label={`look from ${name}`}>{name}</button>)}</span>
      </div>
    </div>
  );
}

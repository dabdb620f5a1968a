// Replay of runs in 3D: one clock, a canvas per run, cameras that move together. Space plays, arrows step, Home and End
// jump. Between samples in time a shape is interpolated; between problems (of statics, of a sweep) there is nothing.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Clock } from "../ui/clock";
import { FEWEST } from "../ui/family";
import { documentAt, tellingTime, tipLink, type Motion } from "../ui/motion";
import type { Vec3 } from "../robot/document";
import { useTheme } from "../ui/hooks";
import { number } from "../ui/parts";
import { touches } from "./collision";
import { COLOURS, gradient, rangeOf, UNITS, type ColourBy } from "./colour";
import { isKnown, RobotScene, robotOf, type Look, type Sample } from "./scene";

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

function sampleAt(m: Motion, i: number): Sample {
  return { document: documentAt(m, i), q: m.q.subarray(i * m.n, (i + 1) * m.n) };
}

// Those of jobs without a result are left out.
function rowsOf(m: Motion, most: number): number[] {
  const count = Math.min(most, m.t.length);
  return Array.from({ length: count }, (_, k) => (count < 2 ? 0 : Math.round((k * (m.t.length - 1)) / (count - 1)))).filter((row) => isKnown(sampleAt(m, row).q));
}

const samples = (m: Motion, most: number): Sample[] => rowsOf(m, most).map((row) => sampleAt(m, row));

const isDriven = (m: Motion) => m.documents[0].actuators?.some((a) => a.type === "tendon" && a.mode !== "length") ?? false;

// null: what is not known has no scale.
function rangeFor(m: Motion, by: ColourBy): [number, number] | null {
  if (by === "body") return [0, 1];
  if (by !== "tension") return rangeOf(samples(m, 40).map(({ document, q }) => ({ robot: robotOf(document), q })), by);
  return m.u && isDriven(m) ? [0, m.u.reduce((a, b) => Math.max(a, b), 0) || 1] : null;
}

function Canvas({ motion, time, look, tip, view, near, register, title }: {
  motion: Motion; time: number; look: Look; tip: string; view: number; near: boolean;
  register: (s: RobotScene | null) => void; title: string | null;
}) {
  const canvas = useRef<HTMLCanvasElement>(null), scene = useRef<RobotScene | null>(null), fitted = useRef(-1); // length of the motion that the camera was pointed at
  const [trouble, setTrouble] = useState(""), [thick, setThick] = useState(false);
  const document_ = useMemo(() => JSON.stringify(motion.documents[0]), [motion.documents[0]]);
  const buffers = useMemo(() => ({ q: new Float64Array(motion.n), u: new Float64Array(motion.channels) }), [motion.n, motion.channels]);

  useEffect(() => {
    try {
      scene.current = new RobotScene(canvas.current!, motion.documents[0]);
    } catch (error) {
      setTrouble(`This browser cannot show 3D: ${error instanceof Error ? error.message : error}`);
      return;
    }
    register(scene.current);
    return () => (scene.current?.dispose(), (scene.current = null), register(null));
  }, []);

  useEffect(() => { fitted.current = -1; }, [document_]); // another robot

  useEffect(() => {
    const s = scene.current;
    if (!s) return;
    const length = motion.rows === "time" ? motion.t[motion.t.length - 1] - motion.t[0] : samples(motion, motion.t.length).length;
    if (fitted.current >= 0 && length <= 1.5 * fitted.current) return; // a run that grows is followed, a still shape is not
    fitted.current = length;
    s.fit(samples(motion, 30), VIEWS[0][1]);
  }, [motion, document_]);

  useEffect(() => { if (view >= 0) scene.current?.fit(samples(motion, near ? 2000 : 30), VIEWS[view % VIEWS.length][1], near ? tip : null); }, [view, near]);
  useEffect(() => {
    if (!look.trail) return;
    const rows = motion.family ? rowsOf(motion, motion.t.length) : [];
    scene.current?.setTrail(tip, motion.family ? [] : samples(motion, 2000));
    scene.current?.setCloud(tip, rows.map((row) => sampleAt(motion, row)), rows, motion.family ?? null, look.dark);
  }, [motion, tip, look.trail, look.dark]);
  useEffect(() => {
    const s = scene.current;
    if (!s) return;
    const where = find(motion.t, time);
    s.show({ document: sampleAt(motion, where[0]).document, q: at(motion.q, motion.n, where, buffers.q) }, motion.u ? at(motion.u, motion.channels, [where[0], 0], buffers.u) : null, look, time);
    s.showTouching(look.contacts ? (motion.touches ?? null) : null, where[1] > 0.5 ? where[0] + 1 : where[0], look.cones);
    setThick(s.thickened);
  }, [motion, document_, time, look]);

  return (
    <div class="stage">
      {trouble ? <p class="problem" role="alert">{trouble}</p> : <canvas ref={canvas} aria-label="the robot in 3D" />}
      {title && <span class="title">{title}</span>}
      {thick && <span class="note">thin rods are drawn thicker than they are</span>}
    </div>
  );
}

export interface PlayerProps {
  motions: Motion[];
  time?: number | null; // asked for from outside
  controls?: boolean;
  clock?: Clock; // is told the time that is shown
}

export default function Player({ motions, time: asked, controls = true, clock: told }: PlayerProps) {
  const first = motions[0], start = first.t[0], end = Math.max(...motions.map((m) => m.t[m.t.length - 1]));
  const [clock, setTime] = useState(() => (first.grows ? end : tellingTime(first)));
  const counted = first.rows === "problem", time = counted ? Math.round(clock) : clock;
  const [playing, setPlaying] = useState(false);
  const [speed, setSpeed] = useState(1);
  const [colour, setColour] = useState<ColourBy>("body");
  const [show, setShow] = useState({ frames: false, tendons: true, trail: !!first.family && first.t.length >= FEWEST, clear: false, collision: false, contacts: true, cones: false });
  const links = first.documents[0].links;
  const [tip, setTip] = useState(tipLink(first.documents[0]).name);
  const [view, setView] = useState(-1), [near, setNear] = useState(false); // to where the tips are
  const [scenes, setScenes] = useState<(RobotScene | null)[]>([]);
  const touched = useRef(false);
  const register = (i: number) => (s: RobotScene | null) => setScenes((all) => { const next = [...all]; next[i] = s; return next; });

  useEffect(() => told?.set(time), [told, time]);
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

  const range = useMemo(() => rangeFor(first, colour), [colour, first]);
  const dark = useTheme() === "dark", look = useMemo<Look>(() => ({ colour, range: range ?? [0, 1], dark, ...show }), [colour, range, dark, show]);
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
    <label class="check"><input type="checkbox" checked={show[name]} onChange={() => setShow((s) => ({ ...s, [name]: !s[name] }))} />{name === "clear" ? "see through" : name === "trail" && first.family ? "tips" : name}</label>
  );
  return (
    <div class="player" onKeyDown={key} onPointerDown={() => { touched.current = true; }} tabIndex={0} aria-label="replay: space plays, arrows step">
      <div class={`stages n${motions.length}`}>
        {motions.map((m, i) => (
          <Canvas key={m.id} motion={m} time={time} look={look} tip={tip} view={view} near={near && show.trail} register={register(i)} title={motions.length > 1 ? m.id.slice(-10) : null} />
        ))}
      </div>
      {controls && first.t.length > 1 && (
        <div class="row transport">
          <button class="primary" onClick={play} aria-label={playing ? "pause" : "play"}>{playing ? "❚❚" : "▶"}</button>
          <input type="range" min={start} max={end} step={counted ? 1 : "any"} value={time} aria-label="time"
            onInput={(e) => (setPlaying(false), setTime(Number((e.target as HTMLInputElement).value)))} />
          <output class={first.captions ? "caption" : ""}>{counted ? first.captions?.[time] ?? `problem ${time}` : `${number(time)} s`}</output>
          <select value={speed} aria-label="speed" onChange={(e) => setSpeed(Number((e.target as HTMLSelectElement).value))}>
            {SPEEDS.map((s) => <option key={s} value={s}>{s}×</option>)}
          </select>
        </div>
      )}
      <div class="row options">
        <label>colour <select value={colour} aria-label="colour" onChange={(e) => setColour((e.target as HTMLSelectElement).value as ColourBy)}>
          {COLOURS.map((c) => <option key={c} value={c}>{c}</option>)}
        </select></label>
        {!range && <span class="quiet">{isDriven(first) ? "The result has no field u: add it to output.fields to see tensions." : "This robot has no tendons driven by their tension."}</span>}
        {range && colour !== "body" && <span class="scale"><span>{number(range[0])}</span><i ref={(e) => { if (e) e.style.background = gradient(); }} /><span>{number(range[1])} {UNITS[colour]}</span></span>}
        {toggle("tendons")}{toggle("frames")}{toggle("clear")}{touches(first.documents[0].links) && toggle("collision")}{first.touches && toggle("contacts")}{first.touches && show.contacts && first.touches.friction.some((mu) => mu > 0) && toggle("cones")}{toggle("trail")}
        {first.touches && show.contacts && first.touches.most > 0 && <span class="scale">longest arrow {number(first.touches.longest)} N{first.touches.most > first.touches.longest ? ` and more, up to ${number(first.touches.most)} N` : ""}{show.cones ? ", cones: friction, where it is least" : ""}</span>}
        {show.trail && first.family && <span class="scale tips"><span>{first.family.name}</span><span>{number(first.family.low)}</span><i ref={(e) => { if (e) e.style.background = gradient(look.dark); }} /><span>{number(first.family.high)}</span></span>}
        {show.trail && first.family && <button aria-pressed={near} onClick={() => (setView((v) => Math.max(0, v)), setNear(!near))}>{near ? "whole robot" : "zoom to tips"}</button>}
        {show.trail && first.family?.beside && <span class="quiet">dots of one colour: {first.family.beside}</span>}
        {show.trail && <select value={tip} aria-label="link of the trail" onChange={(e) => setTip((e.target as HTMLSelectElement).value)}>{links.map((l) => <option key={l.name} value={l.name}>{l.name}</option>)}</select>}
        <span class="views">{VIEWS.map(([name], i) => <button key={name} onClick={() => setView((view < 0 ? 0 : view - (view % VIEWS.length)) + VIEWS.length + i)} aria-label={`look from ${name}`}>{name}</button>)}</span>
      </div>
    </div>
  );
}

// A robot in 3D: built from its document, then shown at any q. Everything that moves follows the poses of
// robot/robot.ts; the API delivers q(t) alone. Samples may be of different robots (the jobs of a sweep): camera, grid
// and light stay, the rest is built anew.
import {
  ArrowHelper, AxesHelper, Box3, BufferAttribute, BufferGeometry, Color, DirectionalLight, DoubleSide, GridHelper, Group, HemisphereLight, Line,
  LineBasicMaterial, Material, Mesh, MeshStandardMaterial, Object3D, PerspectiveCamera, Scene, SRGBColorSpace, Vector3, WebGLRenderer,
} from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import type { LoadDocument, ModelDocument, PoseDocument, Profile, Vec3 } from "../robot/document";
import { buildRobot, forward, nodeAt, type Link, type Robot } from "../robot/robot";
import { place, poseOf } from "../robot/se3";
import type { Family } from "../ui/family";
import type { Touches } from "../ui/touching";
import { cloudOf, fillCloud } from "./cloud";
import { coil } from "./coil";
import { collisionObject } from "./collision";
import { tendonPaths, tracePath, type Waypoint } from "../robot/tendons";
import { ramp, valueAt, type ColourBy } from "./colour";
import { foot, matrixOf, movingLine, obstacle, rigidObject, waterline, type Obstacle } from "./rigid";
import { Touching } from "./touching";
import { axisSkin, ritzSkin, type Skin } from "./surface";
import { movingTube, type Tube } from "./tube";
import { viewObject } from "./view";

const STATIONS = 24;
const PALETTE = [0xe07a5f, 0x3d9a8b, 0xf2b441, 0x6b7fd7, 0xc26fb3, 0x7aa95c];
const MOST_TRAIL = 4000;
const COILS = 9, ROUND = 12; // turns of a spring, points of a turn
const THINNEST = 0.003; // half extent of a section, of the robot's size: a line of some three pixels
const ARROWS = 6; // of a load per length

export interface Look {
  colour: ColourBy;
  range: [number, number];
  frames: boolean;
  tendons: boolean;
  trail: boolean; // where the tip goes: a line, dots where rows are answers of their own
  collision: boolean; // what bodies touch with
  contacts: boolean; // where they touch, and the forces there
  cones: boolean; // of friction, around these
  dark: boolean; // the ground
  clear: boolean; // bodies let one see through
}

interface Tendon {
  path: Waypoint[];
  tube: Tube;
  mesh: Mesh;
  material: MeshStandardMaterial;
  channel: number;
}

interface Spring {
  ends: [Waypoint, Waypoint];
  tube: Tube;
  mesh: Mesh;
  turns: number; // 0: a damper alone, a straight rod
}

interface Rigid {
  node: number;
  object: Object3D;
  corners: Vector3[]; // of its box, in its frame
}

// A point to be seen, and how thick the body is there.
interface Seen {
  at: Vector3;
  thick: number;
}

interface Load {
  arrow: ArrowHelper;
  node: number;
  pose: Float64Array;
  world: boolean;
  wrench: number[];
  channels: number[]; // -1: none
}

// Where the arrows of a load stand: a row of them along a load per length.
function abscissasOf(d: LoadDocument): number[] {
  if (!d.per_length) return [d.at ?? 1];
  const from = d.from ?? 0, to = d.to ?? 1;
  return Array.from({ length: ARROWS }, (_, i) => from + ((i + 0.5) / ARROWS) * (to - from));
}

/** Channels of u in the order of the format: actuators, loads, springs, last the flow of the fluid. */
export function channelsOf(document: ModelDocument, robot: Robot): string[] {
  const out: string[] = [];
  for (const a of document.actuators ?? []) {
    const n = a.type === "joint" ? (robot.links.find((l) => l.name === a.link)?.joint ?? 1) : 1;
    if (n === 1) out.push(a.name);
    else for (let i = 0; i < n; i++) out.push(`${a.name}[${i}]`);
  }
  for (const l of document.loads ?? []) for (const c of l.channels ?? []) if (c) out.push(c);
  for (const s of document.springs ?? []) if (s.channel) out.push(s.channel);
  for (const c of document.fluid?.channels ?? []) if (c) out.push(c);
  return out;
}

// Vertices carry light, not what a screen is told.
const linear = (c: [number, number, number]) => c.map((x) => (x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4)) as [number, number, number];

/** Rows of jobs without a result have no shape. */
export const isKnown = (q: ArrayLike<number>) => q.length === 0 || Number.isFinite(q[0]);

function discard(object: Object3D): void {
  object.traverse((o) => {
    ((o as Mesh).geometry as BufferGeometry | undefined)?.dispose();
    for (const m of [(o as Mesh).material].flat()) (m as Material | undefined)?.dispose();
  });
}

// Half of the largest extent across a body's axis, m.
function thickness(link: Link): number {
  const body = link.document.body, sizes: Profile[] = [];
  if (body?.mesh) sizes.push(body.mesh.points.reduce((far, [x, y]) => Math.max(far, Math.abs(x), Math.abs(y)), 0));
  else if (body?.type === "reduced") sizes.push(body.radius ?? Math.max(...(body.size ?? [0]).slice(0, 2)) / 2);
  if (body?.section) sizes.push(...(["radius", "semi_y", "semi_z"] as const).map((k) => body.section![k] ?? 0));
  if (body?.shape) sizes.push(Math.max(body.shape.radius ?? 0, ...(body.shape.size ?? []).map((x) => x / 2)));
  const flat = (p: Profile): number[] => (typeof p === "number" ? [p] : Array.isArray(p) ? p : (p.value as number[]));
  const sides = [body?.section?.height ?? 0, body?.section?.width ?? 0];
  return Math.max(0, ...sizes.flatMap(flat), ...sides.flatMap(flat).map((side) => side / 2));
}

// Half of the least extent across a rod's axis, m; of what is no rod, infinite.
function thinness(link: Link): number {
  const body = link.document.body, section = body?.type === "rod" ? body.section : undefined;
  if (!section) return Infinity;
  const flat = (p?: Profile): number[] => (p === undefined ? [] : typeof p === "number" ? [p] : Array.isArray(p) ? p : (p.value as number[]));
  const halves = [section.radius, section.semi_y, section.semi_z].flatMap(flat), sides = [section.height, section.width].flatMap(flat);
  return Math.min(...halves, ...sides.map((side) => side / 2));
}

/** A robot somewhere. */
export interface Sample {
  document: ModelDocument;
  q: ArrayLike<number>;
}

const robots = new WeakMap<ModelDocument, Robot>();

export function robotOf(document: ModelDocument): Robot {
  if (!robots.has(document)) robots.set(document, buildRobot(document, STATIONS));
  return robots.get(document)!;
}

export class RobotScene {
  private robot!: Robot;
  private words = ""; // of its document
  readonly camera = new PerspectiveCamera(35, 1, 0.001, 1000);
  readonly controls: OrbitControls;
  private readonly renderer: WebGLRenderer;
  private readonly scene = new Scene();
  private poses!: Float64Array;
  private content = new Group(); // all that is this robot's
  private readonly past: Group[] = []; // of robots shown before, until the next picture: that may use their shaders
  private skins: { link: Link; skin: Skin; mesh: Mesh; material: MeshStandardMaterial }[] = [];
  private rigids: Rigid[] = [];
  private tendons: Tendon[] = [];
  private springs: Spring[] = [];
  private loads: Load[] = [];
  private frames: { node: number; object: Object3D }[] = [];
  private readonly trail: Line;
  private readonly cloud = cloudOf();
  private readonly touching = new Touching();
  private collisions: { node: number; object: Object3D }[] = [];
  private size = 1;
  private obstacles: Obstacle[] = [];
  private framed: { middle: Vector3; radius: number } | null = null; // what the camera was pointed at
  private grid: GridHelper | null = null;
  private readonly observer: ResizeObserver;
  private readonly themes: MutationObserver;
  private readonly system = matchMedia("(prefers-color-scheme: dark)");
  private ink = new Color();
  private wanted = 0;
  private time = 0;
  private again: (() => void) | null = null; // shows what was shown last

  constructor(readonly canvas: HTMLCanvasElement, document: ModelDocument) {
    this.renderer = new WebGLRenderer({ canvas, antialias: true, alpha: true });
    this.camera.up.set(0, 0, 1);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.addEventListener("change", () => this.draw());
    const light = new DirectionalLight(0xffffff, 2.2);
    light.position.set(0.4, 0.7, 1);
    this.camera.add(light);
    this.scene.add(this.camera, new HemisphereLight(0xffffff, 0x777788, 1.3));
    this.build(document);
    this.trail = new Line(movingLine(MOST_TRAIL), new LineBasicMaterial({ color: 0xd1495b }));
    this.trail.frustumCulled = false;
    this.scene.add(this.trail, this.cloud, this.touching.group);
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(canvas.parentElement!);
    this.themes = new MutationObserver(this.dip);
    this.themes.observe(window.document.documentElement, { attributeFilter: ["data-theme"] });
    this.system.addEventListener("change", this.dip);
    this.dip();
    this.resize();
  }

  // Tendons have the colour of the page's letters, light on dark.
  private readonly dip = () => {
    this.ink.set(getComputedStyle(this.canvas).getPropertyValue("--ink").trim() || "#222");
    for (const { material } of this.tendons) if (!material.userData.tinted) material.color.copy(this.ink);
    this.draw();
  };

  // ---- building

  // Another object may say the same: results are read again and again while a job runs.
  private use(document: ModelDocument): void {
    if (document === this.robot.document) return;
    if (JSON.stringify(document) !== this.words) this.build(document);
  }

  private build(document: ModelDocument): void {
    this.scene.remove(this.content);
    this.past.push(this.content);
    this.scene.add((this.content = new Group()));
    [this.skins, this.rigids, this.tendons, this.springs, this.loads, this.frames, this.obstacles, this.collisions] = [[], [], [], [], [], [], [], []];
    this.words = JSON.stringify(document);
    this.robot = robotOf(document);
    this.poses = new Float64Array(12 * this.robot.nodes);
    forward(this.robot, new Float64Array(this.robot.ndof), this.poses);
    this.size = this.extent([new Float64Array(this.robot.ndof)]).getSize(new Vector3()).length() || 1;
    this.addBodies();
    this.addTendons();
    this.addSprings();
    this.addLoads();
    const water = document.fluid?.surface ? [waterline(document.fluid.surface.z)] : [];
    for (const made of [...(document.contacts ?? []).filter((c) => c.type !== "pair" && c.type !== "self").map((c) => obstacle(c)), ...water]) {
      this.obstacles.push(made);
      this.content.add(made.object);
      if (this.framed) made.fit(this.framed.middle, this.framed.radius);
    }
  }

  /** Some rod is drawn thicker than it is. */
  get thickened(): boolean {
    return this.robot.links.some((link) => thinness(link) < 0.9 * THINNEST * this.size);
  }

  private addBodies(): void {
    this.robot.links.forEach((link, i) => {
      const body = link.document.body;
      if (body?.type === "rod" || body?.type === "reduced") this.addSoft(link, i);
      else if (!link.document.view) this.addRigid(link);
      if (link.document.view) this.addSolid(link, viewObject(link.document.view));
      const axes = new AxesHelper(0.08 * this.size);
      axes.matrixAutoUpdate = false;
      this.content.add(axes);
      this.frames.push({ node: link.tip, object: axes });
    });
    for (const l of this.robot.document.loops ?? [])
      for (const [end, other] of [[l.a, l.b], [l.b, l.a]]) {
        const link = this.robot.links.find((x) => x.name === other.link);
        if (end.link === "world" && link && thickness(link) > 0) this.addFoot(this.axisOf(link), link, nodeAt(this.robot, link.name, other.at));
      }
  }

  private addSoft(link: Link, i: number): void {
    const skin = link.document.body!.kinematics === "ritz" ? ritzSkin(link) : axisSkin(this.robot, link, THINNEST * this.size);
    const material = new MeshStandardMaterial({ color: PALETTE[i % PALETTE.length], roughness: 0.55, side: DoubleSide });
    const mesh = new Mesh(skin.geometry, material);
    mesh.frustumCulled = false;
    this.content.add(mesh);
    this.skins.push({ link, skin, mesh, material });
    if (link.parent === 0 && link.joint === 0) this.addFoot(this.axisOf(link), link, link.node);
  }

  // A link's frame has its joints where its own parent holds it, where children hang and where loops close.
  private addRigid(link: Link): void {
    const { links, loops } = this.robot.document, place_ = (d?: PoseDocument) => (d?.translation ?? [0, 0, 0]) as Vec3;
    const joints = links.filter((l) => l.parent === link.name).map((l) => place_(l.pose));
    for (const l of loops ?? []) for (const end of [l.a, l.b]) if (end.link === link.name) joints.push(place_(end.pose));
    this.addSolid(link, rigidObject(link.document.body, joints, 0.008 * this.size));
  }

  private addSolid(link: Link, object: Object3D): void {
    const box = new Box3().setFromObject(object), corners: Vector3[] = [];
    if (!box.isEmpty())
      for (const x of [box.min.x, box.max.x]) for (const y of [box.min.y, box.max.y]) for (const z of [box.min.z, box.max.z]) corners.push(new Vector3(x, y, z));
    this.content.add(object);
    this.rigids.push({ node: link.node, object, corners });
  }

  private axisOf(link: Link): Vec3 {
    return link.document.body?.type === "rod" ? [1, 0, 0] : [0, 0, 1];
  }

  private addFoot(axis: Vec3, link: Link, node: number): void {
    const object = foot(axis, 1.5 * thickness(link));
    object.matrix.copy(matrixOf(this.poses, 12 * node));
    this.content.add(object);
  }

  private addTendons(): void {
    (this.robot.document.actuators ?? []).filter((a) => a.type === "tendon").forEach((a) => {
      const channel = a.mode === "length" ? -1 : channelsOf(this.robot.document, this.robot).indexOf(a.name); // no tension
      for (const path of tendonPaths(this.robot, a)) {
        // Where they lie at a skin they are before it: nearer to the eye by about their own radius.
        const tube = movingTube(path.length), material = new MeshStandardMaterial({ roughness: 0.5, polygonOffset: true, polygonOffsetFactor: -1, polygonOffsetUnits: -100 }), mesh = new Mesh(tube.geometry, material);
        mesh.frustumCulled = false;
        this.content.add(mesh);
        this.tendons.push({ path, tube, mesh, material, channel });
      }
    });
  }

  private addSprings(): void {
    for (const s of this.robot.document.springs ?? []) {
      const [a, b] = [s.a, s.b].map((end) => ({
        node: nodeAt(this.robot, end.link, end.at), at: [...((end.pose?.translation ?? [0, 0, 0]) as Vec3)] as Waypoint["at"],
      }));
      const turns = s.stiffness ? COILS : 0, tube = movingTube(turns ? COILS * ROUND + 3 : 2);
      const mesh = new Mesh(tube.geometry, new MeshStandardMaterial({ color: 0x2e7d32, roughness: 0.5 }));
      mesh.frustumCulled = false;
      this.content.add(mesh);
      this.springs.push({ ends: [a, b], tube, mesh, turns });
    }
  }

  private addLoads(): void {
    const names = channelsOf(this.robot.document, this.robot);
    for (const d of this.robot.document.loads ?? []) for (const at of abscissasOf(d)) {
      const arrow = new ArrowHelper(new Vector3(0, 0, 1), new Vector3(), 0.1 * this.size, 0xb3261e);
      this.content.add(arrow);
      this.loads.push({
        arrow, node: nodeAt(this.robot, d.link, at), pose: poseOf(d.pose), world: (d.frame ?? "world") === "world",
        wrench: d.wrench ?? [0, 0, 0, 0, 0, 0], channels: (d.channels ?? []).map((c) => (c ? names.indexOf(c) : -1)),
      });
    }
  }

  // ---- showing

  /** Shows a robot at q (nothing, where q is not known); u may be absent. The canvas says in `data-time` which time is on it. */
  show({ document, q }: Sample, u: ArrayLike<number> | null, look: Look, time: number): void {
    this.time = time;
    this.again = () => this.show({ document, q }, u, look, time);
    this.use(document);
    this.content.visible = isKnown(q);
    this.trail.visible = this.cloud.visible = look.trail;
    if (!isKnown(q)) return this.draw();
    forward(this.robot, q, this.poses);
    const span = look.range[1] - look.range[0] || 1;
    const along = look.colour === "curvature" || look.colour === "strain", clear = look.clear || look.colour === "tension"; // tendons run inside
    this.skins.forEach(({ link, skin, material }, i) => {
      const tint = along && link.stations.length
        ? (s: number) => linear(ramp((valueAt(this.robot, link, q, s, look.colour) - look.range[0]) / span)) : null;
      if (material.vertexColors !== (tint !== null) || material.transparent !== clear) material.needsUpdate = true;
      material.vertexColors = tint !== null;
      material.color.setHex(tint ? 0xffffff : PALETTE[i % PALETTE.length]);
      material.transparent = clear;
      material.opacity = clear ? 0.35 : 1;
      material.depthWrite = !clear;
      skin.update(this.poses, q, tint);
    });
    for (const { node, object } of this.rigids) object.matrix.copy(matrixOf(this.poses, 12 * node));
    for (const { node, object } of this.frames) {
      object.visible = look.frames;
      object.matrix.copy(matrixOf(this.poses, 12 * node));
    }
    this.showCollisions(look);
    this.showTendons(q, u, look, span);
    this.showSprings(q);
    this.showLoads(u);
    this.draw();
  }

  // Hulls are made when somebody looks.
  private showCollisions(look: Look): void {
    if (look.collision && !this.collisions.length)
      for (const link of this.robot.links) {
        const object = collisionObject(link.document.body);
        if (!object) continue;
        this.content.add(object);
        this.collisions.push({ node: link.node, object });
      }
    for (const { node, object } of this.collisions) {
      object.visible = look.collision;
      object.matrix.copy(matrixOf(this.poses, 12 * node));
    }
  }

  /** Where bodies touch at a sample; null: nothing is known of it, or nobody wants to see it. */
  showTouching(touches: Touches | null, sample: number, cones: boolean): void {
    this.touching.show(touches, sample, this.size, cones);
    this.draw();
  }

  private showTendons(q: ArrayLike<number>, u: ArrayLike<number> | null, look: Look, span: number): void {
    for (const { path, tube, mesh, material, channel } of this.tendons) {
      const tinted = look.colour === "tension" && u !== null && channel >= 0;
      mesh.visible = look.tendons || look.colour === "tension";
      tracePath(this.robot, path, q, this.poses, tube.points);
      tube.update((tinted ? 0.007 : 0.0035) * this.size);
      material.userData.tinted = tinted;
      if (tinted) material.color.setRGB(...ramp((u[channel] - look.range[0]) / span), SRGBColorSpace);
      else material.color.copy(this.ink);
    }
  }

  private showSprings(q: ArrayLike<number>): void {
    const places = new Float64Array(6);
    for (const { ends, tube, turns } of this.springs) {
      tracePath(this.robot, ends, q, this.poses, places);
      coil(places, turns, 0.012 * this.size, tube.points);
      tube.update(0.0025 * this.size);
    }
  }

  private showLoads(u: ArrayLike<number> | null): void {
    for (const l of this.loads) {
      const value = (i: number) => (l.channels.length ? (l.channels[i] >= 0 && u ? u[l.channels[i]] : 0) : l.wrench[i]);
      const frame = matrixOf(this.poses, 12 * l.node).multiply(matrixOf(l.pose));
      const force = new Vector3(value(3), value(4), value(5)), size = force.length();
      l.arrow.visible = size > 0;
      if (!l.world) force.transformDirection(frame);
      l.arrow.position.setFromMatrixPosition(frame);
      l.arrow.setDirection(force.normalize());
      l.arrow.setLength(0.1 * this.size * Math.min(3, 0.3 + Math.sqrt(size)), 0.03 * this.size, 0.02 * this.size);
    }
  }

  /** Where the tip of a link goes over samples of q. */
  setTrail(link: string, samples: Sample[]): void {
    const step = Math.ceil(samples.length / MOST_TRAIL) || 1;
    const attribute = this.trail.geometry.attributes.position as BufferAttribute, array = attribute.array as Float32Array;
    let count = 0, poses = new Float64Array(0);
    for (let i = 0; i < samples.length && count < MOST_TRAIL; i += step) {
      const robot = robotOf(samples[i].document);
      if (!robot.links.some((l) => l.name === link)) continue;
      if (poses.length !== 12 * robot.nodes) poses = new Float64Array(12 * robot.nodes);
      forward(robot, samples[i].q, poses);
      array.set(place(poses, 12 * nodeAt(robot, link)), 3 * count++);
    }
    attribute.needsUpdate = true;
    this.trail.geometry.setDrawRange(0, count);
    this.draw();
  }

  /** Where the tip of a link is in every row, coloured by what tells the rows apart. */
  setCloud(link: string, samples: Sample[], rows: number[], family: Family | null, dark: boolean): void {
    fillCloud(this.cloud, link, samples.map(({ document, q }, i) => ({ robot: robotOf(document), q, row: rows[i] })), family, dark);
    this.draw();
  }

  private extent(samples: ArrayLike<number>[]): Box3 {
    const box = new Box3(), poses = new Float64Array(this.poses.length);
    const thick = Math.max(0, ...this.robot.links.map(thickness));
    for (const q of samples) {
      forward(this.robot, q, poses);
      for (let node = 1; node < this.robot.nodes; node++) box.expandByPoint(new Vector3(...place(poses, 12 * node)));
    }
    return box.expandByScalar(0.7 * thick);
  }

  // All that has to be in the picture; of one link only where its tip is.
  private seen(samples: Sample[], tip: string | null): Seen[] {
    const shown = this.robot.document, out: Seen[] = [];
    for (const { document, q } of samples) {
      this.use(document);
      const poses = new Float64Array(this.poses.length);
      forward(this.robot, q, poses);
      if (tip && this.robot.links.some((l) => l.name === tip)) {
        out.push({ at: new Vector3(...place(poses, 12 * nodeAt(this.robot, tip))), thick: 0 });
        continue;
      }
      for (const link of this.robot.links) {
        const soft = link.stations.length ? link.stations.map((s) => s.node) : [link.node, link.tip], thick = link.document.body?.type === "rigid" ? 0 : thickness(link);
        for (const node of soft) out.push({ at: new Vector3(...place(poses, 12 * node)), thick });
      }
      for (const { node, corners } of this.rigids) {
        const frame = matrixOf(poses, 12 * node);
        for (const c of corners) out.push({ at: c.clone().applyMatrix4(frame), thick: 0 });
      }
    }
    this.use(shown);
    return out;
  }

  /** Points the camera at all that the samples reach, or where the tip of a link is in them, from a direction, as near as it may be. */
  fit(samples: Sample[], from: Vec3 = [1.1, -1.6, 0.7], tip: string | null = null): void {
    const seen = this.seen(samples.length ? samples : [{ document: this.robot.document, q: new Float64Array(this.robot.ndof) }], tip);
    const z = new Vector3(...from).normalize(), x = new Vector3(0, 0, 1).cross(z).normalize(), y = z.clone().cross(x);
    const middle = (axis: Vector3) => {
      const along = seen.map(({ at }) => at.dot(axis));
      return (along.reduce((a, b) => Math.min(a, b)) + along.reduce((a, b) => Math.max(a, b))) / 2;
    };
    const [a, b, c] = [middle(x), middle(y), middle(z)], tall = Math.tan((this.camera.fov * Math.PI) / 360), wide = tall * this.camera.aspect;
    let distance = 0.1 * this.size;
    for (const { at, thick } of seen) {
      const across = Math.max((Math.abs(at.dot(x) - a) + thick) / wide, (Math.abs(at.dot(y) - b) + thick) / tall);
      distance = Math.max(distance, 1.1 * across + (at.dot(z) - c) + thick);
    }
    const centre = x.clone().multiplyScalar(a).addScaledVector(y, b).addScaledVector(z, c), box = new Box3();
    for (const { at, thick } of seen) box.union(new Box3(at.clone().subScalar(thick), at.clone().addScalar(thick)));
    const radius = 0.5 * box.getSize(new Vector3()).length();
    this.controls.target.copy(centre);
    this.camera.position.copy(centre).addScaledVector(z, distance);
    this.camera.near = distance / 200;
    this.camera.far = distance * 20;
    this.camera.updateProjectionMatrix();
    this.placeGrid(box, radius);
    this.framed = { middle: box.getCenter(new Vector3()), radius };
    this.obstacles.forEach((o) => o.fit(this.framed!.middle, radius));
    this.controls.update();
    this.again?.(); // other robots were built to be measured
    this.draw();
  }

  private placeGrid(box: Box3, radius: number): void {
    if (this.grid) this.scene.remove(this.grid);
    const cell = 10 ** Math.round(Math.log10(radius / 3)), cells = Math.min(60, 2 * Math.ceil((2 * radius) / cell));
    this.grid = new GridHelper(cells * cell, cells, 0x8a93a3, 0x8a93a3);
    const material = this.grid.material as LineBasicMaterial;
    material.transparent = true;
    material.opacity = 0.25;
    this.grid.rotation.x = Math.PI / 2;
    const centre = box.getCenter(new Vector3());
    this.grid.position.set(Math.round(centre.x / cell) * cell, Math.round(centre.y / cell) * cell, box.min.z - 0.02 * radius);
    this.scene.add(this.grid);
  }

  /** The same view as another scene's. */
  copyView(other: RobotScene): void {
    if (this.camera.position.equals(other.camera.position) && this.controls.target.equals(other.controls.target)) return;
    this.controls.target.copy(other.controls.target);
    this.camera.position.copy(other.camera.position);
    this.camera.near = other.camera.near;
    this.camera.far = other.camera.far;
    this.camera.updateProjectionMatrix();
    this.controls.update();
    this.draw();
  }

  draw(): void {
    if (this.wanted) return;
    this.wanted = requestAnimationFrame(() => {
      this.wanted = 0;
      this.renderer.render(this.scene, this.camera);
      this.past.splice(0).forEach(discard);
      this.canvas.dataset.time = String(this.time);
    });
  }

  private resize(): void {
    const { clientWidth: w, clientHeight: h } = this.canvas.parentElement!;
    if (!w || !h) return;
    this.renderer.setPixelRatio(Math.min(2, devicePixelRatio));
    this.renderer.setSize(w, h, false);
    this.camera.aspect = w / h;
    this.camera.updateProjectionMatrix();
    this.draw();
  }

  dispose(): void {
    cancelAnimationFrame(this.wanted);
    this.observer.disconnect();
    this.themes.disconnect();
    this.system.removeEventListener("change", this.dip);
    this.controls.dispose();
    [this.scene, ...this.past].forEach(discard);
    this.renderer.dispose();
  }
}

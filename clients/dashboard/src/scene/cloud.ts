// The workspace: where the tip of a link is in every row, as round dots with the colours of a number.
import { BufferAttribute, BufferGeometry, CanvasTexture, Points, PointsMaterial } from "three";
import { shareIn, type Family } from "../ui/family";
import { nodeAt, forward, type Robot } from "../robot/robot";
import { place } from "../robot/se3";
import { ramp } from "./colour";

const MOST = 20000; // dots

export interface Spot {
  robot: Robot;
  q: ArrayLike<number>;
  row: number;
}

// A disc with a darker edge: what a point is drawn with.
function disc(): CanvasTexture {
  const side = 64, canvas = document.createElement("canvas"), c = canvas.getContext("2d")!;
  canvas.width = canvas.height = side;
  c.beginPath();
  c.arc(side / 2, side / 2, side / 2 - 3, 0, 2 * Math.PI);
  c.fillStyle = "#fff";
  c.fill();
  c.lineWidth = 4;
  c.strokeStyle = "#555";
  c.stroke();
  return new CanvasTexture(canvas);
}

/** Nothing is in it before `fillCloud`. */
export function cloudOf(): Points {
  const material = new PointsMaterial({ size: 8 * Math.min(2, devicePixelRatio), sizeAttenuation: false, vertexColors: true, map: disc(), alphaTest: 0.5, transparent: false });
  const points = new Points(new BufferGeometry(), material);
  points.frustumCulled = false;
  return points;
}

/** Tips of `link`; without a family all have one colour. */
export function fillCloud(points: Points, link: string, spots: Spot[], family: Family | null, dark: boolean): void {
  const step = Math.ceil(spots.length / MOST) || 1, at: number[] = [], colours: number[] = [];
  let poses = new Float64Array(0);
  for (let i = 0; i < spots.length; i += step) {
    const { robot, q, row } = spots[i];
    if (!robot.links.some((l) => l.name === link)) continue;
    if (poses.length !== 12 * robot.nodes) poses = new Float64Array(12 * robot.nodes);
    forward(robot, q, poses);
    at.push(...place(poses, 12 * nodeAt(robot, link)));
    colours.push(...(family ? ramp(shareIn(family, row), dark) : [0.82, 0.29, 0.36]).map((x) => (x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4)));
  }
  points.geometry.dispose();
  points.geometry = new BufferGeometry();
  points.geometry.setAttribute("position", new BufferAttribute(new Float32Array(at), 3));
  points.geometry.setAttribute("color", new BufferAttribute(new Float32Array(colours), 3));
}

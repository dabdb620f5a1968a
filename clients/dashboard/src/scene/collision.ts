// What bodies touch with, where that may be another shape than what is drawn of them: orange, and one sees through it.
import {
  BoxGeometry, BufferGeometry, CapsuleGeometry, CylinderGeometry, DoubleSide, EdgesGeometry, LineBasicMaterial, LineSegments, Mesh, MeshBasicMaterial, Object3D, SphereGeometry, Vector3,
} from "three";
import { ConvexGeometry } from "three/examples/jsm/geometries/ConvexGeometry.js";
import type { BodyDocument, CollisionDocument, Vec3 } from "../robot/document";
import { axisOf, poseOf } from "../robot/se3";
import { matrixOf } from "./rigid";

const ORANGE = 0xe8690b, CREASE = 20; // degrees, of edges that are drawn
const UP = new Vector3(0, 1, 0); // three's cylinders stand along y

// A hull of balls, as the hull of points on them.
function hull(points: Vec3[], rounding: number): BufferGeometry | null {
  const around: Vector3[] = [];
  if (rounding > 0)
    for (const x of [-1, 0, 1]) for (const y of [-1, 0, 1]) for (const z of [-1, 0, 1]) if (x || y || z) around.push(new Vector3(x, y, z).normalize().multiplyScalar(rounding));
  const all = points.flatMap((p) => (around.length ? around.map((a) => a.clone().add(new Vector3(...p))) : [new Vector3(...p)]));
  return all.length < 4 ? null : new ConvexGeometry(all);
}

function corners([x, y, z]: Vec3, r: number): Vec3[] {
  return [-1, 1].flatMap((i) => [-1, 1].flatMap((j) => [-1, 1].map((k): Vec3 => [i * (x / 2 - r), j * (y / 2 - r), k * (z / 2 - r)])));
}

function geometryOf(d: CollisionDocument): BufferGeometry | null {
  switch (d.shape) {
    case "sphere":
      return new SphereGeometry(d.radius, 24, 14);
    case "capsule":
      return new CapsuleGeometry(d.radius, d.length, 8, 20);
    case "cylinder":
      return new CylinderGeometry(d.radius, d.radius, d.length, 28);
    case "box":
      return d.rounding ? hull(corners(d.size, d.rounding), d.rounding) : new BoxGeometry(...d.size);
    case "mesh":
      return hull(d.points, d.rounding ?? 0);
    default:
      return null; // of a later version
  }
}

// Without `collision` a ball, a box and a cylinder touch as they are.
function shapeOf(body: BodyDocument): CollisionDocument | null {
  if (body.collision) return body.collision;
  const own = body.shape, pose = { translation: body.com ?? ([0, 0, 0] as Vec3) };
  if (own?.type === "sphere") return { shape: "sphere", radius: own.radius!, pose };
  if (own?.type === "cylinder") return { shape: "cylinder", radius: own.radius!, length: own.length!, axis: own.axis, pose };
  return own?.type === "box" ? { shape: "box", size: own.size!, pose } : null;
}

/** What a body touches with, in its link's frame; null: nothing. */
export function collisionObject(body: BodyDocument | undefined): Object3D | null {
  const shape = body?.type === "rigid" ? shapeOf(body) : null, geometry = shape && geometryOf(shape);
  if (!shape || !geometry) return null;
  const group = new Object3D(), at = new Object3D(), flat = shape.shape === "box" || shape.shape === "mesh" || shape.shape === "cylinder";
  const mesh = new Mesh(geometry, new MeshBasicMaterial({ color: ORANGE, transparent: true, opacity: flat ? 0.22 : 0.25, side: DoubleSide, depthWrite: false, depthTest: false }));
  const wire = new LineSegments(new EdgesGeometry(geometry, flat ? CREASE : 1), new LineBasicMaterial({ color: ORANGE, transparent: true, opacity: flat ? 0.95 : 0.35, depthTest: false }));
  group.matrixAutoUpdate = at.matrixAutoUpdate = false;
  at.matrix.copy(matrixOf(poseOf(shape.pose)));
  if (shape.shape === "capsule" || shape.shape === "cylinder") for (const o of [mesh, wire]) o.quaternion.setFromUnitVectors(UP, new Vector3(...axisOf(shape.axis)));
  group.add(at.add(mesh, wire));
  return group;
}

/** Whether any body of a robot touches with something. */
export const touches = (links: { body?: BodyDocument }[]): boolean => links.some((l) => l.body?.type === "rigid" && shapeOf(l.body) !== null);

// Rigid bodies: their shape where the document gives one, else a common shape with the same mass and inertia; and bars
// from a link's frame to what hangs from it, so that arms of bare masses look like arms. Obstacles stand here, too.
import {
  BackSide, BoxGeometry, BufferAttribute, BufferGeometry, CylinderGeometry, DoubleSide, ExtrudeGeometry, Matrix4, Mesh, MeshStandardMaterial,
  Object3D, PlaneGeometry, Shape, SphereGeometry, Vector2, Vector3,
} from "three";
import type { BodyDocument, ContactDocument, Vec3 } from "../robot/document";
import { axisOf, poseOf } from "../robot/se3";

/** A pose (robot/se3.ts) as a matrix of three. */
export function matrixOf(g: Float64Array, o = 0): Matrix4 {
  return new Matrix4().set(g[o], g[o + 1], g[o + 2], g[o + 9], g[o + 3], g[o + 4], g[o + 5], g[o + 10],
    g[o + 6], g[o + 7], g[o + 8], g[o + 11], 0, 0, 0, 1);
}

const solid = (colour: number, opacity = 1) =>
  new MeshStandardMaterial({ color: colour, roughness: 0.6, metalness: 0.1, transparent: opacity < 1, opacity, side: DoubleSide, depthWrite: opacity === 1 });

function align(mesh: Object3D, from: Vector3, to: Vec3): void {
  mesh.quaternion.setFromUnitVectors(from, new Vector3(...to));
}

function shapeMesh(body: BodyDocument, material: MeshStandardMaterial): Mesh | null {
  const d = body.shape;
  if (!d) return null;
  switch (d.type) {
    case "box":
      return new Mesh(new BoxGeometry(...d.size!), material);
    case "sphere":
      return new Mesh(new SphereGeometry(d.radius!, 32, 20), material);
    case "cylinder": {
      const mesh = new Mesh(new CylinderGeometry(d.radius!, d.radius!, d.length!, 28), material);
      align(mesh, new Vector3(0, 1, 0), axisOf(d.axis));
      return mesh;
    }
    case "prism": {
      const outline = new Shape(d.polygon!.map(([x, y]) => new Vector2(x, y))), height = d.height!;
      const g = new ExtrudeGeometry(outline, { depth: height, bevelEnabled: false });
      const [cx, cy] = centroid(d.polygon!);
      const mesh = new Mesh(g.translate(-cx, -cy, -height / 2), material);
      align(mesh, new Vector3(0, 0, 1), axisOf(d.axis));
      return mesh;
    }
  }
}

function centroid(polygon: [number, number][]): [number, number] {
  let area = 0, x = 0, y = 0;
  polygon.forEach(([ax, ay], i) => {
    const [bx, by] = polygon[(i + 1) % polygon.length], c = ax * by - bx * ay;
    area += c / 2;
    x += ((ax + bx) * c) / 6;
    y += ((ay + by) * c) / 6;
  });
  return [x / area, y / area];
}

// Eigenvectors (columns of v) and values of a symmetric 3x3 matrix by Jacobi's rotations.
function eigen(m: number[][]): { values: Vec3; v: number[][] } {
  const a = m.map((row) => [...row]), v = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
  for (let sweep = 0; sweep < 30; sweep++)
    for (const [p, q] of [[0, 1], [0, 2], [1, 2]]) {
      if (Math.abs(a[p][q]) < 1e-300) continue;
      const t = 0.5 * Math.atan2(2 * a[p][q], a[q][q] - a[p][p]), c = Math.cos(t), s = Math.sin(t);
      for (const x of [a, v])
        for (let i = 0; i < 3; i++) [x[i][p], x[i][q]] = [c * x[i][p] - s * x[i][q], s * x[i][p] + c * x[i][q]];
      for (let i = 0; i < 3; i++) [a[p][i], a[q][i]] = [c * a[p][i] - s * a[q][i], s * a[p][i] + c * a[q][i]];
    }
  return { values: [a[0][0], a[1][1], a[2][2]], v };
}

// The homogeneous body of a common shape with this mass and inertia (principal moments I): a sphere, or a cylinder
// about the axis of the odd moment (I_a = m r^2 / 2, I_t = m (3 r^2 + l^2) / 12), or a box (I_x = m (b^2 + c^2) / 12).
function equivalent(body: BodyDocument, material: MeshStandardMaterial): Mesh | null {
  const m = body.mass ?? 0, I = body.inertia;
  if (!(m > 0) || !I) return null;
  const full = Array.isArray(I[0]) ? (I as number[][]) : (I as number[]).map((x, i) => [0, 1, 2].map((j) => (i === j ? x : 0)));
  const { values, v } = eigen(full), sum = values[0] + values[1] + values[2];
  if (!(sum > 0)) return null;
  const odd = oddOne(values), across = values[(odd + 1) % 3], side = (i: number) => Math.sqrt(Math.max(1e-10, (6 * (sum - 2 * values[i])) / m));
  const radius = Math.sqrt((2 * values[odd]) / m), length2 = (12 * across) / m - 3 * radius * radius;
  if (Math.max(...values) - Math.min(...values) < 0.02 * sum) return new Mesh(new SphereGeometry(Math.sqrt((2.5 * sum) / 3 / m), 32, 20), material);
  const round = Math.abs(across - values[(odd + 2) % 3]) < 0.05 * sum && length2 > 0;
  const mesh = new Mesh(round ? new CylinderGeometry(radius, radius, Math.sqrt(length2), 28) : new BoxGeometry(side(0), side(1), side(2)), material);
  const axes = round ? [(odd + 2) % 3, odd, (odd + 1) % 3] : [0, 1, 2]; // three's cylinders stand along y
  const at = (c: number, r: number) => v[r][axes[c]];
  const turn = new Matrix4().set(at(0, 0), at(1, 0), at(2, 0), 0, at(0, 1), at(1, 1), at(2, 1), 0, at(0, 2), at(1, 2), at(2, 2), 0, 0, 0, 0, 1);
  mesh.quaternion.setFromRotationMatrix(turn.determinant() < 0 ? turn.multiply(new Matrix4().makeScale(-1, 1, 1)) : turn);
  return mesh;
}

// Which of three differs most from the other two.
function oddOne(x: number[]): number {
  const gap = (i: number) => Math.abs(x[(i + 1) % 3] - x[(i + 2) % 3]);
  return [0, 1, 2].reduce((best, i) => (gap(i) < gap(best) ? i : best));
}

// A plate through the points where three or more parts are joined to a flat body, as thick as its inertia says; null
// when there are fewer, they stand on a line or not in a plane across the odd axis of the inertia.
function plate(body: BodyDocument, joints: Vec3[], material: MeshStandardMaterial): Mesh | null {
  const m = body.mass ?? 0, I = body.inertia;
  if (joints.length < 3 || !(m > 0) || !I || Array.isArray(I[0])) return null;
  const values = I as number[], odd = oddOne(values), [a, b] = [(odd + 1) % 3, (odd + 2) % 3];
  const thick2 = (6 * (values[a] + values[b] - values[odd])) / m, hull = hullOf(joints.map((p) => [p[a], p[b]]));
  const reach = Math.max(...joints.map((p) => Math.hypot(p[a] - joints[0][a], p[b] - joints[0][b])));
  if (!(thick2 > 0) || hull.length < 3 || thick2 > 0.1 * reach * reach || joints.some((p) => Math.abs(p[odd] - joints[0][odd]) > 1e-6 + 0.01 * reach)) return null;
  const thick = Math.sqrt(thick2), g = new ExtrudeGeometry(new Shape(hull.map(([x, y]) => new Vector2(x, y))), { depth: thick, bevelEnabled: false });
  const e = (i: number) => new Vector3().setComponent(i, 1);
  g.applyMatrix4(new Matrix4().makeBasis(e(a), e(b), e(odd)).setPosition(e(odd).multiplyScalar(joints[0][odd] - thick / 2)));
  return new Mesh(g, material);
}

// Convex hull, counterclockwise (Andrew's chains); points on a line give fewer than three.
function hullOf(points: [number, number][] | number[][]): [number, number][] {
  const sorted = [...points].sort((p, q) => p[0] - q[0] || p[1] - q[1]) as [number, number][];
  const turn = (o: number[], p: number[], q: number[]) => (p[0] - o[0]) * (q[1] - o[1]) - (p[1] - o[1]) * (q[0] - o[0]);
  const chain = (list: [number, number][]) => {
    const out: [number, number][] = [];
    for (const p of list) {
      while (out.length > 1 && turn(out[out.length - 2], out[out.length - 1], p) <= 1e-15) out.pop();
      out.push(p);
    }
    return out.slice(0, -1);
  };
  return [...chain(sorted), ...chain(sorted.reverse())];
}

/** A bar from the origin of a frame to a point of it; null when it is too short to see. */
export function bar(to: Vec3, radius: number, material: MeshStandardMaterial): Mesh | null {
  const length = Math.hypot(...to);
  if (length < radius) return null;
  const mesh = new Mesh(new CylinderGeometry(radius, radius, length, 12), material);
  align(mesh, new Vector3(0, 1, 0), [to[0] / length, to[1] / length, to[2] / length]);
  mesh.position.set(to[0] / 2, to[1] / 2, to[2] / 2);
  return mesh;
}

/** A rigid body in its link's frame. `joints`: points of that frame where other parts hang, with bars to those that its shape
 * does not reach; `thin` is the bars' radius. */
export function rigidObject(body: BodyDocument | undefined, joints: Vec3[], thin: number): Object3D {
  const group = new Object3D(), material = solid(0x8f9bad), com = body?.com ?? [0, 0, 0];
  group.matrixAutoUpdate = false;
  const flat = body && !body.shape ? plate(body, [[0, 0, 0], ...joints], material) : null;
  if (flat) return group.add(flat);
  const mesh = body ? (shapeMesh(body, material) ?? equivalent(body, material)) : null;
  if (mesh) {
    const at = new Object3D();
    at.position.set(...com);
    group.add(at.add(mesh));
  }
  for (const to of body?.shape ? joints : [...joints, ...(body ? [com] : [])]) {
    const b = bar(to, thin, material);
    if (b) group.add(b);
  }
  return group;
}

/** What a soft body stands on where it leaves the world: a disc across its axis. */
export function foot(axis: Vec3, radius: number): Object3D {
  const mesh = new Mesh(new CylinderGeometry(radius, radius, 0.25 * radius, 32), solid(0x5b6472));
  align(mesh, new Vector3(0, 1, 0), axis);
  mesh.position.set(...axis).multiplyScalar(-0.125 * radius);
  const group = new Object3D();
  group.matrixAutoUpdate = false;
  return group.add(mesh);
}

/** Obstacles of a contact. Planes and cylinders have no end: `fit` shows the part of them that is near a robot. */
export interface Obstacle {
  object: Object3D;
  fit: (centre: Vector3, radius: number) => void;
}

export function obstacle(d: ContactDocument, glass = solid(0x5aa0d8, 0.22)): Obstacle {
  const object = new Object3D(), pose = matrixOf(poseOf(d.pose)), axis = axisOf(d.axis), along = new Vector3(...axis);
  object.matrixAutoUpdate = false;
  object.matrix.copy(pose);
  if (d.type === "sphere") return { object: object.add(new Mesh(new SphereGeometry(d.radius!, 40, 24), solid(0x5aa0d8, 0.3))), fit: () => undefined };
  if (d.type === "box") return { object: object.add(new Mesh(new BoxGeometry(...d.size!), solid(0x5aa0d8, 0.3))), fit: () => undefined };
  const plane = d.type === "plane";
  if (d.type === "cylinder_interior") glass.side = BackSide; // the wall behind the robot, not the one before it
  const r = d.radius ?? 1, mesh = new Mesh<BufferGeometry>(plane ? new PlaneGeometry(1, 1) : new CylinderGeometry(r, r, 1, 64, 1, true), glass);
  align(mesh, plane ? new Vector3(0, 0, 1) : new Vector3(0, 1, 0), axis);
  const inverse = pose.clone().invert();
  return {
    object: object.add(mesh),
    fit(centre, radius) {
      const local = centre.clone().applyMatrix4(inverse), height = along.dot(local);
      if (plane) mesh.position.copy(local).addScaledVector(along, -height);
      else mesh.position.copy(along).multiplyScalar(height);
      mesh.scale.set(plane ? 3 * radius : 1, plane ? 3 * radius : 2 * radius, 1);
    },
  };
}

/** Where the water ends: a level plane at height z. */
export const waterline = (z: number): Obstacle => obstacle({ type: "plane", axis: "z", pose: { translation: [0, 0, z] } }, solid(0x1f6fb2, 0.16));

/** A line of `count` points that move. */
export function movingLine(count: number): BufferGeometry {
  const g = new BufferGeometry();
  g.setAttribute("position", new BufferAttribute(new Float32Array(3 * count), 3));
  return g;
}

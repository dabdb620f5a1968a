// Skins of bodies along an axis and of Ritz bodies: geometries whose points follow the poses.
//
// A ring of the section at every station, quads between rings, a fan at either end with points of its own, so that
// edges stay sharp. Sections with corners have each corner twice.
import { BufferAttribute, BufferGeometry } from "three";
import type { MeshDocument, SectionDocument, Vec3 } from "../robot/document";
import { profile } from "../robot/numeric";
import { outerFaces, outline, ritzPoint } from "../robot/reduced";
import type { Link, Robot } from "../robot/robot";
import { transform } from "../robot/se3";

export interface Skin {
  geometry: BufferGeometry;
  update: (poses: Float64Array, q: ArrayLike<number>, colour: ((s: number) => [number, number, number]) | null) => void;
}

const AROUND = 20;

type Ring = (s: number) => [number, number][]; // points of the section across the axis
interface Outline {
  ring: Ring;
  sides: [number, number][]; // pairs of neighbours in a ring
}

const smoothSides = Array.from({ length: AROUND }, (_, k) => [k, (k + 1) % AROUND] as [number, number]);
const angles = Array.from({ length: AROUND }, (_, k) => (2 * Math.PI * k) / AROUND);

// Half extents are drawn no smaller than `least`: thinner than a line nothing would be seen.
function sectionOutline(section: SectionDocument, length: number, least: number): Outline {
  if (section.shape === "rectangle") {
    const height = profile(section.height!), width = profile(section.width!);
    const corner = [[-1, -1], [1, -1], [1, 1], [-1, 1]];
    return {
      ring: (s) => {
        const h = Math.max(height(s) / 2, least), w = Math.max(width(s) / 2, least);
        return corner.flatMap((c, i) => [c, corner[(i + 1) % 4]].map(([y, z]) => [y * h, z * w] as [number, number]));
      },
      sides: [[0, 1], [2, 3], [4, 5], [6, 7]],
    };
  }
  const round = section.shape !== "ellipse"; // a section of stiffness without a radius: 1 % of the length
  const a = profile(round ? section.radius ?? 0.01 * length : section.semi_y!);
  const b = profile(round ? section.radius ?? 0.01 * length : section.semi_z!);
  return { ring: (s) => angles.map((t) => [Math.max(a(s), least) * Math.cos(t), Math.max(b(s), least) * Math.sin(t)]), sides: smoothSides };
}

function indices(stations: number, points: number, sides: [number, number][]): number[] {
  const out: number[] = [];
  for (let i = 0; i + 1 < stations; i++)
    for (const [k, l] of sides) {
      const a = i * points + k, b = (i + 1) * points + k, c = i * points + l, d = (i + 1) * points + l;
      out.push(a, c, b, c, d, b);
    }
  for (let end = 0; end < 2; end++) {
    const first = (stations + end) * points;
    for (let k = 1; k + 1 < points; k++) out.push(first, first + (end ? k : k + 1), first + (end ? k + 1 : k));
  }
  return out;
}

function geometryOf(count: number, index: number[]): BufferGeometry {
  const g = new BufferGeometry();
  g.setAttribute("position", new BufferAttribute(new Float32Array(3 * count), 3));
  g.setAttribute("color", new BufferAttribute(new Float32Array(3 * count).fill(1), 3));
  g.setIndex(index);
  return g;
}

function finish(g: BufferGeometry): void {
  g.attributes.position.needsUpdate = true;
  g.attributes.color.needsUpdate = true;
  g.computeVertexNormals();
}

/** Rods, no thinner than `least`, and backbones. */
export function axisSkin(robot: Robot, link: Link, least: number): Skin {
  const body = link.document.body!, rod = body.type === "rod", stations = link.stations;
  const shape: Outline = rod ? sectionOutline(body.section!, body.length!, least) : { ring: () => [], sides: smoothSides };
  const fixed = rod ? stations.map(({ s }) => shape.ring(s)) : null;
  const points = fixed ? fixed[0].length : AROUND, count = (stations.length + 2) * points;
  const geometry = geometryOf(count, indices(stations.length, points, shape.sides));
  const position = geometry.attributes.position.array as Float32Array, colours = geometry.attributes.color.array as Float32Array;
  const strain = new Float64Array(8);
  const ringAt = (i: number, q: ArrayLike<number>): [number, number][] => {
    if (fixed) return fixed[i];
    robot.strainAt(link, q, stations[i].s, strain);
    return angles.map((phi) => outline(body, strain, stations[i].s, phi));
  };
  const put = (row: number, k: number, at: [number, number, number], colour: [number, number, number]) => {
    position.set(at, 3 * (row * points + k));
    colours.set(colour, 3 * (row * points + k));
  };
  return {
    geometry,
    update(poses, q, colour) {
      stations.forEach(({ s, node }, i) => {
        const ring = ringAt(i, q), tint = colour ? colour(s) : ([1, 1, 1] as [number, number, number]);
        for (let k = 0; k < points; k++) {
          const [a, b] = ring[k], at = rod ? transform(poses, 12 * node, 0, a, b) : transform(poses, 12 * node, a, b, 0);
          put(i, k, at, tint);
          if (i === 0) put(stations.length, k, at, tint);
          if (i === stations.length - 1) put(stations.length + 1, k, at, tint);
        }
      });
      finish(geometry);
    },
  };
}

interface Facets {
  material: Vec3[];
  index: number[];
}

// The six faces of a box: x and y centred, z from its base on.
function boxFacets([sx, sy, sz]: Vec3): Facets {
  const n = 9, material: Vec3[] = [], index: number[] = [];
  const faces: ((u: number, v: number) => Vec3)[] = [
    (u, v) => [u, v, 0], (u, v) => [v, u, 1], (u, v) => [0, v, u], (u, v) => [1, u, v], (u, v) => [u, 0, v], (u, v) => [v, 1, u]];
  for (const face of faces) {
    const start = material.length;
    for (let i = 0; i < n; i++)
      for (let j = 0; j < n; j++) {
        const [x, y, z] = face(i / (n - 1), j / (n - 1));
        material.push([(x - 0.5) * sx, (y - 0.5) * sy, z * sz]);
      }
    for (let i = 0; i + 1 < n; i++)
      for (let j = 0; j + 1 < n; j++) {
        const a = start + i * n + j;
        index.push(a, a + n, a + 1, a + 1, a + n, a + n + 1);
      }
  }
  return { material, index };
}

// The outer faces of a mesh, each with corners of its own, so that edges stay sharp.
function meshFacets(mesh: MeshDocument): Facets {
  const material: Vec3[] = [], index: number[] = [];
  for (const corners of outerFaces(mesh)) {
    const a = material.length;
    material.push(...corners.map((c) => mesh.points[c]));
    index.push(a, a + 1, a + 2);
    if (corners.length === 4) index.push(a, a + 2, a + 3);
  }
  return { material, index };
}

/** The surface of a Ritz body: of its box or of its mesh. */
export function ritzSkin(link: Link): Skin {
  const body = link.document.body!, first = link.first + link.joint;
  const { material, index } = body.mesh ? meshFacets(body.mesh) : boxFacets(body.size!);
  const geometry = geometryOf(material.length, index), position = geometry.attributes.position.array as Float32Array;
  return {
    geometry,
    update(poses, q) {
      material.forEach((X, i) => {
        const [x, y, z] = ritzPoint(body, q, first, X);
        position.set(transform(poses, 12 * link.node, x, y, z), 3 * i);
      });
      finish(geometry);
    },
  };
}

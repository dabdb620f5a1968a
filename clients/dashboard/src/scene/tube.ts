// Thin tubes along polylines that move: tendons, seen from any side and at any size of the picture, where lines are a
// pixel wide.
import { BufferAttribute, BufferGeometry, Vector3 } from "three";

const AROUND = 6;

export interface Tube {
  geometry: BufferGeometry;
  points: Float32Array; // [count][3], to be written before `update`
  update: (radius: number) => void;
}

export function movingTube(count: number): Tube {
  const geometry = new BufferGeometry(), index: number[] = [];
  for (let i = 0; i + 1 < count; i++)
    for (let k = 0; k < AROUND; k++) {
      const a = i * AROUND + k, b = i * AROUND + ((k + 1) % AROUND);
      index.push(a, b, a + AROUND, b, b + AROUND, a + AROUND);
    }
  const position = new Float32Array(3 * AROUND * count), normals = new Float32Array(3 * AROUND * count), points = new Float32Array(3 * count);
  geometry.setAttribute("position", new BufferAttribute(position, 3));
  geometry.setAttribute("normal", new BufferAttribute(normals, 3));
  geometry.setIndex(index);
  const at = new Vector3(), along = new Vector3(), across = new Vector3(), third = new Vector3(), out = new Vector3();
  return {
    geometry,
    points,
    update(radius) {
      across.set(0.3, 0.5, 0.8);
      for (let i = 0; i < count; i++) {
        const before = Math.max(0, i - 1), after = Math.min(count - 1, i + 1);
        along.fromArray(points, 3 * after).sub(at.fromArray(points, 3 * before));
        if (along.lengthSq() > 0) along.normalize();
        across.addScaledVector(along, -across.dot(along)).normalize(); // carried along, so that the tube does not twist
        third.crossVectors(along, across);
        at.fromArray(points, 3 * i);
        for (let k = 0; k < AROUND; k++) {
          const angle = (2 * Math.PI * k) / AROUND, row = 3 * (i * AROUND + k);
          out.copy(across).multiplyScalar(Math.cos(angle)).addScaledVector(third, Math.sin(angle));
          out.toArray(normals, row);
          out.multiplyScalar(radius).add(at).toArray(position, row);
        }
      }
      geometry.attributes.position.needsUpdate = true;
      geometry.attributes.normal.needsUpdate = true;
    },
  };
}

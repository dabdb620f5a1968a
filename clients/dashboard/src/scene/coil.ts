// Springs as they are drawn.
import { Vector3 } from "three";

/** A coil of `turns` from the first place to the second, straight at its ends; 0: the line. */
export function coil(places: ArrayLike<number>, turns: number, radius: number, out: Float32Array): void {
  const a = new Vector3(places[0], places[1], places[2]), along = new Vector3(places[3], places[4], places[5]).sub(a);
  const y = new Vector3(0.3, 0.5, 0.8).cross(along), z = new Vector3(), at = new Vector3(), count = out.length / 3;
  if (y.lengthSq() > 0) y.normalize();
  z.crossVectors(along, y);
  if (z.lengthSq() > 0) z.normalize();
  for (let i = 0; i < count; i++) {
    const end = i === 0 || i === count - 1, part = count > 2 ? (i === 0 ? 0 : end ? 1 : 0.1 + (0.8 * (i - 1)) / (count - 3)) : i;
    const angle = (2 * Math.PI * turns * (i - 1)) / Math.max(1, count - 3), r = end || !turns ? 0 : radius;
    at.copy(a).addScaledVector(along, part).addScaledVector(y, r * Math.cos(angle)).addScaledVector(z, r * Math.sin(angle)).toArray(out, 3 * i);
  }
}

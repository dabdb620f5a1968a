// Where bodies touch: balls, arrows along the forces there, and cones that forces may not leave without sliding. They are seen
// through bodies, in which most of them lie.
import { ArrowHelper, ConeGeometry, DoubleSide, Group, Material, Mesh, MeshBasicMaterial, SphereGeometry, Vector3 } from "three";
import { AT, FORCE, NORMAL, OF_PLACE, type Touches } from "../ui/touching";

const PINK = 0xd81b8c, CONE = 0x1b7fd8;
const LONGEST = 0.16, BALL = 0.006; // of the robot's size
const UP = new Vector3(0, 1, 0);

interface Place {
  ball: Mesh;
  arrow: ArrowHelper;
  cone: Mesh;
}

// On top of what is drawn before.
function above(material: Material): void {
  material.depthTest = false;
  material.transparent = true;
}

export class Touching {
  readonly group = new Group();
  private readonly places: Place[] = [];
  private readonly ball = new SphereGeometry(1, 12, 8);
  private readonly cone = new ConeGeometry(1, 1, 32, 1, true).translate(0, -0.5, 0); // its tip in the origin
  private readonly paint = new MeshBasicMaterial({ color: PINK });
  private readonly glass = new MeshBasicMaterial({ color: CONE, opacity: 0.25, side: DoubleSide });

  constructor() {
    this.group.renderOrder = 2;
    above(this.paint), above(this.glass);
    this.glass.depthWrite = false;
  }

  private place(i: number): Place {
    while (this.places.length <= i) {
      const ball = new Mesh(this.ball, this.paint), arrow = new ArrowHelper(UP, new Vector3(), 1, PINK), cone = new Mesh(this.cone, this.glass);
      above(arrow.line.material as Material), above(arrow.cone.material as Material);
      for (const o of [ball, arrow.line, arrow.cone, cone]) o.renderOrder = 2;
      this.places.push({ ball, arrow, cone });
      this.group.add(ball, arrow, cone);
    }
    return this.places[i];
  }

  /** A sample of what touches; a force of touches.longest or more is a set share of `size` long. */
  show(touches: Touches | null, sample: number, size: number, cones: boolean): void {
    for (const { ball, arrow, cone } of this.places) ball.visible = arrow.visible = cone.visible = false;
    for (let i = 0; touches && i < touches.places; i++) {
      const from = (sample * touches.places + i) * OF_PLACE, vector = (k: number) => new Vector3(...touches.data.subarray(from + k, from + k + 3));
      if (!(touches.data[from] >= 0)) continue;
      const at = vector(AT), force = vector(FORCE), normal = vector(NORMAL), scale = (LONGEST * size) / Math.max(touches.longest, force.length(), 1e-300), length = scale * force.length();
      const { ball, arrow, cone } = this.place(i), friction = touches.friction[touches.data[from]] ?? 0, high = scale * force.dot(normal);
      ball.visible = true;
      ball.position.copy(at);
      ball.scale.setScalar(BALL * size);
      arrow.visible = length > 0;
      arrow.position.copy(at);
      if (length > 0) arrow.setDirection(force.normalize()), arrow.setLength(length, Math.min(0.4 * length, 0.03 * size), Math.min(0.25 * length, 0.016 * size));
      cone.visible = cones && friction > 0 && high > 0;
      cone.position.copy(at);
      cone.quaternion.setFromUnitVectors(UP, normal.negate());
      cone.scale.set(friction * high || 1, high || 1, friction * high || 1);
    }
  }
}

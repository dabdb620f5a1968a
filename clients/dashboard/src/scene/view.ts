// What a document says is drawn of a link (`view`): shapes and meshes with their places and colours.
import {
  BoxGeometry, BufferAttribute, BufferGeometry, CapsuleGeometry, CylinderGeometry, DoubleSide, Mesh, MeshStandardMaterial, Object3D, SphereGeometry,
  SRGBColorSpace, Vector3,
} from "three";
import { toCreasedNormals } from "three/examples/jsm/utils/BufferGeometryUtils.js";
import type { DrawnDocument } from "../robot/document";
import { axisOf, poseOf } from "../robot/se3";
import { matrixOf } from "./rigid";

const GREY = [0.6, 0.64, 0.7];
const CREASE = 0.6; // rad, between faces that look round

const UP = new Vector3(0, 1, 0); // three's cylinders stand along y

function meshGeometry(points: number[][], triangles: number[][]): BufferGeometry {
  const g = new BufferGeometry();
  g.setAttribute("position", new BufferAttribute(new Float32Array(points.flat()), 3));
  g.setIndex(triangles.flat());
  return triangles.length ? toCreasedNormals(g, CREASE) : g;
}

function geometryOf(d: DrawnDocument): BufferGeometry {
  switch (d.type) {
    case "box":
      return new BoxGeometry(...d.size);
    case "sphere":
      return new SphereGeometry(d.radius, 32, 20);
    case "cylinder":
      return new CylinderGeometry(d.radius, d.radius, d.length, 32);
    case "capsule":
      return new CapsuleGeometry(d.radius, d.length, 10, 28);
    case "mesh":
      return meshGeometry(d.points, d.triangles);
  }
}

/** What is drawn of a link, in its frame. */
export function viewObject(view: DrawnDocument[]): Object3D {
  const group = new Object3D();
  group.matrixAutoUpdate = false;
  for (const d of view) {
    const [r, g, b, opacity = 1] = d.colour ?? GREY, clear = opacity < 1;
    const material = new MeshStandardMaterial({ roughness: 0.6, metalness: 0.1, transparent: clear, opacity, side: DoubleSide, depthWrite: !clear });
    material.color.setRGB(r, g, b, SRGBColorSpace);
    const mesh = new Mesh(geometryOf(d), material), at = new Object3D();
    if (d.type === "cylinder" || d.type === "capsule") mesh.quaternion.setFromUnitVectors(UP, new Vector3(...axisOf(d.axis)));
    at.matrixAutoUpdate = false;
    at.matrix.copy(matrixOf(poseOf(d.pose)));
    group.add(at.add(mesh));
  }
  return group;
}

// The model document (tendril.model/1) as far as shapes need it. Documents come checked from the server, so readers
// here fill defaults and check nothing. Words of kinds come from the engine's tables (api/kinds.ts).
import type { Actuator, Basis, Body, Component, Contact, Joint, Kinematics, LoadFrame, RigidShape, Routing, Section } from "../api/kinds";

export type Vec3 = [number, number, number];
export type Profile = number | number[] | { s: number[]; value: number[] | number[][] };

export interface PoseDocument {
  translation?: Vec3;
  rpy?: Vec3;
  quaternion?: [number, number, number, number];
}

export interface JointDocument {
  type: Joint;
  axis?: string | Vec3;
  pitch?: number;
  limits?: { lower?: number | (number | null)[] | null; upper?: number | (number | null)[] | null };
}

export interface SectionDocument {
  shape: Section;
  radius?: Profile; // of a circle, or of a section given by its stiffness
  EI_y?: Profile;
  EI_z?: Profile;
  height?: Profile;
  width?: Profile;
  semi_y?: Profile;
  semi_z?: Profile;
}

export interface ShapeDocument {
  type: RigidShape;
  size?: Vec3;
  radius?: number;
  length?: number;
  height?: number;
  polygon?: [number, number][];
  axis?: string | Vec3;
}

interface CollisionAt {
  pose?: PoseDocument;
}

export type CollisionDocument = CollisionAt & (
  | { shape: "sphere"; radius: number }
  | { shape: "capsule" | "cylinder"; radius: number; length: number; axis?: string | Vec3 }
  | { shape: "box"; size: Vec3; rounding?: number }
  | { shape: "mesh"; points: Vec3[]; rounding?: number }
);

export interface BodyDocument {
  type: Body;
  // rigid
  mass?: number;
  com?: Vec3;
  inertia?: number[] | number[][];
  density?: number;
  shape?: ShapeDocument;
  collision?: CollisionDocument;
  material?: { young?: number };
  young?: number;
  // rod
  length?: number;
  section?: SectionDocument;
  strain?: StrainDocument;
  quadrature?: { points?: number; s?: number };
  // reduced
  kinematics?: Kinematics;
  radius?: number | number[];
  order?: number;
  planar?: boolean;
  width?: number;
  radius_law?: "shift" | "scale";
  inner_radius?: number;
  wall?: number;
  modes?: unknown[];
  size?: Vec3;
  mesh?: MeshDocument;
  tip_points?: Vec3[];
}

export interface MeshDocument {
  points: Vec3[];
  tetrahedra?: number[][];
  hexahedra?: number[][];
}

export interface StrainDocument {
  basis: Basis;
  order?: Partial<Record<Component, number>>;
  reference?: number[] | { s: number[]; value: number[][] };
  s?: number[];
  [component: string]: unknown;
}

interface DrawnAt {
  pose?: PoseDocument;
  colour?: number[]; // red, green, blue, opacity
}

export type DrawnDocument = DrawnAt & (
  | { type: "box"; size: Vec3 }
  | { type: "sphere"; radius: number }
  | { type: "cylinder" | "capsule"; radius: number; length: number; axis?: string | Vec3 }
  | { type: "mesh"; points: Vec3[]; triangles: Vec3[] }
);

export interface LinkDocument {
  name: string;
  parent?: string;
  at?: number;
  pose?: PoseDocument;
  joint?: JointDocument;
  body?: BodyDocument;
  view?: DrawnDocument[];
}

export type RoutingDocument =
  | { type: "linear"; base: [number, number]; tip?: [number, number] }
  | { type: "helix"; radius: number; turns: number; phase?: number }
  | { type: "table"; s: number[]; y: number[]; z: number[] }
  | { type: "sum"; of: RoutingDocument[] };
// Fails to compile when a routing is added that has no member above.
export const routingsCovered: Routing extends RoutingDocument["type"] ? true : never = true;

export interface SegmentDocument {
  link: string;
  routing?: RoutingDocument;
  points?: Vec3[];
}

export interface ActuatorDocument extends Partial<SegmentDocument> {
  name: string;
  type: Actuator;
  mode?: "force" | "position" | "tension" | "length";
  segments?: SegmentDocument[];
  joined?: boolean;
  gradient?: boolean;
}

export interface LoadDocument {
  name?: string;
  link: string;
  at?: number;
  pose?: PoseDocument;
  frame?: LoadFrame;
  wrench?: number[];
  channels?: (string | null)[];
  per_length?: boolean;
  from?: number;
  to?: number;
}

export interface FluidDocument {
  velocity?: number[] | { z: number[]; velocity: number[][] };
  channels?: (string | null)[];
  surface?: { z: number; width: number };
}

export interface ContactDocument {
  type: Contact;
  name?: string;
  radius?: number;
  size?: Vec3;
  axis?: string | Vec3;
  pose?: PoseDocument;
  links?: string[];
  a?: string[];
  b?: string[];
  link?: string;
  friction?: number;
  anisotropy?: [number, number];
}

interface LoopEnd {
  link: string;
  at?: number;
  pose?: PoseDocument;
}

export interface SpringDocument {
  name?: string;
  a: LoopEnd;
  b: LoopEnd;
  stiffness?: number;
  damping?: number;
  rest?: number;
  channel?: string;
}

export interface ModelDocument {
  format: string;
  name: string;
  description?: string;
  gravity?: Vec3;
  links: LinkDocument[];
  actuators?: ActuatorDocument[];
  fluid?: FluidDocument;
  loads?: LoadDocument[];
  contacts?: ContactDocument[];
  loops?: { name?: string; a: LoopEnd; b: LoopEnd }[];
  springs?: SpringDocument[];
}

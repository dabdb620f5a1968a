// Written by api/write_kinds.py from the engine's tables. A kind that is added there is missing where the compiler says so.

export const JOINTS = ["fixed", "revolute", "prismatic", "helical", "cylindrical", "universal", "planar", "spherical", "free"] as const;
export type Joint = (typeof JOINTS)[number];

export const BASES = ["legendre", "monomial", "chebyshev", "fourier", "gaussian", "inverse_multiquadric", "linear", "quadratic", "cubic", "hermite", "table"] as const;
export type Basis = (typeof BASES)[number];

export const BODIES = ["rigid", "rod", "reduced"] as const;
export type Body = (typeof BODIES)[number];

export const KINEMATICS = ["pcc_planar", "pcc_planar_extensible", "pcc", "polynomial_curvature", "gaussian_curvature", "pcc_variable_radius", "lvp", "ritz"] as const;
export type Kinematics = (typeof KINEMATICS)[number];

export const RIGID_SHAPES = ["box", "cylinder", "sphere", "prism"] as const;
export type RigidShape = (typeof RIGID_SHAPES)[number];

export const SECTIONS = ["circle", "rectangle", "ellipse", "stiffness"] as const;
export type Section = (typeof SECTIONS)[number];

export const COMPONENTS = ["torsion", "bending_y", "bending_z", "elongation", "shear_y", "shear_z"] as const;
export type Component = (typeof COMPONENTS)[number];

export const ROUTINGS = ["linear", "helix", "table", "sum"] as const;
export type Routing = (typeof ROUTINGS)[number];

export const ACTUATORS = ["tendon", "joint", "pressure", "field"] as const;
export type Actuator = (typeof ACTUATORS)[number];

export const LOAD_FRAMES = ["world", "body"] as const;
export type LoadFrame = (typeof LOAD_FRAMES)[number];

export const CONTACTS = ["cylinder_interior", "cylinder_exterior", "plane", "sphere", "box", "pair", "self"] as const;
export type Contact = (typeof CONTACTS)[number];

export const JOBS = ["dynamics", "statics", "linearize", "fit", "gradient", "design", "sweep"] as const;
export type JobKind = (typeof JOBS)[number];

export const JOB_STATES = ["queued", "running", "succeeded", "failed", "cancelled"] as const;
export type JobState = (typeof JOB_STATES)[number];

/** Codes of warnings that say that a result is not to be trusted. */
export const UNTRUE: readonly string[] = ["energy_error", "loop_work", "loop_open", "unconverged", "inside_out", "wrong_derivative"];

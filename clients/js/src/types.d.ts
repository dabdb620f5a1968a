// Written by clients/js/generate_types.py from api/openapi.yaml and api/schema: change those.

export type Problem = {
  /** urn:tendril:problem:CODE */
  type: string;
  title: string;
  /** The HTTP status. */
  status: number;
  /** One sentence with the offending value. */
  detail: string;
  code: "invalid_argument" | "unauthenticated" | "permission_denied" | "not_found" | "method_not_allowed" | "not_acceptable" | "timed_out" | "already_exists" | "failed_precondition" | "not_ready" | "result_lost" | "too_large" | "unsupported_media" | "range_not_satisfiable" | "idempotency_mismatch" | "rate_limited" | "internal" | "unavailable" | "quota_exceeded";
  /** JSON pointer (RFC 6901) into the request body. */
  pointer?: string;
  /** Where several things are wrong with a model or a job that do not follow from one another: all of them, the one of
`detail` and `pointer` first. Of a job that cannot be read, what is right of it is judged against its model all the same.
What can only be told once these are mended is not among them.
 */
  errors?: Array<{
    /** JSON pointer into the request body. */
    pointer: string;
    /** One sentence with the offending value. */
    detail: string;
  }>;
  /** The one of the log. */
  request_id: string;
};

export type ModelEntry = {
  name: string;
  /** null: nobody, it is shared by all. */
  owner: string | null;
  revision: number;
  /** Of the document. */
  sha256: string;
  created_at?: string | null;
};

export type StoredModel = {
  name?: string | null;
  /** null: nobody, it is shared by all. */
  owner?: string | null;
  revision?: number | null;
  sha256?: string | null;
  created_at?: string | null;
  document?: ModelDocument;
  /** Number of coordinates. */
  ndof: number;
  /** Their names: arm.bending_y[2]. */
  coordinates: Array<string>;
  /** Names of the entries of u: actuators, then loads, springs, and the flow of the fluid. */
  channels: Array<string>;
  /** What is odd in the document though it can be computed. */
  warnings: Array<Warning>;
};

/** A robot by `urdf`, `mjcf`, `usd` or by `model`, and what is attached to it, one after another. */
export type ImportRequest = {
  /** Text of a URDF, at most 16 MiB and 100000 elements, without a document type. xacro has to be run first: xacro robot.xacro > robot.urdf. */
  urdf?: string;
  /** Text of an MJCF (MuJoCo's XML) in one piece, within the same bounds. Bodies, joints, masses, what is drawn, tendons on sites, actuators, cables. */
  mjcf?: string;
  /** Text of one layer of USD (.usda), within the same bounds; binary USD and scenes in several files have to be written as one text first: usdcat --flatten. Rods: linear BasisCurves with the PhysicsCurvesDeformableSimAPI, and their materials. */
  usd?: string;
  model?: ModelDocument;
  /** Name of the robot. Default: that of the description or the model. */
  name?: string;
  /** Free text of the robot. Default: none, or that of the model. */
  description?: string;
  /** m/s^2. Default: what an MJCF or a USD says, else [0, 0, -9.81]. */
  gravity?: [number, number, number];
  /** How the root of a URDF hangs at the world. One that is called world is the world itself. */
  base?: "fixed" | "free";
  /** An input for each revolute, continuous and prismatic joint of a URDF, called as the joint: its torque or force, its prescribed motion, or none. */
  actuators?: "force" | "position" | "none";
  /** Of an inertia in a URDF that no body has (a principal moment is negative, or larger than the sum of the other two): as_written refuses it, nearest takes the nearest that a body can have and says so in `remarks`. */
  inertia?: "as_written" | "nearest";
  /** Of the lower and upper limits of revolute and prismatic joints in a URDF: soft makes them `limits` of the joint, stops of 1e4 N m/rad and 1e4 N m s/rad^2 (1e6 N/m and 1e6 N s/m^2); none leaves them out. `remarks` say which. */
  stops?: "soft" | "none";
  /** What is drawn of the links: `visual` of a URDF becomes `view`, or is left out. */
  view?: "keep" | "none";
  /** A floor, the plane z = 0, that all links touch which can: rigid bodies with a `collision`, and rods. It gives way by about 1 mm under the weight of the rigid bodies (those attached, too) and has friction 0.5. */
  ground?: boolean;
  /** STL (binary or text) and OBJ files that the description names, base64, each under the name that stands there. A mesh whose file is missing is told in `remarks`. A mesh has at most 2000 corners (fewer when there are more than 15 of them); one with more is thinned. */
  meshes?: {
    [name: string]: string;
  };
  /** Robots that are attached, in this order; each may hang at the one before. */
  attach?: Array<{
    model: ModelDocument;
    /** Link at which it hangs, or world. What the model has in the world (links, ends of loops and springs) is there from now on. */
    parent: string;
    /** Material abscissa X/L where the parent is a rod. Default its tip. */
    at?: number;
    /** From the parent's frame there to what was the world of the model: as the pose of a link. */
    pose?: {
      /** m */
      translation?: [number, number, number];
      /** [roll, pitch, yaw], rad */
      rpy?: [number, number, number];
      /** [w, x, y, z]; not beside rpy */
      quaternion?: [number, number, number, number];
    };
    /** Put before all names of the model. Without it (or with an empty one) names that both robots have are refused. */
    prefix?: string;
  }>;
};

export type Imported = {
  /** Number of coordinates. */
  ndof: number;
  /** Their names, elbow.joint[0]. */
  coordinates: Array<string>;
  /** Names of the entries of u. */
  channels: Array<string>;
  /** What is odd in the document, pointers into it. */
  warnings: Array<Warning>;
  /** What was left out, or read otherwise than it stands there. */
  remarks: Array<{
    /** What became of it and what to do. */
    detail: string;
    places: Array<{
      /** Of the description, from 1; null: `what` is a pointer into the request. */
      line: number | null;
      /** Element and to what it belongs: <visual> of link "elbow". */
      what: string;
    }>;
  }>;
  document: ModelDocument;
};

export type ModelList = {
  models: Array<ModelEntry>;
  next_cursor: string | null;
};

export type RevisionList = {
  name: string;
  owner: string | null;
  revisions: Array<{
    revision: number;
    sha256: string;
    created_at: string;
  }>;
  next_cursor: string | null;
};

/** What may be wanted of a state: formula, shape (n = ndof, m = channels), frame and sign. With units in api/quantities.md. Equation of motion: id = tau + A^T lambda_loops + E^T lambda_prescribed, id = M qdd + c - (gravity, loads, contact, water), tau = B u - K q - D qd + springs and tendons. A force on a coordinate is in N m (angle), N (length), J (strain mode); 6-vectors are angular first; world frame unless said. - id [n]: inverse dynamics without elasticity and actuators, loads with a minus. tau [n]: forces of actuators, springs, elasticity, damping. - residual [n]: tau - id (not id - tau): positive where forces are larger than the motion asks for. mass [n, n]: M. - id_terms: object of [n], sum id: inertial, coriolis, gravity, loads, contact, hydrodynamics. tau_terms: sum tau: actuation, elastic, damping. - energy: object, J, of the kinds that the robot has: kinetic, elastic, gravitational (-sum m g.p) and so on. - poses: object by link, [points, 4, 4]: world from point, m; rods base, Gauss points, tip; other links the frame after the joint. - jacobians: object by link, [points, 6, n]: (w, v) = J qd at the same points in the BODY axes of the point; R J_v is the velocity in the world's. - tendons: object: length [tendons] m, dlength_dq [tendons, n]. tensions [tendons] N, positive pulls. - chambers: object: volume [chambers] m^3, dvolume_dq [chambers, n]. - contacts [touches, 3]: greatest depth, m, normal force, N, slip, m/s, of each link before each obstacle and each two links of a pair, in the order of the document; contact_force [touches, 3]: N on the link, of a pair on the first. contact_place [places, 10]: where they touch: number of the touch or -1, place, m, force, N, unit normal. - did_dq, did_dqd, did_dqdd (= mass), dtau_dq, dtau_dqd, dfd_dq, dfd_dqd [n, n]; did_du, dtau_du (= B), dfd_du [n, m]: derivatives. - fd [n]: qdd with id = tau + A^T lambda + E^T lambda; qdd of the state gives those of prescribed coordinates. - lambda [loop rows + prescribed]: forces that hold loops (on link a, axes of frame b), then forces that drive prescribed coordinates; dlambda_dq, dlambda_dqd, dlambda_du. - loop_error [loop rows]: rows of log(g_b^-1 g_a), rad then m. loop_jacobian [loop rows, n]: A, the twist of a relative to b in frame b by rates. - x_next [2n]: the state (q, qd) one step ahead, as `step` says, under inputs that stay; dx_next_dx [2n, 2n], dx_next_du [2n, m], dx_next_dp [2n, np]: its exact derivatives. - did_dp, dtau_dp, dresidual_dp, dfd_dp [n, np], dlambda_dp [loop rows + prescribed, np], dtendons_dp [tendons, np] (of the lengths), dposes_dp: object by link, [points, 4, 4, np]: derivatives by the np numbers of `parameters`, q, qd, qdd, u held. - jvp [n], vjp: object of q [n], qd [n], u [m], p [np]: products with the derivatives of fd, of factors that every state then carries. */
export type Quantity = "id" | "tau" | "residual" | "mass" | "id_terms" | "tau_terms" | "energy" | "poses" | "jacobians" | "tendons" | "chambers" | "tensions" | "contacts" | "contact_force" | "contact_place" | "did_dq" | "did_dqd" | "did_dqdd" | "did_du" | "dtau_dq" | "dtau_dqd" | "dtau_du" | "fd" | "dfd_dq" | "dfd_dqd" | "dfd_du" | "lambda" | "dlambda_dq" | "dlambda_dqd" | "dlambda_du" | "loop_error" | "loop_jacobian" | "x_next" | "dx_next_dx" | "dx_next_du" | "dx_next_dp" | "did_dp" | "dtau_dp" | "dresidual_dp" | "dfd_dp" | "dlambda_dp" | "dposes_dp" | "dtendons_dp" | "jvp" | "vjp";

export type State = {
  /** Coordinates: rad, m, strain modes. */
  q: Array<number>;
  /** Their rates, 1/s. Missing: zero. */
  qd?: Array<number>;
  /** Their accelerations, 1/s^2. Missing: zero. */
  qdd?: Array<number>;
  /** Inputs: N, N m, Pa, m, rad, m/s; actuators, then loads, then springs, then the flow. Missing: zero. */
  u?: Array<number>;
  /** Time, s. Nothing depends on it in this version. */
  t?: number;
  /** A direction; the answer has `jvp` [ndof], the derivative of `of` along it: dfd_dq q + dfd_dqd qd + dfd_du u + dfd_dp p, without these
matrices. What is missing is zero. In every state of a request or in none.
 */
  jvp?: {
    of: "fd";
    /** [ndof] */
    q?: Array<number>;
    /** [ndof] */
    qd?: Array<number>;
    /** [channels] */
    u?: Array<number>;
    /** [np], in the order of parameters; in the unit of each. */
    p?: Array<number>;
  };
  /** The answer has `vjp` {q, qd, u, p}, the gradient of cotangent . fd: what reverse-mode differentiation needs, at the cost of one solve
whatever np is. In every state of a request or in none.
 */
  vjp?: {
    of: "fd";
    /** [ndof] */
    cotangent: Array<number>;
  };
};

/** One step of a robot, for x_next and its derivatives: what a controller, an optimiser or a learner puts into a loop of its own. Every step starts afresh: the accelerations at its start are fd(x, u); inputs stay for the whole step. Entries of u of prescribed joints are their coordinates at the end; on the way they move evenly (euler_implicit) or along the cubic that leaves with the state's rate, and at the end their rate is the mean one. With loops the end is closed: e(q) = 0, A qd = 0. Rotation vectors beyond 1.5 pi are rewritten as those of runs are. A step that has no solution is the error of its state; shorter ones, or substeps, have. */
export type Step = {
  /** Seconds. */
  h: number;
  /** euler_implicit damps and takes any h; newmark and generalized_alpha (rho_inf 0.8) are of second order; rk4 is explicit: it needs h below
what the fastest mode allows.
 */
  method?: "euler_implicit" | "newmark" | "hht" | "generalized_alpha" | "rk4";
  /** The step is made of so many steps of h / substeps. */
  substeps?: number;
};

/** Numbers of the model document that answers are differentiated by (did_dp … dtendons_dp, jvp, vjp), by their places: a JSON pointer behind /model. A place that holds an array (of arrays) stands for all numbers in it, in order; all together are np, at most as many as limits.parameters. Allowed is every number that answers depend on smoothly, as api/kinds.json lists them (`parameters`): not counts, orders, names and flags, and none that the document leaves to a default. A quaternion is normalised, so that only its direction counts; an entry of a symmetric matrix changes its mirror along, each by half. Neighbours of the model are frozen for them and kept with the model: a second request by the same places is much quicker. */
export type Parameters = Array<(string | {
  path?: string;
  /** In place of path: several places that share one number, in one unit, with one value. Derivatives are by that number, the sum of those
by each place. In archives (NPZ) the string has one place a line.
 */
  paths?: Array<string>;
  /** What replies call it, with [i][j] for numbers of an array. */
  name?: string;
})>;

export type EvaluateRequest = {
  /** At least one, unless states carry jvp or vjp. */
  want: Array<Quantity>;
  /** Time constant of loops */
  baumgarte?: number;
  states: Array<State>;
  parameters?: Parameters;
  step?: Step;
};

export type EvaluateInlineRequest = {
  /** At least one, unless states carry jvp or vjp. */
  want: Array<Quantity>;
  /** Time constant of loops */
  baumgarte?: number;
  states: Array<State>;
  parameters?: Parameters;
  step?: Step;
  model: ModelDocument;
};

/** Members q, qd, qdd [states, ndof], u [states, channels] (float64; float32, int32, int64 are converted), want (strings), and where they apply baumgarte, parameters (paths, strings), parameter_names (strings, as many, "" for none), jvp/of, vjp/of (a string), jvp/q, jvp/qd, jvp/u, jvp/p, vjp/cotangent [states, …], step/h (a number), step/method (a string), step/substeps and model (UTF-8 bytes of the document as uint8). */
export type EvaluateArchive = string;

export type EvaluateReply = {
  ndof: number;
  /** What the columns of derivatives by parameters are by, [np]. Absent when the request has none. Archives have the strings parameters (the
names), parameter_paths, parameter_ways.
 */
  parameters?: Array<{
    name: string;
    /** /model/links/0/body/com/1 */
    path: string;
    /** Further places of the same number; absent where there is one. In archives they follow the path, one a line. */
    also?: Array<string>;
    /** affine: answers are affine in the number, and two robots give the derivative exactly. differences: a formula of order 4 over four
robots with the number close by.
 */
    way: "affine" | "differences";
  }>;
  /** Names of what touches, floor.arm: of the rows of contacts and contact_force, by which contact_place counts. Absent where none of
these is wanted or nothing may touch. Archives have the strings touches.
 */
  touches?: Array<string>;
  /** What is odd in the model, pointers into its document, and in answers to states, at /states/3/q of the request: inside_out (values at
a shape that no rod has), folded_section (bent tighter than the rod's own section), overstretched (a rod at more than three times its length), tendon_kink (a tendon with no length left, whose force has no direction),
high_reynolds (resistive-force theory in too fast a motion), loop_open (rows of loops that q, typed with few digits, makes independent, so that fd and lambda are
not those of the closed robot). Absent when nothing is. Archives have them as the member warnings, this list as UTF-8 bytes (uint8).
 */
  warnings?: Array<Warning>;
  states: Array<(EvaluateFailure | Evaluated)>;
};

/** The wanted quantities; matrices by rows, row = output, column = variable. Those that were asked for. */
export type Evaluated = {
  id: number[];
  tau: number[];
  residual: number[];
  mass: number[][];
  id_terms: { inertial: number[]; coriolis: number[]; gravity: number[]; loads: number[]; contact: number[]; hydrodynamics: number[] };
  tau_terms: { actuation: number[]; elastic: number[]; damping: number[] };
  energy: { kinetic: number; elastic: number; gravitational: number; contact: number; magnetic?: number };
  poses: Record<string, number[][][]>;
  jacobians: Record<string, number[][][]>;
  tendons: { length: number[]; dlength_dq: number[][] };
  chambers: { volume: number[]; dvolume_dq: number[][] };
  tensions: number[];
  contacts: number[][];
  contact_force: number[][];
  contact_place: number[][];
  did_dq: number[][];
  did_dqd: number[][];
  did_dqdd: number[][];
  did_du: number[][];
  dtau_dq: number[][];
  dtau_dqd: number[][];
  dtau_du: number[][];
  fd: number[];
  dfd_dq: number[][];
  dfd_dqd: number[][];
  dfd_du: number[][];
  lambda: number[];
  dlambda_dq: number[][];
  dlambda_dqd: number[][];
  dlambda_du: number[][];
  loop_error: number[];
  loop_jacobian: number[][];
  x_next: number[];
  dx_next_dx: number[][];
  dx_next_du: number[][];
  dx_next_dp: number[][];
  did_dp: number[][];
  dtau_dp: number[][];
  dresidual_dp: number[][];
  dfd_dp: number[][];
  dlambda_dp: number[][];
  dposes_dp: Record<string, number[][][][]>;
  dtendons_dp: number[][];
  jvp: number[];
  vjp: { q: number[]; qd: number[]; u: number[]; p: number[] };
};

export type EvaluateFailure = {
  error: {
    code: "nonfinite" | "singular" | "not_converged" | "internal";
    detail: string;
    link: string | null;
    quantity: string | null;
  };
};

/** A job whose large arrays are members of an archive. Member job: the document, its JSON text as bytes (uint8) or as one string. In it {"npz": "name"} may stand in place of any array of numbers (not in labels): it becomes the numbers of member name, nested as its shape says; NaN becomes null. What is checked, kept and given again is the whole document as JSON text, of at most body_bytes of /v1/limits. A member that nothing asks for is refused. */
export type JobArchive = string;

export type JobState = "queued" | "running" | "succeeded" | "failed" | "cancelled";

export type JobKind = "dynamics" | "statics" | "linearize" | "fit" | "gradient" | "design" | "sweep";

export type JobData = {
  id: string;
  kind: JobKind;
  /** Whose it is: the owner of the token that submitted it. null: nobody. */
  owner: string | null;
  state: JobState;
  attempt: number;
  /** The node (server) that runs it, or ran its last attempt. null: none has, and of a sweep. */
  node: string | null;
  model: {
    /** Of a model that was given with the job, or that a sweep made of another one (revision null), the name in its own document; null: that has none by which a model could be stored. */
    name: string | null;
    /** null: given with the job, a copy of its own. */
    revision: number | null;
    /** Whose the model is; null: nobody's, it is shared (or given with the job). */
    owner?: string | null;
    sha256?: string;
  };
  progress: {
    /** Of the work; of a run that others may check afterwards (at other steps, with finer rods), of all of them, so that one whose check turns out to be needless ends with a leap. It does not fall while an attempt lasts. */
    fraction: number;
    /** Simulated time, s (statics: problems solved, linearize: points, fit: iterations, of all that its starts may have, sweep: jobs that ended). */
    t: number;
    /** What t will be at the end. */
    t_end: number;
    /** All of the run is there (t is t_end), and further runs measure what its errors have added up to, and what finer rods would do. Absent: not now. */
    phase?: "checking";
  };
  labels: {
    [name: string]: string;
  };
  priority: number;
  created_at: string;
  started_at: string | null;
  finished_at: string | null;
  /** Why it failed: {code, detail, pointer}; result_lost of a job that succeeded: its result is gone. Two codes say that
the job came to its end and all it computed is kept (?partial=1): inconsistent (a run whose accounts contradict the
equations of motion, with "on_inconsistency": "fail") and unconverged (statics: some problems have no solution;
their rows are NaN; `"unconverged": "keep"` expects them). nodes_lost: ten nodes that ran it were lost, one after the other.
 */
  error: Record<string, unknown> | null;
  /** Why it does not run, or not as it could, in words. Of a queued job: what the machine lacked when it was last tried (room
on the disk, the right worker program; such a fault is not counted as an attempt that failed, and the job is tried again,
at the latest after a minute); that every node is drained, or none is alive; or its turn, with the number of jobs before
it and of places to compute, all taken. Of a running one: that its worker is stopped while jobs of others compute, that it
gets little of a processor because the machine is busy, that it was cancelled and is about to end. null: nothing.
 */
  waiting_for: string | null;
  /** What is odd though nothing failed: at first what its submission found in model and job, in the end also what the run
says of itself. Those that say that a result is not to be trusted stand first; more than three of one code are one that counts. energy_error, loop_work, loop_open, inside_out: the motion is not what the equations of motion say, or that of no robot. Of a sweep:
jobs_warned, and where that is of a worse rank than what the sweep says itself, the worst code of its jobs, first: a sweep has the rank of its worst job.
 */
  warnings: Array<Warning>;
  retry_of: string | null;
  /** The sweep that it belongs to. */
  parent: string | null;
  /** Of a sweep, how many of its jobs are in each state. */
  jobs?: {
    [name: string]: number;
  };
};

export type Warning = {
  /** A word for machines. There may be more of them in later versions.

Of a model:
- odd_gravity, odd_size, odd_material, odd_mass, odd_inertia, odd_angle, odd_damping, odd_stiffness, odd_friction: a number that was likely meant in another unit.
- counted_twice: a load that is a body's weight, two tendons on one path, two equal loads, two links that touch by two contacts, a link a rod's length behind its tip.
- torsion_constant, shear_correction: more than a section can have. no_inertia: torsion without inertia.
- thick_rod: a rod too short for resistive-force theory. no_buoyancy: a body that displaces nothing. flat_contact: a flat section that touches as if it were round. no_contact: a body that flies and touches nothing.
- thin_surface: a surface thinner than the steps between a rod's points. idle_flow: a flow that nothing feels, coefficients of drag without a fluid.
- starts_inside: a robot that starts beyond the surface of an obstacle, a joint that starts beyond its limits.
- idle_force: a load, a tendon or an input that moves nothing, since the strains and joints that it would work on are locked or missing; a contact between two bodies that cannot move.
- contact_missed: steps went through an obstacle, or one lies in a rod between two points that touch it, or a rod or its end is pressed through one that gives way, or a body through another, or an equilibrium lies behind one that the way there leads through.
- tendon_outside: tendons beside their rods. odd_routing: a tendon that runs along a rod twice, or changes sides between two. coarse_routing: a helix with fewer than two Gauss points a turn. coarse_contact: a ball or cylinder slips between the points of a rod. slack_tension: a tendon driven by length that pulls at rest.
- singular_mass_matrix: coordinates that move nothing.

Of a job:
- odd_input: a tension or pressure (of a model: a fluid's velocity) that was likely meant in another unit, or an input that drives a prescribed joint beyond its limits; odd_angle: of an input, a phase, or initial.q.
- undamped: a rod without damping under error control by a method that was asked for and follows its fastest waves (not radau). coarse_step: an input in fewer than 20 equal steps to a period.
- odd_duration: more than a day; knots and windows behind the end of the run. unused_option: an option that nothing looks at.

Of a run or a list of statics:
- energy_error, loop_work, loop_open: the motion is not what the equations of motion say.
- inside_out: a rod's stretch reaches 0 or less, it is turned inside out, and the answer that of no rod.
- wrong_derivative: of a fit, the derivatives that it went by are not those of what its runs say at the answer.
- unsteady_flow: inputs that accelerate the fluid so that the force of that, which is left out, would be more than a quarter of the drag.
- reference_missed: a controlled run that ended far from its reference.
- failed_starts: of a fit or a design, random starts where no run came to its end. by_differences: of a fit, runs whose derivatives are differences of
  runs, as their method has none.
- design_at_bound: of a design, a number that its bound keeps from being better. no_effect: one that changes neither the objective nor a constraint. design_unbounded: one without a bound that ran away while the objective fell.
- tendon_kink: a tendon has no length left somewhere, so that its force has no direction. high_reynolds: resistive-force theory beyond a Reynolds number of 10.
- folded_section: a rod is bent tighter than its own section: curvature times what lies between axis and inner side exceeds its stretch.
- overstretched: a rod is stretched to more than three times its length, mostly by lengths that were meant in mm.
- friction_faded: tendons or contacts with friction slid too slowly for it and crept, or tendons have friction and it is statics; of linearize, friction is in A as a damper, by its slope at rest.
- coarse_step: what equal steps leave out adds up to more than 2 % of the way, or of the speed.
- accumulated_error: errors of steps under error control add up to more than 3 % of the way of a coordinate that nothing holds, or to 0.3 % (at least 10 rtol) of what a second run by better means moves by.
- check_cut: the second run that tells what errors of steps have added up to did not end, as the time of the job was up or it failed.
- coarse_tolerance: tolerances at which each step may be wrong by a good part of what moves.
- sensitive_motion: neighbouring motions part exponentially, and what comes after the time named is one motion of many.
- initial_moved: the initial state (statics: the first guess, by more than a tenth) that was given leaves loops open, and the job starts at the nearest one that closes them. At a loop of the model: no state was given, and the loop closes from q = 0 only by stretching rods or turning a frame by a right angle. The same of velocities that loops do not allow.
- rates_left_out: an equilibrium, of linearize, of a run's start or of a static inversion, while prescribed joints move, and none moves with them: they were taken to stand still. Of linearize, too, an equilibrium that turns along while not all that acts about it does: A is that of t = 0, and repeats with each turn.
- unidentified: of a fit, a combination of parameters that the data do not tell.
- fit_at_bound: of a fit, a parameter that ended at a bound.
- misfit: of a fit, residuals that are not of the size of sigma, or that are no noise: each sample errs like the one before it.
- passing_equilibrium: a run that starts at "equilibrium" while a prescribed joint turns on, its rate or what acts does not stay the same: forces balance at t = 0, and not for long; or they do balance, and what acts about the equilibrium does not turn along: its stability is not judged.
- deep_contact: a rod sinks into an obstacle by more than its own radius, so that its place is what the obstacle's stiffness makes of it.
- contact_kink: a linearisation, or an equilibrium with derivatives, at a point that just touches an obstacle, a body that just touches another one, or a joint just at its limit, whose stiffness acts on one side only.
- kink_crossed: a run of a given h with derivatives went across a stop, an obstacle of an exponent below 2 or a tendon's slack: they are those of its steps, not of its motion.
- loop_misfit: rows of loops that depend on each other contradict each other by the rounding of the document.
- small_motion: the motion is below what the tolerances see. many_steps: fast modes take most of the steps.
- unresolved_modes: a joint or body moves, or an input drives, in modes above the integrator's cutoff; its motion is lost.
- fast_input: an input whose periods steps stride over, as the run would take too many.
- singular_configuration: loops lose rank on the way, and what follows is not determined by them.
- tendon_pushed: a controller let a tendon push.
- unstable: equilibria that a robot leaves, or that linearize is asked about. unconverged: problems without a solution that were expected.
- coarse_quadrature: a rod's Gauss points put its strains off by more than 1.5 %, or its shape by more than a thousandth of its
  length at an equilibrium, 1.5 % in a run; a reduced body's points put its strains, its
  stiffness or its mass off by more than 1.5 % (when a model is read, by more than 10 % at rest). coarse_basis: its strain functions put its shape off by a thousandth, in a run by a hundredth, or at an equilibrium by more than 10 % of what
  it has moved by, or curvature and twist by more than 25 % of their largest; in runs a tip's motion off by more than 5 % of its largest deflection (or a hundredth of the length) within a
  period of its slowest vibration; in linearisations fewer than three different frequencies are right to 2 % (the summary's `modes` says how
  many are); an equilibrium that is stable with them only. Both are estimates, by a finer twin of the robot; details say what would do.
- continuation_short: a path of equilibria whose steps were used up before the value it was asked for.
- no_derivative: a job with `sensitivity` has equilibria whose derivatives do not exist (NaN): their stiffness is singular, or a number parts rows of loops that depend on each other.
- snapped: between two problems of a list the branch of equilibria ended, and the next one is another's.

Of a sweep: jobs_warned, some of its jobs have warnings. Of any: more_warnings, more than fit the list.
 */
  code: string;
  /** What is odd, with its value, and what to do. */
  detail: string;
  /** JSON pointer into the document; of a job, its model is at /model whether or not it was given inline. */
  pointer: string;
};

export type JobList = {
  jobs: Array<JobData>;
  next_cursor: string | null;
};

export type Event = {
  /** Rises by job; gaps where old progress was pruned. */
  seq: number;
  event: "state" | "progress" | "samples" | "log";
  time: string;
  job: string;
  attempt: number;
  state?: JobState;
  /** Why it failed. */
  error?: Record<string, unknown>;
  /** Of the job, with its states; absent: none. */
  warnings?: Array<Warning>;
  fraction?: number;
  t?: number | null;
  t_end?: number | null;
  /** Of progress: the run is over, a second one measures its errors. Absent: not now. */
  phase?: "checking";
  /** Rows of the result that ?partial=1 gives now (event samples). */
  rows?: number;
  level?: "debug" | "info" | "warning" | "error";
  message?: string;
};

export type EventList = {
  events: Array<Event>;
  /** The next since. */
  next: number;
};

export type Result = {
  /** Model revision, job, build and CPU level, statistics, energy balance. `energy` of a dynamics run, J: the changes of
the kinds of energy that the robot has (`energies`); the works of actuation, loads, prescribed, hydrodynamics and
loops; dissipation; contact_losses, by friction and damping of contacts; error, what is missing between them;
exchanged, all that moved, there and back (every work, damping, and every change of the energies but the kinetic one), to judge error by: beyond 1 % of it, or
beyond 2 % of what the energies swing by and what passed through, where that is less, |error| or |loops| is a warning. `integrator` of a dynamics run: method, the one that ran; reason, why it is this one;
formulation of loops, null without; adaptive, whether steps are chosen by their error; rtol and
atol that they were held to, null: not; cutoff, rad/s, modes faster
than it are held stable but not resolved, null: all are; spectrum of the modes at the start, null where nothing
asked for it: {lowest, rad/s, of all; highest, rad/s, of those that are hardly damped; damping, its ratio;
coordinate, which moves most in it}.
`coordinates`, `channels`, `energies`: names of the columns of q, u, energy. `contacts`, where there are any: names of the rows
of contacts and contact_force, and numbers in contact_place, "floor.ball", of a pair "grip.finger.ball" (a contact without a name is contacts[0]). `failures` of statics: [{index, code, detail}]. `continuation` of a path of equilibria:
channel; events, [{kind, after, value, multiplicity}], kind limit or bifurcation, between points after and after + 1, at
this value of the channel, where `multiplicity` eigenvalues of the stiffness change sign; reached, where the path has a
value `to`: whether it came there. `events`, what a picture marks: of a run [{kind, t}], kind singular_configuration or
tendon_pushed, the first of each, s; of a list of statics [{kind: snap, after, distance}], between problems after and after + 1.
`warnings` are those of the job; `error` is that of a job which failed although its
result is whole.
 */
  summary: Record<string, unknown>;
  /** Of a run: t [samples], then each field [samples, …]. Of statics, one row per problem or point of a path: u [S, channels],
q [S, ndof], lambda [S, multipliers] (what loops, then prescribed joints carry, N and N m), converged [S], stable [S]
(small motions about it do not grow), iterations [S] (of Newton), residual [S] (N and N m). A problem without a solution
is NaN but for u.
 */
  arrays: {
    [name: string]: Array<unknown>;
  };
};

export type TokenRequest = {
  /** Of no other token. */
  name: string;
  scope: Scope;
  /** To whom belongs what it will make: by default its name. Of a read token: whose things it looks at, by default everybody's.
 */
  owner?: string;
};

/** read: look at models, jobs, results, metrics. run: and evaluate, submit, change and delete them; of its owner. admin: of everybody, and make, list and delete tokens. */
export type Scope = "read" | "run" | "admin";

export type Token = {
  id: string;
  name: string;
  scope: Scope;
  /** null (read): everybody's. */
  owner: string | null;
  created_at: string;
};

export type NewToken = {
  id: string;
  name: string;
  scope: Scope;
  /** null (read): everybody's. */
  owner: string | null;
  created_at: string;
  /** The secret, told this once. */
  token: string;
};

export type TokenList = {
  tokens: Array<Token>;
  /** There is one page. */
  next_cursor: null;
};

export type Node = {
  /** Of this life of the process. */
  id: string;
  /** As --node said, or as its machine; jobs name it so. */
  name: string;
  host: string;
  /** draining: it takes no more jobs; lost: it was not heard of for 12 s, and its jobs are others'. */
  state: "ready" | "draining" | "lost";
  /** Jobs that it runs at a time. */
  slots: number;
  /** Jobs that it has, those that wait in memory for their turn, too. */
  running: number;
  version: string;
  /** Results have the same bits on nodes of the same level. */
  cpu_level: string;
  started_at: string;
  /** When it was heard of last. */
  heartbeat_at: string;
  /** The one that answers. */
  self: boolean;
};

export type NodeList = {
  nodes: Array<Node>;
  /** There is one page. */
  next_cursor: null;
};

export type ExampleList = {
  examples: Array<{
    name: string;
    description: string | null;
  }>;
};

export type Example = {
  name: string;
  model: ModelDocument;
  job: JobDocument;
};

export type Status = {
  status: string;
};

export type Limits = {
  [name: string]: number;
};

export type Version = {
  version: string;
  api?: string;
  model_format?: string;
  cpu_level?: string;
};

/** Names of the operations. */
export type Operation = "models_create" | "models_list" | "models_import" | "models_get" | "models_put" | "models_delete" | "models_revisions" | "models_revision" | "evaluate" | "evaluate_inline" | "jobs_submit" | "jobs_list" | "jobs_get" | "jobs_delete" | "jobs_cancel" | "jobs_retry" | "jobs_document" | "jobs_events" | "jobs_result" | "tokens_create" | "tokens_list" | "tokens_get" | "tokens_delete" | "nodes_list" | "nodes_drain" | "examples_list" | "examples_get" | "health" | "ready" | "metrics" | "limits" | "version" | "contract" | "dashboard" | "docs" | "dashboard_asset";

/** One robot, self-contained. SI units, radians; 6-vectors are angular first. Rules between places (names that refer to links, rising knots, equal lengths, positive definite inertia) are checked by the server; tests/api/test_schema.py lists those that stand only there. */
export type ModelDocument = {
  /** Version of this format. */
  format: "tendril.model/1";
  /** Name of the robot. Where the document is stored under it: letters, digits, _ . -, the first a letter or digit. */
  name?: ModelName;
  /** Free text. */
  description?: string;
  /** Acceleration of gravity in world axes, m/s^2. Default [0, 0, 0]. */
  gravity?: [number, number, number];
  /** Surrounding fluid. Gravity on a body is scaled by 1 - density / (its density): the density of a rod's material or of a reduced body, body_density of a rigid one, without it the density of its shape, without a shape no buoyancy. Drag, lift, viscous resistance and added mass act by the velocity relative to it, angular velocities as they are. It is quasi-steady: its own acceleration exerts nothing (no Froude-Krylov force). */
  fluid?: {
    /** Density, kg/m^3. */
    density: number;
    /** Dynamic viscosity, Pa s: what `resistive_force` of rods needs. Default 0. */
    viscosity?: number;
    /** How it flows, m/s, world axes. Default [0, 0, 0]. */
    velocity?: ([number, number, number] | {
      /** Heights, m, rising strictly. */
      z: Array<number>;
      /** Velocity at each, m/s. */
      velocity: Array<[number, number, number]>;
    });
    /** Names of input channels, m/s, whose values are added to the three components of the velocity everywhere, null for none. They stand last in u. */
    channels?: [(ModelName | null), (ModelName | null), (ModelName | null)];
    /** The fluid ends at a level surface; gravity must be along z. Each rigid body (at its centre of mass) and Gauss point of a rod or backbone is wet by t^2 (3 - 2 t), t = (z_surface - z) / width + 1/2 held to [0, 1]: buoyancy, drag, resistance and added mass scale with it. Exact for a sphere whose diameter is the width. Added mass follows Lagrange's equations with the wetness in it: entering and leaving exchange momentum and lose no energy. Not for bodies made of particles (pcc_variable_radius, lvp, ritz). */
    surface?: {
      /** Height of the surface, m. */
      z: number;
      /** Height over which a body or section becomes wet, m: its diameter, usually; of rods twice the distance of Gauss points in height, or more. */
      width: number;
    };
  };
  /** In an order in which parents stand before children. */
  links: Array<ModelLink>;
  /** Input channels: tendons (N, or m in mode length), joint forces (N m or N), prescribed joints (rad or m) and pressures (Pa). */
  actuators?: Array<ModelActuator>;
  /** External wrenches, N m and N. */
  loads?: Array<ModelLoad>;
  /** Obstacles that rods touch, each point of a rod as a ball of its section's radius (rectangles sqrt(height width)/2, ellipses sqrt(semi_y semi_z)): forces in N. */
  contacts?: Array<ModelContact>;
  /** Joints that close kinematic chains: constraint forces in N m and N. */
  loops?: Array<ModelLoop>;
  /** Springs and dampers between two points: forces in N. */
  springs?: Array<ModelSpring>;
};

/** 1 to 63 printable characters. */
export type ModelName = string;

/** A direction: a coordinate axis or a vector of any length but 0 (dimensionless). */
export type ModelAxis = ("x" | "y" | "z" | "-x" | "-y" | "-z" | [number, number, number]);

/** A rigid transform from the frame before to the frame after: translation, then rotation. */
export type ModelPose = {
  /** Position of the frame's origin [x, y, z], m. Default [0, 0, 0]. */
  translation?: [number, number, number];
  /** [roll, pitch, yaw], rad: R = Rz(yaw) Ry(pitch) Rx(roll), as in URDF. */
  rpy?: [number, number, number];
  /** [w, x, y, z], normalised by the reader (dimensionless). */
  quaternion?: [number, number, number, number];
};

/** What moves between the parent's frame (moved by pose) and the link's. One exponential of all its coordinates, g = exp(Phi q): a rotation and slides beside it happen together, along a screw, so that coordinates of planar and free are no positions. Below (R, p) is the pose of the link in the joint's frame, a the axis, e1 and e2 the directions normal to it (axis z: x, y; x: y, z; y: z, x), R(w) = exp([w]) the rotation by |w| about w. Springs, dampers and prescribed motions act on these coordinates. */
export type ModelJoint = ({
  type: "fixed";
  /** Axis of the joint in its own frame (dimensionless). Default z. */
  axis?: ModelAxis;
  /** Spring of each coordinate, N m/rad (angles) or N/m (lengths): tau = -stiffness (q - rest). Default 0. */
  stiffness?: (number | Array<number>);
  /** Damper of each coordinate, N m s/rad or N s/m: tau = -damping qd. Default 0. */
  damping?: (number | Array<number>);
  /** Coordinate at which the spring is slack, rad or m. Default 0. */
  rest?: (number | Array<number>);
} | {
  type: "revolute";
  /** Axis of the joint in its own frame (dimensionless). Default z. */
  axis?: ModelAxis;
  /** Spring of each coordinate, N m/rad (angles) or N/m (lengths): tau = -stiffness (q - rest). Default 0. */
  stiffness?: (number | [number]);
  /** Damper of each coordinate, N m s/rad or N s/m: tau = -damping qd. Default 0. */
  damping?: (number | [number]);
  /** Coordinate at which the spring is slack, rad or m. Default 0. */
  rest?: (number | [number]);
  limits?: ModelLimitsOf1;
} | {
  type: "prismatic";
  /** Axis of the joint in its own frame (dimensionless). Default z. */
  axis?: ModelAxis;
  /** Spring of each coordinate, N m/rad (angles) or N/m (lengths): tau = -stiffness (q - rest). Default 0. */
  stiffness?: (number | [number]);
  /** Damper of each coordinate, N m s/rad or N s/m: tau = -damping qd. Default 0. */
  damping?: (number | [number]);
  /** Coordinate at which the spring is slack, rad or m. Default 0. */
  rest?: (number | [number]);
  limits?: ModelLimitsOf1;
} | {
  type: "helical";
  /** Axis of the joint in its own frame (dimensionless). Default z. */
  axis?: ModelAxis;
  /** Advance per turn of one radian, m/rad. */
  pitch: number;
  /** Spring of each coordinate, N m/rad (angles) or N/m (lengths): tau = -stiffness (q - rest). Default 0. */
  stiffness?: (number | [number]);
  /** Damper of each coordinate, N m s/rad or N s/m: tau = -damping qd. Default 0. */
  damping?: (number | [number]);
  /** Coordinate at which the spring is slack, rad or m. Default 0. */
  rest?: (number | [number]);
  limits?: ModelLimitsOf1;
} | {
  type: "cylindrical";
  /** Axis of the joint in its own frame (dimensionless). Default z. */
  axis?: ModelAxis;
  /** Spring of each coordinate, N m/rad (angles) or N/m (lengths): tau = -stiffness (q - rest). Default 0. */
  stiffness?: (number | [number, number]);
  /** Damper of each coordinate, N m s/rad or N s/m: tau = -damping qd. Default 0. */
  damping?: (number | [number, number]);
  /** Coordinate at which the spring is slack, rad or m. Default 0. */
  rest?: (number | [number, number]);
  limits?: ModelLimitsOf2;
} | {
  type: "universal";
  /** Axis of the joint in its own frame (dimensionless). Default z. */
  axis?: ModelAxis;
  /** Spring of each coordinate, N m/rad (angles) or N/m (lengths): tau = -stiffness (q - rest). Default 0. */
  stiffness?: (number | [number, number]);
  /** Damper of each coordinate, N m s/rad or N s/m: tau = -damping qd. Default 0. */
  damping?: (number | [number, number]);
  /** Coordinate at which the spring is slack, rad or m. Default 0. */
  rest?: (number | [number, number]);
  limits?: ModelLimitsOf2;
} | {
  type: "planar";
  /** Axis of the joint in its own frame (dimensionless). Default z. */
  axis?: ModelAxis;
  /** Spring of each coordinate, N m/rad (angles) or N/m (lengths): tau = -stiffness (q - rest). Default 0. */
  stiffness?: (number | [number, number, number]);
  /** Damper of each coordinate, N m s/rad or N s/m: tau = -damping qd. Default 0. */
  damping?: (number | [number, number, number]);
  /** Coordinate at which the spring is slack, rad or m. Default 0. */
  rest?: (number | [number, number, number]);
  limits?: ModelLimitsOf3;
} | {
  type: "spherical";
  /** Axis of the joint in its own frame (dimensionless). Default z. */
  axis?: ModelAxis;
  /** Spring of each coordinate, N m/rad (angles) or N/m (lengths): tau = -stiffness (q - rest). Default 0. */
  stiffness?: (number | [number, number, number]);
  /** Damper of each coordinate, N m s/rad or N s/m: tau = -damping qd. Default 0. */
  damping?: (number | [number, number, number]);
  /** Coordinate at which the spring is slack, rad or m. Default 0. */
  rest?: (number | [number, number, number]);
  limits?: ModelLimitsOf3;
} | {
  type: "free";
  /** Axis of the joint in its own frame (dimensionless). Default z. */
  axis?: ModelAxis;
  /** Spring of each coordinate, N m/rad (angles) or N/m (lengths): tau = -stiffness (q - rest). Default 0. */
  stiffness?: (number | [number, number, number, number, number, number]);
  /** Damper of each coordinate, N m s/rad or N s/m: tau = -damping qd. Default 0. */
  damping?: (number | [number, number, number, number, number, number]);
  /** Coordinate at which the spring is slack, rad or m. Default 0. */
  rest?: (number | [number, number, number, number, number, number]);
  limits?: ModelLimitsOf6;
});

/** Soft stops, with p = q - upper or lower - q the depth beyond a limit: tau = -stiffness p (back to the limit) - damping p qd, potential energy stiffness p^2 / 2. The force sets in without a jump. An equilibrium under a force F lies F / stiffness beyond the limit; what arrives at the speed v comes back with about v - 2/3 v^2 damping / stiffness, as long as that is little less. */
export type ModelLimitsOf1 = {
  /** Least coordinate without a stop, rad or m; null or left out: none. One for all coordinates or one each. */
  lower?: (number | null | [(number | null)]);
  /** Largest coordinate without a stop, rad or m; null or left out: none. Not below `lower`. */
  upper?: (number | null | [(number | null)]);
  /** N m/rad (angles) or N/m (lengths), above 0. */
  stiffness: (number | [number]);
  /** Damper that grows with the depth, N m s/rad^2 or N s/m^2. Default 0: what hits the stop comes back as fast. */
  damping?: (number | [number]);
};

/** Soft stops, with p = q - upper or lower - q the depth beyond a limit: tau = -stiffness p (back to the limit) - damping p qd, potential energy stiffness p^2 / 2. The force sets in without a jump. An equilibrium under a force F lies F / stiffness beyond the limit; what arrives at the speed v comes back with about v - 2/3 v^2 damping / stiffness, as long as that is little less. */
export type ModelLimitsOf2 = {
  /** Least coordinate without a stop, rad or m; null or left out: none. One for all coordinates or one each. */
  lower?: (number | null | [(number | null), (number | null)]);
  /** Largest coordinate without a stop, rad or m; null or left out: none. Not below `lower`. */
  upper?: (number | null | [(number | null), (number | null)]);
  /** N m/rad (angles) or N/m (lengths), above 0. */
  stiffness: (number | [number, number]);
  /** Damper that grows with the depth, N m s/rad^2 or N s/m^2. Default 0: what hits the stop comes back as fast. */
  damping?: (number | [number, number]);
};

/** Soft stops, with p = q - upper or lower - q the depth beyond a limit: tau = -stiffness p (back to the limit) - damping p qd, potential energy stiffness p^2 / 2. The force sets in without a jump. An equilibrium under a force F lies F / stiffness beyond the limit; what arrives at the speed v comes back with about v - 2/3 v^2 damping / stiffness, as long as that is little less. */
export type ModelLimitsOf3 = {
  /** Least coordinate without a stop, rad or m; null or left out: none. One for all coordinates or one each. */
  lower?: (number | null | [(number | null), (number | null), (number | null)]);
  /** Largest coordinate without a stop, rad or m; null or left out: none. Not below `lower`. */
  upper?: (number | null | [(number | null), (number | null), (number | null)]);
  /** N m/rad (angles) or N/m (lengths), above 0. */
  stiffness: (number | [number, number, number]);
  /** Damper that grows with the depth, N m s/rad^2 or N s/m^2. Default 0: what hits the stop comes back as fast. */
  damping?: (number | [number, number, number]);
};

/** Soft stops, with p = q - upper or lower - q the depth beyond a limit: tau = -stiffness p (back to the limit) - damping p qd, potential energy stiffness p^2 / 2. The force sets in without a jump. An equilibrium under a force F lies F / stiffness beyond the limit; what arrives at the speed v comes back with about v - 2/3 v^2 damping / stiffness, as long as that is little less. */
export type ModelLimitsOf6 = {
  /** Least coordinate without a stop, rad or m; null or left out: none. One for all coordinates or one each. */
  lower?: (number | null | [(number | null), (number | null), (number | null), (number | null), (number | null), (number | null)]);
  /** Largest coordinate without a stop, rad or m; null or left out: none. Not below `lower`. */
  upper?: (number | null | [(number | null), (number | null), (number | null), (number | null), (number | null), (number | null)]);
  /** N m/rad (angles) or N/m (lengths), above 0. */
  stiffness: (number | [number, number, number, number, number, number]);
  /** Damper that grows with the depth, N m s/rad^2 or N s/m^2. Default 0: what hits the stop comes back as fast. */
  damping?: (number | [number, number, number, number, number, number]);
};

/** Values at knots, joined by a natural C2 cubic spline. */
export type ModelProfileSpline = {
  /** Knots X/L (dimensionless): rising strictly from 0 to 1. */
  s: Array<number>;
  /** Values at the knots, as many as there are knots, in the unit of the number they replace (sizes: m). */
  value: Array<number>;
};

/** Values of at least 0 at knots, joined by a natural C2 cubic spline. */
export type ModelProfileSplineNotNegative = {
  /** Knots X/L (dimensionless): rising strictly from 0 to 1. */
  s: Array<number>;
  /** Values at the knots, as many as there are knots, in the unit of the number they replace (sizes: m). */
  value: Array<number>;
};

/** Three numbers, [base, tip] of them (linear in X) or {s, value}. */
export type ModelProfile3 = ([number, number, number] | [[number, number, number], [number, number, number]] | {
  /** Knots X/L (dimensionless): rising strictly from 0 to 1. */
  s: Array<number>;
  /** Values at the knots, three each. */
  value: Array<[number, number, number]>;
});

/** Six numbers, [base, tip] of them (linear in X) or {s, value}. */
export type ModelProfile6 = ([number, number, number, number, number, number] | [[number, number, number, number, number, number], [number, number, number, number, number, number]] | {
  /** Knots X/L (dimensionless): rising strictly from 0 to 1. */
  s: Array<number>;
  /** Values at the knots, six each. */
  value: Array<[number, number, number, number, number, number]>;
});

/** A 6x6 matrix, [base, tip] of them (linear in X) or {s, value}. */
export type ModelProfile6x6 = ([[number, number, number, number, number, number], [number, number, number, number, number, number], [number, number, number, number, number, number], [number, number, number, number, number, number], [number, number, number, number, number, number], [number, number, number, number, number, number]] | [[[number, number, number, number, number, number], [number, number, number, number, number, number], [number, number, number, number, number, number], [number, number, number, number, number, number], [number, number, number, number, number, number], [number, number, number, number, number, number]], [[number, number, number, number, number, number], [number, number, number, number, number, number], [number, number, number, number, number, number], [number, number, number, number, number, number], [number, number, number, number, number, number], [number, number, number, number, number, number]]] | {
  /** Knots X/L (dimensionless): rising strictly from 0 to 1. */
  s: Array<number>;
  /** Values at the knots, a 6x6 matrix each. */
  value: Array<[[number, number, number, number, number, number], [number, number, number, number, number, number], [number, number, number, number, number, number], [number, number, number, number, number, number], [number, number, number, number, number, number], [number, number, number, number, number, number]]>;
});

/** Cross-section of a rod with a material. Each size is a number, [base, tip] (linear in X) or {s, value}. */
export type ModelSection = ({
  shape: "circle";
  /** Radius, m. */
  radius: (number | [number, number] | ModelProfileSpline);
  /** Radius of a concentric hole, m, less than radius. Fluid fills it. Default: none. */
  inner_radius?: (number | [number, number] | ModelProfileSplineNotNegative);
  /** J of the torsional stiffness G J, m^4. Default Iy + Iz, the value of circles and round tubes; other sections have less (Saint-Venant), a strip far less: where it is more than 3 times too large for a solid section, the model has the warning torsion_constant. */
  torsion_constant?: (number | [number, number] | ModelProfileSpline);
  /** k of the shear stiffness k G A (dimensionless). Default 1. */
  shear_correction?: (number | [number, number] | ModelProfileSpline);
  /** Screw damping by strain component (torsion, bending_y, bending_z: N m^2 s; elongation, shear_y, shear_z: N s), added to that of viscosity. Default 0. */
  damping?: ModelProfile6;
} | {
  shape: "rectangle";
  /** Edge along y, m. */
  height: (number | [number, number] | ModelProfileSpline);
  /** Edge along z, m. */
  width: (number | [number, number] | ModelProfileSpline);
  /** Edge of a concentric hole along y, m, less than height; needs inner_width. Default: none. */
  inner_height?: (number | [number, number] | ModelProfileSplineNotNegative);
  /** Edge of a concentric hole along z, m, less than width; needs inner_height. Default: none. */
  inner_width?: (number | [number, number] | ModelProfileSplineNotNegative);
  /** J of the torsional stiffness G J, m^4. Default Iy + Iz, the value of circles and round tubes; other sections have less (Saint-Venant), a strip far less: where it is more than 3 times too large for a solid section, the model has the warning torsion_constant. */
  torsion_constant?: (number | [number, number] | ModelProfileSpline);
  /** k of the shear stiffness k G A (dimensionless). Default 1. */
  shear_correction?: (number | [number, number] | ModelProfileSpline);
  /** Screw damping by strain component (torsion, bending_y, bending_z: N m^2 s; elongation, shear_y, shear_z: N s), added to that of viscosity. Default 0. */
  damping?: ModelProfile6;
} | {
  shape: "ellipse";
  /** Semi-axis along y, m. */
  semi_y: (number | [number, number] | ModelProfileSpline);
  /** Semi-axis along z, m. */
  semi_z: (number | [number, number] | ModelProfileSpline);
  /** Semi-axis of a concentric hole along y, m, less than semi_y; needs inner_semi_z. Default: none. */
  inner_semi_y?: (number | [number, number] | ModelProfileSplineNotNegative);
  /** Semi-axis of a concentric hole along z, m, less than semi_z; needs inner_semi_y. Default: none. */
  inner_semi_z?: (number | [number, number] | ModelProfileSplineNotNegative);
  /** J of the torsional stiffness G J, m^4. Default Iy + Iz, the value of circles and round tubes; other sections have less (Saint-Venant), a strip far less: where it is more than 3 times too large for a solid section, the model has the warning torsion_constant. */
  torsion_constant?: (number | [number, number] | ModelProfileSpline);
  /** k of the shear stiffness k G A (dimensionless). Default 1. */
  shear_correction?: (number | [number, number] | ModelProfileSpline);
  /** Screw damping by strain component (torsion, bending_y, bending_z: N m^2 s; elongation, shear_y, shear_z: N s), added to that of viscosity. Default 0. */
  damping?: ModelProfile6;
});

/** Cross-section of a rod by its numbers, without shape and material. Each is a number (vector, matrix), [base, tip] (linear in X) or {s, value}; vectors and matrices by strain component: torsion, bending_y, bending_z, elongation, shear_y, shear_z. The stiffness of an active component is needed. */
export type ModelStiffnessSection = {
  shape: "stiffness";
  /** Torsional stiffness, N m^2. */
  GJ?: (number | [number, number] | ModelProfileSpline);
  /** Bending stiffness about y, N m^2. */
  EI_y?: (number | [number, number] | ModelProfileSpline);
  /** Bending stiffness about z, N m^2. */
  EI_z?: (number | [number, number] | ModelProfileSpline);
  /** Axial stiffness, N. */
  EA?: (number | [number, number] | ModelProfileSpline);
  /** Shear stiffness along y, N, with the shear correction in it. */
  GA_y?: (number | [number, number] | ModelProfileSpline);
  /** Shear stiffness along z, N, with the shear correction in it. */
  GA_z?: (number | [number, number] | ModelProfileSpline);
  /** Mass per length, kg/m. */
  mass_per_length: (number | [number, number] | ModelProfileSpline);
  /** Inertia per length [Jx, Iy, Iz], kg m. Default 0: a straight rod then has no inertia against torsion. */
  inertia_per_length?: ModelProfile3;
  /** Screw damping by strain component: N m^2 s, then N s. Default 0. */
  damping?: ModelProfile6;
  /** Symmetric 6x6 matrix added to the diagonal of stiffnesses; together they must be positive definite: N m^2 between angular components, N m between angular and linear ones, N between linear ones. Default 0. */
  coupling?: ModelProfile6x6;
  /** Radius for contact, water and pictures, m. Without it the rod displaces no fluid and touches nothing. */
  radius?: (number | [number, number] | ModelProfileSpline);
};

/** Linear viscoelastic, isotropic. Exactly one of poisson and shear. */
export type ModelMaterial = {
  /** Young's modulus, Pa. */
  young: number;
  /** Poisson's ratio (dimensionless). */
  poisson?: number;
  /** Shear modulus, Pa. */
  shear?: number;
  /** Density, kg/m^3. */
  density: number;
  /** Viscosity of shear, Pa s (Kelvin-Voigt): torsion and shear are damped by it, bending and elongation by 3 times as much. Default 0. */
  viscosity?: number;
};

/** Reference strain xi* [kx, ky, kz, sx, sy, sz]: curvatures in 1/m, then linear strains (dimensionless). Default [0, 0, 0, 1, 0, 0]. */
export type ModelReferenceStrain = ([number, number, number, number, number, number] | {
  /** Knots X/L (dimensionless): rising strictly from 0 to 1. */
  s: Array<number>;
  /** Six numbers at each knot: 1/m, then dimensionless. */
  value: Array<[number, number, number, number, number, number]>;
});

/** Strain field xi(X) = Phi(X/L) q + xi*; angular rows of Phi are divided by L. */
export type ModelStrain = ({
  /** Family of basis functions of s = X/L (dimensionless). */
  basis: "legendre" | "monomial" | "chebyshev" | "fourier" | "gaussian" | "inverse_multiquadric";
  /** Active strain components; one left out is locked at its reference. Order n has n + 1 coordinates (fourier 2 n + 1): 3 has four, which are called `COMPONENT[0]` to `COMPONENT[3]`. Order 1 holds small deflections under a tip load, 3 or 4 large ones (10 EI/L^2), soft rods under their weight need 6 to 10; runs and statics warn (coarse_basis) where it is too low, and say which would do. */
  order: {
    /** Highest order of torsion (about the tangent x; dimensionless). */
    torsion?: number;
    /** Highest order of bending_y (about y; dimensionless). */
    bending_y?: number;
    /** Highest order of bending_z (about z; dimensionless). */
    bending_z?: number;
    /** Highest order of elongation (along the tangent x; dimensionless). */
    elongation?: number;
    /** Highest order of shear_y (along y; dimensionless). */
    shear_y?: number;
    /** Highest order of shear_z (along z; dimensionless). */
    shear_z?: number;
  };
  reference?: ModelReferenceStrain;
} | {
  /** Family of basis functions of s = X/L (dimensionless). */
  basis: "linear" | "quadratic" | "cubic" | "hermite";
  /** Active strain components; one left out is locked at its reference. Of n elements linear has n + 1 coordinates, quadratic 2 n + 1, cubic 3 n + 1, hermite 2 n + 2. */
  order: {
    /** Number of elements of torsion (about the tangent x; dimensionless). */
    torsion?: number;
    /** Number of elements of bending_y (about y; dimensionless). */
    bending_y?: number;
    /** Number of elements of bending_z (about z; dimensionless). */
    bending_z?: number;
    /** Number of elements of elongation (along the tangent x; dimensionless). */
    elongation?: number;
    /** Number of elements of shear_y (along y; dimensionless). */
    shear_y?: number;
    /** Number of elements of shear_z (along z; dimensionless). */
    shear_z?: number;
  };
  reference?: ModelReferenceStrain;
} | {
  basis: "table";
  /** Knots X/L (dimensionless): rising strictly from 0 to 1. */
  s: Array<number>;
  /** torsion (about the tangent x): one list per coordinate, its function at the knots (dimensionless). */
  torsion?: Array<Array<number>>;
  /** bending_y (about y): one list per coordinate, its function at the knots (dimensionless). */
  bending_y?: Array<Array<number>>;
  /** bending_z (about z): one list per coordinate, its function at the knots (dimensionless). */
  bending_z?: Array<Array<number>>;
  /** elongation (along the tangent x): one list per coordinate, its function at the knots (dimensionless). */
  elongation?: Array<Array<number>>;
  /** shear_y (along y): one list per coordinate, its function at the knots (dimensionless). */
  shear_y?: Array<Array<number>>;
  /** shear_z (along z): one list per coordinate, its function at the knots (dimensionless). */
  shear_z?: Array<Array<number>>;
  reference?: ModelReferenceStrain;
});

/** Inertia about the centre of mass in link axes, kg m^2: 3x3 or its diagonal. */
export type ModelInertia = ([number, number, number] | [[number, number, number], [number, number, number], [number, number, number]]);

/** A homogeneous solid centred at com. */
export type ModelShape = ({
  type: "box";
  /** Edges [x, y, z], m. */
  size: [number, number, number];
} | {
  type: "cylinder";
  /** Radius, m. */
  radius: number;
  /** Length along the axis, m. */
  length: number;
  /** Axis of the cylinder (dimensionless). Default z. */
  axis?: ModelAxis;
} | {
  type: "sphere";
  /** Radius, m. */
  radius: number;
} | {
  type: "prism";
  /** Vertices [x, y] in order, m; edges do not cross. */
  polygon: Array<[number, number]>;
  /** Height along the axis, m. */
  height: number;
  /** Direction of extrusion (dimensionless). Default z. */
  axis?: ModelAxis;
});

/** 6x6 at the centre of mass in link axes, 6-vectors angular first; 6 numbers are its diagonal. N s^2 and kg with powers of m. */
export type ModelWaterMatrix = ([number, number, number, number, number, number] | [[number, number, number, number, number, number], [number, number, number, number, number, number], [number, number, number, number, number, number], [number, number, number, number, number, number], [number, number, number, number, number, number], [number, number, number, number, number, number]]);

/** What a rigid body touches with where a contact names its link: the hull of balls. Without it a body of shape sphere, box or cylinder touches as it is, all others cannot. Between bodies (contacts of type pair), and before spheres, boxes and cylinder_exterior, sharp edges of boxes and cylinders are rounded, within their measures, by 0.1 of half of what the body measures where it is thinnest. */
export type ModelCollision = ({
  shape: "sphere";
  /** Radius, m. */
  radius: number;
  /** Of its middle in the link's frame: m and rad. */
  pose?: ModelPose;
} | {
  shape: "capsule";
  /** Radius, m. */
  radius: number;
  /** Length of the line, from middle to middle of its round ends, m. */
  length: number;
  /** Direction of the line, whose middle is the origin of pose (dimensionless). Default z. */
  axis?: ModelAxis;
  /** Of its middle in the link's frame: m and rad. */
  pose?: ModelPose;
} | {
  shape: "cylinder";
  /** Radius, m. */
  radius: number;
  /** From end to end, m. */
  length: number;
  /** Direction of its axis, whose middle is the origin of pose (dimensionless). Default z. */
  axis?: ModelAxis;
  /** Radius of its two rims, within its measures, m, at most half of its length and its radius. Default 0. */
  rounding?: number;
  /** Of its middle in the link's frame: m and rad. */
  pose?: ModelPose;
} | {
  shape: "box";
  /** Edges x, y, z, their rounding included, m. */
  size: [number, number, number];
  /** Radius of edges and corners, m, at most half of the shortest edge. Default 0. */
  rounding?: number;
  /** Of its middle in the link's frame: m and rad. */
  pose?: ModelPose;
} | {
  shape: "mesh";
  /** Points, m. */
  points: Array<[number, number, number]>;
  /** What lies around the hull, m. Default 0. */
  rounding?: number;
  /** Of the points' origin in the link's frame: m and rad. */
  pose?: ModelPose;
});

/** Magnetic moment [x, y, z] of a rigid body at its centre of mass, in the link's axes, A m^2. Actuators of type field turn and pull it. Default [0, 0, 0]. */
export type ModelMagneticMoment = [number, number, number];

/** Magnetisation [x, y, z] of a rod's material in the axes of its sections (x along the tangent), A/m, carried along as it bends: a moment per length of magnetisation times the area of the section. Actuators of type field turn and pull it. Default [0, 0, 0]. */
export type ModelMagnetisation = [number, number, number];

/** What a fluid does to a rigid body. Drag, resistance and added mass are taken as given, fluid or not. */
export type ModelRigidHydrodynamics = {
  /** Wrench = -drag |v| (w, v), |v| the linear speed of the centre of mass; N s^2/m^2 for forces by linear speed. Drag drives no motion: the symmetric part is positive semidefinite. Default 0. */
  drag?: ModelWaterMatrix;
  /** Viscous resistance: wrench = -linear (w, v) at the centre of mass, link axes; N m s, N s, N s/m (a sphere in Stokes flow: diag(8 pi mu r^3 three times, 6 pi mu r three times)). Its symmetric part must be positive semidefinite. Default 0. */
  linear?: ModelWaterMatrix;
  /** Symmetric, positive semidefinite: kg, kg m, kg m^2; carries no weight. Default 0. */
  added_mass?: ModelWaterMatrix;
  /** Density of the body for buoyancy, kg/m^3. Absent: that of its shape; a body given by mass and inertia then has no buoyancy, and a warning says so. */
  body_density?: number;
};

/** What the fluid does to a rod, per length, v the velocity relative to it: wrench -D |v| (w, v) with D = rho_w r [[pi/2 cd_x, -cl_z, cl_y], [cl_z, cd_y, -cl_x], [-cl_y, cl_x, cd_z]] on the linear part (r the section's radius, m; of a rectangle sqrt(height width)/2, of an ellipse sqrt(semi_y semi_z): the classical coefficient C of a plate or ellipse by its frontal width b is cd = C b / (2 r)), added mass rho_w A diag(0, added_y, added_z). */
export type ModelRodHydrodynamics = {
  /** Drag coefficient along the tangent (dimensionless). Default 0. */
  cd_x?: number;
  /** Drag coefficient along y (dimensionless). Default 0. */
  cd_y?: number;
  /** Drag coefficient along z (dimensionless). Default 0. */
  cd_z?: number;
  /** Lift coefficient about x (dimensionless). Default 0. */
  cl_x?: number;
  /** Lift coefficient about y (dimensionless). Default 0. */
  cl_y?: number;
  /** Lift coefficient about z (dimensionless). Default 0. */
  cl_z?: number;
  /** Added mass along y by displaced mass (dimensionless). Default 0. */
  added_y?: number;
  /** Added mass along z by displaced mass (dimensionless). Default 0. */
  added_z?: number;
  /** Viscous resistance per length: force -tangential along the tangent and -normal across it, times the velocity; taken as given, whatever the fluid. */
  linear?: {
    /** Along the tangent, N s/m^2. */
    tangential: number;
    /** Across it, N s/m^2. */
    normal: number;
  };
  /** true: `linear` by Lighthill's resistive-force theory from the fluid's viscosity mu: normal 4 pi mu / (ln(2 q/r) + 0.5), tangential 2 pi mu / ln(2 q/r), q = 0.09 L, r the mean radius; for rods of 10 radii and more. Excludes `linear`. Default false. */
  resistive_force?: boolean;
};

/** Integration along the rod. */
export type ModelRodQuadrature = {
  /** Gauss points on [0, L], per element for element bases (dimensionless). Default max(5, highest order + 3); fourier max(5, 4 order); gaussian and inverse_multiquadric max(5, order + 4, 2 order); table max(5, columns + 2); elements: linear 3, quadratic 4, cubic and hermite 5; more where `reference` bends, as many as put the rod and its mass at rest where that puts them (to 3e-5 of its length). Helices of tendons want 4 points a turn and 2 more; tables (sections, flow, routings) two or three in their narrowest stretch. Runs and statics warn (coarse_quadrature) where these are too few, for strains, for shapes or for what joints feel of the rod, and say how many would do. */
  points: number;
};

/** Integration over a body with a backbone; part of the model, so that results reproduce. */
export type ModelReducedQuadrature = {
  /** Gauss points on [0, L] (dimensionless). Default 10; polynomial_curvature max(10, order + 3); gaussian_curvature max(10, 2.2 L/width + 2), 64 at most; lvp max(6, highest power + 3); pcc_variable_radius 14. */
  s?: number;
  /** Points along the radius of sections that deform (pcc_variable_radius: Gauss in r, default 2, which is exact; lvp: Gauss in r^2 from inner_radius a to the outer radius b, default 2, with a source 6/ln((b + a)/(b - a)), 32 at most: thick walls need many); without effect otherwise (dimensionless). */
  r?: number;
  /** Points around sections that deform (pcc_variable_radius: Gauss in the angle over the whole turn, by default 10 on each half of it, which is as good as 60 here; lvp: (i + 1/2) 2 pi/n, default 8); without effect otherwise (dimensionless). */
  angle?: number;
};

/** Integration over a box: Gauss points along each edge; part of the model, so that results reproduce. */
export type ModelBoxQuadrature = {
  /** Gauss points along x (dimensionless). Default max(3, highest power of x in the modes + 1). */
  x?: number;
  /** Gauss points along y (dimensionless). Default max(3, highest power of y in the modes + 1). */
  y?: number;
  /** Gauss points along z (dimensionless). Default max(6, highest power of z in the modes + 1). */
  z?: number;
};

/** Integration over a mesh: Gauss points along each direction of an element, their cube in each (at most 131072 in all); part of the model, so that results reproduce. Exact for polynomials of degree 2 points - 1 over a tetrahedron and over a hexahedron whose faces are parallelograms. */
export type ModelMeshQuadrature = {
  /** Gauss points along a direction (dimensionless). Default: as many, from 2 on, as the modes need in these elements, so that one more changes no mass and no stiffness of them at rest by 3e-4 (modes of degree d in a single element: d + 1). */
  points?: number;
};

/** A solid as elements (at least one) without gaps, in the link's frame at rest. Faces of one element alone are its surface; each closed surface within, by the least index of its points, is a chamber. A quadrangle does not match the triangles of tetrahedra: such faces count as surface. Elements that overlap weigh twice. */
export type ModelMesh = {
  /** Corners of the elements, m. */
  points: Array<[number, number, number]>;
  /** [a, b, c, d]: indices of points from 0 on (dimensionless); a, b, c turn right-handed about the way to d. */
  tetrahedra?: Array<[number, number, number, number]>;
  /** Indices of points from 0 on (dimensionless): four around the bottom, right-handed about the way up, then the four above them in the same order (as in VTK). Trilinear between its corners. */
  hexahedra?: Array<Array<number>>;
};

/** Reduced body of constant curvature; its local z is the axis; strains (kx, ky, kz, sx, sy, 1 + e). pcc_planar: ky = -q1/L. pcc_planar_extensible: also e = q2/L. pcc: kx = -q2/L, ky = q1/L, e = q3/L. */
export type ModelReducedCurvature = {
  type: "reduced";
  /** How coordinates move the body (q1, q2 in rad, elongations in m). */
  kinematics: "pcc_planar" | "pcc_planar_extensible" | "pcc";
  /** Length L along the axis, m. */
  length: number;
  /** Density, kg/m^3. */
  density: number;
  /** Young's modulus E, Pa. */
  young: number;
  /** Poisson's ratio (dimensionless). */
  poisson: number;
  /** Kelvin-Voigt damping time eta, s. Default 0. */
  damping_time?: number;
  /** Outer radius R: a number or [base, tip] (linear in s), m. */
  radius: (number | [number, number]);
  /** false (default): mass on the axis. true: four particles at (+-R/sqrt 2, 0), (0, +-R/sqrt 2) per node, which have the section's inertia. */
  section_inertia?: boolean;
  quadrature?: ModelReducedQuadrature;
};

/** Reduced body of polynomial curvature; its local z is the axis; strains (kx, ky, kz, sx, sy, 1 + e). kx = -(q1 + q2 s + ...)/L, ky = (... same number of terms)/L, e = (last q)/L, s in m; planar: ky = -(q1 + q2 s + ...)/L and e. */
export type ModelReducedPolynomial = {
  type: "reduced";
  kinematics: "polynomial_curvature";
  /** Length L along the axis, m. */
  length: number;
  /** Density, kg/m^3. */
  density: number;
  /** Young's modulus E, Pa. */
  young: number;
  /** Poisson's ratio (dimensionless). */
  poisson: number;
  /** Kelvin-Voigt damping time eta, s. Default 0. */
  damping_time?: number;
  /** Outer radius R: a number or [base, tip] (linear in s), m. */
  radius: (number | [number, number]);
  /** Highest power of s in a curvature (dimensionless); less than the Gauss points on the axis. */
  order: number;
  /** Bends about y alone. Default false. */
  planar?: boolean;
  /** false (default): mass on the axis. true: four particles at (+-R/sqrt 2, 0), (0, +-R/sqrt 2) per node, which have the section's inertia. */
  section_inertia?: boolean;
  quadrature?: ModelReducedQuadrature;
};

/** Reduced body of Gaussian curvature; its local z is the axis; strains (kx, ky, kz, sx, sy, 1 + e). kx = -(q1 + q2 G)/L, ky = (q3 + q4 G)/L, e = q5/L, G = exp(-((s - L/2)/width)^2). */
export type ModelReducedGaussian = {
  type: "reduced";
  kinematics: "gaussian_curvature";
  /** Length L along the axis, m. */
  length: number;
  /** Density, kg/m^3. */
  density: number;
  /** Young's modulus E, Pa. */
  young: number;
  /** Poisson's ratio (dimensionless). */
  poisson: number;
  /** Kelvin-Voigt damping time eta, s. Default 0. */
  damping_time?: number;
  /** Outer radius R: a number or [base, tip] (linear in s), m. */
  radius: (number | [number, number]);
  /** Width of the Gaussian, m. Default: the length. */
  width?: number;
  /** false (default): mass on the axis. true: four particles at (+-R/sqrt 2, 0), (0, +-R/sqrt 2) per node, which have the section's inertia. */
  section_inertia?: boolean;
  quadrature?: ModelReducedQuadrature;
};

/** Reduced body that bends in a plane, stretches, and swells over two chambers; its local z is the axis; strains (kx, ky, kz, sx, sy, 1 + e). kx = q1/L, e = q2/L, change of radius dR = (q3 or q4, m) times a bump on its half of the circumference. Chamber k: angles [k pi, (k + 1) pi]. */
export type ModelReducedVariableRadius = {
  type: "reduced";
  kinematics: "pcc_variable_radius";
  /** Length L along the axis, m. */
  length: number;
  /** Density, kg/m^3. */
  density: number;
  /** Young's modulus E, Pa. */
  young: number;
  /** Poisson's ratio (dimensionless). */
  poisson: number;
  /** Kelvin-Voigt damping time eta, s. Default 0. */
  damping_time?: number;
  /** Radius R of the body at rest, m. */
  radius: number;
  /** Where a particle at radius r goes (m): shift (default) r + dR, scale r (1 + dR/R). */
  radius_law?: "shift" | "scale";
  /** Thickness of the wall around the chambers, m; less than the radius. Default 0. */
  wall?: number;
  quadrature?: ModelReducedQuadrature;
};

/** Reduced body that deforms by a composition of locally volume-preserving primitives (source, stretch, shear-twist-bending); its local z is the axis; strains (kx, ky, kz, sx, sy, 1 + e). Incompressible neo-Hookean. */
export type ModelReducedLvp = {
  type: "reduced";
  kinematics: "lvp";
  /** Length L along the axis, m. */
  length: number;
  /** Density, kg/m^3. */
  density: number;
  /** Young's modulus E, Pa. */
  young: number;
  /** Poisson's ratio (dimensionless). Only gives the shear modulus mu = E/(2 (1 + nu)): the body keeps its volume whatever it is. It stretches with 3 mu A (E A at 0.5, 1.15 E A at 0.3), twists with mu times the polar moment and bends with 29/9 mu I (1.07 E I at 0.5, 1.24 E I at 0.3). For a measured E give 0.5; for a measured bending stiffness E I give young = 0.931 E with 0.5. */
  poisson: number;
  /** Kelvin-Voigt damping time eta, s. Default 0. */
  damping_time?: number;
  /** Outer radius R: a number or [base, tip] (linear in s), m. */
  radius: (number | [number, number]);
  /** Radius of the cavity, m; less than the outer radius. With one the body is hollow and has chamber 0; a source needs it. Default 0. */
  inner_radius?: number;
  /** One per coordinate q, dimensionless where the polynomial is. */
  modes: Array<{
    /** Curvatures kx, ky and twist kz (1/m), shears sx, sy and elongation e (dimensionless), source m(s) (m^2): r -> sqrt(r^2 + m). */
    field: "kx" | "ky" | "kz" | "sx" | "sy" | "e" | "source";
    /** Coefficients [c0, c1, ...] of 1, s/L, (s/L)^2 ... (dimensionless; source: m^2). */
    polynomial: Array<number>;
  }>;
  quadrature?: ModelReducedQuadrature;
};

/** Reduced body by volumetric Ritz modes: a box, x = X + sum of q_i phi_i(X). Compressible neo-Hookean. */
export type ModelReducedRitz = {
  type: "reduced";
  kinematics: "ritz";
  /** Length L along the axis, m. */
  length: number;
  /** Density, kg/m^3. */
  density: number;
  /** Young's modulus E, Pa. */
  young: number;
  /** Poisson's ratio (dimensionless). */
  poisson: number;
  /** Kelvin-Voigt damping time eta, s. Default 0. */
  damping_time?: number;
  /** Edges [x, y, z] of the box, m; centred on the axis in x and y, from 0 in z. */
  size: [number, number, number];
  /** One per coordinate: displacement [phi_x, phi_y, phi_z] per unit of q, m. */
  modes: Array<[Array<[number, number, number, number]>, Array<[number, number, number, number]>, Array<[number, number, number, number]>]>;
  /** Three material points that carry the distal frame, m: its origin, a point along its x axis, a point that completes the plane of x and y. */
  tip_points: [[number, number, number], [number, number, number], [number, number, number]];
  quadrature?: ModelBoxQuadrature;
};

/** Reduced body by volumetric Ritz modes: a solid given as a mesh, x = X + sum of q_i phi_i(X). Compressible neo-Hookean. */
export type ModelReducedRitzMesh = {
  type: "reduced";
  kinematics: "ritz";
  /** Length L along the axis, m. */
  length: number;
  /** Density, kg/m^3. */
  density: number;
  /** Young's modulus E, Pa. */
  young: number;
  /** Poisson's ratio (dimensionless). */
  poisson: number;
  /** Kelvin-Voigt damping time eta, s. Default 0. */
  damping_time?: number;
  mesh: ModelMesh;
  /** One per coordinate: displacement [phi_x, phi_y, phi_z] per unit of q, m. */
  modes: Array<[Array<[number, number, number, number]>, Array<[number, number, number, number]>, Array<[number, number, number, number]>]>;
  /** Three material points that carry the distal frame, m: its origin, a point along its x axis, a point that completes the plane of x and y. */
  tip_points: [[number, number, number], [number, number, number], [number, number, number]];
  quadrature?: ModelMeshQuadrature;
};

/** Mass that moves with the link. Absent: a frame without mass. */
export type ModelBody = ({
  type: "rigid";
  /** Mass, kg. */
  mass: number;
  /** Centre of mass in the link frame, m. Default [0, 0, 0]. */
  com?: [number, number, number];
  inertia: ModelInertia;
  hydrodynamics?: ModelRigidHydrodynamics;
  collision?: ModelCollision;
  magnetisation?: ModelMagneticMoment;
} | {
  type: "rigid";
  shape: ModelShape;
  /** Density, kg/m^3. */
  density: number;
  /** Centre of the shape in the link frame, m. Default [0, 0, 0]. */
  com?: [number, number, number];
  hydrodynamics?: ModelRigidHydrodynamics;
  collision?: ModelCollision;
  magnetisation?: ModelMagneticMoment;
} | {
  type: "rod";
  /** Length L, m. */
  length: number;
  section: ModelSection;
  material: ModelMaterial;
  strain: ModelStrain;
  quadrature?: ModelRodQuadrature;
  hydrodynamics?: ModelRodHydrodynamics;
  magnetisation?: ModelMagnetisation;
} | {
  type: "rod";
  /** Length L, m. */
  length: number;
  section: ModelStiffnessSection;
  strain: ModelStrain;
  quadrature?: ModelRodQuadrature;
  hydrodynamics?: ModelRodHydrodynamics;
  magnetisation?: ModelMagnetisation;
} | ModelReducedCurvature | ModelReducedPolynomial | ModelReducedGaussian | ModelReducedVariableRadius | ModelReducedLvp | ModelReducedRitz | ModelReducedRitzMesh);

/** A joint, then a body. */
export type ModelLink = {
  /** Unique among the links; not "world". */
  name: ModelName;
  /** "world" (default) or the name of a link before this one. */
  parent?: ModelName;
  /** Material abscissa X/L on a rod parent (dimensionless). Default 1, the tip. */
  at?: number;
  /** Fixed transform from the parent's frame to the joint's frame: m and rad. */
  pose?: ModelPose;
  joint: ModelJoint;
  body?: ModelBody;
  /** What is drawn of the link instead of its body's shape or inertia, in pictures, replays and the dashboard, each at its pose in the link's frame. Nothing of it reaches the dynamics. Meshes of all links have at most 30000 points and 90000 triangles together. Default: none. */
  view?: Array<ModelDrawn>;
};

/** [red, green, blue] or [red, green, blue, opacity], each from 0 to 1 (dimensionless; sRGB). Default: grey. */
export type ModelColour = Array<number>;

/** A shape that is drawn. */
export type ModelDrawn = ({
  type: "box";
  /** Edges along x, y, z, m. */
  size: [number, number, number];
  /** Its frame in that of the link: m and rad. */
  pose?: ModelPose;
  colour?: ModelColour;
} | {
  type: "cylinder";
  /** Radius, m. */
  radius: number;
  /** Length along the axis, m. */
  length: number;
  /** Direction of the length (dimensionless). Default z. */
  axis?: ModelAxis;
  /** Its frame in that of the link: m and rad. */
  pose?: ModelPose;
  colour?: ModelColour;
} | {
  type: "sphere";
  /** Radius, m. */
  radius: number;
  /** Its frame in that of the link: m and rad. */
  pose?: ModelPose;
  colour?: ModelColour;
} | {
  type: "capsule";
  /** Radius, m. */
  radius: number;
  /** Length of the cylinder without the half balls, m. */
  length: number;
  /** Direction of the length (dimensionless). Default z. */
  axis?: ModelAxis;
  /** Its frame in that of the link: m and rad. */
  pose?: ModelPose;
  colour?: ModelColour;
} | {
  type: "mesh";
  /** Corners of the triangles, m. */
  points: Array<[number, number, number]>;
  /** [a, b, c]: indices of points from 0 on (dimensionless), turning left as seen from outside. */
  triangles: Array<[number, number, number]>;
  /** Its frame in that of the link: m and rad. */
  pose?: ModelPose;
  colour?: ModelColour;
});

/** Path of a tendon in a rod's section: y and z (m) over s = X/L. */
export type ModelRouting = ({
  type: "linear";
  /** [y, z] at the base, m. */
  base: [number, number];
  /** [y, z] at the tip, m. Default: as at the base. */
  tip?: [number, number];
} | {
  type: "helix";
  /** Radius r, m. */
  radius: number;
  /** Turns over the rod's length (dimensionless). */
  turns: number;
  /** Angle at the base, rad. Default 0. */
  phase?: number;
} | {
  type: "table";
  /** Knots X/L (dimensionless): rising strictly from 0 to 1. */
  s: Array<number>;
  /** y at the knots, m. */
  y: Array<number>;
  /** z at the knots, m. */
  z: Array<number>;
} | {
  type: "sum";
  /** The terms, m. */
  of: Array<ModelRouting>;
});

/** A tendon's way through one link: a routing on a rod, points on a rigid link, material points on a reduced body (a routing too where its sections stay rigid). */
export type ModelSegment = ({
  link: ModelName;
  routing: ModelRouting;
} | {
  link: ModelName;
  /** Points in order, m: [x, y, z] in the frame of a rigid link; material points [x, y, s] of a reduced body, x, y in the undeformed section, s in [0, length] along the axis. */
  points: Array<[number, number, number]>;
});

/** tension (default): u is the tension at the end that is pulled, N. length: u is the length pulled in there, m (negative: let out); with s = length - rest + u and s+ = (s + sqrt(s^2 + slack_width^2)) / 2 the tension is stiffness s+ + damping d(length)/dt ds+/ds, not below 0. It stores stiffness (s+^2 / 2 + slack_width^2 / 4 ln(2 s+ / slack_width)), the integral of its elastic part, as elastic energy; the work of the pull counts as actuation. */
export type ModelTendonMode = "tension" | "length";

/** Mode length, required there: of the whole tendon, N/m. */
export type ModelTendonStiffness = number;

/** Mode length: length at which the tendon becomes taut when nothing is pulled in, m. Default its length at q = 0. */
export type ModelTendonRest = number;

/** Mode length: resistance to a change of the tendon's length along its path, N s/m. Default 0. */
export type ModelTendonDamping = number;

/** Mode length: stretch over which the tendon goes from slack to taut, m. At s = 0 it leaves a tension of stiffness slack_width / 2, which at the default pulls a robot that should be at rest: 12.5 N at 2.5e5 N/m. Where that moves the robot, the model has the warning slack_tension; give a smaller one, such as 2e-3 N / stiffness. Default 1e-4. */
export type ModelTendonSlackWidth = number;

/** Coefficient of friction mu along the path (dimensionless): from the pulled end on the tension falls by exp(-mu theta) where the tendon is drawn towards that end and rises by exp(mu theta) where it is paid out, theta the angle that the path has turned by (rad). Needs motion: none in statics. Its losses count as damping. Default 0. */
export type ModelTendonFriction = number;

/** Friction acts by tanh(speed / slip_speed), speed that of the tendon along its path, m/s. Below slip_speed it fades in proportion to the speed, and at rest there is none: a tendon that is held creeps until nothing rubs, so that shapes at rest and equilibria are those without friction. Take a hundredth of the speeds of interest; smaller ones make the equations stiffer. A run that is below it for most of its time, and statics, have the warning friction_faded. Default 1e-3. */
export type ModelTendonSlipSpeed = number;

/** Spring and damper along the line between two points: force stiffness (distance - rest - u) + damping d(distance)/dt, N. Part of tau; stores stiffness (distance - rest - u)^2 / 2. */
export type ModelSpring = {
  name?: ModelName;
  /** One end: the origin of `pose` (m). */
  a: ModelLoopEnd;
  /** The other end: the origin of `pose` (m). */
  b: ModelLoopEnd;
  /** N/m. Default 0. */
  stiffness?: number;
  /** N s/m. Default 0. */
  damping?: number;
  /** Distance without force, m. Default the distance at q = 0. */
  rest?: number;
  /** Input channel whose u, m, is added to rest; after the channels of loads. */
  channel?: ModelName;
};

/** Input channels, in this order; after them the channels of loads, then those of springs. Where one alone drives a coordinate of a joint, jobs may call it by the name of that, LINK.joint[0], too. */
export type ModelActuator = ({
  /** Unique among the input channels. */
  name: ModelName;
  type: "tendon";
  link: ModelName;
  routing: ModelRouting;
  /** Consecutive segments are joined by a straight stretch that counts in the length. Default true. */
  joined?: boolean;
  mode?: ModelTendonMode;
  stiffness?: ModelTendonStiffness;
  rest?: ModelTendonRest;
  damping?: ModelTendonDamping;
  slack_width?: ModelTendonSlackWidth;
  friction?: ModelTendonFriction;
  slip_speed?: ModelTendonSlipSpeed;
} | {
  /** Unique among the input channels. */
  name: ModelName;
  type: "tendon";
  link: ModelName;
  /** Points in order, m: [x, y, z] in the frame of a rigid link; material points [x, y, s] of a reduced body, x, y in the undeformed section, s in [0, length] along the axis. */
  points: Array<[number, number, number]>;
  /** Consecutive segments are joined by a straight stretch that counts in the length. Default true. */
  joined?: boolean;
  mode?: ModelTendonMode;
  stiffness?: ModelTendonStiffness;
  rest?: ModelTendonRest;
  damping?: ModelTendonDamping;
  slack_width?: ModelTendonSlackWidth;
  friction?: ModelTendonFriction;
  slip_speed?: ModelTendonSlipSpeed;
} | {
  /** Unique among the input channels. */
  name: ModelName;
  type: "tendon";
  /** In order from the end that is pulled. A point fixed in the world is one of a rigid link that a fixed joint welds to the world. */
  segments: Array<ModelSegment>;
  /** Consecutive segments are joined by a straight stretch that counts in the length. Default true. */
  joined?: boolean;
  mode?: ModelTendonMode;
  stiffness?: ModelTendonStiffness;
  rest?: ModelTendonRest;
  damping?: ModelTendonDamping;
  slack_width?: ModelTendonSlackWidth;
  friction?: ModelTendonFriction;
  slip_speed?: ModelTendonSlipSpeed;
} | {
  /** Unique among the input channels. */
  name: ModelName;
  type: "joint";
  link: ModelName;
  /** force (default): u is the generalized force of each coordinate, N m or N. position: u(t) prescribes the coordinates, rad or m; the force is an unknown that results report. */
  mode?: "force" | "position";
} | {
  /** Unique among the input channels. */
  name: ModelName;
  type: "pressure";
  link: ModelName;
  /** Which chamber, counted from 0 (dimensionless). Default 0. */
  chamber?: number;
} | {
  /** Unique among the input channels, with [x] … behind it. */
  name: ModelName;
  type: "field";
  /** Five more channels name[xx], name[xy], name[xz], name[yy], name[yz], T/m: G, symmetric and without trace (zz is -xx - yy). Default false. */
  gradient?: boolean;
});

/** Wrench on a point of a link, or per metre along a rod; constant, or driven by channels. */
export type ModelLoad = {
  name?: ModelName;
  link: ModelName;
  /** Material abscissa X/L on a rod (dimensionless). Default 1. */
  at?: number;
  /** From the link's frame there to the point of attack: m and rad. */
  pose?: ModelPose;
  /** Axes of the wrench: the world's (default; moment about the point) or the body's. */
  frame?: "world" | "body";
  /** [mx, my, mz, fx, fy, fz], N m then N; with `per_length` N m/m = N, then N/m. */
  wrench?: [number, number, number, number, number, number];
  /** Names of the input channels of the six components (N m, then N), null for none; `wrench` is then ignored. */
  channels?: [(ModelName | null), (ModelName | null), (ModelName | null), (ModelName | null), (ModelName | null), (ModelName | null)];
  /** true: the wrench acts per metre of the rod `link` from `from` to `to` (per metre of its unstretched length), at the sections' centres moved by `pose`; frame body makes it a follower. Integrated with the rod's Gauss points; where a stretch ends inside an element, with Gauss points of its own on what is left of that element. Default false: it acts at one point. */
  per_length?: boolean;
  /** With `per_length`: X/L where the load begins (dimensionless). Default 0. */
  from?: number;
  /** With `per_length`: X/L where it ends, more than `from` (dimensionless). Default 1. */
  to?: number;
};

/** c, s/m: the normal force is k depth^exponent (1 + c d(depth)/dt), and 0 where that would pull; the last tenth of k depth^exponent goes to 0 smoothly (Hunt and Crossley). Its losses are the energy balance's contact_losses. Default 0. */
export type ModelContactDamping = number;

/** Coefficient of friction mu (dimensionless): what slides at the velocity v along the surface is held back by mu f_n v / sqrt(v^2 + slip_speed^2), N, at the point midway between the two surfaces, so that rods also roll. It is smooth and 0 at rest: what should hold on a slope creeps down it, more slowly than slip_speed where the slope is below mu / sqrt 2. Equilibria with friction are refused but with `stick`, with which nothing creeps. Its losses are the energy balance's contact_losses. Default 0. */
export type ModelContactFriction = number;

/** Speed of sliding at which 0.7 of friction acts, m/s: below it friction fades in proportion. Smaller ones let less creep and make the equations stiffer: take methods with error control or implicit ones. A run whose contacts creep has the warning friction_faded. Default 1e-3. */
export type ModelContactSlipSpeed = number;

/** Friction that holds at rest: every touch has a spring along the surface that slides where its force would be more than mu f_n, in place of slip_speed. What holds does not creep. Springs are the run's: they go on over steps, samples and checkpoints, and are stretched by nothing where it starts; evaluate, steps and equilibria take them as unstretched. Runs with it have no derivatives. What springs hold is of the energy `contact`, what slides of contact_losses. */
export type ModelContactStick = {
  /** Of the spring of each touch, N/m; with `per` length N/m for every metre of rod. A touch gives way by mu f_n / stiffness before it slides. */
  stiffness: number;
  /** Of a damper beside it, N s/m, within the same limit mu f_n. Without it what holds swings on. Default 0. */
  damping?: number;
};

/** Factors of friction along a rod's tangent and across it, a snake's scales (dimensionless); one of them is positive. On a rod's end that stands on the obstacle the second; on other bodies neither. Between bodies the tangent is that of the link in a where that is a rod, else that of the one in b. Default [1, 1]. */
export type ModelContactAnisotropy = [number, number];

/** Balls against one obstacle: of the section's radius at every computational point of the rods named, and those whose hull the rigid bodies named are. A force k depth^exponent, N, along the obstacle's normal; with `per` length, k depth^exponent for every metre of rod. Or (pair, self) bodies against each other. `damping` and `friction` add what resists motion. */
export type ModelContact = ({
  type: "cylinder_interior";
  name?: ModelName;
  /** Radius, m. */
  radius: number;
  /** Axis of the cylinder, through the origin of pose (dimensionless). Default z. */
  axis?: ModelAxis;
  /** Hertz stiffness k: force k depth^exponent, N/m^exponent; per length of rod N/m^(exponent + 1). At most 1e40^exponent and 1e60. */
  stiffness: number;
  /** What stiffness is of. point (default): every computational point, so that depth depends on their number. length: a metre of rod; a point has half the distance of its neighbours, and depth does not depend on their number. */
  per?: "point" | "length";
  /** Hertz exponent (dimensionless). Default 1.5. */
  exponent?: number;
  damping?: ModelContactDamping;
  friction?: ModelContactFriction;
  slip_speed?: ModelContactSlipSpeed;
  stick?: ModelContactStick;
  anisotropy?: ModelContactAnisotropy;
  /** Of the obstacle in the world: m and rad. */
  pose?: ModelPose;
  /** Names of the links that touch it: rods, rigid bodies by their `collision` (a sphere, cylinder_exterior or box stands before all but balls as a body of its shape would, see pair), reduced bodies whose sections are rigid by balls at their computational points; with `per` length rods alone. Default: every rod, and nothing else. */
  links?: Array<ModelName>;
} | {
  type: "cylinder_exterior";
  name?: ModelName;
  /** Radius, m. */
  radius: number;
  /** Axis of the cylinder, through the origin of pose (dimensionless). Default z. */
  axis?: ModelAxis;
  /** Hertz stiffness k: force k depth^exponent, N/m^exponent; per length of rod N/m^(exponent + 1). At most 1e40^exponent and 1e60. */
  stiffness: number;
  /** What stiffness is of. point (default): every computational point, so that depth depends on their number. length: a metre of rod; a point has half the distance of its neighbours, and depth does not depend on their number. */
  per?: "point" | "length";
  /** Hertz exponent (dimensionless). Default 1.5. */
  exponent?: number;
  damping?: ModelContactDamping;
  friction?: ModelContactFriction;
  slip_speed?: ModelContactSlipSpeed;
  stick?: ModelContactStick;
  anisotropy?: ModelContactAnisotropy;
  /** Of the obstacle in the world: m and rad. */
  pose?: ModelPose;
  /** Names of the links that touch it: rods, rigid bodies by their `collision` (a sphere, cylinder_exterior or box stands before all but balls as a body of its shape would, see pair), reduced bodies whose sections are rigid by balls at their computational points; with `per` length rods alone. Default: every rod, and nothing else. */
  links?: Array<ModelName>;
} | {
  type: "plane";
  name?: ModelName;
  /** Normal of the plane, which goes through the origin of pose (dimensionless). Default z. */
  axis?: ModelAxis;
  /** Hertz stiffness k: force k depth^exponent, N/m^exponent; per length of rod N/m^(exponent + 1). At most 1e40^exponent and 1e60. */
  stiffness: number;
  /** What stiffness is of. point (default): every computational point, so that depth depends on their number. length: a metre of rod; a point has half the distance of its neighbours, and depth does not depend on their number. */
  per?: "point" | "length";
  /** Hertz exponent (dimensionless). Default 1.5. */
  exponent?: number;
  damping?: ModelContactDamping;
  friction?: ModelContactFriction;
  slip_speed?: ModelContactSlipSpeed;
  stick?: ModelContactStick;
  anisotropy?: ModelContactAnisotropy;
  /** Of the obstacle in the world: m and rad. */
  pose?: ModelPose;
  /** Names of the links that touch it: rods, rigid bodies by their `collision` (a sphere, cylinder_exterior or box stands before all but balls as a body of its shape would, see pair), reduced bodies whose sections are rigid by balls at their computational points; with `per` length rods alone. Default: every rod, and nothing else. */
  links?: Array<ModelName>;
} | {
  type: "sphere";
  name?: ModelName;
  /** Radius, m. */
  radius: number;
  /** Hertz stiffness k: force k depth^exponent, N/m^exponent; per length of rod N/m^(exponent + 1). At most 1e40^exponent and 1e60. */
  stiffness: number;
  /** What stiffness is of. point (default): every computational point, so that depth depends on their number. length: a metre of rod; a point has half the distance of its neighbours, and depth does not depend on their number. */
  per?: "point" | "length";
  /** Hertz exponent (dimensionless). Default 1.5. */
  exponent?: number;
  damping?: ModelContactDamping;
  friction?: ModelContactFriction;
  slip_speed?: ModelContactSlipSpeed;
  stick?: ModelContactStick;
  anisotropy?: ModelContactAnisotropy;
  /** Of the obstacle in the world: m and rad. */
  pose?: ModelPose;
  /** Names of the links that touch it: rods, rigid bodies by their `collision` (a sphere, cylinder_exterior or box stands before all but balls as a body of its shape would, see pair), reduced bodies whose sections are rigid by balls at their computational points; with `per` length rods alone. Default: every rod, and nothing else. */
  links?: Array<ModelName>;
} | {
  type: "box";
  name?: ModelName;
  /** Edges along the axes of pose, whose origin is the middle of the box, their rounding included, m. */
  size: [number, number, number];
  /** Radius of edges and corners, m, at most half of the shortest edge. Default 0. */
  rounding?: number;
  /** Hertz stiffness k: force k depth^exponent, N/m^exponent; per length of rod N/m^(exponent + 1). At most 1e40^exponent and 1e60. */
  stiffness: number;
  /** What stiffness is of. point (default): every computational point, so that depth depends on their number. length: a metre of rod; a point has half the distance of its neighbours, and depth does not depend on their number. */
  per?: "point" | "length";
  /** Hertz exponent (dimensionless). Default 1.5. */
  exponent?: number;
  damping?: ModelContactDamping;
  friction?: ModelContactFriction;
  slip_speed?: ModelContactSlipSpeed;
  stick?: ModelContactStick;
  anisotropy?: ModelContactAnisotropy;
  /** Of the obstacle in the world: m and rad. */
  pose?: ModelPose;
  /** Names of the links that touch it: rods, rigid bodies by their `collision` (a sphere, cylinder_exterior or box stands before all but balls as a body of its shape would, see pair), reduced bodies whose sections are rigid by balls at their computational points; with `per` length rods alone. Default: every rod, and nothing else. */
  links?: Array<ModelName>;
} | {
  type: "pair";
  name?: ModelName;
  /** Names of links: rods, rigid bodies, reduced bodies whose sections are rigid. */
  a: Array<ModelName>;
  /** Names of links as in a; none of a. */
  b: Array<ModelName>;
  /** Hertz stiffness k of each touch: force k depth^exponent, N/m^exponent. At most 1e40^exponent and 1e60. */
  stiffness: number;
  /** Hertz exponent (dimensionless). Default 1.5. */
  exponent?: number;
  damping?: ModelContactDamping;
  friction?: ModelContactFriction;
  slip_speed?: ModelContactSlipSpeed;
  stick?: ModelContactStick;
  anisotropy?: ModelContactAnisotropy;
} | {
  type: "self";
  name?: ModelName;
  /** Name of the rod. */
  link: ModelName;
  /** What is closer along the rod does not touch, m. Default (and 0): three times its largest radius. */
  apart?: number;
  /** Hertz stiffness k of each touch: force k depth^exponent, N/m^exponent. At most 1e40^exponent and 1e60. */
  stiffness: number;
  /** Hertz exponent (dimensionless). Default 1.5. */
  exponent?: number;
  damping?: ModelContactDamping;
  friction?: ModelContactFriction;
  slip_speed?: ModelContactSlipSpeed;
  stick?: ModelContactStick;
  anisotropy?: ModelContactAnisotropy;
});

/** What a loop leaves free: a joint without spring and damper. Its axis must be a coordinate axis of frame b. Runs and statics hold it however far it turns; evaluate reports loop_error by the logarithm of the relative pose, which jumps at half a turn. universal: runs and statics use forces along the slope of the loop error, evaluate's loop_jacobian, lambda and fd are the format's A = Phi_perp^T (Ad J_A - J_B), which keeps it closed at its unbent pose only. */
export type ModelLoopJoint = ({
  /** Motion left free. */
  type: "fixed" | "revolute" | "prismatic" | "cylindrical" | "universal" | "planar" | "spherical";
  /** Axis of the joint, principal (dimensionless). Default z. */
  axis?: ModelAxis;
} | {
  type: "helical";
  /** Axis of the joint, principal (dimensionless). Default z. */
  axis?: ModelAxis;
  /** Advance per turn of one radian, m/rad. */
  pitch: number;
});

/** A frame of the loop's joint on a link or the world. */
export type ModelLoopEnd = {
  /** Name of a link, or "world". */
  link: ModelName;
  /** Material abscissa X/L on a rod (dimensionless). Default 1. */
  at?: number;
  /** From the link's frame there to the joint's frame: m and rad. */
  pose?: ModelPose;
};

/** Holds log(g_b^-1 g_a) at 0 (rad, m) but for what the joint leaves free. */
export type ModelLoop = {
  name?: ModelName;
  a: ModelLoopEnd;
  b: ModelLoopEnd;
  joint: ModelLoopJoint;
};

/** One run on one model. SI units, radians. Rules against the model (channel names, tensions that must not be negative, lengths of q, fields) are checked by the server. */
export type JobDocument = ((JobDynamics & Required<Pick<JobDynamics, "model">>) | (JobStatics & Required<Pick<JobStatics, "model">>) | JobLinearize | JobFit | JobGradient | JobDesign | JobSweep);

/** Simulation over time. */
export type JobDynamics = {
  kind: "dynamics";
  /** A stored model by name, or an inline model document. */
  model?: (JobModelName | Record<string, unknown>);
  /** Words to find the job by. */
  labels?: {
    [name: string]: string;
  };
  /** Higher runs first (dimensionless). Default 0. */
  priority?: number;
  /** Bound on the job's wall time, s. */
  max_wall_s?: number;
  /** End of the simulated time, s; it starts at 0. */
  t_end: number;
  /** State at t = 0. Default: zero. */
  initial?: {
    /** Coordinates (rad, m, dimensionless strain modes), "zero" (default) or "equilibrium" for the inputs at t = 0: all at rest, relative to prescribed joints that turn on at their rates, centrifugal forces included (of those that go to and fro, as if they stood; the run says so). */
    q?: ("zero" | "equilibrium" | Array<number>);
    /** Their time derivatives, 1/s. Default 0. */
    qd?: Array<number>;
  };
  /** Signals by channel name, which for a motor may be that of its joint's coordinate, LINK.joint[0]; a channel left out is 0. */
  inputs?: {
    [name: string]: JobSignal;
  };
  sensitivity?: JobSensitivity;
  /** One controller or several; their channels take no inputs. Pointers of errors: /controller/kp, or /controller/1/kp in a list. */
  controller?: (JobController | Array<JobController>);
  integrator?: JobIntegrator;
  /** What becomes of a run whose own accounts contradict the equations of motion: |energy error| or work of loop forces above 1 % of what was exchanged (J), or a loop open by more than 1e-4 (rad, m) at an output time. warn (default): a warning. fail: it fails as inconsistent, and what it computed is kept (?partial=1). */
  on_inconsistency?: "warn" | "fail";
  /** What is kept. */
  output?: {
    /** Interval of samples, s; 0 and t_end are always sampled. Default t_end/100. */
    dt?: number;
    /** q, qd, qdd, u, lambda, loop_error, energy (J, of the kinds that summary.energies names), tendons (lengths, m), tensions (N, at the end that is pulled), contacts ([rows, touches, 3], greatest depth, m, normal force, N, and slip, m/s, of each link before each obstacle and of each two links of a pair, as summary.contacts names them), contact_force ([rows, touches, 3], N, world, on the link, of a pair on the first), contact_place ([rows, places, 10], where bodies touch, up to 64 places: number of the touch or -1, place, m, force, N, and unit normal, world, on the link, of a pair on the first), strain:LINK, poses:LINK ([rows, points, 4, 4] of a rod, [rows, 4, 4] of a rigid or reduced body), poses:LINK@S ([rows, 4, 4]), shape:LINK (deformed surface of a reduced body: circles of 24 points, world, at its computational points, m; of a mesh its points) (SI units). Default q, qd. */
    fields?: Array<string>;
  };
};

/** Equilibria; lists of inputs are zipped, one problem per entry. */
export type JobStatics = {
  kind: "statics";
  /** A stored model by name, or an inline model document. */
  model?: (JobModelName | Record<string, unknown>);
  /** Words to find the job by. */
  labels?: {
    [name: string]: string;
  };
  /** Higher runs first (dimensionless). Default 0. */
  priority?: number;
  /** Bound on the job's wall time, s. */
  max_wall_s?: number;
  /** First guess. Default: zero. */
  initial?: {
    /** Coordinates (rad, m, dimensionless strain modes) or "zero". */
    q?: ("zero" | Array<number>);
  };
  /** Problems without a solution: their rows are NaN. fail (default): the job fails as unconverged when all were tried, and what it found is kept (?partial=1). keep: it succeeds with a warning. */
  unconverged?: "fail" | "keep";
  /** What is kept of an equilibrium beside u, q, lambda, converged, stable, iterations and residual. */
  output?: {
    /** loop_error, energy (J, of the kinds that summary.energies names), tendons (lengths, m), tensions (N, at the end that is pulled), contacts ([rows, touches, 3], greatest depth, m, normal force, N, and slip, m/s, of each link before each obstacle and of each two links of a pair, as summary.contacts names them), contact_force ([rows, touches, 3], N, world, on the link, of a pair on the first), contact_place ([rows, places, 10], where bodies touch, up to 64 places: number of the touch or -1, place, m, force, N, and unit normal, world, on the link, of a pair on the first), strain:LINK, poses:LINK, poses:LINK@S, shape:LINK, as of dynamics (SI units); q, u and lambda may stand here and are kept anyway. NaN in rows without a solution. Default none. */
    fields?: Array<string>;
  };
  sensitivity?: JobSensitivity;
  /** A path of equilibria instead of a list: one channel follows it by arc length, through limit points (snap-through, snap-back) and past branches; the other inputs are constants. It starts at the channel's input (0 without). Rows are points of the path. summary.continuation has: channel; events, [{kind, after, value, multiplicity}], kind limit (the channel turns back) or bifurcation (other paths cross), between points after and after + 1, at this value of the channel, where so many eigenvalues of the stiffness change sign (2 where a round rod buckles; forces without a potential show an odd number only); reached, with `to`: whether the path came there (the warning continuation_short says that it did not). */
  continuation?: {
    /** The channel that follows. */
    channel: string;
    /** Points after the first, at most. Default 100. */
    steps?: number;
    /** How. Default arc_length. */
    follow?: "arc_length";
    /** The path sets out towards this value of the channel (in its unit; a tendon cannot push, its tension stays at 0 or above) and ends where it is reached. Default: it grows, and steps end it. */
    to?: number;
    /** Longest step along the path, where a radian or a strain of the robot counts 1, and so does the way from the first value to `to` (dimensionless). Default 0.1. */
    ds?: number;
  };
  /** Constants or lists by channel name, in the channel's unit (N, N m; rad, m for prescribed joints); a channel left out is 0. */
  inputs?: {
    [name: string]: (number | JobConstant | Array<number>);
  };
};

/** Derivatives of results by numbers: an array "sensitivity:FIELD" for each field, of its shape with np at the end; summary.parameters names the numbers, in order: [{name, path, way, lower, upper}], way affine or differences (of the model, as of evaluate) or formula (of the job), lower and upper what the number can be at all (null: anything). Units: that of the field by that of the number. Of equilibria they say how these move with the numbers, loops closed and prescribed joints at their inputs; along a path the value of its channel is held. Of runs they are those of the very numbers of the result, its steps held: of radau, newmark, hht, generalized_alpha, euler_implicit, rk4 and rk45; bdf and dae are refused. A job that leaves the method open takes the one that it takes without derivatives, but for bdf, in place of which it takes radau; summary.integrator says so. Controllers may act: laws that read the model follow its numbers; a reference that is found by static inversion follows them, too, where it has as many values as channels and the robot has no loops; else only gains and the initial state are numbers to ask for. Of linearize: A, B, q, qd and u, whole derivatives: the state moves as its equilibrium does, or as the run that leads there; one that is given stays. NaN where they do not exist, of which the warning no_derivative tells. */
export type JobSensitivity = {
  /** Places of numbers, below /model or /job; an array stands for all of its numbers, in order. What answers do not depend on smoothly is refused: counts, names, times of inputs (steps of a run end where these jump or bend, and derivatives hold the steps). */
  parameters: Array<JobParameter>;
  /** Fields as of output.fields; of statics q, u and lambda, too. They need not be kept themselves. Default q, of linearize A and B. */
  fields?: Array<string>;
};

/** A [2n, 2n] and B [2n, m] of x' = A x + B u near x = (q, qd), u in the units of its channels. Two eigenvalues -1/baumgarte for each independent row of loops and prescribed joints belong to no motion. */
export type JobLinearize = {
  kind: "linearize";
  /** A stored model by name, or an inline model document. */
  model: (JobModelName | Record<string, unknown>);
  /** Words to find the job by. */
  labels?: {
    [name: string]: string;
  };
  /** Higher runs first (dimensionless). Default 0. */
  priority?: number;
  /** Bound on the job's wall time, s. */
  max_wall_s?: number;
  sensitivity?: JobSensitivity;
  /** The equilibrium for the inputs at t = 0, looked for from q = 0 (initial belongs to runs; of robots whose prescribed joints turn steadily, loops along with them: the one relative to them, with their rates), a state (with the inputs at t = 0), or times of a run, s. */
  at: ("equilibrium" | {
    /** Coordinates (rad, m, dimensionless strain modes). */
    q: Array<number>;
    /** Their time derivatives, 1/s. Default 0. */
    qd?: Array<number>;
  } | {
    /** Rising strictly from 0 or later, s. */
    times: Array<number>;
  });
  /** State at t = 0. Default: zero. */
  initial?: {
    /** Coordinates (rad, m, dimensionless strain modes), "zero" (default) or "equilibrium" for the inputs at t = 0: all at rest, relative to prescribed joints that turn on at their rates, centrifugal forces included (of those that go to and fro, as if they stood; the run says so). */
    q?: ("zero" | "equilibrium" | Array<number>);
    /** Their time derivatives, 1/s. Default 0. */
    qd?: Array<number>;
  };
  /** Signals by channel name, which for a motor may be that of its joint's coordinate, LINK.joint[0]; a channel left out is 0. */
  inputs?: {
    [name: string]: JobSignal;
  };
  integrator?: JobIntegrator;
};

/** Name of a stored model, with @revision if not the newest. */
export type JobModelName = string;

/** Constant. */
export type JobConstant = {
  type: "constant";
  /** Value, N or N m. */
  value: number;
};

/** Input over time, in the unit of its channel: N, N m; rad, m for prescribed joints, which refuse steps and linear tables. */
export type JobSignal = (number | JobConstant | {
  type: "sine";
  /** N or N m. Default 0. */
  offset?: number;
  /** N or N m. */
  amplitude: number;
  /** Hz. */
  frequency: number;
  /** rad. Default 0. */
  phase?: number;
} | {
  type: "steps";
  /** Times, s, rising strictly. */
  t: Array<number>;
  /** Values at the times, in the channel's unit. */
  value: Array<number>;
} | {
  type: "ramp";
  /** Times, s, rising strictly. */
  t: [number, number];
  /** Values at the times, in the channel's unit. */
  value: [number, number];
} | {
  type: "polynomial";
  /** Ascending, N/s^k or N m/s^k. */
  coefficients: Array<number>;
} | {
  type: "table";
  /** Times, s, rising strictly. */
  t: Array<number>;
  /** Values at the times, in the channel's unit. */
  value: Array<number>;
  /** linear (default) or spline (natural, C2). */
  interpolation?: "linear" | "spline";
} | {
  type: "sum";
  /** Signals, in the channel's unit; nested at most 8 deep. */
  of: Array<JobSignal>;
} | {
  type: "product";
  /** Signals, in the channel's unit; nested at most 8 deep. */
  of: Array<JobSignal>;
});

/** Method and tolerances; an option that the method does not have is refused. Default: chosen by loops and by the modes of the robot at the start (see `method`); the summary's integrator says which and why. */
export type JobIntegrator = {
  /** Default: with loops radau (generalized_alpha where h, or an option that only its family has, is given); without, radau, too, but for bdf where there are more than 100 coordinates, unless modes are fast and hardly damped (faster than 200 / t_end, below 0.3 of critical damping), some motion lasts as long as the run because nothing damps it, or a rotation vector that a spring or an actuator acts along may get to a whole turn; the summary's integrator says which and why. bdf: variable order; dae: the same on the equation of motion itself, cheaper per step on stiff robots at tight tolerances; radau: Radau IIA of order 5, for stiff robots with little or no damping; newmark, hht, generalized_alpha: implicit, of fixed step unless adaptive; rk4, euler_implicit: fixed step; rk45: explicit, adaptive. */
  method?: "bdf" | "dae" | "newmark" | "hht" | "generalized_alpha" | "radau" | "rk45" | "rk4" | "euler_implicit";
  /** Relative tolerance of methods that choose their step, 1e-14 to 0.5 (dimensionless). Default 1e-6; where the method is left open, too, and nothing damps a model of rigid bodies, 1e-8. It bounds what each step leaves out. Of the whole run: what is off by more than 0.3 % of the way that it moves, or by more than 10 rtol if that is more, is told (accumulated_error, sensitive_motion), unless it moves by less than 1000 atol; smaller errors, as phases off by 1e-3 with bdf or newmark at the default, are within what was asked for. Equal steps are told of beyond 2 % (coarse_step). */
  rtol?: number;
  /** Absolute tolerance of methods that choose their step, in coordinates (rad, m). Default 1e-9, and 1e-11 where rtol is 1e-8 by default. */
  atol?: number;
  /** Step of methods of fixed step (default 0.002; shortened a little where a twentieth of the run, at whose end a checkpoint stands, or a jump of an input is no multiple of it; halved where a step strides over a contact); first step of the others (0: chosen), s. */
  h?: number;
  /** Largest step of methods that choose their step, s. Default 0: a tenth of the run, less when inputs change faster. Whatever it is, no step is longer than a quarter of the shortest period of the inputs that act then. */
  h_max?: number;
  /** Newmark's gamma, 0.5 to 1 (dimensionless). Default: 0.5 for newmark, by alpha or rho_inf for the others. */
  gamma?: number;
  /** Newmark's beta, 0.001 to 1 (dimensionless). Default: 0.25 for newmark, by alpha or rho_inf for the others. */
  beta?: number;
  /** hht: alpha of Hilber, Hughes and Taylor, -1/3 to 0 (dimensionless). Default -0.05. */
  alpha?: number;
  /** generalized_alpha: spectral radius at infinity, 0 to 1 (dimensionless). Default 0.8. */
  rho_inf?: number;
  /** radau, and newmark, hht, generalized_alpha with adaptive steps and no loops: modes faster than this, rad/s, are held stable but not resolved: they count less in the error. Default: 2000 / t_end, but 30 times the slowest mode, or 10 over the time in which the fastest input changes, or, as far as a million steps allow, 4 times the rate of inputs and of joints that are turned, or 0.6 times the frequency up to which modes hold 99 % of the energy at the start (of all, of each coordinate of a joint, of each soft body), if that is more; modes are those of small vibrations at the start. A very large number resolves all. */
  cutoff?: number;
  /** Methods that choose their step: a run that heads for more steps than this ends early and says why (dimensionless). Default: 1e7 / (1 + (n / 32)^2) for n coordinates. */
  max_steps?: number;
  /** newmark, hht, generalized_alpha: choose the step by rtol and atol. Default false. */
  adaptive?: boolean;
  /** How loops and prescribed joints enter: by accelerations with Baumgarte's stabilisation (index1), or by positions (index3; newmark, hht, generalized_alpha only, and their default). */
  formulation?: "index1" | "index3";
  /** Time constant of Baumgarte's stabilisation, s. Default 0.01. */
  baumgarte?: number;
  /** Jacobians of implicit methods: analytic (default), or forward differences for comparison. */
  derivatives?: "analytic" | "finite_difference";
};

/** Gives the inputs of its channels from the state: pd_plus, kp and kd times the errors of its outputs with everything static (gravity, elasticity, loads, contacts) cancelled at the present configuration; computed_torque and partial_feedback_linearisation, inputs with which outputs obey e'' + kd e' + kp e = 0 exactly; feed_forward, inputs over time. Outputs are coordinates (rad, m, dimensionless strain modes) or lengths of tendons (m). Tendons are taken to push as well as pull: tensions are not held at 0, which would break the linearisation; where one was negative the summary's `warnings` say so. Tensions that are given as numbers, those of feed_forward, may not be below 0. Any actuator but position joints; feed_forward also loads, rests of springs and tendons of mode length. */
export type JobController = {
  /** The law. */
  type: "pd_plus" | "computed_torque" | "partial_feedback_linearisation" | "feed_forward";
  /** Names of the channels it drives, each with one output. */
  channels: Array<string>;
  /** Gain on errors, for all channels or one each; required but for feed_forward, which has none. pd_plus: N or N m per unit of the output; the linearising ones: 1/s^2. */
  kp?: (number | Array<number>);
  /** Gain on rates of errors, as kp. pd_plus: N s or N m s per unit of the output; the linearising ones: 1/s. */
  kd?: (number | Array<number>);
  /** It acts from then on, s; its inputs are 0 before. Default 0. */
  from?: number;
  /** It acts until then, s; its inputs are 0 afterwards. Default: to the end. */
  until?: number;
  /** What the outputs should be over time, held before the first and after the last knot. */
  reference: {
    /** Required but for feed_forward. joint: coordinates (pd_plus, computed_torque, partial_feedback_linearisation); tendon: lengths of the channels' tendons, m (pd_plus, partial_feedback_linearisation); tip: x, y, z of tips in the world, m, turned into coordinates or lengths by static inversion at the knots. feed_forward: left out the values are the inputs themselves, otherwise those of equilibria found by static inversion. */
    space?: "joint" | "tendon" | "tip";
    /** joint: names of coordinates (or of the motors that drive them), one per channel. Default: those of the joint actuators, or all free ones if there are as many as channels. */
    coordinates?: Array<string>;
    /** tip: links whose last computational points (reduced bodies: distal frames) are placed; at most a third as many as channels. Default: the last link. */
    tips?: Array<string>;
    /** Knots, rising strictly, s. */
    t: Array<number>;
    /** A row per knot: one number per channel, or x, y, z of each tip (rad, m, N). One number per row may stand without brackets. */
    value: (Array<number> | Array<Array<number>>);
    /** cubic (default): from knot to knot, at rest in each; spline: natural, C2; linear: feed_forward only. */
    interpolation?: "cubic" | "spline" | "linear";
  };
};

/** Parameters of a model from measurements: the values within bounds for which what experiments give is nearest to what was measured (least squares), and what they are worth. Arrays of the result: parameters [iterations, np], cost, start [iterations], best, deviation [np], covariance, correlation [np, np], singular_values [np], directions [np, np]; of record D of experiment E fitted:E:D, first:E:D (as the search began), measured:E:D, residual:E:D (by sigma) [rows, numbers], t:E:D [rows]. np: all numbers that the places of `parameters` hold. Runs that leave the method open go by the one that they take by themselves, but for bdf, in place of which they go by radau; runs by bdf and dae are differentiated by differences of runs, of which the warning by_differences tells. */
export type JobFit = {
  kind: "fit";
  /** A stored model by name, or an inline model document. It may stand in the first job of `of` instead; all experiments are of one model. */
  model?: (JobModelName | Record<string, unknown>);
  /** Words to find the job by. */
  labels?: {
    [name: string]: string;
  };
  /** Higher runs first (dimensionless). Default 0. */
  priority?: number;
  /** Bound on the job's wall time, s. */
  max_wall_s?: number;
  /** Experiments: what was done with the robot, and what was seen. */
  of: Array<{
    /** What was done: a run, or a list of equilibria (no path). Its output and its times are those of the records. */
    job: (JobDynamics | JobStatics);
    /** What was measured. */
    data: Array<JobRecord>;
  }>;
  /** What is sought: places of numbers (or of arrays of numbers) in the model, or in the jobs of the experiments: initial states, inputs, gains and references. One of the model is that of all experiments; so is one of the jobs, unless "of" says which. */
  parameters: Array<(string | JobUnknown)>;
  /** Searches (dimensionless): the first from the present values, all others from random ones within the bounds, which every parameter needs then. The best of all ends counts. Default 1. */
  starts?: number;
  seed?: JobSeed;
  /** Of each search (dimensionless). Default 50. */
  max_iterations?: number;
  /** A search ends when a further step could take away no more than this part of the cost (dimensionless). Default 1e-10. */
  tolerance?: number;
  /** fail (default): a search that ended before a minimum fails as unconverged, with its best so far kept; keep: it is a warning. */
  unconverged?: "fail" | "keep";
};

/** Which random starts are taken (dimensionless): the same number, the same starts and the same result. Default 0. */
export type JobSeed = number;

/** A parameter that is sought. Values in the unit of the number. */
export type JobUnknown = {
  /** JSON pointer below /model or, in every job that it is a number of, below /job. */
  path?: string;
  paths?: JobSharedPlaces;
  /** Of a number of a job: the experiment whose it is, or several that share it (dimensionless), from 0 on. Entries with one path and other experiments are numbers of their own. Default: all share it. Designs of several jobs say it the same way. */
  of?: (number | Array<number>);
  /** What messages and results call it. Default: its path. */
  name?: string;
  /** Where the search begins. Default: what the document says; of several experiments the first of them. */
  value?: number;
  /** Least value. Default: that of the number itself. */
  lower?: number;
  /** Largest value. Default: that of the number itself. */
  upper?: number;
  /** log: sought by its logarithm, for positive numbers whose order is not known; priors and covariance are of the number itself. Default linear. */
  scale?: "linear" | "log";
  /** What was known beforehand: a Gaussian. */
  prior?: {
    /** Its mean, in the unit of the number. */
    value: number;
    /** Its standard deviation, in the unit of the number. */
    sigma: number;
  };
};

/** Numbers of a field over time (of equilibria: over the problems of the list). */
export type JobRecord = {
  /** As in output.fields of a run (q, poses:LINK@S, tendons, …); of equilibria without rates. */
  field: string;
  /** Which numbers of a sample of the field, by their indices (dimensionless): [[0, 3], [1, 3], [2, 3]] is the position of a pose; of fields with one axis [0, 2] will do. Default: all of them. */
  select?: (Array<number> | Array<Array<number>>);
  /** Times of the rows, s, rising, at most t_end. Of equilibria: left out. */
  t?: Array<number>;
  /** Rows of numbers in the units of the field, one for each entry of select; plain numbers where there is one. null: missing. */
  value: (Array<number | null> | Array<Array<number | null> | null>);
  /** Standard deviation of the noise, in the unit of the field: one for all numbers of a row, or one each. All records have it or none; without it the noise is taken as alike for all, and what is left over tells it. */
  sigma?: (number | Array<number>);
};

/** In place of path: several places that share one number, as the modulus of the segments of one silicone. All of the model or all of the job, in one unit, arrays equally long. They hold the same value, or the parameter has a `value` of its own. Derivatives are by the shared number, the sum of those by each place; a value that was found is that of all. Bounds are the narrowest of them. Without a name the parameter is called by the first place. */
export type JobSharedPlaces = Array<string>;

/** A place of a number, or of an array of numbers. */
export type JobParameter = (string | {
  /** A JSON pointer below /model or /job. */
  path?: string;
  paths?: JobSharedPlaces;
  /** What the number is called; the indices of an array follow it. */
  name?: string;
});

/** The best robot or input for a task: the numbers within bounds for which an objective is least and constraints are met, by gradients (NLopt). Arrays of the result: parameters [evaluations, np], objective, violation, start (which search each is of) [evaluations], best [np], those of the job within at the best, and its shapes where the search began, first:poses:LINK and first:shape:LINK. Every evaluation is a run with derivatives: forward by all np numbers; of runs backward (the discrete adjoint) where np is more than 32 for each value that is differentiated, which are the objective and every number that a constraint bounds, so that a free-form input of thousands of values costs a few runs an evaluation (lbfgs and mma for thousands, slsqp for hundreds). summary.design.derivatives says which: forward or backward. A search that failed or was stopped keeps its best: summary.design, best, and where it failed the arrays of the job within, in result?partial=1. Problems of statics without a solution where the search begins are left out if the job within keeps them (unconverged: keep). */
export type JobDesign = {
  kind: "design";
  /** Words to find the job by. */
  labels?: {
    [name: string]: string;
  };
  /** Higher runs first (dimensionless). Default 0. */
  priority?: number;
  /** Bound on the job's wall time, s. */
  max_wall_s?: number;
  /** What is done with the robot, with its model; or several such jobs of one robot, whose model stands in the first. Fields that objective and constraints name are kept, too; arrays of several jobs are called 0:FIELD, 1:FIELD, … */
  of: ((JobDynamics & unknown) | (JobStatics & unknown) | Array<(JobDynamics | JobStatics)>);
  /** What may be chosen: places of numbers (or of arrays of numbers) below /model (the model of the job within) or /job (the job within). */
  parameters: Array<(string | JobChoice)>;
  /** What is to be small: the sum of its terms. */
  objective: Array<(JobDesignTerm | JobHistoryTerm)>;
  /** Bounds on what is reported. */
  constraints?: Array<(JobConstraint | JobHistoryConstraint)>;
  /** slsqp (default): sequential quadratic programming; mma: moving asymptotes; lbfgs: without constraints. All of them see numbers by the span of their bounds (else by what they begin with; one that has grown tenfold beyond that is measured anew), objective and constraints by what they change by over that: answers do not depend on units and weights. A search that stalls begins anew at its best, at last by another method; mma, whose steps get short in curved valleys, hands over to slsqp after a quarter of max_evaluations (beyond 300 numbers to lbfgs, if there are no constraints), and goes on where that stalls; one that seems to be over goes on by slsqp until the derivatives promise less than a millionth of the objective, or nothing is gained. */
  method?: "slsqp" | "mma" | "lbfgs";
  /** Runs with derivatives of each start (dimensionless). Default 200. */
  max_evaluations?: number;
  /** Searches (dimensionless): the first from the present values, all others from random ones within the bounds, which every parameter needs then. The best of all ends counts: one that meets the constraints, then the least objective. Times max_evaluations at most 10000. Default 1. */
  starts?: number;
  seed?: JobSeed;
  /** Of the objective and of the numbers, by their reach (dimensionless): when a search ends. Default 1e-6. */
  tolerance?: number;
  /** fail (default): a search that found no optimum, nothing that meets the constraints, or an objective that falls for ever, fails as unconverged, with its evaluations kept; keep: it is a warning. Either says what stands in the way, by how much, and what may help. */
  unconverged?: "fail" | "keep";
};

/** A number that may be chosen. Values in its unit. */
export type JobChoice = {
  /** JSON pointer after /model or /job. */
  path?: string;
  paths?: JobSharedPlaces;
  /** What messages and results call it. Default: its path. */
  name?: string;
  /** Of a number of a job, where there are several: the job whose it is, or several that share it (dimensionless), from 0 on. Entries with one path and other jobs are numbers of their own. Default: all share it. Fits say it the same way of their experiments. */
  of?: (number | Array<number>);
  /** Where the search begins. Default: what the document says. */
  value?: number;
  /** Least value. Default: that of the number itself; a tension of a tendon is not negative, whatever stands here. */
  lower?: number;
  /** Largest value. Default: that of the number itself. */
  upper?: number;
  /** log: chosen by its logarithm, for positive numbers. Default linear. */
  scale?: "linear" | "log";
};

/** lower <= x <= upper for selected numbers x of a field at the samples that count. */
export type JobConstraint = {
  /** Of several jobs: which one reports the field (dimensionless), from 0 on. Default 0. */
  of?: number;
  /** As of output.fields; of statics q, u and lambda, too. */
  field: string;
  /** Entries of a sample of the field, as of objectives. Default: all. */
  select?: Array<(number | Array<number>)>;
  /** Which samples count, as of objectives: the last one, all, or those at these times (s; of statics numbers of problems, from 0). Default end, of statics all. */
  at?: ("end" | "all" | Array<number>);
  /** In the field's unit. */
  lower?: number;
  /** In the field's unit. */
  upper?: number;
};

/** What a run or a list of equilibria is worth, and its derivatives by numbers of the job and of its model: arrays value and gradient [np] (its unit is that of the value by that of the number; summary.parameters names the numbers, in order) beside those of the job within. Runs go forward once, and are swept back (the discrete adjoint): the gradient is that of the very numbers in the result, at a cost that does not grow with np. A job of dynamics that leaves the method open takes the one that it takes by itself, but for bdf, which has no derivatives: radau stands in for it, and summary.integrator says so. newmark, hht, generalized_alpha, euler_implicit, rk4 and rk45 are possible, too; bdf and dae are refused. */
export type JobGradient = {
  kind: "gradient";
  /** Words to find the job by. */
  labels?: {
    [name: string]: string;
  };
  /** Higher runs first (dimensionless). Default 0. */
  priority?: number;
  /** Bound on the job's wall time, s. Default: that of the job within. */
  max_wall_s?: number;
  /** The job that is differentiated, with its model. Fields that the objective names are kept, too. */
  of: ((JobDynamics & unknown) | (JobStatics & unknown));
  /** Places of numbers, below /model (the model of the job within) or /job (the job within); an array stands for all of its numbers, in order. What answers do not depend on smoothly is refused: counts, names, times of inputs (steps of a run end where these jump or bend, and derivatives hold the steps). */
  parameters: Array<JobParameter>;
  /** The value is the sum of its terms. */
  objective?: Array<JobObjectiveTerm>;
  /** In place of an objective: arrays by field, each of the field's shape with samples first, for c x. The gradient is then the product of a vector with the Jacobian of the run (unit: that of the value by that of the field). */
  cotangents?: {
    [name: string]: Array<unknown>;
  };
};

/** A term of a design that looks at all samples at once: a peak, a work, a stiffness, times a factor. */
export type JobHistoryTerm = {
  /** Of several jobs: which one reports the field (dimensionless), from 0 on. Default 0. */
  of?: number;
  /** The smooth maximum ln(sum exp(k x)) / k of the numbers at the samples that count; k, its sharpness (unit: 1 by that of the field): it is above the largest by ln(count) / k at the most. */
  peak?: number;
  /** The work of channels along the numbers, one each, by their indices in the field u (dimensionless): the sum of mean u times the change of x from sample to sample (unit: J), of the field tendons with x the shortening. Samples have to resolve it: output.dt. */
  work?: (number | Array<number>);
  /** Between the two equilibria (or samples) of `at`: the change of this channel of the field u, by its index (dimensionless), by that of the one number that is selected: a secant. */
  stiffness?: number;
  /** As of output.fields; of statics q, u and lambda, too. */
  field: string;
  /** Entries of a sample of the field, as of other terms. Default: all. */
  select?: Array<(number | Array<number>)>;
  /** Which samples count: the last one, all, or those at these times (s; of statics numbers of problems, from 0). Default all; of work no other. */
  at?: ("end" | "all" | Array<number>);
  /** The factor (unit: that of the objective by that of the term). Default 1. */
  linear?: number;
};

/** lower <= a peak, a work or a stiffness <= upper. */
export type JobHistoryConstraint = {
  /** Of several jobs: which one reports the field (dimensionless), from 0 on. Default 0. */
  of?: number;
  /** The smooth maximum ln(sum exp(k x)) / k of the numbers at the samples that count; k, its sharpness (unit: 1 by that of the field): it is above the largest by ln(count) / k at the most. */
  peak?: number;
  /** The work of channels along the numbers, one each, by their indices in the field u (dimensionless): the sum of mean u times the change of x from sample to sample (unit: J), of the field tendons with x the shortening. Samples have to resolve it: output.dt. */
  work?: (number | Array<number>);
  /** Between the two equilibria (or samples) of `at`: the change of this channel of the field u, by its index (dimensionless), by that of the one number that is selected: a secant. */
  stiffness?: number;
  /** As of output.fields; of statics q, u and lambda, too. */
  field: string;
  /** Entries of a sample of the field, as of other terms. Default: all. */
  select?: Array<(number | Array<number>)>;
  /** Which samples count: the last one, all, or those at these times (s; of statics numbers of problems, from 0). Default all; of work no other. */
  at?: ("end" | "all" | Array<number>);
  /** In the unit of what is measured. */
  lower?: number;
  /** In the unit of what is measured. */
  upper?: number;
};

/** sum of 1/2 weight (x - target)^2, or of linear x, over selected numbers x of a field at the samples that count. */
export type JobDesignTerm = {
  /** Of several jobs: which one reports the field (dimensionless), from 0 on. Default 0. */
  of?: number;
  /** As of output.fields; of statics q, u and lambda, too. */
  field: string;
  /** Entries of a sample of the field, each by its indices: [[0, 3], [1, 3], [2, 3]] is the position in a pose; of a field of one axis an index may stand alone. Default: all, in order. */
  select?: Array<(number | Array<number>)>;
  /** What they should be, in the field's unit. */
  target?: JobObjectiveValue;
  /** In place of a target: factors of the numbers themselves (unit: that of the value by that of the field). */
  linear?: JobObjectiveValue;
  /** Of squares (unit: that of the value by the square of that of the field): a number for all, or an array of one for each that is selected. Default 1. */
  weight?: (number | Array<number>);
  /** Which samples count: the last one, all, or those at these times (s; of statics numbers of problems, from 0), which are samples. Default end, of statics all. */
  at?: ("end" | "all" | Array<number>);
};

/** sum of 1/2 weight (x - target)^2, or of linear x, over selected numbers x of a field at the samples that count. */
export type JobObjectiveTerm = {
  /** As of output.fields; of statics q, u and lambda, too. */
  field: string;
  /** Entries of a sample of the field, each by its indices: [[0, 3], [1, 3], [2, 3]] is the position in a pose; of a field of one axis an index may stand alone. Default: all, in order. */
  select?: Array<(number | Array<number>)>;
  /** What they should be, in the field's unit. */
  target?: JobObjectiveValue;
  /** In place of a target: factors of the numbers themselves (unit: that of the value by that of the field). */
  linear?: JobObjectiveValue;
  /** Of squares (unit: that of the value by the square of that of the field): a number for all, or an array of one for each that is selected. Default 1. */
  weight?: (number | Array<number>);
  /** Which samples count: the last one, all, or those at these times (s; of statics numbers of problems, from 0), which are samples. Default end, of statics all. */
  at?: ("end" | "all" | Array<number>);
};

export type JobObjectiveValue = (number | Array<(number | Array<number>)> | {
  /** Times, s. */
  t: Array<number>;
  /** A row for each time, or a number where one is selected. */
  value: Array<(number | Array<number>)>;
});

/** Many jobs made from one by putting other values at places of its document or its model's; units are those of the places. */
export type JobSweep = {
  kind: "sweep";
  /** Words to find the sweep by; those of its jobs are the base's, or these if the base has none. */
  labels?: {
    [name: string]: string;
  };
  /** Of its jobs if the base has none; higher runs first (dimensionless). Default 0. */
  priority?: number;
  /** A whole job. */
  base: ((JobDynamics & Required<Pick<JobDynamics, "model">>) | (JobStatics & Required<Pick<JobStatics, "model">>) | JobLinearize);
  /** What differs between the jobs. */
  vary: Array<{
    /** JSON pointer after /job (the base) or /model (its model's document); the place must exist. */
    path: string;
    /** Values of any type, in the unit of the place. */
    values: Array<unknown>;
  }>;
  /** grid (default): every combination, the last place varying fastest; zip: value i of each. */
  mode?: "grid" | "zip";
};

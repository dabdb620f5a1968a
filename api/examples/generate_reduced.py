"""generate_reduced.py: writes the model and job documents of the robots of Pustina, Della Santina and De Luca (bodies given by their
kinematics) beside this file; with --check it only says whether they stand there as they would be written. The papers' numbers where
they give them, ours where they do not (said in each description)."""

import math
import sys

import generate

PI = math.pi
FIXED = {"type": "fixed"}
DOWN = {"rpy": [PI, 0, 0]}  # a body's axis is its local z: hanging


def reduced(kinematics, length, radius, density, young, poisson, eta, **more):
    return {"type": "reduced", "kinematics": kinematics, "length": length, "radius": radius, "density": density, "young": young,
            "poisson": poisson, "damping_time": eta, **more}


def chain(bodies, base):
    """Bodies b1, b2 … one after the other, the first at `base`."""
    return [generate.link(f"b{k}", f"b{k - 1}" if k > 1 else "world", base if k == 1 else None, FIXED, body)
            for k, body in enumerate(bodies, 1)]


def fields(names, *more):
    return ["q", "qd", "u", *more, "energy"] + [f"{word}:{name}" for name in names for word in ("poses", "shape")]


def job(name, t_end, inputs, dt, names, *more, rtol=1e-5, **keys):
    out = generate.job(name, inputs, {"method": "bdf", "rtol": rtol, "atol": rtol * 1e-3}, dt, fields(names, *more), **keys)
    return {**out, "t_end": t_end}


def ramp(a, b, start, end):
    return {"type": "ramp", "t": [start, end], "value": [a, b]}


# ------------------------------------------------------------------------------------------------------------ pcc-chain
BODIES = 8


def pcc_chain():
    body = reduced("pcc_planar", 0.1, 0.01, 1062, 6.66e5, 0.5, 0.01, section_inertia=True)
    text = "A hanging chain of planar bodies of constant curvature (Pustina et al. 2024), one coordinate each: the system whose inverse dynamics costs a time linear in its bodies (tendril-bench). Damping time 0.01 s is chosen here."
    return generate.model("pcc-chain", text, chain([body] * BODIES, DOWN))


def pcc_chain_job():
    """Let go from an arc of 80 degrees."""
    q = [round(80 / BODIES * PI / 180, 12)] * BODIES
    return job("pcc-chain", 5, {}, 0.02, [f"b{k}" for k in range(1, BODIES + 1)], initial={"q": q})


# ------------------------------------------------------------------------------------------------------- vpcc-pneumatic
def vpcc_pneumatic():
    body = reduced("pcc_variable_radius", 0.2, 0.02, 1062, 1.06e6, 0.5, 0.1, radius_law="shift", wall=0.004,
                   quadrature={"s": 6, "r": 6, "angle": 6})
    text = "The pneumatic arm of Pustina et al. 2024: three hanging planar bodies whose radius swells over two chambers each. The paper prints its pressures in MPa, the job takes them in bar: equilibria end where the fullest chamber holds 0.27 MPa, a quarter of Young's modulus, and beyond it swells without bound (at 2 MPa within 0.07 s, where the run ends with an error)."
    actuators = [{"name": f"p{k}{side}", "type": "pressure", "link": f"b{k}", "chamber": c}
                 for k in (1, 2, 3) for c, side in enumerate("ab")]
    return generate.model("vpcc-pneumatic", text, chain([body] * 3, DOWN), actuators=actuators)


def vpcc_pneumatic_job():
    pressures = dict(zip(("p1a", "p1b", "p2a", "p2b", "p3a", "p3b"), (2e5, 0, 0, 2e5, 1e5, 0.4e5)))
    return job("vpcc-pneumatic", 3, pressures, 0.01, ["b1", "b2", "b3"])


# --------------------------------------------------------------------------------------------------------- pgc-tentacle
def pgc_tentacle():
    cones = [reduced("gaussian_curvature", 0.2, radius, 1070, 6.66e5, 0.4, 0.01) for radius in ([0.01, 0.005], [0.005, 0.002])]
    text = "The tentacle of Pustina et al. 2024: two cones of Gaussian curvature with elongation, standing upright, that fall under their weight. Young's modulus is in MPa (the printed GPa would not bend) and the Gaussian as wide as a body is long. With the printed damping time of 0.01 s the slowest swing (1.1 Hz) dies as exp(-0.22 t): the tip is within 74 mm of its rest after the 5 s the paper speaks of, within 2 mm after 20 s; with 0.05 s it would be within 2 mm after 5 s."
    return generate.model("pgc-tentacle", text, chain(cones, None))


def pgc_tentacle_job():
    """Free evolution to rest (the description says how long it takes and why), precise enough for the energy balance to close to 1e-6."""
    q = [0.4, -0.2, 0.3, 0.1, 0, 0.2, 0.1, -0.3, 0.2, 0]
    return job("pgc-tentacle", 60, {}, 0.05, ["b1", "b2"], rtol=1e-8, initial={"q": q})


# ------------------------------------------------------------------------------------------------------------- helicoid
LENGTH, RADIUS, FILL = 0.135, 0.05, 0.0278  # a trimmed helicoid fills this fraction of its cylinder


def helicoid():
    """Per body: elongation 1, bending 2 + 2, twist 1, shear 1 + 1. Triplet i of tendons runs from the base to the end of body i
    at 120 k + 40 i degrees, on the outside."""
    modes = [("e", [0, 1, -1]), ("kx", [0, 6, -6]), ("kx", [0, -6, 18, -12]), ("ky", [0, -6, 6]), ("ky", [0, 6, -18, 12]),
             ("kz", [0, 1]), ("sx", [0, 1]), ("sy", [0, -1])]
    body = reduced("lvp", LENGTH, RADIUS, round(960 * FILL, 3), round(5e5 * FILL, 1), 0.4, 0.05,
                   modes=[{"field": f, "polynomial": p} for f, p in modes], quadrature={"s": 6, "r": 2, "angle": 8})
    actuators = []
    for i in range(3):
        for k in range(3):
            a = (120 * k + 40 * i) * PI / 180
            x, y = round(RADIUS * math.cos(a), 9) + 0.0, round(RADIUS * math.sin(a), 9) + 0.0
            points = [[x, y, round(LENGTH * j / 3, 6)] for j in range(4)]
            actuators.append({"name": f"t{i + 1}{'abc'[k]}", "type": "tendon",
                              "segments": [{"link": f"b{j + 1}", "points": points} for j in range(i + 1)]})
    text = "The trimmed helicoid of Pustina et al. 2025: three hanging bodies of volume-preserving primitives, eight coordinates each, nine tendons in triplets. The helix is replaced by a solid cylinder with density and modulus scaled by the fraction it fills. In the job the three tips, 10, 35 and 71 mm off at first, go round circles within 0.2 mm after 1 s, all tendons pulling."
    return generate.model("helicoid", text, chain([body] * 3, DOWN), actuators=actuators)


CIRCLES = {"b1": (0.010, -0.123), "b2": (0.035, -0.2465), "b3": (0.070, -0.3705)}  # radius and height of each tip, m
SHORTENED = {"b1": -0.45, "b2": -0.4, "b3": -0.3}  # elongation modes at the start: tendons pull from then on


def helicoid_job():
    """The three tips go round their circles, 2 s a turn: lengths of tendons from static inversion at 12 knots a turn, followed by
    partial feedback linearisation. The robot starts at rest, straight and shortened, off the circles, and converges. The circles lie
    so high, and the nearer to the base the more, that all tendons pull: the law itself would let them push."""
    knots = [k / 6 for k in range(37)]
    value = [[round(x, 9) for radius, height in CIRCLES.values()
              for x in (radius * math.cos(PI * t), radius * math.sin(PI * t), height)] for t in knots]
    reference = {"space": "tip", "tips": list(CIRCLES), "interpolation": "spline", "t": [round(t, 9) for t in knots], "value": value}
    channels = [f"t{i}{k}" for i in (1, 2, 3) for k in "abc"]
    controller = {"type": "partial_feedback_linearisation", "channels": channels, "kp": 100, "kd": 20, "reference": reference}
    initial = [0] * 24
    for k, name in enumerate(SHORTENED):
        initial[8 * k] = SHORTENED[name]
    return job("helicoid", 6, {}, 0.02, ["b1", "b2", "b3"], "tendons", rtol=1e-4, initial={"q": initial}, controller=controller)


# --------------------------------------------------------------------------------------------------- ur10e-soft-gripper
# Universal Robots' public description (a, d, alpha of the Denavit-Hartenberg rows; mass, centre of mass, inertia about
# it in the distal frame).
UR10E = [
    (0, 0.1807, PI / 2, 7.369, [0.021, 0, 0.027], [[0.0341, 0, -0.0043], [0, 0.0353, 0.0001], [-0.0043, 0.0001, 0.0216]]),
    (-0.6127, 0, 0, 13.051, [0.38, 0, 0.158], [[0.0281, 0.0001, -0.0156], [0.0001, 0.7707, 0], [-0.0156, 0, 0.7694]]),
    (-0.57155, 0, 0, 3.989, [0.24, 0, 0.068], [[0.0101, 0.0001, 0.0092], [0.0001, 0.3093, 0], [0.0092, 0, 0.3065]]),
    (0, 0.17415, PI / 2, 2.1, [0, 0.007, 0.018], [[0.003, 0, 0], [0, 0.0022, -0.0002], [0, -0.0002, 0.0026]]),
    (0, 0.11985, -PI / 2, 1.98, [0, 0.007, 0.018], [[0.003, 0, 0], [0, 0.0022, -0.0002], [0, -0.0002, 0.0026]]),
    (0, 0.11655, 0, 0.615, [0, 0, -0.026], [[0.0004, 0, 0], [0, 0.0004, 0], [0, 0, 0.0003]]),
]


# What is drawn of each part, in its distal frame: housings and tubes about an axis through a point, radius and length, m.
UR10E_VIEW = [
    [("y", [0, -0.09, 0], 0.085, 0.18), ("z", [0, 0, 0.02], 0.088, 0.18)],
    [("z", [0.6127, 0, 0.175], 0.088, 0.14), ("x", [0.3, 0, 0.175], 0.058, 0.6), ("z", [0, 0, 0.13], 0.07, 0.2)],
    [("x", [0.28, 0, 0.05], 0.046, 0.57), ("z", [0.57155, 0, 0.05], 0.066, 0.12), ("z", [0, 0, 0.08], 0.052, 0.14)],
    [("y", [0, -0.02, 0], 0.05, 0.13), ("z", [0, 0, 0.02], 0.05, 0.11)],
    [("y", [0, 0.02, 0], 0.05, 0.13), ("z", [0, 0, 0.02], 0.05, 0.11)],
    [("z", [0, 0, -0.02], 0.046, 0.04)],
]


def ur10e_view(k):
    steel, joint = [0.74, 0.76, 0.79], [0.35, 0.55, 0.72]
    return [{"type": "cylinder", "radius": radius, "length": length, "axis": axis, "pose": {"translation": at},
             "colour": steel if axis == "x" or k == 5 else joint} for axis, at, radius, length in UR10E_VIEW[k]]


def ur10e():
    """Per row a joint about z without a body, then a rigid body in the distal frame of its Denavit-Hartenberg row."""
    links = []
    for k, (a, d, alpha, mass, com, inertia) in enumerate(UR10E, 1):
        links.append(generate.link(f"joint{k}", f"part{k - 1}" if k > 1 else "world", None, {"type": "revolute", "axis": "z"}))
        pose = {"translation": [a, 0, d], **({"rpy": [alpha, 0, 0]} if alpha else {})}
        links.append(generate.link(f"part{k}", f"joint{k}", pose, FIXED, {"type": "rigid", "mass": mass, "com": com, "inertia": inertia}))
        links[-1]["view"] = ur10e_view(k - 1)
    return links


def ur10e_soft_gripper():
    arm = reduced("pcc", 0.3, 0.03, 1000, 3e5, 0.5, 0.1, section_inertia=True)
    grip = reduced("lvp", 0.08, 0.03, 1070, 2e5, 0.5, 0.05, inner_radius=0.015, quadrature={"s": 6, "r": 3, "angle": 8},
                   modes=[{"field": "e", "polynomial": [0, 1]}, {"field": "source", "polynomial": [0, 1]}])
    links = ur10e() + [generate.link("arm", "part6", None, FIXED, arm), generate.link("gripper", "arm", None, FIXED, grip)]
    actuators = [{"name": f"q{k}", "type": "joint", "link": f"joint{k}", "mode": "force"} for k in range(1, 7)]
    for k in range(3):
        a = 2 * PI * k / 3
        actuators.append({"name": f"tendon{k + 1}", "type": "tendon", "link": "arm",
                          "routing": {"type": "linear", "base": [round(0.024 * math.cos(a), 9) + 0.0, round(0.024 * math.sin(a), 9) + 0.0]}})
    actuators.append({"name": "pressure", "type": "pressure", "link": "gripper"})
    text = "A Universal Robots UR10e with a soft arm of constant curvature and elongation, three tendons, and a hollow gripper of volume-preserving primitives (after Pustina et al. 2025): rigid, slender and solid bodies in one tree. In the job the rigid arm goes to its place by computed torque while the soft arm hangs loose (to 3 s), that swings up by PD with gravity and elasticity cancelled (to 6 s), the gripper is inflated. Materials are chosen here."
    return generate.model("ur10e-soft-gripper", text, links, actuators=actuators)


def ur10e_soft_gripper_job():
    """The rigid arm goes to its place by computed torque (0.5 … 3 s) and stays, the soft arm swings up by PD with gravity and
    elasticity cancelled (from 3 s), the gripper is inflated by feed-forward (from 6 s)."""
    home, place = [0, -PI / 2, 0, -PI / 2, 0, 0], [0.8, -1.2, 1.3, -1.6, -1.2, 0.4]
    home, joints = [round(x, 12) for x in home], [f"q{k}" for k in range(1, 7)]
    arm = {"type": "computed_torque", "channels": joints, "kp": 100, "kd": 20,
           "reference": {"space": "joint", "t": [0.5, 3], "value": [home, place], "interpolation": "cubic"}}
    swing = {"type": "pd_plus", "channels": ["tendon1", "tendon2", "tendon3"], "kp": [1, 1, 300], "kd": [0.2, 0.2, 20], "from": 3,
             "reference": {"space": "joint", "coordinates": ["arm.q[0]", "arm.q[1]", "arm.q[2]"], "t": [3, 5],
                           "value": [[0.25, -0.1, -0.037], [1.4, -0.7, -0.037]], "interpolation": "cubic"}}
    grip = {"type": "feed_forward", "channels": ["pressure"], "from": 6,
            "reference": {"t": [6, 7], "value": [0, 20000], "interpolation": "linear"}}
    out = job("ur10e-soft-gripper", 8, {}, 0.02, ["arm", "gripper"], "tendons", initial={"q": home + [0] * 5},
              controller=[arm, swing, grip])
    out["output"]["fields"] += [f"poses:part{k}" for k in range(1, 7)]
    return out


DOCUMENTS = {"pcc-chain": (pcc_chain, pcc_chain_job), "vpcc-pneumatic": (vpcc_pneumatic, vpcc_pneumatic_job),
             "pgc-tentacle": (pgc_tentacle, pgc_tentacle_job), "helicoid": (helicoid, helicoid_job),
             "ur10e-soft-gripper": (ur10e_soft_gripper, ur10e_soft_gripper_job)}

if __name__ == "__main__":
    generate.DOCUMENTS = DOCUMENTS
    sys.exit(generate.main("--check" in sys.argv[1:]))

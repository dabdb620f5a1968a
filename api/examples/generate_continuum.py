"""generate_continuum.py: writes robots that are driven by lengths, float, snap and rub, beside this file; with --check it only says
whether they stand there as they would be written. Their measures are chosen here, as such robots are built."""
import math
import sys

import generate

FIXED = {"type": "fixed"}


def rod(length, section, material, order, basis="legendre", points=None, **more):
    strain = {"basis": basis, "order": order, **({"reference": more.pop("reference")} if "reference" in more else {})}
    return {"type": "rod", "length": length, "section": section, **({"material": material} if material else {}), "strain": strain,
            **({"quadrature": {"points": points}} if points else {}), **more}


def dynamics(name, t_end, dt, fields, inputs, **more):
    return {"model": name, "kind": "dynamics", "t_end": t_end, **more, "inputs": inputs, "output": {"dt": dt, "fields": fields},
            "labels": {"example": name}}


def steps(t_end, *changes):
    """Held at 0, then by each change (t0, t1, value) to a value as 3 s^2 - 2 s^3: a table whose spline does not overshoot."""
    t, value, now = [0], [0], 0
    for t0, t1, then in changes:
        for k in range(17):
            s = k / 16
            if k or t0 > 0:
                t.append(round(t0 + s * (t1 - t0), 9)), value.append(round(now + (then - now) * s * s * (3 - 2 * s), 9) + 0.0)
        now = then
    if t[-1] < t_end:
        t.append(t_end), value.append(now)
    return {"type": "table", "interpolation": "linear", "t": t, "value": value}


# ----------------------------------------------------------------------------------------------------------- tendon-arm
OFFSET = 0.005  # of the tendons' lumens from the axis, m
ANGLES = {"near": (0, 2 * math.pi / 3, 4 * math.pi / 3), "far": (math.pi / 3, math.pi, 5 * math.pi / 3)}


def lumen(angle):
    return {"type": "linear", "base": [round(OFFSET * math.cos(angle), 9) + 0.0, round(OFFSET * math.sin(angle), 9) + 0.0]}


def tendon_arm():
    tube = {"shape": "circle", "radius": 0.006, "inner_radius": 0.004}
    elastomer = {"young": 50e6, "poisson": 0.45, "density": 1150, "viscosity": 5e5}
    order = {"torsion": 1, "bending_y": 3, "bending_z": 3, "elongation": 0}
    links = [generate.link("near", "world", {"rpy": [0, math.pi / 2, 0]}, FIXED, rod(0.22, tube, elastomer, order)),
             generate.link("far", "near", None, FIXED, rod(0.18, tube, elastomer, order)),
             generate.link("tool", "far", None, FIXED, {"type": "rigid", "shape": {"type": "cylinder", "radius": 0.006, "length": 0.03,
                                                                                   "axis": "x"}, "com": [0.015, 0, 0], "density": 2000})]
    cable = {"mode": "length", "stiffness": 2e4, "damping": 20, "slack_width": 1e-6, "friction": 0.12}
    actuators = [{"name": f"near{k + 1}", "type": "tendon", **cable, "link": "near", "routing": lumen(a)}
                 for k, a in enumerate(ANGLES["near"])]
    actuators += [{"name": f"far{k + 1}", "type": "tendon", **cable,
                   "segments": [{"link": "near", "routing": lumen(a)}, {"link": "far", "routing": lumen(a)}]}
                  for k, a in enumerate(ANGLES["far"])]
    text = "A two-section continuum arm of the kind used in surgery: a hollow tube, hanging, with a tool at its tip. Six tendons are driven by length, as by servo motors: they stretch, go slack, and rub in their lumens (capstan friction), so that tensions are an outcome. In the job both sections sweep around, in opposite senses."
    return generate.model("tendon-arm", text, links, actuators=actuators)


def tendon_arm_job():
    """A section of constant curvature by an angle b in the direction p shortens the lumen at a by OFFSET b cos(a - p); p turns."""
    def turning(bend, frequency, angle):
        return generate.sine(round(OFFSET * bend, 9), frequency, phase=round(math.pi / 2 - angle, 12))

    inputs = {f"near{k + 1}": turning(0.7, 0.25, a) for k, a in enumerate(ANGLES["near"])}
    for k, a in enumerate(ANGLES["far"]):  # they pass the near section, too
        inputs[f"far{k + 1}"] = {"type": "sum", "of": [turning(0.7, 0.25, a), turning(1.2, -0.5, a)]}
    fields = ["q", "qd", "u", "energy", "tensions", "poses:near", "poses:far", "poses:tool"]
    return dynamics("tendon-arm", 8, 0.02, fields, inputs, initial={"q": "equilibrium"})


# ----------------------------------------------------------------------------------------------------------------- boom
def boom():
    foam = {"young": 1e6, "poisson": 0.3, "density": 500, "viscosity": 2e4}
    water = {"cd_y": 1.1, "cd_z": 1.1, "cd_x": 0.02, "added_y": 0.5, "added_z": 2, "linear": {"tangential": 2, "normal": 20}}
    body = rod(6, {"shape": "ellipse", "semi_y": 0.1, "semi_z": 0.2}, foam, {"bending_y": 3, "bending_z": 5, "elongation": 0}, points=20,
               hydrodynamics=water)
    links = [generate.link("drift", "world", {"translation": [0, -3, 0]}, {"type": "planar", "axis": "z"}),
             generate.link("boom", "drift", {"rpy": [0, 0, math.pi / 2]}, {"type": "prismatic", "axis": "z"}, body)]
    line = {"stiffness": 600, "damping": 200}
    springs = [{"name": "west", "a": {"link": "world", "pose": {"translation": [-5, -4, 0]}}, "b": {"link": "boom", "at": 0}, **line},
               {"name": "east", "a": {"link": "world", "pose": {"translation": [-5, 4, 0]}}, "b": {"link": "boom", "at": 1}, **line,
                "channel": "winch"}]
    fluid = {"density": 1000, "velocity": {"z": [-2, -0.5, 0.5], "velocity": [[0.1, 0, 0], [0.4, 0, 0], [0.5, 0, 0]]},
             "channels": ["surge", None, None], "surface": {"z": 0, "width": 0.5}}
    text = "A floating boom, 6 m of foam, half immersed in a river and moored by two lines: springs and dampers between points. The current is slower below (a table in z), drag is both linear and quadratic, and a surge comes and goes (channels of the fluid). Ballast keeps the boom from rolling: it drifts, turns, heaves and bends. In the job the current bends it into its bag, from 20 s on a winch takes in one line, and at 40 s the river surges."
    return generate.model("boom", text, links, springs=springs, fluid=fluid)


def boom_job():
    """The rest length of the eastern line falls by 2.5 m within 8 s; the surge adds 0.4 m/s for some seconds."""
    return dynamics("boom", 60, 0.1, ["q", "qd", "u", "energy", "poses:boom"],
                    {"winch": steps(60, (20, 28, -2.5)), "surge": steps(60, (36, 40, 0.4), (44, 48, 0))})


# --------------------------------------------------------------------------------------------------------- snap-gripper
SPAN, RISE = 0.12, 0.003


def snap_gripper():
    """The strip lies in the plane y = 0 from (0, 0, 0) to (SPAN, 0, 0), an arc of a circle with its crown above."""
    radius = (SPAN**2 / 4 + RISE**2) / (2 * RISE)
    half = math.asin(SPAN / 2 / radius)
    plastic = {"young": 2.5e9, "poisson": 0.35, "density": 1200, "viscosity": 2e6}
    section = {"shape": "rectangle", "height": 0.012, "width": 0.0016, "torsion_constant": 1.5e-11, "shear_correction": 5 / 6}
    strip = rod(round(2 * radius * half, 9), section, plastic, {"bending_y": 10, "elongation": 4}, "cubic",
                reference=[0, round(1 / radius, 9), 0, 1, 0, 0])
    hinge = {"type": "revolute", "axis": "y"}
    links = [generate.link("strip", "world", {"rpy": [0, -round(half, 12), 0]}, hinge, strip)]
    for name, at in (("left", 0.3), ("right", 0.7)):
        turn = half * (1 - 2 * at)  # the strip rises by this angle there; fingers stand upright
        links.append({**generate.link(name, "strip", {"rpy": [0, round(turn, 12), 0], "translation": [0, 0, 0]}, FIXED,
                                      {"type": "rigid", "shape": {"type": "box", "size": [0.004, 0.012, 0.05]}, "com": [0, 0, 0.025],
                                       "density": 1100}), "at": at})
    springs = [{"name": "brace", "a": {"link": "left", "pose": {"translation": [0, 0, 0.03]}},
                "b": {"link": "right", "pose": {"translation": [0, 0, 0.03]}}, "stiffness": 20, "damping": 0.2}]
    loops = [{"name": "hinge", "a": {"link": "strip"}, "b": {"link": "world", "pose": {"translation": [SPAN, 0, 0]}}, "joint": hinge}]
    loads = [{"name": "push", "link": "strip", "at": 0.5, "frame": "world", "channels": [None, None, None, None, None, "push"]}]
    text = "A bistable gripper: a curved strip of plastic, hinged at both ends, carries two fingers braced by a spring. Pushed at its crown it snaps through, and the fingers close. The job follows the equilibria by arc length, past both limit points, which no list of loads does: load against displacement, stable and unstable branches."
    return generate.model("snap-gripper", text, links, springs=springs, loops=loops, loads=loads)


def snap_gripper_job():
    return {"model": "snap-gripper", "kind": "statics", "inputs": {"push": 0},
            "continuation": {"channel": "push", "follow": "arc_length", "to": -5, "ds": 0.015, "steps": 400},
            "output": {"fields": ["energy", "poses:strip", "poses:left", "poses:right"]}, "labels": {"example": "snap-gripper"}}


# ------------------------------------------------------------------------------------------------------------- catheter
def catheter():
    braid = {"shape": "stiffness", "EI_y": 1e-3, "EI_z": 1e-3, "GJ": 8e-4, "EA": 400, "GA_y": 120, "GA_z": 120, "mass_per_length": 0.006,
             "inertia_per_length": [6e-9, 3e-9, 3e-9], "damping": [4e-5, 5e-5, 5e-5, 20, 6, 6], "radius": 0.0012}
    body = rod(0.25, braid, None, {"torsion": 1, "bending_y": 6, "bending_z": 6}, points=18,
               reference={"s": [0, 0.7, 1], "value": [[0, 0, 0, 1, 0, 0], [0, 0, 0, 1, 0, 0], [0, -18, 6, 1, 0, 0]]})
    carriage = {"type": "rigid", "mass": 0.05, "com": [0, 0, 0], "inertia": [1e-5, 1e-5, 1e-5]}
    links = [generate.link("carriage", "world", {"translation": [-0.2, 0, 0], "rpy": [0, 0.03, 0]}, {"type": "prismatic", "axis": "x"}, carriage),
             generate.link("wrist", "carriage", None, {"type": "revolute", "axis": "x"},
                           {"type": "rigid", "mass": 0.01, "com": [0, 0, 0], "inertia": [1e-6, 1e-6, 1e-6]}),
             generate.link("tube", "wrist", None, FIXED, body)]
    actuators = [{"name": "insert", "type": "joint", "link": "carriage", "mode": "position"},
                 {"name": "twist", "type": "joint", "link": "wrist", "mode": "position"}]
    contacts = [{"name": "vessel", "type": "cylinder_interior", "axis": "x", "radius": 0.012, "stiffness": 2e5, "exponent": 1.5,
                 "per": "length", "links": ["tube"]}]
    loads = [{"name": "blood", "link": "tube", "per_length": True, "from": 0.4, "to": 1, "frame": "world",
              "channels": [None, None, None, "stream", None, None]}]
    text = "A catheter in a vessel. Its braided tube is known by numbers, not by a material: bending and torsional stiffness, mass and damping per length, a tip bent beforehand. The vessel's wall presses per length, the blood drags it along (a load per length that pulses). In the job it is pushed in by 8 cm, then turned by a full turn; a run whose accounts do not close fails."
    return generate.model("catheter", text, links, actuators=actuators, contacts=contacts, loads=loads)


def catheter_job():
    inputs = {"insert": {**steps(6, (0.2, 2.4, 0.08)), "interpolation": "spline"},
              "twist": {**steps(6, (2.8, 5.6, round(2 * math.pi, 9))), "interpolation": "spline"},
              "stream": generate.sine(0.02, 1.2, 0.03)}
    return dynamics("catheter", 6, 0.02, ["q", "qd", "u", "lambda", "energy", "poses:tube"], inputs, initial={"q": "equilibrium"},
                    on_inconsistency="fail")


DOCUMENTS = {"tendon-arm": (tendon_arm, tendon_arm_job), "boom": (boom, boom_job), "snap-gripper": (snap_gripper, snap_gripper_job),
             "catheter": (catheter, catheter_job)}

if __name__ == "__main__":
    generate.DOCUMENTS = DOCUMENTS
    sys.exit(generate.main("--check" in sys.argv[1:]))

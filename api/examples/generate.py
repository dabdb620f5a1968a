"""generate.py: writes the model and job documents of the hybrid robots of Mathew et al. 2025 beside this file; with --check it
only says whether they stand there as they would be written. The manipulator cdm.* is written by hand and is where `contact` starts."""

import json
import math
import pathlib
import sys

FOLDER = pathlib.Path(__file__).resolve().parent
PI = math.pi
GRAVITY = [0, 0, -9.81]
SILICONE = {"young": 1e6, "poisson": 0.5, "density": 1000, "viscosity": 1e4}
WIDTH = 120


def model(name, description, links, **more):
    return {"format": "tendril.model/1", "name": name, "description": description, "gravity": GRAVITY, "links": links, **more}


def job(name, inputs, integrator, dt, fields, **more):
    return {"model": name, "kind": "dynamics", "t_end": 10, **more, "inputs": inputs, "integrator": integrator,
            "output": {"dt": dt, "fields": fields}, "labels": {"example": name}}


def link(name, parent, pose, joint, body=None):
    out = {"name": name, "parent": parent, **({"pose": pose} if pose else {}), "joint": joint}
    return {**out, "body": body} if body else out


def rod(length, section, material, order, points=5, **more):
    return {"type": "rod", "length": length, "section": section, "material": material,
            "strain": {"basis": "legendre", "order": order}, "quadrature": {"points": points}, **more}


def sine(amplitude, frequency, offset=0.0, phase=0.0):
    return {"type": "sine", **({"offset": offset} if offset else {}), "amplitude": amplitude, "frequency": frequency,
            **({"phase": phase} if phase else {})}


def sine_squared(amplitude, frequency):
    """amplitude sin^2(pi frequency t) = amplitude (1 - cos(2 pi frequency t)) / 2."""
    return sine(amplitude / 2, frequency, amplitude / 2, -PI / 2)


# --------------------------------------------------------------------------------------------------------------- serial
def serial():
    links, arm = [], {"type": "rigid", "mass": 1.06029, "com": [0, 0, 0.1], "inertia": [3.7e-3, 3.7e-3, 3.3134e-4]}
    for k in range(1, 8):
        pose = {"rpy": [PI, 0, 0]} if k == 1 else {"translation": [0, 0, 0.2]}
        joint = {"type": "revolute", "axis": "y" if k % 2 else "x"}
        links.append(link(f"l{k}", f"l{k - 1}" if k > 1 else "world", pose, joint, arm))
    soft = rod(0.5, {"shape": "circle", "radius": [0.015, 0.01]}, SILICONE,
               {c: 4 for c in ("torsion", "bending_y", "bending_z", "elongation")})
    links.append(link("tip", "l7", {"translation": [0, 0, 0.2], "rpy": [0, -PI / 2, 0]}, {"type": "fixed"}, soft))
    actuators = [{"name": f"q{k}", "type": "joint", "link": f"l{k}", "mode": "position"} for k in range(1, 8)]
    text = "The hybrid serial robot of Mathew et al. 2025: seven revolute joints that follow given angles and a soft tip of 0.5 m, hanging, 27 degrees of freedom."
    return model("serial", text, links, actuators=actuators)


def serial_job():
    def bell(a):  # a s^2 (1 - s)^2, s = t/10
        return {"type": "polynomial", "coefficients": [0, 0, a / 100, -2 * a / 1000, a / 10000]}

    inputs = {"q1": sine_squared(0.8, 1 / 5), "q2": bell(9.6), "q3": sine_squared(0.6, 1 / 4), "q4": bell(-12.8), "q5": 0,
              "q6": sine_squared(0.5, 1 / 3), "q7": 0}
    fields = ["q", "qd", "u", "lambda", "energy"] + [f"poses:l{k}" for k in range(1, 8)] + ["poses:tip"]
    return job("serial", inputs, {"method": "bdf", "rtol": 1e-3, "atol": 1e-6}, 0.01, fields)


# --------------------------------------------------------------------------------------------------------------- finray
def plastic(height):
    return rod(0.03, {"shape": "rectangle", "height": height, "width": 0.001},
               {"young": 2e9, "poisson": 0.35, "density": 1040, "viscosity": 1e6}, {"bending_y": 1, "elongation": 0, "shear_z": 0})


def rib(length):
    return {**plastic(0.01), "length": round(length, 3)}


def finray():
    """Walls of six rods from (-0.03, 0, 0) and (0.03, 0, 0) that meet at the apex, five hinged ribs across."""
    h, fixed, hinge = math.asin(1 / 6), {"type": "fixed"}, {"type": "revolute", "axis": "y"}
    links = [link("slider", "world", {"translation": [-0.03, 0, 0]}, {"type": "prismatic", "axis": "z"}),
             link("l1", "slider", {"rpy": [0, h - PI / 2, 0]}, fixed, plastic(0.025))]
    links += [link(f"l{k}", f"l{k - 1}", None, fixed, plastic(0.025)) for k in range(2, 7)]
    links.append(link("r1", "world", {"translation": [0.03, 0, 0], "rpy": [0, -h - PI / 2, 0]}, fixed, plastic(0.025)))
    links += [link(f"r{k}", f"r{k - 1}", None, fixed, plastic(0.025)) for k in range(2, 7)]
    links += [link(f"b{k}", f"l{k}", {"rpy": [0, PI / 2 - h, 0]}, hinge, rib(0.01 * (6 - k))) for k in range(1, 6)]
    loops = [{"name": f"hinge{k}", "a": {"link": f"b{k}", "at": 1}, "b": {"link": f"r{k}", "at": 1, "pose": {"rpy": [0, h + PI / 2, 0]}},
              "joint": hinge} for k in range(1, 6)]
    loops.append({"name": "apex", "a": {"link": "l6", "at": 1}, "b": {"link": "r6", "at": 1, "pose": {"rpy": [0, 2 * h, 0]}},
                  "joint": fixed})
    text = "The fin-ray finger of Mathew et al. 2025: two walls and five hinged ribs of thin plastic, one foot on a slider, six loops, 74 degrees of freedom."
    return model("finray", text, links, actuators=[{"name": "slide", "type": "joint", "link": "slider", "mode": "position"}],
                 loops=loops)


def finray_job():
    """d(t) = a sin(pi t) sin^2(pi t/2) up to t = 1, a sin(pi t) after. The difference, -a (sin(pi t)/2 + sin(2 pi t)/4), has no
    value and no second derivative at 0 and 1 and no slope at 1: a natural spline holds it to 2e-9 m and stays C2 at 1."""
    a, knots = 0.025, 100
    t = [k / knots for k in range(knots + 1)]
    start = [-a * (math.sin(PI * x) / 2 + math.sin(2 * PI * x) / 4) if 0 < x < 1 else 0 for x in t]
    slide = {"type": "sum", "of": [sine(a, 0.5), {"type": "table", "interpolation": "spline", "t": t, "value": start}]}
    fields = ["q", "qd", "u", "lambda", "loop_error", "energy"]
    fields += [f"poses:{s}{k}" for s, count in (("l", 6), ("r", 6), ("b", 5)) for k in range(1, count + 1)]
    return job("finray", {"slide": slide}, {"method": "generalized_alpha", "h": 0.01}, 0.02, fields)


# ------------------------------------------------------------------------------------------------------------- parallel
def parallel():
    radius = 0.2 / math.sqrt(3)
    corners = [[radius, 0, 0], [-radius / 2, 0.1, 0], [-radius / 2, -0.1, 0]]
    turns = [0, 2 * PI / 3, 4 * PI / 3]
    order = {**{c: 3 for c in ("torsion", "bending_y", "bending_z")}, **{c: 1 for c in ("elongation", "shear_y", "shear_z")}}
    pillar = rod(0.15, {"shape": "rectangle", "height": 0.03, "width": 0.015}, SILICONE, order)
    plate = {"type": "rigid", "mass": 0.207846, "com": [-radius, 0, 0], "inertia": [3.48142e-4, 3.48142e-4, 6.92820e-4]}
    ball = {"type": "spherical"}
    links = [link("p1", "world", {"translation": corners[0], "rpy": [0, -PI / 2, 0]}, {"type": "fixed"}, pillar),
             link("plate", "p1", {"rpy": [0, PI / 2, 0]}, ball, plate)]
    loops = []
    for k in (1, 2):
        from_first = [corners[k][i] - corners[0][i] for i in range(3)]
        links.append(link(f"p{k + 1}", "plate", {"translation": from_first, "rpy": [0, PI / 2, turns[k]]}, ball, pillar))
        loops.append({"name": f"foot{k + 1}", "a": {"link": f"p{k + 1}", "at": 1},
                      "b": {"link": "world", "pose": {"translation": corners[k], "rpy": [0, PI / 2, turns[k]]}},
                      "joint": {"type": "revolute", "axis": "y"}})
    load = {"name": "push", "link": "plate", "pose": {"translation": [-radius, 0, 0]}, "frame": "world",
            "channels": ["mx", "my", "mz", "fx", "fy", "fz"]}
    text = "The parallel robot of Mathew et al. 2025: a platform on three soft pillars, ball joints above, two hinged feet as loops, 63 degrees of freedom."
    return model("parallel", text, links, loads=[load], loops=loops)


def parallel_job():
    inputs = {"fx": sine(0.5, 0.4), "fy": sine(0.5, 0.3), "fz": sine(0.5, 0.5),
              "mx": sine(0.05, 0.25), "my": sine(0.05, 0.35), "mz": sine(0.05, 0.45)}
    fields = ["q", "qd", "u", "lambda", "loop_error", "energy", "poses:p1", "poses:plate", "poses:p2", "poses:p3"]
    return job("parallel", inputs, {"method": "bdf", "rtol": 1e-3, "atol": 1e-6}, 0.01, fields,
               initial={"q": "equilibrium"})


# -------------------------------------------------------------------------------------------------------------- contact
def read(name):
    return json.loads((FOLDER / name).read_text())


def contact():
    out = read("cdm.model.json")
    out["name"] = "contact"
    out["description"] = "The cable-driven manipulator of Mathew et al. 2025 with stronger pulls inside a pipe of radius 0.15 m, whose wall it touches: 24 degrees of freedom."
    out["links"][0]["body"]["quadrature"]["points"] = 10
    pipe = {"name": "pipe", "type": "cylinder_interior", "radius": 0.15, "stiffness": 1e5, "exponent": 1.5, "axis": "z"}
    return {**out, "contacts": [pipe]}


def contact_job():
    out = read("cdm.job.json")
    out["model"], out["labels"] = "contact", {"example": "contact"}
    for signal in out["inputs"].values():
        for key in ("offset", "amplitude"):
            if key in signal:
                signal[key] *= 3
        if "value" in signal:
            signal["value"] = [3 * v for v in signal["value"]]
    return out


# ------------------------------------------------------------------------------------------------------------------- uw
def cylinder(axis, length, radius):
    return {"type": "rigid", "shape": {"type": "cylinder", "radius": radius, "length": length, "axis": axis}, "density": 1000,
            "com": [length / 2, 0, 0] if axis == "x" else [0, length / 2, 0], "hydrodynamics": {"body_density": 1000}}


def flagellum(length):
    water = {"cd_y": 1.1, "cd_z": 1.1, "cl_x": -0.1, "added_y": 0.6, "added_z": 0.6}
    return rod(length, {"shape": "circle", "radius": [0.0125, 0.0005]}, SILICONE,
               {c: 3 for c in ("torsion", "bending_y", "bending_z")}, hydrodynamics=water)


def uw():
    water = {"body_density": 1000, "added_mass": [0, 0, 0, 1.527, 1.527, 1.527], "drag": [0, 0, 0, 5.98, 5.98, 5.98]}
    ball = {"type": "rigid", "mass": 3.0536, "com": [0, 0, 0], "inertia": [9.894e-3] * 3, "hydrodynamics": water}
    links, fixed = [link("body", "world", None, {"type": "free"}, ball)], {"type": "fixed"}
    for shaft, pose, axis, length in ((1, {"translation": [0.09, 0, 0]}, "x", 0.35),
                                      (2, {"translation": [-0.09, 0, 0], "rpy": [0, 0, PI]}, "-x", 0.5)):
        links.append(link(f"shaft{shaft}", "body", pose, {"type": "revolute", "axis": axis}, cylinder("x", 0.02, 0.01)))
        for k in range(3):
            pose = {"translation": [0.02, 0, 0], "rpy": [2 * PI * k / 3, 0, 0]}
            links.append(link(f"hook{shaft}_{k}", f"shaft{shaft}", pose, fixed, cylinder("y", 0.04, 0.006)))
            pose = {"translation": [0, 0.04, 0], "rpy": [0, 0, PI / 4]}
            links.append(link(f"flagellum{shaft}_{k}", f"hook{shaft}_{k}", pose, fixed, flagellum(length)))
    actuators = [{"name": f"torque{k}", "type": "joint", "link": f"shaft{k}", "mode": "force"} for k in (1, 2)]
    text = "The underwater vehicle of Mathew et al. 2025: a buoyant sphere driven by two shafts with three soft flagella each, 80 degrees of freedom."
    return model("uw", text, links, actuators=actuators, fluid={"density": 1000})


def uw_job():
    fields = ["q", "qd", "u", "energy", "poses:body"]
    fields += [f"poses:{part}{s}_{k}" for s in (1, 2) for k in range(3) for part in ("hook", "flagellum")]
    return job("uw", {"torque1": 0.25, "torque2": -0.25}, {"method": "bdf", "rtol": 1e-3, "atol": 1e-6}, 0.02, fields)


# -------------------------------------------------------------------------------------------------------------- writing
def text(value, indent=0, used=0):
    """JSON that people read: what fits on a line stands on one, numbers in rows."""
    line = json.dumps(value)
    if indent and indent + used + len(line) < WIDTH or not isinstance(value, (dict, list)):
        return line
    inner = " " * (indent + 2)
    if isinstance(value, dict):
        parts = [f"{inner}{json.dumps(k)}: {text(v, indent + 2, len(k) + 5)}" for k, v in value.items()]
        return "{\n" + ",\n".join(parts) + "\n" + " " * indent + "}"
    if all(isinstance(v, (int, float, str)) for v in value):
        return "[\n" + "\n".join(rows(value, inner)) + "\n" + " " * indent + "]"
    return "[\n" + ",\n".join(inner + text(v, indent + 2) for v in value) + "\n" + " " * indent + "]"


def rows(scalars, inner):
    line = inner
    for k, x in enumerate(scalars):
        word = json.dumps(x) + ("," if k + 1 < len(scalars) else "")
        if len(line) + len(word) >= WIDTH:
            yield line.rstrip()
            line = inner
        line += word + " "
    yield line.rstrip()


DOCUMENTS = {"serial": (serial, serial_job), "finray": (finray, finray_job), "parallel": (parallel, parallel_job),
             "contact": (contact, contact_job), "uw": (uw, uw_job)}


def main(check):
    stale = []
    for name, functions in DOCUMENTS.items():
        for part, build in zip(("model", "job"), functions):
            path, wanted = FOLDER / f"{name}.{part}.json", text(build()) + "\n"
            if check and (not path.exists() or path.read_text() != wanted):
                stale.append(path.name)
            if not check:
                path.write_text(wanted)
    if stale:
        print("not as generate.py writes them:", *stale)
    return len(stale) > 0


if __name__ == "__main__":
    sys.exit(main("--check" in sys.argv[1:]))

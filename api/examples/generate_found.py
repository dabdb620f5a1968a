"""generate_found.py: writes what is fitted and what is designed beside this file; with --check it only says whether it stands there as
it would be written. Records of `tentacle-fit` come from `rod_chain.py`, which shares nothing with Tendril, and have noise of 1 mm."""
import sys

import numpy as np

import generate
import rod_chain
from generate_continuum import FIXED, rod

# --------------------------------------------------------------------------------------------------------- tentacle-fit
LENGTH, RADII, TILT, CABLE = 0.3, (0.012, 0.006), -0.3, (0.01, 0.005)
TRUE = {"young": 4.2e5, "density": 1080, "viscosity": 1500}       # of the tentacle that was measured
SHEET = {"young": 1e6, "density": 800, "viscosity": 400}          # what one might have guessed: where the search starts
NOISE, FRAMES, LOST = 1e-3, 0.04 * np.arange(1, 21), {1: (7, 8)}  # m, s; frames of experiments in which the camera saw no tip
PULLS = [{}, {"cable": {"type": "ramp", "t": [0, 0.2], "value": [0, 1]}}, {"cable": generate.sine_squared(2, 2)},
         {"cable": {"type": "table", "interpolation": "linear", "t": [0, 0.3, 0.32], "value": [0, 2.5, 0]}}]


def tension(signal, t):
    """An input of the job at a time, N."""
    if not signal:
        return 0.0
    if "t" in signal:
        return float(np.interp(t, signal["t"], signal["value"]))
    return signal["offset"] + signal["amplitude"] * np.sin(2 * np.pi * signal["frequency"] * t + signal["phase"])


def seen(experiment):
    """What the camera saw of the tip, m: rows [horizontal, upwards], None where it saw nothing. Chains of n and 2 n pieces are off by
    n^-2, so that what differs between them is taken off."""
    coarse, fine = (rod_chain.Chain(LENGTH, RADII, TILT, CABLE, **TRUE, pieces=n).run(lambda t: tension(PULLS[experiment].get("cable"), t), FRAMES)
                    for n in (30, 60))
    rows = (4 * fine - coarse) / 3 + NOISE * np.random.default_rng(experiment).standard_normal(fine.shape)
    return [None if k in LOST.get(experiment, ()) else [round(float(x), 4) + 0.0 for x in row] for k, row in enumerate(rows)]


def tentacle_fit():
    body = rod(LENGTH, {"shape": "circle", "radius": list(RADII)}, {**SHEET, "poisson": 0.45}, {"bending_y": 5}, points=12)
    links = [generate.link("arm", "world", {"rpy": [0, -TILT, 0]}, FIXED, body)]
    actuators = [{"name": "cable", "type": "tendon", "link": "arm", "routing": {"type": "linear", "base": [0, CABLE[0]], "tip": [0, CABLE[1]]}}]
    text = "A tentacle of silicone whose stiffness, density and viscosity nobody knows; those here are a guess. It bends in one plane, by its weight and by a cable above its axis. The job fits the three numbers to four records of its tip, 20 frames each with noise of 1 mm. They were not made with Tendril: a chain of 60 pieces moved for the camera, with 420 kPa, 1080 kg/m^3 and 1500 Pa s."
    return generate.model("tentacle-fit", text, links, actuators=actuators)


def tentacle_fit_job():
    def experiment(k):
        record = {"field": "poses:arm@1", "select": [[0, 3], [2, 3]], "t": [round(float(t), 3) for t in FRAMES], "value": seen(k), "sigma": NOISE}
        return {"job": {"kind": "dynamics", "t_end": 0.8, "integrator": {"method": "generalized_alpha", "h": 0.004}, "inputs": PULLS[k]},
                "data": [record]}

    bounds = {"young": (1e4, 1e7), "density": (100, 1e4), "viscosity": (10, 1e5)}
    return {"model": "tentacle-fit", "kind": "fit", "of": [experiment(k) for k in range(len(PULLS))],
            "parameters": [{"path": f"/model/links/0/body/material/{name}", "name": name, "lower": low, "upper": high, "scale": "log"}
                           for name, (low, high) in bounds.items()],
            "labels": {"example": "tentacle-fit"}}


# ---------------------------------------------------------------------------------------------------- manipulator-design
PULLED, PUSHED, ALLOWED = 3, 4, 0.04  # problems of the list; how far the push may move the tip, m: 0.15 N / 0.04 m = 3.75 N/m


def manipulator_design():
    body = rod(0.4, {"shape": "circle", "radius": [0.012, 0.012]}, {"young": 2e6, "poisson": 0.45, "density": 1080},
               {"bending_y": 5, "bending_z": 5}, points=12)
    links = [generate.link("arm", "world", {"rpy": [0, generate.PI / 2, 0]}, FIXED, body)]
    actuators = [{"name": "cable", "type": "tendon", "link": "arm", "routing": {"type": "linear", "base": [0.006, 0], "tip": [0.004, 0]}}]
    loads = [{"name": "push", "link": "arm", "frame": "world", "channels": [None, None, None, None, "push", None]}]
    text = "A hanging manipulator whose radii and cable are to be chosen. It bends alike to all sides, so that the reach of one cable stands for its workspace. The job seeks the radii at both ends and the cable's distances from the axis with which the tip gets farthest aside at 20 N, while a push of 0.15 N at the tip of the slack arm moves it by no more than 40 mm. A soft arm reaches farther but gives way: the best is a taper."
    return generate.model("manipulator-design", text, links, actuators=actuators, loads=loads)


def manipulator_design_job():
    aside = {"field": "poses:arm@1", "select": [[1, 3]]}
    pulls = {"cable": [0, 7, 14, 20, 0], "push": [0, 0, 0, 0, 0.15]}
    return {"kind": "design", "of": {"model": "manipulator-design", "kind": "statics", "inputs": pulls, "output": {"fields": ["poses:arm"]}},
            "parameters": [{"path": "/model/links/0/body/section/radius", "name": "radius", "lower": 0.005, "upper": 0.03},
                           {"path": "/model/actuators/0/routing/base/0", "name": "cable_base", "lower": 0.001, "upper": 0.008},
                           {"path": "/model/actuators/0/routing/tip/0", "name": "cable_tip", "lower": 0.001, "upper": 0.005}],
            "objective": [{**aside, "linear": -1, "at": [PULLED]}], "constraints": [{**aside, "upper": ALLOWED, "at": [PUSHED]}],
            "labels": {"example": "manipulator-design"}}


# ------------------------------------------------------------------------------------------------------------ uw-stroke
KNOTS, WEIGHT = [0, 0.75, 1.5, 2.25, 3], 0.03  # s; of torques squared, 1/(N m)^2


def uw_stroke():
    robot = generate.read("uw.model.json")
    for link in robot["links"]:
        if link["body"]["type"] == "rod":
            link["body"]["section"]["radius"] = [0.0125, 0.004]
            link["body"]["strain"]["order"] = {"bending_y": 4, "bending_z": 4}
            link["body"]["quadrature"]["points"] = 9
    robot["description"] = "The underwater vehicle `uw` with stouter flagella. Its two shafts turn against each other. The job seeks their torques over three seconds, four values each, with which it gets far on little effort (the torques squared, summed over time), and is upright within 17 degrees at each full second. The best is no steady turning, but a burst and a glide."
    return {**robot, "name": "uw-stroke"}


def uw_stroke_job():
    def torque(value):
        return {"type": "table", "interpolation": "linear", "t": KNOTS, "value": [0] + [value] * (len(KNOTS) - 1)}

    links = [link["name"] for link in uw_stroke()["links"] if not link["name"].startswith("shaft")]
    values = [{"path": f"/job/inputs/torque{k}/value/{i}", "name": f"torque{k} at {KNOTS[i]} s", "lower": low, "upper": high}
              for k, low, high in ((1, 0, 0.3), (2, -0.3, 0)) for i in range(1, len(KNOTS))]
    roll = {"field": "poses:body", "select": [[1, 2]], "lower": -0.3, "upper": 0.3, "at": [1, 2, 3]}
    return {"kind": "design",
            "of": {"model": "uw-stroke", "kind": "dynamics", "t_end": 3, "integrator": {"method": "generalized_alpha", "h": 0.01},
                   "inputs": {"torque1": torque(0.1), "torque2": torque(-0.1)},
                   "output": {"dt": 0.1, "fields": ["q", "u", "energy"] + ["poses:" + name for name in links]}},
            "parameters": values, "constraints": [roll], "tolerance": 1e-4,
            "objective": [{"field": "poses:body", "select": [[0, 3]], "linear": -1, "at": "end"},
                          {"field": "u", "select": [0, 1], "target": [0, 0], "weight": WEIGHT, "at": "all"}],
            "labels": {"example": "uw-stroke"}}


DOCUMENTS = {"tentacle-fit": (tentacle_fit, tentacle_fit_job), "manipulator-design": (manipulator_design, manipulator_design_job),
             "uw-stroke": (uw_stroke, uw_stroke_job)}

if __name__ == "__main__":
    generate.DOCUMENTS = DOCUMENTS
    sys.exit(generate.main("--check" in sys.argv[1:]))

"""example_states.py [NAME...]: writes ../published/examples/NAME.json, values of the shipped robots at fixed random states.

Only what needs no second derivatives of the kinematics, as these robots are large: mass (at one state), id, tau, fd, lambda,
loop_error, loop_jacobian, energy.
"""

import json
import sys

import numpy as np

from generate import FOLDER, NOTE, condition, plain
from quantities import Robot, evaluate

HERE = FOLDER.parent
EXAMPLES = HERE.parent.parent / "api" / "examples"
NAMES = ("cdm", "serial", "finray", "parallel", "contact", "uw")
SIZES = {"contact": (0.3, 1.0)}  # there it touches the pipe
KEPT = ("id", "tau", "fd", "lambda", "loop_error", "energy")


def channel_count(robot):
    joints = sum(1 if a["type"] == "tendon" else robot.links[a["link"]].joint_dof for a in robot.actuators)
    return joints + sum(c is not None for d in robot.loads for c in d.get("channels", []))


def draw(rng, count, low, high):
    return [round(float(x), 6) for x in rng.uniform(low, high, count)]


def states(robot, name):
    rng = np.random.default_rng(sum(name.encode()))
    for size in SIZES.get(name, (0.02, 0.2)):
        yield {"q": draw(rng, robot.n, -size, size), "qd": draw(rng, robot.n, -1, 1), "qdd": draw(rng, robot.n, -3, 3),
               "u": draw(rng, channel_count(robot), 0, 5)}


def write(name):
    robot = Robot(json.loads((EXAMPLES / f"{name}.model.json").read_text()))
    out = {"note": NOTE, "example": name, "baumgarte": 0.01, "ndof": robot.n, "states": []}
    for i, state in enumerate(states(robot, name)):
        got = plain(evaluate(robot, state, derivatives=False))
        keep = KEPT if i else KEPT + ("mass", "loop_jacobian")
        out["states"].append({**state, "expect": {k: got[k] for k in keep if k in got}})
        print(name, robot.n, "touching" if np.any(got["id_terms"]["contact"]) else "", f"condition of the scaled mass matrix {condition(got['mass']):.1e}", flush=True)
    (HERE / "examples" / f"{name}.json").write_text(json.dumps(out, separators=(",", ":"), allow_nan=False) + "\n")


if __name__ == "__main__":
    (HERE / "examples").mkdir(exist_ok=True)
    for chosen in sys.argv[1:] or NAMES:
        write(chosen)

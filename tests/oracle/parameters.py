"""parameters.py: writes ../published/oracle/parameters/*.json, derivatives of the oracle's answers by numbers of its documents.

Differences of order 8 in 80 bits, of robots read anew with one number changed: right to about 1e-14. Every number of a document that
moves the answers smoothly is taken, of each list one in turn, then of all so many that a file stays small.
"""

import copy
import json
import os

import numpy as np

import sweeps
from profiles import REAL
from quantities import Robot, State, evaluate

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "published", "oracle")
# Robots, how many of their numbers, and the step by a number's scale: what is slack turns taut within 1e-4 m.
ROBOTS = {"hybrid_of_everything": (11, 2.0 ** -7), "contacts_together": (9, 2.0 ** -7), "loops_to_the_world": (12, 2.0 ** -7),
          "prescribed_in_a_loop": (9, 2.0 ** -7), "magnets_in_a_field": (6, 2.0 ** -7), "tendons_by_length": (3, 2.0 ** -12)}
# Numbers whose change steps over the points of a rod, choose among things, or change what is counted.
LEFT_OUT = {"order", "points", "quadrature", "at", "axis", "fourier", "exponent", "slack_width", "slip_speed", "s", "knots", "from", "to",
            "inertia", "added_mass", "table", "values"}
WEIGHTS = {1: 4 / 5, 2: -1 / 5, 3: 4 / 105, 4: -1 / 280}


def leaves(value, path=()):
    if isinstance(value, dict):
        for key, inner in value.items():
            if key not in LEFT_OUT:
                yield from leaves(inner, (*path, key))
    elif isinstance(value, list) and value and not isinstance(value[0], (dict, list)):
        if all(isinstance(x, (int, float)) and not isinstance(x, bool) for x in value):
            yield (*path, len(path) % len(value))
    elif isinstance(value, list):
        for i, inner in enumerate(value):
            yield from leaves(inner, (*path, i))
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield path


def number(document, path):
    for key in path:
        document = document[key]
    return float(document)


def changed(document, path, value):
    out = copy.deepcopy(document)
    inner = out
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    return out


def power_of_two(x):
    return 2.0 ** np.floor(np.log2(x))


def scale_of(path, value):
    """How far the number goes: itself where it is a size, the sizes of robots and angles else."""
    if path[0] == "gravity":
        return 4.0
    if any(key in ("translation", "base", "tip", "com") for key in path):
        return 0.03125
    if any(key in ("rpy", "rest", "reference", "damping") for key in path) and abs(value) < 0.125:
        return 0.125
    return power_of_two(abs(value)) if value else 0.25


def answers(document, state, baumgarte):
    robot = Robot(document)
    out = evaluate(robot, state, baumgarte, derivatives=False)
    s = State(robot, state, baumgarte)
    still = sweeps.still(robot, s.q)
    poses = s.poses()
    lengths = [still.tendon_length(a)[0][0] for a in document.get("actuators", []) if a["type"] == "tendon"]
    names = [link["name"] for link in document["links"]]
    return {"residual": out["residual"], "fd": out["fd"], "lambda": out.get("lambda", np.zeros(0, REAL)),
            "tips": np.stack([poses[name][-1] for name in names]).ravel(), "lengths": np.array(lengths, REAL)}


def derivatives(document, path, state, baumgarte, step):
    value = number(document, path)
    h, total = step * scale_of(path, value), None
    for k, weight in WEIGHTS.items():
        up, down = (answers(changed(document, path, value + side * k * h), state, baumgarte) for side in (1, -1))
        term = {key: REAL(weight) / REAL(h) * (up[key] - down[key]) for key in up}
        total = term if total is None else {key: total[key] + term[key] for key in total}
    return total


def pointer(path):
    return "".join(f"/{key}" for key in path)


def write(name, most, step):
    with open(os.path.join(FOLDER, name + ".json")) as file:
        reference = json.load(file)
    document, baumgarte = reference["model"], reference.get("baumgarte", 0.01)
    state = {k: v for k, v in reference["states"][1].items() if k != "expect"}
    found = []
    paths = [p for p in leaves(document) if p[-1] != "name"]
    for path in paths[::max(1, -(-len(paths) // most))]:
        try:
            found.append((path, derivatives(document, path, state, baumgarte, step)))
        except Exception as error:  # a neighbour that is no robot
            print(name, pointer(path), error)
    out = {"model": name, "baumgarte": baumgarte, "state": state, "parameters": [
        {"path": pointer(path), "scale": scale_of(path, number(document, path)),
         **{key: [float(x) for x in value] for key, value in d.items()}} for path, d in found]}
    os.makedirs(os.path.join(FOLDER, "parameters"), exist_ok=True)
    with open(os.path.join(FOLDER, "parameters", name + ".json"), "w") as file:
        json.dump(out, file, separators=(",", ":"))
        file.write("\n")
    print(name, len(found), "numbers", flush=True)


if __name__ == "__main__":
    for robot, (most, step) in ROBOTS.items():
        write(robot, most, step)

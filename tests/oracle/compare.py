"""compare.py FILE...: the oracle against reference files {model, states: [{q, qd, qdd, u, expect}]}; worst errors per quantity."""

import json
import sys

import numpy as np

from quantities import Robot, evaluate


def flatten(value):
    if isinstance(value, dict):
        return np.concatenate([flatten(value[k]) for k in sorted(value)] or [np.zeros(0)])
    return np.asarray(value, np.longdouble).ravel()


def relative_error(got, want, floor=0.0):
    if isinstance(want, dict):  # a file of before a term existed lacks it
        got = {k: got[k] for k in want}
    got, want = flatten(got), flatten(want)
    scale = max(np.max(np.abs(want), initial=0), floor)
    worst = np.max(np.abs(got - want), initial=0)
    return float(worst / scale) if scale else float(worst)


def floors(states):
    """A quantity that vanishes at one state (damping forces at rest) is measured against the file's other states and, a
    derivative, against what it is the derivative of."""
    largest = {}
    for state in states:
        for key, want in state["expect"].items():
            largest[key] = max(largest.get(key, 0), np.max(np.abs(flatten(want)), initial=0))
    return {key: 1e-6 * max(value, largest.get(key[1:].split("_d")[0], 0)) for key, value in largest.items()}


def compare(reference):
    robot, worst, floor = Robot(reference["model"]), {}, floors(reference["states"])
    assert robot.n == reference["ndof"], (robot.n, reference["ndof"])
    for state in reference["states"]:
        got = evaluate(robot, state, reference.get("baumgarte", 0.01))
        for key, want in state["expect"].items():
            worst[key] = max(worst.get(key, 0), relative_error(got[key], want, floor[key]))
    return worst


def main(paths):
    worst_of_all = 0.0
    for path in paths:
        with open(path) as file:
            worst = compare(json.load(file))
        worst_of_all = max([worst_of_all, *worst.values()])
        print(path, " ".join(f"{k}={v:.1e}" for k, v in worst.items()), flush=True)
    return worst_of_all


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]) > 1e-9)

"""check.py FILE...: laws the oracle's own numbers must obey, by routes it does not use.

Derivatives against central differences of the functions themselves; power: qd.(id - loads) is the rate of kinetic plus
gravitational energy along q(t) = q + t qd + t^2/2 qdd; tendon gradients against differences of the lengths.
"""

import json
import sys

import numpy as np

from quantities import Robot, State, evaluate, tau_terms
from compare import relative_error

STEP = np.longdouble(1e-5)
TOLERANCE = 1e-7  # what differences leave of fd's derivatives where the mass matrix is badly conditioned


def moved(state, key, i, h):
    out = dict(state)
    out[key] = np.array(state[key], np.longdouble)
    out[key][i] += h
    return out


def slope(f, state, key):
    columns = [(f(moved(state, key, i, STEP)) - f(moved(state, key, i, -STEP))) / (2 * STEP) for i in range(len(state[key]))]
    return np.array(columns, np.longdouble).T


def functions(robot, baumgarte):
    def inverse(s):
        x = State(robot, s)
        return sum(x.inverse_dynamics(x.qdd)[0].values())

    out = {"id": inverse, "tau": lambda s: sum(tau_terms(State(robot, s))[0].values()),
           "fd": lambda s: forward(robot, s, baumgarte)[0]}
    return {**out, "lambda": lambda s: forward(robot, s, baumgarte)[1]}


def forward(robot, state, baumgarte):
    x = State(robot, state, baumgarte)
    return x.forward_dynamics(sum(tau_terms(x)[0].values()))


def power(robot, state, got):
    """What id takes from motion, less what loads, obstacles and water give."""
    def energy(t):
        q, qd, qdd = (np.array(state[k], np.longdouble) for k in ("q", "qd", "qdd"))
        e = State(robot, {**state, "q": q + t * qd + t * t / 2 * qdd, "qd": qd + t * qdd}).energy()
        return e["kinetic"] + e["gravitational"]

    rate = (energy(STEP) - energy(-STEP)) / (2 * STEP)
    outside = sum(got["id_terms"][k] for k in ("loads", "contact", "hydrodynamics"))
    work = np.array(state["qd"]) @ (got["id"] - outside)
    return float(abs(rate - work) / max(abs(rate), 1e-3))


def check(robot, state, baumgarte):
    got, worst = evaluate(robot, state, baumgarte), {}
    for name, f in functions(robot, baumgarte).items():
        for key in ("q", "qd", "u"):
            quantity = f"d{name}_d{key}"
            if len(state[key]) and quantity in got:
                worst[quantity] = relative_error(slope(f, state, key), got[quantity])
    lengths = slope(lambda s: np.array([x[0] for x in State(robot, s).tendons()], np.longdouble), state, "q")
    if lengths.size:
        worst["dlength_dq"] = relative_error(lengths, got["tendons"]["dlength_dq"])
    worst["power"] = power(robot, state, got)
    return worst


def main(paths):
    failures = 0
    for path in paths:
        with open(path) as file:
            document = json.load(file)
        worst = check(Robot(document["model"]), document["states"][1], document.get("baumgarte", 0.01))
        failures += max(worst.values()) > TOLERANCE
        print(path, " ".join(f"{k}={v:.0e}" for k, v in worst.items()), flush=True)
    return failures


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]) > 0)

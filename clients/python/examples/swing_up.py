#!/usr/bin/env python3
"""Tensions that bring a tentacle's tip to a place at a time: SciPy's L-BFGS-B over gradients of runs.

Each of two cables has a table of 21 values, none below 0. One job of kind gradient tells how far the tip is from its goal, how fast it
still is, and all 42 derivatives of that.

    swing_up.py [--url http://127.0.0.1:8080] [--iterations 25]
"""
import argparse

import numpy as np

import tendril

TENTACLE = {
    "format": "tendril.model/1", "name": "swing", "gravity": [0, 0, -9.81],
    "links": [{"name": "arm", "pose": {"rpy": [0, 1.2, 0]}, "joint": {"type": "fixed"},
               "body": {"type": "rod", "length": 0.3, "section": {"shape": "circle", "radius": [0.012, 0.006]},
                        "material": {"young": 4e5, "poisson": 0.45, "density": 1070, "viscosity": 3000},
                        "strain": {"basis": "legendre", "order": {"bending_y": 5, "bending_z": 5}}, "quadrature": {"points": 10}}}],
    "actuators": [{"name": name, "type": "tendon", "link": "arm", "routing": {"type": "linear", "base": base, "tip": tip}}
                  for name, base, tip in (("up", [0.01, 0], [0.005, 0]), ("side", [0, 0.01], [0, 0.005]))]}
T_END, CABLES = 0.5, ("up", "side")
T = np.linspace(0, T_END, 21)
GOAL = np.array([0.14, 0.06, -0.2])


def job(tensions):
    return {"model": "swing", "kind": "dynamics", "t_end": T_END, "initial": {"q": "equilibrium"},
            "integrator": {"method": "generalized_alpha", "h": 0.005},
            "output": {"dt": 0.05, "fields": ["qd"]},
            "inputs": {cable: {"type": "table", "t": T, "value": values} for cable, values in zip(CABLES, tensions.reshape(2, -1))}}


def main():
    from scipy.optimize import minimize
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("--url")
    arguments.add_argument("--iterations", type=int, default=25)
    arguments = arguments.parse_args()
    with tendril.Client(arguments.url) as client:
        client.models.put(TENTACLE)
        n = len(client.run(model="swing", kind="statics")["q"][0])
        objective = [{"field": "poses:arm@1", "select": [[0, 3], [1, 3], [2, 3]], "target": GOAL, "weight": 1e4},
                     {"field": "qd", "target": np.zeros(n), "weight": 1e-3}]
        places = [f"/job/inputs/{cable}/value" for cable in CABLES]

        def worth(tensions):
            at = client.gradient(job(tensions), places, objective)
            return at.value, at.gradient

        found = minimize(worth, np.full(2 * len(T), 0.5), jac=True, method="L-BFGS-B", bounds=[(0, 8)] * (2 * len(T)),
                         options={"maxiter": arguments.iterations})
        tip = client.run({**job(found.x), "output": {"fields": ["poses:arm@1"]}})["poses:arm@1"][-1, :3, 3]
        print(f"{found.nfev} runs with {found.x.size} derivatives each: the tip is {1e3 * np.linalg.norm(tip - GOAL):.2f} mm from its goal")


if __name__ == "__main__":
    main()

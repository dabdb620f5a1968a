#!/usr/bin/env python3
"""A tentacle's stiffness, density and viscosity from four records of its tip.

Nobody has measured this one: the records are runs of the server with noise of 1 mm, and the search starts from a
tentacle that is three times as stiff, light and sluggish. Cables of known tension tell stiffness and weight apart.

    identify.py [--url http://127.0.0.1:8080] [-o identify.png]
"""
import argparse
import copy

import numpy as np

import tendril

TENTACLE = {
    "format": "tendril.model/1", "name": "tentacle", "gravity": [0, 0, -9.81],
    "links": [{"name": "arm", "pose": {"rpy": [0, 1.2, 0]}, "joint": {"type": "fixed"},
               "body": {"type": "rod", "length": 0.3, "section": {"shape": "circle", "radius": [0.012, 0.006]},
                        "material": {"young": 4e5, "poisson": 0.45, "density": 1070, "viscosity": 3000},
                        "strain": {"basis": "legendre", "order": {"bending_y": 3, "bending_z": 3}}}}],
    "actuators": [{"name": name, "type": "tendon", "link": "arm", "routing": {"type": "linear", "base": base, "tip": tip}}
                  for name, base, tip in (("up", [0.01, 0], [0.005, 0]), ("side", [0, 0.01], [0, 0.005]))]}
MATERIAL, TIP, NOISE = "/model/links/0/body/material/", "poses:arm@1", 1e-3
POSITION = [[0, 3], [1, 3], [2, 3]]  # of a pose
SMOOTH = {"type": "ramp", "t": [0, 0.2], "value": [0, 1]}
EXPERIMENTS = [{"kind": "dynamics", "t_end": 0.8, "inputs": inputs, "integrator": {"method": "generalized_alpha", "h": 0.004}}
               for inputs in ({}, {"up": SMOOTH}, {"side": SMOOTH},
                              {"up": {"type": "sine", "offset": 1, "amplitude": 1, "frequency": 2, "phase": -np.pi / 2}})]


def measure(client, job, noise):
    """What a camera would see of the true tentacle."""
    run = client.run({**job, "model": TENTACLE, "output": {"dt": 0.04, "fields": [TIP]}})
    seen = run[TIP][1:, :3, 3]
    return tendril.record(TIP, seen + NOISE * noise.standard_normal(seen.shape), run["t"][1:], select=POSITION, sigma=NOISE)


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("--url")
    arguments.add_argument("-o", "--output", metavar="PNG", help="a picture of what was measured beside what was found")
    arguments = arguments.parse_args()
    with tendril.Client(arguments.url) as client:
        noise, guess = np.random.default_rng(1), copy.deepcopy(TENTACLE)
        guess["links"][0]["body"]["material"].update(young=12e5, density=350, viscosity=9000)
        records = [(job, measure(client, job, noise)) for job in EXPERIMENTS]
        found = client.fit(records, {MATERIAL + name: {"name": name, "lower": low, "upper": high, "scale": "log"}
                                     for name, low, high in (("young", 1e4, 1e7), ("density", 100, 1e4), ("viscosity", 10, 1e6))}, guess)
        truth = TENTACLE["links"][0]["body"]["material"]
        for name, value in found.values.items():
            off = (value - truth[name]) / found.deviations[name]
            print(f"{name:10}{value:12.5g} +- {found.deviations[name]:<9.2g} true {truth[name]:<9g} ({off:+.1f} deviations off)")
        print(f"{found.summary['iterations']} iterations, {found.summary['predictions']} predictions, "
              f"what is left over is {found.summary['misfit']:.2f} times the noise")
        if arguments.output:
            found.result.plot(arguments.output)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Taper and cables of a manipulator that reach farthest aside, and still carry a tool.

Two equilibria of one arm: a cable is pulled with 8 N, and a tool of 20 g hangs at its tip. Both radii and the distance
of the cable from the axis at both ends may change; the arm hangs still with the tool, and must not sag by more than
the arm it began with. A softer arm reaches farther but sags: the best is a taper.

    taper.py [--url http://127.0.0.1:8080] [-o taper.png]
"""
import argparse
import warnings

import tendril

ARM = {
    "format": "tendril.model/1", "name": "taper", "gravity": [0, 0, -9.81],
    "links": [{"name": "arm", "joint": {"type": "fixed"},
               "body": {"type": "rod", "length": 0.4, "section": {"shape": "circle", "radius": [0.012, 0.012]},
                        "material": {"young": 4e6, "poisson": 0.45, "density": 1070},
                        "strain": {"basis": "legendre", "order": {"bending_y": 5, "bending_z": 5}}, "quadrature": {"points": 10}}}],
    "actuators": [{"name": "side", "type": "tendon", "link": "arm", "routing": {"type": "linear", "base": [0.009, 0], "tip": [0.004, 0]}}],
    "loads": [{"link": "arm", "channels": [None, None, None, None, None, "tool"]}]}
PULLED, LOADED, TOOL = 0, 1, -0.02 * 9.81
JOB = {"kind": "statics", "model": ARM, "inputs": {"side": [8, 0], "tool": [0, TOOL]}, "output": {"fields": ["poses:arm"]}}
RADII, CABLE, TIP = "/model/links/0/body/section/radius", "/model/actuators/0/routing", "poses:arm@1"


SIDE, HEIGHT = [[1, 3]], [[2, 3]]  # entries of a pose


def tips(result):
    tip = result[TIP][:, :3, 3]
    return tip[PULLED, 1], tip[LOADED, 2]


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("--url")
    arguments.add_argument("-o", "--output", metavar="PNG", help="a picture of the arm that was found")
    arguments = arguments.parse_args()
    warnings.filterwarnings("ignore", "design_at_bound")  # no cable leaves the arm: that is what the bounds are for
    with tendril.Client(arguments.url) as client:
        reach, height = tips(client.run({**JOB, "output": {"fields": [TIP]}}))
        found = client.design(
            JOB, {f"{RADII}/0": (0.01, 0.02), f"{RADII}/1": (0.006, 0.012), f"{CABLE}/base/0": (0.002, 0.0095), f"{CABLE}/tip/0": (0.001, 0.0055)},
            {"field": TIP, "select": SIDE, "linear": -1, "at": [PULLED]},
            {"field": TIP, "select": HEIGHT, "lower": height, "at": [LOADED]})
        farther, lower = tips(found.result)
        for name, value in found.values.items():
            print(f"{name:46}{1e3 * value:7.2f} mm")
        print(f"reaches {1e3 * farther:.1f} mm aside (at first {1e3 * reach:.1f}), hangs at {1e3 * lower:.1f} mm with its tool (at first {1e3 * height:.1f})")
        if arguments.output:
            found.result.plot(arguments.output)


if __name__ == "__main__":
    main()

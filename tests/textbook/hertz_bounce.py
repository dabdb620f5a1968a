"""Hertz bounce: depth, duration and speed of an elastic impact

A rigid stick falls on its end; the contact force is k d^1.5 without damping. The deepest point is d = (5 m v^2/(4 k))^(2/5), the contact
lasts 2.9433 d/v, and it leaves as fast as it came. The stick is a rod without strains on a vertical slide.

Source: H. Hertz 1881; K. Johnson, *Contact Mechanics*, section 11.4: 2.94 d/v (4 sqrt(pi) Gamma(2/5)/(5 Gamma(9/10)) = 2.94327).

Tolerance: 1e-3 with the default method and its tolerances.
"""
import math

import numpy as np

from support.models import UP, link, model, rod
from support.rows import Row

KIND = "exact"
RADIUS, LENGTH, DENSITY, K, SPEED = 0.01, 0.2, 1000.0, 1e6, 1.0


def measure(desk):
    mass = DENSITY * np.pi * RADIUS**2 * LENGTH
    depth = (1.25 * mass * SPEED**2 / K) ** 0.4
    last = 4 * np.sqrt(np.pi) * math.gamma(0.4) / (5 * math.gamma(0.9)) * depth / SPEED
    gap = 0.001
    links = [link("slide", {"type": "prismatic", "axis": "z"}),
             link("rod", body=rod(LENGTH, RADIUS, density=DENSITY), parent="slide", pose=UP)]
    robot = model(links, contacts=[{"type": "plane", "stiffness": K, "pose": {"translation": [0, 0, -RADIUS - gap]}}])
    end = 2 * gap / SPEED + last
    result = desk.run(robot, end, ("q", "qd", "energy"), dt=end / 400, initial={"qd": [-SPEED]})
    q, qd = result["q"][:, 0], result["qd"][:, 0]
    rows = [Row("deepest point", -q.min() - gap, depth, 1e-3, "m"), Row("speed after the impact", qd[-1], SPEED, 1e-3, "m/s"),
            Row("duration of the contact", end - gap / SPEED - (q[-1] + gap) / qd[-1], last, 1e-3, "s")]

    def draw(figure):
        axes = figure.subplots()
        axes.plot(1e3 * result.t, 1e3 * q, lw=1), axes.axhline(-1e3 * gap, color="k", lw=1, label="contact")
        axes.axhline(-1e3 * (gap + depth), color="k", ls=":", lw=1, label="Hertz: deepest point"), axes.legend()
        axes.set(xlabel="t, ms", ylabel="height, mm")

    return rows, draw

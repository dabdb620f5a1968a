"""Floating spar: draught and heave of a slim buoy

A vertical rod on a slide floats in water to the depth where it displaces its mass, L rho/rho_w, and heaves about it with omega^2 = g/draught
(no added mass along the axis), for any amplitude that keeps its top dry.

Source: Archimedes; J. Newman, *Marine Hydrodynamics*, section 6.21.

Tolerance: 2e-3 of the draught, 5e-2 of the heave's amplitude, with 40 points: the surface has a width of a tenth of the rod, over which
wetness is smoothed, and steps from point to point.
"""
import numpy as np

from support.models import UP, link, model, rod
from support.rows import Row

KIND = "exact"
LENGTH, DENSITY, WATER, G, KICK = 1.0, 600.0, 1000.0, 9.81, 0.2


def measure(desk):
    draught = LENGTH * DENSITY / WATER
    body = rod(LENGTH, 0.02, density=DENSITY, order={}, points=40)
    robot = model([link("slide", {"type": "prismatic", "axis": "z"}), link("rod", body=body, parent="slide", pose=UP)], (0, 0, -G),
                  fluid={"density": WATER, "surface": {"z": 0, "width": 0.1}})
    rest = desk.statics(robot, initial={"q": [-0.5]})["q"][0, 0]
    omega = np.sqrt(G / draught)
    period = 2 * np.pi / omega
    result = desk.run(robot, 3 * period, ("q",), dt=period / 50, initial={"q": [-draught], "qd": [KICK]})
    exact = -draught + KICK / omega * np.sin(omega * result.t)
    rows = [Row("draught", -rest, draught, 2e-3, "m"), Row("heave over three periods", result["q"][:, 0] + draught, exact + draught,
                                                           0.05, "m")]

    def draw(figure):
        axes = figure.subplots()
        axes.plot(result.t, result["q"][:, 0], lw=1, label="Tendril"), axes.plot(result.t, exact, "k:", lw=1, label="exact")
        axes.set(xlabel="t, s", ylabel="foot of the spar, m"), axes.legend()

    return rows, draw

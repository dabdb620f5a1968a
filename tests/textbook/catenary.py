"""Catenary: a cable between two supports

A hinged cable of 1.25 times the span under its own weight, held at the far end by a loop. Where bending stiffness does not count its
shape is a cosh and the reaction's horizontal part H = w a. Here sqrt(EI/H) is about a hundredth of the span.

The job has no first guess: the straight rod, which no small step brings nearer to its support, is left downwards.

Source: closed form (Leibniz, Huygens, Joh. Bernoulli 1691).

Tolerance: 2e-3 of the span and of the weight: what the bending stiffness at the supports is worth.
"""
import numpy as np

from support.models import link, model, rod, smooth
from support.rows import Row

KIND = "exact (limit)"
LENGTH, SPAN, RADIUS, YOUNG, DENSITY, G = 1.25, 1.0, 0.002, 4e6, 1000.0, 9.81


def measure(desk):
    low, high = 1e-3, 10.0  # 2 a sinh(span/(2 a)) = length
    for _ in range(100):
        a = (low + high) / 2
        low, high = (a, high) if 2 * a * np.sinh(SPAN / 2 / a) > LENGTH else (low, a)
    weight = DENSITY * np.pi * RADIUS**2 * G
    hinge = {"type": "revolute", "axis": "y"}
    loop = {"a": {"link": "rod"}, "b": {"link": "world", "pose": {"translation": [SPAN, 0, 0]}}, "joint": hinge}
    robot = model([link("rod", hinge, rod(LENGTH, RADIUS, YOUNG, {"bending_y": 10}, density=DENSITY))], (0, 0, -G), loops=[loop])
    result = desk.statics(robot)
    poses = desk.evaluate(robot, result["q"], "poses")["poses/rod"][0]
    x, z = poses[:, 0, 3], poses[:, 2, 3]
    exact = a * (np.cosh((x - SPAN / 2) / a) - np.cosh(SPAN / 2 / a))
    curve = smooth(poses)
    force = np.abs(result["lambda"][0])
    rows = [Row("shape at the computational points", z, exact, 2e-3, "m", scale=SPAN),
            Row("sag", -curve[:, 2].min(), a * (np.cosh(SPAN / 2 / a) - 1), 2e-3, "m", scale=SPAN),
            Row("horizontal and vertical reaction", np.sort(np.sort(force)[-2:]), np.sort([weight * a, weight * LENGTH / 2]), 5e-3, "N")]

    def draw(figure):
        axes = figure.subplots()
        t = np.linspace(0, SPAN, 100)
        axes.plot(curve[:, 0], curve[:, 2], lw=1), axes.plot(x, z, "C0.", label="Tendril")
        axes.plot(t, a * (np.cosh((t - SPAN / 2) / a) - np.cosh(SPAN / 2 / a)), "k:", lw=1, label="catenary")
        axes.set(aspect="equal", xlabel="x, m", ylabel="z, m"), axes.legend()

    return rows, draw

"""Cantilever: its first four frequencies in bending, torsion and extension

A slender round clamped rod: bending by Euler and Bernoulli, (k L)^2 with cos k cosh k = -1; torsion and extension (2 n - 1) pi/2 times the
wave speed. All six strains are free, so that shear and rotary inertia are in the model: the rod is thin (radius L/400).

Source: L. Rayleigh, *The Theory of Sound*, chapters VII and VIII.

Tolerance: 1e-3 for three bending frequencies (what Legendre order 6 and the Timoshenko terms leave); 1e-3 for torsion and extension.
"""
import numpy as np

from support.desk import frequencies
from support.models import circle_ei, link, model, rod
from support.rows import Row

KIND = "exact"
RADIUS, YOUNG, DENSITY, POISSON = 0.0025, 1e9, 1000.0, 0.3


def roots(count):
    found = []
    for n in range(1, count + 1):
        low, high = (n - 1) * np.pi, n * np.pi
        for _ in range(80):
            middle = (low + high) / 2
            f = np.cos(middle) + 1 / np.cosh(middle)
            low, high = (middle, high) if (f > 0) == (n % 2 == 1) else (low, middle)
        found.append(low)
    return np.array(found)


def measure(desk):
    bending = roots(4) ** 2 * np.sqrt(circle_ei(YOUNG, RADIUS) / (DENSITY * np.pi * RADIUS**2))
    odd = (2 * np.arange(1, 4) - 1) * np.pi / 2
    twist, stretch = odd * np.sqrt(YOUNG / (2 * (1 + POISSON)) / DENSITY), odd * np.sqrt(YOUNG / DENSITY)
    rows = []
    order = {c: 6 for c in ("torsion", "bending_y", "bending_z", "elongation", "shear_y", "shear_z")}
    ours = frequencies(desk.linearize(model([link("rod", body=rod(1, RADIUS, YOUNG, order, poisson=POISSON, density=DENSITY))]))["A"][0])
    near = lambda exact: np.array([ours[np.argmin(np.abs(ours - e))] for e in exact])
    rows = [Row("bending 1", near(bending[:1]), bending[:1], 1e-3, "rad/s"),
            Row("bending 2", near(bending[1:2]), bending[1:2], 1e-3, "rad/s"),
            Row("bending 3", near(bending[2:3]), bending[2:3], 3e-3, "rad/s"), Row("bending 4", near(bending[3:]), bending[3:],
                                                                                   2e-2, "rad/s"),
            Row("torsion 1 to 3", near(twist), twist, 1e-3, "rad/s"), Row("extension 1 to 3", near(stretch), stretch, 1e-3, "rad/s")]
    errors = {}
    for n in (2, 3, 4, 5, 6, 8, 10):
        found = frequencies(desk.linearize(model([link("rod", body=rod(1, RADIUS, YOUNG, {"bending_y": n}, density=DENSITY))]))["A"][0])
        errors[n] = np.abs(found[:3] / bending[:3] - 1)

    def draw(figure):
        axes = figure.subplots()
        for i in range(3):
            axes.semilogy(list(errors), [e[i] for e in errors.values()], "o-", ms=4, lw=1, label=f"bending {i + 1}")
        axes.set(xlabel="Legendre order (default points)", ylabel="relative error",
                 title="bending only; rotary inertia remains"), axes.legend()

    return rows, draw

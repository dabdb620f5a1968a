"""Clothoid: a rod whose curvature grows with its length

Reference curvature a s (strain.reference with two knots): Euler's spiral, the tip by Fresnel's integrals. Nothing deforms; what is
tested is how well the steps between the computational points follow a curve of the third order, and what more points give.

Source: closed form (Abramowitz and Stegun 7.3), Fresnel's integrals by Gauss-Legendre quadrature.

Tolerance: 2e-3 of the length for a spiral of 1.25 turns with the 5 default points of a rigid rod, fourth order in the number of points.
"""
import numpy as np

from support.models import link, model, rod, smooth
from support.rows import Row

KIND = "exact"
END = 5 * np.pi  # curvature at the tip: the tangent turns by END/2


def spiral(s):
    x, w = np.polynomial.legendre.leggauss(80)
    s = np.asarray(s, float)[..., None]
    t = s * (x + 1) / 2
    return np.stack([(np.cos(END * t * t / 2) * w * s / 2).sum(-1), (np.sin(END * t * t / 2) * w * s / 2).sum(-1)], -1)


def measure(desk):
    errors, kept = {}, None
    for points in (5, 7, 10, 14, 20, 28, 40):
        body = rod(reference={"s": [0, 1], "value": [[0, 0, 0, 1, 0, 0], [0, 0, END, 1, 0, 0]]}, order={"bending_z": 0}, points=points)
        poses = desk.evaluate(model([link("rod", body=body)]), np.zeros((1, 1)), "poses")["poses/rod"][0]
        errors[points] = np.abs(poses[-1, :2, 3] - spiral(1.0)).max()
        kept = poses if points == 10 else kept
        if points == 40:
            fine = poses[-1, :2, 3]
    order = np.log(errors[10] / errors[40]) / np.log(4)
    rows = [Row("tip, 5 points", errors[5], 0, 5e-3, "L", scale=1), Row("tip, 40 points", fine, spiral(1.0), 2e-6, "L", scale=1),
            Row("order of convergence from 10 to 40 points", order, 4, 0.15)]

    def draw(figure):
        left, right = figure.subplots(1, 2)
        left.plot(*smooth(kept)[:, :2].T, lw=1), left.plot(kept[:, 0, 3], kept[:, 1, 3], "C0.", label="10 points")
        left.plot(*spiral(np.linspace(0, 1, 200)).T, "k:", lw=1, label="exact"), left.set(aspect="equal", xlabel="x/L",
                                                                                          ylabel="y/L"), left.legend()
        right.loglog(list(errors), list(errors.values()), "o-", ms=4, lw=1), right.set(xlabel="Gauss points", ylabel="error of the tip / L")
        right.loglog([10, 40], [errors[10], errors[10] / 256], "k:", lw=1)
        right.set_xticks([5, 10, 20, 40], ["5", "10", "20", "40"]), right.minorticks_off()

    return rows, draw

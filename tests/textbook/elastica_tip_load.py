"""Elastica: a cantilever under a transverse dead load at its tip

A straight inextensible rod, clamped, bent by a force P that keeps its direction: displacement of the tip along the rod (u), across it
(w) and its rotation (theta) for P L^2/EI up to 10. One rod with bending of Legendre order 6, one job with a list of eight loads.

Source: K. Mattiasson, *Numerical results from large deflection beam and frame problems analysed by means of elliptic integrals*,
Int. J. Numer. Methods Eng. 17 (1981) 145-153, table I: five decimals. The closed form behind it (Bisshopp & Drucker 1945),
evaluated here by Gauss-Legendre quadrature, gives the same and the digits beyond.

Tolerance: 5e-5, what order 6 with its default points leaves at P L^2/EI = 10; with 26 points half a unit of the table's last digit.
"""
import numpy as np

from support.models import circle_ei, link, load, model, rod, smooth
from support.rows import Row

KIND = "published, exact"
LENGTH, RADIUS, YOUNG, ORDER = 1.0, 0.01, 1e9, 6
LOADS = np.array([0.2, 0.4, 0.6, 0.8, 1, 2, 4, 10])
# Mattiasson 1981, table I: P L^2/EI, w/L, u/L, theta (rad)
TABLE = {1: (0.30172, 0.05643, 0.46135), 2: (0.49346, 0.16064, 0.78175), 4: (0.66996, 0.32894, 1.12124), 10: (0.81061, 0.55500, 1.43029)}


def exact(load):
    """(w, u, theta)/(L, L, 1) of Bisshopp & Drucker: with 2 p^2 = 1 + sin(theta), sin(phi1) = 1/(p sqrt 2), sqrt(load) = K(p) - F(phi1, p)."""
    x, weights = np.polynomial.legendre.leggauss(60)

    def parts(theta):
        p2 = (1 + np.sin(theta)) / 2
        phi1 = np.arcsin(1 / np.sqrt(2 * p2))
        phi = phi1 + (np.pi / 2 - phi1) * (x + 1) / 2
        w, root = weights * (np.pi / 2 - phi1) / 2, np.sqrt(1 - p2 * np.sin(phi) ** 2)
        return w @ (1 / root), w @ root, p2, phi1

    low, high = 0.0, np.pi / 2 - 1e-9
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if parts(middle)[0] < np.sqrt(load) else (low, middle)
    f, e, p2, phi1 = parts(low)
    return 1 - 2 * e / f, 1 - np.sqrt(2 * np.sin(low) / load), low


def robot(points=None):
    body = rod(LENGTH, RADIUS, YOUNG, {"bending_y": ORDER}, points=points)
    return model([link("rod", body=body)], loads=[load({"fz": "P"})])


def states(desk, loads, points=None):
    """(w, u, theta) [S, 3] and all poses for a list of loads that begins at 0."""
    q = desk.statics(robot(points), {"P": (-loads).tolist()})["q"][1:]
    poses = desk.evaluate(robot(points), q, "poses")["poses/rod"]
    tip, slope = poses[:, -1, :3, 3], poses[:, -1, :3, 0]
    return np.stack([-tip[:, 2], LENGTH - tip[:, 0], np.arctan2(-slope[:, 2], slope[:, 0])], -1), poses


def measure(desk):
    loads = np.concatenate([[0.0], LOADS]) * circle_ei(YOUNG, RADIUS) / LENGTH**2
    ours, poses = states(desk, loads)
    reference = np.array([exact(k) for k in LOADS])
    picked = [list(LOADS).index(k) for k in TABLE]
    rows = [Row("displacements and rotation, table I of Mattiasson", ours[picked], np.array(list(TABLE.values())), 1e-4, scale=1)]
    rows += [Row(f"{name}, elliptic integrals", ours[:, i], reference[:, i], tolerance, scale=1)
             for i, (name, tolerance) in enumerate([("w/L", 5e-5), ("u/L", 5e-5), ("theta, rad", 1e-4)])]
    fine = states(desk, loads, 26)[0]
    rows.append(Row("all three, table I, 26 points", fine[picked], np.array(list(TABLE.values())), 6e-6, scale=1))
    rows.append(Row("all three, elliptic integrals, 26 points", fine, reference, 2e-6, scale=1))

    def draw(figure):
        axes = figure.subplots()
        for shape in poses:
            axes.plot(*smooth(shape)[:, [0, 2]].T, "C0", lw=1)
            axes.plot(shape[:, 0, 3], shape[:, 2, 3], "C0.", ms=3)
        axes.plot(1 - reference[:, 1], -reference[:, 0], "kx", ms=6, label="exact tips")
        axes.set(aspect="equal", xlabel="x/L", ylabel="z/L", title="P L²/EI = 0.2 … 10")
        axes.legend()

    return rows, draw

"""Order and points: what a basis and a quadrature are worth

Two things limit a rod: how many coefficients its strains have (`order`) and how many Gauss points it is computed at. Strains converge
exponentially with the order. The frames between two points come from one Magnus step of the fourth order, so that the shape converges with
the fourth power of the points, whatever the order. The tables give the error of the tip, relative to the length: for the elastica at
P L^2/EI = 10 (Bisshopp and Drucker's closed form), for a rod bent to two full circles by an end moment, and for a rod wound to a helix of
two turns by a moment at its end (both closed forms, constant strains: rounding up to order 3; above, a Magnus
step no longer integrates the work of a constant moment exactly).

Source: as in the problems above.

Tolerance: what the rows say: the default is order + 3 points; 5 more make an error ten times smaller.
"""
import numpy as np

import elastica_tip_load
from support.models import circle_ei, link, load, model, rod
from support.rows import Row

KIND = "exact"
RADIUS, YOUNG = 0.01, 1e9
POINTS = (None, 8, 12, 16, 24, 40)



def error(desk, basis, order, points, target):
    robot = model([link("rod", body=rod(1, RADIUS, YOUNG, {"bending_y": order}, basis=basis, points=points))], loads=[load({"fz": "P"})])
    loads = np.array([1, 2, 5, 10]) * circle_ei(YOUNG, RADIUS)
    q = desk.statics(robot, {"P": (-loads).tolist()})["q"]
    tip = desk.tip(robot, q[-1:])[0]
    return np.hypot(tip[0] - (1 - target[1]), tip[2] + target[0])


def helix(desk, order):
    """A moment on the end about a fixed axis winds an inextensible rod with G J = E I … to a helix about it: exact strains are constant."""
    order = {c: order for c in ("torsion", "bending_y", "bending_z")}
    robot = model([link("rod", body=rod(1, RADIUS, YOUNG, order, poisson=0.0))], loads=[load({"mx": "X", "mz": "Z"}, frame="body")])
    ei, twist, bend = circle_ei(YOUNG, RADIUS), 5.0, 4 * np.pi
    steps = np.linspace(0, 1, 9)
    q = desk.statics(robot, {"X": (steps * twist * ei).tolist(), "Z": (steps * bend * ei).tolist()})["q"]
    # Constant strain k = (twist, 0, bend): the tip is the integral of exp(hat(k) s) e_x.
    k = np.array([twist, 0, bend])
    w = np.linalg.norm(k)
    axis, x = k / w, np.array([1.0, 0, 0])
    exact = axis * (axis @ x) + (x - axis * (axis @ x)) * np.sin(w) / w + np.cross(axis, x) * (1 - np.cos(w)) / w
    return np.abs(desk.tip(robot, q[-1:])[0] - exact).max()


def measure(desk):
    target = elastica_tip_load.exact(10.0)
    found, lines = {}, []
    orders = (1, 2, 3, 4, 5, 6, 8, 10)
    lines += ["Elastica, error of the tip / L, Legendre:", "",
              "| order | " + " | ".join("default" if p is None else f"{p} points" for p in POINTS) + " |",
              "|---" * (len(POINTS) + 1) + "|"]
    for n in orders:
        for p in POINTS:
            if p is None or p > n:
                found[n, p] = error(desk, "legendre", n, p, target)
        lines.append(f"| {n} | " + " | ".join(f"{found[n, p]:.1e}" if (n, p) in found else "" for p in POINTS) + " |")
    lines += ["", "Elastica, finite elements with their default points:", "", "| elements | linear | quadratic | cubic | hermite |",
              "|---|---|---|---|---|"]
    families, elements = ("linear", "quadratic", "cubic", "hermite"), (1, 2, 4, 8, 16)
    for n in elements:
        for family in families:
            found[n, family] = error(desk, family, n, None, target)
        lines.append(f"| {n} | " + " | ".join(f"{found[n, family]:.1e}" for family in families) + " |")
    wound = {n: helix(desk, n) for n in (0, 2, 4, 6)}
    lines += ["", "Helix by an end moment (5 rad of twist, two turns), error of the tip / L with default points: "
              + ", ".join(f"order {n}: {e:.0e}" for n, e in wound.items()) + ".", ""]
    slope = np.log(found[10, 12] / found[10, 40]) / np.log(40 / 12)
    rows = [Row("elastica, order 5, default points", found[5, None], 0, 1e-4, "L", scale=1),
            Row("elastica, order 10, 40 points", found[10, 40], 0, 5e-7, "L", scale=1),
            Row("power of the points, order 10, from 12 to 40", slope, 4, 0.2), Row("16 linear elements", found[16, "linear"], 0,
                                                                                    1e-3, "L", scale=1),
            Row("helix, orders 0 and 2", max(wound[0], wound[2]), 0, 1e-9, "L", scale=1),
            Row("helix, orders 4 and 6", max(wound[4], wound[6]), 0, 1e-3, "L", scale=1)]

    def draw(figure):
        axes = figure.subplots()
        for p in POINTS:
            n = [n for n in orders if (n, p) in found]
            axes.semilogy(n, [found[k, p] for k in n], "o-", ms=3, lw=1, label="default points" if p is None else f"{p} points")
        axes.set(xlabel="Legendre order", ylabel="error of the tip / L", title="elastica, P L²/EI = 10"), axes.legend(fontsize=7)

    return rows, draw, lines

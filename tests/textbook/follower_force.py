"""Follower force: a cantilever under a force that stays normal to its tip

An inextensible cantilever under a tip force that turns with the section, far beyond the first turn of the tip: P L^2/EI up to 40. Such a
load has no potential, so that a descent on energy cannot find these shapes. One job, a list of 21 loads.

Source: J. Argyris and S. Symeonidis, *Nonlinear finite element analysis of elastic systems under nonconservative loading*, Comput. Methods
Appl. Mech. Eng. 26 (1981) 75-123 (the problem); the shapes by the planar elastica, integrated from the tip where its moment is 0, by an
independent method (support/ode.py): one march, no iteration.

Tolerance: 2e-3 of the length with order 8 and default points.
"""
import numpy as np

from support.models import circle_ei, link, load, model, rod, smooth
from support.ode import solve
from support.rows import Row

KIND = "solver (exact equation)"
RADIUS, YOUNG = 0.01, 1e9


def exact(load_):
    """Tip (x, z) and rotation of the tip: seen from the tip theta'' = -k sin(theta) with theta the angle to the force's normal."""
    def rate(s, y):  # from the tip inwards: angle, curvature, place
        return np.array([y[1], -load_ * np.cos(y[0]), np.cos(y[0]), np.sin(y[0])])
    end = solve(rate, [0.0, 0.0, 0.0, 0.0], [0.0, 1.0])[-1]
    turn, x, y = end[0], end[2], end[3]
    c, s = np.cos(turn), np.sin(turn)
    return np.array([c * x + s * y, c * y - s * x]), turn


def measure(desk):
    ei = circle_ei(YOUNG, RADIUS)
    loads = np.linspace(0, 40, 21)
    robot = model([link("rod", body=rod(1, RADIUS, YOUNG, {"bending_y": 8}))], loads=[load({"fz": "P"}, frame="body")])
    result = desk.statics(robot, {"P": (loads * ei).tolist()}, keep=True)
    poses = desk.evaluate(robot, result["q"], "poses")["poses/rod"]
    tip = poses[:, -1][:, [0, 2], 3]
    reference = np.array([exact(p)[0] for p in loads])
    at = [2, 5, 10, 15, 20]
    rows = [Row(f"tip at P L^2/EI = {loads[i]:g}", tip[i], reference[i], 2e-3, "L", scale=1) for i in at]
    rows.append(Row("iterations of the hardest load", result["iterations"].max(), 0, 60, scale=1))

    def draw(figure):
        axes = figure.subplots()
        for i in at:
            axes.plot(*smooth(poses[i])[:, [0, 2]].T, lw=1, label=f"{loads[i]:g}"), axes.plot(*reference[i], "kx", ms=5)
        axes.set(aspect="equal", xlabel="x/L", ylabel="z/L", title="crosses: integrated from the tip"), axes.legend(title="P L²/EI",
                                                                                                                    loc="center left", bbox_to_anchor=(1, 0.5))

    return rows, draw

"""45-degree bend: a curved cantilever under a load out of its plane

A quarter of a half circle, R = 100, section 1 x 1, E = 1e7, nu = 0, in the horizontal plane; a vertical force of 300, 450 and 600 at the
tip. Bending, torsion and a little stretch and shear act at once. Constant reference curvature 1/R, Legendre orders 4.

Source: K.-J. Bathe and S. Bolourchi, *Large displacement analysis of three-dimensional beam structures*, Int. J. Numer. Methods Eng. 14
(1979) 961-986; J. Simo and L. Vu-Quoc 1986 (part II), table: tip (22.33, 58.84, 40.08) for 300, (15.79, 47.23, 53.37) for 600. Published
values differ from each other by up to 0.5 because they come from eight straight or curved elements; an independent Cosserat solver
(support/shooting.py, shear factor 1, J = Iy + Iz as Tendril has them) says what the continuum does.

Tolerance: 0.5 % against the published tips (their spread), 1e-4 of the radius against the solver.
"""
import numpy as np

from support.models import link, load, model, rod
from support.rows import Row
from support.shooting import Rod, cantilever

KIND = "published, solver"
R, YOUNG = 100.0, 1e7
LENGTH = R * np.pi / 4
PUBLISHED = {300: (22.33, 58.84, 40.08), 600: (15.79, 47.23, 53.37)}
BATHE = {300: (22.5, 59.2, 39.5), 600: (15.9, 47.2, 53.4)}
LOADS = (300, 450, 600)


def solver():
    inertia, area = 1 / 12, 1.0
    shear = YOUNG / 2
    bend = Rod(LENGTH, (1 / (shear * 2 * inertia), 1 / (YOUNG * inertia), 1 / (YOUNG * inertia)),
               (1 / (YOUNG * area), 1 / (shear * area), 1 / (shear * area)), curvature=lambda s: np.array([0, 0, 1 / R]),
               start=(np.sqrt(0.5), 0, 0, np.sqrt(0.5)), steps=200)
    tips, guess = [], None
    for force in LOADS:
        guess = cantilever(bend, (0, 0, force), steps=4 if guess is None else 1, guess=guess)
        tips.append(bend.march(guess)[:3])
    return np.array(tips)


def measure(desk):
    order = {c: 4 for c in ("torsion", "bending_y", "bending_z", "elongation", "shear_y", "shear_z")}
    body = rod(LENGTH, section={"shape": "rectangle", "height": 1, "width": 1}, young=YOUNG, poisson=0.0, order=order,
               reference=[0, 0, 1 / R, 1, 0, 0])
    # the bend starts along y and turns towards -x, so that its tip is at (-29.3, 70.7); the published frame has x mirrored
    robot = model([link("rod", body=body, pose={"rpy": [0, 0, np.pi / 2]})], loads=[load({"fz": "P"})])
    q = desk.statics(robot, {"P": [0, *LOADS]})["q"]
    points = desk.points(robot, q)
    tips, exact = points[1:, -1] * [-1, 1, 1], solver() * [-1, 1, 1]
    rows = [Row("unloaded tip", points[0, -1] * [-1, 1, 1], R * np.array([1 - np.sqrt(0.5), np.sqrt(0.5), 0]), 1e-9)]
    rows += [Row(f"tip under {k}, Simo & Vu-Quoc", tips[LOADS.index(k)], PUBLISHED[k], 0.005) for k in PUBLISHED]
    rows += [Row(f"tip under {k}, Bathe & Bolourchi", tips[LOADS.index(k)], BATHE[k], 0.015) for k in BATHE]
    rows.append(Row("tips under 300, 450, 600, shooting", tips, exact, 1e-4, scale=R, unit="R"))

    def draw(figure):
        axes = figure.add_subplot(projection="3d")
        for force, line in zip((0, *LOADS), points * [-1, 1, 1]):
            axes.plot(*line.T, ".-", ms=3, label=f"{force}")
        for k, tip in PUBLISHED.items():
            axes.plot(*[[v] for v in tip], "kx", label="Simo & Vu-Quoc" if k == 300 else None)
        axes.set(xlabel="x", ylabel="y", zlabel="z")
        axes.set_box_aspect((40, 75, 55), zoom=0.85)
        axes.legend(loc="center left", bbox_to_anchor=(-0.45, 0.5))

    return rows, draw

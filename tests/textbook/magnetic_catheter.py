"""Magnetic catheter: a rod magnetised along itself, bent by a field across it

A soft rod with permanent moments along its tangent, mu = M A per metre, clamped, in a uniform field B across it: every piece feels the
couple mu B cos(theta), so that EI theta'' + mu B cos(theta) = 0 with theta = 0 at the clamp and theta' = 0 at the tip. Of a catheter's tube
only the tip is magnetised: mu = 0 before it, and the tube carries the tip's couple. Numbers as of the printed guidewires of Kim, Parada,
Liu, Zhao, *Ferromagnetic soft continuum robots*, Science Robotics 4 (2019) eaax7329: silicone with neodymium particles, half a millimetre thick.

Source: small deflections mu B L^2/(2 EI) (angle) and mu B L^3/(3 EI) (deflection) in closed form; large ones by a solver of the equation
above that shares nothing with Tendril (Runge and Kutta's fourth order, shooting for the curvature at the clamp).

Tolerance: 1e-5 of the small deflections (the next term of the series is a relative k^2/10 at k = mu B L^2/EI); 5e-5 of large ones, what
order 6 with its default points leaves at k = 10, 5e-6 for a tube and its tip of order 4 each.
"""
from math import cos, sin

import numpy as np

from support.models import circle_ei, link, model, rod, smooth
from support.rows import Row

KIND = "exact, solver"
LENGTH, RADIUS, YOUNG, MAGNETISATION = 0.02, 0.25e-3, 1.2e6, 1e5
EI, MOMENT = circle_ei(YOUNG, RADIUS), MAGNETISATION * np.pi * RADIUS**2
SMALL, FIELDS = np.array([1e-3, 2e-3]), np.array([0.5, 1, 2, 4, 10])  # mu B L^2/EI
TUBE, TIP = 0.03, 0.01
COUPLES = np.array([0.5, 1, 2, 4])  # mu B TIP TUBE/EI


def march(lengths, loads, kappa, steps=150):
    """(theta, theta', x, z) at the end, from the curvature at the clamp."""
    angle, x, z = 0.0, 0.0, 0.0
    for length, load in zip(lengths, loads):
        h = length / steps
        for _ in range(steps):
            a = angle + h / 2 * kappa, kappa - h / 2 * load * cos(angle)
            b = angle + h / 2 * a[1], kappa - h / 2 * load * cos(a[0])
            c = angle + h * b[1], kappa - h * load * cos(b[0])
            end = angle + h / 6 * (kappa + 2 * a[1] + 2 * b[1] + c[1])
            kappa -= h / 6 * load * (cos(angle) + 2 * cos(a[0]) + 2 * cos(b[0]) + cos(c[0]))
            x += h / 6 * (cos(angle) + 2 * cos(a[0]) + 2 * cos(b[0]) + cos(c[0]))
            z += h / 6 * (sin(angle) + 2 * sin(a[0]) + 2 * sin(b[0]) + sin(c[0]))
            angle = end
    return angle, kappa, x, z


def elastica(lengths, loads):
    """theta, x, z at the end of pieces of `lengths` under theta'' + load cos(theta) = 0, clamped at the start, free at the end."""
    low, high = 0.0, sum(k * length for k, length in zip(loads, lengths))  # of the straight rod
    while high - low > 1e-12 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if march(lengths, loads, middle)[1] < 0 else (low, middle)
    angle, _, x, z = march(lengths, loads, high)
    return angle, x, z


def cantilever():
    body = rod(LENGTH, RADIUS, YOUNG, {"bending_y": 6}, magnetisation=[MAGNETISATION, 0, 0])
    return model([link("rod", body=body)], actuators=[{"name": "coil", "type": "field"}])


def catheter():
    tip = rod(TIP, RADIUS, YOUNG, {"bending_y": 4}, magnetisation=[MAGNETISATION, 0, 0])
    return model([link("tube", body=rod(TUBE, RADIUS, YOUNG, {"bending_y": 4})), link("rod", body=tip, parent="tube")],
                 actuators=[{"name": "coil", "type": "field"}])


def ends(desk, robot, tesla):
    """theta, x, z of the tip [S, 3] and the poses of all rods for a list of fields along z."""
    q = desk.statics(robot, {"coil[z]": [0.0, *tesla]})["q"][1:]
    poses = desk.evaluate(robot, q, "poses")
    last = poses["poses/rod"][:, -1]
    return np.stack([np.arctan2(last[:, 2, 0], last[:, 0, 0]), last[:, 0, 3], last[:, 2, 3]], -1), poses


def measure(desk):
    unit = EI / (MOMENT * LENGTH**2)  # T at mu B L^2/EI = 1
    small, _ = ends(desk, cantilever(), SMALL * unit)
    large, shapes = ends(desk, cantilever(), FIELDS * unit)
    exact = np.array([elastica([LENGTH], [k / LENGTH**2]) for k in FIELDS])
    tube, bent = ends(desk, catheter(), COUPLES * EI / (MOMENT * TIP * TUBE))
    whole = np.array([elastica([TUBE, TIP], [0, k / (TIP * TUBE)]) for k in COUPLES])
    rows = [Row("small: angle of the tip, mu B L²/(2 EI), rad", small[:, 0], SMALL / 2, 1e-5),
            Row("small: deflection, mu B L³/(3 EI), /L", small[:, 2] / LENGTH, SMALL / 3, 1e-5),
            Row("large: angle of the tip, rad", large[:, 0], exact[:, 0], 5e-5, scale=1),
            Row("large: place of the tip, /L", large[:, 1:] / LENGTH, exact[:, 1:] / LENGTH, 5e-5, scale=1),
            Row("catheter: angle of the tip, rad", tube[:, 0], whole[:, 0], 5e-6, scale=1),
            Row("catheter: place of the tip, /L", tube[:, 1:] / (TUBE + TIP), whole[:, 1:] / (TUBE + TIP), 5e-6, scale=1)]

    def draw(figure):
        left, right = figure.subplots(1, 2)
        for shape in shapes["poses/rod"]:
            left.plot(*1e3 * smooth(shape)[:, [0, 2]].T, "C3", lw=1.5)
        left.plot(*1e3 * exact[:, 1:].T, "kx", ms=6, label="solver")
        for i in range(len(COUPLES)):
            right.plot(*1e3 * smooth(bent["poses/tube"][i])[:, [0, 2]].T, "C0", lw=1)
            right.plot(*1e3 * smooth(bent["poses/rod"][i])[:, [0, 2]].T, "C3", lw=2)
        right.plot(*1e3 * whole[:, 1:].T, "kx", ms=6)
        left.set(aspect="equal", xlabel="x, mm", ylabel="z, mm", title="magnetised all along, field up")
        right.set(aspect="equal", xlabel="x, mm", title="magnetised at the tip")
        left.legend()

    return rows, draw

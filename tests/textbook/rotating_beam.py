"""Rotating beam: frequencies of a blade that centrifugal force stiffens

A clamped uniform blade on a hub of radius 0 turns at a constant speed (a joint in position mode); frequencies of flapping, out of the
plane of rotation, for speeds of 0 to 12 sqrt(EI/(rho A L^4)). A job `linearize` at the state that turns.

Source: A. Wright, C. Smith, R. Thresher and J. Wang, *Vibration modes of centrifugally stiffened beams*, J. Appl. Mech. 49 (1982) 197-202,
table 1: three frequencies for each speed, five digits.

Tolerance: 2e-4, 5e-4 and 3e-3 for the three frequencies with Legendre order 8 and default points.
"""
import numpy as np

from support.desk import frequencies
from support.models import circle_ei, link, model, rigid, rod
from support.rows import Row

KIND = "published"
RADIUS, YOUNG, DENSITY = 1e-3, 1e9, 1000.0
SPEEDS = (0, 2, 4, 6, 8, 10, 12)
TABLE = np.array([[3.5160, 22.0345, 61.6972], [4.1373, 22.6149, 62.2732], [5.5850, 24.2733, 63.9668], [7.3604, 26.8091, 66.6839],
                  [9.2568, 29.9954, 70.2930], [11.2023, 33.6404, 74.6493], [13.1702, 37.6031, 79.6145]])


def measure(desk):
    unit = np.sqrt(circle_ei(YOUNG, RADIUS) / (DENSITY * np.pi * RADIUS**2))
    blade = rod(1, RADIUS, YOUNG, {"bending_y": 8}, density=DENSITY)
    hub = link("hub", {"type": "revolute", "axis": "z"}, rigid(1e-3, inertia=(1e-6, 1e-6, 1e-6)))
    robot = model([hub, link("blade", body=blade, parent="hub")],
                  actuators=[{"name": "turn", "type": "joint", "link": "hub", "mode": "position"}])
    ours = []
    for speed in SPEEDS:
        turn = {"type": "polynomial", "coefficients": [0, speed * unit]}
        A = desk.linearize(robot, at={"q": [0.0] * 10, "qd": [speed * unit] + [0.0] * 9}, inputs={"turn": turn})["A"][0]
        n = len(A) // 2
        free = [i for i in range(2 * n) if i % n]
        ours.append(frequencies(A[np.ix_(free, free)])[:3] / unit)
    ours = np.array(ours)
    rows = [Row(f"flapping {i + 1}, speeds 0 to 12", ours[:, i], TABLE[:, i], (2e-4, 5e-4, 3e-3)[i]) for i in range(3)]

    def draw(figure):
        axes = figure.subplots()
        for i in range(3):
            axes.plot(SPEEDS, ours[:, i], f"C{i}", lw=1, label=f"flapping {i + 1}"), axes.plot(SPEEDS, TABLE[:, i], "kx", ms=5)
        axes.set(xlabel="speed / sqrt(EI/ρAL⁴)", ylabel="frequency / sqrt(EI/ρAL⁴)", title="crosses: Wright et al."), axes.legend()

    return rows, draw

"""Double pendulum: two bars released from the horizontal

Two equal uniform bars. The motion is chaotic: what differs by 1e-9 at the start differs visibly after some ten seconds, so the run is
compared for 4 s.

Source: the Lagrangian equations in absolute angles, integrated by an independent extrapolation method to 1e-12 (support/ode.py).

Tolerance: 1e-3 rad (default tolerance 1e-6 a step and the growth of errors).
"""
import numpy as np

from support.models import link, model, rigid
from support.ode import solve
from support.rows import Row

KIND = "solver"
G = 9.81


def rate(t, y):
    """Absolute angles from below of two uniform bars of 1 m and 1 kg."""
    a, b, p, q = y
    c, s = np.cos(a - b), np.sin(a - b)
    M = np.array([[4 / 3, c / 2], [c / 2, 1 / 3]])
    f = np.array([-s * q * q / 2 - 1.5 * G * np.sin(a), s * p * p / 2 - 0.5 * G * np.sin(b)])
    return np.concatenate([[p, q], np.linalg.solve(M, f)])


def measure(desk):
    bar = rigid(1.0, (0, 0, -0.5), (1 / 12, 1 / 12, 0))
    bar["inertia"][2] = 1e-6
    hinge = {"type": "revolute", "axis": "y"}
    robot = model([link("upper", hinge, bar), link("lower", hinge, bar, "upper", pose={"translation": [0, 0, -1]})], (0, 0, -G))
    result = desk.run(robot, 4.0, ("q", "energy"), dt=0.02, initial={"q": [np.pi / 2, 0]})
    exact = solve(rate, [np.pi / 2, np.pi / 2, 0, 0], result.t)[:, :2]
    ours = np.cumsum(result["q"], 1)
    energy = result["energy"].sum(1)
    rows = [Row("angles, 4 s", ours, exact, 1e-3, "rad", scale=1), Row("energy at the end", energy[-1], energy[0], 1e-4, scale=2 * G)]

    def draw(figure):
        axes = figure.subplots()
        for i, name in enumerate(("upper", "lower")):
            axes.plot(result.t, ours[:, i], f"C{i}", lw=1, label=name), axes.plot(result.t, exact[:, i], "k:", lw=1)
        axes.set(xlabel="t, s", ylabel="angle, rad", title="dotted: independent integration"), axes.legend()

    return rows, draw

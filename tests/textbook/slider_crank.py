"""Slider crank: motion and driving torque of a prescribed crank

A crank turns at a constant 10 rad/s (a joint in position mode), a rod drives a piston through a loop. The piston's place is
r cos(a) + sqrt(l^2 - r^2 sin(a)^2), and the crank's torque follows from the kinetic energy of the rod and the piston by d'Alembert.

Source: closed form (every textbook of machines; J. Uicker et al., *Theory of Machines and Mechanisms*, slider-crank kinematics).

Tolerance: 1e-6 m of the piston over two turns (the loop is held to far less), 2e-3 of the largest torque: the reaction is an
acceleration and not what the step control looks at.
"""
import numpy as np

from support.models import link, model, rigid
from support.rows import Row

KIND = "exact"
R, L, SPEED, ROD, PISTON = 0.1, 0.3, 10.0, 0.5, 1.0


def measure(desk):
    hinge = {"type": "revolute", "axis": "z"}
    links = [link("crank", hinge, rigid(0.2, (R / 2, 0, 0), (1e-4, 1e-4, 2e-4))),
             link("rod", hinge, rigid(ROD, (L / 2, 0, 0), (1e-5, ROD * L * L / 12, ROD * L * L / 12)), "crank",
                  pose={"translation": [R, 0, 0]}),
             link("piston", {"type": "prismatic", "axis": "x"}, rigid(PISTON, (0, 0, 0), (1e-4, 1e-4, 1e-4)),
                  pose={"translation": [R + L, 0, 0]})]
    loop = {"a": {"link": "rod", "pose": {"translation": [L, 0, 0]}}, "b": {"link": "piston"}, "joint": hinge}
    robot = model(links, loops=[loop], actuators=[{"name": "motor", "type": "joint", "link": "crank", "mode": "position"}])
    turns = {"type": "polynomial", "coefficients": [0, SPEED]}
    result = desk.run(robot, 4 * np.pi / SPEED, ("q", "qd", "lambda", "loop_error"), dt=4 * np.pi / SPEED / 200, inputs={"motor": turns},
                      initial={"qd": [SPEED, -SPEED * (L + R) / L, 0]})
    a = SPEED * result.t

    def place(a):
        return R * np.cos(a) + np.sqrt(L * L - (R * np.sin(a)) ** 2)

    def energy(a, d=1e-5):
        """Twice the kinetic energy of rod and piston per SPEED^2."""
        b = lambda x: -np.arcsin(R * np.sin(x) / L)
        middle = lambda x: np.stack([R * np.cos(x) + L / 2 * np.cos(b(x)), R * np.sin(x) + L / 2 * np.sin(b(x))])
        slope = lambda f: (8 * (f(a + d) - f(a - d)) - (f(a + 2 * d) - f(a - 2 * d))) / (12 * d)
        return PISTON * slope(place) ** 2 + ROD * (slope(middle) ** 2).sum(0) + ROD * L * L / 12 * slope(b) ** 2

    d = 1e-3
    torque = SPEED**2 / 2 * (8 * (energy(a + d) - energy(a - d)) - (energy(a + 2 * d) - energy(a - 2 * d))) / (12 * d)
    ours, reaction = result["q"][:, 2] + R + L, result["lambda"][:, -1]
    rows = [Row("place of the piston, two turns", ours, place(a), 1e-6, "m", scale=1),
            Row("torque of the crank, two turns", reaction, torque, 2e-3),
            Row("largest loop error", np.abs(result["loop_error"]).max(), 0, 1e-8, "m", scale=1)]

    def draw(figure):
        left, right = figure.subplots(1, 2)
        left.plot(a, ours, lw=1), left.plot(a, place(a), "k:", lw=1), left.set(xlabel="crank, rad", ylabel="piston, m")
        right.plot(a, reaction, lw=1, label="Tendril"), right.plot(a, torque, "k:", lw=1, label="exact")
        right.set(xlabel="crank, rad", ylabel="torque, N m"), right.legend()

    return rows, draw

"""Terminal velocity: a ball sinks in water

A ball of twice the density of water starts from rest: quadratic drag, buoyancy and the added mass of a sphere (half the water it
displaces). v = v_t tanh(t/tau), v_t^2 = (m - m_w) g/D, tau = (m + m_w/2) v_t/((m - m_w) g), and the depth v_t tau log cosh(t/tau).

Source: closed form (G. Batchelor, *An Introduction to Fluid Dynamics*, section 5.11 for the equation with added mass).

Tolerance: 1e-4 at default tolerances.
"""
import numpy as np

from support.models import link, model
from support.rows import Row

KIND = "exact"
RADIUS, DENSITY, WATER, CD, G = 0.05, 2000.0, 1000.0, 0.47, 9.81


def measure(desk):
    volume = 4 / 3 * np.pi * RADIUS**3
    mass, water, drag = DENSITY * volume, WATER * volume, 0.5 * WATER * CD * np.pi * RADIUS**2
    body = {"type": "rigid", "mass": mass, "com": [0, 0, 0], "inertia": [0.4 * mass * RADIUS**2] * 3,
            "hydrodynamics": {"drag": [0, 0, 0, drag, drag, drag], "added_mass": [0, 0, 0] + [water / 2] * 3, "body_density": DENSITY}}
    robot = model([link("ball", "free", body)], (0, 0, -G), fluid={"density": WATER})
    final = np.sqrt((mass - water) * G / drag)
    tau = (mass + water / 2) * final / ((mass - water) * G)
    result = desk.run(robot, 6 * tau, ("q", "qd"), dt=6 * tau / 100)
    t = result.t
    speed, depth = -result["qd"][:, 5], -result["q"][:, 5]
    rows = [Row("speed", speed, final * np.tanh(t / tau), 1e-4, "m/s"),
            Row("depth", depth, final * tau * np.log(np.cosh(t / tau)), 1e-4, "m"),
            Row("terminal speed", speed[-1], final * np.tanh(6), 1e-4, "m/s")]

    def draw(figure):
        axes = figure.subplots()
        axes.plot(t, speed, lw=1, label="Tendril"), axes.plot(t, final * np.tanh(t / tau), "k:", lw=1, label="exact")
        axes.set(xlabel="t, s", ylabel="speed, m/s"), axes.legend()

    return rows, draw

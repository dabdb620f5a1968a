"""Stokes' ball: a bead sinks in oil

A ball of 2 mm sinks in glycerine: drag 6 pi mu a v, buoyancy and added mass. v = v_t (1 - exp(-t/tau)), v_t = 2 (rho - rho_f) g a^2/(9 mu).

Source: G. Stokes 1851; G. Batchelor, *An Introduction to Fluid Dynamics*, section 4.9. (Basset's history force is in no lumped model.)

Tolerance: 5e-5 at default tolerances.
"""
import numpy as np

from support.models import link, model
from support.rows import Row

KIND = "exact"
A, DENSITY, OIL, MU, G = 0.002, 7800.0, 1260.0, 1.4, 9.81


def measure(desk):
    volume, drag = 4 / 3 * np.pi * A**3, 6 * np.pi * MU * A
    added = OIL * volume / 2
    body = {"type": "rigid", "com": [0, 0, 0], "shape": {"type": "sphere", "radius": A}, "density": DENSITY,
            "hydrodynamics": {"linear": [8 * np.pi * MU * A**3] * 3 + [drag] * 3, "added_mass": [0, 0, 0] + [added] * 3}}
    robot = model([link("ball", "free", body)], (0, 0, -G), fluid={"density": OIL, "viscosity": MU})
    final = 2 * (DENSITY - OIL) * G * A * A / (9 * MU)
    tau = (DENSITY * volume + added) / drag
    result = desk.run(robot, 8 * tau, ("q", "qd"), dt=8 * tau / 100)
    exact = -final * np.expm1(-result.t / tau)
    speed = -result["qd"][:, 5]
    rows = [Row("speed", speed, exact, 5e-5, "m/s"), Row("terminal speed", speed[-1], final * (1 - np.exp(-8)), 1e-5, "m/s"),
            Row("depth", -result["q"][-1, 5], final * (result.t[-1] + tau * np.expm1(-8)), 1e-5, "m")]

    def draw(figure):
        axes = figure.subplots()
        axes.plot(1e3 * result.t, 1e3 * speed, lw=1, label="Tendril"), axes.plot(1e3 * result.t, 1e3 * exact, "k:", lw=1, label="exact")
        axes.set(xlabel="t, ms", ylabel="speed, mm/s"), axes.legend()

    return rows, draw

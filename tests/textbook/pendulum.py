"""Pendulum of large amplitude: twenty swings from 170 degrees

A rigid pendulum released at rest. Its angle is an elliptic function of time, its period 4 K(sin(85 deg)) sqrt(I/(m g l)).

Source: closed form (E. Whittaker, *Analytical Dynamics*, section 44).

Tolerance: near the upper rest an error of the energy shifts the phase of all later swings, so that the problem magnifies errors: 1e-3 rad
after one period and 0.1 rad after twenty at the default tolerance of 1e-6 a step, a hundredth of that at 1e-9.
"""
import numpy as np

from support.elliptic import complete, jacobi
from support.models import link, model, rigid
from support.rows import Row

KIND = "exact"
START, G, ARM, MASS, INERTIA = np.radians(170), 9.81, 0.5, 2.0, 0.1


def measure(desk):
    robot = model([link("arm", {"type": "revolute", "axis": "y"}, rigid(MASS, (0, 0, -ARM), (INERTIA, INERTIA, 0.01)))], (0, 0, -G))
    rate, k = np.sqrt(MASS * G * ARM / (INERTIA + MASS * ARM**2)), np.sin(START / 2)
    period = 4 * complete(k * k) / rate
    rows = []
    for name, integrator, looser in (("defaults", {}, 1), ("rk45, 1e-9", {"method": "rk45", "rtol": 1e-9, "atol": 1e-12}, 1e-2)):
        result = desk.run(robot, 20 * period, ("q", "energy"), dt=period / 50, initial={"q": [START]}, integrator=integrator)
        t = result.t
        sn, cn, dn = jacobi(rate * t, k * k)
        exact = 2 * np.arcsin(k * cn / dn)
        q, energy = result["q"][:, 0], result["energy"].sum(1)
        rows += [Row(f"angle over the first period, {name}", q[:51], exact[:51], 1e-3 * looser, "rad", scale=1),
                 Row(f"angle over 20 periods, {name}", q, exact, 0.1 * looser, "rad", scale=1),
                 Row(f"energy at the end, {name}", energy[-1], energy[0], 1e-4 * looser, scale=2 * MASS * G * ARM)]

    def draw(figure):
        above, below = figure.subplots(2, 1, sharex=True)
        above.plot(t, np.degrees(q), lw=1, label="Tendril"), above.plot(t, np.degrees(exact), "k:", lw=1, label="exact")
        above.set(ylabel="angle, degrees"), above.legend(loc="lower left", ncols=2)
        below.plot(t, q - exact, lw=1), below.set(ylabel="error, rad", xlabel="t, s")

    return rows, draw

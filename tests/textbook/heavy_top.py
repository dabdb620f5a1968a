"""Heavy top: a cuspidal nutation of Lagrange's top

A symmetric top on a fixed point, let go with pure spin: its axis falls, is turned back, and comes to rest again above; seen from above
it draws cusps. With u = cos(theta), u'^2 is a cubic, so that u(t) is sn^2.

Source: closed form (H. Goldstein, *Classical Mechanics*, section 5.7; Whittaker, section 71).

Tolerance: 1e-4 of the height over five nutations with the default tolerances.
"""
import numpy as np

from support.elliptic import complete, jacobi
from support.models import link, model, rigid
from support.rows import Row

KIND = "exact"
MASS, ARM, G, ACROSS, ALONG, SPIN, TILT = 1.0, 0.2, 9.81, 0.05, 0.01, 100.0, np.radians(30)


def measure(desk):
    across = ACROSS - MASS * ARM**2  # about the centre of mass
    robot = model([link("top", "spherical", rigid(MASS, (0, 0, ARM), (across, across, ALONG)), pose={"rpy": [0, TILT, 0]})], (0, 0, -G))
    # u'^2 = beta (u0 - u) (1 - u^2 - a^2 (u0 - u)/beta), a = I3 w3/I1, beta = 2 m g l/I1 (released at u0 without precession)
    a, beta, u0 = ALONG * SPIN / ACROSS, 2 * MASS * G * ARM / ACROSS, np.cos(TILT)
    roots = np.sort(np.roots([-1, a * a / beta, 1 - a * a * u0 / beta]))  # 1 - u^2 - (a^2/beta)(u0 - u)
    low, high = roots[0], roots[1]  # low < u0 < 1 < high
    m = (u0 - low) / (high - low)
    rate = np.sqrt(beta * (high - low)) / 2
    period = 2 * complete(m) / rate
    rows = []
    for name, integrator in (("defaults", {}), ("rk45", {"method": "rk45"})):
        result = desk.run(robot, 5 * period, ("q", "poses:top", "energy"), dt=5 * period / 400, initial={"qd": [0, 0, SPIN]},
                          integrator=integrator)
        axis = result["poses:top"].reshape(-1, 4, 4)[:, :3, 2]
        cd = jacobi(rate * result.t, m)
        exact = low + (u0 - low) * (cd[1] / cd[2]) ** 2
        energy = result["energy"].sum(1)
        rows += [Row(f"height of the axis, cos(theta), five nutations, {name}", axis[:, 2], exact, 1e-4, scale=1),
                 Row(f"energy at the end, {name}", energy[-1], energy[0], 1e-4, scale=energy[0])]

    def draw(figure):
        left, right = figure.subplots(1, 2)
        left.plot(axis[:, 0], axis[:, 1], lw=1), left.set(aspect="equal", xlabel="x", ylabel="y", title="the axis from above")
        right.plot(result.t, axis[:, 2], lw=1, label="Tendril"), right.plot(result.t, exact, "k:", lw=1, label="exact")
        right.set(xlabel="t, s", ylabel="cos(theta)"), right.legend(fontsize=7)

    return rows, draw

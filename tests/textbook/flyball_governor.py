"""Flyball governor: two arms on a spinning axis, stiff springs and dampers to a slider

Two arms of 1 m with balls hang on a spinning vertical axis; spring-dampers (8e5 N/m, 4e4 N s/m) from the middles of the arms hold a heavy
slider on the axis. Released with the springs slack at 30 degrees and 2 pi rad/s it rises and falls, turning slower and faster.

Source: IFToMM library of computational benchmark problems, A05 «Flyball governor», in its arrangement and with the stiffness and damping
given there as far as we know them (masses below). The motion by Lagrange's equations in three coordinates, integrated independently to
1e-12 (support/ode.py).

Tolerance: 2e-4 at default tolerances.
"""
import numpy as np

from support.models import link, model, rigid
from support.ode import solve
from support.rows import Row

KIND = "solver (exact mechanics)"
G, ARM, BALL, SLIDER, AXIS, K, C, REST, SPIN, TILT = 9.81, 0.3, 5.0, 3.0, 0.02, 8e5, 4e4, 0.5, 2 * np.pi, np.radians(30)


def rate(t, y):
    """(alpha, s, alpha', s', phi') with alpha of both arms from below and s the slider's depth."""
    a, s, ad, sd, w = y
    inertia, weight = ARM / 3 + BALL, ARM / 2 + BALL
    x, z = 0.5 * np.sin(a), s - 0.5 * np.cos(a)
    d = np.hypot(x, z)
    da, ds = (x * 0.5 * np.cos(a) + z * 0.5 * np.sin(a)) / d, z / d
    force = K * (d - REST) + C * (da * ad + ds * sd)
    spin = 2 * inertia * np.sin(a) ** 2 + AXIS
    return np.array([ad, sd, (inertia * np.sin(a) * np.cos(a) * w * w - G * weight * np.sin(a) - force * da) / inertia,
                     G - 2 * force * ds / SLIDER, -4 * inertia * np.sin(a) * np.cos(a) * ad * w / spin])


# rate() integrated to 1e-9, at whole seconds (stiff for an explicit method: a minute; `python3 flyball_governor.py`).
ALPHA = [0.523599, 0.524249, 0.526175, 0.529356, 0.533749, 0.539297, 0.545932, 0.553572, 0.562132, 0.571518, 0.581635]
DEPTH = [0.866025, 0.865736, 0.864771, 0.863169, 0.860942, 0.858106, 0.854681, 0.850689, 0.846158, 0.841118, 0.835602]
SPEED = [6.283185, 6.269169, 6.227951, 6.160869, 6.070183, 5.958797, 5.830042, 5.687457, 5.534585, 5.374804, 5.211202]


def robot():
    mass, com = ARM + BALL, (ARM / 2 + BALL) / (ARM + BALL)
    about = ARM / 3 + BALL - mass * com**2
    arm = rigid(mass, (0, 0, -com), (about, about, 1e-9))
    links = [link("axis", {"type": "revolute", "axis": "z"}, rigid(1.0, inertia=(AXIS, AXIS, AXIS))),
             link("left", {"type": "revolute", "axis": "-y"}, arm, "axis"), link("right", {"type": "revolute", "axis": "y"}, arm, "axis"),
             link("slider", {"type": "prismatic", "axis": "-z"}, rigid(SLIDER, inertia=(1e-9, 1e-9, 1e-9)), "axis")]
    springs = [{"name": n + " spring", "a": {"link": n, "pose": {"translation": [0, 0, -0.5]}}, "b": {"link": "slider"}, "stiffness": K,
                "damping": C, "rest": REST} for n in ("left", "right")]
    return model(links, (0, 0, -G), springs=springs)


def measure(desk):
    start = [0.0, TILT, TILT, np.cos(TILT)]
    result = desk.run(robot(), 10.0, ("q", "qd", "energy"), dt=0.05, initial={"q": start, "qd": [SPIN, 0, 0, 0]})
    exact, at = np.array([ALPHA, DEPTH, SPEED]).T, slice(None, None, 20)
    rows = [Row("angle of the arms, 10 s", result["q"][at, 1:3], np.repeat(exact[:, :1], 2, 1), 2e-4, "rad"),
            Row("depth of the slider, 10 s", result["q"][at, 3], exact[:, 1], 1e-4, "m"),
            Row("spin, 10 s", result["qd"][at, 0], exact[:, 2], 2e-4, "rad/s")]

    def draw(figure):
        left, right = figure.subplots(1, 2)
        left.plot(result.t, result["q"][:, 3], lw=1), left.plot(result.t[at], exact[:, 1], "kx", ms=4), left.set(xlabel="t, s",
                                                                                                                 ylabel="slider, m below the pivots")
        right.plot(result.t, result["qd"][:, 0], lw=1, label="Tendril"), right.plot(result.t[at], exact[:, 2], "kx", ms=4, label="Lagrange")
        right.set(xlabel="t, s", ylabel="spin, rad/s"), right.legend()

    return rows, draw


if __name__ == "__main__":
    print(solve(rate, [TILT, np.cos(TILT), 0, 0, SPIN], np.arange(11.0), 1e-9)[:, [0, 1, 4]].T.round(6).tolist())

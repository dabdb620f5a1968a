"""Spin-up: a flexible robot arm that is brought to 6 rad/s

An arm of 10 m turns about a hub by a smooth manoeuvre of 15 s to 6 rad/s. It bends back by about half a metre on the way, and at the end it
is straight again and 5.14e-4 m longer, stretched by the centrifugal force. Linear beam theory without centrifugal stiffening diverges.
EA = 2.8e7 N, GA = 1e7 N, EI = 1.4e4 N m^2, 1.2 kg/m, 6e-4 kg m: a round section has just these.

Source: T. Kane, R. Ryan and A. Banerjee, *Dynamics of a cantilever beam attached to a moving base*, J. Guidance 10 (1987) 139-151;
J. Simo and L. Vu-Quoc, *On the dynamics of flexible beams under large overall motions, the plane case: part II*, J. Appl. Mech. 53 (1986)
855-863; S.-C. Wu and E. Haug 1988: steady extension 5.14e-4 m. Exactly: L (tan k/k - 1), k = 6 L sqrt(rho/E). The deflection over time by an
independent chain of bars with elastic hinges, extrapolated (support/segments.py).

A first row is by default settings (radau, with a reason in the summary); the others by fixed steps of generalized_alpha.

Tolerance: 1 % of the extension (it is 5e-5 of the length, and still swings a little), 5e-3 of the largest deflection.
"""
import numpy as np

from support.models import link, model, rigid, rod
from support.rows import Row
from support.segments import Bars

KIND = "published, solver"
LENGTH, SPEED, TIME = 10.0, 6.0, 15.0
RADIUS = 2 * np.sqrt(1.4e4 / 2.8e7)
AREA = np.pi * RADIUS**2
YOUNG, SHEAR, DENSITY = 2.8e7 / AREA, 1e7 / AREA, 1.2 / AREA


def turn(t):
    """Angle of the hub until TIME."""
    return SPEED / TIME * (t * t / 2 + (TIME / (2 * np.pi)) ** 2 * (np.cos(2 * np.pi * t / TIME) - 1))


def reference(n, times):
    """Deflection of the tip seen from the hub's line, m: RK4 with the step that the stiffest hinge wants."""
    bars = Bars(n, LENGTH, 1.2, 1.4e4, 6e-4)
    a, v, out = np.zeros(n), np.zeros(n), [0.0]
    for t0, t1 in zip(times, times[1:]):
        steps = int(np.ceil((t1 - t0) * bars.fastest / 1.5))
        h = (t1 - t0) / steps
        for i in range(steps):
            t = t0 + i * h
            k1 = bars.accelerations(a, v, turn(t))
            k2 = bars.accelerations(a + h / 2 * v, v + h / 2 * k1, turn(t + h / 2))
            k3 = bars.accelerations(a + h / 2 * v + h * h / 4 * k1, v + h / 2 * k2, turn(t + h / 2))
            k4 = bars.accelerations(a + h * v + h * h / 2 * k2, v + h * k3, turn(t + h))
            a, v = a + h * v + h * h / 6 * (k1 + k2 + k3), v + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        x, y = bars.place(a)
        out.append(y * np.cos(turn(t1)) - x * np.sin(turn(t1)))
    return np.array(out)


# At whole seconds, m: reference(10, …) and reference(20, …), which differ by 0.005, extrapolated (`python3 spin_up.py`).
DEFLECTION = [0, -0.0205, -0.1024, -0.2173, -0.3423, -0.4684, -0.5435, -0.5712, -0.5428,
              -0.4601, -0.3627, -0.2573, -0.1508, -0.0691, -0.0204, 0.0013]


def robot():
    order = {"bending_z": 4, "elongation": 2, "shear_y": 2}
    body = rod(LENGTH, RADIUS, YOUNG, order, density=DENSITY)
    body["material"].pop("poisson")
    body["material"]["shear"] = SHEAR
    hub = link("hub", {"type": "revolute", "axis": "z"}, rigid(1.0, inertia=(0.1, 0.1, 0.1)))
    return model([hub, link("rod", body=body, parent="hub")],
                 actuators=[{"name": "turn", "type": "joint", "link": "hub", "mode": "position"}])


def deflection(result):
    """Of the tip across the hub's line, m."""
    tip, a = result["poses:rod@1"].reshape(-1, 4, 4)[:, :2, 3], turn(result.t)
    return tip[:, 1] * np.cos(a) - tip[:, 0] * np.sin(a)


def measure(desk):
    rate = 2 * np.pi / TIME
    signal = {"type": "sum", "of": [{"type": "polynomial", "coefficients": [-SPEED / TIME / rate**2, 0, SPEED / TIME / 2]},
                                    {"type": "sine", "amplitude": SPEED / TIME / rate**2, "frequency": 1 / TIME, "phase": np.pi / 2}]}
    plain = desk.run(robot(), TIME, ("q", "poses:rod@1"), dt=0.25, inputs={"turn": signal}, max_wall_s=60)
    rows = [Row("deflection at 7 s, defaults", deflection(plain)[28], DEFLECTION[7], 5e-3, "m")]
    method = {"method": "generalized_alpha", "h": 0.01}
    result = desk.run(robot(), TIME, ("q", "qd", "poses:rod@1"), dt=0.25, inputs={"turn": signal}, integrator=method)
    t, tip = result.t, result["poses:rod@1"].reshape(-1, 4, 4)[:, :2, 3]
    a = turn(t)
    along, across = tip[:, 0] * np.cos(a) + tip[:, 1] * np.sin(a), deflection(result)
    on = {"type": "polynomial", "coefficients": [float(a[-1]), SPEED]}
    after = desk.run(robot(), 5.0, ("poses:rod@1",), dt=0.05, inputs={"turn": on},
                     initial={"q": result["q"][-1].tolist(), "qd": result["qd"][-1].tolist()},
                     integrator=method)
    tail = np.linalg.norm(after["poses:rod@1"].reshape(-1, 4, 4)[:, :2, 3], axis=1) - LENGTH
    k = SPEED * LENGTH * np.sqrt(DENSITY / YOUNG)
    exact = np.array(DEFLECTION)
    rows += [Row("steady extension, published", tail.mean(), 5.14e-4, 0.01, "m"),
             Row("steady extension, tan", tail.mean(), LENGTH * (np.tan(k) / k - 1), 0.01, "m"),
             Row("deflection at whole seconds, chain of bars", across[::4], exact, 0.01, "m"),
             Row("deflection at 7 s, chain of bars", across[28], exact[7], 5e-3, "m")]

    def draw(figure):
        left, right = figure.subplots(1, 2)
        left.plot(t, across, lw=1, label="Tendril"), left.plot(t[::4], exact, "kx", ms=4, label="chain of bars"), left.legend()
        left.set(xlabel="t, s", ylabel="deflection of the tip, m")
        right.plot(np.concatenate([t, TIME + after.t]), 1e4 * np.concatenate([along - LENGTH, tail]), lw=1), right.axhline(5.14,
                                                                                                                           color="k", ls=":", lw=1)
        right.set(xlabel="t, s", ylabel="displacement along the arm, 1e-4 m", ylim=(-20, 8))

    return rows, draw


if __name__ == "__main__":
    seconds = np.arange(16.0)
    found = [reference(n, seconds) for n in (10, 20)]
    print((found[1] + (found[1] - found[0]) / 3).round(4).tolist())

"""Tendon pulled by a length, tendon that rubs: two closed forms

A straight tendon d beside the axis of a planar inextensible rod. Pulled by a length u through a tendon of stiffness k it bends the rod to
an arc of the angle u d k/(EI/L + d^2 k). With friction mu its tension falls along the path by exp(-mu theta), theta the turning of the path:
EI theta' = d T exp(-mu theta), hence theta(L) = log(1 + mu d T L/EI)/mu. A slow pull in a run, since statics leave friction out.

Source: closed forms (the second is L. Euler's capstan equation, 1769, along a rod; for continuum robots: S. Kesner and R. Howe 2014).

Tolerance: 1e-6 for the arc (statics, slack_width 1e-8); 1e-3 with friction: the pull is slow, not static, and order 5 follows the log.
"""
import numpy as np

from support.models import circle_ei, link, model, rod
from support.rows import Row

KIND = "exact"
LENGTH, RADIUS, YOUNG, OFFSET, MU = 0.3, 0.002, 1e9, 0.01, 0.3


def robot(order, viscosity=0.0, **tendon):
    body = rod(LENGTH, RADIUS, YOUNG, {"bending_y": order}, viscosity=viscosity)
    tendon = {"name": "pull", "type": "tendon", "link": "rod", "routing": {"type": "linear", "base": [0, OFFSET]}, **tendon}
    return model([link("rod", body=body)], actuators=[tendon])


def angle(poses):
    return np.arctan2(-poses[..., 2, 0], poses[..., 0, 0])


def measure(desk):
    ei = circle_ei(YOUNG, RADIUS)
    k, pulls = 2000.0, np.array([0.002, 0.005, 0.01])
    arm = robot(2, mode="length", stiffness=k, slack_width=1e-8)
    q = desk.statics(arm, {"pull": [0.0, *pulls]})["q"][1:]
    turns = np.abs(angle(desk.evaluate(arm, q, "poses")["poses/rod"][:, -1]))
    exact = pulls * OFFSET * k / (ei / LENGTH + OFFSET**2 * k)
    rows = [Row("angle of the arc for pulls of 2, 5, 10 mm", turns, exact, 1e-6, "rad")]
    final = 1.2 * ei / (OFFSET * LENGTH)
    kept = []
    for name, mu in (("without friction", 0.0), ("mu = 0.3", MU), ("mu = 1", 1.0)):
        rubs = robot(5, viscosity=1e6, **({"friction": mu, "slip_speed": 1e-6} if mu else {}))
        result = desk.run(rubs, 10.0, ("q", "poses:rod"), dt=0.1,
                          inputs={"pull": {"type": "polynomial", "coefficients": [0, 0, final / 100]}})
        ours = np.abs(angle(result["poses:rod"].reshape(len(result.t), -1, 4, 4)[:, -1]))
        tension = final * result.t**2 / 100
        formula = np.log1p(mu * OFFSET * tension * LENGTH / ei) / mu if mu else OFFSET * tension * LENGTH / ei
        kept.append((name, tension, ours, formula))
        rows.append(Row(f"angle of the tip over a slow pull, {name}", ours, formula, 1e-3, "rad"))

    def draw(figure):
        axes = figure.subplots()
        for i, (name, tension, ours, formula) in enumerate(kept):
            axes.plot(tension, ours, f"C{i}", lw=1, label=name), axes.plot(tension, formula, "k:", lw=1)
        axes.set(xlabel="tension, N", ylabel="angle of the tip, rad", title="dotted: closed form"), axes.legend()

    return rows, draw

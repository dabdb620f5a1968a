"""Right-angle cantilever: an elbow kicked out of its plane

Two rods of 10 at a right angle, the first clamped; a force out of the plane on the elbow, a triangle of 50 at 1 s that ends at 2 s. Then it
swings freely, bending and twisting with amplitudes of its own length. EA = GA = 1e6, EI = GJ = 1e3, 1 kg/m, rotary inertia 20, 10, 10.

Source: J. Simo and L. Vu-Quoc, *On the dynamics in space of rods undergoing large motions: a geometrically exact approach*, Comput. Methods
Appl. Mech. Eng. 66 (1988) 125-161, section 5.1. Displacements over 10 s by an independent staggered scheme, extrapolated from 20 and 40
elements, which differ by 0.07 at the end (support/staggered.py).

Tolerance: 0.05 of displacements that reach 8; energy after 2 s to 2e-3.
"""
import numpy as np

from support.models import link, load, model, rod
from support.rows import Row

KIND = "published problem, solver"
# Out-of-plane displacement of tip and elbow at whole seconds: `python3 right_angle_cantilever.py` (three minutes).
TIP = [0, 0.054, 0.069, 1.507, 3.509, 5.479, 6.913, 8.006, 7.96, 6.768, 4.463]
ELBOW = [0, 0.951, 4.115, 5.502, 4.642, 3.111, 2.542, 2.457, 1.633, -0.669, -3.095]


def reference(n, times=range(11)):
    from support.staggered import Staggered
    half = n // 2
    nodes = np.vstack([np.linspace(0, 10, half + 1)[:, None] * [1, 0, 0],
                       np.array([10, 0, 0]) + np.linspace(0, 10, half + 1)[1:, None] * [0, 1, 0]])
    frames = np.vstack([np.tile([1, 0, 0, 0], (half, 1)), np.tile([np.sqrt(0.5), 0, 0, np.sqrt(0.5)], (half, 1))])
    found = Staggered(nodes, frames, [1e6] * 3, [1e3] * 3, 1.0, [20.0, 10.0, 10.0],
                      lambda t: (half, np.array([0, 0, 50 * max(0.0, 1 - abs(t - 1))]), 0,
                                 np.zeros(3)), clamped=True).run(np.array(times, float))
    return found[:, [-1, half], 2]


def robot():
    section = {"shape": "stiffness", "EA": 1e6, "GA_y": 1e6, "GA_z": 1e6, "GJ": 1e3, "EI_y": 1e3, "EI_z": 1e3, "mass_per_length": 1.0,
               "inertia_per_length": [20, 10, 10], "radius": 0.05}
    body = rod(10.0, section=section, order={"torsion": 4, "bending_y": 4, "bending_z": 4, "elongation": 2, "shear_y": 3, "shear_z": 3})
    del body["material"]
    return model([link("first", body=body), link("second", body=body, parent="first", pose={"rpy": [0, 0, np.pi / 2]})],
                 loads=[load({"fz": "F"}, "first")])


def measure(desk):
    kick = {"type": "table", "t": [0, 1, 2], "value": [0, 50, 0]}
    result = desk.run(robot(), 10.0, ("q", "energy", "poses:first", "poses:second"), dt=0.1, inputs={"F": kick})
    shapes = [result["poses:" + name].reshape(len(result.t), -1, 4, 4) for name in ("first", "second")]
    elbow, tip = shapes[0][:, -1, 2, 3], shapes[1][:, -1, 2, 3]
    energy = result["energy"].sum(1)[20:]
    rows = [Row("elbow at whole seconds", elbow[::10], ELBOW, 0.05, "", scale=1),
            Row("tip at whole seconds", tip[::10], TIP, 0.05, "", scale=1),
            Row("energy after 2 s", energy, np.full(len(energy), energy[0]), 2e-3)]

    def draw(figure):
        axes = figure.subplots()
        axes.plot(result.t, tip, lw=1, label="tip"), axes.plot(result.t, elbow, lw=1, label="elbow")
        axes.plot(range(11), TIP, "kx", ms=4, label="independent scheme"), axes.plot(range(11), ELBOW, "kx", ms=4)
        axes.set(xlabel="t, s", ylabel="displacement out of the plane"), axes.legend()

    return rows, draw


if __name__ == "__main__":
    found = [reference(n) for n in (20, 40)]
    print((found[1] + (found[1] - found[0]) / 3).round(3).T.tolist())

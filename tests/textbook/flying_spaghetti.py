"""Flying spaghetti: a free flexible rod that tumbles in space

A free rod of 10 is pushed and twisted at its lower end: force T/10 along x, moments -T/2 about y and -T about z, T a triangle of 200 at 2.5
s that ends at 5 s. It flies on, bending by its own length. EA = GA = 1e4, EI = GJ = 500, 1 kg/m, 10 kg m of rotary inertia: a
section by numbers, such as no solid has.

Source: J. Simo and L. Vu-Quoc, *On the dynamics in space of rods undergoing large motions: a geometrically exact approach*, Comput. Methods
Appl. Mech. Eng. 66 (1988) 125-161, section 5.2 (the signs of the moments are those written here). The mass centre is exact: 5 m/s along x after 5 s. Places
over time by an independent staggered scheme, extrapolated from 20 and 40 elements (support/staggered.py).

Tolerance: 0.03 m of places (the reference's own error is 0.01), 2e-3 of its speed (a mean along the curve), energy after 5 s to 1e-3. Seen
from the section of its lower end, which turns, functions of order 5 put the upper end 0.2 m off, of the 12.1 m that it goes there: that is
what the service warns of (2.2 %), and it is neither the model's nor the reference's, since order 8 is off by 0.04 m and order 10 by 0.02 m. The
row has the tolerance of what order 5 can do.
"""
import numpy as np

from support.models import link, load, model, rod, smooth
from support.rows import Row

KIND = "published problem, solver"
TIMES = (0, 2.5, 5, 6, 7, 8, 10)
FLIGHT = (5, 6, 7, 7.5, 8, 10)
# Lower end, upper end and middle at TIMES, m: `python3 flying_spaghetti.py` (two minutes).
LOWER = [[6, 0, 0], [3.413, 0.197, 0.017], [19.563, 1.521, -1.508], [16.759, 1.143, -1.619], [27.203, 4.598, -4.635],
         [30.872, -0.979, 0.366],
         [44.404, 1.669, -2.065]]
UPPER = [[0, 8, 0], [4.024, 8.495, -0.733], [11.879, 6.881, 1.83], [24.108, 7.267, 1.123], [23.087, 3.215, 4.279], [29.863, 8.949, -0.227],
         [36.408, 6.336, 1.679]]
# The upper end seen from the section of the lower end at FLIGHT, m.
SEEN = [[9.829, 1.245, -0.871], [9.744, -1.666, -1.137], [9.644, -2.134, -0.856], [9.908, -0.747, -0.999], [9.972, 0.443, -0.528],
        [9.827, 0.552, 1.679]]


def pulse(t):
    return 200 * max(0.0, 1 - abs(t / 2.5 - 1))


def reference(n, times=TIMES):
    from support.shooting import rotation
    from support.staggered import Staggered
    angle = np.arctan2(0.8, -0.6)
    nodes = np.array([6, 0, 0]) + np.linspace(0, 10, n + 1)[:, None] * [-0.6, 0.8, 0]
    frames = np.tile([np.cos(angle / 2), 0, 0, np.sin(angle / 2)], (n, 1))
    rod = Staggered(nodes, frames, [1e4] * 3, [500] * 3, 1.0, [10.0] * 3,
                    lambda t: (0, np.array([pulse(t) / 10, 0, 0]), 0, np.array([0, -pulse(t) / 2, -pulse(t)])))
    ends = rod.run(times)[:, [0, -1]]
    return ends, seen_from(rotation(rod.frames[:, 0]), ends)


def seen_from(frame, ends):
    return np.einsum("kji,kj->ki", frame, ends[:, 1] - ends[:, 0])


def robot():
    section = {"shape": "stiffness", "EA": 1e4, "GA_y": 1e4, "GA_z": 1e4, "GJ": 500, "EI_y": 500, "EI_z": 500, "mass_per_length": 1.0,
               "inertia_per_length": [10, 10, 10], "radius": 0.05}
    body = rod(10.0, section=section, order={c: 5 for c in ("torsion", "bending_y", "bending_z", "elongation", "shear_y", "shear_z")})
    del body["material"]
    return model([link("rod", "free", body, pose={"translation": [6, 0, 0], "rpy": [0, 0, float(np.arctan2(0.8, -0.6))]})],
                 loads=[load({"fx": "F", "my": "M", "mz": "N"}, at=0)])


def measure(desk):
    def signal(factor):
        return {"type": "table", "t": [0, 2.5, 5], "value": [0, 200 * factor, 0]}
    inputs = {"F": signal(0.1), "M": signal(-0.5), "N": signal(-1.0)}
    result = desk.run(robot(), 10.0, ("q", "qd", "energy", "poses:rod"), dt=0.25, inputs=inputs)
    poses = result["poses:rod"].reshape(len(result.t), -1, 4, 4)
    at = [int(round(4 * t)) for t in TIMES]
    energy = result["energy"].sum(1)
    late = slice(at[2], None)
    flies = poses[[int(round(4 * t)) for t in FLIGHT]]

    def centre(k):
        """Mass centre of a smooth curve through the points (stretch is small)."""
        curve = smooth(poses[k], 16)
        steps = np.linalg.norm(np.diff(curve, axis=0), axis=1)
        return ((curve[1:] + curve[:-1]) / 2 * steps[:, None]).sum(0) / steps.sum()

    speed = (centre(-1) - centre(at[2])) / (result.t[-1] - 5.0)
    rows = [Row("lower end at 2.5, 5, 6, 7, 8, 10 s", poses[at, 0, :3, 3], LOWER, 0.03, "m", scale=1),
            Row("upper end at 2.5, 5, 6, 7, 8, 10 s", poses[at, -1, :3, 3], UPPER, 0.03, "m", scale=1),
            Row("upper end seen from the lower end's section from 5 to 10 s",
                seen_from(flies[:, 0, :3, :3], flies[:, [0, -1]][..., :3, 3]), SEEN, 0.25, "m", scale=1),
            Row("speed of the mass centre along x after 5 s", speed[0], 5.0, 2e-3, "m/s"),
            Row("energy after 5 s", energy[late], np.full(len(energy[late]), energy[at[2]]), 1e-3, "J")]

    def draw(figure):
        axes = figure.subplots()
        for k in range(0, len(poses), 2):
            axes.plot(*smooth(poses[k])[:, :2].T, color=str(0.8 - 0.8 * k / len(poses)), lw=1)
        axes.plot(*np.array(LOWER)[:, :2].T, "C0x", ms=4), axes.plot(*np.array(UPPER)[:, :2].T, "C3x", ms=4)
        axes.set(aspect="equal", xlabel="x, m", ylabel="y, m", title="every 0.5 s; crosses: independent scheme")

    return rows, draw


if __name__ == "__main__":
    for times, which in ((TIMES, 0), ((0, *FLIGHT), 1)):
        found = [reference(n, times)[which] for n in (20, 40)]
        print((found[1] + (found[1] - found[0]) / 3).round(3).tolist())

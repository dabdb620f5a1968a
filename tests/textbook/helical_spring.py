"""Helical spring: stiffness of a wire wound to five coils

Five coils, pitch angle 5 degrees, wire of a twentieth of the coil's radius; an axial force on the spring's axis, the end free to turn.
The wire carries the same moment everywhere, F R cos(alpha) in torsion and F R sin(alpha) in bending, so that (Castigliano)
delta/F = R^2 L (cos^2/GJ + sin^2/EI) + L (sin^2/EA + cos^2/GA). Constant strains hold it: order 0. At large extension the load's line leaves
the axis and strains wave with the coils: order 14 against an independent Cosserat solver.

Source: A. Love, *A Treatise on the Mathematical Theory of Elasticity*, sections 271-272; for alpha = 0 it is G d^4/(8 D^3 n)
(A. Wahl, *Mechanical Springs*).

Tolerance: 1e-6 for the small load (its own nonlinearity), 1e-4 of the height for the large one; 1 % against Wahl's plain formula.
"""
import numpy as np

from support.models import link, load, model, rod, smooth
from support.rows import Row
from support.shooting import Rod, newton, rotation

KIND = "exact, solver"
R, WIRE, ALPHA, COILS, YOUNG, POISSON = 0.02, 0.001, np.radians(5), 5, 2e11, 0.3
LENGTH = COILS * 2 * np.pi * R / np.cos(ALPHA)
TORSION, CURVATURE = np.sin(ALPHA) * np.cos(ALPHA) / R, np.cos(ALPHA) ** 2 / R
SHEAR, AREA, INERTIA = YOUNG / (2 * (1 + POISSON)), np.pi * WIRE**2, np.pi * WIRE**4 / 4


def robot(order):
    strains = {c: order for c in ("torsion", "bending_y", "bending_z", "elongation", "shear_y", "shear_z")}
    body = rod(LENGTH, WIRE, YOUNG, strains, poisson=POISSON, reference=[TORSION, 0, CURVATURE, 1, 0, 0])
    # the axis sin(alpha) x + cos(alpha) z of the wire's frame is the world's z
    return model([link("rod", body=body, pose={"rpy": [0, -ALPHA, 0]})], loads=[load({"fz": "F"}, pose={"translation": [0, R, 0]})])


def height(desk, robot_, forces):
    q = desk.statics(robot_, {"F": list(forces)})["q"]
    poses = desk.evaluate(robot_, q, "poses")["poses/rod"]
    end = poses[:, -1]
    return end[:, 2, 3] + R * end[:, 2, 1], poses


def solver(force):  # 20 s: its value is HEIGHT below
    """Height of the point on the axis under a large force."""
    wire = Rod(LENGTH, (1 / (SHEAR * 2 * INERTIA), 1 / (YOUNG * INERTIA), 1 / (YOUNG * INERTIA)),
               (1 / (YOUNG * AREA), 1 / (SHEAR * AREA), 1 / (SHEAR * AREA)), curvature=lambda s: np.array([TORSION, 0, CURVATURE]),
               start=(np.cos(ALPHA / 2), 0, -np.sin(ALPHA / 2), 0), steps=300)
    base, last = np.zeros(3), np.zeros(3)
    for share in np.linspace(0.1, 1, 10):
        n = np.array([0, 0, share * force])

        def residual(M):
            end = wire.march(np.concatenate([np.broadcast_to(n, M.shape), M], -1))
            return end[..., 10:13] - np.cross(rotation(end[..., 3:7]) @ np.array([0, R, 0]), n)
        base = newton(residual, base + np.cross([0, R, 0], n - last), scale=np.full(3, force * R), tolerance=1e-8)
        last = n
    end = wire.march(np.concatenate([n, base]))
    return end[2] + (rotation(end[3:7]) @ np.array([0, R, 0]))[2]


HEIGHT = 0.118984  # m, solver(1.2 * free / compliance); the same with twice the steps


def measure(desk):
    c, s = np.cos(ALPHA), np.sin(ALPHA)
    compliance = R * R * LENGTH * (c * c / (SHEAR * 2 * INERTIA) + s * s / (YOUNG * INERTIA)) + LENGTH * (s * s / (YOUNG * AREA) + c * c / (SHEAR * AREA))
    free = LENGTH * s
    small = 1e-4 * free / compliance
    z, _ = height(desk, robot(0), (-small, small))
    stiffness = 2 * small / (z[1] - z[0])
    wahl = SHEAR * (2 * WIRE) ** 4 / (8 * (2 * R) ** 3 * COILS)
    forces = np.array([0, 0.4, 0.8, 1.2, 2, 3, 4, 6, 8]) * free / compliance
    far, poses = height(desk, robot(14), forces)
    exact = HEIGHT
    rows = [Row("stiffness, small load, order 0", stiffness, 1 / compliance, 1e-6, "N/m"),
            Row("stiffness, Wahl's plain formula", stiffness, wahl, 0.01, "N/m"),
            Row("height under 1.2 of the free height in linear theory, order 14", far[3], exact, 3e-4, "m")]

    def draw(figure):
        left, right = figure.add_subplot(121, projection="3d"), figure.add_subplot(122)
        for i in (0, 2, 8):
            left.plot(*smooth(poses[i]).T, lw=1)
        left.set_box_aspect((1, 1, 3)), left.set_xticks([]), left.set_yticks([])
        right.plot(far, forces, "o-", ms=3, lw=1, label="order 14"), right.plot(free + compliance * forces, forces, "k:", lw=1,
                                                                                label="linear")
        right.plot(exact, forces[3], "kx", label="shooting"), right.set(xlabel="height, m", ylabel="force, N"), right.legend()

    return rows, draw

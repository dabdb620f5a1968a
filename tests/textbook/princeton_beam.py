"""Princeton beam: a strip under a tip load askew to its axes

An aluminium strip of 508 mm (12.77 x 3.2024 mm, E 71.7 GPa, nu 0.31), clamped, with 4.448, 8.896 and 13.345 N hung at its tip; the root is
turned so that the load acts at 0 (edgewise) to 90 degrees (flapwise). Between, bending about both axes twists the strip. Its torsion
constant is Saint-Venant's, 0.20 of Iy + Iz, said by `torsion_constant`; the polar value is wrong by that factor.

Source: E. Dowell and J. Traybar, *An experimental study of the nonlinear stiffness of a rotor blade undergoing flap, lag and twist
deformations*, AMS Report 1194 and 1257, Princeton (1975); O. Bauchau et al., *Validation of flexible multibody dynamics beam formulations
using benchmark problems*, Multibody Syst. Dyn. 37 (2016) 29-48 (dimensions). The measured points are plotted there, not tabulated: the
references here are a Cosserat boundary-value problem by shooting (support/shooting.py) with J from Saint-Venant's series.

Tolerance: 2e-4 of the largest displacement, 1e-3 of the largest twist with order 5.
"""
import numpy as np

from support.models import link, load, model, rod
from support.rows import Row
from support.shooting import Rod, cantilever, rotation

KIND = "solver"
LENGTH, WIDE, THIN, YOUNG, POISSON = 0.508, 12.77e-3, 3.2024e-3, 71.7e9, 0.31
SHEAR, AREA = YOUNG / (2 * (1 + POISSON)), WIDE * THIN
FLAP, EDGE = WIDE * THIN**3 / 12, THIN * WIDE**3 / 12
LOADS, ANGLES = (4.448, 8.896, 13.345), (15, 30, 45, 60, 75, 90)


def torsion_constant():
    n = np.arange(1, 40, 2)
    return WIDE * THIN**3 / 3 * (1 - 192 * THIN / (np.pi**5 * WIDE) * (np.tanh(n * np.pi * WIDE / (2 * THIN)) / n**5).sum())


def direction(angle):
    """Of the load: y is the flapwise, z the edgewise direction."""
    return np.array([0, -np.sin(np.radians(angle)), -np.cos(np.radians(angle))])


def solver():
    """[loads, angles, 3]: flapwise, edgewise displacement (m) and twist (rad) of the tip."""
    strip = Rod(LENGTH, (1 / (SHEAR * torsion_constant()), 1 / (YOUNG * EDGE), 1 / (YOUNG * FLAP)),
                (1 / (YOUNG * AREA), 1 / (SHEAR * AREA), 1 / (SHEAR * AREA)), steps=60)
    found = np.empty((len(LOADS), len(ANGLES), 3))
    for j, angle in enumerate(ANGLES):
        guess = None
        for i, force in enumerate(LOADS):
            guess = cantilever(strip, force * direction(angle), steps=2 if guess is None else 1, guess=guess)
            end = strip.march(guess)
            found[i, j] = [end[1], end[2], twist(rotation(end[3:7]))]
    return found


def twist(R):
    """Of the strip: the slope of its wide side, arctan of z over z (as measured by a mirror at the tip)."""
    return np.arctan2(R[..., 2, 1], R[..., 2, 2])


# solver()'s flapwise, edgewise displacement and twist, angles running fastest (`python3 princeton_beam.py`, 30 s).
EXACT = [(-0.020157, -0.004744, 0.002788), (-0.038726, -0.004327, 0.004779), (-0.054363, -0.003612, 0.005440),
         (-0.066101, -0.002608, 0.004647), (-0.073344, -0.001370, 0.002656), (-0.075788, 0.000000, 0.000000),
         (-0.040799, -0.009677, 0.011317), (-0.077064, -0.009250, 0.018781), (-0.105932, -0.008115, 0.020543),
         (-0.126393, -0.006085, 0.016925), (-0.138472, -0.003268, 0.009443), (-0.142453, 0.000000, 0.000000),
         (-0.062413, -0.015034, 0.026061), (-0.114473, -0.015320, 0.040942), (-0.152512, -0.014062, 0.042237),
         (-0.177581, -0.010776, 0.033231), (-0.191689, -0.005834, 0.018026), (-0.196233, 0.000000, 0.000000)]


def measure(desk):
    body = rod(LENGTH, section={"shape": "rectangle", "height": THIN, "width": WIDE, "torsion_constant": torsion_constant()}, young=YOUNG,
               poisson=POISSON, density=2700.0, order={c: 5 for c in ("torsion", "bending_y", "bending_z", "elongation", "shear_y",
                                                                      "shear_z")})
    strip = model([link("rod", body=body)], loads=[load({"fy": "Y", "fz": "Z"})])
    ours = np.empty((len(LOADS), len(ANGLES), 3))
    for j, angle in enumerate(ANGLES):
        forces = np.array([0, *LOADS])[:, None] * direction(angle)
        q = desk.statics(strip, {"Y": forces[:, 1].tolist(), "Z": forces[:, 2].tolist()})["q"][1:]
        end = desk.evaluate(strip, q, "poses")["poses/rod"][:, -1]
        ours[:, j] = np.stack([end[:, 1, 3], end[:, 2, 3], twist(end[:, :3, :3])], -1)
    exact = np.array(EXACT).reshape(ours.shape)
    rows = [Row(f"{name}, three loads, 15 to 90 degrees", ours[..., i], exact[..., i], tolerance, unit)
            for i, (name, tolerance, unit) in enumerate([("flapwise displacement", 2e-4, "m"), ("edgewise displacement", 1e-3, "m"),
                                                         ("twist", 1e-3, "rad")])]

    def draw(figure):
        for k, (axes, name) in enumerate(zip(figure.subplots(1, 3), ("flapwise, mm", "edgewise, mm", "twist, degrees"))):
            unit = (1e3, 1e3, 180 / np.pi)[k]
            for i, force in enumerate(LOADS):
                axes.plot(ANGLES, np.abs(ours[i, :, k]) * unit, f"C{i}o-", ms=3, lw=1, label=f"{force:g} N"), axes.plot(ANGLES,
                                                                                                                        np.abs(exact[i, :, k]) * unit, "kx", ms=4)
            axes.set(xlabel="load angle, degrees", ylabel=name)
        axes.legend(fontsize=7)

    return rows, draw


if __name__ == "__main__":
    print(solver().round(7).reshape(-1, 3).tolist())

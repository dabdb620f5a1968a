"""Timoshenko beam: frequencies of a stubby cantilever

A clamped rod of slenderness r/L = 0.05 (radius L/10) with shear: Timoshenko's equations with shear factor 1, as Tendril's rods have it
without `shear_correction`.

Source: S. Timoshenko 1921; T. Huang, *The effect of rotatory inertia and of shear deformation on the frequency and normal mode equations of
uniform beams*, J. Appl. Mech. 28 (1961) 579-584, frequency equation of the clamped-free beam, written here as the determinant of the
boundary conditions of the first-order system (matrix exponential by Taylor series, numpy).

Tolerance: 2e-3 for four frequencies with order 6.
"""
import numpy as np

from support.desk import frequencies
from support.models import link, model, rod
from support.rows import Row

KIND = "solver (exact equation)"
RADIUS, YOUNG, DENSITY, POISSON = 0.1, 1e9, 1000.0, 0.3


def exponential(A):
    n = max(0, int(np.ceil(np.log2(max(np.abs(A).sum(1).max(), 1e-9)))) + 4)
    B, term, out = A / 2**n, np.eye(len(A)), np.eye(len(A))
    for k in range(1, 20):
        term = term @ B / k
        out = out + term
    for _ in range(n):
        out = out @ out
    return out


def exact(count):
    area, inertia = np.pi * RADIUS**2, np.pi * RADIUS**4 / 4
    ei, ga = YOUNG * inertia, YOUNG / (2 * (1 + POISSON)) * area

    def free_end(w):
        """w' = psi + V/GA, psi' = M/EI, M' = -V - rho I w^2 psi, V' = -rho A w^2 w; M and V vanish at the end."""
        A = np.array([[0, 1, 0, 1 / ga], [0, 0, 1 / ei, 0], [0, -DENSITY * inertia * w * w, 0, -1], [-DENSITY * area * w * w, 0, 0, 0]])
        scale = np.array([1, 1, ei, ei])
        return np.linalg.det(exponential(A * scale[None, :] / scale[:, None])[2:, 2:])

    unit = np.sqrt(ei / (DENSITY * area))
    grid = np.linspace(0.5, 200, 800) * unit
    values = [free_end(w) for w in grid]
    found = []
    for a, b, fa, fb in zip(grid, grid[1:], values, values[1:]):
        if fa * fb < 0 and len(found) < count:
            for _ in range(60):
                m = (a + b) / 2
                a, b = (m, b) if free_end(m) * fa > 0 else (a, m)
            found.append(a)
    return np.array(found), unit


def measure(desk):
    body = rod(1, RADIUS, YOUNG, {"bending_y": 6, "shear_z": 6}, poisson=POISSON, density=DENSITY)
    ours = frequencies(desk.linearize(model([link("rod", body=body)]))["A"][0])[:4]
    reference, unit = exact(4)
    slender = np.array([1.8751041, 4.6940911, 7.8547574, 10.9955407]) ** 2
    rows = [Row(f"frequency {i + 1} / sqrt(EI/(rho A L^4))", ours[i] / unit, reference[i] / unit, 2e-3) for i in range(4)]

    def draw(figure):
        axes = figure.subplots()
        axes.plot(range(1, 5), slender, "k+", label="Euler-Bernoulli"), axes.plot(range(1, 5), reference / unit, "kx", label="Timoshenko")
        axes.plot(range(1, 5), ours / unit, "C0o", mfc="none", label="Tendril")
        axes.set(xlabel="mode", ylabel="frequency / sqrt(EI/ρAL⁴)"), axes.legend()

    return rows, draw

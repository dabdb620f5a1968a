"""A blade that hangs from a turning hub: its shape under weight and centrifugal force, by finite differences and forward kinematics alone.

The hub turns about the vertical at w; the blade is clamped at the distance R, pointing down, and bends outwards. theta is the angle of its tangent
from the vertical, x the distance from the axis, m a mass at its tip:

    EI theta'' = n_z sin theta - n_x cos theta + rho I w^2 sin theta cos theta,    theta(0) = 0,  theta'(L) = 0,
    n_x(s) = w^2 (m x(L) + int_s^L rho A x),   n_z(s) = g (m + rho A (L - s)),   x(s) = R + int_0^s sin theta

(the last term: sections have inertia). Central differences on N intervals, integrals by the trapezoidal rule, solved by Newton with a Jacobian by
differences, extrapolated from N and 2 N. Prints the tip and theta(L).

`python3 turning_blade.py`; tests/law/test_relative_rest.c quotes what it prints.
"""
import numpy as np

L, R, RADIUS, YOUNG, DENSITY, TIP, G = 0.6, 0.1, 0.004, 1e8, 1100.0, 0.02, 9.81
AREA, I = np.pi * RADIUS**2, np.pi * RADIUS**4 / 4


def residual(theta, w, h):
    s = np.arange(len(theta)) * h
    step = h * (np.sin(theta[1:]) + np.sin(theta[:-1])) / 2
    x = R + np.concatenate([[0], np.cumsum(step)])
    load = DENSITY * AREA * x
    beyond = np.concatenate([np.cumsum((h * (load[1:] + load[:-1]) / 2)[::-1])[::-1], [0]])
    n_x, n_z = w * w * (TIP * x[-1] + beyond), G * (TIP + DENSITY * AREA * (L - s))
    force = n_z * np.sin(theta) - n_x * np.cos(theta) + DENSITY * I * w * w * np.sin(theta) * np.cos(theta)
    bend = np.empty_like(theta)
    bend[1:-1] = (theta[2:] - 2 * theta[1:-1] + theta[:-2]) / h**2
    bend[-1] = 2 * (theta[-2] - theta[-1]) / h**2  # theta'(L) = 0
    out = YOUNG * I * bend - force
    out[0] = theta[0]
    return out


def shape(w, n):
    """x and depth of the tip, m, and theta there."""
    h, theta = L / n, np.zeros(n + 1)
    for part in np.linspace(0.05, 1, 20):
        for _ in range(30):
            r = residual(theta, part * w, h)
            J = np.empty((n + 1, n + 1))
            for j in range(n + 1):
                moved = theta.copy()
                moved[j] += 1e-6
                J[:, j] = (residual(moved, part * w, h) - r) / 1e-6
            change = np.linalg.solve(J, -r)
            theta += change
            if np.abs(change).max() < 1e-11:
                break
    s, c = np.sin(theta), np.cos(theta)
    return np.array([R + h * (s.sum() - (s[0] + s[-1]) / 2), h * (c.sum() - (c[0] + c[-1]) / 2), theta[-1]])


if __name__ == "__main__":
    for w in (4.0, 8.0):
        coarse, fine = shape(w, 60), shape(w, 120)
        print(w, ((4 * fine - coarse) / 3).round(8).tolist(), np.abs(fine - coarse).max())

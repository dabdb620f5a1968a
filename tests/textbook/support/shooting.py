"""An independent solver: the boundary-value problem of a special Cosserat rod by shooting (numpy only, nothing of Tendril in it).

    p' = R v,  R' = R hat(k),  n' = -f(s),  m' = -p' x n - l(s)         (world frame; Antman, Nonlinear Problems of Elasticity, ch. 8)
    k = k0(s) + C_m^-1 R^T m,  v = (1, 0, 0) + C_n^-1 R^T n             (local x is the tangent, C diagonal, 0 compliance: rigid)

Rotations are quaternions, normalised when they are used; the march is RK4 of constant steps for many columns at once (a column per
perturbed unknown); Newton with forward differences finds the unknown base forces. Doubling the steps changes the tenth digit or later
in the problems here (the callers check it where they say so).
"""
import numpy as np


def rotation(q):
    """[..., 4] to [..., 3, 3], q = (w, x, y, z) of any length."""
    w, x, y, z = np.moveaxis(q / np.linalg.norm(q, axis=-1, keepdims=True), -1, 0)
    return np.stack([np.stack([1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)], -1),
                     np.stack([2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)], -1),
                     np.stack([2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)], -1)], -2)


def quaternion_rate(q, k):
    """q' of a frame that turns by k (its own axes)."""
    w, x, y, z = np.moveaxis(q, -1, 0)
    a, b, c = np.moveaxis(k, -1, 0)
    return 0.5 * np.stack([-x * a - y * b - z * c, w * a + y * c - z * b, w * b - x * c + z * a, w * c + x * b - y * a], -1)


class Rod:
    """bending, stretch: compliances [3] about and along the local axes (1/(GJ), 1/(EI_y), 1/(EI_z)), (1/(EA), 1/(GA), 1/(GA)).

    curvature(s) [3] is that of the unloaded rod; force(s) [3] and moment(s) [3] act per metre in the world.
    """

    def __init__(self, length, bending, stretch=(0, 0, 0), curvature=None, force=None, couple=None, steps=400, start=(1, 0, 0, 0),
                 origin=(0, 0, 0)):
        self.length, self.steps = length, steps
        self.bending, self.stretch = np.asarray(bending, float), np.asarray(stretch, float)
        self.curvature = curvature or (lambda s: np.zeros(3))
        self.force = force or (lambda s: np.zeros(3))
        self.couple = couple or (lambda s: np.zeros(3))
        self.start, self.origin = np.asarray(start, float), np.asarray(origin, float)

    def rate(self, s, y):
        q, n, m = y[..., 3:7], y[..., 7:10], y[..., 10:13]
        R = rotation(q)
        k = self.curvature(s) + self.bending * np.einsum("...ji,...j->...i", R, m)
        v = np.array([1.0, 0, 0]) + self.stretch * np.einsum("...ji,...j->...i", R, n)
        dp = np.einsum("...ij,...j->...i", R, v)
        f, l = np.broadcast_to(self.force(s), n.shape), np.broadcast_to(self.couple(s), m.shape)
        return np.concatenate([dp, quaternion_rate(q, k), -f, -np.cross(dp, n) - l], -1)

    def march(self, base, keep=False):
        """base [..., 6]: n and m at s = 0. The state [..., 13] at the end, or of all steps [steps + 1, ..., 13]."""
        base = np.asarray(base, float)
        y = np.concatenate([np.broadcast_to(np.concatenate([self.origin, self.start]), base.shape[:-1] + (7,)), base], -1)
        h, kept = self.length / self.steps, [y]
        for i in range(self.steps):
            s = i * h
            a = self.rate(s, y)
            b = self.rate(s + h / 2, y + h / 2 * a)
            c = self.rate(s + h / 2, y + h / 2 * b)
            d = self.rate(s + h, y + h * c)
            y = y + h / 6 * (a + 2 * b + 2 * c + d)
            if keep:
                kept.append(y)
        return np.array(kept) if keep else y


def newton(residual, x, tolerance=1e-11, step=1e-7, most=60, scale=None):
    """residual(X [k, n]) -> [k, n] for k guesses at once; the root near x."""
    x = np.asarray(x, float)
    scale = np.ones(len(x)) if scale is None else np.asarray(scale, float)
    for _ in range(most):
        d = step * scale
        values = residual(np.vstack([x, x + np.diag(d)]))
        slope = (values[1:] - values[0]).T / d
        change = np.linalg.solve(slope, -values[0])
        x = x + change
        if np.abs(change / scale).max() < tolerance:
            return x
    raise ArithmeticError("the shooting did not converge")


def cantilever(rod, tip_force, tip_moment=(0, 0, 0), steps=1, guess=None):
    """Base forces and moments (n, m) of a clamped rod under dead loads on its end, which grow in `steps`."""
    tip_force, tip_moment = np.asarray(tip_force, float), np.asarray(tip_moment, float)
    x = np.zeros(6) if guess is None else guess
    size = np.concatenate([np.full(3, max(np.abs(tip_force).max(), 1e-12)),
                           np.full(3, max(np.abs(tip_force).max() * rod.length, np.abs(tip_moment).max(), 1e-12))])
    for share in np.arange(1, steps + 1) / steps:
        def residual(X):
            end = rod.march(X)
            return np.concatenate([end[..., 7:10] - share * tip_force, end[..., 10:13] - share * tip_moment], -1)
        x = newton(residual, x, scale=size)
    return x

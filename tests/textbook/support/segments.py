"""An independent model of a planar inextensible beam: N rigid bars with elastic hinges (numpy only).

Bars of length h with their mass and rotary inertia spread evenly, absolute angles a_i; hinges of stiffness EI/h between them, the first bar
held by twice that at the base (half a bar to the wall). The equations of a multiple pendulum:

    sum_j C_ij cos(a_i - a_j) a_j'' + C_ij sin(a_i - a_j) a_j'^2 = hinge moments,   C_ij = m h^2 (N - max(i, j) - 1/2), C_ii + m h^2/12 …

It converges with h^2: values for N and 2 N are extrapolated.
"""
import numpy as np


class Bars:
    def __init__(self, n, length, mass_per_length, stiffness, inertia_per_length=0.0):
        h = length / n
        m = mass_per_length * h
        i = np.arange(n)
        later = n - 1 - np.maximum.outer(i, i)  # bars wholly beyond both
        self.C = m * h * h * (later + np.where(np.equal.outer(i, i), 1 / 3, 0.5)) + np.eye(n) * inertia_per_length * h
        self.n, self.h, self.k = n, h, stiffness / h
        bend = np.zeros((n + 1, n))
        bend[:n] += np.eye(n)
        bend[1:] -= np.eye(n)
        weights = np.full(n + 1, self.k)
        weights[0], weights[n] = 2 * self.k, 0
        self.fastest = np.sqrt(np.linalg.eigvals(np.linalg.solve(self.C, bend.T @ (weights[:, None] * bend))).real.max())

    def accelerations(self, a, v, base_angle):
        d = a[:, None] - a[None, :]
        bend = np.diff(np.concatenate([[base_angle], a])) * self.k
        bend[0] *= 2
        moment = -bend
        moment[:-1] += bend[1:]
        return np.linalg.solve(self.C * np.cos(d), moment - (self.C * np.sin(d)) @ v**2)

    def place(self, a):
        """Tip of the chain."""
        return self.h * np.cos(a).sum(-1), self.h * np.sin(a).sum(-1)

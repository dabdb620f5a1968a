"""An independent solver for the motion of a special Cosserat rod: staggered finite differences, explicit (numpy only).

Places of N + 1 nodes carry the mass, quaternions of the N edges between them the rotary inertia; v = R^T (p_i+1 - p_i)/h on edges, the
rotation vector between neighbouring edges over h is the curvature at nodes; linear elasticity for both (Simo 1985; Lang, Linn and Arnold,
*Multi-body dynamics simulation of geometrically exact Cosserat rods*, Multibody Syst. Dyn. 25 (2011)). RK4 in time. Second order in h:
values for N and 2 N are extrapolated.
"""
import numpy as np

from .shooting import quaternion_rate, rotation


def product(a, b):
    w, x, y, z = np.moveaxis(a, -1, 0)
    s, t, u, v = np.moveaxis(b, -1, 0)
    return np.stack([w * s - x * t - y * u - z * v, w * t + x * s + y * v - z * u, w * u - x * v + y * s + z * t,
                     w * v + x * u - y * t + z * s], -1)


def cross(a, b):
    return np.stack([a[:, 1] * b[:, 2] - a[:, 2] * b[:, 1], a[:, 2] * b[:, 0] - a[:, 0] * b[:, 2],
                     a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]], -1)


def conjugate(a):
    return a * [1, -1, -1, -1]


class Staggered:
    """nodes [N + 1, 3], frames [N, 4] unloaded; Cn, Cm [3] stiffnesses; mass per length, inertia per length [3]; clamped: first end.

    load(t) gives (node, force [3], edge, world moment [3]).
    """

    def __init__(self, nodes, frames, Cn, Cm, mass, inertia, load, clamped=False):
        self.p, self.q = np.array(nodes, float), np.array(frames, float)
        self.h = np.linalg.norm(self.p[1] - self.p[0])
        self.Cn, self.Cm, self.J = np.asarray(Cn, float), np.asarray(Cm, float), np.asarray(inertia, float) * self.h
        self.m = np.full(len(self.p), mass * self.h)
        self.m[[0, -1]] /= 2
        self.rest = conjugate(product(conjugate(self.q[:-1]), self.q[1:]))
        self.load, self.clamped, self.base = load, clamped, self.q[0].copy()

    def rate(self, t, p, v, q, w):
        R = rotation(q)
        strain = np.einsum("nji,nj->ni", R, (p[1:] - p[:-1]) / self.h)
        n = self.Cn * (strain - [1.0, 0, 0])
        N = np.einsum("nij,nj->ni", R, n)
        force = np.zeros_like(p)
        at, f, on, moment = self.load(t)
        force[:-1] += N
        force[1:] -= N
        force[at] += f
        unit = q / np.linalg.norm(q, axis=-1, keepdims=True)
        turn = product(product(conjugate(unit[:-1]), unit[1:]), self.rest)
        turn = turn * np.sign(turn[:, :1])
        size = np.linalg.norm(turn[:, 1:], axis=1, keepdims=True)
        angle = 2 * np.arctan2(size, turn[:, :1])
        u = turn[:, 1:] * np.where(size > 1e-12, angle / np.maximum(size, 1e-12), 2.0) / self.h
        M = np.einsum("nij,nj->ni", R[:-1], self.Cm * u)  # curvature in the frame before the node: equal in both but for the rest rotation
        torque = np.zeros_like(w)
        torque[:-1] += M
        torque[1:] -= M
        if self.clamped:
            first = product(conjugate(self.base), unit[0])
            first = first * np.sign(first[0])
            torque[0] -= R[0] @ (2 * self.Cm * 2 * first[1:] / self.h)
        torque[on] += moment
        body = np.einsum("nji,nj->ni", R, torque) + self.h * cross(strain, n)
        a = force / self.m[:, None]
        if self.clamped:
            a[0] = 0
        return v, a, quaternion_rate(q, w), (body - cross(w, self.J * w)) / self.J

    def run(self, times, safety=0.8):
        """Places of all nodes at the times [K, N + 1, 3]; the frames of all edges then stay in `frames` [K, N, 4]."""
        fastest = 2 * np.sqrt(self.Cn.max() / (self.m[1] / self.h)) / self.h
        fastest = max(fastest, np.sqrt(self.Cn.max() * self.h / self.J.min()) + 2 * np.sqrt(self.Cm.max() / (self.J.min() / self.h)) / self.h)
        state = [self.p.copy(), np.zeros_like(self.p), self.q.copy(), np.zeros((len(self.q), 3))]
        kept, frames, t = [self.p.copy()], [self.q.copy()], times[0]
        for end in times[1:]:
            steps = int(np.ceil((end - t) * fastest / (2.7 * safety)))
            h = (end - t) / steps
            for _ in range(steps):
                a = self.rate(t, *state)
                b = self.rate(t + h / 2, *[x + h / 2 * y for x, y in zip(state, a)])
                c = self.rate(t + h / 2, *[x + h / 2 * y for x, y in zip(state, b)])
                d = self.rate(t + h, *[x + h * y for x, y in zip(state, c)])
                state = [x + h / 6 * (i + 2 * j + 2 * k + l) for x, i, j, k, l in zip(state, a, b, c, d)]
                state[2] /= np.linalg.norm(state[2], axis=1, keepdims=True)
                t += h
            t = end
            kept.append(state[0].copy())
            frames.append(state[2].copy())
        self.frames = np.array(frames)
        return np.array(kept)

"""An independent solver for rods with tendons (numpy only), for the problems after Rucker and Webster.

A cut at s through rod and tendons leaves a free part whose balance knows no distributed tendon forces at all:

    n_rod + sum T t_i = F,    m_rod + sum r_i x T t_i = M,    t_i = p_i'/|p_i'|,  p_i' = R (v + u x d_i + d_i')

with F, M the wrench on the part beyond s (weight and tip load) about the rod's point, d_i(s) the tendon's place in the section, T its
tension, constant without friction. Strains u, v follow from the wrench by a fixed point (a tendon is much softer than the rod), frames by
RK4, the base moment by Newton. Rucker and Webster (2011) use the equivalent distributed loads; nothing of that, nor of Tendril, is here.
"""
import numpy as np

from .shooting import Rod, newton, rotation


class TendonRod(Rod):
    """tendons: [(tension N, d(s) [3], d'(s) [3])], anchored at the tip; weight: force per metre [3]."""

    def __init__(self, length, bending, stretch, tendons, weight=(0, 0, 0), tip_force=(0, 0, 0), **more):
        super().__init__(length, bending, stretch, **more)
        self.tendons, self.weight, self.tip_force = tendons, np.asarray(weight, float), np.asarray(tip_force, float)

    def strains(self, s, R, n, m):
        """u, v [..., 3] of a section under the world wrench n, m of rod and tendons together."""
        n, m = np.einsum("...ji,...j->...i", R, n), np.einsum("...ji,...j->...i", R, m)
        u, v = np.zeros_like(m), np.zeros_like(n) + [1.0, 0, 0]
        for _ in range(200):
            force, moment = n.copy(), m.copy()
            for tension, place, slope in self.tendons:
                d = place(s)
                t = v + np.cross(u, d) + slope(s)
                t = tension * t / np.linalg.norm(t, axis=-1, keepdims=True)
                force, moment = force - t, moment - np.cross(d, t)
            new_u, new_v = self.bending * moment, np.array([1.0, 0, 0]) + self.stretch * force
            change = max(np.abs(new_u - u).max() * self.length, np.abs(new_v - v).max())
            u, v = new_u, new_v
            if change < 1e-14:
                break
        return u, v

    def rate(self, s, y):
        q, m = y[..., 3:7], y[..., 10:13]
        R = rotation(q)
        n = self.tip_force + self.weight * (self.length - s) + np.zeros_like(m)
        u, v = self.strains(s, R, n, m)
        dp = np.einsum("...ij,...j->...i", R, v)
        w, x, y_, z = np.moveaxis(q, -1, 0)
        a, b, c = np.moveaxis(u, -1, 0)
        dq = 0.5 * np.stack([-x * a - y_ * b - z * c, w * a + y_ * c - z * b, w * b - x * c + z * a, w * c + x * b - y_ * a], -1)
        return np.concatenate([dp, dq, np.zeros_like(n), -np.cross(dp, n)], -1)

    def solve(self, shares=1, guess=(0, 0, 0)):
        """States [steps + 1, 13]. The load grows in `shares` when it is large."""
        weight, force, base = self.weight, self.tip_force, np.asarray(guess, float)
        size = max(np.abs(weight).max() * self.length + np.abs(force).max(), 1e-9) * self.length
        for share in np.arange(1, shares + 1) / shares:
            self.weight, self.tip_force = share * weight, share * force
            base = newton(lambda M: self.march(np.concatenate([np.zeros_like(M), M], -1))[..., 10:13], base, 1e-10, scale=np.full(3, size))
        return self.march(np.concatenate([np.zeros(3), base]), keep=True)

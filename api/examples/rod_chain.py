"""A tentacle that owes nothing to Tendril: a planar chain of rigid pieces with springs, dampers and a cable at its hinges.

`generate_found.py` takes from it what a camera would have seen. Where Tendril has functions of strain along a rod, this has
`PIECES` rigid pieces of equal length. Hinge i stands at s_i = i ds. Its spring is E I(s_i) / ds and its damper 3 eta I(s_i) / ds
(Kelvin-Voigt; eta is the viscosity of shear), twice that at the clamp, which has half a piece on one side only. Unknowns are the
angles a_i of the pieces against the horizontal; e(a) = (cos a, sin a). With the positions r_i = sum_j W_ij e(a_j) of their centres

    sum_j A_ij cos(a_i - a_j) a_j'' + J_i a_i'' = - sum_j A_ij sin(a_i - a_j) a_j'^2 - g cos(a_i) sum_k m_k W_ki + hinges + cable,
    A = W^T diag(m) W,

the cable pulling by T on its length, sum_i ds sqrt((1 - d_i k_i)^2 + d'^2), k_i = (a_i - a_{i-1}) / ds, with the distance d_i of the
cable above the axis. Steps are implicit midpoints, solved by Newton's method with the matrix of springs and dampers alone. Both
errors fall with the square: of ds and of h.
"""
import numpy as np

PIECES, STEP, GRAVITY = 60, 1e-3, 9.81


class Chain:
    """length, radii (base, tip), tilt of the clamp against the horizontal (rad), cable: its distance from the axis (base, tip)."""

    def __init__(self, length, radii, tilt, cable, young, density, viscosity, pieces=PIECES):
        n, ds = pieces, length / pieces
        self.ds, self.tilt, self.n = ds, tilt, n

        def along(ends, s):
            return ends[0] + (ends[1] - ends[0]) * s / length

        hinges, centres = ds * np.arange(n), ds * (np.arange(n) + 0.5)
        half = np.where(np.arange(n) == 0, 2, 1)
        inertia, radius = np.pi / 4 * along(radii, hinges) ** 4, along(radii, centres)
        self.spring, self.damper = half * young * inertia / ds, half * 3 * viscosity * inertia / ds
        self.offset, self.slope = along(cable, hinges), (cable[1] - cable[0]) / length
        mass = density * np.pi * radius**2 * ds
        self.reach = ds * (np.tril(np.ones((n, n)), -1) + 0.5 * np.eye(n))  # W
        self.weight = GRAVITY * mass @ self.reach
        self.coupling = self.reach.T @ (mass[:, None] * self.reach)  # A
        self.spin = mass * (radius**2 / 4 + ds**2 / 12)

    def hinge_angles(self, a):
        return np.diff(a, prepend=self.tilt)

    def forces(self, a, rate, tension):
        """All but the terms of the mass: generalised forces by the angles."""
        bend, turn = self.hinge_angles(a), np.diff(rate, prepend=0.0)
        stretch = 1 - self.offset * bend / self.ds
        pulled = tension * self.offset * stretch / np.hypot(stretch, self.slope)
        torque = -self.spring * bend - self.damper * turn + pulled
        c, s = np.cos(a), np.sin(a)  # sin(a_i - a_j) = s_i c_j - c_i s_j
        turning = s * (self.coupling @ (c * rate**2)) - c * (self.coupling @ (s * rate**2))
        return torque - np.append(torque[1:], 0) - self.weight * c - turning

    def mass(self, a):
        return self.coupling * np.cos(a[:, None] - a[None, :]) + np.diag(self.spin)

    def mass_times(self, a, v):
        c, s = np.cos(a), np.sin(a)
        return c * (self.coupling @ (c * v)) + s * (self.coupling @ (s * v)) + self.spin * v

    def tip(self, a):
        return self.ds * np.array([np.cos(a).sum(), np.sin(a).sum()])

    def run(self, tension, times, step=STEP):
        """Tips [times, 2] (along the horizontal, upwards) of a motion that begins straight and at rest; tension(t) in N."""
        a, rate = np.full(self.n, self.tilt), np.zeros(self.n)
        between = np.eye(self.n) - np.eye(self.n, k=-1)  # hinges' angles from those of the pieces
        stiff = between.T @ ((step**2 / 4 * self.spring + step / 2 * self.damper)[:, None] * between)
        tips, wanted = [], np.rint(np.asarray(times) / step).astype(int)
        for k in range(wanted[-1] + 1):
            if k in wanted:
                tips.append(self.tip(a))
            a, rate = self.advance(a, rate, tension((k + 0.5) * step), step, stiff)
        return np.array(tips)

    def advance(self, a, rate, tension, step, stiff):
        """An implicit midpoint: M(am) (v - rate) = step F(am, vm), am = a + step vm / 2, vm = (rate + v) / 2."""
        solve = np.linalg.inv(self.mass(a) + stiff)
        new = rate
        for _ in range(60):
            middle = (rate + new) / 2
            at = a + step / 2 * middle
            change = solve @ (step * self.forces(at, middle, tension) - self.mass_times(at, new - rate))
            new = new + change
            if np.abs(change).max() < 1e-10 * (1 + np.abs(new).max()):
                return a + step * (rate + new) / 2, new
        raise ArithmeticError("a step of the chain did not converge")

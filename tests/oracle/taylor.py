"""Truncated multivariate Taylor arithmetic on stacks of small arrays, in 80-bit reals (numpy.longdouble).

A series is an array [coefficients, batch, ...]; coefficient k belongs to the monomial `exponents[k]`. Products drop every
monomial beyond the algebra's orders, so the coefficients are exact derivatives (up to rounding at 1e-19) of whatever
program computed them: nothing is differentiated by hand.
"""

import itertools

import numpy as np

REAL = np.longdouble


class Algebra:
    """Polynomials in len(orders) infinitesimals, variable v truncated after orders[v]."""

    def __init__(self, *orders):
        self.orders = orders
        self.exponents = list(itertools.product(*(range(o + 1) for o in orders)))
        self.index = {e: k for k, e in enumerate(self.exponents)}
        self.products = []
        for (i, a), (j, b) in itertools.product(enumerate(self.exponents), repeat=2):
            total = tuple(x + y for x, y in zip(a, b))
            if total in self.index:
                self.products.append((i, j, self.index[total]))

    def lift(self, constant, batch):
        """A constant as a series."""
        constant = np.asarray(constant, REAL)
        out = np.zeros((len(self.exponents), batch) + constant.shape, REAL)
        out[0] = constant
        return out

    def product(self, x, y, op=np.multiply):
        """x y for any bilinear `op` of arrays (multiply, matmul, ...)."""
        out = [None] * len(self.exponents)
        for i, j, k in self.products:
            term = op(x[i], y[j])
            out[k] = term if out[k] is None else out[k] + term
        return np.stack(out)

    def matmul(self, x, y):
        return self.product(x, y, np.matmul)

    def derivative(self, x, variable):
        """d/d(variable); the highest coefficients in that variable are lost (zero)."""
        out = np.zeros_like(x)
        for k, e in enumerate(self.exponents):
            raised = e[:variable] + (e[variable] + 1,) + e[variable + 1:]
            if raised in self.index:
                out[k] = raised[variable] * x[self.index[raised]]
        return out

    def sqrt(self, x):
        """Newton's iteration for 1/sqrt(x): each sweep doubles the degree that is exact."""
        y = self.lift(0, x.shape[1]) + np.zeros_like(x)
        y[0] = 1 / np.sqrt(x[0])
        for _ in range(sum(self.orders).bit_length() + 2):
            residual = -self.product(x, self.product(y, y))
            residual[0] += 3
            y = self.product(y, residual) / 2
        return self.product(x, y)

    def power(self, x, exponent):
        """x^exponent for x > 0: the binomial series in x/x0 - 1, which ends at the algebra's degree."""
        z = x / x[0]
        z[0] = 0
        coefficients, c = [], REAL(1)
        for k in range(sum(self.orders) + 1):
            coefficients.append(c)
            c = c * (REAL(exponent) - k) / (k + 1)
        return self.power_series(z, coefficients) * x[0]**REAL(exponent)

    def power_series(self, z, coefficients):
        """sum_k coefficients[k] z^k by Horner's rule."""
        out = np.zeros_like(z)
        for c in reversed(coefficients):
            out = self.product(out, z)
            out[0] += c
        return out


POINT, FIRST = Algebra(0), Algebra(1)

# Twists (w, v) as 4x4 matrices: hat = sum_i twist_i GENERATORS[i].
GENERATORS = np.zeros((6, 4, 4), REAL)
for _i, _j, _k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
    GENERATORS[_i, _k, _j], GENERATORS[_i, _j, _k] = 1, -1
    GENERATORS[3 + _i, _i, 3] = 1


def hat(twist):
    return np.matmul(twist, GENERATORS.reshape(6, 16)).reshape(twist.shape[:-1] + (4, 4))


def vee(matrix):
    entries = [matrix[..., 2, 1], matrix[..., 0, 2], matrix[..., 1, 0]] + [matrix[..., i, 3] for i in range(3)]
    return np.stack(entries, axis=-1)


def _factorial_series(first):
    """(-1)^k / (2k + first)! : cos and sin like series in theta^2."""
    out, value = [], REAL(1)
    for k in range(2, first + 1):
        value /= k
    for k in range(60):
        out.append(value)
        value = -value / ((2 * k + first + 1) * (2 * k + first + 2))
    return out


COSINE, SINE = _factorial_series(2), _factorial_series(3)


def exponential(algebra, twist):
    """exp of se(3), from the power series alone: exp X = 1 + X + b X^2 + c X^3, because X^4 = -theta^2 X^2."""
    w = twist[..., :3]
    theta2 = sum(algebra.product(w[..., i], w[..., i]) for i in range(3))
    x = hat(twist)
    x2 = algebra.matmul(x, x)
    x3 = algebra.matmul(x2, x)
    out = x.copy()
    for terms, power in ((COSINE, x2), (SINE, x3)):
        scale = algebra.power_series(theta2, terms)[..., None, None]
        out = out + algebra.product(scale, power)
    out[0] += np.eye(4, dtype=REAL)
    return out


def logarithm(pose):
    """The twist x with exp(x) = pose, a 4x4 array; angle below pi."""
    r = pose[:3, :3]
    turn = REAL(0.5) * vee(pose - pose.T)[:3]
    sine, cosine = np.sqrt(turn @ turn), (np.trace(r) - 1) / 2
    w = turn * (np.arctan2(sine, cosine) / sine if sine > 0 else 1)
    left = np.empty((3, 3), REAL)  # the translation of exp(w, v) is left v
    for k in range(3):
        v = np.zeros(3, REAL)
        v[k] = 1
        left[:, k] = exponential(POINT, np.concatenate([w, v])[None, None])[0, 0, :3, 3]
    return np.concatenate([w, _solve3(left, pose[:3, 3])])


def _solve3(a, b):
    rows = (np.cross(a[:, 1], a[:, 2]), np.cross(a[:, 2], a[:, 0]), np.cross(a[:, 0], a[:, 1]))
    return np.array([row @ b for row in rows]) / (a[:, 0] @ rows[0])


def inverse_pose(algebra, pose):
    out = np.zeros_like(pose)
    rotation = np.swapaxes(pose[..., :3, :3], -1, -2)
    out[..., :3, :3] = rotation
    out[..., :3, 3:] = -algebra.matmul(rotation, pose[..., :3, 3:])
    out[0, ..., 3, 3] = 1
    return out

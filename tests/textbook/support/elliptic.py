"""Jacobi's elliptic functions by descending Landen transformations (Abramowitz & Stegun 16.4), numpy only. k is the modulus, m = k^2."""
import numpy as np


def complete(m):
    """K(m) by the arithmetic-geometric mean."""
    a, b = 1.0, np.sqrt(1 - m)
    for _ in range(40):
        a, b = (a + b) / 2, np.sqrt(a * b)
    return np.pi / (2 * a)


def jacobi(u, m):
    """sn, cn, dn of u for 0 <= m < 1."""
    a, c, b = [1.0], [np.sqrt(m)], np.sqrt(1 - m)
    while abs(c[-1]) > 1e-17 and len(a) < 30:
        a, b, c = a + [(a[-1] + b) / 2], np.sqrt(a[-1] * b), c + [(a[-1] - b) / 2]
    phi = 2.0 ** (len(a) - 1) * a[-1] * np.asarray(u, float)
    for n in range(len(a) - 1, 0, -1):
        phi = (phi + np.arcsin(c[n] * np.sin(phi) / a[n])) / 2
    return np.sin(phi), np.cos(phi), np.sqrt(1 - m * np.sin(phi) ** 2)

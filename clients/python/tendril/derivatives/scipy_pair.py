"""A function and its Jacobian as scipy.optimize takes them. SciPy itself is not needed here."""
from __future__ import annotations

from typing import Any, Callable, NamedTuple

import numpy as np


class ScipyPair(NamedTuple):
    """fun(p) and jac(p), p [np]: a number and [np] where one number comes out, else [m] (all outputs, in order) and [m, np]."""

    fun: Callable[[Any], Any]
    jac: Callable[[Any], np.ndarray]


def make(f: Any) -> ScipyPair:
    def flat(arrays: Any) -> np.ndarray:
        return np.concatenate([array[0].ravel() for array in arrays])

    def fun(p: Any) -> Any:
        values = flat(f.values(f.numbers.rows(np.ravel(p))))
        return float(values[0]) if values.size == 1 else values

    def jac(p: Any) -> np.ndarray:
        rows = f.numbers.rows(np.ravel(p))
        whole = flat(f.jacobians(rows)).reshape(-1, rows.shape[1])
        return whole[0] if len(whole) == 1 else whole

    return ScipyPair(fun, jac)

"""A function for JAX: jax.custom_vjp over jax.pure_callback, which calls the server from within jit, grad and vmap.

Written to the documentation of JAX from 0.4.34 on (pure_callback with vmap_method); JAX was not to be had where this was written, so
that only what it calls, host and host_product, has been run.
"""
from __future__ import annotations

from typing import Any, Callable, Tuple

import numpy as np


def host(f: Any, p: Any) -> Tuple[np.ndarray, ...]:
    """p [..., np] -> outputs [..., …] of p's type, as pure_callback wants them."""
    p = np.asarray(p)
    arrays = f.values(f.numbers.rows(p))
    return tuple(array.reshape((*p.shape[:-1], *array.shape[1:])).astype(p.dtype) for array in arrays)


def host_product(f: Any, p: Any, *cotangents: Any) -> np.ndarray:
    """p [..., np], cotangents of the outputs -> their products with the Jacobian, of p's shape and type."""
    p = np.asarray(p)
    given = [np.asarray(one, dtype=float) for one in cotangents]
    rows = f.numbers.rows(p)
    return f.products(rows, [one.reshape((len(rows), *one.shape[p.ndim - 1:])) for one in given]).reshape(p.shape).astype(p.dtype)


def make(f: Any) -> Callable[[Any], Any]:
    import jax

    @jax.custom_vjp
    def apply(p: Any) -> Any:
        shapes = tuple(jax.ShapeDtypeStruct((*p.shape[:-1], *shape), p.dtype) for shape in f.shapes())
        return jax.pure_callback(lambda at: host(f, at), shapes, p, vmap_method="broadcast_all")

    def forward(p: Any) -> Any:
        return apply(p), p

    def backward(p: Any, cotangents: Any) -> Any:
        back = jax.ShapeDtypeStruct(p.shape, p.dtype)
        return (jax.pure_callback(lambda at, *given: host_product(f, at, *given), back, p, *cotangents, vmap_method="broadcast_all"),)

    apply.defvjp(forward, backward)

    def call(p: Any) -> Any:
        p = jax.numpy.asarray(p)
        return f.outputs.as_asked(list(apply(p.astype(jax.numpy.result_type(float, p.dtype)))))

    return call

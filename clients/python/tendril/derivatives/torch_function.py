"""A function as a torch.autograd.Function: backward by gradient jobs, forward mode by sensitivities."""
from __future__ import annotations

from typing import Any, Callable

import numpy as np
import torch


def _array(tensor: torch.Tensor) -> np.ndarray:
    return tensor.detach().to("cpu", torch.float64).numpy()


def make(f: Any) -> Callable[[torch.Tensor], Any]:
    """p [..., np] -> outputs [..., …], of the dtype and on the device of p; computed in double precision."""

    class Product(torch.autograd.Function):
        """Cotangents times df/dp. It depends on p, but how is not known: whoever differentiates it is told, instead of given zeros."""

        @staticmethod
        def forward(ctx: Any, axes: Any, p: torch.Tensor, *cotangents: torch.Tensor) -> torch.Tensor:
            rows = f.numbers.rows(_array(p))
            gradient = f.products(rows, [_array(one).reshape(len(rows), *one.shape[len(axes):]) for one in cotangents])
            return torch.tensor(gradient.reshape(p.shape), dtype=p.dtype, device=p.device)

        @staticmethod
        def backward(ctx: Any, *_: torch.Tensor) -> Any:
            raise RuntimeError("f.torch is once differentiable: its gradients have no derivatives themselves (no Hessians, no gradient penalties)")

    class Task(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, p: torch.Tensor) -> Any:
            ctx.p, ctx.dtype, ctx.device = _array(p).copy(), p.dtype, p.device
            ctx.axes = p.shape[:-1] if p.ndim else p.shape
            ctx.save_for_backward(p)
            rows = f.numbers.rows(ctx.p)
            return tuple(Task.tensor(ctx, array) for array in f.values(rows))

        @staticmethod
        def tensor(ctx: Any, array: np.ndarray) -> torch.Tensor:
            return torch.tensor(array.reshape((*ctx.axes, *array.shape[1:])), dtype=ctx.dtype, device=ctx.device)

        @staticmethod
        def backward(ctx: Any, *cotangents: torch.Tensor) -> torch.Tensor:
            return Product.apply(ctx.axes, *ctx.saved_tensors, *cotangents)

        @staticmethod
        def jvp(ctx: Any, tangent: torch.Tensor) -> Any:
            rows, along = f.numbers.rows(ctx.p), f.numbers.rows(_array(tangent), "tangent")
            return tuple(Task.tensor(ctx, array) for array in f.directions(rows, along))

    def call(p: torch.Tensor) -> Any:
        return f.outputs.as_asked(list(Task.apply(p)))

    return call

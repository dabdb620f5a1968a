"""A function as a torch.autograd.Function: backward by gradient jobs, forward mode by sensitivities."""
from __future__ import annotations

from typing import Any, Callable

import numpy as np
import torch
from torch.autograd.function import once_differentiable


def _array(tensor: torch.Tensor) -> np.ndarray:
    return tensor.detach().to("cpu", torch.float64).numpy()


def make(f: Any) -> Callable[[torch.Tensor], Any]:
    """p [..., np] -> outputs [..., …], of the dtype and on the device of p; computed in double precision."""

    class Task(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, p: torch.Tensor) -> Any:
            ctx.p, ctx.dtype, ctx.device = _array(p).copy(), p.dtype, p.device
            ctx.axes = p.shape[:-1] if p.ndim else p.shape
            rows = f.numbers.rows(ctx.p)
            return tuple(Task.tensor(ctx, array) for array in f.values(rows))

        @staticmethod
        def tensor(ctx: Any, array: np.ndarray) -> torch.Tensor:
            return torch.tensor(array.reshape((*ctx.axes, *array.shape[1:])), dtype=ctx.dtype, device=ctx.device)

        @staticmethod
        @once_differentiable
        def backward(ctx: Any, *cotangents: torch.Tensor) -> torch.Tensor:
            rows = f.numbers.rows(ctx.p)
            given = [_array(one).reshape(len(rows), *one.shape[len(ctx.axes):]) for one in cotangents]
            gradient = f.products(rows, given)
            return torch.tensor(gradient.reshape(ctx.p.shape), dtype=ctx.dtype, device=ctx.device)

        @staticmethod
        def jvp(ctx: Any, tangent: torch.Tensor) -> Any:
            rows, along = f.numbers.rows(ctx.p), f.numbers.rows(_array(tangent), "tangent")
            return tuple(Task.tensor(ctx, array) for array in f.directions(rows, along))

    def call(p: torch.Tensor) -> Any:
        return f.outputs.as_asked(list(Task.apply(p)))

    return call

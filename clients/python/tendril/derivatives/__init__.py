"""Runs and equilibria as differentiable functions of numbers, for NumPy, SciPy, PyTorch and JAX."""
from .function import Differentiable, differentiable

__all__ = ["Differentiable", "differentiable"]

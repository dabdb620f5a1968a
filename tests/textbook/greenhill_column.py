"""Greenhill's column: how tall a rod can stand under its own weight

A vertical clamped rod buckles when rho g A L^3/EI exceeds 7.8373 (the first zero of the Bessel function J_-1/3: 9/4 j^2). Here gravity
stays and the length grows: `stable` has to turn false at the critical length. Bending of Legendre order 6.

Source: A. Greenhill, *Determination of the greatest height consistent with stability that a vertical pole or mast can be made*, Proc.
Camb. Phil. Soc. 4 (1881); S. Timoshenko and J. Gere, *Theory of Elastic Stability*, section 2.12. The zero is found here by the series.

Tolerance: the bracket, 1e-4 of the length.
"""
import math

import numpy as np

from support.models import UP, circle_ei, link, model, rod
from support.rows import Row

KIND = "exact"
RADIUS, YOUNG, DENSITY, GRAVITY, ORDER = 0.01, 1e6, 1000.0, 9.81, 6


def critical():
    """9/4 j^2, j the first zero of J_-1/3, from its power series (without the factor (x/2)^(-1/3)/Gamma(2/3))."""
    def bessel(x):
        return sum((-x * x / 4) ** k / (math.factorial(k) * math.gamma(k + 2 / 3)) for k in range(30))
    low, high = 1.0, 2.5
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if bessel(middle) > 0 else (low, middle)
    return 9 / 4 * low * low


def column(length):
    return model([link("rod", body=rod(length, RADIUS, YOUNG, {"bending_y": ORDER}, density=DENSITY), pose=UP)], [0, 0, -GRAVITY])


def stands(desk, length):
    result = desk.statics(column(length))
    return bool(result["stable"][0]) and np.abs(result["q"]).max() < 1e-6


def measure(desk):
    exact = critical()
    height = (exact * circle_ei(YOUNG, RADIUS) / (DENSITY * GRAVITY * np.pi * RADIUS**2)) ** (1 / 3)
    low, high = 0.95 * height, 1.05 * height
    if not stands(desk, low) or stands(desk, high):
        raise AssertionError("`stable` does not turn within 5 % of the exact length")
    for _ in range(10):
        middle = (low + high) / 2
        low, high = (middle, high) if stands(desk, middle) else (low, middle)
    rows = [Row("critical length", (low + high) / 2, height, 1e-4, "m"),
            Row("rho g A L^3/EI", exact * ((low + high) / 2 / height) ** 3, 7.8373, 3e-4)]
    shapes = []
    for factor in (1.05, 1.2, 1.5, 2.0):
        robot = column(factor * height)
        start = np.zeros(ORDER + 1)
        start[0] = 0.3
        q = desk.statics(robot, initial={"q": start.tolist()})["q"]
        shapes.append((factor, desk.points(robot, q)[0] / height))

    def draw(figure):
        axes = figure.subplots()
        for factor, shape in shapes:
            axes.plot(shape[:, 0], shape[:, 2], ".-", ms=3, label=f"L = {factor:g} of the critical length")
        axes.set(aspect="equal", xlabel="x / critical length", ylabel="z / critical length")
        axes.legend(fontsize=7, loc="center left", bbox_to_anchor=(1, 0.5))

    return rows, draw

"""Wet cantilever: what added mass does to frequencies

The same rod in air and in water, whose added mass per displaced mass is 1 (a circle): every bending frequency falls by
1/sqrt(1 + rho_w/rho), whatever the mode, because added and own mass are spread alike.

Source: H. Lamb, *Hydrodynamics*, section 68 (added mass of a cylinder); U. Lindholm et al., *Elastic vibration characteristics of
cantilever plates in water*, J. Ship Res. 9 (1965), for rods by strip theory.

Tolerance: 3e-4: rotary inertia is not added to by water.
"""
import numpy as np

from support.desk import frequencies
from support.models import link, model, rod
from support.rows import Row

KIND = "exact"


def measure(desk):
    def ours(density, **more):
        wet = {"hydrodynamics": {"added_y": 1, "added_z": 1}} if more else {}
        body = rod(1, 0.005, 1e9, {"bending_y": 6}, density=density, **wet)
        return frequencies(desk.linearize(model([link("rod", body=body)], **more))["A"][0])[:4]

    rows, found = [], {}
    for density in (1100.0, 2700.0, 7850.0):
        found[density] = ours(density, fluid={"density": 1000}) / ours(density)
        rows.append(Row(f"wet over dry, four frequencies, {density:g} kg/m^3", found[density],
                        np.full(4, 1 / np.sqrt(1 + 1000 / density)), 3e-4))
    return rows, None

"""A row of a table: a quantity as Tendril has it beside its published, exact or independently computed value."""
from dataclasses import dataclass
from typing import Any, Optional

import numpy as np


@dataclass
class Row:
    """ours and reference: numbers or arrays of one shape; of arrays the table shows the worst entry.

    error     max |ours - reference| / scale
    scale     default: the largest |reference|; 1 makes the error absolute, in `unit`
    tolerance of the error; a problem's docstring says why
    unmet     why the row cannot be met today; the page shows it, the test does not fail for it
    """

    quantity: str
    ours: Any
    reference: Any
    tolerance: float
    unit: str = ""
    scale: Optional[float] = None
    unmet: str = ""

    def __post_init__(self):
        self.ours, self.reference = np.asarray(self.ours, float), np.asarray(self.reference, float)
        assert self.ours.shape == self.reference.shape, (self.quantity, self.ours.shape, self.reference.shape)
        if self.scale is None:
            self.scale = float(np.abs(self.reference).max())
        assert self.scale > 0, f"{self.quantity}: a reference of 0 needs a scale"

    @property
    def error(self):
        return float(np.abs(self.ours - self.reference).max() / self.scale)

    @property
    def met(self):
        return self.error <= self.tolerance  # NaN is not met

    @property
    def worst(self):
        """(ours, reference) where they differ most."""
        at = np.unravel_index(np.argmax(np.nan_to_num(np.abs(self.ours - self.reference), nan=np.inf)), self.ours.shape)
        return float(self.ours[at]), float(self.reference[at])


def yes(quantity, holds, unmet=""):
    """A row that is true or false: shown as 1 against 1."""
    return Row(quantity, float(bool(holds)), 1.0, 0.0, unmet=unmet)

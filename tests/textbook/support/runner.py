"""Runs problems and keeps what came out: rows, picture, text, time."""
import importlib
import inspect
import os
import sys
import time
from dataclasses import dataclass, field
from typing import Any, Callable, List, Optional

FOLDER = os.path.abspath(os.path.join(os.path.dirname(__file__), ".."))
sys.path.insert(0, FOLDER)


@dataclass
class Outcome:
    name: str
    title: str
    text: str
    kind: str
    rows: List[Any] = field(default_factory=list)
    tables: List[str] = field(default_factory=list)
    draw: Optional[Callable] = None
    failure: str = ""
    cpu_s: float = 0.0
    wall_s: float = 0.0
    warnings: List[str] = field(default_factory=list)

    def unmet(self):
        """What the test has to complain about: rows that are not met and do not say why."""
        return [row for row in self.rows if not row.met and not row.unmet]


def describe(name):
    """(title, text, module): the docstring's first line and the rest of it."""
    module = importlib.import_module(name)
    title, _, text = inspect.getdoc(module).partition("\n")
    return title.rstrip("."), text.strip(), module


def run(name, desk, strict=True):
    """Measures one problem. strict: exceptions pass; otherwise they are the outcome's failure."""
    title, text, module = describe(name)
    outcome = Outcome(name, title, text, module.KIND)
    desk.reset()
    start = time.monotonic()
    try:
        found = module.measure(desk)
        outcome.rows, outcome.draw = found[0], found[1]
        outcome.tables = found[2] if len(found) > 2 else []
    except Exception as error:  # the page shows what fails, too
        if strict:
            raise
        outcome.failure = f"{type(error).__name__}: {error}"
    outcome.cpu_s, outcome.wall_s, outcome.warnings = desk.cpu_s, time.monotonic() - start, desk.warnings
    return outcome

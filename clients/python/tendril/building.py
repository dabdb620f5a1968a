"""A model document put together from its parts: what `tendril.models` is made of."""
from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Dict, Mapping, Optional, Sequence

import numpy as np

from .picture import Picture, command
from .result import Result

if TYPE_CHECKING:
    from .client import Client

LISTS = ("links", "actuators", "loads", "contacts", "loops", "springs")


class Part(Dict[str, Any]):
    """A part of a model document, as it stands there. `word` is the function that made it, `where` the list of a model that
    takes it, None where it goes into another part."""

    def __init__(self, word: str, where: Optional[str], members: Mapping[str, Any]):
        super().__init__(members)
        self.word, self.where = word, where


def _plain(value: Any) -> Any:
    return value.tolist() if isinstance(value, (np.ndarray, np.generic)) else value


def part(word: str, where: Optional[str], fixed: Mapping[str, Any], **members: Any) -> Part:
    """What a function of tendril.models gives: `fixed`, and what was said of `members` (from_ is the document's from)."""
    said = {name.rstrip("_"): _plain(value) for name, value in members.items() if value is not None}
    return Part(word, where, {**fixed, **said})


class Model(Dict[str, Any]):
    """A model document, tendril.model/1: a dict that goes wherever a document goes (models.put, evaluate, jobs).

        robot = Model("finger", link("arm", fixed(), body=rod(...)), tendon("cable", link="arm", routing=...), gravity=[0, 0, -9.81])
        robot.add(load(link="arm", wrench=[0, 0, 0, 0, 0, -1]))

    Links stand in the order in which they were added: parents before children.
    """

    def __init__(self, name: str, *parts: Part, gravity: Optional[Sequence[float]] = None,
                 fluid: Optional[Mapping[str, Any]] = None, description: Optional[str] = None):
        said = {"description": description, "gravity": gravity, "fluid": fluid}
        super().__init__(format="tendril.model/1", name=name, **{key: _plain(value) for key, value in said.items() if value is not None})
        self["links"] = []
        self.add(*parts)

    def add(self, *parts: Part) -> "Model":
        """Puts links, actuators, loads, contacts, loops and springs behind those that are there. Returns itself."""
        for one in parts:
            where = getattr(one, "where", None)
            if where not in LISTS:
                word = getattr(one, "word", None)
                raise TypeError(f"{word} is part of another part (a link has a joint and a body), it does not stand in a model by itself" if word
                                else f"a model is put together from what tendril.models gives, not from {one!r:.60}")
            self.setdefault(where, []).append(one)
        return self

    def attach(self, client: "Client", other: Mapping[str, Any], parent: str, *, prefix: str = "",
               pose: Optional[Mapping[str, Any]] = None, at: Optional[float] = None) -> "Model":
        """Hangs another robot at link `parent`: all of its names get `prefix`, what it had in the world is at `pose` in the
        parent's frame, on a rod at the abscissa `at` (X/L). The server does it, by the rules of `tendril import --attach`.
        Returns itself."""
        words = {"prefix": prefix or None, "pose": pose, "at": at}
        whole = client.attach(self, other, parent, **{key: value for key, value in words.items() if value is not None})
        self.clear()
        self.update(whole)
        return self

    def preview(self, client: "Client", q: Optional[Sequence[float]] = None, path: Optional[str] = None, **words: Any) -> Picture:
        """A picture of the robot at q [ndof] (default zero), also written to `path` (.png, .svg, .pdf); a notebook shows it.

        Nothing is stored and nothing runs. `words` are those of Result.plot: view=[azimuth, elevation], size="800x800", …
        Needs the command `tendril`, or matplotlib.
        """
        made = client.models.validate(self)
        state = np.zeros(made["ndof"]) if q is None else np.asarray(q, float)
        found = client.evaluate(self, state, want="poses", check=True)
        arrays = {"poses:" + name[6:]: value[None] for name, value in found.items() if name.startswith("poses/")}
        summary = {"kind": "state", "coordinates": made["coordinates"], "channels": made["channels"],
                   "model": {"name": self["name"], "document": self}}
        result = Result({"q": state[None], "u": np.zeros((1, len(made["channels"]))), "converged": np.ones(1, bool), **arrays}, summary)
        alone = {"panels": []} if command() else {}  # matplotlib's figure has its panels
        return result.plot(os.fspath(path) if path else None, **{**alone, **words})

"""A model document put together from its parts: what `tendril.models` is made of."""
from __future__ import annotations

import difflib
import numbers
import os
from typing import TYPE_CHECKING, Any, Callable, Dict, Mapping, Optional, Sequence

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


CHECKS: Dict[str, Dict[str, Any]] = {}  # of functions of tendril.models, which fills it: what a call can be told at once
KINDS: Dict[str, Callable[[Any], bool]] = {
    "str": lambda x: isinstance(x, str), "bool": lambda x: isinstance(x, bool),
    "float": lambda x: isinstance(x, numbers.Real) and not isinstance(x, bool),
    "int": lambda x: isinstance(x, numbers.Real) and not isinstance(x, bool) and float(x).is_integer(),
    "List": lambda x: isinstance(x, Sequence) and not isinstance(x, str), "Object": lambda x: isinstance(x, Mapping)}
CALLED = {"str": "a text", "bool": "True or False", "float": "a number", "int": "a whole number", "List": "a list",
          "Object": "a part (what a function of tendril.models gives, or a dict)"}


def _meant(word: Any, known: Sequence[Any]) -> str:
    near = difflib.get_close_matches(str(word), [str(one) for one in known], 1)
    return f"did you mean {near[0]!r}? " if near else ""


def _check(word: str, given: Mapping[str, Any]) -> None:
    """What the server would refuse, where its words are known here: kinds of members, words, names within a member."""
    from . import models
    checks, kinds = CHECKS.get(word, {}), getattr(models, word).__annotations__
    for name, value in given.items():
        text = kinds[name].removeprefix("Optional[").replace("Union[", "").replace("]", "")
        wanted = [kind.strip() for kind in text.split(",")]
        if "Any" not in wanted and not any(KINDS[kind](value) for kind in wanted):
            shown = getattr(value, "__name__", None) or repr(value)
            raise TypeError(f"{name} of {word} is {' or '.join(CALLED[kind] for kind in wanted)}, not {shown:.60}")
        words, keys = checks.get("words", {}).get(name), checks.get("keys", {}).get(name)
        if words and isinstance(value, str) and value not in words:
            raise ValueError(f"{name} of {word} is {value!r:.60}; {_meant(value, words)}known are {', '.join(map(str, words))}")
        for key in value if keys and isinstance(value, Mapping) else ():
            if key not in keys:
                raise ValueError(f"{name} of {word} has no {key!r:.60}; {_meant(key, keys)}known are {', '.join(keys)}")
    takes = checks.get("takes", [])
    if takes and not any(set(one) <= set(given) for one in takes):
        lists = ", or ".join(" and ".join(one) for one in dict.fromkeys(map(tuple, takes)))
        raise TypeError(f"{word} takes {lists}; it was given {', '.join(given)}")


def part(word: str, where: Optional[str], fixed: Mapping[str, Any], **members: Any) -> Part:
    """What a function of tendril.models gives: `fixed`, and what was said of `members` (from_ is the document's from)."""
    given = {name: _plain(value) for name, value in members.items() if value is not None}
    _check(word, given)
    said = {name.rstrip("_"): value for name, value in given.items()}
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

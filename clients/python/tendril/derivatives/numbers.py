"""The numbers p of a task: which numbers of a job and its model they are, and the job with others in their places."""
from __future__ import annotations

from typing import Any, Dict, List, Mapping, Sequence, Tuple

import numpy as np

from ..documents import found, places, replaced, tokens
from ..errors import InvalidArgument


class _Place:
    """Where some of the numbers stand: a number, or an array of them; `also`: the ways to further places of the same."""

    def __init__(self, said: Mapping[str, Any], pointer: str, job: Mapping[str, Any]):
        unknown = set(said) - {"path", "paths", "name", "lower", "upper"}
        self.every = said.get("paths") or [said.get("path")]
        if unknown or "path" in said and "paths" in said or not all(isinstance(one, str) for one in self.every):
            raise InvalidArgument(f"{dict(said)!r}: a parameter is a path, or {{path (or paths), name, lower, upper}}", pointer=pointer)
        self.path, self.name = self.every[0], said.get("name")
        self.way, *self.also = [self._way(path, pointer) for path in self.every]
        try:
            values = np.asarray(found(job, self.way), dtype=float)
        except LookupError as trouble:
            raise InvalidArgument(f"{self.path}: {trouble}", pointer=pointer) from None
        except (TypeError, ValueError):
            raise InvalidArgument(f"{self.path} holds no numbers: {found(job, self.way)!r}"[:300], pointer=pointer) from None
        if not values.size:
            raise InvalidArgument(f"{self.path} holds no number", pointer=pointer)
        self.values, self.bounds = values, (said.get("lower"), said.get("upper"))

    @staticmethod
    def _way(path: str, pointer: str) -> List[str]:
        root, *way = tokens(path) or [""]
        if root not in ("model", "job"):
            raise InvalidArgument(f"'{path}': paths begin with /model or /job", pointer=pointer)
        return (["model"] if root == "model" else []) + way

    def ends(self, form: str) -> List[str]:
        """What the indices of its numbers look like, in order: "/2" or "[2]"."""
        return ["".join(form.format(k) for k in index) for index in np.ndindex(self.values.shape)]

    def document(self) -> Dict[str, Any]:
        """As jobs have it."""
        return {**({"paths": self.every} if self.also else {"path": self.path}), **({"name": self.name} if self.name else {})}


def sought(parameters: Any) -> List[Dict[str, Any]]:
    """[{path, name, lower, upper}] of what a caller gives as parameters."""
    try:
        said = places(parameters)
    except (TypeError, ValueError) as trouble:
        raise InvalidArgument(str(trouble), pointer="/parameters") from None
    if not said:
        raise InvalidArgument("there must be at least one parameter", pointer="/parameters")
    return said


class Numbers:
    """start [np]: their values in the documents. names, paths, bounds [np]: what each is called, where it stands, (lower, upper)."""

    def __init__(self, job: Mapping[str, Any], said: Sequence[Mapping[str, Any]]):
        self.job, self.places = job, [_Place(one, f"/parameters/{k}", job) for k, one in enumerate(said)]
        self.start = np.concatenate([place.values.ravel() for place in self.places])
        self.paths = [place.path + end for place in self.places for end in place.ends("/{}")]
        self.names = [place.name + end if place.name else place.path + other for place in self.places
                      for end, other in zip(place.ends("[{}]"), place.ends("/{}"))]
        self.bounds: List[Tuple[Any, Any]] = [place.bounds for place in self.places for _ in range(place.values.size)]

    def job_with(self, p: np.ndarray) -> Any:
        """The job with p [np] in their places."""
        job, at = self.job, 0
        for place in self.places:
            part = p[at:at + place.values.size].reshape(place.values.shape)
            for way in [place.way, *place.also]:
                job = replaced(job, way, part if part.ndim else float(part))
            at += part.size
        return job

    def documents(self) -> List[Dict[str, Any]]:
        """The list of parameters of a job."""
        return [place.document() for place in self.places]

    def rows(self, p: Any, what: str = "p") -> np.ndarray:
        """[rows, np] of p [..., np], every number finite."""
        p = np.asarray(p, dtype=float)
        if p.ndim == 0 and len(self.start) == 1:
            p = p.reshape(1)
        if p.ndim == 0 or p.shape[-1] != len(self.start):
            raise InvalidArgument(f"{what} has shape {list(p.shape)}; its last axis must have {len(self.start)} numbers: {self._named()}", pointer="/" + what)
        if not p.size:
            raise InvalidArgument(f"{what} has no rows: its shape is {list(p.shape)}", pointer="/" + what)
        bad = np.argwhere(~np.isfinite(p))
        if len(bad):
            raise InvalidArgument(f"{p[tuple(bad[0])]} of {self.names[bad[0][-1]]} is no finite number", pointer=f"/{what}/" + "/".join(map(str, bad[0])))
        return np.ascontiguousarray(p.reshape(-1, len(self.start)))

    def _named(self) -> str:
        return ", ".join(self.names[:6]) + (", …" if len(self.names) > 6 else "")

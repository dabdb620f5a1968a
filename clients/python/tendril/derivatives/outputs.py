"""What of a task comes out: fields, parts of them, or what an objective is worth."""
from __future__ import annotations

from typing import Any, Dict, List, Mapping, Optional, Tuple

import numpy as np

from ..documents import listed
from ..errors import InvalidArgument

Index = Tuple[Any, ...]


class Output:
    """Numbers of one field: all of it, or those that `select` and `at` say, as in objectives; at is "all" by default."""

    def __init__(self, said: Any, pointer: str):
        said = {"field": said} if isinstance(said, str) else said
        if not isinstance(said, Mapping) or not isinstance(said.get("field"), str) or set(said) - {"field", "select", "at"}:
            raise InvalidArgument(f"{said!r}: an output is a field, or {{field, select, at}}", pointer=pointer)
        self.field, self.pointer = said["field"], pointer
        chosen, self.at = said.get("select"), said.get("at", "all")
        self.select: Optional[Index] = None if chosen is None else tuple(np.array([np.atleast_1d(one) for one in chosen], dtype=int).T)
        if isinstance(self.at, str) and self.at not in ("all", "end"):
            raise InvalidArgument(f"at is '{self.at}': \"all\", \"end\", or a list of times", pointer=pointer + "/at")

    def _rows(self, count: int, t: Optional[np.ndarray]) -> Any:
        """Indices of samples; an index alone takes their axis away. t None: of equilibria, which are counted."""
        if isinstance(self.at, str):
            return np.arange(count) if self.at == "all" else count - 1
        at, times = np.asarray(self.at, dtype=float).ravel(), np.arange(count) if t is None else t
        rows = np.argmin(np.abs(times[:, None] - at), axis=0)
        off = np.abs(times[rows] - at) > 1e-9 * max(times[-1], 1e-9)
        if off.any():
            k = int(np.argmax(off))
            raise InvalidArgument(f"there is no sample at {at[k]:g}; the nearest is at {times[rows[k]]:g}", pointer=f"{self.pointer}/at/{k}")
        return rows

    def _index(self, shape: Tuple[int, ...], t: Optional[np.ndarray]) -> Index:
        rows = self._rows(shape[0], t)
        if self.select is None:
            return (rows,)
        if len(self.select) != len(shape) - 1 or any((one < 0).any() or (one >= size).any() for one, size in zip(self.select, shape[1:])):
            raise InvalidArgument(f"a sample of {self.field} has shape {list(shape[1:])}; an entry takes an index for each axis", pointer=self.pointer + "/select")
        return (rows[:, None] if np.ndim(rows) else rows, *self.select)

    def of(self, array: np.ndarray, axes: int, t: Optional[np.ndarray]) -> np.ndarray:
        """The numbers, of the field's array, which has `axes` axes and perhaps one of parameters behind them. A copy."""
        index = self._index(array.shape[:axes], t)
        return np.array(array[index])

    def spread(self, cotangent: np.ndarray, shape: Tuple[int, ...], t: Optional[np.ndarray]) -> np.ndarray:
        """The transpose of `of`: an array of the field's shape with these numbers in their places, added up where one was taken twice."""
        whole = np.zeros(shape)
        np.add.at(whole, self._index(shape, t), cotangent)
        return whole


def _is_term(said: Any) -> bool:
    """Whether it is a term of an objective, which says more than what to take."""
    return isinstance(said, Mapping) and bool(set(said) - {"field", "select", "at"})


class Outputs:
    """What f gives: arrays by name, one array where one output was asked for (`single`), or a number (`objective`)."""

    def __init__(self, said: Any):
        named = isinstance(said, Mapping) and "field" not in said and all(isinstance(one, (str, Mapping)) for one in said.values())
        alone = isinstance(said, (str, Mapping)) and not named
        rows = list(said.items()) if named else [(str(k), one) for k, one in enumerate(listed(said, "outputs"))]
        self.objective: Optional[List[Dict[str, Any]]] = None
        self.by_name: Dict[str, Output] = {}
        terms = [_is_term(one) for _, one in rows]
        if not rows or any(terms) and (named or not all(terms)):
            raise InvalidArgument("outputs are one or more fields, or terms of one objective" if rows else "there must be at least one output", pointer="/outputs")
        if all(terms):
            self.objective = [dict(one) for _, one in rows]
        for key, one in rows if not self.objective else ():
            output = Output(one, "/outputs/" + key)
            name = key if named else output.field
            if name in self.by_name:
                raise InvalidArgument(f"{name} stands here twice; {{name: {{field, select, at}}, …}} tells them apart", pointer=output.pointer)
            self.by_name[name] = output
        self.single = alone or self.objective is not None

    @property
    def fields(self) -> List[str]:
        return list(dict.fromkeys(output.field for output in self.by_name.values()))

    @property
    def partial(self) -> bool:
        """Whether the shape of a field does not follow from that of an output."""
        return any(output.select is not None or output.at != "all" for output in self.by_name.values())

    def as_asked(self, arrays: List[np.ndarray]) -> Any:
        """Arrays in the order of the outputs as f gives them."""
        return arrays[0] if self.single else dict(zip(self.by_name, arrays))

    def in_order(self, given: Any, what: str) -> List[np.ndarray]:
        """Arrays in the order of the outputs, of what a caller gives as f gives it."""
        if self.single:
            return [np.asarray(given, dtype=float)]
        if not isinstance(given, Mapping) or set(given) != set(self.by_name):
            raise InvalidArgument(f"{what} must be a dict of {', '.join(self.by_name)}", pointer="/" + what)
        return [np.asarray(given[name], dtype=float) for name in self.by_name]

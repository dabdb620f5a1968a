"""Numbers in documents, by their places: JSON pointers below /model and /job."""
from __future__ import annotations

from typing import Any, Dict, List, Mapping, Sequence

import numpy as np


def tokens(path: str) -> List[str]:
    """The steps of a JSON pointer: "/model/links/0" has three."""
    return [token.replace("~1", "/").replace("~0", "~") for token in path.split("/")[1:]]


def _key(container: Any, token: str) -> Any:
    """What a step is called in a list or an object. LookupError, with what there is: it is not there."""
    if isinstance(container, Mapping):
        if token in container:
            return token
        raise LookupError(f"nothing is called {token!r}; there are: {', '.join(map(str, container)) or 'no members'}")
    if isinstance(container, (list, tuple)) or (isinstance(container, np.ndarray) and container.ndim):
        if token.isdigit() and int(token) < len(container):
            return int(token)
        named = [k for k, one in enumerate(container) if isinstance(one, Mapping) and one.get("name") == token]
        raise LookupError(f"there is no number {token} in a list of {len(container)}" + (f"; {token} is number {named[0]}" if named else ""))
    raise LookupError(f"{container!r} holds nothing called {token!r}")


def found(document: Any, way: Sequence[str]) -> Any:
    """What stands at the end of the way. LookupError: nothing does."""
    for token in way:
        document = document[_key(document, token)]
    return document


def replaced(document: Any, way: Sequence[str], value: Any) -> Any:
    """The document with a value at the end of the way; what is not on the way is shared with the one that was given."""
    passed = []
    for token in way:
        key = _key(document, token)
        passed.append((document, key))
        document = document[key]
    for container, key in reversed(passed):
        copied: Any = dict(container) if isinstance(container, Mapping) else list(container)
        if isinstance(container, np.ndarray):
            copied = container.astype(float)
        copied[key] = value
        value = copied
    return value


def listed(value: Any, what: str) -> List[Any]:
    """One thing or several of them as a list. A word and an object are one thing."""
    if value is None:
        raise TypeError(f"{what} are missing")
    return [value] if isinstance(value, (str, Mapping)) else list(value)


def number_of(name: str, rows: Sequence[Mapping[str, Any]]) -> int:
    """Which of {name, path} is called so: by its name, its path, or the end of that where it is the only one. KeyError, with their names."""
    found = [i for i, one in enumerate(rows) if name in (one["name"], one["path"])] or [i for i, one in enumerate(rows) if one["path"].endswith("/" + name)]
    if len(found) != 1:
        raise KeyError(f"{name}{' is several' if found else ''}; there are: {', '.join(one['name'] for one in rows)}")
    return found[0]


def places(parameters: Any) -> List[Dict[str, Any]]:
    """Parameters as a list of {path, name, …}: of a path, of a list of paths or objects, of {path: (lower, upper)}, {name: path} or,
    for one number that stands at several places, {name: [path, …]}; a tuple of paths may stand for a path."""
    if not isinstance(parameters, Mapping) or "path" in parameters or "paths" in parameters:
        return [dict(one) if isinstance(one, Mapping) else _at(one) for one in listed(parameters, "parameters")]
    return [_place(key, says) for key, says in parameters.items()]


def _are_paths(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and len(value) > 0 and all(isinstance(one, str) for one in value)


def _at(place: Any) -> Dict[str, Any]:
    """{"path"} of a path, {"paths"} of several that share one number."""
    return {"paths": list(place)} if _are_paths(place) else {"path": place}


def every_path(row: Mapping[str, Any]) -> List[str]:
    """All places of a number of a summary."""
    return [row["path"], *row.get("also", [])]


def _place(key: Any, says: Any) -> Dict[str, Any]:
    if isinstance(says, str) or _are_paths(says):
        return {**_at(says), "name": key}
    if isinstance(says, Mapping):
        return says if "paths" in says else {**_at(key), **says}
    if says is None:
        return _at(key)
    if np.shape(says) == (2,):
        return {**_at(key), **{side: float(one) for side, one in zip(("lower", "upper"), says) if one is not None}}
    raise ValueError(f"{key} has {says!r}: bounds (lower, upper), a dict, or None")

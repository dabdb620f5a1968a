"""The operations of api/openapi.yaml over HTTP, by their names there. rpc.py has the same over gRPC.

Those that ask for names and a query and answer with JSON come from the contract (operations.py); methods are for the others.
"""
from __future__ import annotations

import functools
import json
import string
from typing import Any, Callable, Dict, Iterator, Mapping, Optional, Sequence, Tuple
from urllib.parse import quote

import numpy as np

from . import npz
from .connection import BROKEN, Connection
from .errors import InvalidArgument, Unreachable
from .operations import OPERATIONS

NPZ = "application/x-npz"


def encode(document: Any) -> bytes:
    """JSON text of a document; numpy's arrays and numbers are welcome in it. InvalidArgument, with the place: a number is not finite."""
    if isinstance(document, (bytes, str)):
        return document if isinstance(document, bytes) else document.encode()
    try:
        return json.dumps(document, default=_plain, allow_nan=False, ensure_ascii=False).encode()
    except ValueError:
        found = _not_finite(document)
        if found is None:
            raise
        raise InvalidArgument(f"{found[1]} is no finite number", pointer=found[0]) from None


def _not_finite(value: Any, pointer: str = "") -> Optional[Tuple[str, float]]:
    """JSON pointer and value of the first number that is not finite."""
    if isinstance(value, (np.ndarray, np.generic)):
        value = value.tolist()
    if isinstance(value, float):
        return None if np.isfinite(value) else (pointer, value)
    if not isinstance(value, (Mapping, list, tuple)):
        return None
    members = value.items() if isinstance(value, Mapping) else enumerate(value)
    places = ((str(key).replace("~", "~0").replace("/", "~1"), one) for key, one in members)
    return next((found for found in (_not_finite(one, f"{pointer}/{key}") for key, one in places) if found), None)


def _plain(value: Any) -> Any:
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    raise TypeError(f"a value of type {type(value).__name__} cannot be written as JSON")


LARGE = 1000  # numbers from which on an array goes beside its document, as the bytes that it is


def _split(value: Any, arrays: Dict[str, np.ndarray]) -> Any:
    """The document with large arrays of numbers taken out of it, {"npz": name} in their place."""
    if isinstance(value, np.ndarray) and value.size >= LARGE and value.dtype.kind in "fiu" and value.dtype.itemsize <= 8:
        name = f"array{len(arrays)}"
        arrays[name] = value.astype(np.float64) if value.dtype.kind == "f" or value.dtype.itemsize == 8 and value.dtype.kind == "u" else value.astype(np.int64)
        return {"npz": name}
    if isinstance(value, Mapping):
        return {key: one if key == "labels" else _split(one, arrays) for key, one in value.items()}
    return [_split(one, arrays) for one in value] if isinstance(value, (list, tuple)) and not _is_flat(value) else value


def _is_flat(values: Sequence[Any]) -> bool:
    """A list of numbers alone, which holds nothing that could be taken out."""
    return not values or isinstance(values[0], (int, float, str))


def _request(operation: str, values: Mapping[str, Any]) -> "Tuple[str, str, Dict[str, Any]]":
    """Method, path and query of an operation with these values."""
    method, path, _ = OPERATIONS[operation]
    names = {name for _, name, _, _ in string.Formatter().parse(path) if name}
    filled = path.format_map({name: quote(str(values[name]), safe="@") for name in names})
    return method, filled, {name: value for name, value in values.items() if name not in names}


def named_values(operation: str, values: Tuple[Any, ...]) -> Dict[str, Any]:
    """Values by name that were given by place: names in the path come first, then those of the query."""
    _, path, query = OPERATIONS[operation]
    names = [name for _, name, _, _ in string.Formatter().parse(path) if name] + list(query)
    if len(values) > len(names):
        raise TypeError(f"{operation} takes {', '.join(names) or 'nothing'}")
    return dict(zip(names, values))


def _matching(sha256: Optional[str]) -> Optional[Dict[str, str]]:
    return {"If-Match": f'"{sha256}"'} if sha256 else None


def _lines(stream: Any) -> Iterator[str]:
    for line in stream:
        yield line.decode("utf-8").rstrip("\r\n")


class Rest:
    """Operations of one server over HTTP."""

    def __init__(self, connection: Connection):
        self.connection = connection

    def close(self) -> None:
        self.connection.close()

    def _json(self, operation: str, values: Mapping[str, Any], document: Any = None, headers: Optional[Dict[str, str]] = None,
              repeat: bool = True) -> Any:
        method, path, query = _request(operation, values)
        body = None if document is None else encode(document)
        reply = self.connection.request(method, path, query=query, body=body, headers=headers, repeat=repeat)
        return reply.json() if reply.status != 204 and reply.body else None

    def __getattr__(self, operation: str) -> Callable[..., Any]:
        """An operation that needs no more than names and a query."""
        if operation not in OPERATIONS:
            raise AttributeError(operation)
        return functools.partial(self._plain, operation)

    def _plain(self, operation: str, /, *values: Any, **named: Any) -> Any:
        return self._json(operation, {**named_values(operation, values), **named})

    # models

    def models_create(self, document: Any, validate: bool = False) -> Dict[str, Any]:
        return self._json("models_create", {"validate": 1 if validate else None}, document, repeat=validate)

    def models_import(self, request: Any) -> Dict[str, Any]:
        return self._json("models_import", {}, request, repeat=True)

    def models_get(self, name: str, owner: Optional[str] = None) -> Dict[str, Any]:
        base, _, revision = name.partition("@")
        if revision.isdigit():
            return self.models_revision(base, int(revision), owner)
        return self._json("models_get", {"name": name, "owner": owner})

    def models_put(self, name: str, document: Any, if_match: Optional[str] = None, validate: bool = False,
                   owner: Optional[str] = None) -> Dict[str, Any]:
        values = {"name": name, "validate": 1 if validate else None, "owner": owner}
        return self._json("models_put", values, document, _matching(if_match), not if_match)

    def models_delete(self, name: str, if_match: Optional[str] = None, owner: Optional[str] = None) -> None:
        self._json("models_delete", {"name": name, "owner": owner}, headers=_matching(if_match))

    # evaluate

    def evaluate(self, model: Any, arrays: Mapping[str, np.ndarray], want: Any, baumgarte: Optional[float] = None,
                 places: Sequence[Tuple[str, str]] = (), step: Mapping[str, Any] = {}) -> Dict[str, np.ndarray]:
        members: Dict[str, Any] = {"want": np.array(list(want), dtype=np.str_), **arrays}
        for product in {name.partition("/")[0] for name in arrays if "/" in name}:
            members[product + "/of"] = np.array("fd")
        members.update({"step/" + key: np.array(value) for key, value in step.items()})
        if places:
            members["parameters"], members["parameter_names"] = (np.array(texts, dtype=np.str_) for texts in zip(*places))
        if baumgarte is not None:
            members["baumgarte"] = np.float64(baumgarte)
        stored = isinstance(model, str)
        if not stored:
            members["model"] = np.frombuffer(encode(model), np.uint8)
        method, path, _ = _request("evaluate", {"name": model}) if stored else _request("evaluate_inline", {})
        return npz.read(self.connection.request(method, path, body=npz.write(members), content_type=NPZ, accept=NPZ).body)

    # jobs

    def jobs_submit(self, document: Any, key: Optional[str] = None, validate: bool = False) -> Dict[str, Any]:
        if validate:
            return self._json("jobs_submit", {"validate": 1}, document, repeat=True)
        arrays: Dict[str, np.ndarray] = {}
        headers = {"Idempotency-Key": key} if key else None
        bare = _split(document, arrays) if isinstance(document, Mapping) else document
        if not arrays:
            return self._json("jobs_submit", {}, document, headers, bool(key))
        for name, array in arrays.items():
            if not np.isfinite(array).all():
                encode(document)  # says where
        method, path, _ = _request("jobs_submit", {})
        body = npz.write({"job": np.frombuffer(encode(bare), np.uint8), **arrays})
        return self.connection.request(method, path, body=body, content_type=NPZ, headers=headers, repeat=bool(key)).json()

    def jobs_retry(self, id: str, key: Optional[str] = None, max_wall_s: Optional[float] = None) -> Dict[str, Any]:
        return self._json("jobs_retry", {"id": id, "max_wall_s": max_wall_s}, headers={"Idempotency-Key": key} if key else None, repeat=bool(key))

    def jobs_events(self, id: str, since: int = 0) -> Iterator[Dict[str, Any]]:
        """Events until the stream ends; a broken stream raises Unreachable, to be taken up behind the last number."""
        _, path, _ = _request("jobs_events", {"id": id})
        try:
            with self.connection.stream(path, accept="text/event-stream",
                                        headers={"Last-Event-ID": str(since)}) as stream:
                data = []
                for line in _lines(stream):
                    if line.startswith("data:"):
                        data.append(line[5:].lstrip(" "))
                    elif line == "" and data:
                        yield json.loads("\n".join(data))
                        data = []
        except BROKEN as trouble:
            raise Unreachable(f"the events of job {id} broke off: {trouble or type(trouble).__name__}") from trouble

    def jobs_result(self, id: str, **query: Any) -> bytes:
        method, path, query = _request("jobs_result", {"id": id, **query})
        return self.connection.request(method, path, accept=NPZ, query=query).body

    # tokens and the server

    def tokens_create(self, name: str, scope: str, owner: Optional[str] = None) -> Dict[str, Any]:
        return self._json("tokens_create", {}, {"name": name, "scope": scope, **({"owner": owner} if owner else {})}, repeat=False)

    def tokens_delete(self, id: str, force: bool = False) -> None:
        self._json("tokens_delete", {"id": id, "force": 1 if force else None})

    def metrics(self) -> str:
        method, path, _ = _request("metrics", {})
        return self.connection.request(method, path, accept="*/*").body.decode()

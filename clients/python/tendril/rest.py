"""The operations over HTTP, one method per operation of api/openapi.yaml. rpc.py has the same methods over gRPC."""
from __future__ import annotations

import io
import json
from typing import Any, Dict, Iterator, Mapping, Optional
from urllib.parse import quote

import numpy as np

from .connection import BROKEN, Connection
from .errors import Unreachable

NPZ = "application/x-npz"


def encode(document: Any) -> bytes:
    """JSON text of a document; numpy's arrays and numbers are welcome in it. Not-a-number is refused (ValueError)."""
    if isinstance(document, (bytes, str)):
        return document if isinstance(document, bytes) else document.encode()
    return json.dumps(document, default=_plain, allow_nan=False, ensure_ascii=False).encode()


def _plain(value: Any) -> Any:
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    raise TypeError(f"{type(value).__name__} has no place in a JSON document")


def read_npz(data: bytes) -> Dict[str, np.ndarray]:
    """All members of an archive. Pickled objects are refused."""
    with np.load(io.BytesIO(data), allow_pickle=False) as archive:
        return {name: archive[name] for name in archive.files}


def _at(name: str) -> str:
    return quote(name, safe="@")


def _lines(stream: Any) -> Iterator[str]:
    for line in stream:
        yield line.decode("utf-8").rstrip("\r\n")


class Rest:
    """Operations of one server over HTTP."""

    def __init__(self, connection: Connection):
        self.connection = connection

    def close(self) -> None:
        self.connection.close()

    def _json(self, method: str, path: str, document: Any = None, **more: Any) -> Any:
        body = None if document is None else encode(document)
        reply = self.connection.request(method, path, body=body, **more)
        return reply.json() if reply.status != 204 and reply.body else None

    # models

    def models_create(self, document: Any, validate: bool = False) -> Dict[str, Any]:
        return self._json("POST", "/v1/models", document, query={"validate": 1 if validate else None}, repeat=validate)

    def models_list(self, limit: Optional[int] = None, cursor: Optional[str] = None, owner: Optional[str] = None) -> Dict[str, Any]:
        return self._json("GET", "/v1/models", query={"limit": limit, "cursor": cursor, "owner": owner})

    def models_get(self, name: str, owner: Optional[str] = None) -> Dict[str, Any]:
        base, _, revision = name.partition("@")
        if revision.isdigit():
            return self.models_revision(base, int(revision), owner)
        return self._json("GET", f"/v1/models/{_at(name)}", query={"owner": owner})

    def models_put(self, name: str, document: Any, if_match: Optional[str] = None, validate: bool = False,
                   owner: Optional[str] = None) -> Dict[str, Any]:
        headers = {"If-Match": f'"{if_match}"'} if if_match else None
        return self._json("PUT", f"/v1/models/{_at(name)}", document, headers=headers, repeat=not if_match,
                          query={"validate": 1 if validate else None, "owner": owner})

    def models_delete(self, name: str, if_match: Optional[str] = None, owner: Optional[str] = None) -> None:
        self._json("DELETE", f"/v1/models/{_at(name)}", headers={"If-Match": f'"{if_match}"'} if if_match else None,
                   query={"owner": owner})

    def models_revisions(self, name: str, owner: Optional[str] = None, limit: Optional[int] = None,
                         cursor: Optional[str] = None) -> Dict[str, Any]:
        return self._json("GET", f"/v1/models/{_at(name)}/revisions", query={"owner": owner, "limit": limit, "cursor": cursor})

    def models_revision(self, name: str, n: int, owner: Optional[str] = None) -> Dict[str, Any]:
        return self._json("GET", f"/v1/models/{_at(name)}/revisions/{n}", query={"owner": owner})

    # evaluate

    def evaluate(self, model: Any, arrays: Mapping[str, np.ndarray], want: Any,
                 baumgarte: Optional[float] = None) -> Dict[str, np.ndarray]:
        members: Dict[str, Any] = {"want": np.array(list(want), dtype=np.str_), **arrays}
        if baumgarte is not None:
            members["baumgarte"] = np.float64(baumgarte)
        path = f"/v1/models/{_at(model)}:evaluate" if isinstance(model, str) else "/v1/evaluate"
        if not isinstance(model, str):
            members["model"] = np.frombuffer(encode(model), np.uint8)
        out = io.BytesIO()
        np.savez(out, **members)
        return read_npz(self.connection.request("POST", path, body=out.getvalue(), content_type=NPZ, accept=NPZ).body)

    # jobs

    def jobs_submit(self, document: Any, key: Optional[str] = None) -> Dict[str, Any]:
        return self._json("POST", "/v1/jobs", document, headers={"Idempotency-Key": key} if key else None, repeat=bool(key))

    def jobs_list(self, **query: Any) -> Dict[str, Any]:
        return self._json("GET", "/v1/jobs", query=query)

    def jobs_get(self, id: str) -> Dict[str, Any]:
        return self._json("GET", f"/v1/jobs/{_at(id)}")

    def jobs_delete(self, id: str) -> None:
        self._json("DELETE", f"/v1/jobs/{_at(id)}")

    def jobs_cancel(self, id: str) -> Dict[str, Any]:
        return self._json("POST", f"/v1/jobs/{_at(id)}:cancel")

    def jobs_retry(self, id: str) -> Dict[str, Any]:
        return self._json("POST", f"/v1/jobs/{_at(id)}:retry", repeat=False)

    def jobs_events(self, id: str, since: int = 0) -> Iterator[Dict[str, Any]]:
        """Events until the stream ends; a broken stream raises Unreachable, to be taken up behind the last number."""
        try:
            with self.connection.stream(f"/v1/jobs/{_at(id)}/events", accept="text/event-stream",
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
        return self.connection.request("GET", f"/v1/jobs/{_at(id)}/result", accept=NPZ, query=query).body

    # tokens

    def tokens_create(self, name: str, scope: str, owner: Optional[str] = None) -> Dict[str, Any]:
        return self._json("POST", "/v1/tokens", {"name": name, "scope": scope, **({"owner": owner} if owner else {})}, repeat=False)

    def tokens_list(self) -> Dict[str, Any]:
        return self._json("GET", "/v1/tokens")

    def tokens_get(self, id: str) -> Dict[str, Any]:
        return self._json("GET", f"/v1/tokens/{_at(id)}")

    def tokens_delete(self, id: str, force: bool = False) -> None:
        self._json("DELETE", f"/v1/tokens/{_at(id)}", query={"force": 1 if force else None})

    # the server

    def examples_list(self) -> Dict[str, Any]:
        return self._json("GET", "/v1/examples")

    def examples_get(self, name: str) -> Dict[str, Any]:
        return self._json("GET", f"/v1/examples/{_at(name)}")

    def limits(self) -> Dict[str, int]:
        return self._json("GET", "/v1/limits")

    def version(self) -> Dict[str, str]:
        return self._json("GET", "/v1/version")

    def health(self) -> Dict[str, str]:
        return self._json("GET", "/healthz")

    def ready(self) -> Dict[str, str]:
        return self._json("GET", "/readyz")

    def metrics(self) -> str:
        return self.connection.request("GET", "/metrics", accept="*/*").body.decode()

"""HTTP with kept connections, by the standard library: one connection per thread, one more for each stream.

What may be said twice is said again for at most `patience` seconds when a connection breaks or the server asks to wait
(429, 503 with Retry-After). A server that was never reached is not waited for. Redirects are not followed: a token must not
leave with one.
"""
from __future__ import annotations

import contextlib
import http.client
import json
import random
import ssl
import threading
import time
import weakref
from typing import Any, Dict, Iterator, Optional
from urllib.parse import urlencode, urlsplit

from .errors import TendrilError, Unreachable, from_problem

BROKEN = (OSError, http.client.HTTPException)


class Reply:
    """status, headers (of http.client) and body of an answer of 2xx."""

    def __init__(self, status: int, headers: Any, body: bytes):
        self.status, self.headers, self.body = status, headers, body

    def json(self) -> Any:
        return json.loads(self.body)


class _OneWrite:
    """Head and body of a request go out together: one wake-up of the server instead of two."""

    parts: Optional[list] = None

    def request(self, *values: Any, **named: Any) -> None:
        self.parts = []
        try:
            super().request(*values, **named)  # type: ignore[misc]
        finally:
            parts, self.parts = self.parts, None
        super().send(b"".join(parts))  # type: ignore[misc]

    def send(self, data: Any) -> None:
        if self.parts is None:
            super().send(data)  # type: ignore[misc]
        else:
            self.parts.append(data)


class _Http(_OneWrite, http.client.HTTPConnection):
    pass


class _Https(_OneWrite, http.client.HTTPSConnection):
    pass


class Connection:
    """An address with a token. Safe to share between threads."""

    def __init__(self, url: str, token: Optional[str] = None, timeout: float = 120.0, patience: float = 30.0,
                 ca: Optional[str] = None):
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
            raise ValueError(f"'{url}' is not the address of a server: http://HOST:PORT, https://HOST:PORT, grpc://HOST:PORT or grpcs://HOST:PORT")
        self.url, self.prefix = url, parts.path.rstrip("/")
        self.host, self.port, self.secure = parts.hostname, parts.port, parts.scheme == "https"
        self.token, self.timeout, self.patience = token, timeout, patience
        self.context = ssl.create_default_context(cafile=ca) if self.secure else None
        self.local, self.lock, self.all, self.reached = threading.local(), threading.Lock(), set(), False
        weakref.finalize(self, _close_all, self.lock, self.all)  # of a client that nobody closed, at the latest at exit

    def request(self, method: str, path: str, *, query: Optional[Dict[str, Any]] = None, body: Optional[bytes] = None,
                content_type: str = "application/json", accept: str = "application/json",
                headers: Optional[Dict[str, str]] = None, repeat: bool = True) -> Reply:
        """Sends and reads the answer; raises TendrilError for anything but 2xx. `repeat`: it may be said twice."""
        address, head = self._address(path, query), self._headers(accept, body, content_type, headers)
        end, attempt = time.monotonic() + self.patience, 0
        while True:
            pause = min(0.1 * 2 ** attempt, 2.0) * random.uniform(0.5, 1.0)
            try:
                reply = self._once(method, address, body, head, fresh=not repeat)
            except BROKEN as trouble:
                if not (repeat and self.reached) or time.monotonic() + pause > end:
                    raise Unreachable(f"no answer from {self.url}: {trouble or type(trouble).__name__}{self._tls_hint(trouble)}") from trouble
            else:
                if reply.status < 300:
                    return reply
                error = problem_of(reply)
                if attempt > 0 and method == "DELETE" and error.code == "not_found":
                    return reply  # the answer to the first try was lost
                pause = max(pause, _retry_after(reply))
                if reply.status not in (429, 503) or not repeat or time.monotonic() + pause > end:
                    raise error
            attempt += 1
            time.sleep(pause)

    def _tls_hint(self, trouble: BaseException) -> str:
        """What TLS has to do with it. A server that speaks TLS hangs up on plain HTTP without a word."""
        if isinstance(trouble, ssl.SSLCertVerificationError):
            return ". The server is there, but its certificate is not trusted: Client(…, ca=FILE) names certificates (PEM) to trust"
        if isinstance(trouble, ssl.SSLError):
            return ". If the server there has no TLS, its address begins with http://"
        if isinstance(trouble, http.client.RemoteDisconnected) and not self.secure and not self.reached:
            return ". If the server there wants TLS, its address begins with https://"
        return ""

    @contextlib.contextmanager
    def stream(self, path: str, *, accept: str, headers: Optional[Dict[str, str]] = None,
               timeout: float = 45.0) -> Iterator[http.client.HTTPResponse]:
        """The answer to a GET, to be read as it comes; a silence of `timeout` seconds breaks it (OSError)."""
        connection = self._open(timeout)
        try:
            connection.request("GET", self._address(path, None), None, self._headers(accept, None, "", headers))
            reply = connection.getresponse()
            self.reached = True
            if reply.status >= 300:
                raise problem_of(Reply(reply.status, reply.headers, reply.read()))
            yield reply
        finally:
            self._drop(connection)

    def close(self) -> None:
        """Closes what is open, also of other threads. A later request opens it again."""
        _close_all(self.lock, self.all)

    def _once(self, method: str, address: str, body: Optional[bytes], headers: Dict[str, str], fresh: bool) -> Reply:
        kept = None if fresh else getattr(self.local, "connection", None)
        connection = kept or self._open(self.timeout)
        try:
            connection.request(method, address, body, headers)
            answer = connection.getresponse()
            reply = Reply(answer.status, answer.headers, answer.read())
        except BaseException:  # also of an interrupt: the next request must not read this one's answer
            self.local.connection = None
            self._drop(connection)
            raise
        self.reached = True
        if fresh:
            self._drop(connection)
        else:
            self.local.connection = connection
        return reply

    def _open(self, timeout: float) -> http.client.HTTPConnection:
        if self.secure:
            made: http.client.HTTPConnection = _Https(self.host, self.port, timeout=timeout, context=self.context)
        else:
            made = _Http(self.host, self.port, timeout=timeout)
        with self.lock:
            self.all.add(made)
        return made

    def _drop(self, connection: http.client.HTTPConnection) -> None:
        with self.lock:
            self.all.discard(connection)
        connection.close()

    def _address(self, path: str, query: Optional[Dict[str, Any]]) -> str:
        given = {key: value for key, value in (query or {}).items() if value is not None}
        return self.prefix + path + ("?" + urlencode(given) if given else "")

    def _headers(self, accept: str, body: Optional[bytes], content_type: str, more: Optional[Dict[str, str]]) -> Dict[str, str]:
        headers = {"Accept": accept, "User-Agent": "tendril-python/0.1.0", **(more or {})}
        if body is not None:
            headers["Content-Type"] = content_type
        if self.token:
            headers["Authorization"] = "Bearer " + self.token
        return headers


def _close_all(lock: Any, connections: Any) -> None:
    with lock:
        closing = list(connections)
        connections.clear()
    for connection in closing:
        connection.close()


def problem_of(reply: Reply) -> TendrilError:
    """The exception of an answer that is not 2xx, whoever gave it."""
    try:
        problem = json.loads(reply.body)
        if isinstance(problem, dict) and "code" in problem:
            return from_problem(problem, reply.status)
    except ValueError:
        pass
    return TendrilError(f"the answer has status {reply.status} and is not from a Tendril server: {reply.body[:200]!r}", status=reply.status)


def _retry_after(reply: Reply) -> float:
    try:
        return float(reply.headers.get("Retry-After", 0))
    except ValueError:
        return 0.0

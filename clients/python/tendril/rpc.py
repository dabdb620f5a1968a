"""The operations over gRPC (grpcio, protobuf): the methods of rest.py, and streamed evaluation.

The messages are made from contract.binpb, the descriptors of api/tendril/v1/*.proto as protoc writes them:

    cd api && protoc -I. --include_imports --descriptor_set_out=../clients/python/tendril/contract.binpb tendril/v1/*.proto
"""
from __future__ import annotations

import functools
import json
import os
import queue
import random
import time
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple

import numpy as np

from .errors import StateError, TendrilError, Unreachable, from_problem
from .operations import OPERATIONS
from .rest import encode, named_values
from .result import Evaluation, shared

try:
    import grpc
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
except ImportError:
    raise ImportError("grpc:// needs grpcio and protobuf: pip install grpcio protobuf (Debian: python3-grpcio "
                      "python3-protobuf); http:// needs neither") from None


def _contract() -> "Tuple[Dict[str, Any], Dict[str, Any]]":
    """Classes of all messages of the contract by name, and its methods as "Models/Get", both without the package."""
    with open(os.path.join(os.path.dirname(__file__), "contract.binpb"), "rb") as file:
        files = descriptor_pb2.FileDescriptorSet.FromString(file.read()).file
    pool = descriptor_pool.DescriptorPool()
    for one in files:
        pool.Add(one)
    make = getattr(message_factory, "GetMessageClass", None) or message_factory.MessageFactory(pool).GetPrototype
    messages = {kind.name: make(pool.FindMessageTypeByName(f"{one.package}.{kind.name}")) for one in files for kind in one.message_type}
    return messages, {f"{service.name}/{method.name}": method for one in files for service in one.service for method in service.method}


M, METHODS = _contract()
OPTIONS = [("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1), ("grpc.keepalive_time_ms", 30000)]
# of a gRPC status that comes without tendril-code: from the network or a proxy
CODES = {"UNAVAILABLE": "unavailable", "UNAUTHENTICATED": "unauthenticated", "PERMISSION_DENIED": "permission_denied",
         "UNIMPLEMENTED": "method_not_allowed", "RESOURCE_EXHAUSTED": "too_large", "DEADLINE_EXCEEDED": "unavailable"}


def _error(url: str, error: Any) -> TendrilError:
    trailers = dict(error.trailing_metadata() or ())
    code = trailers.get("tendril-code")
    if code is None and error.code().name == "UNAVAILABLE":
        return Unreachable(f"no answer from {url}: {error.details()}")
    return from_problem({"detail": error.details(), "code": code or CODES.get(error.code().name, "internal"),
                         "pointer": trailers.get("tendril-pointer"), "request_id": trailers.get("tendril-request-id"),
                         "errors": json.loads(trailers.get("tendril-errors-bin") or "null")})


def _told(value: Any) -> Any:
    """A message as the dict that REST has of it."""
    if hasattr(value, "DESCRIPTOR"):
        return {field.name: _told(getattr(value, field.name)) for field in value.DESCRIPTOR.fields}
    return value if isinstance(value, (str, bytes)) or not hasattr(value, "__len__") else [_told(one) for one in value]


def _warnings(message: Any) -> List[Dict[str, str]]:
    return [{"code": one.code, "detail": one.detail, "pointer": one.pointer} for one in message.warnings]


def _model(message: Any) -> Dict[str, Any]:
    found = {"name": message.name or None, "owner": message.owner or None, "revision": message.revision or None, "sha256": message.sha256 or None,
             "created_at": message.created_at or None, "ndof": message.ndof, "coordinates": list(message.coordinates),
             "channels": list(message.channels), "warnings": _warnings(message)}
    return {**found, "document": json.loads(message.document)} if message.document else found


def _job(message: Any) -> Dict[str, Any]:
    return {"id": message.id, "kind": message.kind, "state": message.state, "attempt": message.attempt,
            "model": {"name": message.model.name or None, "revision": message.model.revision or None, "sha256": message.model.sha256},
            "progress": {"fraction": message.progress.fraction, "t": message.progress.t, "t_end": message.progress.t_end,
                         **({"phase": message.progress.phase} if message.progress.phase else {})},
            "labels": dict(message.labels), "priority": message.priority, "created_at": message.created_at,
            "started_at": message.started_at or None, "finished_at": message.finished_at or None,
            "error": json.loads(message.error) if message.error else None, "retry_of": message.retry_of or None,
            "waiting_for": message.waiting_for or None, "warnings": _warnings(message), "parent": message.parent or None, "owner": message.owner or None,
            "node": message.node or None}


def _matrix(matrix: Any) -> np.ndarray:
    return np.array(matrix.data, dtype=np.float64).reshape(tuple(matrix.shape))


def _state_error(error: Any, index: int) -> StateError:
    return StateError(error.detail, code=error.code, index=index, link=error.link or None, quantity=error.quantity or None,
                      pointer=error.pointer or None)


def _stack(replies: Any) -> Dict[str, np.ndarray]:
    """Members as an NPZ reply has them: rows of failed states are NaN, `error` says why."""
    rows = [{name: _matrix(value) for name, value in reply.values.items()} for reply in replies]
    shapes = next(({name: value.shape for name, value in row.items()} for row in rows if row), {})
    out = {name: np.stack([row.get(name, np.full(shape, np.nan)) for row in rows]) for name, shape in shapes.items()}
    texts = [f"{reply.error.code}: {reply.error.detail}" if reply.HasField("error") else "" for reply in replies]
    return {**out, "error": np.array(texts, dtype=np.str_)} if any(texts) else out


def _state(members: Mapping[str, Any]) -> Any:
    """A state of members by the names of archives, "q", "jvp/q"."""
    out: Dict[str, Any] = {}
    for name, value in members.items():
        product, _, factor = name.rpartition("/")
        (out.setdefault(product, {"of": "fd"}) if product else out)[factor] = value
    return M["State"](**out)


def _parameters(places: Sequence[Tuple[str, str]]) -> List[Any]:
    split = [(path.split("\n"), name) for path, name in places]
    return [M["ParameterPlace"](name=name, **({"paths": paths} if len(paths) > 1 else {"path": paths[0]})) for paths, name in split]


def _step(step: Mapping[str, Any]) -> Dict[str, Any]:
    return {"step": M["Step"](**step)} if step else {}


def _names(parameters: Any) -> Dict[str, np.ndarray]:
    """What columns are by, as an NPZ reply has it."""
    members = {"parameters": "name", "parameter_paths": "path", "parameter_ways": "way"}
    found = {key: np.array([getattr(one, member) for one in parameters], dtype=np.str_) for key, member in members.items()} if parameters else {}
    if parameters:
        found["parameter_paths"] = np.array(["\n".join([one.path, *one.also]) for one in parameters], dtype=np.str_)
    return found


def _source(model: Any) -> Dict[str, str]:
    return {"model": model} if isinstance(model, str) else {"document": encode(model).decode()}


class Rpc:
    """Operations of one server over gRPC."""

    def __init__(self, url: str, token: Optional[str], timeout: float, patience: float, ca: Optional[str]):
        scheme, _, target = url.partition("://")
        if scheme == "grpcs":
            root = None
            if ca:
                with open(ca, "rb") as file:
                    root = file.read()
            self.channel = grpc.secure_channel(target, grpc.ssl_channel_credentials(root), OPTIONS)
        else:
            self.channel = grpc.insecure_channel(target, OPTIONS)
        self.url, self.timeout, self.patience, self.reached = url, timeout, patience, False
        self.metadata = [("authorization", "Bearer " + token)] if token else []
        self.methods: Dict[str, Callable[..., Any]] = {}

    def close(self) -> None:
        self.channel.close()

    def _method(self, name: str) -> Callable[..., Any]:
        if name not in self.methods:
            described = METHODS[name]
            ways = ["stream" if streams else "unary" for streams in (described.client_streaming, described.server_streaming)]
            request, reply = (M[kind.rsplit(".", 1)[1]] for kind in (described.input_type, described.output_type))
            self.methods[name] = getattr(self.channel, "_".join(ways))("/tendril.v1." + name, request.SerializeToString, reply.FromString)
        return self.methods[name]

    def _repeat(self, action: Callable[[], Any], repeat: bool = True) -> Any:
        """What `action` gives; said again while nobody answers, as rest.py does."""
        end, pause = time.monotonic() + self.patience, 0.1
        while True:
            try:
                found = action()
                self.reached = True
                return found
            except grpc.RpcError as trouble:
                error = _error(self.url, trouble)
                broken = error.code in ("unavailable", "rate_limited") or (error.code == "unreachable" and self.reached)
                if not (repeat and broken) or time.monotonic() + pause > end:
                    raise error from None
            time.sleep(pause * random.uniform(0.5, 1.0))
            pause = min(2 * pause, 2.0)

    def _request(self, name: str, values: Mapping[str, Any]) -> Any:
        """The request of a method; None is what a member has when it is not said."""
        kind = METHODS[name].input_type.rsplit(".", 1)[1]
        return M[kind](**{member: value for member, value in values.items() if value is not None})

    def _call(self, called: str, repeat: bool = True, /, **values: Any) -> Any:
        method, request = self._method(called), self._request(called, values)
        return self._repeat(lambda: method(request, timeout=self.timeout, metadata=self.metadata), repeat)

    def __getattr__(self, operation: str) -> Callable[..., Any]:
        """An operation of the contract that needs no more than its names and its query; or one that gRPC does not have."""
        if operation not in OPERATIONS:
            raise AttributeError(operation)
        service, _, words = operation.partition("_")
        called = f"{service.capitalize()}/{words.title().replace('_', '')}"
        if called in METHODS:
            return functools.partial(self._plain, operation, called)

        def refuse(*_: Any, **__: Any) -> Any:
            raise TendrilError(f"{operation} has no method in gRPC; ask the server's http:// address", code="method_not_allowed")
        return refuse

    def _plain(self, operation: str, called: str, /, *values: Any, **named: Any) -> Any:
        return _told(self._call(called, OPERATIONS[operation][0] == "GET", **named_values(operation, values), **named))

    # models

    def models_create(self, document: Any, validate: bool = False) -> Dict[str, Any]:
        return _model(self._call("Models/Create", validate, document=encode(document).decode(), validate_only=validate))

    def models_import(self, request: Any) -> Dict[str, Any]:
        found = self._call("Models/Import", True, request=encode(request).decode())
        remarks = [{"detail": one.detail, "places": [{"line": at.line or None, "what": at.what} for at in one.places]} for one in found.remarks]
        return {"ndof": found.ndof, "coordinates": list(found.coordinates), "channels": list(found.channels), "warnings": _warnings(found),
                "remarks": remarks, "document": json.loads(found.document)}

    def models_list(self, limit: Optional[int] = None, cursor: Optional[str] = None, owner: Optional[str] = None) -> Dict[str, Any]:
        reply = self._call("Models/List", limit=limit, cursor=cursor, owner=owner)
        return {"models": [_model(one) for one in reply.models], "next_cursor": reply.next_cursor or None}

    def models_get(self, name: str, owner: Optional[str] = None) -> Dict[str, Any]:
        return _model(self._call("Models/Get", name=name, owner=owner))

    def models_put(self, name: str, document: Any, if_match: Optional[str] = None, validate: bool = False,
                   owner: Optional[str] = None) -> Dict[str, Any]:
        return _model(self._call("Models/Update", not if_match, name=name, document=encode(document).decode(), if_match=if_match,
                                 validate_only=validate, owner=owner))

    def models_delete(self, name: str, if_match: Optional[str] = None, owner: Optional[str] = None) -> None:
        self._call("Models/Delete", False, name=name, if_match=if_match, owner=owner)

    def models_revision(self, name: str, n: int, owner: Optional[str] = None) -> Dict[str, Any]:
        return _model(self._call("Models/Get", name=name, revision=n, owner=owner))

    # evaluate

    def evaluate(self, model: Any, arrays: Mapping[str, np.ndarray], want: Any, baumgarte: Optional[float] = None,
                 places: Sequence[Tuple[str, str]] = (), step: Mapping[str, Any] = {}) -> Dict[str, np.ndarray]:
        states = [_state(dict(zip(arrays, row))) for row in zip(*(value.tolist() for value in arrays.values()))]
        reply = self._call("Dynamics/Evaluate", want=want, states=states, baumgarte=baumgarte, parameters=_parameters(places), **_step(step),
                           **_source(model))
        said = {"warnings": np.frombuffer(json.dumps(_warnings(reply)).encode(), np.uint8)} if reply.warnings else {}
        touches = {"touches": np.array(list(reply.touches), dtype=np.str_)} if reply.touches else {}
        return {**_stack(reply.states), **_names(reply.parameters), **touches, **said}

    def evaluate_stream(self, model: Any, want: List[str], baumgarte: Optional[float] = None,
                        places: Sequence[Tuple[str, str]] = (), step: Mapping[str, Any] = {}) -> "Stream":
        return Stream(self, M["EvaluateSetup"](want=want, baumgarte=baumgarte or 0.0, parameters=_parameters(places), **_step(step),
                                               **_source(model)))

    # jobs

    def jobs_submit(self, document: Any, key: Optional[str] = None, validate: bool = False) -> Dict[str, Any]:
        return _job(self._call("Jobs/Submit", validate or bool(key), document=encode(document).decode(), request_id=key, validate_only=validate))

    def jobs_list(self, **query: Any) -> Dict[str, Any]:
        reply = self._call("Jobs/List", **query)
        return {"jobs": [_job(one) for one in reply.jobs], "next_cursor": reply.next_cursor or None}

    def jobs_get(self, id: str) -> Dict[str, Any]:
        return _job(self._call("Jobs/Get", id=id))

    def jobs_cancel(self, id: str) -> Dict[str, Any]:
        return _job(self._call("Jobs/Cancel", id=id))

    def jobs_retry(self, id: str, key: Optional[str] = None, max_wall_s: Optional[float] = None) -> Dict[str, Any]:
        return _job(self._call("Jobs/Retry", bool(key), id=id, request_id=key, max_wall_s=max_wall_s or 0))

    def jobs_delete(self, id: str) -> None:
        self._call("Jobs/Delete", False, id=id)

    def jobs_events(self, id: str, since: int = 0) -> Iterator[Dict[str, Any]]:
        watch = self._method("Jobs/Watch")
        call = watch(M["WatchRequest"](id=id, since=since), metadata=self.metadata)
        try:
            for event in call:
                yield json.loads(event.data)
        except grpc.RpcError as trouble:
            raise _error(self.url, trouble) from None
        finally:
            call.cancel()

    def jobs_result(self, id: str, **query: Any) -> bytes:
        bounds = {mine: query[theirs] for mine, theirs in (("begin", "from"), ("end", "to")) if query.get(theirs) is not None}
        request = M["ResultRequest"](id=id, fields=(query.get("fields") or "").split(",") if query.get("fields") else [],
                                     stride=query.get("stride") or 0, partial=bool(query.get("partial")), **bounds)
        method = self._method("Jobs/GetResult")
        return self._repeat(lambda: b"".join(chunk.data for chunk in method(request, metadata=self.metadata)))

    # the server

    def health(self) -> Dict[str, str]:
        """By grpc.health.v1: its request is empty, field 1 of its reply is the status, 1 means serving."""
        check = self.channel.unary_unary("/grpc.health.v1.Health/Check", bytes, bytes)
        serving = self._repeat(lambda: check(b"", timeout=self.timeout, metadata=self.metadata)) == b"\x08\x01"
        return {"status": "ok" if serving else "not serving"}

    ready = health


class Stream:
    """States to the server one by one, their quantities back: Client.stream over gRPC. For one thread."""

    def __init__(self, face: Rpc, setup: Any):
        self._face, self._states, self._count, self._parameters, self._touches = face, queue.SimpleQueue(), 0, [], []
        method = face._method("Dynamics/EvaluateStream")
        self._states.put(M["EvaluateStreamRequest"](setup=setup))
        self._replies = method(iter(self._states.get, None), metadata=face.metadata)

    def __enter__(self) -> "Stream":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def close(self) -> None:
        """Ends the stream."""
        self._states.put(None)
        self._replies.cancel()

    def send(self, q: Any, qd: Any = None, u: Any = None, qdd: Any = None, *, jvp: Optional[Mapping[str, Any]] = None,
             vjp: Any = None) -> None:
        """One state, without waiting: a few under way at once hide the network's delay."""
        given = {"q": q, "qd": qd, "qdd": qdd, "u": u, **{"jvp/" + part: value for part, value in (jvp or {}).items()}, "vjp/cotangent": vjp}
        state = {name: np.asarray(value, dtype=np.float64).tolist() for name, value in given.items() if value is not None}
        self._states.put(M["EvaluateStreamRequest"](state=_state(state)))

    def receive(self) -> Evaluation:
        """Quantities of the next state, in the order of sending; raises StateError when it has none, the stream goes on."""
        try:
            reply = next(self._replies)
        except StopIteration:
            raise Unreachable("the stream has ended") from None
        except grpc.RpcError as trouble:
            raise _error(self._face.url, trouble) from None
        self._count += 1
        if reply.HasField("error"):
            raise _state_error(reply.error, self._count - 1)
        if reply.touches:
            self._touches = list(reply.touches)
        if reply.parameters:
            self._parameters = [shared({"name": one.name, "path": "\n".join([one.path, *one.also]), "way": one.way}) for one in reply.parameters]
        return Evaluation({name: _matrix(value) for name, value in reply.values.items()}, [], _warnings(reply), self._parameters, self._touches).tell()

    def __call__(self, q: Any, qd: Any = None, u: Any = None, qdd: Any = None, *, jvp: Optional[Mapping[str, Any]] = None,
                 vjp: Any = None) -> Evaluation:
        """send, then receive."""
        self.send(q, qd, u, qdd, jvp=jvp, vjp=vjp)
        return self.receive()

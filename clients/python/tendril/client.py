"""The client: one object per server, safe to share between threads."""
from __future__ import annotations

import os
import uuid
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np
from numpy.typing import ArrayLike

from .connection import Connection
from .derivatives import Differentiable
from .descriptions import format_of, meshes, read
from .documents import listed, places
from .errors import InvalidArgument, tell
from .fitting import Design, Fit, experiments, unknowns
from .ids import whole_id
from .job import Job
from .rest import Rest
from .result import Evaluation, evaluation

Document = Mapping[str, Any]
Model = Union[str, Document]


def _open(url: str, token: Optional[str], timeout: float, patience: float, ca: Optional[str]) -> Any:
    if url.startswith(("grpc://", "grpcs://")):
        from .rpc import Rpc
        return Rpc(url, token, timeout, patience, ca)
    return Rest(Connection(url, token, timeout, patience, ca))


def _batch(values: Mapping[str, Optional[ArrayLike]]) -> "tuple[Dict[str, np.ndarray], bool]":
    """Arrays [N, ·] of what is given, one-dimensional ones repeated for every state; and whether it is one state only."""
    given = {name: np.asarray(value, dtype=np.float64) for name, value in values.items() if value is not None}
    for name, value in given.items():
        if value.ndim not in (1, 2):
            raise ValueError(f"{name} has shape {value.shape}; it must be [n] for one state or [N, n] for N states")
    counts = {value.shape[0] for value in given.values() if value.ndim == 2}
    if len(counts) > 1:
        raise ValueError("different numbers of states: " + ", ".join(f"{name} {value.shape}" for name, value in given.items()))
    count = counts.pop() if counts else 1
    single = all(value.ndim == 1 for value in given.values())
    return {name: value if value.ndim == 2 else np.ascontiguousarray(np.broadcast_to(value, (count, len(value))))
            for name, value in given.items()}, single


def _places(parameters: Any) -> List[Tuple[str, str]]:
    """(path, name) of what a caller gives as parameters; of several places that share one number the path has one a line."""
    listed = places(parameters) if parameters else []
    return [("\n".join(one["paths"]) if "paths" in one else str(one["path"]), str(one.get("name", ""))) for one in listed]


def _how(step: Any) -> Dict[str, Any]:
    """{h, method, substeps} of what a caller gives as a step: seconds, or some of these."""
    return dict(step) if isinstance(step, Mapping) else {} if step is None else {"h": float(step)}


def _listed(values: Any) -> Any:
    """Documents as they are; of arrays, also within lists, their numbers. No list becomes an array: [1, "a"] would be two strings."""
    if isinstance(values, (np.ndarray, np.generic)):
        return values.tolist()
    return [_listed(value) for value in values] if isinstance(values, (list, tuple)) else values


def _variation(k: int, path: Any, values: Any) -> Dict[str, Any]:
    """One member of a sweep's `vary`. InvalidArgument, with the place: no list of values."""
    place = f"/vary/{k}"
    if not isinstance(path, str):
        raise InvalidArgument(f"a path must be a string such as \"/job/inputs/cable1\", not {path!r}", pointer=f"{place}/path")
    if isinstance(values, (str, bytes, Mapping)) or not hasattr(values, "__iter__") or getattr(values, "ndim", 1) == 0:
        raise InvalidArgument(f"the values of {path} must be a list, not {values!r}", pointer=f"{place}/values")
    array = isinstance(values, np.ndarray)
    if array and values.dtype.kind not in "biufUO":
        raise InvalidArgument(f"the values of {path} are of type {values.dtype}; a job takes numbers, strings and booleans", pointer=f"{place}/values")
    rows = values.tolist() if array else [_listed(value) for value in values]
    for i, value in enumerate(rows):
        if isinstance(value, (bytes, complex)) or (isinstance(value, float) and not np.isfinite(value)):
            raise InvalidArgument(f"{value!r} cannot be written as JSON", pointer=f"{place}/values/{i}")
    return {"path": path, "values": rows}


def _told(stored: Dict[str, Any]) -> Dict[str, Any]:
    """The reply about a model, after its warnings were told to whoever called."""
    tell(stored.get("warnings"))
    return stored


def _remark(remark: Mapping[str, Any]) -> Dict[str, str]:
    """What an import left out, as a warning."""
    places = [f"line {one['line']}: {one['what']}" if one["line"] else one["what"] for one in remark["places"]]
    more = f" and {len(places) - 8} more" if len(places) > 8 else ""
    return {"code": "left_out", "detail": f"{remark['detail']} ({'; '.join(places[:8])}{more})"}


class Models:
    """Robots that are stored on the server, by name. Client.models."""

    def __init__(self, face: Any):
        self._face = face

    def put(self, document: Document, name: Optional[str] = None, if_match: Optional[str] = None,
            owner: Optional[str] = None) -> Dict[str, Any]:
        """Stores a tendril.model/1 document under its name (or `name`): new, or as a new revision.

        owner: whose it is to be, for those who see all; "none": nobody's, shared by all. By default one's own.
        if_match: the sha256 of the revision that it replaces; FailedPrecondition when another one is the newest.
        Returns {name, revision, sha256, ndof, coordinates, channels, warnings, …}; what is odd is told as TendrilWarning.
        """
        given = name or (document.get("name") if isinstance(document, Mapping) else None)
        if not given:
            raise ValueError("the document has no name; give one: put(document, name)")
        return _told(self._face.models_put(given, document, if_match, owner=owner))

    def create(self, document: Document) -> Dict[str, Any]:
        """Stores a document under its own name; AlreadyExists when the name is taken."""
        return _told(self._face.models_create(document))

    def validate(self, document: Document) -> Dict[str, Any]:
        """Checks a document and stores nothing; returns what follows from it, or raises InvalidArgument."""
        return _told(self._face.models_create(document, validate=True))

    def imported(self, request: Mapping[str, Any]) -> Dict[str, Any]:
        """The answer to an import, {document, ndof, coordinates, channels, warnings, remarks}; request: {"urdf": text} or {"model": {…}},
        "attach", … (api/import.md). Client.import_urdf and Client.attach are the short ways."""
        return self._face.models_import(request)

    def get(self, name: str, owner: Optional[str] = None) -> Dict[str, Any]:
        """{document, name, owner, revision, sha256, ndof, coordinates [ndof], channels}; name@3 is revision 3.

        A name means one's own model, else the shared one; owner: whose instead ("none": the shared one).
        """
        return self._face.models_get(name, owner)

    def list(self, owner: Optional[str] = None) -> Iterator[Dict[str, Any]]:
        """{name, owner, revision, sha256} of every robot that one sees, by name; owner None: shared by all."""
        cursor = None
        while True:
            page = self._face.models_list(limit=1000, cursor=cursor, owner=owner)
            yield from page["models"]
            cursor = page["next_cursor"]
            if not cursor:
                return

    __iter__ = list

    def delete(self, name: str, if_match: Optional[str] = None, owner: Optional[str] = None) -> None:
        """Removes a robot; jobs that use it keep its document."""
        self._face.models_delete(name, if_match, owner)

    def revisions(self, name: str, owner: Optional[str] = None) -> List[Dict[str, Any]]:
        """[{revision, sha256, created_at}], oldest first."""
        page = self._face.models_revisions(name, owner, 1000)
        rows = page["revisions"]
        while page["next_cursor"]:
            page = self._face.models_revisions(name, owner, 1000, page["next_cursor"])
            rows += page["revisions"]
        return rows

    def revision(self, name: str, n: int, owner: Optional[str] = None) -> Dict[str, Any]:
        """As `get`, of revision n."""
        return self._face.models_revision(name, n, owner)


class Tokens:
    """Who may call, for those whose token has the scope admin. Client.tokens."""

    def __init__(self, face: Any):
        self._face = face

    def create(self, name: str, scope: str = "run", owner: Optional[str] = None) -> Dict[str, Any]:
        """Makes a token; its secret is told only here, as `token`. scope: read, run or admin. owner: to whom belongs what it makes
        (default: its name); of a read token whose things it looks at (default: everybody's)."""
        return self._face.tokens_create(name, scope, owner)

    def list(self) -> List[Dict[str, Any]]:
        """[{id, name, scope, owner, created_at}] of all that hold."""
        return self._face.tokens_list()["tokens"]

    def get(self, id: str) -> Dict[str, Any]:
        """{id, name, scope, owner, created_at} by id or name."""
        return self._face.tokens_get(id)

    def delete(self, id: str, force: bool = False) -> None:
        """It holds no more when this returns. force: also the last one of scope admin (otherwise FailedPrecondition)."""
        self._face.tokens_delete(id, force)


class Nodes:
    """The servers that run the jobs of one database. Client.nodes."""

    def __init__(self, face: Any):
        self._face = face

    def list(self) -> List[Dict[str, Any]]:
        """[{id, name, host, state, slots, running, version, cpu_level, started_at, heartbeat_at, self}], by name. state: ready, draining or
        lost."""
        return self._face.nodes_list()["nodes"]

    def drain(self, node: str, undo: bool = False) -> Dict[str, Any]:
        """It takes no more jobs (undo: it does again), by name or id; those that it runs go on. For admins, where there are tokens."""
        return self._face.nodes_drain(node=node, undo=1 if undo else None)


class Client:
    """A Tendril server.

        with Client("http://127.0.0.1:8080") as tendril:
            A = tendril.evaluate("cdm", q=np.zeros(24), want=["dfd_dq"])["dfd_dq"]

    url       http://, https:// (or grpc://, grpcs:// with grpcio); default TENDRIL_URL, else http://127.0.0.1:8080
    token     Bearer token; default TENDRIL_TOKEN
    timeout   s without any answer after which a request counts as failed
    patience  s for which failed requests are repeated (jobs carry idempotency keys: nothing runs twice)
    ca        file of certificates to trust (PEM) instead of the system's
    """

    def __init__(self, url: Optional[str] = None, token: Optional[str] = None, *, timeout: float = 120.0,
                 patience: float = 30.0, ca: Optional[str] = None):
        self.url = url or os.environ.get("TENDRIL_URL") or "http://127.0.0.1:8080"
        self._patience = patience
        self._face = _open(self.url, token or os.environ.get("TENDRIL_TOKEN"), timeout, patience, ca)
        self.models, self.tokens, self.nodes = Models(self._face), Tokens(self._face), Nodes(self._face)

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Client({self.url!r})"

    def close(self) -> None:
        """Closes the connections. Jobs go on."""
        self._face.close()

    def import_robot(self, source: Union[str, "os.PathLike[str]"], attach: Union[Document, Sequence[Document]] = (), **words: Any) -> Dict[str, Any]:
        """The model document of a robot in another format (URDF, MJCF, rods of a USD as text): a path, or its text. Nothing is stored.

        The STL and OBJ files that a description at a path names are sent along where they are found beside it.

        attach: what hangs at it, {"model": document, "parent": link, "prefix", "pose", "at"} or a list of them.
        words: name, gravity ([0, 0, -9.81]), base ("fixed", "free"), actuators ("force", "position", "none"), inertia ("as_written",
        "nearest"), stops ("soft": limits of joints become `limits` of the model; "none"), view ("keep": what is drawn of the links becomes
        their `view`; "none"), ground (True: a floor under it). What finds no place in a model is told as TendrilWarning, with its lines.
        """
        text, files = str(source), {}
        if not text.lstrip().startswith(("<", "#usda")):
            text = read(source)
            files = meshes(text, os.fspath(source))
        return self._imported({format_of(text): text, **({"meshes": files} if files else {}), **words}, attach)

    def import_urdf(self, source: Union[str, "os.PathLike[str]"], attach: Union[Document, Sequence[Document]] = (), **words: Any) -> Dict[str, Any]:
        """import_robot by its older name."""
        return self.import_robot(source, attach, **words)

    def attach(self, model: Document, other: Document, parent: str, **words: Any) -> Dict[str, Any]:
        """A document of both robots, `other` at link `parent` of `model`. words: prefix (of all its names), pose, at (X/L on a rod)."""
        return self._imported({"model": model}, {"model": other, "parent": parent, **words})

    def _imported(self, request: Dict[str, Any], attach: Any) -> Dict[str, Any]:
        parts = [attach] if isinstance(attach, Mapping) else list(attach)
        found = self._face.models_import({**request, **({"attach": parts} if parts else {})})
        tell(found["warnings"])
        tell([_remark(one) for one in found["remarks"]])
        return found["document"]

    def evaluate(self, model: Model, q: ArrayLike, qd: Optional[ArrayLike] = None, u: Optional[ArrayLike] = None,
                 qdd: Optional[ArrayLike] = None, *, want: Union[str, Sequence[str]] = "fd",
                 baumgarte: Optional[float] = None, parameters: Any = None, step: Any = None,
                 jvp: Optional[Mapping[str, ArrayLike]] = None, vjp: Optional[ArrayLike] = None, check: Optional[bool] = None) -> Evaluation:
        """Quantities of a robot at given states.

        model      name ("cdm", "cdm@3") or document
        q, qd, qdd [ndof], or [N, ndof] for N states: coordinates (rad, m, strain modes), rates, accelerations. One of them
                   [ndof] beside others [N, ndof] goes for all states; missing ones are zero.
        u          [channels] or [N, channels]: inputs (N, N m, Pa, m/s), actuators, loads, springs, flow
        want       names: fd [ndof], dfd_dq, dfd_dqd [ndof, ndof], dfd_du [ndof, channels], id, tau, mass, energy, poses,
                   jacobians, did_dq, … (row = output, column = variable). residual is tau - id; jacobians [points, 6, ndof]
                   are (w, v) in body axes of the points; api/quantities.md has all, with units, frames and signs
        baumgarte  s, time constant of loops
        parameters numbers of the model document to differentiate by (did_dp, dtau_dp, dresidual_dp, dfd_dp [ndof, np], dlambda_dp,
                   dposes_dp, dtendons_dp), by their places: ["/model/links/0/body/material/young", …], or {"E": "/model/…"} to
                   name them; an array there stands for all its numbers. `parameters` of what is returned says what the np columns are
        step       seconds, or {"h": s, "method": "euler_implicit" | "newmark" | "generalized_alpha" | "rk4", "substeps": 1}: how far x_next
                   [2 ndof] = (q, qd) is ahead under inputs that stay; dx_next_dx [2 ndof, 2 ndof] and dx_next_du are its derivatives
        jvp        a direction {"q", "qd", "u", "p"}, each as q and so on, missing ones zero: gives jvp [ndof], the derivative of fd along it
        vjp        a cotangent [ndof]: gives vjp/q, vjp/qd, vjp/u, vjp/p, the gradient of cotangent . fd
        check      raises StateError for a state that has no answer (default for one state); otherwise (default for a
                   batch) its rows are NaN and its reason is in `errors` of what is returned

        What is odd about answers (a shape that no rod has, inside_out) is told as TendrilWarning; `warnings` of what is returned has
        that and what is odd in the model.
        """
        factors = {"jvp/" + part: value for part, value in (jvp or {}).items()}
        arrays, single = _batch({"q": q, "qd": qd, "qdd": qdd, "u": u, **factors, "vjp/cotangent": vjp})
        names = [want] if isinstance(want, str) else list(want)
        found = evaluation(self._face.evaluate(model, arrays, names, baumgarte, _places(parameters), _how(step)), single).tell()
        return found.raise_errors() if (single if check is None else check) else found

    def stream(self, model: Model, *, want: Union[str, Sequence[str]] = "fd", baumgarte: Optional[float] = None,
               parameters: Any = None, step: Any = None) -> Any:
        """One state after another with the least delay: over gRPC a stream, over HTTP a kept connection.

            with client.stream("cdm", want=["fd", "dfd_dq"]) as at:
                now = at(q, qd, u)        # as evaluate with one state; jvp and vjp, too
        """
        names = [want] if isinstance(want, str) else list(want)
        if hasattr(self._face, "evaluate_stream"):
            return self._face.evaluate_stream(model, names, baumgarte, _places(parameters), _how(step))
        return _KeptStream(self, model, names, baumgarte, parameters, step)

    def submit(self, job: Optional[Document] = None, *, key: Optional[str] = None, **members: Any) -> Job:
        """Queues a job: a document, or its members by name, or both (members win). Returns at once.

            client.submit(model="cdm", kind="dynamics", t_end=10, inputs={"cable1": 5}, output={"fields": ["q", "poses:arm"]})

        Arrays of numpy may stand in it. key: idempotency key; the same key and job again give the same job. Without one each
        call makes a job, once, however often the connection breaks meanwhile. What is odd is told as TendrilWarning.
        """
        document = {**(job or {}), **members}
        return Job(self._face, self._face.jobs_submit(document, key or uuid.uuid4().hex), self._patience).tell()

    def check(self, job: Optional[Document] = None, **members: Any) -> Dict[str, Any]:
        """What `submit` would say of a job, without queueing it: raises what is wrong, tells what is odd as TendrilWarning.

        Of a sweep every job is checked. Returns the job as it would be, with its warnings.
        """
        return _told(self._face.jobs_submit({**(job or {}), **members}, validate=True))

    def sweep(self, base: Document, vary: Mapping[str, Any], mode: str = "grid", **members: Any) -> Job:
        """Queues one job per combination of values.

        vary: lists (or arrays) of values by path: {"/job/inputs/cable1/amplitude": [1, 2], "/model/links/0/body/length": [0.4, 0.5]};
        the last varies fastest. A value may be anything that stands there in a document: a number, a word, an object. mode: grid (all combinations) or zip (one list beside the other).
        """
        if not isinstance(vary, Mapping):
            raise InvalidArgument(f"vary must be a dict of lists by path, not {vary!r}", pointer="/vary")
        rows = [_variation(k, path, values) for k, (path, values) in enumerate(vary.items())]
        return self.submit(kind="sweep", base=dict(base), vary=rows, mode=mode, **members)

    def fit(self, of: Any, parameters: Any, model: Any = None, *, progress: bool = False, **members: Any) -> Fit:
        """Parameters of a robot from measurements: submits a job of kind fit, waits, and says what was found.

            tip = tendril.record("poses:arm@1", positions, times, select=[[0, 3], [1, 3], [2, 3]], sigma=0.001)
            found = client.fit([(job, tip)], {"/model/links/0/body/material/young": (1e5, 1e7)}, "arm")
            found["young"], found.deviations, found.model

        of: [(job, record or records), …], jobs of kind dynamics or statics. parameters: {path: (lower, upper)} or
        {path: {"lower", "upper", "scale": "log", "name", "value", "prior"}}, or a list of {"path", …}; a path below /job is a number
        of the experiments' jobs, of all or of those that "of" names. model: a name or a document, where the first job
        has none. members: starts, seed, max_iterations, tolerance, unconverged, labels, … of the job. What the data do not tell, and
        whatever else is odd, is told as TendrilWarning.
        """
        job = {"kind": "fit", "of": experiments(of), "parameters": unknowns(parameters), **members}
        if model is not None:
            job["model"] = model
        return Fit(self.run(job, progress=progress))

    def gradient(self, of: Document, parameters: Any, objective: Any = None, *, cotangents: Optional[Mapping[str, ArrayLike]] = None,
                 progress: bool = False, **members: Any) -> Any:
        """What a run or a list of equilibria is worth, and its derivatives by numbers of the job and of its model: a Result.

            at = client.gradient({"model": "cdm", "kind": "dynamics", "t_end": 1, "inputs": {"cable1": table}}, ["/job/inputs/cable1/value"],
                                 {"field": "poses:arm@1", "select": [[0, 3], [1, 3], [2, 3]], "target": goal})
            at.value, at.gradient          # a number, [np]; at.parameters names the numbers

        of: a job of kind dynamics or statics with its model. parameters: paths below /model and /job, one or several, {path, name} or {name: path}. objective:
        a term or a list of them, {field, select, target, weight, at} or {field, select, linear, at}; or cotangents: arrays by
        field, of its shape, for the product of a vector with the Jacobian. A run costs some runs, however many numbers there are.
        """
        job: Dict[str, Any] = {"kind": "gradient", "of": dict(of), "parameters": unknowns(parameters), **members}
        if objective is not None:
            job["objective"] = listed(objective, "terms")
        if cotangents is not None:
            job["cotangents"] = {field: np.asarray(values, float) for field, values in cotangents.items()}
        return self.run(job, progress=progress)

    def differentiable(self, job: Document, parameters: Any, outputs: Any, *, keep: bool = False) -> Differentiable:
        """A run or a list of equilibria as a function of numbers of the job and its model, with its derivatives.

            f = client.differentiable(job, "/job/inputs/cable1/value", "poses:arm@1")
            y = f(p)                                # p [np] -> [samples, 4, 4]; p [N, np] -> [N, samples, 4, 4]
            f.vjp(p, dloss_dy), f.jvp(p, along), f.jacobian(p)
            loss = (f.torch(p) - goal).square().sum(); loss.backward()         # PyTorch
            fun, jac = f.scipy                      # SciPy: minimize, least_squares, NonlinearConstraint
            jax.grad(lambda p: loss(f.jax(p)))(p)   # JAX

        job: of kind dynamics or statics, with its model; a run without a method takes equal steps (generalized_alpha), of
        a robot with stops or obstacles radau, whose steps end where these set in. parameters: paths below
        /model and /job, one or several, {name: path}, or {path: (lower, upper)}. outputs: a field, {field, select, at}, several of
        these (a list, or a dict by name), or an objective's terms as of gradient and design: then f(p) is a number. Jobs are
        deleted when their results are here; keep: they are left. Errors are TendrilError, `pointer` says where in job, parameters
        or outputs.
        """
        return Differentiable(self, job, parameters, outputs, keep)

    def design(self, of: Union[Sequence[Document], Document], parameters: Any, objective: Any, constraints: Any = None, *,
               progress: bool = False, **members: Any) -> Design:
        """The best robot or input for a task: submits a job of kind design, waits, and says what was found.

            reach = [{"field": "poses:arm@1", "select": [[0, 3], [2, 3]], "target": [0.1, -0.4]}]
            found = client.design({"model": "cdm", "kind": "statics", "inputs": {"cable1": 1}}, {"/job/inputs/cable1": (0, 20)}, reach,
                                  [{"field": "poses:arm@1", "select": [[1, 3]], "upper": 0.05}])
            found.values, found.objective, found.job, found.model

        of: a job of kind dynamics or statics with its model, or several, whose first has the model; terms and constraints say
        "of": 1 where they are not of the first. parameters: as of fit, in the model or in the jobs. objective: terms
        {field, select, at, target and weight, or linear}. constraints: {field, select, at, lower, upper}. members: method (slsqp, mma,
        lbfgs), max_evaluations, starts, seed, tolerance, unconverged, labels, … of the job.
        """
        jobs = dict(of) if isinstance(of, Mapping) else [dict(one) for one in of]
        job = {"kind": "design", "of": jobs, "parameters": unknowns(parameters), "objective": listed(objective, "terms"),
               "constraints": listed(() if constraints is None else constraints, "constraints"), **members}
        return Design(self.run(job, progress=progress))

    def run(self, job: Optional[Document] = None, *, progress: bool = False, **members: Any) -> Any:
        """submit, wait and result in one call: a Result."""
        return self.submit(job, **members).wait(progress).result()

    def job(self, id: str) -> Job:
        """A job by its id, or by its first (at least 4) or last (at least 8) characters where one job alone has them."""
        return Job(self._face, self._face.jobs_get(whole_id(id, self._listed)), self._patience)

    def jobs(self, **filters: Any) -> Iterator[Job]:
        """Jobs, the newest first; filters: state, kind, model, label="key:value", since, until, parent, owner."""
        return (Job(self._face, data, self._patience) for data in self._listed(**filters))

    def _listed(self, **filters: Any) -> Iterator[Dict[str, Any]]:
        cursor = None
        while True:
            page = self._face.jobs_list(**{"limit": 1000, **filters, "cursor": cursor})
            yield from page["jobs"]
            cursor = page["next_cursor"]
            if not cursor:
                return

    def examples(self) -> List[Dict[str, Any]]:
        """[{name, description}] of the robots that come with the server."""
        return self._face.examples_list()["examples"]

    def example(self, name: str) -> Dict[str, Any]:
        """{name, model, job}: both documents of one of them."""
        return self._face.examples_get(name)

    def limits(self) -> Dict[str, int]:
        """Every limit of requests and documents, by name."""
        return self._face.limits()

    def version(self) -> Dict[str, str]:
        """{version, api, model_format, cpu_level}."""
        return self._face.version()

    def health(self) -> Dict[str, str]:
        """{status} of a server that answers."""
        return self._face.health()

    def ready(self) -> Dict[str, str]:
        """{status} of a server that can do its work, else Unavailable."""
        return self._face.ready()

    def metrics(self) -> str:
        """OpenMetrics text."""
        return self._face.metrics()


class _KeptStream:
    """Client.stream over HTTP: the connection is kept, the model is named each time."""

    def __init__(self, client: Client, model: Model, want: Sequence[str], baumgarte: Optional[float], parameters: Any,
                 step: Any):
        self._client, self._model = client, model
        self._said = {"want": want, "baumgarte": baumgarte, "parameters": parameters, "step": step}

    def __call__(self, q: ArrayLike, qd: Optional[ArrayLike] = None, u: Optional[ArrayLike] = None, qdd: Optional[ArrayLike] = None, *,
                 jvp: Optional[Mapping[str, ArrayLike]] = None, vjp: Optional[ArrayLike] = None) -> Evaluation:
        return self._client.evaluate(self._model, q, qd, u, qdd, jvp=jvp, vjp=vjp, **self._said)

    def __enter__(self) -> "_KeptStream":
        return self

    def __exit__(self, *_: Any) -> None:
        return None

    def close(self) -> None:
        return None

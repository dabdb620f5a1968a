"""A run or a list of equilibria as a function f(p) of numbers of the job and of its model, with its derivatives.

Values come from the job itself, whole Jacobians from the same job with `sensitivity`, products with cotangents from jobs of kind
gradient; what an objective is worth comes with its gradient from one of these. What was computed for a p is kept for a while.
"""
from __future__ import annotations

import collections
import functools
import threading
from typing import Any, Callable, Dict, List, Mapping, Optional, OrderedDict, Sequence, Tuple

import numpy as np

from ..errors import InvalidArgument, NotFound, TendrilError
from ..result import Result
from .jobs import Runner
from .numbers import Numbers, sought
from .outputs import Outputs
from .scipy_pair import ScipyPair
from .scipy_pair import make as scipy_pair

KEPT = 64 << 20  # bytes of what is kept of calls before

OUTER = ("labels", "priority", "max_wall_s")  # members of a job that its gradient's job has itself


class _Known:
    """What is known of f at one p: arrays by field; their derivatives; of an objective value and gradient."""

    def __init__(self) -> None:
        self.t: Optional[np.ndarray] = None
        self.fields: Dict[str, np.ndarray] = {}
        self.slopes: Dict[str, np.ndarray] = {}
        self.value: Optional[float] = None
        self.gradient: Optional[np.ndarray] = None

    def bytes(self) -> int:
        return sum(array.nbytes for array in (*self.fields.values(), *self.slopes.values())) + 1000


class Differentiable:
    """A function of p [..., np]; made by Client.differentiable or tendril.differentiable.

    start   [np]: the numbers as the documents have them. names, paths, bounds: [np] of each number; bounds may take a job
    f(p)    outputs [..., …]: one array, a dict of arrays, or of an objective a number
    """

    def __init__(self, client: Any, job: Mapping[str, Any], parameters: Any, outputs: Any, keep: bool = False):
        self._outer = {key: job[key] for key in OUTER if key in job}
        said = sought(parameters)
        self._runner, self._job = Runner(client, keep), _checked(client, job, said)
        self.numbers, self.outputs = Numbers(self._job, said), Outputs(outputs)
        self._known: OrderedDict[bytes, _Known] = collections.OrderedDict()
        self._natural: Optional[List[Tuple[Optional[float], Optional[float]]]] = None
        self._lock = threading.Lock()

    start = property(lambda self: self.numbers.start.copy())
    names = property(lambda self: list(self.numbers.names))
    paths = property(lambda self: list(self.numbers.paths))

    @property
    def bounds(self) -> List[Tuple[Optional[float], Optional[float]]]:
        """(lower, upper) of each number: those that were given, within those that it has by itself (a tension is not negative), which
        come with the first derivatives; where there are none yet, f is differentiated at `start`."""
        if self._natural is None and any(None in given for given in self.numbers.bounds):
            self._at(self.numbers.start[None], "gradient" if self.outputs.objective else "slopes")
        own = self._natural or [(None, None)] * len(self.numbers.bounds)
        return [(_innermost(max, low, least), _innermost(min, high, most)) for (low, high), (least, most) in zip(self.numbers.bounds, own)]

    def __repr__(self) -> str:
        said = "an objective" if self.outputs.objective else ", ".join(self.outputs.by_name)
        return f"<Differentiable {self._job['kind']}: {len(self.numbers.start)} numbers -> {said}>"

    # for users

    def __call__(self, p: Any) -> Any:
        """Outputs at p."""
        arrays = self.values(self.numbers.rows(p))
        return self.outputs.as_asked([_shaped(array, p) for array in arrays])

    def vjp(self, p: Any, cotangents: Any = 1.0) -> np.ndarray:
        """cotangents . df/dp, of the shape of p: the gradient of a loss whose derivatives by the outputs are `cotangents`."""
        rows = self.numbers.rows(p)
        given = self.outputs.in_order(cotangents, "cotangents")
        shapes = [(*np.shape(p)[:-1], *shape) for shape in self.shapes(rows[:1])]
        for one, shape in zip(given, shapes):
            if one.shape != shape and one.ndim:
                raise InvalidArgument(f"a cotangent has shape {list(one.shape)}, its output {list(shape)}", pointer="/cotangents")
        whole = [np.broadcast_to(one, shape).reshape((len(rows), *shape[len(np.shape(p)[:-1]):])) for one, shape in zip(given, shapes)]
        return self.products(rows, whole).reshape(np.shape(p))

    def jvp(self, p: Any, tangent: Any) -> Any:
        """df/dp . tangent, of the shape of the outputs: how they change when p goes along `tangent`, of its shape."""
        rows = self.numbers.rows(p)
        along = self.numbers.rows(np.broadcast_to(tangent, np.shape(p)), "tangent")
        return self.outputs.as_asked([_shaped(array, p) for array in self.directions(rows, along)])

    def jacobian(self, p: Any) -> Any:
        """df/dp: the shape of the outputs with np at the end."""
        return self.outputs.as_asked([_shaped(array, p) for array in self.jacobians(self.numbers.rows(p))])

    @property
    def scipy(self) -> ScipyPair:
        """(fun, jac) for scipy.optimize: of one number for minimize, of several for least_squares and constraints."""
        return scipy_pair(self)

    @functools.cached_property
    def torch(self) -> Callable[[Any], Any]:
        """f for PyTorch: p and outputs are tensors, with gradients."""
        from .torch_function import make
        return make(self)

    @functools.cached_property
    def jax(self) -> Callable[[Any], Any]:
        """f for JAX: p and outputs are its arrays; grad, jit and vmap work."""
        from .jax_function import make
        return make(self)

    # of rows of p [rows, np], arrays in the order of the outputs

    def values(self, rows: np.ndarray) -> List[np.ndarray]:
        """[rows, …] of each output."""
        if self.outputs.objective:
            return [np.array([known.value for known in self._at(rows, "gradient")])]
        known = self._at(rows, "fields")
        return [np.stack([output.of(one.fields[output.field], one.fields[output.field].ndim, one.t) for one in known])
                for output in self.outputs.by_name.values()]

    def jacobians(self, rows: np.ndarray) -> List[np.ndarray]:
        """[rows, …, np] of each output."""
        if self.outputs.objective:
            return [np.array([known.gradient for known in self._at(rows, "gradient")])]
        known = self._at(rows, "slopes")
        return [np.stack([output.of(one.slopes[output.field], one.slopes[output.field].ndim - 1, one.t) for one in known])
                for output in self.outputs.by_name.values()]

    def directions(self, rows: np.ndarray, along: np.ndarray) -> List[np.ndarray]:
        """[rows, …] of each output: its derivative along [rows, np]."""
        return [np.stack([one @ way for one, way in zip(array, along)]) for array in self.jacobians(rows)]

    def products(self, rows: np.ndarray, cotangents: Sequence[np.ndarray]) -> np.ndarray:
        """[rows, np], of cotangents [rows, …] of each output."""
        if self.outputs.objective:
            return np.asarray(cotangents[0]).reshape(-1, 1) * self.jacobians(rows)[0]
        known = self._at(rows, "fields" if self.outputs.partial else None)
        wholes = [self._by_field(one, [array[k] for array in cotangents]) for k, one in enumerate(known)]
        found: List[Optional[np.ndarray]] = [_contracted(one, whole, rows.shape[1]) for one, whole in zip(known, wholes)]
        open_rows = [k for k, one in enumerate(found) if one is None]
        jobs = [self._gradient_job(rows[k], {"cotangents": wholes[k]}) for k in open_rows]
        explain = self._explanation([rows[k] for k in open_rows])
        for k, result in zip(open_rows, self._runner.results(jobs, open_rows, len(rows), explain)):
            self._note(known[k], result)
            found[k] = result.gradient
        return np.stack(found)  # type: ignore[arg-type]

    def shapes(self, row: Optional[np.ndarray] = None) -> List[Tuple[int, ...]]:
        """Of each output at one p; by a run at `row` [1, np], or at `start`, where there was none yet."""
        if self.outputs.objective:
            return [()]
        with self._lock:
            known = next((one for one in self._known.values() if one.fields), None)
        if not known:
            known = self._at(self.numbers.start[None] if row is None else row, "fields")[0]
        return [output.of(known.fields[output.field], known.fields[output.field].ndim, known.t).shape for output in self.outputs.by_name.values()]

    # jobs, and what is known of them

    def _by_field(self, known: _Known, cotangents: Sequence[np.ndarray]) -> Dict[str, np.ndarray]:
        whole: Dict[str, np.ndarray] = {}
        for output, cotangent in zip(self.outputs.by_name.values(), cotangents):
            shape = known.fields[output.field].shape if known.fields else cotangent.shape
            spread = output.spread(cotangent, shape, known.t)
            whole[output.field] = whole[output.field] + spread if output.field in whole else spread
        return whole

    def _at(self, rows: np.ndarray, member: Optional[str]) -> List[_Known]:
        """What is known at each row, after jobs for those whose `member` is not."""
        keys = [row.tobytes() for row in rows]
        with self._lock:
            known = {key: self._known.pop(key, None) or _Known() for key in keys}
            self._known.update(known)
        missing = {key: row for key, row in zip(keys, rows) if member and not _has(known[key], member)}
        jobs = [self._job_for(row, member) for row in missing.values()]
        explain = self._explanation(list(missing.values()))
        for key, result in zip(missing, self._runner.results(jobs, [keys.index(key) for key in missing], len(keys), explain)):
            self._note(known[key], result)
        self._forget(len(known))
        return [known[key] for key in keys]

    def _explanation(self, rows: Sequence[np.ndarray]) -> Callable[[int, Any], str]:
        """What the numbers at and below the place of an error are, and between what f.bounds has them, as far as it is known."""
        def explain(row: int, pointer: Any) -> str:
            own = self._natural or [(None, None)] * len(self.numbers.paths)
            told = [f"{name} = {value:.6g} (bounds {_bound(least, '-inf')} to {_bound(most, 'inf')})" for name, path, value, (least, most)
                    in zip(self.numbers.names, self.numbers.paths, rows[row], own) if pointer and (path + "/").startswith(pointer + "/")]
            return f"; here {', '.join(told[:6])}{', …' if told[6:] else ''}" if told else ""
        return explain

    def _forget(self, last: int) -> None:
        with self._lock:
            room = KEPT - sum(known.bytes() for known in self._known.values())
            while room < 0 and len(self._known) > last:
                room += self._known.popitem(last=False)[1].bytes()

    def _job_for(self, row: np.ndarray, member: Optional[str]) -> Dict[str, Any]:
        if member == "gradient":
            return self._gradient_job(row, {"objective": self.outputs.objective})
        job = {**self._outer, **self._with(row)}
        return {**job, "sensitivity": {"parameters": self.numbers.documents(), "fields": self.outputs.fields}} if member == "slopes" else job

    def _gradient_job(self, row: np.ndarray, members: Mapping[str, Any]) -> Dict[str, Any]:
        return {**self._outer, "kind": "gradient", "of": self._with(row), "parameters": self.numbers.documents(), **members}

    def _with(self, row: np.ndarray) -> Dict[str, Any]:
        job = self.numbers.job_with(row)
        return {**job, "output": {**job.get("output", {}), "fields": self.outputs.fields}}

    def _note(self, known: _Known, result: Result) -> None:
        """Keeps what a job has found."""
        if result.parameters and [one["path"] for one in result.parameters] != self.numbers.paths:
            raise TendrilError(f"the server names other numbers: {result.parameters[:3]}")
        if result.parameters:
            self._natural = [(one.get("lower"), one.get("upper")) for one in result.parameters]
        known.t = result.arrays.get("t")
        for field in self.outputs.fields:
            known.fields.setdefault(field, result[field])
            if "sensitivity:" + field in result:
                known.slopes[field] = result["sensitivity:" + field]
        if self.outputs.objective:
            known.value, known.gradient = result.value, result.gradient


def _bound(bound: Optional[float], otherwise: str) -> str:
    return otherwise if bound is None else f"{bound:.6g}"


def _innermost(choose: Callable[..., float], *bounds: Optional[float]) -> Optional[float]:
    """Of two bounds that both hold the one that counts."""
    there = [bound for bound in bounds if bound is not None]
    return choose(there) if there else None


def _has(known: _Known, member: str) -> bool:
    found = getattr(known, member)
    return found is not None and not (isinstance(found, dict) and not found)


def _contracted(known: _Known, whole: Mapping[str, np.ndarray], count: int) -> Optional[np.ndarray]:
    """The product by derivatives that are known, or none where a job must say it."""
    if all(not array.any() for array in whole.values()):
        return np.zeros(count)
    if not known.slopes:
        return None
    return sum(np.tensordot(array, known.slopes[field], array.ndim) for field, array in whole.items())  # type: ignore[return-value]


def _shaped(array: np.ndarray, p: Any) -> Any:
    """[rows, …] as [..., …] for p [..., np]."""
    shaped = array.reshape((*np.shape(p)[:-1], *array.shape[1:]))
    return shaped if shaped.ndim else float(shaped)


def _is_kinked(model: Any) -> bool:
    """Whether forces of a model's document set in with a slope: stops of joints, obstacles."""
    if not isinstance(model, Mapping):
        return False
    links = [link for link in model.get("links") or () if isinstance(link, Mapping)]
    return bool(model.get("contacts")) or any(isinstance(link.get("joint"), Mapping) and "limits" in link["joint"] for link in links)


def _method(said: Mapping[str, Any], kinked: bool) -> Dict[str, Any]:
    """Where a job says nothing: one method for values and derivatives. Equal steps, so that f is smooth, unless tolerances are given or the
    robot has stops or obstacles: the derivatives of steps that go across these are not those of the motion, and radau's end there."""
    if "method" in said or (kinked and "h" in said):
        return {"method": "generalized_alpha", **said}
    family = bool({"alpha", "beta", "gamma", "rho_inf", "formulation", "adaptive"} & set(said))
    if kinked and not family:
        return {"method": "radau", **said}
    chosen = kinked or ("h" not in said and bool({"rtol", "atol", "h_max", "cutoff", "max_steps"} & set(said)))
    return {"method": "generalized_alpha", **({"adaptive": True} if chosen else {}), **said}


def _checked(client: Any, job: Mapping[str, Any], said: Sequence[Mapping[str, Any]]) -> Dict[str, Any]:
    """The job with its model as a document, or as the revision of today where no number of it is asked for."""
    if not isinstance(job, Mapping) or job.get("kind") not in ("dynamics", "statics"):
        raise InvalidArgument("a differentiable job is of kind dynamics or statics", pointer="/job/kind")
    if "model" not in job:
        raise InvalidArgument("the job names no model", pointer="/job/model")
    for member in ("sensitivity", "continuation"):
        if member in job:
            raise InvalidArgument(f"leave {member} out: f(p) asks for derivatives itself, and has as many rows for every p", pointer="/job/" + member)
    inner = {key: value for key, value in job.items() if key not in OUTER}
    document = job["model"]
    if isinstance(job["model"], str):
        try:
            stored = client.models.get(job["model"])
        except NotFound as trouble:
            trouble.pointer = trouble.pointer or "/job/model"
            raise
        document = stored["document"]
        of_model = any(str(path).startswith("/model") for one in said for path in one.get("paths") or [one.get("path")])
        inner["model"] = stored["document"] if of_model else f"{stored['name']}@{stored['revision']}"
    if job["kind"] == "dynamics":
        inner["integrator"] = _method(job.get("integrator", {}), _is_kinked(document))
    return inner


def differentiable(job: Mapping[str, Any], parameters: Any, outputs: Any, *, client: Any = None, keep: bool = False) -> Differentiable:
    """Client.differentiable on a server at the usual address, or that of `client`."""
    from ..client import Client
    return (client or Client()).differentiable(job, parameters, outputs, keep=keep)

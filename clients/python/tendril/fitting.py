"""Parameters of a robot from what was measured."""
from __future__ import annotations

import copy
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from .derivatives.outputs import Output
from .documents import every_path, number_of, places, replaced, tokens
from .errors import InvalidArgument
from .result import Result

Document = Mapping[str, Any]


def record(field: str, value: Any, t: Any = None, *, select: Any = None, sigma: Any = None) -> Dict[str, Any]:
    """One record of an experiment: numbers of a field over time. NaN: missing.

    field: as in a job's output.fields ("q", "poses:arm@1"); select: which of its numbers, [[0, 3], [1, 3], [2, 3]] is the
    position of a pose; value [rows, numbers]; t [rows] s, left out of equilibria; sigma: standard deviation of the noise.
    """
    rows = np.asarray(value, float)
    if not np.isfinite(rows).any() or np.isinf(rows).any():
        what = "an infinite number" if np.isinf(rows).any() else "no number: every one is missing (NaN)"
        raise InvalidArgument(f"the record of {field} has {what}", pointer="/value")
    if select is not None and rows.ndim == 2 and rows.shape[1] != len(select):
        raise InvalidArgument(f"the record of {field} selects {len(select)} of its numbers, but its value has {rows.shape[1]} columns", pointer="/value")
    found: Dict[str, Any] = {"field": field, "value": np.where(np.isnan(rows), None, rows.astype(object)).tolist()}
    for key, given in (("t", t), ("select", select), ("sigma", sigma)):
        if given is not None:
            found[key] = np.asarray(given).tolist()
    return found


def unknowns(parameters: Any) -> List[Any]:
    """The list of the document, of a path, {path: (lower, upper)}, {path: {…}}, {name: path} or a list."""
    try:
        return places(parameters)
    except (TypeError, ValueError) as trouble:
        raise InvalidArgument(str(trouble), pointer="/parameters") from None


def experiments(of: Any) -> List[Dict[str, Any]]:
    """The list of the document, of [(job, record or records), …]."""
    rows = []
    for one in [of] if isinstance(of, (Mapping, tuple)) else of:
        if not isinstance(one, Mapping):
            job, data = one
            one = {"job": dict(job), "data": [data] if isinstance(data, Mapping) else list(data)}
        rows.append(dict(one))
    return rows


def _with(document: Any, root: str, rows: Sequence[Mapping[str, Any]]) -> Dict[str, Any]:
    """A copy of the document with the values whose paths begin with /root."""
    document = copy.deepcopy(document)
    for row in rows:
        for path in every_path(row):
            first, *way = tokens(path)
            if first == root:
                document = replaced(document, way, row["value"])
    return document


def _with_all(jobs: Sequence[Any], rows: Sequence[Mapping[str, Any]]) -> List[Dict[str, Any]]:
    """Copies of the jobs with the values that are theirs: `of` names the jobs of a number, None: all share it."""
    jobs = copy.deepcopy(list(jobs))
    for row in rows:
        if row["path"].startswith("/job/"):
            for k in range(len(jobs)) if row.get("of") is None else row["of"]:
                for path in every_path(row):
                    jobs[k] = replaced(jobs[k], tokens(path)[1:], row["value"])
    return jobs


class ByName(Dict[str, float]):
    """Numbers by their names; what is asked for may be a path, too, or the end of one ("young"). KeyError, with the names there are."""

    def __init__(self, rows: Sequence[Mapping[str, Any]], values: Sequence[float]):
        super().__init__(zip((row["name"] for row in rows), values))
        self._rows = rows

    def __missing__(self, name: str) -> float:
        return self[self._rows[number_of(name, self._rows)]["name"]]


def interval(row: Mapping[str, Any]) -> str:
    """Of a parameter of summary.fit: "+- 12", or in words why there is none."""
    if row["deviation"] is not None:
        return f"+- {row['deviation']:.2g}"
    return "(held at its bound)" if row["at_bound"] else "+- anything"


class Fit:
    """What a fit found: values and their standard deviations by name, and the robot with them.

        found = client.fit([(job, record)], {"/model/links/0/body/material/young": (1e5, 1e7)})
        found["young"], found.deviations["young"], found.model

    `misfit` is what is left over (root mean square), in `sigma` where records have one: about 1 is noise.
    """

    def __init__(self, result: Result):
        self.result = result
        self.summary: Dict[str, Any] = result.summary["fit"]
        rows = self.summary["parameters"]
        self.values = ByName(rows, [row["value"] for row in rows])
        self.deviations = ByName(rows, result["deviation"].tolist())
        self.paths: Dict[str, str] = {row["name"]: row["path"] for row in rows}
        self.experiments: Dict[str, Optional[List[int]]] = {row["name"]: row.get("of") for row in rows}
        self.converged: bool = self.summary["end"] == "converged"
        misfit = self.summary["misfit"]  # None of as many numbers as data
        self.misfit = float("nan") if misfit is None else misfit
        self.warnings: List[Dict[str, str]] = result.summary.get("warnings", [])

    def __getitem__(self, name: str) -> float:
        return self.values[name]

    @property
    def model(self) -> Dict[str, Any]:
        """The document of the model with the values that were found."""
        return _with(self.result.summary["model"]["document"], "model", self.summary["parameters"])

    @property
    def jobs(self) -> List[Dict[str, Any]]:
        """The jobs of the experiments with the values that were found."""
        return _with_all([one["job"] for one in self.result.summary["job"]["of"]], self.summary["parameters"])

    @property
    def covariance(self) -> np.ndarray:
        """[np, np], in the order of `values`."""
        return self.result["covariance"]

    def record(self, experiment: int = 0, record: int = 0) -> Tuple[Optional[np.ndarray], np.ndarray, np.ndarray]:
        """(t, measured, fitted) of one record; t None of equilibria."""
        end = f"{experiment}:{record}"
        return (self.result["t:" + end] if "t:" + end in self.result else None, self.result["measured:" + end],
                self.result["fitted:" + end])

    def __repr__(self) -> str:
        rows = [f"{row['name']} = {row['value']:.6g} {interval(row)}" for row in self.summary["parameters"]]
        return f"<Fit {self.summary['end']}, misfit {self.misfit:.3g}: {', '.join(rows)}>"


def fit(of: Union[Sequence[Any], Document], parameters: Any, model: Any = None, *, client: Any = None, **members: Any) -> Fit:
    """Client.fit on a server at the usual address, or that of `client`."""
    from .client import Client
    if client is not None:
        return client.fit(of, parameters, model, **members)
    with Client() as own:
        return own.fit(of, parameters, model, **members)


class Design:
    """What a design found: values by name, the robot and the job with them, and how the objective came down.

        found = client.design(job, {"/job/inputs/cable1": (0, 20)}, [{"field": "poses:arm@1", "select": [[0, 3]], "target": 0.1}])
        found["cable1"], found.objective, found.job
    """

    def __init__(self, result: Result):
        self.result = result
        self.summary: Dict[str, Any] = result.summary["design"]
        rows = self.summary["parameters"]
        self.values = ByName(rows, [row["value"] for row in rows])
        self.paths: Dict[str, str] = {row["name"]: row["path"] for row in rows}
        self.objective: float = self.summary["objective"]
        self.converged: bool = self.summary["end"] == "converged"
        self.warnings: List[Dict[str, str]] = result.summary.get("warnings", [])

    def __getitem__(self, name: str) -> float:
        return self.values[name]

    @property
    def model(self) -> Dict[str, Any]:
        """The document of the model with the best values."""
        return _with(self.result.summary["model"]["document"], "model", self.summary["parameters"])

    @property
    def jobs(self) -> List[Dict[str, Any]]:
        """The jobs within with the best values."""
        of = self.result.summary["job"]["of"]
        return _with_all(of if isinstance(of, list) else [of], self.summary["parameters"])

    @property
    def job(self) -> Dict[str, Any]:
        """The job within with the best values; of several the first."""
        return self.jobs[0]

    @property
    def targets(self) -> List[Dict[str, Any]]:
        """What came of each target of the objective: term, field, and of the number that misses it by most its value, target, missed."""
        job, found = self.result.summary["job"], []
        for k, term in enumerate(job["objective"] if "objective" in job else []):
            place = f"{term.get('of', 0)}:" if isinstance(job["of"], list) else ""
            array = self.result.arrays.get(place + term["field"])
            if term.get("target") is None or array is None:
                continue
            t = self.result.arrays.get(place + "t")
            value, target = _against(term, array, t)
            worst = np.unravel_index(int(np.nanargmax(np.abs(value - target))), value.shape)
            found.append({"term": k, "field": place + term["field"], "value": float(value[worst]), "target": float(target[worst]),
                          "missed": float(abs(value - target)[worst])})
        return found

    @property
    def constraints(self) -> List[Dict[str, Any]]:
        """Of each constraint the number that presses it hardest: its value, lower, upper, by how much it is missed, whether it is active."""
        return list(self.summary.get("constraints", []))

    def __repr__(self) -> str:
        rows = [f"{name} = {value:.6g}" for name, value in self.values.items()]
        rows += [f"{one['field']} misses its target by {one['missed']:.3g} ({one['value']:.6g}, not {one['target']:.6g})" for one in self.targets]
        rows += [f"{one['number']} = {one['value']:.6g} ({_wanted(one)})" for one in self.constraints if one["value"] is not None]
        return f"<Design {self.summary['end']}: objective {self.objective:.6g}, {', '.join(rows)}>"


def _wanted(one: Mapping[str, Any]) -> str:
    """Of a constraint: "at least 0.1, holds the best"."""
    low, high = one["lower"], one["upper"]
    bounds = f"at least {low:.6g}" if high is None else f"at most {high:.6g}" if low is None else f"{low:.6g} to {high:.6g}"
    missed = one["missed"] or 0
    return bounds + (f", missed by {missed:.3g}" if missed > 1e-6 * abs(one["value"]) else "") + (", holds the best" if one["active"] else "")


def _against(term: Mapping[str, Any], array: np.ndarray, t: Optional[np.ndarray]) -> Tuple[np.ndarray, np.ndarray]:
    """[samples, numbers] that a term of an objective takes of an array of its field, and what they are to be."""
    said = {"at": "all" if t is None else "end", **{key: term[key] for key in ("field", "select", "at") if key in term}}
    output = Output(said, "/objective")
    value = output.of(array, array.ndim, t)
    value = value.reshape(1 if said["at"] == "end" else len(value), -1)
    target = term["target"]
    if isinstance(target, Mapping):
        rows = np.asarray(target["value"], dtype=float).reshape(len(target["t"]), -1)
        times = np.arange(len(array)) if t is None else t
        at = times[[-1]] if said["at"] == "end" else times if said["at"] == "all" else np.ravel(said["at"])
        target = np.stack([np.interp(at, target["t"], column) for column in rows.T], axis=1)
    return value, np.broadcast_to(np.asarray(target, dtype=float), value.shape)


def design(of: Union[Sequence[Document], Document], parameters: Any, objective: Any, constraints: Any = None, *,
           client: Any = None, **members: Any) -> Design:
    """Client.design on a server at the usual address, or that of `client`."""
    from .client import Client
    if client is not None:
        return client.design(of, parameters, objective, constraints, **members)
    with Client() as own:
        return own.design(of, parameters, objective, constraints, **members)

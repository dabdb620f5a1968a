"""What comes back: the quantities of evaluate, and the arrays of a job."""
from __future__ import annotations

import io
import json
import warnings
from importlib.util import find_spec
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence

import numpy as np

from . import npz
from .documents import number_of
from .errors import StateError, tell
from .picture import Film, Picture, Replay, command, draw, options, replay
from .rebuilt import with_poses


class Evaluation(Dict[str, np.ndarray]):
    """Quantities by name: a dict of arrays, [N, …] for a batch of N states, without the first axis for one state.

    Parts of a quantity are members of their own: "energy/kinetic", "poses/arm". `errors` holds a StateError for each state
    that has no answer; its rows are NaN. `warnings` [{code, detail, pointer}] is what is odd in the model, pointers into its document,
    and in answers, at "/states/3/q" ("/q" of a stream): inside_out says that the values are those of no robot.
    `parameters` [{name, path, way}] is what the last axis of derivatives by parameters is by, way "affine" or "differences".
    `touches` names the rows of contacts and contact_force ("floor.arm"), by which contact_place counts.
    """

    def __init__(self, arrays: Mapping[str, np.ndarray], errors: List[StateError], warnings: Optional[List[Dict[str, str]]] = None,
                 parameters: Optional[List[Dict[str, str]]] = None, touches: Optional[List[str]] = None):
        super().__init__(arrays)
        self.errors, self.warnings, self.parameters, self.touches = errors, warnings or [], parameters or [], touches or []

    def tell(self) -> "Evaluation":
        """warnings.warn for what is odd about answers; what is odd in the model was told when it was stored. Returns itself."""
        tell([one for one in self.warnings if one["pointer"].startswith(("/states/", "/q"))])
        return self

    def __missing__(self, name: str) -> np.ndarray:
        raise KeyError(f"{name}; there are: {', '.join(self)}")

    def raise_errors(self) -> "Evaluation":
        """Raises the first of `errors`, if there is one."""
        if self.errors:
            raise self.errors[0]
        return self


def state_error(index: int, text: str) -> StateError:
    """Of "code: detail", as the archive has it."""
    code, _, detail = text.partition(": ")
    return StateError(detail or text, code=code, index=index)


def shared(row: Dict[str, Any]) -> Dict[str, Any]:
    """Of several places, one a line, the first and the others."""
    path, *also = row["path"].split("\n")
    return {**row, "path": path, **({"also": also} if also else {})}


def evaluation(arrays: Dict[str, np.ndarray], single: bool) -> Evaluation:
    """Of the members of a reply. `single`: takes the axis of states away."""
    texts = arrays.pop("error", np.array([], dtype=np.str_))
    said, touches = arrays.pop("warnings", None), arrays.pop("touches", np.array([], dtype=np.str_)).tolist()
    errors = [state_error(index, str(text)) for index, text in enumerate(texts) if text]
    odd = json.loads(said.tobytes()) if said is not None else []
    names, paths, ways = (arrays.pop(key, np.array([])).tolist() for key in ("parameters", "parameter_paths", "parameter_ways"))
    by = [shared({"name": name, "path": path, "way": way}) for name, path, way in zip(names, paths, ways)]
    return Evaluation({name: value[0] for name, value in arrays.items()} if single else arrays, errors, odd, by, touches)


class Result(Mapping[str, np.ndarray]):
    """Arrays of a job by name, and its summary.

    Of a run: t [N] s, q, qd [N, ndof], u [N, channels], energy [N, energies] J (as `energies` names them),
    contacts [N, touches, 3] (depth m, normal force N, slip m/s), contact_force [N, touches, 3] N (as `contacts` names them),
    contact_place [N, places, 10] (number among `contacts` or -1, place m, force N, unit normal),
    "poses:arm" [N, points, 4, 4], … as job.output.fields asked. Of statics: q [S, ndof], converged [S], …, and poses:LINK, tensions … as job.output.fields asked;
    "sensitivity:q" [N, ndof, np] and the like as job.sensitivity asked (`sensitivity`);
    of a path of equilibria (job.continuation) summary["continuation"]["events"]: its limit points and bifurcations.
    summary: model and its revision, job, build, statistics of the solver, energy balance, wall_s, cpu_s.
    """

    def __init__(self, arrays: Mapping[str, np.ndarray], summary: Mapping[str, Any], face: Any = None):
        self.arrays, self.summary = dict(arrays), dict(summary)
        self.face = face  # of the server that it came from, which places links for pictures

    def __getstate__(self) -> Dict[str, Any]:
        return {**self.__dict__, "face": None}

    @classmethod
    def from_npz(cls, data: bytes, face: Any = None) -> "Result":
        """Of the bytes of an archive."""
        arrays = npz.read(data)
        summary = arrays.pop("summary", np.frombuffer(b"{}", np.uint8))
        return cls(arrays, json.loads(summary.tobytes()), face)

    @classmethod
    def load(cls, path: str) -> "Result":
        """Of a file that `save`, the command `tendril run` or a download left."""
        with open(path, "rb") as file:
            return cls.from_npz(file.read())

    def save(self, path: str) -> None:
        """Writes an archive that numpy.load, Result.load and `tendril plot` read."""
        text = np.frombuffer(json.dumps(self.summary).encode(), np.uint8)
        out = io.BytesIO()
        np.savez(out, **self.arrays, summary=text)
        with open(path, "wb") as file:
            file.write(out.getvalue())

    def __getitem__(self, name: str) -> np.ndarray:
        if name not in self.arrays:
            raise KeyError(f"{name}; there are: {', '.join(self.arrays)}")
        return self.arrays[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.arrays)

    def __len__(self) -> int:
        return len(self.arrays)

    def __repr__(self) -> str:
        return "Result(" + ", ".join(f"{name} {list(value.shape)}" for name, value in self.arrays.items()) + ")"

    @property
    def t(self) -> np.ndarray:
        """[N] times of the samples, s."""
        return self["t"]

    @property
    def coordinates(self) -> List[str]:
        """[ndof] names of the coordinates: "arm.bending_y[2]"."""
        return list(self.summary.get("coordinates", []))

    @property
    def channels(self) -> List[str]:
        """[channels] names of the inputs."""
        return list(self.summary.get("channels", []))

    @property
    def energies(self) -> List[str]:
        """Names of the columns of `energy`; results of older builds do not say them."""
        return list(self.summary.get("energies", ["kinetic", "elastic", "gravitational", "contact"]))

    @property
    def contacts(self) -> List[str]:
        """Names of the rows of `contacts` and `contact_force`, and of the numbers in `contact_place`: "floor.ball", of a pair "grip.finger.ball"."""
        return list(self.summary.get("contacts", []))

    @property
    def parameters(self) -> List[Dict[str, str]]:
        """[np] {name, path, way} of the numbers that results are differentiated by (job.sensitivity), way "affine", "differences" or "formula"."""
        return list(self.summary.get("parameters", []))

    @property
    def value(self) -> float:
        """Of a job of kind gradient: what it is worth."""
        return float(self["value"])

    @property
    def gradient(self) -> np.ndarray:
        """[np] Of a job of kind gradient: the derivatives of its value, by the numbers that `parameters` names."""
        return self["gradient"]

    def sensitivity(self, field: str = "q", parameter: Optional[str] = None) -> np.ndarray:
        """Derivatives of a field (job.sensitivity.fields): its shape with np at the end; of one parameter, by its name, path or the end of that, its shape."""
        fields = [name.partition(":")[2] for name in self if name.startswith("sensitivity:")]
        if field not in fields:
            raise KeyError(f"{field}; there are derivatives of: {', '.join(fields) or 'nothing, the job has no `sensitivity`'}")
        array = self["sensitivity:" + field]
        return array if parameter is None else array[..., number_of(parameter, self.parameters)]

    def eigenvalues(self) -> "tuple[np.ndarray, Optional[np.ndarray]]":
        """Of a linearisation: those of A [K, 2n], 1/s, and their derivatives [K, 2n, np] where job.sensitivity asked for A, else None.

        d lambda = w.dA v / w.v by left and right eigenvectors. NaN where eigenvalues meet (those of loops that are held, two at
        -1/baumgarte each): there they have none.
        """
        values, right = np.linalg.eig(self["A"])
        slopes = self.arrays.get("sensitivity:A")
        if slopes is None:
            return values, None
        scale = np.linalg.norm(right, axis=1, keepdims=True)
        left = np.linalg.pinv(right / scale)
        derivatives = np.einsum("kei,kijp,kje->kep", left, slopes, right / scale)
        meeting = np.linalg.norm(left, axis=2) > 1e7
        derivatives[meeting] = np.nan
        return values, derivatives

    def plot(self, path: Optional[str] = None, shapes: Optional[int] = None, *, times: Optional[Sequence[float]] = None,
             panels: Optional[Sequence[str]] = None, link: Optional[str] = None, view: Optional[Sequence[float]] = None,
             layout: Optional[str] = None, curves: bool = False, collision: bool = False, size: Optional[str] = None,
             scale: Optional[float] = None, format: Optional[str] = None) -> Picture:
        """The robot's shapes beside curves, as `tendril plot` draws them; written to `path` (.png, .svg, .pdf) when there is one.

        shapes: how many instants, which what moves chooses; times: these, s (of statics and sweeps numbers of problems or jobs).
        panels: names of curves; curves: no shapes; collision: what bodies touch with. link: whose tip is traced.
        view: azimuth and elevation, degrees. Of a sweep, or statics of many problems, every tip is a dot.
        layout: together or apart. size: "1720x1000"; scale: pixels per unit. format: png, svg or pdf, where no path tells it.
        Where the job kept q and no poses of links, the server that the result came from (of a file: of TENDRIL_URL) places them.
        The command draws it (PATH, TENDRIL_COMMAND). Where there is none, matplotlib does, with less, and a warning says so: see `figure`.
        Of a linearisation the eigenvalues of A, by matplotlib.
        """
        words = options(shapes=shapes, times=times, panels=panels, link=link, view=view, layout=layout, curves=curves, collision=collision, size=size, scale=scale)
        if self.summary.get("kind") == "linearize" and not words and find_spec("matplotlib"):
            from .plotting import picture
            return picture(self, path, format, 0)
        if command():
            return draw(self if curves else with_poses(self), path, format, words, Picture)
        if [word for word in words if word.startswith("--") and word != "--shapes"]:
            raise FileNotFoundError(f"{words[0][2:]} needs the command `tendril` in PATH (or TENDRIL_COMMAND)")
        from .plotting import picture
        warnings.warn("no `tendril` on PATH: drawn by matplotlib, without bodies", stacklevel=2)
        return picture(self, path, format, shapes or 8)

    def film(self, path: Optional[str] = None, *, seconds: Optional[float] = None, fps: Optional[int] = None,
             panels: Optional[Sequence[str]] = None, link: Optional[str] = None, view: Optional[Sequence[float]] = None,
             curves: bool = False, collision: bool = False, size: Optional[str] = None, scale: Optional[float] = None,
             format: Optional[str] = None) -> Film:
        """The picture that moves: one instant after the other, and a line along the curves; written to `path` (.mp4, .gif).

        seconds: how long it lasts (as long as the motion, within 4 and 20 s); fps: frames a second (25); format: mp4 or gif,
        where no path tells it; the others as of `plot`. Needs the command `tendril`, as `plot`, and ffmpeg.
        """
        return draw(self if curves else with_poses(self), path, format, options(seconds=seconds, fps=fps, panels=panels, link=link, view=view, curves=curves, collision=collision, size=size, scale=scale), Film)

    def replay(self, path: Optional[str] = None) -> Replay:
        """The robot moving in 3D beside its curves, as a page of its own that asks nobody for anything; written to `path`.

        A notebook shows it. The robot is rebuilt from q, which the job has to record. Needs the command `tendril`, as `plot`.
        """
        return replay(self, path)

    def figure(self, shapes: int = 8) -> Any:
        """Lines through the robot's points at `shapes` instants beside curves, as a matplotlib Figure to go on with.

        Where the job kept q and no poses of links, the server places them, as for `plot`.
        """
        from .plotting import plot
        return plot(self, shapes)

    def _repr_html_(self) -> str:
        from .notebook import of_result
        return of_result(self)

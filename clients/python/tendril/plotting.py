"""Figures of results by matplotlib: the robot's shapes in 3D on the left, curves on the right, a panel for each unit.

What `tendril plot` draws has solid bodies; this is for those who go on drawing, and for machines without the command."""
from __future__ import annotations

import io
import os
import textwrap
from typing import Any, Dict, List, Optional, Tuple

import numpy as np

from . import workspace
from .fitting import interval
from .kinds import UNTRUE
from .picture import Picture
from .rebuilt import with_poses


def _pyplot() -> Any:
    try:
        import matplotlib
    except ImportError:
        raise ImportError("pictures need matplotlib: pip install matplotlib (Debian: python3-matplotlib). Without it, "
                          "save the result and use the command: tendril plot FILE.npz -o FILE.png") from None
    import sys
    if sys.platform.startswith("linux") and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        if "matplotlib.pyplot" not in sys.modules and not os.environ.get("MPLBACKEND"):
            matplotlib.use("agg")  # no screen
    import matplotlib.pyplot as pyplot
    return pyplot


def _rows(result: Any) -> Tuple[np.ndarray, str]:
    """Abscissa of the curves: time, or the number of the problem."""
    if "t" in result:
        return result["t"], "t [s]"
    count = len(result["q"] if "q" in result else next(iter(result.values()))) if len(result) else 0
    return np.arange(count), "point of the path" if "continuation" in result.summary else "problem"


def _shapes(axes: Any, result: Any, names: List[str], instants: np.ndarray, pyplot: Any) -> None:
    """Lines through the computational points of every link, colour is time."""
    everything = []
    for number, row in enumerate(instants):
        colour = pyplot.get_cmap("viridis")(number / max(1, len(instants) - 1))
        for name in names:
            points = np.atleast_3d(result[name][row].reshape(-1, 4, 4))[:, :3, 3]
            everything.append(points)
            axes.plot(*points.T, color=colour, marker="o" if len(points) == 1 else None, markersize=3)
    _box(axes, np.concatenate(everything))
    _arrows(axes, result, instants, np.ptp(np.concatenate(everything), axis=0).max())


def _arrows(axes: Any, result: Any, instants: np.ndarray, reach: float) -> None:
    """Where bodies touch, and the forces there: the largest of all samples is a sixth of the robot's size long."""
    place = result["contact_place"] if "contact_place" in result else np.zeros(0)
    if place.ndim != 3 or not place.shape[1]:
        return
    most = np.linalg.norm(place[place[..., 0] >= 0][:, 4:7], axis=1).max(initial=0.0)
    shown = place[instants].reshape(-1, place.shape[2])
    shown = shown[shown[:, 0] >= 0]
    if not most > 0:
        return
    axes.scatter(*shown[:, 1:4].T, color="deeppink", s=6, depthshade=False)
    axes.quiver(*shown[:, 1:4].T, *(shown[:, 4:7] * reach / 6 / most).T, color="deeppink", lw=1)
    axes.set_title(f"arrows: forces of contacts, the longest {most:.3g} N", fontsize="small")


def _box(axes: Any, cloud: np.ndarray) -> None:
    """Axes with equal units around points."""
    cloud = cloud[np.isfinite(cloud).all(1)] if np.isfinite(cloud).all(1).any() else np.zeros((1, 3))  # rows without a solution are NaN
    low, high = cloud.min(0), cloud.max(0)
    reach = max(float((high - low).max()), 1e-6) / 2
    for set_limits, middle in zip((axes.set_xlim, axes.set_ylim, axes.set_zlim), (low + high) / 2):
        set_limits(middle - reach, middle + reach)
    axes.set_box_aspect((1, 1, 1))
    axes.set_xlabel("x [m]"), axes.set_ylabel("y [m]"), axes.set_zlabel("z [m]")


def _tendons(result: Any) -> List[str]:
    """Names of the tendons, in the order of `tensions` and `tendons`."""
    document = (result.summary.get("model") or {}).get("document") or {}
    return [a.get("name", "") for a in document.get("actuators", []) if a.get("type") == "tendon"]


LOADS = ["[N m]"] * 3 + ["[N]"] * 3


def _unit_of_channel(document: Dict[str, Any], name: str) -> str:
    """"[N]" of the tension of a tendon, "[Pa]", …; "" where the model does not tell."""
    actuator = next((a for a in document.get("actuators", []) if a.get("name") == name.split("[")[0]), None)
    if actuator:
        held = actuator.get("mode") in ("length", "position")
        if actuator.get("type") in ("tendon", "pressure"):
            return "[Pa]" if actuator["type"] == "pressure" else "[m]" if held else "[N]"
        joint = _joint(document, actuator.get("link"), _number(name))
        return {"rad": "[rad]" if held else "[N m]", "m": "[m]" if held else "[N]"}.get(joint, "")
    for load in document.get("loads", []):
        if name in (load.get("channels") or []):
            unit = LOADS[load["channels"].index(name)]
            return {"[N m]": "[N]", "[N]": "[N/m]"}[unit] if load.get("per_length") else unit
    if name in ((document.get("fluid") or {}).get("channels") or []):
        return "[m/s]"
    return "[m]" if any(spring.get("channel") == name for spring in document.get("springs", [])) else ""


def _number(name: str) -> int:
    return int(name.rsplit("[", 1)[1][:-1]) if name.endswith("]") else 0


def _joint(document: Dict[str, Any], link: Optional[str], k: int) -> str:
    """"rad" or "m" of the k-th coordinate of a link's joint, "" where the model does not tell."""
    kind = next(((a.get("joint") or {}).get("type") for a in document.get("links", []) if a.get("name") == link), None)
    if kind is None:
        return ""
    slides = kind == "prismatic" or (kind in ("cylindrical", "planar") and k > 0) or (kind == "free" and k > 2)
    return "m" if slides else "rad"


def _unit_of_coordinate(document: Dict[str, Any], name: str) -> str:
    link, _, part = name.rpartition(".")
    if part.startswith("joint"):
        unit = _joint(document, link, _number(name))
        return f" of joints [{unit}]" if unit else " of joints"
    if part.startswith(("torsion", "bending")):
        return ", curvatures [1/m]"
    return ", stretches" if part.startswith(("elongation", "shear")) else ""


def _by_unit(title: str, values: np.ndarray, labels: List[str], units: List[str]) -> List[Tuple[str, np.ndarray, List[str]]]:
    """A panel for each unit, in the order in which they come."""
    found = []
    for unit in dict.fromkeys(units):
        columns = [k for k, own in enumerate(units) if own == unit]
        found.append((title + unit, values[:, columns], [labels[k] for k in columns]))
    return found


def _moving(title: str, values: np.ndarray, labels: List[str]) -> Tuple[str, np.ndarray, List[str]]:
    """Without the columns that stay at rounding beside the others; where all do, the zeros that they are."""
    size = np.nan_to_num(np.abs(values)).max(axis=0)
    if not size.max() > 1e-11:
        return title, np.where(np.isfinite(values), 0.0, values), labels
    kept = [k for k in range(len(size)) if size[k] > 1e-9 * size.max()]
    return title, values[:, kept], [labels[k] for k in kept]


def _touches(result: Any) -> List[Tuple[str, np.ndarray, List[str]]]:
    """Normal force and depth of what touches at all, or what acts there where depths were not recorded."""
    if "contacts" in result and result["contacts"].ndim == 3 and result["contacts"].shape[1]:
        panels = [("pressed by [N]", result["contacts"][..., 1]), ("depth [m]", result["contacts"][..., 0])]
    elif "contact_force" in result and result["contact_force"].ndim == 3 and result["contact_force"].shape[1]:
        panels = [("contacts [N]", np.linalg.norm(result["contact_force"], axis=2))]
    else:
        return []
    count = panels[0][1].shape[1]
    labels = result.contacts if len(result.contacts) == count else [f"[{k}]" for k in range(count)]
    return [_moving(title, values, labels) for title, values in panels]


def _curves(result: Any) -> List[Tuple[str, np.ndarray, List[str]]]:
    """(title, [N, k], labels [k]) of what is worth a panel."""
    found = []
    document = (result.summary.get("model") or {}).get("document") or {}
    for name, labels, unit in (("u", result.channels, _unit_of_channel), ("q", result.coordinates, _unit_of_coordinate),
                               ("tensions", _tendons(result), " [N]"), ("energy", result.energies, " [J]")):
        if name not in result or result[name].ndim != 2 or not result[name].shape[1]:
            continue
        count = result[name].shape[1]
        labels = labels if len(labels) == count else [f"{name}[{k}]" for k in range(count)]
        units = [unit] * count if isinstance(unit, str) else [unit(document, label) for label in labels]
        panels = _by_unit(name + " " * (name == "u"), result[name], labels, units)
        found += [_moving(*panel) for panel in panels] if name == "q" else panels
    found += _touches(result)
    end = _end_effector(result)
    if end and "@" not in end:
        tip = result["poses:" + end].reshape(len(result["poses:" + end]), -1, 4, 4)[:, -1, :3, 3]
        found.append((f"end of {end} [m]", tip, ["x", "y", "z"]))
    return [(title.strip(), values, labels) for title, values, labels in found[:9]]


def _tips(result: Any) -> Tuple[Optional[np.ndarray], str]:
    """[N, 3] where the tip is in every row, and its link: of whole poses, or of the place of a link nearest to its end."""
    end = _end_effector(result)
    at = sorted((name for name in result if name.startswith("poses:") and "@" in name), key=lambda name: float(name.split("@")[1]))
    name = "poses:" + end if end and "@" not in end else at[-1] if at else None
    if name is None:
        return None, ""
    return result[name].reshape(len(result[name]), -1, 4, 4)[:, -1, :3, 3], name[6:].split("@")[0]


def _plot_workspace(result: Any, found: Any, pyplot: Any) -> Any:
    """Every tip as a dot, its x, y and z over a number, a line for each value of the other, which colours all of it."""
    (x_name, x), colour, grid = found
    tips, end = _tips(result)
    assert tips is not None
    names = [name for name in result if name.startswith("poses:") and "@" not in name]
    figure = pyplot.figure(figsize=(12, 7), layout="constrained")
    cells = figure.add_gridspec(3, 2)
    axes = figure.add_subplot(cells[:, 0], projection="3d")
    workspace.draw(figure, axes, result, tips, colour, names)
    _box(axes, np.concatenate([tips] + [result[name].reshape(-1, 4, 4)[:, :3, 3] for name in names]))
    varied = [values for _, values in workspace._varied(result)]
    groups = workspace.lines(x, colour[1], [v for v in varied if v is not x and v is not colour[1]]) if grid else [np.arange(len(x))]
    shade = pyplot.get_cmap("viridis")((colour[1] - colour[1].min()) / max(float(np.ptp(colour[1])), 1e-300))
    for axis in range(3):
        axes = figure.add_subplot(cells[axis, 1])
        for rows in groups:
            axes.plot(x[rows], tips[rows, axis], color=shade[rows[0]] if grid else "0.7", lw=1)
        axes.scatter(x, tips[:, axis], c=shade, s=8, zorder=3)
        axes.set_ylabel(f"{'xyz'[axis]} of {end} [m]"), axes.grid(alpha=0.3)
    axes.set_xlabel(x_name + (f", a line for each {colour[0]} (colours)" if grid else ""))
    return figure


def _end_effector(result: Any) -> Optional[str]:
    """The last recorded rod of the model, else the last recorded link, as `tendril plot` has it."""
    recorded = [name[6:] for name in result if name.startswith("poses:")]
    links = ((result.summary.get("model") or {}).get("document") or {}).get("links", [])
    links = [link for link in links if link.get("name") in recorded]
    rods = [link["name"] for link in links if (link.get("body") or {}).get("type") == "rod"]
    return (rods or [link["name"] for link in links] or recorded or [None])[-1]


def _farthest(result: Any) -> Tuple[np.ndarray, str]:
    """[N] the coordinate of a point that moves farthest along a path, and its name."""
    candidates = []
    for name in result:
        if name.startswith("poses:"):
            points = result[name].reshape(len(result[name]), -1, 4, 4)[:, :, :3, 3]
            ranges = np.ptp(np.nan_to_num(points), axis=0)
            point, axis = np.unravel_index(int(ranges.argmax()), ranges.shape)
            candidates.append((ranges[point, axis], points[:, point, axis], f"{'xyz'[axis]} of {name[6:]}, point {point} [m]"))
    if not candidates:
        q = result["q"]
        index = int(np.ptp(np.nan_to_num(q), axis=0).argmax())
        candidates.append((0.0, q[:, index], (result.coordinates or [f"q[{i}]" for i in range(q.shape[1])])[index]))
    return max(candidates, key=lambda c: c[0])[1:]


def _events(result: Any, x: np.ndarray, load: np.ndarray) -> List[Tuple[str, float, float]]:
    """(kind, x, load) of limit points and branch points: a limit point lies where a parabola through both rows has its top."""
    found = []
    for event in result.summary["continuation"].get("events", []):
        k, value = event["after"], event["value"]
        if 0 <= k < len(load) - 1:
            a, b = abs(value - load[k]), abs(value - load[k + 1])
            if event["kind"] == "limit":
                a, b = a**0.5, b**0.5
            share = a / (a + b) if a + b > 0 else 0.5
            found.append((event["kind"], float(x[k] + share * (x[k + 1] - x[k])), value))
    return found


def _draw_load_curve(axes: Any, result: Any) -> None:
    """The channel of a continuation over what moves farthest: stable parts solid, unstable ones dashed, limit and branch points."""
    channel = result.summary["continuation"]["channel"]
    load, (x, name) = result["u"][:, result.channels.index(channel)], _farthest(result)
    stable = np.asarray(result["stable"], bool)
    beside = ~stable | np.roll(~stable, 1) | np.roll(~stable, -1)
    axes.plot(x, np.where(stable, load, np.nan), "C0", lw=2, label="stable")
    axes.plot(x, np.where(beside, load, np.nan), "C3--", lw=1.2, label="unstable")
    for kind, marker in (("limit", "o"), ("bifurcation", "D")):
        points = [(px, py) for k, px, py in _events(result, x, load) if k == kind]
        if points:
            axes.plot(*zip(*points), "k" + marker, mfc="w", label={"limit": "limit point"}.get(kind, "branch point"))
    axes.set_xlabel(name), axes.set_ylabel(f"load curve: {channel}"), axes.grid(alpha=0.3), axes.legend(fontsize="small")


GRAVE = ("inconsistent", *UNTRUE)


def _remarks(result: Any) -> List[Tuple[str, bool]]:
    """(text, whether the result is not to be trusted) of the job's error and its warnings, grave ones first."""
    said = ([result.summary["error"]] if result.summary.get("error") else []) + list(result.summary.get("warnings") or [])
    lines = [(f"{w['code']}: {w['detail']}", w["code"] in GRAVE) for w in said]
    return sorted(((("Not to be trusted: " if grave else "") + text, grave) for text, grave in lines), key=lambda line: not line[1])


def _lines(result: Any, x: np.ndarray) -> List[Tuple[float, str]]:
    """(x, word) of what is marked across the curves: contacts that begin, and the summary's events."""
    found = []
    if "t" in result and "energy" in result and result["energy"].shape[1] == 4:
        contact = result["energy"][:, 3]
        last = -np.inf
        for row in np.flatnonzero((contact[1:] > 0) & (contact[:-1] == 0)) + 1:
            if x[row] - last > (x[-1] - x[0]) / 100:
                found.append((float(x[row]), "contact begins"))
                last = x[row]
    for event in result.summary.get("events") or []:
        if "t" in event and "t" in result:
            found.append((event["t"], event["kind"].replace("_", " ")))
        elif "after" in event and "t" not in result:
            found.append((event["after"] + 0.5, event["kind"]))
    return found[:64]


def _plot_fit(result: Any, pyplot: Any) -> Any:
    """The way of the cost, then every record: what was measured as dots, what the answer gives as lines."""
    records = [(f"{r['experiment']}:{r['record']}", r["field"]) for r in result.summary["fit"]["records"]]
    records = [(key, field) for key, field in records if f"fitted:{key}" in result][:8]
    figure = pyplot.figure(figsize=(12, 7), layout="constrained")
    grid = figure.add_gridspec(max(1, (len(records) + 1) // 2), 3)
    axes = figure.add_subplot(grid[:, 0])
    for start in np.unique(result["start"]):
        cost = result["cost"][result["start"] == start]
        axes.semilogy(np.arange(len(cost)), cost, ".-", label=f"start {start}")
    axes.set_xlabel("iteration"), axes.set_ylabel("cost"), axes.grid(alpha=0.3)
    for number, (key, field) in enumerate(records):
        axes = figure.add_subplot(grid[number // 2, 1 + number % 2])
        measured, fitted = (np.reshape(result[f"{what}:{key}"], (len(result[f"{what}:{key}"]), -1)) for what in ("measured", "fitted"))
        x = result[f"t:{key}"] if f"t:{key}" in result else np.arange(len(measured))
        for column in range(min(6, measured.shape[1])):
            axes.plot(x, measured[:, column], "o", color=f"C{column}", markersize=3)
            axes.plot(x, fitted[:, column], color=f"C{column}")
        axes.set_title(f"experiment {key.split(':')[0]}: {field}", fontsize="small"), axes.grid(alpha=0.3)
        axes.set_xlabel("t [s]" if f"t:{key}" in result else "problem")
        if f"t:{key}" not in result:
            axes.xaxis.get_major_locator().set_params(integer=True)
    found = [f"{p['name'].rsplit('/', 1)[-1]} {p['value']:.4g} {interval(p)}" for p in result.summary["fit"]["parameters"]]
    remarks = _remarks(result)
    figure.suptitle("\n".join([", ".join(found[:6])] + [text[:140] for text, _ in remarks[:3]]), fontsize="medium",
                    color="C3" if any(grave for _, grave in remarks) else None)
    return figure


def _plot_eigenvalues(result: Any, pyplot: Any) -> Any:
    """Eigenvalues of A in the complex plane, a colour for each state; those right of the dashed line grow."""
    values = result.eigenvalues()[0]
    figure = pyplot.figure(figsize=(8, 7), layout="constrained")
    axes = figure.add_subplot()
    for number, own in enumerate(values):
        swings, colour = np.abs(own.imag) > 1e-9 * np.abs(own), f"C{number % 10}"
        axes.plot(own[swings].real, own[swings].imag, "x", color=colour, label="swing" if number == 0 and swings.any() else None)
        axes.plot(own[~swings].real, own[~swings].imag, "o", color=colour, mfc="none", zorder=3, label="do not swing" if number == 0 and not swings.all() else None)
    axes.axvline(0, color="0.4", ls="--", lw=1), axes.axhline(0, color="0.8", lw=1)
    size = float(np.abs(values).max(initial=0.0))
    least = float(np.abs(values[np.abs(values) > 1e-9 * size]).min(initial=size))
    if least and size > 100 * least:  # from slow swings to what stops at once
        axes.set_xscale("symlog", linthresh=least), axes.set_yscale("symlog", linthresh=least)
    axes.set_xlabel("real part [1/s]"), axes.set_ylabel("imaginary part [rad/s]"), axes.grid(alpha=0.3), axes.legend(fontsize="small")
    slowest = values.flat[int(values.real.argmax())]
    axes.set_title(f"linearised at {len(values)} state{'s' * (len(values) != 1)}, {values.shape[1]} eigenvalues, {'slowest' if slowest.real < 0 else 'growing'} {slowest.real:.4g}"
                   + (f" ± {abs(slowest.imag):.4g} i" if abs(slowest.imag) > 1e-9 * abs(slowest) else "") + " 1/s", fontsize="medium")
    _title(figure, result)
    return figure


def picture(result: Any, path: Optional[str], format: Optional[str], shapes: int) -> Picture:
    """The figure as a Picture, also written to `path`."""
    format = format or (os.path.splitext(path)[1][1:].lower() if path else "png")
    out = io.BytesIO()
    plot(result, shapes).savefig(out, dpi=150, format=format)
    made = Picture(out.getvalue(), format)
    if path:
        made.save(path)
    return made


def plot(result: Any, shapes: int = 8) -> Any:
    """Figure of a Result. See Result.figure."""
    pyplot = _pyplot()
    if "fit" in result.summary:
        return _plot_fit(result, pyplot)
    if result.summary.get("kind") == "linearize":
        return _plot_eigenvalues(result, pyplot)
    result = with_poses(result)
    x, label = _rows(result)
    poses, curves = [name for name in result if name.startswith("poses:") and "@" not in name], _curves(result)
    along = "continuation" in result.summary and {"u", "q", "stable"} <= set(result)
    if not poses and not curves:
        raise ValueError(f"nothing to draw: the result has {', '.join(result) or 'no arrays'}; ask for q, u, energy or poses:LINK")
    found = workspace.numbers(result, len(x)) if _tips(result)[0] is not None else None
    if found:
        figure = _plot_workspace(result, found, pyplot)
        _title(figure, result)
        return figure
    rows = len(curves) + 2 * along
    figure = pyplot.figure(figsize=(12 if poses else 8, max(7, 1.25 * rows)), layout="constrained")
    grid = figure.add_gridspec(max(1, rows), 2 if poses and curves else 1)
    if poses:
        axes = figure.add_subplot(grid[:, 0], projection="3d")
        _shapes(axes, result, poses, np.unique(np.linspace(0, len(x) - 1, min(shapes, len(x))).astype(int)), pyplot)
    if along:
        _draw_load_curve(figure.add_subplot(grid[:2, -1]), result)
    marked = _lines(result, x)
    for row, (title, values, labels) in enumerate(curves, 2 * along):
        axes = figure.add_subplot(grid[row, -1])
        lines = axes.plot(x, values, marker="." if label == "problem" and len(x) < 50 else None)
        axes.set_ylabel(title), axes.grid(alpha=0.3)
        for at, _ in marked:
            axes.axvline(at, color="C1", ls=":", lw=1)
        if len(lines) <= 12:
            axes.legend(lines, labels, fontsize="x-small" if len(lines) > 6 else "small", ncols=1 + (len(lines) - 1) // 6)
        if row == rows - 1:
            axes.set_xlabel(", ".join([label] + ["dotted: " + ", ".join(sorted({word for _, word in marked}))] * bool(marked)))
        if label in ("problem", "point of the path"):
            axes.xaxis.get_major_locator().set_params(integer=True)
    _title(figure, result)
    return figure


def _title(figure: Any, result: Any) -> None:
    """The model's name, and what is to be said of the result."""
    remarks = _remarks(result)
    name = str((result.summary.get("model") or {}).get("name") or "")
    letters = int(11 * figure.get_figwidth())  # of a line, at this size of letters
    figure.suptitle("\n".join([name] + [textwrap.fill(text, letters, max_lines=3, placeholder=" ...") for text, _ in remarks[:3]]),
                    color="C3" if any(grave for _, grave in remarks) else None, fontsize="medium" if remarks else "large")

"""Poses of a result whose job kept q and none of them: a server places the links."""
from __future__ import annotations

import copy
import json
import warnings
from typing import Any, Dict, List

import numpy as np

from .errors import TendrilError

BATCH = 1000


def _put(document: Any, pointer: str, value: Any) -> None:
    keys = [key.replace("~1", "/").replace("~0", "~") for key in pointer.split("/")[1:]]
    for key in keys[:-1]:
        document = document[int(key)] if isinstance(document, list) else document[key]
    document[int(keys[-1]) if isinstance(document, list) else keys[-1]] = value


def _models(result: Any, rows: int) -> List[str]:
    """The model document of every row as text: jobs of a sweep differ in the places that it varies."""
    summary = result.summary
    base = summary["model"]["document"]
    vary = (summary.get("job") or {}).get("vary") or []
    if summary.get("kind") != "sweep" or not any(v["path"].startswith(("/model/", "/job/model")) for v in vary):
        return [json.dumps(base)] * rows
    found: List[str] = []
    for row in result["child"][:rows].astype(int) if "child" in result else range(rows):
        model = copy.deepcopy(base)
        for one, value in zip(vary, summary["jobs"][row]["values"]):
            if one["path"] == "/job/model":
                model = copy.deepcopy(value)
            elif one["path"].startswith("/model/"):
                _put(model, one["path"][len("/model"):], value)
        found.append(json.dumps(model))
    return found


def _poses(result: Any, face: Any) -> Dict[str, np.ndarray]:
    q, made = result["q"], {}  # type: Any, Dict[str, np.ndarray]
    models, solved = np.array(_models(result, len(q)), dtype=object), np.isfinite(q).all(axis=1)
    for model in dict.fromkeys(models):
        rows = np.flatnonzero(solved & (models == model))
        for some in np.array_split(rows, -(-len(rows) // BATCH)) if len(rows) else ():
            for name, values in face.evaluate(json.loads(model), {"q": q[some]}, ["poses"]).items():
                if name.startswith("poses/"):
                    made.setdefault("poses:" + name[6:], np.full((len(q), *values.shape[1:]), np.nan))[some] = values
    return made


def _default() -> Any:
    from .client import Client
    return Client(patience=0, timeout=10)._face


def with_poses(result: Any) -> Any:
    """The result itself where its job kept poses (or no q), else another with poses:LINK of all links at every row.

    Asks the server that the result came from, else that of TENDRIL_URL. Where none answers a warning says what to keep.
    """
    kept, summary = result.arrays, result.summary
    links = ((summary.get("model") or {}).get("document") or {}).get("links")
    if any(name.startswith("poses:") and "@" not in name for name in kept) or summary.get("kind") == "linearize" or "fit" in summary \
            or not links or "q" not in kept or kept["q"].ndim != 2 or not kept["q"].size:
        return result
    try:
        return type(result)({**kept, **_poses(result, result.face or _default())}, summary, result.face)
    except (TendrilError, OSError, ValueError, KeyError, TypeError) as error:
        fields = ", ".join(f'"poses:{link.get("name")}"' for link in links[:6])
        warnings.warn(f"the robot is not drawn: the job kept q and no poses, and no server placed the links from it ({error}). "
                      f'"output": {{"fields": [{fields}]}} keeps them', stacklevel=3)
        return result

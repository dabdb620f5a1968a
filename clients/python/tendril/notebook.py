"""What a notebook shows of jobs and results: a table of a few lines, and the picture."""
from __future__ import annotations

import base64
import html
import warnings
from typing import Any, List, Tuple

STYLE = "border-collapse:collapse;font-size:90%"


def _table(rows: List[Tuple[str, str]]) -> str:
    cells = "".join(f"<tr><th style='text-align:left;padding-right:1em'>{html.escape(name)}</th><td style='text-align:left'>"
                    f"{html.escape(text)}</td></tr>" for name, text in rows if text)
    return f"<table style='{STYLE}'>{cells}</table>"


def _said(warned: Any) -> str:
    return "; ".join(f"{one.get('code')}: {one.get('detail')}" for one in (warned or [])[:3])


def _picture(result: Any) -> str:
    """As an image in the page; "" where nothing is to be drawn or nothing draws."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            data = result.plot().data
    except (ValueError, OSError, ImportError, KeyError):
        return ""
    return f"<img style='max-width:100%' alt='' src='data:image/png;base64,{base64.b64encode(data).decode()}'>"


def of_result(result: Any) -> str:
    """Model, arrays, warnings, and the picture."""
    summary = result.summary
    model = summary.get("model") or {}
    name = model.get("name") or (model.get("document") or {}).get("name") or ""
    arrays = ", ".join(f"{name} {list(value.shape)}" for name, value in result.items())
    rows = [("result", " of ".join(word for word in (str(summary.get("kind") or ""), str(name)) if word)),
            ("arrays", arrays if len(arrays) < 400 else arrays[:397] + "..."), ("warnings", _said(summary.get("warnings")))]
    return _table(rows) + _picture(result)


def of_job(job: Any) -> str:
    """State and progress as they were when last asked about; nothing is asked of the server."""
    state = job.state + ("" if job.ended else f", {100 * job.fraction:.0f} %")
    return _table([("job", job.id), ("kind", job.kind), ("state", state), ("error", (job.error or {}).get("detail") or ""),
                   ("warnings", _said(job.warnings))])

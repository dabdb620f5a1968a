"""Writes what was measured as a page with pictures, and draws those."""
import os

import numpy as np

WIDTH = 110


def number(value):
    if not np.isfinite(value):
        return str(value)
    return f"{value:.6g}"


def small(value):
    return "0" if value == 0 else f"{value:.1e}"


def anchor(name):
    return name.replace("_", "-")


def verdict(outcome):
    if outcome.failure:
        return "fails"
    return "not all met" if any(not row.met for row in outcome.rows) else "met"


def index(outcomes_by_chapter):
    lines = ["| problem | reference | quantities | worst error / tolerance | CPU time | |", "|---|---|---|---|---|---|"]
    for chapter, outcomes in outcomes_by_chapter.items():
        lines.append(f"| **{chapter}** | | | | | |")
        for o in outcomes:
            worst = max(o.rows, key=lambda row: row.error / max(row.tolerance, 1e-300) if np.isfinite(row.error) else np.inf, default=None)
            ratio = f"{small(worst.error)} / {small(worst.tolerance)}" if worst else "-"
            lines.append(f"| [{o.title}](#{anchor(o.name)}) | {o.kind} | {len(o.rows)} | {ratio} | {o.cpu_s:.3g} s | {verdict(o)} |")
    return lines


def table(rows):
    lines = ["| quantity | Tendril | reference | error | tolerance | |", "|---|---|---|---|---|---|"]
    for row in rows:
        ours, reference = row.worst
        unit = f" {row.unit}" if row.unit else ""
        count = f" ({row.ours.size} values, the worst)" if row.ours.size > 1 else ""
        mark = "" if row.met else ("**not met**" + (f": {row.unmet}" if row.unmet else ""))
        lines.append(f"| {row.quantity}{count} | {number(ours)}{unit} | {number(reference)}{unit} | {small(row.error)} | {small(row.tolerance)} | {mark} |")
    return lines


def section(outcome, pictures):
    lines = [f'### <a id="{anchor(outcome.name)}"></a>{outcome.title}', "", outcome.text, ""]
    if outcome.failure:
        lines += [f"**It does not run today:** {outcome.failure}", ""]
    if outcome.rows:
        lines += table(outcome.rows) + [""]
    lines += outcome.tables
    for warning in sorted(set(outcome.warnings))[:3]:
        lines += [f"The service warned: *{warning}*", ""]
    if outcome.draw and pictures:
        lines += [f"![{outcome.title}]({pictures}/{outcome.name}.png)", ""]
    return lines


def draw(outcome, folder):
    import matplotlib
    matplotlib.use("agg")
    from matplotlib import pyplot
    pyplot.rcParams.update({"font.size": 8, "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True, "grid.alpha": 0.25,
                            "legend.frameon": False, "axes.axisbelow": True})
    figure = pyplot.figure(figsize=(5.4, 3.4), layout="constrained")
    outcome.draw(figure)
    path = os.path.join(folder, outcome.name + ".png")
    figure.savefig(path, dpi=100, metadata={"Software": None})
    pyplot.close(figure)
    return path

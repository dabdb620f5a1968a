#!/usr/bin/python3
"""Measures the problems of the gallery and writes api/examples/textbook.md and its pictures.

    python3 tests/textbook/write_page.py [--bin build/release/bin] [--to FOLDER] [PROBLEM…]

With names, only these are measured and printed, and their pictures are drawn to FOLDER (default /tmp/textbook); no page is written.
"""
import argparse
import os
import sys

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--bin", help="folder of the programs")
parser.add_argument("--to", help="folder of the page")
parser.add_argument("problems", nargs="*")
options = parser.parse_args()
if options.bin:
    os.environ["TENDRIL_BIN"] = os.path.abspath(options.bin)

from support import contents, page, runner  # noqa: E402
from support.desk import SOURCE, Desk  # noqa: E402

HEAD = """# Textbook problems

How Tendril compares with what is known otherwise: published tables, closed forms, and solvers that share nothing with it. Each
problem is a file in `tests/textbook/` that says its source and why its tolerance is what it is; it asks a running server through
the Python client, with the defaults of the service wherever nothing else is said. An error is relative to the largest reference
value of its row unless it carries a unit. What cannot be met stands in the tables, too.

This page is written by `python3 tests/textbook/write_page.py`; the test `test_textbook` checks the same numbers. CPU times are those
of the server for all jobs of a problem ({level}).
"""


def show(outcome):
    print(f"{outcome.title}: cpu {outcome.cpu_s:.2f} s, wall {outcome.wall_s:.2f} s {outcome.failure}")
    for row in outcome.rows:
        print(f"  {row.quantity:60s} {row.worst[0]:14.8g} {row.worst[1]:14.8g} error {row.error:.2e} of {row.tolerance:.1e}"
              f" {'' if row.met else 'NOT MET ' + row.unmet}")
    for line in outcome.tables:
        print("  " + line)
    for warning in sorted(set(outcome.warnings)):
        print("  warning: " + warning)


def main():
    desk = Desk()
    try:
        if options.problems:
            folder = options.to or "/tmp/textbook"
            os.makedirs(folder, exist_ok=True)
            for name in options.problems:
                outcome = runner.run(name, desk)
                show(outcome)
                if outcome.draw:
                    print("  " + page.draw(outcome, folder))
            return
        folder = options.to or os.path.join(SOURCE, "api", "examples")
        pictures = os.path.join(folder, "pictures", "textbook")
        os.makedirs(pictures, exist_ok=True)
        chapters = {}
        for chapter, names in contents.CHAPTERS.items():
            chapters[chapter] = [runner.run(name, desk, strict=False) for name in names]
            for outcome in chapters[chapter]:
                show(outcome)
                if outcome.draw:
                    page.draw(outcome, pictures)
        lines = [HEAD.format(level=desk.client.version().get("cpu_level", ""))] + page.index(chapters) + [""]
        for chapter, outcomes in chapters.items():
            lines += [f"## {chapter}", ""]
            for outcome in outcomes:
                lines += page.section(outcome, "pictures/textbook")
        with open(os.path.join(folder, "textbook.md"), "w", encoding="utf-8") as file:
            file.write("\n".join(lines).rstrip() + "\n")
    finally:
        desk.close()


if __name__ == "__main__":
    sys.exit(main())

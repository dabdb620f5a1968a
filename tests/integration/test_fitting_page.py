"""api/fitting.md, from a model to a fitted, improved robot: its files are written, its programs run, its outputs compared, in order."""
import os
import re
import subprocess
import sys
import tempfile
import unittest

from harness import BIN, SOURCE, ServerTest, main

PAGE = os.path.join(SOURCE, "api", "fitting.md")
BLOCK = re.compile(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NUMBER = re.compile(r"[-+]?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?")


def page():
    with open(PAGE, encoding="utf-8") as stream:
        return stream.read()


def alike(told, said):
    """Words are the same; numbers in them within 3 %, counts within 3."""
    if NUMBER.sub("#", told) != NUMBER.sub("#", said):
        return False
    pairs = zip(map(float, NUMBER.findall(told)), map(float, NUMBER.findall(said)))
    return all(abs(a - b) <= 0.03 * abs(a) or (a == int(a) and abs(a - b) <= 3) for a, b in pairs)


def is_said(told, said):
    """Whether what the page tells stands in what was said, whatever the line breaks; a line of … leaves something out."""
    said = said.split()
    for part in re.split(r"^…$", told, flags=re.MULTILINE):
        words = part.split()
        if not any(all(map(alike, words, said[at:at + len(words)])) for at in range(len(said) - len(words) + 1)):
            return False
    return True


class FittingPage(ServerTest):
    def program(self, kind, text):
        return ["bash", "-euc", text] if kind == "sh" else [sys.executable, "-W", "error::SyntaxWarning", "-c", text]

    def test_every_program_runs_and_says_what_the_page_tells(self):
        url, said, programs = f"http://{self.server.host}:{self.server.port}", None, 0
        paths = {"PATH": BIN + os.pathsep + os.environ["PATH"], "PYTHONPATH": os.path.join(SOURCE, "clients", "python"), "TENDRIL_URL": url}
        with tempfile.TemporaryDirectory() as folder:
            for kind, name, text in BLOCK.findall(page()):
                if name:
                    with open(os.path.join(folder, name), "w", encoding="utf-8") as stream:
                        stream.write(text)
                elif kind == "text":
                    self.assertTrue(is_said(text, said), f"{text}\nis not in\n{said}")
                else:
                    done = subprocess.run(self.program(kind, text.replace("http://127.0.0.1:8080", url)), cwd=folder, env={**os.environ, **paths},
                                          capture_output=True, encoding="utf-8", timeout=300, check=False)
                    self.assertEqual(done.returncode, 0, text + done.stdout + done.stderr)
                    said, programs = done.stdout, programs + 1
                    if "still.job.json" in text:
                        self.assertIn("warning: unidentified at /parameters/", said)
                        self.assertEqual(said.count("+- anything"), 2)
            for picture in ("fit.png", "lift.png"):
                self.assertGreater(os.path.getsize(os.path.join(folder, picture)), 20000)
        self.assertGreaterEqual(programs, 8)

    def test_every_block_is_of_a_kind_that_is_run(self):
        self.assertEqual(len(BLOCK.findall(page())), page().count("```") / 2)
        self.assertLessEqual({kind for kind, _, _ in BLOCK.findall(page())}, {"sh", "python", "text", "json", "csv"})
        self.assertFalse(is_said("young 419855 +- 1007", "young 439855 +- 1007"), "comparisons are of use")
        self.assertTrue(is_said("a 1.00\n…\nb 2", "x a 1.01 y b\n 2"))

    def test_every_picture_and_page_that_is_named_is_there(self):
        for place in re.findall(r"\]\(([^)#]+)\)", page()):
            self.assertTrue(os.path.exists(os.path.join(os.path.dirname(PAGE), place)), place)


if __name__ == "__main__":
    main()

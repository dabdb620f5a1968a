"""`tendril replay` and Result.replay: a page that holds its result and asks nobody for anything."""
import base64
import html
import io
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

import numpy as np

from harness import BIN, SOURCE

sys.path.insert(0, os.path.join(os.path.abspath(SOURCE), "clients", "python"))
from tendril.result import Result  # noqa: E402

TENDRIL = os.path.join(BIN, "tendril")
NAME = "</title><script>alert('x')</script>"


class Replay(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        document = {"name": NAME, "links": [{"name": "arm", "joint": {"type": "revolute", "axis": "y"}, "body": {"type": "rigid", "mass": 1}}]}
        summary = {"kind": "dynamics", "coordinates": ["arm.joint[0]"], "channels": [], "model": {"document": document}}
        self.result = Result({"t": np.linspace(0, 1, 11), "q": np.linspace(0, 1, 11)[:, None]}, summary)
        self.result.save(self.path("arm.npz"))
        if "made without npm" in self.call("replay", "arm.npz", status=None).stderr:
            self.skipTest("built without the dashboard")

    def path(self, name):
        return os.path.join(self.folder, name)

    def call(self, *words, status=0):
        done = subprocess.run([TENDRIL, *words], cwd=self.folder, capture_output=True, encoding="utf-8", timeout=120, check=False)
        if status is not None:
            self.assertEqual(done.returncode, status, done.stderr)
        return done

    def read(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def test_the_page_holds_the_result_and_names_no_address(self):
        self.assertEqual(self.call("replay", "arm.npz", "-o", "page.html").stdout, "page.html\n")
        page = self.read("page.html")
        held = re.search(r'<script id="result" type="text/plain">([^<]*)</script>', page).group(1)
        with open(self.path("arm.npz"), "rb") as file:
            self.assertEqual(base64.b64decode(held, validate=True), file.read())
        for size in (1, 2, 3, 4, 3647, 3648, 3649):  # whatever is left over of threes
            np.savez(self.path("odd.npz"), pad=np.zeros(size, np.uint8), summary=np.frombuffer(json.dumps(self.result.summary).encode(), np.uint8))
            odd = self.call("replay", "odd.npz", "-o", "-").stdout
            data = base64.b64decode(re.search(r'type="text/plain">([^<]*)<', odd).group(1), validate=True)
            self.assertEqual(len(np.load(io.BytesIO(data))["pad"]), size)
        self.assertIn("default-src 'none'", page)
        self.assertNotRegex(page, r'<(script|link|img|iframe)[^>]* (src|href)=')
        self.assertEqual(html.unescape(re.search("<title>([^<]*)</title>", page).group(1)), NAME)
        self.assertEqual(page.count("</script>"), 2, "nothing in names or in the script ends it early")

    def test_what_is_no_result_is_refused_with_a_sentence(self):
        np.savez(self.path("bare.npz"), q=np.zeros((2, 1)))
        self.assertIn("nothing to show", self.call("replay", "bare.npz", status=2).stderr)
        self.assertIn("absent.npz", self.call("replay", "absent.npz", status=2).stderr)
        self.assertIn(".html", self.call("replay", "arm.npz", "-o", "page.png", status=2).stderr)
        self.assertFalse(os.path.exists(self.path("page.png")))

    def test_python_writes_the_same_page(self):
        with mock.patch.dict(os.environ, {"TENDRIL_COMMAND": TENDRIL}):
            shown = self.result.replay(self.path("own.html"))
        self.call("replay", "arm.npz", "-o", "page.html")
        self.assertEqual(len(self.read("own.html")), len(self.read("page.html")))
        self.assertTrue(shown._repr_html_().startswith("<iframe"))


if __name__ == "__main__":
    unittest.main(verbosity=2)

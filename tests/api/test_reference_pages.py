"""api/model.md and api/job.md are what write_reference.py writes from the schemas of today, their examples are documents that a server takes."""
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

SOURCE = os.environ.get("TENDRIL_SOURCE", os.path.join(os.path.dirname(__file__), "..", ".."))
BIN = os.environ.get("TENDRIL_BIN", "build/release/bin")


class ReferencePages(unittest.TestCase):
    def test_pages_are_those_of_the_schemas(self):
        done = subprocess.run([sys.executable, "-B", os.path.join(SOURCE, "api", "write_reference.py"), "--check"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_every_link_of_a_page_leads_to_one_of_its_headings(self):
        for name in ("model.md", "job.md"):
            with open(os.path.join(SOURCE, "api", name), encoding="utf-8") as file:
                text = file.read()
            headings = {line[3:] for line in text.splitlines() if line.startswith("## ")}
            self.assertEqual({link for link in re.findall(r"\]\(#([^)]+)\)", text) if link not in headings}, set())

    def test_the_first_robot_and_its_jobs_run(self):
        with tempfile.TemporaryDirectory() as folder:
            for page, names in (("model.md", ["finger.model.json"]), ("job.md", ["rest.job.json", "swing.job.json"]),
                                ("begin.md", ["begin.model.json", "still.job.json", "sway.job.json"])):
                with open(os.path.join(SOURCE, "api", page), encoding="utf-8") as file:
                    blocks = re.findall(r"```json\n(.*?)```", file.read(), re.S)
                self.assertEqual(len(blocks), len(names))
                for name, block in zip(names, blocks):
                    with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                        json.dump(json.loads(block), file)
            for model, job in (("finger", "rest"), ("finger", "swing"), ("begin", "still"), ("begin", "sway")):
                done = subprocess.run([os.path.abspath(os.path.join(BIN, "tendril")), "simulate", f"{model}.model.json", f"{job}.job.json", "-o", f"{job}.npz"],
                                      cwd=folder, capture_output=True, text=True, check=False)
                self.assertEqual((done.returncode, done.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main()

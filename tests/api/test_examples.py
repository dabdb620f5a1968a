"""The shipped robots: written by their generator, with a job and a picture each."""
import glob
import json
import os
import subprocess
import sys
import unittest

SOURCE = os.environ.get("TENDRIL_SOURCE", os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
EXAMPLES = os.path.join(SOURCE, "api", "examples")
PAPER = ("cdm", "serial", "finray", "parallel", "contact", "uw")


def load(name):
    with open(os.path.join(EXAMPLES, name), encoding="utf-8") as file:
        return json.load(file)


class Examples(unittest.TestCase):
    def test_documents_are_what_their_generator_writes(self):
        done = subprocess.run([sys.executable, os.path.join(EXAMPLES, "generate.py"), "--check"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_every_model_has_a_job_of_its_name_and_the_other_way_round(self):
        names = {kind: {os.path.basename(p).split(".")[0] for p in glob.glob(os.path.join(EXAMPLES, f"*.{kind}.json"))} for kind in ("model", "job")}
        self.assertEqual(names["model"], names["job"])
        for name in names["model"]:
            self.assertEqual(load(f"{name}.model.json")["name"], name)
            self.assertEqual(load(f"{name}.job.json")["model"], name)

    def test_every_robot_of_the_paper_is_there_with_ten_seconds_of_motion_and_a_picture(self):
        for name in PAPER:
            self.assertEqual(load(f"{name}.job.json")["t_end"], 10)
            with open(os.path.join(EXAMPLES, "pictures", f"{name}.png"), "rb") as file:
                self.assertEqual(file.read(8), b"\x89PNG\r\n\x1a\n")


if __name__ == "__main__":
    unittest.main()

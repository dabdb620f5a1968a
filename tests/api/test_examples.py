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
        for program in sorted(glob.glob(os.path.join(EXAMPLES, "generate*.py"))):
            done = subprocess.run([sys.executable, "-B", program, "--check"], capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_every_model_has_a_job_of_its_name_and_the_other_way_round(self):
        names = {kind: {os.path.basename(p).split(".")[0] for p in glob.glob(os.path.join(EXAMPLES, f"*.{kind}.json"))} for kind in ("model", "job")}
        self.assertEqual(names["model"], names["job"])
        for name in names["model"]:
            self.assertEqual(load(f"{name}.model.json")["name"], name)
            job = load(f"{name}.job.json")
            self.assertEqual((job["of"] if job["kind"] == "design" else job)["model"], name)

    def test_every_robot_but_the_torque_driven_twin_has_a_picture(self):
        for path in glob.glob(os.path.join(EXAMPLES, "*.model.json")):
            name = os.path.basename(path).split(".")[0]
            if name != "serial_torque":
                self.assertTrue(os.path.exists(os.path.join(EXAMPLES, "pictures", f"{name}.png")), name)

    def test_what_the_format_can_say_is_said_by_some_shipped_robot(self):
        documents = [load(os.path.basename(p)) for p in glob.glob(os.path.join(EXAMPLES, "*.json"))]
        words, values = set(), set()

        def walk(value):
            if isinstance(value, dict):
                words.update(value)
                for inner in value.values():
                    walk(inner)
            elif isinstance(value, list):
                for inner in value:
                    walk(inner)
            elif isinstance(value, str):
                values.add(value)
        walk(documents)
        self.assertLessEqual({"inner_radius", "torsion_constant", "shear_correction", "EI_y", "mass_per_length", "slack_width", "friction",
                              "per_length", "springs", "linear", "velocity", "surface", "continuation", "on_inconsistency", "per", "stick", "anisotropy"}, words)
        self.assertLessEqual({"length", "stiffness", "ellipse", "arc_length", "fail", "tensions", "contacts", "contact_force", "pair"}, values)

    def test_every_robot_of_the_paper_is_there_with_ten_seconds_of_motion_and_a_picture(self):
        for name in PAPER:
            self.assertEqual(load(f"{name}.job.json")["t_end"], 10)
            with open(os.path.join(EXAMPLES, "pictures", f"{name}.png"), "rb") as file:
                self.assertEqual(file.read(8), b"\x89PNG\r\n\x1a\n")


if __name__ == "__main__":
    unittest.main()

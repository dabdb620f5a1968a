"""clients/python/tendril/models.py is what generate_models.py writes from the schema of today, and its functions give the documents."""
import json
import os
import subprocess
import sys
import unittest
from math import pi, sqrt

SOURCE = os.environ.get("TENDRIL_SOURCE", os.path.join(os.path.dirname(__file__), "..", ".."))
PYTHON = os.path.join(SOURCE, "clients", "python")
sys.path.insert(0, PYTHON)

import tendril  # noqa: E402
from tendril import models  # noqa: E402


def cable(name, angle):
    ends = [[0.03 * x for x in angle], [0.015 * x for x in angle]]
    return models.tendon(name, link="arm", routing=models.routing_linear(*ends[:1], tip=ends[1]))


class Builder(unittest.TestCase):
    def test_functions_are_those_of_the_schema(self):
        done = subprocess.run([sys.executable, "-B", os.path.join(PYTHON, "generate_models.py"), "--check"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_the_manipulator_put_together_is_the_shipped_one(self):
        with open(os.path.join(SOURCE, "api", "examples", "cdm.model.json"), encoding="utf-8") as file:
            shipped = json.load(file)
        arm = models.rod(0.5, models.circle([0.03, 0.015]), models.strain("legendre", order={
            "torsion": 4, "bending_y": 4, "bending_z": 4, "elongation": 2, "shear_y": 2, "shear_z": 2}),
            material=models.material(1e6, 1000, poisson=0.5, viscosity=1e4), quadrature={"points": 5})
        robot = models.Model("cdm", models.link("arm", models.fixed(), parent="world", pose=models.pose(rpy=[0, pi / 2, 0]), body=arm),
                             gravity=[0, 0, -9.81], description=shipped["description"])
        robot.add(cable("cable1", [0, 1]), cable("cable2", [-sqrt(3) / 2, -0.5]), cable("cable3", [sqrt(3) / 2, -0.5]))
        for name, turns in (("cable4", -2), ("cable5", 2)):
            robot.add(models.tendon(name, link="arm", routing=models.routing_helix(0.015, turns, phase=-turns * pi / 4)))
        for ours, theirs in zip(robot["actuators"][1:3], shipped["actuators"][1:3]):  # sin 60 degrees, written to all digits there
            for end in ("base", "tip"):
                for a, b in zip(ours["routing"].pop(end), theirs["routing"].pop(end)):
                    self.assertAlmostEqual(a, b, places=15)
        self.assertEqual(json.loads(json.dumps(robot)), shipped)

    def test_what_a_call_can_be_told_at_once_it_is_told(self):
        rod, circle = models.rod, models.circle([0.03, 0.015])
        for call, said in ((lambda: rod(0.2, models.circle, models.strain("legendre", order={})), "section of rod is a part .*, not circle"),
                           (lambda: rod(0.2, circle, "legendre"), "strain of rod is a part .*, not 'legendre'"),
                           (lambda: rod("0.2", circle, {}), "length of rod is a number, not '0.2'"),
                           (lambda: models.strain("legendr", order={}), "basis of strain is 'legendr'; did you mean 'legendre'"),
                           (lambda: models.strain("legendre", order={"bending_w": 1}), "order of strain has no 'bending_w'; did you mean 'bending_"),
                           (lambda: models.tendon("x", link="arm"), "tendon takes link and routing, or link and points, or segments; it was given"),
                           (lambda: models.revolute(axis="w"), "axis of revolute is 'w'; known are x, y, z")):
            with self.assertRaisesRegex((TypeError, ValueError), said):
                call()
        models.revolute(axis=[0, 0, 1])
        self.assertIn("Either: Rod with", rod.__doc__)
        self.assertIn("link: Name of the link.", models.tendon.__doc__)

    def test_a_record_has_a_column_for_each_number_that_it_selects(self):
        with self.assertRaisesRegex(tendril.InvalidArgument, "selects 2 of its numbers, but its value has 3 columns"):
            tendril.record("poses:arm@1", [[1.0, 2.0, 3.0]], t=[0.0], select=[[0, 3], [1, 3]])
        self.assertEqual(tendril.record("poses:arm@1", [[1.0, 2.0]], t=[0.0], select=[[0, 3], [1, 3]])["value"], [[1.0, 2.0]])

    def test_words_that_python_keeps_are_those_of_the_document(self):
        along = models.load("arm", per_length=True, from_=0.2, to=0.5, wrench=[0] * 6)
        self.assertEqual(along, {"link": "arm", "per_length": True, "from": 0.2, "to": 0.5, "wrench": [0] * 6})

    def test_arrays_of_numpy_go_into_a_document(self):
        import numpy as np
        self.assertEqual(json.dumps(models.pose(translation=np.arange(3.0))), '{"translation": [0.0, 1.0, 2.0]}')

    def test_what_is_no_part_of_a_model_by_itself_is_refused(self):
        robot = models.Model("none")
        with self.assertRaisesRegex(TypeError, "revolute is part of another part"):
            robot.add(models.revolute())
        with self.assertRaisesRegex(TypeError, "tendril.models"):
            robot.add({"name": "arm"})
        with self.assertRaises(TypeError):
            models.rod(length=0.5, section={}, strain={}, lenght=1)
        self.assertEqual(robot, {"format": "tendril.model/1", "name": "none", "links": []})

    def test_every_function_says_what_its_words_mean(self):
        for name in set(models.__all__) - {"Model", "Part"}:
            about = getattr(models, name).__doc__
            self.assertTrue(about and len(about) > 3, name)
        self.assertIn("length: Length L, m.", models.rod.__doc__)
        self.assertIs(tendril.models, models)


if __name__ == "__main__":
    unittest.main()

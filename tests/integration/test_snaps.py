"""Lists of equilibria whose branch ends between two rows: said, with the row; forks, long steps and steep ones are no snaps."""
import json
import os
import re
import subprocess
import tempfile
import unittest

import numpy as np

from harness import BIN, example


def truss(stiffness=1000.0, half=1.0, height=0.4):
    """von Mises's: a slider on two springs. It snaps where z^2 = (L0 half^2)^(2/3) - half^2."""
    def anchor(x):
        return {"a": {"link": "world", "pose": {"translation": [x, 0, 0]}}, "b": {"link": "slider"}, "stiffness": stiffness}
    slider = {"name": "slider", "pose": {"translation": [0, 0, height]}, "joint": {"type": "prismatic", "axis": "z"},
              "body": {"type": "rigid", "mass": 1, "com": [0, 0, 0], "inertia": [1, 1, 1]}}
    rest = np.hypot(half, height)
    z = np.sqrt((rest * half**2)**(2 / 3) - half**2)
    limit = 2 * stiffness * z * (rest / np.hypot(half, z) - 1)
    return {"format": "tendril.model/1", "name": "truss", "links": [slider], "springs": [anchor(-half), anchor(half)],
            "loads": [{"link": "slider", "frame": "world", "channels": [None] * 5 + ["push"]}]}, limit


def column():
    rod = {"type": "rod", "length": 1, "section": {"shape": "circle", "radius": 0.005}, "material": {"young": 1e9, "poisson": 0.3, "density": 1000},
           "strain": {"basis": "legendre", "order": {"bending_y": 5, "bending_z": 5}}}
    model = {"format": "tendril.model/1", "name": "column", "links": [{"name": "rod", "pose": {"rpy": [0, -np.pi / 2, 0]},
             "joint": {"type": "fixed"}, "body": rod}], "loads": [{"link": "rod", "frame": "world", "channels": [None, None, None, "fx", None, "fz"]}]}
    return model, 1e9 * np.pi / 4 * 0.005**4


class Snaps(unittest.TestCase):
    def solve(self, model, inputs):
        with tempfile.TemporaryDirectory() as folder:
            paths = [os.path.join(folder, name) for name in ("model.json", "job.json", "out.npz")]
            for path, document in zip(paths, (model, {"kind": "statics", "inputs": inputs})):
                with open(path, "w", encoding="utf-8") as stream:
                    json.dump(document, stream)
            done = subprocess.run([os.path.join(BIN, "tendril-worker"), "--local", *paths[:2], "-o", paths[2]], capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            with np.load(paths[2], allow_pickle=False) as file:
                arrays = dict(file)
        summary = json.loads(arrays["summary"].tobytes().rstrip(b"\0"))
        return arrays, [w for w in summary["warnings"] if w["code"] == "snapped"]

    def rows(self, warning):
        found = re.search(r"between problems (\d+) and (\d+)", warning["detail"])
        return tuple(map(int, found.groups()))

    def test_a_truss_that_snaps_through_is_told_with_the_row_of_its_limit_load(self):
        model, limit = truss()
        for count in (4, 9, 40):
            push = -np.linspace(0, 1.5, count) * limit
            arrays, warnings = self.solve(model, {"push": push.tolist()})
            row = int(np.argmax(-push > limit))
            self.assertEqual(len(warnings), 1, count)
            self.assertEqual((self.rows(warnings[0]), warnings[0]["pointer"]), ((row - 1, row), "/inputs"))
            self.assertLess(arrays["q"][row, 0], -0.8, "it lies below")
            self.assertGreater(arrays["q"][row - 1, 0], -0.4)
            self.assertIn("continuation", warnings[0]["detail"])
            went = tuple(map(float, re.search(r"goes from (\S+) to ([^;\s]+);", warnings[0]["detail"]).groups()))
            np.testing.assert_allclose(went, arrays["q"][row - 1:row + 1, 0], rtol=5e-3)

    def test_loads_below_the_limit_and_those_after_the_snap_are_silent(self):
        model, limit = truss()
        self.assertEqual(self.solve(model, {"push": (-np.linspace(0, 0.999, 5) * limit).tolist()})[1], [])
        self.assertEqual(self.solve(model, {"push": (-np.linspace(1.2, 4, 5) * limit).tolist()})[1], [])

    def test_there_and_back_are_two(self):
        model, limit = truss()
        _, warnings = self.solve(model, {"push": (np.array([0, -1.2, 0, 1.2, 0]) * limit).tolist()})
        self.assertEqual(self.rows(warnings[0]), (0, 1))
        self.assertIn("1 more", warnings[0]["detail"])

    def test_the_shipped_gripper_snaps_at_the_limit_point_of_its_path(self):
        push = np.linspace(0, -6, 25)
        _, warnings = self.solve(example("snap-gripper.model.json"), {"push": push.tolist()})
        row = self.rows(warnings[0])[1]
        self.assertTrue(push[row] < -2.7 <= push[row - 1] + 0.3, push[row])  # the fork before it, or the limit point at -2.92

    def test_a_column_that_buckles_and_a_cantilever_in_three_steps_do_not_snap(self):
        model, stiffness = column()
        critical = np.pi**2 * stiffness / 4
        for count in (4, 13, 61):
            for push in (0, 1e-9 * critical, 1e-3 * critical):
                _, warnings = self.solve(model, {"fz": (-critical * np.linspace(0, 3, count)).tolist(), "fx": push})
                self.assertEqual(warnings, [], (count, push))
        self.assertEqual(self.solve(model, {"fx": (np.linspace(0, 20, 3) * stiffness).tolist()})[1], [])

    def test_random_inputs_of_a_soft_arm_do_not_snap(self):
        random = np.random.default_rng(3)
        _, warnings = self.solve(example("cdm.model.json"), {f"cable{k}": random.uniform(0, 15, 300).tolist() for k in range(1, 6)})
        self.assertEqual(warnings, [])


if __name__ == "__main__":
    unittest.main(verbosity=2)

"""Result.plot and Result.figure of the Python client: that pictures are the command's; of the figures what its panels hold; load curves, tensions, remarks, events, rows without a solution."""
import json
import os
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

import numpy as np

from harness import BIN, SOURCE

sys.path.insert(0, os.path.join(os.path.abspath(SOURCE), "clients", "python"))
from tendril import plotting, result  # noqa: E402
from tendril.result import Result  # noqa: E402

try:
    import matplotlib
    matplotlib.use("agg")
except ImportError:
    matplotlib = None


def shipped(name, folder, **changes):
    robots, path = os.path.join(SOURCE, "api", "examples"), os.path.join(folder, f"{name}.npz")
    with open(os.path.join(robots, f"{name}.job.json"), encoding="utf-8") as stream:
        job = {**json.load(stream), **changes}
    job_path = os.path.join(folder, "job.json")
    with open(job_path, "w", encoding="utf-8") as stream:
        json.dump(job, stream)
    subprocess.run([os.path.join(BIN, "tendril-worker"), "--local", os.path.join(robots, f"{name}.model.json"), job_path, "-o", path],
                   check=True, stderr=subprocess.DEVNULL)
    return Result.load(path)


class Plots(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = folder.name
        cls.arm = shipped("tendon-arm", cls.folder, t_end=0.5)
        cls.path = shipped("snap-gripper", cls.folder)

    def texts(self, figure):
        axes = figure.axes
        return " | ".join([a.get_ylabel() + " " + a.get_xlabel() for a in axes] + [t.get_text() for a in axes if a.get_legend() for t in a.get_legend().get_texts()])

    def test_tensions_have_a_panel_with_the_tendons_names(self):
        panels = {title: labels for title, _, labels in plotting._curves(self.arm)}
        self.assertEqual(panels["tensions [N]"], ["near1", "near2", "near3", "far1", "far2", "far3"])
        self.assertEqual(list(panels), ["u [m]", "q, curvatures [1/m]", "q, stretches", "tensions [N]", "energy [J]", "end of far [m]"])

    def test_units_never_share_an_axis_and_rounding_is_left_out(self):
        document = {"links": [{"name": "arm", "joint": {"type": "revolute"}}, {"name": "cart", "joint": {"type": "prismatic"}}],
                    "actuators": [{"name": "motor", "type": "joint", "link": "arm"}, {"name": "cell", "type": "pressure"}, {"name": "slide", "type": "joint", "link": "cart", "mode": "position"}]}
        q = np.linspace(0, 1, 5)[:, None] * [1, 1, 1, 1e-12]
        run = Result({"t": np.arange(5.0), "u": np.ones((5, 3)), "q": q}, {"channels": ["motor", "cell", "slide"], "model": {"document": document},
                     "coordinates": ["arm.joint[0]", "cart.joint[0]", "arm.bending_y[0]", "arm.torsion[0]"]})
        panels = {title: labels for title, _, labels in plotting._curves(run)}
        self.assertEqual(panels, {"u [N m]": ["motor"], "u [Pa]": ["cell"], "u [m]": ["slide"], "q of joints [rad]": ["arm.joint[0]"],
                                  "q of joints [m]": ["cart.joint[0]"], "q, curvatures [1/m]": ["arm.bending_y[0]"]})

    def test_a_picture_is_the_commands_and_what_it_refuses_is_said(self):
        with mock.patch.dict(os.environ, {"TENDRIL_COMMAND": os.path.join(BIN, "tendril")}):
            path = os.path.join(self.folder, "arm.svg")
            drawn = self.arm.plot(path, size="400x300", times=[0, 0.2])
            subprocess.run([os.path.join(BIN, "tendril"), "plot", os.path.join(self.folder, "tendon-arm.npz"), "-o", path + ".svg", "--size", "400x300", "--times", "0,0.2"],
                           check=True, stdout=subprocess.DEVNULL)
            with open(path, "rb") as own, open(path + ".svg", "rb") as other:
                self.assertEqual(own.read(), drawn.data)
                self.assertEqual(other.read(), drawn.data)
            self.assertTrue(drawn._repr_svg_().startswith("<?xml"))
            self.assertIsNone(drawn._repr_png_())
            with self.assertRaisesRegex(ValueError, "from 0 to 0.5"):
                self.arm.plot(times=[7])
            with self.assertRaisesRegex(ValueError, "PNG, SVG or PDF"):
                self.arm.plot("arm.bmp")
            page = self.arm._repr_html_()
            self.assertIn("dynamics of tendon-arm", page[:500])
            self.assertIn("data:image/png;base64,", page[:2000])

    def test_a_film_is_the_commands(self):
        with mock.patch.dict(os.environ, {"TENDRIL_COMMAND": os.path.join(BIN, "tendril")}):
            path = os.path.join(self.folder, "arm.gif")
            film = self.arm.film(path, seconds=0.2, fps=10, size="300x300", curves=True)
            with open(path, "rb") as own:
                self.assertEqual(own.read(), film.data)
            self.assertTrue(film.data.startswith(b"GIF89a"))
            self.assertIn("data:image/gif;base64,", film._repr_html_())
            with self.assertRaisesRegex(ValueError, "MP4 or GIF"):
                self.arm.film("arm.avi")

    def test_without_the_command_options_of_its_own_name_it(self):
        with mock.patch.object(result, "command", lambda: None):
            with self.assertRaisesRegex(FileNotFoundError, "times needs the command"):
                self.arm.plot(times=[0])
            if matplotlib:
                with self.assertWarnsRegex(UserWarning, "no `tendril` on PATH: drawn by matplotlib"):
                    self.assertTrue(self.arm.plot().data.startswith(b"\x89PNG"))

    @unittest.skipUnless(matplotlib, "needs matplotlib")
    def test_a_linearisation_is_drawn_as_its_eigenvalues(self):
        a = np.zeros((1, 4, 4))
        a[0, :2, 2:], a[0, 2:, :2], a[0, 2:, 2:] = np.eye(2), -np.diag([25.0, 1e-2]), -np.diag([2.0, 1.0])
        long = {"code": "unstable", "detail": "word " * 40}
        run = Result({"A": a, "t": np.zeros(1), "q": np.zeros((1, 2))}, {"kind": "linearize", "warnings": [long]})
        figure = run.figure()
        points = np.concatenate([line.get_xydata() for line in figure.axes[0].get_lines()[:2]])
        expected = run.eigenvalues()[0][0]
        self.assertTrue(np.allclose(sorted(map(tuple, points)), sorted((v.real, v.imag) for v in expected)))
        self.assertRegex(figure.axes[0].get_title(), "at 1 state, 4 eigenvalues, slowest -0.0101")
        self.assertLess(max(len(line) for line in figure._suptitle.get_text().split("\n")), 90, "a long remark is several lines")
        self.assertTrue(run.plot().data.startswith(b"\x89PNG"))

    def test_limit_points_lie_on_the_curve_and_between_their_rows(self):
        load, (x, name) = self.path["u"][:, 0], plotting._farthest(self.path)
        self.assertRegex(name, r"^[xyz] of (strip|left|right), point")
        events = plotting._events(self.path, x, load)
        told = self.path.summary["continuation"]["events"]
        self.assertEqual([e[0] for e in events], [e["kind"] for e in told])
        for (_, px, _), event in zip(events, told):
            ends = sorted(x[event["after"]:event["after"] + 2])
            self.assertTrue(ends[0] <= px <= ends[1])

    def test_the_end_that_is_drawn_is_that_of_the_last_rod_and_not_of_the_first(self):
        rod, body = {"type": "rod"}, {"type": "rigid"}
        links = [{"name": "near", "body": rod}, {"name": "far", "parent": "near", "body": rod}, {"name": "camera", "parent": "far", "body": body}]
        def drawn(*names, links=links):
            poses = {"poses:" + name: np.full((2, 3, 4, 4), float(k)) for k, name in enumerate(names)}
            titles = {title: y[0, 0] for title, y, _ in plotting._curves(Result(poses, {"model": {"document": {"links": links}}}))}
            return titles
        self.assertEqual(drawn("near", "far", "camera"), {"end of far [m]": 1})
        self.assertEqual(drawn("far", "near"), {"end of far [m]": 0})
        self.assertEqual(drawn("camera"), {"end of camera [m]": 0})
        self.assertEqual(drawn("near", "far", links=[]), {"end of far [m]": 1})

    def test_contacts_and_events_are_lines(self):
        energy = np.zeros((6, 4))
        energy[2:4, 3] = energy[5:, 3] = 1
        run = Result({"t": np.arange(6.0), "energy": energy}, {"events": [{"kind": "singular_configuration", "t": 3.5}]})
        self.assertEqual(plotting._lines(run, run["t"]), [(2.0, "contact begins"), (5.0, "contact begins"), (3.5, "singular configuration")])
        rows = Result({"q": np.zeros((3, 1))}, {"events": [{"kind": "snap", "after": 1, "distance": 0.4}]})
        self.assertEqual(plotting._lines(rows, np.arange(3)), [(1.5, "snap")])

    def test_grave_remarks_come_first(self):
        run = Result({}, {"warnings": [{"code": "undamped", "detail": "a"}, {"code": "energy_error", "detail": "b"}]})
        self.assertEqual(plotting._remarks(run), [("Not to be trusted: energy_error: b", True), ("undamped: a", False)])

    @unittest.skipUnless(matplotlib, "needs matplotlib")
    def test_a_sweep_is_a_workspace_a_dot_for_every_tip_and_a_line_for_every_value_of_the_second_number(self):
        left, front = np.repeat(np.arange(5.0), 4), np.tile(np.arange(4.0), 5)
        poses = np.broadcast_to(np.eye(4), (20, 2, 4, 4)).copy()
        poses[:, 1, 0, 3], poses[:, 1, 2, 3] = left, front
        summary = {"kind": "sweep", "job": {"vary": [{"path": "/job/inputs/left"}, {"path": "/job/inputs/front"}]}, "model": {"document": {"links": [{"name": "arm", "body": {"type": "rod"}}]}}}
        arrays = {"child": np.arange(20), "q": np.zeros((20, 1)), "vary[0]": left, "vary[1]": front}
        for recorded in ({"poses:arm": poses}, {"poses:arm@1": poses[:, 1]}):
            figure = Result({**arrays, **recorded}, summary).figure()
            scene, bar = figure.axes[0], next(a for a in figure.axes if "front" in a.get_xlabel() and not a.lines)
            np.testing.assert_array_equal(np.sort(np.asarray(scene.collections[0].get_array())), np.sort(front))
            self.assertEqual(len(scene.lines), 5 if "poses:arm" in recorded else 0)
            self.assertTrue(bar)
            curves = [a for a in figure.axes if a.lines and a is not scene]
            self.assertEqual([len(a.lines) for a in curves], [4, 4, 4])
            np.testing.assert_array_equal(curves[0].lines[0].get_xdata(), np.arange(5))
        self.assertIsNone(plotting.workspace.numbers(Result({"q": np.zeros((20, 1)), "u": left[:, None] + 0.1 * front[:, None]}, {"kind": "statics", "channels": ["left"]}), 20), "one input that rises is a course")

    @unittest.skipUnless(matplotlib, "needs matplotlib")
    def test_a_path_is_a_load_curve(self):
        figure = self.path.figure()
        said = self.texts(figure)
        for word in ("load curve: push", "stable", "unstable", "limit point", "branch point", "point of the path"):
            self.assertIn(word, said)
        self.assertIn("unstable: ", figure._suptitle.get_text())
        self.assertIn("tensions [N]", self.texts(self.arm.figure()))

    @unittest.skipUnless(matplotlib, "needs matplotlib")
    def test_an_inconsistent_result_is_red_and_rows_of_nan_are_gaps(self):
        arrays = {"q": np.array([[0.0], [np.nan], [1.0]]), "poses:a": np.array([np.eye(4), np.full((4, 4), np.nan), np.eye(4)])}
        figure = Result(arrays, {"kind": "statics", "error": {"code": "unconverged", "detail": "1 of 3"}}).figure()
        self.assertEqual(figure._suptitle.get_color(), "C3")
        self.assertIn("Not to be trusted", figure._suptitle.get_text())
        nothing = {"q": np.full((2, 1), np.nan), "poses:a": np.full((2, 4, 4), np.nan)}
        Result(nothing, {"kind": "statics"}).figure()


if __name__ == "__main__":
    unittest.main(verbosity=2)

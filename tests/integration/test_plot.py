"""`tendril plot`: what is in its pictures, and results that are damaged, odd or hostile.

Results come from `tendril simulate`; what this version of the engine cannot run yet (contacts, loops) is put into the model
document inside the result, which is where the picture takes it from."""
import copy
import json
import os
import random
import re
import subprocess
import tempfile
import unittest
from unittest import mock
from xml.etree import ElementTree

import numpy as np
from PIL import Image

BIN = os.path.abspath(os.environ.get("TENDRIL_BIN", os.path.join(os.path.dirname(__file__), "../../build/release/bin")))
TENDRIL = os.path.join(BIN, "tendril")

ROD = {"type": "rod", "length": 0.3, "section": {"shape": "circle", "radius": [0.02, 0.01]},
       "material": {"young": 1e6, "poisson": 0.5, "density": 1000, "viscosity": 1e4},
       "strain": {"basis": "legendre", "order": {"bending_y": 2, "bending_z": 1, "elongation": 0}}}
SHAPES = {"box": {"type": "box", "size": [0.1, 0.05, 0.04]}, "ball": {"type": "sphere", "radius": 0.05},
          "drum": {"type": "cylinder", "radius": 0.03, "length": 0.08, "axis": "y"},
          "wedge": {"type": "prism", "polygon": [[0, 0], [0.08, 0], [0, 0.06]], "height": 0.03}}


def robot():
    """Two rods and five rigid bodies on a trolley, every kind of input."""
    links = [{"name": "trolley", "joint": {"type": "prismatic", "axis": "x", "stiffness": 100},
              "body": {"type": "rigid", "mass": 1.0, "com": [0, 0, 0.01], "inertia": [1e-3, 2e-3, 2.5e-3]}},
             {"name": "left", "parent": "trolley", "pose": {"rpy": [0, 1.57, 0], "translation": [-0.1, 0, 0]},
              "joint": {"type": "fixed"}, "body": ROD},
             {"name": "right", "parent": "trolley", "pose": {"rpy": [0, 1.57, 0], "translation": [0.1, 0, 0]},
              "joint": {"type": "revolute", "axis": "y", "stiffness": 1}, "body": ROD}]
    for i, (name, shape) in enumerate(SHAPES.items()):
        links.append({"name": name, "parent": "left" if i % 2 else "right", "at": 1, "joint": {"type": "fixed"},
                      "pose": {"translation": [0.03 + 0.1 * (i // 2), 0, 0]},
                      "body": {"type": "rigid", "shape": shape, "density": 100, "com": [0.01, 0, 0]}})
    return {"format": "tendril.model/1", "name": "everything", "gravity": [0, 0, -9.81], "links": links,
            "actuators": [{"name": "pull", "type": "tendon", "link": "left",
                           "routing": {"type": "linear", "base": [0, 0.01]}},
                          {"name": "turn", "type": "joint", "link": "right", "mode": "force"},
                          {"name": "push", "type": "joint", "link": "trolley", "mode": "force"}],
            "loads": [{"name": "wind", "link": "ball", "frame": "world",
                       "channels": [None, None, "gust_m", "gust_x", None, None]},
                      {"link": "left", "per_length": True, "to": 0.5, "channels": [None, None, None, None, "breeze", None]}],
            "fluid": {"density": 1.2, "viscosity": 1e-5, "channels": ["stream", None, None], "surface": {"z": 0.02, "width": 0.1}}}


def job(model):
    fields = ["q", "qd", "u", "energy", "tendons"] + ["poses:" + link["name"] for link in model["links"]]
    return {"model": model["name"], "kind": "dynamics", "t_end": 0.4, "inputs": {"pull": 3, "turn": 0.1, "push": 1, "gust_x": 0.2},
            "output": {"dt": 0.02, "fields": fields}}


def decode(path):
    """Pixels [height, width, 3] of a PNG."""
    with Image.open(path) as image:
        assert image.format == "PNG"
        return np.asarray(image.convert("RGB")).astype(np.int64)


class Plot(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        model = robot()
        for name, document in (("model", model), ("job", job(model))):
            with open(cls.path(f"{name}.json"), "w", encoding="utf-8") as stream:
                json.dump(document, stream)
        subprocess.run([TENDRIL, "simulate", cls.path("model.json"), cls.path("job.json"), "-o", cls.path("good.npz")],
                       check=True, cwd=cls.folder.name)
        with np.load(cls.path("good.npz"), allow_pickle=False) as result:
            cls.arrays = dict(result)
        cls.summary = json.loads(cls.arrays["summary"].tobytes().rstrip(b"\0"))

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @classmethod
    def path(cls, name):
        return os.path.join(cls.folder.name, name)

    def write(self, name, summary=None, **changes):
        arrays = {**self.arrays, **changes}
        arrays["summary"] = np.frombuffer(json.dumps(summary or self.summary).encode(), np.uint8)
        np.savez(self.path(name), **{key: value for key, value in arrays.items() if value is not None})

    def call(self, *words, status=0):
        done = subprocess.run([TENDRIL, "plot", *words], cwd=self.folder.name, capture_output=True, encoding="utf-8",
                              timeout=120, check=False)
        self.assertNotIn("Sanitizer", done.stderr)
        self.assertNotIn("runtime error", done.stderr)
        self.assertIn(done.returncode, status if isinstance(status, tuple) else (status,), done.stderr)
        return done.stderr

    def picture(self, name, *words):
        self.call(name, "-o", "out.png", "--size", "600x400", *words)
        return decode(self.path("out.png"))

    def test_the_headline_names_the_method_that_ran_whatever_the_job_left_open(self):
        self.assertNotIn("integrator", self.summary["job"])
        pictures = []
        for method in ("radau", "generalized_alpha"):
            self.write("method.npz", {**self.summary, "integrator": {**self.summary["integrator"], "method": method}})
            pictures.append(self.picture("method.npz"))
        changed = np.argwhere((pictures[0] != pictures[1]).any(axis=2))
        self.assertGreater(len(changed), 20)
        self.assertLess(changed[:, 0].max(), 76, "only the header may differ")

    def test_size_and_scale_are_those_that_were_asked_for(self):
        self.assertEqual(self.picture("good.npz").shape, (400, 600, 3))
        self.assertEqual(self.picture("good.npz", "--scale", "1.5").shape, (600, 900, 3))

    def test_every_link_of_a_tree_is_in_the_picture(self):
        whole = self.picture("good.npz", "--panels", "")
        for link in robot()["links"]:
            self.write("less.npz", **{"poses:" + link["name"]: None})
            self.assertGreater(np.abs(self.picture("less.npz", "--panels", "") - whole).sum(), 20000, link["name"])

    def test_a_body_has_the_size_of_its_shape(self):
        """Seen along y, a box shows its x and z sides."""
        poses = np.tile(np.eye(4), (2, 1, 1))
        links = [{"name": "body", "joint": {"type": "free"}, "body": {"type": "rigid", "shape": SHAPES["box"], "density": 100, "com": [0, 0, 0]}}]
        def ink(shape):
            links[0]["body"]["shape"] = shape
            summary = {"model": {"document": {"name": "x", "links": links}}}
            np.savez(self.path("one.npz"), t=np.array([0.0, 1.0]), **{"poses:body": poses},
                     summary=np.frombuffer(json.dumps(summary).encode(), np.uint8))
            pixels = self.picture("one.npz", "--panels", "", "--view", "-90,0", "--shapes", "1")
            body = pixels[:, :, 0] - pixels[:, :, 2] > 25  # the last instant is yellow, everything else grey
            body[320:] = False  # the scale of time
            rows, columns = np.where(body.any(axis=1))[0], np.where(body.any(axis=0))[0]
            return columns[-1] - columns[0], rows[-1] - rows[0]
        for size in ([0.1, 0.05, 0.04], [0.1, 0.05, 0.08]):
            width, height = ink({"type": "box", "size": size})
            self.assertAlmostEqual(height / width, size[2] / size[0], delta=0.06)

    def test_a_rod_thinner_than_a_line_is_seen_without_gaps_and_others_are_as_thick_as_they_are(self):
        """A rod of 1 m that stands, a little bent, seen along y."""
        points = 9
        s = np.linspace(0, 1, points)
        poses = np.tile(np.eye(4), (2, points, 1, 1))
        for at, pose in zip(s, poses[0]):
            pose[:3, :3] = [[0.2 * at, 0, 1], [0, 1, 0], [1, 0, -0.2 * at]]
            pose[:3, 0] /= np.linalg.norm(pose[:3, 0])
            pose[:3, 2] /= np.linalg.norm(pose[:3, 2])
            pose[:3, 3] = 0.1 * at**2, 0, at
        poses[1] = poses[0]
        def widths(section):
            links = [{"name": "wire", "joint": {"type": "fixed"}, "body": {**ROD, "length": 1, "section": section}}]
            summary = {"model": {"document": {"name": "x", "links": links}}, "points": {"wire": s.tolist()}}
            np.savez(self.path("wire.npz"), t=np.array([0.0, 1.0]), **{"poses:wire": poses},
                     summary=np.frombuffer(json.dumps(summary).encode(), np.uint8))
            pixels = self.picture("wire.npz", "--panels", "", "--view", "-90,0", "--shapes", "1", "--layout", "together")
            body = pixels[:, :, 0] - pixels[:, :, 2] > 25
            body[320:] = False
            rows = np.where(body.any(axis=1))[0]
            return body.sum(axis=1)[rows[0] + 3:rows[-1] - 2]
        for thin in ({"shape": "circle", "radius": 1e-5}, {"shape": "rectangle", "height": 0.03, "width": 1e-5}):
            width = widths(thin)
            self.assertGreaterEqual(width.min(), 2, (thin, width))
            self.assertLessEqual(width.max(), 6, (thin, width))
        thick, thicker = (np.median(widths({"shape": "circle", "radius": radius})) for radius in (0.04, 0.08))
        self.assertAlmostEqual(thicker / thick, 2, delta=0.25)

    def test_contact_geometry_and_loops_are_drawn(self):
        plain = self.picture("good.npz", "--panels", "", "--layout", "together")
        for extra in ({"contacts": [{"type": "cylinder_interior", "radius": 0.3, "axis": "z"}]},
                      {"contacts": [{"type": "cylinder_exterior", "radius": 0.02, "axis": [1, 1, 0]}]},
                      {"contacts": [{"type": "plane", "pose": {"translation": [0, 0, -0.4]}}]},
                      {"fluid": {"density": 1000, "surface": {"z": -0.2, "width": 0.1}}},
                      {"contacts": [{"type": "sphere", "radius": 0.05, "pose": {"translation": [0, 0, -0.2]}}]},
                      {"loops": [{"a": {"link": "left", "at": 0.5}, "b": {"link": "world"}, "joint": {"type": "spherical"}}]}):
            summary = copy.deepcopy(self.summary)
            summary["model"]["document"].update(extra)
            self.write("extra.npz", summary)
            changed = np.abs(self.picture("extra.npz", "--panels", "", "--layout", "together") - plain)
            self.assertGreater((changed.max(axis=2) > 30).sum(), 15, extra)

    def test_a_body_in_front_of_the_robot_lets_it_be_seen(self):
        """Seen along y: as much of the robot is seen through what stands before it as beside what stands behind it."""
        def yellow(y, contact):
            summary = copy.deepcopy(self.summary)
            summary["model"]["document"]["contacts"] = [{**contact, "pose": {"translation": [0, y, -0.1]}}]
            self.write("before.npz", summary)
            pixels = self.picture("before.npz", "--panels", "", "--view", "-90,0", "--shapes", "1", "--layout", "together")[120:320]  # no words, no scale of time
            return (pixels[:, :, 0] - pixels[:, :, 2] > 25).sum()
        for contact in ({"type": "box", "size": [1, 0.1, 1]}, {"type": "sphere", "radius": 0.4}, {"type": "cylinder_exterior", "radius": 0.4, "axis": "z"}):
            behind, before = yellow(0.9, contact), yellow(-0.9, contact)
            self.assertGreater(behind, 100)
            self.assertAlmostEqual(before / behind, 1, delta=0.25, msg=contact["type"])

    def test_panels_are_drawn_by_name_and_unknown_ones_are_refused(self):
        few, many = (self.picture("good.npz", "--curves", "--panels", names) for names in ("energy", "u,q,qd,tip,tendons,energy"))
        self.assertNotEqual(few.tobytes(), many.tobytes())
        self.assertIn("no panel 'nonsense'", self.call("good.npz", "--panels", "u,nonsense", status=2))
        self.assertIn("nothing for the panel 'lambda'", self.call("good.npz", "--panels", "lambda", status=2))

    def test_a_picture_is_png_svg_or_pdf_by_its_name_or_as_asked_for(self):
        for name in ("p.jpg", "p", "png", ".png", "p.avi"):
            self.assertIn(".png", self.call("good.npz", "-o", name, status=2))
            self.assertFalse(os.path.exists(self.path(name)))
        begins = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF-"}
        for format, first in begins.items():
            for words in (["-o", "picture." + format.upper()], ["-o", "odd.name", "--format", format]):
                self.call("good.npz", "--size", "300x300", *words)
                with open(self.path(words[1]), "rb") as stream:
                    self.assertTrue(stream.read().startswith(first), words)
        self.assertIn("--format must be", self.call("good.npz", "--format", "jpg", status=2))
        with open(self.path("picture.SVG"), encoding="utf-8") as stream:
            document = ElementTree.parse(stream).getroot()
        self.assertEqual(document.get("width").rstrip("px"), "300")
        self.assertGreater(len(list(document.iter("{http://www.w3.org/2000/svg}path"))), 20, "curves are lines")

    # ------------------------------------------------------------------------------------------ films

    def frames(self, name, width, height):
        """Pixels [frames, height, width, 3], as ffmpeg reads them back."""
        raw = subprocess.run(["ffmpeg", "-loglevel", "error", "-i", self.path(name), "-f", "rawvideo", "-pix_fmt", "rgb24", "-"],
                             check=True, capture_output=True, timeout=120).stdout
        return np.frombuffer(raw, np.uint8).reshape(-1, height, width, 3).astype(int)

    def test_a_film_has_as_many_frames_as_asked_for_in_which_the_robot_and_the_line_in_its_curves_move(self):
        for name in ("film.mp4", "film.gif"):
            self.call("good.npz", "-o", name, "--size", "601x401", "--seconds", "0.6", "--fps", "10", "--panels", "u")
            frames = self.frames(name, 600, 400)
            self.assertEqual(len(frames), 6, name)
            darker = (np.median(frames, axis=0) - frames).max(axis=3)[:, 80:, 320:] > 60
            lines = [int(np.argmax(one.sum(axis=0))) for one in darker[:-1]]  # in the last it is on the frame
            self.assertTrue(all(b > a + 10 for a, b in zip(lines, lines[1:])), lines)
            self.assertGreater((np.abs(frames[0] - frames[-1])[80:330, :300].max(axis=2) > 60).sum(), 300, name)

    def test_a_film_that_takes_more_than_a_second_says_how_far_it_is(self):
        folder = self.path("slow")
        os.mkdir(folder)
        with open(os.path.join(folder, "ffmpeg"), "w", encoding="utf-8") as stream:
            stream.write("#!/bin/sh\nsleep 1.2\ncat > /dev/null\n")
        os.chmod(os.path.join(folder, "ffmpeg"), 0o755)
        words = ["good.npz", "-o", "slow.mp4", "--size", "600x400", "--seconds", "0.6", "--fps", "10", "--curves"]
        with mock.patch.dict(os.environ, {"PATH": folder + ":" + os.environ["PATH"]}):
            self.assertRegex(self.call(*words), r"^frame \d of 6, \d+ s left\n")

    def test_a_film_that_cannot_be_made_says_why_and_leaves_nothing(self):
        self.assertIn("films are made by ffmpeg", self.without_ffmpeg("good.npz", "-o", "none.mp4"))
        self.assertIn("--times is of pictures", self.call("good.npz", "-o", "none.mp4", "--times", "0.1", status=2))
        self.assertIn("--seconds is of films", self.call("good.npz", "-o", "none.png", "--seconds", "3", status=2))
        self.assertIn("a film has 2 to 20000", self.call("good.npz", "-o", "none.gif", "--seconds", "600", "--fps", "60", status=2))
        self.write("still.npz", **{name: value[:1] for name, value in self.arrays.items() if name != "summary"}, summary=self.summary)
        self.assertIn("no course of time", self.call("still.npz", "-o", "none.mp4", status=2))
        self.assertFalse([name for name in os.listdir(self.folder.name) if "none" in name])

    def without_ffmpeg(self, *words):
        done = subprocess.run([TENDRIL, "plot", *words], cwd=self.folder.name, capture_output=True, encoding="utf-8", timeout=120,
                              check=False, env={**os.environ, "PATH": self.folder.name})
        self.assertEqual(done.returncode, 1, done.stderr)
        return done.stderr

    # ------------------------------------------------------------------------------------------ what a picture shows

    def svg(self, name, *words):
        """The picture as text: curves are polylines of numbers."""
        self.call(name, "-o", "out.svg", *words)
        with open(self.path("out.svg"), encoding="utf-8") as stream:
            return stream.read()

    def curves_in(self, name, *words):
        """How many paths of many points there are."""
        return sum(path.count("L") > 15 for path in re.findall(r' d="(M [^"]*)"', self.svg(name, "--curves", *words)))

    def test_what_stays_at_rounding_is_left_out_and_flat_where_nothing_else_is_there(self):
        names = self.summary["coordinates"]
        moving = np.sin(np.linspace(0, 5, 21))[:, None] * np.ones((1, len(names)))
        noise = moving.copy()
        bent = next(k for k, name in enumerate(names) if "bending_y" in name)
        noise[:, bent] = 1e-11 * np.cos(np.arange(21.0))
        self.write("moving.npz", q=moving), self.write("noise.npz", q=noise), self.write("still.npz", q=1e-13 * moving)
        all_of_them = self.curves_in("moving.npz", "--panels", "q")
        self.assertEqual(all_of_them, len(names))
        self.assertEqual(self.curves_in("noise.npz", "--panels", "q"), len(names) - 1)
        self.write("flat.npz", q=0 * moving)
        straight = [np.abs(self.picture(name, "--curves", "--panels", "q") - self.picture("flat.npz", "--curves", "--panels", "q")).max() for name in ("still.npz", "moving.npz")]
        self.assertLess(straight[0], 60, "rounding looks like nothing")
        self.assertGreater(straight[1], 100)

    def test_instants_are_where_something_moves_or_those_that_were_asked_for(self):
        def shapes(move, *words):
            poses = {name: value.copy() for name, value in self.arrays.items() if name.startswith("poses:")}
            for value in poses.values():
                value[...] = value[:1]
                value[..., 0, 3] += np.reshape(move, (-1,) + (1,) * (value.ndim - 3))
            self.write("moved.npz", **poses)
            return self.picture("moved.npz", "--panels", "", "--layout", "together", *words)[:330]
        jump = np.where(np.arange(21) < 18, 0.0, np.arange(21) - 17) * 0.2
        three = shapes(jump, "--shapes", "3")
        np.testing.assert_array_equal(three, shapes(jump, "--times", "0,0.38,0.4"), "two of three are where it moves")
        self.assertTrue((three != shapes(jump, "--times", "0,0.2,0.4")).any())
        even = np.linspace(0, 0.6, 21)
        np.testing.assert_array_equal(shapes(even, "--shapes", "3"), shapes(even, "--times", "0,0.2,0.4"), "steady motion has equal times")
        for words in ("1,0", "a", "0,,1", "nan", "0;1"):
            self.assertIn("--times must be", self.call("good.npz", "--times", words, status=2))
        self.assertIn("from 0 to 0.4", self.call("good.npz", "--times", "0,7", status=2))

    def test_the_tip_is_that_of_the_tree_whatever_the_order_of_fields(self):
        rod = {"type": "rod", "length": 1, "section": {"shape": "circle", "radius": 0.01}}
        links = [{"name": "near", "body": rod}, {"name": "far", "parent": "near", "body": rod}, {"name": "tool", "parent": "far", "body": {"type": "rigid"}}]
        made = {"model": {"document": {"name": "x", "links": links}}}
        def drawn(fields):
            poses = {name: np.tile(np.eye(4), (21, 1, 1)) for name in fields}
            for k, name in enumerate(sorted(fields)):
                poses[name][:, 0, 3] = np.sin((k + 1) * np.linspace(0, 3, 21))
            np.savez(self.path("tree.npz"), t=np.linspace(0, 1, 21), **poses, summary=np.frombuffer(json.dumps(made).encode(), np.uint8))
            return lambda *words: self.picture("tree.npz", "--curves", "--panels", "tip", *words).tobytes()
        one, other = drawn(["poses:far@1", "poses:near@1"])("--link", "far"), drawn(["poses:near@1", "poses:far@1"])()
        self.assertEqual(one, other)
        self.assertNotEqual(other, drawn(["poses:near@1", "poses:far@1"])("--link", "near"))
        self.assertEqual(drawn(["poses:tool", "poses:far@1"])(), drawn(["poses:far@1", "poses:tool"])("--link", "far"), "rods come first")
        self.assertIn('"poses:tool" to output.fields', (drawn(["poses:far@1"]), self.call("tree.npz", "--link", "tool", status=2))[1])
        self.assertIn("no link 'nobody'", self.call("tree.npz", "--link", "nobody", status=2))

    def test_missing_poses_are_said_and_shapes_refused(self):
        self.write("bare.npz", **{name: None for name in self.arrays if name.startswith("poses:")})
        said = self.call("bare.npz", "-o", "out.png")
        self.assertIn("poses:trolley", said)
        for words in (["--shapes", "3"], ["--times", "0"], ["--view", "0,0"]):
            self.assertIn('"poses:left"', self.call("bare.npz", *words, status=2))
        self.assertEqual(self.call("bare.npz", "-o", "out.png", "--curves"), "")

    def test_one_problem_is_told_by_bars(self):
        def bars(value):
            summary = {"kind": "statics", "channels": ["pull", "push"], "coordinates": ["a.bending_y[0]"]}
            np.savez(self.path("bars.npz"), u=np.array([[1.0, value]]), q=np.ones((1, 1)), summary=np.frombuffer(json.dumps(summary).encode(), np.uint8))
            pixels = self.picture("bars.npz", "--panels", "u")
            red = (pixels[:, :, 0] > 220) & (pixels[:, :, 1] < 130) & (pixels[:, :, 2] < 150)
            return np.ptp(np.where(red.any(axis=0))[0])
        self.assertAlmostEqual(bars(0.5) / bars(1.0), 0.5, delta=0.02)

    def test_tips_in_a_corner_of_a_tall_robot_have_a_picture_of_their_own_and_a_third_number_has_sizes(self):
        """A rod of 0.45 m, whose tips a sweep over three inputs moves by some centimetres."""
        grid = np.array([(a, b, c) for a in range(3) for b in range(4) for c in range(2)], float)
        poses = np.tile(np.diag([1.0, 1, 1, 1]), (len(grid), 5, 1, 1))
        poses[:, :, :3, :3] = [[0, 0, 1], [0, 1, 0], [-1, 0, 0]]
        poses[:, :, 2, 3] = np.linspace(0, -0.45, 5)
        poses[:, :, 0, 3] += np.outer(grid[:, 0] - 1, np.linspace(0, 0.03, 5))
        poses[:, :, 1, 3] += np.outer(grid[:, 1] - 1.5, np.linspace(0, 0.03, 5))
        poses[:, :, 2, 3] += np.outer(grid[:, 2], np.linspace(0, 0.01, 5))
        def dots(third):
            vary = [{"path": f"/job/inputs/u{k}"} for k in range(3)]
            model = {"links": [{"name": "arm", "joint": {"type": "fixed"}, "body": {**ROD, "length": 0.45}}]}
            summary = {"kind": "sweep", "job": {"kind": "sweep", "mode": "grid", "base": {"kind": "statics"}, "vary": vary}, "model": {"document": model}}
            varied = {f"vary[{k}]": grid[:, k] * (third if k == 2 else 1) for k in range(3)}
            np.savez(self.path("grid.npz"), child=np.arange(len(grid)), q=np.zeros((len(grid), 1)), **{"poses:arm": poses}, **varied,
                     summary=np.frombuffer(json.dumps(summary).encode(), np.uint8))
            self.call("grid.npz", "-o", "out.png", "--size", "1000x600", "--panels", "")
            pixels = decode(self.path("out.png"))[80:520]
            yellow = (pixels[:, :, 0] > 220) & (pixels[:, :, 1] > 200) & (pixels[:, :, 2] < 90)
            columns = np.where(yellow[:, 400:].sum(axis=0) > 2)[0]
            return np.ptp(columns) if len(columns) else 0, yellow[:, 400:].sum()
        (wide, equal), (_, sized) = dots(0), dots(1)
        self.assertGreater(wide, 100, "beside the robot there is a picture of the tips")
        self.assertNotAlmostEqual(sized / equal, 1, delta=0.02)

    def test_a_linearisation_is_told_by_its_eigenvalues_left_and_right_of_the_axis(self):
        """Two oscillators: [q; qd]' = A [q; qd] with two pairs, of which one may grow."""
        def crosses(decay):
            a = np.zeros((1, 4, 4))
            a[0, :2, 2:] = np.eye(2)
            a[0, 2:] = [[-100, 0, -2 * decay, 0], [0, -400, 0, -8]]
            summary = {"kind": "linearize", "coordinates": ["a.bending_y[0]", "b.bending_y[0]"], "channels": ["pull"]}
            np.savez(self.path("linear.npz"), q=np.ones((1, 2)), qd=np.zeros((1, 2)), u=np.ones((1, 1)), A=a, B=np.zeros((1, 4, 1)),
                     summary=np.frombuffer(json.dumps(summary).encode(), np.uint8))
            self.assertEqual(self.call("linear.npz", "-o", "out.png", "--size", "1200x600"), "")
            plane = decode(self.path("out.png"))[140:540, 60:620]
            blue, dark = (plane[:, :, 2] - plane[:, :, 0] > 60), (plane.max(axis=2) < 90)
            axis = int(np.argmax(dark.sum(axis=0)))
            return blue[:, :axis - 2].sum(), blue[:, axis + 3:].sum()
        (left, right), (fewer, grown) = crosses(1), crosses(-1)
        self.assertGreater(left, 60)
        self.assertEqual(right, 0, "what dies is left of the axis")
        self.assertAlmostEqual(fewer / left, 0.5, delta=0.1)
        self.assertAlmostEqual(grown / left, 0.5, delta=0.1)

    def test_bars_of_a_second_round_of_colours_are_bars(self):
        summary = {"kind": "statics", "channels": [f"t{i}" for i in range(9)]}
        np.savez(self.path("nine.npz"), u=np.ones((1, 9)), q=np.ones((1, 1)), summary=np.frombuffer(json.dumps(summary).encode(), np.uint8))
        pixels = self.picture("nine.npz", "--panels", "u")
        blue = (pixels[:, :, 2] - pixels[:, :, 0] > 80).sum(axis=1) > 150
        self.assertEqual(np.count_nonzero(np.diff(blue.astype(int)) == 1), 3, "the first, the fifth (sky) and the eighth are blue")

    def test_a_sweep_by_equal_factors_stands_on_an_axis_of_powers_and_pairs_over_their_values(self):
        def sweep(values, paths, mode="grid"):
            summary = {"kind": "sweep", "job": {"kind": "sweep", "mode": mode, "base": {"kind": "statics"}, "vary": [{"path": path} for path in paths]},
                       "model": {"document": {"links": [{"name": "near"}, {"name": "far"}]}}}
            arrays = {f"vary[{k}]": np.array(values) for k in range(len(paths))}
            np.savez(self.path("varied.npz"), child=np.arange(len(values)), q=np.zeros((len(values), 1)), **arrays, summary=np.frombuffer(json.dumps(summary).encode(), np.uint8))
            pixels = self.picture("varied.npz", "--panels", "q")
            blue = (pixels[:, :, 2] > 140) & (pixels[:, :, 0] < 100)
            columns = np.where(blue[100:].sum(axis=0) > 3)[0]
            return np.array([group.mean() for group in np.split(columns, np.where(np.diff(columns) > 1)[0] + 1)])
        young = "/model/links/{}/body/material/young"
        dots = sweep([1e5, 1e6, 1e7], [young.format(0)])
        self.assertAlmostEqual(dots[1], (dots[0] + dots[2]) / 2, delta=2)
        pairs = sweep([1.0, 2, 10], [young.format(0), young.format(1)], "zip")
        self.assertAlmostEqual((pairs[1] - pairs[0]) / (pairs[2] - pairs[0]), 1 / 9, delta=0.02)

    def test_a_result_without_anything_to_draw_is_an_error_that_says_what_is_missing(self):
        drawn = {"q", "qd", "u", "energy", "tendons"}
        nothing = {name: None for name in self.arrays if name in drawn or name.startswith("poses:")}
        self.write("bare.npz", **nothing)
        said = self.call("bare.npz", "-o", "bare.png", status=2)
        self.assertIn("poses", said)
        self.assertIn('"fields"', said)
        self.assertFalse(os.path.exists(self.path("bare.png")))
        self.assertIn("--panels", self.call("good.npz", "-o", "bare.png", "--panels", "", "--curves", status=2))
        self.assertIn("--panels", self.call("bare.npz", "-o", "bare.png", "--panels", ",", status=2))
        for name in drawn:  # one of them will do
            self.write("bare.npz", **{**nothing, name: self.arrays[name]})
            self.call("bare.npz", "-o", "out.png", "--size", "300x300")

    def sweep(self, ends, **changes):
        """Every job at the same input, its coordinate rising from job to job."""
        count = len(ends)
        summary = {"kind": "sweep", "job": {"kind": "sweep", "base": {"kind": "dynamics"}}, "jobs": [{}] * count}
        arrays = {"t": np.array(ends, float), "child": np.arange(count), "q": np.linspace(0, 1, count)[:, None], **changes}
        np.savez(self.path("sweep.npz"), **arrays, summary=np.frombuffer(json.dumps(summary).encode(), np.uint8))
        return self.picture("sweep.npz")

    def red(self, pixels):
        """How many pixels are the red of what is not to be trusted."""
        return int(((pixels[:, :, 0] > 170) & (pixels[:, :, 1] < 70) & (pixels[:, :, 2] < 70))[50:140].sum())

    def test_a_run_that_is_not_to_be_trusted_is_marked_and_a_warning_is_said(self):
        plain = self.picture("good.npz")
        grave = {**self.summary, "warnings": [{"code": "energy_error", "detail": "the energy is off by 3 J", "pointer": ""}]}
        self.write("grave.npz", grave)
        marked = self.picture("grave.npz")
        self.assertEqual(self.red(plain), 0)
        self.assertGreater(self.red(marked), 40)
        failed = {**self.summary, "error": {"code": "inconsistent", "detail": "the energy is off", "pointer": ""}}
        self.write("failed.npz", failed)
        self.assertGreater(self.red(self.picture("failed.npz")), 40)
        odd = {**self.summary, "warnings": [{"code": "undamped", "detail": "é" * 900, "pointer": ""}] * 5}
        self.write("odd.npz", odd)
        said = self.picture("odd.npz")
        self.assertEqual(self.red(said), 0)
        self.assertGreater(np.abs(said - plain)[76:120].sum(), 0)
        for detail in ("é" * 900, "x" + "é" * 900, "€" * 500, "x" + "€" * 500, "xx" + "€" * 500):  # cut anywhere, the rest is drawn
            self.write("odd.npz", {**self.summary, "warnings": [{"code": "undamped", "detail": detail, "pointer": ""}]})
            self.assertGreater((self.picture("odd.npz")[200:] < 250).sum(), 0.5 * (plain[200:] < 250).sum(), detail[:2])

    def path_of_equilibria(self, events, stable, links=True):
        """A snap: u = x^3 - x along x from -1.2 to 1.2, an arm whose tip is at x."""
        x = np.linspace(-1.2, 1.2, len(stable))
        poses = np.broadcast_to(np.eye(4), (len(x), 4, 4)).copy()
        poses[:, 0, 3] = x
        model = {"links": [{"name": "body", "body": {"type": "rigid", "mass": 1}}], "loads": [{"link": "body", "channels": [None] * 3 + ["push", None, None]}]}
        summary = {"kind": "statics", "channels": ["push"], "coordinates": ["body.joint[0]"], "model": {"document": model},
                   "continuation": {"channel": "push", "events": events}}
        arrays = {"u": (x**3 - x)[:, None], "q": x[:, None], "stable": np.array(stable)}
        if links:
            arrays["poses:body"] = poses
        np.savez(self.path("path.npz"), **arrays, summary=np.frombuffer(json.dumps(summary).encode(), np.uint8))
        return self.picture("path.npz", "--panels", "load_curve", "--curves")

    def test_a_path_of_equilibria_is_drawn_as_its_load_curve_with_branches_and_limit_points(self):
        rows = 120
        x = np.linspace(-1.2, 1.2, rows)
        unstable = np.abs(x) < 3**-0.5
        limits = [{"kind": "limit", "after": int(np.argmax(unstable)) - 1, "value": 2 * 3**-1.5, "multiplicity": 1},
                  {"kind": "limit", "after": int(np.where(unstable)[0][-1]), "value": -2 * 3**-1.5, "multiplicity": 1}]
        stable = self.path_of_equilibria([], [True] * rows)
        branches = self.path_of_equilibria([], (~unstable).tolist())
        marked = self.path_of_equilibria(limits, (~unstable).tolist())
        blue = lambda p: int(((p[:, :, 2] > p[:, :, 0] + 60))[120:].sum())
        pink = lambda p: int(((p[:, :, 0] > p[:, :, 1] + 60) & (p[:, :, 2] > 90))[120:].sum())
        self.assertEqual(pink(stable), 0)
        self.assertGreater(pink(branches), 50)
        self.assertLess(blue(branches), blue(stable))
        changed = np.abs(marked - branches).max(axis=2)[120:] > 60
        columns = np.where(changed.any(axis=0))[0]
        self.assertGreater(changed.sum(), 20, "the limit points are marked")
        self.assertGreater(columns[-1] - columns[0], 150, "both of them, where they are")
        self.assertNotEqual(self.path_of_equilibria([], [True] * rows, links=False).tobytes(), b"", "without poses a coordinate is the axis")
        self.assertIn("nothing for the panel 'load_curve'", self.call("good.npz", "--panels", "load_curve", status=2))

    # ------------------------------------------------------------------------------------------ fits, designs, gradients

    def simulated(self, name, model, job):
        """The arrays and the summary of a job, which is also left as NAME.npz."""
        for part, document in (("model", model), ("job", job)):
            with open(self.path(f"{name}.{part}.json"), "w", encoding="utf-8") as stream:
                json.dump(document, stream)
        subprocess.run([TENDRIL, "simulate", f"{name}.model.json", f"{name}.job.json", "-o", f"{name}.npz"], check=True, cwd=self.folder.name)
        with np.load(self.path(f"{name}.npz"), allow_pickle=False) as result:
            arrays = dict(result)
        return arrays, json.loads(arrays.pop("summary").tobytes().rstrip(b"\0"))

    def keep(self, arrays, summary):
        np.savez(self.path("search.npz"), summary=np.frombuffer(json.dumps(summary).encode(), np.uint8), **arrays)

    def drawn(self, arrays, summary):
        self.keep(arrays, summary)
        return self.picture("search.npz")

    def test_a_fit_shows_its_records_its_way_and_its_numbers(self):
        model = robot()
        record = {"field": "tendons", "value": [[0.30], [0.29]], "sigma": 1e-3}
        fit = {"kind": "fit", "model": "everything", "of": [{"job": {"kind": "statics", "inputs": {"pull": [1, 5]}}, "data": [record]}],
               "parameters": [{"path": "/model/links/1/body/material/young", "name": "young", "lower": 1e5, "upper": 1e7, "scale": "log"}],
               "unconverged": "keep"}
        arrays, summary = self.simulated("fit", model, fit)
        before = self.drawn(arrays, summary)

        def changed(arrays=arrays, summary=summary):
            return np.argwhere((self.drawn(arrays, summary) != before).any(axis=2))

        def where(**change):
            return changed({**arrays, **change})
        measured = where(**{"measured:0:0": arrays["measured:0:0"] + np.array([[0.0], [3e-4]])})
        self.assertGreater(len(measured), 5)
        self.assertLess(measured[:, 1].max(), 310, "records are on the left")
        self.assertGreater(len(where(**{"first:0:0": arrays["fitted:0:0"]})), 20)
        cost = where(cost=arrays["cost"] * np.linspace(1, 2, len(arrays["cost"])))
        self.assertGreater(cost[:, 1].min(), 310)
        other = copy.deepcopy(summary)
        other["fit"]["parameters"][0]["value"] *= 3
        self.assertGreater(len(changed(summary=other)), 20)
        for name in ("cost", "start", "parameters", "measured:0:0", "fitted:0:0", "first:0:0"):  # other shapes, or none
            for odd in (np.zeros(0), np.zeros((1, 7)), np.full(arrays[name].shape, np.nan)):
                self.keep({**arrays, name: odd}, summary)
                self.call("search.npz", "-o", "out.png")
            self.keep({k: v for k, v in arrays.items() if k != name}, summary)
            self.call("search.npz", "-o", "out.png")

    def test_a_design_shows_the_best_robot_with_its_way_and_a_gradient_its_slopes(self):
        within = {"model": "everything", "kind": "statics", "inputs": {"pull": [1.0, 2.0]}, "output": {"fields": ["poses:left"]}}
        goal = [{"field": "poses:left", "select": [[3, 0, 3]], "target": 0.0, "weight": 1e3}]
        radius = {"path": "/model/links/1/body/section/radius", "lower": 0.004, "upper": 0.05}
        arrays, summary = self.simulated("design", robot(), {"kind": "design", "of": within, "parameters": [radius], "objective": goal,
                                                             "max_evaluations": 4, "unconverged": "keep"})
        before = self.drawn(arrays, summary)
        thick = copy.deepcopy(summary)
        for row in thick["design"]["parameters"]:
            row["value"] = 0.05
        changed = np.argwhere((self.drawn(arrays, thick) != before).any(axis=2))
        self.assertGreater((changed[:, 1] < 310).sum(), 50, "the rod is drawn as thick as was found")
        gone = {k: v for k, v in arrays.items() if k != "first:poses:left"}
        self.assertEqual(len(gone), len(arrays) - 1)
        self.assertGreater((self.drawn(gone, summary) != before)[:, :310].any(axis=2).sum(), 50, "grey shapes where it began")
        before = self.drawn(arrays, summary)
        arrays["objective"][-1] += 1
        self.assertTrue((self.drawn(arrays, summary) != before)[:, 310:].any())
        arrays, summary = self.simulated("gradient", robot(), {"kind": "gradient", "of": within, "parameters": ["/job/inputs/pull"], "objective": goal})
        before = self.drawn(arrays, summary)
        self.assertTrue((self.drawn({**arrays, "gradient": -arrays["gradient"]}, summary) != before).any())
        many = {**summary, "parameters": [{"name": f"p{k}", "path": f"/job/inputs/pull/{k}"} for k in range(30)]}
        self.call("gradient.npz", "-o", "out.png", "--panels", "slopes", status=2)
        self.drawn({**arrays, "gradient": np.arange(30.0)}, many)
        self.call("search.npz", "-o", "out.png", "--panels", "slopes", "--curves")
        two = {**many, "parameters": many["parameters"] + [{"name": "young", "path": "/model/young"}] + [{"name": f"r{k}", "path": f"/job/r/{k}"} for k in range(3)]}
        slopes = np.concatenate([np.sin(np.arange(30.0)), [1e-9], [1e7, 2e7, 3e7]])
        before = self.drawn({**arrays, "gradient": slopes}, two)
        self.assertTrue((self.drawn({**arrays, "gradient": slopes + np.eye(34)[30]}, two) != before).any(), "what is of no array is in the table")
        other = np.where(np.arange(34) > 30, slopes * 7, slopes)  # of another unit: the other array's curve is as it was
        rows = np.argwhere((self.drawn({**arrays, "gradient": other}, two) != before).any(axis=2))[:, 0]
        self.assertTrue(len(rows) == 0 or np.ptp(rows) < 200, "only numbers of the table")

    def test_an_objective_that_falls_by_powers_of_ten_is_told_by_them_and_numbers_about_0_by_their_bounds(self):
        within = {"model": "everything", "kind": "statics", "inputs": {"pull": [1.0, 2.0]}, "output": {"fields": ["poses:left"]}}
        goal = [{"field": "poses:left", "select": [[3, 0, 3]], "target": 0.0, "weight": 1e3}]
        arrays, summary = self.simulated("design", robot(), {"kind": "design", "of": within, "objective": goal, "max_evaluations": 4, "unconverged": "keep",
                                                             "parameters": [{"path": "/job/inputs/pull/0", "lower": 0, "upper": 4}]})
        count = len(arrays["objective"])
        self.assertGreater(count, 1)
        way = {**arrays, "violation": np.zeros(count), "objective": np.geomspace(1, 1e-6, count)}
        before = self.drawn(way, summary)
        way["objective"] = way["objective"] * np.where(np.arange(count) == count - 1, 0.01, 1)  # which a linear axis would not show
        self.assertGreater((self.drawn(way, summary) != before).any(axis=2).sum(), 20)
        found = copy.deepcopy(summary)
        found["design"]["parameters"][0]["value"] = 1e-9
        near = {**way, "parameters": np.linspace(2, 1e-9, count)[:, None]}
        before = self.drawn(near, found)
        found["design"]["parameters"][0]["value"] = 2e-9  # by itself the way would be half as high
        moved = np.argwhere((self.drawn(near, found) != before).any(axis=2))
        self.assertTrue(len(moved) == 0 or np.ptp(moved[:, 0]) < 60, "only the number in the table")

    def test_events_of_a_path_that_are_no_events_are_left_out(self):
        for event in ({"kind": "limit", "after": 10**12, "value": 1}, {"kind": "limit", "after": -5, "value": 1}, {"kind": 3}, 7, {"kind": "limit", "after": 0, "value": None}):
            self.path_of_equilibria([event] * 100, [True, False] * 5)

    def test_contacts_that_begin_and_told_events_are_lines_across_the_panels(self):
        count = len(self.arrays["t"])
        energy = np.zeros((count, 4))
        energy[:, 0] = 1
        self.write("apart.npz", energy=energy)
        energy[count // 2:, 3] = 1e-6
        self.write("touch.npz", energy=energy)
        apart, touch = (self.picture(name, "--panels", "q", "--curves") for name in ("apart.npz", "touch.npz"))
        columns = np.where((np.abs(touch - apart).max(axis=2) > 40)[:340].sum(axis=0) > 20)[0]
        self.assertTrue(1 <= len(columns) <= 3, columns)
        told = {**self.summary, "events": [{"kind": "singular_configuration", "t": 0.1}, {"kind": "x", "t": None}, 3]}
        self.write("told.npz", told, energy=self.arrays["energy"])
        self.assertNotEqual(self.picture("told.npz", "--panels", "q", "--curves").tobytes(), self.picture("good.npz", "--panels", "q", "--curves").tobytes())

    def test_a_sweep_of_dynamics_is_drawn_over_its_jobs_however_they_end(self):
        same = self.sweep([2.0] * 40)
        ink = (same.max(axis=2) - same.min(axis=2) > 60)[80:]
        columns = np.where(ink.any(axis=0))[0]
        self.assertGreater(columns[-1] - columns[0], 400, "they stand above one another")
        self.assertEqual(self.sweep(np.linspace(2, 1, 40))[80:].tobytes(), same[80:].tobytes(), "time is no axis")
        later = self.sweep([3.0] * 40)
        self.assertNotEqual(later[:80].tobytes(), same[:80].tobytes(), "the title says when they end")
        self.assertEqual(later[80:].tobytes(), same[80:].tobytes())
        stride = self.sweep([2.0] * 40, child=3 * np.arange(40))
        self.assertNotEqual(stride[80:].tobytes(), same[80:].tobytes(), "a part of a result keeps the jobs' numbers")
        self.sweep([np.nan] * 40)
        self.sweep([2.0])

    def test_a_sweep_of_all_combinations_stands_over_the_number_with_most_values_a_line_for_each_of_the_others(self):
        paths = ["/job/inputs/pull", "/model/links/0/body/length"]
        summary = {"kind": "sweep", "job": {"kind": "sweep", "base": {"kind": "statics"}, "vary": [{"path": path} for path in paths]},
                   "model": {"document": {"links": [{"name": "finger"}], "actuators": [{"name": "pull", "type": "tendon"}]}}}
        def picture(order):
            pull, length = np.repeat(np.arange(6.0), 2)[order], np.tile([1.0, 3.0], 6)[order]
            np.savez(self.path("grid.npz"), child=np.arange(12), q=(pull * length)[:, None], **{"vary[0]": pull, "vary[1]": length},
                     summary=np.frombuffer(json.dumps(summary).encode(), np.uint8))
            pixels = self.picture("grid.npz", "--panels", "q")
            return pixels.max(axis=2) - pixels.min(axis=2) > 60
        curves = picture(np.arange(12))[100:]
        columns = np.where(curves.any(axis=0))[0]
        middle = curves[:, int(columns[0] + 0.7 * (columns[-1] - columns[0]))]
        lines = len(np.split(np.where(middle)[0], np.where(np.diff(np.where(middle)[0]) > 1)[0] + 1))
        self.assertEqual(lines, 2, "a straight line for each length, none across")
        shuffled = picture(np.random.default_rng(3).permutation(12))[100:]
        self.assertLess((curves != shuffled).mean(), 1e-3, "whatever the order of the jobs")

    def test_a_sweep_says_what_it_varied(self):
        def write(paths, **values):
            summary = {"kind": "sweep", "job": {"kind": "sweep", "base": {"kind": "statics"}, "vary": [{"path": path} for path in paths]},
                       "model": {"document": {"links": [{"name": "finger"}], "actuators": [{"name": "pull", "type": "tendon"}]}}}
            arrays = {"child": np.arange(8), "q": np.linspace(0, 1, 8)[:, None], **values}
            np.savez(self.path("varied.npz"), **arrays, summary=np.frombuffer(json.dumps(summary).encode(), np.uint8))
        def sweep(paths, **values):
            write(paths, **values)
            return self.picture("varied.npz")
        same = lambda a, b: bool((a == b).all())
        length, pull = "/model/links/0/body/length", "/job/inputs/pull"
        lengths, tensions = {"vary[0]": np.geomspace(0.1, 300, 8)}, {"vary[1]": np.array([0.0, 1, 20, 0, 1, 20, 0, 1])}
        plain, one = sweep([]), sweep([length], **lengths)
        self.assertFalse(same(one[:80], plain[:80]), "the title names it")
        self.assertFalse(same(one[:80], sweep([pull], **lengths)[:80]), "by its name")
        self.assertFalse(same(one[100:340], plain[100:340]), "it is the axis")
        self.assertIn("nothing for the panel 'varied'", self.call("varied.npz", "--panels", "varied", status=2))
        both = sweep([length, pull], **lengths, **tensions)
        yellow = lambda p: int(((p[:, :, 0] > 200) & (p[:, :, 1] > 180) & (p[:, :, 2] < 90))[100:].sum())
        self.assertGreater(yellow(both), yellow(one) + 30, "colours show their values")
        self.call("varied.npz", "-o", "out.png", "--panels", "varied")
        cut = sweep(["/job/inputs/x" + "é" * 300], **lengths)  # cut within a letter, the rest is drawn
        self.assertGreater((cut[100:] < 250).sum(), 0.8 * (one[100:] < 250).sum())
        for odd in ([7], [None, {}], ["/"], ["/model/links"], ["/model/links/99999999999999999999/x"], ["x" * 500] * 9):
            write(odd, **lengths)
            self.call("varied.npz", "-o", "out.png", "--size", "300x300")
        write(["/model/links/0/joint"])  # values that are no numbers are no field
        self.call("varied.npz", "-o", "out.png", "--size", "300x300")

    def test_axes_that_count_have_whole_ticks(self):
        def upright(rows, **arrays):
            np.savez(self.path("few.npz"), q=np.linspace(0, 1, rows)[:, None], summary=np.frombuffer(json.dumps({"kind": "statics"}).encode(), np.uint8), **arrays)
            self.call("few.npz", "-o", "few.svg", "--panels", "q")
            with open(self.path("few.svg"), encoding="utf-8") as stream:
                lines = re.findall(r'd="M ([\d.]+) ([\d.]+) L ([\d.]+) ([\d.]+)', stream.read())
            return len({x for x, y, to_x, to_y in lines if x == to_x and y != to_y})
        self.assertEqual([upright(rows) for rows in (2, 3, 5)], [2, 3, 5], "a line for each problem, none between them")

    def test_a_joint_is_called_as_what_turns_it(self):
        def drawn(names):
            summary = copy.deepcopy(self.summary)
            for actuator in summary["model"]["document"]["actuators"]:
                if actuator["type"] == "joint":
                    actuator["name"] = names[actuator["link"]]
            self.write("named.npz", summary)
            return self.picture("named.npz", "--panels", "q", "--curves").tobytes()
        as_links = {"right": "right", "trolley": "trolley"}
        self.assertNotEqual(drawn({**as_links, "right": "elbow"}), drawn(as_links), "the angle of «right» is that of «elbow», as its torque")

    def test_what_bodies_touch_with_is_drawn_in_orange_when_it_is_asked_for(self):
        shapes = [{"shape": "sphere", "radius": 0.08}, {"shape": "capsule", "radius": 0.03, "length": 0.2, "axis": "x"}, {"shape": "cylinder", "radius": 0.06, "length": 0.1},
                  {"shape": "box", "size": [0.1, 0.2, 0.1], "rounding": 0.02}, {"shape": "mesh", "points": [[0, 0, 0], [0.2, 0, 0], [0, 0.2, 0], [0, 0, 0.2]]}]
        def orange(collision, *words):
            summary = copy.deepcopy(self.summary)
            for link in summary["model"]["document"]["links"]:
                if link["name"] == "ball":
                    link["body"]["collision"] = collision
            self.write("touch.npz", summary)
            pixels = self.picture("touch.npz", "--panels", "", "--shapes", "1", *words).astype(int)
            return int(((pixels[:, :, 0] > 190) & (pixels[:, :, 1] < 150) & (pixels[:, :, 2] < 90))[80:].sum())
        for shape in shapes:
            with self.subTest(shape["shape"]):
                self.assertLess(orange(shape), 10)
                self.assertGreater(orange({**shape, "pose": {"translation": [0.1, 0, 0]}}, "--collision"), 60)
        for odd in (7, [], {"shape": "mesh", "points": 3}, {"shape": "mesh", "points": [3, [], [1e300] * 3]}, {"shape": "box", "size": "x"}, {"shape": "sphere", "radius": -1}):
            self.write("touch.npz", {**self.summary, "model": {"document": {"links": [{"name": "ball", "body": {"collision": odd}}]}}})
            self.call("touch.npz", "-o", "out.png", "--size", "300x300", "--collision")

    def test_forces_of_contacts_are_arrows_where_bodies_touch_and_have_panels(self):
        count = len(self.arrays["t"])
        def pink(place, *words):
            self.write("place.npz", contact_place=place)
            pixels = self.picture("place.npz", "--panels", "", "--shapes", "1", *words).astype(int)
            return int(((pixels[:, :, 0] - pixels[:, :, 1] > 70) & (pixels[:, :, 2] - pixels[:, :, 1] > 50))[40:].sum())
        place = np.zeros((count, 2, 10))
        place[..., 0] = -1
        self.assertEqual(pink(place), 0, "nothing touches")
        place[:, 0] = [0, 0, 0, 0.1, 0, 0, 5, 0, 0, 1]
        up = pink(place)
        self.assertGreater(up, 40)
        place[-1, 0, 6] = 1
        self.assertLess(pink(place), up, "the last force is a fifth of the largest")
        place[0, 0, 6], place[-1, 0, 6] = 500, 5
        self.assertGreater(pink(place), 0.7 * up, "an impact makes what holds no smaller")
        for odd in (np.nan, np.inf, 1e300, -1e300):
            place[:, 1] = odd
            pink(place)
        pink(np.zeros((count, 7)))
        touch = np.ones((count, 2, 3))
        for changes in ({"contacts": touch}, {"contact_force": touch}, {"contacts": np.zeros((count, 1, 3))}):
            self.write("touch.npz", **changes)
            self.call("touch.npz", "-o", "out.png", "--panels", "contacts", "--size", "400x300")
        self.call("good.npz", "-o", "out.png", "--panels", "contacts", status=2)

    def grid(self, **changes):
        """A sweep of 6 by 5 tensions whose tips lie on a grid of the x-z plane, 0.1 m apart."""
        left, front = np.repeat(np.arange(6.0), 5), np.tile(np.arange(5.0), 6)
        tips = np.broadcast_to(np.eye(4), (30, 4, 4)).copy()
        tips[:, 0, 3], tips[:, 2, 3] = 0.1 * left, 0.1 * front
        summary = {"kind": "sweep", "job": {"kind": "sweep", "base": {"kind": "statics"}, "vary": [{"path": "/job/inputs/left"}, {"path": "/job/inputs/front"}]},
                   "channels": ["left", "front"],
                   "model": {"document": {"links": [{"name": "arm", "body": {"type": "rod"}}], "actuators": [{"name": n, "type": "tendon", "link": "arm"} for n in ("left", "front")]}}}
        arrays = {"child": np.arange(30), "q": (left * front)[:, None], "vary[0]": left, "vary[1]": front, "poses:arm@1": tips, **changes}
        np.savez(self.path("grid.npz"), **{k: v for k, v in arrays.items() if v is not None}, summary=np.frombuffer(json.dumps(summary).encode(), np.uint8))
        return self.picture("grid.npz", "--view", "-90,0")

    def test_a_sweep_over_two_numbers_is_a_workspace_every_tip_a_dot_with_the_colour_of_the_second(self):
        plain = self.grid()
        near = lambda p, colour: (np.abs(p[76:335, 20:300].astype(int) - colour).max(axis=2) < 14)
        for colour, share in (((68, 1, 84), 0), ((253, 231, 37), 1)):  # the ends of viridis
            rows, columns = np.where(near(plain, colour))
            self.assertGreater(len(rows), 15)
            gaps = np.split(np.unique(columns), np.where(np.diff(np.unique(columns)) > 4)[0] + 1)
            self.assertEqual(len(gaps), 6, "a dot for each of the first number")
            self.assertLess(np.ptp(rows), 14, "all in one row")
            self.assertEqual(rows.mean() < 130, share == 1, "where the second is greatest")
        left, front = np.repeat(np.arange(6.0), 5), np.tile(np.arange(5.0), 6)
        self.assertEqual(self.grid(u=np.stack([left, front], 1)).tobytes(), plain.tobytes(), "inputs that say what was varied are not drawn again")
        self.assertNotEqual(self.grid(u=np.stack([left, front**2], 1)).tobytes(), plain.tobytes())
        poses = np.broadcast_to(np.eye(4), (30, 3, 4, 4)).copy()
        poses[:, :, 0, 3], poses[:, :, 2, 3] = 0.05 * left[:, None] * np.arange(3), 0.05 * front[:, None] * np.arange(3)
        robots = self.grid(**{"poses:arm": poses})[76:335, 20:300].astype(int)
        self.assertGreater(int(near(self.grid(**{"poses:arm": poses}), (253, 231, 37)).sum()), 15, "robots hide no dot")
        self.assertGreater(int(((robots.max(axis=2) - robots.min(axis=2) > 8) & (robots.min(axis=2) > 150)).sum()), 800, "and are faint")

    def test_what_stays_the_same_is_a_line_of_text_and_no_panel(self):
        def frames(**changes):
            self.write("still.npz", **changes)
            self.call("still.npz", "-o", "still.svg", "--curves")
            with open(self.path("still.svg"), encoding="utf-8") as stream:
                return sum("fill:none" in line.replace(": ", ":") or 'fill="none"' in line for line in stream if re.search(r"rgb\(42(\.0*)?%, ?45(\.0*)?%, ?50(\.0*)?%\)", line))
        moves = np.linspace(0, 1, len(self.arrays["u"]))[:, None] * np.ones(self.arrays["u"].shape[1])
        moving, still = frames(u=moves), frames(u=0 * moves + 2)
        self.assertGreaterEqual(moving - still, 3, "panels of tensions, torques, forces, moments, flow")
        self.assertGreater(still, 2)

    def test_distances_of_tips_from_a_reference_are_drawn_whatever_the_reference_says(self):
        reference = {"space": "tip", "tips": ["left"], "t": [0, 0.2, 0.4], "value": [[0, 0, 0], [0.1, 0, -0.1], [0, 0, -0.2]],
                     "interpolation": "spline"}
        def summary(**changes):
            made = copy.deepcopy(self.summary)
            made["job"]["controller"] = [{"type": "feed_forward"}, {"reference": {**reference, **changes}}]
            return made
        self.assertIn("nothing for the panel 'tip_error'", self.call("good.npz", "--panels", "tip_error", status=2))
        pictures = []
        for changes in ({}, {"interpolation": "cubic"}, {"value": [[0, 0, 0], [0, 0, 0], [1, 1, 1]]}, {"tips": ["left", "right"]}):
            self.write("tip.npz", summary(**changes))
            pictures.append(self.picture("tip.npz", "--curves", "--panels", "tip_error").tobytes())
        self.assertEqual(len(set(pictures)), len(pictures))
        for changes in ({"tips": ["nobody"]}, {"t": [0, 0, 0]}, {"t": []}, {"value": 3}, {"space": "joint"}, {"tips": [3]}):
            self.write("tip.npz", summary(**changes))
            self.call("tip.npz", "--panels", "tip_error", status=2)
        self.write("tip.npz", summary(value=["x", None, [1]], t=[0, 1, 2]))
        self.call("tip.npz", "-o", "out.png")

    def test_a_reduced_body_is_drawn_by_its_recorded_surface(self):
        links = [{"name": "left", "joint": {"type": "fixed"}, "body": {"type": "reduced"}}]
        made = {"model": {"document": {"name": "x", "links": links}}}
        angle = np.linspace(0, 2 * np.pi, 24, endpoint=False)
        def body(radius, heights=(0, 0.1, 0.3)):
            rings = np.array([[[radius * np.cos(a), radius * np.sin(a), z] for a in angle] for z in heights])
            frame = np.eye(4)
            frame[2, 3] = 0.3
            np.savez(self.path("skin.npz"), t=np.array([0.0, 1.0]), **{"poses:left": np.tile(frame, (2, 1, 1)),
                     "shape:left": np.tile(rings, (2, 1, 1, 1))}, summary=np.frombuffer(json.dumps(made).encode(), np.uint8))
            pixels = self.picture("skin.npz", "--panels", "", "--view", "-90,0", "--shapes", "1").astype(int)
            yellow = pixels[:, :, 0] - pixels[:, :, 2] > 25
            yellow[320:] = False
            return yellow
        for radius in (0.03, 0.06):
            ink = body(radius)
            rows, columns = np.where(ink.any(axis=1))[0], np.where(ink.any(axis=0))[0]
            self.assertAlmostEqual((columns[-1] - columns[0]) / (rows[-1] - rows[0]), 2 * radius / 0.3, delta=0.03)
        self.assertEqual(body(0.05, heights=(0, 0, 0, np.nan)).shape, (400, 600))

    def test_a_mesh_is_drawn_by_its_outer_faces(self):
        points = np.array([[x, y, z] for z in (0, 0.1, 0.3) for y in (-0.03, 0.03) for x in (-0.03, 0.03)])
        lower, top = [0, 1, 3, 2, 4, 5, 7, 6], [4, 5, 7, 6, 8, 9, 11, 10]
        ring = [1, 2, 3, 7, 4, 5, 1]
        cut = [[top[0], top[ring[i]], top[ring[i + 1]], top[6]] for i in range(6)]
        def ink(mesh, shape=points):
            body = {"type": "reduced", "kinematics": "ritz", **({"mesh": mesh} if mesh else {})}
            made = {"model": {"document": {"name": "x", "links": [{"name": "left", "joint": {"type": "fixed"}, "body": body}]}}}
            frame = np.eye(4)
            frame[2, 3] = 0.3
            np.savez(self.path("mesh.npz"), t=np.array([0.0, 1.0]), **{"poses:left": np.tile(frame, (2, 1, 1)),
                     "shape:left": np.tile(shape, (2, 1, 1))}, summary=np.frombuffer(json.dumps(made).encode(), np.uint8))
            pixels = self.picture("mesh.npz", "--panels", "", "--view", "-90,0", "--shapes", "1").astype(int)
            yellow = pixels[:, :, 0] - pixels[:, :, 2] > 25
            yellow[320:] = False
            return yellow
        for mesh in ({"hexahedra": [lower, top]}, {"hexahedra": [lower], "tetrahedra": cut}):
            solid = ink(mesh)
            rows, columns = np.where(solid.any(axis=1))[0], np.where(solid.any(axis=0))[0]
            self.assertAlmostEqual((columns[-1] - columns[0]) / (rows[-1] - rows[0]), 0.06 / 0.3, delta=0.03)
            inside = solid[rows[0] + 3:rows[-1] - 2, columns[0] + 3:columns[-1] - 2]
            self.assertTrue(inside.all(), f"{(~inside).sum()} holes")
        for mesh in (None, {}, {"hexahedra": [[99] * 8]}, {"tetrahedra": "x"}, {"tetrahedra": [7]}):
            self.assertEqual(ink(mesh).shape, (400, 600))

    def test_wrong_options_are_refused_with_a_sentence(self):
        for words in (["--size", "100x100"], ["--size", "wide"], ["--scale", "9"], ["--view", "1"], ["--layout", "x"],
                      ["--shapes", "0"], ["--link", "nobody"], ["--size", "8000x8000", "--scale", "4"]):
            self.assertIn("tendril: ", self.call("good.npz", *words, status=2), words)

    def test_layouts_views_and_instants_of_all_kinds(self):
        for words in (["--layout", "apart", "--shapes", "3"], ["--layout", "together", "--shapes", "1"], ["--shapes", "200"],
                      ["--view", "0,90"], ["--view", "0,-90"], ["--view", "1e300,0"], ["--link", "right"]):
            self.call("good.npz", "-o", "out.png", "--size", "400x300", *words)

    def test_a_robot_that_travels_far_is_followed(self):
        poses = {name: value.copy() for name, value in self.arrays.items() if name.startswith("poses:")}
        for value in poses.values():
            shift = np.linspace(0, 50, len(value)).reshape((-1,) + (1,) * (value.ndim - 3))
            value[..., 0, 3] += shift
        self.write("far.npz", **poses)
        ink = (self.picture("far.npz", "--panels", "").min(axis=2) < 150).sum()
        self.assertGreater(ink, 3000, "the robot is a dot")

    def test_numbers_that_are_no_numbers_leave_gaps(self):
        for value in (np.nan, np.inf, 1e308, -1e-320):
            for field in ("q", "energy", "poses:left", "poses:box", "t", "u"):
                broken = self.arrays[field].copy()
                broken[1:3] = value
                self.write("odd.npz", **{field: broken})
                self.call("odd.npz", "-o", "out.png", "--size", "300x300", "--shapes", "2")

    def test_energy_of_contacts_is_a_curve_of_its_own_and_part_of_the_sum(self):
        def panel(name, energy):
            self.write(name, energy=energy)
            return self.picture(name, "--curves", "--panels", "energy")

        energy, spring = self.arrays["energy"], np.linspace(0, 1, len(self.arrays["t"]))
        self.assertEqual(energy.shape[1], 4)
        self.assertFalse(energy[:, 3].any(), "nothing touches here")
        old = panel("old.npz", energy[:, :3])
        np.testing.assert_array_equal(panel("free.npz", energy), old, "results of older builds have three columns")
        touching = energy.copy()
        touching[:, 3] = spring * np.ptp(energy[:, 0])
        self.assertTrue((panel("touching.npz", touching) != old).any())

    def test_a_single_sample_and_fields_of_other_shapes(self):
        self.write("one.npz", **{name: value[:1] for name, value in self.arrays.items() if name != "summary"})
        self.call("one.npz", "-o", "out.png", "--size", "300x300")
        for changes in ({"poses:left": np.zeros((21, 0, 4, 4))}, {"poses:left": np.zeros((20, 3, 4, 4))},
                        {"poses:left": np.zeros((21, 3, 4, 3))}, {"energy": np.zeros((21, 2))}, {"q": np.zeros((21, 0))},
                        {"u": np.zeros((21, 300))}, {"t": np.array(["a", "b"])}, {"t": np.zeros((0,))}):
            self.write("shape.npz", **changes)
            self.call("shape.npz", "-o", "out.png", "--size", "300x300", status=(0, 2))

    def test_any_summary_gives_a_picture_or_a_sentence(self):
        chance = random.Random(7)
        odd = [None, 0, -1, 1e300, "x", "", [], {}, [[]], [1], ["a", None], {"type": "cylinder_interior"}, True]

        def spoil(value):
            if isinstance(value, dict) and value and chance.random() < 0.97:
                key = chance.choice(list(value))
                return {**value, key: spoil(value[key])}
            if isinstance(value, list) and value and chance.random() < 0.97:
                i = chance.randrange(len(value))
                return value[:i] + [spoil(value[i])] + value[i + 1:]
            return chance.choice(odd)

        document = {**self.summary["model"]["document"],
                    "contacts": [{"type": "cylinder_interior", "radius": 0.3, "axis": "z", "pose": {"quaternion": [1, 0, 0, 0]}}],
                    "loops": [{"a": {"link": "left", "at": 0.5, "pose": {"rpy": [0, 0, 1]}}, "b": {"link": "world"}}]}
        for _ in range(40):
            spoiled = document
            for _ in range(chance.randrange(1, 6)):
                spoiled = spoil(spoiled)
            self.write("spoiled.npz", {**self.summary, "model": {"document": spoiled}})
            self.call("spoiled.npz", "-o", "out.png", "--size", "300x300", "--shapes", "2", status=(0, 2))


if __name__ == "__main__":
    unittest.main()

"""The shipped robots that are driven by lengths, float, snap and rub: their jobs run as they ship, without a warning that they do not mean,
and do what their descriptions say. Of each motion, sanitizers and assertions see the first tenth: the whole of it takes them minutes."""
import json
import os
import subprocess
import tempfile
import unittest

import numpy as np

from harness import BIN, SOURCE, example, is_sanitized

SANITIZED = is_sanitized()
MOTIONS = ("tendon-arm", "boom", "catheter", "ball-gripper", "box-gripper", "snake", "coiling-rope")
motion = unittest.skipIf(SANITIZED, "sanitizers take minutes for them all")


class ShippedJobs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)

    def run_job(self, name, expected=()):
        path, robots = os.path.join(self.folder.name, f"{name}.npz"), os.path.join(SOURCE, "api", "examples")
        done = subprocess.run([os.path.join(BIN, "tendril-worker"), "--local", os.path.join(robots, f"{name}.model.json"),
                               os.path.join(robots, f"{name}.job.json"), "-o", path], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        with np.load(path, allow_pickle=False) as file:
            arrays = dict(file)
        arrays["summary"] = summary = json.loads(arrays["summary"].tobytes().rstrip(b"\0"))
        self.assertEqual([w["code"] for w in summary["warnings"]], list(expected))
        if "energy" in summary:
            self.assertLess(abs(summary["energy"]["error"]), 1e-5 * summary["energy"]["exchanged"])
        return arrays

    @unittest.skipUnless(SANITIZED, "the others run them to their ends")
    def test_nothing_is_found_while_they_begin_to_move(self):
        robots, document, out = os.path.join(SOURCE, "api", "examples"), *(os.path.join(self.folder.name, n) for n in ("job.json", "out.npz"))
        for name in MOTIONS:
            job = example(f"{name}.job.json")
            with open(document, "w", encoding="utf-8") as stream:
                json.dump({**job, "t_end": job["t_end"] / 10}, stream)
            done = subprocess.run([os.path.join(BIN, "tendril-worker"), "--local", os.path.join(robots, f"{name}.model.json"), document, "-o", out],
                                  capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, name + done.stderr)
            with np.load(out, allow_pickle=False) as file:
                self.assertAlmostEqual(file["t"][-1], job["t_end"] / 10)

    @motion
    def test_the_tendon_arm_bends_and_its_friction_and_slack_are_seen(self):
        a = self.run_job("tendon-arm")
        tensions, tip = a["tensions"], a["poses:far"][:, -1, :3, 3]
        self.assertEqual(tensions.shape[1], 6)
        self.assertGreaterEqual(tensions.min(), 0, "no tendon pushes")
        self.assertTrue((tensions.max(0) > 5).all(), "every tendon pulls")
        self.assertTrue((tensions.min(0) < 0.01)[3:].all(), "those of the far section go slack")
        self.assertGreater(np.hypot(tip[:, 0], tip[:, 1]).max(), 0.1)
        model = example("tendon-arm.model.json")  # without friction other tensions hold the same lengths
        for actuator in model["actuators"]:
            del actuator["friction"]
        job = {**example("tendon-arm.job.json"), "t_end": 1}
        paths = [os.path.join(self.folder.name, name) for name in ("smooth.model.json", "smooth.job.json", "smooth.npz")]
        for path, document in zip(paths, (model, job)):
            with open(path, "w", encoding="utf-8") as stream:
                json.dump(document, stream)
        subprocess.run([os.path.join(BIN, "tendril-worker"), "--local", paths[0], paths[1], "-o", paths[2]], check=True)
        with np.load(paths[2]) as smooth:
            self.assertGreater(np.abs(smooth["tensions"] - tensions[:len(smooth["t"])]).max(), 0.5)

    def test_the_arm_of_a_description_gets_to_its_place_and_its_soft_fingers_close(self):
        for name, place in (("desk-arm-hand", [0.9, 0.5, 1.3, 0.6, 1.1, -0.8]), ("reach-arm-hand", [0.6, 0.5, -0.3, -1.9, 0.2, 2.3, 0.8])):
            a = self.run_job(name)
            self.assertLess(np.abs(a["q"][-1, :len(place)] - place).max(), 1e-6)
            tips = [a[f"poses:{side}_finger"][:, -1, :3, 3] for side in ("left", "right")]
            apart = np.linalg.norm(tips[0] - tips[1], axis=1)
            self.assertGreater(apart[0], 0.065)
            self.assertTrue(0.014 < apart[-1] < 0.025, "they nearly touch")
        a = self.run_job("soft-finger")
        self.assertTrue((np.diff(a["poses:finger"][:, -1, 1, 3]) > 0).all(), "the more tension the further to its inner side")

    @motion
    def test_the_boom_floats_bends_in_the_current_and_follows_its_winch(self):
        a = self.run_job("boom")
        ends, t = a["poses:boom"][:, [0, -1]][..., :3, 3], a["t"]
        self.assertLess(np.abs(a["poses:boom"][:, :, 2, 3]).max(), 0.3, "it neither sinks nor flies")
        middle = a["poses:boom"][:, a["poses:boom"].shape[1] // 2, :3, 3]
        at = np.searchsorted(t, 18)
        self.assertGreater((middle[at] - ends[at].mean(axis=0))[0], 0.5, "its bag hangs downstream")
        east = np.linalg.norm(ends[:, 1] - [-5, 4, 0], axis=1)
        self.assertLess(east[np.searchsorted(t, 35)], east[at] - 2, "the winch takes it in")

    @motion
    def test_the_gripper_snaps_between_its_limit_points_and_its_fingers_close(self):
        a = self.run_job("snap-gripper", ["unstable"])
        path = a["summary"]["continuation"]
        limits = [e["value"] for e in path["events"] if e["kind"] == "limit"]
        self.assertTrue(path["reached"])
        self.assertEqual(len(limits), 2)
        self.assertLess(limits[0], -2), self.assertGreater(limits[1], 2)
        left, right = (a[f"poses:{name}"] @ [0, 0, 0.05, 1] for name in ("left", "right"))
        gap = (right - left)[:, 0]
        self.assertLess(gap[-1], 0.85 * gap[0])
        self.assertTrue(a["stable"][0] and a["stable"][-1] and not a["stable"].all())

    @motion
    def test_the_catheter_stays_in_its_vessel_and_is_turned(self):
        a = self.run_job("catheter")
        centre = a["poses:tube"][:, :, :3, 3]
        outside = np.hypot(centre[..., 1], centre[..., 2]) + 0.0012 - 0.012
        self.assertLess(outside.max(), 5e-4, "the wall holds it")
        self.assertGreater(outside.max(), 0, "it touches the wall")
        self.assertAlmostEqual(centre[-1, 0, 0] - centre[0, 0, 0], 0.08, delta=1e-3)

    @motion
    def test_the_gripper_lifts_a_ball_holds_it_without_creep_and_lets_go(self):
        a = self.run_job("ball-gripper")
        t, height = a["t"], a["poses:ball"][:, 2, 3]
        held, weight = (t > 2.5) & (t < 6.9), 250 * 4 / 3 * np.pi * 0.04**3 * 9.81
        self.assertLess(np.ptp(height[held]), 1e-5, "it creeps")
        self.assertAlmostEqual(height[held][0], 0.14, delta=1e-3)
        self.assertLess(height[-1], 0.045, "it lies on the floor again")
        self.assertEqual(a["summary"]["contacts"], ["floor.ball", "grip.finger1.ball", "grip.finger2.ball", "grip.finger3.ball"])
        force, pressed = a["contact_force"][held], a["contacts"][held][..., 1]
        self.assertLess(np.abs(force[:, 1:, 2].sum(1) + weight).max(), 1e-3 * weight, "the fingers carry it")
        self.assertEqual(np.abs(force[:, 0]).max(), 0)
        self.assertTrue((np.linalg.norm(force[:, 1:], axis=2) < pressed[:, 1:] * np.hypot(1, 0.8) * (1 + 1e-9)).all(), "the cone of friction")

    @motion
    def test_the_gripper_lifts_a_box_by_its_faces_and_lets_it_fall_on_the_table(self):
        a = self.run_job("box-gripper")
        t, height, turned = a["t"], a["poses:box"][:, 2, 3], a["poses:box"][:, 2, 2]
        held, weight = (t > 2.5) & (t < 6.9), 250 * 0.07 * 0.07 * 0.06 * 9.81
        self.assertLess(np.ptp(height[held]), 1e-5, "it creeps")
        self.assertAlmostEqual(height[held][0], 0.13, delta=2e-3)
        self.assertGreater(turned[held].min(), 1 - 1e-6, "it stays level")
        self.assertAlmostEqual(height[-1], 0.03, delta=1e-3)
        self.assertEqual(a["summary"]["contacts"], ["stand.box.table"] + [f"grip.finger{k}.box" for k in range(1, 5)])
        force = a["contact_force"][held]
        self.assertLess(np.abs(force[:, 1:, 2].sum(1) + weight).max(), 1e-3 * weight, "the fingers carry it")
        self.assertEqual(np.abs(force[:, 0]).max(), 0)

    @motion
    def test_the_snake_crawls_forward_by_its_own_length(self):
        a = self.run_job("snake")
        head = a["poses:part4"][:, -1, :3, 3]
        self.assertGreater(head[-1, 0] - head[0, 0], 0.7)
        self.assertLess(np.abs(head[:, 1]).max(), 0.2, "it keeps its direction")

    @motion
    def test_the_rope_comes_to_lie_on_itself_and_its_account_closes(self):
        a = self.run_job("coiling-rope")
        table, coils = a["contacts"][:, 0], a["contacts"][:, 1]
        self.assertEqual(a["summary"]["contacts"], ["table.rope", "coils.rope.rope"])
        self.assertEqual(coils[a["t"] < 1, 1].max(), 0)
        self.assertGreater(coils[-1, 1], 0.2, "it lies on itself")
        self.assertLess(table[-1, 0], 0.01)
        self.assertLess(coils[:, 0].max(), 0.01, "it does not go through itself")

    @motion
    def test_the_tentacle_of_another_model_is_found_within_what_the_deviations_say(self):
        a, truth = self.run_job("tentacle-fit"), np.array([4.2e5, 1080, 1500])
        fit = a["summary"]["fit"]
        self.assertEqual([p["name"] for p in fit["parameters"]], ["young", "density", "viscosity"])
        self.assertTrue((np.abs(a["best"] - truth) < 3 * a["deviation"]).all(), (a["best"], a["deviation"]))
        self.assertLess((a["deviation"] / truth).max(), 0.02)
        self.assertAlmostEqual(fit["misfit"], 1, delta=0.2)
        self.assertTrue((np.abs(a["parameters"][0] / truth - 1) > 0.2).all(), "it starts far off")
        for k in range(4):
            missed = {name: np.nanmax(np.abs(a[f"{name}:{k}:0"] - a[f"measured:{k}:0"])) for name in ("first", "fitted")}
            self.assertLess(missed["fitted"], 4e-3)
            self.assertGreater(missed["first"], 0.1)
        self.assertEqual(np.isnan(a["measured:1:0"]).sum(), 4, "two frames without a tip")

    def test_the_manipulator_that_was_chosen_reaches_farther_and_is_as_stiff_as_asked(self):
        a = self.run_job("manipulator-design", ["design_at_bound", "design_at_bound"])
        found, aside = a["summary"]["design"], a["poses:arm@1"][:, 1, 3]
        self.assertEqual(found["end"], "converged")
        self.assertGreater(aside[3], 1.2 * -found["first_objective"], "it reaches a fifth farther")
        self.assertAlmostEqual(aside[4], 0.04, delta=1e-4, msg="the push moves it as far as it may")
        radius = a["best"][:2]
        self.assertGreater(radius[0], 1.5 * radius[1], "a taper")


if __name__ == "__main__":
    unittest.main(verbosity=2)

"""The guard of runs and lists: what cannot be trusted says so, in the job, its list, its events, its result, on every face."""
import json
import os
import re
import subprocess
import tempfile
import unittest

import numpy as np

from harness import BIN, Server, ServerTest, example, main, pendulum

NPZ = {"Accept": "application/x-npz"}
# implicit Euler with five steps to a swing loses most of the energy that a frictionless pendulum keeps
LOSSY = {"model": "pendulum", "kind": "dynamics", "t_end": 4, "initial": {"q": [1.5]},
         "integrator": {"method": "euler_implicit", "h": 0.1}, "output": {"dt": 0.1, "fields": ["q", "energy"]}}
# the same motion as it should be
FAITHFUL = {**LOSSY, "integrator": {"method": "bdf"}}


class Guard(ServerTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        assert cls.server.request("POST", "/v1/models", pendulum()).status == 201

    def finish(self, job, state):
        done = self.server.wait(self.server.submit(job))
        self.assertEqual(done["state"], state, done)
        return done

    def test_a_run_that_cannot_go_on_keeps_what_it_has_come_to(self):
        inertia = {"type": "rigid", "mass": 0.1, "com": [0.02, 0, 0], "inertia": [1e-5, 1e-5, 1e-5]}
        points = [{"link": "base", "points": [[-0.02, 0, -0.008]]}, {"link": "a", "points": [[0.02, 0, -0.008]]}]
        model = {"format": "tendril.model/1", "links": [
            {"name": "base", "joint": {"type": "fixed"}, "body": inertia},
            {"name": "a", "parent": "base", "joint": {"type": "revolute", "axis": "y", "damping": 1e-3}, "body": inertia}],
            "actuators": [{"name": "t", "type": "tendon", "segments": points}]}
        job = {"model": model, "kind": "dynamics", "t_end": 2, "inputs": {"t": 1}, "output": {"dt": 0.01, "fields": ["q"]},
               "integrator": {"method": "bdf"}}
        done = self.finish(job, "failed")
        self.assertIn(done["error"]["code"], ("step_too_small", "not_converged"))
        reply = self.server.request("GET", f"/v1/jobs/{done['id']}/result?partial=1")
        self.assertEqual(reply.status, 200, reply.body)
        kept = reply.json()["arrays"]
        self.assertGreater(len(kept["t"]), 50)
        self.assertLess(kept["t"][-1], 2)
        self.assertTrue(np.isfinite(np.array(kept["q"])).all())
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "job.json"), "w", encoding="utf8") as file:
                json.dump(job, file)
            out = os.path.join(folder, "out.npz")
            ended = subprocess.run([os.path.join(BIN, "tendril-worker"), "--local", "-", file.name, "-o", out],
                                   stderr=subprocess.PIPE, check=False)
            self.assertEqual(ended.returncode, 1, ended.stderr)
            self.assertEqual(list(np.load(out)["t"]), kept["t"])

    def test_remarks_on_every_tendon_do_not_push_out_what_the_run_says_of_itself(self):
        model = pendulum()
        body = {"type": "rod", "length": 0.2, "section": {"shape": "circle", "radius": 0.005},
                "material": {"young": 1e6, "poisson": 0.5, "density": 1000, "viscosity": 1000},
                "strain": {"basis": "legendre", "order": {"bending_y": 0}}}
        model["links"].append({"name": "rod", "joint": {"type": "fixed"}, "body": body})
        model["actuators"] = [{"name": f"cable{i}", "type": "tendon", "link": "rod",
                               "routing": {"type": "linear", "base": [0.001 * (10 + i), 0], "tip": [0.01, 0]}} for i in range(24)]
        done = self.finish({**LOSSY, "model": model, "initial": {"q": [1.5, 0]}}, "succeeded")
        codes = [warning["code"] for warning in done["warnings"]]
        self.assertEqual(codes[0], "energy_error")
        self.assertEqual(codes.count("tendon_outside"), 1)
        outside, = (warning for warning in done["warnings"] if warning["code"] == "tendon_outside")
        self.assertEqual(outside["pointer"], "/model/actuators/0/routing")
        self.assertRegex(outside["detail"], '^24 tendons run outside of their rods; at s = 0 tendon "cable23" runs 6.6 times')
        self.assertNotIn("more_warnings", codes)

    def test_a_run_that_loses_energy_succeeds_with_a_warning_wherever_it_is_seen(self):
        done = self.finish({**LOSSY, "labels": {"guard": "warn"}}, "succeeded")
        warning, = done["warnings"]
        self.assertEqual((warning["code"], warning["pointer"]), ("energy_error", "/integrator"))
        result = self.server.request("GET", f"/v1/jobs/{done['id']}/result").json()
        energy = result["summary"]["energy"]
        self.assertGreater(abs(energy["error"]), 0.01 * energy["exchanged"])
        self.assertEqual(result["summary"]["warnings"], [warning])
        listed, = self.server.request("GET", "/v1/jobs?label=guard:warn").json()["jobs"]
        self.assertEqual(listed["warnings"], [warning])
        events = self.server.request("GET", f"/v1/jobs/{done['id']}/events?since=0&wait=0").json()["events"]
        self.assertEqual([e.get("warnings") for e in events if e.get("state") in ("queued", "running", "succeeded")],
                         [None, None, [warning]])

    def test_the_same_motion_computed_well_has_no_warning(self):
        self.assertEqual(self.finish(FAITHFUL, "succeeded")["warnings"], [])
        self.assertEqual(self.finish({**FAITHFUL, "on_inconsistency": "fail"}, "succeeded")["warnings"], [])

    def test_a_run_may_fail_for_it_and_keeps_all_it_computed(self):
        done = self.finish({**LOSSY, "on_inconsistency": "fail"}, "failed")
        warning, = done["warnings"]
        self.assertEqual(done["error"], {**warning, "code": "inconsistent"})
        self.assertEqual((done["attempt"], done["progress"]), (1, {"fraction": 1, "t": 4, "t_end": 4}))
        path = f"/v1/jobs/{done['id']}/result"
        self.assert_problem(self.server.request("GET", path), 409, "failed_precondition", words=["?partial=1"])
        kept = self.server.request("GET", path + "?partial=1", headers=NPZ).npz()
        whole = self.server.request("GET", f"/v1/jobs/{self.finish(LOSSY, 'succeeded')['id']}/result", headers=NPZ).npz()
        for name in ("t", "q", "energy"):
            np.testing.assert_array_equal(kept[name], whole[name], name)
        summary = json.loads(bytes(kept["summary"]))
        self.assertEqual((summary["error"], summary["warnings"]), (done["error"], [warning]))
        self.assertGreater(abs(summary["energy"]["error"]), 0.01 * summary["energy"]["exchanged"])

    def test_a_sweep_says_how_many_of_its_jobs_have_warnings(self):
        vary = [{"path": "/job/integrator/h", "values": [0.0005, 0.1, 0.05]}]
        base = {**LOSSY, "t_end": 1}
        done = self.finish({"kind": "sweep", "base": base, "vary": vary}, "succeeded")
        told = [w for w in done["warnings"] if w["code"] == "jobs_warned"]
        self.assertEqual(len(told), 1, done["warnings"])
        children = self.server.request("GET", f"/v1/jobs?parent={done['id']}").json()["jobs"]
        warned = sum(bool(child["warnings"]) for child in children)
        self.assertTrue(0 < warned < 3, [child["warnings"] for child in children])
        self.assertTrue(told[0]["detail"].startswith(f"{warned} of 3 jobs have warnings; the worst, energy_error of"), told)

    def test_a_sweep_has_the_rank_of_its_worst_job_wherever_it_is_seen_and_says_what_is_odd_once(self):
        odd = pendulum(name="odd")
        del odd["name"]
        odd["gravity"] = [0, 0, -98.1]
        vary = [{"path": "/job/integrator/h", "values": [0.0005, 0.1]}]
        base = {**LOSSY, "model": odd, "t_end": 1, "integrator": {"method": "euler_implicit", "h": 0.1}}
        done = self.finish({"kind": "sweep", "base": base, "vary": vary, "labels": {"sweep": "worst"}}, "succeeded")
        children = self.server.request("GET", f"/v1/jobs?parent={done['id']}").json()["jobs"][::-1]
        false = [child for child in children if child["warnings"][0]["code"] == "energy_error"]
        self.assertTrue(false and children[0]["warnings"], children)
        worst = done["warnings"][0]
        self.assertEqual((worst["code"], worst["pointer"]), ("energy_error", ""), done["warnings"])
        self.assertTrue(worst["detail"].startswith(f"{len(false)} of 2 jobs have this warning; the first, {false[0]['id']}: "), worst)
        self.assertEqual(done["warnings"][-1]["code"], "jobs_warned")
        gravity = [w["pointer"] for w in done["warnings"] if w["code"] == "odd_gravity"]
        self.assertEqual(gravity, ["/base/model/gravity"])
        listed, = self.server.request("GET", "/v1/jobs?label=sweep:worst&kind=sweep").json()["jobs"]
        self.assertEqual(listed["warnings"], done["warnings"])
        last = self.server.request("GET", f"/v1/jobs/{done['id']}/events?since=0&wait=0").json()["events"][-1]
        self.assertEqual((last["state"], last["warnings"]), ("succeeded", done["warnings"]))
        summary = self.server.request("GET", f"/v1/jobs/{done['id']}/result").json()["summary"]
        self.assertEqual(summary["warnings"], done["warnings"])
        self.assertEqual([job["warnings"] for job in summary["jobs"]], [child["warnings"] for child in children])

    def test_what_a_sweep_has_so_far_has_the_rank_of_its_worst_job_so_far(self):
        vary = [{"path": "/job/t_end", "values": [1, 1e5]}]
        base = {**LOSSY, "t_end": 1, "integrator": {"method": "euler_implicit", "h": 0.1}, "max_wall_s": 60}
        sweep = self.server.request("POST", "/v1/jobs", {"kind": "sweep", "base": base, "vary": vary}).json()
        path = f"/v1/jobs/{sweep['id']}"
        try:
            children = self.server.request("GET", f"/v1/jobs?parent={sweep['id']}").json()["jobs"][::-1]
            self.assertEqual(self.server.wait(children[0]["id"])["warnings"][0]["code"], "energy_error")
            found = self.server.request("GET", f"{path}/result?partial=1").json()["summary"]
            self.assertNotEqual(found["state"], "succeeded")
            self.assertEqual([w["code"] for w in found["warnings"]], ["energy_error", "jobs_warned"])
            self.assertTrue(found["warnings"][0]["detail"].startswith("1 of 1 jobs have this warning; the first, "), found)
        finally:
            self.server.request("POST", f"{path}:cancel")

    def test_a_robot_at_rest_or_almost_has_no_warning_by_any_method(self):
        arm = example("cdm.model.json")
        for method in ("bdf", "dae", "newmark", "hht", "generalized_alpha"):
            for initial in ({"q": "equilibrium"}, {"q": "equilibrium", "qd": [1e-9] * 24}):
                job = {"model": arm, "kind": "dynamics", "t_end": 0.2, "initial": initial, "integrator": {"method": method},
                       "on_inconsistency": "fail"}
                with self.subTest(method=method, initial=initial):
                    self.assertEqual(self.finish(job, "succeeded")["warnings"], [])
        still = {**FAITHFUL, "initial": {"q": [0.0]}, "on_inconsistency": "fail"}
        self.assertEqual(self.finish(still, "succeeded")["warnings"], [])

    def test_a_run_that_only_symmetry_keeps_at_an_unstable_equilibrium_says_so(self):
        """A strip pushed along its axis stays straight beyond Euler's load, as nothing tells it a side; an imperfection does."""
        euler = np.pi**2 / 4 * 2e9 * 0.02 * 0.001**3 / 12 / 0.3**2

        def strip(load, duration=3, curvature=0, **members):
            strain = {"basis": "legendre", "order": {"bending_y": 3}, "reference": [0, curvature, 0, 1, 0, 0]}
            body = {"type": "rod", "length": 0.3, "section": {"shape": "rectangle", "height": 0.02, "width": 0.001, "torsion_constant": 6.5e-12},
                    "material": {"young": 2e9, "poisson": 0.35, "density": 1200, "viscosity": 3e6}, "strain": strain}
            model = {"format": "tendril.model/1", "links": [{"name": "strip", "joint": {"type": "fixed"}, "body": body}],
                     "loads": [{"link": "strip", "channels": [None, None, None, "push", None, None]}]}
            push = {"type": "ramp", "t": [0, 0.5], "value": [0, -load * euler]}
            return {"model": model, "kind": "dynamics", "t_end": duration, "inputs": {"push": push}, "output": {"dt": 0.1, "fields": ["q"]}, **members}

        def unstable(job):
            return [w["detail"] for w in self.finish(job, "succeeded")["warnings"] if w["code"] == "unstable"]

        self.assertRegex(" ".join(unstable(strip(1.5))), "only symmetry.*strain.reference")
        for fine in (strip(0.9), strip(1.5, curvature=0.001), strip(1.5, initial={"q": [0.001, 0, 0, 0]}), strip(1.5, duration=0.1)):
            self.assertEqual(unstable(fine), [], fine)
        for start in (0.0, 3.0):
            self.assertEqual(unstable({**FAITHFUL, "initial": {"q": [start]}}), [])

    def test_options_have_two_words_each_and_belong_to_their_kind(self):
        for job, pointer in (({**LOSSY, "on_inconsistency": "ignore"}, "/on_inconsistency"),
                             ({**LOSSY, "unconverged": "keep"}, "/unconverged"),
                             ({"model": "pendulum", "kind": "statics", "unconverged": True}, "/unconverged"),
                             ({"model": "pendulum", "kind": "statics", "on_inconsistency": "fail"}, "/on_inconsistency")):
            self.assert_problem(self.server.request("POST", "/v1/jobs", job), 400, "invalid_argument", pointer=pointer)


class Command(ServerTest):
    """What `tendril` says of warnings, and its exit status."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        assert self.server.request("PUT", "/v1/models/pendulum", pendulum()).status in (200, 201)

    def path(self, name, document=None):
        path = os.path.join(self.folder.name, name)
        if document is not None:
            with open(path, "w", encoding="utf-8") as file:
                json.dump(document, file)
        return path

    def call(self, *words, status=0):
        done = subprocess.run([os.path.join(BIN, "tendril"), "--url", f"http://{self.server.host}:{self.server.port}", *words],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stdout, done.stderr

    def test_a_run_tells_its_warnings_and_a_list_shows_them(self):
        out, said = self.call("run", self.path("a.job.json", {**LOSSY, "labels": {"command": "a"}}), "-o", self.path("a.npz"))
        self.assertEqual(said.count("warning: energy_error at /integrator: the energy balance misses"), 1, said)
        head, row = self.call("jobs", "list", "--label", "command:a")[0].splitlines()
        self.assertTrue(head.endswith("WARNINGS              WAITS FOR") and re.search("  energy_error +-$", row), (head, row))
        job = json.loads(self.call("jobs", "get", row.split()[0], "--json")[0])
        self.assertEqual([w["code"] for w in job["warnings"]], ["energy_error"])
        again = self.call("result", job["id"], "-o", self.path("again.npz"))
        self.assertEqual(again[1].count("warning: energy_error at /integrator: the energy balance misses"), 1, again)
        quiet = self.path("b.job.json", {**FAITHFUL, "labels": {"command": "b"}})
        self.assertNotIn("warning", self.call("run", quiet, "-o", self.path("b.npz"))[1])
        self.assertTrue(self.call("jobs", "list", "--label", "command:b")[0].splitlines()[1].split()[-2:] == ["-", "-"])

    def test_what_failed_at_its_end_exits_1_and_says_how_to_fetch_what_is_kept(self):
        for name, job, code in (("c", {**LOSSY, "on_inconsistency": "fail"}, "inconsistent"),
                                ("d", {"model": "pendulum", "kind": "statics", "inputs": {"motor": [1, 50]}}, "unconverged")):
            with self.subTest(code=code):
                out = self.path(name + ".npz")
                said = self.call("run", self.path(name + ".job.json", job), "-o", out, status=1)[1]
                self.assertIn(f"({code})", said)
                self.assertRegex(said, r" failed 100 %")
                self.assertFalse(os.path.exists(out))
                job_id = next(line.split()[2] for line in said.splitlines() if "`tendril result" in line)
                self.call("result", job_id, "-o", out, status=1)
                self.call("result", job_id, "--partial", "-o", out)
                with np.load(out) as arrays:
                    self.assertEqual(json.loads(bytes(arrays["summary"]))["error"]["code"], code)

    def test_odd_models_and_jobs_are_told_on_stderr_when_they_are_handed_in(self):
        odd = {**pendulum(name="odd"), "gravity": [0, 0, -9810]}
        out, said = self.call("models", "put", self.path("odd.model.json", odd))
        self.assertIn("odd revision 1", out)
        self.assertIn("warning: odd_gravity at /gravity: ", said)
        said = self.call("jobs", "submit", self.path("odd.job.json", {"model": "odd", "kind": "statics"}))[1]
        self.assertIn("warning: odd_gravity at /model/gravity: ", said)


class Alone(unittest.TestCase):
    """tendril simulate: no server, the same words."""

    def simulate(self, job):
        with tempfile.TemporaryDirectory() as folder:
            paths = [os.path.join(folder, name) for name in ("model.json", "job.json", "out.npz")]
            for path, document in zip(paths, (pendulum(), {k: v for k, v in job.items() if k != "model"})):
                with open(path, "w", encoding="utf-8") as file:
                    json.dump(document, file)
            done = subprocess.run([os.path.join(BIN, "tendril"), "simulate", *paths[:2], "-o", paths[2]], capture_output=True,
                                  text=True, check=False)
            if not os.path.exists(paths[2]):
                return done, None
            with np.load(paths[2]) as arrays:
                return done, {name: arrays[name] for name in arrays}

    def test_a_warning_goes_to_stderr(self):
        done, arrays = self.simulate(LOSSY)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("warning: energy_error at /integrator: ", done.stderr)
        self.assertEqual(len(arrays["t"]), 41)
        self.assertNotIn("warning", self.simulate(FAITHFUL)[0].stderr)

    def test_what_fails_at_its_end_exits_1_and_leaves_its_archive(self):
        done, arrays = self.simulate({**LOSSY, "on_inconsistency": "fail"})
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("inconsistent at /integrator: the energy balance misses", done.stderr)
        self.assertEqual(len(arrays["t"]), 41)
        done, arrays = self.simulate({"kind": "statics", "inputs": {"motor": [1, 50]}})
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("unconverged at /inputs: 1 of 2 problems have no solution; the first, number 1", done.stderr)
        np.testing.assert_array_equal(np.isnan(arrays["q"][:, 0]), [False, True])


if __name__ == "__main__":
    main()

"""Jobs from submission to result: states, order, results in both forms, cancel, delete, failures."""
import datetime
import json
import math
import os
import signal
import time
from urllib.parse import quote

import numpy as np

from harness import ServerTest, example, long_job, main, pendulum, soft_arm

NPZ = {"Accept": "application/x-npz"}
SHORT = {"model": "pendulum", "kind": "dynamics", "t_end": 0.1, "output": {"dt": 0.1, "fields": ["q"]}}


class Jobs(ServerTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for model in (pendulum(), soft_arm()):
            assert cls.server.request("POST", "/v1/models", model).status == 201

    def run_job(self, job):
        job_id = self.server.submit(job)
        done = self.server.wait(job_id)
        self.assertEqual(done["state"], "succeeded", done)
        return job_id, done

    def test_a_job_is_accepted_run_and_gives_the_same_result_in_json_and_npz(self):
        job = {"model": "pendulum", "kind": "dynamics", "t_end": 2, "initial": {"q": [0.4]},
               "inputs": {"motor": {"type": "sine", "amplitude": 1, "frequency": 1}},
               "integrator": {"rtol": 1e-8, "atol": 1e-10}, "labels": {"study": "a"},
               "output": {"dt": 0.25, "fields": ["q", "qd", "u", "energy", "poses:arm"]}}
        reply = self.server.request("POST", "/v1/jobs", job)
        self.assertEqual(reply.status, 202, reply.body)
        submitted = reply.json()
        self.assertEqual(reply.headers["Location"], f"/v1/jobs/{submitted['id']}")
        self.assertEqual((submitted["state"], submitted["kind"], submitted["labels"]), ("queued", "dynamics", {"study": "a"}))
        done = self.server.wait(submitted["id"])
        self.assertEqual((done["state"], done["attempt"], done["progress"]["fraction"]), ("succeeded", 1, 1), done)
        self.assertEqual(done["model"]["revision"], 1)
        path = f"/v1/jobs/{done['id']}/result"
        text, archive = self.server.request("GET", path).json(), self.server.request("GET", path, headers=NPZ).npz()
        self.assertEqual(set(archive.files), {"t", "q", "qd", "u", "energy", "poses:arm", "summary"})
        self.assertEqual(set(text["arrays"]), set(archive.files) - {"summary"})
        for name, values in text["arrays"].items():
            np.testing.assert_array_equal(np.array(values), archive[name], name)
        np.testing.assert_allclose(archive["t"], np.arange(9) * 0.25)
        self.assertEqual(archive["poses:arm"].shape, (9, 4, 4))
        np.testing.assert_allclose(archive["u"][:, 0], np.sin(2 * math.pi * archive["t"]), atol=1e-12)
        summary = json.loads(bytes(archive["summary"]))
        self.assertEqual(summary, text["summary"])
        self.assertEqual((summary["job"], summary["model"]["document"]), (job, pendulum()))
        self.assertEqual((summary["model"]["name"], summary["coordinates"]), ("pendulum", ["arm.joint[0]"]))
        self.assertTrue(summary["build"]["version"] and summary["build"]["cpu_level"])
        self.assertGreater(summary["statistics"]["steps"], 10)
        energy = summary["energy"]
        self.assertLess(abs(energy["error"]), 1e-3 * energy["exchanged"])

    def test_the_shipped_manipulator_runs(self):
        model, job = example("cdm.model.json"), example("cdm.job.json")
        self.assertEqual(self.server.request("PUT", "/v1/models/cdm", model).status, 201)
        job_id, _ = self.run_job(job)
        arrays = self.server.request("GET", f"/v1/jobs/{job_id}/result", headers=NPZ).npz()
        self.assertEqual(arrays["q"].shape, (len(arrays["t"]), 24))
        self.assertTrue(np.all(np.isfinite(arrays["q"])))
        shipped = self.server.request("GET", "/v1/examples/cdm").json()
        self.assertEqual((shipped["model"], shipped["job"]), (model, job))
        self.assertIn("cdm", [row["name"] for row in self.server.request("GET", "/v1/examples").json()["examples"]])

    def test_an_inline_model_runs_and_is_in_the_summary(self):
        job_id, done = self.run_job({**SHORT, "model": pendulum(name="inline")})
        self.assertEqual([done["model"][key] for key in ("name", "revision", "owner")], ["inline", None, None])
        found = self.server.request("GET", "/v1/jobs?model=inline").json()["jobs"]
        self.assertEqual([(job["id"], job["model"]) for job in found], [(job_id, done["model"])])
        summary = self.server.request("GET", f"/v1/jobs/{job_id}/result").json()["summary"]
        self.assertEqual(summary["model"]["document"]["name"], "inline")

    def test_a_job_keeps_the_revision_it_was_given(self):
        self.server.request("PUT", "/v1/models/moving", pendulum())
        self.server.request("PUT", "/v1/models/moving", pendulum(gravity=[0, 0, 0]))
        job = {**SHORT, "initial": {"q": [1.0]}, "t_end": 1, "output": {"dt": 1, "fields": ["q"]}}
        old, _ = self.run_job({**job, "model": "moving@1"})
        new, done = self.run_job({**job, "model": "moving"})
        self.assertEqual(done["model"]["revision"], 2)
        q = [self.server.request("GET", f"/v1/jobs/{i}/result").json()["arrays"]["q"][-1][0] for i in (old, new)]
        self.assertNotEqual(q[0], 1.0)
        self.assertAlmostEqual(q[1], 1.0, 12)

    def test_a_list_of_statics_is_solved_in_order_and_agrees_with_the_closed_form(self):
        torque = [0.0, 1.0, 2.0, -3.0]
        job_id, _ = self.run_job({"model": "pendulum", "kind": "statics", "inputs": {"motor": torque}})
        arrays = self.server.request("GET", f"/v1/jobs/{job_id}/result", headers=NPZ).npz()
        np.testing.assert_array_equal(arrays["u"][:, 0], torque)
        np.testing.assert_allclose(np.sin(arrays["q"][:, 0]), np.array(torque) / 9.81, atol=1e-9)
        self.assertTrue(np.all(arrays["converged"]) and np.all(arrays["stable"]))
        self.assertEqual(arrays["iterations"].shape, (4,))
        self.assertEqual(json.loads(bytes(arrays["summary"]))["failures"], [])

    LIST = {"model": "pendulum", "kind": "statics", "inputs": {"motor": [1.0, 1e6, 2.0]}}

    def assert_one_row_of_nothing(self, result):
        arrays = result["arrays"]
        self.assertEqual(arrays["converged"], [True, False, True])
        self.assertEqual(arrays["u"], [[1.0], [1e6], [2.0]])
        for name in ("q", "residual"):
            self.assertEqual([row in (None, [None]) for row in arrays[name]], [False, True, False], name)
        self.assertEqual(arrays["stable"], [True, False, True])
        failure, = result["summary"]["failures"]
        self.assertEqual((failure["index"], failure["code"]), (1, "not_converged"))

    def test_a_list_with_a_problem_without_solution_fails_and_keeps_what_it_found(self):
        job_id = self.server.submit(self.LIST)
        done = self.server.wait(job_id)
        self.assertEqual((done["state"], done["error"]["code"], done["attempt"]), ("failed", "unconverged", 1), done)
        self.assertIn("1 of 3 problems have no solution; the first, number 1:", done["error"]["detail"])
        self.assert_problem(self.server.request("GET", f"/v1/jobs/{job_id}/result"), 409, "failed_precondition",
                            words=["?partial=1", "1 of 3 problems"])
        result = self.server.request("GET", f"/v1/jobs/{job_id}/result?partial=1").json()
        self.assert_one_row_of_nothing(result)
        self.assertEqual((result["summary"]["partial"], result["summary"]["error"]), (True, done["error"]))

    def test_a_list_may_expect_problems_without_solution_and_succeeds_with_a_warning(self):
        job_id, done = self.run_job({**self.LIST, "unconverged": "keep"})
        warning, = done["warnings"]
        self.assertEqual((warning["code"], warning["pointer"]), ("unconverged", "/inputs"))
        result = self.server.request("GET", f"/v1/jobs/{job_id}/result").json()
        self.assert_one_row_of_nothing(result)
        self.assertEqual(result["summary"]["warnings"], [warning])

    def test_an_unstable_equilibrium_is_a_warning(self):
        job_id, done = self.run_job({"model": "pendulum", "kind": "statics", "initial": {"q": [3.1]}, "inputs": {}})
        q, stable = (self.server.request("GET", f"/v1/jobs/{job_id}/result").json()["arrays"][k] for k in ("q", "stable"))
        self.assertEqual([w["code"] for w in done["warnings"]], [] if stable[0] else ["unstable"], q)

    def test_equilibria_that_flutter_are_told_without_a_word_of_sides(self):
        """Beck's column: a force that follows its tip makes it swing beyond 20.05 EI / L^2, and symmetry has no part in it."""
        body = {"type": "rod", "length": 1, "section": {"shape": "circle", "radius": 0.001},
                "material": {"young": 1e9, "poisson": 0.3, "density": 1000}, "strain": {"basis": "legendre", "order": {"bending_y": 8}}}
        column = {"format": "tendril.model/1", "links": [{"name": "rod", "joint": {"type": "fixed"}, "body": body}],
                  "loads": [{"link": "rod", "frame": "body", "channels": [None, None, None, "push", None, None]}]}
        unit = 1e9 * math.pi * 1e-12 / 4
        for frame, loads, words, other in (("body", [-19, -21, -22], "2 of 3 .*2 of them in swings that loads feed", "symmetric"),
                                           ("world", [-2, -3, -4], "2 of 3 .*a symmetric one takes a side", "swings")):
            column["loads"][0]["frame"] = frame
            done = self.run_job({"model": column, "kind": "statics", "inputs": {"push": [x * unit for x in loads]}})[1]
            detail = next(w["detail"] for w in done["warnings"] if w["code"] == "unstable")
            self.assertRegex(detail, words)
            self.assertNotIn(other, detail)

    def test_a_result_before_the_end_is_not_ready_and_a_cancelled_job_has_none(self):
        job_id = self.server.submit(long_job("soft"))
        self.server.wait_for_progress(job_id)
        early = self.server.request("GET", f"/v1/jobs/{job_id}/result")
        self.assert_problem(early, 409, "not_ready")
        self.assert_problem(self.server.request("DELETE", f"/v1/jobs/{job_id}"), 409, "failed_precondition")
        start = time.monotonic()
        self.assertEqual(self.server.request("POST", f"/v1/jobs/{job_id}:cancel").status, 202)
        self.assertEqual(self.server.wait(job_id)["state"], "cancelled")
        self.assertLess(time.monotonic() - start, 5)
        self.assertEqual(self.server.request("POST", f"/v1/jobs/{job_id}:cancel").status, 200)
        self.assert_problem(self.server.request("GET", f"/v1/jobs/{job_id}/result"), 409, "failed_precondition")
        self.assertEqual(self.server.request("DELETE", f"/v1/jobs/{job_id}").status, 204)
        self.assert_problem(self.server.request("GET", f"/v1/jobs/{job_id}"), 404, "not_found")

    def test_higher_priority_goes_first_then_age_and_queued_jobs_cancel_at_once(self):
        blocker = self.server.submit(long_job("soft"))
        self.server.wait_for_progress(blocker)
        late = self.server.submit({**SHORT, "priority": -1})
        first = self.server.submit({**SHORT, "priority": 5})
        second = self.server.submit({**SHORT, "priority": 5})
        dropped = self.server.submit({**SHORT, "priority": 100})
        reply = self.server.request("POST", f"/v1/jobs/{dropped}:cancel")
        self.assertEqual((reply.status, reply.json()["state"]), (202, "cancelled"))
        self.server.request("POST", f"/v1/jobs/{blocker}:cancel")
        started = [self.server.wait(i)["started_at"] for i in (first, second, late)]
        self.assertEqual(started, sorted(started))
        self.assertEqual(self.server.job(dropped)["attempt"], 0)

    def test_a_solver_that_fails_ends_the_job_at_once_and_says_why(self):
        job = {"model": "soft", "kind": "dynamics", "t_end": 1, "inputs": {"cable": 1e12},
               "integrator": {"method": "rk4", "h": 0.1}, "output": {"dt": 0.1, "fields": ["q"]}}
        job_id = self.server.submit(job)
        done = self.server.wait(job_id)
        self.assertEqual((done["state"], done["attempt"]), ("failed", 1), done)
        self.assertIn(done["error"]["code"], ("nonfinite", "singular", "step_too_small", "not_converged"))
        self.assertIn("t = ", done["error"]["detail"])
        self.assert_problem(self.server.request("GET", f"/v1/jobs/{job_id}/result"), 409, "failed_precondition",
                            words=[f"failed and has no result: {done['error']['detail'][:300]}"])

    def test_a_job_stops_when_its_time_is_up(self):
        done = self.server.wait(self.server.submit({**long_job("soft"), "max_wall_s": 0.3}))
        self.assertEqual((done["state"], done["error"]["code"]), ("failed", "limit"), done)

    def test_lists_are_filtered_and_paged(self):
        ids = [self.server.submit({**SHORT, "labels": {"page": str(k % 2)}}) for k in range(5)]
        for job_id in ids:
            self.server.wait(job_id)
        listed = self.server.request("GET", "/v1/jobs?label=page:1").json()["jobs"]
        self.assertEqual([job["id"] for job in listed], [ids[3], ids[1]])
        seen, cursor = [], ""
        while cursor is not None:
            query = f"/v1/jobs?limit=2&state=succeeded&model=pendulum&kind=dynamics{cursor and '&cursor=' + cursor}"
            page = self.server.request("GET", query).json()
            seen += [job["id"] for job in page["jobs"]]
            cursor = page["next_cursor"]
        self.assertEqual(len(seen), len(set(seen)))
        self.assertEqual([i for i in seen if i in ids], ids[::-1])
        self.assertEqual(self.server.request("GET", "/v1/jobs?since=2100-01-01T00:00:00Z").json()["jobs"], [])

    def test_times_of_a_list_are_rfc_3339_with_any_offset(self):
        job = self.server.job(self.server.submit({**SHORT, "labels": {"when": "now"}}))
        created = datetime.datetime.fromisoformat(job["created_at"].rstrip("Z") + "+00:00")
        listed = lambda key, when: [j["id"] for j in self.server.request("GET", f"/v1/jobs?label=when:now&{key}={when}").json()["jobs"]]
        later, before = created + datetime.timedelta(seconds=1), created - datetime.timedelta(seconds=1)
        for hours in (0, 2, -9.5):
            zone = datetime.timezone(datetime.timedelta(hours=hours))
            texts = [quote(when.astimezone(zone).isoformat()) for when in (before, later)]
            self.assertEqual([listed("since", t) for t in texts] + [listed("until", t) for t in texts],
                             [[job["id"]], [], [], [job["id"]]], texts)
        self.assertEqual(listed("since", before.isoformat()), [job["id"]], "a plus sign that the query made a blank")
        for wrong in ("2026-02-30T00:00:00Z", "2026-02-31T00:00:00Z", "2026-13-01T00:00:00Z", "2026-01-01T24:00:00Z", "2026-01-01T00:00:00",
                      "2026-01-01", "2026-01-01T00:00:00%2B25:00", "2026-01-01T00:00:00.Z", "26-01-01T00:00:00Z", "2026-01-01T00:00:00Zz", ""):
            self.assert_problem(self.server.request("GET", f"/v1/jobs?since={wrong}"), 400, "invalid_argument")

    def test_a_label_whose_key_has_a_colon_could_not_be_found_and_is_refused(self):
        self.assert_problem(self.server.request("POST", "/v1/jobs", {**SHORT, "labels": {"a:b": "c"}}), 400, "invalid_argument", "/labels/a:b")
        job_id = self.server.submit({**SHORT, "labels": {"a": "b:c"}})
        self.assertEqual([j["id"] for j in self.server.request("GET", "/v1/jobs?label=a:b:c").json()["jobs"]], [job_id])

    def test_progress_counts_in_numbers_from_the_start_to_the_end(self):
        for job, end in (({"model": "soft", "kind": "statics", "inputs": {"cable": [1, 2, 3]}}, 3),
                         ({"model": "soft", "kind": "linearize", "at": {"times": [0, 0.01]}}, 2), (SHORT, SHORT["t_end"])):
            job_id = self.server.submit(job)
            first = self.server.job(job_id)["progress"]
            self.assertEqual(first["t_end"], end)
            self.assertIsInstance(first["t"], (int, float))
            done = self.server.wait(job_id)
            self.assertEqual((done["state"], done["progress"]), ("succeeded", {"fraction": 1, "t": end, "t_end": end}), done)

    def assert_all_is_kept(self, job_id, state):
        done = self.server.wait(job_id)
        t = self.server.request("GET", f"/v1/jobs/{job_id}/result?partial=1", headers=NPZ).npz()["t"]
        self.assertEqual(done["state"], state, done)
        self.assertGreater(t[-1], 0)
        self.assertGreaterEqual(t[-1] + 0.011, done["progress"]["t"], "samples are missing that were told of as progress")

    def test_a_job_that_is_cancelled_or_whose_time_is_up_keeps_the_samples_since_its_last_checkpoint(self):
        job = {**long_job("soft", 4000), "output": {"dt": 0.01, "fields": ["q"]}}  # checkpoints are 200 s apart
        self.assert_all_is_kept(self.server.submit({**job, "max_wall_s": 0.5}), "failed")
        job_id = self.server.submit(job)
        self.server.wait_for_progress(job_id, 0.02 / 4000)  # beyond its second sample: on a busy machine that takes a while
        self.server.request("POST", f"/v1/jobs/{job_id}:cancel")
        self.assert_all_is_kept(job_id, "cancelled")
        points = self.server.submit({"model": "soft", "kind": "statics", "inputs": {"cable": [1e-3 * k for k in range(100000)]}, "max_wall_s": 0.5})
        done = self.server.wait(points)
        result = self.server.request("GET", f"/v1/jobs/{points}/result?partial=1", headers=NPZ).npz()
        self.assertEqual(done["state"], "failed", done)
        self.assertGreaterEqual(len(result["q"]), max(1, done["progress"]["t"]), "problems are missing that were told of as progress")

    def test_a_job_whose_time_is_up_says_how_much_of_a_processor_it_had_and_is_retried_with_more(self):
        job_id = self.server.submit({**long_job("soft", 4000), "max_wall_s": 2.5})
        self.server.wait_for_progress(job_id)
        worker, = self.server.workers_running()
        os.kill(worker, signal.SIGSTOP)  # as if the machine had other things to do
        time.sleep(2.6)
        os.kill(worker, signal.SIGCONT)
        done = self.server.wait(job_id)
        self.assertEqual((done["state"], done["error"]["pointer"]), ("failed", "/max_wall_s"), done)
        self.assertRegex(done["error"]["detail"], r"time of 2\.5 s was up at t = .*; it had [\d.e-]+ s of a processor in that time")
        for wrong in ("0", "-1", "x", "nan", ""):
            self.assert_problem(self.server.request("POST", f"/v1/jobs/{job_id}:retry?max_wall_s={wrong}"), 400, "invalid_argument")
        again = self.server.request("POST", f"/v1/jobs/{job_id}:retry?max_wall_s=0.25", headers={"Idempotency-Key": "more"}).json()
        self.assertEqual(again["retry_of"], job_id)
        self.assertEqual(self.server.request("POST", f"/v1/jobs/{job_id}:retry?max_wall_s=0.5", headers={"Idempotency-Key": "more"}).status, 422)
        self.assertEqual(self.server.request("GET", f"/v1/jobs/{again['id']}/document").json()["job"]["max_wall_s"], 0.25)
        self.assertIn("time of 0.25 s was up", self.server.wait(again["id"])["error"]["detail"])

    def test_a_job_says_what_it_waits_for(self):
        first = self.server.submit(long_job("soft", 4000))
        self.addCleanup(self.server.request, "POST", f"/v1/jobs/{first}:cancel")
        self.server.wait_for_progress(first)
        taken = "all places to compute are taken, at every node" if "TENDRIL_TEST_STORE" in os.environ else "the only place to compute is taken"
        waits = [self.server.submit(SHORT) for _ in range(3)]
        urgent = self.server.submit({**SHORT, "priority": 9})
        told = {j["id"]: j["waiting_for"] for j in self.server.request("GET", "/v1/jobs?limit=5").json()["jobs"]}
        self.assertEqual(told[urgent], f"its turn: it is the next; {taken}")
        for before, job_id in enumerate(waits, 1):
            words = f"its turn: {before} job{'s' if before > 1 else ''} before it; {taken}"
            self.assertEqual((told[job_id], self.server.job(job_id)["waiting_for"]), (words, words))
        self.assertIn(told[first], (None, self.server.job(first)["waiting_for"]))
        self.server.request("POST", f"/v1/jobs/{first}:cancel")
        self.assertIn(self.server.job(first)["waiting_for"], ("its end: it was cancelled, and its worker stops at its next step", None))
        for job_id in waits:
            done = self.server.wait(job_id)
            self.assertEqual((done["state"], done["waiting_for"]), ("succeeded", None), done)

    def test_the_samples_of_a_run_are_read_before_its_first_checkpoint(self):
        job_id = self.server.submit({**long_job("soft", 4000), "output": {"dt": 0.01, "fields": ["q"]}})  # 200 s apart
        path, rows, end = f"/v1/jobs/{job_id}/result?partial=1", [], time.monotonic() + 60
        self.assert_problem(self.server.request("GET", path), 409, "not_ready")
        while len(set(rows)) < 2 and time.monotonic() < end:
            reply = self.server.request("GET", path, headers=NPZ)
            if reply.status == 200:
                partial = reply.npz()
                rows.append(len(partial["t"]))
                np.testing.assert_allclose(partial["t"], 0.01 * np.arange(rows[-1]), atol=1e-12)
                self.assertTrue(np.isfinite(partial["q"]).all())
                self.assertIn("partial", json.loads(bytes(partial["summary"])))
            time.sleep(0.1)
        self.assertEqual(len(set(rows)), 2, "they do not grow")
        self.assertEqual(rows, sorted(rows))
        self.server.request("POST", f"/v1/jobs/{job_id}:cancel")
        self.assertEqual(self.server.wait(job_id)["state"], "cancelled")
        self.assertGreaterEqual(len(self.server.request("GET", path, headers=NPZ).npz()["t"]), rows[-1])

    def test_points_of_a_linearisation_are_read_while_it_goes_on(self):
        job_id = self.server.submit({"model": "soft", "kind": "linearize", "at": {"times": [1e-3 * k for k in range(400000)]}})
        path, end = f"/v1/jobs/{job_id}/result?partial=1&fields=q", time.monotonic() + 60
        while (reply := self.server.request("GET", path, headers=NPZ)).status != 200 and time.monotonic() < end:
            time.sleep(0.1)
        self.assertEqual((reply.status, self.server.job(job_id)["state"]), (200, "running"))
        self.assertGreater(len(reply.npz()["q"]), 1)
        self.server.request("POST", f"/v1/jobs/{job_id}:cancel")
        self.server.wait(job_id)

    def test_nothing_partial_of_a_job_that_ended_at_its_start(self):
        job_id = self.server.submit({**long_job("soft"), "max_wall_s": 1e-9})
        self.assertEqual(self.server.wait(job_id)["state"], "failed")
        self.assert_problem(self.server.request("GET", f"/v1/jobs/{job_id}/result?partial=1"), 409, "failed_precondition")

    def test_a_run_gives_the_same_bits_again(self):
        job = {"model": "soft", "kind": "dynamics", "t_end": 0.5, "inputs": {"cable": 3}, "output": {"dt": 0.1, "fields": ["q"]}}
        results = [self.server.request("GET", f"/v1/jobs/{self.run_job(job)[0]}/result", headers=NPZ).npz()["q"] for _ in range(2)]
        np.testing.assert_array_equal(*results)


if __name__ == "__main__":
    main()

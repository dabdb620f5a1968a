"""Sweeps: many jobs from one document, on all workers, through losses of workers and of the server."""
import json
import os
import signal
import time
import unittest

import numpy as np

from harness import Server, ServerTest, fixed_step_job, long_job, main, pace, pendulum, soft_arm

NPZ = {"Accept": "application/x-npz"}


def statics(model, **inputs):
    return {"model": model, "kind": "statics", "inputs": inputs}


def sweep(base, vary, **more):
    return {"kind": "sweep", "base": base, "vary": [{"path": path, "values": values} for path, values in vary], **more}


def motor_sweep(count, model="pendulum", **more):
    return sweep(statics(model, motor=0), [("/job/inputs/motor", [i / count for i in range(count)])], **more)


class Sweeps(ServerTest):
    workers = 4

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for model in (pendulum(), soft_arm()):
            assert cls.server.request("POST", "/v1/models", model).status == 201

    def finish(self, document, state="succeeded"):
        job = self.server.wait(self.server.submit(document))
        self.assertEqual(job["state"], state, job)
        return job

    def arrays(self, job_id, query=""):
        reply = self.server.request("GET", f"/v1/jobs/{job_id}/result{query}", headers=NPZ)
        self.assertEqual(reply.status, 200, reply.body[:2000])
        return reply.npz()

    def children(self, job_id):
        jobs, cursor = [], ""
        while cursor is not None:
            page = self.server.request("GET", f"/v1/jobs?parent={job_id}&limit=1000{cursor and '&cursor=' + cursor}").json()
            jobs += page["jobs"]
            cursor = page["next_cursor"]
        return jobs[::-1]

    def test_a_sweep_of_statics_is_stacked_in_the_order_of_its_values(self):
        job = self.finish(motor_sweep(6, labels={"study": "a"}, priority=4))
        self.assertEqual(job["kind"], "sweep")
        self.assertEqual(job["progress"], {"fraction": 1, "t": 6, "t_end": 6})
        self.assertEqual(job["jobs"], {"queued": 0, "running": 0, "succeeded": 6, "failed": 0, "cancelled": 0})
        result = self.arrays(job["id"])
        u = np.arange(6) / 6
        np.testing.assert_array_equal(result["vary[0]"], u)
        np.testing.assert_array_equal(result["child"], np.arange(6))
        np.testing.assert_array_equal(result["u"][:, 0], u)
        self.assertEqual(result["q"].shape, (6, 1))
        # a pendulum whose weight turns it by m g l sin q against the motor
        np.testing.assert_allclose(2 * 9.81 * 0.5 * np.sin(result["q"][:, 0]), u, atol=1e-9)
        self.assertTrue(result["converged"].all() and result["succeeded"].all())
        summary = json.loads(result["summary"].tobytes())
        children = self.children(job["id"])
        self.assertEqual([c["id"] for c in children], [c["id"] for c in summary["jobs"]])
        self.assertEqual([c["values"] for c in summary["jobs"]], [[x] for x in u.tolist()])
        for child in children:
            self.assertEqual((child["parent"], child["kind"], child["priority"], child["labels"]),
                             (job["id"], "statics", 4, {"study": "a"}))
        listed = [j["id"] for j in self.server.request("GET", "/v1/jobs?parent=none&label=study:a").json()["jobs"]]
        self.assertEqual(listed, [job["id"]])
        one = self.arrays(children[4]["id"])
        np.testing.assert_array_equal(one["q"][0], result["q"][4])

    def test_problems_without_a_solution_are_rows_and_failures_of_the_sweep(self):
        # no angle holds more than m g l = 9.81 N m
        document = sweep(statics("pendulum", motor=[1, 2]), [("/job/inputs/motor/1", [3, 50, 4])])
        kept = self.finish({**document, "base": {**document["base"], "unconverged": "keep"}})
        self.assertEqual([w["code"] for w in kept["warnings"]], ["unconverged", "jobs_warned"])
        self.assertIn("1 of 3 jobs have warnings", kept["warnings"][1]["detail"])
        job = self.finish(document, "failed")
        self.assertEqual(job["error"]["code"], "jobs_failed")
        self.assert_problem(self.server.request("GET", f"/v1/jobs/{job['id']}/result"), 409, "failed_precondition")
        for name, values in self.arrays(kept["id"]).items():  # the same rows, whether or not the jobs fail for them
            if name not in ("summary", "succeeded", "child"):
                np.testing.assert_array_equal(values, self.arrays(job["id"], "?partial=1")[name], name)
        result = self.arrays(job["id"], "?partial=1")
        np.testing.assert_array_equal(result["converged"], [True, True, True, False, True, True])
        np.testing.assert_array_equal(np.isnan(result["q"][:, 0]), [False, False, False, True, False, False])
        np.testing.assert_array_equal(result["succeeded"], [True, True, False, False, True, True])
        failure, = json.loads(result["summary"].tobytes())["failures"]
        self.assertEqual((failure["index"], failure["child"]), (3, 1))
        self.assertTrue(failure["code"] and failure["detail"])

    def test_the_same_result_comes_as_json_and_with_the_same_bytes_each_time(self):
        job = self.finish(motor_sweep(3))
        path = f"/v1/jobs/{job['id']}/result"
        self.assertEqual(self.server.request("GET", path, headers=NPZ).body, self.server.request("GET", path, headers=NPZ).body)
        arrays = self.server.request("GET", path).json()["arrays"]
        self.assertEqual(arrays["q"], self.arrays(job["id"])["q"].tolist())

    def test_a_grid_varies_the_last_place_fastest_and_a_model_by_its_parts(self):
        base = statics(soft_arm(order=2), cable=1)
        lengths, tensions = [0.4, 0.5], [0, 1, 2]
        job = self.finish(sweep(base, [("/model/links/0/body/length", lengths), ("/job/inputs/cable", tensions)]))
        result = self.arrays(job["id"])
        np.testing.assert_array_equal(result["vary[0]"], np.repeat(lengths, 3))
        np.testing.assert_array_equal(result["vary[1]"], tensions * 2)
        for i, child in enumerate(self.children(job["id"])):
            model = soft_arm(order=2)
            model["links"][0]["body"]["length"] = lengths[i // 3]
            alone = self.finish(statics(model, cable=tensions[i % 3]))
            self.assertEqual(child["model"]["sha256"], alone["model"]["sha256"])
            self.assertEqual([child["model"][key] for key in ("name", "revision")], ["soft", None])
            np.testing.assert_array_equal(self.arrays(alone["id"])["q"][0], result["q"][i])

    def test_zip_lists_of_problems_and_models_by_name(self):
        base = statics("pendulum", motor=[1, 2])
        job = self.finish(sweep(base, [("/job/inputs/motor/1", [3, 4, 5]), ("/job/labels/x", ["a", "b", "c"])],
                                mode="zip") | {"base": {**base, "labels": {"x": ""}}})
        result = self.arrays(job["id"])
        np.testing.assert_array_equal(result["u"][:, 0], [1, 3, 1, 4, 1, 5])
        np.testing.assert_array_equal(result["child"], [0, 0, 1, 1, 2, 2])
        self.assertNotIn("vary[1]", result.files)
        self.assertEqual([c["labels"] for c in self.children(job["id"])], [{"x": x} for x in "abc"])
        job = self.finish(sweep(statics("pendulum"), [("/job/model", ["pendulum@1", "soft"])]))
        result = self.arrays(job["id"])
        summary = json.loads(result["summary"].tobytes())
        self.assertIn("q", summary["not_stacked"])  # 1 and 18 coordinates
        self.assertEqual(result["converged"].shape, (2,))
        self.assertEqual([c["model"]["name"] for c in self.children(job["id"])], ["pendulum", "soft"])

    def test_of_runs_over_time_the_last_samples_are_stacked(self):
        base = {"model": "pendulum", "kind": "dynamics", "t_end": 0.5, "inputs": {"motor": 1},
                "output": {"dt": 0.1, "fields": ["q", "poses:arm"]}}
        job = self.finish(sweep(base, [("/job/inputs/motor", [0.5, 1.5])]))
        result = self.arrays(job["id"])
        np.testing.assert_array_equal(result["t"], [0.5, 0.5])
        self.assertEqual(result["poses:arm"].shape, (2, 4, 4))
        for i, child in enumerate(self.children(job["id"])):
            np.testing.assert_array_equal(self.arrays(child["id"])["q"][-1], result["q"][i])

    def test_a_sweep_in_which_jobs_fail_says_how_many_and_why_and_its_retry_runs_only_those(self):
        base = {"model": "soft", "kind": "dynamics", "t_end": 1.0, "inputs": {"cable": 1}, "max_wall_s": 100,
                "integrator": {"method": "newmark", "h": 0.1}, "output": {"dt": 0.5}}
        job = self.finish(sweep(base, [("/job/max_wall_s", [100, 1e-9, 1e-9])]), "failed")
        self.assertEqual(job["error"]["code"], "jobs_failed")
        children = self.children(job["id"])
        self.assertEqual([c["state"] for c in children], ["succeeded", "failed", "failed"])
        self.assertIn(f"2 of 3 jobs failed; the first, {children[1]['id']}", job["error"]["detail"])
        self.assertIn("time", job["error"]["detail"])
        path = f"/v1/jobs/{job['id']}"
        self.assert_problem(self.server.request("GET", path + "/result"), 409, "failed_precondition", words=["2 of 3"])
        partial = self.arrays(job["id"], "?partial=1")
        np.testing.assert_array_equal(partial["succeeded"], [True, False, False])
        self.assertTrue(np.isfinite(partial["q"][0]).all() and np.isnan(partial["q"][1:]).all())

        retry = self.server.request("POST", path + ":retry")
        self.assertEqual(retry.status, 202, retry.body)
        again = self.server.wait(retry.json()["id"])
        self.assertEqual((again["retry_of"], again["state"]), (job["id"], "failed"), again)
        self.assertEqual(again["jobs"], {"queued": 0, "running": 0, "succeeded": 1, "failed": 2, "cancelled": 0})
        new = self.children(again["id"])
        self.assertEqual([c["retry_of"] for c in new], [c["id"] for c in children[1:]])
        taken = json.loads(self.arrays(again["id"], "?partial=1")["summary"].tobytes())["jobs"]
        self.assertEqual([c["id"] for c in taken], [children[0]["id"], new[0]["id"], new[1]["id"]])
        # without the first sweep, the job that the retry took over stays
        self.assertEqual(self.server.request("DELETE", path).status, 204)
        self.assertEqual(self.server.request("GET", f"/v1/jobs/{children[1]['id']}").status, 404)
        self.assertEqual(self.server.job(children[0]["id"])["parent"], again["id"])
        np.testing.assert_array_equal(self.arrays(again["id"], "?partial=1")["q"][0], partial["q"][0])
        self.assertEqual(self.server.request("DELETE", f"/v1/jobs/{again['id']}").status, 204)
        self.assertEqual(self.server.request("GET", f"/v1/jobs/{children[0]['id']}").status, 404)

    def test_a_job_of_a_sweep_is_not_deleted_alone_and_retried_as_one_of_its_own(self):
        base = {**fixed_step_job("soft", 1.0, 0.1), "max_wall_s": 1e-9}
        job = self.finish(sweep(base, [("/job/t_end", [1.0, 2.0])]), "failed")
        child, = [c for c in self.children(job["id"]) if c["state"] == "failed"][:1]
        self.assert_problem(self.server.request("DELETE", f"/v1/jobs/{child['id']}"), 409, "failed_precondition",
                            words=[job["id"]])
        retry = self.server.request("POST", f"/v1/jobs/{child['id']}:retry").json()
        self.assertEqual((retry["retry_of"], retry["parent"]), (child["id"], None))
        self.server.wait(retry["id"])
        self.assertEqual(self.server.job(job["id"])["state"], "failed")

    def test_cancelling_a_sweep_cancels_all_its_jobs(self):
        job_id = self.server.submit(sweep(long_job("soft", 100.0), [("/job/inputs/cable/offset", [5 + i for i in range(12)])]))
        self.server.wait_for_progress(job_id)
        end = time.monotonic() + 60
        while (running := self.server.job(job_id))["jobs"]["running"] < 4 and time.monotonic() < end:
            time.sleep(0.02)
        self.assertEqual(running["jobs"], {"queued": 8, "running": 4, "succeeded": 0, "failed": 0, "cancelled": 0})
        self.assertEqual((running["progress"]["t"], running["progress"]["t_end"]), (0, 12))
        self.assert_problem(self.server.request("DELETE", f"/v1/jobs/{job_id}"), 409, "failed_precondition")
        self.assert_problem(self.server.request("GET", f"/v1/jobs/{job_id}/result?partial=1"), 409, "not_ready")
        self.assertEqual(self.server.request("POST", f"/v1/jobs/{job_id}:cancel").status, 202)
        job = self.server.wait(job_id)
        self.assertEqual((job["state"], job["jobs"]["cancelled"]), ("cancelled", 12), job)
        self.assertEqual({c["state"] for c in self.children(job_id)}, {"cancelled"})
        self.assertEqual(self.server.request("POST", f"/v1/jobs/{job_id}:cancel").status, 200)
        events = self.server.request("GET", f"/v1/jobs/{job_id}/events?since=0&wait=5").json()["events"]
        self.assertEqual([e["state"] for e in events if e["event"] == "state"], ["queued", "running", "cancelled"])
        self.assertEqual(self.server.request("DELETE", f"/v1/jobs/{job_id}").status, 204)
        self.assertEqual(self.children(job_id), [])

    def test_whatever_is_wrong_with_a_sweep_is_named_by_its_place(self):
        good = statics("pendulum", motor=1)
        for document, pointer, words in (
                (sweep(good, [("/job/inputs/brake", [1])]), "/vary/0/path", ["/job/inputs/brake"]),
                (sweep(good, [("/job/inputs/motor", [1]), ("/model/links/7/name", ["x"])]), "/vary/1/path", ["/model/links/7"]),
                (sweep(good, [("/job/inputs/motor", [1, 2, "x"])]), "/vary/0/values/2", ["job 2"]),
                (sweep(good, [("/model/links/0/body/mass", [1, -1])]), "/vary/0/values/1", ["-1"]),
                (sweep(good, [("/model/links/0/body", [{"type": "rigid", "mass": 1, "inertia": [1, 1, -2]}])]),
                 "/vary/0/values/0/inertia", ["-2"]),
                (sweep(good, [("/job/model", ["pendulum", "nobody"])]), "/vary/0/values/1", ["nobody"]),
                (sweep(statics("pendulum", wheel=1), [("/job/inputs/wheel", [1])]), "/base/inputs/wheel", ["wheel"]),
                (sweep(statics("nobody", motor=1), [("/job/inputs", [{}])]), "/base/model", ["nobody"]),
                (sweep(good, [("/job/inputs/motor", list(range(20001)))]), "/vary/0/values", ["20000"])):
            reply = self.server.request("POST", "/v1/jobs", document)
            with self.subTest(pointer=pointer):
                self.assert_problem(reply, 400, "invalid_argument", pointer, words)

    def test_a_check_of_a_sweep_looks_at_every_job_and_queues_none(self):
        before = len(self.server.request("GET", "/v1/jobs?limit=1000").json()["jobs"])
        bad = sweep(statics("pendulum", motor=0), [("/job/inputs/motor", [0, 1, "two"])])
        self.assert_problem(self.server.request("POST", "/v1/jobs?validate=1", bad), 400, "invalid_argument", "/vary/0/values/2")
        self.assertEqual(self.server.request("POST", "/v1/jobs?validate=1", motor_sweep(3)).status, 200)
        self.assertEqual(len(self.server.request("GET", "/v1/jobs?limit=1000").json()["jobs"]), before)

    def test_the_same_key_submits_one_sweep(self):
        key = {"Idempotency-Key": "sweep-1"}
        first, second = (self.server.request("POST", "/v1/jobs", motor_sweep(2), key).json() for _ in range(2))
        self.assertEqual(first["id"], second["id"])
        self.assertEqual(len(self.children(first["id"])), 2)


class Losses(unittest.TestCase):
    def start(self, workers):
        server = Server(workers=workers)
        self.addCleanup(server.close)
        self.assertEqual(server.request("POST", "/v1/models", soft_arm(order=2)).status, 201)
        return server

    def pieces(self, count, seconds):
        """Jobs that each take some time, whatever the build."""
        job = fixed_step_job("soft", 1.0, max(1 / (seconds * pace()), 1e-6))
        return sweep(job, [("/job/inputs/cable/offset", [5 + i / count for i in range(count)])])

    def test_two_hundred_statics_use_all_workers_survive_a_kill_and_show_what_is_done(self):
        workers = 4
        server = self.start(workers)
        count = 200
        base = statics("soft", cable=[0.05 * i for i in range(40)])
        job_id = server.submit(sweep(base, [("/job/inputs/cable/0", [i / count for i in range(count)])]))
        busiest, partial, killed = 0, None, False
        while (job := server.job(job_id))["state"] in ("queued", "running"):
            pids = server.workers_running()
            busiest = max(busiest, len(pids))
            done = job["jobs"]["succeeded"]
            if done > 10 and not killed:
                if pids:
                    try:
                        os.kill(pids[0], signal.SIGKILL)
                        killed = True
                    except ProcessLookupError:
                        pass
            if done > 30 and partial is None and done < count:
                reply = server.request("GET", f"/v1/jobs/{job_id}/result?partial=1", headers=NPZ)
                self.assertEqual(reply.status, 200, reply.body)
                partial = reply.npz()
        self.assertEqual((job["state"], job["jobs"]["succeeded"]), ("succeeded", count), job)
        self.assertEqual(busiest, workers)
        self.assertTrue(killed and partial is not None)
        self.assertTrue(0 < partial["succeeded"].sum() < partial["succeeded"].size)
        whole = server.request("GET", f"/v1/jobs/{job_id}/result", headers=NPZ).npz()
        self.assertEqual(whole["q"].shape[0], count * 40)
        known = partial["succeeded"]
        np.testing.assert_array_equal(whole["q"][known], partial["q"][known])
        self.assertTrue(np.isnan(partial["q"][~known]).all())

    def test_a_killed_server_goes_on_with_the_sweep_where_it_was(self):
        server = self.start(2)
        job_id = server.submit(self.pieces(8, 0.4))
        while server.job(job_id)["jobs"]["succeeded"] < 2:
            time.sleep(0.02)
        server.kill()
        server.start()
        job = server.job(job_id)
        self.assertEqual(job["state"], "running", job)
        self.assertEqual(sum(job["jobs"].values()), 8)
        self.assertGreaterEqual(job["jobs"]["succeeded"], 2)
        job = server.wait(job_id)
        self.assertEqual((job["state"], job["jobs"]["succeeded"]), ("succeeded", 8), job)
        events = server.request("GET", f"/v1/jobs/{job_id}/events?since=0&wait=5").json()["events"]
        self.assertEqual(events[-1]["state"], "succeeded")

    def test_a_sweep_cancelled_while_the_server_is_killed_ends_cancelled(self):
        server = self.start(1)
        job_id = server.submit(sweep(long_job("soft", 100.0), [("/job/inputs/cable/offset", [5, 6, 7])]))
        server.wait_for_progress(job_id)
        os.kill(server.workers_running()[0], signal.SIGSTOP)
        self.assertEqual(server.request("POST", f"/v1/jobs/{job_id}:cancel").status, 202)
        server.kill()
        server.start()
        job = server.wait(job_id)
        self.assertEqual((job["state"], job["jobs"]["cancelled"]), ("cancelled", 3), job)

    def test_ten_thousand_jobs_are_submitted_at_once(self):
        server = self.start(1)
        reply = server.request("POST", "/v1/jobs", motor_sweep(10000, model=pendulum()), timeout=240)
        self.assertEqual(reply.status, 202, reply.body[:500])
        job_id = reply.json()["id"]
        self.assertEqual(sum(server.job(job_id)["jobs"].values()), 10000)
        self.assertEqual(server.request("POST", f"/v1/jobs/{job_id}:cancel").status, 202)
        self.assertEqual(server.wait(job_id)["state"], "cancelled")
        self.assertEqual(server.request("DELETE", f"/v1/jobs/{job_id}").status, 204)


if __name__ == "__main__":
    main()

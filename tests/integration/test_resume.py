"""Jobs that survive: a run that is killed goes on from its last checkpoint and ends with the bits of a run left alone."""
import json
import os
import random
import signal
import time
import unittest

import numpy as np

from harness import Server, long_job, main, soft_arm

NPZ = {"Accept": "application/x-npz"}


def newmark(t_end):
    return {**long_job("soft", t_end), "integrator": {"method": "newmark", "h": 0.0005}}


def bdf(t_end):
    return {**long_job("soft", t_end), "integrator": {"method": "bdf", "rtol": 1e-7, "atol": 1e-10, "h_max": 0.002}}


def statics(count):
    """One problem in two hundred fails."""
    tension = [1e6 if k % 200 == 3 else 10 * abs(np.sin(0.37 * k)) for k in range(count)]
    return {"model": "soft", "kind": "statics", "inputs": {"cable": tension}}


class Resume(unittest.TestCase):
    def setUp(self):
        self.server = Server()
        self.addCleanup(self.server.close)
        self.assertEqual(self.server.request("POST", "/v1/models", soft_arm()).status, 201)

    def result(self, job_id, query=""):
        reply = self.server.request("GET", f"/v1/jobs/{job_id}/result{query}", headers=NPZ)
        self.assertEqual(reply.status, 200, reply.body[:500])
        return reply.npz()

    def events(self, name, job_id):
        lines = [json.loads(line) for line in self.server.log().splitlines() if line.startswith("{")]
        return [line for line in lines if line.get("event") == name and line.get("job") == job_id]

    def resumed_bytes(self, job_id):
        """Of each attempt, in order."""
        return [line["resumed_bytes"] for line in self.events("job_started", job_id)]

    def wait_for_checkpoint(self, job_id, after=0, timeout=120):
        """Until a checkpoint of the running attempt is on the disk that counts more than `after` bytes."""
        path = os.path.join(self.server.folder, "parts", job_id + ".checkpoint")
        end = time.monotonic() + timeout
        while time.monotonic() < end:
            state = self.server.job(job_id)["state"]
            self.assertIn(state, ("queued", "running"), "the job ended before its next checkpoint")
            try:
                with open(path, "rb") as file:
                    rows = int.from_bytes(file.read(24)[16:24], "little")
                if rows > after and state == "running":
                    return rows
            except FileNotFoundError:
                pass
            time.sleep(0.02)
        raise AssertionError("no checkpoint: " + self.server.log())

    def assert_same(self, one, other):
        self.assertEqual(set(one.files), set(other.files))
        for name in one.files:
            if name != "summary":
                np.testing.assert_array_equal(one[name], other[name], err_msg=name)

    def long_enough(self, make, probe, seconds=20.0):
        """make(size) for a size that keeps a worker busy for some seconds, whatever the machine and the build."""
        while True:
            start = time.monotonic()
            self.assertEqual(self.server.wait(self.server.submit(make(probe)))["state"], "succeeded")
            elapsed = time.monotonic() - start
            if elapsed > 0.7:
                return make(round(probe * seconds / elapsed))
            probe *= 4

    def interrupted_three_times(self, job):
        """A worker, the server, a worker: killed at random moments after one more checkpoint each."""
        job_id, rows = self.server.submit(job), 0
        for target in ("worker", "server", "worker"):
            rows = self.wait_for_checkpoint(job_id, rows)
            time.sleep(random.uniform(0, 0.5))
            if target == "worker":
                for worker in self.server.workers_running():
                    os.kill(worker, signal.SIGKILL)
            else:
                self.server.kill()
                self.server.start()
        done = self.server.wait(job_id)
        self.assertEqual((done["state"], done["attempt"]), ("succeeded", 4), done)
        resumed = self.resumed_bytes(job_id)
        self.assertTrue(0 == resumed[0] < resumed[1] <= resumed[2] <= resumed[3], resumed)
        self.assertEqual(os.listdir(os.path.join(self.server.folder, "parts")), [])
        return job_id

    def assert_survives(self, job):
        interrupted = self.interrupted_three_times(job)
        alone = self.server.submit(job)
        self.assertEqual(self.server.wait(alone)["state"], "succeeded")
        self.assert_same(self.result(interrupted), self.result(alone))
        return self.result(interrupted), self.result(alone)

    def test_a_bdf_run_killed_three_times_has_the_bits_of_one_left_alone(self):
        self.assert_survives(self.long_enough(bdf, 1))

    def test_a_newmark_run_killed_three_times_has_the_bits_of_one_left_alone(self):
        self.assert_survives(self.long_enough(newmark, 1))

    def test_a_statics_list_killed_three_times_has_the_bits_and_failures_of_one_left_alone(self):
        one, other = self.assert_survives(self.long_enough(statics, 200))
        one, other = (json.loads(bytes(each["summary"])) for each in (one, other))
        self.assertEqual(one["failures"], other["failures"])
        self.assertEqual([failure["index"] for failure in one["failures"]][:2], [3, 203])

    def test_a_stopped_worker_is_replaced_within_thirty_seconds_and_its_late_frames_change_nothing(self):
        job = self.long_enough(newmark, 1, 6.0)
        job_id = self.server.submit(job)
        self.wait_for_checkpoint(job_id)
        worker, = self.server.workers_running()
        os.kill(worker, signal.SIGSTOP)
        start = time.monotonic()
        while self.server.job(job_id)["attempt"] == 1 and time.monotonic() < start + 30:
            time.sleep(0.05)
        self.assertLess(time.monotonic() - start, 30)
        try:
            os.kill(worker, signal.SIGCONT)
        except ProcessLookupError:
            pass  # as it should be
        done = self.server.wait(job_id)
        self.assertEqual((done["state"], done["attempt"]), ("succeeded", 2), done)
        self.assertIn("lost its lease", self.server.log())
        alone = self.server.submit(job)
        self.server.wait(alone)
        self.assert_same(self.result(job_id), self.result(alone))

    def test_what_was_kept_of_a_job_that_did_not_end_is_the_prefix_of_its_result(self):
        job = self.long_enough(newmark, 1, 6.0)
        job_id = self.server.submit(job)
        reply = self.server.request("GET", f"/v1/jobs/{job_id}/result?partial=1")
        self.assertEqual((reply.status, reply.json()["code"]), (409, "not_ready"), reply.body[:300])
        self.wait_for_checkpoint(job_id)
        running = self.result(job_id, "?partial=1")
        self.server.request("POST", f"/v1/jobs/{job_id}:cancel")
        self.assertEqual(self.server.wait(job_id)["state"], "cancelled")
        cancelled = self.result(job_id, "?partial=1")
        as_json = self.server.request("GET", f"/v1/jobs/{job_id}/result?partial=1").json()
        alone = self.server.submit(job)
        self.server.wait(alone)
        whole = self.result(alone)
        for part in (running, cancelled):
            self.assertTrue(json.loads(bytes(part["summary"]))["partial"])
            rows = len(part["t"])
            self.assertTrue(0 < rows < len(whole["t"]))
            for name in set(whole.files) - {"summary"}:
                np.testing.assert_array_equal(part[name], whole[name][:rows], err_msg=name)
        self.assertEqual(as_json["arrays"]["q"], cancelled["q"].tolist())
        self.assert_same(self.result(alone, "?partial=1"), whole)
        self.assertEqual(self.server.request("DELETE", f"/v1/jobs/{job_id}").status, 204)
        self.assertEqual(os.listdir(os.path.join(self.server.folder, "parts")), [])

    def test_the_time_of_all_attempts_counts_against_max_wall_s(self):
        job = {**self.long_enough(newmark, 1, 30.0), "max_wall_s": 8}
        job_id, start, rows = self.server.submit(job), time.monotonic(), 0
        while time.monotonic() < start + 4:
            rows = self.wait_for_checkpoint(job_id, rows)
        for worker in self.server.workers_running():
            os.kill(worker, signal.SIGKILL)
        killed = time.monotonic()
        done = self.server.wait(job_id)
        self.assertEqual((done["state"], done["attempt"]), ("failed", 2), done)
        self.assertEqual((done["error"]["code"], done["error"]["pointer"]), ("limit", "/max_wall_s"))
        self.assertLess(time.monotonic() - killed, 7.5)  # an attempt with 8 s of its own would take longer

    def test_sigterm_stops_at_the_next_checkpoint_and_no_number_of_restarts_fails_the_job(self):
        job = self.long_enough(newmark, 1, 6.0)
        job_id = self.server.submit(job)
        for _ in range(4):  # more often than a job may crash
            self.server.wait_for_progress(job_id)
            self.assertEqual(self.server.stop(), 0)
            self.assertEqual(self.events("job_ended", job_id)[-1]["end"], "stopped")
            self.server.start()
        done = self.server.wait(job_id)
        self.assertEqual((done["state"], done["attempt"]), ("succeeded", 5), done)
        resumed = self.resumed_bytes(job_id)
        self.assertTrue(all(a < b for a, b in zip(resumed, resumed[1:])), resumed)


if __name__ == "__main__":
    main()

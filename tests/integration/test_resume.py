"""Jobs that survive: a run that is killed goes on from its last checkpoint and ends with the bits of a run left alone.

What is done to a run is done at moments of the run (a checkpoint on the disk, a fraction of progress), not of the clock.
A run that was over before that was too short: its pace had been measured while the machine did something else. It is
tried again with one twice as long.

TENDRIL_SEED sets the seed of the moments at which derivatives are killed; it is printed.
"""
import datetime
import json
import os
import random
import signal
import sys
import time
import unittest

import numpy as np

from harness import Server, in_schema, long_job, main, pendulum, soft_arm

NPZ = {"Accept": "application/x-npz"}


def newmark(t_end):
    """With its derivatives, which go on from the checkpoint, too."""
    return {**long_job("soft", t_end), "integrator": {"method": "newmark", "h": 0.0005},
            "sensitivity": {"parameters": ["/model/links/0/body/material/young", "/job/inputs/cable/amplitude"], "fields": ["q", "tendons"]}}


def bdf(t_end):
    return {**long_job("soft", t_end), "integrator": {"method": "bdf", "rtol": 1e-7, "atol": 1e-10, "h_max": 0.002}}


def statics(count):
    """One problem in two hundred fails."""
    tension = [1e6 if k % 200 == 3 else 10 * abs(np.sin(0.37 * k)) for k in range(count)]
    return {"model": "soft", "kind": "statics", "inputs": {"cable": tension}, "unconverged": "keep",
            "sensitivity": {"parameters": ["/model/links/0/body/length"]}}


def swing(thousands):
    """A pendulum that nothing damps: its run is checked by a second one in steps twice as long, a third of all the work."""
    t_end = round(thousands) * 1.0
    return {"model": pendulum(), "kind": "dynamics", "t_end": t_end, "initial": {"q": [0.5]}, "integrator": {"method": "rk4", "h": 1e-3},
            "output": {"dt": t_end / 100}}


def gradient(fifths):
    """Forward with a sum that grows, then backward: derivatives of all that it passes on the way."""
    of = {**long_job("soft"), "t_end": 0.2 * round(fifths), "output": {"dt": 0.02, "fields": ["q"]}}
    of["integrator"] = {"method": "newmark", "h": 0.002}
    return {"kind": "gradient", "of": of, "parameters": ["/model/links/0/body/material/young", "/model/links/0/body/length", "/job/inputs/cable/amplitude"],
            "objective": [{"field": "poses:arm@1", "select": [[0, 3], [2, 3]], "target": [0.1, 0.2], "at": "all"}]}


def fit(starts):
    """Of a swing that no pendulum makes, so that every search has its way to go."""
    swing = {"kind": "dynamics", "t_end": 2, "initial": {"q": [1.0]}, "integrator": {"method": "newmark", "h": 0.002}}
    times = np.linspace(0.1, 2, 20)
    record = {"field": "q", "t": times.tolist(), "value": [[float(np.cos(5 * t) * np.exp(-0.3 * t) + 0.05 * np.sin(31 * t))] for t in times], "sigma": 0.01}
    parameters = [{"path": "/model/links/0/body/mass", "lower": 0.5, "upper": 8, "scale": "log"}, {"path": "/model/links/0/body/com/2", "lower": -1, "upper": -0.1}]
    return {"kind": "fit", "model": pendulum(), "of": [{"job": swing, "data": [record]}], "parameters": parameters, "starts": round(starts), "unconverged": "keep"}


def design(seconds):
    """A torque over time, value by value."""
    t_end = 1.0 * round(seconds)
    table = {"type": "table", "t": np.linspace(0, t_end, 5).tolist(), "value": [0.0] * 5}
    of = {"kind": "dynamics", "model": pendulum(), "t_end": t_end, "integrator": {"method": "newmark", "h": 0.01}, "inputs": {"motor": table},
          "output": {"dt": t_end, "fields": ["q"]}}
    return {"kind": "design", "of": of, "parameters": [{"path": "/job/inputs/motor/value", "lower": -3, "upper": 3}],
            "objective": [{"field": "q", "target": 0.1}, {"field": "u", "target": 0, "weight": 1e-4, "at": "all"}],
            "constraints": [{"field": "qd", "lower": -1, "upper": 1}], "max_evaluations": 30, "unconverged": "keep"}


ELSEWHERE = "TENDRIL_TEST_STORE" in os.environ  # checkpoints are in PostgreSQL
SEED = int(os.environ.get("TENDRIL_SEED", random.randrange(1 << 31)))


class OverAlready(Exception):
    """The job ended before the test was through with it."""


class Resume(unittest.TestCase):
    def setUp(self):
        self.server = Server()
        self.addCleanup(self.server.close)
        self.assertEqual(self.server.request("POST", "/v1/models", soft_arm()).status, 201)

    # -------------------------------------------------------------------------------------------- jobs that last enough

    sizes = {}  # of a second's work, by kind of job

    def size_of_a_second(self, make, probe):
        if make not in self.sizes:
            self.sizes[make] = self.measured_size(make, probe)
        return self.sizes[make]

    def measured_size(self, make, probe):
        while True:
            job = make(probe)  # may measure the machine first
            start = time.monotonic()
            self.assertEqual(self.server.wait(self.server.submit(job))["state"], "succeeded")
            elapsed = time.monotonic() - start
            if elapsed > 0.7:
                return probe / elapsed
            probe *= 4

    def with_a_long_job(self, make, story, seconds=4.0, probe=1):
        """story(job), for a job that keeps a worker busy for some seconds, whatever the machine and the build."""
        size = max(round(seconds * self.size_of_a_second(make, probe)), 1)
        for _ in range(9):
            try:
                return story(make(size))
            except OverAlready:
                size *= 2
        raise AssertionError(f"jobs of size {size // 2} still end too early")

    def look(self, job_id):
        """The job, which must not have ended."""
        job = self.server.job(job_id)
        if job["state"] == "succeeded":
            raise OverAlready
        self.assertIn(job["state"], ("queued", "running"), job)
        return job

    def kept_rows(self, job_id):
        """Bytes of rows under the last checkpoint; 0 without one."""
        if ELSEWHERE:
            return int(in_schema(self.server.folder, f"SELECT coalesce(sum(rows), 0) FROM parts WHERE job = '{job_id}'"))
        try:
            with open(os.path.join(self.server.folder, "parts", job_id + ".checkpoint"), "rb") as file:
                return int.from_bytes(file.read(24)[16:24], "little")
        except FileNotFoundError:
            return 0

    def list_parts(self):
        if ELSEWHERE:
            return in_schema(self.server.folder, "SELECT job FROM parts").split()
        return os.listdir(os.path.join(self.server.folder, "parts"))

    def wait_for_checkpoint(self, job_id, after=0, fraction=0.0, timeout=240):
        """Until the run has passed `fraction` and has a checkpoint on the disk that counts more than `after` bytes."""
        end = time.monotonic() + timeout
        while time.monotonic() < end:
            job = self.look(job_id)
            rows = self.kept_rows(job_id)
            if rows > after and job["state"] == "running" and job["progress"]["fraction"] > fraction:
                return rows
            time.sleep(0.02)
        raise AssertionError("no checkpoint: " + self.server.log())

    def wait_for_progress(self, job_id, timeout=240):
        end = time.monotonic() + timeout
        while time.monotonic() < end:
            job = self.look(job_id)
            if job["state"] == "running" and job["progress"]["fraction"] > 0:
                return
            time.sleep(0.01)
        raise AssertionError("no progress: " + self.server.log())

    def worker(self):
        """The only one; none is there when the job has just ended."""
        workers = self.server.workers_running()
        if not workers:
            raise OverAlready
        return workers[0]

    def kill(self, target):
        if target == "worker":
            os.kill(self.worker(), signal.SIGKILL)
        else:
            self.server.kill()
            self.server.start()

    # ------------------------------------------------------------------------------------------------- what is compared

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

    def succeeds_in(self, attempts, job_id):
        """Fewer attempts are no fault of the server: the run had ended when it was to be killed."""
        done = self.server.wait(job_id)
        self.assertEqual(done["state"], "succeeded", done)
        if done["attempt"] < attempts:
            raise OverAlready
        self.assertEqual(done["attempt"], attempts, done)

    def assert_same(self, one, other):
        self.assertEqual(set(one.files), set(other.files))
        for name in one.files:
            if name != "summary":
                np.testing.assert_array_equal(one[name], other[name], err_msg=name)

    def assert_no_parts_remain(self):
        """They are removed after the end of the job was made known."""
        end = time.monotonic() + 30
        while self.list_parts() and time.monotonic() < end:
            time.sleep(0.02)
        self.assertEqual(self.list_parts(), [])

    def left_alone(self, job):
        job_id = self.server.submit(job)
        done = self.server.wait(job_id)
        self.assertEqual((done["state"], done["attempt"]), ("succeeded", 1), done)
        return job_id

    def killed_three_times(self, job):
        """A worker, the server, a worker: each after one more checkpoint, at random places of the run."""
        job_id, rows = self.server.submit(job), 0
        for target, low, high in (("worker", 0.1, 0.3), ("server", 0.3, 0.5), ("worker", 0.5, 0.7)):
            rows = self.wait_for_checkpoint(job_id, rows, random.uniform(low, high))
            self.kill(target)
        self.succeeds_in(4, job_id)
        resumed = self.resumed_bytes(job_id)
        self.assertTrue(0 == resumed[0] < resumed[1] < resumed[2] < resumed[3], resumed)
        self.assert_no_parts_remain()
        return job_id

    def survivor_and_twin(self, make, probe=1):
        """Results of a run killed three times and of one left alone, which are the same."""
        def story(job):
            killed, alone = self.result(self.killed_three_times(job)), self.result(self.left_alone(job))
            self.assert_same(killed, alone)
            return killed, alone
        return self.with_a_long_job(make, story, probe=probe)

    def test_a_bdf_run_killed_three_times_has_the_bits_of_one_left_alone(self):
        self.survivor_and_twin(bdf)

    def test_a_newmark_run_killed_three_times_has_the_bits_of_one_left_alone(self):
        self.survivor_and_twin(newmark)

    def test_a_statics_list_killed_three_times_has_the_bits_and_failures_of_one_left_alone(self):
        both = self.survivor_and_twin(statics, 200)
        one, other = (json.loads(bytes(each["summary"])) for each in both)
        self.assertEqual(one["failures"], other["failures"])
        self.assertEqual([failure["index"] for failure in one["failures"]], list(range(3, len(both[0]["converged"]), 200)))  # few on a slow machine

    def killed_whenever(self, job, whole_s, draw):
        """A worker, the server, a worker, each at a moment of its own, whatever the job is doing then; with whether anything had been kept before
        each attempt."""
        job_id, kept = self.server.submit(job), [False]
        for target in ("worker", "server", "worker"):
            time.sleep(draw.uniform(0.05, 0.5) * whole_s)
            while self.look(job_id)["state"] == "queued":
                time.sleep(0.005)
            kept.append(self.kept_rows(job_id) > 0)
            self.kill(target)
        self.succeeds_in(4, job_id)
        for was_kept, resumed in zip(kept, self.resumed_bytes(job_id)):
            self.assertTrue(resumed > 0 or not was_kept, "what was kept is gone on from")
        self.assert_no_parts_remain()
        return job_id

    def same_whenever_killed(self, make, probe):
        draw = random.Random(SEED)
        print(f"seed {SEED}", file=sys.stderr)

        def story(job):
            start = time.monotonic()
            alone = self.result(self.left_alone(job))
            killed = self.result(self.killed_whenever(job, time.monotonic() - start, draw))
            self.assert_same(killed, alone)
        self.with_a_long_job(make, story, 3.0, probe)

    def test_a_gradient_killed_at_three_random_moments_has_the_bits_of_one_left_alone(self):
        self.same_whenever_killed(gradient, 1)

    def test_a_fit_killed_at_three_random_moments_has_the_bits_of_one_left_alone(self):
        self.same_whenever_killed(fit, 10)

    def test_a_design_killed_at_three_random_moments_has_the_bits_of_one_left_alone(self):
        self.same_whenever_killed(design, 5)

    def wait_for_check(self, job_id, part=0.0, timeout=240):
        """Until the second run has begun, and so much of it is over."""
        end, begun = time.monotonic() + timeout, None
        while time.monotonic() < end:
            now = self.look(job_id)["progress"]
            if "phase" in now:
                begun = begun or now["fraction"]
                if now["fraction"] >= begun + part * (1 - begun):
                    return now
            time.sleep(0.01)
        raise AssertionError("no check: " + self.server.log())

    def test_a_run_killed_in_its_check_says_so_and_has_the_bits_of_one_left_alone(self):
        def story(job):
            job_id = self.server.submit(job)
            now = self.wait_for_check(job_id, 0.3)
            self.assertEqual((now["phase"], now["t"]), ("checking", job["t_end"]), now)
            self.assertTrue(0.6 < now["fraction"] < 1, now)
            self.kill("worker")
            self.succeeds_in(2, job_id)
            self.assertEqual(self.server.job(job_id)["progress"], {"fraction": 1, "t": job["t_end"], "t_end": job["t_end"]})
            told = self.server.request("GET", f"/v1/jobs/{job_id}/events?since=0&wait=0").json()["events"]
            for attempt in (1, 2):
                mine = [e for e in told if e["event"] == "progress" and e["attempt"] == attempt]
                fractions = [e["fraction"] for e in mine]
                self.assertEqual(fractions, sorted(fractions))
                self.assertTrue(all(e["fraction"] <= 0.7 for e in mine if "phase" not in e), "two thirds of the work are the run's")
                checks = [e for e in mine if "phase" in e]
                self.assertTrue(checks and all((e["phase"], e["t"]) == ("checking", job["t_end"]) for e in checks), mine[-3:])
                self.assertEqual(mine[-len(checks):], checks)
            killed, alone = self.result(job_id), self.result(twin := self.left_alone(job))
            self.assert_same(killed, alone)
            self.assertEqual(self.server.job(job_id)["warnings"], self.server.job(twin)["warnings"])
        self.with_a_long_job(swing, story, probe=200)

    def test_a_stopped_worker_is_replaced_within_thirty_seconds_and_its_late_frames_change_nothing(self):
        def story(job):
            job_id = self.server.submit(job)
            self.wait_for_checkpoint(job_id)
            worker = self.worker()
            os.kill(worker, signal.SIGSTOP)
            start = time.monotonic()
            while self.look(job_id)["attempt"] == 1 and time.monotonic() < start + 30:
                time.sleep(0.05)
            self.assertEqual(self.look(job_id)["attempt"], 2)
            try:
                os.kill(worker, signal.SIGCONT)
            except ProcessLookupError:
                pass  # as it should be
            self.succeeds_in(2, job_id)
            self.assertIn("lost its lease", self.server.log())
            self.assert_same(self.result(job_id), self.result(self.left_alone(job)))
        self.with_a_long_job(newmark, story)

    def test_what_was_kept_of_a_job_that_did_not_end_is_the_prefix_of_its_result(self):
        def story(job):
            job_id = self.server.submit(job)
            reply = self.server.request("GET", f"/v1/jobs/{job_id}/result?partial=1")
            self.assertEqual((reply.status, reply.json()["code"]), (409, "not_ready"), reply.body[:300])
            self.wait_for_checkpoint(job_id)
            running = self.result(job_id, "?partial=1")
            self.server.request("POST", f"/v1/jobs/{job_id}:cancel")
            if self.server.wait(job_id)["state"] == "succeeded":
                raise OverAlready
            self.assertEqual(self.server.job(job_id)["state"], "cancelled")
            cancelled = self.result(job_id, "?partial=1")
            as_json = self.server.request("GET", f"/v1/jobs/{job_id}/result?partial=1").json()
            self.assertEqual(as_json["arrays"]["q"], cancelled["q"].tolist())
            alone = self.left_alone(job)
            self.assert_same(self.result(alone, "?partial=1"), self.result(alone))
            self.assertEqual(self.server.request("DELETE", f"/v1/jobs/{job_id}").status, 204)
            self.assert_no_parts_remain()
            return (running, cancelled), self.result(alone)
        parts, whole = self.with_a_long_job(newmark, story)
        for part in parts:
            self.assertTrue(json.loads(bytes(part["summary"]))["partial"])
            rows = len(part["t"])
            self.assertTrue(0 < rows < len(whole["t"]))
            for name in set(whole.files) - {"summary"}:
                np.testing.assert_array_equal(part[name], whole[name][:rows], err_msg=name)

    def test_the_time_of_all_attempts_counts_against_max_wall_s(self):
        def story(job):
            job_id, rows, start = self.server.submit({**job, "max_wall_s": 6}), 0, time.monotonic()
            while time.monotonic() < start + 3:
                rows = self.wait_for_checkpoint(job_id, rows)
            self.kill("worker")
            done = self.server.wait(job_id)
            if done["state"] == "succeeded":
                raise OverAlready
            self.assertEqual((done["state"], done["attempt"]), ("failed", 2), done)
            self.assertEqual((done["error"]["code"], done["error"]["pointer"]), ("limit", "/max_wall_s"))
            return self.events("job_started", job_id)[-1]["time"], self.events("job_ended", job_id)[-1]["time"]
        began, ended = (datetime.datetime.fromisoformat(time.rstrip("Z"))
                        for time in self.with_a_long_job(newmark, story, 30.0))
        self.assertLess((ended - began).total_seconds(), 6)  # 6 s of its own would have taken longer

    def test_sigterm_stops_at_the_next_checkpoint_and_no_number_of_restarts_fails_the_job(self):
        def story(job):
            job_id = self.server.submit(job)
            for _ in range(4):  # more often than a job may crash
                self.wait_for_progress(job_id)
                self.assertEqual(self.server.stop(), 0)
                self.assertIn(self.events("job_ended", job_id)[-1]["end"], ("stopped", "succeeded"))
                self.server.start()
            self.succeeds_in(5, job_id)
            resumed = self.resumed_bytes(job_id)
            self.assertTrue(all(a < b for a, b in zip(resumed, resumed[1:])), resumed)
        self.with_a_long_job(newmark, story)


if __name__ == "__main__":
    main()

"""A wall clock that is set back or forward while jobs wait and run (libfaketime): nothing is lost, nothing waits for it."""
import glob
import os
import signal
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "integration"))

from harness import Server, in_a_folder, long_job, main, pendulum, soft_arm  # noqa: E402

LIBRARY = (glob.glob("/usr/lib/*/faketime/libfaketimeMT.so.1") or [None])[0]


@unittest.skipUnless(LIBRARY, "faketime is not installed")
class Clock(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.clock = os.path.join(self.folder.name, "clock")
        self.set_clock("+0d")
        # The address sanitizer wants to be the first library; what measures durations keeps the true clock.
        options = os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0"
        self.server = Server(os.path.join(self.folder.name, "data"), "--retention-days", "30", environment={
            "LD_PRELOAD": LIBRARY, "FAKETIME_TIMESTAMP_FILE": self.clock, "FAKETIME_NO_CACHE": "1", "ASAN_OPTIONS": options,
            "FAKETIME_DONT_FAKE_MONOTONIC": "1", "FAKETIME_FORCE_MONOTONIC_FIX": "0"})  # else such waits are over at once
        self.addCleanup(self.server.close)
        self.assertEqual(self.server.request("POST", "/v1/models", soft_arm()).status, 201)

    def set_clock(self, offset):
        with open(self.clock + ".new", "w", encoding="ascii") as file:
            file.write(offset + "\n")
        os.replace(self.clock + ".new", self.clock)

    def kill_server(self):
        """What libfaketime leaves of a process that was killed goes, too."""
        pid = self.server.process.pid
        self.server.kill()
        for left in glob.glob(f"/dev/shm/*faketime*_{pid}"):
            os.unlink(left)

    def small_job(self):
        return self.server.submit({"model": pendulum(), "kind": "statics", "inputs": {"motor": 0.5}})

    @in_a_folder  # a database goes by its own clock
    def test_the_clock_of_the_server_is_the_one_of_this_test(self):
        before = self.server.job(self.small_job())["created_at"]
        self.set_clock("-400d")
        self.assertLess(self.server.job(self.small_job())["created_at"][:4], before[:4])

    def test_jobs_run_and_end_whichever_way_the_clock_jumps(self):
        running = self.server.submit(long_job("soft", 10.0))
        waiting = [self.small_job() for _ in range(3)]
        self.server.wait_for_progress(running)
        for offset in ("-1d", "+2d", "-400d"):
            self.set_clock(offset)
            waiting.append(self.small_job())
            time.sleep(0.3)
        for job_id in [running, *waiting]:
            done = self.server.wait(job_id)
            self.assertEqual((done["state"], done["attempt"]), ("succeeded", 1), done)
        newest_first = [job["id"] for job in self.server.request("GET", "/v1/jobs").json()["jobs"]]
        self.assertEqual(newest_first, [running, *waiting][::-1])  # by submission, not by the clock

    def test_a_job_that_waits_after_a_crash_is_not_kept_waiting_by_a_clock_set_back(self):
        job_id = self.server.submit(long_job("soft", 3.0))
        self.server.wait_for_progress(job_id)
        os.kill(self.server.workers_running()[0], signal.SIGKILL)
        self.set_clock("-1d")
        done = self.server.wait(job_id, timeout=30 + 120)
        self.assertEqual((done["state"], done["attempt"]), ("succeeded", 2), done)

    def test_a_restart_with_a_clock_set_back_finishes_what_was_queued(self):
        running, queued = self.server.submit(long_job("soft", 3.0)), self.small_job()
        self.server.wait_for_progress(running)
        self.kill_server()
        self.set_clock("-30d")
        self.server.start()
        self.assertEqual(self.server.wait(running)["state"], "succeeded")
        self.assertEqual(self.server.wait(queued)["state"], "succeeded")
        events = self.server.request("GET", f"/v1/jobs/{running}/events?since=0").json()["events"]
        self.assertEqual([event["seq"] for event in events], sorted(event["seq"] for event in events))
        self.assertEqual(self.server.request("GET", f"/v1/jobs/{running}/result").status, 200)

    def test_jobs_that_end_under_a_clock_set_back_are_not_old_when_it_is_right_again(self):
        first = self.small_job()
        self.server.wait(first)
        self.set_clock("-400d")
        later = self.small_job()
        self.server.wait(later)
        self.set_clock("+0d")
        time.sleep(5)  # two looks of the keeper
        for job_id in (first, later):
            self.assertEqual(self.server.request("GET", f"/v1/jobs/{job_id}/result").status, 200)

    def test_a_clock_set_far_ahead_makes_retention_delete_nothing(self):
        jobs = [self.small_job() for _ in range(3)]
        for job_id in jobs:
            self.server.wait(job_id)
        self.set_clock("+400d")
        self.server.wait_for_log("clock_jumped")
        time.sleep(5)  # two looks of the keeper
        for job_id in jobs:
            self.assertEqual(self.server.request("GET", f"/v1/jobs/{job_id}/result").status, 200)
        self.kill_server()
        self.server.start()
        self.server.wait_for_log("retention_will_delete")
        time.sleep(3)
        for job_id in jobs:
            self.assertEqual(self.server.request("GET", f"/v1/jobs/{job_id}/result").status, 200)


if __name__ == "__main__":
    main()
